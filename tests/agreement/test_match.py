"""Two players: the library's races against plain loops over explicit states, and published values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from dice10k_math.certify.race import judge_race
from dice10k_math.race import Race, is_race
from dice10k_math.rules import bank_step, load_rules
from dice10k_math.rules.model import (
    BustRules,
    BustsInARow,
    Ending,
    FiveStraights,
    MultipliedSets,
    Ruleset,
    SixDicePenalty,
    Variants,
    with_target,
)
from dice10k_math.solve.race import RaceValues, propose_bounds, solve_race
from tests.oracles.match import MatchOracle, NeverEndsError, Start, chance_to_bank, every_start, extra_rounds
from tests.oracles.variations import NO_COMBINATIONS, scored, turned
from tests.strategies import rulesets

DICE10K, FARKLE, DIX_MILLE, DES_10000 = (load_rules(name) for name in ("dice10k", "farkle", "dix-mille", "des-10000"))
CLOSE = 1e-12
# Turn scores to which the plain loops go: what lies beyond moves no value by 1e-13.
NEAR, FAR = 10_000, 20_000


def ended(base: Ruleset, kind: Any, target: int, **how: Any) -> Ruleset:
    """The game with another ending."""
    return replace(base, ending=Ending(kind, target, **how))


def far(rules: Ruleset) -> int:
    """Where the plain loops are cut off."""
    turn, kind = rules.turn, rules.ending.kind
    always_bank = turn.hot_dice == "may_bank" and turn.bank_multiple is None
    if turn.hot_dice_bonus and turn.hot_dice == "must_roll":
        return 32 * FAR  # forced rolls with a doubling bonus lead very far
    if kind == "exact" or (kind == "first_to_target" and always_bank):
        return 2 * rules.ending.target
    if rules.scoring == FARKLE.scoring and turn.bank_multiple is None:
        return NEAR
    # Forced rolls, a multiple and six 1s at 10,000 points lead further than the rules of farkle do.
    return FAR if (turn.bank_multiple or 0) <= 100 else 2 * FAR


@cache
def solved(rules: Ruleset) -> tuple[Race, RaceValues]:
    race = Race(rules)
    return race, solve_race(race)


@cache
def plain_loops(rules: Ruleset) -> MatchOracle:
    unit = solved(rules)[0].unit
    return MatchOracle(rules, far(rules), also=tuple(every_start(rules, unit)))


def both_values(rules: Ruleset) -> Iterator[tuple[Start, float, float]]:
    """Every turn start, its value by the library and by the plain loops."""
    race, values = solved(rules)
    oracle = plain_loops(rules)
    for start in every_start(rules, race.unit):
        phase = int(start.stage == "second")
        own, other = start.own // race.unit, start.other // race.unit
        yield start, float(values.move[phase, own + other, other]), oracle.value(start)


def closeness(rules: Ruleset) -> float:
    """A doubling bonus on forced rolls has so long a tail that what the plain loops cut off is more than rounding."""
    return 1e-11 if rules.turn.hot_dice_bonus and rules.turn.hot_dice == "must_roll" else CLOSE


def assert_same(rules: Ruleset) -> None:
    for start, library, plain in both_values(rules):
        assert library == pytest.approx(plain, abs=closeness(rules), rel=0), start


def assert_accepted(rules: Ruleset) -> None:
    race, values = solved(rules)
    verdict = judge_race(race, propose_bounds(race, values))
    assert verdict.accepted, str(verdict.faults[0])


PLAIN_SCORING = replace(DES_10000.scoring, larger_sets=MultipliedSets((2, 4, 8)), four_and_pair=1000)
PLAIN = replace(ended(DES_10000, "first_to_target", 500), name="plain", scoring=PLAIN_SCORING)
NO_PENALTY = replace(turned(DICE10K, "no-penalty-no-bonus", hot_dice_bonus=0), bust=BustRules())
FIVE_DICE = turned(
    scored(DES_10000, "five", five_straights=FiveStraights(500, 750), **NO_COMBINATIONS), "five-dice", dice=5
)
EARLY = turned(FARKLE, "opening-200", opening_minimum=200)
# Next to the target a bank needs more than what is missing.
MINIMUM = turned(DES_10000, "minimum-of-300", bank_minimum=300)

QUICK = (
    PLAIN,
    with_target(turned(PLAIN, "plain-minimum-of-300", bank_minimum=300), 400),
    ended(MINIMUM, "final_round", 350),
    ended(MINIMUM, "equal_turns", 300),
    ended(turned(EARLY, "opening-400", opening_minimum=400), "first_to_target", 400),
    with_target(EARLY, 250),
    ended(EARLY, "equal_turns", 200),
    ended(EARLY, "exact", 300, overshoot="not_allowed"),
    ended(DES_10000, "exact", 250, overshoot="not_allowed"),
    ended(FIVE_DICE, "equal_turns", 150),
    ended(turned(FIVE_DICE, "five-dice-must-roll", hot_dice="must_roll"), "exact", 400, overshoot="not_allowed"),
    with_target(DES_10000, 200),
    ended(
        turned(DES_10000, "opening-at-zero", opening_applies="at_score_zero", opening_minimum=200, bank_minimum=100),
        "final_round",
        250,
    ),
    ended(turned(DIX_MILLE, "opening-200", opening_minimum=200), "final_round", 200),
)
SLOW = (
    with_target(PLAIN, 1000),
    with_target(FARKLE, 500),
    with_target(FARKLE, 1000),
    with_target(DES_10000, 1000),
    with_target(DIX_MILLE, 500),
    ended(DIX_MILLE, "equal_turns", 1000),
    ended(DIX_MILLE, "final_round", 600),
    ended(FARKLE, "equal_turns", 700),
    ended(FARKLE, "exact", 1000, overshoot="not_allowed"),
    ended(DES_10000, "exact", 1000, overshoot="not_allowed"),
    ended(scored(DES_10000, "all-singles", singles=(100, 10, 20, 30, 50, 60)), "first_to_target", 300),
)
# Points in steps of 100, and those that a roll of the dice can miss.
MULTIPLES = (
    ended(NO_PENALTY, "first_to_target", 800),
    ended(NO_PENALTY, "final_round", 600),
    with_target(turned(FARKLE, "multiple-of-100", bank_multiple=100, bank_minimum=300), 700),
    ended(turned(DES_10000, "multiple-of-300", bank_multiple=300), "final_round", 700),
)
BONUS = (
    ended(turned(DES_10000, "bonus-of-100", hot_dice_bonus=100), "first_to_target", 500),
    ended(turned(DES_10000, "bonus-of-100", hot_dice_bonus=100), "final_round", 300),
    ended(replace(DICE10K, bust=BustRules()), "first_to_target", 600),
)


def first_quick(all_rules: tuple[Ruleset, ...], quick: int = 1) -> list[Any]:
    """Test inputs of which all but the first are marked slow."""
    return [*all_rules[:quick], *(pytest.param(rules, marks=pytest.mark.slow) for rules in all_rules[quick:])]


def _name(rules: Ruleset) -> str:
    return f"{rules.name}-{rules.ending.kind}-{rules.ending.target}"


@pytest.mark.parametrize(
    ("target", "published"),
    [
        (500, 0.699352),
        (1000, 0.607658),
        pytest.param(2000, 0.575494, marks=pytest.mark.slow),
    ],
)
def test_published_values_of_the_plain_game(target: int, published: float) -> None:
    rules = with_target(PLAIN, target)
    assert round(MatchOracle(rules, 2 * target).value(Start(0, 0)), 6) == published
    assert round(float(solved(rules)[1].move[0, 0, 0]), 6) == published


def test_published_value_of_an_extra_round() -> None:
    _, values = solved(with_target(DIX_MILLE, 500))
    assert round(values.from_tie, 6) == 0.400999


@pytest.mark.slow
def test_an_extra_round_by_plain_loops() -> None:
    rules = with_target(DIX_MILLE, 500)
    assert solved(rules)[1].from_tie == pytest.approx(extra_rounds(rules, 2 * FAR), abs=CLOSE, rel=0)


@pytest.mark.slow
@pytest.mark.parametrize("rules", [with_target(FARKLE, 500), with_target(DES_10000, 500)], ids=lambda rules: rules.name)
def test_every_last_turn(rules: Ruleset) -> None:
    race, values = solved(rules)
    target = rules.ending.target
    behind = {points: Start(0, points, True, True, stage="last") for points in range(0, 10_001, 50)}
    unopened = {points: Start(0, points, stage="last") for points in range(target, 10_001, 50)}
    oracle = MatchOracle(rules, 2 * FAR, also=(*behind.values(), *unopened.values()))
    for points, start in behind.items():
        assert values.last_turn[points // race.unit] == pytest.approx(oracle.value(start), abs=CLOSE, rel=0), points
    # Who has not opened yet is so far behind that a bank that helps is great enough.
    for points, start in unopened.items():
        assert oracle.value(start) == oracle.value(behind[points])


@pytest.mark.parametrize(
    ("rules", "cost"),
    [
        # Published as 8.6e-4 where a player may bank after any keep.
        (turned(FARKLE, "bank-after-any-keep", bank_takes="keep"), 8.6137e-4),
        pytest.param(FARKLE, 7.2405e-5, marks=pytest.mark.slow),
    ],
    ids=["after any keep", "all scoring dice"],
)
def test_more_points_are_not_always_better(rules: Ruleset, cost: float) -> None:
    # With 700 against 800 of 1,000 points: of two keeps that leave the same dice the smaller one can be better.
    rules, start = with_target(rules, 1000), Start(700, 800, True, True)
    race, values = solved(rules)
    library = float(values.move[0, 1500 // race.unit, 800 // race.unit])
    assert library == pytest.approx(MatchOracle(rules, NEAR).value(start), abs=CLOSE, rel=0)
    assert library - MatchOracle(rules, NEAR, pruned=True).value(start) == pytest.approx(cost, abs=1e-8)


@pytest.mark.slow
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(rules=rulesets(), least=st.just(0) | st.integers(0, 16), short=st.integers(0, 1))
def test_every_state_of_random_races(rules: Ruleset, least: int, short: int) -> None:
    """Bank minimums up to the target among them, and targets that lie between two scores."""
    unit = bank_step(rules)
    target = 8 * unit - (unit // 2 if short and rules.ending.kind != "exact" else 0)
    rules = replace(
        rules,
        turn=replace(rules.turn, opening_minimum=3 * unit, bank_minimum=min(least * unit // 2, target)),
        bust=BustRules(),
        variants=Variants(),
        ending=replace(rules.ending, target=target),
    )
    assume(is_race(rules) and unit <= 300)
    assume(chance_to_bank(rules) > 0.02)
    try:
        oracle = plain_loops(rules)
        oracle.values  # noqa: B018 - solved when asked for
    except NeverEndsError:
        assume(False)
    assert_same(rules)


@pytest.mark.parametrize("rules", first_quick(QUICK, 7), ids=_name)
def test_every_state_of_a_race(rules: Ruleset) -> None:
    assert_same(rules)


@pytest.mark.slow
@pytest.mark.parametrize("rules", SLOW, ids=_name)
def test_every_state_of_a_longer_race(rules: Ruleset) -> None:
    assert_same(rules)


@pytest.mark.parametrize("rules", first_quick(MULTIPLES), ids=_name)
def test_every_state_of_a_race_with_a_bank_multiple(rules: Ruleset) -> None:
    assert_same(rules)


@pytest.mark.parametrize("rules", first_quick(MULTIPLES), ids=_name)
def test_a_race_with_a_bank_multiple_is_certified(rules: Ruleset) -> None:
    assert_accepted(rules)


@pytest.mark.parametrize("rules", first_quick(BONUS), ids=_name)
def test_every_state_of_a_race_with_a_hot_dice_bonus(rules: Ruleset) -> None:
    assert_same(rules)


@pytest.mark.parametrize("rules", first_quick(BONUS), ids=_name)
def test_a_race_with_a_hot_dice_bonus_is_certified(rules: Ruleset) -> None:
    assert_accepted(rules)


def test_a_player_who_can_never_bank_loses() -> None:
    # At 400 of exactly 500 points with a minimum of 300 no bank is left: the other wins sooner or later.
    rules = ended(turned(DES_10000, "minimum-of-300", bank_minimum=300), "exact", 500, overshoot="not_allowed")
    race, values = solved(rules)
    stuck, unit = 400 // race.unit, race.unit
    for other in range(0, 201, unit):
        column = other // unit
        assert values.move[0, stuck + column, column] == pytest.approx(0.0, abs=CLOSE), other
        assert values.move[0, stuck + column, stuck] == pytest.approx(1.0, abs=CLOSE), other


def test_a_match_that_never_ends_is_a_win_for_nobody() -> None:
    rules = ended(turned(DES_10000, "minimum-of-300", bank_minimum=300), "exact", 500, overshoot="not_allowed")
    race, values = solved(rules)
    bounds = propose_bounds(race, values)
    stuck = 400 // race.unit
    assert judge_race(race, bounds).accepted
    assert bounds.move[0, 2 * stuck, stuck] <= 0.0
    assert bounds.wait[0, 2 * stuck, stuck] <= 0.0


SMALL_PENALTIES = ended(
    replace(
        turned(DICE10K, "small-penalties", hot_dice_bonus=0, opening_minimum=300, bank_minimum=200),
        bust=BustRules(on_six=(SixDicePenalty(100, below=300), SixDicePenalty(200))),
    ),
    "exact",
    600,
    overshoot="add_or_subtract",
)
THREE_BUSTS = replace(
    turned(with_target(PLAIN, 400), "three-busts", bank_minimum=200), bust=BustRules(in_a_row=BustsInARow(3, 200))
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rules", "narrow", "wide"),
    [
        (SMALL_PENALTIES, (-1000, 2200), (-1600, 3000)),
        (THREE_BUSTS, (-600, 1000), (-1000, 1000)),
    ],
    ids=["exact", "three busts"],
)
def test_a_wider_span_of_scores_moves_no_value(rules: Ruleset, narrow: tuple[int, int], wide: tuple[int, int]) -> None:
    # Nothing of the library yet: the plain loops themselves settle where scores can fall.
    first, second = (MatchOracle(rules, 5 * rules.ending.target, span=span) for span in (narrow, wide))
    for start in (Start(0, 0), Start(300, 200, True, True), Start(300, 300, True, True)):
        assert first.value(start) == pytest.approx(second.value(start), abs=1e-9)
