"""Words and numbers of the pages, and where they come from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any

import dice10k_math as d10
from dice10k_math.citing.lookup import cite
from dice10k_math.questions.match import MatchSolution
from dice10k_math.questions.turn import TurnSolution
from dice10k_math.rules import Ruleset
from dice10k_math.tables.match import holds_match
from dice10k_math.tables.read import load_table

DOCS = Path(__file__).parents[1]
TABLES = DOCS.parent / "tables"
GAMES = (
    "dice10k",
    "farkle",
    "farkle-spicy",
    "farkle-high-stakes",
    "farkle-spicy-high-stakes",
    "dix-mille",
    "des-10000",
)
SAME_TURNS = {"farkle-high-stakes": "farkle", "farkle-spicy-high-stakes": "farkle-spicy"}
"""Games whose turns from nothing are those of another."""

Rows = list[dict[str, Any]]


@lru_cache
def rules_of(game: str) -> Ruleset:
    return d10.load_rules(game)


@lru_cache(maxsize=64)
def table(game: str, name: str) -> Rows:
    """Return the rows of a table."""
    return load_table(TABLES, game, name).to_dicts()


@lru_cache
def match_of(game: str) -> MatchSolution | None:
    """Return the solved match of a game from the tables; None: they do not hold it."""
    rules = rules_of(game)
    return d10.load_match(TABLES, rules) if holds_match(TABLES, rules) else None


@lru_cache(maxsize=64)
def turn_of(game: str, score: int) -> TurnSolution:
    return d10.solve_turn(rules_of(game), score, exact=False)


def number(value: float | Fraction, places: int = 0) -> str:
    """Return a number with commas."""
    return f"{float(value):,.{places}f}"


def percent(value: float | Fraction, places: int = 2) -> str:
    """Return a probability in percent; nothing that is possible is 0, nor certain what is not."""
    least = Fraction(1, 2 * 10 ** (places + 2))
    if 0 < value < least:
        return f"under {10.0**-places:.{places}f}{SPACE}%"
    if 1 - least <= value < 1:
        return f"over {100 - 10.0**-places:.{places}f}{SPACE}%"
    return f"{100 * float(value):.{places}f}{SPACE}%"


def signed(value: float, places: int = 2) -> str:
    """Return a difference with its sign; a difference of nothing has none."""
    text = f"{value:+,.{places}f}"
    return text[1:] if float(text.replace(",", "")) == 0 else text.replace("-", "−")


def one_in(value: float | Fraction) -> str:
    if not value:
        return "never"
    tries = 1 / float(value)
    return f"1 in {tries:,.1f}" if tries < 1000 else f"1 in {tries:,.0f}"


def grid(heads: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> str:
    """Return a table in Markdown, the first columns to the left and the others to the right."""
    lines = [heads, [*["---"] * left, *["---:"] * (len(heads) - left)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


_SENTENCE_END = re.compile(r"(?<=[a-z0-9)%`\]]\.) (?=[A-Z`])")


def page(*parts: str) -> str:
    """Return a page made of its parts, prose with a line for each sentence."""
    return "\n\n".join(_sentences(part.strip("\n")) for part in parts if part) + "\n"


def _sentences(part: str) -> str:
    return part if part.startswith(("#", "|", "-", "!", "`", "<")) else _SENTENCE_END.sub("\n", part)


def identifier(game: str, question: str, *arguments: str) -> str:
    """Return how to cite a number."""
    return f"`{cite(rules_of(game), question, arguments, tables=TABLES).identifier}`"


def picture(game: str, kind: str, alt: str) -> str:
    return f"![{alt}](pictures/{game}-{kind}.svg)"


SPACE = "\N{NO-BREAK SPACE}"
MADE = "<!-- Made by docs/generate.py; change that, not this page. -->"
