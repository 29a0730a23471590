"""Parts of a page: paragraphs and tables."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A line of text, perhaps the heading of a section."""

    text: str
    heading: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A small table."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


Block = Paragraph | Table
