"""Odds by counting: every ordered roll of a hand, one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import product

from dice10k_math.rules.model import Ruleset

from .keeps import BruteKeep, Faces, Kinds, brute_keeps


def ordered_rolls(dice: int) -> Iterator[Faces]:
    """All 6**dice rolls of dice that are told apart."""
    return product(range(1, 7), repeat=dice)


@cache
def cached_keeps(rules: Ruleset, roll: Faces, kinds: Kinds) -> frozenset[BruteKeep]:
    """Keeps of a roll whose dice are sorted by kind and face (only to save time)."""
    return brute_keeps(rules, roll, kinds)


def keeps_in_any_order(rules: Ruleset, roll: Faces, kinds: Kinds) -> frozenset[BruteKeep]:
    """Keeps of an ordered roll, computed once for all orders of the same dice."""
    pairs = sorted(zip(kinds, roll, strict=True))
    return cached_keeps(rules, tuple(face for _, face in pairs), tuple(kind for kind, _ in pairs))


def as_kinds(dice: int | Kinds) -> Kinds:
    """A number of plain dice, or the kinds themselves."""
    return dice if isinstance(dice, tuple) else (0,) * dice


def brute_score_counts(rules: Ruleset, dice: int | Kinds) -> Counter[int]:
    """Points of the best keep -> number of ordered rolls; a bust counts as 0."""
    kinds = as_kinds(dice)
    counts: Counter[int] = Counter()
    for roll in ordered_rolls(len(kinds)):
        keeps = keeps_in_any_order(rules, roll, kinds)
        counts[max((keep.points for keep in keeps), default=0)] += 1
    return counts


def brute_bust_count(rules: Ruleset, dice: int | Kinds) -> int:
    """Number of ordered rolls in which nothing scores."""
    return brute_score_counts(rules, dice)[0]


def brute_hot_dice_count(rules: Ruleset, dice: int | Kinds) -> int:
    """Number of ordered rolls of which all dice can be kept."""
    kinds = as_kinds(dice)
    return sum(
        any(not keep.left for keep in keeps_in_any_order(rules, roll, kinds)) for roll in ordered_rolls(len(kinds))
    )
