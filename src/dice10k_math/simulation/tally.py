"""What is counted in simulated matches, and the estimates with confidence intervals that follow from it.

Counts are whole numbers, so the order in which matches are played does not change a result.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
SHARES, TURNS, GAINED, LOST = range(4)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its confidence interval."""

    value: float
    lower: float
    upper: float


@dataclass(slots=True)
class Tally:
    """Sums over matches.

    Attributes
    ----------
    matches
        How many.
    sums
        Shape (4, seats): shares of wins, turns, points gained, busts.
    products
        Shape (4, 4, seats): sums of the products of two of them within one match.
    rounds, rounds_squared
        Sum of the turns of the first player, and of their squares.
    shares
        Parts of one win.
    """

    shares: int
    matches: int
    sums: Ints
    products: Ints

    @classmethod
    def empty(cls, seats: int, shares: int) -> Tally:
        """Return sums of nothing."""
        return cls(shares, 0, np.zeros((4, seats), np.int64), np.zeros((4, 4, seats), np.int64))

    def add(self, counts: Ints) -> None:
        """Add matches: counts of shape (matches, 4, seats)."""
        self.matches += len(counts)
        self.sums += counts.sum(axis=0)
        self.products += np.einsum("mis,mjs->ijs", counts, counts)

    def win_probability(self, seat: int, confidence: float) -> Estimate:
        """Return the mean share of the win, with Wilson's interval.

        For shared wins it is a little too wide: a share varies less than a whole win of the same mean.
        """
        z = normal_quantile(confidence)
        n = self.matches
        mean = float(self.sums[SHARES, seat]) / self.shares / n
        middle = (mean + z * z / (2 * n)) / (1 + z * z / n)
        half = z * sqrt(mean * (1 - mean) / n + z * z / (4 * n * n)) / (1 + z * z / n)
        return Estimate(mean, max(0.0, middle - half), min(1.0, middle + half))

    def mean(self, what: int, seat: int, confidence: float) -> Estimate:
        """Return the mean of a count over the matches, with the interval of the normal distribution."""
        n = self.matches
        total, square = int(self.sums[what, seat]), int(self.products[what, what, seat])
        # In whole numbers: the difference of two large numbers is small.
        spread = (n * square - total * total) / n / n
        half = normal_quantile(confidence) * sqrt(max(spread, 0.0) / n)
        return Estimate(total / n, total / n - half, total / n + half)

    def ratio(self, what: int, seat: int, confidence: float) -> Estimate:
        """Return a count for each turn, all turns of all matches taken together.

        The turns of one match hang together, so the interval is that of a ratio of two sums over independent matches
        (by linearising it).
        """
        n = self.matches
        turns = int(self.sums[TURNS, seat])
        if not turns:
            return Estimate(float("nan"), float("nan"), float("nan"))
        value = int(self.sums[what, seat]) / turns
        both, squares = self.products[what, TURNS, seat], self.products[TURNS, TURNS, seat]
        spread = float(self.products[what, what, seat]) - 2 * value * float(both) + value * value * float(squares)
        half = normal_quantile(confidence) * sqrt(max(spread, 0.0) * n / max(n - 1, 1)) / turns
        return Estimate(value, value - half, value + half)


def normal_quantile(confidence: float) -> float:
    """Return how many standard errors an interval of this confidence reaches to either side.

    Examples
    --------
    >>> round(normal_quantile(0.95), 3)
    1.96
    """
    return NormalDist().inv_cdf((1 + confidence) / 2)
