"""Folders of tables for the tests, and ways to spoil them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl

from dice10k_math import dump_rules, load_rules, parse_rules
from dice10k_math.rules import Ruleset
from dice10k_math.tables.manifest import MANIFEST


def snapshot(folder: Path) -> dict[str, bytes]:
    """Return every file of a folder with its bytes."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def edit_manifest(folder: Path, change: Callable[[Any], object]) -> None:
    path = folder / MANIFEST
    data = json.loads(path.read_text(encoding="utf-8"))
    change(data)
    path.write_text(json.dumps(data), encoding="utf-8")


def forge(folder: Path, file: str, change: Callable[[pl.DataFrame], pl.DataFrame]) -> None:
    """Change a table and make its hashes and its twin fit, as somebody would who knows how."""
    path = folder / file
    frame = change(pl.read_parquet(path))
    facts = pl.read_parquet_metadata(path)["dice10k_math"]
    frame.write_parquet(path, metadata={"dice10k_math": facts})
    twin = path.with_suffix(".csv")
    frame.write_csv(twin)

    def sign(data: Any) -> None:
        entry = next(entry for entry in data["tables"] if entry["file"] == file)
        entry["rows"] = frame.height
        entry["sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()
        entry["csv_sha256"] = hashlib.sha256(twin.read_bytes()).hexdigest()
        entry["csv"] = file.removesuffix("parquet") + "csv"

    edit_manifest(folder, sign)


def house_rules(**changes: tuple[str, str]) -> Ruleset:
    """Return farkle under the name house, with pieces of its text replaced."""
    text = dump_rules(load_rules("farkle")).replace('name = "farkle"', 'name = "house"')
    for old, new in changes.values():
        assert old in text
        text = text.replace(old, new)
    return parse_rules(text)
