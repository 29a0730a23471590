"""The tables of matches: what they hold, that a match read from them is the solved one, and that a forged one is found."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import polars as pl
import pytest

import dice10k_math as d10
from dice10k_math.questions.match import MatchSolution
from dice10k_math.rules import Ruleset, with_target
from dice10k_math.rules.model import Ending
from dice10k_math.tables.build import build_tables
from dice10k_math.tables.kinds import kind_named, kinds_of
from dice10k_math.tables.match import VALUES, has_table, holds_match
from dice10k_math.tables.read import load_table
from dice10k_math.tables.verify import verify_tables
from tests.agreement.test_field import EXACT, IN_A_ROW
from tests.unit.table_folders import forge, house_rules, snapshot

MATCH_KINDS = tuple(kind_named(name) for name in ("match", "match_far", "last_turn"))
CLOSE = 1e-12


def ending(kind: str, more: str = "") -> Ruleset:
    changed = house_rules(kind=('kind = "final_round"', f'kind = "{kind}"'), tie=('tie = "shared"', more))
    return with_target(replace(changed, name=kind.replace("_", "-")), 500)


GAMES = {
    "final round": with_target(d10.load_rules("farkle"), 500),
    "equal turns": with_target(d10.load_rules("dix-mille"), 500),
    "first to the target": ending("first_to_target"),
    "exact": ending("exact", 'overshoot = "not_allowed"'),
    "busts in a row": replace(IN_A_ROW, turn=replace(IN_A_ROW.turn, bank_multiple=None)),
    "add or subtract": replace(EXACT, name="add-or-subtract"),
}
FALLING = {"busts in a row", "add or subtract"}
ROLLED = {2: (1, 5), 6: (1, 1, 1, 5, 2, 3)}


@cache
def solved(game: str) -> MatchSolution:
    return d10.solve_match(GAMES[game])


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tables")
    build_tables(GAMES.values(), folder, kinds=MATCH_KINDS)
    return folder


@pytest.fixture
def copied(tables: Path, tmp_path: Path) -> Path:
    shutil.copytree(tables, tmp_path / "tables")
    return tmp_path / "tables"


def test_tables_hold(tables: Path) -> None:
    assert list(verify_tables(tables, kinds=MATCH_KINDS)) == []


def test_building_twice_gives_the_same_bytes(tables: Path, tmp_path: Path) -> None:
    build_tables(GAMES.values(), tmp_path, kinds=MATCH_KINDS)
    assert snapshot(tmp_path) == snapshot(tables)


@pytest.mark.parametrize("game", GAMES)
def test_a_match_read_from_tables_is_the_solved_one_to_the_last_bit(tables: Path, game: str) -> None:
    read = d10.load_match(tables, GAMES[game])
    assert read.to_frame().equals(solved(game).to_frame())
    for score, opponent in ((0, 0), (300, 100), (100, 300)):
        assert read.win_probability(score, opponent) == solved(game).win_probability(score, opponent)
        roll = ROLLED[GAMES[game].turn.dice]
        assert read.advise(score, opponent, 0, roll) == solved(game).advise(score, opponent, 0, roll)


@pytest.mark.parametrize("game", sorted(FALLING))
def test_a_score_can_be_far_away(tables: Path, game: str) -> None:
    read = d10.load_match(tables, GAMES[game])
    assert read.win_probability(-9_000, 300) == solved(game).win_probability(-9_000, 300)
    assert {"match.parquet", "match_far.parquet"} <= {path.name for path in (tables / GAMES[game].name).iterdir()}
    far = load_table(tables, GAMES[game].name, "match_far")
    assert far["score_from"].null_count() > 0
    near = load_table(tables, GAMES[game].name, "match")
    assert near.height + far.height == len(solved(game).positions.field.states) ** 2  # type: ignore[attr-defined]
    assert near["win_probability"].is_between(near["lower"], near["upper"]).all()


def test_only_games_with_last_turns_have_that_table(tables: Path) -> None:
    found = {path.parent.name for path in tables.rglob("last_turn.parquet")}
    assert found == {"farkle", "dix-mille"}


def test_last_turns_fall_with_the_deficit(tables: Path) -> None:
    worth = load_table(tables, "farkle", "last_turn")["worth"]
    assert (worth.diff().drop_nulls() <= CLOSE).all()
    assert worth[0] > 0.9


def test_equal_turns_tell_who_began(tables: Path) -> None:
    frame = load_table(tables, "dix-mille", "match")
    assert frame["second"].sum() * 2 == frame.height
    row = frame.filter((pl.col("score") == 400) & (pl.col("opponent") == 450) & pl.col("second"))
    right = solved("equal turns").win_probability(400, 450, second=True)
    assert row.select("win_probability", "lower", "upper").row(0) == (right.value, right.lower, right.upper)


def test_which_rulesets_have_a_match_table() -> None:
    found = [name for name in d10.builtin_rulesets() if has_table(d10.load_rules(name))]
    assert sorted(found) == ["des-10000", "dice10k", "dix-mille", "farkle", "farkle-high-stakes"]
    assert not kinds_of(replace(GAMES["final round"], players=(3, 6)), MATCH_KINDS)


def test_spicy_games_to_few_points_have_a_match_table(tmp_path: Path) -> None:
    spicy = d10.load_rules("farkle-spicy")
    assert [has_table(with_target(spicy, target)) for target in (5_000, 5_050)] == [True, False]
    assert not has_table(with_target(d10.load_rules("farkle-spicy-high-stakes"), 500))
    variants, ending = replace(spicy.variants, spicy_faces=(1,) * 6), Ending("first_to_target", 500)
    small = replace(spicy, variants=variants, ending=ending)
    build_tables([small], tmp_path, kinds=MATCH_KINDS)
    assert list(verify_tables(tmp_path, kinds=MATCH_KINDS)) == []
    found, right = d10.load_match(tmp_path, small), d10.solve_match(small)
    assert found.win_probability(200, 100) == right.win_probability(200, 100)
    assert found.advise(200, 100, 200, (1, 5), dice=(1, 1)) == right.advise(200, 100, 200, (1, 5), dice=(1, 1))


FORGERIES: dict[str, tuple[str, Callable[[str, pl.DataFrame], bool], float, str]] = {
    "a value": (
        "farkle/match.parquet",
        lambda column, _: column == "win_probability",
        1e-6,
        "win_probability .* is not between its bounds",
    ),
    "a value with its bounds": (
        "farkle/match.parquet",
        lambda column, _: column in {"win_probability", "lower", "upper"},
        1e-6,
        "score 0, opponent 0: win_probability .*; one turn from there gives",
    ),
    "bounds the wrong way round": (
        "dix-mille/match.parquet",
        lambda column, _: column == "lower",
        1e-6,
        "is not between its bounds",
    ),
    "a last turn": (
        "dix-mille/last_turn.parquet",
        lambda column, _: column in {"worth", "lower", "upper"},
        -1e-6,
        "deficit 0: worth .*; the turn afresh",
    ),
    "a score": ("farkle/match.parquet", lambda column, _: column == "score", 50, "score: the rows are not those"),
    "a deficit": ("farkle/last_turn.parquet", lambda column, _: column == "deficit", 50, "deficit: the rows are not"),
    "a bound where scores fall": (
        "two-in-a-row/match.parquet",
        lambda column, _: column in VALUES,
        1e-6,
        "score .*: lower .*; one turn from there gives",
    ),
    "a bound of a far score": (
        "add-or-subtract/match_far.parquet",
        lambda column, _: column == "upper",
        -0.9,
        "lower .* is above upper|upper .*; one turn from there gives|no probabilities",
    ),
    "a far score": (
        "add-or-subtract/match_far.parquet",
        lambda column, _: column == "score_to",
        50,
        "score_to: the rows are not",
    ),
    "a value where scores fall": (
        "two-in-a-row/match.parquet",
        lambda column, _: column == "win_probability",
        1e-14,
        "win_probability .* is not the middle of its bounds",
    ),
    "no probability": ("farkle/match.parquet", lambda column, _: column == "upper", 2, "no probabilities"),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_forged_table_is_found(copied: Path, forgery: str) -> None:
    file, changes, by, fault = FORGERIES[forgery]
    forge(
        copied,
        file,
        lambda frame: frame.with_columns(
            [
                pl.when(pl.int_range(pl.len()) == 0).then(frame[name] + by).otherwise(frame[name]).alias(name)
                for name in frame.columns
                if changes(name, frame)
            ]
        ),
    )
    faults = list(verify_tables(copied, kinds=MATCH_KINDS))
    assert any(re.search(fault, found) for found in faults), faults


def test_missing_rows_are_found(copied: Path) -> None:
    forge(copied, "farkle/match.parquet", lambda frame: frame.head(99))
    assert any("99 rows; farkle has 100 turn starts" in fault for fault in verify_tables(copied, kinds=MATCH_KINDS))


def test_a_match_of_other_rules_is_not_read(tables: Path) -> None:
    other = with_target(d10.load_rules("farkle"), 600)
    assert not holds_match(tables, other)
    with pytest.raises(d10.TableError, match="is of other rules named 'farkle'"):
        d10.load_match(tables, other)


def test_what_cannot_be_read_is_named(tables: Path, copied: Path, tmp_path: Path) -> None:
    with pytest.raises(d10.TableError, match="can have no table 'match'"):
        d10.load_match(tables, d10.load_rules("farkle-spicy"))
    with pytest.raises(d10.TableError, match="no table 'match' of 'nobody'"):
        d10.load_match(tables, house_rules(name=('name = "house"', 'name = "nobody"')))
    with pytest.raises(d10.TableError, match="missing; allowed: a folder that `tables build` wrote"):
        d10.load_match(tmp_path / "nowhere", GAMES["final round"])
    (copied / "farkle" / "match.parquet").write_bytes(b"spoilt")
    with pytest.raises(d10.TableError, match=r"farkle/match\.parquet: SHA-256"):
        d10.load_match(copied, GAMES["final round"])
    assert not holds_match(tmp_path / "nowhere", GAMES["final round"])
