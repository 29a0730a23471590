"""The judge in whole numbers accepts true claims, and refuses those that were tampered with, naming a state that fails."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest

import dice10k_math as d10
from dice10k_math.certify.exact import END, LOWER, UPPER, ExactVerdict, judge_exactly
from dice10k_math.explicit.claims import Claims
from dice10k_math.explicit.match import ExplicitMatch, Layout, layout_of
from dice10k_math.explicit.turn import Ratings
from dice10k_math.questions.exact_match import ExactMatch, certify_match
from dice10k_math.rules.model import BustRules, Ending, Ruleset, with_target
from tests.agreement.test_field import EXACT, IN_A_ROW
from tests.agreement.test_match import DES_10000, DIX_MILLE, EARLY, FIVE_DICE, PLAIN, ended, far
from tests.agreement.test_stakes import PASSED, plain_loops, varied
from tests.oracles.match import MatchOracle, Start, every_start

CLOSE, NARROW = 1e-12, 1e-9
LITTLE = Fraction(1, 10**9)
TWO_DICE = replace(IN_A_ROW, name="two-dice", bust=BustRules(), turn=replace(IN_A_ROW.turn, bank_multiple=None))
RACES = (
    with_target(PLAIN, 300),
    replace(TWO_DICE, ending=Ending("final_round", 300)),
    replace(TWO_DICE, ending=Ending("equal_turns", 200)),
    replace(TWO_DICE, ending=Ending("equal_turns", 200, tie="extra_rounds")),
    ended(EARLY, "exact", 300, overshoot="not_allowed"),
    ended(DES_10000, "exact", 250, overshoot="not_allowed"),
)
LONGER = (
    ended(EARLY, "final_round", 200, tie="shared"),
    ended(FIVE_DICE, "equal_turns", 150, tie="shared"),
    ended(FIVE_DICE, "equal_turns", 100, tie="extra_rounds"),
    with_target(d10.load_rules("farkle"), 600),
)
LAYOUTS = {EXACT.name: Layout(-2000, 2800, (200, 200, 200), 2400), IN_A_ROW.name: Layout(-1500, 300, (200,), 1900)}
FAR = {IN_A_ROW.name: (4_000, (-3_000, 3_000)), EXACT.name: (8_000, (-6_000, 6_000))}
"""Greatest turn score, and scores told apart, by which the plain loops come to the values to their last digits."""
BUSTS = Layout(-400, 300, (200,), 800)


def _name(rules: object) -> str:
    assert isinstance(rules, Ruleset)
    return f"{rules.name}-{rules.ending.kind}-{rules.ending.tie}"


@cache
def certified(rules: Ruleset) -> ExactMatch:
    return certify_match(rules, layout=LAYOUTS.get(rules.name))


def judged(found: ExactMatch, **changes: Any) -> ExactVerdict:
    return judge_exactly(found.match, replace(found.claims, **changes))


@pytest.mark.parametrize(
    "rules", [*RACES, *(pytest.param(rules, marks=pytest.mark.slow) for rules in LONGER)], ids=_name
)
def test_fractions_enclose_the_values_of_plain_loops(rules: Ruleset) -> None:
    found = certified(rules)
    oracle = MatchOracle(rules, far(rules), also=tuple(every_start(rules, found.match.unit)))
    for start in every_start(rules, found.match.unit):
        bounds = found.win_probability(start.own, start.other, second=start.stage == "second")
        assert bounds.lower - CLOSE <= oracle.value(start) <= bounds.upper + CLOSE
        assert 0 <= bounds.upper - bounds.lower <= NARROW


@pytest.mark.parametrize("rules", PASSED, ids=_name)
def test_six_spicy_dice_win_past_an_exact_target_too(rules: Ruleset) -> None:
    rules = varied(rules, (1,) * 6, high_stakes=False)
    found, oracle = certified(rules), plain_loops(rules)
    for start in every_start(rules, found.match.unit):
        bounds = found.win_probability(start.own, start.other)
        assert bounds.lower - CLOSE <= oracle.value(start) <= bounds.upper + CLOSE
        assert 0 <= bounds.upper - bounds.lower <= NARROW


@pytest.mark.slow
def test_extra_rounds_of_dix_mille() -> None:
    claims = certify_match(with_target(DIX_MILLE, 500)).claims
    assert round(float(claims.tie_lower[0, 0]), 6) == round(float(claims.tie_upper[0, 0]), 6) == 0.400999


@pytest.mark.slow
@pytest.mark.parametrize("rules", [IN_A_ROW, EXACT], ids=_name)
def test_fractions_enclose_the_values_where_scores_fall_or_pass_the_target(rules: Ruleset) -> None:
    found = certified(rules)
    # Some of them no play leads to: at 0 in a second turn there has been a bust before.
    pairs = product(range(0, 400, 100), repeat=2)
    starts = tuple(Start(own, other, opened=own > 0, other_opened=other > 0) for own, other in pairs)
    cutoff, span = FAR[rules.name]
    oracle = MatchOracle(rules, cutoff, span=span, also=starts)
    for start in starts:
        bounds = found.win_probability(start.own, start.other)
        assert bounds.lower - CLOSE <= oracle.value(start) <= bounds.upper + CLOSE
        assert bounds.upper - bounds.lower < 1e-4


@pytest.mark.slow
def test_dice10k_to_600_points() -> None:
    rules = with_target(d10.load_rules("dice10k"), 600)
    bounds = certify_match(rules).win_probability()
    assert 0 <= bounds.upper - bounds.lower < 2e-4
    race = d10.solve_match(rules).win_probability()
    assert race.lower <= bounds.upper
    assert bounds.lower <= race.upper


@pytest.mark.parametrize("rules", [RACES[0], RACES[1], RACES[3], IN_A_ROW], ids=_name)
@pytest.mark.parametrize("field", ["lower", "upper"])
def test_a_bound_that_claims_too_much_is_refused_at_its_state(rules: Ruleset, field: str) -> None:
    found = certified(rules) if rules != IN_A_ROW else certify_match(rules, layout=BUSTS)
    generator = np.random.default_rng(1)
    match = found.match
    inside = [number for number, part in enumerate(match.parts) if part.low == part.high]
    for _ in range(2):
        place = int(generator.integers(match.phases)), *(int(n) for n in generator.choice(inside, 2))
        forged = getattr(found.claims, field).copy()
        forged[place] += LITTLE if field == "lower" else -LITTLE
        verdict = judged(found, **{field: forged})
        assert not verdict.accepted
        own, other = (match.parts[number] for number in place[1:])
        named = [str(fault) for fault in verdict.faults if fault.claim == (LOWER if field == "lower" else UPPER)]
        assert any(f"score {own} against {other}" in fault for fault in named)
        assert any("the turn allows" in fault for fault in named)


def never_bank(ratings: Ratings) -> Ratings:
    return Ratings(ratings.roll, np.full_like(ratings.bank, -np.inf))


def always_bank(ratings: Ratings) -> Ratings:
    return Ratings(ratings.roll, np.where(ratings.bank > -np.inf, 9.0, -np.inf))


def upside_down(ratings: Ratings) -> Ratings:
    return Ratings(-ratings.roll, -ratings.bank)


def no_numbers(ratings: Ratings) -> Ratings:
    return Ratings(np.full_like(ratings.roll, np.nan), np.full_like(ratings.bank, np.nan))


@pytest.mark.parametrize("rules", RACES[:4], ids=_name)
@pytest.mark.parametrize("tamper", [never_bank, always_bank, upside_down, no_numbers])
def test_another_policy_is_refused_at_its_state(rules: Ruleset, tamper: Callable[[Ratings], Ratings]) -> None:
    found = certified(rules)
    policy = [list(phase) for phase in found.claims.policy]
    part = found.match.number(50)
    policy[0][part] = tamper(policy[0][part])
    verdict = judged(found, policy=policy)
    assert not verdict.accepted
    assert {fault.claim for fault in verdict.faults} == {LOWER}
    assert all("score 50 against" in fault.where for fault in verdict.faults)


def test_a_worse_play_of_last_turns_and_extra_rounds_is_refused() -> None:
    found = certified(RACES[3])
    last = [never_bank(found.claims.last_policy[0]), *found.claims.last_policy[1:]]
    assert any("a last turn, 0 behind" in str(fault) for fault in judged(found, last_policy=last).faults)
    (tie,), (answer,) = found.claims.tie_policy, found.claims.answer_policy
    assert "leading off an extra round" in str(judged(found, tie_policy=[never_bank(tie)]).faults[0])
    assert "answering a bust" in str(judged(found, answer_policy=[never_bank(answer)]).faults[0])


WRONG = {"tie": ((0, 0), "leading off an extra round"), "last": (3, "a last turn"), "answer": ((0, 0, 1), "answering")}


@pytest.mark.parametrize("field", [f"{what}_{side}" for what in WRONG for side in ("lower", "upper")])
def test_a_wrong_last_turn_or_tie_is_refused(field: str) -> None:
    found = certified(RACES[3])
    forged = getattr(found.claims, field).copy()
    place, where = WRONG[field.split("_", maxsplit=1)[0]]
    forged[place] += LITTLE if field.endswith("lower") else -LITTLE
    verdict = judged(found, **{field: forged})
    assert any(fault.where.startswith(where) for fault in verdict.faults)


def test_what_is_no_probability_is_refused() -> None:
    found = certified(RACES[0])
    for wrong in (Fraction(-1, 2), Fraction(3, 2), float("nan"), 0.5):
        forged = found.claims.lower.copy()
        forged[0, 2, 1] = wrong
        verdict = judged(found, lower=forged)
        assert "score 100 against 50" in verdict.faults[0].where
    assert not judged(found, upper=found.claims.upper[:, :-1]).accepted
    assert "a tie" in str(judged(found, tie_lower=np.array([[Fraction(1, 3)]], object)).faults[0])
    assert not judged(found, tie_lower=np.array([], object)).accepted


def stuck(rules: Ruleset) -> tuple[ExplicitMatch, Claims]:
    """Claims of a match that never ends: both are so close to the target that no bank is allowed."""
    found = certified(rules)
    lower, upper = found.claims.lower.copy(), found.claims.upper.copy()
    close = [number for number, part in enumerate(found.match.parts) if part.low > 100]
    for own in close:
        for other in close:
            lower[0, own, other] = upper[0, own, other] = Fraction(1, 2)
    return found.match, replace(found.claims, lower=lower, upper=upper)


def test_claims_that_hold_only_because_the_match_never_ends_are_refused() -> None:
    turn = replace(DES_10000.turn, bank_minimum=200)
    rules = replace(ended(DES_10000, "exact", 300, overshoot="not_allowed"), name="stuck", turn=turn)
    assert certified(rules).win_probability(200, 250).lower == 0
    match, claims = stuck(rules)
    # Each turn keeps what is claimed: half before, and half after a bust.
    verdict = judge_exactly(match, claims)
    assert {fault.claim for fault in verdict.faults} >= {END}
    ends = [fault for fault in verdict.faults if fault.claim == END]
    assert "score 150 against 150" in ends[0].where
    assert "the policy need not end the match" in str(ends[0])


def test_exact_values_are_accepted_as_bounds_from_both_sides() -> None:
    # One turn decides: both need a first bank of all 100 points, so the value solves w = p + (1 - p)(1 - w).
    turn = replace(TWO_DICE.turn, bank_multiple=None, opening_minimum=100)
    rules = replace(ended(TWO_DICE, "first_to_target", 100), name="one-turn", turn=turn)
    found = certified(rules)
    start = found.match.number(0)
    lower = found.claims.lower.copy()
    chance = chance_of(100)
    value = chance / (1 - (1 - chance) ** 2)
    lower[0, start, start] = value
    claims = replace(found.claims, lower=lower, upper=np.where(lower == value, lower, found.claims.upper))
    assert judge_exactly(found.match, claims).accepted
    for by in (Fraction(1, 10**60), Fraction(-1, 10**60)):
        forged = claims.lower.copy()
        forged[0, start, start] += by
        assert not judge_exactly(found.match, replace(claims, lower=forged, upper=forged)).accepted


def chance_of(points: int) -> Fraction:
    """The best chance to get so many points with two dice of which 1s pay 100 and 5s pay 50."""
    assert points == 100
    # One die: a 1 does it; a 5 brings 50 and both dice again. Two dice: any 1, or two 5s, do it.
    # A single 5 leaves one die with 50 points, from where a 1 or a 5 does it.
    one_die_with_50 = Fraction(2, 6)
    return Fraction(11 + 1, 36) + Fraction(8, 36) * one_die_with_50


def test_too_great_a_target_is_refused() -> None:
    with pytest.raises(d10.InputError, match="target 10000 is too great for whole numbers"):
        certify_match(d10.load_rules("farkle"))


def test_layouts_hold_every_score_once() -> None:
    match = ExplicitMatch(with_target(d10.load_rules("dice10k"), 600), layout_of(d10.load_rules("dice10k")))
    lows = [part.low for part in match.parts]
    assert lows[0] == -np.inf
    assert match.parts[-1].high == np.inf
    assert all(
        before.high + match.unit == after.low for before, after in zip(match.parts, match.parts[1:], strict=False)
    )
    assert all(match.parts[match.number(score)].low <= score for score in (-90_000, -300, 0, 600, 12_300))
