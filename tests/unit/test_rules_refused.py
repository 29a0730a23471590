"""Impossible rules: each is refused with file, key, value and what is allowed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dice10k_math.errors import RulesError
from dice10k_math.rules import (
    BustRules,
    BustsInARow,
    Ending,
    FiveStraights,
    FlatSets,
    MultipliedSets,
    Scoring,
    SixDicePenalty,
    TurnRules,
    Variants,
    builtin_rulesets,
    load_rules,
    parse_rules,
)

BASE = {
    "ruleset.name": '"game"',
    "scoring.singles": "{ 1 = 100, 5 = 50 }",
    "scoring.triples": "{ 1 = 1000, 2 = 200, 3 = 300, 4 = 400, 5 = 500, 6 = 600 }",
    "ending.kind": '"first_to_target"',
    "ending.target": "10000",
}


def game(**changes: str | None) -> str:
    """Return a rules text with some keys changed; a dot in a key is written as two underlines."""
    fields = BASE | {key.replace("__", "."): value for key, value in changes.items()}
    return "\n".join(f"{key} = {value}" for key, value in fields.items() if value is not None)


def message(text: str) -> str:
    with pytest.raises(RulesError) as caught:
        parse_rules(text, where="game.toml")
    return str(caught.value)


def test_the_base_of_the_bad_examples_is_good() -> None:
    assert parse_rules(game()).name == "game"


#: Changes to the base, and how the message goes on after the name of the file.
REFUSED = [
    # Layout
    ({"scores": "1"}, "scores = 1 is an unknown key; allowed: ruleset, scoring, turn"),
    ({"turn__dices": "6"}, "turn.dices = 6 is an unknown key; allowed: dice, hot_dice,"),
    ({"turn": "6"}, "turn = 6 is not possible; allowed: a table"),
    ({"scoring__singles": "[100, 50]"}, "scoring.singles = [100, 50] is not possible; allowed: a table"),
    # Of the table ruleset
    ({"ruleset__name": None}, "ruleset.name is missing; allowed: 1 to 64 of the letters"),
    ({"ruleset__name": '"a/b"'}, 'ruleset.name = "a/b" is not possible; allowed: 1 to 64'),
    ({"ruleset__name": '"-a"'}, 'ruleset.name = "-a" is not possible'),
    ({"ruleset__name": '"é"'}, 'ruleset.name = "\\u00e9" is not possible'),
    ({"ruleset__name": '""'}, 'ruleset.name = "" is not possible'),
    ({"ruleset__name": "10"}, "ruleset.name = 10 is not possible"),
    ({"ruleset__title": '" "'}, 'ruleset.title = " " is not possible; allowed: text of 1 to 200'),
    ({"ruleset__title": r'"a\nb"'}, r'ruleset.title = "a\nb" is not possible; allowed: text without control'),
    ({"ruleset__source": "1"}, "ruleset.source = 1 is not possible; allowed: text of 0 to 2,000"),
    ({"ruleset__players": "2"}, "ruleset.players = 2 is not possible; allowed: 2 whole numbers from 1 to 8"),
    ({"ruleset__players": "[3, 2]"}, "ruleset.players = [3, 2] is not possible; allowed: the least number"),
    (
        {"ruleset__players": "[0, 2]"},
        "ruleset.players[0] = 0 is not possible; allowed: a whole number from 1 to 8",
    ),
    ({"ruleset__players": "[2, 9]"}, "ruleset.players[1] = 9 is not possible"),
    ({"ruleset__players": "[2, 3, 4]"}, "ruleset.players = [2, 3, 4] is not possible"),
    # Of the table scoring
    (
        {"scoring__singles": "{ 7 = 100 }"},
        "scoring.singles.7 = 100 is an unknown key; allowed: 1, 2, 3, 4, 5, 6",
    ),
    (
        {"scoring__singles": "{ 1 = 0 }"},
        "scoring.singles.1 = 0 is not possible; allowed: a whole number from 1 to",
    ),
    ({"scoring__singles": "{ 1 = -50 }"}, "scoring.singles.1 = -50 is not possible"),
    ({"scoring__singles": "{ 1 = true }"}, "scoring.singles.1 = true is not possible"),
    ({"scoring__singles": "{ 1 = false }"}, "scoring.singles.1 = false is not possible"),
    ({"scoring__singles": "{ 1 = 100.0 }"}, "scoring.singles.1 = 100.0 is not possible"),
    ({"scoring__singles": "{ 1 = nan }"}, "scoring.singles.1 = NaN is not possible"),
    ({"scoring__triples": "{ 1 = inf }"}, "scoring.triples.1 = Infinity is not possible"),
    ({"scoring__triples": '{ 1 = "700" }'}, 'scoring.triples.1 = "700" is not possible'),
    ({"scoring__triples": "{ 1 = 1_000_001 }"}, "scoring.triples.1 = 1000001 is not possible"),
    ({"scoring__singles": None, "scoring__triples": None}, "scoring.singles is missing; allowed: points for"),
    ({"scoring__singles": "{}", "scoring__triples": "{}"}, "scoring.singles is missing"),
    ({"scoring__larger_sets": "2"}, "scoring.larger_sets = 2 is not possible; allowed: a table"),
    (
        {"scoring__larger_sets": "{}"},
        "scoring.larger_sets = {} is not possible; allowed: either multiply_triple or",
    ),
    (
        {"scoring__larger_sets": "{ multiply_triple = [2, 4, 8], points = [1, 2, 3] }"},
        "scoring.larger_sets = {",
    ),
    (
        {"scoring__larger_sets": "{ multiply_triple = [2, 4] }"},
        "scoring.larger_sets.multiply_triple = [2, 4] is not possible; allowed: 3 whole numbers from 1 to 1,000",
    ),
    (
        {"scoring__larger_sets": "{ points = [1000, 0, 3000] }"},
        "scoring.larger_sets.points[1] = 0 is not possible; allowed: a whole number from 1 to 1,000,000",
    ),
    (
        {"scoring__larger_sets": "{ points = [1000, 2000, 3000] }", "scoring__triples": None},
        "scoring.larger_sets = FlatSets(points=(1000, 2000, 3000)) is not possible; allowed: only together with",
    ),
    ({"scoring__straight": "0"}, "scoring.straight = 0 is not possible; allowed: a whole number from 1 to"),
    ({"scoring__straight": "-1"}, "scoring.straight = -1 is not possible"),
    ({"scoring__three_pairs": "0"}, "scoring.three_pairs = 0 is not possible"),
    ({"scoring__four_and_pair": "-10"}, "scoring.four_and_pair = -10 is not possible"),
    ({"scoring__two_triplets": "true"}, "scoring.two_triplets = true is not possible"),
    ({"scoring__no_scoring_dice": "0"}, "scoring.no_scoring_dice = 0 is not possible"),
    (
        {"scoring__five_straights": "{ low = 500 }"},
        "scoring.five_straights.high is missing; allowed: a whole",
    ),
    (
        {"scoring__five_straights": "{ low = 0, high = 750 }"},
        "scoring.five_straights.low = 0 is not possible",
    ),
    ({"scoring__five_straights": "750"}, "scoring.five_straights = 750 is not possible; allowed: a table"),
    (
        {"scoring__five_straights": "{ low = 500, high = 750 }", "turn__dice": "4"},
        "scoring.five_straights = FiveStraights(low=500, high=750) is not possible; allowed: only with 5 or 6",
    ),
    (
        {"scoring__readings": '"lowest"'},
        'scoring.readings = "lowest" is not possible; allowed: "player_chooses" or',
    ),
    # Of the table turn
    ({"turn__dice": "7"}, "turn.dice = 7 is not possible; allowed: a whole number from 1 to 6"),
    ({"turn__dice": "0"}, "turn.dice = 0 is not possible"),
    ({"turn__dice": "true"}, "turn.dice = true is not possible"),
    (
        {"turn__dice": "2", "scoring__singles": None},
        "turn.dice = 2 is not possible; allowed: 3 or more where",
    ),
    (
        {"turn__dice": "5", "scoring__straight": "1500"},
        "scoring.straight = 1500 is not possible; allowed: only with",
    ),
    (
        {"turn__dice": "5", "bust__on_six": "[{ penalty = 1 }]"},
        "bust.on_six = (SixDicePenalty(penalty=1, below=None),) is not possible; allowed: only with six dice",
    ),
    (
        {"turn__dice": "3", "scoring__larger_sets": "{ multiply_triple = [2, 4, 8] }"},
        "scoring.larger_sets = MultipliedSets(factors=(2, 4, 8)) is not possible; allowed: only with 4 to 6 dice",
    ),
    (
        {"turn__hot_dice": '"maybe"'},
        'turn.hot_dice = "maybe" is not possible; allowed: "must_roll" or "may_bank"',
    ),
    ({"turn__hot_dice": '["must_roll"]'}, 'turn.hot_dice = ["must_roll"] is not possible'),
    (
        {"turn__hot_dice_bonus": "-1"},
        "turn.hot_dice_bonus = -1 is not possible; allowed: a whole number from 0 to",
    ),
    ({"turn__opening_minimum": "-1"}, "turn.opening_minimum = -1 is not possible"),
    (
        {"turn__opening_minimum": "10001"},
        "turn.opening_minimum = 10001 is not possible; allowed: at most the target",
    ),
    (
        {"turn__opening_applies": '"once"'},
        'turn.opening_applies = "once" is not possible; allowed: "at_score_zero"',
    ),
    (
        {"turn__bank_minimum": "10050"},
        "turn.bank_minimum = 10050 is not possible; allowed: at most the target, 10,000",
    ),
    (
        {"turn__bank_multiple": "0"},
        "turn.bank_multiple = 0 is not possible; allowed: a whole number from 1 to",
    ),
    (
        {"turn__bank_multiple": "75"},
        "turn.bank_multiple = 75 is not possible; allowed: a multiple of 50, the step",
    ),
    (
        {"turn__bank_takes": '"all"'},
        'turn.bank_takes = "all" is not possible; allowed: "keep" or "all_scoring"',
    ),
    # Of the table bust
    ({"bust__on_six": "1000"}, "bust.on_six = 1000 is not possible; allowed: an array of tables"),
    ({"bust__on_six": "[1000]"}, "bust.on_six[0] = 1000 is not possible; allowed: a table"),
    (
        {"bust__on_six": "[{ penalty = 0 }]"},
        "bust.on_six[0].penalty = 0 is not possible; allowed: a whole number from",
    ),
    ({"bust__on_six": "[{ below = 5000, penalty = 1 }, {}]"}, "bust.on_six[1].penalty is missing"),
    (
        {"bust__on_six": "[{ below = 5000, penalty = 1 }]"},
        "bust.on_six[0].below = 5000 is not possible; allowed: no",
    ),
    (
        {"bust__on_six": "[{ penalty = 1 }, { penalty = 2 }]"},
        "bust.on_six[0].below is missing; allowed: a score",
    ),
    (
        {"bust__on_six": "[{ below = 9, penalty = 1 }, { below = 9, penalty = 2 }, { penalty = 3 }]"},
        "bust.on_six[1].below = 9 is not possible; allowed: more than 9, the row before",
    ),
    (
        {"bust__on_six": "[{ penalty = 1, above = 3 }]"},
        "bust.on_six[0].above = 3 is an unknown key; allowed: penalty",
    ),
    (
        {"bust__in_a_row": "{ busts = 0, penalty = 1 }"},
        "bust.in_a_row.busts = 0 is not possible; allowed: a whole",
    ),
    ({"bust__in_a_row": "{ busts = 3, penalty = 0 }"}, "bust.in_a_row.penalty = 0 is not possible"),
    ({"bust__in_a_row": "{ busts = 3 }"}, "bust.in_a_row.penalty is missing; allowed: a whole number from 1"),
    ({"bust__in_a_row": "3"}, "bust.in_a_row = 3 is not possible; allowed: a table"),
    # Of the table ending
    ({"ending__kind": None}, 'ending.kind is missing; allowed: "exact", "first_to_target", "final_round" or'),
    ({"ending__kind": '"never"'}, 'ending.kind = "never" is not possible; allowed: "exact"'),
    ({"ending__target": None}, "ending.target is missing; allowed: a whole number from 1 to 1,000,000"),
    (
        {"ending__target": "-10000"},
        "ending.target = -10000 is not possible; allowed: a whole number from 1 to",
    ),
    ({"ending__target": "0"}, "ending.target = 0 is not possible"),
    ({"ending__target": "1_000_001"}, "ending.target = 1000001 is not possible"),
    ({"ending__target": "10000.0"}, "ending.target = 10000.0 is not possible"),
    ({"ending__target": "0x" + "F" * 9999}, "ending.target = a very large int is not possible"),
    ({"ending__target": "1979-05-27"}, "ending.target = datetime.date(1979, 5, 27) is not possible"),
    ({"ending__kind": '"exact"'}, 'ending.overshoot is missing; allowed: "add_or_subtract" or "not_allowed"'),
    (
        {"ending__kind": '"exact"', "ending__overshoot": '"subtract"'},
        'ending.overshoot = "subtract" is not possible; allowed: "add_or_subtract" or "not_allowed"',
    ),
    (
        {"ending__overshoot": '"not_allowed"'},
        'ending.overshoot = "not_allowed" is not possible; allowed: only for kind "exact", not for "first_to_target"',
    ),
    (
        {"ending__kind": '"exact"', "ending__overshoot": '"not_allowed"', "ending__target": "10025"},
        "ending.target = 10025 is not possible; allowed: a multiple of 50, the step in which banks and penalties",
    ),
    (
        {"ending__kind": '"exact"', "ending__overshoot": '"not_allowed"', "turn__bank_multiple": "300"},
        "ending.target = 10000 is not possible; allowed: a multiple of 300",
    ),
    (
        {"ending__tie": '"shared"'},
        'ending.tie = "shared" is not possible; allowed: only for kind "final_round" or',
    ),
    (
        {"ending__kind": '"exact"', "ending__overshoot": '"not_allowed"', "ending__tie": '"shared"'},
        'ending.tie = "shared" is not possible',
    ),
    (
        {"ending__kind": '"final_round"', "ending__tie": '"extra_rounds"'},
        'ending.tie = "extra_rounds" is not possible; allowed: "shared" for kind "final_round"',
    ),
    (
        {"ending__kind": '"equal_turns"', "ending__tie": '"nobody"'},
        'ending.tie = "nobody" is not possible; allowed: "shared" or "extra_rounds"',
    ),
    # Of the table variants
    (
        {"variants__spicy_faces": "[1, 2, 3]"},
        "variants.spicy_faces = [1, 2, 3] is not possible; allowed: one face for",
    ),
    (
        {"variants__spicy_faces": "[1, 2, 3, 4, 5, 7]"},
        "variants.spicy_faces[5] = 7 is not possible; allowed: a whole",
    ),
    ({"variants__spicy_faces": "[0, 2, 3, 4, 5, 6]"}, "variants.spicy_faces[0] = 0 is not possible"),
    (
        {"variants__spicy_faces": "[]"},
        "variants.spicy_faces = [] is not possible; allowed: 6 whole numbers from 1",
    ),
    (
        {"variants__spicy_faces": "1"},
        "variants.spicy_faces = 1 is not possible; allowed: 6 whole numbers from 1 to 6",
    ),
    ({"variants__high_stakes": "1"}, "variants.high_stakes = 1 is not possible; allowed: true or false"),
    (
        {"variants__high_stakes": "true", "ruleset__players": "[1, 1]"},
        "variants.high_stakes = true is not possible; allowed: true only for two or more players",
    ),
]


@pytest.mark.parametrize(("changes", "expected"), REFUSED, ids=[str(bad[1][:60]) for bad in REFUSED])
def test_an_impossible_rule_is_named(changes: dict[str, str | None], expected: str) -> None:
    lines = message(game(**changes)).splitlines()
    assert lines[0].startswith(f"game.toml: {expected}"), lines
    assert "allowed: " in lines[0]


def test_a_penalty_may_make_an_odd_target_reachable() -> None:
    odd = game(
        ending__kind='"exact"',
        ending__overshoot='"not_allowed"',
        ending__target="10025",
        bust__in_a_row="{ busts = 3, penalty = 25 }",
    )
    assert parse_rules(odd).ending.target == 10_025


def test_all_problems_are_reported_at_once() -> None:
    text = game(turn__dice="7", ending__kind='"never"', scoring__singles="{ 1 = 0 }", ruleset__players="[3, 2]")
    found = [line.split(" = ")[0] for line in message(text).splitlines()]
    assert found == [
        "game.toml: ruleset.players",
        "game.toml: scoring.singles.1",
        "game.toml: turn.dice",
        "game.toml: ending.kind",
    ]


def test_a_flood_of_problems_is_cut_short() -> None:
    lines = message("\n".join(f"key{number} = 1" for number in range(900))).splitlines()
    assert len(lines) == 51
    assert lines[-1].startswith("game.toml: and 8")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "empty; allowed: at least [ruleset], [scoring] and [ending]"),
        (" \n\t\n", "empty"),
        ("[ruleset", "not TOML: "),
        ("{}", "not TOML: "),
        ('[ruleset]\nname = "a"\nname = "b"\n', "not TOML: Cannot overwrite a value (at "),
        ("[ruleset]\n[ruleset]", "not TOML: "),
        ("a = " + "1" * 5_000, "not TOML: "),
        ("a = " + "[" * 50_000, "tables nested too deeply"),
        ("a" + ".a" * 40_000 + " = 1", "a key of more than 20 parts"),
        ('a."b c" .' * 20 + "a = 1", "a key of more than 20 parts"),
        ("#" * 100_001, "100,001 characters; allowed: a rules file of at most 100,000"),
    ],
    ids=[
        "empty",
        "blank",
        "open",
        "json",
        "twice",
        "table twice",
        "digits",
        "deep",
        "dots",
        "quoted dots",
        "long",
    ],
)
def test_what_is_no_rules_text_is_refused(text: str, expected: str) -> None:
    found = message(text)
    assert found.startswith(f"game.toml: {expected}")
    assert len(found.splitlines()) == 1


def test_a_strange_key_cannot_break_the_line() -> None:
    assert message(game() + '\n"a\\nb" = 1').startswith('game.toml: "a\\nb" = 1 is an unknown key')


def load_message(name: Any) -> str:
    with pytest.raises(RulesError) as caught:
        load_rules(name)
    assert len(str(caught.value).splitlines()) == 1
    return str(caught.value)


def test_an_unknown_name_lists_the_built_in_ones() -> None:
    found = load_message("dice10")
    assert found.startswith("dice10: no such ruleset or file; allowed: ")
    assert all(name in found for name in builtin_rulesets())


def test_files_that_are_none_are_refused(tmp_path: Path) -> None:
    assert load_message(tmp_path / "none.toml").endswith("no such file; allowed: a rules file that exists")
    assert load_message(tmp_path).endswith("a directory; allowed: a rules file")
    assert load_message("").startswith("'': no such ruleset or file")
    assert "cannot be read" in load_message("a\0b")
    assert "cannot be read" in load_message("x" * 50_000 + ".toml")
    assert "allowed: a name or a path" in load_message(b"dice10k")


def test_a_file_that_may_not_be_opened_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "game.toml"
    path.write_text(game())

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    assert load_message(path).endswith("cannot be read (Permission denied); allowed: a readable rules file")


def test_a_device_is_refused() -> None:
    assert load_message("/dev/null").endswith("not an ordinary file; allowed: a rules file")


def test_a_huge_file_is_refused_without_reading_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "game.toml"
    with path.open("wb") as file:
        file.truncate(100_000_000)
    monkeypatch.setattr(Path, "open", None)
    assert load_message(path).endswith("100,000,000 bytes; allowed: a rules file of at most 100,000")


def test_what_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "game.toml"
    path.write_bytes(game().encode("utf-16"))
    assert "not UTF-8 text (byte 0)" in load_message(path)


RULES = load_rules("farkle")


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda: TurnRules(dice=7), "turn.dice = 7"),
        (lambda: TurnRules(dice=True), "turn.dice = true"),
        (lambda: TurnRules(bank_multiple=0), "turn.bank_multiple = 0"),
        (lambda: MultipliedSets((2, 4)), "scoring.larger_sets.multiply_triple = [2, 4]"),  # type: ignore[arg-type]
        (lambda: FlatSets([1, 2, 3]), "scoring.larger_sets.points = [1, 2, 3]"),  # type: ignore[arg-type]
        (lambda: FiveStraights(1, 0), "scoring.five_straights.high = 0"),
        (Scoring, "scoring.singles is missing"),
        (lambda: Scoring(singles=[1, 0, 0, 0, 0, 0]), "scoring.singles = [1, 0"),  # type: ignore[arg-type]
        (lambda: Scoring(singles=(-1, 0, 0, 0, 0, 0)), "scoring.singles.1 = -1"),
        (lambda: replace(RULES.scoring, larger_sets=(2, 4, 8)), "scoring.larger_sets = [2, 4, 8]"),  # type: ignore[arg-type]
        (lambda: replace(RULES.scoring, five_straights=5), "scoring.five_straights = 5"),  # type: ignore[arg-type]
        (lambda: SixDicePenalty(0), "bust.on_six.penalty = 0"),
        (lambda: SixDicePenalty(1, below=1.5), "bust.on_six.below = 1.5"),  # type: ignore[arg-type]
        (lambda: BustsInARow(0, 1), "bust.in_a_row.busts = 0"),
        (lambda: BustRules(on_six=[SixDicePenalty(1)]), "bust.on_six = [SixDice"),  # type: ignore[arg-type]
        (lambda: BustRules(in_a_row=3), "bust.in_a_row = 3"),  # type: ignore[arg-type]
        (lambda: Ending("exact", 10_000), "ending.overshoot is missing"),
        (lambda: Ending("final_round", 10_000, tie="extra_rounds"), 'ending.tie = "extra_rounds"'),
        (lambda: Variants(spicy_faces=(7,)), "variants.spicy_faces[0] = 7"),
        (lambda: Variants(high_stakes=1), "variants.high_stakes = 1"),  # type: ignore[arg-type]
        (lambda: replace(RULES, players=(3, 2)), "ruleset.players = [3, 2]"),
        (lambda: replace(RULES, scoring=None), "scoring = null"),  # type: ignore[arg-type]
        (lambda: replace(RULES, turn=TurnRules(dice=5)), "scoring.straight = 1500"),
        (lambda: replace(RULES, ending=Ending("final_round", 499)), "turn.opening_minimum = 500"),
    ],
)
def test_a_ruleset_made_in_python_is_as_safe(make: Any, expected: str) -> None:
    with pytest.raises(RulesError) as caught:
        make()
    assert str(caught.value).startswith(expected)
