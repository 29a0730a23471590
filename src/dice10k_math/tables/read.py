"""Reading tables, which never runs anything that stands in them."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import TYPE_CHECKING

from dice10k_math.errors import TableError
from dice10k_math.tables.columns import schema_of
from dice10k_math.tables.files import regular_file, sha256_of
from dice10k_math.tables.manifest import Entry, read_manifest

if TYPE_CHECKING:
    import polars


def load_table(folder: str | os.PathLike[str], ruleset: str, name: str) -> polars.DataFrame:
    """Return a table from a folder that `tables build` wrote.

    Parameters
    ----------
    folder
        The folder with the manifest.
    ruleset, name
        Which table, such as "dice10k" and "odds".

    Raises
    ------
    TableError
        There is no such table, or its file is not the one that the manifest tells of.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from dice10k_math.rules import load_rules
    >>> from dice10k_math.tables.build import build_tables
    >>> from dice10k_math.tables.kinds import KINDS
    >>> with TemporaryDirectory() as folder:
    ...     _ = build_tables([load_rules("farkle")], Path(folder), kinds=KINDS[:1])
    ...     load_table(folder, "farkle", "odds").height
    6
    """
    root = Path(folder)
    manifest = read_manifest(root)
    entry = manifest.tables.get((ruleset, name))
    if entry is None:
        listed = sorted(found.name for found in manifest.tables.values() if found.ruleset == ruleset)
        allowed = ", ".join(listed) or f"no table of {ruleset!r}; rulesets: {', '.join(sorted(manifest.rulesets))}"
        raise TableError(f"{root}: no table {name!r} of {ruleset!r}; there is: {allowed}")
    return read_entry(root, entry)


def read_entry(folder: Path, entry: Entry) -> polars.DataFrame:
    """Return the table that a manifest tells of, checked against what it tells.

    Raises
    ------
    TableError
        The file is missing, changed, or no such table.
    """
    import polars as pl

    try:
        path = regular_file(folder, entry.file)
        if (found := sha256_of(path)) != entry.sha256:
            raise TableError(f"{entry.file}: SHA-256 {found}; the manifest says {entry.sha256}")
        frame = pl.read_parquet(io.BytesIO(path.read_bytes()))
    except FileNotFoundError:
        raise TableError(f"{entry.file}: missing") from None
    except (OSError, pl.exceptions.PolarsError) as error:
        raise TableError(f"{entry.file}: cannot be read ({error})") from None
    if dict(frame.schema) != schema_of(entry.columns):
        raise TableError(f"{entry.file}: its columns are not those of the manifest")
    if frame.height != entry.rows:
        raise TableError(f"{entry.file}: {frame.height} rows; the manifest says {entry.rows}")
    return frame
