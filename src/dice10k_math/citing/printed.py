"""A number as it stands in print, and whether it agrees with the true one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from dice10k_math.citing.questions import Number
from dice10k_math.errors import InputError

_DECIMAL = re.compile(r"-?[0-9]{1,15}(?:\.(?P<places>[0-9]{1,40}))?", re.ASCII)
_RATIO = re.compile(r"-?[0-9]{1,2000}/[0-9]{0,1999}[1-9][0-9]*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Printed:
    """A printed number.

    Attributes
    ----------
    value
        What it says.
    half_digit
        Half a unit of its last digit: how far the true number may be away; 0 for a fraction.
    """

    value: Fraction
    half_digit: Fraction

    @classmethod
    def of(cls, text: str) -> Printed:
        """Return the number that a text says, a decimal or a fraction.

        Raises
        ------
        InputError
            Text that is no number.

        Examples
        --------
        >>> Printed.of("0.25")
        Printed(value=Fraction(1, 4), half_digit=Fraction(1, 200))
        """
        if _RATIO.fullmatch(text):
            return cls(Fraction(text), Fraction(0))
        match = _DECIMAL.fullmatch(text)
        if match is None:
            raise InputError(f"value: {text[:40]!r}; allowed: a decimal such as 0.529, or a fraction such as 5/216")
        return cls(Fraction(text), Fraction(1, 2 * 10 ** len(match["places"] or "")))

    def agrees(self, number: Number) -> bool:
        """Tell whether the true number, which lies between its bounds, can round to the printed one.

        Examples
        --------
        >>> Printed.of("0.667").agrees(Number(2 / 3, 2 / 3, 2 / 3, Fraction(2, 3)))
        True
        >>> Printed.of("0.66").agrees(Number(2 / 3, 2 / 3, 2 / 3, Fraction(2, 3)))
        False
        """
        if number.exact is not None:
            return abs(number.exact - self.value) <= self.half_digit
        return Fraction(number.lower) - self.half_digit <= self.value <= Fraction(number.upper) + self.half_digit
