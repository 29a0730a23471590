"""The best single turn by plain recursion over the dice in hand, turn score and hot-dice count.

`turn_value` cuts the turn score off: from the cut-off on, a player who may bank does so.
From twice the cut-off on nothing is won any more, so the result is a lower bound that rises to the
exact value with the cut-off.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from itertools import combinations
from typing import Any

from dice10k_math.rules.model import Ruleset

from .keeps import Kinds, brute_all_scoring, is_instant_win
from .odds import keeps_in_any_order, ordered_rolls

# A turn is followed as deep as it goes: some thousands of calls, but not so many that the stack of C runs over.
sys.setrecursionlimit(15_000)


@dataclass(frozen=True)
class RollClass:
    """Rolls of a hand that offer the same choices.

    `options` are the different (points, kinds left); empty: a bust.
    `banked` is what banking with every scoring die takes.
    """

    options: frozenset[tuple[int, Kinds]]
    banked: tuple[int, Kinds] | None
    instant_win: bool = False


@cache
def roll_classes(rules: Ruleset, hand: Kinds) -> tuple[tuple[RollClass, int], ...]:
    """The classes of all 6**n rolls of a hand, with their counts."""
    counts: Counter[RollClass] = Counter()
    for roll in ordered_rolls(len(hand)):
        if rules.variants.spicy_faces is not None and is_instant_win(roll, hand):
            counts[RollClass(frozenset(), None, True)] += 1
            continue
        keeps = keeps_in_any_order(rules, roll, hand)
        options = frozenset((keep.points, keep.left) for keep in keeps)
        best = brute_all_scoring(keeps) if keeps else None
        counts[RollClass(options, best and (best.points, best.left))] += 1
    return tuple(counts.items())


def full_hand(rules: Ruleset) -> Kinds:
    """The dice that a turn starts with, as sorted kinds."""
    spicy = rules.variants.spicy_faces
    return tuple(sorted(spicy)) if spicy is not None else (0,) * rules.turn.dice


def all_hands(rules: Ruleset) -> list[Kinds]:
    """Every hand that can come to be rolled."""
    full = full_hand(rules)
    return sorted({part for n in range(1, len(full) + 1) for part in combinations(full, n)})


def least_bank(rules: Ruleset, score: int, opened: bool) -> int:
    """The minimum that a turn score must reach."""
    at_zero = rules.turn.opening_applies == "at_score_zero"
    opening = score == 0 if at_zero else not opened
    return max(rules.turn.bank_minimum, rules.turn.opening_minimum if opening else 0)


def may_bank(rules: Ruleset, turn_score: int, minimum: int) -> bool:
    """Whether a turn score may be banked, hot dice apart."""
    multiple = rules.turn.bank_multiple or 1
    return turn_score > 0 and turn_score >= minimum and turn_score % multiple == 0


def six_dice_penalty(rules: Ruleset, score: int) -> int:
    """What a bust on six dice costs at this score."""
    for part in rules.bust.on_six:
        if part.below is None or score < part.below:
            return part.penalty
    return 0


@dataclass
class TurnOracle:
    """Values of one turn; see `turn_value`.

    `bank_worth(turn_score, dice_left)` is what a bank is worth, `bust_worth` and `six_bust_worth`
    what a bust is.
    """

    rules: Ruleset
    minimum: int
    cutoff: int
    bank_worth: Callable[[int, Kinds], Any]
    bust_worth: Any
    six_bust_worth: Any
    instant_worth: Any = 0
    exact: bool = False
    memo: dict[tuple[Kinds, int, int], Any] = field(default_factory=dict)

    def roll_value(self, hand: Kinds, turn_score: int, hot: int = 0) -> Any:
        """Worth of being about to roll this hand."""
        if turn_score >= 2 * self.cutoff:
            return min(self.bust_worth, self.six_bust_worth)
        key = (hand, turn_score, hot if self.rules.turn.hot_dice_bonus else 0)
        if key not in self.memo:
            total: Any = 0
            for kind, count in roll_classes(self.rules, hand):
                total += count * self._class_value(kind, hand, turn_score, key[2])
            rolls = 6 ** len(hand)
            self.memo[key] = Fraction(total, rolls) if self.exact else total / rolls
        return self.memo[key]

    def _class_value(self, kind: RollClass, hand: Kinds, turn_score: int, hot: int) -> Any:
        if kind.instant_win:
            return self.instant_worth
        if not kind.options:
            return self.six_bust_worth if len(hand) == 6 else self.bust_worth
        return max(value for value, _ in self.choices(kind, turn_score, hot))

    def choices(self, kind: RollClass, turn_score: int, hot: int) -> list[tuple[Any, Any]]:
        """Worth of every choice after a roll, with (action, points, dice left)."""
        found: list[tuple[Any, Any]] = []
        every = kind.banked
        banks = [every] if self.rules.turn.bank_takes == "all_scoring" else list(kind.options)
        for points, left in filter(None, banks):
            total, _ = self.after_keep(turn_score, points, left, hot)
            if self._bankable(total, left):
                found.append((self.bank_worth(total, left), ("bank", points, left)))
        if found and turn_score >= self.cutoff:
            return found
        for points, left in kind.options:
            total, more = self.after_keep(turn_score, points, left, hot)
            value = self.roll_value(left or full_hand(self.rules), total, more)
            found.append((value, ("roll", points, left)))
        return found

    def after_keep(self, turn_score: int, points: int, left: Kinds, hot: int) -> tuple[int, int]:
        """Turn score and hot-dice count after a keep."""
        if left:
            return turn_score + points, hot
        return turn_score + points + self._bonus(hot), hot + 1

    def _bonus(self, hot: int) -> int:
        return self.rules.turn.hot_dice_bonus * int(2**hot)

    def _bankable(self, total: int, left: Kinds) -> bool:
        if not left and self.rules.turn.hot_dice == "must_roll":
            return False
        return may_bank(self.rules, total, self.minimum)


def turn_oracle(
    rules: Ruleset,
    score: int = 0,
    cutoff: int = 3000,
    *,
    opened: bool | None = None,
    bust_worth: Any = 0,
    exact: bool = False,
) -> TurnOracle:
    """The oracle of the turn with the most expected points.

    `bust_worth` is added to every bust (the cost of a third bust in a row, say).
    """
    opened = score != 0 if opened is None else opened
    return TurnOracle(
        rules,
        least_bank(rules, score, opened),
        cutoff,
        lambda turn_score, _left: turn_score,
        bust_worth,
        bust_worth - six_dice_penalty(rules, score),
        exact=exact,
    )


def turn_value(
    rules: Ruleset,
    score: int = 0,
    cutoff: int = 3000,
    *,
    opened: bool | None = None,
    bust_worth: Any = 0,
    exact: bool = False,
) -> Any:
    """Expected change of the score of the best turn (a lower bound, see the module)."""
    oracle = turn_oracle(rules, score, cutoff, opened=opened, bust_worth=bust_worth, exact=exact)
    return oracle.roll_value(full_hand(rules), 0)


def bank_from(oracle: TurnOracle, dice: int) -> int | None:
    """Least turn score that a keep can leave with `dice` left at which banking is best.

    For `bank_takes = "keep"`; a look at every state that the memo has seen.
    """
    full = full_hand(oracle.rules)
    hand = full if dice == len(full) else (0,) * dice
    seen = sorted({total for kinds, total, _ in oracle.memo if kinds == hand and total > 0})
    for total in seen:
        bankable = may_bank(oracle.rules, total, oracle.minimum)
        if bankable and total >= oracle.roll_value(hand, total):
            return total
    return None


def long_run(rules: Ruleset, cutoff: int = 3000, tolerance: float = 1e-10) -> tuple[float, list[float]]:
    """Points per turn in the long run under a penalty for busts in a row, by bisection.

    With `h[c]` the worth of having `c` busts behind (h[0] = 0) and `g` the points per turn,
    g + h[c] is the best turn in which a bust is worth h[c + 1], the last one `-penalty`.
    """
    in_a_row = rules.bust.in_a_row
    assert in_a_row is not None
    worth = [0.0] * in_a_row.busts

    def surplus(gain: float) -> float:
        follow: float = -in_a_row.penalty
        for count in range(in_a_row.busts - 1, -1, -1):
            worth[count] = turn_value(rules, 1, cutoff, opened=True, bust_worth=follow) - gain
            follow = worth[count]
        return follow

    low, high = 0.0, 5000.0
    while high - low > tolerance:
        middle = (low + high) / 2
        low, high = (middle, high) if surplus(middle) > 0 else (low, middle)
    return (low + high) / 2, worth


def bust_probability(oracle: TurnOracle) -> float:
    """Probability that the best turn ends in a bust; of equally good choices, the first to bank."""
    memo: dict[tuple[Kinds, int, int], float] = {}

    def follow(hand: Kinds, turn_score: int, hot: int) -> float:
        if turn_score >= 2 * oracle.cutoff:
            return 1.0
        hot = hot if oracle.rules.turn.hot_dice_bonus else 0
        key = (hand, turn_score, hot)
        if key not in memo:
            memo[key] = sum(
                count * after(kind, turn_score, hot) for kind, count in roll_classes(oracle.rules, hand)
            ) / 6 ** len(hand)
        return memo[key]

    def after(kind: RollClass, turn_score: int, hot: int) -> float:
        if kind.instant_win:
            return 0.0
        if not kind.options:
            return 1.0
        choices = oracle.choices(kind, turn_score, hot)
        _, (action, points, left) = max(choices, key=lambda choice: (choice[0], choice[1][0] == "bank"))
        if action == "bank":
            return 0.0
        total, more = oracle.after_keep(turn_score, points, left, hot)
        return follow(left or full_hand(oracle.rules), total, more)

    return follow(full_hand(oracle.rules), 0, 0)
