"""Solving a race between two players of whom at least one plays by a policy: falling order of the sum of the scores,
and Newton's method for the turn starts that a bust couples.

A policy's turn is an affine function of what a bust is worth, so that the method needs few rounds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dice10k_math.bounds import RaceBounds
from dice10k_math.duel import DuelGuarantees, Waiting, Waits
from dice10k_math.errors import NotConvergedError
from dice10k_math.last_turn import NEAREST, Mask
from dice10k_math.movers import LastTurn, Mover, PolicyMover, TurnMover
from dice10k_math.program import Floats
from dice10k_math.race import Race
from dice10k_math.solve.guarantees import COST, MOST_ROUNDS, STUCK, Start, settle_row
from dice10k_math.solve.race import ASIDE, SETTLED, TIE_COST
from dice10k_math.workers import Share, counted

Movers = tuple[Mover, Mover]

ENDLESS = 1e-6
"""Slopes this close to 1 are those of a pair from which nobody ever banks."""


@dataclass(frozen=True, slots=True)
class DuelValues:
    """Win probabilities of two players against each other.

    Attributes
    ----------
    move
        Shape (2, phases, rows, scores): of each player when to move, by phase, sum of the scores and the other's score.
    slope
        The same: the probability of a bust, by which a turn start depends on its partner.
    lead
        Of each player, leading off an extra round.
    """

    move: Floats
    slope: Floats
    lead: tuple[float, float]


def solve_ties(race: Race, movers: Movers) -> tuple[tuple[float, float], tuple[LastTurn, LastTurn]]:
    """Return what leading off an extra round is worth to each player, and the last turns that belong to it."""
    lead = (0.5, 0.5)
    for _ in range(MOST_ROUNDS):
        last = movers[0].last_turn(1.0 - lead[1], NEAREST), movers[1].last_turn(1.0 - lead[0], NEAREST)
        if race.rules.ending.tie != "extra_rounds":
            return lead, last
        better = movers[0].lead_off(last[1], NEAREST), movers[1].lead_off(last[0], NEAREST)
        if max(abs(better[0] - lead[0]), abs(better[1] - lead[1])) <= SETTLED:
            return better, last
        lead = better
    raise NotConvergedError(f"{race.rules.name}: the extra rounds did not settle")


def solve_duel(race: Race, movers: Movers, progress: Share | None = None) -> DuelValues:
    """Return the win probabilities of both players from every turn start.

    Nothing is proved here: that is for `dice10k_math.certify`.
    """
    lead, last = solve_ties(race, movers)
    move = np.full((2, race.phases, race.rows, race.scores), np.nan)
    slope = np.full_like(move, 0.3)
    waiting = Waiting(race, last[1]), Waiting(race, last[0])
    totals = range(2 * race.scores - 2, -1, -1)
    for total in counted(totals, len(totals), progress):
        solve_row(race, total, movers, waiting, move, slope)
    return DuelValues(move, slope, lead)


@dataclass(frozen=True, slots=True)
class _Row:
    """The turn starts of one sum: arrays have the shape (2, phases, columns).

    What stands at [player, phase, column] depends after a bust on what stands at `partner_of` it.
    """

    race: Race
    total: int

    @property
    def columns(self) -> slice:
        return slice(*self.race.columns(self.total))

    def partner_of(self, values: Floats) -> Floats:
        """Return the values of the turn starts that a bust leads to."""
        # Mirroring the columns swaps the scores; the next turn is of the other player and of the next phase.
        mirrored = values[::-1, :, ::-1]
        return mirrored if self.race.phases == 1 else mirrored[:, ::-1]


def solve_row(
    race: Race,
    total: int,
    movers: tuple[TurnMover, TurnMover],
    waiting: tuple[Waits, Waits],
    move: Floats,
    slopes: Floats,
) -> None:
    """Solve all turn starts of one sum, and write what moving and waiting are worth, and the slopes.

    See `dice10k_math.solve.race`.
    """
    row = _Row(race, total)
    columns = row.columns
    bust = 1.0 - row.partner_of(_guess(move[:, :, total + 1, columns], move[:, :, total + 2, columns]))
    known = _known_slopes(row, movers)
    slope = np.where(np.isnan(known), slopes[:, :, total + 1, columns], known)
    old_bust, old_value = bust, np.full_like(bust, np.nan)
    value, open_ = np.full_like(bust, np.nan), np.ones_like(bust, bool)
    for round_ in range(4 * MOST_ROUNDS):
        _evaluate(row, movers, waiting, bust, open_, value)
        residual = bust - (1.0 - row.partner_of(value))
        if round_ and np.max(np.abs(residual)) <= SETTLED:
            break
        step = bust - old_bust
        moved = np.abs(step) > 1e-12
        if round_:
            ratio = np.clip((value - old_value) / np.where(moved, step, 1.0), 0.0, 1.0)
            slope = np.where(moved & np.isnan(known), ratio, slope)
        old_bust, old_value = bust, value.copy()
        # Against a policy that only busts the slopes of the one seat are all of 1.
        lasting = 1.0 - slope * row.partner_of(slope)
        whole = (residual - row.partner_of(slope) * row.partner_of(residual)) / np.maximum(lasting, STUCK / 4)
        # Where nobody ever banks any values will do that add up to 1, and a whole step leads nowhere.
        bust = bust - np.where(lasting > ENDLESS, whole, residual / 2)
        bust = np.clip(bust, 0.0, 1.0)
        if round_ == 0:
            # A guess that is right at once says nothing of the slope: step aside to learn it.
            aside = np.where(old_bust < 0.5, old_bust + ASIDE, old_bust - ASIDE)
            bust = np.where(np.abs(bust - old_bust) < ASIDE, aside, bust)
        changed = np.abs(bust - old_bust) > SETTLED
        open_ = changed | (row.partner_of(changed.astype(float)) > 0)
        if not open_.any():
            break
    else:
        raise NotConvergedError(
            f"{race.rules.name}: the turn starts with scores adding up to {total * race.unit:,} points did not settle"
        )
    slopes[:, :, total, columns] = slope
    move[:, :, total, columns] = value
    after = 1.0 - row.partner_of(value)
    for player in range(2):
        for phase in range(race.phases):
            waiting[player].row(phase, total)[columns] = after[player, phase]


def _known_slopes(row: _Row, movers: tuple[TurnMover, TurnMover]) -> Floats:
    """Return the slopes of policies, which are their chances of a bust; not a number for the best play."""
    first, end = row.race.columns(row.total)
    columns = np.arange(first, end)
    found = np.full((2, row.race.phases, end - first), np.nan)
    for player, mover in enumerate(movers):
        if isinstance(mover, PolicyMover):
            found[player] = mover.busts[:, row.total - columns, columns]
    return found


def _guess(above: Floats, further: Floats) -> Floats:
    """Return values to start from: those with a slightly greater sum, where there are any."""
    guess = np.where(np.isnan(further), above, 2.0 * above - further)
    return np.where(np.isnan(guess), 0.5, np.clip(guess, 0.0, 1.0))


def _evaluate(
    row: _Row,
    movers: tuple[TurnMover, TurnMover],
    waiting: tuple[Waits, Waits],
    bust: Floats,
    open_: Mask,
    value: Floats,
) -> None:
    """Write what the turns are worth that are still open."""
    race, columns = row.race, row.columns
    for player in range(2):
        for phase in range(race.phases):
            here = open_[player, phase]
            if not here.any():
                continue
            busts, only = np.full(race.scores, np.nan), np.zeros(race.scores, bool)
            busts[columns], only[columns] = bust[player, phase], here
            worth = waiting[player].worth(phase, row.total, busts)
            found = movers[player].turn(phase, row.total, worth, NEAREST, only)[columns]
            value[player, phase] = np.where(here, found, value[player, phase])


def propose_guarantees(
    race: Race, movers: Movers, values: DuelValues, player: int, progress: Share | None = None
) -> RaceBounds:
    """Return guarantees of one of the players that a judge can check: every turn costs a little, and roundings are
    against the player; see `dice10k_math.solve.guarantees`.
    """
    judge = _propose_tie(race, movers, values, player)
    bounds = judge.bounds
    totals = range(2 * race.scores - 2, -1, -1)
    for total in counted(totals, len(totals), progress):
        for phase in range(race.phases):
            settle_row(judge, phase, total, start_of(race, phase, total, values, player))
        for phase in range(race.phases):
            judge.record(phase, total)
    return bounds


def _propose_tie(race: Race, movers: Movers, values: DuelValues, player: int) -> DuelGuarantees:
    """Return guarantees of which only those at a tie are known: they are lowered until they hold."""
    shape = values.move[player].shape
    lead = follow = 0.5
    if race.rules.ending.tie == "extra_rounds":
        lead, follow = values.lead[player] - TIE_COST, 1.0 - values.lead[1 - player] - TIE_COST
    for _ in range(MOST_ROUNDS):
        bounds = RaceBounds(np.full(shape, np.nan), np.full(shape, np.nan), max(lead, 0.0), max(follow, 0.0))
        judge = DuelGuarantees(race, bounds, movers[player], movers[1 - player])
        if race.rules.ending.tie != "extra_rounds":
            return judge
        allowed = judge.lead() - COST, judge.follow() - COST
        if lead <= allowed[0] and follow <= allowed[1]:
            return judge
        # A guarantee that is lowered lowers the other, by less.
        lead, follow = min(lead, allowed[0]) - TIE_COST, min(follow, allowed[1]) - TIE_COST
    raise NotConvergedError(f"{race.rules.name}: the guarantees at a tie did not settle")


def start_of(race: Race, phase: int, total: int, values: DuelValues, player: int) -> Start:
    """Return what the values say of one row to a player: to move in `phase`, and waiting after that turn."""
    first, end = race.columns(total)
    columns, partner, after, other = slice(first, end), total - np.arange(first, end), race.other(phase), 1 - player
    value = np.stack([values.move[player, phase, total, columns], 1.0 - values.move[other, after, total, partner]])
    slopes = np.stack([values.slope[player, phase, total, columns], values.slope[other, after, total, partner]])
    return Start(value, slopes)
