"""The own states of a player in a match in which scores can fall or pass the target: intervals of scores.

Near the target an interval is a single score. Far from it they grow, and the last ones have no end.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from math import inf

import numpy as np

from dice10k_math.errors import InputError
from dice10k_math.program import Floats
from dice10k_math.rules import Ruleset, least_reaching, penalties, score_step
from dice10k_math.turn import BankRule, bank_rule, turn_model

LONG_TURN = 6_000
"""How far beyond what is missing turns are followed at least, in points: one roll can bring more than the target."""


@dataclass(frozen=True, slots=True)
class OwnState:
    """A player's part of a turn start: scores from `low` to `high` in points, first bank made, busts in a row."""

    low: float
    high: float
    opened: bool
    busts: int


Widths = tuple[tuple[int, int], ...]
"""Widths of intervals, in points, each with how many of it follow one another."""


@dataclass(frozen=True, slots=True)
class Extent:
    """How far a field is resolved, in points.

    Attributes
    ----------
    low, high
        From the one to the other every score is an own state of its own.
    below, above
        Widths of the intervals that follow on either side, each with how many there are; the last intervals have no
        end.
    most
        Greatest turn score that is backed up.
    past
        Where the target may be passed: turn scores are backed up to three times the distance from the target and so
        much more, as a greater one only leads farther away.
    """

    low: int
    high: int
    below: Widths
    above: Widths
    most: int
    past: int = 0


class FieldStates:
    """The own states of a field.

    Attributes
    ----------
    unit
        Scores are multiples of it.
    target
        The target, or the least score above it that can be.
    phase
        Under equal turns: 0 for the turns that begin a round, 1 for those that close it.
    remembers
        Whether the first bank is part of a state.
    intervals
        The intervals of scores, the lowest first.
    states
        The own states; a turn start is a pair of their numbers.
    """

    def __init__(self, rules: Ruleset, extent: Extent, phase: int = 0) -> None:
        self.rules, self.extent, self.phase = rules, extent, phase
        self.model = turn_model(rules)
        self.unit = score_step(rules)
        self.target = least_reaching(rules)
        self.exact = rules.ending.kind == "exact"
        self.passes = rules.ending.overshoot == "add_or_subtract"
        first_bank = bank_rule(rules, self.target, opened=True)
        self.opened = BankRule(first_bank.minimum, first_bank.multiple)
        self.unopened = BankRule(bank_rule(rules, 0, opened=False).minimum, first_bank.multiple)
        self.remembers = rules.turn.opening_applies == "until_first_bank" and self.opened != self.unopened
        self.intervals = tuple(self._intervals())
        self.states = tuple(self._states())
        self._number = {(state.low, state.opened, state.busts): number for number, state in enumerate(self.states)}

    def _intervals(self) -> Iterator[tuple[float, float]]:
        low, high, unit = self.extent.low, self.extent.high, self.unit
        below = list(accumulate((-width for width, count in self.extent.below for _ in range(count)), initial=low))
        yield -inf, below[-1] - unit
        yield from ((start, end - unit) for end, start in reversed(list(pairwise(below))))
        if self.passes:
            yield from ((score, score) for score in range(low, high + 1, unit))
            above = list(accumulate((width for width, count in self.extent.above for _ in range(count)), initial=high))
            yield from ((start + unit, end) for start, end in pairwise(above))
            yield above[-1] + unit, inf
        else:
            top = self.target - unit if not self.exact else self.target
            yield from ((score, score) for score in range(low, top + 1, unit))

    def _states(self) -> Iterator[OwnState]:
        in_a_row = self.rules.bust.in_a_row
        for opened in (True, False) if self.remembers else (True,):
            for busts in range(in_a_row.busts if in_a_row else 1):
                yield from (OwnState(low, high, opened, busts) for low, high in self.intervals if opened or high <= 0)

    @property
    def has_last_turn(self) -> bool:
        """Whether the opponent of a player who reaches the target has one more turn."""
        return self.rules.ending.kind == "final_round" or (self.phases == 2 and self.phase == 0)

    @property
    def phases(self) -> int:
        """Number of phases of the match: 2 under equal turns."""
        return 2 if self.rules.ending.kind == "equal_turns" else 1

    @property
    def start(self) -> int:
        """Number of the own state in which a match starts."""
        return self.state_of(0, opened=not self.remembers)

    def state_of(self, score: int, opened: bool | None = None, busts: int = 0) -> int:
        """Return the number of the own state that holds a score; a score other than 0 counts as having banked.

        Raises
        ------
        InputError
            A state that cannot be.
        """
        if opened is None:
            opened = score != 0
        # Where it makes no difference, who has not banked yet is told apart from nobody.
        opened = opened or not self.remembers
        low, high = self.intervals[self._interval(score)]
        known = (low, opened, busts)
        if score % self.unit or score > high or known not in self._number:
            raise InputError(
                f"score: {score} with {busts} busts in a row cannot be in {self.rules.name}; "
                f"scores are multiples of {self.unit}"
            )
        return self._number[known]

    @cached_property
    def _lows(self) -> Floats:
        return np.array([low for low, _ in self.intervals])

    def _interval(self, score: float) -> int:
        return int(np.searchsorted(self._lows, score, side="right")) - 1

    def interval_of(self, state: OwnState) -> int:
        """Return the number of the interval of an own state."""
        return self._interval(state.low)


def extents(rules: Ruleset) -> tuple[Extent, ...]:
    """Return how far the field of a match is resolved: last for its bounds, before that for a start, turns followed
    less far.

    The widths were chosen by measuring how far the bounds lie apart; that they are bounds does not depend on them.
    """
    target, unit = rules.ending.target, score_step(rules)
    span = max(target, 4 * max((*penalties(rules), 0)))

    def points(share: float) -> int:
        return int(share * span) // unit * unit

    def widths(*shares: tuple[float, int]) -> Widths:
        return tuple((max(unit, points(share)), count) for share, count in shares)

    if rules.ending.overshoot != "add_or_subtract":
        below = widths((0.05, 8), (0.1, 6), (0.2, 6))
        low = -points(0.5)
        most = target - low + max(points(2.0), LONG_TURN // unit * unit)
        return (Extent(low, target, below, (), most),)
    # Whoever trails may throw one huge turn, past the target as far again: there every score has to be told apart.
    below, above = widths((0.1, 4)), widths((0.02, 8), (0.05, 4), (0.1, 4), (0.2, 2))
    low, high = -points(0.65), target + points(1.0)
    rough = tuple(Extent(low, high, below, above, points(share)) for share in (0.4, 1.4))
    return *rough, Extent(low, high, below, above, points(3.8), points(0.3))
