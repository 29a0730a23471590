"""Checking a folder of tables: whole, complete, and right."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from dice10k_math.errors import InputError, RulesError, TableError
from dice10k_math.rules.model import Ruleset
from dice10k_math.rules.parse import parse_rules
from dice10k_math.rules.write import fingerprint
from dice10k_math.tables.columns import DENOMINATOR, NUMERATOR, number_of, schema_of
from dice10k_math.tables.files import regular_file, sha256_of
from dice10k_math.tables.kinds import KINDS, TableKind, kind_named, kinds_of
from dice10k_math.tables.manifest import FACTS, MANIFEST, Entry, Manifest, read_manifest
from dice10k_math.tables.read import read_entry

if TYPE_CHECKING:
    import polars

Report = Callable[[int, int, str], None]

MOST_FAULTS = 20
"""Faults named for one table; more of them say no more."""


def verify_tables(folder: Path, *, kinds: tuple[TableKind, ...] = KINDS, report: Report | None = None) -> Iterator[str]:
    """Yield what does not hold in a folder of tables; nothing: all holds.

    Every file is compared with its hash, and the manifest with what lies in the folder.
    Of every table a sample of rows is recomputed from the rules, by another route than the one that wrote them where
    there is one.

    Parameters
    ----------
    folder
        The folder with the manifest.
    kinds
        Which tables every ruleset there should have, as far as they apply to it.
    report
        Told before each table how many are done, how many there are, and which comes now.

    Raises
    ------
    InputError
        There is no such folder.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from dice10k_math.rules import load_rules
    >>> from dice10k_math.tables.build import build_tables
    >>> from dice10k_math.tables.kinds import KINDS
    >>> with TemporaryDirectory() as folder:
    ...     _ = build_tables([load_rules("farkle")], Path(folder), kinds=KINDS[:1])
    ...     _ = (Path(folder) / "farkle" / "odds.csv").write_text("dice")
    ...     for fault in verify_tables(Path(folder), kinds=KINDS[:2]):
    ...         print(fault[:29])
    farkle: no table 'scores'
    farkle/odds.csv: SHA-256 e1e0
    """
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder; allowed: a folder that `tables build` wrote")
    try:
        manifest = read_manifest(folder)
    except TableError as error:
        yield str(error)
        return
    yield from _stray_files(folder, manifest)
    rulesets: dict[str, Ruleset] = {}
    for name, text in manifest.rulesets.items():
        try:
            rulesets[name] = parse_rules(text, f"{MANIFEST}: rulesets.{name}")
        except RulesError as error:
            yield str(error)
            continue
        yield from _missing_tables(name, rulesets[name], manifest, kinds)
    for done, entry in enumerate(manifest.tables.values()):
        if report is not None:
            report(done, len(manifest.tables), f"{entry.ruleset}/{entry.name}")
        yield from _limited(entry, _table_faults(folder, manifest, entry, rulesets.get(entry.ruleset)))
    if report is not None:
        report(len(manifest.tables), len(manifest.tables), "")


def _limited(entry: Entry, faults: Iterator[str]) -> Iterator[str]:
    for number, fault in enumerate(faults):
        if number == MOST_FAULTS:
            yield f"{entry.file}: more faults of this kind"
            return
        yield fault


def _stray_files(folder: Path, manifest: Manifest) -> Iterator[str]:
    """Name what lies in the folder for nothing: files, links to folders, and folders with nothing in them."""
    known = {MANIFEST, *(file for entry in manifest.tables.values() for file in entry.files)}
    found = set()
    for here, folders, files in os.walk(folder):
        place = Path(here).relative_to(folder)
        links = [name for name in folders if (Path(here) / name).is_symlink()]
        found |= {(place / name).as_posix() for name in (*files, *links)}
        if place.parts and not folders and not files and place.as_posix() not in manifest.rulesets:
            found.add(f"{place.as_posix()}/")
    yield from (f"{file}: not in the manifest" for file in sorted(found - known - set(manifest.rulesets)))


def _missing_tables(name: str, rules: Ruleset, manifest: Manifest, kinds: tuple[TableKind, ...]) -> Iterator[str]:
    if rules.name != name:
        yield f"{MANIFEST}: rulesets.{name}: its text is that of {rules.name!r}"
    for kind in kinds_of(rules, kinds):
        if (name, kind.name) not in manifest.tables:
            yield f"{name}: no table {kind.name!r}"


def _table_faults(folder: Path, manifest: Manifest, entry: Entry, rules: Ruleset | None) -> Iterator[str]:
    try:
        frame = read_entry(folder, entry)
        kind = kind_named(entry.name)
    except (TableError, InputError) as error:
        yield str(error)
        return
    yield from _fact_faults(folder, entry)
    yield from _twin_faults(folder, entry, frame)
    if rules is None or fingerprint(rules) != entry.fingerprint:
        yield f"{entry.file}: fingerprint {entry.fingerprint} is not that of the rules in the manifest"
        return
    if entry.question != kind.question or entry.columns != kind.columns(rules):
        yield f"{entry.file}: question or columns in the manifest are not those of the table {entry.name!r}"
        return

    def read(name: str) -> polars.DataFrame | None:
        try:
            return read_entry(folder, manifest.tables[entry.ruleset, name])
        except (KeyError, TableError):
            return None

    try:
        for fault in (*_fraction_faults(frame), *kind.check(rules, frame, read)):
            yield f"{entry.file}: {fault}"
    except (InputError, ValueError, TypeError, ArithmeticError, LookupError) as error:
        # A table of the right form with absurd contents: dice that do not exist, numbers that are none.
        yield f"{entry.file}: cannot be checked ({type(error).__name__}: {error})"


def _fact_faults(folder: Path, entry: Entry) -> Iterator[str]:
    """Compare what a file says of itself with what the manifest says of it."""
    import polars as pl

    try:
        facts = json.loads(pl.read_parquet_metadata(regular_file(folder, entry.file))[FACTS])
    except (KeyError, ValueError):
        yield f"{entry.file}: does not say of itself what it is"
        return
    for name in ("ruleset", "name", "question", "fingerprint", "version"):
        said = facts.get(name) if isinstance(facts, dict) else None
        if said != getattr(entry, name):
            yield f"{entry.file}: {name} {said!r} in the file; the manifest says {getattr(entry, name)!r}"


def _twin_faults(folder: Path, entry: Entry, frame: polars.DataFrame) -> Iterator[str]:
    import polars as pl

    if entry.csv is None:
        return
    try:
        path = regular_file(folder, entry.csv)
        if (found := sha256_of(path)) != entry.csv_sha256:
            yield f"{entry.csv}: SHA-256 {found}; the manifest says {entry.csv_sha256}"
            return
        twin = pl.read_csv(path, schema=schema_of(entry.columns))
    except FileNotFoundError:
        yield f"{entry.csv}: missing"
    except TableError as error:
        yield str(error)
    except (OSError, pl.exceptions.PolarsError) as error:
        yield f"{entry.csv}: cannot be read ({error})"
    else:
        if not twin.equals(frame):
            yield f"{entry.csv}: does not say the same as {entry.file}"


def _fraction_faults(frame: polars.DataFrame) -> Iterator[str]:
    """Compare every exact number with the float beside it."""
    for column in frame.columns:
        if not column.endswith(NUMERATOR):
            continue
        name = column.removesuffix(NUMERATOR)
        parts = zip(frame[name], frame[column], frame[f"{name}{DENOMINATOR}"], strict=True)
        for number, (value, numerator, denominator) in enumerate(parts):
            if numerator is None and denominator is None:
                continue
            if value != float(Fraction(number_of(numerator), number_of(denominator))):
                yield f"row {number}: {name} {value} is not {numerator[:40]}/{denominator[:40]}"
