"""One turn in one situation: the worth of every after-state, for advice.

The same backward induction as the operator's, for a single context, in two forms. The plain one works level by level
of the turn score with numpy and
needs nothing compiled, so a command that answers one question starts at once. The compiled one is for a process that
asks many.
They check each other in the tests.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np

from dice10k_math.edges import RollOn, edge_worths
from dice10k_math.levels import Levels, levels_of
from dice10k_math.program import ANY_HAND, NEVER, Floats, Program


@dataclass(frozen=True, slots=True)
class Situation:
    """One turn start.

    Attributes
    ----------
    bank
        Shape (bank rows of the program,): worth of banking each turn score; `NEVER` where that is not allowed.
    bust, bust_on_six, top
        Worth of a bust, of a bust with all dice, and of surviving past the limit.
    limit
        Turn score beyond which only forced rolls are backed up.
    survival
        Shape (edge kinds,): probability to bank at last beyond the limit.
    rolled_on
        What comes of never banking beyond the limit; with it forced rolls have no longer limit of their own.
    """

    bank: Floats
    bust: float
    bust_on_six: float
    top: float
    limit: int
    survival: Floats
    rolled_on: RollOn | None = None


@dataclass(frozen=True, slots=True)
class TurnWorths:
    """What each after-state of a program is worth in one situation: `roll` on from it, or the `best` of rolling and
    banking; and what the `bank` of each turn score is worth.
    """

    program: Program
    roll: Floats
    best: Floats
    bank: Floats

    @property
    def start(self) -> float:
        """Worth of starting the turn."""
        return float(self.roll[-1])

    def banked(self, turn_score: int, hand: int = ANY_HAND) -> float | None:
        """Return the worth of banking a turn score; None: not allowed.

        The hand that is left, by its index, matters with High Stakes only.
        """
        hands = self.program.bank_hands
        found = np.flatnonzero((self.program.bank_scores == turn_score) & ((hands == ANY_HAND) | (hands == hand)))
        worth = float(self.bank[found[0]]) if len(found) else NEVER
        return None if worth == NEVER else worth


def evaluate(program: Program, situation: Situation) -> TurnWorths:
    """Return the worth of every after-state in one situation."""
    if "numba" in sys.modules:
        from dice10k_math.kernel import back_up_single

        roll, best = back_up_single(*_arguments(program, situation))
        return TurnWorths(program, roll, best, situation.bank)
    return _evaluate_plainly(program, situation)


def _arguments(program: Program, situation: Situation) -> tuple[object, ...]:
    return (
        situation.bank,
        _edge_worths(situation),
        _ending_worths(program, situation),
        _limits(program, situation),
        (len(program.bank_scores), len(program.bust) - 1, program.maxima.entries, program.maxima.slots),
        program.arrays,
        program.maxima.arrays,
    )


def _limits(program: Program, situation: Situation) -> tuple[int, int]:
    """Return the limit of the turn score, and that of forced rolls."""
    limit = min(situation.limit, program.most)
    beyond = program.forced_beyond if situation.rolled_on is None else 0
    return limit, min(limit + beyond, program.most)


def _edge_worths(situation: Situation) -> Floats:
    return edge_worths(
        situation.survival,
        situation.rolled_on,
        bust=situation.bust,
        bust_on_six=situation.bust_on_six,
        top=situation.top,
        lowest=True,
    )


def _ending_worths(program: Program, situation: Situation) -> Floats:
    lost = np.full(len(program.bust), situation.bust)
    lost[-1] = situation.bust_on_six
    return program.bust * lost + program.instant_win


def _evaluate_plainly(program: Program, situation: Situation) -> TurnWorths:
    limit, forced_limit = _limits(program, situation)
    levels = levels_of(program)
    edges = _edge_worths(situation)
    roll = levels.edges(edges, forced_limit // levels.step + 1 + program.widest // levels.step)
    bank_columns, stay = levels.banks(situation.bank, len(roll))
    grid = np.concatenate([np.maximum(roll, stay), bank_columns], axis=1)
    endings = np.tile(_ending_worths(program, situation), levels.columns // levels.hands)
    if forced_limit > limit:
        _back_up_forced(levels, (limit // levels.step, forced_limit // levels.step), endings, (roll, grid, stay))
    _back_up(levels, limit // levels.step, endings, (roll, grid, stay))
    return _by_state(program, levels, forced_limit, edges, situation.bank, roll, grid)


def _back_up(levels: Levels, top: int, endings: Floats, given: tuple[Floats, Floats, Floats]) -> None:
    """Write what rolling, and the better of rolling and banking, is worth in the rows up to `top`."""
    roll, grid, stay = given
    flat = grid.reshape(-1)
    for row in range(top, -1, -1):
        columns, rolls = levels.rolls(row)
        if rolls is not None:
            rolled = rolls.worth(flat[row * levels.width :])
            rolled += endings[columns]
            roll[row, columns] = rolled
            np.maximum(rolled, stay[row, columns], out=grid[row, columns])


def _back_up_forced(
    levels: Levels, rows: tuple[int, int], endings: Floats, given: tuple[Floats, Floats, Floats]
) -> None:
    """Do the same for the rolls of all dice in the rows from the one on to the other, and in a few before them.

    What is written there before its time is not read before it is written anew.
    """
    roll, grid, stay = given
    flat = grid.reshape(-1)
    whole = slice(levels.hands - 1, levels.hots * levels.hands, levels.hands)
    end = rows[1] + 1
    while end > rows[0] + 1:
        start = max(end - levels.chunk, 0)
        rolled = levels.forced.worth(flat[start * levels.width :]).reshape(levels.chunk, levels.hots)[: end - start]
        rolled += endings[-1]
        roll[start:end, whole] = rolled
        grid[start:end, whole] = np.maximum(rolled, stay[start:end, whole])
        end = start


def _by_state(
    program: Program, levels: Levels, limit: int, edges: Floats, bank: Floats, roll: Floats, grid: Floats
) -> TurnWorths:
    """Return the worths by after-state of the program, of which those beyond the limit are edges."""
    rolled = edges[program.edge_kind]
    best = np.maximum(rolled, np.where(program.bank_row >= 0, bank[program.bank_row], NEVER))
    first = int(np.searchsorted(-program.turn_score, -limit))
    places = levels.row[first:], levels.column[first:]
    rolled[first:], best[first:] = roll[places], grid[places]
    return TurnWorths(program, rolled, best, bank)
