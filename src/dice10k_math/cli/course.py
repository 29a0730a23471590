"""What `evaluate --course` adds: how long the match takes, and what the turns bring."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from dice10k_math.cli.text import columns, pairs, percent

if TYPE_CHECKING:
    from dice10k_math.questions.evaluation import MatchCourse, SeatCourse

SHARES = (0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99)
"""Of the matches, which are over by then: the turns that the text names."""
EDGES = (250, 500, 750, 1_000, 1_500, 2_000, 3_000)
"""Points from which on banks are counted apart in the text."""


def course_data(course: MatchCourse) -> dict[str, Any]:
    """Return a course for JSON."""
    seats = [
        {"seat": number, "wins": won} | turns_data(turns)
        for number, (won, turns) in enumerate(zip(course.won, course.seats, strict=True), start=1)
    ]
    return {"expected_turns": course.expected_turns} | length_data(course.length, course.left) | {"seats": seats}


def length_data(length: Sequence[float], left: float) -> dict[str, Any]:
    """Return the distribution of a length for JSON."""
    listed = [{"turns": turns, "probability": chance} for turns, chance in enumerate(length)]
    return {"left": left, "length": listed}


def turns_data(turns: SeatCourse) -> dict[str, Any]:
    """Return what the turns of one player bring for JSON."""
    points = [{"points": points, "probability": share} for points, share in turns.points.items()]
    row = {"turns": turns.turns, "bust_rate": turns.bust_rate, "points_per_turn": turns.points_per_turn}
    return row | {"points": points}


def course_rows(head: dict[str, Any], length: Sequence[float], seats: Sequence[SeatCourse]) -> list[dict[str, Any]]:
    """Return the distributions for CSV, one under another."""
    listed: list[tuple[str, int | None, int, float]] = []
    listed += [("length", None, turns, chance) for turns, chance in enumerate(length)]
    for number, turns in enumerate(seats, start=1):
        listed += [("points", number, points, share) for points, share in turns.points.items()]
    names = "distribution", "seat", "value", "probability"
    return [head | dict(zip(names, row, strict=True)) for row in listed]


def course_text(length: Sequence[float], left: float, expected: float, seats: Sequence[SeatCourse]) -> str:
    """Return a course as text for people."""
    heads = ["points of a turn", *(f"seat {number}" for number in range(1, len(seats) + 1))]
    if len(seats) == 1:
        heads[1] = "share"
    items = [("turns on average", f"{expected:.3f}")]
    for name, turns in zip(heads[1:], seats, strict=True):
        items += [("turns of " + name, f"{turns.turns:.3f}")] if len(seats) > 1 else []
    items += [("not followed to the end", f"{left:.1g}")] if left > 1e-9 else []
    over = columns(["turns", "over by then"], [[str(turns), percent(chance)] for turns, chance in over_by(length)])
    lines = [
        ["busts", *(percent(turns.bust_rate) for turns in seats)],
        *([name, *map(percent, shares)] for name, *shares in ranges([turns.points for turns in seats])),
        ["mean", *(f"{turns.points_per_turn:.1f}" for turns in seats)],
    ]
    return f"{pairs(items)}\n\n{over}\n\n{columns(heads, lines, left=[0])}"


def over_by(length: Sequence[float]) -> list[tuple[int, float]]:
    """Return some numbers of turns, each with how likely the match is over by then.

    Examples
    --------
    >>> over_by([0.0, 0.25, 0.5, 0.25])
    [(1, 0.25), (2, 0.75), (3, 1.0)]
    """
    found: dict[int, float] = {}
    sofar, waiting = 0.0, list(SHARES)
    for turns, chance in enumerate(length):
        sofar += chance
        while waiting and sofar >= waiting[0]:
            found[turns] = sofar
            waiting.pop(0)
    return list(found.items())


def ranges(points: Sequence[dict[int, float]]) -> list[tuple[Any, ...]]:
    """Return ranges of points that are banked, each with the share of the turns of each player.

    Examples
    --------
    >>> ranges([{200: 0.25, 300: 0.25}, {3000: 0.5}])
    [('below 250', 0.25, 0), ('250 to below 500', 0.25, 0), ('3,000 or more', 0, 0.5)]
    """
    edges = (-(10**12), 1, *EDGES, 10**12)
    names = ["subtracted", f"below {EDGES[0]:,}"]
    names += [f"{first:,} to below {end:,}" for first, end in pairwise(EDGES)]
    names.append(f"{EDGES[-1]:,} or more")
    found = []
    for name, (first, end) in zip(names, pairwise(edges), strict=True):
        shares = [sum(share for change, share in each.items() if first <= change < end) for each in points]
        if any(shares):
            found.append((name, *shares))
    return found
