# mypy: allow-untyped-defs
"""The compiled loops of the operator: one block of contexts at a time, contexts innermost.

Numba compiles them at the first call and keeps the result in its cache.
The arguments are tuples of arrays, in the order in which `dice10k_math.backup` names them.
"""

from __future__ import annotations

import numpy as np
from numba import njit, prange

BLOCK = 64
"""Contexts that are backed up together: enough to fill the vector units, few enough for the rows to stay in the cache."""
NEVER = -1e30
"""Worth of banking where it is not allowed."""


@njit(cache=True, inline="always", fastmath={"nnan", "nsz", "contract"})
def _sweep(pool, scratch, acc, ending, edge, block, nudge, shape, states, trie):
    """Back up every after-state of one block that matters; those beyond the limits are edges."""
    first, last = shape
    limit, forced_limit = block[3], block[4]
    hand, turn_score, hot_edge, bank_row, targets, target_starts = states
    starts, entry, depth, weight, inner = trie
    for state in range(block[5], len(hand)):
        h = hand[state]
        own = first + state
        bank = bank_row[state]
        score = turn_score[state]
        if hot_edge[state] or score > (forced_limit if h == last else limit):
            for b in range(BLOCK):
                pool[own, b] = edge[h, b]
            if bank >= 0:
                for b in range(BLOCK):
                    x = pool[own, b]
                    y = pool[bank, b]
                    pool[own, b] = x if x > y else y
            continue
        offset = target_starts[state]
        for b in range(BLOCK):
            acc[b] = ending[h, b]
        for node in range(starts[h], starts[h + 1]):
            row = targets[offset + entry[node]]
            d = depth[node]
            w = weight[node]
            if d == 0:
                if inner[node]:
                    for b in range(BLOCK):
                        x = pool[row, b]
                        scratch[0, b] = x
                        acc[b] += w * x
                else:
                    for b in range(BLOCK):
                        acc[b] += w * pool[row, b]
            elif inner[node]:
                for b in range(BLOCK):
                    x = pool[row, b]
                    y = scratch[d - 1, b]
                    x = x if x > y else y
                    scratch[d, b] = x
                    acc[b] += w * x
            else:
                for b in range(BLOCK):
                    x = pool[row, b]
                    y = scratch[d - 1, b]
                    x = x if x > y else y
                    acc[b] += w * x
        if bank >= 0:
            for b in range(BLOCK):
                x = acc[b] + nudge
                y = pool[bank, b]
                pool[own, b] = x if x > y else y
        else:
            for b in range(BLOCK):
                pool[own, b] = acc[b] + nudge


@njit(cache=True, inline="always")
def _load(pool, ending, edge, block, lowest, shares, contexts):
    """Fill the bank rows of one block, and what its endings and edges are worth."""
    group, j0, width = block[0], block[1], block[2]
    table, bank_rows, bust, bust_on_six, top, instant_win = contexts
    bust_share, instant_share, survival = shares
    for k in range(block[6]):
        row = bank_rows[group, k]
        if row < 0:
            for b in range(BLOCK):
                pool[k, b] = NEVER
        else:
            for b in range(width):
                pool[k, b] = table[row, j0 + b]
            for b in range(width, BLOCK):
                pool[k, b] = 0.0
    last = len(bust_share) - 1
    for h in range(last + 1):
        for b in range(BLOCK):
            c = j0 + (b if b < width else 0)
            lost, lost_on_six = bust[group, c], bust_on_six[group, c]
            ending[h, b] = bust_share[h] * (lost_on_six if h == last else lost) + instant_share[h] * instant_win
            fall = min(lost, lost_on_six) if lowest else max(lost, lost_on_six)
            edge[h, b] = survival[h] * top[group, c] + (1.0 - survival[h]) * fall


@njit(parallel=True, cache=True)
def back_up_blocks(threads, blocks, contexts, shares, shape, states, trie, lowest, nudge, out):
    first = shape[0]
    rows = first + len(states[0])
    hands = len(shares[0])
    levels = trie[2].max() + 1
    for thread in prange(threads):
        pool = np.empty((rows, BLOCK))
        scratch = np.empty((levels, BLOCK))
        acc = np.empty(BLOCK)
        ending = np.empty((hands, BLOCK))
        edge = np.empty((hands, BLOCK))
        for k in range(thread, len(blocks), threads):
            block = blocks[k]
            _load(pool, ending, edge, block, lowest, shares, contexts)
            _sweep(pool, scratch, acc, ending, edge, block, nudge, shape, states, trie)
            for b in range(block[2]):
                out[block[0], block[1] + b] = pool[rows - 1, b]
