"""The turn model: what can happen between the first roll of a turn and its end.

A turn is a walk over *after-states*: the hand about to be rolled, the turn score and the number of hot dice so far.
A roll of the hand either busts, wins the match at once (six spicy dice), or offers keeps.
Every keep scores more than 0, so the turn score grows with every roll and the walk has no cycle.

Rolls that offer the same choices need not be told apart.
For each hand the model lists the distinct choices (`Entry`) and the distinct sets of choices (`RollClass`) with their
integer weight;
Dice 10k has 124 classes for the 462 rolls of six dice.

Amounts are in points.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import starmap
from math import gcd

from dice10k_math.dice import Hand, rolls, sub_hands
from dice10k_math.rules.model import Ruleset
from dice10k_math.scoring import bank_keeps, full_hand, is_instant_win, keeps_of


@dataclass(frozen=True, slots=True, order=True)
class Entry:
    """What a player may choose after a roll: dice kept, and whether rolling on and banking are open with them.

    Attributes
    ----------
    points
        What the keep adds to the turn score, without the hot-dice bonus.
    hand
        Index in `TurnModel.hands` of the dice to be rolled next; the full hand after hot dice.
    hot
        All dice have scored: the bonus is added, and the full hand comes back.
    may_roll, may_bank
        The choices that the rules leave; banking also needs a turn score that may be banked.
    """

    points: int
    hand: int
    hot: bool
    may_roll: bool
    may_bank: bool


Fields = tuple[int, int, bool, bool, bool]
"""The fields of an entry; while rolls are gathered, plain tuples compare and hash several times faster than entries."""


@dataclass(frozen=True, slots=True)
class RollClass:
    """Rolls that offer the same choices.

    Attributes
    ----------
    weight
        Number of ordered outcomes.
    entries
        Indices in `HandModel.entries`.
    """

    weight: int
    entries: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class HandModel:
    """All that one roll of a hand can bring.

    Attributes
    ----------
    outcomes, bust, instant_win
        Number of ordered outcomes in all, of those that bust, and of those that win the match at once.
        With the weights of the classes the last two add up to the first.
    """

    hand: Hand
    outcomes: int
    bust: int
    instant_win: int
    entries: tuple[Entry, ...]
    classes: tuple[RollClass, ...]


@dataclass(frozen=True, slots=True)
class TurnModel:
    """The turn of a ruleset, whatever the scores.

    Attributes
    ----------
    hands
        Every hand that can be rolled, fewest dice first; the last is the full hand.
    step
        Greatest common divisor of all that a turn score can grow by.
    bonus
        What the first hot dice of a turn add; every further time twice as much.
    """

    hands: tuple[HandModel, ...]
    step: int
    bonus: int

    @property
    def full(self) -> int:
        """Index of the full hand."""
        return len(self.hands) - 1

    def index(self, hand: Hand) -> int:
        """Return the index of a hand."""
        return next(index for index, model in enumerate(self.hands) if model.hand == hand)

    def bonus_after(self, hot_dice: int) -> int:
        """Return what the next hot dice add after `hot_dice` times in this turn."""
        return self.bonus << hot_dice


@dataclass(frozen=True, slots=True)
class BankRule:
    """Which turn scores may be banked, at one score.

    Attributes
    ----------
    minimum, multiple, most
        A turn score may be banked when it is at least `minimum`, a multiple of `multiple` and (unless None) at most
        `most`.
    """

    minimum: int
    multiple: int
    most: int | None = None

    def allows(self, turn_score: int) -> bool:
        """Tell whether this turn score may be banked.

        Examples
        --------
        >>> BankRule(minimum=300, multiple=100).allows(350)
        False
        """
        return (
            turn_score >= self.minimum
            and turn_score % self.multiple == 0
            and (self.most is None or turn_score <= self.most)
        )


def is_open(rules: Ruleset, score: int, opened: bool | None = None) -> bool:
    """Tell whether a player needs no opening bank any more.

    Under ``opening_applies = "until_first_bank"`` a score of 0 is taken for a player who has not banked, unless
    `opened` says otherwise.
    """
    if rules.turn.opening_applies == "at_score_zero" or opened is None:
        return score != 0
    return opened


def bank_rule(rules: Ruleset, score: int = 0, opened: bool | None = None) -> BankRule:
    """Return which turn scores a player with this score may bank.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> bank_rule(load_rules("dice10k"), score=0)
    BankRule(minimum=500, multiple=100, most=None)
    """
    turn, ending = rules.turn, rules.ending
    minimum = turn.bank_minimum
    if not is_open(rules, score, opened):
        minimum = max(minimum, turn.opening_minimum)
    most = ending.target - score if ending.overshoot == "not_allowed" else None
    return BankRule(max(minimum, 1), turn.bank_multiple or turn_model(rules).step, most)


def six_dice_penalty(rules: Ruleset, score: int) -> int:
    """Return what a bust on six dice costs at this score.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> six_dice_penalty(load_rules("dice10k"), 4950), six_dice_penalty(load_rules("dice10k"), 5000)
    (1000, 2000)
    """
    for row in rules.bust.on_six:
        if row.below is None or score < row.below:
            return row.penalty
    return 0


@lru_cache(maxsize=64)
def turn_model(rules: Ruleset) -> TurnModel:
    """Compile the turn of a ruleset.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> [len(hand.classes) for hand in turn_model(load_rules("dice10k")).hands]
    [2, 5, 13, 30, 60, 124]
    """
    whole = full_hand(rules)
    hands = sub_hands(whole)
    index = {hand: number for number, hand in enumerate(hands)} | {(): len(hands) - 1}
    models = tuple(_hand_model(rules, hand, index) for hand in hands)
    bonus = rules.turn.hot_dice_bonus if _hot_dice_can_happen(models) else 0
    return TurnModel(models, gcd(bonus, *(entry.points for model in models for entry in model.entries)), bonus)


@lru_cache(maxsize=64)
def split_model(rules: Ruleset) -> TurnModel:
    """Return the turn with rolling on and banking as two choices, where one entry leaves both open.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> len(split_model(load_rules("des-10000")).hands[0].entries)
    4
    """
    model = turn_model(rules)
    return replace(model, hands=tuple(map(_split, model.hands)))


def _split(hand: HandModel) -> HandModel:
    parts = [_parts(entry) for entry in hand.entries]
    entries = tuple(sorted({part for both in parts for part in both}))
    number = {entry: index for index, entry in enumerate(entries)}
    classes = tuple(
        replace(roll, entries=tuple(sorted({number[part] for entry in roll.entries for part in parts[entry]})))
        for roll in hand.classes
    )
    return replace(hand, entries=entries, classes=classes)


def _parts(entry: Entry) -> tuple[Entry, ...]:
    if not (entry.may_roll and entry.may_bank):
        return (entry,)
    return replace(entry, may_roll=False), replace(entry, may_bank=False)


def _hot_dice_can_happen(models: tuple[HandModel, ...]) -> bool:
    """Tell whether a turn can set all dice aside: with sets of three only, five dice cannot."""
    waiting, seen = [len(models) - 1], set()
    while waiting:
        hand = waiting.pop()
        seen.add(hand)
        if any(entry.hot for entry in models[hand].entries):
            return True
        waiting += {entry.hand for entry in models[hand].entries} - seen
    return False


def _hand_model(rules: Ruleset, hand: Hand, index: dict[Hand, int]) -> HandModel:
    weights: dict[tuple[Fields, ...], int] = defaultdict(int)
    bust = instant = total = 0
    for roll, weight in rolls(hand):
        total += weight
        if is_instant_win(hand, roll):
            instant += weight
        elif offered := _entries_of(rules, hand, roll, index):
            weights[offered] += weight
        else:
            bust += weight
    numbers = {entry: number for number, entry in enumerate(sorted({e for offered in weights for e in offered}))}
    classes = tuple(RollClass(weight, tuple(numbers[e] for e in offered)) for offered, weight in weights.items())
    return HandModel(hand, total, bust, instant, tuple(starmap(Entry, numbers)), classes)


def _entries_of(rules: Ruleset, hand: Hand, roll: Hand, index: dict[Hand, int]) -> tuple[Fields, ...]:
    keeps = keeps_of(rules, hand, roll)
    hot_may_bank = rules.turn.hot_dice == "may_bank"
    one_choice = rules.turn.bank_takes == "keep"
    entries = {
        (keep.points, index[keep.hand_left], hot, True, one_choice and (hot_may_bank or not hot))
        for keep in keeps
        for hot in (not keep.hand_left,)
    }
    if not one_choice:
        entries |= {
            (keep.points, index[keep.hand_left], hot, False, True)
            for keep in bank_keeps(rules, keeps)
            for hot in (not keep.hand_left,)
            if hot_may_bank or not hot
        }
    return tuple(sorted(entries))
