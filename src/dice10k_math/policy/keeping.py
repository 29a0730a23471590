"""Ways of keeping: which dice a player sets aside, and what rolling on counts against banking. Points where not said
otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from dice10k_math.errors import InputError
from dice10k_math.policy.thresholds import MOST_DICE, NEVER

MOST_COUNT = 1_000_000
WINS = 10_000
"""Of so many matches wins are counted."""

KeepKind = Literal["all", "points", "few"]
KEEP_KINDS: tuple[KeepKind, ...] = ("all", "points", "few")


@dataclass(frozen=True, slots=True)
class KeepWorths:
    """Keep what makes turn score plus worth of the dice left greatest.

    Attributes
    ----------
    dice_left
        What it is worth, in points, to roll 1, 2, ... all dice next.
    unbankable
        What is taken off for a turn score that is no multiple of the bank multiple.
    """

    dice_left: tuple[int, ...]
    unbankable: int = 0

    def __post_init__(self) -> None:
        if not 1 <= len(self.dice_left) <= MOST_DICE:
            raise InputError(f"keep: {len(self.dice_left)} worths; allowed: one for each number of dice")
        if any(abs(worth) > NEVER for worth in (*self.dice_left, self.unbankable)):
            raise InputError(f"keep: {self.dice_left}; allowed: amounts up to {NEVER}")


@dataclass(frozen=True, slots=True)
class RollCounts:
    """What it counts to roll on: of all keeps and banks, take what counts most.

    A bank counts its turn score; rolling on with so many dice left counts some points and a part of the turn score,
    as the rest of it will be lost. So it says both what to keep and when to bank.

    Attributes
    ----------
    points, percent
        By the number of dice to roll next, 1, 2, ...
    unbankable
        What is taken off for a turn score that is no multiple of the bank multiple: the same for all, or by the number
        of dice to roll next.
    """

    points: tuple[int, ...]
    percent: tuple[int, ...]
    unbankable: int | tuple[int, ...] = 0

    def __post_init__(self) -> None:
        if not 1 <= len(self.points) == len(self.percent) <= MOST_DICE:
            raise InputError(f"keep: {len(self.points)} counts; allowed: one for each number of dice")
        if len(self.offs) != len(self.points):
            raise InputError(f"keep: {len(self.offs)} amounts taken off; allowed: one, or one for each number of dice")
        if any(abs(points) > MOST_COUNT for points in (*self.points, *self.offs)):
            raise InputError(f"keep: {self.points} and {self.unbankable}; allowed: points up to {MOST_COUNT}")
        if any(not 0 <= percent <= 100 for percent in self.percent):
            raise InputError(f"keep: {self.percent}; allowed: 0 to 100 percent")

    @property
    def offs(self) -> tuple[int, ...]:
        """What is taken off for a turn score that cannot be banked, by the number of dice to roll next.

        Examples
        --------
        >>> RollCounts((200, 100), (30, 50), 20).offs
        (20, 20)
        """
        return self.unbankable if isinstance(self.unbankable, tuple) else (self.unbankable,) * len(self.points)

    def hundredfold(self, turn_score: int, dice: int) -> int:
        """Return a hundred times what rolling so many dice counts, with a turn score that can be banked.

        Examples
        --------
        >>> RollCounts((200, 100), (30, 50)).hundredfold(300, 2)
        25000
        """
        return 100 * self.points[dice - 1] + self.percent[dice - 1] * turn_score

    def bolder(self, points: int) -> RollCounts:
        """Return the counts of a player to whom rolling on counts so much more."""
        return replace(self, points=tuple(count + points for count in self.points))


@dataclass(frozen=True, slots=True)
class Reach:
    """Where rolling leads from so many points before an exact target, in percent.

    Attributes
    ----------
    left
        Points that are left to the target after the keep; below 0 past it.
    hope
        What the places are worth that the turn may come to without landing, in wins of 10,000 matches.
    land, come
        By the number of dice to roll next, 1, 2, ...: chance to land on the target, and to come to one of those places.
    """

    left: int
    hope: int
    land: tuple[int, ...]
    come: tuple[int, ...]

    def __post_init__(self) -> None:
        if not 1 <= len(self.land) == len(self.come) <= MOST_DICE:
            raise InputError(f"keep: {len(self.land)} chances; allowed: one for each number of dice")
        if any(not 0 <= chance <= 100 for chance in (*self.land, *self.come)):
            raise InputError(f"keep: {self.land} and {self.come}; allowed: 0 to 100 percent")
        if not 0 <= self.hope <= WINS:
            raise InputError(f"keep: a hope of {self.hope}; allowed: 0 to {WINS}")
        if abs(self.left) > MOST_COUNT:
            raise InputError(f"keep: {self.left} points left; allowed: up to {MOST_COUNT}")


@dataclass(frozen=True, slots=True)
class Places:
    """Near an exact target what counts is where a player stands: of all keeps and banks, take what is worth most.

    A bank is worth the place it leads to. Rolling on lands on the target with some chance, comes with some chance to a
    place that is worth the hope of the row, and else leaves the player where he stands.
    Between two rows, and between two places, a straight line is taken; beyond the last its value.
    Where what is left is between two places and has no row, there may be less of a chance to come to one: no bank leads
    there.

    Attributes
    ----------
    step
        Points between two places.
    worth
        What it is worth to stand 0, 1, 2, ... steps away from the target, on either side, in wins of 10,000 matches.
    rows
        Where rolling leads, by what is left, in rising order.
    bold
        What rolling on counts more, in wins of 10,000 matches.
    between
        By the number of dice to roll next: what is taken off the chance to come to a place, in percent, where what is
        left is no multiple of the step and has no row; () nothing.
    """

    step: int
    worth: tuple[int, ...]
    rows: tuple[Reach, ...]
    bold: int = 0
    between: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if not 1 <= self.step <= MOST_COUNT:
            raise InputError(f"keep: places every {self.step} points; allowed: 1 to {MOST_COUNT}")
        if not self.worth or not self.rows:
            raise InputError("keep: no places or no rows; allowed: at least one of each")
        if any(not 0 <= worth <= WINS for worth in self.worth):
            raise InputError(f"keep: places worth {self.worth}; allowed: 0 to {WINS}")
        if abs(self.bold) > WINS:
            raise InputError(f"bold: {self.bold}; allowed: up to {WINS} wins of {WINS}")
        lefts = [row.left for row in self.rows]
        if lefts != sorted(set(lefts)):
            raise InputError(f"keep: rows of {lefts} points left; allowed: rising, each once")
        if len({len(row.land) for row in self.rows}) > 1:
            raise InputError("keep: rows of unequal length; allowed: one chance for each number of dice")
        if self.between and len(self.between) != len(self.rows[0].land):
            raise InputError(f"keep: {len(self.between)} amounts taken off; allowed: one for each number of dice")
        if any(not 0 <= off <= 100 for off in self.between):
            raise InputError(f"keep: {self.between} taken off; allowed: 0 to 100 percent")

    def standing(self, away: int) -> int:
        """Return a hundred times what it is worth to stand so far away.

        Examples
        --------
        >>> Places(100, (10_000, 4000, 6000), (Reach(0, 0, (0,), (0,)),)).standing(150)
        500000
        """
        number, rest = divmod(away, self.step)
        if number + 1 >= len(self.worth):
            return 100 * self.worth[-1]
        low, high = self.worth[number : number + 2]
        return 100 * low + 100 * (high - low) * rest // self.step

    def rolling(self, away: int, left: int, dice: int) -> int:
        """Return a hundred times what it is worth to roll so many dice with so much left, from so far away.

        Examples
        --------
        >>> rows = Reach(0, 5000, (0,), (0,)), Reach(100, 5000, (50,), (20,))
        >>> Places(100, (10_000, 4000, 4000), rows).rolling(200, 100, 1)
        720000
        """
        low, high, part, whole = self._around(left)
        land = low.land[dice - 1] * (whole - part) + high.land[dice - 1] * part
        come = low.come[dice - 1] * (whole - part) + high.come[dice - 1] * part
        if self.between and left % self.step and left not in (low.left, high.left):
            come = max(0, come - self.between[dice - 1] * whole)
        hope = low.hope * (whole - part) + high.hope * part
        here = self.standing(away)
        # In hundredths of wins, all over `whole` twice.
        gain = land * whole * (100 * WINS - here) + come * (100 * hope - here * whole)
        return here + 100 * self.bold + gain // (100 * whole * whole)

    def _around(self, left: int) -> tuple[Reach, Reach, int, int]:
        """Return the rows on both sides, and which part of the way between them it is."""
        rows = self.rows
        if left <= rows[0].left or len(rows) == 1:
            return rows[0], rows[0], 0, 1
        for low, high in pairwise(rows):
            if left <= high.left:
                return low, high, left - low.left, high.left - low.left
        return rows[-1], rows[-1], 0, 1

    def bolder(self, wins: int) -> Places:
        """Return the same for a player to whom rolling on counts so much more."""
        return replace(self, bold=self.bold + wins)


Keeping = KeepKind | KeepWorths | RollCounts | Places
