"""Whether a turn has a finite worth: a turn that pays back more than it risks has none.

Let p be the greatest chance, over all plays, to have hot dice once more when the full hand is rolled.

* Without a bonus a turn wins a bounded number of points each time round, so its worth is finite where p < 1.
* With a bonus the stakes double each time round, so its worth is finite where 2 * p < 1.
  It has no end where 2 * p > 1: whoever goes for hot dice n times and then banks wins, on average, as much as
  (2 * p)**n times something.

Where banking is worth the same for every far turn score, or is not allowed for any, the worth is bounded anyway.
"""

from __future__ import annotations

from fractions import Fraction

from dice10k_math.errors import NotConvergedError
from dice10k_math.solve.worth import Worth
from dice10k_math.turn import BankRule, HandModel, TurnModel

REMEDY = "let more rolls bust (fewer faces in scoring.singles)"
OTHER_GOAL = "or ask for the chance of some points (at_least, --at-least)"


def hot_dice_chance(model: TurnModel) -> Fraction:
    """Return the greatest chance, over all plays, to have hot dice from the full hand before a bust or instant win.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> from dice10k_math.turn import turn_model
    >>> round(float(hot_dice_chance(turn_model(load_rules("dice10k")))), 4)
    0.3275
    """
    chances: list[Fraction] = []
    for hand in model.hands:
        chances.append(_chance(hand, chances))
    return chances[-1]


def _chance(hand: HandModel, chances: list[Fraction]) -> Fraction:
    """Return the chance from one hand, given those of the hands that can be left of it."""
    after = [
        Fraction(0) if not entry.may_roll else Fraction(1) if entry.hot else chances[entry.hand]
        for entry in hand.entries
    ]
    total = sum(roll.weight * max(after[number] for number in roll.entries) for roll in hand.classes)
    return Fraction(total) / hand.outcomes


def check_growth(model: TurnModel, rule: BankRule, worth: Worth) -> None:
    """Refuse a turn that pays back more than it risks.

    Raises
    ------
    NotConvergedError
        The worth of the turn is infinite, or the turn need never end.
    """
    chance = hot_dice_chance(model)
    if chance == 1 and rule.most is not None:
        why = f"some play never busts, and may not bank more than {rule.most} points, so the turn need never end"
        raise NotConvergedError(f"{why}; remedy: {REMEDY}")
    if rule.most is not None or not worth.slope:
        return
    if chance == 1:
        why = "some play never busts, so a turn can win any number of points and its worth has no end"
        raise NotConvergedError(f"{why}; remedy: {REMEDY}, {OTHER_GOAL}")
    if model.bonus and 2 * chance > 1:
        why = (
            f"hot dice come again with a chance of {float(chance):.3f} and their bonus doubles, so the worth of a turn"
        )
        raise NotConvergedError(f"{why} has no end; remedy: {REMEDY}, turn.hot_dice_bonus = 0, {OTHER_GOAL}")
