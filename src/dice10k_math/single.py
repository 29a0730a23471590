"""One turn in one situation: the worth of every after-state, for advice.

The same backward induction as the operator's, for a single context, in two forms. The plain one works with numpy,
level by level of the turn score or, with a hot-dice bonus, leg by leg, and needs nothing compiled, so a command that
answers one question starts at once. The compiled one is for a process that asks many.
They check each other in the tests.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np

from dice10k_math.edges import RollOn, edge_worths
from dice10k_math.legs import legs_of
from dice10k_math.levels import levels_of
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

    Turn scores lower than those asked about may have no worth, nan.
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


def evaluate(program: Program, situation: Situation, since: int = 0) -> TurnWorths:
    """Return the worth of every after-state in one situation, those from a turn score on."""
    if "numba" in sys.modules:
        from dice10k_math.kernel import back_up_single

        roll, best = back_up_single(*_arguments(program, situation))
        return TurnWorths(program, roll, best, situation.bank)
    return _evaluate_plainly(program, situation, max(since, 0))


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


def _evaluate_plainly(program: Program, situation: Situation, since: int = 0) -> TurnWorths:
    limits, edges, bank = _limits(program, situation), _edge_worths(situation), situation.bank
    layout = legs_of(program) if program.model.bonus else levels_of(program)
    roll, grid = layout.back_up((since, *limits), edges, bank, _ending_worths(program, situation))
    # Beyond the limit there are edges.
    first, end = np.searchsorted(-program.turn_score, (-limits[1], -since + 1)).tolist()
    rows, columns = layout.places
    places = rows[first:end], columns[first:end]
    rolled = edges[program.edge_kind]
    best = np.maximum(rolled, np.where(program.bank_row >= 0, bank[program.bank_row], NEVER))
    rolled[first:end], best[first:end] = roll[places], grid[places]
    rolled[end:] = best[end:] = np.nan
    return TurnWorths(program, rolled, best, bank)
