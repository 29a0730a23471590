"""Kinds of values on the command line, which say what is allowed when they refuse one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

MOST_DIGITS = 18
LONGEST_VALUE = 60

_WHOLE = re.compile(r"[+-]?[0-9]+")


class Whole(click.ParamType):  # type: ignore[type-arg] # generic in newer versions only
    """Whole numbers, perhaps within bounds.

    Examples
    --------
    >>> Whole(0, 30).convert("12", None, None)
    12
    """

    name = "integer"

    def __init__(self, least: int | None = None, most: int | None = None) -> None:
        self.least, self.most = least, most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number that a text names."""
        if isinstance(value, int):
            return value
        text = str(value).strip()
        number = int(text) if _WHOLE.fullmatch(text) and len(text) <= MOST_DIGITS else None
        low, high = self.least, self.most
        if number is None or (low is not None and number < low) or (high is not None and number > high):
            shown = text if _WHOLE.fullmatch(text) else repr(value)
            self.fail(f"{shortened(shown)}; allowed: {self._allowed()}", param, ctx)
        return number

    def _allowed(self) -> str:
        if self.most is not None:
            return f"a whole number from {self.least or 0} to {self.most}"
        return f"a whole number such as 10000, of at most {MOST_DIGITS} digits"


class OneOf(click.Choice):  # type: ignore[type-arg] # the same
    """One of a few words.

    Examples
    --------
    >>> OneOf(["win", "points"]).convert("win", None, None)
    'win'
    """

    def __init__(self, words: Sequence[str]) -> None:
        super().__init__(words)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the word."""
        if value not in self.choices:
            self.fail(f"{shortened(repr(value))}; allowed: {', '.join(self.choices)}", param, ctx)
        return str(value)


class FilePath(click.ParamType):  # type: ignore[type-arg] # the same
    """The path of a file or a folder; the empty one, which would stand for the current folder, is none.

    Examples
    --------
    >>> FilePath().convert("tables", None, None).name
    'tables'
    """

    name = "path"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """Return the path."""
        if not str(value):
            self.fail("''; allowed: a path", param, ctx)
        return Path(value)


def shortened(text: str) -> str:
    """Return a text, or its beginning where it is long.

    Examples
    --------
    >>> shortened("'x'")
    "'x'"
    """
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}..."
