"""What holds of every scoring table, whatever it pays."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import pairwise
from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dice10k_math.dice import rolls, sub_hands
from dice10k_math.odds import bust_odds, hot_dice_odds, score_counts, score_distribution
from dice10k_math.rules import builtin_rulesets, load_rules
from dice10k_math.rules.model import Ruleset
from dice10k_math.scoring import full_hand, legal_keeps
from tests.strategies import rulesets

BUILT_IN = [load_rules(name) for name in builtin_rulesets()]
FACES = st.integers(1, 6)
Roll = tuple[int, ...]


def _name(rules: Ruleset) -> str:
    return rules.name


@st.composite
def rolled(draw: st.DrawFn) -> tuple[Ruleset, Roll, tuple[int, ...]]:
    """A ruleset, a hand of its dice and a roll of that hand."""
    rules = draw(st.sampled_from(BUILT_IN) | rulesets())
    hand = draw(st.sampled_from(sorted(set(sub_hands(full_hand(rules))) - {()})))
    return rules, tuple(draw(st.lists(FACES, min_size=len(hand), max_size=len(hand)))), hand


@pytest.mark.parametrize("rules", BUILT_IN, ids=_name)
def test_weights_add_up_to_all_ordered_rolls(rules: Ruleset) -> None:
    for hand in sub_hands(full_hand(rules)):
        weights = [weight for _, weight in rolls(hand)]
        assert all(isinstance(weight, int) and weight > 0 for weight in weights)
        assert sum(weights) == 6 ** len(hand)


@pytest.mark.parametrize("rules", BUILT_IN, ids=_name)
def test_rolls_are_listed_once_and_sorted_within_equal_dice(rules: Ruleset) -> None:
    for hand in sub_hands(full_hand(rules)):
        listed = [roll for roll, _ in rolls(hand)]
        assert len(listed) == len(set(listed))
        for roll in listed[:: max(1, len(listed) // 500)]:
            assert list(zip(hand, roll, strict=True)) == sorted(zip(hand, roll, strict=True))


@given(rolled())
@settings(max_examples=300, deadline=None)
def test_keep_is_a_part_of_the_roll_and_pays(case: tuple[Ruleset, Roll, tuple[int, ...]]) -> None:
    rules, roll, hand = case
    for keep in legal_keeps(rules, roll, hand):
        assert keep.points > 0
        assert keep.dice == tuple(sorted(keep.dice))
        assert len(keep.dice) > 0
        assert Counter(keep.dice) <= Counter(roll)
        assert Counter(keep.hand_left) <= Counter(hand)
        assert keep.dice_left == len(keep.hand_left) == len(roll) - len(keep.dice)


@given(rolled())
@settings(max_examples=200, deadline=None)
def test_some_assignment_of_dice_makes_keep_plus_rest_the_roll(
    case: tuple[Ruleset, Roll, tuple[int, ...]],
) -> None:
    rules, roll, hand = case
    dice = Counter(zip(hand, roll, strict=True))
    for keep in legal_keeps(rules, roll, hand):
        kinds_kept = Counter(hand) - Counter(keep.hand_left)
        assert _assignable(dice, Counter(keep.dice), kinds_kept)


def _assignable(dice: Counter[tuple[int, int]], faces: Counter[int], kinds: Counter[int]) -> bool:
    """Whether some of the dice show exactly these faces and are exactly of these kinds."""
    if not faces.total():
        return not kinds.total()
    face = next(iter(faces))
    return any(
        _assignable(dice - Counter({(kind, face): 1}), faces - Counter({face: 1}), kinds - Counter({kind: 1}))
        for (kind, shown), left in dice.items()
        if shown == face and left and kinds[kind]
    )


@given(rolled(), st.randoms(use_true_random=False))
@settings(max_examples=100, deadline=None)
def test_order_of_plain_dice_does_not_matter(case: tuple[Ruleset, Roll, tuple[int, ...]], random: Random) -> None:
    rules, roll, hand = case
    assume(rules.variants.spicy_faces is None)
    shuffled = list(roll)
    random.shuffle(shuffled)
    assert set(legal_keeps(rules, tuple(shuffled), hand)) == set(legal_keeps(rules, roll, hand))


@given(rolled(), FACES)
@settings(max_examples=200, deadline=None)
def test_more_equal_dice_never_score_less(case: tuple[Ruleset, Roll, tuple[int, ...]], face: int) -> None:
    # One may always keep fewer, so this holds even where a larger set pays less than a smaller one.
    rules, _, _ = case
    assume(rules.variants.spicy_faces is None)
    paid = [
        max((keep.points for keep in legal_keeps(rules, (face,) * count)), default=0)
        for count in range(1, rules.turn.dice + 1)
    ]
    assert paid == sorted(paid)


@given(st.sampled_from(BUILT_IN) | rulesets(), FACES)
@settings(max_examples=200, deadline=None)
def test_under_the_highest_reading_a_kept_scoring_single_adds_its_points(rules: Ruleset, face: int) -> None:
    single = rules.scoring.singles[face - 1]
    assume(rules.variants.spicy_faces is None and rules.scoring.readings == "highest" and single)
    kept = [_kept_together(rules, face, count) for count in range(1, rules.turn.dice + 1)]
    assert kept[0] == single
    assert all(after >= before + single for before, after in pairwise(kept))


def _kept_together(rules: Ruleset, face: int, count: int) -> int:
    """Points of keeping all of so many equal dice."""
    (points,) = {keep.points for keep in legal_keeps(rules, (face,) * count) if not keep.hand_left}
    return points


@pytest.mark.parametrize("rules", BUILT_IN, ids=_name)
def test_odds_of_a_hand_fit_together(rules: Ruleset) -> None:
    for hand in [hand for hand in sub_hands(full_hand(rules)) if 0 < len(hand) < 5]:
        counts = score_counts(rules, hand)
        assert sum(counts.values()) == 6 ** len(hand)
        assert all(isinstance(count, int) and count > 0 for count in counts.values())
        assert sum(score_distribution(rules, hand).values()) == 1
        assert bust_odds(rules, hand) + hot_dice_odds(rules, hand) <= 1
        assert bust_odds(rules, hand) == Fraction(counts.get(0, 0), 6 ** len(hand))
