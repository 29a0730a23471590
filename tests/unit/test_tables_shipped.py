"""The tables in the repository are those that this version builds for the built-in games."""

from __future__ import annotations

from pathlib import Path

import pytest

from dice10k_math import __version__, builtin_rulesets, fingerprint, load_rules
from dice10k_math.tables.files import sha256_of
from dice10k_math.tables.kinds import kinds_of
from dice10k_math.tables.manifest import MANIFEST, read_manifest
from dice10k_math.tables.verify import verify_tables

TABLES = Path(__file__).resolve().parents[2] / "tables"


def test_every_built_in_game_has_every_table() -> None:
    manifest = read_manifest(TABLES)
    expected = {
        (name, kind.name): (fingerprint(load_rules(name)), kind.question, kind.columns(load_rules(name)))
        for name in builtin_rulesets()
        for kind in kinds_of(load_rules(name))
    }
    found = {key: (entry.fingerprint, entry.question, entry.columns) for key, entry in manifest.tables.items()}
    assert found == expected, "rebuild them: dice10k-math tables build --out tables"
    assert {entry.version for entry in manifest.tables.values()} == {__version__}


def test_every_file_is_whole_and_none_is_stray() -> None:
    manifest = read_manifest(TABLES)
    hashes = {file: sha256 for entry in manifest.tables.values() for file, sha256 in entry.files.items()}
    found = {path.relative_to(TABLES).as_posix() for path in TABLES.rglob("*") if path.is_file()}
    assert found - {MANIFEST} == set(hashes)
    assert {file: sha256_of(TABLES / file) for file in hashes} == hashes


def test_they_are_small() -> None:
    assert sum(path.stat().st_size for path in TABLES.rglob("*")) < 20_000_000


@pytest.mark.slow
def test_they_hold() -> None:
    assert list(verify_tables(TABLES)) == []
