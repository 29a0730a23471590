"""The scores at which both players of a written-out match can be level, and the turns that can end in drawing level.

Only the difference of the scores counts once there is a tie to break, but for two things: what a bust on six costs
beside busts in a row, and whether a score of 0 needs an opening bank.
Where these are the same at all scores there is one *level*. Else every score around those at which they change is one,
all lower scores are one and all higher ones; of the scores in such a level the one that is worst for the player counts
for a lower bound, the best for an upper one, each time anew.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf

from dice10k_math.rules import Ruleset
from dice10k_math.turn import six_dice_penalty

Rows = tuple[int, ...]


@dataclass(frozen=True, slots=True, order=True)
class LastTurn:
    """A turn that wins with more than some deficit and draws level with just as much.

    Attributes
    ----------
    shut
        Whether an opening bank is needed.
    behind
        The deficit in units.
    levels
        Where both are level after drawing level: one of these levels.
    """

    shut: bool
    behind: int
    levels: Rows


class Levels:
    """The levels of a match, lowest first.

    Attributes
    ----------
    intervals
        The least and the greatest score of each.
    """

    def __init__(self, rules: Ruleset, unit: int, window: tuple[int, int]) -> None:
        self.rules, self.unit = rules, unit
        changes = [0, unit, *(row.below for row in rules.bust.on_six if row.below is not None)]
        near = {score for change in changes for score in (change - unit, change - 1, change, change + unit)}
        self.intervals: tuple[tuple[float, float], ...] = ((-inf, inf),)
        if rules.ending.tie == "extra_rounds" and len(set(map(self._character, near))) > 1:
            low, high = min(*window, *changes) // unit * unit, -(-max(*window, *changes) // unit) * unit
            single = ((score, score) for score in range(low, high + 1, unit))
            self.intervals = ((-inf, low - unit), *single, (high + unit, inf))
        self._highest = [most for _, most in self.intervals]

    def _character(self, score: int) -> tuple[object, ...]:
        """Return all that matters of a score at which both are level."""
        turn, in_a_row = self.rules.turn, self.rules.bust.in_a_row
        costs = [0, six_dice_penalty(self.rules, score)]
        if not any(costs) and in_a_row is None:
            # Without penalties both stay where they are, or move to scores above 0.
            return ()
        costs += [cost + in_a_row.penalty for cost in costs] if in_a_row else []
        needs = turn.opening_minimum if turn.opening_applies == "at_score_zero" and score == 0 else 0
        return max(needs, turn.bank_minimum, 1), *((one > other) - (one < other) for one in costs for other in costs)

    @property
    def several(self) -> bool:
        """Whether it matters at which score both are level."""
        return len(self.intervals) > 1

    def score(self, level: int) -> int:
        """Return a score of a level."""
        low, high = self.intervals[level]
        return int(low if low > -inf else high) if self.several else self.rules.ending.target

    def shut(self, level: int) -> bool:
        """Tell whether an opening bank is needed at a level."""
        return self.several and self.rules.turn.opening_applies == "at_score_zero" and self.intervals[level] == (0, 0)

    def moved(self, level: int, points: float) -> Rows:
        """Return the levels to which the scores of a level can come by so many points."""
        low, high = self.intervals[level]
        return self.at(low + points, high + points)

    def at(self, low: float, high: float) -> Rows:
        """Return the levels that hold a score from `low` to `high`."""
        if not self.several:
            return (0,)
        first, last = (bisect_left(self._highest, score) for score in (low, high))
        return tuple(range(first, last + 1))

    def answer(self, level: int, lead: int) -> LastTurn:
        """Return the turn that answers a bank of so many units from a level."""
        return LastTurn(self.shut(level), lead, self.moved(level, lead * self.unit))

    def groups(self) -> tuple[tuple[bool, Rows], ...]:
        """Return the levels that need no opening bank, and those that do."""
        every = range(len(self.intervals))
        both = ((shut, tuple(level for level in every if self.shut(level) is shut)) for shut in (False, True))
        return tuple((shut, levels) for shut, levels in both if levels)


def mark_of(marks: Sequence[int], deficit: float, *, lowest: bool) -> int | None:
    """Return the deficit that is told apart and stands for another one, or None if that is greater than all.

    For a lower bound of waiting it is no greater, so that the turn is worth as much or more; for an upper one no less.
    A turn with a greater deficit is worth no more, wherever drawing level leads: with as many points it wins.
    """
    if lowest:
        return marks[bisect_right(marks, deficit) - 1]
    place = bisect_left(marks, deficit)
    return marks[place] if place < len(marks) else None


def last_turns_of(
    levels: Levels, marks: Sequence[int], behind: Iterable[tuple[float, int]], banks: Iterable[int]
) -> tuple[LastTurn, ...]:
    """Return the last turns that are worked out, those that need no opening bank first, by deficit.

    Parameters
    ----------
    levels
        The levels.
    marks
        The deficits that are told apart, in units.
    behind
        The deficits, in units, with which a turn can begin that answers a bank past the target, each with the total
        that draws level.
    banks
        What can be banked when leading off an extra round, in units.
    """
    if not levels.several:
        return tuple(LastTurn(False, mark, (0,)) for mark in marks)
    deficits, amounts, found = set(behind), set(banks), set[LastTurn]()
    for lowest in (True, False):
        for deficit, total in deficits:
            if (mark := mark_of(marks, deficit, lowest=lowest)) is not None:
                found.add(LastTurn(False, mark, levels.at(total, total)))
        for mark in {mark_of(marks, bank, lowest=lowest) for bank in amounts} - {None}:
            assert mark is not None  # noqa: S101 - taken away
            found |= {levels.answer(level, mark) for level in range(len(levels.intervals))}
    return tuple(sorted(found))
