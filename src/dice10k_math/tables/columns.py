"""Columns with their units, and data frames made from rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import polars

ColumnType = Literal["integer", "float", "text", "boolean"]

NUMERATOR, DENOMINATOR = "_numerator", "_denominator"


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table.

    Attributes
    ----------
    type
        What a cell is; any may be missing.
    unit
        "points", "probability", "dice", "outcomes", "turns", "busts", or empty for a name.
    meaning
        What the column holds, in words.
    """

    name: str
    type: ColumnType
    unit: str
    meaning: str


def exact_columns(name: str, unit: str, meaning: str) -> tuple[Column, Column, Column]:
    """Return the columns of an exact number: as a float, and its numerator and denominator as text.

    Examples
    --------
    >>> [column.name for column in exact_columns("probability", "probability", "")]
    ['probability', 'probability_numerator', 'probability_denominator']
    """
    return (
        Column(name, "float", unit, meaning),
        Column(f"{name}{NUMERATOR}", "text", unit, f"exact {name}: its numerator"),
        Column(f"{name}{DENOMINATOR}", "text", "", f"exact {name}: its denominator"),
    )


def exact_cells(value: Fraction | None, near: float | None = None) -> tuple[float | None, str | None, str | None]:
    """Return the cells of an exact number; without one, only the float `near`.

    Examples
    --------
    >>> exact_cells(Fraction(1, 4))
    (0.25, '1', '4')
    """
    if value is None:
        return near, None, None
    return float(value), digits(value.numerator), digits(value.denominator)


def digits(number: int) -> str:
    """Return the digits of a number; Python's own conversion refuses more than 4,300.

    Examples
    --------
    >>> len(digits(10**5000))
    5001
    """
    from decimal import Decimal

    return str(Decimal(number)) if abs(number).bit_length() > 10_000 else str(number)


def number_of(text: str) -> int:
    """Return the number that `digits` wrote.

    Examples
    --------
    >>> number_of(digits(10**5000)) == 10**5000
    True
    """
    from decimal import Decimal

    return int(Decimal(text)) if len(text) > 3000 else int(text)


def joined(dice: Iterable[int]) -> str:
    """Return dice as text: faces or kinds with spaces between.

    Examples
    --------
    >>> joined((1, 1, 5))
    '1 1 5'
    """
    return " ".join(map(str, dice))


def dice_of(text: str) -> tuple[int, ...]:
    """Return the dice that `joined` wrote.

    Examples
    --------
    >>> dice_of("1 1 5")
    (1, 1, 5)
    """
    return tuple(map(int, text.split()))


def schema_of(columns: Sequence[Column]) -> dict[str, polars.DataType]:
    """Return the polars types of columns."""
    import polars as pl

    types = {"integer": pl.Int64(), "float": pl.Float64(), "text": pl.String(), "boolean": pl.Boolean()}
    return {column.name: types[column.type] for column in columns}


def frame_of(columns: Sequence[Column], rows: Sequence[Sequence[object]]) -> polars.DataFrame:
    """Return rows as a data frame.

    Examples
    --------
    >>> frame_of([Column("dice", "integer", "dice", "dice rolled")], [[1], [2]]).shape
    (2, 1)
    """
    import polars as pl

    schema = schema_of(columns)
    cells = list(zip(*rows, strict=True)) if rows else [()] * len(schema)
    return pl.DataFrame(
        [pl.Series(name, column, dtype) for (name, dtype), column in zip(schema.items(), cells, strict=True)]
    )
