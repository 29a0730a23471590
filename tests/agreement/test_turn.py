"""The best turn of the library against plain recursion with a far cut-off."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from fractions import Fraction
from functools import cache

import pytest
from hypothesis import HealthCheck, assume, given, settings

import dice10k_math as d10
from dice10k_math.errors import NotConvergedError
from dice10k_math.questions.turn import TurnSolution
from dice10k_math.rules import load_rules
from dice10k_math.rules.model import BustRules, BustsInARow, Ruleset
from tests.oracles.grid import turn_grid
from tests.oracles.keeps import brute_all_scoring, brute_keeps
from tests.oracles.odds import brute_score_counts
from tests.oracles.turn import (
    RollClass,
    TurnOracle,
    bank_from,
    bust_probability,
    full_hand,
    long_run,
    turn_oracle,
    turn_value,
)
from tests.oracles.variations import SPICY_VARIATIONS, TURN_VARIATIONS
from tests.strategies import rulesets

PLAIN = [load_rules(name) for name in ("dice10k", "farkle", "dix-mille", "des-10000")]
FAR = 24_000
# With a bonus that doubles, what lies beyond the cut-off counts for more.
FAR_WITH_BONUS = 64_000_000
CLOSE = 1e-6


def _name(rules: Ruleset) -> str:
    return rules.name


def far(rules: Ruleset) -> int:
    return FAR_WITH_BONUS if rules.turn.hot_dice_bonus else FAR


@cache
def solved(rules: Ruleset, score: int, opened: bool | None = None) -> tuple[TurnSolution, TurnOracle]:
    """The library's solution and the oracle with its memo filled."""
    oracle = turn_oracle(rules, score, far(rules), opened=opened)
    oracle.roll_value(full_hand(rules), 0)
    return d10.solve_turn(rules, score=score, opened=opened), oracle


def assert_same_value(turn: TurnSolution, value: float) -> None:
    assert turn.expected_points == pytest.approx(value, abs=CLOSE)
    assert value <= turn.upper + 1e-9
    assert turn.lower <= turn.expected_points <= turn.upper
    if turn.exact is not None:
        assert turn.lower <= turn.exact <= turn.upper
        assert float(turn.exact) == pytest.approx(value, abs=CLOSE)


@pytest.mark.parametrize("score", [-1500, 0, 100, 4900, 5000, 10_000])
@pytest.mark.slow
def test_every_kind_of_score_of_dice10k(score: int) -> None:
    turn, oracle = solved(load_rules("dice10k"), score)
    assert_same_value(turn, oracle.roll_value((0,) * 6, 0))


@pytest.mark.parametrize(
    ("rules", "score"),
    [
        # The plain recursion of dice10k takes long: here is the one that other tests share, in the slow test above are more.
        (rules, score)
        for rules in PLAIN
        for score in (0, 500)
        if (rules.name, score) != ("dice10k", 0)
    ],
    ids=lambda part: getattr(part, "name", str(part)),
)
def test_built_in_games(rules: Ruleset, score: int) -> None:
    turn, oracle = solved(rules, score)
    assert_same_value(turn, oracle.roll_value((0,) * 6, 0))
    assert turn.bust_probability == pytest.approx(bust_probability(oracle), abs=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize("opened", [False, True])
@pytest.mark.parametrize("name", ["farkle", "dix-mille", "dice10k"])
def test_opened_or_not_at_a_given_score(name: str, opened: bool) -> None:
    rules = load_rules(name)
    turn, oracle = solved(rules, 0, opened)
    assert_same_value(turn, oracle.roll_value((0,) * 6, 0))


def assert_house_rules(rules: Ruleset, score: int) -> None:
    turn, oracle = solved(rules, score)
    assert_same_value(turn, oracle.roll_value(full_hand(rules), 0))


QUICK_VARIATIONS = ("opening-at-zero", "all-scoring-multiple", "multiple-of-300")


@pytest.mark.parametrize("rules", [rules for rules in TURN_VARIATIONS if rules.name in QUICK_VARIATIONS], ids=_name)
def test_house_rules_of_the_turn(rules: Ruleset) -> None:
    assert_house_rules(rules, 0)


@pytest.mark.slow
@pytest.mark.parametrize("rules", TURN_VARIATIONS, ids=_name)
def test_house_rules(rules: Ruleset) -> None:
    assert_house_rules(rules, 0)
    assert_house_rules(rules, 600)


@pytest.mark.parametrize("rules", PLAIN, ids=_name)
def test_value_of_rolling_in_states_inside_the_turn(rules: Ruleset) -> None:
    turn, oracle = solved(rules, 500)
    inside = sorted(state for state in oracle.memo if state[1] <= 6000)
    assert len(inside) > 200
    for hand, turn_score, hot in inside[::3]:
        value = oracle.roll_value(hand, turn_score, hot)
        # Every hot dice behind doubles the bonus ahead, and with it what the cut-off leaves out.
        assert turn.roll_value(len(hand), turn_score, hot) == pytest.approx(value, abs=CLOSE * 8**hot)


@pytest.mark.parametrize("rules", PLAIN, ids=_name)
def test_states_listed_are_those_that_play_can_reach(rules: Ruleset) -> None:
    turn, oracle = solved(rules, 500)
    listed = {(state.hand, state.turn_score, state.hot_dice) for state in turn.states(most=2000)}
    assert listed == {state for state in oracle.memo if 0 < state[1] <= 2000}


@pytest.mark.parametrize("name", ["farkle", "des-10000"])
def test_least_turn_score_to_bank(name: str) -> None:
    rules = replace(load_rules(name), turn=replace(load_rules(name).turn, bank_takes="keep"))
    turn, oracle = solved(rules, 500)
    for dice in range(1, 7):
        assert turn.bank_from(dice) == bank_from(oracle, dice), dice


@pytest.mark.parametrize("rules", PLAIN, ids=_name)
@pytest.mark.parametrize(
    ("turn_score", "roll"),
    [(0, (1, 1, 5, 3, 2, 6)), (350, (1, 5, 3)), (0, (2, 2, 2, 2, 5, 5)), (0, (1, 1, 1, 5, 5, 1)), (400, (1, 5))],
)
def test_ranked_choices(rules: Ruleset, turn_score: int, roll: tuple[int, ...]) -> None:
    turn, oracle = solved(rules, 500)
    keeps = brute_keeps(rules, roll)
    every = brute_all_scoring(keeps)
    kind = RollClass(frozenset((k.points, k.left) for k in keeps), (every.points, every.left))
    expected: dict[tuple[str, int, int], float] = {
        (action, points, len(left)): value for value, (action, points, left) in oracle.choices(kind, turn_score, 0)
    }
    found = defaultdict(set)
    choices = turn.advise(turn_score=turn_score, roll=roll)
    for choice in choices:
        found[choice.then, choice.points, choice.dice_left].add(choice.worth)
    assert set(found) == set(expected)
    for key, worths in found.items():
        assert min(worths) == pytest.approx(expected[key], abs=CLOSE)
        assert max(worths) == pytest.approx(expected[key], abs=CLOSE)
    assert [choice.worth for choice in choices] == sorted((c.worth for c in choices), reverse=True)
    assert choices[0].loss == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", ["farkle", "des-10000"])
def test_exact_value_is_that_of_exact_recursion(name: str) -> None:
    # Where every turn score may be banked after every keep, no turn passes the cut-off by more than one roll, and
    # beyond 20,000 the best choice is to bank: so the recursion in fractions is no approximation.
    rules = load_rules(name)
    turn = d10.solve_turn(rules, score=500)
    value = turn_value(rules, 500, 20_000, exact=True)
    assert isinstance(turn.exact, Fraction)
    assert turn.exact == value


@pytest.mark.parametrize("rules", SPICY_VARIATIONS[:3], ids=_name)
def test_spicy_dice_of_few_kinds(rules: Ruleset) -> None:
    for score in (0, 500):
        turn = d10.solve_turn(rules, score=score, exact=False)
        assert_same_value(turn, turn_grid(rules, score, 150_000)[0])


@pytest.mark.slow
@pytest.mark.parametrize("rules", [load_rules("farkle-spicy"), *SPICY_VARIATIONS[3:]], ids=_name)
def test_spicy_dice_of_six_kinds(rules: Ruleset) -> None:
    turn = d10.solve_turn(rules, score=500, exact=False)
    assert_same_value(turn, turn_grid(rules, 500, 80_000)[0])


@pytest.mark.parametrize("busts", [0, 1, 2])
def test_last_bust_in_a_row(busts: int) -> None:
    penalty = BustRules(in_a_row=BustsInARow(3, 500))
    rules = replace(load_rules("des-10000"), bust=penalty)
    turn = d10.solve_turn(rules, score=500, busts=busts)
    assert_same_value(turn, turn_value(rules, 500, FAR, bust_worth=-500 if busts == 2 else 0))


@pytest.mark.slow
def test_long_run_by_bisection() -> None:
    penalty = BustRules(in_a_row=BustsInARow(2, 1000))
    rules = replace(load_rules("des-10000"), bust=penalty)
    average, worth = long_run(rules, 12_000, 1e-7)
    run = d10.long_run(rules)
    assert run.points_per_turn == pytest.approx(average, abs=1e-5)
    assert list(run.advantages) == pytest.approx(worth, abs=1e-5)


@pytest.mark.slow
@given(rules=rulesets())
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_random_rules(rules: Ruleset) -> None:
    # What "every scoring die" takes is not ruled where the player picks the reading.
    assume(rules.turn.bank_takes == "keep" or rules.scoring.readings == "highest")
    kinds = rules.variants.spicy_faces
    if kinds is not None and len(set(kinds)) > 2:
        rules = replace(rules, variants=replace(rules.variants, spicy_faces=(kinds[0],) * len(kinds)))
    most = max(brute_score_counts(rules, full_hand(rules)))
    try:
        turn = d10.solve_turn(rules, score=0, exact=False)
    except NotConvergedError:
        # Where hot dice pay more than they risk, the worth of a turn has no end: it grows with the cut-off.
        assert turn_value(rules, 0, 12 * most) > turn_value(rules, 0, 6 * most)
        return
    assert turn.lower <= turn.expected_points <= turn.upper
    assert turn_value(rules, 0, 6 * most) <= turn.upper + 1e-6
    if not rules.turn.hot_dice_bonus and rules.turn.hot_dice == "may_bank":
        assert turn.expected_points == pytest.approx(turn_value(rules, 0, 30 * most), rel=2e-2)
