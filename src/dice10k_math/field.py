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
Further rows stand for having won and (where the opponent has one more turn) for having reached the target with each
total.

*Phases.* Under equal turns there are two fields with the same own states: of the turns of the player who began the
round, and of those that close it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from math import inf, lcm

import numpy as np
from numpy.typing import NDArray

from dice10k_math.backup import FAINT, Contexts, Forward, back_up, back_up_forward, blocks_of
from dice10k_math.edges import RollOn, roll_on
from dice10k_math.errors import InputError
from dice10k_math.last_turn import DOWN, Side, allowed, compiled, hot_dice_within, last_turns, margin_of, most_lead
from dice10k_math.program import NEVER, Floats, Ints, Program, survival
from dice10k_math.rules import Ruleset, bank_step, least_reaching, penalties, score_step
from dice10k_math.tie_levels import TieLevels
from dice10k_math.turn import BankRule, bank_rule, six_dice_penalty, turn_model

LONG_TURN = 6_000
"""How far beyond what is missing turns are followed at least, in points: one roll can bring more than the target."""


@dataclass(frozen=True, slots=True)
class OwnState:
    """A player's part of a turn start: scores from `low` to `high` in points, first bank made, busts in a row."""

    low: float
    high: float
    opened: bool
    busts: int


Widths = tuple[tuple[int, int], ...]
"""Widths of intervals, in points, each with how many of it follow one another."""


@dataclass(frozen=True, slots=True)
class Extent:
    """How far a field is resolved, in points.

    Attributes
    ----------
    low, high
        From the one to the other every score is an own state of its own.
    below, above
        Widths of the intervals that follow on either side, each with how many there are; the last intervals have no
        end.
    most
        Greatest turn score that is backed up.
    past
        Where the target may be passed: turn scores are backed up to three times the distance from the target and so
        much more, as a greater one only leads farther away.
    """

    low: int
    high: int
    below: Widths
    above: Widths
    most: int
    past: int = 0


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


class Field:
    """The turn starts of a two-player match as pairs of own states.

    Attributes
    ----------
    target
        The target, or the least score above it that can be.
    most
        Greatest turn score that is backed up.
    phase
        Under equal turns: 0 for the turns that begin a round, 1 for those that close it.
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

    def __init__(self, rules: Ruleset, extent: Extent, phase: int = 0) -> None:
        self.rules, self.extent, self.phase = rules, extent, phase
        self.model = turn_model(rules)
        self.unit = score_step(rules)
        self.target = least_reaching(rules)
        self.exact = rules.ending.kind == "exact"
        self.passes = rules.ending.overshoot == "add_or_subtract"
        first_bank = bank_rule(rules, self.target, opened=True)
        self.opened = BankRule(first_bank.minimum, first_bank.multiple)
        self.unopened = BankRule(bank_rule(rules, 0, opened=False).minimum, first_bank.multiple)
        self.margin = margin_of(self.model, self.opened)
        self.most = extent.most if self.passes else extent.most + self.margin
        self.remembers = rules.turn.opening_applies == "until_first_bank" and self.opened != self.unopened
        self.intervals = tuple(self._intervals())
        self.states = tuple(self._states())
        self._number = {(state.low, state.opened, state.busts): number for number, state in enumerate(self.states)}
        self.won, self.last = len(self.states), len(self.states) + 1
        self.rows = self.last + (max(self.most, most_lead(rules)) // self.unit + 1 if self.has_last_turn else 0)
        self.low_survival, self.high_survival = survival(self.model, lcm(bank_step(rules), self.model.step))
        if rules.ending.overshoot == "not_allowed":
            self.low_survival = np.zeros_like(self.low_survival)
        self._roll_on = roll_on(self.model) if self.exact else None

    def _intervals(self) -> Iterator[tuple[float, float]]:
        low, high, unit = self.extent.low, self.extent.high, self.unit
        below = list(accumulate((-width for width, count in self.extent.below for _ in range(count)), initial=low))
        yield -inf, below[-1] - unit
        yield from ((start, end - unit) for end, start in reversed(list(pairwise(below))))
        if self.passes:
            yield from ((score, score) for score in range(low, high + 1, unit))
            above = list(accumulate((width for width, count in self.extent.above for _ in range(count)), initial=high))
            yield from ((start + unit, end) for start, end in pairwise(above))
            yield above[-1] + unit, inf
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
        return self.rules.ending.kind == "final_round" or (self.phases == 2 and self.phase == 0)

    @property
    def phases(self) -> int:
        """Number of phases of the match: 2 under equal turns."""
        return 2 if self.rules.ending.kind == "equal_turns" else 1

    @cached_property
    def program(self) -> Program:
        """The compiled turn."""
        return compiled(self.rules, self.most, hot_dice_within(self.rules, self.most))

    def survival(self, side: Side) -> Floats:
        """Return the survival beyond the greatest turn score, for a bound on this side."""
        return self.low_survival if side.lowest else self.high_survival

    def rolled_on(self, side: Side) -> RollOn | None:
        """Return what comes of never banking, for a bound on this side; None: that is not asked for."""
        return None if self._roll_on is None else self._roll_on[0 if side.lowest else 1]

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
            opened = score != 0
        # Where it makes no difference, who has not banked yet is told apart from nobody.
        opened = opened or not self.remembers
        low, high = self.intervals[self._interval(score)]
        known = (low, opened, busts)
        if score % self.unit or score > high or known not in self._number:
            raise InputError(
                f"score: {score} with {busts} busts in a row cannot be in {self.rules.name}; "
                f"scores are multiples of {self.unit}"
            )
        return self._number[known]

    @cached_property
    def _lows(self) -> Floats:
        return np.array([low for low, _ in self.intervals])

    def _interval(self, score: float) -> int:
        return int(np.searchsorted(self._lows, score, side="right")) - 1

    def _span(self, low: float, high: float, *, opened: bool, busts: int = 0) -> Span:
        """Return the rows of all own states that hold some score from `low` to `high`."""
        if not opened:
            high = min(high, 0)
        base = self._number[self.intervals[0][0], opened, busts]
        return Span(base + self._interval(low), base + self._interval(high))

    def interval_of(self, state: OwnState) -> int:
        """Return the number of the interval of an own state."""
        return self._interval(state.low)

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

    def extend(self, wait: Floats, side: Side, last_turn: Floats | None = None, beyond: float = 0.0) -> Floats:
        """Return the extended table.

        Parameters
        ----------
        wait
            Shape (states, states): worth of waiting, by own state and opponent's.
        side
            Which bound it is: with it, of the opponent's scores in an interval the one that counts.
        last_turn, beyond
            Worth for the opponent of a last turn by deficit, and for greater deficits; needed where there is one.
            Or, in two dimensions, by the player's total and the opponent's state.
        """
        table = np.empty((self.rows, len(self.states)))
        table[: len(self.states)] = wait
        table[self.won] = 1.0
        if last_turn is not None and self.has_last_turn:
            by_total = last_turn
            if last_turn.ndim == 1:
                by_total = self.last_turn_by_total(last_turn, beyond, highest=side.lowest)
            table[self.last :] = 1.0 - by_total
            if not side.lowest:
                # The last total stands for all greater ones too.
                table[-1] = 1.0
        return table

    def last_turns_with(self, levels: TieLevels, ties: Floats, side: Side) -> tuple[Floats, float]:
        """Return what last turns are worth, and with greater deficits: as `extend` asks for it.

        Parameters
        ----------
        levels
            The scores at which both can be level that are told apart.
        ties
            By tie: what drawing level is worth to the player who has the last turn.
        side
            Rounding.
        """
        worths = levels.after_banks(ties)
        totals = self.target + self.unit * np.arange(self.rows - self.last)
        numbers = levels.number(totals)
        by_total = np.empty((len(totals), len(self.states)))
        for number in np.unique(numbers).tolist():
            found = last_turns(self, float(worths[number]), side)
            beyond = 0.0 if side is DOWN else float(found[-1])
            if levels.count == 1:
                return found, beyond
            mine = numbers == number
            by_total[mine] = self.last_turn_by_total(found, beyond, highest=side is not DOWN)[mine]
        return by_total, 0.0

    def last_turn_by_total(self, worth: Floats, beyond: float, *, highest: bool) -> Floats:
        """Return what a last turn is worth by the other's total and own state, from its worth by deficit.

        `highest`: whether of the scores in an interval the highest counts, or the lowest.
        """
        scores = np.array([state.high if highest else max(state.low, -1e9) for state in self.states])
        totals = self.target + self.unit * np.arange(self.rows - self.last)
        behind = ((totals[:, None] - scores[None, :]) // self.unit).astype(np.int64)
        return np.append(worth, beyond)[np.minimum(behind, len(worth))]

    def worth(self, span: Span, table: Floats, side: Side) -> Floats:
        """Return what an ending is worth, by opponent's state: of its possibilities the worst or the best counts."""
        if span.wins and (not side.lowest or span.last < span.first):
            return table[self.won]
        if span.first == span.last and not span.wins:
            return table[span.first]
        rows = table[self._counted(span)]
        return rows.min(axis=0) if side.lowest else rows.max(axis=0)

    def _counted(self, span: Span) -> Ints:
        """Return the rows of which one counts; with a last turn to come, the least total that reaches the target too.

        A greater total is worth more.
        """
        rows = np.arange(span.first, span.last + 1, dtype=np.int32)
        return np.append(rows, np.int32(self.last)) if span.wins and self.has_last_turn else rows

    def bank_worths(self, state: int, table: Floats, side: Side) -> tuple[Floats, Ints]:
        """Return what each bank of an own state is worth, and the row that counts for it.

        Returns
        -------
        tuple of ndarrays of shape (bank rows, states)
            By opponent's state; `NEVER` and -1 where banking is not allowed.
        """
        worths = np.full((len(self.program.bank_scores), table.shape[1]), NEVER)
        rows = np.full(worths.shape, -1, np.int32)
        for way in self.moves[state].banks:
            new_rows = self._counting_rows(way, table, side)
            new = np.take_along_axis(table, new_rows, axis=0)
            better = new > worths[way.scores]
            worths[way.scores] = np.where(better, new, worths[way.scores])
            rows[way.scores] = np.where(better, new_rows, rows[way.scores])
        return worths, rows

    def _counting_rows(self, way: Spans, table: Floats, side: Side) -> Ints:
        """Return the row that counts of each span, by opponent's state: shape (spans, states)."""
        rows = np.repeat(way.first[:, None], table.shape[1], axis=1)
        for number in np.flatnonzero((way.first < way.last) & ~way.wins).tolist():
            rows[number] = self.counting_row(Span(int(way.first[number]), int(way.last[number])), table, side)
        for number in np.flatnonzero(way.wins).tolist():
            rows[number] = self.counting_row(Span(int(way.first[number]), int(way.last[number]), True), table, side)
        return rows

    def counting_row(self, span: Span, table: Floats, side: Side) -> Ints:
        """Return the row that counts of a span, by opponent's state: that of the worst or of the best."""
        if span.wins and (not side.lowest or span.last < span.first):
            return np.full(table.shape[1], self.won, np.int32)
        if span.first == span.last and not span.wins:
            return np.full(table.shape[1], span.first, np.int32)
        rows = self._counted(span)
        found = table[rows]
        return rows[found.argmin(axis=0) if side.lowest else found.argmax(axis=0)]

    def contexts(self, state: int, table: Floats, side: Side, columns: slice = slice(None)) -> Contexts:
        """Return the turn of one own state against every opponent's state, or against some."""
        table = table[:, columns]
        return self._contexts(state, table, side, self.bank_worths(state, table, side)[0])

    def _contexts(self, state: int, table: Floats, side: Side, worths: Floats) -> Contexts:
        moves = self.moves[state]
        may_bank = np.zeros(len(worths), bool)
        for way in moves.banks:
            may_bank[way.scores] = True
        rows = np.where(may_bank, np.arange(len(worths)), -1).astype(np.int32)
        return Contexts(
            worths,
            rows[None, :],
            self.worth(moves.bust, table, side)[None, :],
            self.worth(moves.bust_on_six, table, side)[None, :],
            self._top(state, table, side)[None, :],
        )

    def _top(self, state: int, table: Floats, side: Side) -> Floats:
        """Bounds of what banking beyond the limit can be worth."""
        moves = self.moves[state]
        if not moves.beyond or (self.exact and side.lowest):
            return np.zeros(table.shape[1])
        return np.max([self.worth(span, table, side) for span in moves.beyond], axis=0)

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
            rolled_on=self.rolled_on(side),
            blocks=blocks_of(1, table.shape[1], self.limit(state)),
            lowest=side.lowest,
            nudge=side.nudge(self.program),
            workers=1,
        )[0]

    def turn_forward(self, state: int, table: Floats, side: Side, *, faint: float = FAINT) -> tuple[Forward, Ints]:
        """Back up the turn and follow the best play to its endings; return also the row that counts for each bank.

        States within the turn that are less probable than `faint` are not followed.
        """
        worths, rows = self.bank_worths(state, table, side)
        forward = back_up_forward(
            self.program,
            self._contexts(state, table, side, worths),
            self.survival(side),
            rolled_on=self.rolled_on(side),
            limit=self.limit(state),
            lowest=side.lowest,
            nudge=side.nudge(self.program),
            faint=faint,
        )
        return forward, rows

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


def extents(rules: Ruleset) -> tuple[Extent, ...]:
    """Return how far the field of a match is resolved: last for its bounds, before that for a start, turns followed
    less far.

    The widths were chosen by measuring how far the bounds lie apart; that they are bounds does not depend on them.
    """
    target, unit = rules.ending.target, score_step(rules)
    span = max(target, 4 * max((*penalties(rules), 0)))

    def points(share: float) -> int:
        return int(share * span) // unit * unit

    def widths(*shares: tuple[float, int]) -> Widths:
        return tuple((max(unit, points(share)), count) for share, count in shares)

    if rules.ending.overshoot != "add_or_subtract":
        below = widths((0.05, 8), (0.1, 6), (0.2, 6))
        low = -points(0.5)
        most = target - low + max(points(2.0), LONG_TURN // unit * unit)
        return (Extent(low, target, below, (), most),)
    # Whoever trails may throw one huge turn, past the target as far again: there every score has to be told apart.
    below, above = widths((0.1, 4)), widths((0.02, 8), (0.05, 4), (0.1, 4), (0.2, 2))
    low, high = -points(0.65), target + points(1.0)
    rough = tuple(Extent(low, high, below, above, points(share)) for share in (0.4, 1.4))
    return *rough, Extent(low, high, below, above, points(3.8), points(0.3))
