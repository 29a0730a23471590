"""The turns that are left once the opponent has reached the target, and those of extra rounds.

What they are worth depends on how far behind the player is, and on nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from dice10k_math.errors import InputError
from dice10k_math.last_turn import DOWN, NEAREST, UP, allowed, first_of_extra_round, most_lead
from dice10k_math.program import NEVER, Floats
from dice10k_math.race import Race
from dice10k_math.rules.model import Ruleset
from dice10k_math.single import Situation, TurnWorths, evaluate


@dataclass(frozen=True, eq=False)
class ClosingTurns:
    """The last turns of a race, and the turns of its extra rounds.

    Attributes
    ----------
    rules
        The ruleset.
    last_turn, last_lower, last_upper
        Worth of a last turn with its bounds, by deficit in units.
    """

    rules: Ruleset
    last_turn: Floats
    last_lower: Floats
    last_upper: Floats

    @cached_property
    def race(self) -> Race:
        """The race without High Stakes: what the last turn leaves to others matters no more."""
        return Race(replace(self.rules, variants=replace(self.rules.variants, high_stakes=False)))

    def value(self, score: int, opponent: int, *, second: bool) -> tuple[float, float, float]:
        """Return the mover's win probability with its lower and upper bound, scores in points."""
        if self._leads_off(score, second):
            low = first_of_extra_round(self.race, self.last_upper, float(self.last_upper[-1]), DOWN)
            high = first_of_extra_round(self.race, self.last_lower, 0.0, UP)
            low, high = max(low, 0.0), min(high, 1.0)
            return min(max(self._leading_off, low), high), low, high
        deficit = self._deficit(score, opponent)
        return float(self.last_turn[deficit]), float(self.last_lower[deficit]), float(self.last_upper[deficit])

    def turn(self, score: int, opponent: int, *, second: bool, asked: tuple[int, int]) -> TurnWorths:
        """Return the worth of every after-state of the turn, scores in points."""
        if self._leads_off(score, second):
            situation = self._first_situation(asked[1])
        else:
            situation = self._last_situation(self._deficit(score, opponent), asked[1])
        return evaluate(self.race.program, situation, asked[0])

    def _leads_off(self, score: int, second: bool) -> bool:
        return score >= self.rules.ending.target and not second

    def _deficit(self, score: int, opponent: int) -> int:
        unit, most = self.race.unit, most_lead(self.rules)
        if opponent - score > (len(self.last_turn) - 1) * unit:
            raise InputError(f"opponent: {opponent}; allowed in a last turn: at most {most} more than the score")
        return (opponent - score) // unit

    @cached_property
    def _leading_off(self) -> float:
        return evaluate(self.race.program, self._first_situation(self.race.most)).start

    @cached_property
    def _tie(self) -> float:
        return 0.5 if self.rules.ending.tie != "extra_rounds" else 1.0 - self._leading_off

    def _first_situation(self, reach: int) -> Situation:
        """Return the turn that leads off an extra round."""
        leads = self.race.program.bank_scores // self.race.unit
        bank = 1.0 - self.last_turn[np.minimum(leads, len(self.last_turn) - 1)]
        return self._situation(bank, 1.0 - float(self.last_turn[0]), float(bank[-1]), max(most_lead(self.rules), reach))

    def _last_situation(self, deficit: int, reach: int) -> Situation:
        scores, tie = self.race.program.bank_scores // self.race.unit, self._tie
        bank = np.where(scores > deficit, 1.0, np.where(scores == deficit, tie, 0.0))
        needed = (deficit + 1) * self.race.unit
        return self._situation(bank, tie if deficit == 0 else 0.0, 1.0, max(needed, reach))

    def _situation(self, bank: Floats, bust: float, top: float, limit: int) -> Situation:
        race = self.race
        bank = np.where(allowed(race.opened, race.program.bank_scores), bank, NEVER)
        limit = min(limit + race.margin, race.most)
        return Situation(bank, bust, bust, top, limit, race.survival(NEAREST))
