"""Who plays the turns of a race with High Stakes: the best play for what the endings are worth, or a policy.

Whoever has a turn also *answers* the bank before it: he begins afresh or takes over. So a mover says what a turn is
worth, and what taking over is; and what a bank is worth to the other, given that.
A player who plays best takes what is worth more; a policy says which offers it takes.

The turn of a policy is linear in what a bust is worth. So it is backed up once for a row, with and without a bust.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from dice10k_math.errors import InputError
from dice10k_math.fixed import FixedTurn, FixedTurns
from dice10k_math.last_turn import DOWN, NEAREST, UP, Mask, Side, last_turns
from dice10k_math.movers import PolicyMover
from dice10k_math.policy.choices import Standing
from dice10k_math.policy.players import Player
from dice10k_math.program import BLOCK, Floats, Ints
from dice10k_math.race import RowWorth
from dice10k_math.stakes import StakesRace
from dice10k_math.turn import BankRule
from dice10k_math.workers import run_all

SIDES = NEAREST, DOWN, UP
MOST_ANSWERS = 2**32
"""Memory, in bytes, that the last turns of a policy may take."""

MOST_KEPT = 2**28
"""Last turns that take more are worked out each time they are asked for."""


class Answers(Protocol):
    """What a player makes of the banks of the other."""

    def fill_past_target(self, table: Floats) -> None:
        """Write what waiting is worth to the other, who has reached the target, where no offer matters."""
        ...

    def banks(self, phase: int, total: int, waiting: Floats, offers: Floats) -> Floats:
        """Return what banking is worth to the other in the turns of one row; see `StakesRace.bank_table`."""
        ...


class StakesMover(Protocol):
    """Who plays the turns of one seat of a race with High Stakes."""

    def turn(self, phase: int, total: int, worth: RowWorth, side: Side, only: Mask | None = None) -> Floats:
        """Return what the turn is worth at every turn start of one row; see `Race.turn`."""
        ...

    def turn_with_offers(self, phase: int, total: int, worth: RowWorth, side: Side, store: Floats) -> Floats:
        """Return the same, and store what taking over the offers is worth there."""
        ...

    def answers(self, side: Side) -> Answers:
        """Return what the player makes of the banks of the other."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class BestStakesMover:
    """A player who plays best for what the endings are worth."""

    race: StakesRace

    def turn(self, phase: int, total: int, worth: RowWorth, side: Side, only: Mask | None = None) -> Floats:
        """Return what the turn is worth."""
        return self.race.turn(phase, total, worth, side, only)

    def turn_with_offers(self, phase: int, total: int, worth: RowWorth, side: Side, store: Floats) -> Floats:
        """Return what the turn is worth, and store what taking over is."""
        return self.race.turn_with_offers(phase, total, worth, side, store)

    def answers(self, side: Side) -> BestAnswers:
        """Return what the player makes of the banks of the other."""
        last = last_turns(self.race, 0.5, side)
        beyond = 0.0 if side.lowest and side.sign else float(last[-1])
        return BestAnswers(self.race, last, beyond, self.race.take_overs(side))


@dataclass(frozen=True, slots=True, eq=False)
class BestAnswers:
    """What a player who plays best makes of the banks of the other: whatever is worth more to him.

    Attributes
    ----------
    race
        The match.
    last, beyond
        What a last turn is worth that begins afresh, by deficit, and with greater ones.
    takes
        What taking over is worth in a last turn; see `StakesRace.take_overs`.
    """

    race: StakesRace
    last: Floats
    beyond: float
    takes: Floats

    def fill_past_target(self, table: Floats) -> None:
        """Write what waiting is worth to the other who has reached the target, the player beginning afresh."""
        self.race.fill_past_target(table, self.last, self.beyond)

    def banks(self, phase: int, total: int, waiting: Floats, offers: Floats) -> Floats:
        """Return what banking is worth to the other."""
        return self.race.bank_table(phase, total, waiting, offers, self.takes)


@dataclass(frozen=True, slots=True, eq=False)
class PolicyAnswers:
    """What a player who plays by a policy makes of the banks of the other.

    Attributes
    ----------
    race
        The match.
    numbers
        Shape (totals, scores): the last turn that he plays, by the other's total, from the target on, and his score.
    starts, worths
        For each last turn, by bank row from `starts` on: what it is worth to him after that bank. Only those can be
        read that lead from below the target to one of its totals.
    unknown
        What it is taken to be worth with greater totals.
    """

    race: StakesRace
    numbers: Ints
    starts: NDArray[np.int64]
    worths: Floats
    unknown: float

    def fill_past_target(self, table: Floats) -> None:
        """Write what waiting is worth to the other who has reached the target: what is left out is never read."""
        self.race.fill_past_target(table, np.zeros(1), 0.0)

    def banks(self, phase: int, total: int, waiting: Floats, offers: Floats) -> Floats:
        """Return what banking is worth to the other."""
        from dice10k_math.kernel import fill_answered_banks

        race = self.race
        out = np.empty((len(race.bank_units), race.scores))
        opening = -(-race.unopened.minimum // race.unit)
        fill_answered_banks(
            out,
            (total, *race.columns(total), race.scores, opening, race.has_last_turn and phase == 0),
            waiting[phase * race.rows : (phase + 1) * race.rows],
            offers[race.other(phase)],
            race.offer_starts,
            (self.numbers, self.starts, self.worths, self.unknown),
            race.bank_units,
        )
        return out


@dataclass(frozen=True, slots=True, eq=False)
class _Row:
    """The turns of one row, what a bust is worth left open.

    Attributes
    ----------
    table
        What banking is worth: it tells whether the row can be used again.
    fresh, offers
        Worth with a bust that is worth nothing: shapes (columns,) and (offers, columns).
    fresh_bust, offers_bust
        The same: how likely a bust is.
    takes
        Shape (offers, columns): whether the player takes the offer.
    """

    table: Floats
    fresh: Floats
    offers: Floats
    fresh_bust: Floats
    offers_bust: Floats
    takes: Mask


class StakesPolicyMover(PolicyMover):
    """A player who plays by a policy."""

    def __init__(self, race: StakesRace, player: Player) -> None:
        super().__init__(race, player)
        self.stakes = race
        self.fixed = FixedTurns(race.program, player)
        self._rows: dict[tuple[int, int, float], _Row] = {}
        self._answers: dict[Side, PolicyAnswers] = {}

    def turn(
        self,
        phase: int,
        total: int,
        worth: RowWorth,
        side: Side,
        only: Mask | None = None,  # noqa: ARG002 - all columns are as cheap as some
    ) -> Floats:
        """Return what the turn is worth."""
        row, (first, end) = self._row(phase, total, worth.table, side), self.race.columns(total)
        found = np.full(self.race.scores, np.nan)
        found[first:end] = _with_bust(row.fresh, row.fresh_bust, worth.bust[first:end], side)
        return found

    def turn_with_offers(self, phase: int, total: int, worth: RowWorth, side: Side, store: Floats) -> Floats:
        """Return what the turn is worth, and store what the offers are that are taken over; others: not a number."""
        race, row = self.stakes, self._row(phase, total, worth.table, side)
        first, end = race.columns(total)
        offers = _with_bust(row.offers, row.offers_bust, worth.bust[first:end], side)
        start, stop = race.offer_starts[total : total + 2]
        # The store is read by the score of the player who is offered them; here columns are the other's.
        store[phase, start:stop] = np.where(row.takes, offers, np.nan)[:, ::-1].reshape(-1)
        return self.turn(phase, total, worth, side)

    def _row(self, phase: int, total: int, table: Floats, side: Side) -> _Row:
        found = self._rows.get((phase, total, side.sign))
        if found is None or found.table is not table:
            # Rows are asked for one after another: those before are not needed any more.
            self._rows = {place: row for place, row in self._rows.items() if place[1] == total}
            found = self._rows[phase, total, side.sign] = self._backed_up(phase, total, table, side)
        return found

    def _backed_up(self, phase: int, total: int, table: Floats, side: Side) -> _Row:
        race = self.stakes
        first, end = race.columns(total)
        columns = np.arange(first, end, dtype=np.int32)
        numbers = self.numbers[phase, total - columns, columns]
        kept = race.offer_states[: race.offers_of(total)]
        fresh, offers = np.empty((2, len(columns))), np.empty((2, len(kept), len(columns)))
        takes = np.empty((len(kept), len(columns)), bool)

        def back_up(number: int, places: NDArray[np.intp]) -> None:
            turn = self.fixed.of(*self.plays.turns[number])
            takes[:, places] = turn.takes[: len(kept), None]
            for part in np.split(places, range(BLOCK, len(places), BLOCK)):
                worths = self._worths(turn, table, columns[part], side)
                fresh[0, part], offers[0][:, part] = worths[-1], worths[kept]
            chances = self._bust_chances(turn, side)
            fresh[1, places], offers[1][:, places] = chances[-1], chances[kept, None]

        used = np.unique(numbers).tolist()
        run_all([partial(back_up, number, np.flatnonzero(numbers == number)) for number in used])
        return _Row(table, fresh[0], offers[0], fresh[1], offers[1], takes)

    def _worths(self, turn: FixedTurn, table: Floats, columns: Ints, side: Side) -> Floats:
        """Return the worth of rolling on from every after-state, a bust being worth nothing."""
        return self._through(turn, self.race.program.instant_win, _edge(side), table, columns, side)

    def _bust_chances(self, turn: FixedTurn, side: Side) -> Floats:
        """Return how likely each after-state leads to a bust: at least, at most, or about."""
        if side.sign not in turn.busts:
            edge = 0.0 if side.sign else 1.0
            nothing = np.zeros((len(self.race.program.bank_scores), 1))
            found = self._through(turn, self.race.program.bust, edge, nothing, np.zeros(1, np.int32), side)
            turn.busts[side.sign] = found[:, 0].copy()
        return turn.busts[side.sign]

    @cached_property
    def busts(self) -> Floats:
        """Shape (phases, scores, scores): probability of a bust, by own score and the other's."""
        numbers = self.numbers
        found = [self._bust_chances(self.fixed.of(*turn), NEAREST)[-1] for turn in self.plays.turns]
        return np.array(found)[numbers]

    def _through(
        self, turn: FixedTurn, ending: Floats, edge: float, table: Floats, columns: Ints, side: Side
    ) -> Floats:
        from dice10k_math.kernel import back_up_fixed

        program = self.race.program
        out = np.empty((len(program.hand), len(columns)))
        back_up_fixed(
            (turn.starts, turn.rows, turn.chances),
            (program.hand, self.fixed.inner),
            len(program.bank_scores),
            ending,
            edge,
            table,
            columns,
            side.sign * turn.rounding,
            out,
        )
        return out

    def units_banked(self, phase: int, own: int, other: int) -> Ints:
        """Return the banks, in units, that the turn can end with; with offers that are taken, at least these."""
        turn = self.fixed.of(*self.plays.turns[self.numbers[phase, own, other]])
        if not turn.takes.any():
            return super().units_banked(phase, own, other)
        banks = turn.rows[turn.rows < len(turn.takes)]
        return np.unique(self.stakes.bank_units[banks])

    def answers(self, side: Side) -> PolicyAnswers:
        """Return what the player makes of the banks of the other."""
        if side in self._answers:
            return self._answers[side]
        last, size = self.all_last_turns, int(self.all_last_turns.starts[-1])
        if 8 * size > MOST_ANSWERS:
            raise InputError(
                f"policy: {len(last.turns):,} different last turns need {size / 2**27:.0f} GiB of memory; "
                f"allowed: {MOST_ANSWERS // 2**30} GiB, so a lower target, or last turns that look at less"
            )
        # All sides are asked for in the end, and writing a turn down takes longer than to back it up.
        sides = SIDES if 8 * size <= MOST_KEPT else (side,)
        worths = np.empty((len(sides), size))
        run_all([partial(self._answer, by, rows, sides, worths) for by, rows in last.alike()])
        starts = last.starts[:-1] - last.banks[:, 0]
        found = {
            each: PolicyAnswers(self.stakes, last.numbers, starts, part, _edge(each))
            for each, part in zip(sides, worths, strict=True)
        }
        if len(sides) > 1:
            self._answers |= found
        return found[side]

    @cached_property
    def all_last_turns(self) -> LastTurns:
        """All last turns of the player."""
        race, unit, plays = self.stakes, self.race.unit, self.plays
        totals = race.rows - race.scores if race.has_last_turn else 0
        found: dict[LastTurn, int] = {}
        numbers = np.empty((totals, race.scores), np.int32)
        for past, own in np.ndindex(totals, race.scores):
            total, opened = race.scores + past, own > 0
            place = Standing(own * unit, total * unit, last=True, closing=race.phases == 2, opened=opened)
            turn = plays.player.key(place), plays.rule(own * unit, opened), total - own
            numbers[past, own] = found.setdefault(turn, len(found))
        return LastTurns.of(race, list(found), numbers)

    def _answer(self, by: tuple[Hashable, BankRule], rows: list[int], sides: tuple[Side, ...], worths: Floats) -> None:
        """Fill in what last turns are worth that are played alike."""
        last, units, turn = self.all_last_turns, self.stakes.bank_units[:, None], self.fixed.of(*by)
        for part in (rows[start : start + BLOCK] for start in range(0, len(rows), BLOCK)):
            behind = np.array([last.turns[number][2] for number in part])
            table = np.where(units > behind, 1.0, np.where(units == behind, 0.5, 0.0))
            for side, out in zip(sides, worths, strict=True):
                found = self._worths(turn, table, np.arange(len(part), dtype=np.int32), side)
                for column, number in enumerate(part):
                    first, end = last.banks[number]
                    states = self.offered_states[first:end]
                    taken = np.where(states >= 0, found[states, column], _edge(side))
                    start = last.starts[number]
                    out[start : start + end - first] = np.where(turn.takes[first:end], taken, found[-1, column])

    @cached_property
    def offered_states(self) -> Ints:
        """Number of the after-state that goes on from each bank row; -1: there is none that is followed."""
        program, step = self.race.program, self.race.model.step
        rows = self.fixed.states_at[program.bank_hands, program.bank_scores // step]
        return np.maximum(rows - len(program.bank_scores), -1)


def _edge(side: Side) -> float:
    """Return what is taken for the worth of what is not followed."""
    return 0.0 if side.lowest else 1.0


def _with_bust(worth: Floats, chance: Floats, bust: Floats, side: Side) -> Floats:
    """Return a worth, with what a bust is worth added in, as a bound."""
    found: Floats = (worth + chance * bust) * (1.0 + side.sign * 2.0**-50)
    return found


LastTurn = tuple[Hashable, BankRule, int]
"""Key of the player, bank rule, and how far he is behind, in units."""


@dataclass(frozen=True, slots=True, eq=False)
class LastTurns:
    """All last turns of a player that differ.

    Attributes
    ----------
    turns
        What they are.
    numbers
        Shape (totals, scores): which is played, by the other's total, from the target on, and the own score.
    banks
        Shape (turns, 2): the first bank row that can come before it, and the one after the last.
    starts
        Shape (turns + 1,): where those of each start if all are laid out one after another.
    """

    turns: list[LastTurn]
    numbers: Ints
    banks: NDArray[np.int64]
    starts: NDArray[np.int64]

    @classmethod
    def of(cls, race: StakesRace, turns: list[LastTurn], numbers: Ints) -> LastTurns:
        """Work out which banks come before which last turn: those from below the target to one of its totals."""
        least, most = np.full(len(turns), race.rows), np.zeros(len(turns), np.int64)
        totals = np.broadcast_to(race.scores + np.arange(len(numbers))[:, None], numbers.shape)
        np.minimum.at(least, numbers, totals)
        np.maximum.at(most, numbers, totals)
        first = np.searchsorted(race.bank_units, least - race.scores + 1)
        banks = np.stack([first, np.searchsorted(race.bank_units, most, side="right")], axis=1)
        return cls(turns, numbers, banks, np.cumsum([0, *(banks[:, 1] - banks[:, 0])]))

    def alike(self) -> list[tuple[tuple[Hashable, BankRule], list[int]]]:
        """Return the numbers of those that are played alike."""
        found: dict[tuple[Hashable, BankRule], list[int]] = {}
        for number, (key, rule, _) in enumerate(self.turns):
            found.setdefault((key, rule), []).append(number)
        return list(found.items())
