"""Three players by plain recursion over explicit states, for small targets.

A state is what the player to move sees: (own, next, third), and who has called for the last turns, counting from the
player to move: 0 nobody, 1 the next, 2 the third, 3 himself, so that the match is over. Worths are triples in this
order.

Turn scores from `cutoff` on are lost.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from dice10k_math.rules.model import Ruleset

from .duel import DuelOracle
from .match import Start, back_up_turn, choices_of, follow_turn, turn_step

State = tuple[int, int, int, int]
Triple = tuple[float, float, float]
Play = tuple[dict[int, float], float]
"""Banks with their probabilities, and the probability of a bust."""
STILL, MOST_ROUNDS = 1e-15, 400


def turned(triple: Triple) -> Triple:
    """The worths of the turn that follows, in the order of the turn before it."""
    first, second, third = triple
    return third, first, second


@dataclass
class TrioOracle:
    """A match of three; `values` and `plays` fill up as they are asked for."""

    rules: Ruleset
    cutoff: int = 3_000
    values: dict[State, Triple] = field(default_factory=dict)
    plays: dict[State, Play] = field(default_factory=dict)
    unsettled: list[State] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.turns = DuelOracle(self.rules, (None, None), self.cutoff)
        self.target = self.rules.ending.target
        self.final = self.rules.ending.kind == "final_round"
        step, most = turn_step(self.rules), int(choices_of(self.rules).points.max())
        self.points = range(step, self.cutoff + most * step, step)

    def banks(self, own: int) -> list[int]:
        start = Start(own, 0, own != 0, False)
        return [points for points in self.points if self.turns.allowed(start, points)]

    def over(self, state: State) -> Triple | None:
        """What the players have won, if the match is over before this turn."""
        *scores, reached = state
        if not self.final:
            return None if max(scores) < self.target else tuple(float(s >= self.target) for s in scores)  # type: ignore[return-value] # three scores
        if reached != 3:
            return None
        best = max(scores)
        return tuple((s == best) / scores.count(best) for s in scores)  # type: ignore[return-value] # three scores

    def following(self, state: State, own: int) -> State:
        """The turn after one that ends with this score."""
        _, next_, third, reached = state
        if reached:
            # One turn less is left: after the third's turn it is the caller's again, and the match is over.
            return next_, third, own, {1: 3, 2: 1}[reached]
        return next_, third, own, 2 if self.final and own >= self.target else 0

    def value(self, state: State) -> Triple:
        """What the three win, the player to move first."""
        ended = self.over(state)
        if ended is not None:
            return ended
        if state not in self.values:
            self.settle(state)
        return self.values[state]

    def after(self, state: State, own: int) -> Triple:
        return turned(self.value(self.following(state, own)))

    def settle(self, state: State) -> None:
        """Work out a state, and those that busts lead round in."""
        around = [state]
        while not state[3] and (following := self.following(around[-1], around[-1][0])) != state:
            around.append(following)
        self.work_out(around)

    def work_out(self, around: list[State]) -> None:
        alone = around[0][3] != 0
        worth = dict.fromkeys(around, 0.3)
        found: dict[State, Triple] = {}
        for _ in range(MOST_ROUNDS):
            for state in around:
                bust = self.after(state, state[0])[0] if alone else worth[state]
                self.plays[state] = self.best_play(state, bust)
            found = self.under_plays(around, alone)
            if alone:
                break
            better = {state: turned(found[self.following(state, state[0])])[0] for state in around}
            moved = max(abs(better[state] - worth[state]) for state in around)
            if moved <= STILL:
                break
            worth = better
        else:
            self.unsettled += around
        self.values.update(found)

    def under_plays(self, around: list[State], alone: bool) -> dict[State, Triple]:
        """The worths of the states for their plays: by linear equations."""
        banked = {
            state: np.sum(
                [
                    chance * np.array(self.after(state, state[0] + points))
                    for points, chance in self.plays[state][0].items()
                ]
                or [np.zeros(3)],
                axis=0,
            )
            for state in around
        }
        if alone:
            (state,) = around
            worth = banked[state] + self.plays[state][1] * np.array(self.after(state, state[0]))
            return {state: tuple(worth.tolist())}
        size = 3 * len(around)
        matrix, right = np.eye(size), np.zeros(size)
        for place, state in enumerate(around):
            there = around.index(self.following(state, state[0]))
            right[3 * place : 3 * place + 3] = banked[state]
            for entry, from_ in enumerate((2, 0, 1)):
                matrix[3 * place + entry, 3 * there + from_] -= self.plays[state][1]
        solved = np.linalg.solve(matrix, right).reshape(-1, 3)
        return {state: tuple(worth.tolist()) for state, worth in zip(around, solved, strict=True)}

    def best_play(self, state: State, bust: float) -> Play:
        """The banks of the best turn for the player to move."""
        choices, step = choices_of(self.rules), turn_step(self.rules)
        places = self.cutoff // step
        bank = np.full((len(choices.rolls), places + int(choices.points.max())), -np.inf)
        for points in self.banks(state[0]):
            bank[:, points // step] = self.after(state, state[0] + points)[0]
        value = np.empty((1, len(choices.rolls), places))
        back_up_turn(choices, 0, bank, bust, bust, bust, value)
        banked = np.empty(bank.shape)
        lost = sum(follow_turn(choices, 0, bank, bust, value, banked))
        found = {int(place) * step: float(banked[:, place].sum()) for place in np.flatnonzero(banked.any(axis=0))}
        return found, float(lost) + max(0.0, 1.0 - float(lost) - sum(found.values()))


@dataclass
class TrioResponse:
    """The most that one player can win while the other two play as an oracle has found.

    `who` counts from the player to move: 0 is himself, 1 the next, 2 the third.
    """

    oracle: TrioOracle
    memo: dict[tuple[State, int], float] = field(default_factory=dict)

    def value(self, state: State, who: int) -> float:
        ended = self.oracle.over(state)
        if ended is not None:
            return ended[who]
        key = state, who
        if key not in self.memo:
            if state[3]:
                self.memo[key] = self.turn(
                    state, who, self.value(self.oracle.following(state, state[0]), (who - 1) % 3)
                )
            else:
                self.settle(state, who)
        return self.memo[key]

    def settle(self, state: State, who: int) -> None:
        keys = [(state, who)]
        for _ in range(2):
            last, player = keys[-1]
            keys.append((self.oracle.following(last, last[0]), (player - 1) % 3))
        here, before = 0.0, -1.0
        found = [0.0] * 3
        for _ in range(MOST_ROUNDS * 10):
            before = here
            for place in (2, 1, 0):
                here = self.turn(*keys[place], here)
                found[place] = here
            if abs(here - before) <= 1e-16:
                break
        self.memo.update(zip(keys, found, strict=True))

    def turn(self, state: State, who: int, bust: float) -> float:
        """Worth of the turn, a bust being worth this."""
        oracle = self.oracle

        def after(points: int) -> float:
            return self.value(oracle.following(state, state[0] + points), (who - 1) % 3)

        if who == 0:
            return oracle.turns._best({points: after(points) for points in oracle.banks(state[0])}, bust)
        oracle.value(state)
        banks, lost = oracle.plays[state]
        return sum(chance * after(points) for points, chance in banks.items()) + lost * bust
