"""The sentences of the documentation that state a figure, with the figure recomputed.

Each function yields the sentences of one page, or parts of them, exactly as the page has them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import dice10k_math as d10

Sentences = Callable[[], Iterator[str]]
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


@of("explanation/number-types.md")
def number_types() -> Iterator[str]:
    odds = d10.bust_odds(d10.load_rules("farkle"))
    yield f"{odds.numerator}/{odds.denominator}"
