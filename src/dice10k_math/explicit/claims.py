"""What is claimed of a small match: bounds in fractions, and the policy that guarantees the lower ones."""

from __future__ import annotations

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
        Worth of leading off an extra round from a tie; 1/2 where a tie is shared.
    policy
        By phase and part.
    last_policy
        By block of deficits.
    tie_policy
        For leading off an extra round; None where a tie is shared.
    """

    lower: Fractions
    upper: Fractions
    last_lower: Fractions
    last_upper: Fractions
    tie_lower: Fraction
    tie_upper: Fraction
    policy: Sequence[Sequence[Ratings]]
    last_policy: Sequence[Ratings]
    tie_policy: Ratings | None


def deficits(match: ExplicitMatch) -> int:
    """Return how many deficits of a last turn are told apart."""
    return (match.target + match.layout.lead) // match.unit + 1 if match.has_last_turn else 0


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
        total = match.target + (row - match.won - 1) * match.unit
        scores = [part.high if lowest else part.low for part in match.parts]
        answers = [_last(last, (total - score) / match.unit, lowest=lowest) for score in scores]
        rows.append(one - np.array(answers, moving.dtype))
    return rows


def _last(last: Vector, deficit: float, *, lowest: bool) -> Any:
    """Return a bound of a last turn: beyond the greatest deficit told apart an upper one still holds, a lower is 0."""
    if deficit < len(last):
        return last[int(deficit)]
    return last[-1] if lowest else last[-1] * 0


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


def last_turn_banks(match: ExplicitMatch, behind: Sequence[int], win: Any, tie: Any, loss: Any) -> list[Banks]:
    """Return what banking each turn score is worth in a last turn, by deficit in units."""
    found: list[Banks] = []
    for turn_score in match.program.bank_scores.tolist():
        if not match.opened.allows(turn_score):
            found.append((None, None))
            continue
        scored = turn_score // match.unit
        worth = [win if scored > deficit else tie if scored == deficit else loss for deficit in behind]
        found.append((_vector(worth), None))
    return found


def tie_banks(match: ExplicitMatch, waiting_last: Vector) -> list[Banks]:
    """Return what banking each turn score is worth when leading off an extra round.

    Parameters
    ----------
    match
        The match.
    waiting_last
        Worth of waiting for the answer, by its deficit; greater ones are worth at least as much as the last.
    """
    found: list[Banks] = []
    for turn_score in match.program.bank_scores.tolist():
        place = min(turn_score // match.unit, len(waiting_last) - 1)
        found.append((waiting_last[[place]], None) if match.opened.allows(turn_score) else (None, None))
    return found


def _vector(worths: Sequence[Any]) -> Vector:
    kind = type(worths[0])
    return np.array(worths, kind if kind in (bool, float) else object)


def blocks(count: int) -> list[list[int]]:
    """Return deficits in the groups in which they are worked out."""
    return [list(range(start, min(start + BLOCK, count))) for start in range(0, count, BLOCK)]
