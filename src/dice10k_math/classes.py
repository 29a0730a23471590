"""The classes of rolls as whole arrays, for an evaluation that numpy alone does.

A class is worth the maximum over what its rolls offer.
Taking the maxima of many classes at once needs as many reads of each; the half of the longer ones goes into columns of
its own, so that not all have to be filled up to the longest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from dice10k_math.program import Floats

Places = NDArray[np.integer[Any]]


@dataclass(frozen=True, slots=True)
class Classes:
    """Classes with what each of them reads.

    Attributes
    ----------
    reads
        Shape (half the most reads of a class, columns): a column for each class, the longer classes first; at the end
        once more as many columns as there are longer classes, for the other half of their reads.
        What is left over is filled with a read of the class.
    longer
        How many classes have two columns.
    count
        How many classes there are.
    order
        The classes by their numbers when they were given, in the order of the columns.
    """

    reads: Places
    longer: int
    count: int
    order: Places

    @classmethod
    def of(cls, classes: Sequence[Sequence[int]]) -> Self:
        """Return classes from the reads of each, one or more."""
        half = -(-max(map(len, classes), default=0) // 2)
        order = sorted(range(len(classes)), key=lambda number: -len(classes[number]))
        parts = [list(classes[number][:half]) for number in order]
        rest = [list(classes[number][half:]) for number in order if len(classes[number]) > half]
        filled = [part + part[:1] * (half - len(part)) for part in parts + rest]
        reads = np.ascontiguousarray(np.array(filled, np.intp).reshape(len(filled), half).T)
        return cls(reads, len(rest), len(classes), np.array(order, np.intp))

    def best(self, worths: Floats) -> Floats:
        """Return the maximum of each class over what it reads along the first axis."""
        if not self.count:
            return worths[:0]
        found: Floats = np.maximum.reduce(worths.take(self.reads, axis=0))
        np.maximum(found[: self.longer], found[self.count :], out=found[: self.longer])
        return found[: self.count]
