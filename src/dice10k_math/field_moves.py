"""Where the endings of a turn lead in a match in which scores can fall or pass the target.

From an interval of scores an ending may lead to several own states: to a *span* of rows of the extended table.
A row is the worth of waiting with an own state; further rows stand for having won and (where the opponent has one more
turn) for having reached the target with each total.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import inf

import numpy as np
from numpy.typing import NDArray

from dice10k_math.field_states import Extent, FieldStates, OwnState
from dice10k_math.last_turn import allowed, compiled, hot_dice_within, margin_of, most_lead
from dice10k_math.program import Floats, Ints, Program
from dice10k_math.rules import Ruleset
from dice10k_math.turn import BankRule, six_dice_penalty


@dataclass(frozen=True, slots=True)
class Span:
    """Rows that one ending can lead to: `first` to `last`, none if `last` is less; and whether it can win."""

    first: int
    last: int
    wins: bool = False

    @property
    def single(self) -> bool:
        """Whether there is just one possibility."""
        return (self.last - self.first + 1) + self.wins == 1


@dataclass(frozen=True, slots=True)
class Spans:
    """Where one way to bank leads, turn score by turn score: arrays of the fields of `Span`, in the order of `scores`.

    Attributes
    ----------
    scores
        Numbers of the bank rows that may be banked in this way.
    first, last, wins
        The span of each.
    """

    scores: Ints
    first: Ints
    last: Ints
    wins: NDArray[np.bool_]

    def __iter__(self) -> Iterator[tuple[int, Span]]:
        """Yield (bank row, span)."""
        columns = (part.tolist() for part in (self.scores, self.first, self.last, self.wins))
        return ((score, Span(*span)) for score, *span in zip(*columns, strict=True))


@dataclass(frozen=True, slots=True)
class Moves:
    """Where the endings of a turn lead from one own state.

    Attributes
    ----------
    banks
        The ways to bank (add, subtract), between which the player chooses.
    bust, bust_on_six
        Spans after a bust.
    beyond
        Spans for turn scores greater than those backed up.
    """

    banks: tuple[Spans, ...]
    bust: Span
    bust_on_six: Span
    beyond: tuple[Span, ...]


class FieldMoves(FieldStates):
    """The own states of a field, and where turns lead from each.

    Attributes
    ----------
    most
        Greatest turn score that is backed up.
    won
        Row of the extended table: having won.
    last
        First of the rows for having reached the target when a last turn follows; they stand for the totals from the
        target on.
    rows
        Number of rows of the extended table.
    """

    def __init__(self, rules: Ruleset, extent: Extent, phase: int = 0) -> None:
        super().__init__(rules, extent, phase)
        self.margin = margin_of(self.model, self.opened)
        self.most = extent.most if self.passes else extent.most + self.margin
        self.won, self.last = len(self.states), len(self.states) + 1
        self.rows = self.last + (max(self.most, most_lead(rules)) // self.unit + 1 if self.has_last_turn else 0)

    @cached_property
    def program(self) -> Program:
        """The compiled turn."""
        return compiled(self.rules, self.most, hot_dice_within(self.rules, self.most))

    def _span(self, low: float, high: float, *, opened: bool, busts: int = 0) -> Span:
        """Return the rows of all own states that hold some score from `low` to `high`."""
        if not opened:
            high = min(high, 0)
        base = self._number[self.intervals[0][0], opened, busts]
        return Span(base + self._interval(low), base + self._interval(high))

    def row_of(self, score: int, *, opened: bool, busts: int) -> int:
        """Return the row of the own state that holds a score."""
        return self._span(score, score, opened=opened, busts=busts).first

    def banked_row(self, score: int) -> int:
        """Return the row that a bank leads to which makes this the score."""
        if score == self.target if self.exact else score >= self.target:
            return int(self._total_rows(np.array([score]))[0]) if self.has_last_turn else self.won
        return int(self._rows_of(np.array([score]))[0])

    def _rows_of(self, scores: Floats) -> Ints:
        """Return the own states, with the first bank made and no busts in a row, that hold scores."""
        base = self._number[self.intervals[0][0], True, 0]
        return (base + np.searchsorted(self._lows, scores, side="right") - 1).astype(np.int32)

    def _total_rows(self, totals: Floats) -> Ints:
        """Return the rows for having reached the target with totals; the last one stands for all greater ones."""
        beyond = np.minimum(totals - self.target, self.unit * (self.rows - 1 - self.last))
        return (self.last + beyond // self.unit).astype(np.int32)

    def _banked(self, state: OwnState, numbers: Ints, low: Floats, high: Floats) -> Spans:
        """Return where banks lead that put a player somewhere from `low` to `high`; not those that are not allowed."""
        at_target = state.low == state.high == self.target
        wins = (low <= self.target) & (self.target <= high) & (not at_target) if self.exact else high >= self.target
        only = wins & ((low == high) if self.exact else (low >= self.target))
        last_below = high if self.passes else np.minimum(high, self.target - self.unit)
        first, last = self._rows_of(low), self._rows_of(last_below)
        first[only], last[only] = 0, -1
        if self.has_last_turn:
            first[only], last[only] = self._total_rows(low[only]), self._total_rows(high[only])
            wins &= ~only
        possible = (first <= last) | wins
        return Spans(numbers[possible], first[possible], last[possible], wins[possible])

    def _six_dice_penalties(self, state: OwnState) -> tuple[int, int]:
        """Return the least and the greatest that a bust on six costs at a score of an own state."""
        edges = [row.below for row in self.rules.bust.on_six if row.below is not None]
        scores = (state.low, state.high, *edges, *(edge - 1 for edge in edges))
        inside = [int(score) for score in scores if state.low <= score <= state.high and abs(score) < inf]
        lost = [six_dice_penalty(self.rules, score) for score in inside]
        return min(lost), max(lost)

    def _after_bust(self, state: OwnState, penalties: tuple[int, int]) -> Span:
        (least, most), busts = penalties, state.busts
        in_a_row = self.rules.bust.in_a_row
        if in_a_row is not None:
            busts += 1
            if busts == in_a_row.busts:
                busts, least, most = 0, least + in_a_row.penalty, most + in_a_row.penalty
        return self._span(state.low - most, state.high - least, opened=state.opened, busts=busts)

    def rule_of(self, state: OwnState) -> BankRule:
        """Return which turn scores may be banked from an own state."""
        if self.rules.turn.opening_applies == "at_score_zero":
            return self.unopened if state.low == state.high == 0 else self.opened
        return self.opened if state.opened else self.unopened

    @cached_property
    def moves(self) -> tuple[Moves, ...]:
        """Where the endings of a turn lead, for each own state."""
        return tuple(self._moves(state) for state in self.states)

    def _moves(self, state: OwnState) -> Moves:
        scores = self.program.bank_scores
        numbers = np.flatnonzero(allowed(self.rule_of(state), scores)).astype(np.int32)
        added = scores[numbers].astype(float)
        ways = [self._banked(state, numbers, state.low + added, state.high + added)]
        subtracts = self.passes and state.low > self.target
        if subtracts:
            ways.append(self._banked(state, numbers, state.low - added, state.high - added))
        return Moves(
            tuple(ways),
            self._after_bust(state, (0, 0)),
            self._after_bust(state, self._six_dice_penalties(state)),
            tuple(self._beyond(state, subtracts)),
        )

    def _beyond(self, state: OwnState, subtracts: bool) -> Iterator[Span]:
        """Yield where banking a turn score past the limit may lead."""
        limit = self._limit(state)
        # Where the target may be passed, scores beyond the limit have neighbours that are worth about as much.
        next_ = 0 if self.passes else limit // self.unit * self.unit + self.unit - limit
        ends = [(state.low + limit + next_, inf)]
        ends += [(-inf, state.high - limit)] if subtracts else []
        for low, high in ends:
            yield from (
                span for _, span in self._banked(state, np.zeros(1, np.int32), np.array([low]), np.array([high]))
            )

    def limit(self, state: int) -> int:
        """Return the turn score beyond which nothing is to be gained, or the greatest one that is backed up."""
        return self._limit(self.states[state])

    def _limit(self, state: OwnState) -> int:
        most = self.extent.most
        if self.passes and state.low < state.high:
            most //= 2
        if self.passes:
            away = max(self.target - state.low, state.high - self.target)
            return int(min(most, max(3 * away + self.extent.past, self.opened.minimum)))
        if self.has_last_turn:
            return self.most
        return int(self.target - max(state.low, self.target - most)) + self.margin
