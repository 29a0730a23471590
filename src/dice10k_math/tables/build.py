"""Building tables: the same bytes every time, whole files only, going on where it stopped."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dice10k_math import __version__
from dice10k_math.errors import InputError, TableError
from dice10k_math.rules.model import Ruleset
from dice10k_math.rules.write import dump_rules, fingerprint
from dice10k_math.tables.files import PART, regular_file, sha256_of, write_whole
from dice10k_math.tables.kinds import KINDS, TableKind, kinds_of
from dice10k_math.tables.manifest import FACTS, MANIFEST, Entry, Manifest, read_manifest

if TYPE_CHECKING:
    import polars

LARGEST_CSV = 200_000
"""Bytes up to which a table has a CSV twin."""

Report = Callable[[int, int, str], None]
"""Told before each table how many are done, how many there are, and which comes now; at the end with an empty name."""


@dataclass(frozen=True, slots=True)
class Built:
    """What a build did.

    Attributes
    ----------
    written, kept
        The tables that were written, and those that were there already.
    """

    written: tuple[Entry, ...]
    kept: tuple[Entry, ...]


def build_tables(
    rulesets: Iterable[Ruleset],
    folder: Path,
    *,
    kinds: tuple[TableKind, ...] = KINDS,
    report: Report | None = None,
) -> Built:
    """Write the tables of rulesets into a folder, with their manifest.

    A table is kept if the manifest says that this version wrote it for these very rules and its files are unchanged.
    Tables of other rulesets in the folder stay as they are.
    The manifest is written after each table, so an interrupted build goes on where it stopped.

    Raises
    ------
    InputError
        Two different rulesets of one name, or a folder whose manifest is none of ours.
    OSError
        The folder cannot be written to.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from dice10k_math.rules import load_rules
    >>> with TemporaryDirectory() as folder:
    ...     built = build_tables([load_rules("farkle")], Path(folder), kinds=KINDS[:1])
    >>> [entry.file for entry in built.written]
    ['farkle/odds.parquet']
    """
    chosen = _distinct(rulesets)
    plan = [(rules, kind) for rules in chosen.values() for kind in kinds_of(rules, kinds)]
    build = _Build(folder, chosen, {(rules.name, kind.name) for rules, kind in plan})
    written, kept = [], []
    for done, (rules, kind) in enumerate(plan):
        if report is not None:
            report(done, len(plan), f"{rules.name}/{kind.name}")
        entry = build.current(rules, kind)
        if entry is None:
            written.append(build.write(rules, kind))
        else:
            kept.append(entry)
    if report is not None:
        report(len(plan), len(plan), "")
    return Built(tuple(written), tuple(kept))


def _distinct(rulesets: Iterable[Ruleset]) -> dict[str, Ruleset]:
    found: dict[str, Ruleset] = {}
    # Some file systems do not tell capitals from small letters.
    for rules in rulesets:
        known = found.setdefault(rules.name.casefold(), rules)
        if known != rules:
            raise InputError(f"rulesets: two different ones are named {rules.name!r}; allowed: one name for each")
    return {rules.name: rules for rules in found.values()}


class _Build:
    """A folder of tables while it is built."""

    def __init__(self, folder: Path, rulesets: Mapping[str, Ruleset], planned: set[tuple[str, str]]) -> None:
        self.folder = folder
        old = self._old_manifest()
        self.rulesets = {**old.rulesets, **{name: dump_rules(rules) for name, rules in rulesets.items()}}
        self.tables = dict(old.tables)
        folder.mkdir(parents=True, exist_ok=True)
        for name in rulesets:
            (folder / name).mkdir(exist_ok=True)
            _remove_parts(folder / name)
        _remove_parts(folder)
        for key, entry in old.tables.items():
            rules = rulesets.get(entry.ruleset)
            if rules is not None and (key not in planned or entry.fingerprint != fingerprint(rules)):
                self._forget(key)
        self._save()

    def _old_manifest(self) -> Manifest:
        if not os.path.lexists(self.folder / MANIFEST):
            return Manifest()
        try:
            return read_manifest(self.folder)
        except TableError as error:
            raise InputError(f"{self.folder}: {error}; choose another folder or remove the manifest") from None

    def _save(self) -> None:
        text = Manifest(self.rulesets, self.tables).to_json().encode()
        path = self.folder / MANIFEST
        if not path.exists() or path.read_bytes() != text:
            write_whole(path, text)

    def _forget(self, key: tuple[str, str]) -> None:
        """Drop a table that is no longer of its ruleset: first from the manifest, then its files."""
        entry = self.tables.pop(key)
        self._save()
        for file in entry.files:
            (self.folder / file).unlink(missing_ok=True)

    def current(self, rules: Ruleset, kind: TableKind) -> Entry | None:
        """Return what the manifest says about a table if that needs no building."""
        entry = self.tables.get((rules.name, kind.name))
        if entry is None or entry.version != __version__ or entry.fingerprint != fingerprint(rules):
            return None
        if entry.columns != kind.columns(rules) or entry.question != kind.question:
            return None
        return entry if all(_is_whole(self.folder, *file) for file in entry.files.items()) else None

    def write(self, rules: Ruleset, kind: TableKind) -> Entry:
        """Make a table, write its files, and only then list it."""
        frame, gap = kind.make(rules)
        path = self.folder / rules.name / f"{kind.name}.parquet"
        self._put(path, parquet_bytes(frame, _facts(rules, kind)))
        twin = frame.write_csv().encode()
        csv = path.with_suffix(".csv")
        if len(twin) <= LARGEST_CSV:
            self._put(csv, twin)
        else:
            csv.unlink(missing_ok=True)
        entry = Entry(
            ruleset=rules.name,
            name=kind.name,
            question=kind.question,
            fingerprint=fingerprint(rules),
            columns=kind.columns(rules),
            rows=frame.height,
            exactness="enclosure" if gap else "exact",
            widest_gap=gap,
            version=__version__,
            sha256=sha256_of(path),
            csv_sha256=sha256_of(csv) if len(twin) <= LARGEST_CSV else None,
        )
        self.tables[rules.name, kind.name] = entry
        self._save()
        return entry

    def _put(self, path: Path, data: bytes) -> None:
        """Write a file, but not through a link out of the folder, nor into a device or a pipe."""
        try:
            regular_file(self.folder, path.relative_to(self.folder).as_posix())
        except FileNotFoundError:
            pass
        except TableError as error:
            raise InputError(f"{self.folder}: {error}; choose another folder or remove it") from None
        write_whole(path, data)


def _facts(rules: Ruleset, kind: TableKind) -> dict[str, str]:
    return {
        "ruleset": rules.name,
        "name": kind.name,
        "question": kind.question,
        "fingerprint": fingerprint(rules),
        "version": __version__,
    }


def parquet_bytes(frame: polars.DataFrame, facts: Mapping[str, str]) -> bytes:
    """Return a data frame as a Parquet file that says of itself what it is."""
    buffer = io.BytesIO()
    text = json.dumps(dict(facts), ensure_ascii=False)
    frame.write_parquet(buffer, compression="zstd", compression_level=15, metadata={FACTS: text})
    return buffer.getvalue()


def _is_whole(folder: Path, file: str, sha256: str) -> bool:
    try:
        return sha256_of(regular_file(folder, file)) == sha256
    except (OSError, TableError):
        return False


def _remove_parts(folder: Path) -> None:
    """Remove what a killed build has left: files that never got their name."""
    for part in folder.glob(f".*{PART}"):
        part.unlink(missing_ok=True)
