"""Two-player matches in which scores can fall or pass the target: turn starts, all of which hang together.

Penalties lower a score, and under an exact target it may be passed and come back. So there is no order in which to
take the turn starts, and
the scores have no end on one side or on both.

*Own states.* A player's part of a turn start: an interval of scores, whether the first bank has been made (where that
matters), and
the number of busts in a row (where they are counted). Near the target an interval is a single score. Far from it
intervals grow, and the last ones
have no end, so that every score lies in one. A turn start is a pair of own states.

*What an interval means.* For an upper bound (the opponent's side) a player whose score lies in an interval may count
as whichever of its scores serves best,
each time anew; for a lower bound (the protected player's side) the worst is assumed, each time anew. So a table over
intervals is a bound for the
true match, and the farther an interval is from where matches are decided, the less its width matters.
Likewise a turn score beyond the greatest one that is backed up counts as the best (or the worst) of all it can lead to.

A *row* of the extended table is the worth of waiting with an own state, by the opponent's own state.
Further rows stand for having won and (final round) for having reached the target with each total.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import inf, lcm

import numpy as np

from dice10k_math.backup import Contexts, Forward, back_up, back_up_forward, blocks_of
from dice10k_math.errors import InputError
from dice10k_math.last_turn import Side, allowed, compiled, hot_dice_within, margin_of
from dice10k_math.program import Floats, Ints, Program, survival
from dice10k_math.rules import Ruleset, bank_step, penalties, score_step
from dice10k_math.turn import BankRule, bank_rule, six_dice_penalty, turn_model


@dataclass(frozen=True, slots=True)
class OwnState:
    """A player's part of a turn start: scores from `low` to `high` in points, first bank made, busts in a row."""

    low: float
    high: float
    opened: bool
    busts: int


@dataclass(frozen=True, slots=True)
class Extent:
    """How far a field is resolved, in points.

    Attributes
    ----------
    low, high
        From the one to the other every score is an own state of its own.
    far
        Widths of the intervals that follow on either side, each with how many there are; the last intervals have no
        end.
    most
        Greatest turn score that is backed up.
    """

    low: int
    high: int
    far: tuple[tuple[int, int], ...]
    most: int


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


NOWHERE = Span(0, -1)


@dataclass(frozen=True, slots=True)
class Moves:
    """Where the endings of a turn lead from one own state.

    Attributes
    ----------
    banks
        For each bank row of the program the spans between which the player chooses; none: not allowed.
    bust, bust_on_six
        Spans after a bust.
    add_beyond, subtract_beyond
        Spans for turn scores greater than those backed up.
    """

    banks: tuple[tuple[Span, ...], ...]
    bust: Span
    bust_on_six: Span
    beyond: tuple[Span, ...]


class Field:
    """The turn starts of a two-player match as pairs of own states.

    Attributes
    ----------
    states
        The own states; a turn start is a pair of their numbers.
    won
        Row of the extended table: having won.
    last
        First of the rows for having reached the target when a last turn follows; they stand for the totals from the
        target on.
    rows
        Number of rows of the extended table.
    """

    def __init__(self, rules: Ruleset, extent: Extent) -> None:
        if rules.ending.kind == "equal_turns":
            raise InputError(f"{rules.name}: equal turns together with penalties are not solved for two players")
        self.rules, self.extent = rules, extent
        self.model = turn_model(rules)
        self.unit = score_step(rules)
        self.target = rules.ending.target
        self.exact = rules.ending.kind == "exact"
        first_bank = bank_rule(rules, self.target, opened=True)
        self.opened = BankRule(first_bank.minimum, first_bank.multiple)
        self.unopened = BankRule(bank_rule(rules, 0, opened=False).minimum, first_bank.multiple)
        self.margin = margin_of(self.model, self.opened)
        self.remembers = rules.turn.opening_applies == "until_first_bank" and self.opened != self.unopened
        self.intervals = tuple(self._intervals())
        self.states = tuple(self._states())
        self._number = {(state.low, state.opened, state.busts): number for number, state in enumerate(self.states)}
        self.won, self.last = len(self.states), len(self.states) + 1
        self.rows = self.last + (extent.most // self.unit + 1 if self.has_last_turn else 0)
        self.low_survival, self.high_survival = survival(self.model, lcm(bank_step(rules), self.model.step))
        if rules.ending.overshoot == "not_allowed":
            self.low_survival = np.zeros_like(self.low_survival)

    def _intervals(self) -> Iterator[tuple[float, float]]:
        low, high, unit = self.extent.low, self.extent.high, self.unit
        below, above = [], []
        start, end = low, high
        for width, count in self.extent.far:
            for _ in range(count):
                below.append((start - width, start - unit))
                above.append((end + unit, end + width))
                start, end = start - width, end + width
        yield -inf, start - unit
        yield from reversed(below)
        if self.rules.ending.overshoot == "add_or_subtract":
            yield from ((score, score) for score in range(low, high + 1, unit))
            yield from above
            yield end + unit, inf
        else:
            top = self.target - unit if not self.exact else self.target
            yield from ((score, score) for score in range(low, top + 1, unit))

    def _states(self) -> Iterator[OwnState]:
        in_a_row = self.rules.bust.in_a_row
        for opened in (True, False) if self.remembers else (True,):
            for busts in range(in_a_row.busts if in_a_row else 1):
                yield from (OwnState(low, high, opened, busts) for low, high in self.intervals if opened or high <= 0)

    @property
    def has_last_turn(self) -> bool:
        """Whether the opponent of a player who reaches the target has one more turn."""
        return self.rules.ending.kind == "final_round"

    @cached_property
    def program(self) -> Program:
        """The compiled turn."""
        return compiled(self.rules, self.extent.most, hot_dice_within(self.rules, self.extent.most))

    def survival(self, side: Side) -> Floats:
        """Return the survival beyond the greatest turn score, for a bound on this side."""
        return self.low_survival if side.lowest else self.high_survival

    @property
    def start(self) -> int:
        """Number of the own state in which a match starts."""
        return self.state_of(0, opened=not self.remembers)

    def state_of(self, score: int, opened: bool | None = None, busts: int = 0) -> int:
        """Return the number of the own state that holds a score; a score other than 0 counts as having banked.

        Raises
        ------
        InputError
            A state that cannot be.
        """
        if opened is None:
            opened = score != 0 or not self.remembers
        known = (self.intervals[self._interval(score)][0], opened, busts)
        if score % self.unit or known not in self._number:
            raise InputError(
                f"score: {score} with {busts} busts in a row cannot be in {self.rules.name}; "
                f"scores are multiples of {self.unit}"
            )
        return self._number[known]

    def nearest(self, state: OwnState) -> int:
        """Return the number of the own state that holds the score of a state of another field next to 0."""
        score = state.high if state.high <= 0 else state.low
        return self._number[self.intervals[self._interval(score)][0], state.opened, state.busts]

    @cached_property
    def _lows(self) -> Floats:
        return np.array([low for low, _ in self.intervals])

    def _interval(self, score: float) -> int:
        return int(np.searchsorted(self._lows, score, side="right")) - 1

    def _span(self, low: float, high: float, *, opened: bool, busts: int = 0, wins: bool = False) -> Span:
        """Return the rows of all own states that hold some score from `low` to `high`."""
        if not opened:
            high = min(high, 0)
        base = self._number[self.intervals[0][0], opened, busts]
        return Span(base + self._interval(low), base + self._interval(high), wins)

    def _added(self, state: OwnState, turn_score: int) -> Span:
        low, high = state.low + turn_score, state.high + turn_score
        if self.exact:
            return self._landed(low, high, from_target=state.low == self.target)
        if high < self.target:
            return self._span(low, high, opened=True)
        if low < self.target:
            below = self._span(low, self.target - self.unit, opened=True)
            return Span(below.first, below.last, wins=True)
        if not self.has_last_turn:
            return Span(0, -1, wins=True)
        row = min(self.last + int(low - self.target) // self.unit, self.rows - 1)
        return Span(row, row)

    def _landed(self, low: float, high: float, *, from_target: bool = False) -> Span:
        """Where scores from `low` to `high` put a player under an exact target."""
        wins = low <= self.target <= high and not from_target
        if low == high == self.target and wins:
            return Span(0, -1, wins=True)
        if self.rules.ending.overshoot == "not_allowed":
            if low > self.target:
                return NOWHERE
            high = min(high, self.target - self.unit)
        return self._span(low, high, opened=True, wins=wins)

    def _after_bust(self, state: OwnState, penalty: int) -> Span:
        busts = state.busts
        in_a_row = self.rules.bust.in_a_row
        if in_a_row is not None:
            busts += 1
            if busts == in_a_row.busts:
                busts, penalty = 0, penalty + in_a_row.penalty
        return self._span(state.low - penalty, state.high - penalty, opened=state.opened, busts=busts)

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
        subtracts = self.rules.ending.overshoot == "add_or_subtract" and state.low > self.target
        banks = []
        for turn_score, may_bank in zip(scores.tolist(), allowed(self.rule_of(state), scores).tolist(), strict=True):
            spans = [self._added(state, turn_score)] if may_bank else []
            if may_bank and subtracts:
                spans.append(self._landed(state.low - turn_score, state.high - turn_score))
            banks.append(tuple(span for span in spans if span != NOWHERE))
        most = self.extent.most
        beyond = []
        if self.exact:
            beyond.append(self._landed(state.low + most, inf))
            if subtracts:
                beyond.append(self._landed(-inf, state.high - most))
        score = min(state.high, self.target)
        penalty = six_dice_penalty(self.rules, int(score))
        return Moves(
            tuple(banks),
            self._after_bust(state, 0),
            self._after_bust(state, penalty),
            tuple(span for span in beyond if span != NOWHERE),
        )

    def extend(self, wait: Floats, side: Side, last_turn: Floats | None = None, beyond: float = 0.0) -> Floats:
        """Return the extended table.

        Parameters
        ----------
        wait
            Shape (states, states): worth of waiting, by own state and opponent's.
        side
            Which bound it is: with it, of the opponent's scores in an interval the one that counts.
        last_turn, beyond
            Worth for the opponent of a last turn by deficit, and for greater deficits; needed with a final round only.
        """
        table = np.empty((self.rows, len(self.states)))
        table[: len(self.states)] = wait
        table[self.won] = 1.0
        if last_turn is not None and self.has_last_turn:
            scores = np.array([state.high if side.lowest else max(state.low, -1e9) for state in self.states])
            totals = self.target + self.unit * np.arange(self.rows - self.last)
            behind = ((totals[:, None] - scores[None, :]) // self.unit).astype(np.int64)
            table[self.last :] = 1.0 - np.append(last_turn, beyond)[np.minimum(behind, len(last_turn))]
        return table

    def worth(self, span: Span, table: Floats, side: Side) -> Floats:
        """Return what an ending is worth, by opponent's state: of its possibilities the worst or the best counts."""
        if span.wins and (not side.lowest or span.last < span.first):
            return table[self.won]
        if span.first == span.last:
            return table[span.first]
        rows = table[span.first : span.last + 1]
        return rows.min(axis=0) if side.lowest else rows.max(axis=0)

    def _bank_worths(self, moves: Moves, table: Floats, side: Side) -> tuple[Floats, Ints]:
        """Return the worth of each bank as a table of its own, and the row of each."""
        rows = np.full(len(moves.banks), -1, np.int32)
        worths: list[Floats] = []
        for bank, spans in enumerate(moves.banks):
            if spans:
                rows[bank] = len(worths)
                worth = self.worth(spans[0], table, side)
                for span in spans[1:]:
                    worth = np.maximum(worth, self.worth(span, table, side))
                worths.append(worth)
        return np.array(worths).reshape(len(worths), table.shape[1]), rows

    def contexts(self, state: int, table: Floats, side: Side, columns: slice = slice(None)) -> Contexts:
        """Return the turn of one own state against every opponent's state, or against some."""
        moves = self.moves[state]
        table = table[:, columns]
        worths, rows = self._bank_worths(moves, table, side)
        return Contexts(
            worths,
            rows[None, :],
            self.worth(moves.bust, table, side)[None, :],
            self.worth(moves.bust_on_six, table, side)[None, :],
            self._top(state, table, side)[None, :],
        )

    def _top(self, state: int, table: Floats, side: Side) -> Floats:
        """Bounds of what banking beyond the greatest turn score can be worth."""
        if not self.exact:
            return self.worth(self._added(self.states[state], self.extent.most), table, side)
        if side.lowest:
            return np.zeros(table.shape[1])
        return np.max([self.worth(span, table, side) for span in self.moves[state].beyond], axis=0)

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
        return back_up(
            self.program,
            self.contexts(state, table, side),
            self.survival(side),
            blocks=blocks_of(1, table.shape[1], self.limit(state)),
            lowest=side.lowest,
            nudge=side.nudge(self.program),
            workers=1,
        )[0]

    def turn_forward(self, state: int, table: Floats, side: Side) -> Forward:
        """Back up the turn and follow the best play to its endings."""
        return back_up_forward(
            self.program,
            self.contexts(state, table, side),
            self.survival(side),
            limit=self.limit(state),
            lowest=side.lowest,
            nudge=side.nudge(self.program),
        )

    def limit(self, state: int) -> int:
        """Return the turn score beyond which nothing is to be gained, or the greatest one."""
        if self.exact or self.has_last_turn:
            return self.extent.most
        return int(min(self.extent.most, self.target - max(self.states[state].low, self.target - self.extent.most)))


SETTLED = 4e-13


def extents(rules: Ruleset) -> tuple[tuple[Extent, float], ...]:
    """Return how far the field of a match is resolved, in stages, each with the change at which to go on to the next.

    The widths were chosen by measuring how far the bounds lie apart; that they are bounds does not depend on them.
    """
    target, unit = rules.ending.target, score_step(rules)

    def points(share: float) -> int:
        return int(share * span) // unit * unit

    span = max(target, 4 * max((*penalties(rules), 0)))
    if rules.ending.overshoot != "add_or_subtract":
        low, most = -points(0.5), target + (points(2.0) if rules.ending.kind == "final_round" else 0)
        return ((Extent(low, target, _far(unit, points(0.05)), most), SETTLED),)
    far = _far(unit, points(0.05))
    return (
        (Extent(-points(0.3), target + points(0.4), far, target), 1e-3),
        (Extent(-points(0.7), target + points(0.8), far, target + points(0.4)), SETTLED),
    )


def _far(unit: int, width: int) -> tuple[tuple[int, int], ...]:
    """Widths of far intervals: growing with the distance."""
    return tuple((max(unit, width * factor // unit * unit), count) for factor, count in ((1, 8), (2, 6), (4, 6)))
