"""What a long solving has found so far, so that it can be interrupted and go on later."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from dice10k_math.program import Floats
from dice10k_math.race import Race


def _forget(journal: Journal) -> None:
    """Keep nothing."""


@dataclass(slots=True)
class Journal:
    """The rows of a race that are solved and bounded, from the greatest sum of the scores down.

    Attributes
    ----------
    move, slope
        As in `dice10k_math.solve.race.RaceValues`.
    lower, wait
        As `move` and `wait` in `dice10k_math.bounds.RaceBounds`.
    solved, bounded
        How many rows are.
    keep
        Called after every row.
    """

    move: Floats
    slope: Floats
    lower: Floats
    wait: Floats
    solved: int = 0
    bounded: int = 0
    keep: Callable[[Journal], None] = field(default=_forget, repr=False)

    @classmethod
    def blank(cls, race: Race) -> Journal:
        """Return the journal of a race of which nothing is known."""
        shape = race.phases, race.rows, race.scores
        move, lower, wait = (np.full(shape, np.nan) for _ in range(3))
        return cls(move, np.full(shape, 0.3), lower, wait)

    def has_solved(self, rows: int) -> None:
        """Note how many rows are solved."""
        self.solved = rows
        self.keep(self)

    def has_bounded(self, rows: int) -> None:
        """Note how many rows are bounded."""
        self.bounded = rows
        self.keep(self)
