# mypy: allow-untyped-defs, allow-untyped-decorators
"""The compiled loop that plays matches with High Stakes to see which turn starts and offers come up."""

from __future__ import annotations

import numpy as np
from numba import njit

from dice10k_math.simulation.loops import mixed, started

STEP = np.uint64(0x9E3779B97F4A7C15)
"""From one state of the generator to the next."""
PART = 2.0**-53


@njit(cache=True)
def _played(state, seed, turn, first):
    """Return the bank row that a turn ends with, -1 for none, and the state of the generator."""
    starts, rows, chances = turn
    while True:
        seed += STEP
        left, row = (mixed(seed) >> np.uint64(11)) * PART, -1
        for place in range(starts[state], starts[state + 1]):
            left -= chances[place]
            if left < 0.0:
                row = rows[place]
                break
        if row < first:
            return row, seed
        state = row - first


@njit(cache=True)
def meet(matches, seed, ending, numbers, turns, takes, units, states, out):
    """Play matches of a policy against itself; return how many turns were met, and were written to `out`.

    `ending` has the target and whether a last turn follows it. `numbers` says which turn is played, by own score and
    the other's; `turns` has for all of them where their after-states start, and rows with probabilities.
    `out` gets own score, the other's, whether it is a last turn, and the bank row that is offered or -1.
    """
    starts, rows, chances = turns
    scores, has_last_turn = ending
    first, fresh, met = takes.shape[1], starts.shape[1] - 2, 0
    score = np.zeros(2, np.int64)
    for match in range(matches):
        score[:] = 0
        who, offer, state = 0, -1, started(seed, match)
        while met < len(out):
            last = score[1 - who] >= scores
            if last and not has_last_turn:
                break
            out[met] = score[who], score[1 - who], np.int64(last), offer
            met += 1
            if last:
                break
            number = numbers[score[who], score[1 - who]]
            begun = states[offer] if offer >= 0 and takes[number, offer] else fresh
            offer, state = _played(begun, state, (starts[number], rows, chances), first)
            if offer >= 0:
                score[who] += units[offer]
            who = 1 - who
    return met
