"""Long solving goes on where it was interrupted, and takes nothing from a file that is not its own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dice10k_math.errors import InputError
from dice10k_math.questions import resume
from dice10k_math.questions.match import solve_match
from dice10k_math.questions.resume import Diary
from dice10k_math.race import Race
from dice10k_math.rules import dump_rules, load_rules, with_target
from dice10k_math.solve import race as solving
from dice10k_math.solve.journal import Journal
from tests.unit.cli import Cli

FARKLE = with_target(load_rules("farkle"), 500)
DIX_MILLE = with_target(load_rules("dix-mille"), 500)


class PowerOffError(Exception):
    """The power went off."""


@pytest.fixture(autouse=True)
def _always_due(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resume.Diary.__init__, "__defaults__", (0.0, 0.0))


def interrupt(monkeypatch: pytest.MonkeyPatch, name: str, after: int) -> list[int]:
    """Make a step fail after so many rows; return the list of rows that it is asked for."""
    real, asked = getattr(solving, name), []

    def step(race: Race, total: int, *rest: object) -> object:
        asked.append(total)
        if len(asked) > after:
            raise PowerOffError
        return real(race, total, *rest)

    monkeypatch.setattr(solving, name, step)
    return asked


@pytest.mark.parametrize(
    ("rules", "step"), [(FARKLE, "solve_row"), (DIX_MILLE, "_propose_row")], ids=["solve", "bound"]
)
def test_what_is_done_is_not_done_again(tmp_path: Path, rules, step: str) -> None:  # type: ignore[no-untyped-def]
    file, right = tmp_path / "work.journal", solve_match(rules)
    with pytest.MonkeyPatch.context() as patch:
        asked = interrupt(patch, step, 7)
        with pytest.raises(PowerOffError):
            solve_match(rules, resume=file)
    assert file.exists()
    with pytest.MonkeyPatch.context() as patch:
        again = interrupt(patch, step, 10_000)
        found = solve_match(rules, resume=file)
    assert again[0] == asked[-1]
    assert len(again) == 2 * Race(rules).scores - 1 - 7
    for name, column in right.positions.columns().items():
        assert np.array_equal(column, found.positions.columns()[name]), name


def test_a_finished_journal_is_only_judged(tmp_path: Path) -> None:
    file = tmp_path / "work.journal"
    first = solve_match(FARKLE, resume=file).win_probability()
    with pytest.MonkeyPatch.context() as patch:
        solved, bounded = interrupt(patch, "solve_row", 0), interrupt(patch, "_propose_row", 0)
        assert solve_match(FARKLE, resume=file).win_probability() == first
    assert solved == bounded == []
    assert [path.name for path in tmp_path.iterdir()] == ["work.journal"]


def test_a_tampered_journal_is_not_believed(tmp_path: Path) -> None:
    from dice10k_math.errors import NotConvergedError

    file = tmp_path / "work.journal"
    solve_match(FARKLE, resume=file)
    diary = Diary(file, Race(FARKLE))
    journal = diary.open()
    journal.lower[0, 5, 2] += 1e-6
    diary.write(journal)
    with pytest.raises(NotConvergedError, match="150 points against 100"):
        solve_match(FARKLE, resume=file)


@pytest.mark.parametrize("what", ["nothing", "text", "other rules", "other target", "half", "another size"])
def test_a_file_that_is_no_journal_of_this_match_is_refused(tmp_path: Path, what: str) -> None:
    file, race = tmp_path / "work.journal", Race(FARKLE)
    if what in {"nothing", "text"}:
        file.write_bytes(b"" if what == "nothing" else b"a text")
    elif what == "another size":
        one = np.zeros((1, 2, 3))
        small = Journal(one, one, one, one)
        Diary(file, race).write(small)
    else:
        other = {"other rules": DIX_MILLE, "other target": with_target(FARKLE, 550)}.get(what, FARKLE)
        Diary(file, Race(other)).write(Journal.blank(Race(other)))
    if what == "half":
        file.write_bytes(file.read_bytes()[:1000])
    before = file.read_bytes()
    with pytest.raises(InputError, match=r"work\.journal: (no|a) journal"):
        solve_match(FARKLE, resume=file)
    assert file.read_bytes() == before


def test_only_races_without_high_stakes_are_resumed(tmp_path: Path) -> None:
    for name in ("dice10k", "farkle-high-stakes"):
        with pytest.raises(InputError, match="resume"):
            solve_match(load_rules(name), resume=tmp_path / "work.journal")


def test_the_command_resumes(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "farkle.toml").write_text(dump_rules(FARKLE), encoding="utf-8")
    cli = Cli(capsys)
    words = ("match", "farkle.toml", "--resume", "work.journal", "--format", "json")
    assert cli(*words).data == cli(*words).data
    assert (tmp_path / "work.journal").exists()
    assert "--tables or --resume" in cli(*words, "--tables", "tables").refused()
