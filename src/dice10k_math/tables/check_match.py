"""Checking the tables about matches: a sample of turns is evaluated from the values in the table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from dice10k_math.certify.field import tables_of
from dice10k_math.last_turn import DOWN, NEAREST, UP, allowed, most_lead
from dice10k_math.program import NEVER, Floats
from dice10k_math.questions.positions import FieldPositions, Positions, RacePositions, Seat
from dice10k_math.race import Race
from dice10k_math.rules.model import Ruleset
from dice10k_math.single import Situation, evaluate
from dice10k_math.tables.check_roll import Reader
from dice10k_math.tables.match import MATCH, needed, positions_of

if TYPE_CHECKING:
    import polars

CLOSE = 1e-9
SAMPLE = 40
"""Turn starts, or deficits, that are computed afresh."""
SAMPLE_OF_ROWS = 6
"""Own states whose bounds are judged against every opponent's state."""


def read_positions(rules: Ruleset, read: Reader, name: str, frame: polars.DataFrame) -> Positions | str:
    """Return the positions that the tables of a ruleset hold, one of them given; or what is missing."""
    frames = {}
    for other in needed(rules):
        found = frame if other == name else read(other)
        if found is None:
            return f"cannot be checked without the table {other!r}"
        frames[other] = found
    return positions_of(rules, frames)


def match(rules: Ruleset, frame: polars.DataFrame, read: Reader) -> Iterator[str]:
    """Check the table `match`: bounds enclose their values, and a turn from a sample of starts gives them back."""
    positions = read_positions(rules, read, MATCH, frame)
    if isinstance(positions, str):
        yield positions
        return
    yield from _order_faults(frame, "win_probability")
    if isinstance(positions, RacePositions):
        yield from _race_faults(positions)
    if isinstance(positions, FieldPositions):
        numbers = [number for number, state in enumerate(positions.field.states) if state.low == state.high]
        yield from _field_faults(positions, [numbers[0], positions.field.start, *_spread(numbers)])


def _race_faults(positions: RacePositions) -> Iterator[str]:
    for phase, own, other in _sample(positions.move.shape):
        seats = Seat(own * positions.race.unit), Seat(other * positions.race.unit)
        right = positions.turn(*seats, second=phase == 1).start
        if not abs(right - positions.move[phase, own, other]) <= CLOSE:
            second = ", second" if phase else ""
            yield (
                f"score {seats[0].score}, opponent {seats[1].score}{second}: win_probability "
                f"{positions.move[phase, own, other]}; one turn from there gives {right}"
            )


def _field_faults(positions: FieldPositions, numbers: list[int]) -> Iterator[str]:
    """Judge the bounds of some own states: one turn, rounded outward, must keep them."""
    field = positions.field
    tables = tables_of(field, positions.us, positions.them)
    for number in sorted(set(numbers)):
        low, high = (field.turn(number, table, side) for table, side in zip(tables, (DOWN, UP), strict=True))
        for name, claimed, right, wrong in (
            ("lower", positions.us[number], low, positions.us[number] > np.maximum(low, 0.0)),
            ("upper", positions.them[number], high, positions.them[number] < np.minimum(high, 1.0)),
        ):
            for other in np.flatnonzero(wrong).tolist():
                yield (
                    f"score {field.states[number].low:g}, opponent {field.states[other].low:g}: {name} "
                    f"{claimed[other]}; one turn from there gives {right[other]}"
                )


def far(rules: Ruleset, frame: polars.DataFrame, read: Reader) -> Iterator[str]:
    """Check the table `match_far`: bounds do not cross, and a turn from a sample of scores keeps them."""
    positions = read_positions(rules, read, "match_far", frame)
    if isinstance(positions, str):
        yield positions
        return
    assert isinstance(positions, FieldPositions)  # noqa: S101 - no race has this table
    lower, upper = frame["lower"].to_numpy(), frame["upper"].to_numpy()
    for row in np.flatnonzero(~(lower <= upper)).tolist():
        yield f"row {row}: lower {lower[row]} is above upper {upper[row]}"
    numbers = [number for number, state in enumerate(positions.field.states) if state.low < state.high]
    yield from _field_faults(positions, [numbers[0], *_spread(numbers)])


def _spread(numbers: list[int]) -> list[int]:
    return numbers[:: max(1, len(numbers) // SAMPLE_OF_ROWS)]


def _sample(shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return places spread over a table by a step that shares no factor with its sides, with both ends."""
    size = int(np.prod(shape))
    flat = sorted({0, size - 1, *((np.arange(SAMPLE) * 0.6180339887498949 % 1.0 * size).astype(int).tolist())})
    return [tuple(int(part) for part in np.unravel_index(place, shape)) for place in flat]


def _order_faults(frame: polars.DataFrame, name: str) -> Iterator[str]:
    lower, value, upper = (frame[column].to_numpy() for column in ("lower", name, "upper"))
    for number in np.flatnonzero(~((lower <= value) & (value <= upper))).tolist():
        yield f"row {number}: {name} {value[number]} is not between its bounds {lower[number]} and {upper[number]}"


def last_turn(rules: Ruleset, frame: polars.DataFrame, read: Reader) -> Iterator[str]:
    """Check the table `last_turn`: bounds enclose their values, and a sample of last turns is evaluated afresh."""
    yield from _order_faults(frame, "worth")
    positions = read_positions(rules, read, "last_turn", frame)
    if isinstance(positions, str):
        yield positions
        return
    assert isinstance(positions, RacePositions)  # noqa: S101 - only races have this table
    worth = positions.last_turn
    # Nothing can be taken over at the end of the match, so a last turn from its start is the same in any race.
    race = Race(replace(rules, variants=replace(rules.variants, high_stakes=False)))
    tie = _tie(race, worth)
    if len(worth) != most_lead(rules) // positions.race.unit + 1:
        yield f"{len(worth)} rows; there should be {most_lead(rules) // positions.race.unit + 1}"
        return
    for (deficit,) in _sample(worth.shape):
        right = _last(race, deficit, tie)
        if not abs(right - worth[deficit]) <= CLOSE:
            yield f"deficit {deficit * positions.race.unit}: worth {worth[deficit]}; the turn afresh: {right}"


def _tie(race: Race, worth: Floats) -> float:
    """Return what drawing level is worth, from the extra rounds that the table itself leads to."""
    if race.rules.ending.tie != "extra_rounds":
        return 0.5
    scores = race.program.bank_scores // race.unit
    bank = 1.0 - worth[np.minimum(scores, len(worth) - 1)]
    return 1.0 - _worth(race, bank, 1.0 - worth[0], 1.0 - worth[-1])


def _last(race: Race, deficit: int, tie: float) -> float:
    scores = race.program.bank_scores // race.unit
    bank = np.where(scores > deficit, 1.0, np.where(scores == deficit, tie, 0.0))
    return _worth(race, bank, tie if deficit == 0 else 0.0, 1.0)


def _worth(race: Race, bank: Floats, bust: float, top: float) -> float:
    bank = np.where(allowed(race.opened, race.program.bank_scores), bank, NEVER)
    situation = Situation(bank, bust, bust, top, race.most, race.survival(NEAREST))
    return evaluate(race.program, situation).start
