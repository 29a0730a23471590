"""A turn laid out level by level of the turn score, for an evaluation that numpy alone does.

A *grid* has a row for each turn score and a column for each hot-dice count and hand, and behind these the worth of
banking. What a roll leads to lies so many rows and columns farther on, whatever the row; so one list of places serves
every level, and what lies beyond the limits is just there, as rows that are never computed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, pairwise
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from dice10k_math.program import ANY_HAND, NEVER, Floats, Program
from dice10k_math.turn import Entry

Places = NDArray[np.integer[Any]]
Place = tuple[int, int, int]
"""Rows farther on, hot-dice count and hand of an after-state."""
FEW = 100_000
"""After-states times classes of rolls up to which they are laid out as whole arrays."""


class Rolls(Protocol):
    """The rolls of some after-states that do not wait for each other."""

    def worth(self, rest: Floats) -> Floats:
        """Return what rolling is worth in each after-state, busts apart, from the grid from a row on, flat."""
        ...


@dataclass(frozen=True, slots=True)
class ManyRolls:
    """Rolls class after class.

    Attributes
    ----------
    reads
        What the classes of rolls read, counted from the start of a row.
    class_starts, weights
        Where the reads of each class start, and its probability.
    state_starts
        Where the classes of each after-state start.
    """

    reads: Places
    class_starts: Places
    weights: Floats
    state_starts: Places

    def worth(self, rest: Floats) -> Floats:
        """Return what rolling is worth, as `Rolls` says."""
        best = np.maximum.reduceat(rest.take(self.reads), self.class_starts)
        best *= self.weights
        found: Floats = np.add.reduceat(best, self.state_starts)
        return found


@dataclass(frozen=True, slots=True)
class FewRolls:
    """Rolls as whole arrays, which is faster where they are few.

    Attributes
    ----------
    reads
        Shape (half the most reads of a class, columns): a column for each class, the longer classes first; at the end
        once more as many columns as there are longer classes, for the other half of their reads.
        What is left over is filled with a read of the class.
    longer
        How many classes have two columns.
    weights
        Shape (after-states, classes): probabilities.
    """

    reads: Places
    longer: int
    weights: Floats

    @classmethod
    def of(cls, classes: list[list[int]], weights: Floats) -> Self:
        """Return the rolls with the reads of each class and its weight in each after-state."""
        half = -(-max(map(len, classes)) // 2)
        order = sorted(range(len(classes)), key=lambda number: -len(classes[number]))
        parts = [classes[number][:half] for number in order]
        rest = [classes[number][half:] for number in order if len(classes[number]) > half]
        filled = [part + part[:1] * (half - len(part)) for part in parts + rest]
        return cls(
            np.ascontiguousarray(np.array(filled, np.intp).T), len(rest), np.ascontiguousarray(weights[:, order])
        )

    def worth(self, rest: Floats) -> Floats:
        """Return what rolling is worth, as `Rolls` says."""
        best = np.maximum.reduce(rest.take(self.reads))
        longer, classes = self.longer, self.weights.shape[1]
        np.maximum(best[:longer], best[classes:], out=best[:longer])
        return self.weights.dot(best[:classes])


class Levels:
    """The levels of a program.

    Attributes
    ----------
    hands, hots
        Number of hands, and of hot-dice counts that are told apart and are no edge.
    columns
        Number of after-state columns: hot-dice counts, an edge among them, by hands.
    width
        Number of all columns.
    row, column
        Where each after-state of the program lies.
    chunk
        Over how many rows forced rolls of all dice do not wait for each other: as much as scoring all dice brings.
    """

    def __init__(self, program: Program) -> None:
        self.program, self.model = program, program.model
        self.step, self.hands = self.model.step, len(self.model.hands)
        self.hots = int(program.hot_dice[~program.hot_edge].max()) + 1
        self.columns = (self.hots + bool(self.model.bonus)) * self.hands
        self._by_hand = bool((program.bank_hands != ANY_HAND).any())
        self.width = self.columns + (self.hands if self._by_hand else 1)
        self.row = program.turn_score // self.step
        self.column = program.hot_dice * self.hands + program.hand
        self._bank_row = program.bank_scores // self.step
        self._bank_column = program.bank_hands if self._by_hand else np.zeros_like(program.bank_hands)
        self._may_stay = np.zeros(self.hands, bool)
        self._may_stay[program.hand[program.bank_row >= 0]] = True
        hot = [entry.points for entry in self.model.hands[-1].entries if entry.hot]
        self.chunk = min(hot, default=program.most + self.step) // self.step
        self._hot_range = self._hot_ranges()
        self._within: dict[tuple[int, int], Rolls] = {}

    def _hot_ranges(self) -> list[tuple[int, int]]:
        """Return for each row the hot-dice counts that a turn can have there: the least, and the one after the most."""
        inner = ~self.program.hot_edge
        rows, hots = self.row[inner], self.program.hot_dice[inner]
        least, most = np.full(self.row[0] + 1, self.hots), np.zeros(self.row[0] + 1, int)
        np.minimum.at(least, rows, hots)
        np.maximum.at(most, rows, hots + 1)
        return list(zip(least.tolist(), most.tolist(), strict=True))

    def banks(self, worth: Floats, rows: int) -> tuple[Floats, Floats]:
        """Return what banking is worth, by row: as columns of the grid, and for a player in each after-state column."""
        columns = np.full((rows, self.width - self.columns), NEVER)
        here = self._bank_row < rows
        columns[self._bank_row[here], self._bank_column[here]] = worth[here]
        by_hand = np.where(self._may_stay, columns if self._by_hand else columns[:, :1], NEVER)
        return columns, np.tile(by_hand, self.columns // self.hands)

    def edges(self, worth: Floats, rows: int) -> Floats:
        """Return what the edges are worth, in every after-state column of every row."""
        by_remainder = worth.reshape(self.hands, -1).T
        return np.tile(by_remainder[np.arange(rows) % len(by_remainder)], self.columns // self.hands)

    def rolls(self, row: int) -> tuple[slice, Rolls | None]:
        """Return the columns that a turn can come to in a row, and their rolls; None: to no column."""
        if row >= len(self._hot_range):
            return slice(0), None
        least, end = found = self._hot_range[row]
        if end <= least:
            return slice(0), None
        if found not in self._within:
            places = [(0, hot, hand) for hot in range(least, end) for hand in range(self.hands)]
            self._within[found] = self._laid_out(places)
        return slice(least * self.hands, end * self.hands), self._within[found]

    @cached_property
    def forced(self) -> Rolls:
        """The rolls of all dice in as many rows as do not wait for each other, whatever the hot-dice count."""
        return self._laid_out([(row, hot, self.model.full) for row in range(self.chunk) for hot in range(self.hots)])

    def _laid_out(self, places: Sequence[Place]) -> Rolls:
        reads: list[list[int]] = []
        weights: list[float] = []
        starts: list[int] = []
        for row, hot, hand in places:
            model = self.model.hands[hand]
            read = [self._read(row, hot, entry) for entry in model.entries]
            starts.append(len(weights))
            weights += [roll.weight / model.outcomes for roll in model.classes]
            reads += [[read[number] for number in roll.entries] for roll in model.classes]
        if len(places) * len(weights) <= FEW:
            spread = np.zeros((len(places), len(weights)))
            for state, (start, end) in enumerate(pairwise([*starts, len(weights)])):
                spread[state, start:end] = weights[start:end]
            return FewRolls.of(reads, spread)
        class_starts = np.cumsum([0, *map(len, reads[:-1])])
        return ManyRolls(np.array(list(chain(*reads))), class_starts, np.array(weights), np.array(starts))

    def _read(self, row: int, hot: int, entry: Entry) -> int:
        """Return the place of what an entry leads to, counted from the start of a row."""
        points = entry.points + (self.model.bonus_after(hot) if entry.hot else 0)
        after = hot + bool(entry.hot and self.model.bonus)
        if entry.may_roll:
            column = after * self.hands + entry.hand
        else:
            column = self.columns + (entry.hand if self._by_hand else 0)
        return (row + points // self.step) * self.width + column


@lru_cache(maxsize=16)
def levels_of(program: Program) -> Levels:
    """Return the levels of a program."""
    return Levels(program)
