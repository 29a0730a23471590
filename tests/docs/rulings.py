"""What changes if a game is ruled otherwise: the tables of `docs/rules/`, computed from the change that a row names.

A row names its change in the words of the rules file: `turn.hot_dice = "may_bank"`, or `without scoring.three_pairs`;
several are parted by semicolons. A column is computed by the function that its head stands for.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

import dice10k_math as d10
from dice10k_math.rules import with_target
from tests.docs.pages import tables

CHANGE, AS_RULED = "change of the rules file", "none"
TO = 2000


def change(rules: d10.Ruleset, words: str) -> d10.Ruleset:
    """Return the game after a change."""
    text = d10.dump_rules(rules)
    if words != AS_RULED:
        parts = re.findall(r"`([^`]+)`", words)
        assert parts, words
        for part in parts:
            text = changed(text, part)
    return d10.parse_rules(text, words)


def changed(text: str, part: str) -> str:
    """Return a canonical rules file with one line changed, added or taken out."""
    without = part.startswith("without ")
    place, _, value = part.removeprefix("without ").partition(" = ")
    table, key = place.split(".")
    before, head, after = text.partition(f"[{table}]\n")
    assert head, f"{part}: no such table"
    lines = after.splitlines(keepends=True)
    old = next((line for line in lines if line.startswith(f"{key} = ")), None)
    new = "" if without else f"{key} = {value}\n"
    assert (old or "") != new, f"{part}: is so already"
    return before + head + (after.replace(old, new, 1) if old else new + after)


def bust_with_six(rules: d10.Ruleset) -> str:
    odds = d10.bust_odds(rules, rules.variants.spicy_faces or 6)
    return f"{odds.numerator}/{odds.denominator}"


def turn_at(score: int) -> Callable[[d10.Ruleset], str]:
    def compute(rules: d10.Ruleset) -> str:
        return f"{d10.solve_turn(rules, score, exact=False).expected_points:,.2f}"

    return compute


@lru_cache
def first_player(rules: d10.Ruleset) -> str:
    found = d10.solve_match(with_target(rules, TO)).win_probability()
    for digits in (3, 2):
        low, high = f"{found.lower:.{digits}%}", f"{found.upper:.{digits}%}"
        if low == high:
            return low
    return f"{low} to {high}"


COLUMNS: dict[str, Callable[[d10.Ruleset], str]] = {
    "bust, six dice": bust_with_six,
    "best turn at 0": turn_at(0),
    "best turn at 1,000": turn_at(1000),
    f"first player wins, to {TO:,}": first_player,
}
SLOW = {f"first player wins, to {TO:,}"}


def changes(page: str) -> list[list[str]]:
    """Return the table of changes of a page, the heads first; empty: it has none."""
    return next((table for table in tables(page) if CHANGE in table[0]), [])


def computed(name: str, heads: list[str], row: list[str], *, slow: bool) -> list[str]:
    """Return a row with its figures computed; without `slow` only those that come at once."""
    rules = change(d10.load_rules(name), row[heads.index(CHANGE)])
    return [
        COLUMNS[head](rules) if head in COLUMNS and (slow or head not in SLOW) else cell
        for head, cell in zip(heads, row, strict=True)
    ]
