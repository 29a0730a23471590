"""The table of bank decisions of the best play of two, run-length coded in two directions.

A row is a run of turn scores at which to bank, for a run of opponent's scores over which nothing changes.
Where no row says to bank, rolling on is better, or banking is not allowed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from dice10k_math.program import Program
from dice10k_math.questions.decisions import TOLERANCE, Decisions, decisions
from dice10k_math.questions.positions import FieldPositions, Positions, RacePositions
from dice10k_math.rules.model import Ruleset
from dice10k_math.tables.columns import Column, schema_of
from dice10k_math.tables.match import listed, seat_columns, solved
from dice10k_math.tables.one_roll import hand_cells, hand_columns
from dice10k_math.tables.one_turn import HOT_DICE

if TYPE_CHECKING:
    import polars
    from numpy.typing import NDArray

POLICY = "policy"
BANK_FROM = Column("bank_from", "integer", "points", "least turn score of a run in which to bank")
BANK_TO = Column("bank_to", "integer", "points", "greatest turn score of that run; missing: no end")


def columns(rules: Ruleset) -> tuple[Column, ...]:
    """Return the columns of the table `policy`."""
    second = Column("second", "boolean", "", "whether the player to move has the second turn of the round")
    return (
        Column("score", "integer", "points", "banked score of the player to move"),
        *((second,) if rules.ending.kind == "equal_turns" else ()),
        *seat_columns(rules),
        Column("opponent_from", "integer", "points", "least banked score of the other"),
        Column("opponent_to", "integer", "points", "greatest banked score of the other"),
        *hand_columns(rules),
        HOT_DICE,
        BANK_FROM,
        BANK_TO,
    )


def values(rules: Ruleset) -> tuple[polars.DataFrame, float]:
    """Make the table `policy`."""
    import polars as pl

    positions = solved(rules)
    names = [column.name for column in columns(rules)]
    found: dict[str, list[Any]] = {name: [] for name in names}
    for part in decisions(positions, listed(rules)):
        for row in rows_of(rules, part):
            for name in names:
                found[name].append(row[name])
    return pl.DataFrame(found, schema=schema_of(columns(rules))), TOLERANCE + 2 * _gap(rules, positions)


def _gap(rules: Ruleset, positions: Positions) -> float:
    """Return how far the bounds of a value can lie apart, at the scores that are listed."""
    if isinstance(positions, RacePositions):
        return float(np.max(positions.upper - positions.lower))
    assert isinstance(positions, FieldPositions)  # noqa: S101 - there are no others
    low, high = listed(rules)
    inside = [number for number, state in enumerate(positions.field.states) if low <= state.low <= state.high <= high]
    place = np.ix_(inside, inside)
    return float(np.max(positions.them[place] - positions.us[place]))


def shown_states(rules: Ruleset, program: Program) -> NDArray[np.intp]:
    """Return the after-states that the table is about, highest turn score first.

    With a hot-dice bonus turns go on without end: as in the table `bank`, they are followed to the target.
    """
    most = rules.ending.target if program.model.bonus else int(program.turn_score.max())
    may_bank = (program.hand != program.model.full) if program.forced else True
    return np.flatnonzero((program.turn_score <= most) & (program.turn_score > 0) & ~program.hot_edge & may_bank)


def rows_of(rules: Ruleset, part: Decisions) -> Iterator[dict[str, Any]]:
    """Yield the rows of one mover."""
    program = part.program
    start = {
        "score": part.mover.score,
        "second": part.second,
        "opened": part.mover.opened,
        "opponent_opened": part.opponents[0].opened,
        "busts": part.mover.busts,
        "opponent_busts": part.opponents[0].busts,
    }
    shown = np.zeros(len(program.hand), bool)
    shown[shown_states(rules, program)] = True
    shown &= part.allowed
    for number, hand in enumerate(program.model.hands):
        for hot_dice in np.unique(program.hot_dice[shown & (program.hand == number)]).tolist():
            # The highest turn score comes first in a program.
            states = np.flatnonzero(shown & (program.hand == number) & (program.hot_dice == hot_dice))[::-1]
            cells = dict(zip([c.name for c in hand_columns(rules)], hand_cells(rules, hand.hand), strict=True))
            for first, last, runs in _runs(program.turn_score[states], part.bank[states]):
                opponents = {
                    "opponent_from": part.opponents[first].score,
                    "opponent_to": part.opponents[last].score,
                }
                for bank_from, bank_to in runs:
                    run = {"hot_dice": hot_dice if program.model.bonus else 0, "bank_from": bank_from}
                    yield {**start, **opponents, **cells, **run, "bank_to": bank_to}


def _runs(scores: NDArray[Any], bank: NDArray[np.bool_]) -> Iterator[tuple[int, int, list[tuple[int, int | None]]]]:
    """Yield first and last opponent of those with the same decisions, and the runs of turn scores at which to bank."""
    changes = np.flatnonzero((bank[:, 1:] != bank[:, :-1]).any(axis=0)) + 1
    firsts = [0, *changes.tolist()]
    for first, end in zip(firsts, [*firsts[1:], bank.shape[1]], strict=True):
        column = np.concatenate([[False], bank[:, first], [False]]).astype(np.int8)
        edges = np.diff(column)
        starts, ends = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1) - 1
        yield (
            first,
            end - 1,
            [
                (int(scores[one]), None if two == len(scores) - 1 else int(scores[two]))
                for one, two in zip(starts.tolist(), ends.tolist(), strict=True)
            ],
        )
