"""The turn starts of a race with High Stakes, with and without an offer."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from dice10k_math.backup import entries_of, shape_of
from dice10k_math.bounds import RaceBounds, StakesGuarantees
from dice10k_math.certify.race import judge_race
from dice10k_math.dice import Hand
from dice10k_math.errors import InputError, NotConvergedError
from dice10k_math.last_turn import NEAREST, allowed
from dice10k_math.program import NEVER, Floats, Ints
from dice10k_math.questions.positions import RacePositions, Seat
from dice10k_math.race import Race
from dice10k_math.rules import Ruleset, bank_step
from dice10k_math.single import Situation
from dice10k_math.solve.race import write_waiting
from dice10k_math.solve.stakes import keep_offers, propose_stakes_bounds, solve_stakes
from dice10k_math.stakes import StakesRace, StakesWorth
from dice10k_math.turn import bank_rule, turn_model
from dice10k_math.workers import Progress, Share, part_of

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
        return self._swept(0, 0)

    def _swept(self, own: int, opponent: int) -> Floats:
        """Evaluate the turn starts at which one player has at least `own` and the other at least `opponent`, in units;
        return what taking over is worth there.
        """
        race = self.stakes
        store = race.no_offers()
        for total in range(2 * race.scores - 2, own + opponent - 1, -1):
            columns = np.arange(race.scores)
            rest = total - columns
            only = ((rest >= own) & (columns >= opponent)) | ((rest >= opponent) & (columns >= own))
            for phase in range(race.phases):
                banks = race.bank_table(phase, total, self._waiting, store, self._takes)
                worth = StakesWorth(banks, self._waiting[0], self.last_turn, takes=self._takes)
                keep_offers(race, phase, total, self._waiting, worth, store, only)
        return store

    def offers_after(self, own: int, opponent: int) -> Floats:
        """Return a store of offers that holds those which can follow a turn start, scores in units.

        The first question is answered from as much as it needs, others from all.
        """
        if "offers" not in self.__dict__ and not self._parts:
            self._parts[own, opponent] = self._swept(own, opponent)
        for (least, other), store in self._parts.items():
            if (least <= own and other <= opponent) or (least <= opponent and other <= own):
                return store
        return self.offers

    @cached_property
    def _parts(self) -> dict[tuple[int, int], Floats]:
        """What has been swept of the offers, by the scores from which on."""
        return {}

    @cached_property
    def _takes(self) -> Floats:
        return self.stakes.usual_takes

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
        banks = race.bank_table(phase, own + opponent, self._waiting, self.offers_after(own, opponent), self._takes)[
            :, opponent
        ]
        rule = race.unopened if own == 0 else race.opened
        limits = race.limits(phase, own + opponent, np.full(race.scores, 0.0), self.last_turn)
        limit = int(limits[opponent - race.columns(own + opponent)[0]])
        return np.where(allowed(rule, race.program.bank_scores), banks, NEVER), limit

    def _situation(self, mover: Seat, other: Seat, second: bool, reach: int = 0) -> Situation:  # noqa: ARG002 - the limit is where it matters no more
        race = self.stakes
        phase, own, opponent = self._place(mover, other, second)
        bank, limit = self._bank_table(mover, other, second)
        bust = 1.0 - float(self.move[race.other(phase), opponent, own])
        worth = StakesWorth(bank, np.full(race.scores, bust), self.last_turn, takes=self._takes)
        if not race.stands_still:
            return Situation(bank, bust, bust, race.top_beyond(phase), limit, race.survival(NEAREST))
        # What rolling on beyond the limit is worth, written as a chance to get 1 instead of what a bust is worth.
        beyond = far_worths(race, race.far_banks(phase, own + opponent, worth, NEAREST)[:, opponent], bust)
        chance = (beyond - bust) / (1.0 - bust) if bust < 1.0 else np.zeros_like(beyond)
        return Situation(bank, bust, bust, 1.0, limit, chance)

    def bank_worths(self, mover: Seat, other: Seat, *, second: bool = False) -> dict[int, float]:  # noqa: ARG002
        """Refuse: with High Stakes the dice that a bank leaves matter."""
        raise InputError(f"{self.race.rules.name}: what a bank is worth depends on the dice that it leaves")

    def bank_table(self, total: int) -> Floats:
        """Return what banking is worth at every turn start with a sum of the scores, in units, under a final round.

        Returns
        -------
        ndarray of shape (bank rows, scores)
            By the other's score.
        """
        return self.stakes.bank_table(0, total, self._waiting, self.offers, self.takes)

    def taken(self, own: int, opponent: int, bank: int) -> float:
        """Return what taking over the offer of a bank row is worth, scores in units, under a final round."""
        race = self.stakes
        first, end = race.columns(own + opponent)
        return float(self.offers[0, int(race.offer_starts[own + opponent]) + bank * (end - first) + own - first])

    @property
    def takes(self) -> Floats:
        """What taking over is worth in a last turn; see `StakesRace.take_overs`."""
        return self._takes

    def offers_at(self, phase: int, own: int, opponent: int) -> tuple[Ints, Ints, Floats]:
        """Return every offer that a player can have at a turn start, scores in units.

        Returns
        -------
        tuple of ndarrays
            Turn score in points, hand, worth of taking over; in rising order of the turn score.
        """
        race = self.stakes
        total = own + opponent
        first, end = race.columns(total)
        begin, stop = race.offer_starts[total : total + 2]
        worth = self.offers_after(own, opponent)[phase, begin:stop].reshape(-1, end - first)[:, own - first]
        points, hands = race.program.bank_scores[: len(worth)], race.program.bank_hands[: len(worth)]
        banker = opponent * race.unit
        can_be = allowed(race.opened, points) & (points < banker)
        can_be |= allowed(race.unopened, points) & (points == banker)
        return points[can_be], hands[can_be], worth[can_be]

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
        value = float(self.offers_after(own, opponent)[place])
        lower, upper = float(self.guarantees.own_offers[place]), float(self.guarantees.their_offers[place])
        return self.value(mover, other, second=second), _inside(value, lower, upper)

    def _bank_number(self, banker: Seat, points: int, hand: Hand) -> int:
        race = self.stakes
        check_offer(race.rules, banker.score, points, hand)
        program = race.program
        found = np.flatnonzero((program.bank_scores == points) & (program.bank_hands == race.model.index(hand)))
        if not len(found):
            raise InputError(f"offer: {points} points; {race.rules.name} is solved to {race.most} points in a turn")
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


def check_offer(rules: Ruleset, banker: int, points: int, hand: Hand) -> None:
    """Refuse an offer that no bank can have made.

    Parameters
    ----------
    rules
        The ruleset.
    banker
        Score of the player who has just banked, these points included.
    points, hand
        The turn score, and the dice that were left.

    Raises
    ------
    InputError
        The offer cannot be.
    """
    before, step = banker - points, bank_step(rules)
    rule = bank_rule(rules, before, opened=before != 0)
    least = -(-rule.minimum // step) * step
    if banker < least:
        raise InputError(
            f"offer: {points} points; no bank of {rules.name} leads to a score of {banker}; "
            f"allowed: a banker with {least} or more"
        )
    if not least <= points <= banker or points % step:
        first = ", as the first one" if before == 0 and least > step else ""
        raise InputError(
            f"offer: {points} points; no bank of {rules.name} leads to a score of {banker} with that; "
            f"allowed: {least} to {banker} in steps of {step}{first}"
        )
    if before % step or before >= rules.ending.target:
        raise InputError(
            f"offer: {points} points; the player who banked them had {before}; "
            f"allowed: scores below the target {rules.ending.target}, in steps of {step}"
        )
    if not _can_be_left(rules, points, hand):
        raise InputError(f"offer: {points} points with {len(hand)} dice left; no bank of {rules.name} comes to that")


@lru_cache(maxsize=256)
def _can_be_left(rules: Ruleset, points: int, hand: Hand) -> bool:
    """Tell whether a turn can bank so many points and leave these dice."""
    model = turn_model(rules)
    wanted, start = model.index(hand), (0, model.full)
    seen, waiting = {start}, [start]
    while waiting:
        score, number = waiting.pop()
        for entry in model.hands[number].entries:
            after = score + entry.points, entry.hand
            if entry.may_bank and after == (points, wanted):
                return True
            if entry.may_roll and after[0] < points and after not in seen:
                seen.add(after)
                waiting.append(after)
    return False


def far_worths(race: StakesRace, banks: Floats, bust: float) -> Floats:
    """Return what rolling each hand is worth where the turn score matters no more."""
    from dice10k_math.kernel import stand_still

    program = race.program
    ending = program.bust * bust + program.instant_win
    found: Floats = stand_still(ending, banks, shape_of(program), program.maxima.arrays, entries_of(program))
    return found


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


def _accepted(race: StakesRace, bounds: RaceBounds, progress: Share | None = None) -> StakesGuarantees:
    verdict = judge_race(race, bounds, progress)
    if not verdict.accepted:
        raise NotConvergedError(f"{race.rules.name}: the judge refuses the bounds: {verdict.faults[0]}")
    assert isinstance(verdict.guarantees, StakesGuarantees)  # noqa: S101 - those of this race
    return verdict.guarantees


def solve_stakes_positions(rules: Ruleset, progress: Progress | None) -> StakesPositions:
    """Solve a match with High Stakes, and have its bounds judged."""
    race = StakesRace(rules)
    values = solve_stakes(race, part_of(progress, "solving"))
    bounds = propose_stakes_bounds(race, values.race, part_of(progress, "bounding"))
    positions = StakesPositions.of(race, values.race, bounds)
    known: dict[str, Any] = {
        "offers": values.offers,
        "_takes": values.takes,
        "guarantees": _accepted(race, bounds, part_of(progress, "judging")),
    }
    positions.__dict__.update(known)
    return positions
