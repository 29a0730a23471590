"""What the endings of a turn are worth: the one thing in which the questions about a turn differ."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from dice10k_math.errors import InputError

Number = int | Fraction


@dataclass(frozen=True, slots=True)
class Worth:
    """The worth of each ending of a turn.

    Attributes
    ----------
    bust, bust_on_six, instant_win
        Worth of these endings. A bust on six dice is worth `bust_on_six` alone.
    slope, intercept, beyond
        Banking a turn score T of at least `beyond` is worth ``slope * T + intercept``.
    below
        Worth of banking a turn score under `beyond`; None: the same line.
    """

    bust: Number = 0
    bust_on_six: Number = 0
    instant_win: Number = 0
    slope: Number = 1
    intercept: Number = 0
    beyond: int = 0
    below: Callable[[int], Number] | None = None

    def __post_init__(self) -> None:
        if self.slope < 0:
            raise InputError(f"worth: slope {self.slope}; banking more must not be worth less for ever, so at least 0")
        if self.beyond < 0:
            raise InputError(f"worth: beyond {self.beyond}; a turn score is at least 0")

    def bank(self, turn_score: int) -> Number:
        """Return the worth of banking this turn score.

        Examples
        --------
        >>> Worth().bank(350)
        350
        """
        if self.below is not None and turn_score < self.beyond:
            return self.below(turn_score)
        return self.slope * turn_score + self.intercept


def at_least(points: int) -> Worth:
    """Return the worth under which a turn's value is the probability to bank at least that many points.

    Examples
    --------
    >>> at_least(500).bank(450), at_least(500).bank(500)
    (0, 1)
    """
    return Worth(slope=0, intercept=1, beyond=points, below=lambda _: 0)
