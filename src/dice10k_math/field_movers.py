"""Who plays the turns of a field: the best play for what the endings are worth, or a policy.

A policy's turn is worth the mean of what its endings are worth. Where an own state holds several scores, or the
opponent's does, the policy may play differently at each: of all that it may do there the worst counts (for a lower
bound) or the best. Own states without an end are not followed: there nothing is guaranteed, and everything conceded.

All terms are non-negative, so a sum of n of them is off by a factor of at most 1 +- (n + 8) * 2**-53; a bound is
moved outward by that.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from dice10k_math.backup import TINY_GAIN, Forward
from dice10k_math.chain import OwnState as Place
from dice10k_math.chain import after_bust
from dice10k_math.endings import TurnEndings
from dice10k_math.field import Field
from dice10k_math.field_states import OwnState
from dice10k_math.last_turn import Side, last_turns
from dice10k_math.plays import Plays
from dice10k_math.policy import Standing
from dice10k_math.policy.players import Player, breaks_of
from dice10k_math.program import Floats, Ints

Columns = Ints | slice
"""Opponent's states: their numbers, or all of them."""
EVERY = slice(None)
RARE = 1e-5
"""Probability below which a state within a turn of best play is not followed to its endings."""


@dataclass(frozen=True, slots=True)
class Endings:
    """How the turns of one own state end, by opponent's state.

    Attributes
    ----------
    weight, row
        Shape (endings, states): probability of each ending, and the row of the extended table that counts for it.
        What is rare may be missing.
    """

    weight: Floats
    row: Ints


class FieldMover(Protocol):
    """Who plays the turns of one seat of a field."""

    @property
    def field(self) -> Field:
        """The match."""
        ...

    def turn(self, state: int, table: Floats, side: Side, columns: Columns = EVERY) -> Floats:
        """Return what the turn of an own state is worth, by opponent's state, all or some; see `Field.turn`."""
        ...

    def endings(self, state: int, table: Floats, side: Side, columns: Columns = EVERY) -> Endings:
        """Return how it ends, roughly."""
        ...

    def last_turn(self, side: Side) -> Floats | None:
        """Return what a last turn is worth, by the other's total and own state; None: there is none."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class BestFieldMover:
    """A player who plays best for what the endings are worth."""

    field: Field

    def turn(self, state: int, table: Floats, side: Side, columns: Columns = EVERY) -> Floats:
        """Return what the turn is worth."""
        return self.field.turn(state, table[:, columns], side)

    def endings(self, state: int, table: Floats, side: Side, columns: Columns = EVERY) -> Endings:
        """Return how the best play ends, roughly."""
        field, moves, table = self.field, self.field.moves[state], table[:, columns]
        forward, rows = field.turn_forward(state, table, side, faint=RARE)
        busts = [field.counting_row(span, table, side) for span in (moves.bust, moves.bust_on_six)]
        lost = [forward.bust, forward.bust_on_six]
        if field.rules.ending.overshoot == "not_allowed":
            # Beyond the target no bank is allowed any more: what is not followed there is bound to bust.
            fallen = _fallen(forward, *(np.take_along_axis(table, row[None], 0)[0] for row in busts))
            lost = [one + more for one, more in zip(lost, fallen, strict=True)]
        return Endings(np.vstack([forward.banked, *lost]), np.vstack([rows, *busts]))

    def last_turn(self, side: Side) -> Floats | None:
        """Return what a last turn is worth."""
        field = self.field
        if not field.has_last_turn:
            return None
        worth = last_turns(field, 0.5, side)
        # A lower bound is that of the lowest score of an interval, and says nothing of greater deficits.
        low = side.lowest and bool(side.sign)
        return field.last_turn_by_total(worth, 0.0 if low else float(worth[-1]), highest=not low)


def _fallen(forward: Forward, bust: Floats, on_six: Floats) -> tuple[Floats, Floats]:
    """Part what was not followed into busts with fewer dice and busts with all, going by what it is worth."""
    left = np.maximum(1.0 - forward.banked.sum(axis=0) - forward.bust - forward.bust_on_six, 0.0)
    apart = on_six - bust
    share = np.divide(forward.rest - left * bust, apart, out=np.zeros_like(left), where=np.abs(apart) > TINY_GAIN)
    share = np.clip(share, 0.0, left)
    return left - share, share


@dataclass(frozen=True, slots=True, eq=False)
class _Turns:
    """All that a policy may do in one own state.

    Attributes
    ----------
    matrix
        Shape (turns, rows): probability of each row of the extended table.
    left
        Shape (turns,): probability of what is not known of the turn.
    may
        Shape (turns, states): whether the turn may be played against an opponent's state.
    unknown
        Shape (states,): opponent's states against which turns are not followed.
    """

    matrix: Floats
    left: Floats
    may: NDArray[np.bool_]
    unknown: NDArray[np.bool_]


class PolicyFieldMover:
    """A player who plays by a policy.

    Parameters
    ----------
    field
        The match.
    plays
        The turns of the player; those that are needed are followed at once.
    """

    def __init__(self, field: Field, plays: Plays) -> None:
        self.field, self.plays = field, plays
        self._turns = [self._followed(state) for state in field.states]

    @classmethod
    def of(cls, field: Field, player: Player) -> PolicyFieldMover:
        """Return the mover of a player."""
        return cls(field, Plays(player))

    def _followed(self, state: OwnState) -> _Turns | None:
        if max(abs(state.low), abs(state.high)) == inf:
            return None
        field, size = self.field, len(self.field.states)
        found: dict[tuple[int, int], int] = {}
        may: list[NDArray[np.bool_]] = []
        unknown = np.zeros(size, bool)
        at = np.array([field.interval_of(each) for each in field.states])
        for score in range(int(state.low), int(state.high) + 1, field.unit):
            numbers, hidden = self._numbers(state, score)
            unknown |= hidden[at]
            for number, where in numbers.items():
                found[score, number] = len(may)
                may.append(where[at] & ~hidden[at])
        endings = [(score, self.plays.endings[number]) for score, number in found]
        matrix = np.array([self._row(state, score, each) for score, each in endings]).reshape(-1, field.rows)
        return _Turns(matrix, np.array([each.open for _, each in endings]), np.array(may), unknown)

    def _numbers(self, state: OwnState, score: int) -> tuple[dict[int, NDArray[np.bool_]], NDArray[np.bool_]]:
        """Return the turns that may be played at a score, with the opponent's intervals, and those not followed."""
        count = len(self.field.intervals)
        found: dict[int, NDArray[np.bool_]] = {}
        unknown = np.zeros(count, bool)
        for opponent, intervals in self._opponents(score):
            if opponent is None:
                unknown[intervals] = True
                continue
            number = self.plays.number(self._standing(state, score, opponent))
            found.setdefault(number, np.zeros(count, bool))[intervals] = True
        return found, unknown

    def _standing(self, state: OwnState, score: int, opponent: int, *, last: bool = False) -> Standing:
        opened = state.opened if self.field.remembers else score != 0
        closing = self.field.phases == 2 and (last or self.field.phase == 1)
        return Standing(score, opponent, last, closing, opened, state.busts)

    def _opponents(self, score: int) -> Iterator[tuple[int | None, list[int]]]:
        """Yield opponents' scores, such that every way of playing is met, each with the intervals it stands for.

        None stands for scores of which it is not known how the player plays against them.
        """
        breaks = breaks_of(self.plays.player, score)
        intervals = list(enumerate(self.field.intervals))
        if breaks is None:
            for number, (low, high) in intervals:
                if max(abs(low), abs(high)) == inf:
                    yield None, [number]
                else:
                    yield from ((each, [number]) for each in range(int(low), int(high) + 1, self.field.unit))
            return
        # A turn that closes a round may be played otherwise against who has reached the target: nobody has here.
        ordered = sorted({*breaks, *([self.field.target] if self.field.phases == 2 else [])})
        pieces = [(bisect_right(ordered, low), bisect_right(ordered, high)) for _, (low, high) in intervals]
        for piece in range(len(ordered) + 1):
            inside = [number for number, (first, last) in enumerate(pieces) if first <= piece <= last]
            opponent = self._some_score(ordered, piece)
            if inside and opponent is not None:
                yield opponent, inside

    def _some_score(self, ordered: list[int], piece: int) -> int | None:
        """Return a score of a piece between two breaks; None: it has none."""
        unit = self.field.unit
        if not ordered:
            return 0
        if piece == 0:
            return (ordered[0] - 1) // unit * unit
        found = -(-ordered[piece - 1] // unit) * unit
        return found if piece == len(ordered) or found < ordered[piece] else None

    def _row(self, state: OwnState, score: int, endings: TurnEndings) -> Floats:
        """Return the probability of each row of the extended table."""
        field, row = self.field, np.zeros(self.field.rows)
        place = Place(score, state.opened, state.busts)
        for on_six, chance in ((False, endings.bust), (True, endings.bust_on_six)):
            after = after_bust(field.rules, place, on_six=on_six)
            row[field.row_of(after.score, opened=after.opened, busts=after.busts)] += chance
        for change, chance in endings.banked.items():
            row[field.banked_row(score + change)] += chance
        row[field.won] += endings.instant_win
        return row

    def _chosen(self, turns: _Turns, table: Floats, side: Side) -> tuple[Floats, Ints]:
        """Return the worth that counts, and the number of the turn, by opponent's state."""
        slack = side.sign * (turns.matrix.shape[1] + 8) * 2.0**-53
        worth = (turns.matrix @ table) * (1.0 + slack)
        if not side.lowest:
            worth += turns.left[:, None]
        bad = inf if side.lowest else -inf
        ranked = np.where(turns.may, worth, bad)
        chosen = (ranked.argmin(axis=0) if side.lowest else ranked.argmax(axis=0)).astype(np.int32)
        value = worth[chosen, np.arange(table.shape[1])]
        return np.where(turns.unknown, _nothing(side), value), chosen

    def turn(self, state: int, table: Floats, side: Side, columns: Columns = EVERY) -> Floats:
        """Return what the turn is worth."""
        turns = self._turns[state]
        if turns is None:
            return np.full(table.shape[1], _nothing(side))[columns]
        return self._chosen(turns, table, side)[0][columns]

    def endings(self, state: int, table: Floats, side: Side, columns: Columns = EVERY) -> Endings:
        """Return how it ends."""
        size = len(np.arange(table.shape[1])[columns])
        turns = self._turns[state]
        if turns is None:
            return Endings(np.zeros((1, size)), np.zeros((1, size), np.int32))
        _, chosen = self._chosen(turns, table, side)
        weight = np.where(turns.unknown, 0.0, turns.matrix[chosen].T)[:, columns]
        rows = np.repeat(np.arange(len(weight), dtype=np.int32)[:, None], size, axis=1)
        return Endings(weight, rows)

    def last_turn(self, side: Side) -> Floats | None:
        """Return what a last turn is worth: where that is not followed, no better than the best play makes it."""
        table = BestFieldMover(self.field).last_turn(side)
        if table is None:
            return None
        if side.lowest:
            table = np.zeros_like(table)
        # The last total stands for all greater ones.
        for total, row in enumerate(table[:-1]):
            for number, state in enumerate(self.field.states):
                if max(abs(state.low), abs(state.high)) < inf:
                    row[number] = self._last(state, self.field.target + total * self.field.unit, side)
        return table

    def _last(self, state: OwnState, total: int, side: Side) -> float:
        found = []
        for score in range(int(state.low), int(state.high) + 1, self.field.unit):
            endings = self.plays.of(self._standing(state, score, total, last=True))
            chances = [chance for change, chance in endings.banked.items() if score + change > total]
            level = endings.banked.get(total - score, 0.0) / 2
            value = (sum(chances) + level + endings.instant_win) * (1.0 + side.sign * (len(chances) + 8) * 2.0**-53)
            found.append(value if side.lowest else value + endings.open)
        return min(found) if side.lowest else max(found)


def _nothing(side: Side) -> float:
    """Return what a turn is worth of which nothing is known."""
    return 0.5 if not side.sign else 0.0 if side.lowest else 1.0
