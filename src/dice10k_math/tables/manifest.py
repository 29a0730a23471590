"""The manifest of a folder of tables: what each file answers, for which rules, and how to tell that it is whole."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from dice10k_math.errors import TableError
from dice10k_math.tables.columns import Column
from dice10k_math.tables.files import regular_file

MANIFEST = "manifest.json"
FACTS = "dice10k_math"
"""Key of the metadata under which a Parquet file says of itself what it is."""
FORMAT = 1
LARGEST_MANIFEST = 10_000_000

Exactness = Literal["exact", "enclosure"]

_RULESET = re.compile(r"[A-Za-z0-9-]+")
_NAME = re.compile(r"[a-z0-9_]+")
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Entry:
    """What the manifest says about one table.

    Attributes
    ----------
    fingerprint
        SHA-256 of the canonical rules text.
    widest_gap
        Greatest distance between the bounds of a value; 0 for an exact table.
    version
        Of the package that wrote the table.
    sha256, csv_sha256
        Of the Parquet file and its CSV twin; None: there is no twin.
    """

    ruleset: str
    name: str
    question: str
    fingerprint: str
    columns: tuple[Column, ...]
    rows: int
    exactness: Exactness
    widest_gap: float
    version: str
    sha256: str
    csv_sha256: str | None

    def __post_init__(self) -> None:
        for problem in _entry_problems(self):
            raise TableError(problem)

    @property
    def file(self) -> str:
        """Path of the Parquet file, from the folder of tables.

        It is made of checked names, so that a manifest cannot point outside its folder.
        """
        return f"{self.ruleset}/{self.name}.parquet"

    @property
    def csv(self) -> str | None:
        """Path of the CSV twin."""
        return None if self.csv_sha256 is None else f"{self.ruleset}/{self.name}.csv"

    @property
    def files(self) -> dict[str, str]:
        """Every file of the table with its SHA-256."""
        twin = {} if self.csv is None or self.csv_sha256 is None else {self.csv: self.csv_sha256}
        return {self.file: self.sha256, **twin}


def _entry_problems(entry: Entry) -> list[str]:
    texts = ("ruleset", "name", "question", "fingerprint", "exactness", "version", "sha256")
    wrong = [name for name in texts if not isinstance(getattr(entry, name), str)]
    if wrong:
        return [f"{name}: {getattr(entry, name)!r}; allowed: text" for name in wrong]
    problems = []
    patterns = {"ruleset": _RULESET, "name": _NAME, "fingerprint": _SHA256, "sha256": _SHA256}
    for key, pattern in patterns.items():
        if not pattern.fullmatch(getattr(entry, key)):
            problems.append(f"{key}: {getattr(entry, key)!r}; allowed: {pattern.pattern}")
    twin = entry.csv_sha256
    if twin is not None and not (isinstance(twin, str) and _SHA256.fullmatch(twin)):
        problems.append(f"csv_sha256: {twin!r}; allowed: {_SHA256.pattern} or null")
    if type(entry.rows) is not int or entry.rows < 0:
        problems.append(f"rows: {entry.rows!r}; allowed: a whole number from 0")
    if type(entry.widest_gap) not in {int, float} or not 0 <= entry.widest_gap < float("inf"):
        problems.append(f"widest_gap: {entry.widest_gap!r}; allowed: a number from 0")
    elif entry.exactness != ("enclosure" if entry.widest_gap else "exact"):
        problems.append(f"exactness: {entry.exactness!r} with a widest gap of {entry.widest_gap}")
    return problems


@dataclass(frozen=True, slots=True)
class Manifest:
    """What lies in a folder of tables.

    Attributes
    ----------
    rulesets
        Name of each ruleset to its canonical rules text, so that a table can be recomputed wherever it has gone.
    tables
        Ruleset and name of each table to what there is to say about it.
    """

    rulesets: Mapping[str, str] = field(default_factory=dict)
    tables: Mapping[tuple[str, str], Entry] = field(default_factory=dict)

    def to_json(self) -> str:
        """Return the text of the manifest: the same for the same tables, in whatever order they were built.

        Examples
        --------
        >>> Manifest.from_json(Manifest().to_json()) == Manifest()
        True
        """
        data = {
            "format": FORMAT,
            "package": "dice10k-math",
            "rulesets": {name: self.rulesets[name] for name in sorted(self.rulesets)},
            "tables": [_entry_data(self.tables[key]) for key in sorted(self.tables)],
        }
        return json.dumps(data, indent=1, ensure_ascii=False) + "\n"

    @staticmethod
    def from_json(text: str) -> Manifest:
        """Read the text of a manifest.

        Raises
        ------
        TableError
            Text that is no manifest: what in it, and what is allowed.
        """
        try:
            data = json.loads(text, parse_constant=_refuse_constant)
        except (ValueError, RecursionError) as error:
            raise TableError(f"{MANIFEST}: not JSON ({error})") from None
        if not isinstance(data, dict) or data.get("format") != FORMAT or data.get("package") != "dice10k-math":
            raise TableError(f"{MANIFEST}: no manifest of tables; allowed: format {FORMAT} of package dice10k-math")
        rulesets, tables = data.get("rulesets"), data.get("tables")
        if not isinstance(rulesets, dict) or not all(isinstance(rules, str) for rules in rulesets.values()):
            raise TableError(f"{MANIFEST}: rulesets; allowed: names with rules texts")
        if not isinstance(tables, list):
            raise TableError(f"{MANIFEST}: tables; allowed: a list")
        entries = [_entry_of(number, table) for number, table in enumerate(tables)]
        keyed = {(entry.ruleset, entry.name): entry for entry in entries}
        if len(keyed) != len(entries):
            raise TableError(f"{MANIFEST}: tables: one is listed twice")
        return Manifest(rulesets, keyed)


def _refuse_constant(constant: str) -> None:
    raise ValueError(f"{constant} is no number")


def _entry_data(entry: Entry) -> dict[str, Any]:
    data = asdict(entry)
    return {"file": entry.file, "csv": entry.csv, **data}


def _entry_of(number: int, data: object) -> Entry:
    where = f"{MANIFEST}: tables[{number}]"
    if not isinstance(data, dict):
        raise TableError(f"{where}: {data!r}; allowed: the entry of a table")
    names = set(Entry.__dataclass_fields__)
    if set(data) != names | {"file", "csv"}:
        wrong = sorted(set(data) ^ (names | {"file", "csv"}))
        raise TableError(f"{where}: keys missing or unknown: {', '.join(wrong)}")
    try:
        columns = tuple(Column(**column) for column in data["columns"])
        entry = Entry(**{name: data[name] for name in names - {"columns"}}, columns=columns)
    except (TypeError, TableError) as error:
        raise TableError(f"{where}: {error}") from None
    if (data["file"], data["csv"]) != (entry.file, entry.csv):
        raise TableError(f"{where}: files {data['file']!r}, {data['csv']!r}; allowed: {entry.file!r}, {entry.csv!r}")
    return entry


def read_manifest(folder: Path) -> Manifest:
    """Return the manifest of a folder of tables.

    Raises
    ------
    TableError
        There is none, or it is damaged.
    """
    path = folder / MANIFEST
    try:
        if regular_file(folder, MANIFEST).stat().st_size > LARGEST_MANIFEST:
            raise TableError(f"{path}: more than {LARGEST_MANIFEST:,} bytes")
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise TableError(f"{path}: missing; allowed: a folder that `tables build` wrote") from None
    except (OSError, UnicodeDecodeError) as error:
        raise TableError(f"{path}: cannot be read ({error})") from None
    return Manifest.from_json(text)
