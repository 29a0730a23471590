"""One player alone by plain value iteration over explicit states, for small targets.

A state is (score, has banked before, busts in a row). Scores outside `low` to `high` count like the nearest one inside,
and a turn that passes the cut-off counts as lost: widen all three until nothing moves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from dice10k_math.rules.model import Ruleset

from .keeps import Kinds
from .turn import TurnOracle, full_hand, least_bank, six_dice_penalty

State = tuple[int, bool, int]


class _Turn(TurnOracle):
    """A turn in which banks past an exact target may be forbidden, and that nobody has to end."""

    most: int | None = None
    stop: int = 0

    def roll_value(self, hand: Kinds, turn_score: int, hot: int = 0) -> Any:
        if turn_score >= self.stop:
            return min(self.bust_worth, self.six_bust_worth)
        return super().roll_value(hand, turn_score, hot)

    def _bankable(self, total: int, left: Kinds) -> bool:
        return (self.most is None or total <= self.most) and super()._bankable(total, left)


@dataclass
class SoloOracle:
    """Values of all states that the first one leads to; those of `fixed` are taken as given."""

    rules: Ruleset
    cutoff: int
    low: int = 0
    high: int = 1_000_000
    fixed: dict[State, float] = field(default_factory=dict)
    values: dict[State, float] = field(default_factory=dict)
    found: set[State] = field(default_factory=set)

    def expected_turns(self, state: State) -> float:
        """Fewest expected turns."""
        change = 1.0
        while change > 1e-12:
            change = self._sweep(state, lambda found: -1.0 + found, done=0.0)
        return -self.values[state]

    def within(self, state: State, turns: int) -> float:
        """Best chance to be done within so many turns."""
        if turns == 0:
            return 0.0
        return self._turn(state, lambda after: self._chance(after, turns - 1), done=1.0)

    def _chance(self, state: State, turns: int) -> float:
        key = (state[0], state[1], state[2] + 1000 * turns)
        if key not in self.values:
            self.values[key] = self.within(state, turns)
        return self.values[key]

    def _sweep(self, first: State, cost: Callable[[float], float], done: float) -> float:
        self.found.add(first)
        change = 0.0
        for state in sorted(self.found, key=lambda known: -known[0]):
            value = cost(self._turn(state, self._value, done))
            change = max(change, abs(value - self.values.get(state, 0.0)))
            self.values[state] = value
        return change

    def _value(self, state: State) -> float:
        if state in self.fixed:
            return self.fixed[state]
        self.found.add(state)
        return self.values.setdefault(state, 0.0)

    def _turn(self, state: State, worth: Callable[[State], float], done: float) -> float:
        score, opened, busts = state
        ending = self.rules.ending
        target = ending.target

        def at(total: int, banked: bool, count: int) -> float:
            return worth((min(max(total, self.low), self.high), banked, count))

        def bank(turn_score: int, _left: Kinds) -> float:
            total = score + turn_score
            if ending.kind != "exact":
                return done if total >= target else at(total, True, 0)
            best = done if total == target else at(total, True, 0)
            if ending.overshoot == "add_or_subtract" and score > target:
                less = score - turn_score
                best = max(best, done if less == target else at(less, True, 0))
            return best

        in_a_row = self.rules.bust.in_a_row
        fine, count = 0, 0
        if in_a_row is not None:
            fine, count = (in_a_row.penalty, 0) if busts + 1 == in_a_row.busts else (0, busts + 1)
        turn = _Turn(
            self.rules,
            least_bank(self.rules, score, opened),
            # Far past the target a bank is best at once; an exact one can make any bank a bad one.
            10**9 if ending.kind == "exact" else self.cutoff,
            bank,
            at(score - fine, opened, count),
            at(score - fine - six_dice_penalty(self.rules, score), opened, count),
            instant_worth=done,
        )
        turn.stop = self.cutoff if ending.kind == "exact" else 2 * self.cutoff
        turn.most = target - score if ending.overshoot == "not_allowed" else None
        return float(turn.roll_value(full_hand(self.rules), 0))
