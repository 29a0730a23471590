"""The judge of races accepts true bounds and refuses those that were tampered with, naming a state that fails."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from dice10k_math.bounds import RaceBounds
from dice10k_math.certify.race import judge_race
from dice10k_math.race import Race
from dice10k_math.rules.model import Ruleset
from dice10k_math.rules.model import with_target as targeted
from dice10k_math.solve.race import propose_bounds, solve_race
from tests.agreement.test_match import (
    BONUS,
    DES_10000,
    DIX_MILLE,
    FARKLE,
    FIVE_DICE,
    MULTIPLES,
    PLAIN,
    QUICK,
    SLOW,
    closeness,
    ended,
    first_quick,
    plain_loops,
)
from tests.oracles.match import every_start

NARROW = 1e-9
SMALL = (PLAIN, ended(FIVE_DICE, "equal_turns", 150), targeted(DES_10000, 200), targeted(DIX_MILLE, 500))


def _name(rules: object) -> str:
    assert isinstance(rules, Ruleset)
    return f"{rules.name}-{rules.ending.kind}-{rules.ending.target}"


@cache
def certified(rules: Ruleset) -> tuple[Race, RaceBounds]:
    race = Race(rules)
    return race, propose_bounds(race, solve_race(race))


def copied(bounds: RaceBounds) -> RaceBounds:
    return replace(bounds, move=bounds.move.copy(), wait=bounds.wait.copy())


def assert_refused(race: Race, bounds: RaceBounds) -> None:
    verdict = judge_race(race, bounds)
    assert not verdict.accepted
    fault = verdict.faults[0]
    assert fault.seat in str(fault)
    if fault.seat in {"to move", "waiting"}:
        assert f"{fault.score} points against {fault.opponent}" in str(fault)
        assert 0 <= fault.score < race.rules.ending.target
        assert 0 <= fault.opponent < race.rules.ending.target


@pytest.mark.parametrize("rules", SMALL, ids=_name)
def test_true_bounds_are_accepted(rules: Ruleset) -> None:
    race, bounds = certified(rules)
    verdict = judge_race(race, bounds)
    assert verdict.accepted
    assert verdict.checked == 2 * race.phases * race.scores**2


@pytest.mark.parametrize("off", [0.0, 1e-6])
def test_bounds_are_accepted_though_the_values_are_off(off: float) -> None:
    """Costs of a long match take its bounds far from the values: past places where another choice is the best one."""
    race = Race(targeted(FARKLE, 1500))
    values = solve_race(race)
    moved = values.move + off * np.random.default_rng(1).uniform(-1.0, 1.0, values.move.shape)
    found = propose_bounds(race, replace(values, move=moved))
    assert judge_race(race, found).accepted
    assert np.nanmax(1.0 - found.wait[0, 0] - found.move[0, 0]) < NARROW


@pytest.mark.parametrize(
    "rules", [*first_quick(QUICK, 3), *first_quick(MULTIPLES), *first_quick(BONUS), *first_quick(SLOW, 0)], ids=_name
)
def test_the_enclosure_holds_the_value_and_is_narrow(rules: Ruleset) -> None:
    race, bounds = certified(rules)
    oracle = plain_loops(rules)
    for start in every_start(rules, race.unit):
        phase, own, other = int(start.stage == "second"), start.own // race.unit, start.other // race.unit
        lower = bounds.move[phase, own + other, other]
        upper = 1.0 - bounds.wait[race.other(phase), own + other, own]
        assert lower - closeness(rules) <= oracle.value(start) <= upper + closeness(rules), start
        assert 0.0 <= upper - lower <= NARROW, start


@pytest.mark.parametrize("rules", SMALL[:3], ids=_name)
@pytest.mark.parametrize("seat", ["move", "wait"])
def test_one_value_raised_is_refused_at_that_state(rules: Ruleset, seat: str) -> None:
    race, bounds = certified(rules)
    generator = np.random.default_rng(1)
    for _ in range(3):
        own, other = (int(score) for score in generator.integers(0, race.scores, 2))
        phase = int(generator.integers(race.phases))
        tampered = copied(bounds)
        getattr(tampered, seat)[phase, own + other, other] += 1e-9
        verdict = judge_race(race, tampered)
        assert not verdict.accepted
        named = {(fault.seat, fault.phase, fault.score, fault.opponent) for fault in verdict.faults}
        name = "to move" if seat == "move" else "waiting"
        assert (name, phase, own * race.unit, other * race.unit) in named


def shift_row(bounds: RaceBounds) -> None:
    bounds.move[0, 3] = bounds.move[0, 4]


def shift_all_rows(bounds: RaceBounds) -> None:
    bounds.move[:, :-1] = bounds.move[:, 1:]


def not_a_number(bounds: RaceBounds) -> None:
    bounds.wait[0, 2, 1] = np.nan


def all_not_numbers(bounds: RaceBounds) -> None:
    bounds.move[:], bounds.wait[:] = np.nan, np.nan


def above_one(bounds: RaceBounds) -> None:
    bounds.move[0, 2, 1] = 1.5


def all_above_one(bounds: RaceBounds) -> None:
    bounds.move[:], bounds.wait[:] = 2.0, 2.0


def infinite(bounds: RaceBounds) -> None:
    bounds.wait[0, 2, 1] = np.inf


def infinitely_low(bounds: RaceBounds) -> None:
    bounds.move[0, 2, 1] = -np.inf


def swap(bounds: RaceBounds) -> None:
    bounds.move[:], bounds.wait[:] = bounds.wait.copy(), bounds.move.copy()


@pytest.mark.parametrize("rules", SMALL[:3], ids=_name)
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
def test_tampered_bounds_are_refused(rules: Ruleset, tamper: Callable[[RaceBounds], None]) -> None:
    race, bounds = certified(rules)
    tampered = copied(bounds)
    tamper(tampered)
    assert_refused(race, tampered)


@pytest.mark.parametrize("rules", SMALL, ids=_name)
@pytest.mark.parametrize("field", ["lead", "follow"])
@pytest.mark.parametrize("amount", [1e-9, 0.25, np.nan, 1e3])
def test_a_wrong_tie_is_refused(rules: Ruleset, field: str, amount: float) -> None:
    race, bounds = certified(rules)
    tampered = replace(bounds, **{field: getattr(bounds, field) + amount})
    assert_refused(race, tampered)


def test_both_players_cannot_have_the_better_of_a_tie() -> None:
    race, bounds = certified(targeted(DIX_MILLE, 500))
    assert_refused(race, replace(bounds, lead=bounds.follow, follow=bounds.follow))


def test_bounds_of_another_ruleset_are_refused() -> None:
    _, bounds = certified(PLAIN)
    other = Race(replace(PLAIN, name="other", scoring=replace(PLAIN.scoring, triples=(1000, 100, 300, 400, 500, 600))))
    # The shapes differ with the widest turn score, so that the arrays are fitted to be judged at all.
    rows = other.rows
    fitted = replace(bounds, move=bounds.move[:, :rows], wait=bounds.wait[:, :rows])
    assert_refused(other, fitted)


@pytest.mark.parametrize("target", [450, 550])
def test_bounds_of_another_target_are_refused(target: int) -> None:
    _, bounds = certified(PLAIN)
    race = Race(targeted(PLAIN, target))
    shape = (race.phases, race.rows, race.scores)
    move, wait = np.full(shape, 0.0), np.full(shape, 0.0)
    rows, scores = (min(*pair) for pair in zip(shape[1:], bounds.move.shape[1:], strict=True))
    move[:, :rows, :scores] = bounds.move[:, :rows, :scores]
    wait[:, :rows, :scores] = bounds.wait[:, :rows, :scores]
    assert_refused(race, RaceBounds(move, wait, bounds.lead, bounds.follow))


def test_bounds_of_the_other_ending_are_refused() -> None:
    _, bounds = certified(ended(FARKLE, "exact", 600, overshoot="not_allowed"))
    race = Race(ended(FARKLE, "first_to_target", 600))
    shape = (race.phases, race.rows, race.scores)
    move, wait = np.full(shape, np.nan), np.full(shape, np.nan)
    rows = min(race.rows, bounds.move.shape[1])
    move[:, :rows], wait[:, :rows] = bounds.move[:, :rows], bounds.wait[:, :rows]
    assert_refused(race, RaceBounds(move, wait, bounds.lead, bounds.follow))


def test_lowered_bounds_are_still_accepted_where_nothing_rests_on_them() -> None:
    # The claim at 0 : 0 for the player to move supports no other claim but the waiting one before it.
    race, bounds = certified(PLAIN)
    lowered = copied(bounds)
    lowered.move[0, 0, 0] -= 1e-6
    verdict = judge_race(race, lowered)
    assert {(fault.score, fault.opponent) for fault in verdict.faults} <= {(0, 0)}
    assert all(fault.seat == "waiting" for fault in verdict.faults)
