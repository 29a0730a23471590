"""The turn starts of a race with High Stakes, with and without an offer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from dice10k_math.bounds import RaceBounds, StakesGuarantees
from dice10k_math.certify.race import judge_race
from dice10k_math.dice import Hand
from dice10k_math.errors import InputError, NotConvergedError
from dice10k_math.last_turn import NEAREST, allowed
from dice10k_math.program import NEVER, Floats
from dice10k_math.questions.positions import BankWorth, RacePositions, Seat
from dice10k_math.race import Race, RowWorth
from dice10k_math.rules.model import Ruleset
from dice10k_math.single import Situation
from dice10k_math.solve.race import write_waiting
from dice10k_math.solve.stakes import keep_offers, propose_stakes_bounds, solve_stakes
from dice10k_math.stakes import StakesRace

Enclosure = tuple[float, float, float]
"""Value, lower bound, upper bound."""


@dataclass(frozen=True, eq=False)
class StakesPositions(RacePositions):
    """The turn starts of a race with High Stakes.

    What the offers are worth follows from the values without an offer by one evaluation of every turn start.
    That is done when it is first asked for, unless solving has left it.
    """

    @property
    def stakes(self) -> StakesRace:
        """The match."""
        assert isinstance(self.race, StakesRace)  # noqa: S101 - the race of these positions
        return self.race

    @cached_property
    def _waiting(self) -> Floats:
        """Worth of waiting after a bank, the other beginning afresh: shape (phases * rows, scores)."""
        race = self.race
        table = np.zeros((race.phases * race.rows, race.scores))
        race.fill_past_target(table, self.last_turn, float(self.last_turn[-1]))
        move = by_rows(race, self.move)
        for total in range(2 * race.scores - 1):
            write_waiting(race, total, move, table)
        return table

    @cached_property
    def offers(self) -> Floats:
        """What taking over is worth, by phase, as a store of the race."""
        race = self.stakes
        store = race.no_offers()
        for total in range(2 * race.scores - 2, -1, -1):
            for phase in range(race.phases):
                banks = race.bank_table(phase, total, self._waiting, store, self._takes)
                worth = RowWorth(banks, self._waiting[0], self.last_turn)
                keep_offers(race, phase, total, self._waiting, worth, store)
        return store

    @cached_property
    def _takes(self) -> Floats:
        return self.stakes.take_overs(NEAREST)

    @cached_property
    def guarantees(self) -> StakesGuarantees:
        """Bounds of the offers, as a judge evaluates them who accepts those of the turn starts."""
        race = self.stakes
        upper = np.stack([by_rows(race, self.upper)[race.other(phase)] for phase in range(race.phases)])
        wait = np.full_like(upper, np.nan)
        for total in range(2 * race.scores - 1):
            first, end = race.columns(total)
            wait[:, total, first:end] = 1.0 - upper[:, total, total - np.arange(first, end)]
        return _accepted(race, RaceBounds(by_rows(race, self.lower), wait, 0.5, 0.5))

    def _bank_table(self, mover: Seat, other: Seat, second: bool) -> tuple[Floats, int]:
        """Return the worth of each bank row at a turn start, and the limit of the turn score."""
        race = self.stakes
        phase, own, opponent = self._place(mover, other, second)
        banks = race.bank_table(phase, own + opponent, self._waiting, self.offers, self._takes)[:, opponent]
        rule = race.unopened if own == 0 else race.opened
        limits = race.limits(phase, own + opponent, np.full(race.scores, 0.0), self.last_turn)
        limit = int(limits[opponent - race.columns(own + opponent)[0]])
        return np.where(allowed(rule, race.program.bank_scores), banks, NEVER), limit

    def _situation(self, mover: Seat, other: Seat, second: bool) -> Situation:
        race = self.stakes
        phase, own, opponent = self._place(mover, other, second)
        bank, limit = self._bank_table(mover, other, second)
        bust = 1.0 - float(self.move[race.other(phase), opponent, own])
        safe = race.ending_is_safe(phase)
        return Situation(bank, bust, bust, float(safe), limit, race.survival(NEAREST))

    def banks(self, mover: Seat, other: Seat, *, second: bool = False) -> BankWorth:
        """Return what tells the worth of banking a turn score and leaving a hand to be taken over."""
        bank, _ = self._bank_table(mover, other, second)
        program = self.race.program
        keys = zip(program.bank_scores.tolist(), program.bank_hands.tolist(), strict=True)
        worths = dict(zip(keys, bank.tolist(), strict=True))

        def worth(turn_score: int, hand: int) -> float | None:
            found = worths.get((turn_score, hand), NEVER)
            return found if found > NEVER else None

        return worth

    def bank_worths(self, mover: Seat, other: Seat, *, second: bool = False) -> dict[int, float]:  # noqa: ARG002
        """Refuse: with High Stakes the dice that a bank leaves matter."""
        raise InputError(f"{self.race.rules.name}: what a bank is worth depends on the dice that it leaves")

    def offer(
        self, mover: Seat, other: Seat, points: int, hand: Hand, *, second: bool = False
    ) -> tuple[Enclosure, Enclosure]:
        """Return what beginning afresh and what taking over is worth.

        Raises
        ------
        InputError
            An offer that no bank can have made.
        """
        race = self.stakes
        bank = self._bank_number(other, points, hand)
        if other.score >= race.rules.ending.target:
            return self._last_offer(mover, other, bank, second)
        phase, own, opponent = self._place(mover, other, second)
        total = own + opponent
        first, end = race.columns(total)
        place = phase, int(race.offer_starts[total]) + bank * (end - first) + own - first
        value = float(self.offers[place])
        lower, upper = float(self.guarantees.own_offers[place]), float(self.guarantees.their_offers[place])
        return self.value(mover, other, second=second), _inside(value, lower, upper)

    def _bank_number(self, banker: Seat, points: int, hand: Hand) -> int:
        race = self.stakes
        before = banker.score - points
        rule = race.unopened if before == 0 else race.opened
        if points <= 0 or before < 0 or before % race.unit or not rule.allows(points):
            raise InputError(
                f"offer: {points} points; {race.rules.name}: a bank that led to {banker.score} has at least "
                f"{race.opened.minimum}, in steps of {race.opened.multiple}, "
                f"or {race.unopened.minimum} or more as the first one, and at most {banker.score}"
            )
        if before >= race.rules.ending.target:
            raise InputError(
                f"offer: {points} points; {race.rules.name} would have been over with {before} points before that bank"
            )
        program = race.program
        found = np.flatnonzero((program.bank_scores == points) & (program.bank_hands == race.model.index(hand)))
        if not len(found):
            raise InputError(
                f"offer: {points} points with {len(hand)} dice left; no bank of {race.rules.name} leads to that"
            )
        return int(found[0])

    def _last_offer(self, mover: Seat, other: Seat, bank: int, second: bool) -> tuple[Enclosure, Enclosure]:
        """Return the same in a last turn."""
        race = self.stakes
        self._place(mover, Seat(0), second)
        if not race.has_last_turn or (race.phases == 2 and not second):
            raise InputError(f"opponent: {other.score}; the match is over at {race.rules.ending.target}")
        if other.score % race.unit:
            raise InputError(f"opponent: {other.score}; {race.rules.name} has scores in steps of {race.unit}")
        own, opponent = mover.score // race.unit, other.score // race.unit
        deficit = min(opponent - own, len(self.last_turn) - 1)
        fresh = tuple(float(worth[deficit]) for worth in (self.last_turn, self.last_lower, self.last_upper))
        place = max(opponent - int(race.bank_units[bank]) - own, -1) + 1, int(race.program.bank_hands[bank])
        bounds = self.guarantees
        value, lower, upper = (float(takes[place]) for takes in (self._takes, bounds.own_takes, bounds.their_takes))
        return (fresh[0], fresh[1], fresh[2]), _inside(value, lower, upper)


def _inside(value: float, lower: float, upper: float) -> Enclosure:
    """Return a value with its bounds; rounding can leave it a hair outside bounds that are as narrow as rounding."""
    lower, upper = max(lower, 0.0), min(upper, 1.0)
    return min(max(value, lower), upper), lower, upper


def by_rows(race: Race, square: Floats) -> Floats:
    """Return values by own score and opponent's as the race has them: by sum and opponent's score."""
    rows = np.full((race.phases, race.rows, race.scores), np.nan)
    own, other = np.indices((race.scores, race.scores))
    rows[:, own + other, other] = square
    return rows


def _accepted(
    race: StakesRace, bounds: RaceBounds, progress: Callable[[float], None] | None = None
) -> StakesGuarantees:
    verdict = judge_race(race, bounds, progress)
    if not verdict.accepted:
        raise NotConvergedError(f"{race.rules.name}: the judge refuses the bounds: {verdict.faults[0]}")
    assert isinstance(verdict.guarantees, StakesGuarantees)  # noqa: S101 - those of this race
    return verdict.guarantees


def solve_stakes_positions(rules: Ruleset, told: Callable[[str, float | None], None]) -> StakesPositions:
    """Solve a match with High Stakes, and have its bounds judged."""
    race = StakesRace(rules)
    values = solve_stakes(race, lambda share: told("solving", share))
    bounds = propose_stakes_bounds(race, values.race, lambda share: told("bounding", share))
    positions = StakesPositions.of(race, values.race, bounds)
    known: dict[str, Any] = {
        "offers": values.offers,
        "_takes": values.takes,
        "guarantees": _accepted(race, bounds, lambda share: told("judging", share)),
    }
    positions.__dict__.update(known)
    return positions
