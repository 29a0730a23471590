"""The second routes agree with each other, and the hand-typed games with the rules files."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dice10k_math.rules import builtin_rulesets, load_rules
from dice10k_math.rules.model import Ruleset
from tests.oracles import egf
from tests.oracles.games import BY_HAND
from tests.oracles.grid import turn_grid
from tests.oracles.keeps import brute_keeps
from tests.oracles.montecarlo import ThresholdPlayer, estimate, threshold_value
from tests.oracles.odds import brute_hot_dice_count, brute_score_counts, keeps_in_any_order, ordered_rolls
from tests.oracles.turn import turn_value
from tests.oracles.variations import VARIATIONS

PLAIN = [rules for rules in (*BY_HAND.values(), *VARIATIONS) if rules.variants.spicy_faces is None]


def _name(rules: Ruleset) -> str:
    return rules.name


@pytest.mark.parametrize("name", builtin_rulesets())
def test_rules_file_says_what_the_text_says(name: str) -> None:
    by_hand, loaded = BY_HAND[name], load_rules(name)
    assert replace(loaded, title=by_hand.title, source=by_hand.source) == by_hand


def test_every_game_typed_by_hand_is_built_in() -> None:
    assert set(builtin_rulesets()) == set(BY_HAND)


@pytest.mark.parametrize("rules", PLAIN, ids=_name)
def test_generating_functions_count_what_brute_force_counts(rules: Ruleset) -> None:
    for dice in range(1, rules.turn.dice + 1):
        counts = brute_score_counts(rules, dice)
        assert egf.score_counts(rules, dice) == dict(counts), dice
        assert egf.bust_count(rules, dice) == counts[0], dice
        assert egf.hot_dice_count(rules, dice) == brute_hot_dice_count(rules, dice), dice


def test_order_of_dice_does_not_matter() -> None:
    rules = BY_HAND["farkle-spicy"]
    kinds = (1, 1, 5, 6)
    for roll in ordered_rolls(4):
        assert brute_keeps(rules, roll, kinds) == keeps_in_any_order(rules, roll, kinds)


@pytest.mark.parametrize("name", ["farkle", "dix-mille", "des-10000"])
def test_recursion_and_grid_give_the_same_turn(name: str) -> None:
    recursion = turn_value(BY_HAND[name], 0, 2000)
    assert turn_grid(BY_HAND[name], 0, 2000)[0] == pytest.approx(recursion, abs=1e-10)


@pytest.mark.parametrize("name", ["dice10k", "farkle", "dix-mille", "des-10000"])
def test_random_turns_earn_what_the_same_play_is_worth(name: str) -> None:
    player = ThresholdPlayer(BY_HAND[name], 400, score=1000)
    sampled = estimate(player, 4000, seed=1)
    assert abs(sampled.mean - threshold_value(player)) < 4 * sampled.error


@pytest.mark.parametrize("name", ["dice10k", "farkle", "dix-mille"])
def test_no_threshold_beats_the_best_turn(name: str) -> None:
    best = turn_value(BY_HAND[name], 1000, 10_000)
    for threshold in range(300, 1001, 100):
        assert threshold_value(ThresholdPlayer(BY_HAND[name], threshold, score=1000)) <= best + 1e-9
