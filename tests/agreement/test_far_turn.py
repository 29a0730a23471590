"""The far end of a turn: its closed form against one roll in plain fractions, and turns that have no finite worth."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

import dice10k_math as d10
from dice10k_math.errors import InputError, NotConvergedError
from dice10k_math.questions.allowed import check_score, check_state
from dice10k_math.questions.turn import TurnSolution
from dice10k_math.rules import load_rules
from dice10k_math.rules.model import BustRules, Ruleset
from dice10k_math.solve.growth import hot_dice_chance
from dice10k_math.solve.worth import at_least
from dice10k_math.turn import turn_model
from tests.oracles.games import BY_HAND, DES_10000, DICE10K, FARKLE
from tests.oracles.keeps import Kinds
from tests.oracles.odds import keeps_in_any_order
from tests.oracles.turn import TurnOracle, roll_classes, turn_oracle, turn_value
from tests.oracles.variations import scored, turned

OF_300 = turned(DICE10K, "bonus-multiple-of-300", bank_multiple=300)
OF_200 = turned(DICE10K, "bonus-multiple-of-200", bank_multiple=200)
OF_300_TWICE_THE_BONUS = replace(
    turned(OF_300, "bonus-1000-multiple-of-300", hot_dice_bonus=1000),
    bust=BustRules(),
    ending=replace(DICE10K.ending, target=9000),
)
EVERY_FACE = (100, 50, 50, 50, 50, 50)


def value_by_one_roll(oracle: TurnOracle, turn: TurnSolution, hand: Kinds, turn_score: int, hot: int) -> Fraction:
    """What rolling is worth, each roll on from there taken from the closed form."""
    tail, model = turn.problem.tail, turn.problem.model
    total = Fraction(0)
    for kind, weight in roll_classes(turn.rules, hand):
        if not kind.options:
            total += weight * (oracle.six_bust_worth if len(hand) == 6 else oracle.bust_worth)
            continue
        worths = []
        for points, left in kind.options:
            after, more = oracle.after_keep(turn_score, points, left, hot)
            bonus = turn.rules.turn.hot_dice_bonus * 2**more
            worths.append(tail.value((len(left) or 6) - 1, after, bonus))
            if left and after % (turn.rules.turn.bank_multiple or 1) == 0:
                worths.append(Fraction(after))
        total += weight * max(worths)
    assert model.hands[len(hand) - 1].outcomes == 6 ** len(hand)
    return total / 6 ** len(hand)


@pytest.mark.parametrize("rules", [DICE10K, OF_200, OF_300, OF_300_TWICE_THE_BONUS], ids=lambda rules: rules.name)
def test_far_values_are_those_of_the_best_choice_after_one_roll(rules: Ruleset) -> None:
    turn = d10.solve_turn(rules, score=600, exact=False)
    tail, oracle = turn.problem.tail, turn_oracle(rules, 600)
    for hot in range(tail.levels, tail.levels + 2):
        bonus = rules.turn.hot_dice_bonus * 2**hot
        low = bonus - rules.turn.hot_dice_bonus
        for dice in (1, 2, 6):
            for turn_score in (low + 50 * hot, low + 4050, low + 5000 * hot):
                value = value_by_one_roll(oracle, turn, (0,) * dice, turn_score, hot)
                assert tail.value(dice - 1, turn_score, bonus) == value


@pytest.mark.slow
@pytest.mark.parametrize("score", [0, 600, 6000])
@pytest.mark.parametrize("rules", [OF_200, OF_300, OF_300_TWICE_THE_BONUS], ids=lambda rules: rules.name)
def test_plain_recursion_comes_up_to_the_value(rules: Ruleset, score: int) -> None:
    turn = d10.solve_turn(rules, score=score)
    assert turn.exact is not None
    gaps = [float(turn.exact) - turn_value(rules, score, cutoff) for cutoff in (64_000, 1_000_000, 16_000_000)]
    assert gaps[0] > gaps[1] > gaps[2] > -1e-9
    assert gaps[2] < 1e-4


def play(turn: TurnSolution, random: np.random.Generator) -> int:
    """Change of the score by one turn with random dice; only what is best is asked of the library."""
    rules, turn_score, hot = turn.rules, 0, 0
    hand: Kinds = (0,) * 6
    while True:
        roll = tuple(int(face) for face in random.integers(1, 7, len(hand)))
        if not keeps_in_any_order(rules, roll, hand):
            return 0 if len(hand) < 6 else -1000
        best = turn.advise(turn_score, roll, hot)[0]
        turn_score += best.points
        if best.then == "bank":
            return turn_score
        if not best.dice_left:
            turn_score += 500 * 2**hot
            hot += 1
        hand = (0,) * (best.dice_left or 6)


@pytest.mark.slow
def test_random_dice_come_near_the_value() -> None:
    turn = d10.solve_turn(OF_300, score=100, exact=False)
    random = np.random.default_rng(20)
    changes = np.array([play(turn, random) for _ in range(40_000)], dtype=float)
    error = changes.std() / np.sqrt(len(changes))
    assert error < 8
    assert abs(changes.mean() - turn.expected_points) < 4 * error


@cache
def greatest_chance(rules: Ruleset, hand: Kinds) -> Fraction:
    """The greatest chance of hot dice by plain recursion."""
    total = Fraction(0)
    for kind, weight in roll_classes(rules, hand):
        after = [greatest_chance(rules, left) if left else Fraction(1) for _, left in kind.options]
        total += weight * max(after, default=Fraction(0))
    return total / 6 ** len(hand)


@pytest.mark.parametrize("rules", [DICE10K, FARKLE, DES_10000], ids=lambda rules: rules.name)
def test_greatest_chance_of_hot_dice(rules: Ruleset) -> None:
    assert hot_dice_chance(turn_model(rules)) == greatest_chance(rules, (0,) * 6)


@pytest.mark.parametrize("name", ["dice10k", "farkle", "dix-mille", "des-10000"])
def test_dice_that_never_bust_are_refused_with_a_remedy(name: str) -> None:
    rules = scored(BY_HAND[name], "never-busts", singles=EVERY_FACE)
    with pytest.raises(
        NotConvergedError, match=r"^never-busts: some play never busts, .*; remedy: let more rolls bust"
    ):
        d10.solve_turn(rules)


@pytest.mark.parametrize("name", ["dice10k", "farkle", "dix-mille", "des-10000"])
def test_matches_with_dice_that_never_bust_are_refused_with_a_remedy(name: str) -> None:
    rules = scored(BY_HAND[name], "never-busts", singles=EVERY_FACE)
    with pytest.raises(InputError, match=r"^never-busts: some play never busts, .*; remedy: let more rolls bust"):
        d10.solve_match(rules)


def test_a_bonus_that_outgrows_the_risk_is_refused_with_a_remedy() -> None:
    rules = scored(DICE10K, "five-faces", singles=(100, 50, 50, 50, 50, 0))
    with pytest.raises(NotConvergedError, match=r"^five-faces: hot dice come again with a chance of 0\.995 .*; remedy"):
        d10.solve_turn(rules)


def test_the_chance_of_some_points_has_a_value_where_dice_never_bust() -> None:
    rules = scored(load_rules("farkle"), "never-busts", singles=EVERY_FACE)
    turn = d10.solve_turn(rules, worth=at_least(1000))
    assert turn.exact == 1
    assert turn.endings.open < 1e-9


@pytest.mark.parametrize(
    ("multiple", "spicy"), [(50, None), (100, None), (200, None), (50, (6,) * 6), (50, (5, 6, 6, 6, 6, 6))]
)
def test_play_that_repeats_far_out_is_what_following_every_turn_score_finds(
    multiple: int, spicy: tuple[int, ...] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = load_rules("farkle")
    turn, variants = replace(rules.turn, bank_multiple=multiple), replace(rules.variants, spicy_faces=spicy)
    rules = replace(rules, turn=turn, variants=variants)
    found = []
    for followed in (0, 60_000):
        monkeypatch.setattr("dice10k_math.solve.turn.FOLLOWED", followed)
        found.append(d10.solve_turn(rules, score=1000, exact=False))
    early, late = found
    assert early.problem.tail.start < late.problem.tail.start == 60_000
    assert early.endings.open < 1e-18
    assert (early.endings.instant_win > 0) == (spicy is not None)
    for name in ("bust", "bust_on_six", "instant_win"):
        assert getattr(early.endings, name) == pytest.approx(getattr(late.endings, name), rel=1e-12, abs=0)
    assert early.endings.banked == pytest.approx(late.endings.banked, rel=1e-9, abs=1e-17)
    assert max(early.endings.banked) > early.problem.tail.start


ALLOWED_SCORES = [("dice10k", -2000), ("dice10k", 12_300), ("farkle", 9950), ("dix-mille", 10_050), ("farkle", 0)]
WRONG_SCORES = [
    ("dice10k", 50, None, "multiples of 100"),
    ("farkle", 77, None, "multiples of 50"),
    ("farkle", -50, None, "0 or more"),
    ("farkle", 10_000, None, "below the target 10000"),
    ("farkle", 500, False, "0, or opened"),
]


@pytest.mark.parametrize(("name", "score"), ALLOWED_SCORES)
def test_scores_that_can_be_are_taken(name: str, score: int) -> None:
    check_score(load_rules(name), score)


@pytest.mark.parametrize(("name", "score", "opened", "allowed"), WRONG_SCORES)
def test_scores_that_cannot_be_are_refused(name: str, score: int, opened: bool | None, allowed: str) -> None:
    with pytest.raises(InputError, match=f"^score: {score}.*allowed: {allowed}$"):
        d10.solve_turn(load_rules(name), score, opened=opened)


@pytest.mark.parametrize("name", ["dice10k", "farkle", "dix-mille"])
def test_turn_scores_are_refused_where_no_keeps_lead_to_them(name: str) -> None:
    rules = load_rules(name)
    # A walk over the keeps of the rules, one state at a time.
    oracle = turn_oracle(rules, 0)
    start: tuple[Kinds, int, int] = ((0,) * 6, 0, 0)
    waiting, seen = [start], {start}
    while waiting:
        hand, turn_score, hot = waiting.pop()
        for kind, _ in roll_classes(rules, hand):
            for points, left in kind.options:
                after, more = oracle.after_keep(turn_score, points, left, hot)
                state = (left or (0,) * 6, after, more if rules.turn.hot_dice_bonus else 0)
                if after <= 1500 and state not in seen:
                    seen.add(state)
                    waiting.append(state)
    for dice in range(1, 7):
        for turn_score in range(0, 1501, 50):
            for hot in (0, 1) if rules.turn.hot_dice_bonus and turn_score >= 500 else (0,):
                between = {at for hand, at, more in seen if len(hand) == dice and more == hot}
                last = max(between, default=0) if rules.turn.hot_dice_bonus else 1500
                if turn_score in between or (dice < 6 and between and min(between) <= turn_score <= last):
                    check_state(rules, turn_score, hot, (0,) * dice)
                    continue
                with pytest.raises(InputError, match=r"cannot be with \d (die|dice) to roll.*; allowed: (\d+|none)"):
                    check_state(rules, turn_score, hot, (0,) * dice)
