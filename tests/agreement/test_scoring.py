"""Keeps of the library against every subset of dice tried by hand."""

from __future__ import annotations

from itertools import combinations, combinations_with_replacement

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dice10k_math.rules import builtin_rulesets, load_rules
from dice10k_math.rules.model import Ruleset
from dice10k_math.scoring import legal_keeps
from tests.oracles.keeps import BruteKeep, Faces, Kinds, brute_keeps
from tests.oracles.odds import keeps_in_any_order, ordered_rolls
from tests.oracles.turn import full_hand
from tests.oracles.variations import SPICY_VARIATIONS, VARIATIONS
from tests.strategies import rulesets

PLAIN = [name for name in builtin_rulesets() if load_rules(name).variants.spicy_faces is None]
SPICY = [name for name in builtin_rulesets() if name not in PLAIN]
ONE_PER_SCORING = list({load_rules(name).scoring: name for name in PLAIN}.values())


def _name(rules: Ruleset) -> str:
    return rules.name


def library_keeps(rules: Ruleset, roll: Faces, kinds: Kinds) -> frozenset[BruteKeep]:
    """The library's keeps in the oracle's words; none may be listed twice."""
    listed = [BruteKeep(keep.dice, keep.points, keep.hand_left) for keep in legal_keeps(rules, roll, kinds)]
    assert len(listed) == len(set(listed)), (roll, kinds)
    return frozenset(listed)


def assert_same_keeps(rules: Ruleset, roll: Faces, kinds: Kinds) -> None:
    """Show the roll with the two sets of keeps where they differ."""
    ours, theirs = library_keeps(rules, roll, kinds), brute_keeps(rules, roll, kinds)
    assert ours == theirs, (rules.name, roll, kinds)


@pytest.mark.parametrize("name", ONE_PER_SCORING)
def test_all_ordered_rolls_of_six_dice(name: str) -> None:
    rules = load_rules(name)
    by_multiset = {roll: library_keeps(rules, roll, (0,) * 6) for roll in combinations_with_replacement(range(1, 7), 6)}
    seen = 0
    for roll in ordered_rolls(6):
        assert by_multiset[tuple(sorted(roll))] == brute_keeps(rules, roll), roll
        seen += 1
    assert seen == 46_656


@pytest.mark.parametrize("rules", [*map(load_rules, PLAIN), *VARIATIONS], ids=_name)
def test_every_roll_of_every_number_of_plain_dice(rules: Ruleset) -> None:
    for dice in range(1, rules.turn.dice + 1):
        for roll in combinations_with_replacement(range(1, 7), dice):
            assert_same_keeps(rules, roll, (0,) * dice)
            assert_same_keeps(rules, roll[::-1], (0,) * dice)


@pytest.mark.parametrize("rules", [*map(load_rules, SPICY), *SPICY_VARIATIONS], ids=_name)
def test_rolls_of_spicy_dice(rules: Ruleset) -> None:
    full = full_hand(rules)
    hands = sorted({hand for size in range(1, 4) for hand in combinations(full, size)})
    for hand in hands:
        for roll in ordered_rolls(len(hand)):
            assert_same_keeps(rules, roll, hand)
    for roll in list(ordered_rolls(6))[::17]:
        assert_same_keeps(rules, roll, full)


@pytest.mark.slow
@pytest.mark.parametrize("rules", [*map(load_rules, SPICY), *SPICY_VARIATIONS], ids=_name)
def test_all_rolls_of_all_hands_of_spicy_dice(rules: Ruleset) -> None:
    full = full_hand(rules)
    for hand in sorted({hand for size in range(1, 7) for hand in combinations(full, size)}):
        for roll in ordered_rolls(len(hand)):
            assert library_keeps(rules, roll, hand) == keeps_in_any_order(rules, roll, hand), (roll, hand)


@pytest.mark.parametrize("rules", [load_rules("farkle-spicy"), *SPICY_VARIATIONS], ids=_name)
def test_dice_of_a_full_roll_are_those_of_the_rules(rules: Ruleset) -> None:
    kinds = rules.variants.spicy_faces
    assert kinds is not None
    for roll in list(ordered_rolls(6))[::501]:
        listed = {BruteKeep(keep.dice, keep.points, keep.hand_left) for keep in legal_keeps(rules, roll)}
        assert listed == brute_keeps(rules, roll, kinds), roll


@given(rules=rulesets(), data=st.data())
@settings(max_examples=150, deadline=None)
def test_random_rules_and_rolls(rules: Ruleset, data: st.DataObject) -> None:
    full = full_hand(rules)
    places = data.draw(st.lists(st.sampled_from(range(len(full))), min_size=1, unique=True))
    hand = tuple(full[place] for place in sorted(places))
    roll = tuple(data.draw(st.lists(st.integers(1, 6), min_size=len(hand), max_size=len(hand))))
    assert_same_keeps(rules, roll, hand)
