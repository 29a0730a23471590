"""Who wins when totals are compared: distributions of independent totals, and a player's share of the win.

All sums here have non-negative terms only, so lower bounds of probabilities give lower bounds, and upper upper ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dice10k_math.program import Floats


def tied(totals: Sequence[Floats], size: int) -> Floats:
    """Return how many of some players have a total while the others are below it.

    Parameters
    ----------
    totals
        For each player the probability of each total.
    size
        Number of totals to return.

    Returns
    -------
    ndarray of shape (players + 1, size)
        By number of players and total: exactly so many have this total, and all others less.

    Examples
    --------
    >>> tied([np.array([0.5, 0.5])], 3).tolist()
    [[0.0, 0.5, 1.0], [0.5, 0.5, 0.0]]
    """
    found = np.zeros((len(totals) + 1, size))
    found[0] = 1.0
    for chances in totals:
        here = np.zeros(size)
        here[: len(chances)] = chances[:size]
        below = np.concatenate([[0.0], np.cumsum(here)[:-1]])
        found[1:] = found[1:] * below + found[:-1] * here
        found[0] *= below
    return found


@dataclass(frozen=True, slots=True)
class Highest:
    """The highest of some totals, and how many have it, where that can come up.

    Attributes
    ----------
    total, players
        Shape (cases,).
    chance
        Shape (cases,).
    dropped
        Probability of cases that were left out because they hardly come up.
    """

    total: np.ndarray[tuple[int], np.dtype[np.int64]]
    players: np.ndarray[tuple[int], np.dtype[np.int64]]
    chance: Floats
    dropped: float


def highest(totals: Sequence[Floats], target: int, faint: float) -> Highest:
    """Return the highest total, from the target on; cases less likely than `faint` are left out."""
    size = max(map(len, totals), default=0)
    found = tied(totals, size)
    found[0], found[:, :target] = 0.0, 0.0
    players, total = np.nonzero(found > faint)
    kept = found[players, total]
    return Highest(total, players, kept, max(float(found[found <= faint].sum()), 0.0))


def share_of_win(later: Sequence[Floats], worths: Sequence[float], size: int, tied_before: int = 0) -> Floats:
    """Return what a total is worth to a player, the others' totals being still to come.

    Parameters
    ----------
    later
        For each of them the probability of each total.
    worths
        Worth of the highest total by how many others have it too.
    size
        Number of totals to return.
    tied_before
        How many have the player's total already, none having more.
    """
    counts = tied(later, size)
    return np.array(worths[tied_before : tied_before + len(counts)]) @ counts
