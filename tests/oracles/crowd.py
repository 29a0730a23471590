"""Several players who look at no other score, and one who plays best or like them, by plain recursion.

What the player does not see of the others is a list of worlds with their probabilities: the scores of all others
together, one by one, and who has reached the target. Every turn of another splits every world.
Where the player is to move, the worlds are sorted by what the player sees, and each lot is played best on its own.
All worths are sums over worlds, not divided by the probability of being there.

Turn scores from `cutoff` on are lost.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable
from dataclasses import dataclass, field
from itertools import product

from dice10k_math.policy import Player
from dice10k_math.rules.model import Ruleset

from .duel import BUST, DuelOracle
from .match import Stage, Start, choices_of, turn_step

Scores = tuple[int, ...]
World = tuple[Scores, int | None]
"""Scores of all but the player (whose place holds 0), and who has reached the target first."""
Worlds = dict[World, float]
GONE = 1e-16


@dataclass
class CrowdOracle:
    """`players`: one for each seat; None plays best, without looking at those below the target."""

    rules: Ruleset
    players: tuple[Player | None, ...]
    scores: Scores
    cutoff: int = 3_000
    memo: dict[tuple[int, int], float] = field(default_factory=dict)
    steps: dict[tuple[int, int], dict[int, float]] = field(default_factory=dict)
    worths: dict[tuple[int, Hashable], dict[tuple[int, int], float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.me = self.players.index(None)
        self.turns = DuelOracle(self.rules, (None, None), self.cutoff)
        self.kind, self.target = self.rules.ending.kind, self.rules.ending.target

    def win_probability(self) -> float:
        """From the beginning."""
        others = tuple(0 if seat == self.me else score for seat, score in enumerate(self.scores))
        return self.go_on(0, self.scores[self.me], {(others, None): 1.0})

    def moved(self, seat: int, own: int) -> dict[int, float]:
        """Totals after a turn of another, with probabilities."""
        if (seat, own) in self.steps:
            return self.steps[seat, own]
        player = self.players[seat]
        assert player is not None
        found: dict[int, float] = defaultdict(float)
        stage: Stage = "second" if self.kind == "equal_turns" and seat == len(self.players) - 1 else ""
        for points, chance in self.turns.endings(player, Start(own, 0, own != 0, False, stage=stage)).items():
            found[own if points == BUST else own + points] += chance
        self.steps[seat, own] = dict(found)
        return self.steps[seat, own]

    def share(self, own: int, others: Scores) -> float:
        """The player's part of the win."""
        rest = [score for seat, score in enumerate(others) if seat != self.me]
        return 0.0 if max(rest) > own else 1 / (1 + rest.count(own))

    def is_over(self, number: int, own: int, world: World) -> bool:
        """Whether the match is over before the turn with this number."""
        scores, reached = world
        everybody = [*scores[: self.me], own, *scores[self.me + 1 :]]
        if self.kind == "final_round":
            return reached is not None and number % len(scores) == reached
        if self.kind == "equal_turns":
            return number % len(scores) == 0 and max(everybody) >= self.target
        return max(everybody) >= self.target

    def go_on(self, number: int, own: int, worlds: Worlds) -> float:
        """Worth, over all worlds, of the turn with this number and all that follow."""
        won, left = 0.0, {}
        for world, chance in worlds.items():
            if self.is_over(number, own, world):
                won += chance * self.share(own, world[0])
            else:
                left[world] = chance
        if sum(left.values()) < GONE:
            return won
        if number % len(self.players) == self.me:
            return won + sum(self.my_turn(number, own, lot) for lot in self.sorted(left))
        return won + self.go_on(number + 1, own, self.split(number % len(self.players), left))

    def split(self, seat: int, worlds: Worlds) -> Worlds:
        """All worlds after a turn of another."""
        after: Worlds = defaultdict(float)
        for (scores, reached), chance in worlds.items():
            for total, part in self.moved(seat, scores[seat]).items():
                first = seat if reached is None and total >= self.target else reached
                after[(*scores[:seat], total, *scores[seat + 1 :]), first] += chance * part
        return dict(after)

    def sorted(self, worlds: Worlds) -> list[Worlds]:
        """The worlds by what the player sees."""
        lots: dict[Hashable, Worlds] = defaultdict(dict)
        for (scores, reached), chance in worlds.items():
            seen: Hashable = None
            if reached is not None:
                most = max(scores)
                seen = reached, most, scores.count(most)
            lots[seen][scores, reached] = chance
        return list(lots.values())

    def my_turn(self, number: int, own: int, worlds: Worlds) -> float:
        """The best turn for one lot of worlds."""
        called = next(iter(worlds))[1] is not None
        if not called and (number, own) in self.memo:
            return self.memo[number, own]
        step, most = turn_step(self.rules), int(choices_of(self.rules).points.max())
        start = Start(own, 0, own != 0, False)
        worth = {
            points: self.banked(number, own + points, worlds, called=called)
            for points in range(step, self.cutoff + most * step, step)
            if self.turns.allowed(start, points)
        }
        bust = self.banked(number, own, worlds, called=called)
        found = self.turns._best(worth, bust)
        if not called:
            self.memo[number, own] = found
        return found

    def banked(self, number: int, own: int, worlds: Worlds, *, called: bool) -> float:
        """Worth of having this score after the turn."""
        if not called and own < self.target:
            return self.go_on(number + 1, own, worlds)
        if self.kind in ("exact", "first_to_target") and own >= self.target:
            return sum(worlds.values())
        # From here on nobody chooses any more: what the others end with is the same whatever the player has.
        key = number, frozenset(worlds)
        if key not in self.worths:
            self.worths[key] = self.finals(number, worlds)
        return sum(
            chance / (1 + many) if own == most else chance * (own > most)
            for (most, many), chance in self.worths[key].items()
        )

    def finals(self, number: int, worlds: Worlds) -> dict[tuple[int, int], float]:
        """The highest total of the others at the end, and how many have it, with probabilities."""
        players = len(self.players)
        by_me = next(iter(worlds))[1] is None
        last = self.me if by_me and self.kind == "final_round" else next(iter(worlds))[1]
        end = 0 if self.kind == "equal_turns" else last
        turn, left = number + 1, worlds
        while turn % players != end:
            if turn % players != self.me:
                left = self.split(turn % players, left)
            turn += 1
        found: dict[tuple[int, int], float] = defaultdict(float)
        for (scores, _), chance in left.items():
            rest = [score for seat, score in enumerate(scores) if seat != self.me]
            found[max(rest), rest.count(max(rest))] += chance
        return dict(found)


def full_response(rules: Ruleset, others: tuple[Player, Player], cutoff: int = 3_000) -> dict[Scores, float]:
    """Win probability, being the first to move, of the best play that sees all three scores; first to the target wins.

    Shape: (own, next, third), each below the target.
    """
    crowd = CrowdOracle(rules, (None, *others), (0, 0, 0), cutoff)
    step, target, most = turn_step(rules), rules.ending.target, int(choices_of(rules).points.max())
    value: dict[Scores, float] = {}

    def after(own: int, scores: tuple[int, int], here: float) -> float:
        if own >= target:
            return 1.0
        total = 0.0
        for first, chance in crowd.moved(1, scores[0]).items():
            if first < target:
                for second, part in crowd.moved(2, scores[1]).items():
                    if second < target:
                        state = own, first, second
                        total += chance * part * value.get(state, here)
        return total

    for own, first, second in sorted(product(range(0, target, step), repeat=3), key=sum, reverse=True):
        here, before = 0.5, -1.0
        start = Start(own, 0, own != 0, False)
        banks = {
            points: after(own + points, (first, second), 0.0)
            for points in range(step, cutoff + most * step, step)
            if crowd.turns.allowed(start, points)
        }
        while abs(here - before) > 1e-15:
            before = here
            here = crowd.turns._best(banks, after(own, (first, second), here))
        value[own, first, second] = here
    return value
