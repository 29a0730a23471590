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
        Turns that run on past every turn score followed: hot dice again and again.
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


def _reader(readers: dict[tuple[int, int], HandReader], problem: TurnProblem, hand: int, level: Level) -> HandReader:
    key = (hand, level.hot_dice)
    if key not in readers:
        readers[key] = HandReader(problem.model.hands[hand], problem.grid, level)
    return readers[key]


def endings_of(problem: TurnProblem) -> Endings:
    """Return how the turn ends under the best play, from its start.

    Turn scores only grow, so states are followed in rising order of the turn score and each is complete when its turn
    comes.
    """
    grid, model = problem.grid, problem.model
    readers: dict[tuple[int, int], HandReader] = {}
    arriving: dict[tuple[int, int, int], float] = {(0, 0, model.full): 1.0}
    waiting = [(0, 0, model.full)]
    banked: dict[int, float] = defaultdict(float)
    bust = bust_on_six = instant_win = left = 0.0
    levels = {level.hot_dice: level for level in grid.levels}
    while waiting:
        state = heappop(waiting)
        turn_score, hot_dice, hand = state
        probability = arriving.pop(state)
        level = levels[hot_dice]
        row = grid.row(turn_score, hot_dice)
        if probability < NEGLIGIBLE or row >= level.first + level.solved:
            left += probability
            continue
        here = model.hands[hand]
        lost = probability * here.bust / here.outcomes
        bust, bust_on_six = (bust, bust_on_six + lost) if hand == model.full else (bust + lost, bust_on_six)
        instant_win += probability * here.instant_win / here.outcomes
        reader = _reader(readers, problem, hand, level)
        for play in best_play(reader, problem.bounds.pool, row):
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
