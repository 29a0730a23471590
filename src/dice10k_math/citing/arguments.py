"""The arguments of a question: words "name=value", read and written in one way only."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from dice10k_math.errors import InputError

Value = int | bool | tuple[int, ...] | None
Kind = Literal["number", "faces", "yes or no"]

MOST_DIGITS = 10
_NUMBER = re.compile(r"-?[0-9]+", re.ASCII)
_FACES = re.compile(r"[1-6]{1,6}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a question.

    Attributes
    ----------
    default
        What it is when it is left out; None stands for "as the rest says".
    needed
        Whether it may not be left out.
    """

    name: str
    kind: Kind = "number"
    default: Value = None
    needed: bool = False


def read_arguments(allowed: tuple[Argument, ...], words: Iterable[str]) -> dict[str, Value]:
    """Return the value of every argument of a question.

    Raises
    ------
    InputError
        A word that is no argument, an argument given twice or missing, or a value that cannot be.

    Examples
    --------
    >>> read_arguments((Argument("score", default=0), Argument("hand", "faces")), ["hand=125"])
    {'score': 0, 'hand': (1, 2, 5)}
    """
    known = {argument.name: argument for argument in allowed}
    given: dict[str, Value] = {}
    for word in words:
        name, equals, text = word.strip().partition("=")
        if not equals or name not in known:
            names = ", ".join(f"{one}=..." for one in known) or "no argument"
            raise InputError(f"argument: {word.strip()!r}; allowed: {names}")
        if name in given:
            raise InputError(f"argument: {name} is given twice; allowed: once")
        given[name] = _READ[known[name].kind](name, text)
    missing = [argument.name for argument in allowed if argument.needed and argument.name not in given]
    if missing:
        raise InputError(f"argument: {missing[0]} is missing; allowed: {missing[0]}=...")
    return {argument.name: given.get(argument.name, argument.default) for argument in allowed}


def write_arguments(allowed: tuple[Argument, ...], values: Mapping[str, Value]) -> tuple[str, ...]:
    """Return the arguments as words, those at their defaults left out.

    Examples
    --------
    >>> write_arguments((Argument("score", default=0), Argument("hand", "faces")), {"score": 0, "hand": (1, 2, 5)})
    ('hand=125',)
    """
    return tuple(
        f"{argument.name}={_written(values[argument.name])}"
        for argument in allowed
        if argument.needed or values[argument.name] != argument.default
    )


def _written(value: Value) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return "".join(map(str, value))
    return str(value)


def _number(name: str, text: str) -> int:
    if not _NUMBER.fullmatch(text) or len(text) > MOST_DIGITS:
        raise InputError(f"{name}: {text[:40]!r}; allowed: a whole number of at most {MOST_DIGITS} digits")
    return int(text)


def _faces(name: str, text: str) -> tuple[int, ...]:
    if not _FACES.fullmatch(text):
        raise InputError(f"{name}: {text[:40]!r}; allowed: the spicy faces of one to six dice, such as 125")
    return tuple(sorted(map(int, text)))


def _flag(name: str, text: str) -> bool:
    if text not in {"yes", "no"}:
        raise InputError(f"{name}: {text[:40]!r}; allowed: yes or no")
    return text == "yes"


_READ: dict[Kind, Callable[[str, str], Value]] = {"number": _number, "faces": _faces, "yes or no": _flag}
