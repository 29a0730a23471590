"""The judge of races.

Accepting means: in every turn start each seat wins with at least the guaranteed probability if it plays best for the
guarantees,
whatever the other does, and the match ends with probability 1 then.
It takes one application of the operator for each seat and turn start, rounded against the player.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from dice10k_math.bounds import Guarantees, RaceBounds, guarantees_of
from dice10k_math.program import Floats
from dice10k_math.race import Race
from dice10k_math.workers import Share, counted

LEAST_COST = 2.0**-43
"""What every turn must cost at least, so that a guarantee cannot be kept up without end: about 1e-13."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A turn start at which a guarantee does not hold, scores in points."""

    seat: str
    phase: int
    score: int
    opponent: int
    claimed: float
    allowed: float

    def __str__(self) -> str:
        return (
            f"{self.seat} with {self.score} points against {self.opponent} (phase {self.phase}): "
            f"claims {self.claimed!r}, the turn allows {self.allowed!r}"
        )


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge found.

    Attributes
    ----------
    faults
        The turn starts that fail, the worst of each row; none: the bounds are proved.
    checked
        How many guarantees were checked.
    guarantees
        As evaluated by the judge; with High Stakes they hold what taking over guarantees.
    """

    faults: tuple[Fault, ...]
    checked: int
    guarantees: Guarantees = field(repr=False, compare=False)

    @property
    def accepted(self) -> bool:
        """Whether every guarantee holds."""
        return not self.faults


def judge_race(race: Race, bounds: RaceBounds, progress: Share | None = None) -> Verdict:
    """Check every guarantee of a race.

    Parameters
    ----------
    race
        The match.
    bounds
        The guarantees.
    progress
        Told the share of the rows that have been checked.

    Returns
    -------
    Verdict
    """
    return judge_guarantees(guarantees_of(race, bounds), progress)


def judge_guarantees(guarantees: Guarantees, progress: Share | None = None) -> Verdict:
    """Check guarantees, none of whose rows have been recorded yet."""
    race, bounds = guarantees.race, guarantees.bounds
    faults = _tie_faults(race, bounds, guarantees)
    checked = 0
    totals = range(2 * race.scores - 2, -1, -1)
    for total in counted(totals, len(totals), progress):
        for phase in range(race.phases):
            pairs = (
                ("to move", bounds.move[phase, total], guarantees.moving(phase, total)),
                ("waiting", bounds.wait[phase, total], guarantees.waiting(phase, total)),
            )
            for seat, claimed, allowed in pairs:
                fault = _worst(race, seat, phase, total, claimed, allowed)
                faults += [fault] if fault else []
            first, end = race.columns(total)
            checked += 2 * (end - first)
        for phase in range(race.phases):
            guarantees.record(phase, total)
    return Verdict(tuple(faults), checked, guarantees)


def _worst(race: Race, seat: str, phase: int, total: int, claimed: Floats, allowed: Floats) -> Fault | None:
    """Return the worst fault of a row. A comparison with something that is not a number is a fault.

    To guarantee nothing needs no proof: at such a start the argument stops.
    """
    first, end = race.columns(total)
    margin = allowed[first:end] - claimed[first:end]
    here = claimed[first:end]
    sound = ((margin >= LEAST_COST) & (here <= 1.0)) | (here == 0.0)
    if sound.all():
        return None
    column = first + int(np.argmin(np.where(sound, np.inf, np.where(np.isnan(margin), -np.inf, margin))))
    own = (total - column) * race.unit
    return Fault(seat, phase, own, column * race.unit, float(claimed[column]), float(allowed[column]))


def _tie_faults(race: Race, bounds: RaceBounds, guarantees: Guarantees) -> list[Fault]:
    if race.rules.ending.tie != "extra_rounds":
        shared = bounds.lead <= 0.5 and bounds.follow <= 0.5
        return [] if shared else [Fault("tie", 0, 0, 0, max(bounds.lead, bounds.follow), 0.5)]
    pairs = (
        ("leading off a tie", bounds.lead, guarantees.lead()),
        ("following at a tie", bounds.follow, guarantees.follow()),
    )
    return [
        Fault(seat, 0, 0, 0, claimed, allowed)
        for seat, claimed, allowed in pairs
        if not (allowed - claimed >= LEAST_COST and claimed <= 1.0)
    ]
