"""Two players of whom each plays by a policy or best, by plain recursion over explicit states, for small targets.

A state is (seat to move, `Start`). Scores only rise here, so a turn leads to states that come later, but for a bust:
the two states that busts lead back and forth between are iterated until they stand still.
Turn scores from `cutoff` on are lost.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from dice10k_math.policy import Choice, Player, Situation, Standing
from dice10k_math.rules.model import Ruleset

from .match import MatchOracle, Start, back_up_turn, choices_of, choices_of_class, turn_step
from .turn import full_hand, roll_classes

BUST = 0
STILL = 1e-15
MOST_ROUNDS = 100_000


@dataclass
class DuelOracle:
    """Win probability of the mover.

    `players`: one for each seat; None plays best. `level`: the worth, for who leads off, of every tie that calls for
    extra rounds (which this recursion does not go into).
    """

    rules: Ruleset
    players: tuple[Player | None, Player | None]
    cutoff: int = 6_000
    level: float = 0.5
    memo: dict[tuple[int, Start], float] = field(default_factory=dict)
    turns: dict[Any, dict[int, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.match: MatchOracle = MatchOracle.__new__(MatchOracle)
        self.match.rules = self.rules

    def value(self, seat: int, start: Start) -> float:
        """Win probability of the seat that is to move."""
        if (seat, start) not in self.memo:
            after = self.match.after_bust(start, on_six=False)
            if isinstance(after, Start):
                self._settle(seat, start, after)
            else:
                self.memo[seat, start] = self.worth(seat, start, after)
        return self.memo[seat, start]

    def _settle(self, seat: int, start: Start, after: Start) -> None:
        here, there = 0.5, 0.5
        for _ in range(MOST_ROUNDS):
            before = here, there
            here = self.worth(seat, start, 1 - there)
            there = self.worth(1 - seat, after, 1 - here)
            # The one may stand still while the other still moves.
            if max(abs(before[0] - here), abs(before[1] - there)) <= STILL:
                break
        self.memo[seat, start], self.memo[1 - seat, after] = here, there

    def worth(self, seat: int, start: Start, bust: float) -> float:
        """Worth of a turn, a bust being worth `bust`."""
        player = self.players[seat]
        if player is None:
            step, most = turn_step(self.rules), int(choices_of(self.rules).points.max())
            banks = range(step, self.cutoff + most * step, step)
            return self._best(
                {points: self._banked(seat, start, points) for points in banks if self.allowed(start, points)}, bust
            )
        return sum(
            chance * (bust if points == BUST else self._banked(seat, start, points))
            for points, chance in self.endings(player, start).items()
        )

    def allowed(self, start: Start, points: int) -> bool:
        """Whether so much may be banked."""
        return bool(self.match.banked_scores(start, points))

    def _banked(self, seat: int, start: Start, points: int) -> float:
        target = self.rules.ending.target
        following = self.match.after_bank(start, start.own + points)
        if not isinstance(following, Start):
            return following
        if not following.stage and min(following.own, following.other) >= target:
            return 1 - self.level
        return 1 - self.value(1 - seat, following)

    def _best(self, bank: dict[int, float], bust: float) -> float:
        choices, step = choices_of(self.rules), turn_step(self.rules)
        places = self.cutoff // step
        worth = np.full((len(choices.rolls), places + int(choices.points.max())), -np.inf)
        for points, banked in bank.items():
            worth[:, points // step] = banked
        rolled = np.empty((1, len(choices.rolls), places))
        back_up_turn(choices, 0, worth, bust, bust, bust, rolled)
        return float(rolled[0, -1, 0])

    def endings(self, player: Player, start: Start) -> dict[int, float]:
        """Bank to probability; 0 stands for a bust."""
        closing = start.stage == "second"
        last = start.stage == "last" or (closing and start.other >= self.rules.ending.target)
        key = player.key(Standing(start.own, start.other, last, closing, start.opened))
        place = (id(player), key, start.opened, start.own if self.rules.ending.kind == "exact" else 0)
        if place not in self.turns:
            self.turns[place] = self._follow(player, key, start)
        return self.turns[place]

    def _follow(self, player: Player, key: Any, start: Start) -> dict[int, float]:
        full = full_hand(self.rules)
        arriving = {(0, full): 1.0}
        banked: dict[int, float] = defaultdict(float)
        while arriving:
            points, hand = min(arriving, key=lambda state: state[0])
            chance = arriving.pop((points, hand)) / 6 ** len(hand)
            for kind, count in roll_classes(self.rules, hand):
                if not kind.options:
                    banked[BUST] += chance * count
                    continue
                choice = player.decide(key, Situation(points, 0, hand, tuple(self._choices(kind, points, start))))
                if choice.then == "bank":
                    banked[choice.turn_score] += chance * count
                elif choice.turn_score >= self.cutoff:
                    banked[BUST] += chance * count
                else:
                    place = choice.turn_score, choice.hand
                    arriving[place] = arriving.get(place, 0.0) + chance * count
        return dict(banked)

    def _choices(self, kind: Any, points: int, start: Start) -> list[Choice]:
        found = set()
        for paid, left, roll, bank in choices_of_class(self.rules, kind):
            hand, after = left or full_hand(self.rules), points + paid
            if roll:
                found.add(Choice("roll", after, hand, int(not left), not left))
            if bank and self.allowed(start, after):
                found.add(Choice("bank", after, hand, int(not left), not left))
        return sorted(found)


def with_level(oracle: DuelOracle, level: float) -> DuelOracle:
    """The same with another worth of a tie."""
    return replace(oracle, level=level, memo={}, turns={})
