"""Building tables: the right files, the same bytes, going on after an interruption."""

from __future__ import annotations

import json
import os
from fractions import Fraction
from pathlib import Path
from typing import NoReturn

import polars as pl
import pytest

import dice10k_math
from dice10k_math import InputError, bust_odds, dump_rules, fingerprint, legal_keeps, load_rules, solve_turn
from dice10k_math.dice import plain_hand, rolls
from dice10k_math.rules import with_target
from dice10k_math.tables import build as build_module
from dice10k_math.tables.build import build_tables
from dice10k_math.tables.kinds import KINDS, kind_named
from dice10k_math.tables.manifest import read_manifest
from dice10k_math.tables.read import load_table
from dice10k_math.tables.situations import situations
from tests.unit.cli import Cli
from tests.unit.table_folders import house_rules, snapshot

ROLL_KINDS = KINDS[:3]
LIGHT = KINDS[:2]
# The others have tests of their own, with small targets.
NOT_OF_TURNS = {"solo", "match", "match_far", "last_turn", "policy", "exploitability"}
TURN_KINDS = tuple(kind for kind in KINDS if kind.name not in NOT_OF_TURNS)

FARKLE = load_rules("farkle")


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tables")
    build_tables([FARKLE], folder, kinds=TURN_KINDS)
    return folder


def test_a_folder_has_a_file_for_each_kind_and_twins_where_small(tables: Path) -> None:
    files = sorted(snapshot(tables))
    names = ["bank", "keeps", "odds", "scores", "turn", "turn_endings", "turn_values"]
    assert files == sorted([*(f"farkle/{name}.{end}" for name in names for end in ("csv", "parquet")), "manifest.json"])


def test_the_manifest_says_what_each_file_is(tables: Path) -> None:
    data = json.loads((tables / "manifest.json").read_text(encoding="utf-8"))
    odds = next(entry for entry in data["tables"] if entry["file"] == "farkle/odds.parquet")
    assert odds["question"].endswith("?")
    assert odds["fingerprint"] == fingerprint(FARKLE)
    assert odds["rows"] == 6
    assert (odds["exactness"], odds["widest_gap"]) == ("exact", 0.0)
    assert odds["version"] == dice10k_math.__version__
    assert odds["columns"][0] == {"name": "dice", "type": "integer", "unit": "dice", "meaning": "dice rolled"}
    turn = next(entry for entry in data["tables"] if entry["name"] == "turn")
    assert turn["exactness"] == "enclosure"
    assert 0 < turn["widest_gap"] < 1e-8


def test_a_file_says_of_itself_what_it_is(tables: Path) -> None:
    metadata = pl.read_parquet_metadata(tables / "farkle" / "odds.parquet")
    facts = json.loads(metadata["dice10k_math"])
    assert (facts["ruleset"], facts["name"], facts["fingerprint"]) == ("farkle", "odds", fingerprint(FARKLE))


def test_twins_say_the_same(tables: Path) -> None:
    for path in tables.rglob("*.csv"):
        frame = pl.read_parquet(path.with_suffix(".parquet"))
        assert pl.read_csv(path, schema=frame.schema).equals(frame)


def test_odds_and_scores_are_those_of_the_library(tables: Path) -> None:
    odds = load_table(tables, "farkle", "odds")
    for row in odds.iter_rows(named=True):
        parts = (int(row[f"bust_probability_{part}"]) for part in ("numerator", "denominator"))
        assert Fraction(*parts) == bust_odds(FARKLE, row["dice"])
    scores = load_table(tables, "farkle", "scores")
    assert scores.group_by("dice").agg(pl.col("outcomes").sum()).sort("dice")["outcomes"].to_list() == [
        6**dice for dice in range(1, 7)
    ]


def test_keeps_has_every_keep_of_every_roll(tables: Path) -> None:
    keeps = load_table(tables, "farkle", "keeps")
    right = [
        (len(roll), " ".join(map(str, roll)), weight, " ".join(map(str, keep.dice)), keep.points, keep.dice_left)
        for dice in range(1, 7)
        for roll, weight in rolls(plain_hand(dice))
        for keep in legal_keeps(FARKLE, roll)
    ]
    assert keeps.rows() == right


def test_the_turn_tables_are_those_of_the_library(tables: Path) -> None:
    values = load_table(tables, "farkle", "turn_values")
    assert values["situation"].to_list() == ["not opened", "opened"]
    assert values["expected_points"].to_list() == pytest.approx([501.614570978, 534.287062597], abs=1e-9)
    turn = solve_turn(FARKLE, 50, exact=False)
    states = load_table(tables, "farkle", "turn").filter(pl.col("situation") == "opened")
    columns = ("dice", "turn_score", "hot_dice", "bank", "roll", "action")
    assert states.select(columns).rows() == [
        tuple(getattr(state, column) for column in columns) for state in turn.states()
    ]
    bank = load_table(tables, "farkle", "bank").filter(pl.col("situation") == "opened")
    assert bank["bank_from"].to_list() == [300, 250, 400, 950, 2800, 16600]


def test_situations_are_told_apart_by_the_rules() -> None:
    assert [situation.name for situation in situations(load_rules("dice10k"))] == [
        "not opened",
        "opened, below 5000",
        "opened, from 5000",
    ]
    assert [situation.scores for situation in situations(load_rules("dice10k"))] == [
        ((0, 0),),
        ((None, -1), (1, 4999)),
        ((5000, None),),
    ]
    assert [situation.name for situation in situations(load_rules("des-10000"))] == ["any score"]
    counted = house_rules(counts=("[bust]", "[bust]\nin_a_row = { busts = 2, penalty = 500 }"))
    assert [(found.name, found.busts, found.opened) for found in situations(counted)] == [
        ("not opened, after 0 busts", 0, False),
        ("not opened, after 1 bust", 1, False),
        ("opened, after 0 busts", 0, True),
        ("opened, after 1 bust", 1, True),
    ]
    capped = house_rules(
        ending=('kind = "final_round"', 'kind = "exact"'), tie=('tie = "shared"', 'overshoot = "not_allowed"')
    )
    assert [found.scores for found in situations(capped)] == [((0, 0),), ((1, 1),)]


def test_rules_that_count_busts_have_long_run_tables(tmp_path: Path) -> None:
    rules = house_rules(counts=("[bust]", "[bust]\nin_a_row = { busts = 2, penalty = 500 }"))
    kinds = tuple(kind for kind in KINDS if kind.name.startswith("long_run"))
    built = build_tables([FARKLE, rules], tmp_path, kinds=kinds)
    assert [entry.file for entry in built.written] == ["house/long_run.parquet", "house/long_run_bank.parquet"]
    assert load_table(tmp_path, "house", "long_run")["busts"].to_list() == [0, 1]


def test_building_twice_gives_the_same_bytes(tables: Path, tmp_path: Path) -> None:
    build_tables([FARKLE], tmp_path, kinds=TURN_KINDS)
    assert snapshot(tmp_path) == snapshot(tables)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes and links as POSIX has them")
def test_a_build_writes_into_no_pipe_and_through_no_link_out(tmp_path: Path) -> None:
    folder, outside = tmp_path / "tables", tmp_path / "outside"
    (folder / "farkle").mkdir(parents=True)
    os.mkfifo(folder / "farkle" / "odds.parquet")
    with pytest.raises(InputError, match=r"odds\.parquet: not an ordinary file"):
        build_tables([FARKLE], folder, kinds=LIGHT)
    (folder / "farkle" / "odds.parquet").unlink()
    (folder / "farkle" / "odds.csv").symlink_to(outside)
    with pytest.raises(InputError, match=r"odds\.csv: a link out of the folder"):
        build_tables([FARKLE], folder, kinds=LIGHT)
    (folder / "manifest.json").unlink()
    (folder / "manifest.json").symlink_to(outside)
    with pytest.raises(InputError, match=r"manifest\.json: a link out of the folder"):
        build_tables([FARKLE], folder, kinds=LIGHT)
    assert not outside.exists()


def test_a_second_build_writes_nothing(tmp_path: Path) -> None:
    build_tables([FARKLE], tmp_path, kinds=LIGHT)
    times = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    built = build_tables([FARKLE], tmp_path, kinds=LIGHT)
    assert not built.written
    assert len(built.kept) == 2
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == times


def test_the_order_of_building_leaves_no_trace(tmp_path: Path) -> None:
    both = [FARKLE, load_rules("dix-mille")]
    build_tables(both, tmp_path / "together", kinds=LIGHT)
    build_tables(both[1:], tmp_path / "apart", kinds=LIGHT)
    build_tables(both[:1], tmp_path / "apart", kinds=LIGHT)
    assert snapshot(tmp_path / "together") == snapshot(tmp_path / "apart")


@pytest.mark.parametrize("writes", range(12))
def test_a_build_killed_at_any_write_goes_on_to_the_same_bytes(
    tmp_path: Path, writes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kill it before its nth file gets its name: what is there is whole, and the next build completes it."""
    rules = [FARKLE, load_rules("dix-mille")]
    build_tables(rules, tmp_path / "whole", kinds=LIGHT)
    whole = snapshot(tmp_path / "whole")
    replace, left = Path.replace, [writes]

    def killed(path: Path, target: Path) -> Path:
        if not left[0]:
            raise KeyboardInterrupt
        left[0] -= 1
        return replace(path, target)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", killed)
        with pytest.raises(KeyboardInterrupt):
            build_tables(rules, tmp_path / "killed", kinds=LIGHT)
    for file, data in snapshot(tmp_path / "killed").items():
        assert file == "manifest.json" or data == whole[file]
    build_tables(rules, tmp_path / "killed", kinds=LIGHT)
    assert snapshot(tmp_path / "killed") == whole


def test_a_killed_process_leaves_parts_that_the_next_build_clears(tmp_path: Path) -> None:
    build_tables([FARKLE], tmp_path, kinds=LIGHT)
    whole = snapshot(tmp_path)
    (tmp_path / "farkle" / ".0123456789abcdef.part").write_bytes(b"half")
    (tmp_path / ".0123456789abcdef.part").write_bytes(b"half")
    build_tables([FARKLE], tmp_path, kinds=LIGHT)
    assert snapshot(tmp_path) == whole


@pytest.mark.parametrize("file", ["farkle/odds.parquet", "farkle/odds.csv"])
@pytest.mark.parametrize("spoil", [lambda path: path.unlink(), lambda path: path.write_bytes(b"other")])
def test_a_spoilt_file_is_written_anew(tmp_path: Path, file: str, spoil: object) -> None:
    build_tables([FARKLE], tmp_path, kinds=LIGHT)
    whole = snapshot(tmp_path)
    assert callable(spoil)
    spoil(tmp_path / file)
    built = build_tables([FARKLE], tmp_path, kinds=LIGHT)
    assert [entry.file for entry in built.written] == ["farkle/odds.parquet"]
    assert snapshot(tmp_path) == whole


def test_another_version_writes_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build_tables([FARKLE], tmp_path, kinds=LIGHT)
    monkeypatch.setattr(build_module, "__version__", "9.9.9")
    assert len(build_tables([FARKLE], tmp_path, kinds=LIGHT).written) == 2
    assert {entry.version for entry in read_manifest(tmp_path).tables.values()} == {"9.9.9"}


def test_other_rules_of_the_same_name_take_the_place(tmp_path: Path) -> None:
    first = house_rules()
    second = house_rules(straight=("straight = 1500", "straight = 2000"))
    build_tables([first], tmp_path, kinds=ROLL_KINDS)
    build_tables([second], tmp_path, kinds=LIGHT)
    assert sorted(snapshot(tmp_path)) == [
        *(f"house/{name}.{end}" for name in ("odds", "scores") for end in ("csv", "parquet")),
        "manifest.json",
    ]
    assert {entry.fingerprint for entry in read_manifest(tmp_path).tables.values()} == {fingerprint(second)}


def test_two_rulesets_of_one_name_are_refused(tmp_path: Path) -> None:
    other = house_rules(straight=("straight = 1500", "straight = 2000"))
    with pytest.raises(InputError, match="two different ones are named 'house'"):
        build_tables([house_rules(), other], tmp_path, kinds=LIGHT)
    assert not list(tmp_path.iterdir())


def test_a_foreign_manifest_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text('{"name": "a web page"}', encoding="utf-8")
    with pytest.raises(InputError, match="no manifest of tables"):
        build_tables([FARKLE], tmp_path, kinds=LIGHT)
    assert snapshot(tmp_path) == {"manifest.json": b'{"name": "a web page"}'}


def test_a_full_disk_leaves_no_half_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build_tables([FARKLE], tmp_path, kinds=KINDS[:1])
    before = snapshot(tmp_path)

    def full(_: int) -> NoReturn:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        build_tables([FARKLE], tmp_path, kinds=LIGHT)
    assert snapshot(tmp_path) == before


def test_kinds_have_names_of_their_own_and_an_unknown_one_is_named() -> None:
    assert len({kind.name for kind in KINDS}) == len(KINDS)
    with pytest.raises(InputError, match=r"table: 'nope'; allowed: odds, scores"):
        kind_named("nope")


def test_the_command_says_what_it_wrote(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    cli = Cli(capsys)
    rules = tmp_path / "farkle.toml"
    rules.write_text(dump_rules(with_target(FARKLE, 500)), encoding="utf-8")
    out = tmp_path / "tables"
    first = cli("tables", "build", str(rules), "--out", str(out), "--format", "json")
    assert {row["state"] for row in first.data["tables"]} == {"written"}
    assert not first.err
    second = cli("tables", "build", str(rules), "--out", str(out))
    assert "farkle/odds.parquet" in second.out
    (out / "farkle" / "odds.parquet").unlink()
    third = cli("tables", "build", str(rules), "--out", str(out))
    count = len(first.data["tables"])
    assert second.out.splitlines()[-4:-1] == [
        f"{out}: 0 tables written, {count} kept",
        "",
        "kept: there already, for the same rules and version, its hashes right.",
    ]
    assert f"{out}: 1 table written, {count - 1} kept" in third.out
    assert cli("tables", "verify", str(out)).out == "all tables hold\n"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["dice10k", "dix-mille", "des-10000", "farkle-spicy"])
def test_every_game_builds_holds_and_builds_again(name: str, tmp_path: Path) -> None:
    from dice10k_math.tables.verify import verify_tables

    build_tables([load_rules(name)], tmp_path / "once")
    assert list(verify_tables(tmp_path / "once")) == []
    build_tables([load_rules(name)], tmp_path / "twice")
    assert snapshot(tmp_path / "once") == snapshot(tmp_path / "twice")
