"""The judge of matches of equal turns in which scores can fall: the judge of fields, phase by phase, and of ties.

What the protected player guarantees in a turn that begins a round rests on the bounds of turns that close one, and the
other way round; with extra rounds it rests on what he guarantees at ties as well.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dice10k_math.certify.field import FieldFault, FieldVerdict, Job, judge_jobs
from dice10k_math.certify.race import LEAST_COST
from dice10k_math.extra_rounds import ExtraRounds
from dice10k_math.field import Field
from dice10k_math.field_movers import FieldMover
from dice10k_math.last_turn import DOWN, UP
from dice10k_math.program import Floats
from dice10k_math.tie_levels import TieLevels
from dice10k_math.workers import Share


@dataclass(frozen=True, slots=True)
class TieFault:
    """A tie at which a guarantee does not hold: `busts` of the player who leads off the next round and of the other.

    `level`: a score at which both are level, where it matters.
    """

    seat: str
    busts: tuple[int, int]
    claimed: float
    allowed: float
    level: int | None = None

    def __str__(self) -> str:
        first, second = self.busts
        at = "" if self.level is None else f"{self.level} : {self.level}, "
        return (
            f"{self.seat} at a tie with {at}{first} and {second} busts in a row: "
            f"claims {self.claimed!r}, the round allows {self.allowed!r}"
        )


@dataclass(frozen=True, slots=True)
class RoundsVerdict:
    """What the judge found, and how many bounds were checked."""

    faults: tuple[FieldFault | TieFault, ...]
    checked: int

    @property
    def accepted(self) -> bool:
        """Whether every bound holds."""
        return not self.faults


def judge_rounds(
    fields: tuple[Field, Field],
    us: Floats,
    them: Floats,
    lead: Floats,
    follow: Floats,
    levels: TieLevels,
    progress: Share | None = None,
) -> RoundsVerdict:
    """Check every bound of a match of equal turns.

    Parameters
    ----------
    fields
        The match: turns that begin a round, and turns that close one.
    us, them
        Shape (2, states, states): by phase, bounds from below and from above for the player to move, by own state and
        opponent's.
    lead, follow
        Shape (busts, busts), or (levels, busts, busts) where there are several: what the protected player guarantees
        at ties when leading off the next round, and when not. Without extra rounds a tie is shared.
    levels
        The scores at which both can be level that are told apart.
    progress
        Told the share of the bounds that have been checked.
    """
    first, second = fields
    ties = _tie_faults(first, levels, lead, follow)
    if not lead.size == follow.size == levels.count * lead.shape[-1] ** 2:
        return RoundsVerdict(tuple(ties), 0)
    theirs, own = first.last_turns_with(levels, 1.0 - lead, UP), first.last_turns_with(levels, follow, DOWN)
    jobs: tuple[Job, ...] = (
        ("lower bound", first, us[0], first.extend(1.0 - them[1].T, DOWN, *theirs), DOWN),
        ("upper bound", first, them[0], first.extend(1.0 - us[1].T, UP, *own), UP),
        ("lower bound, closing a round", second, us[1], second.extend(1.0 - them[0].T, DOWN), DOWN),
        ("upper bound, closing a round", second, them[1], second.extend(1.0 - us[0].T, UP), UP),
    )
    faults: tuple[FieldFault | TieFault, ...] = (*ties, *judge_jobs(jobs, progress))
    return RoundsVerdict(faults, us.size + them.size + lead.size + follow.size)


def judge_rounds_duel(
    movers: tuple[tuple[FieldMover, FieldMover], tuple[FieldMover, FieldMover]],
    us: Floats,
    them: Floats,
    progress: Share | None = None,
) -> FieldVerdict:
    """Check every bound of a match of equal turns whose ties are shared, between given players.

    Parameters
    ----------
    movers
        Who plays for the protected player, and for the other: each the turns that begin a round and those that close
        one.
    us, them
        As `judge_rounds` has them.
    progress
        Told the share of the bounds that have been checked.
    """
    (own_first, own_second), (first, second) = movers
    begins, closes = first.field, second.field
    if begins.rules.ending.tie != "shared":
        raise ValueError(f"tie: {begins.rules.ending.tie}; only shared ties are worth half to both")
    waiting = begins.extend(1.0 - them[1].T, DOWN, first.last_turn(UP)), closes.extend(1.0 - them[0].T, DOWN)
    theirs = begins.extend(1.0 - us[1].T, UP, own_first.last_turn(DOWN)), closes.extend(1.0 - us[0].T, UP)
    jobs: tuple[Job, ...] = (
        ("lower bound", own_first, us[0], waiting[0], DOWN),
        ("upper bound", first, them[0], theirs[0], UP),
        ("lower bound, closing a round", own_second, us[1], waiting[1], DOWN),
        ("upper bound, closing a round", second, them[1], theirs[1], UP),
    )
    return FieldVerdict(tuple(judge_jobs(jobs, progress)), us.size + them.size)


def _tie_faults(field: Field, levels: TieLevels, lead: Floats, follow: Floats) -> list[TieFault]:
    claims = {"leading off": lead, "following": follow}
    if field.rules.ending.tie != "extra_rounds":
        half = np.full((1, 1), 0.5)
        return [fault for seat, claimed in claims.items() for fault in _faults(seat, levels, claimed, half, 0.0)]
    rounds = ExtraRounds(field, levels)
    if wrong := [seat for seat, claimed in claims.items() if claimed.shape != rounds.shape]:
        return [TieFault(seat, (0, 0), float("nan"), float("nan")) for seat in wrong]
    allowed = {
        "leading off": rounds.allowed(lead, DOWN, UP, leading=True),
        "following": rounds.allowed(follow, UP, DOWN, leading=False),
    }
    return [fault for seat in claims for fault in _faults(seat, levels, claims[seat], allowed[seat], LEAST_COST)]


def _faults(seat: str, levels: TieLevels, claimed: Floats, allowed: Floats, cost: float) -> list[TieFault]:
    """Return the ties at which a guarantee is not allowed; to guarantee nothing needs no proof."""
    if claimed.shape != allowed.shape:
        return [TieFault(seat, (0, 0), float("nan"), float(allowed.flat[0]))]
    sound = ((allowed - claimed >= cost) & (claimed >= 0.0) & (claimed <= 1.0)) | (claimed == 0.0)
    scores = levels.samples.tolist() if levels.count > 1 else []
    return [
        TieFault(seat, (first, second), float(claimed[place]), float(allowed[place]), *(scores[at] for at in level))
        for place in map(tuple, np.argwhere(~sound).tolist())
        for *level, first, second in (place,)
    ]
