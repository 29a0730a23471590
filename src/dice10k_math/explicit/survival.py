"""The chance to bank at last, when the turn score is high enough: bounds in whole numbers."""

from __future__ import annotations

from dice10k_math.turn import HandModel, TurnModel

GRID = 80
"""Chances are bounded by multiples of 6 ** -GRID."""
ROUNDS = 200
LONGER, FAINT = 2000, 6 ** (GRID - 20)
"""Where no bank ends a turn it may go on for much longer, and is followed until a round changes less than that."""


Bounds = tuple[list[int], list[int]]
"""A lower and an upper bound, by kind of edge."""


def survival_bounds(model: TurnModel, multiple: int, *, banks: bool = True) -> Bounds:
    """Return bounds of the best chance to bank at last, for a turn score that is high enough.

    Six spicy dice count as a bank.

    Parameters
    ----------
    model
        The turn model.
    multiple
        The bank multiple.
    banks
        Whether there are any banks; else only six spicy dice can save a turn.

    Returns
    -------
    tuple of lists of int
        A lower and an upper bound in multiples of 6 ** -GRID, by hand and remainder of the turn score in steps.
        Counting the ways that bank within so many rolls gives the lower one, not counting those that bust within them
        the upper one.
    """
    whole: int = 6**GRID
    if not banks and not any(hand.instant_win for hand in model.hands):
        nothing = [0] * (len(model.hands) * (multiple // model.step))
        return nothing, nothing
    low, high = (_bank_chances(model, multiple, start, whole if banks else 0) for start in (0, whole))
    return low, high


def _bank_chances(model: TurnModel, multiple: int, start: int, banked: int) -> list[int]:
    remainders = multiple // model.step
    chance = [start] * (len(model.hands) * remainders)
    rounds, faint = (ROUNDS, 0) if banked else (LONGER, FAINT)
    for _ in range(rounds):
        before = chance
        chance = [
            _one_roll(model, hand, remainder, multiple, before, start, banked)
            for hand in model.hands
            for remainder in range(0, multiple, model.step)
        ]
        if max(abs(now - then) for now, then in zip(chance, before, strict=True)) <= faint:
            break
    return chance


def _one_roll(
    model: TurnModel, hand: HandModel, remainder: int, multiple: int, chance: list[int], start: int, banked: int
) -> int:
    """Return the chance after one roll, rounded towards 0 for a lower bound and up for an upper one."""
    count = multiple // model.step
    worth = []
    for entry in hand.entries:
        after = (remainder + entry.points) % multiple
        shifted = entry.hot and model.bonus % multiple != 0
        there = chance[entry.hand * count : (entry.hand + 1) * count]
        # A bonus that is no multiple shifts the remainder by an unknown amount: the worst or the best may follow.
        roll = (max(there) if start else min(there)) if shifted else there[after // model.step]
        bank = entry.may_bank and (bool(start) if shifted else after == 0)
        worth.append(max(banked if bank else 0, roll if entry.may_roll else 0))
    alive = sum(roll.weight * max(worth[number] for number in roll.entries) for roll in hand.classes)
    total = alive + hand.instant_win * 6**GRID
    return -(-total // hand.outcomes) if start else total // hand.outcomes
