"""Which spicy faces are best: named values, and every number again by plain loops over ordered rolls."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dice10k_math.questions.spicy_faces import (
    assignments,
    instant_win_chance,
    rank_spicy_faces,
    with_spicy_faces,
    worth_of_faces,
)
from dice10k_math.rules import load_rules
from dice10k_math.rules.model import Ruleset
from dice10k_math.tables import spicy_faces as table
from dice10k_math.turn import turn_model
from tests.oracles.grid import turn_grid
from tests.oracles.odds import keeps_in_any_order
from tests.oracles.turn import RollClass, all_hands, full_hand, roll_classes

SPICY = load_rules("farkle-spicy")
TWO_DICE = replace(
    SPICY,
    name="two-dice",
    scoring=replace(
        SPICY.scoring, larger_sets=None, straight=None, three_pairs=None, two_triplets=None, triples=(0,) * 6
    ),
    turn=replace(SPICY.turn, dice=2),
    variants=replace(SPICY.variants, spicy_faces=(1, 2)),
)
NAMED: dict[tuple[int, ...], float] = {(1, 2, 3, 4, 5, 6): 878.9681017, (1,) * 6: 1247.9910261, (5,) * 6: 1324.1908983}


def plain_instant_win(rules: Ruleset, cutoff: int) -> tuple[float, float]:
    """Points of the best turn, and how often it meets six spicy dice: from its start onwards."""
    points, value, hands, step = turn_grid(rules, 1000, cutoff)
    chance = np.zeros_like(value)
    chance[hands.index(full_hand(rules)), 0] = 1.0
    won = 0.0
    for place in range(cutoff // step):
        for number, hand in enumerate(hands):
            here = chance[number, place] / 6 ** len(hand)
            for kind, count in roll_classes(rules, hand) if here else ():
                won += here * count * kind.instant_win
                for target, left in go_on(rules, kind, place, step, hands, value):
                    chance[left, target] += here * count
    return points, won


def go_on(
    rules: Ruleset, kind: RollClass, place: int, step: int, hands: list[tuple[int, ...]], value: np.ndarray
) -> list[tuple[int, int]]:
    """Where the best play rolls on to after a roll; nowhere if it banks or has lost."""
    if not kind.options or kind.banked is None:
        return []
    after = [(place + points // step, hands.index(left or full_hand(rules))) for points, left in kind.options]
    target, left = max(after, key=lambda one: value[one[1], one[0]])
    banked = place * step + kind.banked[0]
    return [(target, left)] if value[left, target] > banked else []


def plain_most_instant(rules: Ruleset) -> float:
    """How often a player who wants nothing else wins at once within 60 rolls."""
    chance = dict.fromkeys(all_hands(rules), 0.0)
    for _ in range(60):
        chance = {
            hand: sum(
                count * (1.0 if kind.instant_win else max((chance[left or full_hand(rules)] for _, left in kind.options), default=0.0))
                for kind, count in roll_classes(rules, hand)
            )
            / 6 ** len(hand)
            for hand in chance
        }  # fmt: skip
    return chance[full_hand(rules)]


def scores_as_a_whole(faces: tuple[int, ...]) -> bool:
    """Whether all of these dice can be set aside together."""
    plain = load_rules("farkle")
    return any(not keep.left for keep in keeps_in_any_order(plain, faces, full_hand(plain)))


@pytest.mark.parametrize(
    "faces",
    [(1, 1, 1, 1, 2, 3), *(pytest.param(f, marks=pytest.mark.slow) for f in ((2, 3, 4, 6, 6, 6), (1, 1, 2, 2, 3, 3)))],
)
def test_an_instant_win_alone_by_plain_loops(faces: tuple[int, ...]) -> None:
    rules = with_spicy_faces(SPICY, faces)
    low, high = instant_win_chance(turn_model(rules))
    six_ones, _ = instant_win_chance(turn_model(with_spicy_faces(SPICY, (1,) * 6)))
    assert low <= plain_most_instant(rules) <= high
    assert (low > six_ones + 1e-10) == (not scores_as_a_whole(faces))


@pytest.mark.parametrize("faces", [(1,) * 6, (5,) * 6, pytest.param((1, 2, 3, 4, 5, 6), marks=pytest.mark.slow)])
def test_named_values_and_plain_loops(faces: tuple[int, ...]) -> None:
    rules = with_spicy_faces(SPICY, faces)
    found = worth_of_faces(SPICY, faces)
    assert round(found.expected_points, 7) == NAMED[faces]
    points, won = plain_instant_win(rules, 60_000)
    assert found.expected_points == pytest.approx(points, abs=1e-6)
    assert found.instant_lower - 1e-13 <= won <= found.instant_upper + 1e-13
    assert found.most_instant_lower <= plain_most_instant(rules) <= found.most_instant_upper
    assert 0.0 <= found.upper - found.lower < 1e-8
    assert 0.0 < found.most_instant_upper - found.most_instant_lower < 1e-12


def test_turns_that_run_on_far_are_followed_to_their_end() -> None:
    # Four turns in a million are still going on at 20,000 points here.
    found = worth_of_faces(SPICY, (5, 6, 6, 6, 6, 6))
    _, won = plain_instant_win(with_spicy_faces(SPICY, found.faces), 60_000)
    assert found.instant_upper - found.instant_lower < 1e-12
    assert found.instant_lower - 1e-15 <= won <= found.instant_upper


def test_two_dice_are_ranked() -> None:
    ranked = rank_spicy_faces(TWO_DICE)
    assert sorted(one.faces for one in ranked) == sorted(assignments(TWO_DICE))
    assert len(ranked) == 21
    # Only 1s and 5s score here.
    assert ranked[0].faces == (1, 1)
    for one in ranked:
        points, _, _, _ = turn_grid(with_spicy_faces(TWO_DICE, one.faces), 1000, 20_000)
        assert one.lower - 1e-9 <= points <= one.upper + 1e-9


def test_the_table_holds_and_its_check_finds_what_does_not() -> None:
    frame, gap = table.values(TWO_DICE)
    assert 0.0 < gap < 1e-8
    assert frame.columns == [column.name for column in table.columns(TWO_DICE)]
    assert list(table.check(TWO_DICE, frame, lambda _: None)) == []
    for name in ("rank", "instant_rank", "expected_points", "lower", "instant_win", "most_instant"):
        broken = frame.with_columns(frame[name] + 1)
        assert list(table.check(TWO_DICE, broken, lambda _: None)), name
    assert list(table.check(TWO_DICE, frame.reverse(), lambda _: None))
    assert list(table.check(TWO_DICE, frame.head(20), lambda _: None))


def test_only_spicy_dice_have_the_table_and_not_twice() -> None:
    having = [
        name for name in ("farkle", "farkle-spicy", "farkle-spicy-high-stakes") if table.applies(load_rules(name))
    ]
    assert having == ["farkle-spicy"]


@pytest.mark.slow
def test_all_assignments_of_six_dice() -> None:
    ranked = rank_spicy_faces(SPICY)
    assert len(ranked) == 462
    assert [one.faces for one in ranked[:3]] == [(6,) * 6, (5,) * 6, (1,) * 6]
    points, _ = plain_instant_win(with_spicy_faces(SPICY, (6,) * 6), 60_000)
    assert ranked[0].expected_points == pytest.approx(points, abs=1e-6)
    for one in ranked:
        assert one.upper - one.lower < 1e-8
        # To who plays for an instant win alone faces differ in what the winning roll would be worth otherwise.
        again = scores_as_a_whole(one.faces)
        assert (one.most_instant == pytest.approx(ranked[0].most_instant, abs=1e-13)) == again, one.faces
        assert 0.0 < one.most_instant / ranked[0].most_instant - 1.0 < 1e-4 or again, one.faces
        assert one.instant_upper <= one.most_instant_upper
        assert one.instant_upper - one.instant_lower < 1e-11
