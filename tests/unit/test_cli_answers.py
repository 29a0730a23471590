"""What the commands answer, in each format."""

from __future__ import annotations

import csv
import io
import json
import tomllib
from pathlib import Path

import pytest

from dice10k_math import dump_rules, load_rules, solve_turn
from dice10k_math.questions.turn import BankInterval
from tests.unit.cli import Cli

COMMANDS = {
    "rules": ("rules",),
    "show": ("rules", "show", "dice10k"),
    "odds": ("odds", "dice10k"),
    "scores": ("scores", "dice10k", "--dice", "3"),
    "keeps": ("keeps", "dice10k", "1", "1", "5", "3", "2", "6"),
    "turn": ("turn", "farkle"),
    "long run": ("turn", "farkle", "--long-run"),
    "cite": ("cite", "farkle", "turn"),
    "simulate": ("simulate", "farkle", "threshold 300", "threshold 500 2:300 1:300", "--matches", "2000"),
    "advise": ("advise", "farkle", "--turn-score", "350", "--roll", "1,1,5,3", "--score", "2000", "--for", "points"),
}


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    return Cli(capsys)


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_text_is_for_80_columns_and_plain(cli: Cli, words: tuple[str, ...]) -> None:
    result = cli(*words)
    assert result.code == 0
    assert not result.err
    assert "\x1b" not in result.out
    assert result.out.endswith("\n")
    if words[:2] != ("rules", "show"):
        assert max(map(len, result.out.splitlines())) <= 80


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_csv_has_a_head_and_even_rows(cli: Cli, words: tuple[str, ...]) -> None:
    result = cli(*words, "--format", "csv")
    assert result.code == 0
    rows = list(csv.reader(io.StringIO(result.out)))
    assert len(rows) > 1
    assert {len(row) for row in rows} == {len(rows[0])}


@pytest.mark.parametrize("form", ["table", "json", "csv"])
@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_a_file_gets_what_standard_output_gets(cli: Cli, words: tuple[str, ...], form: str, tmp_path: Path) -> None:
    file = tmp_path / "answer"
    printed = cli(*words, "--format", form)
    written = cli(*words, "--format", form, "--output", str(file))
    assert (written.code, written.out, written.err) == (0, "", "")
    assert file.read_text(encoding="utf-8") == printed.out
    assert list(tmp_path.iterdir()) == [file]


def test_rules_lists_the_built_in_rulesets(cli: Cli) -> None:
    listed = cli("rules", "--format", "json").data["rulesets"]
    assert len(listed) == 7
    assert listed[1] == {"name": "dice10k", "title": "Dice 10k", "players": [2, 2], "target": 10000}
    assert listed[0]["title"] == "Dés 10 000"


def test_rules_show_gives_the_rules_file(cli: Cli) -> None:
    assert cli("rules", "show", "dice10k").out == dump_rules(load_rules("dice10k"))
    assert cli("rules", "show", "dice10k", "--format", "json").data == tomllib.loads(dump_rules(load_rules("dice10k")))


def test_rules_check_reads_a_file(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "house.toml"
    file.write_text(dump_rules(load_rules("farkle")), encoding="utf-8")
    data = cli("rules", "check", str(file), "--format", "json").data
    assert list(data)[:2] == ["ok", "name"]
    assert (data["ok"], data["name"]) == (True, "farkle")


def test_a_rules_file_stands_wherever_a_name_does(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "house.toml"
    file.write_text(dump_rules(load_rules("farkle")), encoding="utf-8")
    assert cli("odds", str(file)).out == cli("odds", "farkle").out


def test_odds_keys_and_values(cli: Cli) -> None:
    data = cli("odds", "dice10k", "--format", "json").data
    assert list(data) == ["ruleset", "odds"]
    assert [row["bust_odds"] for row in data["odds"]] == ["2/3", "4/9", "5/18", "17/108", "25/324", "5/216"]
    six = data["odds"][5]
    assert list(six)[:7] == [
        "dice",
        "outcomes",
        "bust_outcomes",
        "bust_odds",
        "bust_probability",
        "mean_best_score",
        "hot_dice_probability",
    ]
    assert (six["dice"], six["outcomes"], six["bust_outcomes"]) == (6, 46656, 1080)
    assert six["bust_probability"] == 5 / 216


def test_odds_of_some_dice(cli: Cli) -> None:
    assert [row["dice"] for row in cli("odds", "dice10k", "--dice", "2", "--format", "json").data["odds"]] == [2]


def test_odds_of_spicy_dice_name_the_dice(cli: Cli) -> None:
    rows = cli("odds", "farkle-spicy", "--dice", "1", "--format", "json").data["odds"]
    assert [row["hand"] for row in rows] == [[1], [2], [3], [4], [5], [6]]
    assert [row["mean_best_score"] for row in rows] == pytest.approx([250 / 6, 25, 25, 25, 200 / 6, 25])
    one = cli("odds", "farkle-spicy", "--hand", "5", "--format", "json").data["odds"]
    assert one == [rows[4]]


def test_scores_keys_and_sum(cli: Cli) -> None:
    data = cli("scores", "dice10k", "--dice", "6", "--format", "json").data
    assert list(data) == ["ruleset", "dice", "scores"]
    assert data["scores"][0] == {"points": 0, "outcomes": 1080}
    assert sum(row["outcomes"] for row in data["scores"]) == 46656


def test_scores_of_spicy_dice_follow_hand_by_hand(cli: Cli) -> None:
    data = cli("scores", "farkle-spicy", "--dice", "1", "--format", "json").data
    assert data["dice"] == 1
    assert data["scores"][:3] == [
        {"points": 0, "outcomes": 4, "hand": [1]},
        {"points": 50, "outcomes": 1, "hand": [1]},
        {"points": 200, "outcomes": 1, "hand": [1]},
    ]


@pytest.mark.parametrize("roll", [("1", "1", "5", "3", "2", "6"), ("1,1,5,3,2,6",), ("1,1,5", "3 2 6")])
def test_keeps_takes_spaces_and_commas(cli: Cli, roll: tuple[str, ...]) -> None:
    data = cli("keeps", "dice10k", *roll, "--format", "json").data
    assert list(data) == ["ruleset", "roll", "keeps"]
    assert data["roll"] == [1, 1, 5, 3, 2, 6]
    assert data["keeps"] == [
        {"keep": [1], "points": 100, "dice_left": 5},
        {"keep": [1, 1], "points": 200, "dice_left": 4},
        {"keep": [1, 1, 5], "points": 250, "dice_left": 3},
        {"keep": [1, 5], "points": 150, "dice_left": 4},
        {"keep": [5], "points": 50, "dice_left": 5},
    ]


def test_a_bust_has_no_keeps(cli: Cli) -> None:
    assert "bust" in cli("keeps", "dice10k", "2", "3").out
    assert cli("keeps", "dice10k", "2", "3", "--format", "json").data["keeps"] == []
    assert cli("keeps", "dice10k", "2", "3", "--format", "csv").out == "keep,points,dice_left\n"


def test_keeps_of_some_spicy_dice(cli: Cli) -> None:
    data = cli("keeps", "farkle-spicy", "1", "5", "--hand", "1,2", "--format", "json").data
    assert data["keeps"][0] == {"keep": [1], "points": 200, "dice_left": 1, "hand_left": [2]}


def test_turn_keys_and_values(cli: Cli) -> None:
    data = cli("turn", "farkle", "--format", "json").data
    assert list(data)[:6] == ["ruleset", "score", "expected_points", "exact", "bust_probability", "states"]
    assert data["score"] == 0
    assert data["expected_points"] == pytest.approx(501.614570978, abs=1e-9)
    numerator, denominator = map(int, data["exact"].split("/"))
    assert numerator / denominator == data["expected_points"]
    assert list(data["states"][0]) == ["dice", "turn_score", "hot_dice", "bank", "roll", "action"]
    assert {state["action"] for state in data["states"]} == {"bank", "roll"}
    assert any(state["bank"] is None for state in data["states"])


def test_turn_after_opening_differs(cli: Cli) -> None:
    opened = cli("turn", "farkle", "--opened", "--format", "json").data
    assert opened["expected_points"] == pytest.approx(534.287062597, abs=1e-9)
    assert opened == {**cli("turn", "farkle", "--score", "50", "--format", "json").data, "score": 0, "opened": True}


def test_the_bank_table_says_when_to_bank(cli: Cli) -> None:
    text = cli("turn", "farkle", "--score", "50").out
    for line in (
        "1          bank from 300; roll again below",
        "2          bank from 250; roll again below",
        "3          bank from 400; roll again below",
        "4          bank from 950; roll again below",
        "5          bank from 2,800; roll again below",
        "6          bank from 16,600; roll again below",
    ):
        assert line in text.splitlines()


def test_the_chance_of_some_points(cli: Cli) -> None:
    data = cli("turn", "farkle", "--at-least", "50", "--opened", "--format", "json").data
    # Whatever scores in the first roll will do.
    assert data["probability"] == pytest.approx(1 - 1080 / 46656)
    assert "97.685%" in cli("turn", "farkle", "--at-least", "50", "--opened").out


def test_the_long_run_has_a_strategy_for_each_count(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "counts.toml"
    text = dump_rules(load_rules("farkle")).replace("[bust]", "[bust]\nin_a_row = { busts = 3, penalty = 1000 }")
    file.write_text(text, encoding="utf-8")
    data = cli("turn", str(file), "--long-run", "--format", "json").data
    assert [strategy["busts"] for strategy in data["strategies"]] == [0, 1, 2]
    assert data["lower"] <= data["points_per_turn"] <= data["upper"]
    assert data["points_per_turn"] < 534.287
    advantages = [strategy["advantage"] for strategy in data["strategies"]]
    assert advantages == sorted(advantages, reverse=True)
    assert "After 2 busts in a row" in cli("turn", str(file), "--long-run").out


def test_advise_ranks_by_expected_points(cli: Cli) -> None:
    words = ("advise", "farkle", "--turn-score", "350", "--roll", "1,5,3", "--score", "2000", "--for", "points")
    choices = cli(*words, "--format", "json").data["choices"]
    assert list(choices[0])[:5] == ["keep", "points", "then", "dice_left", "win_probability"]
    right = solve_turn(load_rules("farkle"), 2000, exact=False).advise(350, (1, 5, 3))
    assert [(choice["keep"], choice["then"]) for choice in choices] == [(list(c.keep), c.then) for c in right]
    worths = [choice["expected_points"] for choice in choices]
    assert worths == sorted(worths, reverse=True)
    assert choices[0]["loss"] == 0


def test_advice_with_dice_left_is_that_of_the_turn(cli: Cli) -> None:
    words = ("advise", "farkle", "--turn-score", "650", "--dice", "3", "--score", "2000", "--for", "points")
    choices = cli(*words, "--format", "json").data["choices"]
    turn = solve_turn(load_rules("farkle"), 2000, exact=False)
    assert [(choice["then"], choice["expected_points"]) for choice in choices] == [
        ("bank", turn.bank_value(650)),
        ("roll", turn.roll_value(3, 650)),
    ]
    assert choices[1]["loss"] == choices[0]["expected_points"] - choices[1]["expected_points"]
    assert "turn score 650, dice left 3" in cli(*words).out
    spicy = ("advise", "farkle-spicy", "--turn-score", "0", "--hand", "1,2,3,4,5,6", "--for", "points")
    (roll,) = cli(*spicy, "--format", "json").data["choices"]
    assert (roll["then"], roll["dice_left"], roll["hand_left"]) == ("roll", 6, [1, 2, 3, 4, 5, 6])
    assert "dice left 1 2 3 4 5 6" in cli(*spicy).out


def test_advice_after_a_bust_is_empty(cli: Cli) -> None:
    words = ("advise", "farkle", "--turn-score", "350", "--roll", "2,3", "--for", "points")
    assert cli(*words, "--format", "json").data == {"choices": []}
    assert "bust" in cli(*words).out


def test_gaps_in_the_bank_table_are_spelt_out(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    from dice10k_math.questions.turn import TurnSolution

    runs = [(1, 300, 450), (1, 600, 600), (1, 1000, None)]
    table = tuple(BankInterval(dice, (0,) * dice, 0, first, last) for dice, first, last in runs)
    monkeypatch.setattr(TurnSolution, "bank_table", lambda _: table)
    text = cli("turn", "farkle").out
    assert "bank at 300 to 450, at 600 and from 1,000; roll again otherwise" in text


def test_help_of_every_command_ends_with_an_example(cli: Cli) -> None:
    for words in (
        [],
        ["rules"],
        ["rules", "show"],
        ["rules", "check"],
        ["odds"],
        ["scores"],
        ["keeps"],
        ["turn"],
        ["advise"],
        ["tables"],
        ["tables", "build"],
        ["tables", "verify"],
        ["plot"],
        ["cite"],
        ["lookup"],
    ):
        result = cli(*words, "--help")
        assert result.code == 0
        last = result.out.rstrip().splitlines()[-2:]
        assert last[0] == "  Example:"
        assert last[1].startswith(" ".join(["    dice10k-math", *words]))


def test_without_a_command_there_is_help(cli: Cli) -> None:
    assert cli().out == cli("--help").out
    assert cli("tables").out.startswith("Usage:")


def test_version(cli: Cli) -> None:
    from dice10k_math import __version__

    assert cli("--version").out == f"dice10k-math, version {__version__}\n"


def test_json_has_no_numbers_that_json_does_not_know(cli: Cli) -> None:
    text = cli("turn", "dix-mille", "--format", "json").out

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    json.loads(text, parse_constant=refuse)
