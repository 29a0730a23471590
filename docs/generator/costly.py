"""Figures that take longer than a test of every day may: kept in a file, recomputed by the slow tests.

`python docs/generate.py --costly` computes what is missing or of other rules; `--costly all` also what takes many
minutes each, without which the pages say that it has not been computed; `--costly KEY...` computes these figures anew.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import dice10k_math as d10
from dice10k_math.questions.length import match_length
from dice10k_math.rules import Ruleset
from docs.generator.changes import CHANGES, changed

FILE = Path(__file__).parents[1] / "results" / "costly.json"
OPENED = 1000
"""A score at which every player has opened and no target is near."""
LENGTHS = ("farkle", "dix-mille", "des-10000")
REFERENCE = Path(__file__).parents[2] / "tests" / "reference" / "rules"
TABLES = Path(__file__).parents[2] / "tables"

Values = dict[str, float]


@dataclass(frozen=True)
class Figure:
    """A costly figure: what it is about, how it is computed, and whether the pages can do without it."""

    key: str
    rules: Ruleset
    compute: Callable[[Ruleset], Values]
    optional: bool = False


def win(rules: Ruleset) -> Values:
    """Return the first player's win probability with its bounds."""
    found = d10.solve_match(rules).win_probability()
    return {"value": found.value, "lower": found.lower, "upper": found.upper}


def points(rules: Ruleset) -> Values:
    """Return the expected points of the best turn of a player who has opened."""
    found = d10.solve_turn(rules, OPENED, exact=False)
    return {"value": found.expected_points, "lower": found.lower, "upper": found.upper}


def turns(rules: Ruleset) -> Values:
    """Return the fewest expected turns of one player alone."""
    found = d10.solve_solo(rules).expected_turns()
    return {"value": found.value, "lower": found.lower, "upper": found.upper}


def length(rules: Ruleset) -> Values:
    """Return how long a match lasts."""
    found = match_length(d10.load_match(TABLES, rules))
    median = next(turn for turn in range(len(found.chances)) if found.within(turn) >= 0.5)
    late = next(turn for turn in range(len(found.chances)) if found.within(turn) >= 0.95)
    return {"mean": found.mean, "median": median, "late": late, "rest": found.rest, "first_wins": found.first_wins}


def figures() -> Iterator[Figure]:
    """Yield every costly figure."""
    for game in LENGTHS:
        yield Figure(f"length:{game}", d10.load_rules(game), length)
    for game, changes in CHANGES.items():
        every = [(game, d10.load_rules(game)), *((f"{game}:{change.key}", changed(game, change)) for change in changes)]
        yield from (Figure(f"points:{key}", rules, points) for key, rules in every)
        if game != "farkle-spicy":
            yield from (Figure(f"turns:{key}", rules, turns) for key, rules in every)
    yield Figure("win:busche-farkle", d10.load_rules(REFERENCE / "busche-farkle.toml"), win, optional=True)
    for game in ("des-10000", "dix-mille", "farkle", "dice10k"):
        for change in CHANGES[game]:
            if change.match:
                yield Figure(f"win:{game}:{change.key}", changed(game, change), win, optional=game == "dice10k")
    yield Figure("win:dice10k", d10.load_rules("dice10k"), win)
    spicy = d10.load_rules("farkle-spicy")
    yield Figure("turns:farkle-spicy", spicy, turns, optional=True)
    yield Figure("win:farkle-spicy", spicy, win, optional=True)


@lru_cache
def _by_key() -> dict[str, Figure]:
    return {figure.key: figure for figure in figures()}


def read() -> dict[str, Any]:
    """Return the kept figures: by key the fingerprint of the rules and the values."""
    return dict(json.loads(FILE.read_text(encoding="utf-8"))) if FILE.exists() else {}


def is_current(kept: dict[str, Any], figure: Figure) -> bool:
    """Tell whether a figure is kept, and of these very rules."""
    return bool(kept.get(figure.key, {}).get("fingerprint") == d10.fingerprint(figure.rules))


def compute(asked: Collection[str] = ()) -> None:
    """Compute what is missing, and keep it: what takes many minutes only if asked for, by its key or with `all`; what
    is asked for by its key also if it is there.
    """
    wanted = list(figures())
    for figure in wanted:
        missing = not is_current(read(), figure) and (not figure.optional or "all" in asked)
        if missing or figure.key in asked:
            values = figure.compute(figure.rules)
            kept = read() | {figure.key: {"fingerprint": d10.fingerprint(figure.rules), "values": values}}
            write({one.key: kept[one.key] for one in wanted if one.key in kept})


def write(kept: dict[str, Any]) -> None:
    FILE.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def found(key: str) -> Values | None:
    """Return the kept values of a figure, checked to be of today's rules; None: it is optional and not kept."""
    figure = _by_key()[key]
    kept = read()
    if figure.optional and key not in kept:
        return None
    if not is_current(kept, figure):
        raise LookupError(f"{FILE.name}: {key} is missing or of other rules; run: python docs/generate.py --costly")
    return dict(kept[key]["values"])


def values(key: str) -> Values:
    """Return the kept values of a figure that the pages cannot do without."""
    kept = found(key)
    if kept is None:
        raise LookupError(f"{FILE.name}: {key} is missing; run: python docs/generate.py --costly all")
    return kept
