"""What a player can guarantee in a race: the inequalities that a certificate has to satisfy, evaluated.

A *guarantee* is a number for every turn start, in both seats: `move` for the player who is to move, `wait` for the
one who has just played.
Numbers are guarantees if the player's own turn, played best for them, keeps them, and no turn of the opponent can
break them:

    move(start) <= turn of the player, an ending being worth the `wait` that it leads to,
    wait(start) <= 1 - turn of the opponent, an ending being worth 1 - the `move` that it leads to.

If both hold with something to spare at every turn, no smaller than some fixed amount, then the match ends with
probability 1 whatever the opponent
does (numbers between 0 and 1 cannot rise for ever, and to guarantee 0 needs no proof), and the player wins with at
least the guaranteed probability.

An upper bound for one player is 1 minus the guarantee of the other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dice10k_math.last_turn import DOWN, UP, first_of_extra_round, last_turns
from dice10k_math.program import Floats
from dice10k_math.race import Race, RowWorth
from dice10k_math.stakes import StakesRace, StakesWorth


@dataclass(frozen=True, slots=True)
class RaceBounds:
    """Guarantees of a player in every turn start of a race.

    Attributes
    ----------
    move
        Shape (phases, rows, scores), by phase, sum of scores and opponent's score: the player is to move.
    wait
        The same: the player has just had the turn of this phase, and the opponent is to move.
    lead, follow
        Guarantees at a tie, for the player who leads off the next round and for the other.
    """

    move: Floats
    wait: Floats
    lead: float
    follow: float


class Guarantees:
    """Evaluates the inequalities of a set of guarantees, rounding against the player.

    `endless` is for whoever proposes: whether some turn start was found from which the match may never end.
    Rows are evaluated in falling order of the sum; a row may be evaluated once those with greater sums are recorded.
    """

    def __init__(self, race: Race, bounds: RaceBounds) -> None:
        self.race, self.bounds = race, bounds
        self.endless = False
        self.own_last = last_turns(race, bounds.follow, DOWN)
        self.their_last = last_turns(race, 1.0 - bounds.lead, UP)
        shape = (race.phases * race.rows, race.scores)
        self.own_table, self.their_table = np.zeros(shape), np.zeros(shape)
        race.fill_past_target(self.own_table, self.their_last, float(self.their_last[-1]))
        race.fill_past_target(self.their_table, self.own_last, 0.0)

    def lead(self) -> float:
        """Return what the guarantee at a tie may be for the player who leads off."""
        return first_of_extra_round(self.race, self.their_last, float(self.their_last[-1]), DOWN)

    def follow(self) -> float:
        """Return what the guarantee at a tie may be for the other player."""
        return 1.0 - first_of_extra_round(self.race, self.own_last, 0.0, UP)

    def moving(self, phase: int, total: int) -> Floats:
        """Return what the guarantees of one row may be at most, for the player to move, by opponent's score."""
        return self._own_turn(phase, total, self.bounds.wait[phase, total])

    def _own_turn(self, phase: int, total: int, bust: Floats) -> Floats:
        return self.race.turn(phase, total, RowWorth(self.own_table, bust, self.their_last), DOWN)

    def _their_turn(self, phase: int, total: int, bust: Floats) -> Floats:
        return self.race.turn(phase, total, RowWorth(self.their_table, bust, self.own_last), UP)

    def waiting(self, phase: int, total: int) -> Floats:
        """Return what they may be for the player who has just had the turn of this phase, by opponent's score."""
        race = self.race
        first, end = race.columns(total)
        mirror = total - np.arange(first, end)
        bust = np.full(race.scores, np.nan)
        bust[mirror] = 1.0 - self.bounds.move[phase, total, first:end]
        theirs = self._their_turn(race.other(phase), total, bust)
        result = np.full(race.scores, np.nan)
        result[first:end] = 1.0 - theirs[mirror]
        return result

    def record(self, phase: int, total: int) -> None:
        """Make the guarantees of a row available to rows with smaller sums."""
        race = self.race
        first, end = race.columns(total)
        mirror = total - np.arange(first, end)
        self.own_table[phase * race.rows + total, first:end] = self.bounds.wait[phase, total, first:end]
        # The opponent waits after the turn of the other phase, and then the player moves in this one.
        self.their_table[race.other(phase) * race.rows + total, mirror] = (
            1.0 - self.bounds.move[phase, total, first:end]
        )


class StakesGuarantees(Guarantees):
    """The same with High Stakes.

    To guarantee a player who is offered something as much as either of his choices does, the guarantees need say
    nothing of offers: what taking over is worth comes out of the turns that are evaluated anyway.
    So the turns of a row count for the rows before it as they were evaluated last.

    A turn that begins by taking over need not cost anything: banks come before such turns and raise the scores,
    so there are finitely many of them.
    """

    def __init__(self, race: StakesRace, bounds: RaceBounds) -> None:
        super().__init__(race, bounds)
        self.stakes = race
        self.own_offers, self.their_offers = race.no_offers(), race.no_offers()
        self.own_takes, self.their_takes = race.take_overs(DOWN), race.take_overs(UP)
        self._own_banks: dict[tuple[int, int], Floats] = {}
        self._their_banks: dict[tuple[int, int], Floats] = {}

    def _own_turn(self, phase: int, total: int, bust: Floats) -> Floats:
        race, place = self.stakes, (phase, total)
        if place not in self._own_banks:
            self._own_banks = {
                place: race.bank_table(phase, total, self.own_table, self.their_offers, self.their_takes)
            }
        worth = StakesWorth(self._own_banks[place], bust, self.their_last, takes=self.their_takes)
        return race.turn_with_offers(phase, total, worth, DOWN, self.own_offers)

    def _their_turn(self, phase: int, total: int, bust: Floats) -> Floats:
        race, place = self.stakes, (phase, total)
        if place not in self._their_banks:
            self._their_banks = {
                place: race.bank_table(phase, total, self.their_table, self.own_offers, self.own_takes)
            }
        worth = StakesWorth(self._their_banks[place], bust, self.own_last, takes=self.own_takes)
        return race.turn_with_offers(phase, total, worth, UP, self.their_offers)


def guarantees_of(race: Race, bounds: RaceBounds) -> Guarantees:
    """Return what evaluates the inequalities of the guarantees of a race."""
    return StakesGuarantees(race, bounds) if isinstance(race, StakesRace) else Guarantees(race, bounds)


NOISE = 1e-12
"""Distance from 0 or 1 that is taken for rounding where the bounds allow that very value."""


def clean_chance(value: float, lower: float, upper: float) -> float:
    """Return a probability without the noise of rounding: 0 or 1 where the bounds allow it and it is as near.

    Examples
    --------
    >>> clean_chance(6e-14, 0.0, 1.2e-13), clean_chance(1 - 5e-15, 1 - 1e-14, 1.0), clean_chance(6e-14, 5e-14, 7e-14)
    (0.0, 1.0, 6e-14)
    """
    if lower <= 0.0 and value <= NOISE:
        return 0.0
    return 1.0 if upper >= 1.0 and value >= 1.0 - NOISE else value
