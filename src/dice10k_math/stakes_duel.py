"""Races with High Stakes between two players of whom at least one plays by a policy: guarantees.

The guarantees say nothing of offers, as in `dice10k_math.bounds`: what taking over is worth comes out of the turns
that are evaluated anyway. A policy that declines an offer has what its turn guarantees, one that takes over has what
the rest of that turn does.
"""

from __future__ import annotations

import numpy as np

from dice10k_math.bounds import RaceBounds
from dice10k_math.duel import DuelGuarantees
from dice10k_math.last_turn import DOWN, UP, Side
from dice10k_math.program import Floats
from dice10k_math.race import RowWorth
from dice10k_math.stakes import StakesRace, StakesWorth
from dice10k_math.stakes_movers import StakesMover

NOT_FOLLOWED = np.zeros((1, 1))
"""What taking over is worth in a last turn, for rows that do not ask: their bank tables have it."""


class StakesWaiting:
    """What waiting is worth to a player after a bank, given what the other makes of it; filled row by row.

    Attributes
    ----------
    table
        Shape (phases * rows, scores), the other beginning afresh.
    offers
        What taking over is worth to the other, as he stores it.
    """

    def __init__(self, race: StakesRace, other: StakesMover, side: Side) -> None:
        self.race, self.answers = race, other.answers(side)
        self.table = np.zeros((race.phases * race.rows, race.scores))
        self.answers.fill_past_target(self.table)
        self.offers = race.no_offers()
        self._banks: dict[tuple[int, int], Floats] = {}

    def row(self, phase: int, total: int) -> Floats:
        """Return one row, to be written."""
        return self.table[phase * self.race.rows + total]

    def banks(self, phase: int, total: int) -> Floats:
        """Return what banking is worth in one row, once those with greater sums are known."""
        place = phase, total
        if place not in self._banks:
            self._banks = {other: banks for other, banks in self._banks.items() if other[1] == total}
            self._banks[place] = self.answers.banks(phase, total, self.table, self.offers)
        return self._banks[place]

    def worth(self, phase: int, total: int, bust: Floats) -> RowWorth:
        """Return what the endings of a row are worth, a bust being worth `bust` by column."""
        return StakesWorth(self.banks(phase, total), bust, np.zeros(1), takes=NOT_FOLLOWED)


class StakesDuelGuarantees(DuelGuarantees):
    """The inequalities for a player `own` against a player `other`, with High Stakes."""

    def __init__(self, race: StakesRace, bounds: RaceBounds, own: StakesMover, other: StakesMover) -> None:
        self.race, self.bounds, self.endless = race, bounds, False
        self.players = own, other
        self.waits = StakesWaiting(race, other, UP), StakesWaiting(race, own, DOWN)
        self.own_table, self.their_table = (wait.table for wait in self.waits)

    def _own_turn(self, phase: int, total: int, bust: Floats) -> Floats:
        own, (waiting, theirs) = self.players[0], self.waits
        return own.turn_with_offers(phase, total, waiting.worth(phase, total, bust), DOWN, theirs.offers)

    def _their_turn(self, phase: int, total: int, bust: Floats) -> Floats:
        other, (ours, waiting) = self.players[1], self.waits
        return other.turn_with_offers(phase, total, waiting.worth(phase, total, bust), UP, ours.offers)
