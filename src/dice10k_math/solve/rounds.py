"""Solving a match of equal turns in which scores can fall: a field for each phase.

A turn that begins a round is followed by one that closes it, and that by one that begins the next. So the turns of a
player who begins the rounds and those of the other who closes them hang together, and nothing else does: the bounds of
the protected player are solved twice, once as the one who begins and once as the one who closes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dice10k_math.extra_rounds import ExtraRounds, value_of_ties
from dice10k_math.field import Field
from dice10k_math.last_turn import DOWN, NEAREST, UP, last_turns
from dice10k_math.program import Floats
from dice10k_math.solve.field import (
    COST,
    ROUGHLY,
    SETTLED,
    FieldBounds,
    Player,
    PolicyIteration,
    cleaned,
    guess,
    settle,
)
from dice10k_math.workers import Progress, within


@dataclass(frozen=True, slots=True)
class RoundsBounds:
    """Bounds of a match of equal turns.

    Attributes
    ----------
    phases
        Bounds for the player to move, in turns that begin a round and in turns that close it.
    lead, follow
        Shape (busts, busts): guaranteed at a tie, by busts in a row of both, to the player who leads off the next
        round and to the other.
    """

    phases: tuple[FieldBounds, FieldBounds]
    lead: Floats
    follow: Floats


Fields = tuple[Field, Field]


def estimate_rounds(fields: Fields, *, progress: Progress | None = None) -> RoundsBounds:
    """Return what being to move is worth in every turn start, roughly: a start for bounds."""
    first, second = fields
    lead = value_of_ties(first)
    last = last_turns(first, 1.0 - float(lead[0, 0]), NEAREST)
    players = Player(first, NEAREST, 0.0, last, float(last[-1])), Player(second, NEAREST)
    start = np.stack([guess(first)] * 2)
    begins, closes = settle(PolicyIteration(players, start, ROUGHLY), progress)
    return RoundsBounds((FieldBounds(begins, begins), FieldBounds(closes, closes)), lead, 1.0 - lead)


def solve_rounds(
    fields: Fields, start: RoundsBounds, *, settled: float = SETTLED, progress: Progress | None = None
) -> RoundsBounds:
    """Return bounds for every turn start that a judge can check, as `solve_field` does.

    Parameters
    ----------
    fields
        The match: its phases.
    start
        Values to start from.
    settled
        Change of a round at which to stop; more than the default is not enough for a judge.
    progress
        Told about every round, and how far it is.
    """
    first, second = fields
    lead, follow = _ties(first)
    theirs, own = last_turns(first, 1.0 - float(lead[0, 0]), UP), last_turns(first, float(follow[0, 0]), DOWN)
    begins, closes = start.phases
    us_first, them_second = settle(
        PolicyIteration(
            (Player(first, DOWN, -COST, theirs, float(theirs[-1])), Player(second, UP, COST)),
            np.stack([begins.us, closes.them]),
            settled,
        ),
        within(progress, "who begins"),
    )
    us_second, them_first = settle(
        PolicyIteration(
            (Player(second, DOWN, -COST), Player(first, UP, COST, own, 0.0)),
            np.stack([closes.us, begins.them]),
            settled,
        ),
        within(progress, "who closes"),
    )
    return RoundsBounds((cleaned(us_first, them_first), cleaned(us_second, them_second)), lead, follow)


def _ties(field: Field) -> tuple[Floats, Floats]:
    """Return guarantees at ties for the player who leads off the next round and for the other."""
    if field.rules.ending.tie != "extra_rounds":
        half = np.full((1, 1), 0.5)
        return half, half
    rounds = ExtraRounds(field)
    return rounds.settled(DOWN, UP, COST), rounds.settled(UP, DOWN, COST, leading=False)
