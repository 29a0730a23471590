"""Three players of a race who all play to win: each turn is played best for its player, given what follows.

Turn starts are taken in falling order of the sum of the scores.
What a bust is worth is not known beforehand: busts lead round through three turn starts.
For given plays of these three the worths follow from linear equations; for given worths of a bust the best plays do.
Both are done in turn until nothing changes. That need not come about, as this is a game of three and no optimisation:
then those plays stay that give away least, and how much that is the judge finds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dice10k_math.backup import Weighed
from dice10k_math.errors import NotConvergedError
from dice10k_math.program import Floats
from dice10k_math.trio import Trio, Trios, TrioTables
from dice10k_math.workers import Share, counted

SETTLED, MOST_ROUNDS = 4e-15, 24
COST = 1e-13
"""By how much the bounds of a turn start are greater than what follows from those after it."""


@dataclass(frozen=True, slots=True)
class TrioValues:
    """What the turn starts are worth.

    Attributes
    ----------
    waiting
        Tables of waiting of all three players.
    tables
        How they play, and bounds to be judged.
    rounds
        The most rounds that a sum took.
    unsettled
        How far what a bust was taken to be worth was off at most.
    """

    waiting: tuple[Floats, Floats, Floats]
    tables: TrioTables
    rounds: int
    unsettled: float


def solve_trio(trio: Trio, progress: Share | None = None) -> TrioValues:
    """Return what three players win who all play to win, and bounds of what each could win.

    Nothing is proved here: that is for `dice10k_math.certify.trio`.
    """
    waiting, upper = trio.waiting(), trio.bounds()
    totals = range(3 * trio.scores - 3, -1, -1)
    busts = np.full((len(totals), trio.columns), np.nan)
    most, unsettled = 0, 0.0
    for total in counted(totals, len(totals), progress):
        bust, rounds = _settle(trio, total, waiting)
        row = _Row(trio.trios(total), trio.columns)
        busts[total] = bust
        found = trio.play(total, waiting[0], bust, (waiting[1], waiting[2]))
        worths = row.worths(row.parts(found, bust))
        unsettled = max(unsettled, float(np.nanmax(np.abs(row.after(worths[2]) - bust))))
        for table, worth in zip((waiting[1], waiting[2], waiting[0]), worths, strict=True):
            row.write(table[total], worth)
        found = trio.play(total, waiting[0], bust, (upper[1], upper[2]))
        _bound(trio, total, row, found, worths, upper)
        most = max(most, rounds)
    return TrioValues(waiting, TrioTables(waiting[0], busts, upper), most, unsettled)


@dataclass(frozen=True, slots=True)
class _Row:
    """The turn starts of one sum; vectors over columns, the turn start (a, b, c) standing at (b, c)."""

    trios: Trios
    columns: int

    def after(self, worth: Floats) -> Floats:
        """Return what stands at the turn start that a bust leads to."""
        found = np.full(self.columns, np.nan)
        found[self.trios.here] = worth[self.trios.after]
        return found

    def write(self, row: Floats, worth: Floats) -> None:
        """Write what the turn starts are worth into a row of a table of waiting."""
        row[self.trios.before] = worth[self.trios.here]

    def parts(self, found: Weighed, bust: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Return what banks are worth to the three players, and the probability of a bust."""
        return found.value - found.bust * bust, found.others[0], found.others[1], found.bust

    def worths(self, parts: tuple[Floats, Floats, Floats, Floats]) -> tuple[Floats, Floats, Floats]:
        """Return what the turn starts are worth to the player to move, the next and the third, for given plays."""
        own, next_, third, bust = parts
        first, second = self.after(bust), self.after(self.after(bust))
        third_then = self.after(third)
        next_then = self.after(self.after(next_))
        around = bust * first * second
        moving = (own + bust * (third_then + first * next_then)) / (1.0 - around)
        moving = np.minimum(moving, 1.0)
        following = next_ + bust * self.after(moving)
        return moving, following, third + bust * self.after(following)


def _settle(trio: Trio, total: int, waiting: tuple[Floats, Floats, Floats]) -> tuple[Floats, int]:
    """Return what a bust is worth to the player to move, as it is taken to be in the last plays.

    Where plays keep changing, those stay that give away least.
    """
    row = _Row(trio.trios(total), trio.columns)
    bust = _guess(trio, total, waiting[0], row)
    parts = [np.full(trio.columns, np.nan) for _ in range(4)]
    open_ = ~np.isnan(bust)
    kept, before, least, moving = bust, bust, np.full(trio.columns, np.inf), bust
    for round_ in range(1, MOST_ROUNDS + 1):
        found = trio.play(total, waiting[0], bust, (waiting[1], waiting[2]), open_)
        # The last plays are worth `moving`, and the best for what a bust is worth under them is worth this.
        loss = np.where(open_, found.value - moving, 0.0) if round_ > 1 else np.full(trio.columns, np.inf)
        loss = np.maximum(loss, np.maximum(row.after(loss), row.after(row.after(loss))))
        better = loss < least
        kept, least = np.where(better, before, kept), np.where(better, loss, least)
        for part, new in zip(parts, row.parts(found, bust), strict=True):
            np.copyto(part, new, where=~np.isnan(new))
        worths = row.worths((parts[0], parts[1], parts[2], parts[3]))
        moving, following = worths[0], row.after(worths[2])
        open_ = np.abs(following - bust) > SETTLED
        before = bust
        if not open_.any():
            return bust, round_
        bust = np.where(open_, np.clip(following, 0.0, 1.0), bust)
    return kept, MOST_ROUNDS


def _guess(trio: Trio, total: int, table: Floats, row: _Row) -> Floats:
    """Return what busts are worth to start with: what they are with slightly greater sums."""
    here, guess = row.trios.here, np.full(trio.columns, np.nan)
    above, further = table[min(total + 1, trio.rows - 1)], table[min(total + 2, trio.rows - 1)]
    guess[here] = np.clip(2.0 * above[here] - further[here], 0.0, 1.0)
    return guess


def _bound(
    trio: Trio,
    total: int,
    row: _Row,
    found: Weighed,
    worths: tuple[Floats, Floats, Floats],
    upper: tuple[Floats, Floats, Floats],
) -> None:
    """Write bounds of one sum that the judge can check: what follows from those after them, and a little more."""
    more = 1.0 + trio.slack
    next_ = (found.others[0] * more + found.left + trio.slack) * more + COST
    third = (found.others[1] * more + found.left + trio.slack) * more + COST
    slope = found.bust * more * more
    first, second = row.after(slope), row.after(row.after(slope))
    # What a bust is worth: the third's bound there, over the next player's, over one's own here.
    beyond = row.after(third) + first * row.after(row.after(next_))
    around = slope * first * second
    guess = row.after(worths[2])
    for _ in range(MOST_ROUNDS):
        best = trio.best(total, upper[0], guess) + COST
        short = beyond + first * second * best > guess
        if not short.any():
            break
        moving = (best + slope * (beyond - guess)) / (1.0 - around)
        guess = np.where(short, np.minimum(np.maximum(beyond + first * second * moving, guess) + COST, 1.0), guess)
        if (guess[row.trios.here] >= 1.0).all():
            break
    else:
        points = total * trio.race.unit
        raise NotConvergedError(
            f"{trio.race.rules.name}: the bounds with scores adding up to {points:,} did not settle"
        )
    moving = np.minimum(best, 1.0)
    upper[0][total, row.trios.here] = guess[row.trios.here]
    row.write(upper[1][total], moving)
    row.write(upper[2][total], np.minimum(next_ + slope * row.after(moving), 1.0))
