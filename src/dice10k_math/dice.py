"""Dice, hands and rolls: the exhaustive enumerator.

A *die* is named by its kind: 0 is a plain die, 1 to 6 a die whose spicy face is that number.
A *hand* is the multiset of dice about to be rolled, a tuple of kinds in rising order; six plain dice are ``(0, 0, 0,
0, 0, 0)``.
A *roll* is a tuple of faces, one for each die of the hand in the same order, sorted among dice of one kind:
dice that cannot be told apart are not told apart.

Each roll carries the integer number of equally likely ordered outcomes that it stands for, so that the weights of a
hand of n dice
add up to 6**n and a probability is divided once, at the end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations, combinations_with_replacement, groupby, product
from math import factorial

from dice10k_math.errors import InputError

FACES = (1, 2, 3, 4, 5, 6)
PLAIN = 0

Hand = tuple[int, ...]
Roll = tuple[int, ...]


def plain_hand(dice: int) -> Hand:
    """Return the hand of that many plain dice.

    Examples
    --------
    >>> plain_hand(3)
    (0, 0, 0)
    """
    return (PLAIN,) * dice


def sub_hands(hand: Hand) -> tuple[Hand, ...]:
    """Return every non-empty hand that can be left of `hand`, fewest dice first.

    Examples
    --------
    >>> sub_hands((0, 0))
    ((0,), (0, 0))
    >>> len(sub_hands((1, 2, 3, 4, 5, 6)))
    63
    """
    found = dict.fromkeys(left for size in range(1, len(hand) + 1) for left in combinations(sorted(hand), size))
    return tuple(found)


def remove_dice(hand: Hand, dice: Hand) -> Hand:
    """Return what is left of `hand` when `dice` are set aside.

    Examples
    --------
    >>> remove_dice((1, 2, 2, 5), (2, 5))
    (1, 2)
    """
    left = list(hand)
    for die in dice:
        left.remove(die)
    return tuple(left)


def multinomial(roll: Roll) -> int:
    """Return the number of orders in which equal dice can show these faces.

    Examples
    --------
    >>> multinomial((1, 1, 5))
    3
    """
    orders = factorial(len(roll))
    for count in Counter(roll).values():
        orders //= factorial(count)
    return orders


@lru_cache(maxsize=64)
def _rolls_of_equal_dice(dice: int) -> tuple[tuple[Roll, int], ...]:
    return tuple((roll, multinomial(roll)) for roll in combinations_with_replacement(FACES, dice))


def rolls(hand: Hand) -> Iterator[tuple[Roll, int]]:
    """Yield every roll of the hand with its integer weight.

    Parameters
    ----------
    hand
        Kinds of the dice, in rising order.

    Yields
    ------
    tuple of (roll, weight)
        The weights add up to ``6 ** len(hand)``.

    Examples
    --------
    >>> sum(weight for _, weight in rolls(plain_hand(6)))
    46656
    >>> len(list(rolls(plain_hand(6))))
    462
    >>> len(list(rolls((1, 2))))
    36
    """
    if tuple(sorted(hand)) != hand:
        raise InputError(f"hand {hand}: name the kinds of the dice in rising order")
    groups = [_rolls_of_equal_dice(len(list(dice))) for _, dice in groupby(hand)]
    if len(groups) == 1:
        yield from groups[0]
        return
    for parts in product(*groups):
        weight = 1
        faces: list[int] = []
        for part, orders in parts:
            faces += part
            weight *= orders
        yield tuple(faces), weight
