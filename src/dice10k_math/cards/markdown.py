"""A card as Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from dice10k_math.cards.blocks import Paragraph, Table
from dice10k_math.cards.page import Page


def markdown(page: Page) -> str:
    """Return a page as Markdown.

    Examples
    --------
    >>> print(markdown(Page("A card", (Table(("dice", "1"), (("from", "300"),)),))))
    # A card
    <BLANKLINE>
    | dice | 1 |
    |---|---:|
    | from | 300 |
    <BLANKLINE>
    """
    return "\n".join([f"# {page.title}", "", *_lines(page)])


def _lines(page: Page) -> Iterator[str]:
    for block in page.blocks:
        if isinstance(block, Paragraph):
            yield f"## {block.text}" if block.heading else block.text
        else:
            yield from _table(block)
        yield ""


def _table(table: Table) -> Iterator[str]:
    yield _row(table.heads)
    yield f"|---|{'---:|' * (len(table.heads) - 1)}"
    yield from map(_row, table.rows)


def _row(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(cells)} |"
