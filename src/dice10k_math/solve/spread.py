"""Solving for what a policy guarantees against a policy: one sparse linear system, never written down."""

from __future__ import annotations

import numpy as np
from scipy.sparse.linalg import LinearOperator, bicgstab

from dice10k_math.program import Floats
from dice10k_math.spread import Turns

COST = 1e-12
MOST_ROUNDS, MOST_STEPS = 12, 300
SETTLED = 2e-13


def propose_guarantees(own: Turns, other: Turns) -> tuple[Floats, Floats]:
    """Return what a player guarantees when to move and when waiting, by own score and the other's."""
    shape = own.number.shape
    move = np.zeros(shape)

    def turn(values: Floats) -> Floats:
        return own.move(other.wait(values))

    def apply(vector: Floats) -> Floats:
        values = vector.reshape(shape)
        return (values - (turn(values) - start)).reshape(-1)

    start = turn(np.zeros(shape))
    size = int(np.prod(shape))
    operator = LinearOperator((size, size), matvec=apply, dtype=float)
    right = start - 2.0 * COST
    before = np.inf
    for _ in range(MOST_ROUNDS):
        residual = right - apply(move.reshape(-1)).reshape(shape)
        found = float(np.max(np.abs(residual)))
        # Policies that go on for ever leave nothing to converge to.
        if found <= SETTLED or found > before / 2:
            break
        before = found
        step, _ = bicgstab(operator, residual.reshape(-1), rtol=1e-6, atol=0.0, maxiter=MOST_STEPS)
        move = move + step.reshape(shape)
    move = np.clip(move - COST / 4, 0.0, 1.0)
    wait = np.clip(other.wait(move, -1.0) - COST / 2, 0.0, 1.0)
    # What does not hold by a hair is lowered, as far as that takes.
    for _ in range(MOST_STEPS):
        allowed = own.move(wait, -1.0) - COST / 4
        if (move <= np.maximum(allowed, 0.0)).all():
            break
        move = np.minimum(move, np.maximum(allowed, 0.0))
        wait = np.minimum(wait, np.maximum(other.wait(move, -1.0) - COST / 2, 0.0))
    return move, wait
