"""Turn after turn, where they hang together by a count of busts in a row: the most points a turn in the long run."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dice10k_math.errors import NotConvergedError
from dice10k_math.questions.turn import TurnSolution, points_of, turn_from
from dice10k_math.rules.model import Ruleset


@dataclass(frozen=True, slots=True)
class LongRun:
    """The most points a turn in the long run, where the turns hang together by a count of busts in a row.

    Attributes
    ----------
    points_per_turn, lower, upper
        The average and bounds of it that hold in spite of rounding.
    turns
        The best turn for each number of busts in a row before it.
        Its worth is in points, an ending counting for what it does to the following turns too.
    advantages
        What it is worth to start with that many busts in a row, against none, in points.
    """

    rules: Ruleset
    points_per_turn: float
    lower: float
    upper: float
    turns: tuple[TurnSolution, ...]
    advantages: tuple[float, ...]


def long_run(rules: Ruleset, score: int = 1000, *, tolerance: float = 1e-9) -> LongRun:
    """Return the best play for the long-run average of points a turn.

    The state between turns is the number of busts in a row. With g the average and h the advantage of each state
    (h(0) = 0),

        g + h(c) = best turn when a bust leads to h(c + 1), or costs the penalty and leads to h(0).

    Newton's method on this piecewise linear equation is policy iteration. For any h, the least and greatest value
    over the states of
    (best turn - h) enclose the true average (A. Odoni, 1969), which gives the bounds.

    Parameters
    ----------
    rules
        The ruleset.
    score
        A score to play at; its opening and penalty rules are taken for the whole run.
    tolerance
        Greatest distance of the bounds, in points.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> round(long_run(load_rules("farkle")).points_per_turn, 6)
    534.287063
    """
    states = 1 if rules.bust.in_a_row is None else rules.bust.in_a_row.busts
    advantages = [0.0] * states
    for _ in range(60):
        turns = [_turn_in_run(rules, score, busts, advantages) for busts in range(states)]
        gaps = [(turn.lower - h, turn.upper - h) for turn, h in zip(turns, advantages, strict=True)]
        lower, upper = min(low for low, _ in gaps), max(high for _, high in gaps)
        if upper - lower <= tolerance:
            average = (lower + upper) / 2
            return LongRun(rules, average, lower, upper, tuple(turns), tuple(advantages))
        advantages = _evaluate_run(turns, advantages)
    raise NotConvergedError(f"{rules.name}: the long-run average lies between {lower} and {upper}")


def _turn_in_run(rules: Ruleset, score: int, busts: int, advantages: list[float]) -> TurnSolution:
    following = Fraction(advantages[busts + 1]) if busts + 1 < len(advantages) else 0
    worth = points_of(rules, score, busts, following)
    return turn_from(rules, score, busts=busts, worth=worth, exact=False)


def _evaluate_run(turns: list[TurnSolution], advantages: list[float]) -> list[float]:
    """Return the advantages under the turns' present play: a linear system in the average and the advantages."""
    size = len(turns)
    matrix = np.eye(size)
    matrix[:, 0] = 1.0
    constants = np.zeros(size)
    for busts, turn in enumerate(turns):
        constants[busts] = turn.expected_points
        if busts + 1 < size:
            chance = turn.bust_probability
            constants[busts] -= chance * advantages[busts + 1]
            matrix[busts, busts + 1] -= chance
    solved = np.linalg.solve(matrix, constants)
    return [0.0, *solved[1:].tolist()]
