"""Bounds of a player who plays best against a policy, and their judge."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dice10k_math import best_response, load_rules
from dice10k_math.certify.duel import judge_duel
from dice10k_math.movers import BestMover, PolicyMover
from dice10k_math.policy import parse_policy, seat
from dice10k_math.race import Race
from dice10k_math.rules import with_target
from dice10k_math.solve.duel import propose_guarantees, solve_duel


@pytest.mark.parametrize("off", [0.0, 1e-6])
@pytest.mark.parametrize("player", [0, 1])
def test_bounds_are_accepted_though_the_values_are_off(off: float, player: int) -> None:
    """Far turns and last turns are bounded from one side, which takes bounds past where another choice is best."""
    race = Race(with_target(load_rules("farkle"), 1500))
    movers = BestMover(race), PolicyMover(race, seat(parse_policy("threshold 300"), race.rules))
    values = solve_duel(race, movers)
    moved = values.move + off * np.random.default_rng(1).uniform(-1.0, 1.0, values.move.shape)
    found = propose_guarantees(race, movers, replace(values, move=moved), player)
    assert judge_duel(race, found, movers[player], movers[1 - player]).accepted
    own, other = np.indices((race.scores, race.scores))
    right, bound = values.move[player, 0][own + other, other], found.move[0][own + other, other]
    assert 0.0 < (right - bound).max() < 1e-9


@pytest.mark.slow
def test_the_best_response_with_spicy_dice_is_bounded() -> None:
    best = best_response(with_target(load_rules("farkle-spicy"), 1000), "threshold 300")
    found = best.win_probability()
    assert found.lower <= found.value <= found.upper < found.lower + 1e-6
