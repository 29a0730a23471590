"""Spicy dice and High Stakes, alone and together: the library's races against plain loops over explicit states."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from dice10k_math.backup import Contexts, back_up_keeping
from dice10k_math.certify.race import judge_race
from dice10k_math.last_turn import compiled_split, most_lead
from dice10k_math.program import BLOCK
from dice10k_math.questions.match import solve_match
from dice10k_math.questions.positions import RacePositions, Seat
from dice10k_math.questions.stakes import StakesPositions
from dice10k_math.race import Race
from dice10k_math.rules import load_rules
from dice10k_math.rules.model import Ruleset, Scoring, TurnRules, Variants, with_target
from dice10k_math.solve.race import propose_bounds, solve_race
from dice10k_math.solve.stakes import StakesValues, propose_stakes_bounds, solve_stakes
from dice10k_math.stakes import StakesRace
from tests.agreement.test_match import DES_10000, FARKLE, FIVE_DICE, ended
from tests.oracles.match import MatchOracle, Start, every_start
from tests.oracles.variations import turned

CLOSE = 1e-12
SINGLES = Scoring(singles=(100, 100, 100, 100, 0, 0))
STAKES, SPICY, BOTH = (load_rules(f"farkle-{name}") for name in ("high-stakes", "spicy", "spicy-high-stakes"))


def varied(base: Ruleset, spicy: tuple[int, ...] | None = None, *, high_stakes: bool = True) -> Ruleset:
    """The game with variants."""
    return replace(base, variants=Variants(spicy, high_stakes))


def cutoff(rules: Ruleset) -> int:
    """Where the plain loops are cut off: in a final round a lead is never safe from being taken over."""
    if rules.ending.kind == "first_to_target":
        return 2 * rules.ending.target + 1000
    if rules.variants.spicy_faces is None:
        return 40_000
    # With equal spicy faces, cutting off at 200,000 (or, with two, at 120,000) still moves values by 2e-12.
    return 260_000


@cache
def solved(rules: Ruleset) -> tuple[StakesRace, StakesValues]:
    race = StakesRace(rules)
    return race, solve_stakes(race)


@cache
def plain_loops(rules: Ruleset) -> MatchOracle:
    return MatchOracle(rules, cutoff(rules), also=tuple(every_start(rules, Race(with_no_stakes(rules)).unit)))


def with_no_stakes(rules: Ruleset) -> Ruleset:
    return replace(rules, variants=replace(rules.variants, high_stakes=False))


def offers_of(race: StakesRace, values: StakesValues, start: Start) -> Iterator[tuple[int, tuple[int, ...], float]]:
    """Every offer that a mover can have in this state: turn score, hand, worth of taking it over."""
    phase, own, other = int(start.stage == "second"), start.own // race.unit, start.other // race.unit
    first, end = race.columns(own + other)
    begin, stop = race.offer_starts[own + other : own + other + 2]
    store = values.offers[phase, begin:stop].reshape(-1, end - first)
    program = race.program
    for bank in range(len(store)):
        points = int(program.bank_scores[bank])
        opening = start.other - points == 0
        rule = race.unopened if opening else race.opened
        if points <= start.other and rule.allows(points):
            hand = race.model.hands[program.bank_hands[bank]].hand
            yield points, hand, float(store[bank, own - first])


def assert_same(rules: Ruleset) -> None:
    race, values = solved(rules)
    oracle = plain_loops(rules)
    hands = sorted({model.hand for model in race.model.hands}, key=lambda hand: (len(hand), hand))
    for start in every_start(rules, race.unit):
        phase, own, other = int(start.stage == "second"), start.own // race.unit, start.other // race.unit
        library = float(values.race.move[phase, own + other, other])
        assert library == pytest.approx(oracle.value(start), abs=CLOSE, rel=0), start
        for points, hand, worth in offers_of(race, values, start):
            expected = oracle.offer(start, hands.index(hand), points)
            assert worth == pytest.approx(expected, abs=CLOSE, rel=0), (start, points, hand)


def assert_accepted(rules: Ruleset) -> None:
    race, values = solved(rules)
    bounds = propose_stakes_bounds(race, values.race)
    verdict = judge_race(race, bounds)
    assert verdict.accepted, str(verdict.faults[0])
    oracle = plain_loops(rules)
    for start in every_start(rules, race.unit):
        phase, own, other = int(start.stage == "second"), start.own // race.unit, start.other // race.unit
        lower = bounds.move[phase, own + other, other]
        upper = 1.0 - bounds.wait[race.other(phase), own + other, own]
        assert lower - CLOSE <= oracle.value(start) <= upper + CLOSE, start
        assert 0.0 <= upper - lower <= 1e-9, start


EARLY = turned(FARKLE, "opening-200", opening_minimum=200)
QUICK_STAKES = (
    ended(varied(EARLY), "first_to_target", 400),
    ended(varied(FIVE_DICE), "exact", 300, overshoot="not_allowed"),
    ended(varied(turned(FIVE_DICE, "five-dice-must-roll", hot_dice="must_roll")), "final_round", 200),
)
SLOW_STAKES = (
    with_target(varied(EARLY), 250),
    ended(varied(EARLY), "equal_turns", 250),
    ended(varied(turned(DES_10000, "minimum-of-200", bank_minimum=200)), "final_round", 400),
    ended(varied(turned(DES_10000, "multiple-of-100", bank_multiple=100)), "final_round", 300),
    with_target(STAKES, 500),
    with_target(STAKES, 1000),
    ended(STAKES, "first_to_target", 1000),
    ended(STAKES, "equal_turns", 600),
)
TWO_FACES = (1, 1, 1, 5, 5, 5)
FOUR_FACES = replace(FARKLE, name="four-faces", turn=TurnRules(hot_dice="may_bank"), scoring=SINGLES)
PASSED = tuple(
    ended(turned(FOUR_FACES, f"four-faces-{by}", bank_multiple=by), "exact", 400, overshoot="not_allowed")
    for by in (100, 200)
)
"""Whoever passes an exact target can still win: by six spicy dice."""
QUICK_BOTH = (
    ended(varied(EARLY, (1,) * 6), "first_to_target", 300),
    ended(varied(EARLY, TWO_FACES), "first_to_target", 300),
    ended(varied(FIVE_DICE, (1, 1, 5, 5, 6)), "first_to_target", 250),
    *(varied(rules, (1,) * 6) for rules in PASSED),
)
SLOW_BOTH = (
    ended(BOTH, "first_to_target", 500),
    ended(BOTH, "first_to_target", 1000),
    with_target(varied(FARKLE, (5,) * 6), 500),
    with_target(varied(FARKLE, TWO_FACES), 500),
    with_target(varied(FARKLE, (2,) * 6), 1000),
)
QUICK_SPICY = (
    ended(varied(EARLY, (1,) * 6, high_stakes=False), "first_to_target", 400),
    ended(varied(EARLY, TWO_FACES, high_stakes=False), "first_to_target", 300),
    *(varied(rules, (1,) * 6, high_stakes=False) for rules in PASSED),
)
SLOW_SPICY = (
    ended(varied(EARLY, TWO_FACES, high_stakes=False), "exact", 200, overshoot="not_allowed"),
    ended(
        varied(turned(EARLY, "multiple-of-100", bank_multiple=100), TWO_FACES, high_stakes=False),
        "exact",
        200,
        overshoot="not_allowed",
    ),
    ended(SPICY, "first_to_target", 500),
    ended(SPICY, "first_to_target", 1000),
    with_target(varied(FARKLE, (5,) * 6, high_stakes=False), 500),
    with_target(varied(FARKLE, TWO_FACES, high_stakes=False), 500),
    with_target(varied(FARKLE, (2,) * 6, high_stakes=False), 1000),
)


def _name(rules: Ruleset) -> str:
    return f"{rules.name}-{rules.ending.kind}-{rules.ending.target}"


@pytest.mark.parametrize(("target", "value"), [(1000, 0.542517), pytest.param(2000, 0.542799, marks=pytest.mark.slow)])
def test_values_of_high_stakes(target: int, value: float) -> None:
    assert round(float(solved(with_target(STAKES, target))[1].race.move[0, 0, 0]), 6) == value


@pytest.mark.parametrize("rules", QUICK_STAKES, ids=_name)
def test_every_state_and_offer(rules: Ruleset) -> None:
    assert_same(rules)


@pytest.mark.parametrize("rules", QUICK_STAKES, ids=_name)
def test_the_bounds_are_accepted_and_narrow(rules: Ruleset) -> None:
    assert_accepted(rules)


@pytest.mark.slow
@pytest.mark.parametrize("rules", SLOW_STAKES, ids=_name)
def test_every_state_and_offer_of_a_longer_race(rules: Ruleset) -> None:
    assert_same(rules)
    assert_accepted(rules)


@pytest.mark.parametrize("rules", QUICK_BOTH, ids=_name)
def test_every_state_and_offer_with_spicy_dice(rules: Ruleset) -> None:
    assert_same(rules)
    assert_accepted(rules)


@pytest.mark.slow
@pytest.mark.parametrize("rules", SLOW_BOTH, ids=_name)
def test_every_state_and_offer_of_a_longer_race_with_spicy_dice(rules: Ruleset) -> None:
    assert_same(rules)
    assert_accepted(rules)


@pytest.mark.parametrize("high_stakes", [False, True])
def test_bounds_are_narrow_where_turns_are_likely_to_be_very_long(high_stakes: bool) -> None:
    # With six spicy 5s turns of 40,000 points and more still matter, so no lead of that size is safe.
    rules = with_target(varied(EARLY, (5,) * 6, high_stakes=high_stakes), 200)
    found = solve_match(rules).win_probability()
    assert found.upper - found.lower < 1e-10
    assert most_lead(rules) > most_lead(FARKLE) == most_lead(SPICY)


@pytest.mark.slow
def test_offers_of_more_points_than_any_turn_comes_to_from_there() -> None:
    # With so many scores a row has several blocks, and near the target turns are followed to few points only.
    # Each turn by itself, by another loop than the one that solves whole rows.
    match = solve_match(with_target(STAKES, 4000))
    positions = match.positions
    assert isinstance(positions, StakesPositions)
    unit, program = positions.race.unit, positions.race.program
    for own, other in ((0, 79), (1, 79), (79, 79), (79, 0), (40, 69), (65, 66), (76, 78), (0, 0)):
        turn = positions.turn(Seat(own * unit), Seat(other * unit))
        assert turn.start == pytest.approx(float(positions.move[0, own, other]), abs=CLOSE)
        for points, hand, worth in list(zip(*positions.offers_at(0, own, other), strict=True))[::5]:
            number = program.number(int(points), 0, int(hand))
            assert number is not None
            assert worth == pytest.approx(float(turn.roll[number]), abs=CLOSE), (own, other, points, hand)


def test_what_lies_beyond_all_that_a_block_backs_up() -> None:
    # Two blocks with very different limits: beyond the lower one a bank of any points wins here, so a turn is worth
    # the chance of a roll that scores.
    program = compiled_split(STAKES, 6000, bank_leaves_hand=True)
    columns, banks = 2 * BLOCK, len(program.bank_scores)
    worth = np.random.default_rng(1).random((banks, columns))
    nothing = np.zeros((1, columns))
    contexts = Contexts(worth, np.arange(banks, dtype=np.int32)[None], nothing, nothing, nothing)
    far = np.ones((len(program.bust), columns))
    blocks = np.array([(0, 0, BLOCK, 6000), (0, BLOCK, BLOCK, 100)])
    kept = np.flatnonzero(program.turn_score >= 4000).astype(np.int32)
    _, offers = back_up_keeping(program, contexts, np.zeros(len(program.bust)), kept, far, blocks=blocks, workers=1)
    scoring = (1 - program.bust)[program.hand[kept]]
    assert offers[:, BLOCK:] == pytest.approx(np.tile(scoring, (BLOCK, 1)).T, abs=1e-14)
    beyond = program.turn_score[kept] > 6000
    assert offers[beyond, :BLOCK] == pytest.approx(np.tile(scoring[beyond], (BLOCK, 1)).T, abs=1e-14)


def assert_spicy(rules: Ruleset) -> None:
    """Without High Stakes: every state by plain loops, and bounds that the judge accepts."""
    race = Race(rules)
    values = solve_race(race)
    bounds = propose_bounds(race, values)
    verdict = judge_race(race, bounds)
    assert verdict.accepted, str(verdict.faults[0])
    oracle, positions = plain_loops(rules), RacePositions.of(race, values, bounds)
    for start in every_start(rules, race.unit):
        own, other = start.own // race.unit, start.other // race.unit
        right = oracle.value(start)
        assert positions.turn(Seat(start.own), Seat(start.other)).start == pytest.approx(right, abs=CLOSE, rel=0), start
        assert values.move[0, own + other, other] == pytest.approx(right, abs=CLOSE, rel=0), start
        lower, upper = bounds.move[0, own + other, other], 1.0 - bounds.wait[0, own + other, own]
        assert lower - CLOSE <= right <= upper + CLOSE, start
        assert 0.0 <= upper - lower <= 1e-9, start


@pytest.mark.parametrize("rules", QUICK_SPICY, ids=_name)
def test_every_state_with_spicy_dice_alone(rules: Ruleset) -> None:
    assert_spicy(rules)


@pytest.mark.slow
@pytest.mark.parametrize("rules", SLOW_SPICY, ids=_name)
def test_every_state_of_a_longer_race_with_spicy_dice_alone(rules: Ruleset) -> None:
    assert_spicy(rules)
