"""Which after-states, and which banks, some play of a turn comes to: on a grid of all that there might be.

The grid has a place for each hot-dice count that is told apart, hand and turn score, counted in steps.
Whatever the turn score, an entry of a hand leads so many steps farther on, and to one other hand.
So all turn scores of a hand move on together.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dice10k_math.turn import Entry, TurnModel

Mask = NDArray[np.bool_]
Numbers = NDArray[np.int64]


class Reach:
    """What a turn can come to.

    Parameters
    ----------
    model
        The turn model.
    most
        Greatest turn score from which rolls are followed.
    most_hot_dice
        With a hot-dice bonus: the most hot dice from which rolls are followed.

    Attributes
    ----------
    hots
        From how many hot-dice counts rolls are followed.
    after
        Shape (hot-dice counts, hands, steps): whether an after-state can be reached.
    inner
        The same for those from which rolls are followed; the others are edges.
    """

    def __init__(self, model: TurnModel, most: int, most_hot_dice: int) -> None:
        self.model = model
        points = max(entry.points for hand in model.hands for entry in hand.entries)
        self.widest = points + model.bonus_after(most_hot_dice)
        self.hots = most_hot_dice + 1 if model.bonus else 1
        self._inside = most // model.step + 1
        self._outside = self._inside + self.widest // model.step
        # From an edge a bank may lead farther still.
        steps = self._outside + (points + model.bonus_after(self.hots)) // model.step
        self.after = np.zeros((self.hots + bool(model.bonus), len(model.hands), steps), bool)
        self.after[0, model.full, 0] = True
        for hot in range(self.hots):
            self._follow(hot)
        self.inner = self.after.copy()
        self.inner[self.hots :] = False
        self.inner[:, :, self._inside :] = False

    def _follow(self, hot: int) -> None:
        """Mark what rolls with one hot-dice count lead to; without a bonus hot dice lead back to the same count."""
        known, found = 0, 1
        while found > known:
            for hand in range(self.model.full, -1, -1):
                here = self.after[hot, hand, : self._inside]
                for entry, hot_after, steps in self.ways(hot, hand):
                    if entry.may_roll:
                        self.after[hot_after, entry.hand, steps : steps + self._inside] |= here
            known, found = found, 1 if self.model.bonus else int(self.after.sum())

    def ways(self, hot: int, hand: int) -> Iterator[tuple[Entry, int, int]]:
        """Yield the entries of a hand, each with the hot-dice count after it and the steps that it adds."""
        for entry in self.model.hands[hand].entries:
            bonus = self.model.bonus_after(hot) if entry.hot else 0
            yield entry, hot + bool(entry.hot and self.model.bonus), (entry.points + bonus) // self.model.step

    @cached_property
    def banks(self) -> Mask:
        """Shape (steps, hands): whether a turn score can be banked that leaves a hand, as far as the rules of banks
        allow it; after a roll from an edge as well.
        """
        found: Mask = np.logical_or.reduce(self.after)
        for hot in range(len(self.after)):
            for hand in range(len(self.model.hands)):
                here = self.after[hot, hand, : self._outside]
                for entry, _, steps in self.ways(hot, hand):
                    if entry.may_bank and not entry.may_roll:
                        found[entry.hand, steps : steps + self._outside] |= here
        found[:, 0] = False
        return found.T
