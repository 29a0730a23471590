"""Odds of one roll, as exact fractions.

For plain dice the faces are taken one after another: the dice that show a face score on their own, so what is left to
remember is how
many dice are left and how many points there are. That is a product of six small polynomials, with integer weights.
The combinations of all six dice, which need several faces at once, are few rolls and are corrected afterwards.
For dice that are told apart, and for straights of five, every roll is scored.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import lru_cache
from math import comb, factorial

from dice10k_math.dice import FACES, PLAIN, Hand, plain_hand, rolls
from dice10k_math.errors import InputError, check_whole
from dice10k_math.rules.model import Ruleset
from dice10k_math.scoring import Pattern, full_hand, keeps_of, scorer


def hand_of(rules: Ruleset, dice: int | Iterable[int]) -> Hand:
    """Return the hand that a user means by a number of dice or by the kinds of the dice.

    Raises
    ------
    InputError
        Dice that the ruleset does not have, or a bare number for dice that are told apart.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> hand_of(load_rules("farkle"), 2)
    (0, 0)
    """
    whole = full_hand(rules)
    if isinstance(dice, Iterable):
        hand = tuple(sorted(dice))
        if not hand or any(hand.count(kind) > whole.count(kind) for kind in hand):
            raise InputError(f"dice: {hand}; {rules.name} has {whole}")
        return hand
    check_whole("dice", dice)
    if isinstance(dice, bool) or not 1 <= dice <= len(whole):
        raise InputError(f"dice: {dice!r}; allowed: 1 to {len(whole)}")
    if dice < len(whole) and len(set(whole)) > 1:
        raise InputError(f"dice: {dice} of the dice {whole} can be several hands; name the dice")
    return whole[:dice]


def score_counts(rules: Ruleset, dice: int | Iterable[int] = 6) -> dict[int, int]:
    """Return how many of the ordered outcomes give each best score.

    Parameters
    ----------
    rules
        The ruleset.
    dice
        How many dice are rolled, or (spicy dice) which.

    Returns
    -------
    dict
        Points of the best keep of the roll (a bust is 0) to the number of ordered outcomes, in rising order of the
        points.
        The numbers add up to 6**n.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> score_counts(load_rules("dice10k"), 1)
    {0: 4, 50: 1, 100: 1}
    """
    return dict(_score_counts(rules, hand_of(rules, dice)))


@lru_cache(maxsize=512)
def _score_counts(rules: Ruleset, hand: Hand) -> dict[int, int]:
    counts: defaultdict[int, int]
    if _scores_face_by_face(rules, hand):
        counts = _counts_face_by_face(rules, hand)
        nothing = rules.scoring.no_scoring_dice
        if len(hand) == 6 and nothing is not None:
            counts[nothing] += counts.pop(0, 0)
    else:
        counts = defaultdict(int)
        for roll, weight in rolls(hand):
            counts[max((keep.points for keep in keeps_of(rules, hand, roll)), default=0)] += weight
    return {points: counts[points] for points in sorted(counts) if counts[points]}


def _scores_face_by_face(rules: Ruleset, hand: Hand) -> bool:
    return set(hand) == {PLAIN} and rules.scoring.five_straights is None


def _counts_face_by_face(rules: Ruleset, hand: Hand) -> defaultdict[int, int]:
    """Count the best scores; a roll that scores nothing counts as 0 whatever the rules pay for that."""
    table = scorer(rules)
    size = len(hand)
    best = [tuple(max(p for _, p in table.face_keeps(face, plain_hand(n))) for n in range(size + 1)) for face in FACES]
    counts = _sum_over_faces(best, size)
    if size == 6:
        for pattern, points in table.patterns.items():
            _raise_rolls(pattern, points, best, counts)
    return counts


def _sum_over_faces(value: list[tuple[int, ...]], dice: int) -> defaultdict[int, int]:
    """Return the distribution of the sum over the faces of ``value[face][dice that show it]``, with integer weights."""
    states = {(dice, 0): 1}
    for of_face in value[:-1]:
        following: dict[tuple[int, int], int] = defaultdict(int)
        for (left, total), weight in states.items():
            for showing in range(left + 1):
                following[left - showing, total + of_face[showing]] += weight * comb(left, showing)
        states = following
    sums: defaultdict[int, int] = defaultdict(int)
    for (left, total), weight in states.items():
        sums[total + value[-1][left]] += weight
    return sums


def _raise_rolls(pattern: Pattern, points: int, best: list[tuple[int, ...]], counts: dict[int, int]) -> None:
    """Move the rolls of a pattern to what they pay as a combination of all six dice, where that is more."""
    weight = _orders(pattern)
    for showing in _face_counts(pattern):
        by_faces = sum(of_face[count] for of_face, count in zip(best, showing, strict=True))
        if points > by_faces:
            counts[by_faces] -= weight
            counts[points] += weight


@lru_cache(maxsize=16)
def _face_counts(pattern: Pattern) -> tuple[tuple[int, ...], ...]:
    """Return every way in which the six faces can occur as often as the pattern says."""
    return tuple(_arrangements(pattern + (0,) * (6 - len(pattern))))


def _arrangements(counts: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    if not counts:
        yield ()
    for first in dict.fromkeys(counts):
        at = counts.index(first)
        for others in _arrangements(counts[:at] + counts[at + 1 :]):
            yield (first, *others)


def _orders(pattern: Pattern) -> int:
    orders = factorial(sum(pattern))
    for count in pattern:
        orders //= factorial(count)
    return orders


def score_distribution(rules: Ruleset, dice: int | Iterable[int] = 6) -> dict[int, Fraction]:
    """Return the probability of each best score of one roll.

    Parameters
    ----------
    rules
        The ruleset.
    dice
        How many dice are rolled, or (spicy dice) which.

    Returns
    -------
    dict
        Points of the best keep (a bust is 0) to their exact probability.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> score_distribution(load_rules("farkle"), 1)
    {0: Fraction(2, 3), 50: Fraction(1, 6), 100: Fraction(1, 6)}
    """
    hand = hand_of(rules, dice)
    total = 6 ** len(hand)
    return {points: Fraction(weight, total) for points, weight in _score_counts(rules, hand).items()}


def mean_best_score(rules: Ruleset, dice: int | Iterable[int] = 6) -> Fraction:
    """Return the mean points of the best keep of one roll, a bust counting 0.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> mean_best_score(load_rules("dice10k"), 1)
    Fraction(25, 1)
    """
    hand = hand_of(rules, dice)
    return Fraction(sum(points * weight for points, weight in _score_counts(rules, hand).items()), 6 ** len(hand))


def bust_odds(rules: Ruleset, dice: int | Iterable[int] = 6) -> Fraction:
    """Return the probability that no die of the roll scores.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> bust_odds(load_rules("dice10k"), dice=6)
    Fraction(5, 216)
    """
    hand = hand_of(rules, dice)
    return Fraction(_score_counts(rules, hand).get(0, 0), 6 ** len(hand))


def hot_dice_odds(rules: Ruleset, dice: int | Iterable[int] = 6) -> Fraction:
    """Return the probability that all dice of the roll can be kept.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> hot_dice_odds(load_rules("dice10k"), dice=1)
    Fraction(1, 3)
    """
    hand = hand_of(rules, dice)
    return Fraction(_hot_dice_outcomes(rules, hand), 6 ** len(hand))


@lru_cache(maxsize=512)
def _hot_dice_outcomes(rules: Ruleset, hand: Hand) -> int:
    if not _scores_face_by_face(rules, hand):
        return sum(
            weight for roll, weight in rolls(hand) if any(not keep.hand_left for keep in keeps_of(rules, hand, roll))
        )
    table = scorer(rules)
    size = len(hand)
    unkept = [
        tuple(n - max(len(kept) for kept, _ in table.face_keeps(face, plain_hand(n))) for n in range(size + 1))
        for face in FACES
    ]
    outcomes = _sum_over_faces(unkept, size)[0]
    if size == 6:
        for pattern in table.patterns:
            left_over = (sum(u[n] for u, n in zip(unkept, showing, strict=True)) for showing in _face_counts(pattern))
            outcomes += _orders(pattern) * sum(left > 0 for left in left_over)
        if table.scoring.no_scoring_dice is not None:
            outcomes += _counts_face_by_face(rules, hand)[0]
    return outcomes
