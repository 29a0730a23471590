"""From which turn score on to bank, and other amounts by the number of dice."""

from __future__ import annotations

from dataclasses import dataclass

from dice10k_math.errors import InputError

NEVER = 1_000_000_000
"""A threshold that says never to bank."""
GOAL = -1
"""A threshold that says to bank only what reaches the target."""
MOST_DICE = 6

ByDice = tuple[tuple[int, int], ...]
"""Amounts for some numbers of dice, most dice first."""


def check_numbers(name: str, by_dice: ByDice) -> None:
    """Refuse numbers of dice that cannot be, or not in falling order."""
    numbers = [dice for dice, _ in by_dice]
    if numbers != sorted(set(numbers), reverse=True) or not all(1 <= dice <= MOST_DICE for dice in numbers):
        raise InputError(f"{name}, by dice: {numbers}; allowed: numbers from {MOST_DICE} to 1, falling")


def check_offers(take: ByDice, leave: tuple[int, ...]) -> None:
    """Refuse offers and parts left that make no sense."""
    check_numbers("take", take)
    if any(not 0 <= points <= NEVER for _, points in take):
        raise InputError(f"take: {take}; allowed: 0 to {NEVER} points")
    if len(leave) > MOST_DICE:
        raise InputError(f"leave: {len(leave)} parts; allowed: one for each number of dice")
    if any(not 0 <= percent <= 100 for percent in leave):
        raise InputError(f"leave: {leave}; allowed: 0 to 100 percent")


def check_reach(reach: ByDice, far: ByDice) -> None:
    """Refuse leads to reach the target with that make no sense."""
    check_numbers("reach", reach)
    check_numbers("far", far)
    if far and not reach:
        raise InputError(f"far: {far} without reach; allowed: with reach")
    if any(abs(points) > NEVER for _, points in reach):
        raise InputError(f"reach: {reach}; allowed: leads up to {NEVER} points")
    if any(not 0 <= points <= NEVER for _, points in far):
        raise InputError(f"far: {far}; allowed: 0 to {NEVER} points")


@dataclass(frozen=True, slots=True)
class Thresholds:
    """From which turn score on to bank.

    Attributes
    ----------
    base
        With any number of dice left.
    by_dice
        Other amounts for some numbers of dice left: (dice, amount), most dice first. All dice left means hot dice.
        An amount may be `NEVER` or `GOAL`.
    """

    base: int
    by_dice: tuple[tuple[int, int], ...] = ()

    def __post_init__(self) -> None:
        for name, amount in (("base", self.base), *((f"{dice} dice", amount) for dice, amount in self.by_dice)):
            if not (0 <= amount <= NEVER or amount == GOAL):
                raise InputError(f"threshold for {name}: {amount}; allowed: 0 to {NEVER}, or GOAL")
        numbers = [dice for dice, _ in self.by_dice]
        if numbers != sorted(set(numbers), reverse=True) or not all(1 <= dice <= MOST_DICE for dice in numbers):
            raise InputError(f"thresholds by dice: {numbers}; allowed: numbers from {MOST_DICE} to 1, falling")
        if {self.base, *(amount for _, amount in self.by_dice)} == {NEVER}:
            raise InputError("threshold: never; a policy must bank at some time; allowed: an amount of points")

    def of(self, dice: int) -> int:
        """Return the threshold with so many dice left.

        Examples
        --------
        >>> Thresholds(300, ((2, 250),)).of(2)
        250
        """
        return dict(self.by_dice).get(dice, self.base)

    def amounts(self, dice: int) -> tuple[int, ...]:
        """Return the thresholds with 1, 2, ... `dice` dice left.

        Examples
        --------
        >>> Thresholds(300, ((2, 250),)).amounts(3)
        (300, 250, 300)
        """
        found = [self.base] * dice
        for number, amount in self.by_dice:
            if number <= dice:
                found[number - 1] = amount
        return tuple(found)
