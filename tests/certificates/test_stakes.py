"""The judge of races with High Stakes refuses bounds that were tampered with, naming a state that fails."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from dice10k_math.bounds import RaceBounds
from dice10k_math.certify.race import judge_race
from dice10k_math.rules import with_target
from dice10k_math.rules.model import Ruleset
from dice10k_math.solve.stakes import propose_stakes_bounds, solve_stakes
from dice10k_math.stakes import StakesRace
from tests.agreement.test_match import FIVE_DICE, ended
from tests.agreement.test_stakes import EARLY, STAKES, varied
from tests.certificates.test_race import (
    above_one,
    all_above_one,
    all_not_numbers,
    copied,
    infinite,
    infinitely_low,
    not_a_number,
    shift_all_rows,
    shift_row,
    swap,
)

GAMES = (
    with_target(STAKES, 500),
    ended(varied(EARLY, (1, 1, 1, 5, 5, 5)), "first_to_target", 300),
    ended(varied(EARLY), "equal_turns", 250),
    ended(varied(FIVE_DICE), "exact", 300, overshoot="not_allowed"),
)


def _name(rules: Ruleset) -> str:
    return f"{rules.name}-{rules.ending.kind}-{rules.ending.target}"


@cache
def certified(rules: Ruleset) -> tuple[StakesRace, RaceBounds]:
    race = StakesRace(rules)
    return race, propose_stakes_bounds(race, solve_stakes(race).race)


@pytest.mark.parametrize("rules", GAMES, ids=_name)
def test_true_bounds_are_accepted(rules: Ruleset) -> None:
    race, bounds = certified(rules)
    verdict = judge_race(race, bounds)
    assert verdict.accepted
    assert verdict.checked == 2 * race.phases * race.scores**2


@pytest.mark.parametrize("rules", GAMES, ids=_name)
@pytest.mark.parametrize("seat", ["move", "wait"])
def test_one_value_raised_is_refused_at_that_state(rules: Ruleset, seat: str) -> None:
    race, bounds = certified(rules)
    generator = np.random.default_rng(2)
    own, other = (int(score) for score in generator.integers(0, race.scores, 2))
    tampered = copied(bounds)
    getattr(tampered, seat)[0, own + other, other] += 1e-9
    verdict = judge_race(race, tampered)
    named = {(fault.seat, fault.score, fault.opponent) for fault in verdict.faults}
    assert ("to move" if seat == "move" else "waiting", own * race.unit, other * race.unit) in named


@pytest.mark.parametrize(
    "tamper",
    [
        shift_row,
        shift_all_rows,
        not_a_number,
        all_not_numbers,
        above_one,
        all_above_one,
        infinite,
        infinitely_low,
        swap,
    ],
)
def test_tampered_bounds_are_refused(tamper) -> None:  # type: ignore[no-untyped-def] # each spoils bounds in its own way
    race, bounds = certified(GAMES[0])
    tampered = copied(bounds)
    tamper(tampered)
    assert not judge_race(race, tampered).accepted


def test_bounds_of_the_game_without_high_stakes_are_refused() -> None:
    # To be taken over costs the banker something, so what he can guarantee is less.
    from dice10k_math.race import Race
    from dice10k_math.solve.race import propose_bounds, solve_race

    race, bounds = certified(GAMES[0])
    plain = Race(replace(GAMES[0], variants=replace(GAMES[0].variants, high_stakes=False)))
    theirs = propose_bounds(plain, solve_race(plain))
    rows = bounds.move.shape[1]
    assert not judge_race(race, replace(theirs, move=theirs.move[:, :rows], wait=theirs.wait[:, :rows])).accepted


def test_what_taking_over_guarantees_encloses_its_value() -> None:
    race, bounds = certified(GAMES[0])
    found = judge_race(race, bounds).guarantees
    values = solve_stakes(race).offers
    own, their = found.own_offers, found.their_offers  # type: ignore[attr-defined] # those of High Stakes have them
    checked = np.isfinite(values)
    assert checked.any()
    assert (own[checked] <= values[checked] + 1e-15).all()
    assert (values[checked] <= their[checked] + 1e-15).all()
    assert (their[checked] - own[checked]).max() < 1e-9
