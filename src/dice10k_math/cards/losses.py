"""What a plan gives away in a solved race, turn by turn.

With V the values of the match when both play to win, a turn that is played by a plan and followed by best play is worth
U; V - U is what the turn gives away. Weighted by how often each turn start comes up, it is to first order what a player
gives away who always plays so. The search for a card needs no more; what the card gives away in truth is computed
afterwards, by other means.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dice10k_math.last_turn import NEAREST, first_of_extra_round
from dice10k_math.plans import follow_plan
from dice10k_math.policy import Keeping, Plan
from dice10k_math.program import Floats
from dice10k_math.questions.positions import RacePositions
from dice10k_math.turn import bank_rule, turn_model

Places = NDArray[np.int64]
MOST_BANK = 20_000
"""Greatest bank, in points, that is told apart."""
NEAR = 0.8
"""Part of the target from which a player may reach it in a usual turn."""
IN_SIGHT = 0.65
"""Part of the target from which a player may try to reach it in one turn."""
MOST_FOLLOWED = 8_000
"""Turn score, in points, up to which turns are followed: what is beyond does not decide which card is best."""


class Losses:
    """What plans give away in one match.

    Attributes
    ----------
    value
        Shape (phases, scores, scores): V, by own score and the other's, in units.
    """

    def __init__(self, positions: RacePositions) -> None:
        self.positions, self.race, self.rules = positions, positions.race, positions.race.rules
        self.value = positions.move
        self.banks = MOST_BANK // self.race.unit
        self._ended: dict[tuple[Plan, bool], tuple[Floats, float]] = {}

    def plan(self, keep: Keeping) -> Plan:
        """Return a plan that banks whenever the way of keeping lets it."""
        return Plan((0,) * self.rules.turn.dice, keep, multiple=self.race.opened.multiple)

    def endings(self, plan: Plan, *, opened: bool = True) -> tuple[Floats, float]:
        """Return the probability of each bank, by units, and of a bust."""
        key = plan, opened
        if key not in self._ended:
            rule = bank_rule(self.rules, 0, opened=opened)
            found = follow_plan(turn_model(self.rules), rule, plan, most_kept=MOST_FOLLOWED)
            banked = np.zeros(self.banks)
            for points, chance in found.banked.items():
                banked[min(points // self.race.unit, self.banks - 1)] += chance
            self._ended[key] = banked, found.busts
        return self._ended[key]

    def points_per_turn(self, keep: Keeping) -> float:
        """Return the mean of the banks."""
        banked, _ = self.endings(self.plan(keep))
        return float(banked @ np.arange(self.banks)) * self.race.unit

    @cached_property
    def waiting(self) -> Floats:
        """Shape (phases, totals, scores): worth of waiting after a turn of the phase."""
        race = self.race
        found = np.ones((race.phases, race.scores + self.banks, race.scores))
        for phase in range(race.phases):
            found[phase, : race.scores] = 1.0 - self.value[race.other(phase)].T
            if race.has_last_turn and phase == 0:
                lead = np.arange(race.scores, race.scores + self.banks)[:, None] - np.arange(race.scores)[None, :]
                last = self.positions.last_turn
                found[phase, race.scores :] = 1.0 - last[np.minimum(lead, len(last) - 1)]
        return found

    def turns(self, keep: Keeping) -> Floats:
        """Return U at every turn start of players who have points already; shape as `value`.

        What wins at once is banked.
        """
        race = self.race
        found = np.empty_like(self.value)
        for phase in range(race.phases):
            found[phase] = self._turns(self.plan(keep), phase, slice(0, race.scores))
            for own in self._from_part(NEAR) if self._wins_at_once(phase) else ():
                reach = (race.scores - own) * race.unit
                found[phase, own] = self._turns(replace(self.plan(keep), win_from=reach), phase, slice(own, own + 1))[0]
        return found

    def _from_part(self, part: float) -> range:
        """Own scores, in units, from a part of the target on."""
        return range(round(part * self.race.scores), self.race.scores)

    def _wins_at_once(self, phase: int) -> bool:
        return phase == 1 or not self.race.has_last_turn

    def _turns(self, plan: Plan, phase: int, own: slice, other: slice = slice(None)) -> Floats:
        """Return U of a plan, by own score and the other's."""
        banked, bust = self.endings(plan)
        found = bust * (1.0 - self.value[self.race.other(phase)].T[own, other])
        for bank in np.flatnonzero(banked):
            found += banked[bank] * self.waiting[phase, own.start + bank : own.stop + bank, other]
        return found

    def turns_with_lead(self, keep: Keeping, lead: int) -> Floats:
        """Return U where no bank reaches the target that does not lead by so many units; shape as `value`."""
        race, found = self.race, self.turns(keep)
        if not race.has_last_turn:
            return found
        for own in self._from_part(NEAR):
            for other in range(max(0, race.scores - lead + 1), race.scores):
                reach, least = (race.scores - own) * race.unit, (other - own + lead) * race.unit
                plan = replace(self.plan(keep), short_from=reach, short_to=least)
                found[0, own, other] = self._turns(plan, 0, slice(own, own + 1), slice(other, other + 1))[0, 0]
        return found

    def turns_to_target(self, keep: Keeping, lead: int) -> Floats:
        """Return U where nothing is banked that does not reach the target, with that lead; shape as `value`.

        Where others have no turn after it, or the target is far away: 0.
        """
        race, found = self.race, np.zeros_like(self.value)
        for own in self._from_part(IN_SIGHT) if race.has_last_turn else ():
            reach = race.scores - own
            # Against those so far behind any bank that reaches the target leads by enough.
            free = max(0, min(race.scores, race.scores - lead + 1))
            plan = self._from(keep, reach)
            found[0, own, :free] = self._turns(plan, 0, slice(own, own + 1), slice(0, free))[0]
            for other in range(free, race.scores):
                plan = self._from(keep, max(reach, other - own + lead))
                found[0, own, other] = self._turns(plan, 0, slice(own, own + 1), slice(other, other + 1))[0, 0]
        return found

    def _from(self, keep: Keeping, units: int) -> Plan:
        plan = self.plan(keep)
        return replace(plan, bank_from=(units * self.race.unit,) * len(plan.bank_from))

    def openings(self, keep: Keeping) -> Floats:
        """Return U at the turn starts of players with no points yet; shape (phases, scores)."""
        race = self.race
        banked, bust = self.endings(self.plan(keep), opened=False)
        return np.stack(
            [
                banked @ self.waiting[phase, : self.banks] + bust * (1.0 - self.value[race.other(phase)][:, 0])
                for phase in range(race.phases)
            ]
        )

    def visits(self, keep: Keeping, opening: Keeping) -> tuple[Floats, Floats]:
        """Return how often each turn start comes up when both players play alike, and each deficit of a last turn."""
        race = self.race
        usual, first = self.endings(self.plan(keep)), self.endings(self.plan(opening), opened=False)
        size = race.scores
        visits = np.zeros((race.phases, size, size))
        arrivals = np.zeros_like(visits)
        arrivals[0, 0, 0] = 1.0
        deficits = np.zeros(size + self.banks + 1)
        busts = np.full(size, usual[1])
        busts[0] = first[1]
        for total in range(2 * size - 1):
            own = np.arange(max(0, total - size + 1), min(total, size - 1) + 1)
            other = total - own
            for phase in range(race.phases):
                back = arrivals[race.other(phase), other, own]
                chain = 1.0 - busts[own] * busts[other]
                visits[phase, own, other] = (arrivals[phase, own, other] + busts[other] * back) / chain
            for phase in range(race.phases):
                for banked, who in ((usual[0], own > 0), (first[0], own == 0)):
                    self._move_on(visits, arrivals, deficits, phase, (own[who], other[who]), banked)
        return visits, deficits

    def _move_on(
        self,
        visits: Floats,
        arrivals: Floats,
        deficits: Floats,
        phase: int,
        places: tuple[Places, Places],
        banked: Floats,
    ) -> None:
        own, other = places
        after, here = self.race.other(phase), visits[phase, own, other]
        for bank in np.flatnonzero(banked):
            inside = own + bank < self.race.scores
            arrivals[after, other[inside], own[inside] + bank] += banked[bank] * here[inside]
            if self.race.has_last_turn and phase == 0:
                np.add.at(deficits, (own + bank - other)[~inside], banked[bank] * here[~inside])

    @cached_property
    def tie(self) -> float:
        """Worth of drawing level in a last turn."""
        if self.rules.ending.tie != "extra_rounds":
            return 0.5
        last = self.positions.last_turn
        return 1.0 - first_of_extra_round(self.race, last, float(last[-1]), NEAREST)

    def last_turn(self, keep: Keeping, deficit: int) -> float:
        """Return what a last turn gives away that rolls on until it is ahead."""
        points = deficit * self.race.unit
        plan = replace(self.plan(keep), win_from=points + 1, least=points + 1, tie=points)
        banked, _ = self.endings(plan)
        worth = float(banked[deficit + 1 :].sum() + self.tie * banked[deficit])
        return float(self.positions.last_turn[deficit]) - worth
