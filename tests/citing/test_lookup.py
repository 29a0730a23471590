"""Every question gives the library's own answer, and its identifier gives it again."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import dice10k_math as d10
from dice10k_math.citing.lookup import cite, look_up
from dice10k_math.citing.printed import Printed
from dice10k_math.citing.questions import QUESTIONS, Number
from dice10k_math.errors import InputError
from dice10k_math.rules import with_target
from dice10k_math.solve.worth import at_least
from dice10k_math.tables.build import build_tables
from dice10k_math.tables.kinds import kind_named
from tests.unit.cli import Cli

TABLES = Path(__file__).resolve().parents[2] / "tables"
SMALL = with_target(d10.load_rules("farkle"), 500)

Case = tuple[d10.Ruleset, str, tuple[str, ...], Callable[[], Any]]
DICE10K, FARKLE, SPICY = (d10.load_rules(name) for name in ("dice10k", "farkle", "farkle-spicy"))
ANSWERS: tuple[Case, ...] = (
    (DICE10K, "bust", (), lambda: d10.bust_odds(DICE10K, 6)),
    (DICE10K, "bust", ("dice=2",), lambda: d10.bust_odds(DICE10K, 2)),
    (SPICY, "bust", ("hand=12",), lambda: d10.bust_odds(SPICY, (1, 2))),
    (FARKLE, "hot-dice", ("dice=3",), lambda: d10.hot_dice_odds(FARKLE, 3)),
    (FARKLE, "mean-score", ("dice=5",), lambda: d10.mean_best_score(FARKLE, 5)),
    (FARKLE, "best-score", ("points=1500",), lambda: d10.score_distribution(FARKLE, 6)[1500]),
    (FARKLE, "best-score", ("points=1234",), lambda: Fraction(0)),
    (FARKLE, "turn", ("score=5000",), lambda: d10.solve_turn(FARKLE, 5000).exact),
    (FARKLE, "turn", ("opened=yes",), lambda: d10.solve_turn(FARKLE, 0, opened=True).exact),
    (FARKLE, "at-least", ("points=700", "score=100"), lambda: d10.solve_turn(FARKLE, 100, worth=at_least(700)).exact),
    (DICE10K, "bank-from", ("dice=3", "score=2000"), lambda: d10.solve_turn(DICE10K, 2000, exact=False).bank_from(3)),
    (
        DICE10K,
        "bank-from",
        ("dice=3", "hot-dice=1", "score=2000"),
        lambda: d10.solve_turn(DICE10K, 2000, exact=False).bank_from(3, 1),
    ),
    (FARKLE, "long-run", (), lambda: d10.long_run(FARKLE).points_per_turn),
    (SMALL, "solo", ("score=100",), lambda: d10.solve_solo(SMALL).expected_turns(100).value),
    (SMALL, "match", ("score=100", "opponent=250"), lambda: d10.solve_match(SMALL).win_probability(100, 250).value),
)


def test_every_question_is_asked_below() -> None:
    assert {question for _, question, _, _ in ANSWERS} == set(QUESTIONS)


@pytest.mark.parametrize(("rules", "question", "words", "right"), ANSWERS, ids=[f"{a[1]}-{a[2]}" for a in ANSWERS])
def test_a_question_and_the_way_back(
    rules: d10.Ruleset, question: str, words: tuple[str, ...], right: Callable[[], Any]
) -> None:
    found = cite(rules, question, words)
    expected = right()
    if isinstance(expected, Fraction | int):
        assert found.number.exact == expected
    else:
        assert found.number.value == expected
    assert found.number.lower <= found.number.value <= found.number.upper
    assert found.identifier.arguments == words
    assert d10.fingerprint(rules).startswith(found.identifier.fingerprint)
    assert look_up(str(found.identifier), rules=rules) == found


def test_arguments_at_their_defaults_and_in_another_order_give_the_same_identifier() -> None:
    assert cite(FARKLE, "turn", ["busts=0", "score=0"]) == cite(FARKLE, "turn")
    assert cite(FARKLE, "at-least", ["score=100", "points=500"]) == cite(
        FARKLE, "at-least", ["points=500", "score=100"]
    )


def test_tables_and_solving_give_the_same_number(tmp_path: Path) -> None:
    build_tables([SMALL], tmp_path, kinds=tuple(kind_named(name) for name in ("match", "last_turn", "solo")))
    for question, words in (("match", ["score=100"]), ("solo", ["score=100"])):
        read, computed = cite(SMALL, question, words, tables=tmp_path), cite(SMALL, question, words)
        assert (read.number.origin, computed.number.origin) == ("tables", "computed")
        assert read.identifier == computed.identifier
        assert read.number.lower <= computed.number.upper
        assert computed.number.lower <= read.number.upper


def test_house_rules_are_found_in_a_folder_of_tables(tmp_path: Path) -> None:
    build_tables([SMALL], tmp_path, kinds=(kind_named("odds"),))
    identifier = str(cite(SMALL, "bust").identifier)
    assert look_up(identifier, tables=tmp_path).rules == SMALL
    with pytest.raises(InputError, match="cited are the rules farkle:"):
        look_up(identifier)


@pytest.mark.parametrize(("name", "score", "opponent"), [("farkle", 4200, 7000), ("dix-mille", 0, 0)])
def test_shipped_tables_are_read(name: str, score: int, opponent: int) -> None:
    rules = d10.load_rules(name)
    found = cite(rules, "match", [f"score={score}", f"opponent={opponent}"], tables=TABLES)
    right = d10.load_match(TABLES, rules).win_probability(score, opponent)
    assert (found.number.value, found.number.lower, found.number.upper) == (right.value, right.lower, right.upper)
    assert found.number.origin == "tables"


def test_printed_numbers() -> None:
    third = Number(1 / 3, 1 / 3, 1 / 3, Fraction(1, 3))
    enclosed = Number(0.25, 0.249, 0.251)
    agreeing = [
        ("1/3", third),
        ("0.33", third),
        ("0.3333333333333333333333", third),
        ("0.25", enclosed),
        ("0", enclosed),
    ]
    for text, number in agreeing:
        assert Printed.of(text).agrees(number), text
    for text, number in [("0.34", third), ("0.33333", Number(1, 1, 1)), ("333/1000", third), ("0.26", enclosed)]:
        assert not Printed.of(text).agrees(number), text


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    return Cli(capsys)


def test_the_two_commands(cli: Cli) -> None:
    data = cli("cite", "dice10k", "bust", "dice=1", "--format", "json").data
    assert (data["exact"], data["unit"], data["value"]) == ("2/3", "probability", 2 / 3)
    back = cli("lookup", data["identifier"], "--format", "json").data
    assert back.items() >= data.items()
    assert back["same_version"]
    assert back["agrees"] is None
    text = cli("cite", "dice10k", "bust", "dice=1").out
    assert text.endswith(f"{data['identifier']}\n")


def test_another_version_is_told_and_its_number_given(cli: Cli) -> None:
    identifier = str(cite(DICE10K, "bust", ["dice=1"]).identifier).replace(f":{d10.__version__}:", ":0.0.1:")
    data = cli("lookup", identifier, "--format", "json").data
    assert (data["cited_version"], data["version"], data["same_version"]) == ("0.0.1", d10.__version__, False)
    assert "cited was 0.0.1" in cli("lookup", identifier).out


def test_the_printed_value_decides_the_exit_code(cli: Cli) -> None:
    identifier = str(cite(DICE10K, "bust", ["dice=1"]).identifier)
    assert cli("lookup", identifier, "--value", "0.667").code == 0
    wrong = cli("lookup", identifier, "--value", "0.66", "--format", "json")
    assert (wrong.code, json.loads(wrong.out)["agrees"]) == (1, False)


def test_rules_of_a_file(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "small.toml"
    file.write_text(d10.dump_rules(SMALL), encoding="utf-8")
    identifier = cli("cite", str(file), "bust", "--format", "json").data["identifier"]
    assert cli("lookup", identifier, "--rules", str(file)).code == 0
    assert "cited are the rules farkle:" in cli("lookup", identifier).refused()


RIGHT = f"dice10k-math:0.1.0:dice10k:{d10.fingerprint(DICE10K)[:12]}:bust"
BAD = {
    "no question": (("cite", "dice10k"), "QUESTION: missing; allowed: dice10k-math cite"),
    "an unknown question": (("cite", "dice10k", "luck"), "question: 'luck'; allowed: bust, hot-dice"),
    "an unknown argument": (("cite", "dice10k", "bust", "score=1"), "argument: 'score=1'; allowed: dice=..., hand=..."),
    "no such dice": (("cite", "dice10k", "bust", "dice=7"), "dice: 7"),
    "a hand of plain dice": (("cite", "dice10k", "bust", "hand=12"), "hand: dice10k has no spicy dice"),
    "a hand and dice": (("cite", "farkle-spicy", "bust", "hand=12", "dice=2"), "hand: not with dice=2"),
    "which spicy dice": (("cite", "farkle-spicy", "bust", "dice=2"), "name the dice"),
    "a score past the target": (("cite", "farkle", "match", "score=10000"), "score: 10000; allowed: from 0 in steps of 50"),
    "a crooked score": (("cite", "farkle", "match", "opponent=75"), "opponent: 75; allowed: from 0 in steps of 50"),
    "no equal turns": (("cite", "farkle", "match", "second=yes"), "second: farkle has no equal turns"),
    "never banked": (("cite", "dice10k", "bank-from", "dice=6"), "bank-from: dice10k has no turn score to bank"),
    "too much to aim for": (("cite", "farkle", "at-least", "points=1000000"), "points: 1000000; allowed: 1 to 100000"),
    "no folder of tables": (("cite", "farkle", "match", "--tables", "/nope"), "tables: /nope"),
    "a score with no turn": (("cite", "farkle", "solo", "score=75"), "score: 75"),
    "no identifier": (("lookup", "farkle"), "identifier: 'farkle'; allowed: dice10k-math:VERSION"),
    "an identifier of other rules": (("lookup", RIGHT.replace(":dice10k:", ":farkle:")), "these are farkle:"),
    "an identifier of unknown rules": (("lookup", RIGHT.replace(":dice10k:", ":mine:")), "mine is no built-in ruleset"),
    "an identifier of no question": (("lookup", RIGHT.replace(":bust", ":luck")), "question: 'luck'"),
    "a printed word": (("lookup", RIGHT, "--value", "much"), "value: 'much'; allowed: a decimal"),
    "a printed infinity": (("lookup", RIGHT, "--value", "inf"), "value: 'inf'; allowed: a decimal"),
    "a division by nothing": (("lookup", RIGHT, "--value", "1/0"), "value: '1/0'; allowed: a decimal"),
    "missing rules": (("lookup", RIGHT, "--rules", "nope.toml"), "nope.toml: no such file"),
}  # fmt: skip


@pytest.mark.parametrize(("words", "message"), BAD.values(), ids=BAD)
def test_bad_input_is_refused_in_one_line(cli: Cli, words: tuple[str, ...], message: str) -> None:
    assert message in cli(*words).refused()
