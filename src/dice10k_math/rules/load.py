"""Finding a ruleset: a built-in one by its name, any other by the path of its file."""

from __future__ import annotations

import os
import stat
from functools import cache
from importlib.resources import files
from pathlib import Path

from dice10k_math.errors import RulesError
from dice10k_math.rules.model import Ruleset
from dice10k_math.rules.parse import LARGEST_TEXT, parse_rules

SUFFIX = ".toml"
LONGEST_PATH = 1_000


def load_rules(name_or_path: str | os.PathLike[str]) -> Ruleset:
    """Return a ruleset, given the name of a built-in one or the path of a rules file.

    A string is a path if it has a path separator or ends in ``.toml``;
    otherwise the built-in names are looked up first.

    Raises
    ------
    RulesError
        If there is no such ruleset or file, or the file describes no possible game.

    Examples
    --------
    >>> load_rules("dice10k").ending.target
    10000
    """
    if isinstance(name_or_path, str) and name_or_path in builtin_rulesets():
        return _load_builtin(name_or_path)
    path = os.fspath(name_or_path)
    if not isinstance(path, str):
        raise RulesError(f"{path!r}; allowed: a name or a path as text")
    return _load_file(path, is_path=_is_path(name_or_path))


def builtin_rulesets() -> tuple[str, ...]:
    """Return the names of the built-in rulesets, in alphabetical order.

    Examples
    --------
    >>> builtin_rulesets()[:2]
    ('des-10000', 'dice10k')
    """
    return _builtin_names()


@cache
def _builtin_names() -> tuple[str, ...]:
    entries = (files(__package__) / "builtin").iterdir()
    return tuple(sorted(entry.name[: -len(SUFFIX)] for entry in entries if entry.name.endswith(SUFFIX)))


@cache
def _load_builtin(name: str) -> Ruleset:
    file = files(__package__) / "builtin" / f"{name}{SUFFIX}"
    return parse_rules(file.read_text(encoding="utf-8"), where=f"{name}{SUFFIX}")


def _is_path(given: str | os.PathLike[str]) -> bool:
    return not isinstance(given, str) or given.endswith(SUFFIX) or os.sep in given or "/" in given


def _load_file(path: str, *, is_path: bool) -> Ruleset:
    where = path if path.isprintable() and path else ascii(path)
    if len(where) > LONGEST_PATH:
        where = f"{where[:LONGEST_PATH]}..."
    try:
        data = _read(path, where)
    except FileNotFoundError:
        raise RulesError(f"{where}: {_not_found(is_path=is_path)}") from None
    except (OSError, ValueError) as error:
        if isinstance(error, RulesError):
            raise
        reason = getattr(error, "strerror", None) or str(error)
        raise RulesError(f"{where}: cannot be read ({reason}); allowed: a readable rules file") from None
    return parse_rules(_decode(data, where), where)


def _not_found(*, is_path: bool) -> str:
    if is_path:
        return "no such file; allowed: a rules file that exists"
    return f"no such ruleset or file; allowed: {', '.join(builtin_rulesets())}, or the path of a rules file"


def _read(path: str, where: str) -> bytes:
    """Return what is in the file, judging by its entry whether reading it can end."""
    if not path:
        # pathlib would take it for the current folder.
        raise FileNotFoundError
    entry = Path(path).stat()
    if stat.S_ISDIR(entry.st_mode):
        raise RulesError(f"{where}: a directory; allowed: a rules file")
    if not stat.S_ISREG(entry.st_mode):
        raise RulesError(f"{where}: not an ordinary file; allowed: a rules file")
    if entry.st_size > LARGEST_TEXT:
        raise RulesError(f"{where}: {entry.st_size:,} bytes; allowed: a rules file of at most {LARGEST_TEXT:,}")
    with Path(path).open("rb") as file:
        return file.read(LARGEST_TEXT + 1)


def _decode(data: bytes, where: str) -> str:
    try:
        # Some editors begin a file with a byte order mark.
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RulesError(f"{where}: not UTF-8 text (byte {error.start:,}); allowed: a rules file in UTF-8") from None
