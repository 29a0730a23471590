"""Checks of single values, and how what they find is put into words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from dice10k_math.errors import RulesError

#: No amount of points may be larger; products of two amounts still fit in 64 bits.
MOST_POINTS = 1_000_000
LONGEST_SHOWN = 60
BARE_KEY = re.compile(r"[A-Za-z0-9_.\[\]-]+")


class _Missing:
    """Stands for a value that was not given."""


MISSING = _Missing()


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with a ruleset: its key in a rules file, its value, what is allowed."""

    key: str
    value: object
    allowed: str
    fault: str = "is not possible"

    def __str__(self) -> str:
        if self.value is MISSING:
            return f"{shown_key(self.key)} is missing; allowed: {self.allowed}"
        return f"{shown_key(self.key)} = {shown(self.value)} {self.fault}; allowed: {self.allowed}"


class RefusedError(RulesError):
    """A part of a ruleset with its problems, so that a reader of files can gather them all."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__(*problems)
        self.problems = problems

    def __str__(self) -> str:
        return "\n".join(str(problem) for problem in self.problems)


def refuse(problems: Iterable[Problem]) -> None:
    """Raise `RefusedError` if there is any problem."""
    found = tuple(problems)
    if found:
        raise RefusedError(*found)


def shown(value: object) -> str:
    """Return the value on one short line, in the words of TOML where it has them."""
    try:
        text = json.dumps(value)
    except (TypeError, ValueError, RecursionError):
        text = _shown_as_python(value)
    return shorten(text)


def _shown_as_python(value: object) -> str:
    # A number of thousands of digits has no decimal text: Python refuses to make one.
    try:
        return ascii(value)
    except (ValueError, RecursionError):
        return f"a very large {type(value).__name__}"


def shown_key(key: str) -> str:
    """Return a dotted key as it is, or quoted where it would break the line."""
    return shorten(key if BARE_KEY.fullmatch(key) else json.dumps(key))


def shorten(text: str, longest: int = LONGEST_SHOWN) -> str:
    """Return the text cut to what fits in a message."""
    return text if len(text) <= longest else text[: longest - 3] + "..."


def whole(key: str, value: object, least: int, most: int) -> Iterator[Problem]:
    """Find a value that is no whole number from `least` to `most`; True and False are none."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        yield Problem(key, value, f"a whole number from {least:,} to {most:,}")


def positive(key: str, value: object) -> Iterator[Problem]:
    """Find a value that is no positive amount of points."""
    return whole(key, value, 1, MOST_POINTS)


def whole_numbers(key: str, value: object, count: int, least: int, most: int) -> Iterator[Problem]:
    """Find a value that is no tuple of `count` whole numbers from `least` to `most`."""
    allowed = f"{count} whole numbers from {least:,} to {most:,}"
    if not isinstance(value, tuple) or len(value) != count:
        yield Problem(key, value, allowed)
        return
    for place, number in enumerate(value):
        yield from whole(f"{key}[{place}]", number, least, most)


def word(key: str, value: object, allowed: tuple[str, ...]) -> Iterator[Problem]:
    """Find a value that is none of the allowed words."""
    if not (isinstance(value, str) and value in allowed):
        yield Problem(key, value, one_of(allowed))


def one_of(words: tuple[str, ...]) -> str:
    """Return the words as a list in a sentence.

    Examples
    --------
    >>> one_of(("shared", "extra_rounds"))
    '"shared" or "extra_rounds"'
    """
    quoted = [f'"{word}"' for word in words]
    return " or ".join([", ".join(quoted[:-1]), quoted[-1]] if len(quoted) > 1 else quoted)


def instance(key: str, value: object, kinds: type | tuple[type, ...], allowed: str) -> Iterator[Problem]:
    """Find a value that is not of the type a part of a ruleset must have."""
    if not isinstance(value, kinds):
        yield Problem(key, value, allowed)
