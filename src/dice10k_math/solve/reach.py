"""Which turn starts of a race two policies can come to."""

from __future__ import annotations

import numpy as np

from dice10k_math.last_turn import Mask
from dice10k_math.movers import PolicyMover
from dice10k_math.race import Race


def reached(race: Race, movers: tuple[PolicyMover, PolicyMover]) -> Mask:
    """Return the turn starts of the first player that can come up from 0 : 0, whoever begins.

    Returns
    -------
    ndarray of shape (phases, scores, scores)
        By own score and the other's, in units.
    """
    scores = race.scores
    here = np.zeros((2, race.phases, scores, scores), bool)
    here[:, 0, 0, 0] = True
    for total in range(2 * scores - 1):
        own = np.arange(max(0, total - scores + 1), min(total, scores - 1) + 1)
        # A bust leads to the partner, and from there back.
        for _ in range(2 * race.phases):
            for player in range(2):
                for phase in range(race.phases):
                    found = here[player, phase, own, total - own] & (movers[player].busts[phase][own, total - own] > 0)
                    here[1 - player, race.other(phase), total - own, own] |= found
        for player in range(2):
            for phase in range(race.phases):
                for score in own[here[player, phase, own, total - own]].tolist():
                    other = total - score
                    reach = score + movers[player].units_banked(phase, score, other)
                    here[1 - player, race.other(phase), other, reach[reach < scores]] = True
    return np.asarray(here[0])
