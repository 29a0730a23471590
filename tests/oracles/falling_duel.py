"""Two players of whom each plays by a policy or best, where scores can fall: by plain loops over explicit states.

Every seat has a value for every turn start in the list of `MatchOracle`, whose cut-offs hold here too: play every turn
best for the values there are (or by the policy), solve the linear equations of that play, until all stands still.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.sparse import bmat, csr_array, identity, lil_array
from scipy.sparse.linalg import spsolve

from dice10k_math.policy import Choice, Player, Situation, Standing

from .match import OVER, MatchOracle, Start, choices_of_class
from .turn import full_hand, roll_classes

STILL = 1e-12
MOST_ROUNDS = 100
Array = np.ndarray[Any, Any]
Play = tuple[Any, Array]
"""How often each turn leads to each other, and what all its other endings are worth."""
Ended = dict[tuple[str, int], float]
"""(then, turn score) to probability; ("bust", dice) for busts."""


@dataclass
class FallingDuel:
    """Win probability of each seat when to move. `players`: None plays best."""

    match: MatchOracle
    players: tuple[Player | None, Player | None]
    followed: dict[Any, Ended] = field(default_factory=dict)

    def __post_init__(self) -> None:
        size = len(self.match.starts)
        self.values = np.full((2, size), 0.5)
        plays: list[Play | None] = [None, None]
        for _ in range(MOST_ROUNDS):
            before = self.values
            for seat, player in enumerate(self.players):
                if player is None:
                    plays[seat] = self._best_play(1 - before[1 - seat])
                elif plays[seat] is None:
                    plays[seat] = self._play_of(player)
            self.values = self._worth_of(plays)
            if np.max(np.abs(self.values - before)) <= STILL:
                return
        raise AssertionError("the values did not stand still")

    def _worth_of(self, plays: list[Play | None]) -> Array:
        """The worth of going on for ever like this: v[seat] = rest + often @ (1 - v[other])."""
        (one, rest), (two, more) = (play for play in plays if play is not None)
        size = len(rest)
        matrix = bmat([[identity(size), one], [two, identity(size)]], format="csc")
        right = np.concatenate([rest + one.sum(axis=1), more + two.sum(axis=1)])
        return np.asarray(spsolve(matrix, right)).reshape(2, size)

    def _best_play(self, waiting: Array) -> Play:
        self.match.worth = 1 - waiting
        size = len(waiting)
        inside = {number: number for number in range(size)}
        found = [self.match._play(number, inside) for number in range(size)]
        often = csr_array(np.array([chances for _, chances in found]))
        return often, np.array([worth for worth, _ in found]) - often @ waiting

    def _play_of(self, player: Player) -> Play:
        size = len(self.match.starts)
        often, rest = lil_array((size, size)), np.zeros(size)
        for number in range(size):
            rest[number] = self._turn(player, number, often)
        return csr_array(often), rest

    def value(self, seat: int, start: Start) -> float:
        """Win probability of a seat that is to move."""
        return float(self.values[seat, self.match.numbers[self.match.told_apart(start)]])

    def _turn(self, player: Player, number: int, often: Any) -> float:
        """Add up how often a turn leads to each state; return what its other endings are worth."""
        ways, rest = self.match.ways[number], 0.0
        for (then, points), chance in self._endings(player, self.match.starts[number]).items():
            if then == "bust":
                on_six = int(points == 6)
                state, worth = ways.busts[on_six], ways.bust_over[on_six]
            else:
                way, place = int(then == "subtract"), points // self.match.step
                state, worth = int(ways.banks[way, place]), float(ways.over[way, place])
            if state == OVER:
                rest += chance * worth
            else:
                often[number, state] += chance
        return rest

    def _endings(self, player: Player, start: Start) -> Ended:
        closing = start.stage == "second"
        last = start.stage == "last" or (closing and start.other >= self.match.rules.ending.target)
        key = player.key(Standing(start.own, start.other, last, closing, start.opened, start.busts))
        place = id(player), key, start.own, start.opened
        if place not in self.followed:
            self.followed[place] = self._follow(player, key, start)
        return self.followed[place]

    def _follow(self, player: Player, key: Any, start: Start) -> Ended:
        rules = self.match.rules
        arriving = {(0, 0, full_hand(rules)): 1.0}
        ended: Ended = defaultdict(float)
        while arriving:
            state = min(arriving)
            points, hot, hand = state
            chance = arriving.pop(state) / 6 ** len(hand)
            for kind, count in roll_classes(rules, hand):
                if not kind.options:
                    ended["bust", len(hand)] += chance * count
                    continue
                choice = player.decide(key, Situation(points, hot, hand, tuple(self._choices(kind, state, start))))
                if choice.then != "roll":
                    ended[choice.then, choice.turn_score] += chance * count
                elif choice.turn_score >= self.match.cutoff:
                    ended["bust", 0] += chance * count
                else:
                    after = choice.turn_score, choice.hot_dice, choice.hand
                    arriving[after] = arriving.get(after, 0.0) + chance * count
        return dict(ended)

    def _choices(self, kind: Any, state: tuple[int, int, Any], start: Start) -> list[Choice]:
        rules, (points, hot, _), found = self.match.rules, state, set()
        for paid, left, roll, bank in choices_of_class(rules, kind):
            bonus = 0 if left else rules.turn.hot_dice_bonus << hot
            after, dice, hots = points + paid + bonus, left or full_hand(rules), hot + (not left)
            if roll:
                found.add(Choice("roll", after, dice, hots, not left))
            ways = self.match.banked_scores(start, after) if bank else []
            for then, _score in zip(("bank", "subtract"), ways, strict=False):
                found.add(Choice(then, after, dice, hots, not left))  # type: ignore[arg-type] # one of the two words
        return sorted(found)
