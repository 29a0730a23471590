"""A plan: how a policy that is plain data plays one turn. Points where not said otherwise."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from dice10k_math.policy.choices import Choice, Then
from dice10k_math.policy.keeping import Keeping, KeepWorths, Places, RollCounts
from dice10k_math.policy.thresholds import NEVER

MOST_PLACED = 20_000
"""Turn score, in points, beyond which a player who goes by places banks."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a player does in each situation of one turn.

    Two plans that are equal play alike, so a plan is the key of what has been computed for it.

    Attributes
    ----------
    bank_from
        From which turn score on to bank, by the number of dice left: index 0 is one die; the last is all dice, after
        hot dice.
    keep
        Which dice to set aside before rolling on.
    keep_first
        Whether the dice to keep are chosen before it is asked whether to bank.
    win_from
        Bank at once from this turn score on.
    win_at
        Bank at once exactly this turn score.
    least, most
        Bank no less and no more.
    short_from, short_to
        Bank nothing from the one on that is less than the other: it would reach the target with too small a lead.
    below
        Bank only less than this, by the number of dice left, as `bank_from`: more would reach the target. () anything.
    whole
        From which turn score on a bank counts whole, whatever it leaves, by the number of dice left, as `bank_from`: it
        reaches the target. () never.
    away
        How far the player is from an exact target, where he keeps by places.
    take, leave
        High stakes: from which turn score on the player takes over, and which part of what a bank is above that it
        leaves to the other, in percent; by the number of dice, as `bank_from`. () never, and nothing.
    tie
        Bank this turn score with one die left, although it is less than `least`.
    over
        How far the player is above an exact target; None: he is not above it.
    hittable
        The least distance from an exact target that one bank can bridge.
    multiple
        Multiple of which a bank must be.
    """

    bank_from: tuple[int, ...]
    keep: Keeping
    keep_first: bool = False
    win_from: int = NEVER
    win_at: int = NEVER
    least: int = 0
    most: int = NEVER
    tie: int = NEVER
    over: int | None = None
    hittable: int = 0
    multiple: int = 1
    short_from: int = NEVER
    short_to: int = 0
    away: int = 0
    below: tuple[int, ...] = ()
    take: tuple[int, ...] = ()
    leave: tuple[int, ...] = ()
    whole: tuple[int, ...] = ()

    def decide(self, choices: tuple[Choice, ...]) -> Choice:
        """Return what the player does; the same whatever the order of the choices.

        Examples
        --------
        >>> bank, roll = Choice("bank", 350, (0, 0), 0, False), Choice("roll", 350, (0, 0), 0, False)
        >>> Plan((300,) * 6, "all").decide((bank, roll)).then
        'bank'
        """
        if isinstance(self.keep, Places):
            return max(choices, key=self._place_rank)
        if self.keep_first:
            first = max(choices, key=self._keep_rank)
            choices = tuple(choice for choice in choices if choice[1:] == first[1:])
        rolls = [choice for choice in choices if choice.then == "roll"]
        kept = max(rolls, key=self._keep_rank, default=None)
        hundredfold = 0
        if kept is not None and isinstance(self.keep, RollCounts):
            hundredfold = self._hundredfold(self.keep, kept)
        banks = [choice for choice in choices if choice.then != "roll" and self.wants(choice, hundredfold)]
        if banks:
            return max(banks, key=self._bank_rank)
        assert kept is not None  # noqa: S101 - every keep may be followed by a roll
        return kept

    def _hundredfold(self, counts: RollCounts, choice: Choice) -> int:
        off = counts.offs[choice.dice - 1] if choice.turn_score % self.multiple else 0
        return counts.hundredfold(choice.turn_score, choice.dice) - 100 * off

    def wants(self, choice: Choice, hundredfold: int = 0) -> bool:
        """Tell whether the player wants this bank; `hundredfold` is a hundred times what rolling on counts."""
        points = choice.turn_score
        if points >= self.win_from or self._wins(choice):
            return True
        if points == self.tie and choice.dice == 1:
            return True
        if self.short_from <= points < self.short_to:
            return False
        if self.below and points >= self.below[choice.dice - 1]:
            return False
        least = max(self.least, self.bank_from[choice.dice - 1])
        return least <= points <= self.most and self.bank_count(choice) >= hundredfold

    def bank_count(self, choice: Choice) -> int:
        """Return a hundred times what a bank counts: the turn score, less what it leaves to the other.

        Examples
        --------
        >>> plan = Plan((0, 0), "all", take=(500, 300), leave=(40, 60))
        >>> plan.bank_count(Choice("bank", 800, (0,), 0, False))
        68000
        """
        points = choice.turn_score
        if not self.leave or not self.take or (self.whole and points >= self.whole[choice.dice - 1]):
            return 100 * points
        return 100 * points - self.leave[choice.dice - 1] * max(0, points - self.take[choice.dice - 1])

    def takes_over(self, turn_score: int, dice: int) -> bool:
        """Tell whether the player takes over this turn score with so many dice to roll.

        Examples
        --------
        >>> Plan((0, 0), "all", take=(500, 300)).takes_over(350, 2)
        True
        """
        return bool(self.take) and turn_score >= self.take[dice - 1]

    def _wins(self, choice: Choice) -> bool:
        return choice.turn_score == self.win_at and (choice.then == "subtract") is (self.over is not None)

    def _bank_rank(self, choice: Choice) -> tuple[int, ...]:
        """Winning first; above an exact target what lands nearest to it where it can be hit; else what counts most."""
        near = 0
        if self.over is not None:
            turn_score = choice.turn_score
            distance = abs(self.over - turn_score) if choice.then == "subtract" else self.over + turn_score
            near = -distance if distance >= self.hittable else -NEVER
        return (self._wins(choice), near, self.bank_count(choice), choice.turn_score, *_order(choice))

    def _place_rank(self, choice: Choice) -> tuple[float, int, int, tuple[int, ...]]:
        """Rank by worth; of equal ones rather a bank, then one that is added, then the most points."""
        order, *_ = _order(choice)
        worth = self.place_worth(choice.then, choice.turn_score, choice.dice)
        return worth, order, choice.turn_score, choice.hand

    def place_worth(self, then: Then, turn_score: int, dice: int) -> float:
        """Return a hundred times what it is worth to bank or to roll on, for a player who keeps by places.

        Examples
        --------
        >>> from dice10k_math.policy.keeping import Reach
        >>> places = Places(100, (10_000, 4000, 5000, 8000), (Reach(0, 0, (0,), (0,)),))
        >>> Plan((0,), places, away=600).place_worth("bank", 300, 1)
        800000
        """
        assert isinstance(self.keep, Places)  # noqa: S101 - asked of no other
        if turn_score > MOST_PLACED:
            return -inf if then == "roll" else inf
        # Above the target a bank that is added leads away from it.
        away = then == "bank" and self.over is not None
        left = self.away + turn_score if away else self.away - turn_score
        if then == "roll":
            return self.keep.rolling(self.away, left, dice)
        return self.keep.standing(abs(left))

    def _keep_rank(self, choice: Choice) -> tuple[int, ...]:
        """Rank the keeps: first those that do not pass the most to bank."""
        left = 0 if choice.hot else choice.dice
        points = choice.turn_score
        fits = points <= self.most
        match self.keep:
            case "all":
                return (fits, -left, points, *_order(choice))
            case "points":
                return (fits, points, -left, *_order(choice))
            case "few":
                return (fits, left, points, *_order(choice))
            case KeepWorths(dice_left, unbankable):
                off = unbankable if points % self.multiple else 0
                return (fits, points + dice_left[choice.dice - 1] - off, points, *_order(choice))
            case RollCounts() as counts:
                return (fits, self._hundredfold(counts, choice), points, *_order(choice))
            case Places():
                raise AssertionError("places rank choices, not keeps")  # see `decide`


def _order(choice: Choice) -> tuple[int, ...]:
    """Settle what is left: a bank before a roll, adding before subtracting, then by the dice."""
    return ({"bank": 2, "subtract": 1, "roll": 0}[choice.then], *choice.hand)
