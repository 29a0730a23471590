"""Who plays the turns of a race: the best play for what the endings are worth, or a policy.

A policy chooses nothing here, so its turn is worth the mean of what its endings are worth.
All terms are non-negative, so a sum of n of them is off by a factor of at most 1 +- (n + 2) * 2**-53; a bound is moved
outward by that.
What is not known of a policy's endings (`TurnEndings.open`) counts as the worst or the best.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Protocol

import numpy as np

from dice10k_math.last_turn import NEAREST, UP, Mask, Side, first_of_extra_round, last_turns
from dice10k_math.plays import Plays
from dice10k_math.policy.choices import Standing
from dice10k_math.policy.players import Player
from dice10k_math.program import Floats, Ints
from dice10k_math.race import Race, RowWorth

FOLLOWED_PAST = 20_000
"""How far past the target, in points, last turns of a policy are followed."""
EXTRA_SCORES, EXTRA_STEP = 20, 2_000
"""At which scores a policy is looked at in extra rounds: so many next to the target, and in these steps past it."""
FAR_AWAY = 1_000_000_000


@dataclass(frozen=True, slots=True)
class LastTurn:
    """What a player's last turn is worth to him, the other having reached the target.

    Attributes
    ----------
    table
        Shape (totals, scores): by the other's total, from the target on, and the player's score, both in units.
    beyond
        For greater totals.
    most
        Shape (deficits,): the most that it is worth with at least that deficit, in units.
    level
        Shape (deficits,): in an extra round, both having been level before it; the last entry also for greater ones.
    """

    table: Floats
    beyond: float
    most: Floats
    level: Floats


class TurnMover(Protocol):
    """Who plays the turns of one seat of a race, before anybody has reached the target."""

    def turn(self, phase: int, total: int, worth: RowWorth, side: Side, only: Mask | None = None) -> Floats:
        """Return what the turn is worth at every turn start of one row; see `Race.turn`."""
        ...


class Mover(TurnMover, Protocol):
    """The same, with last turns and extra rounds."""

    def last_turn(self, tie: float, side: Side) -> LastTurn:
        """Return what a last turn is worth, with the worth of drawing level."""
        ...

    def lead_off(self, theirs: LastTurn, side: Side) -> float:
        """Return what leading off an extra round is worth, from the other's last turn."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class BestMover:
    """A player who plays best for what the endings are worth."""

    race: Race

    def turn(self, phase: int, total: int, worth: RowWorth, side: Side, only: Mask | None = None) -> Floats:
        """Return what the turn is worth."""
        return self.race.turn(phase, total, worth, side, only)

    def last_turn(self, tie: float, side: Side) -> LastTurn:
        """Return what a last turn is worth."""
        race = self.race
        worth = last_turns(race, tie, side)
        if not race.has_last_turn:
            return LastTurn(np.zeros((0, race.scores)), 0.0, worth, worth)
        beyond = 0.0 if side.lowest and side.sign else float(worth[-1])
        deficit = race.scores + np.arange(race.rows - race.scores)[:, None] - np.arange(race.scores)[None, :]
        return LastTurn(
            np.append(worth, beyond)[np.minimum(deficit, len(worth))], beyond, worth, np.append(worth, beyond)
        )

    def lead_off(self, theirs: LastTurn, side: Side) -> float:
        """Return what leading off an extra round is worth."""
        return first_of_extra_round(self.race, theirs.level, float(theirs.level[-1]), side)


class PolicyMover:
    """A player who plays by a policy."""

    def __init__(self, race: Race, player: Player) -> None:
        self.race, self.plays = race, Plays(player)

    @cached_property
    def numbers(self) -> Ints:
        """Shape (phases, scores, scores): the turn that is played, by own score and the other's."""
        race, unit = self.race, self.race.unit
        places = product(range(race.phases), range(race.scores), range(race.scores))
        standings = (
            Standing(own * unit, other * unit, closing=phase == 1, opened=own > 0) for phase, own, other in places
        )
        return self.plays.numbers(standings).reshape(race.phases, race.scores, race.scores)

    @cached_property
    def _banked(self) -> tuple[Floats, Floats]:
        """Shape (turns, units + 1), (turns,): probabilities of banks, and of those beyond the rows of the race."""
        assert self.numbers.size  # noqa: S101 - follows every turn
        race = self.race
        chances, beyond = self.plays.banked(race.unit, race.rows - 1)
        used = np.flatnonzero(chances.any(axis=0))
        return chances[:, : int(used[-1]) + 1 if len(used) else 1], beyond

    @cached_property
    def _ended(self) -> Floats:
        """Shape (turns, 3): probability of a bust, of an instant win, and of what is not known."""
        assert self.numbers.size  # noqa: S101 - follows every turn
        return self.plays.ended

    @cached_property
    def busts(self) -> Floats:
        """Shape (phases, scores, scores): probability of a bust, by own score and the other's."""
        return self._ended[self.numbers, 0]

    def units_banked(self, phase: int, own: int, other: int) -> Ints:
        """Return the banks, in units, that the turn can end with."""
        return np.flatnonzero(self._banked[0][self.numbers[phase, own, other]]).astype(np.int32)

    def turn(
        self,
        phase: int,
        total: int,
        worth: RowWorth,
        side: Side,
        only: Mask | None = None,  # noqa: ARG002 - all columns are as cheap as some
    ) -> Floats:
        """Return what the turn is worth."""
        race = self.race
        first, end = race.columns(total)
        columns = np.arange(first, end)
        number = self.numbers[phase, total - columns, columns]
        chances, beyond = self._banked
        count = min(chances.shape[1], race.rows - total)
        start = phase * race.rows + total
        # A bank of nothing is no bank, so that row's worths, which may not be known yet, do not count.
        value = np.einsum("jk,kj->j", chances[number, 1:count], worth.table[start + 1 : start + count, first:end])
        bust, instant, left = self._ended[number].T
        far = chances[number, count:].sum(axis=1) + beyond[number]
        value += bust * worth.bust[first:end] + instant
        if race.rules.ending.kind != "exact" and not (race.has_last_turn and phase == 0):
            value += far
        elif not side.lowest:
            left = left + far
        result = np.full(race.scores, np.nan)
        result[first:end] = _outward(value, left, count, side)
        return result

    def last_turn(self, tie: float, side: Side) -> LastTurn:
        """Return what a last turn is worth."""
        race = self.race
        if not race.has_last_turn:
            return LastTurn(np.zeros((0, race.scores)), 0.0, np.zeros(1), np.zeros(1))
        # Of totals that are hardly ever reached only bounds are known: no policy does better than the best play.
        table = np.zeros((race.rows - race.scores, race.scores))
        beyond = far_level = 0.0
        if not side.lowest:
            best = BestMover(race).last_turn(tie, UP)
            table, beyond, far_level = best.table.copy(), best.beyond, float(best.level[FOLLOWED_PAST // race.unit])
        deficit = self._totals[:, None] - np.arange(race.scores)[None, :]
        table[: len(deficit)] = self._reach(self.last_numbers, deficit, tie, side)
        most = np.zeros(race.rows + 1)
        np.maximum.at(most, race.scores + np.arange(len(table))[:, None] - np.arange(race.scores)[None, :], table)
        most = np.maximum.accumulate(np.append(most, beyond)[::-1])[::-1]
        return LastTurn(table, beyond, most, self._level(tie, side, far_level))

    @property
    def _totals(self) -> Ints:
        """The other's totals, in units, against which a last turn is followed."""
        race = self.race
        return np.arange(race.scores, min(race.rows, race.scores + FOLLOWED_PAST // race.unit), dtype=np.int32)

    @cached_property
    def last_numbers(self) -> Ints:
        """Shape (totals, scores): the last turn that is played."""
        race, unit = self.race, self.race.unit
        closing = race.phases == 2
        standings = (
            Standing(own * unit, int(total) * unit, last=True, closing=closing, opened=own > 0)
            for total, own in product(self._totals, range(race.scores))
        )
        return self.plays.numbers(standings).reshape(-1, race.scores)

    def _reach(self, numbers: Ints, deficit: Ints, tie: float, side: Side) -> Floats:
        """Return the worth of needing more than a deficit; what draws level is worth `tie`, a bust nothing."""
        most = int(deficit.max())
        chances, beyond = self.plays.banked(self.race.unit, most)
        ended = self.plays.ended
        above = np.cumsum(chances[:, ::-1], axis=1)[:, ::-1]
        more = np.append(above[:, 1:], np.zeros((len(above), 1)), axis=1) + beyond[:, None]
        value = more[numbers, deficit] + tie * chances[numbers, deficit] + ended[numbers, 1]
        value += np.where(deficit == 0, tie * ended[numbers, 0], 0.0)
        return _outward(value, ended[numbers, 2], most, side)

    def _level(self, tie: float, side: Side, beyond: float) -> Floats:
        """Return the worth of the second turn of an extra round, by deficit."""
        if self.race.rules.ending.tie != "extra_rounds":
            return np.zeros(1)
        numbers = self.level_numbers[:1] if side is NEAREST else self.level_numbers
        deficit = np.broadcast_to(np.arange(numbers.shape[1], dtype=np.int32), numbers.shape)
        reach = self._reach(numbers, deficit, tie, side)
        return np.append(reach.min(axis=0) if side.lowest else reach.max(axis=0), beyond)

    @property
    def _extra_scores(self) -> list[int]:
        """Scores, in units, at which extra rounds are looked at: next to the target, past it, and one far away."""
        first, unit = self.race.scores, self.race.unit
        past = range(EXTRA_STEP, FOLLOWED_PAST, EXTRA_STEP)
        return [*range(first, first + EXTRA_SCORES), *(first + score // unit for score in past), FAR_AWAY // unit]

    @cached_property
    def level_numbers(self) -> Ints:
        """Shape (scores, deficits): the second turn of an extra round."""
        unit, deficits = self.race.unit, FOLLOWED_PAST // self.race.unit
        standings = (
            Standing(score * unit, (score + behind) * unit, last=True, closing=True, opened=True)
            for score, behind in product(self._extra_scores, range(deficits))
        )
        return self.plays.numbers(standings).reshape(-1, deficits)

    @property
    def tie_numbers(self) -> tuple[int, Ints]:
        """The turn that leads off an extra round at the target, and those that answer it, by deficit."""
        target = self._extra_scores[0] * self.race.unit
        return self.plays.number(Standing(target, target, opened=True)), self.level_numbers[0]

    def lead_off(self, theirs: LastTurn, side: Side) -> float:
        """Return what leading off an extra round is worth."""
        unit = self.race.unit
        standings = [Standing(score * unit, score * unit, opened=True) for score in self._extra_scores]
        numbers = np.unique(self.plays.numbers(standings[:1] if side is NEAREST else standings))
        worth = 1.0 - theirs.level
        chances, beyond = (part[numbers] for part in self.plays.banked(unit, len(worth) - 1))
        ended = self.plays.ended[numbers]
        value = chances @ worth + ended[:, 0] * worth[0] + ended[:, 1]
        value += beyond * worth[-1]
        found = _outward(value, ended[:, 2], len(worth), side)
        return float(found.min() if side.lowest else found.max())


def _outward(value: Floats, left: Floats, terms: int, side: Side) -> Floats:
    """Return a sum of so many non-negative terms as a bound; `left` is the probability that is not known of."""
    slack = side.sign * (terms + 8) * 2.0**-53
    return value * (1.0 + slack) + (0.0 if side.lowest else left)
