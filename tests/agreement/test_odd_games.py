"""Small games in odd corners of the rules: each was found by drawing rulesets at random and comparing with plain loops.

Most bust nearly always, or let a turn go on past all that it needs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dice10k_math as d10
from dice10k_math.questions.exact_match import certify_match
from dice10k_math.questions.length import match_length
from dice10k_math.questions.match import MatchChoice, MatchSolution
from dice10k_math.rules.model import BustRules, Ending, Ruleset, Scoring, TurnRules
from tests.oracles.match import MatchOracle, Start, back_up_turn, every_start
from tests.oracles.solo import SoloOracle

NOTHING = (0, 0, 0, 0, 0, 0)
CLOSE = 1e-12


def game(
    ending: Ending, singles: tuple[int, ...] = NOTHING, triples: tuple[int, ...] = NOTHING, **turn: Any
) -> Ruleset:
    """A game of two dice where not said otherwise."""
    scoring = Scoring(singles=singles, triples=triples)  # type: ignore[arg-type] # six numbers each
    return Ruleset(
        "odd", "An odd game", (1, 2), "tests", scoring, TurnRules(**{"dice": 2, **turn}), BustRules(), ending
    )


EXACT = Ending("exact", 50, overshoot="not_allowed")
# A 1 and a dead die win; two 1s must be rolled again, and no turn with them can bank 50 any more.
ONE_AND_ONLY = game(EXACT, (50, 0, 0, 0, 0, 0), hot_dice="must_roll", bank_takes="all_scoring")
# All that is banked is 400 or more.
AT_ONE_STROKE = game(
    Ending("first_to_target", 200), (200, 400, 0, 0, 0, 400), hot_dice="must_roll", bank_multiple=400, bank_minimum=120
)


def test_turns_that_pass_an_exact_target_count_in_the_length() -> None:
    match = d10.solve_match(ONE_AND_ONLY)
    won = 10 / 36
    found = match_length(match)
    assert match.win_probability().value == pytest.approx(1 / (2 - won), abs=1e-10)
    assert found.first_wins == pytest.approx(1 / (2 - won), abs=1e-10)
    assert found.mean == pytest.approx(1 / won, abs=1e-8)
    assert found.rest == pytest.approx(0, abs=1e-11)


def test_forced_rolls_far_past_the_target_count_in_the_length() -> None:
    """One bank wins, so a match is as long as it takes one player alone, whoever it is that plays."""
    found, match = match_length(d10.solve_match(AT_ONE_STROKE)), d10.solve_match(AT_ONE_STROKE)
    assert found.mean == pytest.approx(d10.solve_solo(AT_ONE_STROKE).expected_turns().value, abs=1e-8)
    assert found.first_wins == pytest.approx(match.win_probability().value, abs=1e-11)


ALONE = (
    game(Ending("equal_turns", 259, tie="extra_rounds"), (0, 400, 0, 0, 0, 0), hot_dice="must_roll"),
    game(Ending("first_to_target", 50), (0, 0, 0, 75, 0, 0)),
    game(Ending("final_round", 154), (0, 0, 150, 0, 0, 0), opening_minimum=153, bank_minimum=154),
    game(Ending("first_to_target", 191), (0, 0, 90, 0, 120, 0), bank_multiple=90, bank_minimum=185),
    game(Ending("first_to_target", 340), (0, 0, 0, 0, 400, 400), bank_multiple=300, hot_dice_bonus=100),
)


@pytest.mark.parametrize("rules", ALONE, ids=range(len(ALONE)))
def test_one_player_whose_least_bank_is_more_than_the_target(rules: Ruleset) -> None:
    found = d10.solve_solo(rules).expected_turns()
    assert found.lower - 1e-9 <= SoloOracle(rules, 6_000).expected_turns((0, False, 0)) <= found.upper + 1e-9
    assert found.upper - found.lower < 1e-9


def test_one_player_who_may_bank_the_target_only() -> None:
    """Next to the target nobody is ever done; from 0 a turn that banks all of it is waited for."""
    rules = game(Ending("exact", 200, overshoot="not_allowed"), (50, 50, 50, 0, 0, 0), bank_minimum=185)
    solo = d10.solve_solo(rules)
    never = {(score, True, 0): -1e6 for score in (50, 100, 150)}
    assert solo.expected_turns(50).value == float("inf")
    oracle = SoloOracle(rules, 3_000, fixed=never)
    assert solo.expected_turns().value == pytest.approx(oracle.expected_turns((0, False, 0)), abs=1e-9)


CERTIFIED = (
    # Hands of one die and of two score nothing.
    game(Ending("final_round", 400), triples=(200, 100, 100, 0, 300, 0), dice=4, hot_dice="must_roll"),
    # Ties come again and again, as most turns bust.
    game(
        Ending("equal_turns", 400, tie="extra_rounds"),
        (200, 0, 0, 100, 0, 0),
        hot_dice="must_roll",
        bank_multiple=100,
        bank_minimum=286,
    ),
    game(
        Ending("equal_turns", 100, tie="extra_rounds"),
        (10, 10, 10, 10, 0, 0),
        bank_minimum=100,
    ),
)


@pytest.mark.parametrize("rules", CERTIFIED, ids=["triples only", "ties", "a high minimum"])
def test_bounds_in_fractions(rules: Ruleset) -> None:
    found = certify_match(rules)
    starts = list(every_start(rules, found.match.unit))
    oracle = MatchOracle(rules, 4_000, also=tuple(starts))
    for start in starts:
        bounds = found.win_probability(start.own, start.other, second=start.stage == "second")
        assert bounds.lower - CLOSE <= oracle.value(start) <= bounds.upper + CLOSE
        assert bounds.upper - bounds.lower < 1e-8


def test_forced_rolls_after_a_bank_that_takes_every_die() -> None:
    """Two 2s may not be banked, whatever the turn score: a turn can go on for long past the target."""
    rules = game(Ending("first_to_target", 250), (0, 100, 0, 0, 0, 0), hot_dice="must_roll", bank_takes="all_scoring")
    match = d10.solve_match(rules)
    for start in every_start(rules, 100):
        found = match.win_probability(start.own, start.other)
        assert found.upper - found.lower < 1e-9


ADVISED = (
    game(Ending("first_to_target", 500), (0, 200, 200, 0, 0, 0), bank_takes="all_scoring"),
    game(Ending("final_round", 270), (0, 0, 0, 100, 0, 100), opening_minimum=192, bank_minimum=125),
    game(Ending("equal_turns", 100, tie="extra_rounds"), (0, 25, 0, 25, 0, 0), hot_dice="may_bank"),
)
SCORING = ((2, 3), (4, 6), (2, 4))


@pytest.mark.parametrize(("rules", "roll"), list(zip(ADVISED, SCORING, strict=True)), ids=["first", "final", "equal"])
def test_advice_where_there_is_nothing_more_to_gain(rules: Ruleset, roll: tuple[int, int]) -> None:
    """Rolling on past all need is worth what it is worth, not a bound of that."""
    match, points = d10.solve_match(rules), max(rules.scoring.singles)
    unit = points
    oracle = MatchOracle(rules, 6_000, also=tuple(every_start(rules, unit)))
    need = -(-rules.ending.target // unit) * unit
    for own, other in ((0, need - unit), (0, 0), (need - unit, unit)):
        start = Start(own, other, own != 0, other != 0)
        rolled = rolling_on(oracle, start)
        for turn_score in (need, need - 2 * points):
            if turn_score <= 0 or turn_score % (2 * points):
                continue
            best = by_keep(match, own, other, turn_score, roll)
            # Both dice kept, and all dice rolled again.
            assert best["roll", 0].win_probability == pytest.approx(rolled[1, turn_score + 2 * points], abs=1e-10)
            assert best["roll", 1].win_probability == pytest.approx(rolled[0, turn_score + points], abs=1e-10)


def by_keep(
    match: MatchSolution, own: int, other: int, turn_score: int, roll: tuple[int, int]
) -> dict[tuple[str, int], MatchChoice]:
    return {(choice.then, choice.dice_left): choice for choice in match.advise(own, other, turn_score, roll)}


def rolling_on(oracle: MatchOracle, start: Start) -> dict[tuple[int, int], float]:
    """The worth of rolling on, by hand (one die or two) and turn score, from the plain loops."""
    oracle.values  # noqa: B018 - solved when asked for
    ways = oracle.ways[oracle.numbers[oracle.told_apart(start)]]
    bust = 1 - float(oracle.worth[ways.busts[0]])
    value = np.empty((oracle.hots, len(oracle.choices.rolls), oracle.places))
    back_up_turn(oracle.choices, 0, oracle._bank_worths(ways).max(axis=0), bust, bust, bust, value)
    return {
        (hand, place * oracle.step): float(value[0, hand, place]) for hand in (0, 1) for place in range(oracle.places)
    }


def test_nobody_has_to_say_who_has_banked_where_it_makes_no_difference() -> None:
    rules = game(Ending("first_to_target", 100), (50, 0, 0, 0, 50, 0))
    found = certify_match(rules)
    assert found.win_probability(opened=(False, False)) == found.win_probability()


@pytest.mark.parametrize(
    ("rules", "policy"),
    [
        # From 25 nobody can ever bank the last 25 alone.
        (game(Ending("exact", 50, overshoot="not_allowed"), (0, 0, 0, 0, 50, 25), bank_minimum=39), "threshold 50"),
        # Of three dice few turns bank, and against this policy hardly any of the other's.
        (
            game(
                Ending("equal_turns", 300),
                (0, 0, 25, 0, 0, 0),
                dice=3,
                hot_dice="must_roll",
                bank_multiple=50,
                bank_takes="all_scoring",
            ),
            "threshold 291 keep=few end=win lead=0",
        ),
    ],
    ids=["nobody can bank", "hardly anybody banks"],
)
def test_policies_where_hardly_any_turn_banks(rules: Ruleset, policy: str) -> None:
    found, match = d10.best_response(rules, policy).win_probability(), d10.solve_match(rules).win_probability()
    assert found.upper - found.lower < 1e-6
    assert found.upper >= match.lower
    both = d10.evaluate(rules, ("threshold 150 1:144 keep=few", policy)).win_probability()
    assert both.lower <= found.upper
