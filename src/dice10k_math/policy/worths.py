"""Players who know what each choice is worth, and take the best."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dice10k_math.dice import Hand, sub_hands
from dice10k_math.policy.choices import Choice, Situation, Standing, Then
from dice10k_math.policy.plan import MOST_PLACED, Plan
from dice10k_math.rules.model import Ruleset
from dice10k_math.scoring import full_hand


@dataclass(frozen=True, slots=True, eq=False)
class Worths:
    """What the choices of one turn are worth.

    Attributes
    ----------
    step
        Points between two turn scores of the tables.
    roll
        Shape (hot dice, hands, turn scores): worth of rolling on; hands in the order of `sub_hands`.
        More hot dice than the table has count as its last.
    bank, subtract
        Shape (hands, turn scores): worth of banking, by the hand that is left, and of subtracting the bank from a score
        above the target; with one row only it is the same whatever is left.
    """

    step: int
    roll: NDArray[np.float64]
    bank: NDArray[np.float64]
    subtract: NDArray[np.float64]

    def of(self, choice: Choice, hand: int) -> float:
        """Return what a choice is worth; beyond the table it is best to bank."""
        column = choice.turn_score // self.step
        if column >= self.bank.shape[1]:
            return -np.inf if choice.then == "roll" else np.inf
        if choice.then == "roll":
            return float(self.roll[min(choice.hot_dice, len(self.roll) - 1), hand, column])
        worth = self.bank if choice.then == "bank" else self.subtract
        return float(worth[min(hand, len(worth) - 1), column])

    def takes(self, turn_score: NDArray[np.int32], hand: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Tell which turn scores to take over with these hands, by number: what is worth more than a turn of one's own.

        What is beyond the table is taken.
        """
        column = turn_score // self.step
        last = self.roll.shape[2] - 1
        worth = self.roll[0, hand, np.minimum(column, last)]
        return np.asarray((column > last) | (worth > self.roll[0, -1, 0]))


def place_worths(plan: Plan, hands: Sequence[Hand], step: int) -> Worths:
    """Return what the choices of a player are worth who keeps by places, in hundredths of wins of 10,000 matches.

    Parameters
    ----------
    plan
        The plan, whose way of keeping is `Places`.
    hands
        The hands that can be rolled, in the order of the table.
    step
        Points between two turn scores.
    """
    scores = range(0, MOST_PLACED + 1, step)

    def worths(then: Then, dice: int = 1) -> list[float]:
        return [plan.place_worth(then, points, dice) for points in scores]

    by_dice = {dice: worths("roll", dice) for dice in sorted({len(hand) for hand in hands})}
    roll = np.array([[by_dice[len(hand)] for hand in hands]], np.float64)
    return Worths(step, roll, np.array([worths("bank")]), np.array([worths("subtract")]))


@dataclass(frozen=True, slots=True, eq=False)
class WorthPlayer:
    """A player who takes the choice that is worth most.

    Attributes
    ----------
    rules
        The ruleset.
    keys
        Returns the key of a standing.
    worths
        Returns what the choices are worth, for a key.
    """

    rules: Ruleset
    keys: Callable[[Standing], Hashable]
    worths: Callable[[Hashable], Worths]

    def key(self, standing: Standing) -> Hashable:
        """Return the key of a standing."""
        return self.keys(standing)

    def decide(self, key: Hashable, situation: Situation) -> Choice:
        """Take the choice that is worth most; of equally good ones rather bank, then the most points."""
        worths, hands = self.worths(key), sub_hands(full_hand(self.rules))

        def rank(choice: Choice) -> tuple[float, int, int, Hand]:
            then = {"bank": 2, "subtract": 1, "roll": 0}[choice.then]
            return worths.of(choice, hands.index(choice.hand)), then, choice.turn_score, choice.hand

        return max(situation.choices, key=rank)

    def takes_over(self, key: Hashable, turn_score: int, hand: Hand) -> bool:
        """Take over what is worth more than a turn of one's own."""
        number = sub_hands(full_hand(self.rules)).index(hand)
        taken = self.worths(key).takes(np.array([turn_score], np.int32), np.array([number], np.int32))
        return bool(taken[0])
