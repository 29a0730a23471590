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

from math import lcm

import numpy as np

from dice10k_math.backup import FAINT, Contexts, Forward, back_up, back_up_forward, blocks_of
from dice10k_math.edges import RollOn, roll_on
from dice10k_math.field_moves import FieldMoves, Span, Spans
from dice10k_math.field_states import Extent
from dice10k_math.last_turn import DOWN, Side, last_turns
from dice10k_math.program import NEVER, Floats, Ints, survival
from dice10k_math.rules import Ruleset, bank_step
from dice10k_math.tie_levels import TieLevels


class Field(FieldMoves):
    """The turn starts of a two-player match as pairs of own states, and the worth of turns from them."""

    def __init__(self, rules: Ruleset, extent: Extent, phase: int = 0) -> None:
        super().__init__(rules, extent, phase)
        self.low_survival, self.high_survival = survival(self.model, lcm(bank_step(rules), self.model.step))
        if rules.ending.overshoot == "not_allowed":
            self.low_survival = np.zeros_like(self.low_survival)
        self._roll_on = roll_on(self.model) if self.exact else None

    def survival(self, side: Side) -> Floats:
        """Return the survival beyond the greatest turn score, for a bound on this side."""
        return self.low_survival if side.lowest else self.high_survival

    def rolled_on(self, side: Side) -> RollOn | None:
        """Return what comes of never banking, for a bound on this side; None: that is not asked for."""
        return None if self._roll_on is None else self._roll_on[0 if side.lowest else 1]

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
