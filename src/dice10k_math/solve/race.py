"""Solving a race: falling order of the sum of the scores, and Newton's method for the turn starts that a bust
couples.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from dice10k_math.bounds import Guarantees, RaceBounds
from dice10k_math.errors import NotConvergedError
from dice10k_math.last_turn import NEAREST, Mask, first_of_extra_round, last_turns
from dice10k_math.program import Floats
from dice10k_math.race import Race, RowWorth
from dice10k_math.solve.guarantees import MOST_ROUNDS, STUCK, Start, settle_row
from dice10k_math.solve.journal import Journal
from dice10k_math.workers import Share, counted

PLAIN_ROUNDS = 20
SETTLED = 4e-15
ASIDE = 1e-9
TIE_COST = 2e-11


@dataclass(frozen=True, slots=True)
class RaceValues:
    """Win probabilities of the player to move.

    Attributes
    ----------
    move
        Shape (phases, rows, scores): by sum of the scores and opponent's score, in units; not a number where there is
        no such start.
    tie
        Worth of drawing level in a last turn.
    from_tie
        Win probability of the player who leads off the extra rounds; 1/2 where the tie is shared.
    last_turn
        Worth of a last turn, by deficit.
    slope
        Like `move`: the probability of a bust, by which a turn start depends on its partner.
    """

    move: Floats
    tie: float
    from_tie: float
    last_turn: Floats
    slope: Floats


def solve_extra_rounds(race: Race) -> tuple[float, Floats]:
    """Return the first player's win probability from a tie, and the last turns that belong to it."""
    if race.rules.ending.tie != "extra_rounds":
        return 0.5, last_turns(race, 0.5, NEAREST)
    first, before = 0.5, (0.5, 0.0)
    for round_ in range(MOST_ROUNDS):
        last = last_turns(race, 1.0 - first, NEAREST)
        better = first_of_extra_round(race, last, last[-1], NEAREST)
        step = better - first
        if abs(step) <= SETTLED:
            return better, last
        following = better
        if round_ >= PLAIN_ROUNDS and step != before[1]:
            # Where most rounds end level again, going on like this takes too long: follow the secant.
            following = min(max(first - step * (first - before[0]) / (step - before[1]), 0.0), 1.0)
        before, first = (first, step), following
    raise NotConvergedError(f"{race.rules.name}: the extra rounds did not settle")


def solve_race(race: Race, progress: Share | None = None, journal: Journal | None = None) -> RaceValues:
    """Return the win probability of the player to move from every turn start, both players playing best.

    Nothing is proved here: that is for `dice10k_math.certify`.
    Rows that the journal has are taken from it, and the others are written into it.
    """
    from_tie, last = solve_extra_rounds(race)
    journal = journal or Journal.blank(race)
    move, slopes = journal.move, journal.slope
    table = np.zeros((race.phases * race.rows, race.scores))
    race.fill_past_target(table, last, last[-1])
    totals = range(2 * race.scores - 2, -1, -1)
    for done, total in enumerate(counted(totals, len(totals), progress)):
        if done >= journal.solved:
            solve_row(race, total, move, slopes, [RowWorth(table, move[0, 0], last)] * race.phases)
            journal.has_solved(done + 1)
        write_waiting(race, total, move, table)
    return RaceValues(move, 1.0 - from_tie, from_tie, last, slopes)


def write_waiting(race: Race, total: int, move: Floats, table: Floats) -> None:
    """Write what waiting is worth in one row, now that moving is known, into a table of all phases."""
    first, end = race.columns(total)
    for phase in range(race.phases):
        table[phase * race.rows + total, first:end] = (
            1.0 - move[race.other(phase), total, total - np.arange(first, end)]
        )


def solve_row(race: Race, total: int, move: Floats, slopes: Floats, worths: Sequence[RowWorth]) -> None:
    """Solve all turn starts of one sum, and write what moving is worth and the slopes.

    `worths` has one for each phase; what it says of busts is not read.

    A turn start and its partner after a bust satisfy w = F(1 - v), v = G(1 - w), with F and G convex and piecewise
    linear.
    Each round evaluates F and G at the present bust worths and solves the two tangents (secants, to begin with).
    """
    first, end = race.columns(total)
    columns = np.arange(first, end)
    partner = total - columns - first
    other = [race.other(phase) for phase in range(race.phases)]
    bust = np.stack([1.0 - _guess(race, move, race.other(phase), total)[partner] for phase in range(race.phases)])
    old_bust, old_value = bust, np.full_like(bust, np.nan)
    slope = slopes[:, total + 1, first:end].copy()
    open_ = np.ones_like(bust, bool)
    value = np.empty_like(bust)
    for round_ in range(MOST_ROUNDS):
        for phase in range(race.phases):
            value[phase] = np.where(
                open_[phase],
                _evaluate(race, phase, total, replace(worths[phase], bust=bust[phase]), open_[phase]),
                value[phase],
            )
        mirrored = value[other][:, partner]
        residual = bust - (1.0 - mirrored)
        if round_ and np.max(np.abs(residual)) <= SETTLED:
            break
        step = bust - old_bust
        moved = np.abs(step) > 1e-12
        if round_:
            slope = np.where(
                moved, np.clip((value - old_value) / np.where(moved, step, 1.0), 0.0, 1.0 - STUCK / 4), slope
            )
        old_bust, old_value = bust, value.copy()
        # Tangents: value(x + dx) = value + slope * dx, and dx = -(residual) - slope of the partner * dx of the partner.
        slope_partner = slope[other][:, partner]
        residual_partner = residual[other][:, partner]
        bust = bust - (residual - slope_partner * residual_partner) / (1.0 - slope * slope_partner)
        if round_ == 0:
            # A guess that is right at once says nothing of the slope: step aside to learn it.
            bust = np.where(
                np.abs(bust - old_bust) < ASIDE, np.where(old_bust < 0.5, old_bust + ASIDE, old_bust - ASIDE), bust
            )
        changed = np.abs(bust - old_bust) > SETTLED
        open_ = changed | changed[other][:, partner]
        if not open_.any():
            break
    else:
        raise NotConvergedError(
            f"{race.rules.name}: the turn starts with scores adding up to {total * race.unit:,} points did not settle"
        )
    slopes[:, total, first:end] = slope
    for phase in range(race.phases):
        move[phase, total, first:end] = value[phase]


def _guess(race: Race, move: Floats, phase: int, total: int) -> Floats:
    """Return values to start from: those with a slightly greater sum, where there are any."""
    first, end = race.columns(total)
    above, further = move[phase, total + 1, first:end], move[phase, total + 2, first:end]
    guess = np.where(np.isnan(further), above, 2.0 * above - further)
    return np.where(np.isnan(guess), 0.5, np.clip(guess, 0.0, 1.0))


def _evaluate(race: Race, phase: int, total: int, worth: RowWorth, only: Mask) -> Floats:
    """Back up the columns of a row that there are; `worth.bust` and `only` have just these."""
    first, end = race.columns(total)
    bust = np.full(race.scores, np.nan)
    bust[first:end] = worth.bust
    asked = np.zeros(race.scores, bool)
    asked[first:end] = only
    return race.turn(phase, total, replace(worth, bust=bust), NEAREST, asked)[first:end]


def propose_bounds(
    race: Race, values: RaceValues, progress: Share | None = None, journal: Journal | None = None
) -> RaceBounds:
    """Return lower bounds for both seats that a judge can check: every turn costs a little, and roundings are against
    the player.

    See `dice10k_math.solve.guarantees`.
    """
    lead, follow = _propose_tie(race, values)
    journal = journal or Journal.blank(race)
    bounds = RaceBounds(journal.lower, journal.wait, lead, follow)
    judge = Guarantees(race, bounds)
    totals = range(2 * race.scores - 2, -1, -1)
    for done, total in enumerate(counted(totals, len(totals), progress)):
        if done >= journal.bounded:
            _propose_row(race, total, values, judge)
            journal.has_bounded(done + 1)
        for phase in range(race.phases):
            judge.endless |= not start_of(race, phase, total, values).lasting.all()
            judge.record(phase, total)
    return bounds


def _propose_tie(race: Race, values: RaceValues) -> tuple[float, float]:
    if race.rules.ending.tie != "extra_rounds":
        return 0.5, 0.5
    return values.from_tie - TIE_COST, 1.0 - values.from_tie - TIE_COST


def _propose_row(race: Race, total: int, values: RaceValues, judge: Guarantees) -> None:
    for phase in range(race.phases):
        settle_row(judge, phase, total, start_of(race, phase, total, values))


def start_of(race: Race, phase: int, total: int, values: RaceValues) -> Start:
    """Return what the values say of one row: in one seat to move in `phase`, and waiting after that turn."""
    first, end = race.columns(total)
    columns, partner, other = slice(first, end), total - np.arange(first, end), race.other(phase)
    value = np.stack([values.move[phase, total, columns], 1.0 - values.move[other, total, partner]])
    return Start(value, np.stack([values.slope[phase, total, columns], values.slope[other, total, partner]]))
