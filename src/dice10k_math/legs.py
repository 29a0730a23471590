"""A turn with a hot-dice bonus laid out leg by leg, for an evaluation that numpy alone does.

A *leg* is the part of a turn between two hot dice.
Keeping dice leaves fewer of them, and hot dice lead on to the next leg.
So within a leg, from the last one to the first, the hands can be taken one after another, fewest dice first, each with
all its turn scores at once: what a keep leads to lies in the row of another hand, so many places farther on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from dice10k_math.classes import Classes, Places
from dice10k_math.program import ANY_HAND, NEVER, Floats, Program
from dice10k_math.turn import Entry, HandModel

AT_ONCE = 1 << 18
"""How much is read at once: no more than fits into the processor's cache."""


@dataclass(frozen=True, slots=True)
class Hand:
    """The rolls of one hand, whatever the leg.

    Attributes
    ----------
    classes, weights
        The classes of its rolls over its entries, with the probability of each.
    at_once
        How many turn scores are taken together.
    """

    classes: Classes
    weights: Floats
    at_once: int

    @classmethod
    def of(cls, hand: HandModel) -> Hand:
        """Return the rolls of a hand."""
        classes = Classes.of([roll.entries for roll in hand.classes])
        weights = np.array([roll.weight / hand.outcomes for roll in hand.classes])
        return cls(classes, weights[classes.order], max(1, AT_ONCE // max(1, classes.reads.size)))


@dataclass(frozen=True, slots=True)
class Stop:
    """One hand in one leg.

    Attributes
    ----------
    row
        Its row.
    hand
        Its index.
    first, last
        Between which turn scores, in steps, a turn can come to it.
    rows, shifts
        For each entry the row that it leads to, and by how many steps it adds to the turn score.
    """

    row: int
    hand: int
    first: int
    last: int
    rows: Places
    shifts: Places


class Legs:
    """The legs of a program with a hot-dice bonus.

    A *grid* has a row for each hand of each leg, one leg of edges included, and behind these the worth of banking; and
    a column for each turn score.

    Attributes
    ----------
    places
        The row and the column of each after-state of the program.
    """

    def __init__(self, program: Program) -> None:
        self.program, self.model = program, program.model
        self._step, self._hands = self.model.step, len(self.model.hands)
        self._legs = int(program.hot_dice[~program.hot_edge].max()) + 1
        self._rows = (self._legs + 1) * self._hands
        self.places = program.hot_dice * self._hands + program.hand, program.turn_score // self._step
        self._by_hand = bool((program.bank_hands != ANY_HAND).any())
        self._bank_rows = program.bank_hands if self._by_hand else np.zeros_like(program.bank_hands)
        self._bank_columns = program.bank_scores // self._step
        self._may_stay = np.zeros((self._hands, 1), bool)
        self._may_stay[program.hand[program.bank_row >= 0]] = True
        self._rolls = [Hand.of(hand) for hand in self.model.hands]
        self._stops = list(self._all_stops())

    def _all_stops(self) -> Iterator[Stop]:
        """Yield the hands of all legs in the order in which they are taken."""
        rows, columns = (place[~self.program.hot_edge] for place in self.places)
        first, last = np.full(self._rows, columns.max(initial=0) + 1), np.full(self._rows, -1)
        np.minimum.at(first, rows, columns)
        np.maximum.at(last, rows, columns)
        for leg in range(self._legs - 1, -1, -1):
            for number, hand in enumerate(self.model.hands):
                row = leg * self._hands + number
                ends = [self._end(leg, entry) for entry in hand.entries]
                to, shifts = np.array(ends, np.intp).reshape(-1, 2).T.copy()
                yield Stop(row, number, int(first[row]), int(last[row]), to, shifts)

    def _end(self, leg: int, entry: Entry) -> tuple[int, int]:
        """Return the row that an entry leads to, and by how many steps it adds to the turn score."""
        points = entry.points + (self.model.bonus_after(leg) if entry.hot else 0)
        bank = self._rows + (entry.hand if self._by_hand else 0)
        return (leg + entry.hot) * self._hands + entry.hand if entry.may_roll else bank, points // self._step

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
        size = whole_limit + 1 + self.program.widest // self._step
        roll, stay, grid = self._blank(edges, bank, size)
        for stop in self._stops:
            end = min(stop.last, whole_limit if stop.hand == self.model.full else limit) + 1
            hand, starts = self._rolls[stop.hand], stop.rows * size + stop.shifts
            for first in range(max(stop.first, since), end, hand.at_once):
                here = slice(first, min(first + hand.at_once, end))
                rolled = hand.weights.dot(hand.classes.best(_stretches(grid, starts + first, here.stop - first)))
                rolled += endings[stop.hand]
                roll[stop.row, here] = rolled
                np.maximum(rolled, stay[stop.hand, here], out=grid[stop.row, here])
        return roll, grid

    def _blank(self, edges: Floats, bank: Floats, size: int) -> tuple[Floats, Floats, Floats]:
        """Return the worth of rolling as if all were edges, that of banking by hand, and the grid of both."""
        by_remainder = edges.reshape(self._hands, -1)
        roll = by_remainder[:, np.arange(size) % by_remainder.shape[1]]
        banks = np.full((self._hands if self._by_hand else 1, size), NEVER)
        here = self._bank_columns < size
        banks[self._bank_rows[here], self._bank_columns[here]] = bank[here]
        stay = np.where(self._may_stay, banks, NEVER)
        grid = np.empty((self._rows + len(banks), size))
        grid[: self._rows].reshape(-1, self._hands, size)[:] = np.maximum(roll, stay)
        grid[self._rows :] = banks
        return np.tile(roll, (self._legs + 1, 1)), stay, grid


def _stretches(grid: Floats, starts: Places, length: int) -> Floats:
    """Return as many stretches of a grid, read row after row, as there are starts."""
    windows: Floats = np.ndarray((grid.size - length + 1, length), buffer=grid, strides=grid.strides[1:] * 2)
    return windows[starts]


@lru_cache(maxsize=16)
def legs_of(program: Program) -> Legs:
    """Return the legs of a program."""
    return Legs(program)
