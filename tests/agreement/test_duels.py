"""Policies against each other and against the best play: the library against plain recursion."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from dice10k_math import InputError, best_response, evaluate, exploitability, load_rules, solve_match
from dice10k_math.dice import rolls
from dice10k_math.policy import Player, parse_policy, seat
from dice10k_math.questions.duels import Duel
from dice10k_math.rules import bank_step
from dice10k_math.rules.model import Ruleset, with_target
from tests.agreement.test_match import EARLY, PLAIN, ended
from tests.oracles.duel import DuelOracle
from tests.oracles.match import Start
from tests.oracles.variations import NO_COMBINATIONS, scored, turned

DES_10000, DIX_MILLE, FARKLE = (load_rules(name) for name in ("des-10000", "dix-mille", "farkle"))
CLOSE = 1e-12
# Few points in one turn, so that there are few totals past the target to go through.
SMALL = scored(DES_10000, "small", larger_sets=None, **NO_COMBINATIONS)
SMALL_SHARED = replace(
    turned(scored(DIX_MILLE, "small-shared", larger_sets=None, **NO_COMBINATIONS), "small-shared", opening_minimum=150),
    ending=replace(DIX_MILLE.ending, tie="shared", target=200),
)
QUICK = (
    with_target(PLAIN, 300),
    with_target(SMALL, 200),
    ended(DES_10000, "exact", 300, overshoot="not_allowed"),
    ended(EARLY, "equal_turns", 200),
    SMALL_SHARED,
)
SLOW = (
    with_target(EARLY, 400),
    with_target(DES_10000, 250),
    with_target(PLAIN, 1000),
    ended(SMALL, "equal_turns", 500),
)
PAIRS = (
    ("threshold 150", "threshold 300 2:100 keep=points"),
    ("computer base=150 per=100", "threshold 200 keep=few end=win lead=100 if behind>=100 400"),
    ("threshold 100 1:50 keep=10,40,90,150,250,350/20 end=win", "threshold goal"),
)
AGAINST = ("threshold 150", PAIRS[1][1], "computer base=150 per=100")
# Where turns go on past the target, the recursion meets very many states with a policy that keeps few dice.
LONG = {("small", PAIRS[1][1]), ("opening-200", PAIRS[1][1]), ("small-shared", PAIRS[1][1]), ("small-shared", PAIRS[1])}


def cases(played: tuple[object, ...]) -> list[Any]:
    """Every ruleset with everything that is played in it, what takes long marked slow."""
    found = []
    for rules, each in product((*QUICK, *SLOW), played):
        marks = [pytest.mark.slow] if rules in SLOW or (rules.name, each) in LONG else []
        number = f"pair{played.index(each)}" if isinstance(each, tuple) else each
        name = f"{rules.name}-{rules.ending.kind}-{rules.ending.target}-{number}"
        found.append(pytest.param(rules, each, marks=marks, id=name))
    return found


def player(text: str, rules: Ruleset) -> Player:
    return seat(parse_policy(text), rules)


def starts(rules: Ruleset) -> list[tuple[int, int, bool]]:
    scores = range(0, rules.ending.target, bank_step(rules))
    seconds = (False, True) if rules.ending.kind == "equal_turns" else (False,)
    return list(product(scores, scores, seconds))


def cutoff(rules: Ruleset) -> int:
    """Turn score at which the recursion may stop: further ones are as good as never rolled for."""
    if rules.ending.kind == "final_round":
        # Before the other's last turn more points are better still: at 9,000 some values are off by 1e-10.
        return 18_000
    if rules.turn.hot_dice == "must_roll":
        return 6_000
    return 4_500


def closeness(rules: Ruleset) -> float:
    """Forced rolls lead farther than the recursion goes."""
    return 1e-10 if rules.turn.hot_dice == "must_roll" else CLOSE


def start_of(own: int, other: int, second: bool) -> Start:
    return Start(own, other, own != 0, other != 0, stage="second" if second else "")


@pytest.mark.parametrize(("rules", "pair"), cases(PAIRS))
def test_two_policies_are_worth_what_plain_recursion_says(rules: Ruleset, pair: tuple[str, str]) -> None:
    if rules.ending.kind == "exact" and pair == PAIRS[0]:
        # At 200 both wait for 150 points, and may bank no more than 100.
        with pytest.raises(InputError, match="go on for ever: at 200 against 200 both only bust"):
            evaluate(rules, pair)
        return
    found = evaluate(rules, pair)
    oracle = DuelOracle(rules, (player(pair[0], rules), player(pair[1], rules)), cutoff(rules))
    for (own, other, second), number in product(starts(rules), (0, 1)):
        right = oracle.value(number, start_of(own, other, second))
        here = found.win_probability(own, other, seat=number + 1, second=second)
        assert here.value == pytest.approx(right, abs=closeness(rules), rel=0), (own, other, second, number)
        assert here.lower - closeness(rules) <= right <= here.upper + closeness(rules)
        assert here.upper - here.lower < 1e-9


@pytest.mark.parametrize(("rules", "policy"), cases(AGAINST))
def test_the_best_response_is_worth_what_plain_recursion_says(rules: Ruleset, policy: str) -> None:
    found = best_response(rules, policy)
    oracle = DuelOracle(rules, (None, player(policy, rules)), cutoff(rules))
    for own, other, second in starts(rules):
        right = oracle.value(0, start_of(own, other, second))
        here = found.win_probability(own, other, second=second)
        assert here.value == pytest.approx(right, abs=closeness(rules), rel=0), (own, other, second)
        waiting = found.win_probability(other, own, second=second, waiting=True)
        right = 1 - oracle.value(1, start_of(own, other, second))
        assert waiting.value == pytest.approx(right, abs=closeness(rules), rel=0), (own, other, second)
        assert waiting.upper - waiting.lower < 1e-9


def test_the_optimum_against_itself_is_the_solved_match_and_cannot_be_exploited() -> None:
    rules = with_target(PLAIN, 300)
    match, found = solve_match(rules), evaluate(rules, ("optimum win", "optimum win"))
    best, weak = best_response(rules, "optimum win"), exploitability(rules, "optimum win")
    for own, other, _ in starts(rules):
        right = match.win_probability(own, other).value
        assert found.win_probability(own, other).value == pytest.approx(right, abs=CLOSE, rel=0)
        assert best.win_probability(own, other).value == pytest.approx(right, abs=CLOSE, rel=0)
    assert weak.lower <= 0 <= weak.upper + 1e-15
    assert exploitability(rules, PAIRS[0][0]).lower > 1e-3


@pytest.mark.slow
def test_the_optimum_of_a_whole_match_is_evaluated_in_minutes() -> None:
    rules = load_rules("farkle")
    right = solve_match(rules).win_probability()
    found = evaluate(rules, ("optimum win", "optimum win")).win_probability()
    assert found.lower - CLOSE <= right.value <= found.upper + CLOSE


def test_advice_against_a_policy_is_worth_the_best_response() -> None:
    rules = with_target(DES_10000, 2000)
    best = best_response(rules, "computer")
    assert isinstance(best.duel, Duel)
    turn = best.duel.race.model.hands[-1]
    mean = 0.0
    for roll, weight in rolls(turn.hand):
        choices = best.advise(500, 800, 0, roll)
        bust = 1 - best.duel.of(1, best.duel.place(800, 500))[0]
        mean += weight / turn.outcomes * (choices[0].win_probability if choices else bust)
    assert mean == pytest.approx(best.win_probability(500, 800).value, abs=1e-11)


@pytest.mark.parametrize("rules", [with_target(EARLY, 300), SMALL_SHARED], ids=lambda rules: rules.name)
def test_no_policy_does_better_than_the_best_response(rules: Ruleset) -> None:
    match = solve_match(rules)
    for policy, other in PAIRS:
        best = best_response(rules, policy).win_probability()
        assert evaluate(rules, (other, policy)).win_probability().lower <= best.upper
        assert best.upper >= match.win_probability().lower


def test_a_match_takes_as_long_as_its_course_says() -> None:
    rules = with_target(PLAIN, 300)
    texts = PAIRS[0]
    oracle = DuelOracle(rules, (player(texts[0], rules), player(texts[1], rules)), cutoff(rules))
    course = evaluate(rules, texts).course()
    assert course.seats[0].turns == pytest.approx(turns_by(oracle, 0, 0), abs=1e-9)
    assert course.seats[1].turns == pytest.approx(turns_by(oracle, 0, 1), abs=1e-9)
    assert sum(turn * chance for turn, chance in enumerate(course.length)) == pytest.approx(
        course.expected_turns, abs=1e-9
    )


def turns_by(oracle: DuelOracle, mover: int, counted: int) -> float:
    """Turns of one player on average, iterated over all states of a game that the first to the target wins."""
    own = [Start(a, b, a != 0, b != 0) for a, b, _ in starts(oracle.rules)]
    value = dict.fromkeys(product((0, 1), own), 0.0)
    for _ in range(400):
        for seat_, start in value:
            policy = oracle.players[seat_]
            assert policy is not None
            total = float(seat_ == counted)
            for points, chance in oracle.endings(policy, start).items():
                after = start.own + points
                if after < oracle.rules.ending.target:
                    total += chance * value[1 - seat_, Start(start.other, after, start.other != 0, after != 0)]
            value[seat_, start] = total
    return value[mover, Start(0, 0)]
