"""One turn in one situation: the worth of every after-state, for advice.

The same backward induction as the operator's, for a single context, in two forms. The plain one works level by level
of the turn score with numpy and
needs nothing compiled, so a command that answers one question starts at once. The compiled one is for a process that
asks many.
They check each other in the tests.
"""

from __future__ import annotations

import sys
from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache
from operator import neg

import numpy as np
from numpy.typing import NDArray

from dice10k_math.edges import RollOn, edge_worths
from dice10k_math.program import ANY_HAND, NEVER, Floats, Ints, Program
from dice10k_math.turn import HandModel

Mask = NDArray[np.bool_]


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


@dataclass(frozen=True, slots=True)
class _Level:
    """The after-states of one turn score that have rolls, with the classes of their hands laid out flat.

    Attributes
    ----------
    states
        Where they lie among all after-states: side by side.
    reads, class_starts, weights
        The rows that the classes read, where those of each class start, and the probability of each class.
    state_starts
        Where the classes of each after-state start.
    """

    states: slice
    reads: Ints
    class_starts: Ints
    weights: Floats
    state_starts: Ints


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
    first = len(program.bank_scores)
    limit, forced_limit = _limits(program, situation)
    whole = len(program.bust) - 1
    edge = program.hot_edge | (program.turn_score > np.where(program.hand == whole, forced_limit, limit))
    roll = _edge_worths(situation)[program.edge_kind]
    bank = np.where(program.bank_row >= 0, situation.bank[program.bank_row], NEVER)
    pool = np.concatenate([situation.bank, np.maximum(roll, bank)])
    endings = _ending_worths(program, situation)[program.hand]
    best_here = pool[first:]
    levels = _levels(program)
    for number in range(levels.first_within(forced_limit), levels.count):
        beyond = levels.turn_score[number] > limit
        level = levels.level(number, forced_only=beyond)
        states = level.states
        # What reads the most, and so what counts: each class takes the best of its entries.
        best = np.maximum.reduceat(pool.take(level.reads), level.class_starts)
        if states.stop == states.start + 1:
            _set_one(states.start, float(best.dot(level.weights)), (edge, endings, bank), (roll, best_here))
            continue
        best *= level.weights
        rolled = np.add.reduceat(best, level.state_starts)
        rolled += endings[states]
        if beyond:
            rolled = np.where(edge[states], roll[states], rolled)
        roll[states] = rolled
        np.maximum(rolled, bank[states], out=best_here[states])
    return TurnWorths(program, roll, best_here, situation.bank)


def _set_one(state: int, rolled: float, given: tuple[Mask, Floats, Floats], out: tuple[Floats, Floats]) -> None:
    """Write the worth of one after-state that is no edge."""
    edge, endings, bank = given
    if not edge[state]:
        rolled += float(endings[state])
        out[0][state] = rolled
        out[1][state] = max(rolled, float(bank[state]))


@dataclass(frozen=True, slots=True)
class _Classes:
    """The classes of a hand laid out flat: entries, where those of each class start, and probabilities."""

    entries: Ints
    starts: Ints
    weights: Floats


def _classes(hand: HandModel) -> _Classes:
    sizes = [len(roll.entries) for roll in hand.classes]
    return _Classes(
        np.array([number for roll in hand.classes for number in roll.entries], np.int32),
        np.cumsum([0, *sizes[:-1]], dtype=np.int32),
        np.array([roll.weight / hand.outcomes for roll in hand.classes]),
    )


class _Levels:
    """The levels of a program, highest turn score first; each is laid out when it is first asked for."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.classes = [_classes(hand) for hand in program.model.hands]
        has_targets = np.diff(program.target_starts) > 0
        states = np.flatnonzero(has_targets)
        gaps = (np.diff(program.turn_score[states]) != 0) | (np.diff(states) != 1)
        cuts = np.flatnonzero(gaps) + 1
        self.ranges = [(int(group[0]), int(group[-1]) + 1) for group in np.split(states, cuts)]
        self.turn_score = [int(program.turn_score[first]) for first, _ in self.ranges]
        self.count = len(self.ranges)
        self._known: dict[tuple[int, bool], _Level] = {}

    def first_within(self, limit: int) -> int:
        """Return the number of the first level with a turn score within a limit."""
        return bisect_left(self.turn_score, -limit, key=neg)

    def level(self, number: int, *, forced_only: bool) -> _Level:
        """Return a level; with `forced_only` no more of it than the after-states with all dice to roll need."""
        key = number, forced_only
        if key not in self._known:
            first, end = self.ranges[number]
            if forced_only and not self.program.model.bonus:
                # Without hot dice to tell apart the after-state with all dice is one, and comes first.
                end = first + 1
            self._known[key] = self._laid_out(first, end)
        return self._known[key]

    def _laid_out(self, first: int, end: int) -> _Level:
        program = self.program
        found = [self.classes[hand] for hand in program.hand[first:end].tolist()]
        starts = program.target_starts[first:end].tolist()
        reads = np.cumsum([0, *(len(one.entries) for one in found)])
        sizes = np.cumsum([0, *(len(one.weights) for one in found)])
        return _Level(
            slice(first, end),
            program.targets[np.concatenate([one.entries + start for one, start in zip(found, starts, strict=True)])],
            np.concatenate([one.starts + read for one, read in zip(found, reads[:-1].tolist(), strict=True)]),
            np.concatenate([one.weights for one in found]),
            sizes[:-1].astype(np.int32),
        )


@lru_cache(maxsize=16)
def _levels(program: Program) -> _Levels:
    return _Levels(program)
