"""Simulated figures agree with the exact ones, within intervals of five standard errors at fixed seeds.

A right simulation leaves such an interval in one of two million seeds.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from dice10k_math.policy import Policy, parse_policy
from dice10k_math.questions.match import solve_match
from dice10k_math.questions.simulation import simulate, simulate_turns
from dice10k_math.questions.solo import solve_solo
from dice10k_math.questions.turn import solve_turn
from dice10k_math.rules import Ruleset, load_rules, with_target
from dice10k_math.simulation.tally import Estimate
from tests.oracles.montecarlo import ThresholdPlayer, threshold_value

FIVE_ERRORS = 1 - 5.7e-7
PLAIN = ("dice10k", "farkle", "dix-mille", "des-10000")


def quick_first(first: str, *others: str) -> list[Any]:
    """Names of games, all but the first for the slow tests."""
    return [first, *(pytest.param(name, marks=pytest.mark.slow) for name in others)]


def holds(estimate: Estimate, exact: float) -> bool:
    return estimate.lower <= exact <= estimate.upper


@pytest.mark.parametrize("name", PLAIN)
@pytest.mark.parametrize("score", [0, 1000])
def test_points_of_a_threshold_policy(name: str, score: int) -> None:
    # The oracle banks as soon as it may with all scoring dice kept: so does the computer with a flat threshold.
    flat: Policy = parse_policy("computer base=300 step=0 two=0 one=0 hot=1")
    exact = threshold_value(ThresholdPlayer(load_rules(name), 300, score))
    found = simulate_turns(load_rules(name), flat, turns=200_000, seed=11, score=score, confidence=FIVE_ERRORS)
    assert holds(found.points_per_turn, exact)


@pytest.mark.parametrize("name", quick_first("farkle", "des-10000", "dix-mille", "dice10k"))
def test_points_and_busts_of_the_best_turn(name: str) -> None:
    rules = load_rules(name)
    turn = solve_turn(rules, score=1000)
    found = simulate_turns(rules, "optimum points", turns=200_000, seed=12, score=1000, confidence=FIVE_ERRORS)
    assert holds(found.points_per_turn, turn.expected_points)
    assert holds(found.bust_rate, turn.bust_probability)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["farkle-spicy", *PLAIN])
def test_points_of_the_best_turn_in_a_million_turns(name: str) -> None:
    rules = load_rules(name)
    turn = solve_turn(rules, score=1000)
    found = simulate_turns(rules, "optimum points", turns=1_000_000, seed=13, score=1000, confidence=FIVE_ERRORS)
    assert holds(found.points_per_turn, turn.expected_points)
    assert holds(found.bust_rate, turn.bust_probability)


def alone(rules: Ruleset) -> Ruleset:
    return replace(rules, players=(1, 8))


@pytest.mark.parametrize("name", quick_first("des-10000", "farkle", "dix-mille"))
def test_fewest_turns_alone(name: str) -> None:
    rules = alone(with_target(load_rules(name), 2000))
    exact = solve_solo(rules).expected_turns(0).value
    found = simulate(rules, ["optimum turns"], matches=60_000, seed=14, confidence=FIVE_ERRORS)
    assert holds(found.seats[0].turns, exact)


@pytest.mark.slow
@pytest.mark.parametrize("name", PLAIN)
def test_fewest_turns_alone_to_the_whole_target(name: str) -> None:
    rules = alone(load_rules(name))
    exact = solve_solo(rules).expected_turns(0).value
    found = simulate(rules, ["optimum turns"], matches=1_000_000, seed=15, confidence=FIVE_ERRORS)
    assert holds(found.seats[0].turns, exact)


@pytest.mark.parametrize("name", quick_first("des-10000", "farkle", "dix-mille"))
def test_wins_of_two_who_play_best(name: str) -> None:
    rules = with_target(load_rules(name), 1000)
    exact = solve_match(rules).win_probability().value
    found = simulate(rules, ["optimum win"] * 2, matches=100_000, seed=16, confidence=FIVE_ERRORS)
    assert holds(found.seats[0].win_probability, exact)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["farkle", "dix-mille", "des-10000"])
def test_wins_of_two_who_play_best_to_the_whole_target(name: str) -> None:
    rules = load_rules(name)
    exact = solve_match(rules).win_probability().value
    found = simulate(rules, ["optimum win"] * 2, matches=1_000_000, seed=17, confidence=FIVE_ERRORS)
    assert holds(found.seats[0].win_probability, exact)
