"""Solving a race with High Stakes: as any race, with what every offer is worth kept for the rows before."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from dice10k_math.bounds import RaceBounds, StakesGuarantees
from dice10k_math.last_turn import NEAREST, Mask, last_turns
from dice10k_math.program import Floats
from dice10k_math.solve.guarantees import settle_row_with_offers
from dice10k_math.solve.race import RaceValues, solve_row, start_of, write_waiting
from dice10k_math.stakes import StakesRace, StakesWorth
from dice10k_math.workers import Share, counted


@dataclass(frozen=True, slots=True)
class StakesValues:
    """Win probabilities of the player to move.

    Attributes
    ----------
    race
        Of the player who has no offer or declines it.
    offers
        Shape (phases, offers): of the player who takes over, as `StakesRace.turn_with_offers` stores them.
    takes
        The same in a last turn.
    """

    race: RaceValues
    offers: Floats
    takes: Floats


def solve_stakes(race: StakesRace, progress: Share | None = None) -> StakesValues:
    """Return the win probability of the player to move from every turn start, both players playing best.

    Nothing is proved here: that is for `dice10k_math.certify`.
    """
    last = last_turns(race, 0.5, NEAREST)
    takes, offers = race.usual_takes, race.no_offers()
    move = np.full((race.phases, race.rows, race.scores), np.nan)
    slopes = np.full_like(move, 0.3)
    table = np.zeros((race.phases * race.rows, race.scores))
    race.fill_past_target(table, last, last[-1])
    totals = range(2 * race.scores - 2, -1, -1)
    for total in counted(totals, len(totals), progress):
        worths = [
            StakesWorth(race.bank_table(phase, total, table, offers, takes), move[0, 0], last, takes=takes)
            for phase in range(race.phases)
        ]
        solve_row(race, total, move, slopes, worths)
        write_waiting(race, total, move, table)
        for phase, worth in enumerate(worths):
            keep_offers(race, phase, total, table, worth, offers)
    return StakesValues(RaceValues(move, 0.5, 0.5, last, slopes), offers, takes)


def keep_offers(
    race: StakesRace,
    phase: int,
    total: int,
    table: Floats,
    worth: StakesWorth,
    offers: Floats,
    only: Mask | None = None,
) -> None:
    """Back up one row that is solved once more, or some columns of it, to store what taking over is worth in it."""
    bust = table[phase * race.rows + total]
    race.turn_with_offers(phase, total, replace(worth, bust=bust), NEAREST, offers, only)


def propose_stakes_bounds(race: StakesRace, values: RaceValues, progress: Share | None = None) -> RaceBounds:
    """Return lower bounds for both seats that a judge can check; see `dice10k_math.solve.guarantees`."""
    return propose_guarantees(race, values, progress).bounds


def propose_guarantees(race: StakesRace, values: RaceValues, progress: Share | None = None) -> StakesGuarantees:
    """Return the same with what they guarantee to whoever takes over."""
    bounds = RaceBounds(np.full_like(values.move, np.nan), np.full_like(values.move, np.nan), 0.5, 0.5)
    judge = StakesGuarantees(race, bounds)
    behind = np.zeros((2, *values.move.shape))
    totals = range(2 * race.scores - 2, -1, -1)
    for total in counted(totals, len(totals), progress):
        for phase in range(race.phases):
            settle_row_with_offers(judge, phase, total, start_of(race, phase, total, values), behind)
        for phase in range(race.phases):
            judge.record(phase, total)
    return judge
