"""Past the greatest turn score that is backed up: what a turn is worth there.

A player may bank, which is worth `top` at best, or roll on. Two bounds hold together.
A turn that goes on is banked at last with at most (or, played for it, with at least) the probability of *survival*,
and falls otherwise.
And a player who never banks rolls until the bust: that guarantees what the bust is worth, and nothing is better where
every bank is worth less than that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dice10k_math.program import Floats
from dice10k_math.turn import HandModel, TurnModel


@dataclass(frozen=True, slots=True)
class RollOn:
    """What comes of rolling on until the bust, never banking: bounds on how likely that bust is one with all dice.

    Attributes
    ----------
    least, most
        Shape (hands,): the probability when the player avoids that bust, and when the player seeks it,
        by the hand about to be rolled.
        For a lower bound on the worth of rolling on, `least` is rounded up and `most`
        down; for an upper bound the other way round.
    """

    least: Floats
    most: Floats

    def worths(self, bust: float, bust_on_six: float) -> Floats:
        """Return what rolling on until the bust is worth, by the hand about to be rolled."""
        return bust + (bust_on_six - bust) * (self.least if bust_on_six < bust else self.most)


def roll_on(model: TurnModel) -> tuple[RollOn, RollOn] | None:
    """Return what comes of rolling on for ever, for lower and for upper bounds.

    None: a turn may end otherwise (six spicy dice), or some roll leaves nothing but banking.

    Counting a bust with all dice within some number of rolls bounds its probability from below;
    counting the turns that are still going on as well bounds it from above.
    """
    for hand in model.hands:
        if hand.instant_win or any(not _hands_after(hand, roll.entries) for roll in hand.classes):
            return None
    tiny = 1e-13
    bounds = {
        (pick, start): _six_chance(model, pick, start) + (tiny if start else -tiny)
        for pick in (min, max)
        for start in (0.0, 1.0)
    }
    clipped = {key: np.clip(chance, 0.0, 1.0) for key, chance in bounds.items()}
    return (
        RollOn(clipped[min, 1.0], clipped[max, 0.0]),
        RollOn(clipped[min, 0.0], clipped[max, 1.0]),
    )


def _hands_after(hand: HandModel, entries: tuple[int, ...]) -> list[int]:
    """Return the hands that can be rolled after a roll."""
    return [hand.entries[number].hand for number in entries if hand.entries[number].may_roll]


def _six_chance(model: TurnModel, pick: Callable[[list[float]], float], start: float) -> Floats:
    """Iterate the chance that rolling on ends with a bust of all dice, by hand."""
    leads = [[(roll.weight, _hands_after(hand, roll.entries)) for roll in hand.classes] for hand in model.hands]
    losses = [hand.bust if number == model.full else 0 for number, hand in enumerate(model.hands)]
    chance = [start] * len(model.hands)
    for _ in range(2000):
        before = chance
        chance = [
            (lost + sum(weight * pick([before[after] for after in hands]) for weight, hands in lead)) / hand.outcomes
            for hand, lost, lead in zip(model.hands, losses, leads, strict=True)
        ]
        if max(abs(new - old) for new, old in zip(chance, before, strict=True)) < 1e-16:
            break
    return np.array(chance)


def edge_worths(
    survival: Floats, rolled_on: RollOn | None, *, bust: float, bust_on_six: float, top: float, lowest: bool
) -> Floats:
    """Bound the worth of a turn score past the limit, by edge kind.

    Parameters
    ----------
    survival
        Shape (edge kinds,): the probability to bank at last.
    rolled_on
        What comes of never banking; None: unknown.
    bust, bust_on_six
        What the two kinds of bust are worth.
    top
        What a bank is worth at best (for an upper bound), or at least.
    lowest
        Whether the bound is one from below.
    """
    fall = min(bust, bust_on_six) if lowest else max(bust, bust_on_six)
    worth = survival * top + (1.0 - survival) * fall if top >= fall else np.full_like(survival, fall)
    if rolled_on is None:
        return worth
    by_hand = rolled_on.worths(bust, bust_on_six)
    never = np.repeat(by_hand, len(survival) // len(by_hand))
    if lowest:
        return np.maximum(worth, never)
    # Whoever banks for more than the worst of rolling on gains no more than the difference.
    return np.minimum(worth, never + max(0.0, top - float(by_hand.min())))
