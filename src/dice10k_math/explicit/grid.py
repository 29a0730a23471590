"""Turns in whole numbers of one size: chances are multiples of one over a power of 2, and every roll is rounded.

A lower bound is rounded down and an upper one up, so both stay bounds.
The power is the greatest with which a sum over all outcomes of a hand fits into 63 bits, so whole vectors are added and
compared at once.

*Far turns.* Beyond a limit of the turn score, what a bank is worth is bounded by the dice that it leaves alone.
Rolling on from there is worth at least what it brings within so many rolls if nothing came after them, and at most
what it brings if the match were won then.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dice10k_math.explicit.turn import Algebra, Scaled, Turn, Vector, picks_of
from dice10k_math.turn import HandModel, TurnModel

BITS = 62
ROUNDS = 200
SETTLED = 1e-15


def grain_of(model: TurnModel) -> int:
    """Return the number of multiples in a whole."""
    return 1 << (BITS - max(hand.outcomes for hand in model.hands).bit_length())


class Grid:
    """Whole numbers of 63 bits, all over the same denominator."""

    nothing = -1

    def __init__(self, *, down: bool) -> None:
        self.down = down

    @staticmethod
    def lift(vector: Vector, by: int) -> Vector:  # noqa: ARG004 - the denominator is always the same
        """Leave as it is."""
        return vector

    @staticmethod
    def lift_rows(rows: Vector, by: Any) -> Vector:  # noqa: ARG004 - the denominator is always the same
        """Leave them as they are."""
        return rows

    @staticmethod
    def best(first: Vector, second: Vector) -> Vector:
        """Take the greater."""
        return np.asarray(np.maximum(first, second))

    @staticmethod
    def mix(hand: HandModel, lost: Vector, instant_win: Any, weights: Vector, picks: Vector) -> Vector:
        """Add up by outcomes."""
        total = (picks * weights.astype(np.int64)[:, None]).sum(axis=0)
        return np.asarray(total + lost * hand.bust + instant_win * hand.instant_win)

    def shorten(self, vector: Vector, exponent: int) -> Scaled:
        """Divide by the outcomes, and round."""
        by = 6**exponent
        return Scaled(vector // by if self.down else -(-vector // by))


def edges_beyond(
    turn: Turn,
    multiple: int,
    banks: Sequence[Vector | None],
    bust: Vector,
    instant_win: Any,
    algebra: Algebra,
    start: Any,
) -> list[Scaled]:
    """Bound what rolling on is worth, by kind of edge, where the turn score is beyond the limit.

    Parameters
    ----------
    turn
        The turn, in whose program rolling on and banking are two choices.
    multiple
        By remainders of this edges are told apart, and only what has none may be banked.
    banks
        By hand left: a bound of what a bank is worth; None: it is not allowed.
    bust, instant_win
        Worth of a bust, and of six spicy dice.
    algebra
        The arithmetic; it says on which side the bound is.
    start
        Worth of having to roll on for ever: the least there is for a lower bound, the greatest for an upper one.
    """
    model, count = turn.model, multiple // turn.model.step
    worth = np.full((len(model.hands) * count, len(bust)), start, bust.dtype)
    for _ in range(ROUNDS):
        before = worth.copy()
        for number, hand in enumerate(model.hands):
            for place in range(count):
                values = _values(hand, place * model.step, multiple, model, banks, worth, algebra)
                picks = picks_of(turn.nodes[number], values, None, algebra)
                total = algebra.mix(hand, bust, instant_win, turn.nodes[number].weights, picks)
                worth[number * count + place] = algebra.shorten(total, len(hand.hand)).vector
        if np.abs(worth - before).max() <= SETTLED:
            break
    return [Scaled(kind) for kind in worth]


def _values(
    hand: HandModel,
    remainder: int,
    multiple: int,
    model: TurnModel,
    banks: Sequence[Vector | None],
    worth: Vector,
    algebra: Algebra,
) -> Vector:
    """Return what each entry of a hand is worth, from what rolling on was worth a round before or in this one."""
    count, found = multiple // model.step, []
    nothing = np.full(worth.shape[1], algebra.nothing, worth.dtype)
    for entry in hand.entries:
        after = (remainder + entry.points) % multiple
        bank = banks[entry.hand]
        if entry.may_roll:
            found.append(worth[entry.hand * count + after // model.step])
        else:
            found.append(nothing if after or bank is None else bank)
    return np.array(found, worth.dtype).reshape(-1, worth.shape[1])
