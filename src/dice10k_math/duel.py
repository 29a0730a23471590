"""Races between two players of whom at least one plays by a policy: guarantees, as in `dice10k_math.bounds`."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from dice10k_math.bounds import Guarantees, RaceBounds
from dice10k_math.last_turn import DOWN, UP
from dice10k_math.movers import LastTurn, Mover
from dice10k_math.program import NEVER, Floats
from dice10k_math.race import Race, RowWorth


class Waits(Protocol):
    """What waiting is worth to a player, as the solver fills it and asks for it."""

    def row(self, phase: int, total: int) -> Floats:
        """Return one row, to be written."""
        ...

    def worth(self, phase: int, total: int, bust: Floats) -> RowWorth:
        """Return what the endings of a row are worth, a bust being worth `bust` by column."""
        ...


class Waiting:
    """What waiting is worth to a player, by sum of the scores and the other's score; filled row by row.

    Attributes
    ----------
    table
        Shape (phases * rows, scores); 0 where it is not known yet.
    last
        The other's last turn.
    """

    def __init__(self, race: Race, last: LastTurn) -> None:
        self.race, self.last = race, last
        self.table = np.zeros((race.phases * race.rows, race.scores))
        own = np.arange(race.rows)[:, None] - np.arange(race.scores)[None, :]
        other = np.broadcast_to(np.arange(race.scores), own.shape)
        past = own >= race.scores
        self.least = np.zeros_like(self.table)
        for phase in range(race.phases):
            part = self.table[phase * race.rows : (phase + 1) * race.rows]
            part[past] = 1.0
            if race.has_last_turn and phase == 0:
                part[past] = 1.0 - last.table[own[past] - race.scores, other[past]]
            if race.rules.ending.kind == "exact":
                part[own > race.scores] = NEVER
            self.least[phase * race.rows : (phase + 1) * race.rows] = self._least(np.where(past, part, 1.0))

    def _least(self, worth: Floats) -> Floats:
        """Return the least worth of having at least as much: the other may play worse when he is less far behind."""
        return np.minimum(np.minimum.accumulate(worth[::-1])[::-1], 1.0 - self.last.beyond)

    def row(self, phase: int, total: int) -> Floats:
        """Return one row, to be written."""
        return self.table[phase * self.race.rows + total]

    def worth(self, phase: int, total: int, bust: Floats) -> RowWorth:  # noqa: ARG002 - the table has all rows
        """Return what the endings of a row are worth, a bust being worth `bust` by column."""
        return RowWorth(self.table, bust, self.last.most, self.least)


class DuelGuarantees(Guarantees):
    """The inequalities for a player `own` against a player `other`."""

    def __init__(self, race: Race, bounds: RaceBounds, own: Mover, other: Mover) -> None:
        self.race, self.bounds = race, bounds
        self.own, self.other = own, other
        self.endless = False
        self.last = own.last_turn(bounds.follow, DOWN), other.last_turn(1.0 - bounds.lead, UP)
        self._own_waiting, self._their_waiting = Waiting(race, self.last[1]), Waiting(race, self.last[0])
        self.own_table, self.their_table = self._own_waiting.table, self._their_waiting.table

    def lead(self) -> float:
        """Return what the guarantee at a tie may be for the player who leads off."""
        return self.own.lead_off(self.last[1], DOWN)

    def follow(self) -> float:
        """Return what the guarantee at a tie may be for the other player."""
        return 1.0 - self.other.lead_off(self.last[0], UP)

    def _own_turn(self, phase: int, total: int, bust: Floats) -> Floats:
        return self.own.turn(phase, total, self._own_waiting.worth(phase, total, bust), DOWN)

    def _their_turn(self, phase: int, total: int, bust: Floats) -> Floats:
        return self.other.turn(phase, total, self._their_waiting.worth(phase, total, bust), UP)
