"""Odds of the library against counting all ordered rolls and against generating functions."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given, settings

from dice10k_math.odds import bust_odds, hot_dice_odds, mean_best_score, score_counts, score_distribution
from dice10k_math.rules import builtin_rulesets, load_rules
from dice10k_math.rules.model import Ruleset
from tests.oracles import egf
from tests.oracles.odds import brute_hot_dice_count, brute_score_counts
from tests.oracles.turn import full_hand
from tests.oracles.variations import SPICY_VARIATIONS, VARIATIONS
from tests.strategies import rulesets

ALL = [load_rules(name) for name in builtin_rulesets()]
PLAIN = [rules for rules in (*ALL, *VARIATIONS) if rules.variants.spicy_faces is None]
SPICY = [rules for rules in (*ALL, *SPICY_VARIATIONS) if rules.variants.spicy_faces is not None]


def _name(rules: Ruleset) -> str:
    return rules.name


def assert_odds(rules: Ruleset, dice: int | tuple[int, ...], counts: dict[int, int], hot: int) -> None:
    """All public odds of one hand from counts over all its rolls."""
    rolls = 6 ** (len(dice) if isinstance(dice, tuple) else dice)
    assert sum(counts.values()) == rolls
    assert score_counts(rules, dice) == counts
    distribution = {points: Fraction(count, rolls) for points, count in counts.items()}
    assert score_distribution(rules, dice) == distribution
    assert bust_odds(rules, dice) == Fraction(counts.get(0, 0), rolls)
    assert hot_dice_odds(rules, dice) == Fraction(hot, rolls)
    assert mean_best_score(rules, dice) == sum(points * odds for points, odds in distribution.items())


@pytest.mark.parametrize("rules", PLAIN, ids=_name)
def test_plain_dice_by_counting_ordered_rolls(rules: Ruleset) -> None:
    for dice in range(1, rules.turn.dice + 1):
        counts = dict(brute_score_counts(rules, dice))
        assert_odds(rules, dice, counts, brute_hot_dice_count(rules, dice))


@pytest.mark.parametrize("rules", PLAIN, ids=_name)
def test_plain_dice_by_generating_functions(rules: Ruleset) -> None:
    for dice in range(1, rules.turn.dice + 1):
        assert bust_odds(rules, dice) == Fraction(egf.bust_count(rules, dice), 6**dice)
        assert_odds(rules, dice, egf.score_counts(rules, dice), egf.hot_dice_count(rules, dice))


@pytest.mark.parametrize("rules", SPICY, ids=_name)
def test_spicy_dice_by_counting_ordered_rolls(rules: Ruleset) -> None:
    full = full_hand(rules)
    hands = sorted({hand for size in range(1, 4) for hand in combinations(full, size)})
    for hand in [*hands, full[1:]]:
        assert_odds(rules, hand, dict(brute_score_counts(rules, hand)), brute_hot_dice_count(rules, hand))


@pytest.mark.slow
@pytest.mark.parametrize("rules", SPICY, ids=_name)
def test_all_hands_of_spicy_dice(rules: Ruleset) -> None:
    full = full_hand(rules)
    for hand in sorted({hand for size in range(4, 7) for hand in combinations(full, size)}):
        assert_odds(rules, hand, dict(brute_score_counts(rules, hand)), brute_hot_dice_count(rules, hand))


@given(rules=rulesets())
@settings(max_examples=25, deadline=None)
def test_random_rules(rules: Ruleset) -> None:
    hand = full_hand(rules)[:4]
    assert_odds(rules, hand, dict(brute_score_counts(rules, hand)), brute_hot_dice_count(rules, hand))


@given(rules=rulesets())
@settings(max_examples=50, deadline=None)
def test_random_rules_by_generating_functions(rules: Ruleset) -> None:
    if rules.variants.spicy_faces is None:
        dice = rules.turn.dice
        assert_odds(rules, dice, egf.score_counts(rules, dice), egf.hot_dice_count(rules, dice))
