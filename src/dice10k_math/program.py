"""The turn model compiled for the operator: reachable after-states as flat arrays, in the order in which they are
backed up.

A *row* is a vector over contexts (situations between turns that are backed up together). The rows are

* the bank rows: the worth of banking each turn score (and, where it matters, of leaving each number of dice);
* the after-state rows, highest turn score first, so that a row depends only on rows before it.

An after-state beyond the greatest turn score is an *edge*: its value is not computed from further rolls but bounded
by the caller.

The classes of a hand's rolls are compiled to maxima that share their parts (`dice10k_math.maxima`), when they are
first asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dice10k_math.maxima import Maxima, maxima_of
from dice10k_math.reach import Reach
from dice10k_math.turn import HandModel, TurnModel

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """A turn compiled up to a greatest turn score.

    Attributes
    ----------
    model
        The turn model.
    bust, instant_win
        Shape (hands,): probabilities.
    bank_scores
        Turn score of each bank row.
    bank_hands
        Hand that a bank leaves, by bank row; -1: the worth of a bank does not depend on it.
    hand, turn_score, hot_dice, hot_edge
        For each after-state; `hot_edge`: it is an edge because of its hot dice.
    most
        Greatest turn score that is backed up.
    forced
        Whether a player must roll after hot dice.
    edge_kind
        For each after-state: number of its (hand, remainder of the turn score by the bank multiple).
    widest
        The most that one choice can add to the turn score, any bonus included.
    bank_row
        For each after-state the bank row of its turn score, or -1: no banking from here.
    targets, target_starts
        For each after-state that is no edge, the row of each entry of its hand; and where the rows of each after-state
        start, and the last ones end.
    """

    model: TurnModel
    bust: Floats
    instant_win: Floats
    bank_scores: Ints
    bank_hands: Ints
    hand: Ints
    turn_score: Ints
    hot_dice: Ints
    hot_edge: NDArray[np.bool_]
    most: int
    forced: bool
    widest: int
    edge_kind: Ints
    bank_row: Ints
    targets: Ints
    target_starts: Ints

    def number(self, turn_score: int, hot_dice: int, hand: int) -> int | None:
        """Return the number of an after-state; None: no play leads there."""
        found = np.flatnonzero(self.turn_score == turn_score)
        found = found[self.hand[found] == hand]
        if self.model.bonus:
            found = found[self.hot_dice[found] == hot_dice]
        return int(found[0]) if len(found) else None

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """What the compiled loops read of the after-states."""
        return (
            self.hand,
            self.turn_score,
            self.hot_edge,
            self.edge_kind,
            self.bank_row,
            self.targets,
            self.target_starts,
        )

    @property
    def maxima(self) -> Maxima:
        """The classes of all hands."""
        return maxima_of(self.model)

    @property
    def forced_beyond(self) -> int:
        """How far beyond a limit, in points, forced rolls are still backed up: there is no choice that a limit could
        settle.
        """
        return FORCED if self.forced else 0

    @property
    def rows(self) -> int:
        """Number of rows, bank rows and after-states together."""
        return len(self.bank_scores) + len(self.hand)

    def operations(self, limit: int | None = None) -> int:
        """Return the compare-and-accumulate operations that backing up one context takes, up to a limit of the turn
        score.
        """
        limit = self.most if limit is None else limit
        whole = len(self.bust) - 1
        inner = ~self.hot_edge & (self.turn_score <= self.most)
        inner &= (self.turn_score <= limit) | ((self.hand == whole) & (self.turn_score <= limit + self.forced_beyond))
        return int(self.maxima.sizes[self.hand[inner]].sum())


FORCED = 10_000
ANY_HAND = -1
BLOCK = 64
"""Contexts backed up together: enough to fill the vector units, few enough for their rows to stay in the cache."""
NEVER = -1e30
"""Worth of banking where it is not allowed."""


def compile_turn(
    model: TurnModel,
    most: int,
    *,
    hot_may_bank: bool,
    most_hot_dice: int = 0,
    multiple: int | None = None,
    bank_leaves_hand: bool = False,
) -> Program:
    """Compile a turn.

    Parameters
    ----------
    model
        The turn model.
    most
        Greatest turn score that is backed up; higher ones are edges.
    hot_may_bank
        Whether a player may bank after hot dice.
    most_hot_dice
        With a hot-dice bonus: more hot dice than these make an edge. Without one the number does not matter.
    multiple
        The bank multiple; default: any turn score may be banked. Edges are told apart by hand and remainder.
    bank_leaves_hand
        Whether the worth of a bank depends on the dice that it leaves: then there is a bank row for each.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> from dice10k_math.turn import turn_model
    >>> program = compile_turn(turn_model(load_rules("dice10k")), 8000, hot_may_bank=False, most_hot_dice=3)
    >>> int((~program.hot_edge & (program.turn_score <= 8000)).sum())
    1647
    """
    reach = Reach(model, most, most_hot_dice)
    steps, hots, hands = np.nonzero(reach.after.transpose(2, 0, 1))
    order = _Order(*(part[::-1] for part in (steps, hots, hands)))
    by_hand = reach.banks if bank_leaves_hand else reach.banks.any(axis=1, keepdims=True)
    bank_steps, bank_hands = np.nonzero(by_hand)
    banks = np.full(by_hand.shape, -1)
    banks[by_hand] = np.arange(len(bank_steps))
    kinds = 1 if multiple is None else multiple // model.step
    both = any(entry.may_roll and entry.may_bank for hand in model.hands for entry in hand.entries)
    may_stay = both & (order.steps > 0) & (hot_may_bank | (order.hands != model.full))
    return Program(
        model,
        np.array([hand.bust / hand.outcomes for hand in model.hands]),
        np.array([hand.instant_win / hand.outcomes for hand in model.hands]),
        (bank_steps * model.step).astype(np.int32),
        (bank_hands if bank_leaves_hand else np.full_like(bank_hands, ANY_HAND)).astype(np.int32),
        order.hands.astype(np.int32),
        (order.steps * model.step).astype(np.int32),
        order.hots.astype(np.int32),
        order.hots >= reach.hots,
        most,
        not hot_may_bank,
        reach.widest,
        (order.hands * kinds + order.steps % kinds).astype(np.int32),
        np.where(may_stay, banks[order.steps, order.hands if bank_leaves_hand else 0], -1).astype(np.int32),
        *_targets(reach, order, banks),
    )


@dataclass(frozen=True, slots=True)
class _Order:
    """The after-states in the order in which they are backed up: turn scores in steps, hot dice and hands."""

    steps: NDArray[np.int64]
    hots: NDArray[np.int64]
    hands: NDArray[np.int64]


def _targets(reach: Reach, order: _Order, banks: NDArray[np.int64]) -> tuple[Ints, Ints]:
    """Return the row of each entry of each after-state that is no edge, and where the rows of each start.

    Parameters
    ----------
    reach, order
        The after-states.
    banks
        Shape (steps, hands or 1): the bank row of each turn score.
    """
    inner = reach.inner[order.hots, order.hands, order.steps]
    entries = np.array([len(hand.entries) for hand in reach.model.hands])
    starts = np.append(0, np.cumsum(np.where(inner, entries[order.hands], 0)))
    targets = np.empty(starts[-1], np.int32)
    rows = np.empty(reach.after.shape, np.int64)
    rows[order.hots, order.hands, order.steps] = int((banks >= 0).sum()) + np.arange(len(order.steps))
    for hot in range(reach.hots):
        for hand in range(len(entries)):
            here = np.flatnonzero(inner & (order.hots == hot) & (order.hands == hand))
            for number, (entry, hot_after, steps) in enumerate(reach.ways(hot, hand)):
                if entry.may_roll:
                    found = rows[hot_after, entry.hand, order.steps[here] + steps]
                else:
                    found = banks[order.steps[here] + steps, min(entry.hand, banks.shape[1] - 1)]
                targets[starts[here] + number] = found
    return targets, starts.astype(np.int32)


def survival(model: TurnModel, multiple: int, *, banks: bool = True) -> tuple[Floats, Floats]:
    """Return bounds of the best chance to bank at last, for a turn score that is high enough.

    Six spicy dice count as a bank.

    Parameters
    ----------
    model
        The turn model.
    multiple
        The bank multiple.
    banks
        Whether there are any banks; else only six spicy dice can save a turn.

    Returns
    -------
    tuple of ndarrays of shape (hands * remainders,)
        A lower and an upper bound by the hand about to be rolled and the remainder of the turn score.
        Counting the ways that bank within k rolls gives the lower one, not counting those that bust within k rolls the
        upper one.
    """
    if not banks and not any(hand.instant_win for hand in model.hands):
        nothing = np.zeros(len(model.hands) * (multiple // model.step))
        return nothing, nothing
    tiny = 1e-13
    low, high = (_bank_chance(model, multiple, start, float(banks)) for start in (0.0, 1.0))
    return np.maximum(low - tiny, 0.0).reshape(-1), np.minimum(high + tiny, 1.0).reshape(-1)


def _bank_chance(model: TurnModel, multiple: int, start: float, banked: float) -> Floats:
    """Iterate the chance to bank from `start`, by hand and remainder."""
    remainders = range(0, multiple, model.step)
    pick = np.min if start == 0.0 else np.max
    chance = np.full((len(model.hands), len(remainders)), start)
    # Where no bank ends a turn it may go on much longer.
    for _ in range(60 if banked else 1000):
        before = chance
        chance = np.array(
            [[_one_roll(hand, before, model, multiple, r, pick, banked) for r in remainders] for hand in model.hands]
        )
        if np.array_equal(before, chance) or (not banked and np.abs(before - chance).max() < 1e-16):
            break
    return chance


def _one_roll(
    hand: HandModel,
    chance: Floats,
    model: TurnModel,
    multiple: int,
    remainder: int,
    pick: Callable[[Floats], Any],
    banked: float,
) -> float:
    value = []
    for entry in hand.entries:
        # A bonus that is no multiple shifts the remainder by an unknown amount: the worst or the best may follow.
        after = (remainder + entry.points) % multiple
        shifted = entry.hot and model.bonus % multiple != 0
        roll = float(pick(chance[entry.hand]) if shifted else chance[entry.hand, after // model.step])
        bank = entry.may_bank and ((after == 0 and not shifted) or (shifted and pick is np.max))
        value.append(max(banked if bank else 0.0, roll if entry.may_roll else 0.0))
    alive = sum(roll.weight * max(value[number] for number in roll.entries) for roll in hand.classes)
    return (alive + hand.instant_win) / hand.outcomes
