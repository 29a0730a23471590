"""Two-player matches in which scores can fall or pass the target: turn starts on a bounded field of scores.

Penalties lower a score, and under an exact target it may be passed and come back, so the turn starts hang together in one group:
there is no order in which to take them. A player's *own state* is the score, whether the first bank has been made (where that matters), and
the number of busts in a row (where they are counted). A turn start is a pair of own states.

The field of scores is bounded. What leaves it is worth what the caller says for the side concerned: for a bound, nothing to the player who is
to be protected, and everything to the opponent.

A *row* of the extended table is the worth of waiting with an own state, by the opponent's state; further rows stand for having won, for having left
the field, and (final round) for having reached the target with each total.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dice10k_math.backup import Contexts, Forward, back_up, back_up_forward, blocks_of
from dice10k_math.errors import InputError
from dice10k_math.last_turn import Side, allowed, compiled, hot_dice_within
from dice10k_math.program import Floats, Ints, Program, survival
from dice10k_math.rules import Ruleset, score_step
from dice10k_math.turn import BankRule, bank_rule, six_dice_penalty, turn_model

NO_ROW = -1


@dataclass(frozen=True, slots=True)
class OwnState:
    """What a player's part of a turn start is: score in points, whether the first bank has been made, busts in a row."""

    score: int
    opened: bool
    busts: int


@dataclass(frozen=True, slots=True)
class Bounds:
    """The bounded field: least and greatest score in points, and the greatest turn score that is backed up."""

    low: int
    high: int
    most: int


@dataclass(frozen=True, slots=True)
class Moves:
    """Where the endings of a turn lead from one own state: rows of the extended table.

    Attributes
    ----------
    add, subtract
        For each bank row of the program; `NO_ROW` where there is no such choice. Of two the player picks one.
    bust, bust_on_six
        Rows after a bust.
    """

    add: Ints
    subtract: Ints
    bust: int
    bust_on_six: int


class Field:
    """The turn starts of a two-player match on a bounded field of scores.

    Attributes
    ----------
    states
        The own states; a turn start is a pair of their numbers.
    won, left
        Rows of the extended table: having won, having left the field.
    last
        First of the rows for having reached the target when a last turn follows; they stand for the totals from the target on.
    rows
        Number of rows of the extended table.
    """

    def __init__(self, rules: Ruleset, bounds: Bounds) -> None:
        if rules.ending.kind == "equal_turns":
            raise InputError(f"{rules.name}: equal turns together with penalties are not solved for two players")
        self.rules, self.bounds = rules, bounds
        self.model = turn_model(rules)
        self.unit = score_step(rules)
        self.target = rules.ending.target
        self.exact = rules.ending.kind == "exact"
        self.has_last_turn = rules.ending.kind == "final_round"
        self.opened = BankRule(bank_rule(rules, rules.ending.target, opened=True).minimum, _multiple(rules))
        self.unopened = BankRule(bank_rule(rules, 0, opened=False).minimum, _multiple(rules))
        self.states = tuple(self._states())
        self.number = {state: number for number, state in enumerate(self.states)}
        self.won, self.left = len(self.states), len(self.states) + 1
        self.last = len(self.states) + 2
        self.rows = self.last + (bounds.most // self.unit + 1 if self.has_last_turn else 0)
        self.low_survival, self.high_survival = survival(self.model, self.opened.multiple)
        if rules.ending.overshoot == "not_allowed":
            self.low_survival = np.zeros(len(self.model.hands))

    def _states(self) -> list[OwnState]:
        remembers = self.rules.turn.opening_applies == "until_first_bank" and self.opened != self.unopened
        in_a_row = self.rules.bust.in_a_row
        top = self.bounds.high if self.exact else self.target - self.unit
        return [
            OwnState(score, opened, busts)
            for score in range(self.bounds.low, top + 1, self.unit)
            for opened in ((True, False) if remembers and score <= 0 else (True,))
            for busts in range(in_a_row.busts if in_a_row else 1)
        ]

    @cached_property
    def start(self) -> int:
        """Number of the own state in which a match starts."""
        opened = not (self.rules.turn.opening_applies == "until_first_bank" and self.opened != self.unopened)
        return self.number[OwnState(0, opened, 0)]

    @cached_property
    def program(self) -> Program:
        """The compiled turn."""
        return compiled(self.rules, self.bounds.most, hot_dice_within(self.rules, self.bounds.most))

    def survival(self, side: Side) -> Floats:
        """Return the survival beyond the greatest turn score, for a bound on this side."""
        return self.low_survival if side.lowest else self.high_survival

    def state_of(self, score: int, opened: bool | None = None, busts: int = 0) -> int:
        """Return the number of an own state; a player with a score other than 0 counts as having banked.

        Raises
        ------
        InputError
            A state that the field does not hold.
        """
        if opened is None:
            opened = score != 0 or OwnState(0, False, 0) not in self.number
        state = OwnState(score, opened, busts)
        if state not in self.number:
            raise InputError(f"score: {score} with {busts} busts in a row is not on the field of {self.rules.name}")
        return self.number[state]

    def _row(self, score: int, busts: int, opened: bool) -> int:
        state = OwnState(score, opened, busts)
        if not opened and state not in self.number:
            state = OwnState(score, True, busts)
        return self.number.get(state, self.left)

    def _added(self, score: int, turn_score: int) -> int:
        total = score + turn_score
        if self.exact:
            if score != self.target and total == self.target:
                return self.won
            if self.rules.ending.overshoot == "not_allowed" and total > self.target:
                return NO_ROW
            return self._row(total, 0, opened=True)
        if total < self.target:
            return self._row(total, 0, opened=True)
        if not self.has_last_turn:
            return self.won
        return min(self.last + (total - self.target) // self.unit, self.rows - 1)

    def _subtracted(self, score: int, turn_score: int) -> int:
        if self.rules.ending.overshoot != "add_or_subtract" or score <= self.target:
            return NO_ROW
        if score - turn_score == self.target:
            return self.won
        return self._row(score - turn_score, 0, opened=True)

    def _after_bust(self, state: OwnState, penalty: int) -> int:
        busts, score = state.busts, state.score - penalty
        in_a_row = self.rules.bust.in_a_row
        if in_a_row is not None:
            busts += 1
            if busts == in_a_row.busts:
                busts, score = 0, score - in_a_row.penalty
        return self._row(score, busts, state.opened)

    def rule_of(self, state: OwnState) -> BankRule:
        """Return which turn scores may be banked from an own state."""
        if self.rules.turn.opening_applies == "at_score_zero":
            return self.unopened if state.score == 0 else self.opened
        return self.opened if state.opened else self.unopened

    @cached_property
    def moves(self) -> tuple[Moves, ...]:
        """Where the endings of a turn lead, for each own state."""
        scores = self.program.bank_scores
        found = []
        for state in self.states:
            ok = allowed(self.rule_of(state), scores)
            add = [self._added(state.score, int(t)) if fine else NO_ROW for t, fine in zip(scores, ok, strict=True)]
            subtract = [
                self._subtracted(state.score, int(t)) if fine else NO_ROW for t, fine in zip(scores, ok, strict=True)
            ]
            found.append(
                Moves(
                    np.array(add, np.int32),
                    np.array(subtract, np.int32),
                    self._after_bust(state, 0),
                    self._after_bust(state, six_dice_penalty(self.rules, state.score)),
                )
            )
        return tuple(found)

    def extend(self, wait: Floats, left: float, last_turn: Floats | None, beyond: float) -> Floats:
        """Return the extended table.

        Parameters
        ----------
        wait
            Shape (states, states): worth of waiting, by own state and opponent's.
        left
            Worth of having left the field.
        last_turn, beyond
            Worth for the opponent of a last turn by deficit, and for greater deficits; needed with a final round only.
        """
        table = np.empty((self.rows, len(self.states)))
        table[: len(self.states)] = wait
        table[self.won] = 1.0
        table[self.left] = left
        if last_turn is not None and self.has_last_turn:
            totals = self.target + self.unit * np.arange(self.rows - self.last)
            behind = (totals[:, None] - np.array([state.score for state in self.states])[None, :]) // self.unit
            table[self.last :] = 1.0 - np.append(last_turn, beyond)[np.minimum(behind, len(last_turn))]
        return table

    def _contexts(self, state: int, table: Floats, side: Side) -> Contexts:
        moves = self.moves[state]
        if (moves.subtract != NO_ROW).any():
            table, rows = self._best_of_two(moves, table)
        else:
            rows = moves.add
        return Contexts(
            table,
            rows[None, :],
            table[moves.bust][None, :],
            table[moves.bust_on_six][None, :],
            self._top(table, state, side)[None, :],
        )

    def _best_of_two(self, moves: Moves, table: Floats) -> tuple[Floats, Ints]:
        """Return a table of its own for a state that may add or subtract: the better of the two rows for each bank."""
        some = np.flatnonzero(moves.add != NO_ROW)
        better = np.maximum(table[moves.add[some]], table[moves.subtract[some]])
        rows = np.full(len(moves.add), NO_ROW, np.int32)
        rows[some] = len(table) + np.arange(len(some))
        return np.concatenate([table, better]), rows

    def _top(self, table: Floats, state: int, side: Side) -> Floats:
        """Bounds of what banking beyond the greatest turn score can be worth."""
        columns = table.shape[1]
        if not side.lowest:
            return np.ones(columns)
        if self.exact:
            return np.zeros(columns)
        return table[self._added(self.states[state].score, self.bounds.most)]

    def turn(self, state: int, table: Floats, side: Side) -> Floats:
        """Back up the turn of one own state against every opponent's state.

        Parameters
        ----------
        state
            Number of the own state.
        table
            The extended table: worth of waiting.
        side
            Rounding.

        Returns
        -------
        ndarray of shape (states,)
        """
        contexts = self._contexts(state, table, side)
        columns = contexts.bust.shape[1]
        return back_up(
            self.program,
            contexts,
            self.survival(side),
            blocks=blocks_of(1, columns, self.limit(state)),
            lowest=side.lowest,
            nudge=side.nudge(self.program),
            workers=1,
        )[0]

    def turn_forward(self, state: int, table: Floats, side: Side) -> Forward:
        """Back up the turn and follow the best play to its endings."""
        return back_up_forward(
            self.program,
            self._contexts(state, table, side),
            self.survival(side),
            limit=self.limit(state),
            lowest=side.lowest,
            nudge=side.nudge(self.program),
        )

    def limit(self, state: int) -> int:
        """Return the turn score beyond which nothing is to be gained, or the greatest one."""
        if self.exact or self.has_last_turn:
            return self.bounds.most
        return min(self.bounds.most, self.target - self.states[state].score)


def _multiple(rules: Ruleset) -> int:
    return bank_rule(rules, rules.ending.target, opened=True).multiple
