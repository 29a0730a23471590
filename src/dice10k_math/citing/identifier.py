"""The identifier of a result: package version, ruleset with fingerprint, question, arguments.

    dice10k-math:0.1.0:farkle:e317c3fb1b2a:match:score=4200,opponent=7000

Arguments at their defaults are left out, so that one result has one identifier, also when a later version adds an
argument.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from dice10k_math.errors import InputError

PACKAGE = "dice10k-math"
FINGERPRINT_DIGITS = 12
"""How much of the fingerprint an identifier shows: 48 bits, enough to tell any two rules files apart."""

_FORM = re.compile(
    rf"{PACKAGE}:(?P<version>[0-9A-Za-z.+!-]{{1,40}}):(?P<ruleset>[A-Za-z0-9-]{{1,100}})"
    rf":(?P<fingerprint>[0-9a-f]{{{FINGERPRINT_DIGITS}}}):(?P<question>[a-z-]{{1,40}})(?::(?P<arguments>.{{1,400}}))?",
    re.ASCII,
)
EXAMPLE = f"{PACKAGE}:VERSION:RULESET:FINGERPRINT:QUESTION:NAME=VALUE,..."


@dataclass(frozen=True, slots=True)
class Identifier:
    """What an identifier says.

    Attributes
    ----------
    version
        Of the package that gave the number.
    ruleset
        Name of the ruleset.
    fingerprint
        The first digits of the rules' fingerprint.
    question, arguments
        What was asked; the arguments as words "name=value".
    """

    version: str
    ruleset: str
    fingerprint: str
    question: str
    arguments: tuple[str, ...] = ()

    def __str__(self) -> str:
        parts = [PACKAGE, self.version, self.ruleset, self.fingerprint, self.question]
        return ":".join([*parts, ",".join(self.arguments)] if self.arguments else parts)


def parse_identifier(text: str) -> Identifier:
    """Return what an identifier says.

    Raises
    ------
    InputError
        Text that is no identifier.

    Examples
    --------
    >>> found = parse_identifier("dice10k-math:0.1.0:farkle:e317c3fb1b2a:match:score=4200,opponent=7000")
    >>> found.question, found.arguments
    ('match', ('score=4200', 'opponent=7000'))
    >>> str(found)
    'dice10k-math:0.1.0:farkle:e317c3fb1b2a:match:score=4200,opponent=7000'
    """
    match = _FORM.fullmatch(text.strip())
    if match is None:
        raise InputError(f"identifier: {_short(text)!r}; allowed: {EXAMPLE}")
    words = match["arguments"]
    return Identifier(
        match["version"],
        match["ruleset"],
        match["fingerprint"],
        match["question"],
        () if words is None else tuple(words.split(",")),
    )


def _short(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:77]}..."
