"""Published results, read from `tests/reference/*.toml` and asked of the public names.

Each file names its source and lists cases: what is asked, under which rules, and the right answer.
A decimal is right to its last digit.
`ask` is the name of a function `ask_...` below.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import dice10k_math as d10
from dice10k_math.dice import rolls
from dice10k_math.questions.turn import TurnSolution
from dice10k_math.rules.model import Ruleset, Variants

HERE = Path(__file__).parent / "reference"
FILES = sorted(HERE.glob("*.toml"))
Case = dict[str, Any]

GAME = """
[ruleset]
name = "case"
title = "A case"
players = [1, 8]
source = "tests/reference"
[scoring]
{scoring}
[turn]
{turn}
[ending]
kind = "first_to_target"
target = 10000
"""


def read_cases() -> Iterator[Any]:
    for path in FILES:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
        for number, case in enumerate(document.get("case", ())):
            about = case.get("what") or case.get("rules") or case.get("patterns")
            marks = [pytest.mark.slow] if case.get("slow") else []
            yield pytest.param(case, marks=marks, id=f"{path.stem}-{number}-{case['ask']}-{about}")


def rules_of(case: Case) -> Ruleset:
    """The ruleset of a case: written out in it, a file beside it, or a built-in one."""
    if "scoring" in case:
        return d10.parse_rules(GAME.format(scoring=case["scoring"], turn=case.get("turn", "")))
    path = HERE / "rules" / f"{case['rules']}.toml"
    rules = d10.load_rules(path if path.exists() else case["rules"])
    if "spicy_faces" in case:
        rules = replace(rules, variants=Variants(spicy_faces=tuple(case["spicy_faces"])))
    return rules


@cache
def solution(rules: Ruleset, score: int) -> TurnSolution:
    return d10.solve_turn(rules, score=score)


def assert_to_last_digit(found: float | Fraction, published: str) -> None:
    """The number rounds to the published one."""
    last = Decimal(published).as_tuple().exponent
    assert isinstance(last, int)
    assert abs(Fraction(found) - Fraction(published)) <= Fraction(1, 2) * Fraction(10) ** last, float(found)


def ask_bust_odds(case: Case) -> None:
    assert d10.bust_odds(rules_of(case), dice=case["dice"]) == Fraction(case["value"])


def ask_outcomes(case: Case) -> None:
    wanted = [tuple(pattern) for pattern in case["patterns"]]
    found = 0
    for roll, weight in rolls((0,) * 6):
        counts = sorted((roll.count(face) for face in set(roll)), reverse=True)
        found += weight if tuple(counts) in wanted else 0
    assert found == case["value"]


def ask_mean_best_score(case: Case) -> None:
    assert d10.mean_best_score(rules_of(case), dice=case["dice"]) == Fraction(case["value"])


def ask_mean_score_if_any(case: Case) -> None:
    distribution = d10.score_distribution(rules_of(case), dice=case["dice"])
    mean = sum(points * odds for points, odds in distribution.items()) / (1 - distribution.get(0, Fraction(0)))
    if "within" in case:
        assert abs(mean - Fraction(case["value"])) < Fraction(case["within"])
    else:
        assert_to_last_digit(mean, case["value"])


def ask_best_keep(case: Case) -> None:
    keeps = d10.legal_keeps(rules_of(case), tuple(case["roll"]))
    best = max(keeps, key=lambda keep: keep.points)
    assert (best.points, best.dice_left) == (case["points"], case["dice_left"])


def ask_may_bank(case: Case) -> None:
    turn = solution(rules_of(case), case["score"])
    choices = turn.advise(turn_score=case["turn_score"], roll=tuple(case["roll"]))
    assert choices
    assert any(choice.then == "bank" for choice in choices) == case["allowed"]


def ask_expected_points(case: Case) -> None:
    turn = solution(rules_of(case), case["score"])
    assert_to_last_digit(turn.expected_points, case["value"])
    assert turn.lower <= turn.expected_points <= turn.upper
    if turn.exact is not None:
        assert_to_last_digit(turn.exact, case["value"])


def ask_bank_from(case: Case) -> None:
    assert solution(rules_of(case), 0).bank_from(case["dice"]) == case["value"]


def ask_points_per_turn(case: Case) -> None:
    assert_to_last_digit(d10.long_run(rules_of(case)).points_per_turn, case["value"])


def ask_first_player_wins(case: Case) -> None:
    found = d10.solve_match(rules_of(case)).win_probability()
    assert_to_last_digit(found.value, case["value"])
    assert found.upper - found.lower < 1e-6


ASKED: dict[str, Callable[[Case], None]] = {
    name.removeprefix("ask_"): check for name, check in list(globals().items()) if name.startswith("ask_")
}


@pytest.mark.parametrize("case", list(read_cases()))
def test_published_result(case: Case) -> None:
    ASKED[case["ask"]](case)


def test_every_file_names_its_source() -> None:
    for path in FILES:
        assert tomllib.loads(path.read_text(encoding="utf-8"))["source"], path.name


def read_table(name: str) -> Iterator[tuple[Ruleset, int, int, str]]:
    """(rules, turn score, dice, entry) of the tables in a file."""
    for table in tomllib.loads((HERE / name).read_text(encoding="utf-8"))["table"]:
        header, *rows = (line.split() for line in table["entries"].strip().splitlines())
        for first, *entries in rows:
            for dice, entry in zip(header[1:], entries, strict=True):
                yield rules_of(table), int(first.rstrip(":")), int(dice), entry


def test_mckenna_table() -> None:
    entries = list(read_table("mckenna.toml"))
    assert len(entries) == 23 * 6
    for rules, turn_score, dice, entry in entries:
        if entry != "-":
            value = solution(rules, 0).roll_value(dice, turn_score)
            if entry == "B":
                assert value < turn_score, (turn_score, dice)
            else:
                assert value > turn_score
                assert round(value, 3) == float(entry), (turn_score, dice)


def test_mckenna_states_that_cannot_occur() -> None:
    reached = {(state.turn_score, state.dice) for state in solution(load("mckenna"), 0).states(most=1100)}
    for _, turn_score, dice, entry in read_table("mckenna.toml"):
        if turn_score:
            assert ((turn_score, dice) in reached) == (entry != "-"), (turn_score, dice)


def load(name: str) -> Ruleset:
    return rules_of({"rules": name})
