# mypy: allow-untyped-defs, allow-untyped-decorators
"""The compiled loop that plays matches with High Stakes to see which turn starts and offers come up."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True)
def meet(matches, seed, ending, numbers, turns, takes, units, states, out):
    """Play matches of a policy against itself; return how many turns were met, and were written to `out`.

    `numbers` says which turn is played, by own score and by the other's;
    `ending` has the target and whether a last turn follows it; `turns` has for all of them where their after-states, one after another, start, and rows with probabilities.
    `out` gets own score, the other's, whether it is a last turn, and the bank row that is offered or -1.
    """
    np.random.seed(seed)
    starts, rows, chances = turns
    scores, has_last_turn = ending
    first, fresh, met = takes.shape[1], starts.shape[1] - 2, 0
    score = np.zeros(2, np.int64)
    for _ in range(matches):
        score[:] = 0
        who, offer, last = 0, -1, 0
        while met < len(out):
            own, other = score[who], score[1 - who]
            out[met] = own, other, last, offer
            met += 1
            if last:
                break
            number = numbers[own, other]
            state = states[offer] if offer >= 0 and takes[number, offer] else fresh
            offer = -1
            while offer < 0:
                left, row = np.random.random(), -1
                for place in range(starts[number, state], starts[number, state + 1]):
                    left -= chances[place]
                    if left < 0.0:
                        row = rows[place]
                        break
                if row < 0:
                    break
                if row < first:
                    offer = row
                else:
                    state = row - first
            if offer >= 0:
                score[who] += units[offer]
            last = 1 if score[who] >= scores else 0
            if last and not has_last_turn:
                break
            who = 1 - who
    return met
