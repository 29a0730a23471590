"""Solving a race with High Stakes between two players of whom at least one plays by a policy.

As any duel, with what every offer is worth kept for the rows before, as in `dice10k_math.solve.stakes`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dice10k_math.bounds import RaceBounds
from dice10k_math.errors import NotConvergedError
from dice10k_math.last_turn import NEAREST
from dice10k_math.program import Floats
from dice10k_math.solve.duel import DuelValues, solve_row
from dice10k_math.solve.race import MOST_ROUNDS, STUCK
from dice10k_math.solve.stakes import COST, LEAST, MOST
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
    """Return guarantees of one of the players that a judge can check.

    Those of a row are moved until every turn costs about `COST`, starting from where the rows after it suggest.
    """
    shape = values.move[player].shape
    bounds = RaceBounds(np.full(shape, np.nan), np.full(shape, np.nan), 0.5, 0.5)
    judge = StakesDuelGuarantees(race, bounds, movers[player], movers[1 - player])
    behind = np.zeros((2, *shape))
    totals = range(2 * race.scores - 2, -1, -1)
    for total in counted(totals, len(totals), progress):
        for phase in range(race.phases):
            _propose_row(race, phase, total, values, player, judge, behind)
        for phase in range(race.phases):
            judge.record(phase, total)
    return bounds


def _propose_row(
    race: StakesRace,
    phase: int,
    total: int,
    values: DuelValues,
    player: int,
    judge: StakesDuelGuarantees,
    behind: Floats,
) -> None:
    """Find guarantees of one row and phase; `behind` tells by how much those of each row fall short of the values."""
    first, end = race.columns(total)
    columns, bounds = slice(first, end), judge.bounds
    partner, after, other = total - np.arange(first, end), race.other(phase), 1 - player
    value = np.stack([values.move[player, phase, total, columns], 1.0 - values.move[other, after, total, partner]])
    slopes = values.slope[player, phase, total, columns], values.slope[other, after, total, partner]
    # Where both players can only bust, for ever, nobody wins and nothing is guaranteed.
    lasting = 1.0 - slopes[0] * slopes[1] > STUCK
    short = np.maximum(2 * behind[:, phase, total + 1, columns] - behind[:, phase, total + 2, columns], COST)
    for _ in range(MOST_ROUNDS):
        claimed = np.where(lasting, np.maximum(value - short, 0.0), 0.0)
        bounds.move[phase, total, columns], bounds.wait[phase, total, columns] = claimed
        gaps = np.stack([judge.moving(phase, total)[columns], judge.waiting(phase, total)[columns]])
        gaps -= claimed
        # To guarantee nothing needs no proof.
        if ((claimed == 0.0) | ((gaps >= LEAST) & (gaps <= MOST))).all():
            behind[:, phase, total, columns] = np.where(lasting, short, COST)
            return
        move_gap, wait_gap = gaps - COST
        shift = (move_gap + slopes[0] * wait_gap) / np.maximum(1.0 - slopes[0] * slopes[1], STUCK)
        short = short - np.stack([shift, wait_gap + slopes[1] * shift])
    raise NotConvergedError(f"{race.rules.name}: no bounds for scores adding up to {total * race.unit:,} points")
