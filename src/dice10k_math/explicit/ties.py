"""Extra rounds of a written-out match: what a tie leads to, round after round.

Both players have reached the target and are level, so of the scores only their difference matters from now on, and at
some scores at which *level* both are; and of the busts in a row those of both, where they are counted.
A *tie* is written as the level, the busts in a row of the player who leads off the next round, and those of the other.

The turn that leads off is answered: after a bank by a last turn with that deficit, after a bust by an *answer* to it.
An answer wins with every bank; when it busts as well, the greater penalty of the two loses, and equal ones leave a tie.

Turns are worked out together for all levels that need no opening bank, and for those that do: a *group* of levels.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np

from dice10k_math.explicit.claims import vector_of, worst
from dice10k_math.explicit.levels import Rows
from dice10k_math.explicit.match import ExplicitMatch, tie_limit
from dice10k_math.explicit.turn import Banks, Vector

Tie = tuple[int, int, int]
Answer = tuple[int, int, int, bool]
"""Level and busts in a row of who led off and of who answers, before this round; and whether the bust was one of all
dice.
"""
Group = tuple[bool, Rows]
"""Whether an opening bank is needed, and the levels."""


def ties(match: ExplicitMatch, levels: Rows) -> list[Tie]:
    """Return all ties at some levels, in the order of their vectors."""
    return list(product(levels, range(match.busts), range(match.busts)))


def answers(match: ExplicitMatch, levels: Rows) -> list[Answer]:
    """Return all answers to a bust at some levels, in the order of their vectors."""
    return list(product(levels, range(match.busts), range(match.busts), (False, True)))


def of_levels(match: ExplicitMatch, values: Vector, levels: Rows) -> Vector:
    """Return what is said of some levels, one after another, from what is said of all ties or answers."""
    return values.reshape(len(match.levels.intervals), -1)[list(levels)].reshape(-1)


def put_together(match: ExplicitMatch, parts: Sequence[Vector], shape: tuple[int, ...]) -> Vector:
    """Return what is said of all ties or answers from what is said group by group."""
    every = len(match.levels.intervals)
    whole = np.empty((every, prod(shape) // every), parts[0].dtype)
    for (_, levels), part in zip(match.levels.groups(), parts, strict=True):
        whole[list(levels)] = part.reshape(len(levels), -1)
    return whole.reshape(shape)


def after_answer_busts(match: ExplicitMatch, answer: Answer, *, on_six: bool) -> bool | tuple[Rows, int, int]:
    """Return what follows when the answer to a bust is a bust too: whether the one who answers has won, or the tie,
    with the levels to which it can have come.
    """
    level, led, followed, led_on_six = answer
    score = match.levels.score(level)
    leader, lost = match.after_bust(score, led, on_six=led_on_six)
    follower, lost_too = match.after_bust(score, followed, on_six=on_six)
    return (match.levels.moved(level, -lost), leader, follower) if lost == lost_too else lost > lost_too


def answer_endings(
    match: ExplicitMatch, group: Group, tied: Vector, win: Any, loss: Any, *, lowest: bool
) -> tuple[list[Banks], Vector, Vector]:
    """Return what banks, a bust and a bust with all dice are worth in every answer of a group of levels.

    Parameters
    ----------
    match
        The match.
    group
        The levels.
    tied
        By tie: what it is worth to the one who answers.
    win, loss
        Worth of having won, and of having lost.
    lowest
        Whether of several levels the worst counts, or the best.
    """
    shut, levels = group
    again = tied.reshape(-1, *tied.shape[-2:]).tolist()

    def worths(*, on_six: bool) -> Iterator[Any]:
        for answer in answers(match, levels):
            found = after_answer_busts(match, answer, on_six=on_six)
            if isinstance(found, tuple):
                yield worst([again[level][found[1]][found[2]] for level in found[0]], lowest=lowest)
            else:
                yield win if found else loss

    bust, on_six = (vector_of(list(worths(on_six=on_six))) for on_six in (False, True))
    bank, rule = vector_of([win] * len(bust)), match.rule(shut=shut)
    banks: list[Banks] = [
        (bank if rule.allows(turn_score) else None, None) for turn_score in match.program.bank_scores.tolist()
    ]
    return banks, bust, on_six


def tie_endings(
    match: ExplicitMatch, group: Group, last: Vector, answered: Vector, one: Any, *, lowest: bool
) -> tuple[list[Banks], Vector, Vector]:
    """Return what banks, a bust and a bust with all dice are worth when leading off, at every tie of a group of levels.

    Parameters
    ----------
    match
        The match.
    group
        The levels.
    last
        Bounds of the worth of waiting for the last turns.
    answered
        By answer: bounds of the worth of waiting for the answer to a bust, and to one with all dice.
    one
        Worth of having won.
    lowest
        Whether a lower bound is wanted.
    """
    shut, levels = group
    rule = match.rule(shut=shut)
    banks: list[Banks] = [
        (waiting_for_answers(match, levels, turn_score, last, one, lowest=lowest), None)
        if rule.allows(turn_score)
        else (None, None)
        for turn_score in match.program.bank_scores.tolist()
    ]
    busts = of_levels(match, answered, levels).reshape(-1, 2)
    return banks, busts[:, 0], busts[:, 1]


def waiting_for_answers(
    match: ExplicitMatch, levels: Rows, turn_score: int, last: Vector, one: Any, *, lowest: bool
) -> Vector:
    """Return what it is worth at every tie of some levels to have led off with a bank.

    After a greater one than is told apart it may be worth as much as having won.
    """
    numbers = [match.answer_to(level, turn_score // match.unit, lowest=lowest) for level in levels]
    worths = [one if number is None else last[number] for number in numbers]
    return np.repeat(np.array(worths, last.dtype), match.busts**2)


def worth_beyond(match: ExplicitMatch, group: Group, last: Vector, one: Any, *, lowest: bool) -> Vector:
    """Return what banking beyond the limit is worth at every tie of a group of levels when leading off."""
    shut, levels = group
    if lowest:
        return waiting_for_answers(match, levels, tie_limit(match, shut=shut), last, one, lowest=True)
    return np.full(len(levels) * match.busts**2, one, last.dtype)
