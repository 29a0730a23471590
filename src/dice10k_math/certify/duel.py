"""The judge of races between two players of whom at least one plays by a policy.

Accepting means: in every turn start the first player wins with at least the guaranteed probability against the second,
and the match ends with probability 1 from wherever that is not 0.
"""

from __future__ import annotations

from dice10k_math.bounds import RaceBounds
from dice10k_math.certify.race import Verdict, judge_guarantees
from dice10k_math.duel import DuelGuarantees
from dice10k_math.movers import Mover
from dice10k_math.race import Race
from dice10k_math.stakes import StakesRace
from dice10k_math.stakes_duel import StakesDuelGuarantees
from dice10k_math.stakes_movers import StakesMover


def judge_duel(race: Race, bounds: RaceBounds, own: Mover, other: Mover) -> Verdict:
    """Check every guarantee of a player against another.

    Parameters
    ----------
    race
        The match.
    bounds
        The guarantees.
    own, other
        Who plays the turns of the player, and those of the other.
    """
    return judge_guarantees(DuelGuarantees(race, bounds, own, other))


def judge_stakes_duel(race: StakesRace, bounds: RaceBounds, own: StakesMover, other: StakesMover) -> Verdict:
    """Check every guarantee of a player against another, with High Stakes."""
    return judge_guarantees(StakesDuelGuarantees(race, bounds, own, other))
