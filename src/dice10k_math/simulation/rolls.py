"""Every ordered roll of every hand as flat arrays: which keeps it offers, and what follows them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby, product

import numpy as np
from numpy.typing import NDArray

from dice10k_math.dice import FACES, Hand, Roll, sub_hands
from dice10k_math.rules.model import Ruleset
from dice10k_math.scoring import bank_keeps, full_hand, is_instant_win, keeps_of

Ints = NDArray[np.int64]
BUST, WIN = 0, 1
"""Classes of the rolls that offer nothing, and of six spicy dice; other classes follow."""
MAY_ROLL, MAY_BANK = 1, 2
Option = tuple[int, int, bool, int]
"""Points, index of the next hand, hot dice, and flags of what may follow."""


@dataclass(frozen=True, slots=True, eq=False)
class Rolls:
    """The rolls of a ruleset.

    Attributes
    ----------
    hands
        Every hand, fewest dice first; the last is the full hand.
    size, order
        Shape (hands,): number of dice, and rank of the hand among all as tuples compare.
    first, outcomes
        Shape (hands,): where the ordered rolls of each hand start in `kind`, and how many there are.
    kind
        The class of each ordered roll.
    starts
        Shape (classes + 1,): where the options of each class start.
    points, next_hand, hot, flags
        For each option.
    most_points
        The most points of an option of each class.
    """

    hands: tuple[Hand, ...]
    size: Ints
    order: Ints
    first: Ints
    outcomes: Ints
    kind: NDArray[np.int32]
    starts: Ints
    points: Ints
    next_hand: Ints
    hot: Ints
    flags: Ints
    most_points: Ints

    @property
    def arrays(self) -> tuple[Ints, ...]:
        """What the compiled loops read of the options."""
        return (
            *(self.size, self.order, self.starts, self.points),
            *(self.next_hand, self.hot, self.flags, self.most_points),
        )


@lru_cache(maxsize=16)
def rolls_of(rules: Ruleset) -> Rolls:
    """List the rolls of a ruleset.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> found = rolls_of(load_rules("dice10k"))
    >>> last = found.kind[found.first[-1] :]
    >>> int((last == BUST).sum()), len(last)
    (1080, 46656)
    """
    hands = sub_hands(full_hand(rules))
    index = {hand: number for number, hand in enumerate(hands)} | {(): len(hands) - 1}
    classes: dict[tuple[Option, ...], int] = {}
    kinds: list[int] = []
    firsts = []
    for hand in hands:
        firsts.append(len(kinds))
        kinds += _kinds_of(rules, hand, index, classes)
    options = [option for offered in classes for option in offered]
    points, next_hand, hot, flags = np.array(options, np.int64).T.copy()
    sizes = [0, 0, *map(len, classes)]
    ranks = {hand: rank for rank, hand in enumerate(sorted(hands))}
    return Rolls(
        hands,
        np.array([len(hand) for hand in hands]),
        np.array([ranks[hand] for hand in hands]),
        np.array(firsts),
        np.array([6 ** len(hand) for hand in hands]),
        np.array(kinds, np.int32),
        np.cumsum([0, *sizes]),
        points,
        next_hand,
        hot,
        flags,
        np.array([0, 0, *(max(option[0] for option in offered) for offered in classes)]),
    )


def _kinds_of(rules: Ruleset, hand: Hand, index: dict[Hand, int], classes: dict[tuple[Option, ...], int]) -> list[int]:
    """Return the class of each ordered roll of a hand; new classes are added."""
    known: dict[Roll, int] = {}
    found = []
    groups = [len(list(dice)) for _, dice in groupby(hand)]
    for faces in product(FACES, repeat=len(hand)):
        roll = _sorted_within(faces, groups)
        if roll not in known:
            known[roll] = _class_of(rules, hand, roll, index, classes)
        found.append(known[roll])
    return found


def _sorted_within(faces: Roll, groups: list[int]) -> Roll:
    """Sort the faces among dice of one kind."""
    if len(groups) == len(faces):
        return faces
    roll: list[int] = []
    for size in groups:
        roll += sorted(faces[len(roll) : len(roll) + size])
    return tuple(roll)


def _class_of(
    rules: Ruleset, hand: Hand, roll: Roll, index: dict[Hand, int], classes: dict[tuple[Option, ...], int]
) -> int:
    if is_instant_win(hand, roll):
        return WIN
    keeps = keeps_of(rules, hand, roll)
    if not keeps:
        return BUST
    banks = set(bank_keeps(rules, keeps))
    forced = rules.turn.hot_dice == "must_roll"
    flags: dict[tuple[int, int, bool], int] = {}
    for keep in keeps:
        hot = not keep.hand_left
        what = (keep.points, index[keep.hand_left], hot)
        may_bank = keep in banks and not (hot and forced)
        flags[what] = flags.get(what, MAY_ROLL) | MAY_BANK * may_bank
    options = tuple((*what, flag) for what, flag in sorted(flags.items()))
    return classes.setdefault(options, len(classes) + 2)
