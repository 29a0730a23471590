"""Scores, dice and counts are whole numbers: anything else is refused by name, not answered and not run into."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dice10k_math as d10
from dice10k_math.errors import InputError
from dice10k_math.rules import with_target

FARKLE: Any = d10.load_rules("farkle")
SHORT: Any = with_target(FARKLE, 500)
PAIR: Any = ["threshold 300", "threshold 500"]


def turn() -> Any:
    return d10.solve_turn(FARKLE, score=1000, exact=False)


def match() -> Any:
    return d10.solve_match(SHORT)


CASES: dict[str, tuple[str, Callable[[Any], object]]] = {
    "a face": ("roll", lambda one: d10.legal_keeps(FARKLE, (one, 1, 5))),
    "dice to roll": ("dice", lambda one: d10.bust_odds(FARKLE, dice=one)),
    "dice of a distribution": ("dice", lambda one: d10.score_distribution(FARKLE, dice=one)),
    "a score": ("score", lambda one: d10.solve_turn(FARKLE, score=one)),
    "a turn score": ("turn_score", lambda one: turn().advise(turn_score=one, roll=(1, 5, 3))),
    "hot dice": ("hot_dice", lambda one: turn().advise(turn_score=300, roll=(1, 5, 3), hot_dice=one)),
    "a turn score to roll on from": ("turn_score", lambda one: turn().roll_value(3, one)),
    "dice to roll on with": ("dice", lambda one: turn().roll_value(one, 300)),
    "a turn score to bank": ("turn_score", lambda one: turn().bank_value(one)),
    "a score alone": ("score", lambda one: d10.solve_solo(SHORT).expected_turns(one)),
    "a score in a match": ("score", lambda one: match().win_probability(score=one)),
    "the opponent's score": ("opponent", lambda one: match().win_probability(opponent=one)),
    "a turn score in a match": ("turn_score", lambda one: match().advise(0, 0, one, (1, 1, 5, 3))),
    "hot dice in a match": ("hot_dice", lambda one: match().decide(0, 0, 300, 3, hot_dice=one)),
    "a score against a policy": ("score", lambda one: d10.evaluate(SHORT, PAIR).win_probability(one, 0)),
    "matches": ("matches", lambda one: d10.simulate(SHORT, PAIR, matches=one, seed=1)),
    "a seed": ("seed", lambda one: d10.simulate(SHORT, PAIR, matches=10, seed=one)),
}


@pytest.mark.parametrize("wrong", [1.0, 2.5, None])
@pytest.mark.parametrize("case", CASES)
def test_what_is_no_whole_number_is_refused_by_name(case: str, wrong: Any) -> None:
    name, asked = CASES[case]
    with pytest.raises(InputError, match=rf"^{name}: {wrong!r}; allowed: a whole number$"):
        asked(wrong)


def test_whole_numbers_of_numpy_are_whole_numbers() -> None:
    six: Any = np.int64(6)
    five_hundred: Any = np.int32(500)
    assert d10.bust_odds(FARKLE, dice=six) == d10.bust_odds(FARKLE, dice=6)
    found, right = (d10.solve_turn(FARKLE, score=score, exact=False) for score in (five_hundred, 500))
    assert found.expected_points == right.expected_points
