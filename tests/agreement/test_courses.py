"""How matches of two policies go: the library against plain loops turn after turn, and against random dice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from dice10k_math import evaluate, load_rules, simulate
from dice10k_math.questions.evaluation import Evaluation, MatchCourse
from dice10k_math.rules import penalties
from dice10k_math.rules.model import BustRules, BustsInARow, Ending, Ruleset, SixDicePenalty, with_target
from tests.agreement.test_stakes_duels import PAIRS, QUICK, cutoff, fitting, named, player
from tests.oracles.courses import PlainCourse, falling_course, stakes_course
from tests.oracles.stakes_duel import StakesDuelOracle

Pair = tuple[str, str]
DES_10000 = load_rules("des-10000")
HUNDREDS = replace(
    DES_10000,
    scoring=replace(DES_10000.scoring, larger_sets=None, straight=None, three_pairs=None),
    turn=replace(DES_10000.turn, bank_multiple=100),
)
IN_A_ROW = replace(
    HUNDREDS, bust=BustRules(in_a_row=BustsInARow(2, 100)), ending=Ending("first_to_target", 400), name="two-in-a-row"
)
OPENING = replace(
    HUNDREDS,
    name="opening",
    turn=replace(HUNDREDS.turn, opening_minimum=300, opening_applies="until_first_bank"),
    bust=BustRules(on_six=(SixDicePenalty(100, below=200), SixDicePenalty(200))),
    ending=Ending("final_round", 500),
)
ROUNDS = replace(IN_A_ROW, name="rounds", ending=Ending("equal_turns", 400, tie="shared"))
EXACT = replace(
    HUNDREDS,
    name="exact",
    bust=BustRules(on_six=(SixDicePenalty(200),)),
    ending=Ending("exact", 400, overshoot="add_or_subtract"),
)
FALLING = (IN_A_ROW, *(pytest.param(rules, marks=pytest.mark.slow) for rules in (OPENING, ROUNDS, EXACT)))
FALLING_PAIR = ("threshold 300 2:200 end=win if behind>=300 400", "threshold 200 2:300 end=win if own<200,ahead>=0 300")


def padded(length: Sequence[float], turns: int) -> np.ndarray:
    return np.pad(np.array(length), (0, turns - len(length)))


def assert_goes_like(found: MatchCourse, right: PlainCourse, close: float) -> None:
    turns = max(len(found.length), len(right.length))
    assert np.max(np.abs(padded(found.length, turns) - padded(right.length, turns))) < close
    assert found.won == pytest.approx(right.won, abs=10 * close, rel=0)
    for number, here in enumerate(found.seats):
        assert here.turns == pytest.approx(right.turns[number], abs=100 * close, rel=0)
        assert here.bust_rate * here.turns == pytest.approx(right.busts[number], abs=100 * close, rel=0)
        for points in {*here.points, *right.points[number]}:
            banked = here.points.get(points, 0.0) * here.turns
            assert banked == pytest.approx(right.points[number].get(points, 0.0), abs=100 * close, rel=0)
    assert found.left < 10 * close
    assert sum(found.length) + found.left == pytest.approx(1.0, abs=1e-12, rel=0)


def assert_won(found: Evaluation, course: MatchCourse, number: int = 1) -> None:
    """The matches followed are won as often as the bounds say."""
    value = found.win_probability(seat=number)
    assert value.lower - course.left <= course.won[number - 1] <= value.upper + 1e-12
    assert sum(course.won) + course.left == pytest.approx(1.0, abs=1e-12, rel=0)


@pytest.mark.parametrize("rules", FALLING, ids=lambda rules: rules.name)
def test_a_match_in_which_scores_fall_goes_as_plain_loops_say(rules: Ruleset) -> None:
    found = evaluate(rules, FALLING_PAIR)
    right = falling_course((player(FALLING_PAIR[0], rules), player(FALLING_PAIR[1], rules)))
    assert_goes_like(found.course(), right, 1e-11)
    assert_won(found, found.course())
    assert_won(found, found.course(seat=2), 2)


@pytest.mark.parametrize(
    "rules", [pytest.param(each, marks=pytest.mark.slow if each is QUICK[1] else ()) for each in QUICK], ids=named
)
def test_a_match_with_offers_goes_as_plain_loops_say(rules: Ruleset) -> None:
    pair = fitting(PAIRS[1][0], rules), fitting(PAIRS[1][1], rules)
    found = evaluate(rules, pair)
    oracle = StakesDuelOracle(rules, (player(pair[0], rules), player(pair[1], rules)), cutoff(rules))
    assert_goes_like(found.course(), stakes_course(oracle), 1e-12)
    assert_won(found, found.course())
    assert_won(found, found.course(seat=2), 2)


def test_without_taking_over_a_match_goes_as_without_offers() -> None:
    pair = ("threshold 300", "threshold 500 2:300")
    plain, offered = (
        evaluate(with_target(load_rules(name), 500), pair).course() for name in ("farkle", "farkle-high-stakes")
    )
    turns = max(len(plain.length), len(offered.length))
    assert np.max(np.abs(padded(plain.length, turns) - padded(offered.length, turns))) < 1e-12
    assert plain.won == pytest.approx(offered.won, abs=1e-12, rel=0)
    for one, other in zip(plain.seats, offered.seats, strict=True):
        assert one.turns == pytest.approx(other.turns, abs=1e-12, rel=0)
        assert one.bust_rate == pytest.approx(other.bust_rate, abs=1e-12, rel=0)
        for points in {*one.points, *other.points}:
            assert one.points.get(points, 0.0) == pytest.approx(other.points.get(points, 0.0), abs=1e-12, rel=0)


@pytest.mark.parametrize(
    "name", ["des-10000", *(pytest.param(name, marks=pytest.mark.slow) for name in ("dix-mille", "farkle-spicy"))]
)
def test_a_match_in_which_scores_rise_is_won_as_often_as_the_bounds_say(name: str) -> None:
    rules = with_target(load_rules(name), 1000)
    found = evaluate(rules, ("threshold 300", "threshold 500 end=win"))
    for number in (1, 2):
        course = found.course(seat=number)
        assert course.left < 1e-10
        assert_won(found, course, number)


@pytest.mark.slow
def test_a_match_of_dice10k_goes_on_as_long_as_its_bounds_allow() -> None:
    rules = with_target(load_rules("dice10k"), 1000)
    found = evaluate(rules, ("threshold 300 end=win", "threshold 500 2:300 end=win"))
    course = found.course(500, 300)
    value = found.win_probability(500, 300)
    assert value.lower - 1e-9 <= course.won[0] <= value.upper
    assert course.left < 1e-5


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "target", "pair"),
    [
        ("dice10k", 10_000, ("threshold 300 end=win", "threshold 500 2:300 end=win")),
        ("farkle-high-stakes", 2_000, ("threshold 300 take=6:0,5:0,4:300", "threshold 500 end=win take=6:0,3:400")),
        ("dix-mille", 2_000, ("threshold 300", "threshold 500 end=win")),
    ],
)
def test_random_matches_go_as_their_course_says(name: str, target: int, pair: Pair) -> None:
    rules = with_target(load_rules(name), target)
    found = evaluate(rules, pair)
    course = found.course()
    assert course.left < 1e-6
    assert_won(found, course)
    played = simulate(rules, pair, matches=1_000_000, seed=5, confidence=0.9999)
    for here, shown in zip(course.seats, played.seats, strict=True):
        pairs = [(here.turns, shown.turns), (here.bust_rate, shown.bust_rate)]
        # What is shown has the penalties taken off.
        pairs += [] if penalties(rules) else [(here.points_per_turn, shown.points_per_turn)]
        for value, estimate in pairs:
            assert estimate.lower - 1e-4 <= value <= estimate.upper + 1e-4


def test_the_players_of_a_course_are_those_of_the_match() -> None:
    """A pair of policies the other way round goes the other way round."""
    pair = FALLING_PAIR
    one, two = evaluate(IN_A_ROW, pair).course(), evaluate(IN_A_ROW, pair[::-1]).course(seat=2)
    assert one.won == pytest.approx(two.won[::-1], abs=1e-12, rel=0)
    assert one.seats[0].turns == pytest.approx(two.seats[1].turns, abs=1e-12, rel=0)
