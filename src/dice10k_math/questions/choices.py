"""What the questions about a turn share: what follows a keep."""

from __future__ import annotations

from typing import Literal

from dice10k_math.dice import Hand
from dice10k_math.rules.model import Ruleset
from dice10k_math.scoring import Keep, full_hand
from dice10k_math.turn import turn_model

Action = Literal["bank", "roll"]


def after_keep(rules: Ruleset, keep: Keep, turn_score: int, hot_dice: int) -> tuple[int, int, Hand]:
    """Return turn score, number of hot dice and hand after a keep, any hot-dice bonus included.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> after_keep(load_rules("dice10k"), Keep((1,), 100, ()), 400, 0)
    (1000, 1, (0, 0, 0, 0, 0, 0))
    """
    if keep.hand_left:
        return turn_score + keep.points, hot_dice, keep.hand_left
    model = turn_model(rules)
    return turn_score + keep.points + model.bonus_after(hot_dice), hot_dice + bool(model.bonus), full_hand(rules)


def hot_dice_forbid_banking(rules: Ruleset, keep: Keep) -> bool:
    """Tell whether a keep is hot dice after which the player must roll.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> hot_dice_forbid_banking(load_rules("dice10k"), Keep((1,), 100, ()))
    True
    """
    return not keep.hand_left and rules.turn.hot_dice == "must_roll"


def all_dice_must_be_rolled(rules: Ruleset, hand: Hand) -> bool:
    """Tell whether these are all dice and the player may not bank instead: after hot dice that must be rolled.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> all_dice_must_be_rolled(load_rules("dice10k"), full_hand(load_rules("dice10k")))
    True
    """
    return rules.turn.hot_dice == "must_roll" and hand == full_hand(rules)
