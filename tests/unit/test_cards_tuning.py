"""The tuning of a card: how what a turn is worth changes with what is said, and what is made of that."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from dice10k_math.cards.falls import Falls
from dice10k_math.cards.tuning import Said, Tuner, TurnStart, descend
from dice10k_math.plans import flat_model, follow_worths, rule_numbers
from dice10k_math.policy import Places, Plan, Reach
from dice10k_math.policy.keeping import WINS
from dice10k_math.policy.worths import Worths
from dice10k_math.program import Floats
from dice10k_math.questions.positions import FieldPositions
from dice10k_math.rules import load_rules
from dice10k_math.slopes import slopes_of
from dice10k_math.tables.match import load_match
from dice10k_math.turn import bank_rule, turn_model

TABLES = Path(__file__).resolve().parents[2] / "tables"
DICE10K = load_rules("dice10k")
MODEL = turn_model(DICE10K)
RULE = bank_rule(DICE10K, 2000)
SCORES = np.arange(600) * MODEL.step
LEVELS = 6


def turn(rolls: Floats, banks: Floats, busts: tuple[float, float], blur: float) -> tuple[float, Floats]:
    """What a turn is worth to one who believes a bank to be worth its points, and the slopes."""
    flat = flat_model(MODEL)
    scratch = np.zeros((2, LEVELS, len(MODEL.hands), len(SCORES)))
    slopes = np.zeros_like(rolls)
    numbers = rule_numbers(MODEL, RULE)
    fixed = numbers, flat.classes, flat.entries, MODEL.step, MODEL.bonus
    worth = slopes_of((rolls, SCORES.astype(float)), (banks, *busts), blur, *fixed, *scratch, slopes)
    return worth, slopes


def believed() -> Floats:
    """Rolling counts some points and a part of the turn score."""
    # No keep and no bank counts as much as another.
    points, part = (
        np.array([355.123, 265.234, 255.345, 310.456, 335.567, 575.678]),
        np.array([0.29, 0.3, 0.38, 0.48, 0.5, 0.5]),
    )
    return np.asarray(points[:, None] + part[:, None] * SCORES)


BANKS = np.sqrt(SCORES + 3000.0)
BUSTS = 54.0, 40.0


def test_without_blur_a_turn_is_worth_what_its_endings_are_worth() -> None:
    rolls = believed()
    worth, _ = turn(rolls, BANKS, BUSTS, 1e-9)
    played = Worths(MODEL.step, rolls[None], SCORES[None].astype(float), SCORES[None].astype(float))
    ended = follow_worths(MODEL, RULE, played)
    expected = sum(chance * np.sqrt(points + 3000.0) for points, chance in ended.banked.items())
    expected += ended.bust * BUSTS[0] + ended.bust_on_six * BUSTS[1]
    # What leads beyond the columns counts as a bust.
    assert worth == pytest.approx(expected, abs=2e-3)
    assert ended.open < 1e-9


def test_slopes_are_those_of_the_worth() -> None:
    rolls, blur, little = believed(), 20.0, 1e-3
    _, slopes = turn(rolls, BANKS, BUSTS, blur)
    steepest = np.argsort(-np.abs(slopes), axis=None)[[0, 1, 2, 5, 10, 20]]
    for place in zip(*np.unravel_index(steepest, slopes.shape), strict=True):
        more, less = rolls.copy(), rolls.copy()
        more[place] += little
        less[place] -= little
        change = turn(more, BANKS, BUSTS, blur)[0] - turn(less, BANKS, BUSTS, blur)[0]
        assert abs(slopes[place]) > 1e-6
        assert slopes[place] == pytest.approx(change / (2 * little), rel=1e-3)


@cache
def falls() -> Falls:
    found = load_match(TABLES, DICE10K).positions
    assert isinstance(found, FieldPositions)
    return Falls(found)


ROWS, KNOTS = np.array([-1000, 0, 500, 1000, 1500, 2000]), np.array([1000, 2000])


@cache
def tuner() -> Tuner:
    """Of the turns from 8,000 against rivals from 5,000 to 8,000, each as likely as the others."""
    found = falls()
    weights = np.outer(found.scores == 8000, middle())
    return Tuner(found, (2000, 2000), ROWS, KNOTS, [(weights, places())])


def middle() -> Floats:
    """Return which opponents have 5,000 to 8,000 points."""
    scores = falls().scores
    return ((scores >= 5000) & (scores < 8000)).astype(float)


def places() -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    found = falls()
    other = (found.scores == 6500).astype(float)
    return np.array([round(WINS * found.worth_of(10_000 - 100 * step, other)) for step in range(101)])


def said() -> Said:
    land = np.array([[0, 0, 1, 2, 3, 5], [0, 5, 9, 10, 12, 10], [4, 4, 5, 6, 9, 17], *[[9, 8, 6, 4, 3, 2]] * 3])
    come = np.array([[5, 20, 35, 50, 60, 60], [20, 20, 35, 40, 50, 60], *[[30, 32, 40, 55, 70, 75]] * 4])
    return Said(land / 100, come / 100, np.array([[0.85, 0.75]]), np.array([0, 1, 4, 3, 7, 10]) / 100)


def test_what_is_given_away_is_that_of_the_policy_which_says_so() -> None:
    found, now = falls(), said()
    (start,) = tuner().starts
    hopes = np.interp(ROWS, KNOTS, now.hope[0])
    parts = zip(ROWS.tolist(), hopes, now.land, now.come, strict=True)
    rows = [
        Reach(left, round(WINS * hope), tuple(np.rint(100 * land).astype(int)), tuple(np.rint(100 * come).astype(int)))
        for left, hope, land, come in parts
    ]
    between = tuple(np.rint(100 * now.off).astype(int).tolist())
    keep = Places(100, tuple(places().tolist()), tuple(rows), between=between)
    state = found.field.state_of(8000)
    lost = found.lost(state, found.plan_row(8000, Plan((0,) * 6, keep, away=2000, multiple=100)), middle()) / 2
    assert tuner().lost(now, 1e-9)[0] == pytest.approx(lost, rel=5e-3)
    now.off[:] = 0.0
    assert tuner().lost(now, 1e-9)[0] != pytest.approx(lost, rel=5e-3)
    assert isinstance(start, TurnStart)
    assert lost > 0


@pytest.mark.parametrize(("part", "place"), [(0, (3, 2)), (1, (4, 3)), (1, (5, 1)), (2, (0, 1)), (3, (2,)), (3, (4,))])
def test_the_slope_is_that_of_what_is_given_away(part: int, place: tuple[int, ...]) -> None:
    blur, little, changed = 2e-3, 1e-5, []
    slope = tuner().lost(said(), blur)[1]
    for sign in (1, -1):
        now = said()
        now.parts[part][place] += sign * little
        changed.append(tuner().lost(now, blur)[0])
    assert abs(slope.parts[part][place]) > 1e-6
    assert slope.parts[part][place] == pytest.approx((changed[0] - changed[1]) / (2 * little), rel=1e-3)


def test_a_chance_that_is_nothing_falls_no_further() -> None:
    now = said()
    now.off[3] = 0.9
    assert tuner().lost(now, 2e-3)[1].off[3] == 0
    assert tuner().lost(now, 2e-3)[1].off[2] != 0


def test_tuned_numbers_lose_less_and_are_whole_percents() -> None:
    shares: list[float] = []
    now = tuner().tuned(said(), rounds=24, progress=shares.append)
    assert shares == sorted(set(shares))
    assert len(shares) == 24 + 6 + 6
    assert 0 == shares[0] < shares[-1] < 1
    assert tuner().lost(now, 1e-9)[0] < 0.6 * tuner().lost(said(), 1e-9)[0]
    for part in (now.land, now.come, now.off):
        assert np.array_equal(np.rint(100 * part) / 100, part)
        assert 0 <= part.min() <= part.max() <= 1
    untuned = tuner().tuned(said(), rounds=0)
    assert all(np.array_equal(one, other) for one, other in zip(untuned.parts, said().parts, strict=True))


def test_only_what_is_free_goes_downhill() -> None:
    def slope(now: Said, _blur: float) -> Said:
        return Said(now.land - 0.4, now.come - 0.4, now.hope - 2.0, now.off - 0.4)

    start = Said(*(np.full((2, 2), 0.5) for _ in range(4)))
    found = descend(start, slope, [1.0] * 60, 1.0, (0, 2))
    assert found.land == pytest.approx(0.4, abs=0.02)
    assert np.array_equal(found.come, start.come)
    assert np.array_equal(found.off, start.off)
    assert (found.hope > 0.6).all()
    assert (descend(start, slope, [1.0] * 600, 1.0, (2,)).hope == 1.0).all()
