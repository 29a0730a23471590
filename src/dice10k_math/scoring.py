"""Scoring: a roll and a ruleset give the legal keeps and their points.

A keep is a set of dice of one roll, all of which score.
Its dice fall into *combinations*, each of them paid once: a single, a set of equal dice, a straight of five, or one
of the combinations of
all six dice.
Every spicy die that shows its spicy face doubles the combination that it is part of.

This module is the only place that reads the scoring part of a ruleset.
Equal dice are independent of the other faces, so a roll is scored face by face from one small table
(`Scorer.face_keeps`); what needs
several faces at once (`Scorer.whole_roll_points`, `Scorer.five_straight_keeps`) is added to that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, combinations, starmap

from dice10k_math.dice import FACES, PLAIN, Hand, Roll, plain_hand, remove_dice
from dice10k_math.errors import InputError, check_whole
from dice10k_math.rules.model import FlatSets, MultipliedSets, Ruleset, Scoring

Pattern = tuple[int, ...]
"""How often the faces of a roll occur, most frequent first: four of a kind and a pair is ``(4, 2)``."""

Die = tuple[int, int]
"""A die that has been rolled: (face, kind)."""

Reading = tuple[Roll, Hand, int]
"""Dice set aside, and what they pay: faces in rising order, aligned with these the kinds, points."""


@dataclass(frozen=True, slots=True, order=True)
class Keep:
    """Dice set aside after a roll.

    Attributes
    ----------
    dice
        Their faces, in rising order.
    points
        What they add to the turn score, without any hot-dice bonus.
    hand_left
        Kinds of the dice that stay to be rolled; empty: hot dice.
    """

    dice: tuple[int, ...]
    points: int
    hand_left: Hand

    @property
    def dice_left(self) -> int:
        """Number of dice that stay to be rolled; none after hot dice."""
        return len(self.hand_left)


def full_hand(rules: Ruleset) -> Hand:
    """Return the hand that a turn starts with.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> full_hand(load_rules("farkle"))
    (0, 0, 0, 0, 0, 0)
    >>> full_hand(load_rules("farkle-spicy"))
    (1, 2, 3, 4, 5, 6)
    """
    spicy = rules.variants.spicy_faces
    return tuple(sorted(spicy)) if spicy is not None else plain_hand(rules.turn.dice)


def set_points(scoring: Scoring, face: int, size: int) -> int | None:
    """Return what one set of `size` equal dice pays without spicy dice; None: it is no set."""
    triple = scoring.triples[face - 1]
    if size == 3:
        return triple or None
    if not 4 <= size <= 6:
        return None
    match scoring.larger_sets:
        case MultipliedSets(factors):
            return triple * factors[size - 4] or None
        case FlatSets(points):
            return points[size - 4]
        case _:
            return None


class Scorer:
    """The scoring part of one ruleset, turned into tables.

    Parameters
    ----------
    rules
        The ruleset; only its `scoring` part and its number of dice are read.
    """

    def __init__(self, rules: Ruleset) -> None:
        self.scoring = rules.scoring
        self.dice = rules.turn.dice
        self._highest = rules.scoring.readings == "highest"
        self._face_keeps: dict[tuple[int, Hand], tuple[tuple[Hand, int], ...]] = {}
        self._block_points = {
            face: {
                size: points for size in range(1, 7) if (points := self._combination_of_equals(face, size)) is not None
            }
            for face in FACES
        }

    def _combination_of_equals(self, face: int, size: int) -> int | None:
        if size == 1:
            return self.scoring.singles[face - 1] or None
        return set_points(self.scoring, face, size)

    def equal_dice_points(self, face: int, dice: int, spicy: int = 0) -> int | None:
        """Return what `dice` equal dice kept together pay, `spicy` of them doubling; None: they do not all score.

        Under ``readings = "highest"`` they are split into sets and singles in the way that pays most;
        else three and more are one set, where the rules have sets of that size.
        """
        blocks = self._block_points[face]
        if not self._highest and dice >= 3 and dice in blocks:
            return blocks[dice] << spicy
        return self._best_split(face, dice, spicy)

    def _best_split(self, face: int, dice: int, spicy: int) -> int | None:
        if dice == 0:
            return 0
        best: int | None = None
        for size, points in self._block_points[face].items():
            if size > dice:
                break
            for doubling in range(max(0, spicy - (dice - size)), min(size, spicy) + 1):
                rest = self._best_split(face, dice - size, spicy - doubling)
                if rest is not None and (best is None or (points << doubling) + rest > best):
                    best = (points << doubling) + rest
        return best

    def face_keeps(self, face: int, kinds: Hand) -> tuple[tuple[Hand, int], ...]:
        """Return what can be kept of dice of these kinds that all show `face`: (kinds kept, points), nothing first."""
        known = self._face_keeps.get((face, kinds))
        if known is not None:
            return known
        keeps: list[tuple[Hand, int]] = [((), 0)]
        for size in range(1, len(kinds) + 1):
            for kept in dict.fromkeys(combinations(kinds, size)):
                points = self.equal_dice_points(face, size, kept.count(face))
                if points is not None:
                    keeps.append((kept, points))
        self._face_keeps[face, kinds] = tuple(keeps)
        return self._face_keeps[face, kinds]

    @cached_property
    def patterns(self) -> dict[Pattern, int]:
        """Points of the combinations of all six dice, by pattern."""
        scoring = self.scoring
        points = {
            (1, 1, 1, 1, 1, 1): scoring.straight,
            (2, 2, 2): scoring.three_pairs,
            (4, 2): scoring.four_and_pair,
            (3, 3): scoring.two_triplets,
        }
        return {pattern: value for pattern, value in points.items() if value is not None}

    def whole_roll_points(self, by_face: dict[int, Hand]) -> int | None:
        """Return what the roll pays as a combination of all six dice; None: it is none."""
        pattern = tuple(sorted(map(len, by_face.values()), reverse=True))
        points = self.patterns.get(pattern)
        return None if points is None else points << _spicy_dice(by_face)

    def five_straight_keeps(self, by_face: dict[int, Hand]) -> Iterator[tuple[tuple[Die, ...], int]]:
        """Yield the keeps that hold a straight of five, with the spare die where that scores too."""
        straights = self.scoring.five_straights
        if straights is None:
            return
        for faces, points in (((1, 2, 3, 4, 5), straights.low), ((2, 3, 4, 5, 6), straights.high)):
            if not all(face in by_face for face in faces):
                continue
            for dice in _one_of_each(by_face, faces):
                paid = points << sum(face == kind for face, kind in dice)
                yield dice, paid
                for face, kind in _spare_dice(by_face, dice):
                    single = self.equal_dice_points(face, 1, int(face == kind))
                    if single is not None:
                        yield tuple(sorted((*dice, (face, kind)))), paid + single

    def readings(self, hand: Hand, roll: Roll) -> list[Reading]:
        """Return every keep of the roll, once for each reading that the player may choose."""
        by_face = group_by_face(hand, roll)
        found = self._keeps_by_face(by_face)
        several = self._keeps_of_several_faces(by_face, len(roll), bust=not found)
        if not several:
            return found
        return _highest(found + several) if self._highest else found + several

    def _keeps_of_several_faces(self, by_face: dict[int, Hand], dice: int, *, bust: bool) -> list[Reading]:
        """Return the keeps with a straight of five or a combination of all six dice.

        `bust` tells that no face scores on its own.
        """
        found: list[Reading] = []
        if self.scoring.five_straights is not None:
            for kept, points in self.five_straight_keeps(by_face):
                faces, kinds = zip(*kept, strict=True)
                found.append((faces, kinds, points))
        if dice != 6:
            return found
        whole = self.whole_roll_points(by_face)
        if whole is None and bust and not found and self.scoring.no_scoring_dice is not None:
            whole = self.scoring.no_scoring_dice << _spicy_dice(by_face)
        if whole is not None:
            faces = tuple(face for face, kinds in by_face.items() for _ in kinds)
            found.append((faces, tuple(chain.from_iterable(by_face.values())), whole))
        return found

    def _keeps_by_face(self, by_face: dict[int, Hand]) -> list[Reading]:
        """Return the faces, kinds and points of each keep whose faces score on their own."""
        keeps: list[Reading] = [((), (), 0)]
        for face, dice in by_face.items():
            options = self.face_keeps(face, dice)
            if len(options) > 1:
                keeps = [
                    (faces + (face,) * len(more), kinds + more, points + added)
                    for faces, kinds, points in keeps
                    for more, added in options
                ]
        return keeps[1:]


def group_by_face(hand: Hand, roll: Roll) -> dict[int, Hand]:
    """Return the kinds of the dice that show each face, faces and kinds in rising order."""
    if hand[0] == hand[-1]:
        # Dice of one kind lie in the order of their faces.
        return {face: hand[: roll.count(face)] for face in dict.fromkeys(roll)}
    by_face: dict[int, Hand] = {}
    for face, kind in sorted(zip(roll, hand, strict=True)):
        by_face[face] = (*by_face.get(face, ()), kind)
    return by_face


def _highest(readings: list[Reading]) -> list[Reading]:
    """Return the readings that pay most, one for each set of dice."""
    most: dict[tuple[Roll, Hand], int] = {}
    for faces, kinds, points in readings:
        most[faces, kinds] = max(points, most.get((faces, kinds), 0))
    return [(faces, kinds, points) for (faces, kinds), points in most.items()]


def _spicy_dice(by_face: dict[int, Hand]) -> int:
    return sum(kinds.count(face) for face, kinds in by_face.items())


def _one_of_each(by_face: dict[int, Hand], faces: Iterable[int]) -> list[tuple[Die, ...]]:
    choices: list[tuple[Die, ...]] = [()]
    for face in faces:
        choices = [(*dice, (face, kind)) for dice in choices for kind in dict.fromkeys(by_face[face])]
    return choices


def _spare_dice(by_face: dict[int, Hand], dice: tuple[Die, ...]) -> list[Die]:
    left = Counter((face, kind) for face, kinds in by_face.items() for kind in kinds)
    left.subtract(dice)
    return [die for die, count in left.items() if count > 0]


@lru_cache(maxsize=256)
def scorer(rules: Ruleset) -> Scorer:
    """Return the scoring tables of a ruleset, built once."""
    return Scorer(rules)


def is_instant_win(hand: Hand, roll: Roll) -> bool:
    """Tell whether all six dice are spicy dice that show their spicy faces, which wins the match at once."""
    return len(hand) == 6 and 0 not in hand and hand == roll


def keeps_of(rules: Ruleset, hand: Hand, roll: Roll) -> tuple[Keep, ...]:
    """Return every keep of a roll of `hand`; `roll` is aligned with it."""
    # Plain tuples compare and hash several times faster than keeps, so the keeps are made last.
    # Of dice that cannot be told apart it does not matter which are set aside.
    equal_dice = hand[0] == hand[-1]
    found = {
        (faces, points, hand[len(kinds) :] if equal_dice else remove_dice(hand, kinds))
        for faces, kinds, points in scorer(rules).readings(hand, roll)
    }
    return tuple(starmap(Keep, sorted(found)))


def bank_keeps(rules: Ruleset, keeps: tuple[Keep, ...]) -> tuple[Keep, ...]:
    """Return the keeps with which the player may bank.

    Under ``bank_takes = "keep"`` these are all keeps.
    Under ``"all_scoring"`` banking takes every scoring die: the keep that pays most (with the most dice, should two
    pay the same);
    a player who chooses between readings may bank with any keep to which no scoring die can be added.
    """
    if rules.turn.bank_takes == "keep" or not keeps:
        return keeps
    if rules.scoring.readings == "highest":
        return (max(keeps, key=lambda keep: (keep.points, -keep.dice_left)),)
    most = min(keep.dice_left for keep in keeps)
    return tuple(keep for keep in keeps if keep.dice_left == most)


def legal_keeps(rules: Ruleset, roll: Iterable[int], dice: Iterable[int] | None = None) -> tuple[Keep, ...]:
    """Return every legal keep of a roll.

    Parameters
    ----------
    rules
        The ruleset.
    roll
        The faces rolled, in any order for plain dice; with spicy dice in the order of `dice`.
    dice
        With spicy dice: the spicy faces of the dice rolled. Default: all dice of the ruleset, in its order.

    Returns
    -------
    tuple of Keep
        In rising order of the dice kept; empty for a bust.

    Raises
    ------
    InputError
        A face that is none of 1 to 6, no dice, more dice than the ruleset has, or dice that it does not have.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> for keep in legal_keeps(load_rules("dice10k"), (1, 1, 5, 3, 2, 6)):
    ...     print(keep.dice, keep.points, keep.dice_left)
    (1,) 100 5
    (1, 1) 200 4
    (1, 1, 5) 250 3
    (1, 5) 150 4
    (5,) 50 5
    """
    hand, aligned = align_roll(rules, roll, dice)
    return keeps_of(rules, hand, aligned)


def align_roll(rules: Ruleset, roll: Iterable[int], dice: Iterable[int] | None = None) -> tuple[Hand, Roll]:
    """Check a roll that a user names and bring it into the order of its hand.

    Raises
    ------
    InputError
        As for `legal_keeps`.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> align_roll(load_rules("farkle"), (5, 1, 2))
    ((0, 0, 0), (1, 2, 5))
    """
    faces = tuple(roll)
    for face in faces:
        check_whole("roll", face)
        if face not in FACES:
            raise InputError(f"roll: {face!r} is no face of a die; allowed: 1 to 6")
    if not 1 <= len(faces) <= rules.turn.dice:
        raise InputError(f"roll: {len(faces)} dice; {rules.name} is played with 1 to {rules.turn.dice}")
    kinds = _kinds_of(rules, len(faces), dice)
    if kinds[0] == kinds[-1] == PLAIN:
        return kinds, tuple(sorted(faces))
    pairs = sorted(zip(kinds, faces, strict=True))
    return tuple(kind for kind, _ in pairs), tuple(face for _, face in pairs)


def _kinds_of(rules: Ruleset, size: int, dice: Iterable[int] | None) -> Hand:
    spicy = rules.variants.spicy_faces
    if spicy is None:
        kinds = plain_hand(size) if dice is None else tuple(dice)
        if any(kinds):
            raise InputError(f"dice: {kinds}; {rules.name} has no spicy dice")
    elif dice is None:
        if size != len(spicy):
            raise InputError(f"dice: say which {size} of the spicy dice {spicy} were rolled")
        kinds = spicy
    else:
        kinds = tuple(dice)
        if Counter(kinds) - Counter(spicy):
            raise InputError(f"dice: {kinds}; {rules.name} has the spicy dice {spicy}")
    if len(kinds) != size:
        raise InputError(f"dice: {len(kinds)} dice for a roll of {size}")
    return kinds
