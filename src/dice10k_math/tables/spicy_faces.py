"""The table that ranks every assignment of spicy faces to the dice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from dice10k_math.questions.spicy_faces import SpicyFaces, assignments, rank_spicy_faces, with_spicy_faces
from dice10k_math.rules.model import Ruleset
from dice10k_math.tables.columns import Column, dice_of, frame_of, joined
from dice10k_math.turn import turn_model

if TYPE_CHECKING:
    import polars
    from numpy.typing import NDArray

Reader = Callable[[str], "polars.DataFrame | None"]
CUT_OFF = 100_000
"""Turn score at which a check stops rolling: what lies beyond is worth less than its tolerance."""
TOLERANCE = 1e-6


def applies(rules: Ruleset) -> bool:
    """Tell whether a ruleset has the table: spicy dice; not once more where only High Stakes is added."""
    return rules.variants.spicy_faces is not None and not rules.variants.high_stakes


def columns(rules: Ruleset) -> tuple[Column, ...]:  # noqa: ARG001 - the same for all
    """Return the columns of the table."""
    probability = "probability"
    return (
        Column("rank", "integer", "", "place by expected points, best first"),
        Column("instant_rank", "integer", "", "place by instant_win, most likely first; equal ones share a place"),
        Column("faces", "text", "", "spicy faces of the dice"),
        Column("expected_points", "float", "points", "best turn of a player who has opened; instant win worth 0"),
        Column("lower", "float", "points", "proved lower bound of expected_points"),
        Column("upper", "float", "points", "proved upper bound of expected_points"),
        Column("instant_win", "float", probability, "six spicy dice in one roll within that turn"),
        Column("instant_lower", "float", probability, "lower bound of instant_win"),
        Column("instant_upper", "float", probability, "upper bound of instant_win"),
        Column("most_instant", "float", probability, "the same in a turn played for nothing else"),
        Column("most_instant_lower", "float", probability, "proved lower bound of most_instant"),
        Column("most_instant_upper", "float", probability, "proved upper bound of most_instant"),
    )


def values(rules: Ruleset) -> tuple[polars.DataFrame, float]:
    """Make the table."""
    ranked = rank_spicy_faces(rules)
    chances = sorted((one.instant_win for one in ranked), reverse=True)
    rows = [(rank, 1 + chances.index(one.instant_win), *_cells(one)) for rank, one in enumerate(ranked, 1)]
    return frame_of(columns(rules), rows), max(one.upper - one.lower for one in ranked)


def _cells(one: SpicyFaces) -> tuple[object, ...]:
    return (
        joined(one.faces),
        *(one.expected_points, one.lower, one.upper),
        *(one.instant_win, one.instant_lower, one.instant_upper),
        *(one.most_instant, one.most_instant_lower, one.most_instant_upper),
    )


def check(rules: Ruleset, frame: polars.DataFrame, read: Reader) -> Iterator[str]:  # noqa: ARG001 - as all checks
    """Check that every assignment is there, in order, and recompute some by a plain cut-off induction."""
    rows = list(frame.iter_rows(named=True))
    if sorted(dice_of(row["faces"]) for row in rows) != sorted(assignments(rules)):
        yield "the assignments of faces are not those of the dice"
        return
    points = [row["expected_points"] for row in rows]
    if points != sorted(points, reverse=True) or [row["rank"] for row in rows] != [*range(1, len(rows) + 1)]:
        yield "the rows are not in order of expected_points"
    chances = sorted((row["instant_win"] for row in rows), reverse=True)
    for row in rows:
        yield from _row_faults(row, chances)
    for row in [row for row in rows if len(set(dice_of(row["faces"]))) == 1]:
        right = cut_off_points(with_spicy_faces(rules, dice_of(row["faces"])), CUT_OFF)
        if abs(row["expected_points"] - right) > TOLERANCE:
            yield f"faces {row['faces']}: expected_points {row['expected_points']}; with a cut-off: {right}"


def _row_faults(row: dict[str, Any], chances: list[float]) -> Iterator[str]:
    for name, lower, upper in (
        ("expected_points", "lower", "upper"),
        ("instant_win", "instant_lower", "instant_upper"),
        ("most_instant", "most_instant_lower", "most_instant_upper"),
    ):
        if not row[lower] <= row[name] <= row[upper]:
            yield f"faces {row['faces']}: {name} {row[name]} is not within its bounds"
    if row["instant_win"] > row["most_instant_upper"]:
        yield f"faces {row['faces']}: instant_win {row['instant_win']} is more than any play allows"
    if row["instant_rank"] != 1 + chances.index(row["instant_win"]):
        yield f"faces {row['faces']}: instant_rank {row['instant_rank']} is not its place"


def cut_off_points(rules: Ruleset, cut_off: int) -> float:
    """Return the expected points of the best turn of a player who must bank from the cut-off on.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> round(cut_off_points(with_spicy_faces(load_rules("farkle"), (1,) * 6), 30_000), 4)
    1247.9903
    """
    model = turn_model(rules)
    step = model.step
    widest = max(entry.points for hand in model.hands for entry in hand.entries)
    rows = (cut_off + widest) // step + 1
    roll: NDArray[np.float64] = np.full((rows, len(model.hands)), -np.inf)
    laid = [_laid_out(hand, step) for hand in model.hands]
    for row in range(cut_off // step, -1, -1):
        for number, (shift, after, rolls_on, banks, starts, weights) in enumerate(laid):
            there = (row + shift) * float(step)
            on = np.where(rolls_on & (row + shift <= cut_off // step), roll[row + shift, after], -np.inf)
            worth = np.maximum(on, np.where(banks, there, -np.inf))
            roll[row, number] = float(weights @ np.maximum.reduceat(worth, starts))
    return float(roll[0, -1])


def _laid_out(hand: Any, step: int) -> tuple[Any, ...]:
    entries = [hand.entries[number] for roll in hand.classes for number in roll.entries]
    sizes = [len(roll.entries) for roll in hand.classes]
    return (
        np.array([entry.points // step for entry in entries]),
        np.array([entry.hand for entry in entries]),
        np.array([entry.may_roll for entry in entries]),
        np.array([entry.may_bank for entry in entries]),
        np.cumsum([0, *sizes[:-1]]),
        np.array([roll.weight / hand.outcomes for roll in hand.classes]),
    )
