"""The best play against several policies: the library against plain recursion over worlds."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dice10k_math import (
    InputError,
    best_response,
    evaluate,
    evaluate_seats,
    load_rules,
    seats_response,
    simulate,
)
from dice10k_math.dice import rolls
from dice10k_math.pace import looks_at_others
from dice10k_math.policy import CallablePolicy, ComputerPolicy, Optimum, Policy, Standing, parse_policy, seat
from dice10k_math.rules import bank_step
from dice10k_math.rules.model import Ruleset, with_target
from dice10k_math.turn import turn_model
from tests.agreement.test_duels import SMALL, SMALL_SHARED, closeness, player
from tests.agreement.test_match import PLAIN, ended
from tests.oracles.crowd import CrowdOracle, full_response
from tests.policies import policies

CUTOFF, CLOSE = 3_000, 1e-12


def crowded(rules: Ruleset) -> Ruleset:
    return replace(rules, players=(2, 8))


FIRST = crowded(with_target(PLAIN, 300))
FINAL = crowded(with_target(SMALL, 200))
HIT = crowded(ended(load_rules("des-10000"), "exact", 300, overshoot="not_allowed"))
ROUNDS = crowded(SMALL_SHARED)
POLICIES = "threshold 100", "threshold 200 2:50 keep=points", "threshold goal keep=few if own>=150 100"
TABLES = (
    (FIRST, POLICIES[:2]),
    (FINAL, POLICIES[:2]),
    (HIT, ("threshold 50", "threshold 150 keep=few if own>=200 50")),
    (ROUNDS, POLICIES[1:]),
)
EACH = pytest.mark.parametrize(
    ("rules", "policies"), TABLES, ids=[f"{rules.name}-{rules.ending.kind}" for rules, _ in TABLES]
)


def right(rules: Ruleset, policies: tuple[str, ...], seat: int, scores: tuple[int, ...]) -> float:
    players = [player(policy, rules) for policy in policies]
    return CrowdOracle(rules, (*players[: seat - 1], None, *players[seat - 1 :]), scores, CUTOFF).win_probability()


@pytest.mark.parametrize(
    ("number", "slow_scores"), [(2, False), *(pytest.param(n, True, marks=pytest.mark.slow) for n in (1, 2, 3))]
)
@EACH
def test_the_best_play_against_two_is_worth_what_plain_recursion_says(
    rules: Ruleset, policies: tuple[str, ...], number: int, slow_scores: bool
) -> None:
    ahead = (100, 50, 0) if bank_step(rules) == 50 else (100, 0, 0)
    for scores in ((0, 0, 0), ahead) if slow_scores else (ahead,):
        found = seats_response(rules, policies, number, scores=scores).win_probability()
        exact = right(rules, policies, number, scores)
        assert found.value == pytest.approx(exact, abs=closeness(rules), rel=0)
        assert found.lower - closeness(rules) <= exact <= found.upper + closeness(rules)
        assert found.upper - found.lower < 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("number", [1, 2, 4])
def test_the_best_play_against_three_is_worth_what_plain_recursion_says(number: int) -> None:
    for rules in (FIRST, ROUNDS):
        found = seats_response(rules, POLICIES, number).win_probability()
        assert found.value == pytest.approx(right(rules, POLICIES, number, (0,) * 4), abs=closeness(rules), rel=0)


def test_who_sees_the_scores_of_two_others_does_no_worse() -> None:
    rules = crowded(with_target(PLAIN, 600))
    others = "threshold 300", "threshold 200 2:50"
    full = full_response(rules, (player(others[0], rules), player(others[1], rules)), CUTOFF)
    gains = []
    for scores in product((0, 150, 400), (0, 300, 550), (0, 300, 550)):
        blind = seats_response(rules, others, 1, scores=scores).win_probability()
        assert blind.lower <= full[scores] + CLOSE
        gains.append(full[scores] - blind.value)
    # To look at the others is worth something, and near the target nothing.
    assert max(gains) > 1e-5
    assert min(gains) == pytest.approx(0, abs=CLOSE)


@EACH
def test_who_sees_the_score_of_one_other_does_no_worse(rules: Ruleset, policies: tuple[str, ...]) -> None:
    best = best_response(rules, policies[0])
    for number, waiting in ((1, False), (2, True)):
        blind = seats_response(rules, policies[:1], number).win_probability()
        seeing = best.win_probability(waiting=waiting)
        assert blind.lower <= seeing.upper
        assert blind.value > seeing.value - 0.05


@EACH
def test_two_policies_are_worth_what_they_are_worth_in_a_match_of_two(
    rules: Ruleset, policies: tuple[str, ...]
) -> None:
    pair = policies[0], policies[1]
    found, match = evaluate_seats(rules, pair), evaluate(rules, pair)
    assert found.seats[0].value == pytest.approx(match.win_probability().value, abs=CLOSE, rel=0)
    assert found.seats[1].value == pytest.approx(1 - match.win_probability().value, abs=CLOSE, rel=0)


def test_extra_rounds_lie_within_the_bounds() -> None:
    rules = with_target(load_rules("dix-mille"), 1000)
    pair = "threshold 300", "threshold 500"
    match, found = evaluate(rules, pair).win_probability(), evaluate_seats(rules, pair).seats[0]
    assert found.lower <= match.lower <= match.upper <= found.upper
    assert found.upper - found.lower < 0.02
    assert abs(found.value - match.value) < 1e-3


THREE = "threshold 300", "threshold 500 keep=points", "threshold 200 if own>=700 500"


@pytest.mark.parametrize(
    "name", ["farkle", *(pytest.param(name, marks=pytest.mark.slow) for name in ("des-10000", "dix-mille"))]
)
def test_the_chances_of_three_add_up_and_the_best_play_wins_more(name: str) -> None:
    rules = with_target(load_rules(name), 1000)
    found = evaluate_seats(rules, THREE)
    assert sum(seat.value for seat in found.seats) == pytest.approx(1, abs=1e-10)
    best = seats_response(rules, THREE[1:], 1).win_probability()
    assert best.value > found.seats[0].value + 0.01


@pytest.mark.slow
@pytest.mark.parametrize("target", [1000, 10_000])
@pytest.mark.parametrize("name", ["farkle", "des-10000", "dix-mille", "farkle-spicy"])
def test_a_million_matches_of_three_agree(name: str, target: int) -> None:
    rules = with_target(load_rules(name), target)
    exact = evaluate_seats(rules, THREE)
    played = simulate(rules, THREE, matches=1_000_000, seed=31, confidence=1 - 5.7e-7)
    for right_, found in zip(exact.seats, played.seats, strict=True):
        assert found.win_probability.lower <= right_.upper
        assert right_.lower <= found.win_probability.upper
        if rules.ending.tie == "shared":
            assert found.win_probability.lower <= right_.value <= found.win_probability.upper


@given(policies, st.data())
def test_a_policy_that_looks_at_no_other_score_plays_alike_against_all(policy: Policy, data: st.DataObject) -> None:
    rules = load_rules(data.draw(st.sampled_from(["des-10000", "farkle", "dix-mille"])))
    if isinstance(policy, Optimum) or looks_at_others(policy, rules) is not None:
        return
    try:
        found = seat(policy, rules)
    except InputError:
        return
    own, closing = data.draw(st.integers(0, 199)) * 50, data.draw(st.booleans())
    alone = Standing(own, closing=closing, opened=own > 0)
    other, last = data.draw(st.integers(0, 300)) * 50, data.draw(st.booleans())
    against = replace(alone, opponent=other, last=last)
    assert found.key(alone) == found.key(against)


@pytest.mark.parametrize(
    ("policy", "said"),
    [
        (ComputerPolicy(), "a computer that is behind"),
        (Optimum("win"), "optimum win"),
        (parse_policy("threshold 300 if opponent_to_go<500 900"), "a condition on opponent_to_go"),
        (CallablePolicy(lambda _key, situation: situation.choices[0], "match", "first"), "sees the match"),
    ],
)
def test_policies_that_look_at_others_are_refused(policy: Policy, said: str) -> None:
    with pytest.raises(InputError, match=f"{said}.* looks at the scores of others"):
        seats_response(load_rules("des-10000"), [policy] * 2)


def test_policies_that_go_on_for_ever_are_refused() -> None:
    # At 200 both wait for 150 points, and may bank no more than 100.
    with pytest.raises(InputError, match="they can go on for ever, as at 200, 200: after 5000 turns each"):
        seats_response(HIT, ["threshold 150"] * 2)


@EACH
def test_advice_is_worth_the_best_play(rules: Ruleset, policies: tuple[str, ...]) -> None:
    best = seats_response(rules, policies, 2)
    full = turn_model(rules).hands[-1]
    for score, turns in ((0, 0), (100, 1)):
        bust = best.induction.situation(turns, score // best.unit, best.value).bust
        mean = 0.0
        for roll, weight in rolls(full.hand):
            choices = best.advise(score, turns, 0, roll)
            mean += weight / full.outcomes * (choices[0].win_probability if choices else bust)
        assert mean == pytest.approx(best.win_probability(score, turns).value, abs=1e-10)


def test_later_turns_can_be_looked_up() -> None:
    found = seats_response(FIRST, POLICIES[:2], 2)
    assert found.to_frame().height == found.value.size
    assert found.win_probability(200, 1).value > found.win_probability(100, 1).value
    for wrong in ({"score": 75}, {"score": 300}, {"turns": -1}, {"turns": 10_000}):
        with pytest.raises(InputError, match=r"allowed|below the target"):
            found.win_probability(**wrong)
