"""Matches in which scores fall or pass the target: bounds of fields against plain loops over explicit states."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import pairwise, product

import numpy as np
import polars as pl
import pytest

from dice10k_math import field_movers
from dice10k_math.certify.field import judge_field
from dice10k_math.field import Field
from dice10k_math.field_moves import Span
from dice10k_math.field_states import Extent, OwnState
from dice10k_math.last_turn import DOWN, UP
from dice10k_math.questions.match import solve_match
from dice10k_math.questions.positions import Seat
from dice10k_math.rules import load_rules
from dice10k_math.rules.model import BustRules, BustsInARow, Ending, Ruleset, SixDicePenalty
from dice10k_math.solve import field as solving
from dice10k_math.solve.field import FieldBounds, solve_field
from tests.oracles.match import MatchOracle, Start
from tests.oracles.turn import six_dice_penalty

DES_10000 = load_rules("des-10000")
FEW_DICE = replace(
    DES_10000,
    scoring=replace(DES_10000.scoring, larger_sets=None, straight=None, three_pairs=None),
    turn=replace(DES_10000.turn, dice=2, bank_multiple=100),
)
IN_A_ROW = replace(
    FEW_DICE,
    name="two-in-a-row",
    bust=BustRules(in_a_row=BustsInARow(2, 100)),
    ending=Ending("first_to_target", 400),
)
EXACT = replace(FEW_DICE, name="exact", ending=Ending("exact", 400, overshoot="add_or_subtract"))
EXTENTS = {
    IN_A_ROW.name: Extent(-1500, 400, ((200, 3),), (), 1500),
    EXACT.name: Extent(-2000, 2800, ((200, 3),), ((200, 3),), 2400, 400),
}
FAR = {IN_A_ROW.name: (4_000, (-3_000, 3_000)), EXACT.name: (8_000, (-6_000, 6_000))}
"""Greatest turn score, and scores told apart, by which the plain loops come to the values to their last digits."""


@cache
def bounded(rules: Ruleset) -> tuple[Field, FieldBounds]:
    field = Field(rules, EXTENTS[rules.name])
    return field, solve_field(field)


@pytest.mark.slow
@pytest.mark.parametrize("rules", [IN_A_ROW, EXACT], ids=lambda rules: rules.name)
def test_bounds_are_accepted_and_hold_the_value(rules: Ruleset) -> None:
    field, bounds = bounded(rules)
    verdict = judge_field(field, bounds.us, bounds.them)
    assert verdict.accepted, str(verdict.faults[0])
    pairs = product(range(0, 400, 100), repeat=2)
    starts = tuple(Start(own, other, opened=own > 0, other_opened=other > 0) for own, other in pairs)
    cutoff, span = FAR[rules.name]
    oracle = MatchOracle(rules, cutoff, span=span, also=starts)
    for start in starts:
        place = field.state_of(start.own), field.state_of(start.other)
        assert bounds.us[place] - 1e-12 <= oracle.value(start) <= bounds.them[place] + 1e-12
        assert bounds.them[place] - bounds.us[place] < 1e-4


SHORT = Extent(-600, 1000, ((200, 2),), ((200, 2),), 1200, 400)


def test_bounds_are_the_same_by_whatever_way_they_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Starts from turns followed less far, equations of all states and made anew in each round: the same bounds."""
    field = Field(EXACT, SHORT)
    found = solve_field(field, rougher=[Field(EXACT, replace(SHORT, most=most)) for most in (400, 800)])
    assert judge_field(field, found.us, found.them).accepted
    monkeypatch.setattr(field_movers, "RARE", 0.0)
    monkeypatch.setattr(solving, "STALE", 0.0)
    monkeypatch.setattr(solving, "MOST_PARTS", 0)
    plain = solve_field(field)
    assert found.us == pytest.approx(plain.us, abs=1e-9)
    assert found.them == pytest.approx(plain.them, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("table", ["us", "them"])
@pytest.mark.parametrize("by", [1e-9, float("nan")])
def test_a_tampered_bound_is_refused_with_its_state(table: str, by: float) -> None:
    field, bounds = bounded(IN_A_ROW)
    place = field.state_of(100), field.state_of(300)
    forged = getattr(bounds, table).copy()
    forged[place] += by if table == "us" else -by
    verdict = judge_field(field, **{"us": bounds.us, "them": bounds.them, table: forged})
    assert not verdict.accepted
    assert any((fault.state.low, fault.opponent.low) == (100, 300) for fault in verdict.faults)


def test_a_target_that_may_not_be_passed_with_penalties_by_plain_loops() -> None:
    """Who has passed it in a turn can only go on until a bust, with all dice or with fewer: the bounds say how likely
    each is, and follow it, so that few rounds settle the play.
    """
    turn = replace(DES_10000.turn, bank_multiple=100)
    ending = Ending("exact", 300, overshoot="not_allowed")
    rules = replace(DES_10000, turn=turn, bust=BustRules(on_six=(SixDicePenalty(200),)), ending=ending)
    told: list[str] = []
    match = solve_match(rules, lambda what, _: told.append(what))
    rounds = {int(what.split(" round ")[1].split()[0]) for what in told if " round " in what}
    assert 2 <= max(rounds) <= 12
    oracle = MatchOracle(rules, 6_000, span=(-1_000, 300))
    for own in range(-200, 300, 100):
        for other in range(-200, 300, 100):
            found = match.win_probability(own, other)
            assert found.upper - found.lower < 1e-10
            # The loops count turn scores of 6,000 as busts.
            assert found.lower - 1e-9 <= oracle.value(Start(own, other, True, True)) <= found.upper + 1e-9
            turn_start = match.positions.turn(Seat(own), Seat(other)).start
            assert abs(turn_start - found.value) < 1e-10


TWO_ROWS = BustRules(on_six=(SixDicePenalty(100, below=-450), SixDicePenalty(300, below=900), SixDicePenalty(700)))
INTERVALS = (
    replace(FEW_DICE, bust=IN_A_ROW.bust, ending=Ending("final_round", 400)),
    replace(FEW_DICE, bust=IN_A_ROW.bust, ending=Ending("equal_turns", 400)),
    replace(FEW_DICE, bust=IN_A_ROW.bust, ending=Ending("first_to_target", 400)),
    replace(FEW_DICE, turn=replace(FEW_DICE.turn, dice=6), bust=TWO_ROWS, ending=Ending("final_round", 400)),
    replace(EXACT, turn=replace(FEW_DICE.turn, dice=6), bust=TWO_ROWS),
)


@pytest.mark.parametrize("rules", INTERVALS, ids=lambda rules: f"{rules.ending.kind}-{len(rules.bust.on_six)}")
def test_an_interval_counts_as_the_worst_and_as_the_best_of_its_scores(rules: Ruleset) -> None:
    """Whatever waiting is worth: of every bank, and of every bust, from every score that is in the interval."""
    above = 800 if rules.ending.kind == "exact" else 400
    field = Field(rules, Extent(-100, above, ((300, 2), (500, 1)), ((300, 2), (500, 1)), 1_500))
    table = np.random.default_rng(3).random((field.rows, len(field.states)))
    table[field.won] = 1.0
    # A greater total is worth more.
    table[field.last :].sort(axis=0)
    checked = 0
    for state, moves in zip(field.states, field.moves, strict=True):
        ends = [max(state.low, -2_500), min(state.high, 4_500)]
        for score in range(int(ends[0]), int(ends[1]) + 1, 100):
            spans = [(moves.bust, _after_bust(field, state, score, on_six=False))]
            spans.append((moves.bust_on_six, _after_bust(field, state, score, on_six=True)))
            added = dict(moves.banks[0])
            spans += [(added[bank], field.banked_row(score + points)) for bank, points in _banks(field, score, added)]
            for span, row in spans:
                assert (field.worth(span, table, DOWN) <= table[row]).all()
                assert (field.worth(span, table, UP) >= table[row]).all()
                worst = field.counting_row(span, table, DOWN)
                assert (table[worst, np.arange(len(worst))] <= table[row]).all()
                checked += state.low < state.high
    assert checked > 200


def _banks(field: Field, score: int, listed: dict[int, Span]) -> list[tuple[int, int]]:
    """Banks that add and do not lead from the target of an exact ending, which is no win."""
    scores = enumerate(field.program.bank_scores.tolist())
    return [(bank, points) for bank, points in scores if bank in listed and (score < field.target or not field.exact)]


def _after_bust(field: Field, state: OwnState, score: int, *, on_six: bool) -> int:
    rules, busts = field.rules, state.busts
    lost = six_dice_penalty(rules, score) if on_six else 0
    if rules.bust.in_a_row is not None:
        busts += 1
        if busts == rules.bust.in_a_row.busts:
            busts, lost = 0, lost + rules.bust.in_a_row.penalty
    return field.row_of(score - lost, opened=state.opened, busts=busts)


def test_a_third_bust_in_a_row_at_300_costs_500() -> None:
    rules = replace(DES_10000, bust=BustRules(in_a_row=BustsInARow(3, 500)), ending=Ending("first_to_target", 1000))
    field = Field(rules, Extent(-1000, 1000, (), (), 1000))
    span = field.moves[field.state_of(300, busts=2)].bust
    assert field.states[span.first] == OwnState(-200, -200, True, 0)
    assert span.first == span.last


def test_a_bust_on_six_costs_what_the_score_says() -> None:
    rules = load_rules("dice10k")
    field = Field(rules, Extent(-3000, 14_000, ((500, 2),), (), 2000))
    for score, after in ((4900, 3900), (5000, 3000), (-2500, -3500)):
        span = field.moves[field.state_of(score)].bust_on_six
        found = field.states[span.first]
        assert found.low <= after <= found.high


def test_exactly_the_target_by_a_penalty_is_no_win_and_a_bank_from_there_adds() -> None:
    rules = replace(FEW_DICE, bust=BustRules(on_six=()), ending=Ending("exact", 400, overshoot="add_or_subtract"))
    field = Field(rules, Extent(0, 1000, (), (), 600))
    moves = field.moves[field.state_of(400)]
    bank = field.program.bank_scores.tolist().index(100)
    spans = [dict(way)[bank] for way in moves.banks]
    assert [field.states[span.first].low for span in spans] == [500]
    assert not any(span.wins for span in spans)


def test_above_the_target_the_player_adds_or_subtracts() -> None:
    field = Field(EXACT, EXTENTS[EXACT.name])
    moves = field.moves[field.state_of(600)]
    bank = {score: row for row, score in enumerate(field.program.bank_scores.tolist())}
    added, subtracted = (dict(way) for way in moves.banks)
    assert [field.states[way[bank[100]].first].low for way in (added, subtracted)] == [700, 500]
    assert [way[bank[200]].wins for way in (added, subtracted)] == [False, True]


def test_intervals_cover_every_score_once() -> None:
    field = Field(load_rules("dice10k"), Extent(-3000, 14_000, ((500, 2), (1000, 2)), ((500, 3),), 2000))
    edges = [(state.low, state.high) for state in field.states]
    assert edges[0][0] == -np.inf
    assert edges[-1][1] == np.inf
    assert all(high + field.unit == low for (_, high), (low, _) in pairwise(edges))


@pytest.mark.slow
def test_dice10k_between_close_bounds() -> None:
    """Values to the digits of an independent computation, and bounds at most a millionth apart where play happens."""
    match = solve_match(load_rules("dice10k"))
    for score, opponent, value in (
        (0, 0, 0.52130),
        (5000, 5000, 0.52966),
        (9700, 9700, 0.72917),
        (9700, 0, 0.99609),
        (0, 9700, 0.00790),
    ):
        found = match.win_probability(score, opponent)
        assert found.lower <= found.value <= found.upper
        assert round(found.value, 5) == value
    frame = match.to_frame().filter(
        pl.col("score").is_between(-2000, 12_000) & pl.col("opponent").is_between(-2000, 12_000)
    )
    assert len(frame) == 141 * 141
    assert np.max((frame["upper"] - frame["lower"]).to_numpy()) < 1e-6


SMALL = {
    "a multiple": IN_A_ROW,
    "a small target": replace(IN_A_ROW, ending=replace(IN_A_ROW.ending, target=200)),
    "three busts": replace(IN_A_ROW, bust=BustRules(in_a_row=BustsInARow(3, 100))),
    "no multiple": replace(IN_A_ROW, turn=replace(IN_A_ROW.turn, bank_multiple=None)),
    "a final round": replace(IN_A_ROW, ending=Ending("final_round", 400)),
    # Next to the target a bank needs more than what is missing.
    "a minimum": replace(
        DES_10000,
        name="minimum",
        turn=replace(DES_10000.turn, bank_minimum=300),
        bust=BustRules(in_a_row=BustsInARow(3, 100)),
        ending=Ending("first_to_target", 400),
    ),
    "a minimum and an exact target": replace(
        EXACT, turn=replace(EXACT.turn, bank_minimum=200), ending=replace(EXACT.ending, target=300)
    ),
}


@pytest.mark.parametrize("name", SMALL)
def test_small_matches_are_solved_and_accepted(name: str) -> None:
    found = solve_match(SMALL[name]).win_probability(0, 100)
    assert found.lower <= found.value <= found.upper
    assert found.upper - found.lower < 1e-4


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a multiple", "a final round", "three busts", "a minimum and an exact target"])
def test_small_matches_by_plain_loops(name: str) -> None:
    """The loops leave out turn scores past 1,800 and scores below -2,400, which matters at the eighth digit."""
    match = solve_match(SMALL[name])
    oracle = MatchOracle(SMALL[name], 1_800, span=(-2_400, 1_000))
    for own, other in ((0, 100), (300, 100), (100, 300)):
        found = match.win_probability(own, other)
        value = oracle.value(Start(own, other, opened=own > 0, other_opened=True))
        assert found.lower - 2e-8 <= value <= found.upper + 2e-8


def test_a_minimum_next_to_the_target_by_plain_loops() -> None:
    match = solve_match(SMALL["a minimum"])
    oracle = MatchOracle(SMALL["a minimum"], 900, span=(-300, 400), beyond="win")
    for own, other in ((0, 300), (300, 350), (350, 300), (350, 0)):
        found = match.win_probability(own, other)
        value = oracle.value(Start(own, other, opened=own > 0, other_opened=True))
        assert found.lower - 1e-12 <= value <= found.upper + 1e-12


def test_bounds_are_narrow_where_one_roll_brings_more_than_the_target() -> None:
    rules = replace(
        load_rules("farkle"),
        name="small-target",
        bust=BustRules(on_six=(SixDicePenalty(50, below=200), SixDicePenalty(100))),
        turn=replace(load_rules("farkle").turn, opening_minimum=200, opening_applies="at_score_zero"),
        ending=Ending("equal_turns", 200, tie="extra_rounds"),
    )
    found = solve_match(rules).win_probability()
    assert found.upper - found.lower < 1e-9
