"""The best turn on a grid of turn scores, for hands whose dice are told apart.

The same recursion as `oracles.turn`, from the highest turn score down, with one numpy gather for each
hand and turn score: spicy dice have 63 hands and some 78,000 choices.
Only for rules without a hot-dice bonus.
"""

from __future__ import annotations

import math

import numpy as np

from dice10k_math.rules.model import Ruleset

from .keeps import Kinds
from .turn import all_hands, full_hand, least_bank, may_bank, roll_classes, six_dice_penalty


class HandTable:
    """The choices of one hand as flat arrays, a segment for each class of rolls."""

    def __init__(self, rules: Ruleset, hand: Kinds, index: dict[Kinds, int], step: int) -> None:
        classes = [(kind, count) for kind, count in roll_classes(rules, hand) if kind.options]
        flat = [
            (points // step, index[left or full_hand(rules)], not left)
            for kind, _ in classes
            for points, left in kind.options
        ]
        self.steps, self.left, self.hot = (np.array(column) for column in zip(*flat, strict=True))
        sizes = [len(kind.options) for kind, _ in classes]
        self.starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
        self.counts = np.array([count for _, count in classes], dtype=float)
        banked = [kind.banked or (0, ()) for kind, _ in classes]
        self.banked = np.array([points // step for points, _ in banked])
        self.banked_hot = np.array([not left for _, left in banked])
        self.busts = sum(
            count for kind, count in roll_classes(rules, hand) if not kind.options and not kind.instant_win
        )
        self.rolls = 6 ** len(hand)


def points_step(rules: Ruleset) -> int:
    """The greatest number of which all points that any hand can score are multiples."""
    points = {
        points for hand in all_hands(rules) for kind, _ in roll_classes(rules, hand) for points, _ in kind.options
    }
    return math.gcd(*points)


def turn_grid(
    rules: Ruleset, score: int = 0, cutoff: int = 30_000, *, opened: bool | None = None
) -> tuple[float, np.ndarray, list[Kinds], int]:
    """Worth of every (hand, turn score) about to be rolled below the cut-off, a lower bound.

    From the cut-off on, a bankable turn score is banked; from twice the cut-off on all is lost.
    Returns the worth of the turn, the table, its hands and the step of its turn scores.
    """
    assert rules.turn.hot_dice_bonus == 0
    hands = all_hands(rules)
    index = {hand: number for number, hand in enumerate(hands)}
    step = points_step(rules)
    tables = [HandTable(rules, hand, index, step) for hand in hands]
    minimum = least_bank(rules, score, score != 0 if opened is None else opened)
    reach = max(int(table.steps.max()) for table in tables)
    top = 2 * cutoff // step
    size = top + reach + 1
    bankable = np.array([may_bank(rules, place * step, minimum) for place in range(size)])
    bank = np.where(bankable, np.arange(size) * float(step), -np.inf)
    value = np.zeros((len(hands), size))
    value[:, top:] = -six_dice_penalty(rules, score)
    must_roll = rules.turn.hot_dice == "must_roll"
    for place in range(top - 1, -1, -1):
        for number, table in enumerate(tables):
            target = place + table.steps
            roll = value[table.left, target]
            if rules.turn.bank_takes == "keep":
                banks = np.where(table.hot & must_roll, -np.inf, bank[target])
                best_bank = np.maximum.reduceat(banks, table.starts)
            else:
                best_bank = bank[place + table.banked]
                best_bank = np.where(table.banked_hot & must_roll, -np.inf, best_bank)
            best_roll = np.maximum.reduceat(roll, table.starts)
            if place * step >= cutoff:
                best = np.where(best_bank > -np.inf, best_bank, best_roll)
            else:
                best = np.maximum(best_bank, best_roll)
            lost = six_dice_penalty(rules, score) * table.busts if len(hands[number]) == 6 else 0
            value[number, place] = (table.counts @ best - lost) / table.rolls
    return float(value[index[full_hand(rules)], 0]), value, hands, step
