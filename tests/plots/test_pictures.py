"""Pictures show the library's numbers, have units at their axes, and are the same bytes every time."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from matplotlib.figure import Figure

import dice10k_math as d10
from dice10k_math.plots.length import match_length as draw_length
from dice10k_math.plots.match import bank_decisions, scores_of, win_probability
from dice10k_math.plots.style import COLOURS, to_bytes
from dice10k_math.plots.turn import dice_left, turn_score
from dice10k_math.questions.length import match_length
from dice10k_math.questions.match import MatchSolution
from dice10k_math.questions.turn import TurnSolution
from dice10k_math.rules import with_target
from tests.unit.cli import SOURCE, Cli

FARKLE, DICE10K, SPICY = (d10.load_rules(name) for name in ("farkle", "dice10k", "farkle-spicy"))


@cache
def small() -> MatchSolution:
    return d10.solve_match(with_target(FARKLE, 1000))


@cache
def turn(name: str, score: int) -> TurnSolution:
    return d10.solve_turn(d10.load_rules(name), score, exact=False)


PICTURES: dict[str, Callable[[], Figure]] = {
    "win": lambda: win_probability(small()),
    "bank": lambda: bank_decisions(small()),
    "length": lambda: draw_length(small().rules, match_length(small())),
    "turn": lambda: turn_score(turn("farkle", 1000)),
    "dice": lambda: dice_left(turn("farkle", 1000)),
}


@pytest.mark.parametrize("draw", PICTURES.values(), ids=PICTURES)
def test_a_picture_is_the_same_bytes_every_time_with_units_at_its_axes(draw: Callable[[], Figure]) -> None:
    first = to_bytes(draw())
    assert first == to_bytes(draw())
    names = re.findall(r">([^<>]+)</text>", first.decode())
    unit = re.compile(r"points\)|\(%\)|turns of")
    assert sum(bool(unit.search(name)) for name in names) >= 2, names
    assert ET.fromstring(first).tag.endswith("svg")  # noqa: S314 - our own bytes


def test_a_figure_can_be_written_twice_and_in_both_formats() -> None:
    figure = win_probability(small())
    assert to_bytes(figure) == to_bytes(figure)
    assert to_bytes(figure, "png").startswith(b"\x89PNG")


def test_the_same_bytes_in_another_process() -> None:
    code = (
        "import sys, dice10k_math as d10; from dice10k_math.plots.style import to_bytes;"
        "from dice10k_math.plots.turn import dice_left;"
        "turn = d10.solve_turn(d10.load_rules('farkle'), 1000, exact=False);"
        "sys.stdout.buffer.write(to_bytes(dice_left(turn)))"
    )
    environment = {"PYTHONPATH": str(SOURCE), "PYTHONHASHSEED": "7"}
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, env=environment)
    assert done.stdout == to_bytes(dice_left(turn("farkle", 1000)))


def test_lines_are_told_apart_by_more_than_their_colour() -> None:
    lines = dice_left(turn("farkle", 1000)).axes[0].get_lines()[1:]
    assert len({str(vars(line)["_dash_pattern"]) for line in lines}) == len(lines) == 6
    assert len(set(COLOURS)) == 6


def test_only_decisions_that_there_are_have_a_panel() -> None:
    match = d10.solve_match(with_target(d10.load_rules("dix-mille"), 500))
    figure = bank_decisions(match)
    assert [
        axes.get_title(loc="left") for axes in figure.axes if axes.get_visible() and axes.get_title(loc="left")
    ] == [
        *("1 die left", "2 dice left", "3 dice left", "4 dice left", "5 dice left"),
    ]
    assert "first turn of the round" in to_bytes(figure).decode()


def test_the_bars_are_the_endings_of_the_turn() -> None:
    solved = turn("dice10k", 2000)
    endings = solved.endings
    left, right = turn_score(solved).axes
    heights = [bar.get_height() for bar in left.patches]  # type: ignore[attr-defined] # bars are rectangles
    assert heights == pytest.approx([100 * endings.bust, 100 * endings.bust_on_six])
    for bar in right.patches:
        score = round(bar.get_x() + bar.get_width() / 2)  # type: ignore[attr-defined] # bars are rectangles
        assert bar.get_height() == pytest.approx(100 * endings.banked[score])  # type: ignore[attr-defined] # bars are rectangles
    shown = sum(bar.get_height() for bar in right.patches)  # type: ignore[attr-defined] # bars are rectangles
    assert shown > 99 * sum(endings.banked.values())


def test_lines_cross_zero_where_banking_becomes_better() -> None:
    solved = turn("farkle", 1000)
    for line in dice_left(solved).axes[0].get_lines()[1:]:
        dice = int(str(line.get_label()).split(maxsplit=1)[0])
        below = [x for x, y in np.asarray(line.get_xydata()).tolist() if y <= 0]
        first = solved.bank_from(dice)
        assert first is not None
        assert min(below, default=first) == first if first <= 2500 else not below


def test_scores_of_a_game_in_which_scores_fall_reach_below_zero_and_past_the_target() -> None:
    match = MatchSolution(DICE10K, small().positions)
    scores = scores_of(match, 50)
    assert (scores.min(), scores.max()) == (-1000, 11_000)
    assert np.all(scores % 100 == 0)
    assert scores_of(small(), 50).max() < 1000


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    return Cli(capsys)


def test_the_command_writes_the_picture(cli: Cli, tmp_path: Path) -> None:
    svg, png, rules = tmp_path / "a.svg", tmp_path / "a.PNG", tmp_path / "small.toml"
    assert cli("plot", "turn", "farkle", "--score", "1000", "--output", str(svg)).code == 0
    assert svg.read_bytes() == to_bytes(turn_score(turn("farkle", 1000)))
    assert cli("plot", "dice", "farkle", "--output", str(png)).code == 0
    assert png.read_bytes() == to_bytes(dice_left(turn("farkle", 0)), "png")
    rules.write_text(d10.dump_rules(small().rules), encoding="utf-8")
    assert cli("plot", "win", str(rules), "--output", str(svg)).code == 0
    assert svg.read_bytes() == to_bytes(win_probability(small()))


OUT = ("--output", "/nope/a.svg")
BAD = {
    "no kind": (("plot",), "KIND: missing; allowed: dice10k-math plot"),
    "an unknown kind": (("plot", "pie", "farkle", *OUT), "plot: 'pie'; allowed: win, bank, length, turn, dice"),
    "no output": (("plot", "turn", "farkle"), "--output: missing; allowed: --output FILE"),
    "another format": (("plot", "turn", "farkle", "--output", "a.pdf"), "--output: 'a.pdf'; allowed: a name that ends"),
    "no suffix": (("plot", "turn", "farkle", "--output", "svg"), "allowed: a name that ends in .svg or .png"),
    "a missing folder": (("plot", "turn", "farkle", *OUT), "--output /nope/a.svg: cannot be written"),
    "dice of a turn": (("plot", "turn", "farkle", "--dice", "3", *OUT), "--dice: not for 'turn'; allowed: --score"),
    "a score of a match": (("plot", "win", "farkle", "--score", "3", *OUT), "--score: not for 'win'; allowed: --second"),
    "seven dice": (("plot", "bank", "farkle", "--dice", "7", *OUT), "--dice: 7; allowed: 1 to 6"),
    "no equal turns": (("plot", "win", "farkle", "--second", *OUT), "--second: farkle has no equal turns"),
    "spicy dice": (("plot", "bank", "farkle-spicy", *OUT), "bank: farkle-spicy has spicy dice"),
    "high stakes": (("plot", "length", "farkle-high-stakes", *OUT), "length: farkle-high-stakes has high stakes"),
    "falling scores": (("plot", "length", "dice10k", *OUT), "length: scores of dice10k can fall"),
    "a huge score": (("plot", "turn", "farkle", "--score", "9" * 20, *OUT), "allowed: -1000000000 to 1000000000"),
    "no such tables": (("plot", "win", "farkle", "--tables", "/nope", *OUT), "--tables /nope"),
    "an unknown ruleset": (("plot", "turn", "nope", *OUT), "nope: no such ruleset or file"),
}  # fmt: skip


@pytest.mark.parametrize(("words", "message"), BAD.values(), ids=BAD)
def test_bad_input_is_refused_in_one_line(cli: Cli, words: tuple[str, ...], message: str) -> None:
    assert message in cli(*words).refused()


def test_without_matplotlib_there_is_one_line(cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    file = tmp_path / "a.svg"
    result = cli("plot", "turn", "farkle", "--output", str(file))
    assert (result.code, result.out) == (1, "")
    assert "pip install 'dice10k-math[plots]'" in result.err
    assert len(result.err.splitlines()) == 1
    assert not file.exists()
