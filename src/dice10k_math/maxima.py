"""The classes of a hand's rolls as maxima that share their parts.

A class of rolls is worth the maximum over its entries, and the entries of different classes overlap.
Of all pairs the one that occurs in most classes becomes a *part*, a maximum that is taken once; again and again, until
no pair occurs twice (C. Paar, Optimized arithmetic for Reed-Solomon encoders, ISIT 1997, who does so for sums).
What is left of each class is joined to one maximum of two, the *whole*, whose worth counts with the probability of
the class.

Parts lie in *slots*, which are used again once nothing later needs what lies in them.
They are taken in *runs*, first parts and then the wholes that they lead to: many of a kind together, so that the
compiled loops need not ask what comes next, and not so many that their slots outgrow the processor's cache.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from heapq import heapify, heappop, heappush
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from dice10k_math.turn import HandModel, TurnModel

RUN = 64
"""Wholes in one run."""
TOGETHER = 2
"""Wholes that the compiled loops add up at once: each run has a multiple of it."""
Item = int
"""An entry of the hand, or a part: parts are numbered on from the entries."""
Pair = tuple[Item, Item]
Class = tuple[Item, ...]
"""The entries that some rolls offer."""
_Sides = tuple[int, int, int]
Numbers = NDArray[np.uint32]


@dataclass(frozen=True, slots=True, eq=False)
class Maxima:
    """The maxima of all hands.

    Sides are given as places: entries of the hand first, by their number, and the slots behind them from `entries` on.

    Attributes
    ----------
    entries, slots
        The most entries that a hand has, and how many slots there are.
    starts
        Shape (hands + 1,): where the runs of each hand start.
    runs
        Shape (runs, 4): for each run its first part and the one after its last; the same for its wholes.
    left, right, place
        For each part its sides, and the place that it goes to.
    whole_left, whole_right, weight
        For each whole its sides, which may be the same, and its probability.
    """

    entries: int
    slots: int
    starts: NDArray[np.int64]
    runs: NDArray[np.int64]
    left: Numbers
    right: Numbers
    place: Numbers
    whole_left: Numbers
    whole_right: Numbers
    weight: NDArray[np.float64]

    @property
    def arrays(self) -> tuple[NDArray[np.int64] | Numbers | NDArray[np.float64], ...]:
        """What the compiled loops read."""
        return (
            self.starts,
            self.runs,
            self.left,
            self.right,
            self.place,
            self.whole_left,
            self.whole_right,
            self.weight,
        )

    @property
    def wholes(self) -> NDArray[np.int64]:
        """Shape (hands,): the number of wholes."""
        return self._by_hand(self.runs[:, 3] - self.runs[:, 2])

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Shape (hands,): the number of parts and wholes together."""
        return self._by_hand(self.runs[:, 1] - self.runs[:, 0]) + self.wholes

    def _by_hand(self, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.diff(np.append(0, np.cumsum(counts))[self.starts])


class _Same:
    """A turn model that is equal to itself only: comparing models takes longer than finding one."""

    __slots__ = ("model",)

    def __init__(self, model: TurnModel) -> None:
        self.model = model

    def __hash__(self) -> int:
        return id(self.model)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.model is self.model


def maxima_of(model: TurnModel) -> Maxima:
    """Return the shared maxima of all hands of a turn model.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> from dice10k_math.turn import turn_model
    >>> maxima = maxima_of(turn_model(load_rules("dice10k")))
    >>> int(maxima.wholes.sum()), int(maxima.sizes.sum()), maxima.slots
    (236, 486, 80)
    """
    return _maxima_of(_Same(model))


@lru_cache(maxsize=16)
def _maxima_of(same: _Same) -> Maxima:
    hands = same.model.hands
    entries = max(len(hand.entries) for hand in hands)
    known: dict[frozenset[Class], list[_Run]] = {}
    starts, runs = [0], list[tuple[int, int, int, int]]()
    parts, wholes, weight = list[_Sides](), list[Pair](), list[float]()
    for hand in hands:
        weights = _weights(hand)
        classes = frozenset(weights)
        if classes not in known:
            known[classes] = _runs(sorted(classes), entries)
        for run in known[classes]:
            ends = len(parts) + len(run.parts), len(wholes) + len(run.wholes)
            runs.append((len(parts), ends[0], len(wholes), ends[1]))
            parts += run.parts
            wholes += run.wholes
            weight += [weights[worth] / hand.outcomes for worth in run.classes]
            weight += [0.0] * (len(run.wholes) - len(run.classes))
        starts.append(len(runs))
    left, right, place = np.array(parts, np.uint32).reshape(-1, 3).T.copy()
    whole_left, whole_right = np.array(wholes, np.uint32).reshape(-1, 2).T.copy()
    return Maxima(
        entries,
        int(place.max(initial=entries - 1)) + 1 - entries,
        np.array(starts, np.int64),
        np.array(runs, np.int64).reshape(-1, 4),
        left,
        right,
        place,
        whole_left,
        whole_right,
        np.array(weight),
    )


def _weights(hand: HandModel) -> Mapping[Class, int]:
    """Return the weight of each set of entries that rolls of a hand offer."""
    weights: dict[Class, int] = defaultdict(int)
    for roll in hand.classes:
        if roll.entries:
            weights[tuple(sorted(roll.entries))] += roll.weight
    return weights


@dataclass(frozen=True, slots=True)
class _Run:
    """One run in places: parts with the place that they go to, wholes, and the classes that these are the worth of."""

    parts: list[_Sides]
    wholes: list[Pair]
    classes: Sequence[Class]


def _runs(classes: Sequence[Class], entries: int) -> list[_Run]:
    """Return the maxima that a hand takes."""
    parts, whole = share(classes, entries)
    needed = {side for sides in parts.values() for side in sides}
    # A class that is a part of others as well is read off its slot.
    sides = [(item, item) if item in needed else parts.get(item, (item, item)) for item in whole]
    orders = list(_orders(sides, parts))
    places = _Places(entries, list(_reads(sides, orders, parts)))
    runs = []
    for start, order in zip(range(0, len(whole), RUN), orders, strict=True):
        taken = [places.take(item, parts[item]) for item in order]
        read = [places.read(pair) for pair in sides[start : start + RUN]]
        read += [read[-1]] * (-len(read) % TOGETHER)
        runs.append(_Run(taken, read, classes[start : start + RUN]))
    return runs


def _orders(sides: Sequence[Pair], parts: Mapping[Item, Pair]) -> Iterator[list[Item]]:
    """For each run return the parts that it has to take, each after its own parts."""
    seen: set[Item] = set()
    for start in range(0, len(sides), RUN):
        order: list[Item] = []
        waiting = [item for pair in sides[start : start + RUN] for item in pair][::-1]
        while waiting:
            item = waiting.pop()
            if item in seen or item not in parts:
                continue
            missing = [side for side in parts[item] if side in parts and side not in seen]
            if missing:
                waiting += [item, *missing]
                continue
            seen.add(item)
            order.append(item)
        yield order


def _reads(sides: Sequence[Pair], orders: Iterable[Sequence[Item]], parts: Mapping[Item, Pair]) -> Iterator[Pair]:
    """Run through what is read, run by run, parts first."""
    for start, order in zip(range(0, len(sides), RUN), orders, strict=True):
        yield from (parts[item] for item in order)
        yield from sides[start : start + RUN]


class _Places:
    """Where entries and parts lie while the maxima are taken one after another."""

    def __init__(self, entries: int, reads: Sequence[Pair]) -> None:
        self._last_read = {item: at for at, pair in enumerate(reads) for item in pair}
        self._at = 0
        self._entries = entries
        self._slots: dict[Item, int] = {}
        self._free: list[int] = []
        self._used = entries

    def read(self, pair: Pair) -> Pair:
        """Return where the sides lie, and set free what is not read again."""
        first, second = (item if item < self._entries else self._slots[item] for item in pair)
        for item in set(pair) & self._slots.keys():
            if self._last_read[item] == self._at:
                heappush(self._free, self._slots.pop(item))
        self._at += 1
        return first, second

    def take(self, part: Item, pair: Pair) -> _Sides:
        """Return where the sides lie, and where the part goes to."""
        sides = self.read(pair)
        if not self._free:
            heappush(self._free, self._used)
            self._used += 1
        self._slots[part] = heappop(self._free)
        return *sides, self._slots[part]


def share(sets: Iterable[Iterable[Item]], entries: int) -> tuple[dict[Item, Pair], list[Item]]:
    """Bring sets of entries down to one item each, joining the pair that occurs in most sets first.

    Parameters
    ----------
    sets
        Sets of entries, none empty.
    entries
        The number of entries; parts are numbered from there.

    Returns
    -------
    parts : dict
        For each part the two items that it joins.
    whole : list
        For each set the item that it comes down to.

    Examples
    --------
    >>> share([{0, 1}, {0, 1, 2}], 3)
    ({3: (0, 1), 4: (2, 3)}, [3, 4])
    """
    left = [set(one) for one in sets]
    parts: dict[Item, Pair] = {}
    where: dict[Pair, set[int]] = defaultdict(set)
    for number, items in enumerate(left):
        for pair in combinations(sorted(items), 2):
            where[pair].add(number)
    heap = [(-len(numbers), pair) for pair, numbers in where.items() if len(numbers) > 1]
    heapify(heap)
    while heap:
        count, pair = heappop(heap)
        if len(where[pair]) != -count:
            if len(where[pair]) > 1:
                heappush(heap, (-len(where[pair]), pair))
            continue
        new = entries + len(parts)
        parts[new] = pair
        for joined in _join(pair, new, left, where):
            if len(where[joined]) > 1:
                heappush(heap, (-len(where[joined]), joined))
    return parts, [_join_rest(items, parts, entries) for items in left]


def _join(pair: Pair, new: Item, left: list[set[Item]], where: dict[Pair, set[int]]) -> set[Pair]:
    """Put a part in the place of its pair in every set that has both; return the pairs that it is in now."""
    first, second = pair
    joined = set()
    for number in where.pop(pair):
        items = left[number]
        items -= {first, second}
        for other in items:
            where[min(other, first), max(other, first)].discard(number)
            where[min(other, second), max(other, second)].discard(number)
            where[other, new].add(number)
            joined.add((other, new))
        items.add(new)
    return joined


def _join_rest(items: set[Item], parts: dict[Item, Pair], entries: int) -> Item:
    """Join what no other set has together."""
    found, *rest = sorted(items)
    for other in rest:
        parts[entries + len(parts)] = found, other
        found = entries + len(parts) - 1
    return found
