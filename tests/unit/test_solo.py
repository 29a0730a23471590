"""One player alone: known values, refusals, the judge, the command and the table."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import polars as pl
import pytest

import dice10k_math as d10
from dice10k_math.questions.solo import SoloSolution
from dice10k_math.rules import with_target
from dice10k_math.rules.model import Ending
from dice10k_math.solve.solo import lower_holds, power_above, stride_of, upper_holds
from dice10k_math.tables import alone
from tests.unit.cli import Cli


@cache
def solved(name: str) -> SoloSolution:
    return d10.solve_solo(d10.load_rules(name))


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    return Cli(capsys)


@pytest.mark.parametrize(("name", "turns"), [("farkle", 19.691782), ("dix-mille", 18.656106)])
def test_known_values_of_races(name: str, turns: float) -> None:
    found = solved(name).expected_turns()
    assert found.value == pytest.approx(turns, abs=6e-7)
    assert found.lower <= found.value <= found.upper
    assert found.upper - found.lower < 1e-9


def test_dice10k_is_enclosed_from_far_below_to_far_above() -> None:
    solo = solved("dice10k")
    for score in range(-2000, 12_001, 100):
        found = solo.expected_turns(score)
        assert 0 <= found.upper - found.lower < 1e-6
    # That these are the right values is shown in tests/agreement/test_solo_of_dice10k.py, by other loops.
    assert solo.expected_turns(0).value == pytest.approx(20.0794215, abs=5e-8)
    assert solo.expected_turns(9700).value == pytest.approx(1.7519439, abs=5e-8)


def test_the_judge_refuses_what_is_tampered_with() -> None:
    solo = solved("farkle")
    game, bounds = solo.game, solo.bounds
    scale = power_above(float(bounds.upper.max()))
    assert upper_holds(game, bounds.upper, 0.0, scale)
    assert lower_holds(game, bounds.lower, np.inf, scale)
    for start in (0, 100, game.starts - 1):
        less, more = bounds.upper.copy(), bounds.lower.copy()
        less[start] -= 1e-9
        more[start] += 1e-9
        assert not upper_holds(game, less, 0.0, scale)
        assert not lower_holds(game, more, np.inf, scale)
    assert stride_of(game) == pytest.approx(534.287, abs=1e-3)


def test_chances_grow_with_the_turns() -> None:
    chances = [solved("farkle").done_within(turns, 8000).value for turns in range(6)]
    assert chances[0] == 0
    assert chances == sorted(chances)
    assert chances[-1] < 1


@pytest.mark.parametrize(
    ("start", "message"),
    [
        ((10_000, None, 0), "score: 10000; allowed: 0 to 9950 in steps of 50"),
        ((25, None, 0), "score: 25; allowed: 0 to 9950 in steps of 50"),
        ((-50, None, 0), "score: -50; allowed: 0 to 9950 in steps of 50"),
        ((500, None, 1), "busts: 1; farkle counts 0 to 0 busts in a row before a turn"),
        ((500, False, 0), "opened: False with a score of 500; a player with points has banked before"),
    ],
)
def test_turn_starts_that_cannot_be_are_refused(start: tuple[int, bool | None, int], message: str) -> None:
    with pytest.raises(d10.InputError, match=message):
        solved("farkle").expected_turns(*start)


def test_too_many_turns_are_refused() -> None:
    with pytest.raises(d10.InputError, match="turns: -1; allowed: 0 to"):
        solved("farkle").done_within(-1)


def test_a_frame_has_every_turn_start() -> None:
    frame = solved("farkle").to_frame()
    assert frame.height == 200
    assert frame.filter(pl.col("score") == 0)["expected_turns"].to_list() == [solved("farkle").expected_turns(0).value]


def test_the_command_answers_in_json(cli: Cli) -> None:
    data = cli("solo", "farkle", "--score", "9700", "--within", "2", "--format", "json").data
    assert data["ruleset"] == "farkle"
    assert data["score"] == 9700
    assert data["lower"] <= data["expected_turns"] <= data["upper"]
    assert data["probability"] == pytest.approx(0.98154, abs=1e-5)
    everything = cli("solo", "farkle", "--format", "json").data
    assert len(everything["scores"]) == 200


def test_progress_is_told_round_by_round() -> None:
    told: list[tuple[str, float | None]] = []
    solo = d10.solve_solo(with_target(d10.load_rules("farkle"), 1000), lambda what, share: told.append((what, share)))
    assert told[0] == ("laying out the turn", None)
    assert {what.split(",")[0] for what, _ in told[1:]} == {"upper bounds", "lower bounds"}
    assert all(share is not None and 0 <= share < 1 for _, share in told[1:])
    shares: list[float] = []
    solo.within(3, ((0, None, 0),), shares.append)
    assert shares == [0, 0.25, 0.5, 0.75]


def test_the_command_says_which_scores_it_shows(cli: Cli) -> None:
    lines = cli("solo", "farkle", "--within", "1").out.splitlines()
    assert [line.split()[0] for line in lines[4:-3]] == [f"{score:,}" for score in range(0, 10_000, 200)]
    assert lines[-2:] == [
        "shown: scores from 0 to below the target in steps of 200",
        "all 200 turn starts: --format csv or --format json",
    ]
    assert len(cli("solo", "farkle", "--format", "csv").out.splitlines()) == 1 + 200
    assert "done within 1 turn " in cli("solo", "farkle", "--score", "9000", "--within", "1").out


def test_the_command_refuses_scores_that_cannot_be(cli: Cli) -> None:
    assert "allowed: 0 to 9950" in cli("solo", "farkle", "--score", "25").refused()
    assert "--score" in cli("solo", "farkle", "--busts", "0").refused()


def test_the_table_holds_and_a_forged_one_does_not() -> None:
    rules = replace(d10.load_rules("dix-mille"), ending=Ending("first_to_target", 1000))
    frame, gap = alone.values(rules)
    assert 0 < gap < 1e-9
    assert frame.columns == [column.name for column in alone.columns(rules)]
    assert not list(alone.check(rules, frame, lambda _: None))
    forged = frame.with_columns(pl.col("upper") + 1e-3, pl.col("within_10") - 1e-3)
    assert len(list(alone.check(rules, forged, lambda _: None))) >= frame.height
