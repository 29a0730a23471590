"""Odds by exponential generating functions: no roll is looked at.

The rolls of n dice that show face f n_f times are n! / (n_1! ... n_6!).
So the weight of all rolls with some property of each count by itself is n! times the coefficient of
x^n in a product over the faces of sums of x^k / k!.
A second variable t carries the points: t^points.
Combinations that mix faces are few patterns of counts; their weight is moved by hand.
Plain dice only.
"""

from __future__ import annotations

from itertools import combinations
from math import factorial, prod
from typing import Any

from sympy import QQ, ring

from dice10k_math.rules.model import FlatSets, Ruleset, Scoring

Counts = tuple[int, ...]
X: Any
T: Any
RING, X, T = ring("x,t", QQ)


def _set(scoring: Scoring, face: int, size: int) -> int | None:
    """Points of one set of `size` equal dice; None if there is no such set."""
    triple = scoring.triples[face]
    if size == 3:
        return triple or None
    if scoring.larger_sets is None or size < 3:
        return None
    if isinstance(scoring.larger_sets, FlatSets):
        return scoring.larger_sets.points[size - 4]
    return triple * scoring.larger_sets.factors[size - 4] or None


def _split(scoring: Scoring, face: int, size: int) -> int | None:
    """Most points of exactly `size` equal dice over all splits; None if they cannot all score."""
    if size == 0:
        return 0
    best: int | None = None
    for part in range(1, size + 1):
        first = (scoring.singles[face] or None) if part == 1 else _set(scoring, face, part)
        rest = _split(scoring, face, size - part)
        if first is not None and rest is not None:
            best = max(best or 0, first + rest)
    return best


def exact_points(scoring: Scoring, face: int, size: int) -> int | None:
    """Points of exactly `size` equal dice (face 0 is a 1) kept together; None: no keep."""
    whole = _set(scoring, face, size)
    if scoring.readings == "player_chooses" and whole is not None:
        return whole
    return _split(scoring, face, size)


def best_points(scoring: Scoring, face: int, count: int) -> int:
    """Most points out of `count` equal dice, not all of which need score."""
    return max(exact_points(scoring, face, size) or 0 for size in range(count + 1))


def _pattern(dice: int, groups: tuple[tuple[int, int], ...]) -> Counts:
    counts = dict(groups)
    found = tuple(counts.get(face, 0) for face in range(6))
    assert sum(found) == dice
    return found


def _six_dice_patterns(scoring: Scoring) -> dict[Counts, int]:
    found: dict[Counts, int] = {}
    if scoring.straight:
        found[(1,) * 6] = scoring.straight
    if scoring.three_pairs:
        for faces in combinations(range(6), 3):
            found[_pattern(6, tuple((face, 2) for face in faces))] = scoring.three_pairs
    if scoring.two_triplets:
        for one, two in combinations(range(6), 2):
            found[_pattern(6, ((one, 3), (two, 3)))] = scoring.two_triplets
    if scoring.four_and_pair:
        for one, two in combinations(range(6), 2):
            found[_pattern(6, ((one, 4), (two, 2)))] = scoring.four_and_pair
            found[_pattern(6, ((one, 2), (two, 4)))] = scoring.four_and_pair
    return found


def _five_straight_patterns(scoring: Scoring, dice: int) -> list[tuple[Counts, int, int | None]]:
    """(counts, points of the straight with the best use of a spare die, spare face)."""
    if scoring.five_straights is None or dice < 5:
        return []
    low = ((1, 1, 1, 1, 1, 0), scoring.five_straights.low)
    high = ((0, 1, 1, 1, 1, 1), scoring.five_straights.high)
    if dice == 5:
        return [(*low, None), (*high, None)]
    return [
        (tuple(n + (face == spare) for face, n in enumerate(counts)), points + scoring.singles[spare], spare)
        for counts, points in (low, high)
        for spare in range(6)
    ]


def mixed_patterns(scoring: Scoring, dice: int) -> dict[Counts, int]:
    """Counts of the rolls with a combination that mixes faces -> most points it gives."""
    found = _six_dice_patterns(scoring) if dice == 6 else {}
    for counts, points, _ in _five_straight_patterns(scoring, dice):
        found[counts] = max(points, found.get(counts, 0))
    return found


def weight(counts: Counts) -> int:
    """Number of ordered rolls that show these counts."""
    return factorial(sum(counts)) // prod(factorial(count) for count in counts)


def score_counts(rules: Ruleset, dice: int) -> dict[int, int]:
    """Points of the best keep -> number of ordered rolls, bust = 0."""
    scoring = rules.scoring
    product: Any = RING(1)
    for face in range(6):
        product *= sum(
            T ** best_points(scoring, face, count) * X**count / factorial(count) for count in range(dice + 1)
        )
    found: dict[int, int] = {}
    for (power, points), coefficient in product.terms():
        if power == dice:
            found[points] = int(coefficient * factorial(dice))
    for counts, points in mixed_patterns(scoring, dice).items():
        plain = sum(best_points(scoring, face, count) for face, count in enumerate(counts))
        found[plain] -= weight(counts)
        found[max(plain, points)] = found.get(max(plain, points), 0) + weight(counts)
    if dice == 6 and scoring.no_scoring_dice:
        nothing = found.pop(0, 0)
        found[scoring.no_scoring_dice] = found.get(scoring.no_scoring_dice, 0) + nothing
    return {points: rolls for points, rolls in found.items() if rolls}


def _count_product(dice: int, allowed: list[list[int]]) -> int:
    """n! [x^n] of the product of the exponentials truncated to the allowed counts."""
    product: Any = RING(1)
    for counts in allowed:
        product *= sum((X**count / factorial(count) for count in counts), RING(0))
    return int(product.coeff(X**dice) * factorial(dice))


def nothing_count(rules: Ruleset, dice: int) -> int:
    """Number of ordered rolls without a combination, points for nothing apart."""
    scoring = rules.scoring
    dead = [[n for n in range(dice + 1) if not best_points(scoring, face, n)] for face in range(6)]
    saved = [
        counts
        for counts in mixed_patterns(scoring, dice)
        if all(count in dead[face] for face, count in enumerate(counts))
    ]
    return _count_product(dice, dead) - sum(weight(counts) for counts in saved)


def bust_count(rules: Ruleset, dice: int) -> int:
    """Number of ordered rolls in which nothing scores."""
    consoled = dice == 6 and rules.scoring.no_scoring_dice
    return 0 if consoled else nothing_count(rules, dice)


def hot_dice_count(rules: Ruleset, dice: int) -> int:
    """Number of ordered rolls of which all dice can be kept."""
    scoring = rules.scoring
    live = [[n for n in range(dice + 1) if exact_points(scoring, face, n) is not None] for face in range(6)]
    patterns = set(_six_dice_patterns(scoring)) if dice == 6 else set()
    for counts, _, spare in _five_straight_patterns(scoring, dice):
        if spare is None or scoring.singles[spare]:
            patterns.add(counts)
    added = [counts for counts in patterns if not all(count in live[face] for face, count in enumerate(counts))]
    consoled = dice == 6 and scoring.no_scoring_dice
    nothing = nothing_count(rules, dice) if consoled else 0
    return _count_product(dice, live) + sum(weight(counts) for counts in added) + nothing
