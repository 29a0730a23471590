"""A turn without a hot-dice bonus laid out level by level of the turn score, for an evaluation that numpy alone does.

A *grid* has a row for each turn score and a column for each hand, and behind these the worth of banking.
What a roll leads to lies so many rows and columns farther on, whatever the row; so one list of places serves every
level, and what lies beyond the limits is just there, as rows that are never computed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, pairwise
from typing import Protocol

import numpy as np

from dice10k_math.classes import Classes, Places
from dice10k_math.program import ANY_HAND, NEVER, Floats, Program
from dice10k_math.turn import Entry

Place = tuple[int, int]
"""Rows farther on, and hand of an after-state."""
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
    classes
        The classes of all rolls.
    weights
        Shape (after-states, classes): probabilities.
    """

    classes: Classes
    weights: Floats

    def worth(self, rest: Floats) -> Floats:
        """Return what rolling is worth, as `Rolls` says."""
        return self.weights.dot(self.classes.best(rest))


class Levels:
    """The levels of a program without a hot-dice bonus.

    Attributes
    ----------
    places
        The row and the column of each after-state of the program.
    """

    def __init__(self, program: Program) -> None:
        self.program, self.model = program, program.model
        self._step, self._hands = self.model.step, len(self.model.hands)
        self._by_hand = bool((program.bank_hands != ANY_HAND).any())
        self._width = self._hands + (self._hands if self._by_hand else 1)
        self.places = program.turn_score // self._step, program.hand
        self._bank_row = program.bank_scores // self._step
        self._bank_column = program.bank_hands if self._by_hand else np.zeros_like(program.bank_hands)
        self._may_stay = np.zeros(self._hands, bool)
        self._may_stay[program.hand[program.bank_row >= 0]] = True
        hot = [entry.points for entry in self.model.hands[-1].entries if entry.hot]
        # Over so many rows forced rolls of all dice do not wait for each other: as much as scoring all dice brings.
        self._chunk = min(hot, default=program.most + self._step) // self._step

    def back_up(
        self, limits: tuple[int, int, int], edges: Floats, bank: Floats, endings: Floats
    ) -> tuple[Floats, Floats]:
        """Return what rolling, and the better of rolling and banking, is worth, by places.

        Parameters
        ----------
        limits
            Turn scores: from which on they are asked for, and beyond which there are only edges; those of all hands but
            the full one, and of that one.
        edges, bank, endings
            What the edges are worth, what banking is, and what a roll brings by ending the turn, by hand.
        """
        since, limit, whole_limit = (each // self._step for each in limits)
        roll = self._edges(edges, whole_limit + 1 + self.program.widest // self._step)
        banks = self._banks(bank, len(roll))
        stay = np.where(self._may_stay, banks, NEVER)
        grid = np.concatenate([np.maximum(roll, stay), banks], axis=1)
        if whole_limit > limit:
            self._back_up_forced((limit, whole_limit), endings[-1], (roll, grid, stay))
        rolls, flat, width, hands = self._rolls, grid.reshape(-1), self._width, self._hands
        for row in range(limit, since - 1, -1):
            rolled = rolls.worth(flat[row * width :])
            rolled += endings
            roll[row] = rolled
            np.maximum(rolled, stay[row], out=grid[row, :hands])
        return roll, grid

    def _back_up_forced(self, rows: tuple[int, int], ending: float, given: tuple[Floats, Floats, Floats]) -> None:
        """Do the same for the rolls of all dice in the rows from the one on to the other, and in a few before them.

        What is written there before its time is not read before it is written anew.
        """
        roll, grid, stay = given
        flat, whole = grid.reshape(-1), self._hands - 1
        end = rows[1] + 1
        while end > rows[0] + 1:
            start = max(end - self._chunk, 0)
            rolled = self._forced.worth(flat[start * self._width :])[: end - start]
            rolled += ending
            roll[start:end, whole] = rolled
            grid[start:end, whole] = np.maximum(rolled, stay[start:end, whole])
            end = start

    def _banks(self, worth: Floats, rows: int) -> Floats:
        """Return what banking is worth, by row, as columns of the grid."""
        columns = np.full((rows, self._width - self._hands), NEVER)
        here = self._bank_row < rows
        columns[self._bank_row[here], self._bank_column[here]] = worth[here]
        return columns

    def _edges(self, worth: Floats, rows: int) -> Floats:
        """Return what the edges are worth, in every row."""
        by_remainder = worth.reshape(self._hands, -1).T
        found: Floats = by_remainder[np.arange(rows) % len(by_remainder)]
        return found

    @cached_property
    def _rolls(self) -> Rolls:
        """The rolls of all hands in a row."""
        return self._laid_out([(0, hand) for hand in range(self._hands)])

    @cached_property
    def _forced(self) -> Rolls:
        """The rolls of all dice in as many rows as do not wait for each other."""
        return self._laid_out([(row, self.model.full) for row in range(self._chunk)])

    def _laid_out(self, places: Sequence[Place]) -> Rolls:
        reads: list[list[int]] = []
        weights: list[float] = []
        starts: list[int] = []
        for row, hand in places:
            model = self.model.hands[hand]
            read = [self._read(row, entry) for entry in model.entries]
            starts.append(len(weights))
            weights += [roll.weight / model.outcomes for roll in model.classes]
            reads += [[read[number] for number in roll.entries] for roll in model.classes]
        if len(places) * len(weights) <= FEW:
            spread = np.zeros((len(places), len(weights)))
            for state, (start, end) in enumerate(pairwise([*starts, len(weights)])):
                spread[state, start:end] = weights[start:end]
            classes = Classes.of(reads)
            return FewRolls(classes, np.ascontiguousarray(spread[:, classes.order]))
        class_starts = np.cumsum([0, *map(len, reads[:-1])])
        return ManyRolls(np.array(list(chain(*reads))), class_starts, np.array(weights), np.array(starts))

    def _read(self, row: int, entry: Entry) -> int:
        """Return the place of what an entry leads to, counted from the start of a row."""
        bank = self._hands + (entry.hand if self._by_hand else 0)
        column = entry.hand if entry.may_roll else bank
        return (row + entry.points // self._step) * self._width + column


@lru_cache(maxsize=16)
def levels_of(program: Program) -> Levels:
    """Return the levels of a program."""
    return Levels(program)
