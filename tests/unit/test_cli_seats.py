"""The commands for more than two players: `respond`, `evaluate` and `match --players 3`."""

from __future__ import annotations

from pathlib import Path

import pytest

import dice10k_math as d10
from dice10k_math.rules import with_target
from tests.unit.cli import Cli

RULES = with_target(d10.load_rules("des-10000"), 500)
POLICIES = "threshold 300", "threshold 400 2:200"


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    (tmp_path / "small.toml").write_text(d10.dump_rules(RULES), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return Cli(capsys)


def narrow(text: str) -> bool:
    return max(map(len, text.splitlines())) <= 80


def test_respond_answers_several_policies_at_once(cli: Cli) -> None:
    words = ("respond", "small.toml", "--against", POLICIES[0], "--against", POLICIES[1], "--seat", "2")
    found = cli(*words, "--scores", "0,100,50", "--format", "json").data
    right = d10.seats_response(RULES, POLICIES, 2, scores=(0, 100, 50)).win_probability()
    assert found == {
        "ruleset": RULES.name,
        "against": list(POLICIES),
        "seat": 2,
        "scores": [0, 100, 50],
        "win_probability": right.value,
        "lower": right.lower,
        "upper": right.upper,
    }
    text = cli(*words).out
    assert "seat 2  best play" in text
    assert narrow(text)
    assert cli(*words, "--format", "csv").out.count("\n") == 2


def test_evaluate_answers_three_policies(cli: Cli) -> None:
    words = ("evaluate", "small.toml", *POLICIES, POLICIES[0])
    found = cli(*words, "--scores", "0,100,50", "--format", "json").data
    right = d10.evaluate_seats(RULES, words[2:], scores=(0, 100, 50))
    assert found["scores"] == [0, 100, 50]
    for row, value in zip(found["seats"], right.seats, strict=True):
        assert (row["win_probability"], row["lower"], row["upper"]) == (value.value, value.lower, value.upper)
    assert [row["policy"] for row in found["seats"]] == list(words[2:])
    assert right.to_frame()["win_probability"].to_list() == [value.value for value in right.seats]
    assert narrow(cli(*words).out)
    assert cli(*words, "--format", "csv").out.count("\n") == 4


def test_match_answers_three_players(cli: Cli) -> None:
    words = ("match", "des-10000", "--players", "3", "--target", "150")
    found = cli(*words, "--scores", "0,100,50", "--format", "json").data
    right = d10.solve_three(with_target(RULES, 150))
    assert (found["target"], found["players"], found["gap"]) == (150, 3, right.gap(0, 100, 50))
    for row, value in zip(found["seats"], right.win_probabilities(0, 100, 50), strict=True):
        assert (row["win_probability"], row["lower"], row["upper"]) == (value.value, value.lower, value.upper)
    text = cli(*words).out
    assert "None can gain more than" in text
    assert narrow(text)
    assert cli(*words, "--format", "csv").out.count("\n") == 4


def test_match_takes_another_target_for_two(cli: Cli) -> None:
    found = cli("match", "des-10000", "--target", "500", "--format", "json").data
    assert found["win_probability"] == d10.solve_match(RULES).win_probability().value
