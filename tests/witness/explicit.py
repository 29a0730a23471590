"""Small two-player games as explicit models: who chooses in each state, and where each choice leads with which chance.

For games in which a turn has an end: a turn score that wins is banked, and one that can no longer be banked is a bust.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

from dice10k_math.rules.model import Ruleset
from tests.oracles.keeps import Kinds
from tests.oracles.match import MatchOracle, Start, choices_of_class
from tests.oracles.turn import RollClass, full_hand, roll_classes

WON, LOST = 0, 1
"""The states in which seat 0 has won, and has lost."""

Branches = list[tuple[int, Fraction]]
ONE = Fraction(1)


class Node(NamedTuple):
    """A state within a turn: about to roll `hand`, or (with `kind`) choosing after a roll of that class."""

    seat: int
    start: Start
    turn_score: int
    hand: Kinds
    kind: RollClass | None = None


@dataclass
class ExplicitGame:
    """A game as lists: the node of each state, and for each state its choices with their branches.

    States 0 and 1 are the ends; state 2 is the first turn of seat 0.

    Where scores can fall they have no end, so a `floor` is needed: whoever falls below it has lost if his seat `sinks`,
    and else counts as being there still. The one makes a bound of the match from below for that seat, the other one
    from above.
    """

    rules: Ruleset
    floor: int = 0
    sinks: tuple[bool, bool] = (False, False)
    nodes: list[Node | None] = field(default_factory=lambda: [None, None])
    choices: list[list[Branches]] = field(default_factory=lambda: [[[(WON, ONE)]], [[(LOST, ONE)]]])
    numbers: dict[Node, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        assert self.rules.ending.kind in {"first_to_target", "exact"}
        assert self.rules.turn.hot_dice_bonus == 0
        # Only what follows what is asked of the plain loops, not their values.
        target = self.rules.ending.target
        self.succession = MatchOracle(self.rules, target, span=(self.floor, 2 * target))
        self._number(Node(0, Start(0, 0), 0, full_hand(self.rules)))
        place = 2
        while place < len(self.nodes):
            node = self.nodes[place]
            assert node is not None
            self.choices.append([self._roll(node)] if node.kind is None else self._choose(node, node.kind))
            place += 1

    @property
    def owners(self) -> list[int | None]:
        """The seat that chooses in each state, None where only chance moves."""
        return [None if node is None or node.kind is None else node.seat for node in self.nodes]

    def _number(self, node: Node) -> int:
        if node not in self.numbers:
            self.numbers[node] = len(self.nodes)
            self.nodes.append(node)
        return self.numbers[node]

    def _roll(self, node: Node) -> Branches:
        chances: dict[int, Fraction] = {}
        for kind, count in roll_classes(self.rules, node.hand):
            if kind.options:
                following = self._number(node._replace(kind=kind))
            else:
                following = self._turn_over(node, self.succession.after_bust(node.start, on_six=len(node.hand) == 6))
            chances[following] = chances.get(following, Fraction(0)) + Fraction(count, 6 ** len(node.hand))
        return sorted(chances.items())

    def _choose(self, node: Node, kind: RollClass) -> list[Branches]:
        offered = list(choices_of_class(self.rules, kind))
        following = {
            self._turn_over(node, self.succession.after_bank(node.start, score))
            for points, _, _, may_bank in offered
            for score in (self.succession.banked_scores(node.start, node.turn_score + points) if may_bank else ())
        }
        wins = WON if node.seat == 0 else LOST
        if wins in following:
            return [[(wins, ONE)]]
        following |= {
            self._roll_on(node, node.turn_score + points, left) for points, left, may_roll, _ in offered if may_roll
        }
        return [[(state, ONE)] for state in sorted(following)]

    def _roll_on(self, node: Node, turn_score: int, left: Kinds) -> int:
        target = self.rules.ending.target
        if self.rules.ending.kind == "exact" and node.start.own + turn_score >= target:
            # No keep scores nothing, so that no bank is possible any more.
            return self._turn_over(node, self.succession.after_bust(node.start, on_six=False))
        assert node.start.own + turn_score < 4 * target
        return self._number(Node(node.seat, node.start, turn_score, left or full_hand(self.rules)))

    def _turn_over(self, node: Node, following: float | Start) -> int:
        if isinstance(following, float):
            assert following == 1.0
            return WON if node.seat == 0 else LOST
        # It is the other's turn, so the one who has just played is the other there.
        if following.other < self.floor and self.sinks[node.seat]:
            return LOST if node.seat == 0 else WON
        start = self.succession.told_apart(following)
        return self._number(Node(1 - node.seat, start, 0, full_hand(self.rules)))

    def best_choices(self, value_of: Callable[[Start], float]) -> list[int]:
        """The choice of each state that is best if every turn start is worth what is said."""
        worth: dict[int, float] = {WON: 1.0, LOST: 0.0}

        def seat_0(state: int) -> float:
            node = self.nodes[state]
            if state not in worth:
                assert node is not None
                if node.kind is None and node.turn_score == 0:
                    mover = value_of(node.start)
                    worth[state] = mover if node.seat == 0 else 1 - mover
                else:
                    values = [self._expected(branches, seat_0) for branches in self.choices[state]]
                    worth[state] = max(values) if node.seat == 0 else min(values)
            return worth[state]

        best = []
        for state, node in enumerate(self.nodes):
            values = [self._expected(branches, seat_0) for branches in self.choices[state]]
            wanted = max(values) if node is None or node.seat == 0 else min(values)
            best.append(values.index(wanted))
        return best

    @staticmethod
    def _expected(branches: Branches, worth: Callable[[int], float]) -> float:
        return sum(float(chance) * worth(state) for state, chance in branches)

    def with_fixed(self, seat: int, choices: list[int]) -> list[list[Branches]]:
        """The choices of all states when this seat plays as told."""
        return [
            [offered[choices[state]]] if owner == seat else offered
            for state, (owner, offered) in enumerate(zip(self.owners, self.choices, strict=True))
        ]
