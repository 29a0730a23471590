"""The benchmarks run, without the programs that they compare with too, and report what they are meant to."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import bench_odds
import bench_turn
import harness
from dice10k_math import legal_keeps, load_rules, parse_rules, score_counts
from harness import Report, Row, Timing

BENCHMARKS = Path(harness.__file__).parent
SCRIPTS = (
    "bench_odds.py",
    "bench_turn.py",
    "bench_process.py",
    "bench_advise.py",
    "bench_variants.py",
    "bench_simulate.py",
    "bench_three.py",
)


def run(script: str, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(BENCHMARKS / script), *options],
        capture_output=True,
        text=True,
        env=harness.environment(),
        check=False,
    )


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_benchmark_runs_and_writes_its_figures(script: str, tmp_path: Path) -> None:
    written = tmp_path / "figures.json"
    done = run(script, "--quick", "--json", str(written))
    assert done.returncode == 0, done.stderr
    figures = json.loads(written.read_text(encoding="utf-8"))
    assert figures["title"] in done.stdout
    assert all(row["runs"] == 1 or row["note"] == "not installed" or row["cpu"] is None for row in figures["rows"])
    assert any(row["cpu"] for row in figures["rows"])
    assert {ratio["verdict"] for ratio in figures["ratios"]} <= {"kept", "MISSED", "not measured"}
    assert set(figures["machine"]) == {"system", "processor", "cores", "python"}


@pytest.mark.parametrize("script", SCRIPTS)
def test_quick_figures_are_not_checked(script: str) -> None:
    done = run(script, "--quick", "--check")
    assert done.returncode == 2
    assert "not allowed with" in done.stderr


@pytest.mark.parametrize(("script", "row"), [("bench_growth.py", "| 300 | 36 |"), ("bench_three.py", "| 300 | 216 |")])
def test_growth_writes_its_page(script: str, row: str, tmp_path: Path) -> None:
    written = tmp_path / "growth.md"
    done = run(script, "--quick", "--write", str(written))
    assert done.returncode == 0, done.stderr
    text = written.read_text(encoding="utf-8")
    assert "Measured, not promised" in text
    assert row in text


def test_what_is_not_installed_is_reported_and_not_run() -> None:
    missing = harness.Contestant(lambda: pytest.fail("it ran"), "no_such_package", str)
    outcome = harness.compete("no_such_script.py", {"missing": missing}, 3)["missing"]
    assert outcome == harness.Outcome(note="not installed")


def test_ratios_are_those_of_medians() -> None:
    report = Report("title")
    ours = report.add("ours", [Timing(1.0, 2.0), Timing(9.0, 9.0), Timing(2.0, 3.0)])
    theirs = report.add("theirs", [Timing(4.0, 3.0)])
    report.at_most("at most half", ours, theirs, 0.5)
    report.at_most("at most a third", ours, theirs, 1 / 3)
    report.times_faster("twice as fast", ours, theirs, 2)
    report.times_faster("three times as fast", ours, theirs, 3)
    assert [(ratio.value, ratio.verdict) for ratio in report.ratios] == [
        (0.5, "kept"),
        (0.5, "MISSED"),
        (2.0, "kept"),
        (2.0, "MISSED"),
    ]


@pytest.mark.parametrize(("limit", "code"), [(2.0, 0), (1.0, 0), (0.5, 1)])
def test_check_fails_when_a_ratio_is_missed(limit: float, code: int) -> None:
    report = Report("title")
    report.at_most("ratio", Row("ours", 1.0, 1.0, 1), Row("theirs", 1.0, 1.0, 1), limit)
    options = harness.arguments("").parse_args(["--check"])
    assert harness.finish(report, options) == code
    assert harness.finish(report, harness.arguments("").parse_args([])) == 0


def test_check_fails_when_a_ratio_could_not_be_measured() -> None:
    report = Report("title")
    report.at_most("ratio", Row("ours", 1.0, 1.0, 1), Row("theirs", None, None, 0, "not installed"), 2)
    assert report.ratios[0].verdict == "not measured"
    assert harness.finish(report, harness.arguments("").parse_args(["--check"])) == 1


def test_the_table_is_aligned() -> None:
    report = Report("title")
    report.add("one", [Timing(0.5, 1.25)])
    report.add("a longer name", [Timing(12.0, 0.001)], "note")
    lines = report.text().splitlines()
    assert lines[2:5] == [
        "what (medians)    CPU ms  wall ms  runs",
        "one               500.00  1250.00     1",
        "a longer name   12000.00     1.00     1  note",
    ]


def test_the_plain_loop_scores_as_the_library_does() -> None:
    rules = load_rules("dice10k")
    for roll in bench_odds.all_rolls():
        keeps = [(keep.dice, keep.points, keep.dice_left) for keep in legal_keeps(rules, roll)]
        assert bench_odds.plain_keeps(roll) == keeps


def test_the_scoring_given_to_the_others_is_that_of_the_library() -> None:
    score = bench_odds.best_score()
    rules = load_rules("dice10k")
    for roll in bench_odds.all_rolls():
        if len(roll) == 6:
            assert score(roll) == max((keep.points for keep in legal_keeps(rules, roll)), default=0)


def test_the_explicit_model_has_the_chances_and_choices_of_the_plain_game() -> None:
    rules = parse_rules(bench_turn.RULES.read_text(encoding="utf-8"))
    for dice in range(1, 7):
        classes = bench_turn.classes_of(dice)
        assert sum(classes.values()) == 6**dice
        best: dict[int, int] = {}
        for options, outcomes in classes.items():
            points = max((points for _, points in options), default=0)
            best[points] = best.get(points, 0) + outcomes
        assert best == score_counts(rules, dice)


def test_the_explicit_model_is_well_formed() -> None:
    entries = bench_turn.explicit_model(lambda chance: chance, 500)
    sums = [0] * len(entries.rewards)
    for row, chance in zip(entries.rows, entries.values, strict=True):
        sums[row] += chance
    assert set(sums) == {1}
    assert entries.rows == sorted(entries.rows)
    assert max(entries.columns) < len(entries.groups)
