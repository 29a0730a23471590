"""`evaluate --course`: what it answers, as text, as JSON and as CSV."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

import dice10k_math as d10
from dice10k_math.questions.evaluation import evaluate_alone
from dice10k_math.rules import with_target
from tests.unit.cli import Cli

PAIR = ("threshold 300", "threshold 450 2:300")
RULES = with_target(d10.load_rules("des-10000"), 500)


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    (tmp_path / "small.toml").write_text(d10.dump_rules(RULES), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return Cli(capsys)


def test_the_course_of_two_policies(cli: Cli) -> None:
    asked = ("evaluate", "small.toml", *PAIR, "--score", "100", "--opponent", "200")
    found, plain = (cli(*asked, *more, "--format", "json").data for more in (["--course"], []))
    course = found.pop("course")
    assert found == plain
    right = d10.evaluate(RULES, PAIR).course(100, 200)
    assert [each["probability"] for each in course["length"]] == list(right.length)
    assert [each["turns"] for each in course["length"]] == list(range(len(right.length)))
    assert course["expected_turns"] == right.expected_turns
    assert course["left"] == right.left
    for here, turns, won in zip(course["seats"], right.seats, right.won, strict=True):
        assert (here["wins"], here["turns"], here["bust_rate"]) == (won, turns.turns, turns.bust_rate)
        assert here["points_per_turn"] == turns.points_per_turn
        assert {each["points"]: each["probability"] for each in here["points"]} == turns.points


def test_the_course_of_two_policies_as_text_and_as_rows(cli: Cli) -> None:
    asked = ("evaluate", "small.toml", *PAIR, "--course")
    right = d10.evaluate(RULES, PAIR).course()
    text = cli(*asked).out
    assert "how it goes with seat 1 to move:" in text
    assert f"turns on average  {right.expected_turns:.3f}" in text
    assert f"busts                 {100 * right.seats[0].bust_rate:.3f}%" in text
    rows = list(csv.DictReader(io.StringIO(cli(*asked, "--format", "csv").out)))
    lengths = [float(row["probability"]) for row in rows if row["distribution"] == "length"]
    assert lengths == list(right.length)
    second = {int(row["value"]): float(row["probability"]) for row in rows if row["seat"] == "2"}
    assert second == right.seats[1].points


def test_the_course_of_one_policy(cli: Cli) -> None:
    asked = ("evaluate", "small.toml", PAIR[0], "--course", "--score", "200")
    found = cli(*asked, "--format", "json").data
    right = evaluate_alone(RULES, PAIR[0], 200)
    assert found["expected_turns"] == right.expected_turns
    assert [each["probability"] for each in found["length"]] == list(right.length)
    assert {each["points"]: each["probability"] for each in found["points"]} == right.turns.points
    assert f"turns on average  {right.expected_turns:.3f}" in cli(*asked).out
