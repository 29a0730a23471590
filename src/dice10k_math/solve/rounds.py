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
from dice10k_math.field_movers import FieldMover
from dice10k_math.last_turn import DOWN, NEAREST, UP
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
from dice10k_math.tie_levels import TieLevels, levels_of
from dice10k_math.workers import Progress, within

FALLS = (1, 2, 4, 8, 16, 32, 64)
"""How many of the greatest penalties levels reach beyond the scores at which something changes, tried in turn."""
NARROW = 2e-11
"""How close the bounds of ties have to be for no further levels to be tried."""
MOST_TIES = 12_000
"""Ties beyond which no more are told apart."""


@dataclass(frozen=True, slots=True)
class RoundsBounds:
    """Bounds of a match of equal turns.

    Attributes
    ----------
    phases
        Bounds for the player to move, in turns that begin a round and in turns that close it.
    lead, follow
        Guaranteed at a tie to the player who leads off the next round and to the other: shape (busts, busts), by busts
        in a row of both; or (levels, busts, busts) where it matters at which score both are level.
    levels
        The scores at which both can be level that are told apart.
    """

    phases: tuple[FieldBounds, FieldBounds]
    lead: Floats
    follow: Floats
    levels: TieLevels


Fields = tuple[Field, Field]
Movers = tuple[FieldMover, FieldMover]
"""Who plays the turns of one player, by phase."""


def estimate_rounds(fields: Fields, *, progress: Progress | None = None) -> RoundsBounds:
    """Return what being to move is worth in every turn start, roughly: a start for bounds."""
    first, second = fields
    lead, levels = value_of_ties(first), levels_of(first.rules, 1)
    players = Player(first, NEAREST, 0.0, *first.last_turns_with(levels, 1.0 - lead, NEAREST)), Player(second, NEAREST)
    start = np.stack([guess(first)] * 2)
    begins, closes = settle(PolicyIteration(players, start, ROUGHLY), progress)
    return RoundsBounds((FieldBounds(begins, begins), FieldBounds(closes, closes)), lead, 1.0 - lead, levels)


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
    levels, lead, follow = _ties(first)
    theirs, own = first.last_turns_with(levels, 1.0 - lead, UP), first.last_turns_with(levels, follow, DOWN)
    begins, closes = start.phases
    us_first, them_second = settle(
        PolicyIteration(
            (Player(first, DOWN, -COST, *theirs), Player(second, UP, COST)),
            np.stack([begins.us, closes.them]),
            settled,
        ),
        within(progress, "who begins"),
    )
    us_second, them_first = settle(
        PolicyIteration(
            (Player(second, DOWN, -COST), Player(first, UP, COST, *own)),
            np.stack([closes.us, begins.them]),
            settled,
        ),
        within(progress, "who closes"),
    )
    return RoundsBounds((cleaned(us_first, them_first), cleaned(us_second, them_second)), lead, follow, levels)


def _ties(field: Field) -> tuple[TieLevels, Floats, Floats]:
    """Return guarantees at ties for the player who leads off the next round and for the other."""
    levels = levels_of(field.rules, FALLS[0])
    if field.rules.ending.tie != "extra_rounds":
        half = np.full((1, 1), 0.5)
        return levels, half, half
    for falls in FALLS:
        levels = levels_of(field.rules, falls)
        rounds = ExtraRounds(field, levels)
        lead, follow = rounds.settled(DOWN, UP, COST), rounds.settled(UP, DOWN, COST, leading=False)
        if _apart(field, levels, lead, follow) <= NARROW or 3 * lead.size > MOST_TIES:
            break
    return levels, lead, follow


def _apart(field: Field, levels: TieLevels, lead: Floats, follow: Floats) -> float:
    """Return how far the bounds are apart of the ties to which a match can come."""
    if levels.count == 1:
        return 0.0
    first = int(levels.number(np.array([field.target]))[0])
    return float(np.max((1.0 - levels.after_banks(lead) - levels.after_banks(follow))[first:]))


def solve_rounds_duel(
    movers: tuple[Movers, Movers], *, settled: float = SETTLED, progress: Progress | None = None
) -> tuple[FieldBounds, FieldBounds]:
    """Return bounds of a match of equal turns whose ties are shared, by phase, as `solve_rounds` does.

    Parameters
    ----------
    movers
        Who plays for the protected player, and for the other: each the turns that begin a round and those that close
        one.
    settled
        Change of a round at which to stop; more than the default is not enough for a judge.
    progress
        Told about every round, and how far it is.
    """
    (own_first, own_second), (first, second) = movers
    start = np.stack([guess(first.field)] * 2)
    leads = (
        Player(own_first.field, DOWN, -COST, first.last_turn(UP), mover=own_first),
        Player(second.field, UP, COST, mover=second),
    )
    us_first, them_second = settle(PolicyIteration(leads, start, settled), within(progress, "who begins"))
    closes = (
        Player(own_second.field, DOWN, -COST, mover=own_second),
        Player(first.field, UP, COST, own_first.last_turn(DOWN), mover=first),
    )
    us_second, them_first = settle(PolicyIteration(closes, start, settled), within(progress, "who closes"))
    return cleaned(us_first, them_first), cleaned(us_second, them_second)
