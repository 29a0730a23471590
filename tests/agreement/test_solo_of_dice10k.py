"""Fewest turns alone in dice10k: the values of the library put through one turn of the plain loops.

Fewest expected turns are the fixed point of one turn: 1 more than the best average of what is left after it. So
values that a turn, written
without the library, gives back are right. What it does not give back must vanish as its cut-off in the turn score
rises.
With a cut-off at 12,000 it gives back 4e-5 too much from 9,700: values solved with such a cut-off come out too high.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import dice10k_math as d10
from tests.oracles.match import back_up_turn, choices_of, turn_step

RULES = d10.load_rules("dice10k")
TARGET = 10_000
FAR = 15_000
"""How far from 0 and from the target the library's values are looked up; farther scores count like the farthest."""


@cache
def turns_left(score: int) -> float:
    """Fewest expected turns by the library; none at the target, which a bank has reached."""
    return d10_solo().expected_turns(min(max(score, -FAR), TARGET + FAR)).value


@cache
def d10_solo() -> Any:
    return d10.solve_solo(RULES)


def best_after_bank(score: int, turn_score: int) -> float:
    """Fewest turns left after a bank: it adds, or above the target it may subtract."""
    if score < TARGET and score + turn_score == TARGET:
        return 0.0
    if score <= TARGET:
        return turns_left(score + turn_score)
    if score - turn_score == TARGET:
        return 0.0
    return min(turns_left(score + turn_score), turns_left(score - turn_score))


def one_turn(score: int, cutoff: int, hot_dice: int) -> float:
    """One turn of the plain loops, the library's values standing for what is left after it."""
    choices, step = choices_of(RULES), turn_step(RULES)
    places = cutoff // step
    bank = np.full((6, places + int(choices.points.max()) + 1), -np.inf)
    least = 500 if score == 0 else 300
    for place in range(1, bank.shape[1]):
        turn_score = place * step
        if turn_score >= least and turn_score % 100 == 0:
            bank[:, place] = -best_after_bank(score, turn_score)
    bust, six_bust = -turns_left(score), -turns_left(score - (1000 if score < 5000 else 2000))
    value = np.zeros((hot_dice, 6, places))
    back_up_turn(choices, RULES.turn.hot_dice_bonus // step, bank, bust, six_bust, min(bust, six_bust), value)
    return 1.0 - float(value[0, 5, 0])


@pytest.mark.parametrize("score", [-2000, 0, 100, 4900, 5000, 9700, 9900, 10_300, 12_000])
def test_a_turn_of_the_plain_loops_gives_the_values_back(score: int) -> None:
    gaps = [
        one_turn(score, cutoff, hot_dice) - turns_left(score)
        for cutoff, hot_dice in ((12_000, 6), (20_000, 7), (40_000, 8), (80_000, 9))
    ]
    assert gaps == sorted(gaps, reverse=True)
    assert 0 <= gaps[-1] < 2e-7
