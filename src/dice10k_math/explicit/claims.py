"""What is claimed of a small match: bounds in fractions, and the policy that guarantees the lower ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dice10k_math.explicit.levels import LastTurn
from dice10k_math.explicit.match import ExplicitMatch
from dice10k_math.explicit.turn import Banks, Endings, Ratings, Vector, edges

Fractions = NDArray[Any]
"""An array of `Fraction`."""
BLOCK = 40
"""Deficits of a last turn that are worked out together."""
HALF = Fraction(1, 2)


@dataclass(frozen=True, slots=True, eq=False)
class Claims:
    """Bounds of the mover's win probability at every turn start, and a policy.

    Attributes
    ----------
    lower, upper
        Shape (phases, parts, parts): by the mover's part and the opponent's.
    last_lower, last_upper
        Worth of the last turns of the match: with one level by deficit in units from 0. A greater deficit is worth no
        more than the last. Empty where there are none.
    tie_lower, tie_upper
        Shape (busts, busts): worth of leading off an extra round from a tie, by the busts in a row of the one who does
        and of the other; 1/2 where a tie is shared. Shape (levels, busts, busts) where there are several levels.
    answer_lower, answer_upper
        The shape of ties and 2: worth of the answer to a bust of the one who led off, and to a bust with all dice.
        Empty where a tie is shared.
    policy
        By phase and part.
    last_policy
        By block of last turns.
    tie_policy, answer_policy
        For leading off an extra round, and for answers to busts: by group of levels. Empty where a tie is shared.
    """

    lower: Fractions
    upper: Fractions
    last_lower: Fractions
    last_upper: Fractions
    tie_lower: Fractions
    tie_upper: Fractions
    answer_lower: Fractions
    answer_upper: Fractions
    policy: Sequence[Sequence[Ratings]]
    last_policy: Sequence[Ratings]
    tie_policy: Sequence[Ratings]
    answer_policy: Sequence[Ratings]


def waiting(match: ExplicitMatch, phase: int, moving: Vector, last: Vector, one: Any, *, lowest: bool) -> list[Vector]:
    """Return the table of waiting of the player who has the turn of a phase.

    Parameters
    ----------
    match
        The match.
    phase
        The phase of the turn.
    moving
        Shape (phases, parts, parts): bounds for the other to move, from the other side: upper ones for a lower bound.
    last
        The same for the last turns.
    one
        Worth of having won.
    lowest
        Whether a lower bound is wanted.

    Returns
    -------
    list of vectors
        By row, each by opponent's part.
    """
    other = moving[(phase + 1) % match.phases]
    rows = [one - other[:, row] for row in range(match.won)]
    rows.append(np.full(match.won, one, moving.dtype))
    for row in range(match.won + 1, match.rows):
        deficits, total = behind(match, row, lowest=lowest)
        numbers = [match.last_turn(deficit, total, lowest=lowest) for deficit in deficits]
        answers = [last[-1] * 0 if number is None else last[number] for number in numbers]
        rows.append(one - np.array(answers, moving.dtype))
    return rows


def behind(match: ExplicitMatch, row: int, *, lowest: bool) -> tuple[list[float], int]:
    """Return by opponent's part how far behind, in units, the opponent is before the last turn; and the total to be
    reached.
    """
    lead = match.leads[row - match.won - 1]
    scores = [part.high if lowest else part.low for part in match.parts]
    return [(match.target - score) / match.unit + lead for score in scores], match.target + lead * match.unit


def extreme(table: Sequence[Vector], rows: Sequence[int], *, lowest: bool) -> Vector:
    """Return what an ending that may lead to several rows is worth."""
    found = [table[row] for row in rows]
    pick = np.minimum if lowest else np.maximum
    best = found[0]
    for other in found[1:]:
        best = pick(best, other)
    return best


def endings_of(
    match: ExplicitMatch,
    phase: int,
    part: int,
    table: Sequence[Vector],
    saved: Sequence[Sequence[int]],
    *,
    lowest: bool,
) -> Endings:
    """Return what the endings of a part's turn are worth, from a table of waiting in whole numbers.

    `saved` has bounds of the chance to be saved beyond the limit: by a bank, and where there is none.
    """
    ways = match.ways_of(phase, part, lowest=lowest)
    bust, on_six = extreme(table, ways.bust, lowest=lowest), extreme(table, ways.bust_on_six, lowest=lowest)
    top = extreme(table, ways.beyond or [match.won], lowest=lowest)
    return Endings(
        bank_worths(match, phase, part, table, lowest=lowest),
        bust,
        on_six,
        edges(saved[not ways.beyond], bust, on_six, top, np.minimum if lowest else np.maximum),
        table[match.won][0],
    )


def bank_worths(match: ExplicitMatch, phase: int, part: int, table: Sequence[Vector], *, lowest: bool) -> list[Banks]:
    """Return what banking each turn score is worth."""

    def worth(rows: Sequence[int] | None) -> Vector | None:
        return None if rows is None else extreme(table, rows, lowest=lowest)

    return [(worth(add), worth(subtract)) for add, subtract in match.ways_of(phase, part, lowest=lowest).banks]


def last_turn_banks(
    match: ExplicitMatch, turns: Sequence[LastTurn], win: Any, ties: Sequence[Any], loss: Any
) -> list[Banks]:
    """Return what banking each turn score is worth in last turns, of which `ties` are worth drawing level."""
    found: list[Banks] = []
    rule = match.rule(shut=turns[0].shut)
    for turn_score in match.program.bank_scores.tolist():
        if not rule.allows(turn_score):
            found.append((None, None))
            continue
        scored = turn_score // match.unit
        worth = [
            win if scored > turn.behind else tie if scored == turn.behind else loss
            for turn, tie in zip(turns, ties, strict=True)
        ]
        found.append((vector_of(worth), None))
    return found


def level_worths(turns: Sequence[LastTurn], ties: Vector, *, lowest: bool) -> list[Any]:
    """Return what drawing level is worth in last turns, from what ties are worth to who draws level."""
    worths = ties.reshape(-1, *ties.shape[-2:])[:, 0, 0].tolist()
    return [worst([worths[level] for level in turn.levels], lowest=lowest) for turn in turns]


def worst(worths: Sequence[Any], *, lowest: bool) -> Any:
    """Return the worth that counts of several: the least for a lower bound, else the greatest."""
    return min(worths) if lowest else max(worths)


def vector_of(worths: Sequence[Any]) -> Vector:
    """Return numbers as a vector: truth values, floats or whole numbers."""
    kind = type(worths[0])
    return np.array(worths, kind if kind in (bool, float) else object)


def blocks(match: ExplicitMatch) -> list[tuple[slice, tuple[LastTurn, ...]]]:
    """Return last turns in the groups in which they are worked out, each with its place among all."""
    turns, shut = match.last_turns, sum(turn.shut for turn in match.last_turns)
    ends = [*range(0, len(turns) - shut, BLOCK), *range(len(turns) - shut, len(turns), BLOCK), len(turns)]
    places = [slice(*both) for both in pairwise(ends)]
    return [(place, turns[place]) for place in places]
