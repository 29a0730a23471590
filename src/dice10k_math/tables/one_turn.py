"""Tables about one turn: its value, its decisions, when to bank, how it ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from dice10k_math.questions.long_run import LongRun, long_run
from dice10k_math.questions.turn import BankInterval, TurnSolution, turn_from
from dice10k_math.rules.model import Ruleset
from dice10k_math.solve.enclose import ROLL
from dice10k_math.solve.endings import Endings
from dice10k_math.tables.columns import Column, exact_cells, exact_columns, frame_of
from dice10k_math.tables.one_roll import hand_cells, hand_columns
from dice10k_math.tables.situations import Situation, situations

if TYPE_CHECKING:
    import polars

ROUNDING_OF_ENDINGS = 1e-9
"""Bound of the rounding in a probability of `Endings`: at most 1e6 roundings of 2**-53 lie behind any of them."""

LONG_RUN_SCORE = 1000
"""Score at which the long run is played: opened, and far from any target."""

SITUATION = Column("situation", "text", "", "situation at the start of the turn; turn_values lists its scores")
HOT_DICE = Column("hot_dice", "integer", "times", "hot dice so far in the turn; 0 where no bonus makes it matter")
BANK_FROM = Column("bank_from", "integer", "points", "least turn score of a run in which banking is best")
BANK_TO = Column("bank_to", "integer", "points", "greatest turn score of that run; missing: no end")


@dataclass(frozen=True, slots=True)
class Solved:
    """A situation with its best turn."""

    situation: Situation
    turn: TurnSolution
    endings: Endings


@lru_cache(maxsize=1)
def solved(rules: Ruleset) -> tuple[Solved, ...]:
    """Return the best turn from every situation; the tables of one ruleset share it."""
    found = []
    for situation in situations(rules):
        turn = turn_from(rules, situation.score, opened=situation.opened, busts=situation.busts)
        found.append(Solved(situation, turn, turn.endings))
    return tuple(found)


def widest_gap(turn: TurnSolution) -> float:
    """Return the greatest distance between the bounds of a value of the turn.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> 0 < widest_gap(turn_from(load_rules("farkle"), 0, exact=False)) < 1e-8
    True
    """
    low, high = turn.problem.bounds.pool[:, ROLL]
    # Rows that no play can reach hold no value.
    reached = np.isfinite(low) & np.isfinite(high)
    # Undoing the shift rounds each bound once, and moves it outward by one more unit in the last place.
    return float(np.max(high[reached] - low[reached]) + 4 * np.spacing(np.max(high[reached])))


def _gap(rules: Ruleset) -> float:
    return max(widest_gap(found.turn) for found in solved(rules))


def _gap_of_endings(rules: Ruleset) -> float:
    return max(found.endings.open for found in solved(rules)) + ROUNDING_OF_ENDINGS


def counts_busts(rules: Ruleset) -> bool:
    """Tell whether turns hang together by a count of busts in a row."""
    return rules.bust.in_a_row is not None


def values_columns(rules: Ruleset) -> tuple[Column, ...]:  # noqa: ARG001 - the same for all
    """Return the columns of the table `turn_values`."""
    return (
        SITUATION,
        Column("score_from", "integer", "points", "least score of the situation; missing: no end"),
        Column("score_to", "integer", "points", "greatest score of the situation; missing: no end"),
        Column("opened", "boolean", "", "whether the player has banked before; missing: as the score says"),
        Column("busts", "integer", "busts", "busts in a row before the turn"),
        *exact_columns("expected_points", "points", "expected change of the score, penalties included"),
        Column("lower", "float", "points", "proved lower bound of expected_points"),
        Column("upper", "float", "points", "proved upper bound of expected_points"),
        Column("bust_probability", "float", "probability", "the turn ends in a bust"),
        Column("bust_on_six_probability", "float", "probability", "the turn ends in a bust with all dice"),
        Column("instant_win_probability", "float", "probability", "six spicy dice in one roll win the match"),
    )


def values(rules: Ruleset) -> tuple[polars.DataFrame, float]:
    """Make the table `turn_values`."""
    rows = []
    for found in solved(rules):
        turn, endings = found.turn, found.endings
        cells = (
            found.situation.opened,
            found.situation.busts,
            *exact_cells(turn.exact, turn.expected_points),
            turn.lower,
            turn.upper,
            endings.any_bust,
            endings.bust_on_six,
            endings.instant_win,
        )
        rows += [(found.situation.name, low, high, *cells) for low, high in found.situation.scores]
    gap = max(found.turn.upper - found.turn.lower for found in solved(rules))
    return frame_of(values_columns(rules), rows), max(gap, _gap_of_endings(rules))


def states_columns(rules: Ruleset) -> tuple[Column, ...]:
    """Return the columns of the table `turn`."""
    return (
        SITUATION,
        *hand_columns(rules),
        Column("turn_score", "integer", "points", "points not yet banked"),
        HOT_DICE,
        Column("bank", "float", "points", "worth of banking now; missing: not allowed"),
        Column("roll", "float", "points", "worth of rolling these dice and playing best"),
        Column("action", "text", "", "the better of the two: bank or roll"),
    )


def states(rules: Ruleset) -> tuple[polars.DataFrame, float]:
    """Make the table `turn`."""
    rows = [
        (
            found.situation.name,
            *hand_cells(rules, state.hand),
            state.turn_score,
            state.hot_dice,
            state.bank,
            state.roll,
            state.action,
        )
        for found in solved(rules)
        for state in found.turn.states()
    ]
    return frame_of(states_columns(rules), rows), _gap(rules)


def bank_columns(rules: Ruleset) -> tuple[Column, ...]:
    """Return the columns of the table `bank`."""
    return (SITUATION, *hand_columns(rules), HOT_DICE, BANK_FROM, BANK_TO)


def bank(rules: Ruleset) -> tuple[polars.DataFrame, float]:
    """Make the table `bank`."""
    rows = [
        (found.situation.name, *_run_cells(rules, run)) for found in solved(rules) for run in found.turn.bank_table()
    ]
    return frame_of(bank_columns(rules), rows), _gap(rules)


def _run_cells(rules: Ruleset, run: BankInterval) -> Sequence[object]:
    return (*hand_cells(rules, run.hand), run.hot_dice, run.first, run.last)


def endings_columns(rules: Ruleset) -> tuple[Column, ...]:  # noqa: ARG001 - the same for all
    """Return the columns of the table `turn_endings`."""
    return (
        SITUATION,
        Column("ending", "text", "", "bank, bust, bust on six, instant win, or not followed (past every turn score)"),
        Column("turn_score", "integer", "points", "turn score banked; missing: not a bank"),
        Column("probability", "float", "probability", "the turn ends like this"),
    )


def endings(rules: Ruleset) -> tuple[polars.DataFrame, float]:
    """Make the table `turn_endings`."""
    rows: list[Sequence[object]] = []
    for found in solved(rules):
        name, ends = found.situation.name, found.endings
        rows += [
            (name, "bust", None, ends.bust),
            (name, "bust on six", None, ends.bust_on_six),
            (name, "instant win", None, ends.instant_win),
            (name, "not followed", None, ends.open),
        ]
        rows += [(name, "bank", score, chance) for score, chance in ends.banked.items()]
    return frame_of(endings_columns(rules), rows), _gap_of_endings(rules)


@lru_cache(maxsize=1)
def _run(rules: Ruleset) -> LongRun:
    return long_run(rules, LONG_RUN_SCORE)


def long_run_columns(rules: Ruleset) -> tuple[Column, ...]:  # noqa: ARG001 - the same for all
    """Return the columns of the table `long_run`."""
    return (
        Column("busts", "integer", "busts", "busts in a row before the turn"),
        Column("points_per_turn", "float", "points", "best long-run average, the same for all rows"),
        Column("lower", "float", "points", "proved lower bound of points_per_turn"),
        Column("upper", "float", "points", "proved upper bound of points_per_turn"),
        Column("advantage", "float", "points", "worth of starting with that many busts, against none"),
        Column("bust_probability", "float", "probability", "the turn ends in a bust"),
    )


def long_run_values(rules: Ruleset) -> tuple[polars.DataFrame, float]:
    """Make the table `long_run`."""
    run = _run(rules)
    ends = [turn.endings for turn in run.turns]
    rows = [
        (turn.busts, run.points_per_turn, run.lower, run.upper, advantage, end.any_bust)
        for turn, end, advantage in zip(run.turns, ends, run.advantages, strict=True)
    ]
    gap = max(run.upper - run.lower, *(end.open + ROUNDING_OF_ENDINGS for end in ends))
    return frame_of(long_run_columns(rules), rows), gap


def long_run_bank_columns(rules: Ruleset) -> tuple[Column, ...]:
    """Return the columns of the table `long_run_bank`."""
    busts = Column("busts", "integer", "busts", "busts in a row before the turn")
    return (busts, *hand_columns(rules), HOT_DICE, BANK_FROM, BANK_TO)


def long_run_bank(rules: Ruleset) -> tuple[polars.DataFrame, float]:
    """Make the table `long_run_bank`."""
    run = _run(rules)
    rows = [(turn.busts, *_run_cells(rules, part)) for turn in run.turns for part in turn.bank_table()]
    gap = max(widest_gap(turn) for turn in run.turns)
    return frame_of(long_run_bank_columns(rules), rows), gap
