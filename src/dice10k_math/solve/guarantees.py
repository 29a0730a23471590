"""Guarantees of one row of turn starts, from the values: they are lowered until a judge can check them.

With the player's own guarantees m (to move) and v (waiting) a row has to satisfy m <= F(v) - COST and
v <= 1 - G(1 - m) - COST, where F and G are the operator with bounds for the later rows. One evaluation of each near the
solution and the slopes known from solving give m and v; where they are not as near, further ones.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dice10k_math.bounds import Guarantees
from dice10k_math.errors import NotConvergedError
from dice10k_math.last_turn import Mask
from dice10k_math.program import Floats

MOST_ROUNDS = 60
COST = 1e-12
"""What each turn costs a guarantee, besides roundings: the judge reads off that that the match ends."""
NEAR = 1e-9
"""How far one step by the slopes may lead: so near the values hardly any choice is another one, and the step is exact
to a small part of `COST`. Costs add up over a long match, so its bounds take a second step."""
STUCK = 1e-3
"""Chance that a round of two turns ends otherwise than by two busts, below which the two are taken to bust for ever."""
OFFER_COST = 4e-12
"""What each turn is meant to cost a guarantee with High Stakes, besides roundings."""
LEAST, MOST = OFFER_COST / 4, 3 * OFFER_COST
"""What it may cost there; within these no further round is made."""


@dataclass(frozen=True, slots=True)
class Start:
    """What is known of one row and phase before its guarantees are.

    Attributes
    ----------
    values
        Shape (2, columns): of the player to move, and of him waiting after the turn of the phase.
    slopes
        The same: the probability of a bust of the turn that each of them depends on.
    """

    values: Floats
    slopes: Floats

    @property
    def lasting(self) -> Mask:
        """Where the match goes on to an end; where both players can only bust, for ever, nothing is guaranteed."""
        return np.asarray(1.0 - self.slopes[0] * self.slopes[1] > STUCK)

    def shift(self, gaps: Floats) -> Floats:
        """Return by how much the guarantee of the player to move has to rise for both turns to have nothing to spare.

        That of the one who waits has to rise by its gap, and by the slope times this.
        """
        lasting = np.maximum(1.0 - self.slopes[0] * self.slopes[1], STUCK)
        return np.asarray((gaps[0] + self.slopes[0] * gaps[1]) / lasting)


def _allowed(judge: Guarantees, phase: int, total: int, claimed: Floats) -> Floats:
    """Write guarantees of a row, and return what they may be at most."""
    columns = slice(*judge.race.columns(total))
    judge.bounds.move[phase, total, columns], judge.bounds.wait[phase, total, columns] = claimed
    return np.stack([judge.moving(phase, total)[columns], judge.waiting(phase, total)[columns]])


def settle_row(judge: Guarantees, phase: int, total: int, start: Start) -> None:
    """Write guarantees of one row and phase."""
    columns, lasting = slice(*judge.race.columns(total)), start.lasting
    # What leads to where the match may never end is not worth what the values say, and takes more than one step.
    judge.endless |= not lasting.all()
    claimed = start.values - COST
    for _ in range(MOST_ROUNDS):
        gaps = _allowed(judge, phase, total, claimed) - COST - claimed
        shift = start.shift(gaps)
        raised = np.stack([claimed[0] + shift, claimed[1] + gaps[1] + start.slopes[1] * shift])
        claimed = np.where(lasting, np.maximum(raised, 0.0), 0.0)
        unsettled = np.abs(gaps).max(axis=0) >= COST / 4
        near = max(float(np.abs(shift).max()), float(np.abs(gaps[1]).max())) < NEAR
        if not unsettled.any() or (near and not judge.endless):
            break
    if judge.endless:
        claimed = np.where(unsettled, 0.0, claimed)
    judge.bounds.move[phase, total, columns], judge.bounds.wait[phase, total, columns] = claimed


def settle_row_with_offers(judge: Guarantees, phase: int, total: int, start: Start, behind: Floats) -> None:
    """Write guarantees of one row and phase with High Stakes; the turns evaluated last count for the rows before.

    They are moved until every turn costs about `OFFER_COST`. `behind`, of shape (2, phases, rows, scores), tells by how
    much those of each row fall short of the values: they start from where those of the rows after it suggest.

    Raises
    ------
    NotConvergedError
        No such guarantees were found.
    """
    columns, lasting = slice(*judge.race.columns(total)), start.lasting
    short = np.maximum(2 * behind[:, phase, total + 1, columns] - behind[:, phase, total + 2, columns], OFFER_COST)
    for _ in range(MOST_ROUNDS):
        claimed = np.where(lasting, np.maximum(start.values - short, 0.0), 0.0)
        gaps = _allowed(judge, phase, total, claimed) - claimed
        # To guarantee nothing needs no proof.
        if ((claimed == 0.0) | ((gaps >= LEAST) & (gaps <= MOST))).all():
            behind[:, phase, total, columns] = np.where(lasting, short, OFFER_COST)
            return
        gaps -= OFFER_COST
        shift = start.shift(gaps)
        short = short - np.stack([shift, gaps[1] + start.slopes[1] * shift])
    points = total * judge.race.unit
    raise NotConvergedError(f"{judge.race.rules.name}: no bounds for scores adding up to {points:,} points")
