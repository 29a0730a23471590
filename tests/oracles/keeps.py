"""Every keep of one roll, by trying every set of dice and every way to split it.

Dice are told apart by their place in the roll.
`kinds[i]` is 0 for a plain die, else the spicy face of die `i`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from dice10k_math.rules.model import FlatSets, Ruleset, Scoring

Faces = tuple[int, ...]
Kinds = tuple[int, ...]


class BruteKeep(NamedTuple):
    """Kept faces (sorted), what they pay, and the sorted kinds of the dice left."""

    faces: Faces
    points: int
    left: Kinds


def set_points(scoring: Scoring, face: int, count: int) -> int:
    """What `count` equal dice pay as one set (0: no such set)."""
    triple = scoring.triples[face - 1]
    if count < 3:
        return 0
    if count == 3:
        return triple
    larger = scoring.larger_sets
    if larger is None:
        return 0
    if isinstance(larger, FlatSets):
        return larger.points[count - 4]
    return triple * larger.factors[count - 4]


def six_dice_points(scoring: Scoring, faces: Faces) -> int:
    """What six dice of one roll of six pay as a six-dice combination (0: none)."""
    counts = sorted((faces.count(face) for face in set(faces)), reverse=True)
    named = {
        (1, 1, 1, 1, 1, 1): scoring.straight,
        (2, 2, 2): scoring.three_pairs,
        (4, 2): scoring.four_and_pair,
        (3, 3): scoring.two_triplets,
    }
    return named.get(tuple(counts)) or 0


def five_straight_points(scoring: Scoring, faces: Faces) -> int:
    """What five dice pay as a straight of five (0: none)."""
    if scoring.five_straights is None:
        return 0
    if faces == (1, 2, 3, 4, 5):
        return scoring.five_straights.low
    if faces == (2, 3, 4, 5, 6):
        return scoring.five_straights.high
    return 0


@cache
def special_points(scoring: Scoring, faces: Faces, rolled: int) -> int:
    """Points of sorted dice as a combination that mixes faces (0: none)."""
    if len(faces) == 6 and rolled == 6:
        return six_dice_points(scoring, faces)
    if len(faces) == 5 and rolled >= 5:
        return five_straight_points(scoring, faces)
    return 0


@cache
def combination_points(scoring: Scoring, faces: Faces, rolled: int) -> int:
    """Points of sorted dice as exactly one combination (0: they are none)."""
    if len(faces) == 1:
        return scoring.singles[faces[0] - 1]
    if len(set(faces)) == 1:
        return set_points(scoring, faces[0], len(faces))
    return special_points(scoring, faces, rolled)


def _spicy_factor(dice: Faces, roll: Faces, kinds: Kinds) -> int:
    return 1 << sum(1 for die in dice if roll[die] == kinds[die])


def _members(mask: int) -> Faces:
    return tuple(die for die in range(6) if mask >> die & 1)


def _blocks(scoring: Scoring, roll: Faces, kinds: Kinds) -> dict[int, int]:
    """Every set of dice (as a bit mask) that is one combination, and its points."""
    blocks = {}
    for mask in range(1, 1 << len(roll)):
        dice = _members(mask)
        faces = tuple(sorted(roll[die] for die in dice))
        points = combination_points(scoring, faces, len(roll))
        if points > 0:
            blocks[mask] = points * _spicy_factor(dice, roll, kinds)
    return blocks


def _partitions(mask: int, blocks: dict[int, int]) -> Iterator[tuple[int, ...]]:
    """Every way to split the dice of `mask` into combinations."""
    if mask == 0:
        yield ()
        return
    lowest = mask & -mask
    for block in blocks:
        if block & lowest and block & mask == block:
            for rest in _partitions(mask ^ block, blocks):
                yield (block, *rest)


def _one_set_per_face(split: tuple[int, ...], roll: Faces, scoring: Scoring) -> bool:
    """Whether equal dice are kept as one set wherever the rules have a set of that many.

    A straight of five or a six-dice combination keeps its dice out of the count.
    """
    together: dict[int, list[int]] = {}
    for block in split:
        faces = [roll[die] for die in _members(block)]
        if len(set(faces)) == 1:
            together.setdefault(faces[0], []).append(len(faces))
    return all(len(sizes) == 1 or set_points(scoring, face, sum(sizes)) == 0 for face, sizes in together.items())


def _same_shape(split: tuple[int, ...], roll: Faces) -> tuple[int, ...]:
    """What reading a split belongs to: the mixed combinations in it."""
    return tuple(sorted(b for b in split if len({roll[die] for die in _members(b)}) > 1))


def _payments(mask: int, roll: Faces, blocks: dict[int, int], scoring: Scoring) -> set[int]:
    """The different points that the dice of `mask` may be kept for."""
    splits = list(_partitions(mask, blocks))
    worth = {split: sum(blocks[block] for block in split) for split in splits}
    if not splits:
        return set()
    if scoring.readings == "highest":
        return {max(worth.values())}
    # Where the rules have no set of that many, equal dice are split in the way that pays most.
    readings: dict[tuple[int, ...], int] = {}
    for split in splits:
        if _one_set_per_face(split, roll, scoring):
            shape = _same_shape(split, roll)
            readings[shape] = max(readings.get(shape, 0), worth[split])
    return set(readings.values())


def _scoring_keeps(scoring: Scoring, roll: Faces, kinds: Kinds) -> Iterator[BruteKeep]:
    blocks = _blocks(scoring, roll, kinds)
    everything = (1 << len(roll)) - 1
    for mask in range(1, everything + 1):
        for points in _payments(mask, roll, blocks, scoring):
            faces = tuple(sorted(roll[die] for die in _members(mask)))
            left = tuple(sorted(kinds[die] for die in _members(everything ^ mask)))
            yield BruteKeep(faces, points, left)


def brute_keeps(rules: Ruleset, roll: Faces, kinds: Kinds | None = None) -> frozenset[BruteKeep]:
    """Every legal keep of an ordered roll; empty for a bust."""
    kinds = (0,) * len(roll) if kinds is None else kinds
    scoring = rules.scoring
    keeps = frozenset(_scoring_keeps(scoring, roll, kinds))
    if keeps or len(roll) != 6 or scoring.no_scoring_dice is None:
        return keeps
    points = scoring.no_scoring_dice * _spicy_factor(_members(63), roll, kinds)
    return frozenset({BruteKeep(tuple(sorted(roll)), points, ())})


def brute_all_scoring(keeps: frozenset[BruteKeep]) -> BruteKeep:
    """What banking with every scoring die takes: most points, then fewest dice left."""
    return max(keeps, key=lambda keep: (keep.points, -len(keep.left), keep.left))


def is_instant_win(roll: Faces, kinds: Kinds) -> bool:
    """Whether a roll of six shows the spicy face of each die."""
    return len(roll) == 6 and all(face == kind for face, kind in zip(roll, kinds, strict=True))
