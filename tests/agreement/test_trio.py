"""Three players who all play to win: the library against plain recursion over explicit states."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from dice10k_math import InputError, load_rules, solve_three
from dice10k_math.dice import rolls
from dice10k_math.questions.trio import ThreePlayers
from dice10k_math.rules.model import Ruleset, with_target
from dice10k_math.turn import turn_model
from tests.agreement.test_duels import SMALL
from tests.agreement.test_match import PLAIN, ended
from tests.oracles.trio import TrioOracle, TrioResponse
from tests.oracles.variations import turned

CLOSE, CLOSE_BOUNDS = 1e-12, 1e-10
DES_10000, DIX_MILLE = load_rules("des-10000"), load_rules("dix-mille")


def crowded(rules: Ruleset) -> Ruleset:
    return replace(rules, players=(2, 8))


# Few dice bring few points in a turn, so that there are few totals past the target to go through.
PAIR = crowded(turned(SMALL, "pair", dice=2))
ONE = crowded(turned(SMALL, "one", dice=1))
RULES = pytest.mark.parametrize(
    ("rules", "cutoff"),
    [
        (crowded(with_target(PLAIN, 300)), 4_500),
        (ended(DES_10000, "first_to_target", 300), 4_500),
        (with_target(PAIR, 100), 2_500),
        pytest.param(with_target(ONE, 150), 2_500, marks=pytest.mark.slow),
        pytest.param(with_target(PAIR, 200), 2_500, marks=pytest.mark.slow),
        pytest.param(ended(DES_10000, "first_to_target", 500), 4_500, marks=pytest.mark.slow),
    ],
    ids=lambda given: f"{given.name}-{given.ending.kind}-{given.ending.target}" if isinstance(given, Ruleset) else "",
)


def turn_starts(found: ThreePlayers) -> list[tuple[int, int, int]]:
    scores = range(0, found.rules.ending.target, found.unit)
    return list(product(scores, scores, scores))


@RULES
def test_three_win_what_plain_recursion_says_and_can_gain_no_more(rules: Ruleset, cutoff: int) -> None:
    found, oracle = solve_three(rules), TrioOracle(rules, cutoff)
    response = TrioResponse(oracle)
    for scores in turn_starts(found):
        state, here = (*scores, 0), found.win_probabilities(*scores)
        for who, (worth, win) in enumerate(zip(oracle.value(state), here, strict=True)):
            assert win.value == pytest.approx(worth, abs=CLOSE, rel=0), (scores, who)
            best = response.value(state, who)
            assert best - CLOSE <= win.upper <= best + CLOSE_BOUNDS, (scores, who)
    assert not oracle.unsettled


def test_somebody_wins_and_the_bounds_hold_the_values() -> None:
    found = solve_three(with_target(DES_10000, 200))
    for scores in turn_starts(found):
        here = found.win_probabilities(*scores)
        assert sum(win.value for win in here) == pytest.approx(1, abs=CLOSE)
        for win in here:
            assert win.lower - CLOSE <= win.value <= win.upper
            assert win.upper - win.lower == pytest.approx(found.gap(*scores), abs=1e-15)
    assert found.gap() <= found.largest_gap < 1e-7


def test_a_tie_of_all_three_makes_the_order_count_alone() -> None:
    found = solve_three(ended(DES_10000, "first_to_target", 300))
    first, second, third = found.win_probabilities(100, 100, 100)
    assert first.value > second.value > third.value


@pytest.mark.parametrize("rules", [ended(DES_10000, "first_to_target", 200), with_target(PAIR, 100)])
def test_advice_is_worth_what_the_player_to_move_wins(rules: Ruleset) -> None:
    found = solve_three(rules)
    full = turn_model(rules).hands[-1]
    for scores in ((0, 50, 0), (50, 0, 50)):
        bust = found.win_probabilities(scores[1], scores[2], scores[0])[2].value
        mean = 0.0
        for roll, weight in rolls(full.hand):
            choices = found.advise(*scores, 0, roll)
            mean += weight / full.outcomes * (choices[0].win_probability if choices else bust)
        assert mean == pytest.approx(found.win_probabilities(*scores)[0].value, abs=1e-10)


def test_turn_starts_come_as_a_table() -> None:
    found = solve_three(with_target(PAIR, 100))
    frame = found.to_frame()
    assert frame.height == len(turn_starts(found))
    row = frame.filter((frame["own"] == 50) & (frame["next"] == 0) & (frame["third"] == 50)).row(0, named=True)
    here = found.win_probabilities(50, 0, 50)
    assert [row["own_wins"], row["next_wins"], row["third_wins"]] == [win.value for win in here]
    assert [row["own_upper"], row["next_upper"], row["third_upper"]] == [win.upper for win in here]


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        (load_rules("dice10k"), "players: 3; dice10k is for 2"),
        (with_target(DIX_MILLE, 1000), "ending.kind 'equal_turns'; allowed for three players"),
        (load_rules("farkle"), "target 10000, so 200 scores below it; allowed for three players: at most 120"),
        (with_target(load_rules("farkle-spicy"), 1000), "spicy_faces"),
        (with_target(load_rules("farkle-high-stakes"), 1000), "high_stakes"),
        (crowded(load_rules("dice10k")), "scores can fall"),
    ],
    ids=lambda given: given.name if isinstance(given, Ruleset) else "",
)
def test_rules_that_are_not_solved_are_refused(rules: Ruleset, said: str) -> None:
    with pytest.raises(InputError, match=said):
        solve_three(rules)


@pytest.mark.parametrize("scores", [(75, 0, 0), (0, 100, 0), (0, 0, -50)])
def test_scores_that_cannot_be_are_refused(scores: tuple[int, int, int]) -> None:
    with pytest.raises(InputError, match="scores from 0 in steps of 50, below the target 100"):
        solve_three(with_target(PAIR, 100)).win_probabilities(*scores)
