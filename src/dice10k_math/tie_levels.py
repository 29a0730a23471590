"""The scores at which two players are level in extra rounds: which of them are told apart.

In most games it does not matter at which score both are level: only the difference of the scores counts.
It matters where a bust on six costs more than busts in a row at some scores and not at others, and where an opening
minimum comes back at a score of 0.

Then the scores around those at which something changes are levels of their own.
All lower ones are one level together, and all higher ones: within each of the two every score has the same row of
penalties and the same bank minimum, and where a bust or a bank leads from there the worst counts for a lower bound,
the best for an upper one, each time anew.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dice10k_math.rules import Ruleset, penalties, score_step
from dice10k_math.turn import bank_rule, six_dice_penalty

Numbers = NDArray[np.intp]
HIGH = 1_000_000_000
"""A score above all at which anything changes."""


@dataclass(frozen=True, slots=True)
class TieLevels:
    """Levels: scores below `low` are one, so are those above `high`, and in between each score is.

    Attributes
    ----------
    unit
        Step of scores, in points.
    low, high
        The least and the greatest score that is a level of its own; None: all scores are one level.
    """

    unit: int
    low: int | None = None
    high: int | None = None

    @property
    def count(self) -> int:
        """How many levels there are."""
        return 1 if self.low is None or self.high is None else (self.high - self.low) // self.unit + 3

    @property
    def samples(self) -> Numbers:
        """A score of each level."""
        if self.low is None or self.high is None:
            return np.array([HIGH])
        return np.arange(self.low - self.unit, self.high + self.unit + 1, self.unit)

    def number(self, scores: Numbers) -> Numbers:
        """Return the numbers of the levels of scores.

        Examples
        --------
        >>> TieLevels(50, 0, 100).number(np.array([-300, 0, 50, 100, 700])).tolist()
        [0, 1, 2, 3, 4]
        """
        if self.low is None:
            return np.zeros_like(scores)
        return np.clip((scores - self.low) // self.unit + 1, 0, self.count - 1)

    def moved(self, points: Numbers) -> tuple[Numbers, Numbers]:
        """Return the first and the last level that the scores of each level can come to.

        Parameters
        ----------
        points
            Points won by both: shape (levels,), or (1, points) for many at every level.
        """
        samples = self.samples if points.ndim == 1 else self.samples[:, None]
        first = self.number(samples + points)
        last = first.copy()
        if self.count > 1:
            first[0], last[-1] = 0, self.count - 1
        return first, last

    def after_banks(self, ties: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what ties are worth at each level when both have just banked, from shape (levels, busts, busts)."""
        return ties.reshape(self.count, -1)[:, 0]


def tells_levels_apart(rules: Ruleset) -> bool:
    """Tell whether it matters in extra rounds at which score both players are level.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> tells_levels_apart(load_rules("dix-mille"))
    False
    """
    if rules.ending.tie != "extra_rounds" or not penalties(rules):
        return False
    return len({_compared(rules, row.penalty) for row in rules.bust.on_six}) > 1 or zero_matters(rules)


def zero_matters(rules: Ruleset) -> bool:
    """Tell whether a player with a score of 0 needs more to bank than others, also after the first bank."""
    return rules.turn.opening_applies == "at_score_zero" and bank_rule(rules, 0) != bank_rule(rules, 1)


def _compared(rules: Ruleset, penalty: int) -> tuple[bool, bool, bool]:
    """Tell how the cost of a bust on six compares: with nothing, and with the penalty for busts in a row."""
    other = rules.bust.in_a_row.penalty if rules.bust.in_a_row else 0
    return penalty > 0, penalty > other, penalty < other


def _changes(rules: Ruleset) -> list[int]:
    """Return the scores from which on something changes."""
    found = [row.below for row in rules.bust.on_six if row.below is not None]
    return [*found, 0] if zero_matters(rules) or not found else found


def levels_of(rules: Ruleset, falls: int) -> TieLevels:
    """Return levels that reach so many of the greatest penalties beyond the scores at which something changes."""
    unit = score_step(rules)
    if not tells_levels_apart(rules):
        return TieLevels(unit)
    changes, reach = _changes(rules), falls * max(penalties(rules))
    return TieLevels(unit, (min(changes) - reach) // unit * unit, -(-(max(changes) + reach) // unit) * unit)


def are_told_apart(rules: Ruleset, levels: TieLevels) -> bool:
    """Tell whether all scores of each level are alike: without that, nothing that is said of a level holds."""
    if levels.low is None or levels.high is None:
        return not tells_levels_apart(rules)
    sound = levels.unit == score_step(rules) and levels.low % levels.unit == levels.high % levels.unit == 0
    return sound and levels.low <= min(_changes(rules)) and max(_changes(rules)) <= levels.high


def penalties_on_six(rules: Ruleset, levels: TieLevels) -> Numbers:
    """Return what a bust on six costs at each level."""
    return np.array([six_dice_penalty(rules, int(score)) for score in levels.samples])
