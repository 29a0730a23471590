"""The few exceptions of the package, each a child of a built-in one."""

from __future__ import annotations

from numbers import Integral


class Dice10kError(Exception):
    """Base of every error that the package raises on purpose."""


class RulesError(Dice10kError, ValueError):
    """A rules file or ruleset that says something impossible.

    The message names the file, the key, the value and what is allowed.
    """


class InputError(Dice10kError, ValueError):
    """An argument (a roll, a score, a number of dice) that the rules do not allow."""


class TableError(Dice10kError, ValueError):
    """A table on disk that is missing, damaged or does not hold what its manifest says."""


class NotConvergedError(Dice10kError, ArithmeticError):
    """A solver that stopped before its bounds were as close as asked."""


def check_whole(name: str, *values: object) -> None:
    """Refuse what is no whole number: a float, a text, None.

    Raises
    ------
    InputError
        The message has the name of the argument.

    Examples
    --------
    >>> check_whole("score", 500)
    """
    for value in values:
        if not isinstance(value, Integral):
            raise InputError(f"{name}: {value!r}; allowed: a whole number")
