"""The judge of guarantees of a policy against a policy where scores can fall or pass the target."""

from __future__ import annotations

import numpy as np

from dice10k_math.certify.race import LEAST_COST
from dice10k_math.program import Floats
from dice10k_math.spread import Turns


def faults_of(own: Turns, other: Turns, move: Floats, wait: Floats) -> int:
    """Return how many guarantees do not hold; see `dice10k_math.spread` for the inequalities.

    To guarantee nothing needs no proof.
    """
    faults = 0
    for claimed, allowed in ((move, own.move(wait, -1.0)), (wait, other.wait(move, -1.0))):
        sound = ((allowed - claimed >= LEAST_COST) & (claimed >= 0.0) & (claimed <= 1.0)) | (claimed == 0.0)
        faults += int(np.count_nonzero(~sound))
    return faults
