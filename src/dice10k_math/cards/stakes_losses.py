"""What a policy gives away in a solved match with High Stakes, turn by turn, as `losses` says it for other matches.

What comes before a turn is its *meeting*: both scores, and the offer, if there is one. Meetings are drawn from matches
that a policy plays against itself. At each of them V, with best play from there on, is compared with U, where this one
turn and the answer to the offer before it are the policy's. A turn that goes on where the solved match need not be
followed counts as a bust: that is rare but for small targets.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dice10k_math.fixed import FixedTurn, FixedTurns
from dice10k_math.kept import Keeps
from dice10k_math.policy import Standing, ThresholdPolicy, seat
from dice10k_math.program import BLOCK, Floats, Ints
from dice10k_math.questions.stakes import StakesPositions
from dice10k_math.turn import BankRule, turn_model

Mask = NDArray[np.bool_]
SEED = 1
MATCHES = 30_000
MOST_TURNS = 60
"""Turns of a match for which there is room."""


@dataclass(frozen=True, slots=True, eq=False)
class Meetings:
    """Turn starts with offers, each as likely as the next.

    Attributes
    ----------
    own, other, last, offer
        By meeting: scores in units, whether it is a last turn, and the bank row that is offered; -1: none.
    value
        V, with best play.
    start
        Number of the turn start.
    banks, bust
        By turn start: shape (bank rows, starts), what banking is worth; and what a bust is.
    weight
        How often a player has such a turn in a match, for each meeting.
    """

    own: Ints
    other: Ints
    last: Mask
    offer: Ints
    value: Floats
    start: NDArray[np.intp]
    banks: Floats
    bust: Floats
    weight: float


class StakesLosses:
    """What policies give away in one match with High Stakes."""

    def __init__(self, positions: StakesPositions) -> None:
        self.positions, self.race, self.rules = positions, positions.stakes, positions.stakes.rules
        self.program = self.race.program
        self.first = len(self.program.bank_scores)

    @cached_property
    def dice(self) -> Ints:
        """Number of dice that each bank row leaves."""
        return np.array([len(hand.hand) for hand in self.race.model.hands], np.int32)[self.program.bank_hands]

    def turns(self, policy: ThresholdPolicy) -> FixedTurns:
        """Return the turns of a policy."""
        return FixedTurns(self.program, seat(policy, self.rules), self._keeps)

    @cached_property
    def _keeps(self) -> Keeps:
        return Keeps(self.program, turn_model(self.rules))

    def turn_at(self, turns: FixedTurns, own: int, other: int, last: bool) -> tuple[Hashable, BankRule]:
        """Return which turn is played at a standing, scores in units."""
        unit = self.race.unit
        place = Standing(own * unit, other * unit, last=last, opened=own > 0)
        return turns.player.key(place), self.race.opened if own else self.race.unopened

    def draw(self, policy: ThresholdPolicy) -> NDArray[np.int64]:
        """Play matches of a policy against itself; return meetings as rows: own, other, last, offer."""
        from dice10k_math.simulation.meetings import meet

        turns, size = self.turns(policy), self.race.scores
        known: dict[tuple[Hashable, BankRule], int] = {}
        numbers = np.empty((size, size), np.int64)
        for own, other in np.ndindex(size, size):
            numbers[own, other] = known.setdefault(self.turn_at(turns, own, other, last=False), len(known))
        played = [turns.of(*each) for each in known]
        offsets = np.cumsum([0, *(len(turn.rows) for turn in played[:-1])])
        starts = np.stack([turn.starts + offset for turn, offset in zip(played, offsets, strict=True)])
        rows, chances = (np.concatenate(parts) for parts in zip(*((t.rows, t.chances) for t in played), strict=True))
        takes = np.stack([turn.takes for turn in played])
        out = np.empty((MATCHES * MOST_TURNS, 4), np.int64)
        units = self.race.bank_units.astype(np.int64)
        met = meet(
            MATCHES,
            SEED,
            (size, self.race.has_last_turn),
            numbers,
            (starts, rows, chances),
            takes,
            units,
            self.states,
            out,
        )
        return out[:met]

    @cached_property
    def states(self) -> Ints:
        """Number of the after-state that goes on from each bank row; of one that is not followed, -1."""
        program = self.program
        found = {
            each: state
            for state, each in enumerate(zip(program.hand.tolist(), program.turn_score.tolist(), strict=True))
        }
        banks = zip(program.bank_hands.tolist(), program.bank_scores.tolist(), strict=True)
        return np.array([found.get(bank, -1) for bank in banks], np.int32)

    def some(self, met: NDArray[np.int64], count: int) -> Meetings:
        """Return some of the meetings, all if there are no more, with what is worth there."""
        weight = len(met) / MATCHES / 2
        if len(met) > count:
            met = met[np.sort(np.random.default_rng(SEED).choice(len(met), count, replace=False))]
        starts, number = np.unique(met[:, :3], axis=0, return_inverse=True)
        order = np.argsort(number.reshape(-1), kind="stable")
        met, number = met[order], number.reshape(-1)[order]
        banks, bust, fresh = self._worths(starts)
        own, other, last, offer = met.T
        each = zip(own.tolist(), other.tolist(), last.tolist(), offer.tolist(), fresh[number].tolist(), strict=True)
        value = np.array([self._value(*meeting) for meeting in each])
        return Meetings(own, other, last == 1, offer, value, number, banks, bust, weight / max(len(met), 1))

    def _worths(self, starts: NDArray[np.int64]) -> tuple[Floats, Floats, Floats]:
        """Return what banks, a bust, and the turn without an offer are worth, by turn start."""
        positions, units = self.positions, self.race.bank_units
        banks, bust, fresh = np.empty((self.first, len(starts))), np.zeros(len(starts)), np.empty(len(starts))
        tables: dict[int, Floats] = {}
        for place in np.argsort(starts[:, 0] + starts[:, 1]).tolist():
            own, other, last = starts[place].tolist()
            if last:
                behind = other - own
                banks[:, place] = np.where(units > behind, 1.0, np.where(units == behind, 0.5, 0.0))
                fresh[place] = positions.last_turn[min(behind, len(positions.last_turn) - 1)]
                continue
            if own + other not in tables:
                tables = {own + other: positions.bank_table(own + other)}
            banks[:, place] = tables[own + other][:, other]
            bust[place], fresh[place] = 1.0 - positions.move[0, other, own], positions.move[0, own, other]
        return banks, bust, fresh

    def _value(self, own: int, other: int, last: int, offer: int, fresh: float) -> float:
        if offer < 0:
            return fresh
        return max(fresh, self.positions.taken(own, other, offer) if not last else self.taken_last(own, other, offer))

    def taken_last(self, own: int, other: int, offer: int) -> float:
        """Return what taking over is worth in a last turn."""
        behind = other - int(self.race.bank_units[offer]) - own
        return float(self.positions.takes[max(behind, -1) + 1, self.program.bank_hands[offer]])

    def given_away(self, policy: ThresholdPolicy, met: Meetings) -> Floats:
        """Return V - U of each meeting."""
        turns = self.turns(policy)
        first = np.flatnonzero(np.diff(met.start, prepend=-1)) if len(met.start) else np.zeros(0, np.intp)
        alike: dict[tuple[Hashable, BankRule], list[int]] = {}
        for place in first.tolist():
            known = self.turn_at(turns, int(met.own[place]), int(met.other[place]), bool(met.last[place]))
            alike.setdefault(known, []).append(int(met.start[place]))
        ends = np.append(first, len(met.start))
        found = np.empty(len(met.start))
        for known, starts in alike.items():
            turn = turns.of(*known)
            bust = self._through(turns, turn, self.program.bust, 1.0, np.zeros((self.first, 1)), [0])[:, 0]
            for part in (starts[place : place + BLOCK] for place in range(0, len(starts), BLOCK)):
                worth = self._through(turns, turn, self.program.instant_win, 0.0, met.banks, part)
                for column, start in enumerate(part):
                    rows = slice(ends[start], ends[start + 1])
                    offer = met.offer[rows]
                    taken = (offer >= 0) & turn.takes[np.maximum(offer, 0)]
                    state = np.where(taken, self.states[np.maximum(offer, 0)], len(bust) - 1)
                    worths = worth[state, column] + bust[state] * met.bust[start]
                    # What is taken over from beyond what is followed is not judged.
                    found[rows] = np.where(state < 0, met.value[rows], worths)
        return np.asarray(met.value - found)

    def _through(
        self, turns: FixedTurns, turn: FixedTurn, ending: Floats, edge: float, table: Floats, columns: list[int]
    ) -> Floats:
        from dice10k_math.kernel import back_up_fixed

        out = np.empty((len(self.program.hand), len(columns)))
        back_up_fixed(
            (turn.starts, turn.rows, turn.chances),
            (self.program.hand, turns.inner),
            self.first,
            ending,
            edge,
            table,
            np.array(columns, np.int32),
            0.0,
            out,
        )
        return out
