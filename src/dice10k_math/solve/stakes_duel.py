"""Solving a race with High Stakes between two players of whom at least one plays by a policy.

As any duel, with what every offer is worth kept for the rows before, as in `dice10k_math.solve.stakes`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dice10k_math.bounds import RaceBounds
from dice10k_math.last_turn import NEAREST
from dice10k_math.solve.duel import DuelValues, solve_row, start_of
from dice10k_math.solve.guarantees import settle_row_with_offers
from dice10k_math.stakes import StakesRace
from dice10k_math.stakes_duel import StakesDuelGuarantees, StakesWaiting
from dice10k_math.stakes_movers import StakesMover
from dice10k_math.workers import Share, counted

Movers = tuple[StakesMover, StakesMover]


@dataclass(frozen=True, slots=True)
class StakesDuelValues:
    """Win probabilities of two players against each other.

    Attributes
    ----------
    duel
        Of players who have no offer or decline it.
    waiting
        What waiting is worth to each, with what taking over is worth to the other.
    """

    duel: DuelValues
    waiting: tuple[StakesWaiting, StakesWaiting]


def solve_stakes_duel(race: StakesRace, movers: Movers, progress: Share | None = None) -> StakesDuelValues:
    """Return the win probabilities of both players from every turn start.

    Nothing is proved here: that is for `dice10k_math.certify`.
    """
    move = np.full((2, race.phases, race.rows, race.scores), np.nan)
    slope = np.full_like(move, 0.3)
    waiting = StakesWaiting(race, movers[1], NEAREST), StakesWaiting(race, movers[0], NEAREST)
    totals = range(2 * race.scores - 2, -1, -1)
    for total in counted(totals, len(totals), progress):
        solve_row(race, total, movers, waiting, move, slope)
        for player in range(2):
            for phase in range(race.phases):
                worth = waiting[player].worth(phase, total, waiting[player].row(phase, total))
                movers[player].turn_with_offers(phase, total, worth, NEAREST, waiting[1 - player].offers)
    return StakesDuelValues(DuelValues(move, slope, (0.5, 0.5)), waiting)


def propose_stakes_guarantees(
    race: StakesRace, movers: Movers, values: DuelValues, player: int, progress: Share | None = None
) -> RaceBounds:
    """Return guarantees of one of the players that a judge can check; see `dice10k_math.solve.guarantees`."""
    shape = values.move[player].shape
    bounds = RaceBounds(np.full(shape, np.nan), np.full(shape, np.nan), 0.5, 0.5)
    judge = StakesDuelGuarantees(race, bounds, movers[player], movers[1 - player])
    behind = np.zeros((2, *shape))
    totals = range(2 * race.scores - 2, -1, -1)
    for total in counted(totals, len(totals), progress):
        for phase in range(race.phases):
            settle_row_with_offers(judge, phase, total, start_of(race, phase, total, values, player), behind)
        for phase in range(race.phases):
            judge.record(phase, total)
    return bounds
