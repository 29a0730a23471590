"""Computes the figures of the tables in `docs/rules/`: `python -m tests.docs.fill_rulings [--slow] NAME...`.

Without `--slow` those of matches are left as they are; with it, games in which scores can fall take minutes.
"""

from __future__ import annotations

import sys

from tests.docs.pages import DOCS, source
from tests.docs.rulings import changes, computed


def line(cells: list[str]) -> str:
    """Return the line of a table that holds these cells."""
    return f"| {' | '.join(cells)} |"


def fill(name: str, *, slow: bool) -> None:
    """Fill in the table of one game."""
    page = f"rules/{name}.md"
    heads, *rows = changes(page)
    for row in rows:
        text = source(page)
        (DOCS / page).write_text(text.replace(line(row), line(computed(name, heads, row, slow=slow))), encoding="utf-8")


if __name__ == "__main__":
    for given in [word for word in sys.argv[1:] if word != "--slow"]:
        fill(given, slow="--slow" in sys.argv)
