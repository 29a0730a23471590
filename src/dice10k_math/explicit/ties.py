"""Extra rounds of a written-out match: what a tie leads to, round after round.

Both players have reached the target and are level, so of the scores only their difference matters from now on; and of
the busts in a row those of both, where they are counted.
A *tie* is written as the busts in a row of the player who leads off the next round, and of the other.

The turn that leads off is answered: after a bank by a last turn with that deficit, after a bust by an *answer* to it.
An answer wins with every bank; when it busts as well, the greater penalty of the two loses, and equal ones leave a tie.
Penalties are those of a score at the target: at others they may be others, which compare alike (where they do not, the
match is refused).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from dice10k_math.explicit.claims import tie_banks, vector_of
from dice10k_math.explicit.match import ExplicitMatch
from dice10k_math.explicit.turn import Banks, Vector

Tie = tuple[int, int]
Answer = tuple[int, int, bool]
"""Busts in a row of who led off and of who answers, before this round; and whether the bust was one of all dice."""


def ties(match: ExplicitMatch) -> list[Tie]:
    """Return all ties, in the order of their vectors."""
    return list(product(range(match.busts), range(match.busts)))


def answers(match: ExplicitMatch) -> list[Answer]:
    """Return all answers to a bust, in the order of their vectors."""
    return list(product(range(match.busts), range(match.busts), (False, True)))


def after_answer_busts(match: ExplicitMatch, answer: Answer, *, on_six: bool) -> bool | Tie:
    """Return what follows when the answer to a bust is a bust too: whether the one who answers has won, or the tie."""
    led, followed, led_on_six = answer
    leader, lost = match.after_bust(match.target, led, on_six=led_on_six)
    follower, lost_too = match.after_bust(match.target, followed, on_six=on_six)
    return (leader, follower) if lost == lost_too else lost > lost_too


def answer_endings(match: ExplicitMatch, level: Vector, win: Any, loss: Any) -> tuple[list[Banks], Vector, Vector]:
    """Return what banks, a bust and a bust with all dice are worth in every answer.

    Parameters
    ----------
    match
        The match.
    level
        Shape (busts, busts): what a tie is worth to the one who answers.
    win, loss
        Worth of having won, and of having lost.
    """
    bust, on_six = (
        vector_of(list(_after_busts(match, level.tolist(), win, loss, on_six=on_six))) for on_six in (False, True)
    )
    bank = vector_of([win] * len(bust))
    banks: list[Banks] = [
        (bank if match.opened.allows(turn_score) else None, None) for turn_score in match.program.bank_scores.tolist()
    ]
    return banks, bust, on_six


def _after_busts(match: ExplicitMatch, level: list[list[Any]], win: Any, loss: Any, *, on_six: bool) -> Iterator[Any]:
    for answer in answers(match):
        found = after_answer_busts(match, answer, on_six=on_six)
        yield level[found[0]][found[1]] if isinstance(found, tuple) else win if found else loss


def tie_endings(
    match: ExplicitMatch, last: Vector, answered: Vector, one: Any, *, lowest: bool
) -> tuple[list[Banks], Vector, Vector]:
    """Return what banks, a bust and a bust with all dice are worth when leading off, at every tie.

    Parameters
    ----------
    match
        The match.
    last
        Bounds of the worth of waiting for a last turn, by its deficit.
    answered
        Shape (busts, busts, 2): bounds of the worth of waiting for the answer to a bust, and to one with all dice.
    one
        Worth of having won.
    lowest
        Whether a lower bound is wanted.
    """
    every = np.zeros(match.busts**2, int)
    banks: list[Banks] = [
        (None if add is None else add[every], None) for add, _ in tie_banks(match, last, one, lowest=lowest)
    ]
    return banks, answered[:, :, 0].reshape(-1), answered[:, :, 1].reshape(-1)
