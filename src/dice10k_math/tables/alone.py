"""The table about one player alone."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from math import isfinite
from typing import TYPE_CHECKING

from dice10k_math.questions.match import turn_can_bank
from dice10k_math.questions.solo import Enclosed, SoloSolution, solve_solo
from dice10k_math.rules.model import Ruleset
from dice10k_math.tables.check_roll import Reader
from dice10k_math.tables.columns import Column, frame_of

if TYPE_CHECKING:
    import polars

WITHIN = (10, 15, 20)
NEAR = 2_000
"""How far below 0, and above an exact target, scores are listed."""
WIDEST = 1e-6


def has_table(rules: Ruleset) -> bool:
    """Tell whether a ruleset has the table: games with spicy dice take too long, and without a bank there is no end."""
    return rules.variants.spicy_faces is None and turn_can_bank(rules)


@lru_cache(maxsize=1)
def _solved(rules: Ruleset) -> SoloSolution:
    return solve_solo(rules)


def _listed(solo: SoloSolution) -> tuple[tuple[int, bool, int], ...]:
    top = solo.rules.ending.target + NEAR
    return tuple(start for start in solo.turn_starts() if -NEAR <= start[0] <= top)


def columns(rules: Ruleset) -> tuple[Column, ...]:  # noqa: ARG001 - the same for all
    """Return the columns of the table `solo`."""
    return (
        Column("score", "integer", "points", "score at the start of the turn"),
        Column("opened", "boolean", "", "whether the player has banked before"),
        Column("busts", "integer", "busts", "busts in a row before the turn"),
        Column(
            "expected_turns", "float", "turns", "fewest expected turns to the end; missing: no play is certain to end"
        ),
        Column("lower", "float", "turns", "proved lower bound of expected_turns"),
        Column("upper", "float", "turns", "proved upper bound of expected_turns"),
        *(Column(f"within_{k}", "float", "probability", f"best chance to be done within {k} turns") for k in WITHIN),
    )


def values(rules: Ruleset) -> tuple[polars.DataFrame, float]:
    """Make the table `solo`."""
    solo = _solved(rules)
    starts = _listed(solo)
    turns = [solo.expected_turns(*start) for start in starts]
    chances = [solo.within(k, starts) for k in WITHIN]
    rows = [
        (*start, *_cells(found), *(chance[number].value for chance in chances))
        for number, (start, found) in enumerate(zip(starts, turns, strict=True))
    ]
    found = [*(one for one in turns if isfinite(one.value)), *(one for chance in chances for one in chance)]
    return frame_of(columns(rules), rows), max(one.upper - one.lower for one in found)


def _cells(found: Enclosed) -> tuple[float | None, float | None, float | None]:
    return (found.value, found.lower, found.upper) if isfinite(found.value) else (None, None, None)


def check(rules: Ruleset, frame: polars.DataFrame, read: Reader) -> Iterator[str]:  # noqa: ARG001 - as all checks
    """Check the table `solo`: every bound encloses its value and meets bounds proved afresh."""
    solo = solve_solo(rules)
    starts = _listed(solo)
    rows = list(frame.iter_rows(named=True))
    if [(row["score"], row["opened"], row["busts"]) for row in rows] != list(starts):
        yield "the turn starts are not those of the rules"
        return
    for row in rows:
        place = f"score {row['score']}"
        right = solo.expected_turns(row["score"], row["opened"], row["busts"])
        if not isfinite(right.value):
            if row["expected_turns"] is not None:
                yield f"{place}: expected_turns {row['expected_turns']}; no play is certain to end the game"
            continue
        if not row["lower"] <= row["expected_turns"] <= row["upper"]:
            yield f"{place}: expected_turns {row['expected_turns']} is not between its bounds"
        elif row["lower"] > right.upper or row["upper"] < right.lower or row["upper"] - row["lower"] > WIDEST:
            yield f"{place}: bounds {row['lower']} to {row['upper']}; proved: {right.lower} to {right.upper}"
    for k in WITHIN:
        for row, chance in zip(rows, solo.within(k, starts), strict=True):
            if not chance.lower - WIDEST <= row[f"within_{k}"] <= chance.upper + WIDEST:
                yield f"score {row['score']}: within_{k} {row[f'within_{k}']}; proved: {chance.lower} to {chance.upper}"
