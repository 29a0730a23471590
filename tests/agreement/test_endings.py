"""Every ending with every kind of penalty, minimum and bank: solved within certified bounds.

The games have three dice, which bust often enough to matter and seldom enough for scores not to sink for ever.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest

import dice10k_math as d10
from dice10k_math.certify.exact import judge_exactly
from dice10k_math.certify.rounds import RoundsVerdict, judge_rounds
from dice10k_math.errors import InputError
from dice10k_math.explicit.match import Layout, layout_of
from dice10k_math.extra_rounds import ExtraRounds, value_of_ties
from dice10k_math.field import Field
from dice10k_math.field_states import Extent
from dice10k_math.last_turn import NEAREST
from dice10k_math.policy import parse_policy
from dice10k_math.questions.exact_match import ExactMatch, certify_match
from dice10k_math.questions.match import solve_match
from dice10k_math.questions.simulation import players_of
from dice10k_math.race import Race
from dice10k_math.rules import score_step
from dice10k_math.rules.model import BustRules, BustsInARow, Ending, Ruleset, SixDicePenalty
from dice10k_math.simulation.run import play_matches, usual_start
from dice10k_math.solve.race import solve_extra_rounds
from dice10k_math.solve.rounds import RoundsBounds, estimate_rounds, solve_rounds
from tests.agreement.test_field import FEW_DICE
from tests.oracles.match import MatchOracle, Start, every_start

THREE_DICE = replace(FEW_DICE, turn=replace(FEW_DICE.turn, dice=3, bank_multiple=None))
IN_A_ROW = BustRules(in_a_row=BustsInARow(3, 100))
ENDINGS = (
    Ending("first_to_target", 200),
    Ending("final_round", 200),
    Ending("equal_turns", 200),
    Ending("equal_turns", 200, tie="extra_rounds"),
    Ending("exact", 200, overshoot="not_allowed"),
    Ending("exact", 200, overshoot="add_or_subtract"),
)
TURNS: tuple[dict[str, Any], ...] = (
    {},
    {"bank_minimum": 150},
    {"bank_multiple": 100},
    {"opening_minimum": 150},
    {"opening_minimum": 150, "opening_applies": "at_score_zero"},
    {"bank_takes": "all_scoring"},
    {"bank_takes": "all_scoring", "hot_dice": "must_roll", "bank_minimum": 150},
)
CLOSE = 1e-12
SMALL = Extent(-600, 200, ((200, 2),), (), 1_500)


def combinations() -> Iterator[Ruleset]:
    for ending, turn, bust in product(ENDINGS, TURNS, (BustRules(), IN_A_ROW)):
        yield replace(THREE_DICE, turn=replace(THREE_DICE.turn, **turn), bust=bust, ending=ending)


def called(rules: Ruleset) -> str:
    turn = rules.turn
    said = (
        rules.ending.kind,
        rules.ending.tie or rules.ending.overshoot or "",
        turn.bank_minimum,
        turn.bank_multiple or 1,
        turn.opening_minimum,
        turn.opening_applies,
        turn.bank_takes,
        "penalties" if rules.bust.in_a_row else "",
    )
    return "-".join(map(str, said))


def marked() -> Iterator[object]:
    """All combinations; of those with penalties, which take longer, only some in the ordinary run."""
    for rules in combinations():
        slow = rules.bust.in_a_row is not None and rules.turn.bank_multiple is None
        yield pytest.param(rules, marks=pytest.mark.slow if slow else ())


@pytest.mark.parametrize("rules", list(marked()), ids=called)
def test_every_combination_is_solved_within_bounds(rules: Ruleset) -> None:
    match = solve_match(rules)
    for start in every_start(rules, score_step(rules)):
        found = match.win_probability(start.own, start.other, second=start.stage == "second")
        assert 0.0 <= found.lower <= found.value <= found.upper <= 1.0
        if rules.ending.overshoot is None:
            assert found.upper - found.lower < 1e-10


RACES = [rules for rules in combinations() if rules.bust == BustRules() and rules.ending.overshoot is None]


@pytest.mark.parametrize("rules", RACES, ids=called)
def test_where_no_score_falls_plain_loops_give_the_same(rules: Ruleset) -> None:
    """A bank minimum above what is missing to the target among them: a turn goes on beyond it until it may be banked."""
    match, unit = solve_match(rules), score_step(rules)
    oracle = MatchOracle(rules, 8_000, also=tuple(every_start(rules, unit)))
    for start in every_start(rules, unit):
        found = match.win_probability(start.own, start.other, second=start.stage == "second")
        assert found.lower - 1e-12 <= oracle.value(start) <= found.upper + 1e-12


def in_rounds(tie: str, **turn: Any) -> Ruleset:
    """Equal turns with penalties, in steps of 100."""
    ending = Ending("equal_turns", 200, tie="shared" if tie == "shared" else "extra_rounds")
    changed = replace(THREE_DICE.turn, **{"bank_multiple": 100, **turn})
    return replace(THREE_DICE, turn=changed, bust=IN_A_ROW, ending=ending)


@cache
def compared(tie: str) -> tuple[d10.MatchSolution, MatchOracle]:
    rules = in_rounds(tie)
    return solve_match(rules), MatchOracle(rules, 6_000, span=(-800, 200))


@pytest.mark.parametrize("tie", [pytest.param("shared", marks=pytest.mark.slow), "extra_rounds"])
def test_equal_turns_with_penalties_by_plain_loops(tie: str) -> None:
    """All scores, busts in a row and turns of the round; the loops count scores below -800 as that."""
    match, oracle = compared(tie)
    checked = 0
    scores = range(-300, 200, 100)
    for own, other, busts, other_busts, second in product(scores, scores, range(3), range(3), (False, True)):
        start = Start(own, other, True, True, busts, other_busts, "second" if second else "")
        found = match.win_probability(own, other, second=second, opened=(True, True), busts=(busts, other_busts))
        close = CLOSE if min(own, other) >= 0 else 1e-7
        assert found.lower - close <= oracle.value(start) <= found.upper + close
        assert found.upper - found.lower < 1e-10
        checked += 1
    assert checked == 450


@cache
def in_fractions(tie: str) -> ExactMatch:
    """Scores are told apart from -500 on."""
    rules = in_rounds(tie)
    return certify_match(rules, layout=replace(layout_of(rules), low=-500, far=(200,)))


@pytest.mark.parametrize("tie", [pytest.param("shared", marks=pytest.mark.slow), "extra_rounds"])
def test_fractions_enclose_equal_turns_with_penalties(tie: str) -> None:
    _, oracle = compared(tie)
    found = in_fractions(tie)
    checked = 0
    scores = range(-300, 200, 100)
    for own, other, busts, other_busts, second in product(scores, scores, range(3), range(3), (False, True)):
        start = Start(own, other, True, True, busts, other_busts, "second" if second else "")
        bounds = found.win_probability(own, other, second=second, opened=(True, True), busts=(busts, other_busts))
        near = min(own, other) >= 0
        close = CLOSE if near else 1e-7
        assert bounds.lower - close <= oracle.value(start) <= bounds.upper + close
        assert 0 <= bounds.upper - bounds.lower < (1e-8 if near else 2e-4)
        checked += 1
    assert checked == 450


def test_fractions_enclose_every_tie() -> None:
    """The busts in a row of both count in extra rounds; the loops and the floats say the same."""
    (_, oracle), claims = compared("extra_rounds"), in_fractions("extra_rounds").claims
    floats = value_of_ties(Field(oracle.rules, SMALL))
    level, listed = oracle.rules.ending.target, 0
    for tie in product(range(3), range(3)):
        low, high = claims.tie_lower[tie], claims.tie_upper[tie]
        assert 0 < high - low < 1e-10
        assert low - CLOSE <= floats[tie] <= high + CLOSE
        start = oracle.told_apart(Start(level, level, True, True, *tie, "extra"))
        if start in oracle.numbers:
            assert low - CLOSE <= oracle.value(start) <= high + CLOSE
            listed += 1
    assert listed >= 3
    assert claims.tie_lower[0, 2] - claims.tie_upper[2, 0] > 0.01


@pytest.mark.parametrize("lead", [200, 1_000])
def test_bounds_of_a_tie_hold_however_far_leading_off_is_followed(lead: int) -> None:
    """A bank beyond leaves the other at least that far behind, and for a lower bound no farther."""
    rules = in_rounds("extra_rounds")
    claims = certify_match(rules, layout=replace(layout_of(rules), low=-200, far=(200,), lead=lead)).claims
    value = value_of_ties(Field(rules, SMALL))[0, 0]
    assert claims.tie_lower[0, 0] < value - 1e-9
    assert value + 1e-9 < claims.tie_upper[0, 0]


WRONG = {
    "tie": ((2, 0), "leading off an extra round with 2 and 0"),
    "answer": ((0, 2, 0), "answering a bust with 0 and 2"),
}


@pytest.mark.parametrize("side", ["lower", "upper"])
@pytest.mark.parametrize("what", WRONG)
def test_a_tie_that_claims_too_much_is_refused_in_fractions(what: str, side: str) -> None:
    found, (place, where) = in_fractions("extra_rounds"), WRONG[what]
    forged = getattr(found.claims, f"{what}_{side}").copy()
    forged[place] += Fraction(1, 10**9) if side == "lower" else Fraction(-1, 10**9)
    verdict = judge_exactly(found.match, replace(found.claims, **{f"{what}_{side}": forged}))
    assert any(fault.where.startswith(where) for fault in verdict.faults)


@pytest.mark.slow
@pytest.mark.parametrize("in_a_row", [None, BustsInARow(2, 100)])
def test_fractions_enclose_equal_turns_where_a_bust_on_six_costs_points(in_a_row: BustsInARow | None) -> None:
    rules = replace(in_rounds("extra_rounds", dice=6), bust=BustRules(on_six=(SixDicePenalty(100),), in_a_row=in_a_row))
    found, oracle = certify_match(rules), MatchOracle(rules, 8_000, span=(-800, 200))
    counted = range(2 if in_a_row else 1)
    scores = range(-200, 200, 100)
    for own, other, busts, other_busts, second in product(scores, scores, counted, counted, (False, True)):
        start = Start(own, other, True, True, busts, other_busts, "second" if second else "")
        bounds = found.win_probability(own, other, second=second, opened=(True, True), busts=(busts, other_busts))
        assert bounds.lower - 1e-7 <= oracle.value(start) <= bounds.upper + 1e-7
        assert bounds.upper - bounds.lower < 0.05
    level = oracle.value(Start(200, 200, True, True, stage="extra"))
    assert found.claims.tie_lower[0, 0] - CLOSE <= level <= found.claims.tie_upper[0, 0] + CLOSE
    assert found.claims.tie_upper[0, 0] - found.claims.tie_lower[0, 0] < 1e-10


@pytest.mark.parametrize("kind", ["final_round", "equal_turns"])
def test_an_interval_of_scores_bounds_each_of_them_in_fractions(kind: str) -> None:
    """Also those from where a bank may reach the target with one total or with a greater one."""
    rules = replace(in_rounds("shared"), ending=Ending("final_round" if kind == "final_round" else "equal_turns", 200))
    usual = replace(layout_of(rules), far=(400,))
    fine, coarse = (certify_match(rules, layout=replace(usual, low=low)) for low in (-400, 0))
    checked = 0
    for own, other in product(range(-400, 200, 100), repeat=2):
        near, far = (match.win_probability(own, other, opened=(True, True)) for match in (fine, coarse))
        assert far.lower <= near.upper
        assert near.lower <= far.upper
        checked += near.upper - near.lower < far.upper - far.lower
    assert checked > 20


def test_extra_rounds_without_penalties_are_those_of_races() -> None:
    rules = replace(in_rounds("extra_rounds"), bust=BustRules())
    race = Race(rules)
    assert ExtraRounds(race).settled(NEAREST, NEAREST)[0, 0] == pytest.approx(solve_extra_rounds(race)[0], abs=1e-14)


def test_busts_in_a_row_count_in_extra_rounds() -> None:
    """Who is about to pay is worse off; both to the digits of the loops."""
    match, oracle = compared("extra_rounds")
    assert match is not None
    ties = value_of_ties(Field(oracle.rules, SMALL))
    assert ties[2, 0] < ties[0, 0] < ties[0, 2]
    level = oracle.rules.ending.target
    for busts, other_busts in ((0, 0), (2, 0), (0, 2), (1, 2)):
        start = Start(level, level, True, True, busts, other_busts, "extra")
        if oracle.told_apart(start) in oracle.numbers:
            assert ties[busts, other_busts] == pytest.approx(oracle.value(start), abs=CLOSE)
    assert ties[0, 0] == pytest.approx(oracle.value(Start(level, level, True, True, stage="extra")), abs=CLOSE)


@cache
def bounded() -> tuple[tuple[Field, Field], RoundsBounds]:
    rules = in_rounds("extra_rounds")
    fields = Field(rules, SMALL), Field(rules, SMALL, 1)
    return fields, solve_rounds(fields, estimate_rounds(fields))


def judged(**changes: np.ndarray) -> RoundsVerdict:
    fields, bounds = bounded()
    tables = {name: np.stack([getattr(phase, name) for phase in bounds.phases]) for name in ("us", "them")}
    said = tables | {"lead": bounds.lead, "follow": bounds.follow} | changes
    return judge_rounds(fields, said["us"], said["them"], said["lead"], said["follow"], bounds.levels)


@pytest.mark.parametrize("phase", [0, 1])
@pytest.mark.parametrize("table", ["us", "them"])
def test_a_tampered_bound_is_refused_with_its_state(table: str, phase: int) -> None:
    fields, bounds = bounded()
    forged = np.stack([getattr(part, table) for part in bounds.phases])
    place = fields[0].state_of(0), fields[0].state_of(100, busts=2)
    forged[phase][place] += 1e-9 if table == "us" else -1e-9
    faults = judged(**{table: forged}).faults
    name = f"{'lower' if table == 'us' else 'upper'} bound{', closing a round' if phase else ''}"
    assert any(str(fault).startswith(f"{name}, score 0 against 100: ") for fault in faults)


@pytest.mark.parametrize("seat", ["lead", "follow"])
def test_a_tampered_tie_is_refused(seat: str) -> None:
    _, bounds = bounded()
    forged = getattr(bounds, seat).copy()
    forged[0, 0] += 1e-9
    assert any("at a tie with 0 and 0 busts in a row" in str(fault) for fault in judged(**{seat: forged}).faults)


ROWS = (SixDicePenalty(100, below=150), SixDicePenalty(200))


@pytest.mark.parametrize(
    ("in_a_row", "span", "close"),
    [(None, (-800, 800), 2e-8), pytest.param(BustsInARow(2, 300), (-2_600, 800), 1e-5, marks=pytest.mark.slow)],
)
def test_ties_where_a_bust_on_six_costs_more_at_some_scores(
    in_a_row: BustsInARow | None, span: tuple[int, int], close: float
) -> None:
    """The loops tell the scores apart at which both are level, and find that they do not matter.

    How close they come depends on where they cut turn scores off, and scores.
    """
    rules = replace(in_rounds("extra_rounds", dice=6), bust=BustRules(on_six=ROWS, in_a_row=in_a_row))
    match, oracle = solve_match(rules), MatchOracle(rules, 4_000, span=span)
    ties = value_of_ties(Field(rules, SMALL))
    levels: dict[tuple[int, int], set[int]] = {}
    for start in oracle.starts:
        if start.stage == "extra" and start.own == start.other >= 0:
            assert ties[start.busts, start.other_busts] == pytest.approx(oracle.value(start), abs=max(close, 3e-7))
            levels.setdefault((start.busts, start.other_busts), set()).add(start.own)
    assert all({0, 100, 200, 300} <= found for found in levels.values())
    assert len(levels) == (2 if in_a_row else 1)
    spread = [oracle.value(Start(own, own, True, True, stage="extra")) for own in (0, 100, 200, 600)]
    assert max(spread) - min(spread) < close / 10
    scores = range(-100, 200, 100)
    for own, other, second in product(scores, scores, (False, True)):
        found = match.win_probability(own, other, second=second, opened=(True, True))
        value = oracle.value(Start(own, other, True, True, stage="second" if second else ""))
        assert found.lower - close <= value <= found.upper + close
        assert found.upper - found.lower < 1e-10


def test_fractions_enclose_ties_where_a_bust_on_six_costs_more_at_some_scores() -> None:
    """Equal costs leave a tie, whatever they are, so one row is like another."""
    few = Layout(-200, 100, (200,), 600, 300, 100, 300)
    claims = [
        certify_match(replace(in_rounds("extra_rounds", dice=6), bust=BustRules(on_six=rows)), layout=few).claims
        for rows in (ROWS, (SixDicePenalty(200),))
    ]
    assert len({claim.tie_lower[0, 0] for claim in claims}) == 1
    assert len({claim.lower[0, 3, 3] for claim in claims}) == 2


def test_scores_that_the_target_is_no_multiple_of_are_told_apart() -> None:
    """In steps of 300 to a target of 1,000 the match is won with 1,200, and 900 is a score like others."""
    rules = replace(
        THREE_DICE,
        turn=replace(THREE_DICE.turn, bank_multiple=300),
        bust=BustRules(in_a_row=BustsInARow(3, 300)),
        ending=Ending("final_round", 1000),
    )
    field, even = (Field(changed, SMALL) for changed in (rules, replace(rules, ending=Ending("final_round", 1200))))
    assert field.states == even.states
    assert field.states[field.state_of(900)].low == 900
    with pytest.raises(InputError, match="cannot be"):
        field.state_of(1_200)


@pytest.mark.parametrize("kind", ["first_to_target", "final_round"])
def test_fractions_enclose_the_values_where_the_target_is_no_multiple(kind: str) -> None:
    ending = Ending("first_to_target" if kind == "first_to_target" else "final_round", 200)
    rules = replace(THREE_DICE, turn=replace(THREE_DICE.turn, bank_multiple=150), ending=ending)
    found, oracle = certify_match(rules), MatchOracle(rules, 8_000, also=tuple(every_start(rules, 150)))
    for start in every_start(rules, 150):
        bounds = found.win_probability(start.own, start.other)
        assert bounds.lower - CLOSE <= oracle.value(start) <= bounds.upper + CLOSE
        assert bounds.upper - bounds.lower < 1e-9


def test_matches_played_with_extra_rounds_and_penalties() -> None:
    """Plain and compiled loops play alike, also where nobody needs the target any more as there is a tie to break."""
    rules = in_rounds("extra_rounds")
    players = players_of([parse_policy("threshold 100"), parse_policy("threshold 200")], rules)
    start = usual_start((0, 0))
    plain, fast = (play_matches(rules, players, 1_000, 3, start, plainly=plainly) for plainly in (True, False))
    assert repr(plain) == repr(fast)
