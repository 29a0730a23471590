"""Two players by plain recursion over explicit states, for small targets.

A state is what the mover sees at the start of a turn: own score, the other's, whether each has banked
before, and the phase.
The worth of a turn is that of `oracles.turn` with match values in place of points.
Banks lead to states with more points in all; only two busts in a row come back, so each state and its
answer are iterated until they stand still.
Kinds of ending "first_to_target", "final_round" and "equal_turns" only, plain dice, no penalties.
A turn that passes twice the cut-off counts as lost: raise the cut-off until nothing moves.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from dice10k_math.rules.model import Ruleset

from .keeps import Kinds
from .turn import TurnOracle, full_hand, least_bank


class Start(NamedTuple):
    """A turn start as the mover sees it.

    `last`: the turn that answers the bank past the target of a final round.
    `second`: the turn that closes a round of equal turns.
    """

    own: int
    other: int
    opened: bool = False
    other_opened: bool = False
    last: bool = False
    second: bool = False


@dataclass
class MatchOracle:
    """Win probability of the mover, by plain recursion."""

    rules: Ruleset
    cutoff: int
    extra_round_first: float = 0.5
    values: dict[Start, float] = field(default_factory=dict)

    def ending(self, start: Start, score: int, opened: bool) -> float | Start:
        """What follows when the mover's turn ends at `score`: a worth, or the other's turn."""
        ending = self.rules.ending
        following = Start(start.other, score, start.other_opened, opened)
        if ending.kind == "first_to_target":
            return 1.0 if score >= ending.target else following
        if ending.kind == "final_round":
            if start.last:
                return self._result(score, start.other)
            return following._replace(last=score >= ending.target)
        if start.second and max(score, start.other) >= ending.target:
            return self._result(score, start.other)
        return following._replace(second=not start.second)

    def _result(self, own: int, other: int) -> float:
        if own != other:
            return float(own > other)
        # The mover has closed the round, so the other begins an extra one.
        return 1 - self.extra_round_first if self.rules.ending.tie == "extra_rounds" else 0.5

    def value(self, start: Start) -> float:
        """Win probability of the mover at the start of a turn."""
        if start not in self.values:
            self._settle(start)
        return self.values[start]

    def _settle(self, start: Start) -> None:
        answer = self.ending(start, start.own, start.opened)
        if isinstance(answer, float):
            self.values[start] = self._turn(start, answer)
            return
        if self.ending(answer, answer.own, answer.opened) != start:
            # The answer to a bust closes the match: nothing comes back here.
            self.values[start] = self._turn(start, 1 - self.value(answer))
            return
        mine, before = 0.5, -1.0
        while abs(mine - before) > 1e-15:
            before = mine
            theirs = self._turn(answer, 1 - mine)
            mine = self._turn(start, 1 - theirs)
        self.values[start], self.values[answer] = mine, theirs

    def _turn(self, start: Start, on_bust: float) -> float:
        def bank(turn_score: int, _left: Kinds) -> float:
            score = start.own + turn_score
            ending = self.ending(start, score, True)
            return ending if isinstance(ending, float) else 1 - self.value(ending)

        minimum = least_bank(self.rules, start.own, start.opened)
        oracle = TurnOracle(self.rules, minimum, self._enough(start), bank, on_bust, on_bust)
        return float(oracle.roll_value(full_hand(self.rules), 0))

    def _enough(self, start: Start) -> int:
        """Turn score from which banking at once is right, or the cut-off where there is none."""
        if self.rules.ending.kind == "first_to_target":
            return max(self.rules.ending.target - start.own, 50)
        if start.last or (start.second and start.other >= self.rules.ending.target):
            return max(start.other + 50 - start.own, 50)
        return self.cutoff


def extra_rounds(rules: Ruleset, cutoff: int) -> float:
    """Win probability of the first player when both are level past the target."""
    level = rules.ending.target
    first, before = 0.5, -1.0
    while abs(first - before) > 1e-13:
        before = first
        first = MatchOracle(rules, cutoff, before).value(Start(level, level, True, True))
    return first
