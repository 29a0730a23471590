"""The exact value of a turn, from bounds that decide which choices can be best.

Where the bounds show a choice to be worse than another one, it is dropped: that is a proof. What is left is a single
choice almost everywhere,
and the values of the states that it leads to are computed with integers over one common denominator.
Where several choices are left, their exact values decide.

A *cell* is a number: ``row * hands + hand`` stands for rolling that hand at that row of the grid, and ``~row``
(negative) for banking there.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np

from dice10k_math.solve.enclose import Enclosure, Floats, Ints
from dice10k_math.solve.grid import Grid, Level
from dice10k_math.solve.reader import HandReader
from dice10k_math.solve.tail import Tail
from dice10k_math.solve.worth import Number, Worth
from dice10k_math.turn import BankRule, TurnModel

Classes = dict[tuple[int, ...], int]
"""What can be best after one roll: the cells of each set of choices, with the number of outcomes that offer it."""

MOST_WORK = 2_000_000
"""Products of big integers beyond which the exact value is not computed: about ten seconds."""


@dataclass(frozen=True, slots=True)
class TurnProblem:
    """One turn to be solved, with the bounds of its values.

    Attributes
    ----------
    model, rule, worth
        The turn, which turn scores may be banked, and what the endings are worth.
    tail, grid, bounds
        The closed form far out, the layout of what lies below, and bounds of the values there.
    """

    model: TurnModel
    rule: BankRule
    worth: Worth
    tail: Tail
    grid: Grid
    bounds: Enclosure


def classes_at(reader: HandReader, pool: Floats, row: int) -> Classes:
    """Return what can be best after rolling a hand at this row; nothing for a hand that always busts."""
    if not reader.weights:
        return {}
    rolled, banked = reader.worths(pool, row)
    least, most = np.maximum(rolled, banked)
    keep = most[reader.members] >= reader.best_of_classes(least)
    counts = np.add.reduceat(keep, reader.starts).tolist()
    numbers = iter(reader.members[keep].tolist())
    cells = _cells(row + reader.shift, reader.after, pool.shape[3], rolled, banked)
    found: Classes = defaultdict(int)
    for weight, count in zip(reader.weights, counts, strict=True):
        choices = cells[next(numbers)]
        if count > 1:
            for _ in range(count - 1):
                choices += cells[next(numbers)]
            choices = tuple(sorted(set(choices)))
        found[choices] += weight
    return found


def _cells(rows: Ints, after: Ints, hands: int, rolled: Floats, banked: Floats) -> list[tuple[int, ...]]:
    """Cells of the choices of each entry that can be the better one: banking, rolling on, or both."""
    bank = (banked[1] >= rolled[0]).tolist()
    roll = (rolled[1] > banked[0]).tolist()
    on = (rows * hands + after).tolist()
    return [
        ((~row, cell) if may_roll else (~row,)) if may_bank else (cell,)
        for row, cell, may_bank, may_roll in zip(rows.tolist(), on, bank, roll, strict=True)
    ]


class _Explorer:
    """Finds every cell that play which may be best can reach from the start of the turn."""

    def __init__(self, problem: TurnProblem) -> None:
        self.problem = problem
        self.hands = len(problem.model.hands)
        self.classes: dict[int, Classes] = {}
        self._readers: dict[tuple[int, int], HandReader] = {}

    def level_of(self, row: int) -> Level:
        return next(level for level in reversed(self.problem.grid.levels) if row >= level.first)

    def turn_score(self, row: int) -> int:
        level = self.level_of(row)
        return level.low + (row - level.first) * self.problem.grid.step

    def explore(self) -> bool:
        """Fill `classes`; tell whether the work stays within bounds."""
        work = 0
        waiting = [self.problem.model.full]
        seen = set(waiting)
        while waiting:
            cell = waiting.pop()
            row, hand = divmod(cell, self.hands)
            level = self.level_of(row)
            if row >= level.first + level.solved:
                continue
            found = classes_at(self._reader(hand, level), self.problem.bounds.pool, row)
            self.classes[cell] = found
            work += sum(map(len, found))
            if work > MOST_WORK:
                return False
            following = {on for choices in found for on in choices if on >= 0} - seen
            seen |= following
            waiting += following
        return True

    def _reader(self, hand: int, level: Level) -> HandReader:
        key = (hand, level.hot_dice)
        if key not in self._readers:
            self._readers[key] = HandReader(self.problem.model.hands[hand], self.problem.grid, level)
        return self._readers[key]


def exact_value(problem: TurnProblem) -> Fraction | None:
    """Return the exact value of the turn from its start; None: too many states for exact arithmetic.

    The value is that of the best play: a choice was dropped only where the bounds prove another one to be better.
    """
    explorer = _Explorer(problem)
    if not explorer.explore():
        return None
    reached = {cell for found in explorer.classes.values() for choices in found for cell in choices}
    ends = {cell: _end_value(explorer, cell) for cell in reached if cell < 0 or cell not in explorer.classes}
    # Cells are visited from the highest turn score down: every keep scores, so what a cell leads to comes before it.
    order = sorted(explorer.classes, key=lambda cell: -explorer.turn_score(cell // explorer.hands))
    worth = problem.worth
    endings = [Fraction(number) for number in (worth.bust, worth.bust_on_six, worth.instant_win, *ends.values())]
    scale = 6 ** _sixes(explorer, order) * lcm(*(number.denominator for number in endings))
    known = {cell: _scaled(value, scale) for cell, value in ends.items()}
    for cell in order:
        known[cell] = _back_up(problem, cell % explorer.hands, explorer.classes[cell], known, scale)
    return Fraction(known[problem.model.full], scale)


def _end_value(explorer: _Explorer, cell: int) -> Number:
    """Exact worth of banking, or value of a roll in the tail."""
    if cell < 0:
        return explorer.problem.worth.bank(explorer.turn_score(~cell))
    row, hand = divmod(cell, explorer.hands)
    bonus = explorer.problem.model.bonus_after(explorer.level_of(row).hot_dice)
    return explorer.problem.tail.value(hand, explorer.turn_score(row), bonus)


def _sixes(explorer: _Explorer, order: list[int]) -> int:
    """How many factors 6 the rolls of one turn can put into a denominator."""
    hands = explorer.problem.model.hands
    depth: dict[int, int] = {}
    for cell in order:
        following = {on for choices in explorer.classes[cell] for on in choices}
        depth[cell] = len(hands[cell % len(hands)].hand) + max((depth.get(on, 0) for on in following), default=0)
    return depth[explorer.problem.model.full]


def _scaled(value: Number, scale: int) -> int:
    return value.numerator * (scale // value.denominator)


def _back_up(problem: TurnProblem, index: int, classes: Classes, known: dict[int, int], scale: int) -> int:
    hand, worth = problem.model.hands[index], problem.worth
    bust = worth.bust_on_six if index == problem.model.full else worth.bust
    total = hand.bust * _scaled(bust, scale) + hand.instant_win * _scaled(worth.instant_win, scale)
    for choices, weight in classes.items():
        total += weight * (known[choices[0]] if len(choices) == 1 else max(known[cell] for cell in choices))
    value, remainder = divmod(total, hand.outcomes)
    if remainder:
        raise AssertionError("the common denominator is too small")
    return value
