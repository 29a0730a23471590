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
from dice10k_math.turn import Entry, HandModel, TurnModel

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
State = tuple[int, int, int]
"""(turn score, hot dice, hand)"""


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
    kinds = 1 if multiple is None else multiple // model.step
    inner, edges = _reach(model, most, most_hot_dice)
    order = sorted(inner | edges, reverse=True)
    banks = _banks(model, order, bank_leaves_hand)
    bank_of = {bank: row for row, bank in enumerate(banks)}
    row_of = {state: len(banks) + number for number, state in enumerate(order)}
    targets: list[int] = []
    starts: list[int] = []
    for state in order:
        starts.append(len(targets))
        if state in inner:
            targets += [
                row_of[after] if entry.may_roll else bank_of[after[0], after[2] if bank_leaves_hand else ANY_HAND]
                for entry in model.hands[state[2]].entries
                for after in (_after(model, state, entry),)
            ]
    both = any(entry.may_roll and entry.may_bank for hand in model.hands for entry in hand.entries)
    return Program(
        model,
        np.array([hand.bust / hand.outcomes for hand in model.hands]),
        np.array([hand.instant_win / hand.outcomes for hand in model.hands]),
        np.array([score for score, _ in banks], np.int32),
        np.array([hand for _, hand in banks], np.int32),
        np.array([hand for _, _, hand in order], np.int32),
        np.array([score for score, _, _ in order], np.int32),
        np.array([hot for _, hot, _ in order], np.int32),
        np.array([bool(model.bonus) and hot > most_hot_dice for _, hot, _ in order]),
        most,
        not hot_may_bank,
        max(entry.points for hand in model.hands for entry in hand.entries) + model.bonus_after(most_hot_dice),
        np.array([hand * kinds + score // model.step % kinds for score, _, hand in order], np.int32),
        np.array(
            [
                bank_of[score, hand if bank_leaves_hand else ANY_HAND]
                if both and score and (hot_may_bank or hand != model.full)
                else -1
                for score, _, hand in order
            ],
            np.int32,
        ),
        np.array(targets, np.int32),
        np.array([*starts, len(targets)], np.int32),
    )


def _after(model: TurnModel, state: State, entry: Entry) -> State:
    score, hot, _ = state
    if not entry.hot:
        return score + entry.points, hot, entry.hand
    return score + entry.points + model.bonus_after(hot), hot + bool(model.bonus), entry.hand


def _reach(model: TurnModel, most: int, most_hot_dice: int) -> tuple[set[State], set[State]]:
    """Return the after-states that can be reached (the start of the turn among them), and the edges."""
    start = (0, 0, model.full)
    inner, edges = {start}, set()
    waiting = [start]
    while waiting:
        state = waiting.pop()
        for entry in model.hands[state[2]].entries:
            if not entry.may_roll:
                continue
            after = _after(model, state, entry)
            if after[0] > most or after[1] > most_hot_dice:
                edges.add(after)
            elif after not in inner:
                inner.add(after)
                waiting.append(after)
    return inner, edges


def _banks(model: TurnModel, order: list[State], bank_leaves_hand: bool) -> list[tuple[int, int]]:
    """Return what can be banked, as (turn score, hand left)."""
    banked = {(score, hand) for score, _, hand in order if score}
    for state in order:
        for entry in model.hands[state[2]].entries:
            if entry.may_bank and not entry.may_roll:
                after = _after(model, state, entry)
                banked.add((after[0], after[2]))
    return sorted(banked if bank_leaves_hand else {(score, ANY_HAND) for score, _ in banked})


def survival(model: TurnModel, multiple: int) -> tuple[Floats, Floats]:
    """Return bounds of the best chance to bank at last, for a turn score that is high enough.

    Parameters
    ----------
    model
        The turn model.
    multiple
        The bank multiple.

    Returns
    -------
    tuple of ndarrays of shape (hands * remainders,)
        A lower and an upper bound by the hand about to be rolled and the remainder of the turn score.
        Counting the ways that bank within k rolls gives the lower one, not counting those that bust within k rolls the
        upper one.
    """
    tiny = 1e-13
    low, high = _bank_chance(model, multiple, 0.0), _bank_chance(model, multiple, 1.0)
    return np.maximum(low - tiny, 0.0).reshape(-1), np.minimum(high + tiny, 1.0).reshape(-1)


def _bank_chance(model: TurnModel, multiple: int, start: float) -> Floats:
    """Iterate the chance to bank from `start`, by hand and remainder."""
    remainders = range(0, multiple, model.step)
    pick = np.min if start == 0.0 else np.max
    chance = np.full((len(model.hands), len(remainders)), start)
    for _ in range(60):
        before = chance
        chance = np.array(
            [[_one_roll(hand, before, model, multiple, r, pick) for r in remainders] for hand in model.hands]
        )
        if np.array_equal(before, chance):
            break
    return chance


def _one_roll(
    hand: HandModel, chance: Floats, model: TurnModel, multiple: int, remainder: int, pick: Callable[[Floats], Any]
) -> float:
    value = []
    for entry in hand.entries:
        # A bonus that is no multiple shifts the remainder by an unknown amount: the worst or the best may follow.
        after = (remainder + entry.points) % multiple
        shifted = entry.hot and model.bonus % multiple != 0
        roll = float(pick(chance[entry.hand]) if shifted else chance[entry.hand, after // model.step])
        bank = entry.may_bank and ((after == 0 and not shifted) or (shifted and pick is np.max))
        value.append(1.0 if bank else roll if entry.may_roll else 0.0)
    alive = sum(roll.weight * max(value[number] for number in roll.entries) for roll in hand.classes)
    return (alive + hand.instant_win) / hand.outcomes
