"""One player alone: the library against plain value iteration, for small targets and all kinds of ending."""

from __future__ import annotations

from dataclasses import replace

import pytest

import dice10k_math as d10
from dice10k_math.rules.model import BustRules, BustsInARow, Ending, Ruleset, SixDicePenalty, Variants
from tests.oracles.games import DES_10000, DICE10K, DIX_MILLE, FARKLE
from tests.oracles.solo import SoloOracle
from tests.oracles.variations import NO_COMBINATIONS, scored, turned

TARGET = 600
FEW_DICE = turned(scored(DES_10000, "few-dice", larger_sets=None, **NO_COMBINATIONS), "few-dice", dice=3)
RACES = [
    replace(FEW_DICE, ending=Ending("first_to_target", TARGET)),
    replace(FEW_DICE, ending=Ending("final_round", TARGET)),
    # Next to the target a bank needs more than what is missing.
    replace(turned(FEW_DICE, "few-dice-minimum", bank_minimum=250), ending=Ending("first_to_target", TARGET)),
    replace(turned(FEW_DICE, "few-dice-must-roll", hot_dice="must_roll"), ending=Ending("equal_turns", TARGET)),
    replace(
        turned(FEW_DICE, "few-dice-all-scoring", bank_takes="all_scoring", opening_minimum=300, hot_dice_bonus=100),
        ending=Ending("final_round", TARGET),
    ),
    # Dice that are told apart; taking over does not matter to a player alone.
    replace(
        FEW_DICE,
        name="few-dice-both-variants",
        variants=Variants((1, 5, 6), high_stakes=True),
        ending=Ending("final_round", TARGET),
    ),
    pytest.param(
        replace(
            FARKLE,
            name="farkle-both-variants",
            variants=Variants((1, 1, 1, 5, 5, 5), high_stakes=True),
            ending=replace(FARKLE.ending, target=TARGET),
        ),
        marks=pytest.mark.slow,
    ),
    pytest.param(replace(FARKLE, ending=replace(FARKLE.ending, target=TARGET)), marks=pytest.mark.slow),
    pytest.param(replace(DIX_MILLE, ending=replace(DIX_MILLE.ending, target=TARGET)), marks=pytest.mark.slow),
]
OPENING = turned(FEW_DICE, "opening", opening_minimum=200, bank_minimum=100)
IN_A_ROW = BustRules(in_a_row=BustsInARow(2, 50))
EXACT = Ending("exact", 600, overshoot="not_allowed")


@pytest.mark.parametrize("rules", RACES, ids=lambda rules: f"{rules.name}-{rules.ending.kind}")
def test_races(rules: Ruleset) -> None:
    oracle = SoloOracle(rules, 4 * TARGET)
    value = oracle.expected_turns((0, False, 0))
    solo = d10.solve_solo(rules)
    found = solo.expected_turns()
    assert found.lower - 1e-11 <= value <= found.upper + 1e-11
    assert found.upper - found.lower < 1e-9
    for score in (300, 500):
        assert solo.expected_turns(score).value == pytest.approx(-oracle.values[score, True, 0], abs=1e-11)


@pytest.mark.parametrize("turns", [1, 2, 3])
def test_chances_to_be_done_in_time(turns: int) -> None:
    rules = replace(FEW_DICE, ending=Ending("final_round", TARGET))
    value = SoloOracle(rules, TARGET).within((0, False, 0), turns)
    assert d10.solve_solo(rules).done_within(turns).value == pytest.approx(value, abs=1e-11)


@pytest.mark.parametrize(
    "rules",
    [
        replace(FEW_DICE, ending=EXACT),
        replace(turned(OPENING, "opening-at-zero", opening_applies="at_score_zero"), ending=EXACT),
    ],
    ids=lambda rules: str(rules.name),
)
def test_an_exact_target_that_may_not_be_passed(rules: Ruleset) -> None:
    solo = d10.solve_solo(rules)
    # From 550 the last 50 can never be banked where the minimum is 100; so nobody goes there.
    never = {(550, True, 0): -1e6} if rules.turn.bank_minimum else {}
    assert (solo.expected_turns(550).value == float("inf")) == bool(never)
    value = SoloOracle(rules, 3000, fixed=never).expected_turns((0, False, 0))
    assert solo.expected_turns(0).value == pytest.approx(value, abs=1e-9)


def test_an_exact_target_that_may_be_passed() -> None:
    rules = replace(FEW_DICE, ending=Ending("exact", 200, overshoot="add_or_subtract"))
    value = SoloOracle(rules, 600, low=-300, high=900).expected_turns((0, False, 0))
    assert d10.solve_solo(rules).expected_turns(0).value == pytest.approx(value, abs=1e-10)


@pytest.mark.slow
def test_busts_in_a_row() -> None:
    rules = replace(turned(OPENING, "two-dice", dice=2), bust=IN_A_ROW, ending=Ending("first_to_target", 200))
    oracle = SoloOracle(rules, 1200, low=-2200)
    value = oracle.expected_turns((0, False, 0))
    solo = d10.solve_solo(rules)
    assert solo.expected_turns(0).value == pytest.approx(value, abs=1e-5)
    assert solo.expected_turns(150, busts=1).value == pytest.approx(-oracle.values[150, True, 1], abs=1e-5)


@pytest.mark.slow
def test_penalties_for_six_dice() -> None:
    rules = turned(DICE10K, "singles-only", opening_minimum=0, bank_minimum=0, hot_dice_bonus=0)
    rules = replace(
        scored(rules, "singles-only", triples=(0,) * 6, larger_sets=None, **NO_COMBINATIONS),
        bust=BustRules(on_six=(SixDicePenalty(100, below=150), SixDicePenalty(200))),
        ending=Ending("first_to_target", 200),
    )
    value = SoloOracle(rules, 700, low=-1200).expected_turns((0, True, 0))
    assert d10.solve_solo(rules).expected_turns(0).value == pytest.approx(value, abs=1e-5)
