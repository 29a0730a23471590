"""How a turn ends under the best play: the forward twin of the backward induction."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np

from dice10k_math.bounds import clean_chance
from dice10k_math.solve.enclose import Floats
from dice10k_math.solve.exact import TurnProblem
from dice10k_math.solve.grid import Level
from dice10k_math.solve.reader import HandReader

NEGLIGIBLE = 1e-20
"""Probability below which a state is not followed any further; what is left out is added to `Endings.open`."""
FARTHEST = 1_000_000
"""Turn score, in points, from which turns count as open: those of dice that hardly ever bust."""


@dataclass(frozen=True, slots=True)
class Endings:
    """Probabilities of the ways in which a turn ends; together with `open` they add up to 1.

    Attributes
    ----------
    banked
        Turn score banked to its probability, in rising order.
    bust
        Busts with fewer dice than all.
    bust_on_six
        Busts with all dice.
    instant_win
        Six spicy dice.
    open
        Turns that are not followed to their end: hot dice again and again.
    """

    banked: dict[int, float]
    bust: float
    bust_on_six: float
    instant_win: float
    open: float

    @property
    def any_bust(self) -> float:
        """Probability of a bust with any number of dice."""
        bust = self.bust + self.bust_on_six
        return clean_chance(bust, bust, bust + self.open if self.banked or self.instant_win else 1.0)


@dataclass(frozen=True, slots=True)
class Play:
    """What is chosen after a roll: the entry, after how many of the outcomes, and whether it banks."""

    entry: int
    outcomes: float
    bank: bool


def best_play(reader: HandReader, pool: Floats, row: int) -> list[Play]:
    """Return what the best play chooses after rolling a hand at this row; of equal choices the first."""
    if not reader.weights:
        return []
    # Lower bounds: an exact bank is not beaten by what rounding adds to rolls that are worth the same.
    rolled, banked = (bounds[0] for bounds in reader.worths(pool, row))
    value = np.maximum(rolled, banked)
    best = value[reader.members] == reader.best_of_classes(value)
    place = np.where(best, np.arange(len(best)), len(best))
    chosen = reader.members[np.minimum.reduceat(place, reader.starts)]
    weight = np.bincount(chosen, weights=reader.weights, minlength=len(value))
    bank = banked >= rolled
    return [Play(number, float(weight[number]), bool(bank[number])) for number in np.flatnonzero(weight).tolist()]


class _Plays:
    """The best play in every state, looked up where it repeats.

    In the tail it depends on the hand and the remainder by the bank multiple alone. The start of the tail itself is
    left out of that: choices which the tail tells apart may be equally good there.
    """

    def __init__(self, problem: TurnProblem) -> None:
        self.problem, self.grid = problem, problem.grid
        self.levels = {level.hot_dice: level for level in problem.grid.levels}
        self.period = problem.tail.multiple // problem.model.step
        self.readers: dict[tuple[int, int], HandReader] = {}
        self.repeated: dict[tuple[int, int], list[Play]] = {}

    def follows(self, turn_score: int, hot_dice: int) -> bool:
        """Tell whether a state is followed: with a bonus, those below the tail."""
        return self.levels[hot_dice].solved > 0 and turn_score < FARTHEST

    def at(self, turn_score: int, hot_dice: int, hand: int) -> list[Play]:
        """Return what is chosen after each roll of a hand."""
        level = self.levels[hot_dice]
        row = self.grid.row(turn_score, hot_dice)
        tail = level.first + level.solved
        if row <= tail:
            return self._best(row, level, hand)
        row = tail + 1 + (row - tail - 1) % self.period
        if (row, hand) not in self.repeated:
            self.repeated[row, hand] = self._best(row, level, hand)
        return self.repeated[row, hand]

    def _best(self, row: int, level: Level, hand: int) -> list[Play]:
        key = (hand, level.hot_dice)
        if key not in self.readers:
            self.readers[key] = HandReader(self.problem.model.hands[hand], self.grid, level)
        return best_play(self.readers[key], self.problem.bounds.pool, row)


def endings_of(problem: TurnProblem) -> Endings:
    """Return how the turn ends under the best play, from its start.

    Turn scores only grow, so states are followed in rising order of the turn score and each is complete when its turn
    comes.
    """
    grid, model = problem.grid, problem.model
    plays = _Plays(problem)
    arriving: dict[tuple[int, int, int], float] = {(0, 0, model.full): 1.0}
    waiting = [(0, 0, model.full)]
    banked: dict[int, float] = defaultdict(float)
    bust = bust_on_six = instant_win = left = 0.0
    while waiting:
        state = heappop(waiting)
        turn_score, hot_dice, hand = state
        probability = arriving.pop(state)
        if probability < NEGLIGIBLE or not plays.follows(turn_score, hot_dice):
            left += probability
            continue
        here = model.hands[hand]
        lost = probability * here.bust / here.outcomes
        bust, bust_on_six = (bust, bust_on_six + lost) if hand == model.full else (bust + lost, bust_on_six)
        instant_win += probability * here.instant_win / here.outcomes
        for play in plays.at(*state):
            chance = probability * play.outcomes / here.outcomes
            entry = here.entries[play.entry]
            hot = entry.hot and grid.with_bonus
            after = turn_score + entry.points + (model.bonus_after(hot_dice) if hot else 0)
            if play.bank:
                banked[after] += chance
                continue
            following = (after, hot_dice + hot, entry.hand)
            if following not in arriving:
                arriving[following] = 0.0
                heappush(waiting, following)
            arriving[following] += chance
    return Endings({score: banked[score] for score in sorted(banked)}, bust, bust_on_six, instant_win, left)
