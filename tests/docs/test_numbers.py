"""No page states a number that nothing recomputes.

A number of three significant digits or more in prose must be

* in a sentence that `figures.py` recomputes, word for word, or
* in an executed block of the same page, or
* quoted from a rule text, on the page of a game, or
* no figure at all: a year, a version, a reference (`NO_FIGURES`).

The figures of changed rules are left to the test of their own.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

import pytest

from tests.docs import figures
from tests.docs.pages import PAGES, blocks, numbers, prose, source, tables
from tests.docs.rulings import changes

MOST_DIGITS = 2

NO_FIGURES = (
    r"\b(?:19|20)\d\d\b(?=[),;.]| to )",  # years of papers
    r"10\.\d{4}/\S+",  # DOI
    r"Python 3\.\d+",
    r"SHA-256",
    r"ISO[- ]\d+",
    r"LNCS \d+",
    r"such as `125`",  # spicy faces in an identifier
)
CHECKED_ELSEWHERE = {"published.md", "results/", "teaching/"}
"""Pages that are made from the tables, and compared with what makes them."""


MEASURED = {
    "reference/growth.md": "Written by benchmarks/bench_growth.py --write",
    "reference/growth-three.md": "Written by benchmarks/bench_three.py --write",
}
"""Pages whose tables hold times and memory that a benchmark measured, and by what words the page says so.

No test can compute them again, as they differ by machine; so only the rows are exempt, and only of a generated page.
"""


def is_checked_elsewhere(page: str) -> bool:
    return any(page.startswith(start) for start in CHECKED_ELSEWHERE)


HERE = [page for page in PAGES if not is_checked_elsewhere(page)]


@lru_cache
def executed(page: str) -> frozenset[str]:
    """Return the numbers in the executed blocks of a page, without thousands separators."""
    text = " ".join(block.text for block in blocks(page) if not block.kind.startswith("{"))
    return frozenset(found.text.replace(",", "") for found in numbers(text.replace("_", "")))


def measured_aside(page: str) -> str:
    """Return the prose of a page, without the rows that a benchmark measured."""
    text = prose(page)
    if page not in MEASURED:
        return text
    for row in (row for table in tables(page) for row in table[1:]):
        text = text.replace(f"| {' | '.join(row)} |", "…")
    return text


def without(text: str, patterns: tuple[str, ...]) -> str:
    for pattern in patterns:
        text = re.sub(pattern, "…", text)
    return text


def by_others(page: str, text: str) -> str:
    """Return the text without what a rule text says, and without the rows that `test_rulings.py` recomputes."""
    if not page.startswith("rules/"):
        return text
    for row in changes(page):
        text = text.replace(f"| {' | '.join(row)} |", "…")
    return without(text, (r'"[^"|]*"',))


def unexplained(page: str, sentences: tuple[str, ...]) -> list[str]:
    text = measured_aside(page)
    for sentence in sentences:
        text = text.replace(sentence, "…")
    text = without(by_others(page, text), NO_FIGURES)
    return [
        f"{number.text} in: {text[max(0, number.start - 60) : number.start + 40]}"
        for number in numbers(text)
        if len(number.digits) > MOST_DIGITS and number.text.replace(",", "") not in executed(page)
    ]


@pytest.mark.parametrize("page", HERE)
def test_every_number_in_prose_is_recomputed(page: str) -> None:
    sentences = tuple(figures.sentences(page))
    assert not unexplained(page, sentences)


@pytest.mark.parametrize("page", sorted(figures.PAGES))
def test_every_recomputed_sentence_stands_on_its_page(page: str) -> None:
    text = prose(page)
    missing = [sentence for sentence in figures.sentences(page) if sentence not in text]
    assert not missing


@pytest.mark.parametrize("page", sorted(MEASURED))
def test_a_measured_page_is_generated_and_says_that_it_is_measured(page: str) -> None:
    text = source(page)
    assert MEASURED[page] in text
    assert "Measured, not promised" in text


def test_a_number_typed_by_hand_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    typed: Callable[[str], str] = lambda _page: "The best turn is worth 534.3 points, 16,400 or 10,000."  # noqa: E731 - typed by hand on purpose
    monkeypatch.setitem(unexplained.__globals__, "prose", typed)
    monkeypatch.setitem(unexplained.__globals__, "executed", lambda _page: frozenset[str]())
    found = unexplained("index.md", ())
    assert [line.split(" in:")[0] for line in found] == ["534.3", "16,400"]
    assert not unexplained("index.md", ("The best turn is worth 534.3 points, 16,400 or 10,000.",))
