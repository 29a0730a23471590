"""What is claimed of a small match with High Stakes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dice10k_math.explicit.claims import Claims, Fractions
from dice10k_math.explicit.stakes import StakesMatch, Waiting

Wholes = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class StakesClaims(Claims):
    """Bounds of the mover's win probability at every turn start and for every offer, and a policy.

    Policies are given by phase and block of pairs, and one for all last turns.
    What is said of offers is in multiples of one over the grain of the match, for there are many.

    Attributes
    ----------
    offers_lower, offers_upper
        Shape (phases, parts, parts, offers): worth of taking over. Of a player who is offered something the policy is
        to do what has the greater lower bound.
    takes_lower, takes_upper
        The same in last turns: by lead of the banker before that bank in units, from one behind on, and dice left.
    """

    offers_lower: Wholes
    offers_upper: Wholes
    takes_lower: Wholes
    takes_upper: Wholes

    def waiting(self, match: StakesMatch, *, lowest: bool) -> Waiting:
        """Return what counts against a lower bound, or for an upper one, as whole numbers."""
        if lowest:
            return Waiting(
                rounded(self.upper, match, up=True),
                self.offers_upper,
                rounded(self.last_upper, match, up=True),
                self.takes_upper,
            )
        return Waiting(
            rounded(self.lower, match, up=False),
            self.offers_lower,
            rounded(self.last_lower, match, up=False),
            self.takes_lower,
        )


def rounded(values: Fractions, match: StakesMatch, *, up: bool) -> Wholes:
    """Return fractions as multiples of one over the grain."""
    return np.array([_rounded(value, match.grain, up) for value in values.flat], np.int64).reshape(values.shape)


def _rounded(value: Any, grain: int, up: bool) -> int:
    whole = int(value.numerator) * grain
    return -(-whole // int(value.denominator)) if up else whole // int(value.denominator)
