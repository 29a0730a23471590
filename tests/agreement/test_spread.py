"""Policies against each other where scores can fall: proved bounds against matches played with random dice."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dice10k_math import InputError, evaluate, load_rules, simulate
from dice10k_math.certify.spread import faults_of
from dice10k_math.policy import CallablePolicy, parse_policy, seat
from dice10k_math.rules.model import BustRules, Ending, Ruleset, SixDicePenalty
from dice10k_math.solve.spread import propose_guarantees
from dice10k_math.spread import turns_of

DICE10K = load_rules("dice10k")
PENALTY = BustRules(on_six=(SixDicePenalty(200),))
HIT = replace(load_rules("des-10000"), name="hit", bust=PENALTY, ending=Ending("exact", 600, overshoot="not_allowed"))
REACH = replace(load_rules("des-10000"), name="reach", bust=PENALTY, ending=Ending("first_to_target", 1000))
PAIR = ("threshold 300 2:250 end=win", "threshold 100 keep=points end=win")


@pytest.mark.parametrize("rules", [HIT, REACH], ids=lambda rules: rules.name)
def test_bounds_hold_what_random_dice_show(rules: Ruleset) -> None:
    assert_within_interval(rules, PAIR, 200_000)


@pytest.mark.slow
def test_bounds_of_dice10k_hold_what_random_dice_show() -> None:
    assert_within_interval(DICE10K, ("threshold 300 end=win", "threshold 500 end=win"), 1_000_000)


def assert_within_interval(rules: Ruleset, pair: tuple[str, str], matches: int) -> None:
    found = evaluate(rules, pair).win_probability()
    assert found.upper - found.lower < 1e-3
    shown = simulate(rules, pair, matches=matches, seed=11, confidence=0.9999).seats[0].win_probability
    assert shown.lower - (found.upper - found.lower) <= found.value <= shown.upper + (found.upper - found.lower)


def test_a_guarantee_that_is_raised_is_refused() -> None:
    first, second = (turns_of(seat(parse_policy(text), REACH))[0] for text in PAIR)
    move, wait = propose_guarantees(first, second)
    assert faults_of(first, second, move, wait) == 0
    raised = move.copy()
    raised[40, 40] += 1e-9
    assert faults_of(first, second, raised, wait) == 1
    assert faults_of(first, second, np.ones_like(move), wait) > 1000


def test_a_policy_that_can_go_on_for_ever_alone_is_reported() -> None:
    climbing = CallablePolicy(lambda _, situation: situation.choices[0], sees="turn", name="always adds")
    rules = replace(HIT, ending=Ending("exact", 600, overshoot="add_or_subtract"), bust=BustRules())
    with pytest.raises(InputError, match="policy always adds: it can go on for ever, as at"):
        evaluate(rules, (climbing,))
