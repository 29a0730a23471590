"""One hand on one level of the grid: reads the values of everything that its rolls offer."""

from __future__ import annotations

import numpy as np

from dice10k_math.solve.enclose import BANK, ROLL, Floats, Ints
from dice10k_math.solve.grid import Grid, Level
from dice10k_math.turn import HandModel


class HandReader:
    """The entries and classes of a hand as arrays.

    Attributes
    ----------
    members, starts, sizes
        The entries of each class, where each class starts among them, and how many it has.
    weights
        Number of outcomes of each class.
    shift, after
        For each entry the rows that it moves on and the hand that it leaves.
    """

    def __init__(self, hand: HandModel, grid: Grid, level: Level) -> None:
        self.members: Ints = np.array([number for roll in hand.classes for number in roll.entries], np.int64)
        self.sizes: Ints = np.array([len(roll.entries) for roll in hand.classes], np.int64)
        self.starts: Ints = np.cumsum(self.sizes) - self.sizes
        self.weights = [roll.weight for roll in hand.classes]
        self.shift: Ints = np.array([grid.shift(level, entry) for entry in hand.entries], np.int64)
        self.after: Ints = np.array([entry.hand for entry in hand.entries], np.int64)
        self._no_roll = np.array([not entry.may_roll for entry in hand.entries])
        self._no_bank = np.array([not entry.may_bank for entry in hand.entries])

    def worths(self, pool: Floats, row: int) -> tuple[Floats, Floats]:
        """Return bounds of rolling on and of banking with each entry, each of shape (2, entries)."""
        rows = row + self.shift
        rolled = np.where(self._no_roll, -np.inf, pool[:, ROLL, rows, self.after])
        banked = np.where(self._no_bank, -np.inf, pool[:, BANK, rows, self.after])
        return rolled, banked

    def best_of_classes(self, values: Floats) -> Floats:
        """Return the greatest value within each class, repeated for each of its members."""
        return np.repeat(np.maximum.reduceat(values[self.members], self.starts), self.sizes)
