"""What is claimed of a small match: bounds in fractions, and the policy that guarantees the lower ones."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
        Worth of a last turn, by deficit in units from 0; a greater deficit is worth no more than the last.
        Empty where there are none.
    tie_lower, tie_upper
        Shape (busts, busts): worth of leading off an extra round from a tie, by the busts in a row of the one who does
        and of the other; 1/2 where a tie is shared.
    answer_lower, answer_upper
        Shape (busts, busts, 2): worth of the answer to a bust of the one who led off, and to a bust with all dice.
        Empty where a tie is shared.
    policy
        By phase and part.
    last_policy
        By block of deficits.
    tie_policy, answer_policy
        For leading off an extra round, and for answers to busts; None where a tie is shared.
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
    tie_policy: Ratings | None
    answer_policy: Ratings | None


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
        The same for a last turn, by deficit.
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
        answers = [_last(match, last, deficit, lowest=lowest) for deficit in behind(match, row, lowest=lowest)]
        rows.append(one - np.array(answers, moving.dtype))
    return rows


def behind(match: ExplicitMatch, row: int, *, lowest: bool) -> list[float]:
    """Return by opponent's part how far behind, in units, the opponent is before the last turn."""
    lead = match.leads[row - match.won - 1]
    return [(match.target - (part.high if lowest else part.low)) / match.unit + lead for part in match.parts]


def _last(match: ExplicitMatch, last: Vector, deficit: float, *, lowest: bool) -> Any:
    """Return a bound of a last turn: an upper one for a lower bound of waiting for it.

    With a greater deficit a last turn is worth less.
    """
    if lowest:
        return last[bisect_right(match.deficits, deficit) - 1]
    place = bisect_left(match.deficits, deficit)
    return last[place] if place < len(last) else last[-1] * 0


def extreme(table: Sequence[Vector], rows: Sequence[int], *, lowest: bool) -> Vector:
    """Return what an ending that may lead to several rows is worth."""
    found = [table[row] for row in rows]
    pick = np.minimum if lowest else np.maximum
    best = found[0]
    for other in found[1:]:
        best = pick(best, other)
    return best


def endings_of(
    match: ExplicitMatch, phase: int, part: int, table: Sequence[Vector], survival: Sequence[int], *, lowest: bool
) -> Endings:
    """Return what the endings of a part's turn are worth, from a table of waiting in whole numbers."""
    ways = match.ways_of(phase, part, lowest=lowest)
    bust, on_six = extreme(table, ways.bust, lowest=lowest), extreme(table, ways.bust_on_six, lowest=lowest)
    top = extreme(table, ways.beyond, lowest=lowest) if ways.beyond else None
    return Endings(
        bank_worths(match, phase, part, table, lowest=lowest),
        bust,
        on_six,
        edges(survival, bust, on_six, top, np.minimum if lowest else np.maximum),
        table[match.won][0],
    )


def bank_worths(match: ExplicitMatch, phase: int, part: int, table: Sequence[Vector], *, lowest: bool) -> list[Banks]:
    """Return what banking each turn score is worth."""

    def worth(rows: Sequence[int] | None) -> Vector | None:
        return None if rows is None else extreme(table, rows, lowest=lowest)

    return [(worth(add), worth(subtract)) for add, subtract in match.ways_of(phase, part, lowest=lowest).banks]


def last_turn_banks(match: ExplicitMatch, deficits: Sequence[int], win: Any, tie: Any, loss: Any) -> list[Banks]:
    """Return what banking each turn score is worth in a last turn, by deficit in units."""
    found: list[Banks] = []
    for turn_score in match.program.bank_scores.tolist():
        if not match.opened.allows(turn_score):
            found.append((None, None))
            continue
        scored = turn_score // match.unit
        worth = [win if scored > deficit else tie if scored == deficit else loss for deficit in deficits]
        found.append((vector_of(worth), None))
    return found


def tie_banks(match: ExplicitMatch, answered: Vector, one: Any, *, lowest: bool) -> list[Banks]:
    """Return what banking each turn score is worth when leading off an extra round.

    Parameters
    ----------
    match
        The match.
    answered
        Bounds of the worth of waiting for the answer, by its deficit; a greater one is worth more.
    one
        Worth of having won.
    lowest
        Whether a lower bound is wanted.
    """
    found: list[Banks] = []
    for turn_score in match.program.bank_scores.tolist():
        scored = turn_score // match.unit
        place = bisect_right(match.deficits, scored) - 1 if lowest else bisect_left(match.deficits, scored)
        worth = answered[[place]] if place < len(answered) else np.full(1, one, answered.dtype)
        found.append((worth, None) if match.opened.allows(turn_score) else (None, None))
    return found


def vector_of(worths: Sequence[Any]) -> Vector:
    """Return numbers as a vector: truth values, floats or whole numbers."""
    kind = type(worths[0])
    return np.array(worths, kind if kind in (bool, float) else object)


def blocks(match: ExplicitMatch) -> list[tuple[slice, tuple[int, ...]]]:
    """Return deficits in the groups in which they are worked out, each with its place among all."""
    places = [slice(start, start + BLOCK) for start in range(0, len(match.deficits), BLOCK)]
    return [(place, match.deficits[place]) for place in places]
