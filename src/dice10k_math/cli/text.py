"""Text for people: aligned columns and rounded numbers, at most 80 characters wide on any terminal and in any pipe."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from dice10k_math.rules.model import Ruleset

GAP = "  "


def columns(heads: Sequence[str], rows: Iterable[Sequence[str]], left: Iterable[int] = ()) -> str:
    """Return aligned columns under their heads: right-aligned, but for the columns `left`.

    Examples
    --------
    >>> print(columns(["dice", "keep"], [["1", "1 5"], ["10", "5"]], left=[1]))
    dice  keep
    ----  ----
       1  1 5
      10  5
    """
    lines = [list(heads), *map(list, rows)]
    widths = [max(len(line[number]) for line in lines) for number in range(len(heads))]
    lines.insert(1, ["-" * width for width in widths])
    flush = set(left)
    return "\n".join(
        GAP.join(
            cell.ljust(width) if number in flush else cell.rjust(width)
            for number, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def pairs(items: Iterable[tuple[str, str]]) -> str:
    """Return names with what they are, one to a line.

    Examples
    --------
    >>> print(pairs([("bust", "2.3%"), ("hot dice", "7.9%")]))
    bust      2.3%
    hot dice  7.9%
    """
    listed = list(items)
    width = max(len(name) for name, _ in listed)
    return "\n".join(f"{name.ljust(width)}{GAP}{value}" for name, value in listed)


def heading(rules: Ruleset, subject: str) -> str:
    """Return the line above an answer."""
    return f"{rules.title} ({rules.name}): {subject}"


def percent(probability: Fraction | float) -> str:
    """Return a probability in percent.

    Examples
    --------
    >>> percent(Fraction(5, 216)), percent(1e-9), percent(0)
    ('2.315%', '<0.001%', '0.000%')
    """
    if 0 < probability < Fraction(1, 200_000):
        return "<0.001%"
    return f"{100 * float(probability):.3f}%"


def one_in(probability: Fraction | float) -> str:
    """Return how many tries it takes on average; '-': for ever.

    Examples
    --------
    >>> one_in(Fraction(5, 216)), one_in(Fraction(1, 46656)), one_in(0)
    ('43.2', '46,656', '-')
    """
    if not probability:
        return "-"
    tries = 1 / probability
    return f"{float(tries):.1f}" if tries < 1000 else f"{float(tries):,.0f}"


def ratio(value: Fraction) -> str:
    """Return a fraction as 'p/q', however long.

    Examples
    --------
    >>> ratio(Fraction(5, 216)), ratio(Fraction(25))
    ('5/216', '25/1')
    """
    return f"{digits(value.numerator)}/{digits(value.denominator)}"


def digits(number: int) -> str:
    """Return the digits of a number; Python's own conversion refuses more than 4,300.

    Examples
    --------
    >>> len(digits(10**5000))
    5001
    """
    from decimal import Decimal

    return str(Decimal(number)) if abs(number).bit_length() > 10_000 else str(number)


def faces(dice: Iterable[int]) -> str:
    """Return dice as people write them.

    Examples
    --------
    >>> faces((1, 1, 5))
    '1 1 5'
    """
    return " ".join(map(str, dice))


def certain(lower: float, upper: float) -> str:
    """Return the number between two bounds, with the digits that both agree on, at most twelve decimal places.

    Examples
    --------
    >>> certain(0.52914839865, 0.52914839874)
    '0.529148399'
    >>> certain(300, 300), certain(2 / 3, 2 / 3)
    ('300', '0.666666666667')
    """
    for places in range(12, 0, -1):
        low, high = f"{lower:.{places}f}", f"{upper:.{places}f}"
        if low == high:
            return low.rstrip("0").rstrip(".") if float(low).is_integer() else low
    return f"{(lower + upper) / 2:.0f}"
