# mypy: allow-untyped-defs, allow-untyped-decorators
"""The compiled loops that carry probability over turn starts and through turns in which nothing is chosen any more."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True)
def carry(mass, numbers, columns, turns, faint, played, out):
    """Play one turn at every pair of own states.

    `mass` is by own state and the other's; `numbers` has the turn by own state and the column of the other's state, and
    `turns` where each leads to. `out` gets the probabilities by the other's state and where the turn has led.
    Pairs that are no more probable than `faint` are not played.
    """
    starts, ends, chances = turns
    for other in range(mass.shape[1]):
        column = columns[other]
        for own in range(mass.shape[0]):
            here = mass[own, other]
            if here <= faint:
                continue
            turn = numbers[own, column]
            played[turn] += here
            for place in range(starts[turn], starts[turn + 1]):
                out[other, ends[place]] += here * chances[place]


@njit(cache=True)
def _through(fixed, states, first, mass, banked, ended):
    """Follow a turn from wherever it begins: `mass` by after-state, which is used up.

    `banked` gets the probability of each bank row, `ended` those of a bust and of an instant win.
    """
    starts, rows, chances = fixed
    hand, inner, bust, instant = states
    for state in range(len(hand) - 1, -1, -1):
        here = mass[state]
        if here == 0.0:
            continue
        mass[state] = 0.0
        if not inner[state]:
            continue
        ended[0] += here * bust[hand[state]]
        ended[1] += here * instant[hand[state]]
        for place in range(starts[state], starts[state + 1]):
            row = rows[place]
            if row < first:
                banked[row] += here * chances[place]
            else:
                mass[row - first] += here * chances[place]


@njit(cache=True)
def follow_from(fixed, states, mass, banked, ended):
    """Follow one turn from wherever it begins, in place of `mass`; see `_through`."""
    _through(fixed, states, len(banked), mass, banked, ended)


@njit(cache=True)
def carry_offers(fixed, states, pairs, here, after, places, takes, answer, sums):
    """Play one turn at some turn starts with High Stakes, at all of which it is played alike.

    `here` is where turns begin: afresh, by own score and the other's; how likely there is an offer that is taken over;
    and these offers, packed. It is used up. `after` gets the same for the other player, who takes over by `takes`.
    If `answer` says so he has a last turn, and `answer` has which; `asked` gets how likely it is, after each bank.
    `sums` gets how likely each bank row is; and a bust, an instant win, a bank that wins, and one that is answered.
    """
    fresh, offered, offers = here
    next_fresh, next_offered, next_offers = after
    firsts, counts, offer_states, units = places
    numbers, taken = takes
    answered, answers, answer_starts, asked = answer
    banked_sum, ended_sum = sums
    scores, banks, begin = fresh.shape[0], len(units), len(states[0]) - 1
    mass, banked, ended = np.zeros(begin + 1), np.zeros(banks), np.zeros(2)
    for pair in range(len(pairs)):
        own, other = pairs[pair]
        mass[begin] = fresh[own, other]
        if offered[own, other] > 0.0:
            first = own * firsts[scores] + firsts[other]
            for bank in range(counts[other]):
                mass[offer_states[bank]] += offers[first + bank]
                offers[first + bank] = 0.0
        ended[:] = 0.0
        _through(fixed, states, banks, mass, banked, ended)
        next_fresh[other, own] += ended[0]
        ended_sum[0] += ended[0]
        ended_sum[1] += ended[1]
        for bank in range(banks):
            chance = banked[bank]
            if chance == 0.0:
                continue
            banked[bank] = 0.0
            banked_sum[bank] += chance
            total = own + units[bank]
            if total < scores:
                if taken[numbers[other, total], bank]:
                    next_offered[other, total] += chance
                    next_offers[other * firsts[scores] + firsts[total] + bank] += chance
                else:
                    next_fresh[other, total] += chance
            elif not answered:
                ended_sum[2] += chance
            elif total - scores < len(answers):
                ended_sum[3] += chance
                asked[answer_starts[answers[total - scores, other]] + bank] += chance
