"""A threshold player with random dice, from the rules alone, and the exact value of the same play."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dice10k_math.rules.model import Ruleset

from .keeps import Kinds, brute_all_scoring, is_instant_win
from .odds import keeps_in_any_order
from .turn import full_hand, least_bank, may_bank, roll_classes, six_dice_penalty


class Estimate(NamedTuple):
    """Mean change of the score per turn, and its standard error."""

    mean: float
    error: float


@dataclass(frozen=True)
class ThresholdPlayer:
    """Keeps every scoring die; banks as soon as it may with `threshold` or more."""

    rules: Ruleset
    threshold: int
    score: int = 0

    def banks(self, turn_score: int, left: Kinds) -> bool:
        """Whether it banks after a keep."""
        if not left and self.rules.turn.hot_dice == "must_roll":
            return False
        minimum = least_bank(self.rules, self.score, self.score != 0)
        return turn_score >= self.threshold and may_bank(self.rules, turn_score, minimum)

    def bonus(self, hot: int) -> int:
        """Points for the next hot dice."""
        return self.rules.turn.hot_dice_bonus * int(2**hot)


def play_turn(player: ThresholdPlayer, random: np.random.Generator) -> int:
    """Change of the score by one random turn."""
    rules = player.rules
    hand, turn_score, hot = full_hand(rules), 0, 0
    while True:
        roll = tuple(int(face) for face in random.integers(1, 7, len(hand)))
        if rules.variants.spicy_faces is not None and is_instant_win(roll, hand):
            return 0
        keeps = keeps_in_any_order(rules, roll, hand)
        if not keeps:
            return -six_dice_penalty(rules, player.score) if len(hand) == 6 else 0
        best = brute_all_scoring(keeps)
        turn_score += best.points + (0 if best.left else player.bonus(hot))
        if player.banks(turn_score, best.left):
            return turn_score
        hot += 0 if best.left else 1
        hand = best.left or full_hand(rules)


def estimate(player: ThresholdPlayer, turns: int, seed: int) -> Estimate:
    """Monte-Carlo mean of many turns."""
    random = np.random.default_rng(seed)
    changes = np.array([play_turn(player, random) for _ in range(turns)], dtype=float)
    return Estimate(float(changes.mean()), float(changes.std() / np.sqrt(turns)))


def threshold_value(player: ThresholdPlayer, most: int = 20_000) -> float:
    """Exact mean of the same play; a turn past `most` points (it cannot bank yet) is lost."""
    rules = player.rules
    memo: dict[tuple[Kinds, int, int], float] = {}

    def roll_value(hand: Kinds, turn_score: int, hot: int) -> float:
        if turn_score > most:
            return 0.0
        hot = hot if rules.turn.hot_dice_bonus else 0
        if (hand, turn_score, hot) not in memo:
            total = 0.0
            for kind, count in roll_classes(rules, hand):
                if kind.banked is not None:
                    total += count * after(*kind.banked, turn_score, hot)
                elif not kind.instant_win and len(hand) == 6:
                    total -= count * six_dice_penalty(rules, player.score)
            memo[hand, turn_score, hot] = total / 6 ** len(hand)
        return memo[hand, turn_score, hot]

    def after(points: int, left: Kinds, turn_score: int, hot: int) -> float:
        total = turn_score + points + (0 if left else player.bonus(hot))
        if player.banks(total, left):
            return total
        return roll_value(left or full_hand(rules), total, hot + (0 if left else 1))

    return roll_value(full_hand(rules), 0, 0)
