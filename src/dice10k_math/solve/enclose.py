"""Backward induction over a turn in floating point, with a lower and an upper bound that hold in spite of rounding.

Worths are shifted so that none is negative. Then every value is a sum of non-negative terms, and a sum of n of them
is off by a factor of
at most 1 +- (n + 4) * 2**-53; the bounds are moved outward by that factor at every roll.
A lower bound that takes the best of lower bounds stays one, and so does an upper bound.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dice10k_math.solve.grid import Grid, Level
from dice10k_math.solve.tail import Tail
from dice10k_math.solve.worth import Worth
from dice10k_math.turn import BankRule, Entry, TurnModel

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
ROLL, EITHER, BANK = 0, 1, 2
"""Layers of the value pool: rolling on, the better of rolling on and banking, banking."""


@dataclass(frozen=True, slots=True)
class Enclosure:
    """Bounds of every value of a turn.

    Attributes
    ----------
    pool
        Shape (2, 3, rows, hands): lower and upper bound; layer; row of the grid; hand. Minus infinity: not allowed.
        All are worths plus `shift`.
    """

    pool: Floats
    shift: float

    def roll(self, row: int, hand: int) -> tuple[float, float]:
        """Return the bounds of rolling a hand."""
        low, high = self.pool[:, ROLL, row, hand]
        return _down(low - self.shift), _up(high - self.shift)

    def bank(self, row: int) -> float:
        """Return the worth of banking; minus infinity: not allowed."""
        return float(self.pool[0, BANK, row, 0]) - self.shift


def _down(value: float) -> float:
    return float(np.nextafter(value, -np.inf))


def _up(value: float) -> float:
    return float(np.nextafter(value, np.inf))


def outward(value: Fraction | int) -> tuple[float, float]:
    """Return floats below and above an exact number (both equal to it where it is a float).

    Examples
    --------
    >>> outward(350)
    (350.0, 350.0)
    >>> low, high = outward(Fraction(1, 3))
    >>> low < Fraction(1, 3) < high
    True
    """
    near = float(value)
    return (near if near <= value else _down(near)), (near if near >= value else _up(near))


@dataclass(frozen=True, slots=True)
class Arrays:
    """The classes of all hands as flat arrays.

    Attributes
    ----------
    entries
        All entries of all hands, hand after hand.
    layer, hand
        For each entry the layer that it reads and the hand that it leaves.
    members, class_starts
        The entries of each class, and where each class starts among them.
    weights, hand_starts, outcomes
        Weight of each class, where each hand starts among the classes, outcomes of each hand.
    """

    entries: tuple[Entry, ...]
    layer: Ints
    hand: Ints
    members: Ints
    class_starts: Ints
    weights: Floats
    hand_starts: Ints
    outcomes: Floats


def layer_of(entry: Entry) -> int:
    """Return the layer of the value pool that an entry reads."""
    if entry.may_roll and entry.may_bank:
        return EITHER
    return ROLL if entry.may_roll else BANK


def flatten(model: TurnModel) -> Arrays:
    """Return the classes of a turn model as flat arrays."""
    entries: list[Entry] = []
    members: list[int] = []
    class_starts: list[int] = []
    hand_starts: list[int] = []
    weights: list[float] = []
    for hand in model.hands:
        hand_starts.append(len(weights))
        for roll in hand.classes:
            class_starts.append(len(members))
            members += [len(entries) + number for number in roll.entries]
            weights.append(float(roll.weight))
        entries += hand.entries
    return Arrays(
        tuple(entries),
        np.array([layer_of(entry) for entry in entries], np.int64),
        np.array([entry.hand for entry in entries], np.int64),
        np.array(members, np.int64),
        np.array(class_starts, np.int64),
        np.array(weights),
        np.array(hand_starts, np.int64),
        np.array([float(hand.outcomes) for hand in model.hands]),
    )


def _worths_of_endings(model: TurnModel, worth: Worth, shift: int) -> Floats:
    """Shape (2, hands): bounds of the worth that busts and instant wins bring, times the outcomes of the hand."""
    sums = [
        outward(
            hand.bust * (Fraction(worth.bust_on_six if index == model.full else worth.bust) + shift)
            + hand.instant_win * (Fraction(worth.instant_win) + shift)
        )
        for index, hand in enumerate(model.hands)
    ]
    return np.array(sums).T


def _least_worth(worth: Worth) -> int:
    below = (
        [worth.bank(turn_score) for turn_score in range(worth.beyond + 1)]
        if worth.below
        else [worth.bank(worth.beyond)]
    )
    least = min(worth.bust, worth.bust_on_six, worth.instant_win, *below)
    return max(0, -(least.__floor__()))


def enclose(model: TurnModel, rule: BankRule, worth: Worth, tail: Tail, grid: Grid) -> Enclosure:
    """Return bounds of every value of the turn below its tail."""
    arrays = flatten(model)
    shift = _least_worth(worth)
    hands = len(model.hands)
    pool = np.full((2, 3, grid.rows, hands), -np.inf)
    pool[:, ROLL] = 0.0
    _fill_bank(pool, grid, rule, worth, shift)
    _fill_tail(pool, model, tail, grid, shift)
    slack = (max(np.diff(np.append(arrays.hand_starts, len(arrays.weights)))) + 4) * 2.0**-53
    factor = np.array([[1.0 - slack], [1.0 + slack]]) / arrays.outcomes
    endings = _worths_of_endings(model, worth, shift)
    # A hand of which no roll scores has no classes, and reduceat would count its neighbour's.
    scoring = np.flatnonzero(np.diff(np.append(arrays.hand_starts, len(arrays.weights))))
    sums = np.zeros((2, hands))
    flat = pool.reshape(2, -1)
    layer_size = grid.rows * hands
    for level in reversed([level for level in grid.levels if level.solved]):
        shifts = np.array([grid.shift(level, entry) for entry in arrays.entries], np.int64)
        reads = (arrays.layer * layer_size + shifts * hands + arrays.hand)[arrays.members]
        for row in range(level.first + level.solved - 1, level.first - 1, -1):
            best = np.maximum.reduceat(flat.take(reads + row * hands, axis=1), arrays.class_starts, axis=1)
            sums[:, scoring] = np.add.reduceat(best * arrays.weights, arrays.hand_starts[scoring], axis=1)
            values = (sums + endings) * factor
            pool[:, ROLL, row] = values
            np.maximum(values, pool[:, BANK, row], out=pool[:, EITHER, row])
    return Enclosure(pool, float(shift))


def _fill_bank(pool: Floats, grid: Grid, rule: BankRule, worth: Worth, shift: int) -> None:
    for row, turn_score in rows_of(grid):
        if rule.allows(turn_score):
            low, high = outward(Fraction(worth.bank(turn_score)) + shift)
            pool[0, BANK, row] = low
            pool[1, BANK, row] = high


def rows_of(grid: Grid) -> Iterator[tuple[int, int]]:
    """Yield every row that a play can reach, with its turn score."""
    for level in grid.levels:
        for number in range(level.rows):
            yield level.first + number, level.low + number * grid.step


def _fill_tail(pool: Floats, model: TurnModel, tail: Tail, grid: Grid, shift: int) -> None:
    for level in grid.levels:
        for number in range(level.solved, level.rows):
            _fill_tail_row(pool, model, tail, grid, shift, level, number)


def _fill_tail_row(
    pool: Floats, model: TurnModel, tail: Tail, grid: Grid, shift: int, level: Level, number: int
) -> None:
    row, turn_score = level.first + number, level.low + number * grid.step
    bonus = model.bonus_after(level.hot_dice)
    for hand in range(len(model.hands)):
        pool[:, ROLL, row, hand] = outward(tail.value(hand, turn_score, bonus) + shift)
    pool[:, EITHER, row] = np.maximum(pool[:, ROLL, row], pool[:, BANK, row])
