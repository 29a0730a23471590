"""Two players whose scores cannot fall below a least score, by sweeps over every pair of scores and counts of busts.

It takes the operator from the library, and nothing of what the library knows of matches: what the endings of a turn
are worth is looked up in the table of the sweep before, until the table stands still.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dice10k_math.backup import Contexts, back_up, blocks_of
from dice10k_math.last_turn import compiled
from dice10k_math.program import survival
from dice10k_math.rules.model import Ruleset

Array = np.ndarray[Any, Any]


class BoundedMatch:
    """A match to a target under a penalty for busts in a row, with scores of at least `least`.

    A player's part of a state is a score and the number of busts in a row.
    `move[own, other]` is the worth of moving, `wait[own, other]` that of waiting; the last row of `wait` has won.
    """

    def __init__(self, rules: Ruleset, least: int, step: int = 50) -> None:
        assert rules.bust.in_a_row is not None
        assert rules.ending.kind == "first_to_target"
        assert not rules.bust.on_six
        assert not rules.turn.opening_minimum
        self.scores = range(least, rules.ending.target, step)
        self.busts, self.fall = rules.bust.in_a_row.busts, rules.bust.in_a_row.penalty // step
        self.minimum, self.step, self.target = rules.turn.bank_minimum, step, rules.ending.target
        self.program = compiled(rules, rules.ending.target - least)
        self.survival, _ = survival(self.program.model, step)
        size = len(self.scores) * self.busts
        self.move = np.full((size, size), 0.5)
        self.wait = np.full((size + 1, size), 0.5)
        self.wait[size] = 1.0

    def state(self, score: int, busts: int = 0) -> int:
        """Number of a player's part of a state."""
        return self.scores.index(score) * self.busts + busts

    def value(self, own: int, other: int) -> float:
        """Win probability of the mover, no busts before."""
        return float(self.move[self.state(own), self.state(other)])

    def settle(self, still: float, sweeps: int = 300) -> None:
        """Sweep until no worth changes by more than `still`."""
        for _ in range(sweeps):
            before = self.move.copy()
            for place in reversed(range(len(self.scores))):
                for busts in reversed(range(self.busts)):
                    self._back_up(place, busts)
            if np.max(np.abs(self.move - before)) <= still:
                return
        raise AssertionError("it does not stand still")

    def _back_up(self, place: int, busts: int) -> None:
        size = len(self.move)
        after = place + self.program.bank_scores // self.step
        rows = np.where(after < len(self.scores), np.minimum(after, len(self.scores) - 1) * self.busts, size)
        rows = np.where(self.program.bank_scores >= self.minimum, rows, -1).astype(np.int32)
        fallen = max(0, place - self.fall) * self.busts
        bust = fallen if busts + 1 == self.busts else place * self.busts + busts + 1
        used = np.unique(np.append(rows[(rows >= 0) & (rows < size)], bust))
        self.wait[used] = 1.0 - self.move[:, used].T
        ends = self.wait[bust][None, :]
        contexts = Contexts(self.wait, rows[None, :], ends, ends, np.ones((1, size)))
        limit = max(self.target - self.scores[place], self.minimum)
        blocks = blocks_of(1, size, limit)
        self.move[place * self.busts + busts] = back_up(self.program, contexts, self.survival, blocks=blocks)[0]
