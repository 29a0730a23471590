"""The judge of fields of scores.

Two tables are judged: `us`, what the protected player guarantees when to move, and `them`, a bound for what the
opponent can win when to move.
In the relaxed match (an interval of scores counts for the opponent as its best score, for the player as its worst)
they must satisfy

    us(start)   <= turn of the player, an ending being worth 1 - them,
    them(start) >= turn of the opponent, an ending being worth 1 - us,

with something to spare at every turn, as in `dice10k_math.bounds`; so the match ends with probability 1 whatever the
opponent does.
Both seats are alike, so `them` is also an upper bound for the player's own chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from dice10k_math.certify.race import LEAST_COST
from dice10k_math.field import Field
from dice10k_math.field_movers import FieldMover
from dice10k_math.field_states import OwnState
from dice10k_math.last_turn import DOWN, UP, Side, last_turns
from dice10k_math.program import Floats
from dice10k_math.workers import Share, counted, map_all


@dataclass(frozen=True, slots=True)
class FieldFault:
    """A turn start at which a bound does not hold."""

    table: str
    state: OwnState
    opponent: OwnState
    claimed: float
    allowed: float

    def __str__(self) -> str:
        own, other = (
            f"{s.low:g}" if s.low == s.high else f"{s.low:g} to {s.high:g}" for s in (self.state, self.opponent)
        )
        return f"{self.table}, score {own} against {other}: claims {self.claimed!r}, the turn allows {self.allowed!r}"


@dataclass(frozen=True, slots=True)
class FieldVerdict:
    """What the judge found: the worst fault of each own state and table, and how many bounds were checked."""

    faults: tuple[FieldFault, ...]
    checked: int

    @property
    def accepted(self) -> bool:
        """Whether every bound holds."""
        return not self.faults


def tables_of(field: Field, us: Floats, them: Floats) -> tuple[Floats, Floats]:
    """Return the extended tables of waiting: for the protected player and for the opponent."""
    if not field.has_last_turn:
        return field.extend(1.0 - them.T, DOWN), field.extend(1.0 - us.T, UP)
    theirs, own = last_turns(field, 0.5, UP), last_turns(field, 0.5, DOWN)
    return (
        field.extend(1.0 - them.T, DOWN, theirs, float(theirs[-1])),
        field.extend(1.0 - us.T, UP, own, 0.0),
    )


Movers = tuple[FieldMover, FieldMover]


def judge_field(
    field: Field, us: Floats, them: Floats, progress: Share | None = None, movers: Movers | None = None
) -> FieldVerdict:
    """Check every bound of a field.

    Parameters
    ----------
    field
        The match.
    us, them
        Shape (states, states): bounds from below for the protected player to move, and from above for the opponent to
        move, by own state and the other's.
    progress
        Told the share that has been checked.
    movers
        Who plays the turns of the protected player, and those of the opponent; None: both play best.
    """
    if movers is None:
        own_table, their_table = tables_of(field, us, them)
        jobs: tuple[Job, ...] = (
            ("lower bound", field, us, own_table, DOWN),
            ("upper bound", field, them, their_table, UP),
        )
    else:
        player, opponent = movers
        own_table = field.extend(1.0 - them.T, DOWN, opponent.last_turn(UP))
        their_table = field.extend(1.0 - us.T, UP, player.last_turn(DOWN))
        jobs = (("lower bound", player, us, own_table, DOWN), ("upper bound", opponent, them, their_table, UP))
    return FieldVerdict(tuple(judge_jobs(jobs, progress)), us.size + them.size)


Job = tuple[str, Field | FieldMover, Floats, Floats, Side]
"""What a table is called, whose turns it is about, its claims, the extended table of waiting, and which bound it is."""


def judge_jobs(jobs: Sequence[Job], progress: Share | None) -> list[FieldFault]:
    """Check tables of the same size; return the worst fault of each own state and table."""
    faults = []
    size = len(jobs[0][2])
    turns = (
        turn
        for _, who, _, table, side in jobs
        for turn in map_all(partial(who.turn, table=table, side=side), range(size))
    )
    for number, allowed in enumerate(counted(turns, len(jobs) * size, progress)):
        (name, who, claimed, _, side), state = jobs[number // size], number % size
        field = who if isinstance(who, Field) else who.field
        fault = _worst(field, name, state, claimed[state], allowed, side)
        faults += [fault] if fault else []
    return faults


def _worst(field: Field, name: str, state: int, claimed: Floats, allowed: Floats, side: Side) -> FieldFault | None:
    """Return the worst fault of one own state; what is not a number is a fault."""
    margin = (allowed - claimed) if side.lowest else (claimed - allowed)
    trivial = claimed == (0.0 if side.lowest else 1.0)
    sound = ((margin >= LEAST_COST) & (claimed >= 0.0) & (claimed <= 1.0)) | trivial
    if sound.all():
        return None
    column = int(np.argmin(np.where(sound, np.inf, np.where(np.isnan(margin), -np.inf, margin))))
    return FieldFault(name, field.states[state], field.states[column], float(claimed[column]), float(allowed[column]))
