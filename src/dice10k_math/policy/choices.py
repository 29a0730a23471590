"""What a player knows and what he can do: standings between turns, situations after a roll, and the choices in them.

Points where not said otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from dice10k_math.dice import Hand
from dice10k_math.rules.model import Ruleset
from dice10k_math.turn import BankRule, Entry, TurnModel

Then = Literal["roll", "bank", "subtract"]
"""What follows a keep. A player above an exact target whose banks add or subtract has both "bank" (add) and
"subtract"."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What a player knows when his turn starts.

    Attributes
    ----------
    score
        His banked score.
    opponent
        The best banked score among the others; None: he is alone.
    last
        Final round: somebody has reached the target. Equal turns: somebody whose turn of this round is over has.
        (So the first player of an extra round does not have it, the second has.)
    closing
        Under equal turns: his is the last turn of the round.
    opened
        Whether he has banked before; None: a score other than 0 says so.
    busts
        His busts in a row.
    """

    score: int
    opponent: int | None = None
    last: bool = False
    closing: bool = False
    opened: bool | None = None
    busts: int = 0


class Choice(NamedTuple):
    """A keep and what follows it.

    Attributes
    ----------
    then
        What follows.
    turn_score, hot_dice
        After the keep, any hot-dice bonus included.
    hand
        The dice to be rolled next; the full hand after hot dice.
    hot
        All dice have scored with this keep.
    """

    then: Then
    turn_score: int
    hand: Hand
    hot_dice: int
    hot: bool

    @property
    def dice(self) -> int:
        """Number of dice to be rolled next."""
        return len(self.hand)


class Situation(NamedTuple):
    """A player has rolled and must choose.

    Attributes
    ----------
    turn_score, hot_dice
        Before the roll.
    hand
        The dice that were rolled.
    choices
        All that the rules allow, each once, in rising order.
    """

    turn_score: int
    hot_dice: int
    hand: Hand
    choices: tuple[Choice, ...]


def subtracts(rules: Ruleset, score: int) -> bool:
    """Tell whether a bank at this score may be subtracted.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> subtracts(load_rules("dice10k"), 10_300)
    True
    """
    return rules.ending.overshoot == "add_or_subtract" and score > rules.ending.target


def situation_of(
    model: TurnModel,
    rule: BankRule,
    before: tuple[int, int, int],
    entries: Iterable[Entry],
    *,
    subtract: bool = False,
) -> Situation:
    """Return the situation after a roll of a class of the turn model.

    Parameters
    ----------
    model
        The turn model.
    rule
        Which turn scores the player may bank.
    before
        Turn score, hot dice and index of the hand that was rolled.
    entries
        The entries of the roll's class.
    subtract
        Whether a bank may be subtracted: see `subtracts`.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> from dice10k_math.turn import bank_rule, turn_model
    >>> rules = load_rules("des-10000")
    >>> model = turn_model(rules)
    >>> one_die = model.hands[0]
    >>> found = situation_of(model, bank_rule(rules), (200, 0, 0), [one_die.entries[0]])
    >>> [(choice.then, choice.turn_score, choice.dice) for choice in found.choices]
    [('bank', 250, 6), ('roll', 250, 6)]
    """
    turn_score, hot_dice, hand = before
    found: set[Choice] = set()
    for entry in entries:
        after, hot_after = turn_score + entry.points, hot_dice
        if entry.hot:
            after, hot_after = after + model.bonus_after(hot_dice), hot_dice + 1
        left = model.hands[entry.hand].hand
        if entry.may_roll:
            found.add(Choice("roll", after, left, hot_after, entry.hot))
        if entry.may_bank and rule.allows(after):
            found.add(Choice("bank", after, left, hot_after, entry.hot))
            if subtract:
                found.add(Choice("subtract", after, left, hot_after, entry.hot))
    return Situation(turn_score, hot_dice, model.hands[hand].hand, tuple(sorted(found)))
