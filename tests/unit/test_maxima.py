"""Shared maxima against the maximum of each class by itself."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dice10k_math.maxima import RUN, TOGETHER, Maxima, maxima_of, share
from dice10k_math.rules import load_rules
from dice10k_math.turn import HandModel, TurnModel, split_model, turn_model

MODELS = {
    "farkle": turn_model(load_rules("farkle")),
    "dice10k": turn_model(load_rules("dice10k")),
    "farkle-spicy": turn_model(load_rules("farkle-spicy")),
    "farkle-high-stakes, split": split_model(load_rules("farkle-high-stakes")),
}
sets = st.lists(st.frozensets(st.integers(0, 11), min_size=1), min_size=1, max_size=150)


def read_off(maxima: Maxima, number: int, entries: list[float]) -> float:
    """Take the maxima of a hand one after another, as the compiled loops do, and add up the wholes."""
    places = [*entries, *[float("nan")] * (maxima.entries + maxima.slots - len(entries))]
    total = 0.0
    for first, last, whole_first, whole_last in maxima.runs[maxima.starts[number] : maxima.starts[number + 1]]:
        for part in range(first, last):
            places[maxima.place[part]] = max(places[maxima.left[part]], places[maxima.right[part]])
        for whole in range(whole_first, whole_last):
            sides = places[maxima.whole_left[whole]], places[maxima.whole_right[whole]]
            total += maxima.weight[whole] * max(sides)
    return total


def directly(hand: HandModel, entries: list[float]) -> float:
    return sum(roll.weight * max(entries[number] for number in roll.entries) for roll in hand.classes) / hand.outcomes


@pytest.mark.parametrize("name", MODELS)
def test_the_maxima_of_every_hand_add_up_to_those_of_its_classes(name: str) -> None:
    model: TurnModel = MODELS[name]
    maxima = maxima_of(model)
    random = np.random.default_rng(1)
    for number, hand in enumerate(model.hands):
        entries = random.random(len(hand.entries)).tolist()
        assert read_off(maxima, number, entries) == pytest.approx(directly(hand, entries), abs=1e-13)


@pytest.mark.parametrize("name", MODELS)
def test_runs_are_of_the_size_that_the_loops_expect(name: str) -> None:
    maxima = maxima_of(MODELS[name])
    lengths = maxima.runs[:, 3] - maxima.runs[:, 2]
    assert (lengths % TOGETHER == 0).all()
    assert (lengths <= RUN).all()
    assert maxima.wholes.sum() == lengths.sum()
    assert maxima.sizes.sum() == len(maxima.left) + len(maxima.weight)


def test_sharing_leaves_less_than_half_of_the_comparisons() -> None:
    model = MODELS["farkle-spicy"]
    plainly = sum(len(roll.entries) for hand in model.hands for roll in hand.classes)
    assert 2 * maxima_of(model).sizes.sum() < plainly


@given(sets)
def test_each_set_comes_down_to_its_own_maximum(found: list[frozenset[int]]) -> None:
    parts, whole = share(found, 12)
    for entries, item in zip(found, whole, strict=True):
        waiting, reached = [item], set()
        while waiting:
            one = waiting.pop()
            if one in parts:
                waiting += parts[one]
            else:
                reached.add(one)
        assert reached == entries


@given(sets)
def test_a_part_joins_what_came_before_it(found: list[frozenset[int]]) -> None:
    parts, _ = share(found, 12)
    for number, sides in parts.items():
        assert max(sides) < number


def test_one_model_is_compiled_once() -> None:
    model = MODELS["farkle"]
    assert maxima_of(model) is maxima_of(model)
