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
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from dice10k_math.edges import RollOn, edge_worths
from dice10k_math.program import NEVER, Floats, Ints, Program
from dice10k_math.turn import HandModel


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
    banking.
    """

    program: Program
    roll: Floats
    best: Floats

    @property
    def start(self) -> float:
        """Worth of starting the turn."""
        return float(self.roll[-1])


@dataclass(frozen=True, slots=True)
class _Level:
    """All after-states of one turn score, with the classes of their hands laid out flat."""

    states: Ints
    reads: Ints
    class_starts: Ints
    weights: Floats
    state_starts: Ints


def evaluate(program: Program, situation: Situation) -> TurnWorths:
    """Return the worth of every after-state in one situation."""
    if "numba" in sys.modules:
        from dice10k_math.kernel import back_up_single

        return TurnWorths(program, *back_up_single(*_arguments(program, situation)))
    return _evaluate_plainly(program, situation)


def _arguments(program: Program, situation: Situation) -> tuple[object, ...]:
    trie = program.trie
    return (
        situation.bank,
        _edge_worths(situation),
        _ending_worths(program, situation),
        _limits(program, situation),
        program.arrays,
        (trie.starts, trie.entry, trie.depth, trie.weight, trie.inner),
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
    endings = _ending_worths(program, situation)
    for level in _levels(program):
        states = level.states
        if edge[states].all():
            continue
        best = np.maximum.reduceat(pool[level.reads], level.class_starts) * level.weights
        rolled = np.add.reduceat(best, level.state_starts) + endings[program.hand[states]]
        rolled = np.where(edge[states], roll[states], rolled)
        roll[states] = rolled
        pool[first + states] = np.maximum(rolled, bank[states])
    return TurnWorths(program, roll, pool[first:])


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


@lru_cache(maxsize=16)
def _levels(program: Program) -> tuple[_Level, ...]:
    """Lay out the after-states of each turn score, highest first; those with no targets or no classes are edges."""
    classes = [_classes(hand) for hand in program.model.hands]
    has_targets = np.append(np.diff(program.target_starts), len(program.targets) - program.target_starts[-1]) > 0
    states = np.flatnonzero(has_targets)
    cuts = np.flatnonzero(np.diff(program.turn_score[states])) + 1
    return tuple(_level(program, classes, group) for group in np.split(states, cuts))


def _level(program: Program, classes: list[_Classes], group: NDArray[np.intp]) -> _Level:
    found = [classes[hand] for hand in program.hand[group].tolist()]
    starts = program.target_starts[group].tolist()
    reads = np.cumsum([0, *(len(one.entries) for one in found)])
    sizes = np.cumsum([0, *(len(one.weights) for one in found)])
    return _Level(
        group.astype(np.int32),
        program.targets[np.concatenate([one.entries + start for one, start in zip(found, starts, strict=True)])],
        np.concatenate([one.starts + read for one, read in zip(found, reads[:-1].tolist(), strict=True)]),
        np.concatenate([one.weights for one in found]),
        sizes[:-1].astype(np.int32),
    )
