"""High Stakes judged in whole numbers: true claims are accepted, and enclose what plain loops find; others are refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest

import dice10k_math as d10
from dice10k_math.certify.exact import END, LOWER, UPPER, ExactVerdict
from dice10k_math.certify.exact_stakes import judge_stakes_exactly
from dice10k_math.explicit.match import layout_of
from dice10k_math.explicit.stakes import StakesMatch
from dice10k_math.explicit.stakes_claims import StakesClaims
from dice10k_math.explicit.turn import Ratings
from dice10k_math.questions.exact_match import ExactMatch, certify_match
from dice10k_math.rules.model import Ruleset, Scoring, TurnRules, Variants, with_target
from dice10k_math.solve.exact_stakes import propose_stakes
from dice10k_math.stakes import StakesRace
from tests.agreement.test_match import DES_10000, FIVE_DICE, PLAIN, ended
from tests.agreement.test_stakes import (
    BOTH,
    EARLY,
    QUICK_BOTH,
    QUICK_STAKES,
    STAKES,
    TWO_FACES,
    plain_loops,
    varied,
    with_no_stakes,
)
from tests.oracles.match import Stage, Start, every_start
from tests.oracles.tiny_stakes import TinyStakes
from tests.oracles.variations import turned

CLOSE, NARROW = 1e-12, 1e-9
LITTLE = 10**5
"""In parts of the grain: about 1e-9."""
SLOW = (
    with_target(STAKES, 500),
    with_target(STAKES, 1000),
    ended(STAKES, "first_to_target", 1000),
    ended(STAKES, "equal_turns", 600),
    ended(STAKES, "exact", 600, overshoot="not_allowed"),
    ended(varied(EARLY), "equal_turns", 250),
    ended(varied(turned(DES_10000, "minimum-of-200", bank_minimum=200)), "final_round", 400),
    ended(varied(turned(DES_10000, "multiple-of-100", bank_multiple=100)), "final_round", 300),
    ended(BOTH, "first_to_target", 500),
)


def _name(rules: object) -> str:
    assert isinstance(rules, Ruleset)
    return f"{rules.name}-{rules.ending.kind}-{rules.ending.target}"


@cache
def certified(rules: Ruleset) -> ExactMatch:
    return certify_match(rules)


def parts_of(found: ExactMatch) -> tuple[StakesMatch, StakesClaims]:
    assert isinstance(found.match, StakesMatch)
    assert isinstance(found.claims, StakesClaims)
    return found.match, found.claims


def judged(found: ExactMatch, **changes: Any) -> ExactVerdict:
    match, claims = parts_of(found)
    return judge_stakes_exactly(match, replace(claims, **changes))


def offers_to(found: ExactMatch, start: Start) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Every offer that the mover can have at a turn start: points and hand."""
    match, _ = parts_of(found)
    program = match.program
    for points, hand in zip(program.bank_scores.tolist(), program.bank_hands.tolist(), strict=True):
        before = start.other - points
        rule = match.unopened if before == 0 else match.opened
        forbidden = hand == match.model.full and match.rules.turn.hot_dice == "must_roll"
        if 0 <= before < match.target and rule.allows(points) and not forbidden:
            yield points, match.model.hands[hand].hand


def hand_numbers(found: ExactMatch) -> dict[tuple[int, ...], int]:
    """The order in which the plain loops have the hands."""
    hands = sorted((model.hand for model in found.match.model.hands), key=lambda hand: (len(hand), hand))
    return {hand: number for number, hand in enumerate(hands)}


def assert_encloses(rules: Ruleset) -> None:
    found, oracle = certified(rules), plain_loops(rules)
    numbers = hand_numbers(found)
    for start in every_start(rules, found.match.unit):
        second = start.stage == "second"
        bounds = found.win_probability(start.own, start.other, second=second)
        assert bounds.lower - CLOSE <= oracle.value(start) <= bounds.upper + CLOSE
        assert 0 <= bounds.upper - bounds.lower <= NARROW
        for points, hand in offers_to(found, start):
            offer = found.take_over(start.own, start.other, points, hand, second=second)
            taken = oracle.offer(start, numbers[hand], points)
            assert offer.fresh == bounds
            assert offer.take_over.lower - CLOSE <= taken <= offer.take_over.upper + CLOSE
            assert 0 <= offer.take_over.upper - offer.take_over.lower <= NARROW


def assert_encloses_last_turns(rules: Ruleset) -> int:
    """Compare last turns, started afresh and taken over; return how many offers there were."""
    found, oracle, compared = certified(rules), plain_loops(rules), 0
    numbers, match = hand_numbers(found), found.match
    stage: Stage = "last" if rules.ending.kind == "final_round" else "second"
    for own in range(0, match.target, match.unit):
        for other in range(match.target, 2 * match.target, match.unit):
            start = oracle.told_apart(Start(own, other, own != 0, True, stage=stage))
            if start not in oracle.numbers:
                continue
            value = oracle.value(start)
            for points, hand in offers_to(found, Start(own, other)):
                offer = found.take_over(own, other, points, hand, second=stage == "second")
                taken = oracle.offer(start, numbers[hand], points)
                for bounds, right in ((offer.fresh, value), (offer.take_over, taken)):
                    assert bounds.lower - CLOSE <= right <= bounds.upper + CLOSE
                    assert 0 <= bounds.upper - bounds.lower <= NARROW
                compared += 1
    return compared


@pytest.mark.parametrize(
    "rules",
    [
        *QUICK_STAKES,
        *QUICK_BOTH[:2],
        *(pytest.param(rules, marks=pytest.mark.slow) for rules in (*SLOW, QUICK_BOTH[2])),
    ],
    ids=_name,
)
def test_fractions_enclose_the_values_of_plain_loops(rules: Ruleset) -> None:
    assert_encloses(rules)
    if rules.ending.kind in ("final_round", "equal_turns"):
        assert assert_encloses_last_turns(rules)


@pytest.mark.parametrize(("target", "value"), [(1000, 0.542517), pytest.param(2000, 0.542799, marks=pytest.mark.slow)])
def test_published_values(target: int, value: float) -> None:
    bounds = certified(with_target(STAKES, target)).win_probability()
    assert round(float(bounds.lower), 6) == round(float(bounds.upper), 6) == value
    assert 0 < bounds.upper - bounds.lower < 1e-10


@pytest.mark.parametrize(
    "rules",
    [
        with_target(STAKES, 500),
        ended(STAKES, "equal_turns", 500),
        ended(STAKES, "exact", 500, overshoot="not_allowed"),
        ended(varied(EARLY, TWO_FACES), "exact", 250, overshoot="not_allowed"),
        ended(varied(turned(DES_10000, "multiple-of-100", bank_multiple=100)), "final_round", 200),
        pytest.param(with_target(BOTH, 500), marks=pytest.mark.slow),
    ],
    ids=_name,
)
def test_the_bounds_of_the_race_and_these_lie_around_the_same_values(rules: Ruleset) -> None:
    found, race = certified(rules), d10.solve_match(rules)
    for start in every_start(rules, found.match.unit):
        second = start.stage == "second"
        exact = found.win_probability(start.own, start.other, second=second)
        other = race.win_probability(start.own, start.other, second=second)
        assert exact.lower <= other.upper
        assert other.lower <= exact.upper
        assert exact.upper - exact.lower < NARROW
        for points, hand in offers_to(found, start):
            taken = found.take_over(start.own, start.other, points, hand, second=second).take_over
            same = race.take_over(start.own, start.other, points, hand, second=second).take_over
            assert taken.lower <= same.upper
            assert same.lower <= taken.upper


@pytest.mark.parametrize(("target", "opening"), [(100, 100), (200, 0), (250, 100)])
def test_a_game_small_enough_for_fractions(target: int, opening: int) -> None:
    turn = TurnRules(dice=2, hot_dice="may_bank", opening_minimum=opening)
    scoring = Scoring(singles=(100, 0, 0, 0, 50, 0), triples=(0,) * 6)
    rules = replace(varied(ended(PLAIN, "first_to_target", target)), name="tiny", scoring=scoring, turn=turn)
    found, plain, taken_over = certified(rules), TinyStakes(target, opening), 0
    for own, other in product(range(0, target, 50), repeat=2):
        value, bounds = plain.value(own, other), found.win_probability(own, other)
        assert bounds.lower <= value <= bounds.upper
        assert bounds.upper - bounds.lower < 1e-10
        for points, hand in offers_to(found, Start(own, other)):
            taken, offer = plain.offer(own, other, points, len(hand)), found.take_over(own, other, points, hand)
            assert offer.take_over.lower <= taken <= offer.take_over.upper
            taken_over += taken > value
    # With one turn to decide nothing is ever taken over; else it is worth it at times.
    assert (taken_over > 0) == (target > opening)


def test_one_turn_decides() -> None:
    # Both need a first bank of all 100 points: two dice do it by any 1 or two 5s, or by a 5 and then a 1 or a 5.
    chance = Fraction(11 + 1, 36) + Fraction(8, 36) * Fraction(2, 6)
    assert TinyStakes(100, 100).value(0, 0) == chance / (1 - (1 - chance) ** 2)


# -- what was tampered with ------------------------------------------------------------------------------------------

GAMES = (QUICK_STAKES[2], ended(varied(EARLY), "equal_turns", 200), QUICK_BOTH[1], QUICK_STAKES[1])


def an_offer(found: ExactMatch) -> tuple[int, ...]:
    """The place of an offer that can come up."""
    match, claims = parts_of(found)
    uncertain = (claims.offers_lower > match.grain // 50) & (claims.offers_upper < match.grain // 50 * 49)
    places = np.argwhere(uncertain)
    return tuple(places[len(places) // 2].tolist())


@pytest.mark.parametrize("rules", GAMES, ids=_name)
@pytest.mark.parametrize("side", [LOWER, UPPER])
def test_an_offer_that_is_claimed_to_be_worth_too_much_is_refused(rules: Ruleset, side: str) -> None:
    found = certified(rules)
    match, claims = parts_of(found)
    place, field = an_offer(found), "offers_lower" if side == LOWER else "offers_upper"
    forged = getattr(claims, field).copy()
    forged[place] += LITTLE if side == LOWER else -LITTLE
    faults = [fault for fault in judged(found, **{field: forged}).faults if fault.claim == side]
    own, other = (match.parts[number] for number in place[1:3])
    assert any(fault.where.startswith(f"score {own} against {other}, taking over") for fault in faults)
    assert all("the turn allows" in str(fault) for fault in faults)


@pytest.mark.parametrize("rules", [pytest.param(GAMES[0], marks=pytest.mark.slow), GAMES[1]], ids=_name)
def test_bounds_of_the_game_without_high_stakes_are_refused(rules: Ruleset) -> None:
    # To be taken over costs the banker something, and to take over brings something.
    found, race = certified(rules), d10.solve_match(with_no_stakes(rules))
    lower, upper = found.claims.lower.copy(), found.claims.upper.copy()
    for start in every_start(rules, found.match.unit):
        second = start.stage == "second"
        place = int(second), found.match.number(start.own), found.match.number(start.other)
        bounds = race.win_probability(start.own, start.other, second=second)
        lower[place], upper[place] = Fraction(bounds.lower), Fraction(bounds.upper)
    assert not judged(found, lower=lower, upper=upper).accepted


@pytest.mark.parametrize("rules", GAMES, ids=_name)
@pytest.mark.parametrize("field", ["lower", "upper"])
def test_a_bound_that_claims_too_much_is_refused_at_its_state(rules: Ruleset, field: str) -> None:
    found = certified(rules)
    match = found.match
    place = match.phases - 1, match.number(100), match.number(50)
    forged = getattr(found.claims, field).copy()
    forged[place] += Fraction(1, 10**9) * (1 if field == "lower" else -1)
    faults = judged(found, **{field: forged}).faults
    named = [fault for fault in faults if fault.claim == (LOWER if field == "lower" else UPPER)]
    assert any("score 100 against 50" in fault.where for fault in named)


@pytest.mark.parametrize("rules", GAMES[:2], ids=_name)
@pytest.mark.parametrize("side", [LOWER, UPPER])
def test_a_wrong_last_turn_is_refused(rules: Ruleset, side: str) -> None:
    found, sign = certified(rules), 1 if side == LOWER else -1
    match, claims = parts_of(found)
    end = "lower" if side == LOWER else "upper"
    last = getattr(claims, f"last_{end}").copy()
    last[2] += sign * Fraction(LITTLE, match.grain)
    assert any(fault.where == "a last turn, 100 behind" for fault in judged(found, **{f"last_{end}": last}).faults)
    takes = getattr(claims, f"takes_{end}").copy()
    takes[1, 0] += sign * LITTLE
    where = "a last turn, taking over 1 die from a banker who was 0 ahead"
    assert any(fault.where == where for fault in judged(found, **{f"takes_{end}": takes}).faults)


def never_bank(ratings: Ratings) -> Ratings:
    return Ratings(ratings.roll, np.full_like(ratings.bank, -np.inf))


def always_bank(ratings: Ratings) -> Ratings:
    return Ratings(ratings.roll, np.where(ratings.bank > -1.0, 9.0, -np.inf))


def bank_what_is_not_allowed(ratings: Ratings) -> Ratings:
    return Ratings(ratings.roll, np.full_like(ratings.bank, 9.0))


def upside_down(ratings: Ratings) -> Ratings:
    return Ratings(-ratings.roll, -ratings.bank)


def no_numbers(ratings: Ratings) -> Ratings:
    return Ratings(np.full_like(ratings.roll, np.nan), np.full_like(ratings.bank, np.nan))


@pytest.mark.parametrize("rules", GAMES[:3], ids=_name)
@pytest.mark.parametrize("tamper", [never_bank, always_bank, bank_what_is_not_allowed, upside_down, no_numbers])
def test_another_policy_is_refused(rules: Ruleset, tamper: Callable[[Ratings], Ratings]) -> None:
    found = certified(rules)
    policy = [[tamper(block) for block in blocks] for blocks in found.claims.policy]
    verdict = judged(found, policy=policy)
    assert {fault.claim for fault in verdict.faults} >= {LOWER}
    assert UPPER not in {fault.claim for fault in verdict.faults}


def test_a_worse_play_of_last_turns_is_refused() -> None:
    found = certified(GAMES[0])
    (last,) = found.claims.last_policy
    assert any("a last turn" in fault.where for fault in judged(found, last_policy=[never_bank(last)]).faults)


def test_what_is_no_probability_is_refused() -> None:
    found = certified(GAMES[0])
    match, claims = parts_of(found)
    for wrong in (Fraction(-1, 2), Fraction(3, 2), float("nan"), 0.5):
        forged = claims.lower.copy()
        forged[0, 2, 1] = wrong
        assert not judged(found, lower=forged).accepted
    for amount in (-1, match.grain + 1):
        offers = claims.offers_upper.copy()
        offers[0, 0, 0, 0] = amount
        assert not judged(found, offers_upper=offers).accepted
    assert not judged(found, offers_lower=claims.offers_lower.astype(float)).accepted
    assert not judged(found, offers_lower=claims.offers_lower[..., 1:]).accepted
    assert not judged(found, takes_upper=claims.takes_upper[1:]).accepted
    assert not judged(found, upper=claims.upper[:, :-1]).accepted
    assert not judged(found, tie_lower=np.array([[Fraction(1, 3)]], object)).accepted


# -- the end of the match --------------------------------------------------------------------------------------------


def test_claims_that_hold_only_because_the_match_never_ends_are_refused() -> None:
    # Both are so close to the target that no bank is allowed: each turn keeps what is claimed, half and half.
    rules = varied(ended(turned(DES_10000, "stuck", bank_minimum=200), "exact", 300, overshoot="not_allowed"))
    found = certified(rules)
    assert found.win_probability(200, 250).lower == 0
    lower, upper = found.claims.lower.copy(), found.claims.upper.copy()
    close = [number for number, part in enumerate(found.match.parts) if part.low > 100]
    for own in close:
        for other in close:
            lower[0, own, other] = upper[0, own, other] = Fraction(1, 2)
    ends = [fault for fault in judged(found, lower=lower, upper=upper).faults if fault.claim == END]
    assert "score 150 against 150" in ends[0].where
    assert "the policy need not end the match" in str(ends[0])


def test_a_turn_that_need_not_end_is_refused() -> None:
    # With one die every roll scores and all dice come back: who is behind may roll for ever.
    turn = TurnRules(dice=1, hot_dice="may_bank")
    scoring = Scoring(singles=(100, 50, 50, 50, 50, 50), triples=(0,) * 6)
    rules = replace(varied(ended(PLAIN, "first_to_target", 100)), name="no-bust", scoring=scoring, turn=turn)
    race = StakesRace(rules)
    match = StakesMatch(rules, layout_of(rules))
    verdict = judge_stakes_exactly(match, propose_stakes(match, race))
    assert "a turn about to roll 1 dice that never bust" in {fault.where for fault in verdict.faults}
    with pytest.raises(d10.InputError, match="some play never busts"):
        certify_match(rules)


# -- what is refused -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rules", "why"),
    [
        (STAKES, "target 10000 is too great for whole numbers"),
        (with_target(replace(d10.load_rules("dice10k"), variants=Variants(None, True)), 600), "scores that can fall"),
        (ended(varied(FIVE_DICE), "equal_turns", 200, tie="extra_rounds"), "extra_rounds"),
        (varied(ended(turned(FIVE_DICE, "bonus", hot_dice_bonus=100), "first_to_target", 200)), "hot_dice_bonus"),
    ],
    ids=lambda value: "" if isinstance(value, Ruleset) else value,
)
def test_refused(rules: Ruleset, why: str) -> None:
    with pytest.raises(d10.InputError, match=why):
        certify_match(rules)


def test_offers_that_cannot_be_are_refused() -> None:
    found = certified(GAMES[0])
    with pytest.raises(d10.InputError, match="no bank"):
        found.take_over(0, 100, points=150, dice=2)
    with pytest.raises(d10.InputError, match="the match is over"):
        certified(QUICK_STAKES[0]).take_over(0, 400, points=200, dice=2)
    with pytest.raises(d10.InputError, match="no High Stakes"):
        certify_match(ended(FIVE_DICE, "first_to_target", 100)).take_over(0, 100, points=100, dice=2)
