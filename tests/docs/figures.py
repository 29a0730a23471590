"""The sentences of the documentation that state a figure, with the figure recomputed.

Each function yields the sentences of one page, or parts of them, exactly as the page has them.
"""

from __future__ import annotations

import csv
import itertools
import re
from collections.abc import Callable, Iterator
from functools import lru_cache

import dice10k_math as d10
from dice10k_math.questions.match import MatchSolution
from tests.docs.pages import DOCS, source

Sentences = Callable[[], Iterator[str]]
TABLES = DOCS.parent / "tables"
PAGES: dict[str, list[Sentences]] = {}


def of(page: str) -> Callable[[Sentences], Sentences]:
    """Register a function for the sentences of a page."""

    def register(function: Sentences) -> Sentences:
        PAGES.setdefault(page, []).append(function)
        return function

    return register


def sentences(page: str) -> Iterator[str]:
    """Yield the recomputed sentences of a page."""
    for function in PAGES.get(page, []):
        yield from function()


@lru_cache
def match(name: str) -> MatchSolution:
    """Return the solved match of a built-in game, from its table."""
    return d10.load_match(TABLES, d10.load_rules(name))


@of("explanation/fewer-points.md")
def fewer_points() -> Iterator[str]:
    best, *_ = match("des-10000").advise(9000, 9900, 900, (1, 5, 2, 3))
    (kept,) = best.keep
    yield f"Keep the {kept} alone and {best.then} at {9000 + 900 + best.points:,}."


@of("how-to/read-a-table.md")
def spreadsheet() -> Iterator[str]:
    with (TABLES / "farkle" / "turn.csv").open(encoding="utf-8", newline="") as file:
        heads, *rows = csv.reader(file)
    yield "column A is the {}, B the {}, C the {} and F the worth of {}ing on".format(
        *(heads[column].replace("_", " ") for column in (0, 1, 2, 5))
    )
    formula = re.search(r"=SUMIFS\((.+)\)", source("how-to/read-a-table.md"))
    assert formula
    summed, *conditions = (part.strip().strip('"') for part in formula[1].split(","))
    wanted = [
        (ord(column[0]) - ord("A"), value) for column, value in zip(conditions[::2], conditions[1::2], strict=True)
    ]
    found = [row for row in rows if all(row[column] == value for column, value in wanted)]
    assert len(found) == 1
    yield f"gives {float(found[0][ord(summed[0]) - ord('A')]):.2f} points, against {float(found[0][4]):.0f} for banking."


@of("reference/tables.md")
def assignments_of_spicy_faces() -> Iterator[str]:
    ways = {tuple(sorted(faces)) for faces in itertools.product(range(1, 7), repeat=6)}
    with (TABLES / "farkle-spicy" / "spicy_faces.csv").open(encoding="utf-8", newline="") as file:
        assert sorted(tuple(map(int, row["faces"].split())) for row in csv.DictReader(file)) == sorted(ways)
    yield f"It has a row for each of the {len(ways)} ways to give six dice spicy faces"
