"""What lies past the greatest turn score that is backed up."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dice10k_math.edges import edge_worths, roll_on
from dice10k_math.kernel import edge_worth
from dice10k_math.rules import load_rules
from dice10k_math.turn import turn_model
from tests.oracles.odds import keeps_in_any_order, ordered_rolls

DICE10K = load_rules("dice10k")
CHANCES = st.floats(0.0, 1.0)


def six_chance_by_rolls(*, seek: bool) -> list[float]:
    """Iterate over ordered rolls: the chance that rolling on ends with a bust of all six dice, by number of dice."""
    pick = max if seek else min
    after: list[list[tuple[int, set[int]]]] = []
    for dice in range(1, 7):
        rolls: dict[frozenset[int], int] = {}
        for roll in ordered_rolls(dice):
            left = frozenset(len(keep.left) or 6 for keep in keeps_in_any_order(DICE10K, roll, (0,) * dice))
            rolls[left] = rolls.get(left, 0) + 1
        after.append([(count, set(left)) for left, count in rolls.items()])
    chance = [0.0] * 6
    for _ in range(400):
        chance = [
            sum(
                count * (pick(chance[left - 1] for left in lefts) if lefts else float(dice == 5))
                for count, lefts in after[dice]
            )
            / 6 ** (dice + 1)
            for dice in range(6)
        ]
    return chance


@pytest.mark.parametrize(("seek", "name"), [(False, "least"), (True, "most")])
def test_how_likely_the_bust_is_one_with_all_dice(seek: bool, name: str) -> None:
    found = roll_on(turn_model(DICE10K))
    assert found is not None
    for side in found:
        assert getattr(side, name) == pytest.approx(six_chance_by_rolls(seek=seek), abs=1e-12)


def test_the_two_sides_enclose_the_truth() -> None:
    low, high = roll_on(turn_model(DICE10K)) or pytest.fail("no bounds")
    assert np.all(low.least >= high.least)
    assert np.all(low.most <= high.most)
    assert float(low.least[-1]) > float(Fraction(5, 216))


def test_six_spicy_dice_end_a_turn_otherwise() -> None:
    assert roll_on(turn_model(load_rules("farkle-spicy"))) is None


@given(CHANCES, CHANCES, CHANCES, st.booleans(), st.booleans())
def test_compiled_and_plain_loops_agree(bust: float, bust_on_six: float, top: float, lowest: bool, known: bool) -> None:
    survival = np.linspace(0.1, 0.9, 6)
    side = (roll_on(turn_model(DICE10K)) or pytest.fail("no bounds"))[0] if known else None
    plain = edge_worths(survival, side, bust=bust, bust_on_six=bust_on_six, top=top, lowest=lowest)
    least, most = (np.empty(0), np.empty(0)) if side is None else (side.least, side.most)
    compiled = [
        edge_worth(bust, bust_on_six, top, survival[kind], least, most, kind, lowest) for kind in range(len(survival))
    ]
    assert plain == pytest.approx(compiled, abs=1e-15)


@given(CHANCES, CHANCES, CHANCES)
def test_a_bound_from_below_is_below_one_from_above(bust: float, bust_on_six: float, top: float) -> None:
    low, high = roll_on(turn_model(DICE10K)) or pytest.fail("no bounds")
    survival = np.full(6, 0.4)
    below = edge_worths(survival, low, bust=bust, bust_on_six=bust_on_six, top=top, lowest=True)
    above = edge_worths(survival, high, bust=bust, bust_on_six=bust_on_six, top=top, lowest=False)
    assert np.all(below <= above + 1e-15)
    assert np.all(above <= max(bust, bust_on_six, top) + 1e-15)
