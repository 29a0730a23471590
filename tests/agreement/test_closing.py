"""Turns that are left once the target has been reached: the library's answers against plain loops."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from dice10k_math.errors import InputError
from dice10k_math.questions.match import MatchSolution, solve_last_turns, solve_match
from dice10k_math.questions.positions import Seat
from dice10k_math.rules import Ruleset
from dice10k_math.rules.model import Variants
from tests.agreement.test_match import DIX_MILLE, EARLY, NEAR, ended, far
from tests.oracles.match import MatchOracle, Stage, Start
from tests.oracles.variations import turned

CLOSE = 1e-12
FINAL = ended(EARLY, "final_round", 250)
EQUAL = ended(EARLY, "equal_turns", 250)
EXTRA = ended(EARLY, "equal_turns", 250, tie="extra_rounds")
DIX = ended(turned(DIX_MILLE, "opening-200", opening_minimum=200), "equal_turns", 250, tie="extra_rounds")
ANSWERS = ((0, 250), (0, 700), (200, 250), (200, 1000), (200, 4000))


@cache
def solved(rules: Ruleset) -> MatchSolution:
    return solve_match(rules)


def compare(rules: Ruleset, starts: list[tuple[tuple[int, int], Stage]], reach: int) -> None:
    """Compare values, bounds and single turns with plain loops that go so far."""
    match = solved(rules)
    states = [Start(*scores, scores[0] != 0, True, stage=stage) for scores, stage in starts]
    oracle = MatchOracle(rules, reach, also=tuple(states))
    for start in states:
        score, opponent = start.own, start.other
        second = "second" in start.stage
        found = match.win_probability(score, opponent, second=second)
        right = oracle.value(start)
        assert found.value == pytest.approx(right, abs=CLOSE, rel=0), start
        assert found.lower - CLOSE <= right <= found.upper + CLOSE
        assert found.upper - found.lower < 1e-10
        turn = match.positions.turn(Seat(score), Seat(opponent), second=second)
        assert turn.start == pytest.approx(right, abs=CLOSE, rel=0), start


def test_final_rounds() -> None:
    compare(FINAL, [(scores, "last") for scores in ANSWERS], NEAR)


def test_the_second_turn_of_a_round() -> None:
    compare(EQUAL, [(scores, "second") for scores in ANSWERS], NEAR)


@pytest.mark.parametrize("rules", [EXTRA, pytest.param(DIX, marks=pytest.mark.slow)], ids=lambda rules: rules.name)
def test_extra_rounds(rules: Ruleset) -> None:
    level: list[tuple[tuple[int, int], Stage]] = [((250, 250), "extra"), ((250, 250), "extra second")]
    behind: list[tuple[tuple[int, int], Stage]] = [((250, 1000), "extra second"), ((300, 4000), "extra second")]
    compare(rules, [*level, *behind, *((scores, "second") for scores in ANSWERS)], far(rules))


def test_high_stakes_leave_nothing_to_take_over_after_the_match() -> None:
    stakes = replace(FINAL, variants=Variants(high_stakes=True))
    for scores in ((0, 250), (200, 1000)):
        values = [solved(these).win_probability(*scores).value for these in (stakes, FINAL)]
        assert values[0] == pytest.approx(values[1], abs=1e-14)
        turns = [solved(these).advise(*scores, 300, (1, 5, 3)) for these in (stakes, FINAL)]
        assert turns[0] == turns[1]


@pytest.mark.parametrize(
    "rules", [FINAL, EQUAL, replace(FINAL, variants=Variants(spicy_faces=(5,) * 6, high_stakes=True))]
)
def test_last_turns_alone_are_those_of_the_whole_match(rules: Ruleset) -> None:
    alone, second = solve_last_turns(rules), rules.ending.kind == "equal_turns"
    for scores in ((0, 250), (200, 700)):
        found, whole = (match.win_probability(*scores, second=second) for match in (alone, solved(rules)))
        assert found.value == pytest.approx(whole.value, abs=1e-14)
        assert 0.0 <= found.lower <= whole.value <= found.upper <= 1.0
        start = Seat(scores[0]), Seat(scores[1])
        worths = [match.positions.turn(*start, second=second) for match in (alone, solved(rules))]
        assert worths[0].start == pytest.approx(worths[1].start, abs=1e-14)
        banks = alone.positions.bank_worths(*start, second=second)
        assert banks[max(banks)] == 1.0
        assert banks[min(banks)] == 0.0
    assert alone.to_frame()["lower"].is_sorted(descending=True)
    with pytest.raises(InputError, match="only last turns"):
        alone.win_probability(0, 0)


def test_what_has_no_last_turns_alone() -> None:
    with pytest.raises(InputError, match="last turns that end the match"):
        solve_last_turns(EXTRA)


def test_a_bank_that_is_too_small_loses_and_a_great_one_wins() -> None:
    choices = {choice.then: choice for choice in solved(FINAL).decide(200, 700, 450, 2)}
    assert choices["bank"].win_probability == 0.0
    assert choices["roll"].win_probability > 0.3
    assert [choice.then for choice in solved(FINAL).decide(200, 700, 550, 2)] == ["bank", "roll"]
    level = {choice.then: choice for choice in solved(FINAL).decide(200, 700, 500, 2)}
    assert level["bank"].win_probability == 0.5


@pytest.mark.parametrize(
    ("rules", "scores", "second"),
    [
        (FINAL, (250, 250), False),
        (FINAL, (300, 100), False),
        (FINAL, (100, 275), False),
        (FINAL, (0, 40_050), False),
        (EQUAL, (100, 300), False),
        (EQUAL, (300, 300), True),
        (EXTRA, (250, 300), False),
        (EXTRA, (350, 300), True),
        (ended(EARLY, "first_to_target", 250), (100, 300), False),
    ],
    ids=lambda value: value.name if isinstance(value, Ruleset) else str(value),
)
def test_what_cannot_be_asked(rules: Ruleset, scores: tuple[int, int], second: bool) -> None:
    with pytest.raises(InputError, match=r"allowed|below the target"):
        solved(rules).win_probability(*scores, second=second)
