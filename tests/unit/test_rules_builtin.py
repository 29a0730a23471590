"""The built-in games, against their rule texts as read in the rulings."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from importlib.resources import files
from pathlib import Path

import pytest

import dice10k_math
from dice10k_math.rules import (
    BustRules,
    Ending,
    FlatSets,
    MultipliedSets,
    SixDicePenalty,
    TurnRules,
    Variants,
    bank_step,
    builtin_rulesets,
    dump_rules,
    fingerprint,
    load_rules,
    parse_rules,
    penalties,
    point_step,
    score_step,
    with_target,
)

FARKLES = ("farkle", "farkle-spicy", "farkle-high-stakes", "farkle-spicy-high-stakes")


def builtin_text(name: str) -> str:
    return (files("dice10k_math.rules") / "builtin" / f"{name}.toml").read_text(encoding="utf-8")


def test_the_seven_games_are_there() -> None:
    assert builtin_rulesets() == (
        "des-10000",
        "dice10k",
        "dix-mille",
        "farkle",
        "farkle-high-stakes",
        "farkle-spicy",
        "farkle-spicy-high-stakes",
    )


@pytest.mark.parametrize("name", builtin_rulesets())
def test_a_built_in_game_is_named_like_its_file(name: str) -> None:
    assert load_rules(name).name == name


@pytest.mark.parametrize("name", builtin_rulesets())
def test_every_field_of_a_built_in_game_has_its_source(name: str) -> None:
    above = ""
    for line in builtin_text(name).splitlines():
        if re.match(r"\w+ = ", line) and not line.startswith(("title", "source", "target")):
            assert above.startswith("#"), f"{name}: {line}"
        above = line


def test_dice10k() -> None:
    rules = load_rules("dice10k")
    assert rules.players == (2, 2)
    assert rules.scoring.singles == (100, 0, 0, 0, 50, 0)
    assert rules.scoring.triples == (700, 200, 300, 400, 500, 600)
    assert rules.scoring.larger_sets == MultipliedSets((2, 4, 8))
    assert list(rules.scoring.six_dice_combinations().values()) == [1500, 1000, 1000, None, None]
    assert rules.scoring.readings == "player_chooses"
    assert rules.turn == TurnRules(6, "must_roll", 500, 500, "at_score_zero", 300, 100, "keep")
    assert rules.bust == BustRules((SixDicePenalty(1000, below=5000), SixDicePenalty(2000)))
    assert rules.ending == Ending("exact", 10_000, overshoot="add_or_subtract")
    assert rules.variants == Variants()


@pytest.mark.parametrize("name", FARKLES)
def test_farkle_and_its_variants(name: str) -> None:
    rules = load_rules(name)
    assert rules.scoring.triples == (300, 200, 300, 400, 500, 600)
    assert rules.scoring.larger_sets == FlatSets((1000, 2000, 3000))
    assert list(rules.scoring.six_dice_combinations().values()) == [1500, 1500, None, 2500, None]
    assert rules.scoring.readings == "highest"
    assert rules.turn == TurnRules(opening_minimum=500, bank_takes="all_scoring")
    assert rules.bust == BustRules()
    spicy, stakes = "spicy" in name, "stakes" in name
    assert rules.ending == Ending("final_round", 25_000 if spicy else 10_000, tie="shared")
    assert rules.variants == Variants((1, 2, 3, 4, 5, 6) if spicy else None, stakes)
    assert rules.players == (2 if stakes else 1, 8)


def test_dix_mille() -> None:
    rules = load_rules("dix-mille")
    assert rules.scoring.triples == (1000, 200, 300, 400, 500, 600)
    assert rules.scoring.larger_sets == MultipliedSets((2, 4, 10))
    assert list(rules.scoring.six_dice_combinations().values()) == [1500, 1000, None, None, None]
    assert rules.turn == TurnRules(hot_dice="must_roll", opening_minimum=500)
    assert rules.ending == Ending("equal_turns", 10_000, tie="extra_rounds")


def test_des_10000_scores_like_dix_mille() -> None:
    rules = load_rules("des-10000")
    assert rules.scoring == load_rules("dix-mille").scoring
    assert rules.turn == TurnRules()
    assert rules.players == (2, 7)
    assert rules.ending == Ending("final_round", 10_000, tie="shared")


def test_what_is_left_out_takes_its_default() -> None:
    rules = parse_rules(
        'ruleset.name = "short"\nscoring.singles.1 = 100\nending = { kind = "equal_turns", target = 500 }'
    )
    assert (rules.title, rules.source, rules.players) == ("short", "", (2, 2))
    assert rules.turn == TurnRules()
    assert rules.bust == BustRules()
    assert rules.ending.tie == "shared"
    assert rules.variants == Variants()
    assert rules.scoring.readings == "highest"


def test_the_canonical_text_names_every_default() -> None:
    resolved = tomllib.loads(dump_rules(load_rules("farkle")))
    assert resolved["turn"]["bank_minimum"] == 0
    assert resolved["turn"]["dice"] == 6
    assert resolved["variants"] == {"high_stakes": False}


def test_the_whole_schema_is_read() -> None:
    rules = parse_rules(
        """
        [ruleset]
        name = "whole"
        title = "Whole \\"schema\\""
        source = \"\"\"two
        lines\"\"\"
        players = [2, 4]
        [scoring]
        singles = { 1 = 100, 5 = 50 }
        triples = { 1 = 1000 }
        larger_sets = { points = [1000, 2000, 3000] }
        straight = 1500
        three_pairs = 1000
        four_and_pair = 1000
        two_triplets = 2500
        no_scoring_dice = 500
        five_straights = { low = 500, high = 750 }
        [bust]
        on_six = [ { below = -5, penalty = 1000 }, { below = 5000, penalty = 500 }, { penalty = 2000 } ]
        in_a_row = { busts = 3, penalty = 1000 }
        [ending]
        kind = "first_to_target"
        target = 10_000
        """
    )
    assert parse_rules(dump_rules(rules)) == rules
    assert [row.below for row in rules.bust.on_six] == [-5, 5000, None]
    assert rules.source.startswith("two\n")


def test_a_fingerprint_tells_games_apart() -> None:
    assert len({fingerprint(load_rules(name)) for name in builtin_rulesets()}) == 7


def test_comments_and_layout_do_not_change_a_fingerprint() -> None:
    assert fingerprint(parse_rules(dump_rules(load_rules("farkle")))) == fingerprint(load_rules("farkle"))


def test_a_file_is_read_like_a_built_in_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.toml").write_bytes(b"\xef\xbb\xbf" + builtin_text("dice10k").replace("\n", "\r\n").encode())
    (tmp_path / "farkle").write_text("no rules")
    monkeypatch.chdir(tmp_path)
    assert load_rules("mine.toml") == load_rules(tmp_path / "mine.toml") == load_rules("dice10k")
    assert load_rules("farkle").name == "farkle"


def test_steps() -> None:
    rules = load_rules("dice10k")
    assert (point_step(rules), bank_step(rules), score_step(rules)) == (50, 100, 100)
    assert penalties(rules) == (1000, 2000)
    assert point_step(load_rules("farkle-spicy")) == bank_step(load_rules("farkle-spicy")) == 50


def test_another_target() -> None:
    assert with_target(load_rules("des-10000"), 5_000).ending == Ending("final_round", 5_000, tie="shared")


def test_reading_rules_imports_nothing_heavy() -> None:
    program = (
        "import sys, dice10k_math.rules as r; r.load_rules('dice10k');"
        "print([m for m in ('numpy', 'scipy', 'sympy', 'polars', 'numba', 'click', 'rich') if m in sys.modules])"
    )
    # The process must find the same package as this one, installed or not.
    home = Path(dice10k_math.__file__).parents[1]
    found = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONPATH": str(home)},
    )
    assert found.stdout.strip() == "[]"
