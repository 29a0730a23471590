"""Verifying and reading tables: whatever does not hold is named."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from dice10k_math import InputError, TableError, load_rules, parse_rules
from dice10k_math.tables.build import build_tables
from dice10k_math.tables.kinds import KINDS
from dice10k_math.tables.manifest import Manifest
from dice10k_math.tables.read import load_table
from dice10k_math.tables.verify import verify_tables
from tests.unit.cli import Cli
from tests.unit.table_folders import edit_manifest, forge, house_rules

LIGHT = KINDS[:2]
posix = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes and links as POSIX has them")


@pytest.fixture(scope="module")
def light(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("light")
    build_tables([load_rules("farkle")], folder, kinds=LIGHT)
    return folder


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables of every kind there is."""
    folder = tmp_path_factory.mktemp("full")
    counts = ("[bust]", "[bust]\nin_a_row = { busts = 2, penalty = 100 }")
    build_tables([house_rules(counts=counts, target=("target = 10000", "target = 600"))], folder)
    return folder


@pytest.fixture
def folder(light: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(light, tmp_path / "tables"))


def faults(folder: Path) -> list[str]:
    return list(verify_tables(folder, kinds=LIGHT))


def test_whole_tables_hold(light: Path, full: Path) -> None:
    assert faults(light) == []
    assert list(verify_tables(full)) == []


def test_a_game_in_which_banking_is_never_best_holds(tmp_path: Path) -> None:
    """One die that must always be rolled again can never be banked."""
    text = """
        [ruleset]
        name = "never"
        [scoring]
        singles = { 1 = 100, 2 = 100, 3 = 100, 4 = 100 }
        [turn]
        dice = 1
        opening_minimum = 900
        hot_dice = "must_roll"
        [ending]
        kind = "first_to_target"
        target = 1000
    """
    build_tables([parse_rules(text)], tmp_path)
    assert load_table(tmp_path, "never", "bank").height == 0
    assert list(verify_tables(tmp_path)) == []


def test_no_folder_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such folder"):
        list(verify_tables(tmp_path / "nope"))


@pytest.mark.parametrize("file", ["farkle/odds.parquet", "farkle/odds.csv"])
def test_a_missing_file_is_named(folder: Path, file: str) -> None:
    (folder / file).unlink()
    (fault,) = faults(folder)
    assert fault.startswith(f"{file}: ")


@pytest.mark.parametrize("file", ["farkle/odds.parquet", "farkle/odds.csv"])
def test_a_truncated_file_is_named(folder: Path, file: str) -> None:
    data = (folder / file).read_bytes()
    (folder / file).write_bytes(data[: len(data) // 2])
    (fault,) = faults(folder)
    assert fault.startswith(f"{file}: SHA-256 ")


def test_a_truncated_file_with_the_right_hash_is_named(folder: Path) -> None:
    path = folder / "farkle" / "odds.parquet"
    data = path.read_bytes()[:-100]
    path.write_bytes(data)
    edit_manifest(folder, lambda manifest: manifest["tables"][0].update(sha256=hashlib.sha256(data).hexdigest()))
    (fault,) = faults(folder)
    assert fault.startswith("farkle/odds.parquet: cannot be read")


def test_stray_files_are_named(folder: Path) -> None:
    (folder / "farkle" / "turn.parquet").write_bytes(b"")
    (folder / ".0123456789abcdef.part").write_bytes(b"")
    assert faults(folder) == [
        ".0123456789abcdef.part: not in the manifest",
        "farkle/turn.parquet: not in the manifest",
    ]


@posix
@pytest.mark.parametrize("file", ["farkle/odds.parquet", "farkle/odds.csv", "manifest.json"])
def test_a_pipe_is_named_and_not_read(folder: Path, file: str) -> None:
    (folder / file).unlink()
    os.mkfifo(folder / file)
    assert faults(folder) == [f"{file}: not an ordinary file; allowed: an ordinary file below the folder"]


@posix
@pytest.mark.parametrize("file", ["farkle/odds.parquet", "farkle/odds.csv", "manifest.json"])
@pytest.mark.parametrize("target", ["/dev/zero", "/etc/passwd", "/nope", "../elsewhere"])
def test_a_link_out_of_the_folder_is_named_and_not_read(folder: Path, file: str, target: str) -> None:
    (folder / file).rename(folder.parent / "elsewhere")
    (folder / file).symlink_to((folder / target).resolve())
    assert faults(folder) == [f"{file}: a link out of the folder; allowed: an ordinary file below it"]


@posix
def test_a_link_to_another_folder_of_tables_is_named_and_not_followed(folder: Path) -> None:
    (folder / "farkle").rename(folder.parent / "elsewhere")
    (folder / "farkle").symlink_to(folder.parent / "elsewhere", target_is_directory=True)
    assert faults(folder) == [
        f"farkle/{name}.parquet: a link out of the folder; allowed: an ordinary file below it"
        for name in ("odds", "scores")
    ]


@posix
def test_empty_folders_and_links_to_folders_are_named(folder: Path) -> None:
    (folder / "empty" / "within").mkdir(parents=True)
    (folder / "other").symlink_to(folder.parent, target_is_directory=True)
    assert faults(folder) == ["empty/within/: not in the manifest", "other: not in the manifest"]


def test_a_file_that_does_not_say_what_it_is_is_named(folder: Path) -> None:
    path = folder / "farkle" / "odds.parquet"
    pl.read_parquet(path).write_parquet(path)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    edit_manifest(folder, lambda manifest: manifest["tables"][0].update(sha256=digest))
    assert faults(folder) == ["farkle/odds.parquet: does not say of itself what it is"]


def test_a_table_missing_from_the_manifest_is_named(folder: Path) -> None:
    edit_manifest(folder, lambda manifest: manifest["tables"].pop(0))
    assert faults(folder) == [
        "farkle/odds.csv: not in the manifest",
        "farkle/odds.parquet: not in the manifest",
        "farkle: no table 'odds'",
    ]


EDITS: dict[str, tuple[Callable[[Any], object], str]] = {
    "a wrong hash": (lambda table: table.update(sha256="0" * 64), "the manifest says 0000"),
    "a hash that is none": (lambda table: table.update(sha256="x"), "sha256: 'x'; allowed"),
    "a wrong number of rows": (lambda table: table.update(rows=5), "6 rows; the manifest says 5"),
    "rows that are no number": (lambda table: table.update(rows="6"), "rows: '6'; allowed: a whole number"),
    "another version": (
        lambda table: table.update(version="9.9"),
        "version '0.1.0' in the file; the manifest says '9.9'",
    ),
    "another fingerprint": (lambda table: table.update(fingerprint="0" * 64), "is not that of the rules"),
    "another question": (lambda table: table.update(question="Who?"), "question or columns"),
    "a column less": (lambda table: table["columns"].pop(), "its columns are not those of the manifest"),
    "another unit": (lambda table: table["columns"][0].update(unit="points"), "question or columns"),
    "a column of no kind": (lambda table: table["columns"][0].pop("unit"), "unit"),
    "a path outside": (lambda table: table.update(file="../x"), "allowed: 'farkle/odds.parquet'"),
    "a ruleset outside": (lambda table: table.update(ruleset=".."), "ruleset: '..'; allowed"),
    "an unknown table": (lambda table: table.update(name="nope"), "allowed"),
    "a key more": (lambda table: table.update(fun=1), "keys missing or unknown: fun"),
    "a key less": (lambda table: table.pop("version"), "keys missing or unknown: version"),
    "a claim of a gap": (lambda table: table.update(widest_gap=1.0), "exactness: 'exact' with a widest gap of 1.0"),
    "a negative gap": (lambda table: table.update(widest_gap=-1), "widest_gap: -1; allowed"),
}


@pytest.mark.parametrize(("edit", "message"), EDITS.values(), ids=EDITS)
def test_an_edited_entry_is_named(folder: Path, edit: Callable[[Any], object], message: str) -> None:
    edit_manifest(folder, lambda manifest: edit(manifest["tables"][0]))
    assert any(message in fault for fault in faults(folder)), faults(folder)


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{", "null", "[" * 100_000, '{"format": 2}', '{"format": 1, "package": "dice10k-math", "tables": NaN}'],
)
def test_a_manifest_that_is_none_is_named(folder: Path, text: str) -> None:
    (folder / "manifest.json").write_text(text, encoding="utf-8")
    (fault,) = faults(folder)
    assert "manifest.json" in fault


@pytest.mark.parametrize("key", ["rulesets", "tables"])
@pytest.mark.parametrize("value", [1, None, [1], {"farkle": 1}])
def test_parts_of_the_wrong_kind_are_named(folder: Path, key: str, value: object) -> None:
    edit_manifest(folder, lambda manifest: manifest.update({key: value}))
    (fault,) = faults(folder)
    assert fault.startswith("manifest.json: ")


def test_a_missing_manifest_is_named(folder: Path) -> None:
    (folder / "manifest.json").unlink()
    (fault,) = faults(folder)
    assert "manifest.json: missing" in fault


def test_other_rules_in_the_manifest_are_named(folder: Path) -> None:
    def change(manifest: Any) -> None:
        manifest["rulesets"]["farkle"] = manifest["rulesets"]["farkle"].replace("1500", "1600")

    edit_manifest(folder, change)
    assert any("is not that of the rules" in fault for fault in faults(folder))


def test_broken_rules_in_the_manifest_are_named(folder: Path) -> None:
    edit_manifest(folder, lambda manifest: manifest["rulesets"].update(farkle="[ruleset"))
    assert any("rulesets.farkle" in fault for fault in faults(folder))


def test_a_twin_that_says_something_else_is_named(folder: Path) -> None:
    path = folder / "farkle" / "odds.csv"
    path.write_text(path.read_text(encoding="utf-8").replace("46656", "46657"), encoding="utf-8")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    edit_manifest(folder, lambda manifest: manifest["tables"][0].update(csv_sha256=digest))
    assert faults(folder) == ["farkle/odds.csv: does not say the same as farkle/odds.parquet"]


def put(column: str, value: object, row: int = 0) -> Callable[[pl.DataFrame], pl.DataFrame]:
    """Return a change of one cell."""

    def change(frame: pl.DataFrame) -> pl.DataFrame:
        cells = frame[column].to_list()
        cells[row] = value
        return frame.with_columns(pl.Series(column, cells, frame.schema[column]))

    return change


def shift_all(column: str, by: float) -> Callable[[pl.DataFrame], pl.DataFrame]:
    return lambda frame: frame.with_columns(pl.col(column) + by)


FORGERIES: dict[str, tuple[str, Callable[[pl.DataFrame], pl.DataFrame], str]] = {
    "bust outcomes": ("odds", put("bust_outcomes", 1079, 5), "bust_outcomes 1079; right: 1080"),
    "bust odds": ("odds", put("bust_probability", 0.5), "bust_probability 0.5 is not 2/3"),
    "outcomes of a roll": ("odds", put("outcomes", 7), "outcomes 7; right: 6"),
    "numerator": ("odds", put("bust_probability_numerator", "1"), "is not 1/3"),
    "no number": ("odds", put("bust_probability_numerator", "x"), "cannot be checked"),
    "zero denominator": ("odds", put("bust_probability_denominator", "0"), "cannot be checked"),
    "no dice": ("odds", lambda frame: frame.head(5), "no row for the 6 dice"),
    "scores moved": ("scores", lambda f: put("outcomes", 5)(put("outcomes", 0, 1)(f)), "wrong number of outcomes"),
    "a score lost": ("scores", lambda frame: frame.tail(-1), "outcomes add up to"),
    "points of a keep": ("keeps", put("points", 150), "the keeps are not those of the rules"),
    "a keep lost": ("keeps", lambda frame: frame.tail(-1), "the keeps are not those of the rules"),
    "worth of rolling": ("turn", shift_all("roll", 0.001), "from its outcomes"),
    "action": ("turn", lambda frame: frame.with_columns(action=pl.lit("roll")), "says roll, but banking is worth more"),
    "no action": ("turn", put("action", "sleep"), "action 'sleep'"),
    "worth of banking": ("turn", put("bank", 100.0), "bank 100.0; right: None"),
    "situation": ("turn", put("situation", "asleep"), "situation 'asleep' is none of the ruleset"),
    "situations lost": ("turn_values", lambda frame: frame.head(1), "no row for the situation"),
    "bank table lost": ("bank", lambda frame: frame.head(1), "outside the runs, but the table turn says bank"),
    "bank table": ("bank", put("bank_from", 1000), "but the table turn says bank"),
    "value": ("turn_values", put("expected_points", 400.0), "is not between its bounds"),
    "value and bounds": (
        "turn_values",
        lambda frame: frame.with_columns(
            [pl.lit(400.0).alias(name) for name in ("expected_points", "lower", "upper")]
            + [
                pl.lit("400").alias("expected_points_numerator"),
                pl.lit("1").alias("expected_points_denominator"),
            ]
        ),
        "expected_points 400.0; proved",
    ),
    "endings lost": ("turn_endings", lambda frame: frame.tail(-1), "the probabilities add up to"),
    "endings moved": ("turn_endings", put("turn_score", 1_000_000, 40), "mean of the endings"),
    "long run": ("long_run", lambda frame: frame.with_columns(points_per_turn=pl.lit(1.0)), "is not between its bounds"),
    "long run and bounds": (
        "long_run",
        lambda f: f.with_columns([pl.lit(1.0).alias(name) for name in ("points_per_turn", "lower", "upper")]),
        "points_per_turn 1.0; right",
    ),
    "long run bank table": ("long_run_bank", put("bank_from", 1000), "is not one of the best play"),
}  # fmt: skip


@pytest.mark.parametrize(("name", "change", "message"), FORGERIES.values(), ids=FORGERIES)
def test_a_forged_table_is_named(
    full: Path, tmp_path: Path, name: str, change: Callable[[pl.DataFrame], pl.DataFrame], message: str
) -> None:
    """Only the forged table and its neighbours are copied: the others need not be verified again and again."""
    folder = Path(shutil.copytree(full, tmp_path / "tables"))
    forge(folder, f"house/{name}.parquet", change)
    beside = {"bank": ["turn"], "turn_endings": ["turn_values"]}.get(name, [])

    def keep_few(manifest: Any) -> None:
        manifest["tables"] = [table for table in manifest["tables"] if table["name"] in {name, *beside}]

    edit_manifest(folder, keep_few)
    found = [fault for fault in verify_tables(folder, kinds=()) if fault.startswith(f"house/{name}.parquet: ")]
    assert any(message in fault for fault in found), found


def test_faults_of_one_table_are_not_listed_without_end(full: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(full, tmp_path / "tables"))
    forge(folder, "house/turn.parquet", lambda frame: frame.with_columns(action=pl.lit("sleep")))
    found = [fault for fault in verify_tables(folder, kinds=()) if fault.startswith("house/turn.parquet")]
    assert len(found) == 21
    assert found[-1] == "house/turn.parquet: more faults of this kind"


def test_the_command_names_every_fault_and_gives_1(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    (folder / "farkle" / "odds.csv").unlink()
    result = Cli(capsys)("tables", "verify", str(folder))
    assert result.code == 1
    lines = result.out.splitlines()
    assert "farkle: no table 'keeps'" in lines
    assert any(line.startswith("farkle/odds.csv: ") for line in lines)
    data = json.loads(Cli(capsys)("tables", "verify", str(folder), "--format", "json").out)
    assert data == {"ok": False, "faults": lines}


def test_reading_gives_the_frame(light: Path) -> None:
    assert load_table(light, "farkle", "odds")["dice"].to_list() == [1, 2, 3, 4, 5, 6]
    assert load_table(str(light), "farkle", "odds").height == 6


@pytest.mark.parametrize(
    ("ruleset", "name", "message"),
    [
        ("farkle", "turn", "no table 'turn' of 'farkle'; there is: odds, scores"),
        ("nope", "odds", "no table of 'nope'; rulesets: farkle"),
        ("..", "odds", "no table 'odds' of '..'"),
    ],
)
def test_reading_what_is_not_there_is_refused(light: Path, ruleset: str, name: str, message: str) -> None:
    with pytest.raises(TableError, match=message.replace(".", r"\.")):
        load_table(light, ruleset, name)


def test_reading_what_was_changed_is_refused(folder: Path) -> None:
    (folder / "farkle" / "odds.parquet").write_bytes(b"PAR1")
    with pytest.raises(TableError, match=r"farkle/odds\.parquet: SHA-256"):
        load_table(folder, "farkle", "odds")


def test_reading_from_nowhere_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="missing; allowed: a folder that `tables build` wrote"):
        load_table(tmp_path / "nope", "farkle", "odds")


def test_the_text_of_a_manifest_is_read_back(light: Path) -> None:
    text = (light / "manifest.json").read_text(encoding="utf-8")
    assert Manifest.from_json(text).to_json() == text
