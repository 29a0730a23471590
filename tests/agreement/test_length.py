"""The length of a match, and when to bank in it: against a game worked out by hand, and against plain recursion."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest

import dice10k_math as d10
from dice10k_math.dice import rolls
from dice10k_math.errors import InputError
from dice10k_math.questions.bank import least_banks
from dice10k_math.questions.length import MatchLength, match_length
from dice10k_math.questions.match import MatchSolution
from dice10k_math.questions.positions import FieldPositions
from dice10k_math.rules import with_target

TABLES = Path(__file__).resolve().parents[2] / "tables"
GAME = """
[ruleset]
name = "tiny"
title = "A tiny game"
players = [2, 2]
source = "tests"
[scoring]
singles = {{ 1 = 100 }}
[turn]
dice = {dice}
[ending]
kind = "{kind}"
target = {target}
"""
KINDS = ("first_to_target", "final_round", "equal_turns")


def tiny(dice: int, kind: str, target: int) -> MatchSolution:
    return d10.solve_match(d10.parse_rules(GAME.format(dice=dice, kind=kind, target=target)))


@pytest.mark.parametrize("kind", KINDS)
def test_one_die_that_must_show_a_1(kind: str) -> None:
    """Each turn ends the race with chance 1/6, whatever is chosen after a 1."""
    found = match_length(tiny(1, kind, 100))
    reached = [0.0, *((1 / 6) * (5 / 6) ** turn for turn in range(40))]
    if kind == "first_to_target":
        expected = reached
    elif kind == "final_round":
        expected = [0.0, *reached]
    else:  # the first player's turns are odd; after those the second has one more
        expected = [0.0, *(reached[turn] + reached[turn - 1] if turn % 2 == 0 else 0.0 for turn in range(1, 41))]
    assert found.chances[: len(expected)] == pytest.approx(expected[: len(found.chances)], abs=1e-9)
    assert sum(found.chances) + found.rest == pytest.approx(1)


def followed_by_advice(match: MatchSolution) -> MatchLength:
    """Follow every roll of every turn, choosing as `advise` says."""
    target = match.rules.ending.target
    last = match.rules.ending.kind == "final_round"

    @cache
    def ends(score: int, opponent: int, turn_score: int, dice: int) -> dict[int | None, float]:
        """Chance of each bank (None: a bust) from a roll of these dice."""
        found: dict[int | None, float] = defaultdict(float)
        for roll, weight in rolls((0,) * dice):
            chance = weight / 6**dice
            choices = match.advise(score, opponent, turn_score, roll)
            if not choices:
                found[None] += chance
            elif choices[0].then == "bank":
                found[turn_score + choices[0].points] += chance
            else:
                after = choices[0].dice_left or match.rules.turn.dice
                for end, share in ends(score, opponent, turn_score + choices[0].points, after).items():
                    found[end] += chance * share
        return found

    here = {(0, 0): 1.0}
    chances, wins = [0.0] * 200, [0.0, 0.0]
    for turn in range(198):
        following: dict[tuple[int, int], float] = defaultdict(float)
        for (own, other), mass in here.items():
            for end, chance in ends(own, other, 0, match.rules.turn.dice).items():
                score = own + (end or 0)
                if score < target:
                    following[other, score] += mass * chance
                    continue
                won = 1.0 - last_turn(match, score - other) if last else 1.0
                chances[turn + 1 + last] += mass * chance
                wins[turn % 2] += mass * chance * won
                wins[1 - turn % 2] += mass * chance * (1.0 - won)
        here = following
    return MatchLength(tuple(chances), wins[0], 1.0 - sum(chances))


@cache
def last_turn(match: MatchSolution, deficit: int) -> float:
    """Chance of winning with one turn from this far behind, drawing level counting half."""

    def level(turn_score: int) -> Fraction:
        return Fraction(int(turn_score == deficit), 2)

    worth = d10.Worth(slope=0, intercept=1, beyond=deficit + 100, below=level)
    return d10.solve_turn(match.rules, 100, worth=worth, exact=False).expected_points


@pytest.mark.parametrize("kind", ["first_to_target", "final_round"])
def test_two_dice_by_plain_recursion(kind: str) -> None:
    match = tiny(2, kind, 200)
    found, plain = match_length(match), followed_by_advice(match)
    shown = min(len(found.chances), len(plain.chances))
    assert found.chances[:shown] == pytest.approx(plain.chances[:shown], abs=1e-9)
    assert found.first_wins == pytest.approx(match.win_probability().value, abs=1e-10)
    assert plain.first_wins == pytest.approx(found.first_wins, abs=1e-9)


@pytest.mark.parametrize(("name", "target"), [("farkle", 1000), ("dix-mille", 600), ("des-10000", 600)])
def test_the_first_players_share_is_the_win_probability(name: str, target: int) -> None:
    match = d10.solve_match(with_target(d10.load_rules(name), target))
    found = match_length(match)
    assert abs(found.rest) < 1e-8
    assert found.first_wins == pytest.approx(match.win_probability().value, abs=1e-8)
    assert found.within(len(found.chances)) == pytest.approx(1, abs=1e-8)
    assert found.mean == pytest.approx(sum(1 - found.within(turn) for turn in range(len(found.chances))), abs=1e-5)


@pytest.mark.parametrize("game", ["farkle", "dix-mille"])
@pytest.mark.parametrize(("score", "opponent"), [(0, 0), (4200, 7000), (9700, 9700), (9950, 0)])
def test_least_banks_agree_with_advice(game: str, score: int, opponent: int) -> None:
    """With the one die of the roll kept that scores, advice banks from just these turn scores on."""
    match = d10.load_match(TABLES, d10.load_rules(game))
    compared = 0
    for dice, least in enumerate(least_banks(match, score, opponent)[:4], start=1):
        assert least is not None
        # One 5 and dice that do not score: keeping the 5 leads to the turn score with those dice left.
        roll = (5, *(2, 3, 4, 6)[:dice])
        for turn_score in (least - 50, least):
            try:
                best = match.advise(score, opponent, turn_score - 50, roll)[0]
            except InputError:  # no keeps of the dice before add up to this
                continue
            assert best.then == ("bank" if turn_score >= least else "roll"), (dice, turn_score)
            compared += 1
    assert compared >= 3


def test_no_bank_after_hot_dice_where_the_player_must_roll() -> None:
    match = d10.load_match(TABLES, d10.load_rules("dix-mille"))
    assert least_banks(match, 1000, 1000)[-1] is None
    assert None not in least_banks(match, 1000, 1000)[:-1]


def test_games_that_are_refused() -> None:
    falling = MatchSolution(d10.load_rules("dice10k"), FieldPositions.__new__(FieldPositions))
    with pytest.raises(InputError, match="dice10k: scores can fall"):
        match_length(falling)
    with pytest.raises(InputError, match="farkle-spicy: spicy dice"):
        least_banks(MatchSolution(d10.load_rules("farkle-spicy"), falling.positions), 0, 0)
    stakes = MatchSolution(d10.load_rules("farkle-high-stakes"), falling.positions)
    with pytest.raises(InputError, match="farkle-high-stakes: High Stakes"):
        least_banks(stakes, 0, 0)
    with pytest.raises(InputError, match="farkle-high-stakes: High Stakes"):
        match_length(stakes)
