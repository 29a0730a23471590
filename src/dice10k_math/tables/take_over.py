"""The table about High Stakes: which banked turns to take over."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from dice10k_math.dice import Hand
from dice10k_math.questions.positions import Seat
from dice10k_math.questions.stakes import StakesPositions
from dice10k_math.rules.model import Ruleset
from dice10k_math.tables import match
from dice10k_math.tables.columns import Column, frame_of

if TYPE_CHECKING:
    import polars

Reader = Callable[[str], "polars.DataFrame | None"]
SAMPLE = 25
"""Offers that are evaluated afresh."""
CLOSE = 1e-9
Row = tuple[int, int, bool, int, int, int]


def applies(rules: Ruleset) -> bool:
    """Tell whether a ruleset has the table.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> applies(load_rules("farkle-high-stakes")), applies(load_rules("farkle"))
    (True, False)
    """
    return rules.variants.high_stakes and match.has_table(rules)


def columns(rules: Ruleset) -> tuple[Column, ...]:
    """Return the columns of the table."""
    second = Column("second", "boolean", "", "whether the player to move has the second turn of the round")
    return (
        Column("score", "integer", "points", "banked score of the player who is offered the turn"),
        Column("opponent", "integer", "points", "banked score of the other, the points just banked included"),
        *((second,) if rules.ending.kind == "equal_turns" else ()),
        Column("dice", "integer", "dice", "dice left when banking; all of them if none was left"),
        Column("points_from", "integer", "points", "least banked turn score of a run that is better taken over"),
        Column("points_to", "integer", "points", "greatest banked turn score of that run"),
    )


def values(rules: Ruleset) -> tuple[polars.DataFrame, float]:
    """Make the table."""
    positions = match.solved(rules)
    assert isinstance(positions, StakesPositions)  # noqa: S101 - only these games have the table
    equal_turns = rules.ending.kind == "equal_turns"
    rows = [row if equal_turns else (*row[:2], *row[3:]) for row in _rows(positions)]
    return frame_of(columns(rules), rows), float(np.max(positions.upper - positions.lower))


def _rows(positions: StakesPositions) -> Iterator[Row]:
    """Yield the runs of offers that are better taken over than declined, below the target."""
    race = positions.stakes
    for phase, own, other in np.ndindex(positions.move.shape):
        points, hands, worth = positions.offers_at(phase, own, other)
        better = worth > positions.move[phase, own, other]
        for hand in np.unique(hands[better]).tolist():
            here = hands == hand
            dice = len(race.model.hands[hand].hand)
            for first, last in _runs(points[here].tolist(), better[here].tolist()):
                yield own * race.unit, other * race.unit, phase == 1, dice, first, last


def _runs(points: list[int], better: list[bool]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last of each run of points at which taking over is better.

    Examples
    --------
    >>> list(_runs([50, 100, 150, 200], [True, True, False, True]))
    [(50, 100), (200, 200)]
    """
    first = None
    for number, (point, take) in enumerate(zip(points, better, strict=True)):
        if take and first is None:
            first = point
        if first is not None and not take:
            yield first, points[number - 1]
            first = None
    if first is not None:
        yield first, points[-1]


def check(rules: Ruleset, frame: polars.DataFrame, read: Reader) -> Iterator[str]:
    """Check a sample: a turn that is taken over is rolled on from the values of the table `match`."""
    frames = {name: read(name) for name in match.needed(rules)}
    known_frames = {name: table for name, table in frames.items() if table is not None}
    if len(known_frames) < len(frames):
        yield f"cannot be checked without the tables {', '.join(map(repr, frames))}"
        return
    positions = match.positions_of(rules, known_frames)
    assert isinstance(positions, StakesPositions)  # noqa: S101 - only these games have the table
    known: dict[tuple[int, int, bool, int], list[tuple[int, int]]] = {}
    for row in frame.iter_rows(named=True):
        place = row["score"], row["opponent"], row.get("second", False), row["dice"]
        known.setdefault(place, []).append((row["points_from"], row["points_to"]))
    for phase, own, other in _sample(positions):
        yield from _faults(positions, known, phase, own, other)


def _sample(positions: StakesPositions) -> list[tuple[int, int, int]]:
    size = positions.move.size
    flat = sorted({0, size - 1, *(np.arange(SAMPLE) * 0.6180339887498949 % 1.0 * size).astype(int).tolist()})
    return [(int(p), int(a), int(b)) for p, a, b in (np.unravel_index(place, positions.move.shape) for place in flat)]


def _faults(
    positions: StakesPositions,
    known: dict[tuple[int, int, bool, int], list[tuple[int, int]]],
    phase: int,
    own: int,
    other: int,
) -> Iterator[str]:
    race = positions.stakes
    unit, second = race.unit, phase == 1
    worths = positions.turn(Seat(own * unit), Seat(other * unit), second=second)
    points, hands, _ = positions.offers_at(phase, own, other)
    for turn_score, hand in list(zip(points.tolist(), hands.tolist(), strict=True))[:: max(1, len(points) // SAMPLE)]:
        number = race.program.number(turn_score, 0, hand)
        assert number is not None  # noqa: S101 - what can be offered can be rolled on
        gain = float(worths.roll[number]) - worths.start
        dice: Hand = race.model.hands[hand].hand
        runs = known.get((own * unit, other * unit, second, len(dice)), [])
        taken = any(first <= turn_score <= last for first, last in runs)
        if abs(gain) > CLOSE and taken != (gain > 0):
            yield (
                f"score {own * unit}, opponent {other * unit}, {turn_score} points with {len(dice)} dice: "
                f"says {'take over' if taken else 'decline'}, which gives {abs(gain)} away"
            )
