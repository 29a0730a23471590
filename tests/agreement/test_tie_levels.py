"""Extra rounds in which it matters at which score both are level: plain loops, floats and whole numbers agree."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest

import dice10k_math as d10
from dice10k_math.certify.exact import judge_exactly
from dice10k_math.certify.rounds import RoundsVerdict, judge_rounds
from dice10k_math.explicit.match import ExplicitMatch, Layout, layout_of
from dice10k_math.extra_rounds import ExtraRounds
from dice10k_math.field import Field
from dice10k_math.field_states import Extent
from dice10k_math.last_turn import DOWN, NEAREST, UP
from dice10k_math.policy import parse_policy
from dice10k_math.questions.exact_match import ExactMatch, certify_match
from dice10k_math.questions.match import check_match, solve_match
from dice10k_math.questions.simulation import players_of
from dice10k_math.rules.model import BustRules, BustsInARow, Ending, Ruleset, SixDicePenalty
from dice10k_math.simulation.run import play_matches, usual_start
from dice10k_math.solve.field import COST
from dice10k_math.solve.rounds import RoundsBounds, estimate_rounds, solve_rounds
from dice10k_math.tie_levels import TieLevels, are_told_apart, levels_of, tells_levels_apart
from tests.agreement.test_endings import SMALL, in_rounds
from tests.oracles.match import MatchOracle, Start

ROWS = (SixDicePenalty(100, below=250), SixDicePenalty(300))
AT_ZERO = replace(
    in_rounds("extra_rounds", opening_minimum=200, opening_applies="at_score_zero"),
    name="at-zero",
    bust=BustRules(in_a_row=BustsInARow(2, 200)),
)
"""Two busts in a row take a player who has just reached the target back to 0, where an opening bank is needed again."""
AT_SOME = replace(
    in_rounds("extra_rounds", dice=6), name="at-some", bust=BustRules(on_six=ROWS, in_a_row=BustsInARow(2, 200))
)
"""A bust on six costs less than two busts in a row up to 200, and more from 300 on."""
BOTH = replace(AT_SOME, name="both", turn=replace(AT_SOME.turn, opening_minimum=200, opening_applies="at_score_zero"))
WIDE = Extent(-2_400, 200, ((400, 3),), (), 3_500)


def extra(level: int, busts: tuple[int, int] = (0, 0)) -> Start:
    return Start(level, level, True, True, *busts, "extra")


@cache
def bounded(rules: Ruleset) -> tuple[tuple[Field, Field], RoundsBounds]:
    fields = Field(rules, WIDE), Field(rules, WIDE, 1)
    return fields, solve_rounds(fields, estimate_rounds(fields))


@cache
def looped(rules: Ruleset, cutoff: int, span: tuple[int, int]) -> MatchOracle:
    """The loops, with ties besides at which both have not as many busts in a row, to which no match comes."""
    ties = product((-200, 0, 200, 300), range(2), range(2))
    also = tuple(extra(level, (led, followed)) for level, led, followed in ties)
    return MatchOracle(rules, cutoff, span=span, also=also)


def bounds_of_tie(bounds: RoundsBounds, start: Start) -> tuple[float, float]:
    place = int(bounds.levels.number(np.array([start.own]))[0]), start.busts, start.other_busts
    return float(bounds.lead[place]), float(1.0 - bounds.follow[place])


def check_ties(rules: Ruleset, oracle: MatchOracle, close: float) -> int:
    """Compare every tie of the loops from -200 on; return how many there are."""
    _, bounds = bounded(rules)
    ties = [start for start in oracle.starts if start.stage == "extra" and -200 <= start.own == start.other]
    for start in ties:
        lower, upper = bounds_of_tie(bounds, start)
        assert 0.0 < upper - lower < 2e-11
        assert lower - close <= oracle.value(start) <= upper + close
    return len(ties)


def check_starts(rules: Ruleset, oracle: MatchOracle, close: float) -> int:
    (field, _), bounds = bounded(rules)
    checked = 0
    for own, other, led, followed, second in product((-100, 0, 100), (-100, 0, 100), (0, 1), (0, 1), (False, True)):
        start = Start(own, other, True, True, led, followed, "second" if second else "")
        place = field.state_of(own, True, led), field.state_of(other, True, followed)
        phase = bounds.phases[second]
        assert 0.0 < phase.them[place] - phase.us[place] < 1e-8
        assert phase.us[place] - close <= oracle.value(start) <= phase.them[place] + close
        checked += 1
    return checked


def test_ties_and_turn_starts_where_an_opening_bank_is_needed_again_at_0() -> None:
    """How close the loops come depends on where they cut scores off: 400 points lower, they come 20 times closer."""
    oracle = looped(AT_ZERO, 3_500, (-1_600, 800))
    assert check_ties(AT_ZERO, oracle, 5e-9) >= 30
    assert check_starts(AT_ZERO, oracle, 5e-8) == 72
    level = {score: bounds_of_tie(bounded(AT_ZERO)[1], extra(score))[0] for score in (-100, 0, 100, 5_000)}
    assert level[0] > level[-100] + 0.005 > level[100] + 0.005
    assert level[5_000] != level[100]


@pytest.mark.slow
@pytest.mark.parametrize("rules", [AT_SOME, BOTH], ids=lambda rules: rules.name)
def test_ties_and_turn_starts_where_a_bust_on_six_costs_more_at_some_scores(rules: Ruleset) -> None:
    oracle = looped(rules, 4_000, (-1_200, 900))
    assert check_ties(rules, oracle, 3e-7) >= 30
    assert check_starts(rules, oracle, 3e-7) == 72


@pytest.mark.slow
def test_a_greater_target() -> None:
    """From it three falls lead to 0."""
    rules = replace(AT_ZERO, name="greater", ending=replace(AT_ZERO.ending, target=600))
    match, oracle = solve_match(rules), MatchOracle(rules, 4_000, span=(-1_600, 1_400))
    assert check_ties(rules, oracle, 1e-8) >= 30
    for own, other, second in product(range(0, 600, 100), range(0, 600, 100), (False, True)):
        found = match.win_probability(own, other, second=second, opened=(True, True))
        value = oracle.value(Start(own, other, True, True, stage="second" if second else ""))
        assert found.lower - 1e-7 <= value <= found.upper + 1e-7
        assert found.upper - found.lower < 1e-9


@pytest.mark.slow
def test_a_penalty_that_takes_both_from_the_target_to_0() -> None:
    bust = BustRules(in_a_row=BustsInARow(2, 600))
    rules = replace(AT_ZERO, name="from-600", ending=replace(AT_ZERO.ending, target=600), bust=bust)
    ties = ExtraRounds(Field(rules, SMALL), levels_of(rules, 8))
    lead = ties.settled(NEAREST, NEAREST)
    oracle = MatchOracle(rules, 3_500, span=(-2_400, 1_200))
    for level in (0, 100, 600, 1_000):
        number = int(ties.levels.number(np.array([level]))[0])
        assert lead[number, 0, 0] == pytest.approx(oracle.value(extra(level)), abs=5e-6)


def test_only_unequal_busts_in_a_row_tell_rows_of_penalties_apart() -> None:
    """Both have banked before the first tie, so they have as many busts in a row at every tie of a match."""
    field = Field(AT_SOME, SMALL)
    rounds = ExtraRounds(field, levels_of(AT_SOME, 2))
    ties = rounds.settled(NEAREST, NEAREST)
    low, high = (int(rounds.levels.number(np.array([score]))[0]) for score in (200, 300))
    for busts in (0, 1):
        assert ties[low, busts, busts] == pytest.approx(ties[high, busts, busts], abs=1e-13)
    assert abs(ties[low, 0, 1] - ties[high, 0, 1]) > 1e-4


@pytest.mark.parametrize("levels", [TieLevels(100, -300, 200), TieLevels(100, 0, 800)])
def test_levels_that_are_all_alike_are_worth_what_one_is(levels: TieLevels) -> None:
    field = Field(in_rounds("extra_rounds"), SMALL)
    one, several = (ExtraRounds(field, each).settled(NEAREST, NEAREST) for each in (None, levels))
    assert several.shape == (levels.count, *one.shape)
    assert np.max(np.abs(several - one)) < 1e-14


def test_more_levels_bring_bounds_closer_and_stay_within_others() -> None:
    field, gaps = Field(AT_ZERO, SMALL), []
    before = (0.0, 1.0)
    for falls in (1, 2, 4):
        levels = levels_of(AT_ZERO, falls)
        rounds, place = ExtraRounds(field, levels), int(levels.number(np.array([200]))[0])
        lower = float(rounds.settled(DOWN, UP, COST)[place, 0, 0])
        upper = 1.0 - float(rounds.settled(UP, DOWN, COST, leading=False)[place, 0, 0])
        assert before[0] - 1e-11 <= lower <= upper <= before[1] + 1e-11
        before = lower, upper
        gaps.append(upper - lower)
    assert gaps[2] < 1e-9 < gaps[1] < gaps[0] / 10


def test_which_games_tell_levels_apart() -> None:
    dix_mille = d10.load_rules("dix-mille")
    rows = (SixDicePenalty(500, below=5_000), SixDicePenalty(1_000))
    for penalty, apart in ((400, False), (600, True), (1_000, True), (1_200, False)):
        rules = replace(dix_mille, bust=BustRules(on_six=rows, in_a_row=BustsInARow(3, penalty)))
        check_match(rules)
        assert tells_levels_apart(rules) is apart
        levels = levels_of(rules, 1)
        assert levels == (TieLevels(50, 4_000, 6_000) if penalty < 1_200 else TieLevels(50, 3_800, 6_200)) or not apart
    again = replace(dix_mille, turn=replace(dix_mille.turn, opening_applies="at_score_zero"))
    assert not tells_levels_apart(again)
    assert tells_levels_apart(replace(again, bust=BustRules(on_six=(SixDicePenalty(500),))))
    assert not tells_levels_apart(
        replace(again, bust=BustRules(on_six=(SixDicePenalty(500),)), ending=Ending("equal_turns", 10_000))
    )


@pytest.mark.parametrize("levels", [TieLevels(100), TieLevels(100, 100, 400), TieLevels(100, -400, -100)])
def test_levels_that_hide_a_difference_are_refused(levels: TieLevels) -> None:
    assert not are_told_apart(AT_ZERO, levels)
    with pytest.raises(ValueError, match="does not tell the scores apart"):
        ExtraRounds(Field(AT_ZERO, SMALL), levels)


def judged(**changes: np.ndarray) -> RoundsVerdict:
    fields, bounds = bounded(AT_ZERO)
    us, them = (np.stack([getattr(phase, name) for phase in bounds.phases]) for name in ("us", "them"))
    said = {"lead": bounds.lead, "follow": bounds.follow} | changes
    return judge_rounds(fields, us, them, said["lead"], said["follow"], bounds.levels)


def test_the_judge_accepts_the_bounds() -> None:
    assert judged().accepted


@pytest.mark.parametrize("level", [-100, 0, 20_000])
@pytest.mark.parametrize("seat", ["lead", "follow"])
def test_a_tampered_tie_is_refused_with_its_level(seat: str, level: int) -> None:
    _, bounds = bounded(AT_ZERO)
    forged = getattr(bounds, seat).copy()
    number = int(bounds.levels.number(np.array([level]))[0])
    forged[number, 0, 1] += 1e-9
    at = int(bounds.levels.samples[number])
    assert any(f"at a tie with {at} : {at}, 0 and 1 busts in a row" in str(f) for f in judged(**{seat: forged}).faults)


@pytest.mark.parametrize("shape", [(2, 2), (1, 2, 2)])
def test_ties_of_other_levels_are_refused(shape: tuple[int, ...]) -> None:
    verdict = judged(lead=np.full(shape, 0.1))
    assert not verdict.accepted
    assert verdict.checked == 0


@cache
def in_fractions(rules: Ruleset) -> ExactMatch:
    usual = layout_of(rules)
    layout = replace(usual, low=-200, far=(200,), ties=(-600, 600))
    if rules.bust.on_six:
        layout = Layout(-200, 100, (200,), 2_400, 2_100, 400, 4_000, (-300, 500))
    return certify_match(rules, layout=layout)


@pytest.mark.parametrize(("rules", "close"), [(AT_ZERO, 1e-6), pytest.param(BOTH, 1e-3, marks=pytest.mark.slow)])
def test_fractions_and_floats_agree_on_every_tie(rules: Ruleset, close: float) -> None:
    found, (_, bounds) = in_fractions(rules), bounded(rules)
    levels, checked = found.match.levels, 0
    assert levels.several
    for level, *busts in product(range(len(levels.intervals)), range(2), range(2)):
        if -300 <= (score := levels.score(level)) <= 300:
            low, high = bounds_of_tie(bounds, extra(score, (busts[0], busts[1])))
            lower, upper = (claim[level, *busts] for claim in (found.claims.tie_lower, found.claims.tie_upper))
            assert lower <= high
            assert low <= upper
            assert 0 < upper - lower < close
            checked += 1
    assert checked == 28


def test_fractions_enclose_the_values_of_the_loops() -> None:
    found, oracle = in_fractions(AT_ZERO), looped(AT_ZERO, 3_500, (-1_600, 800))
    for own, other, second in product((0, 100), (0, 100), (False, True)):
        bounds = found.win_probability(own, other, second=second, opened=(True, True))
        value = oracle.value(Start(own, other, True, True, stage="second" if second else ""))
        assert bounds.lower - 1e-8 <= value <= bounds.upper + 1e-8
        assert bounds.upper - bounds.lower < 0.05


def test_one_level_in_whole_numbers_where_nothing_changes() -> None:
    alike = replace(AT_ZERO, turn=replace(AT_ZERO.turn, opening_applies="until_first_bank"))
    for rules, several in ((AT_ZERO, True), (alike, False), (replace(AT_ZERO, bust=BustRules()), False)):
        match = ExplicitMatch(rules, layout_of(rules))
        assert match.levels.several is several
        assert (match.tie_shape == (match.busts, match.busts)) is not several
        assert (len(match.last_turns) == len(match.deficits)) is not several


@pytest.mark.parametrize(
    ("what", "side", "where"),
    [
        ("tie", "lower", "leading off an extra round with 0 and 1 busts in a row at 0"),
        ("tie", "upper", "leading off an extra round with 0 and 1 busts in a row at 0"),
        ("answer", "lower", "answering a bust with all dice with 0 and 1 busts in a row at 0"),
        ("last", "upper", "a last turn, 300 behind, to be level at 300, with an opening bank"),
    ],
)
def test_a_level_that_claims_too_much_is_refused_in_fractions(what: str, side: str, where: str) -> None:
    found = in_fractions(AT_ZERO)
    zero = found.match.levels.intervals.index((0, 0))
    forged = getattr(found.claims, f"{what}_{side}").copy()
    numbers = {"tie": (zero, 0, 1), "answer": (zero, 0, 1, 1), "last": found.match.answer_to(zero, 3, lowest=True)}
    forged[numbers[what]] += Fraction(1, 10**7) if side == "lower" else Fraction(-1, 10**7)
    verdict = judge_exactly(found.match, replace(found.claims, **{f"{what}_{side}": forged}))
    assert any(fault.where == where for fault in verdict.faults)


def test_matches_played_where_an_opening_bank_is_needed_again() -> None:
    """Plain and compiled loops play alike."""
    players = players_of([parse_policy("threshold 100"), parse_policy("threshold 200")], AT_ZERO)
    start = usual_start((0, 0))
    plain, fast = (play_matches(AT_ZERO, players, 1_000, 3, start, plainly=plainly) for plainly in (True, False))
    assert repr(plain) == repr(fast)
