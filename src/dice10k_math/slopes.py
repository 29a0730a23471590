# mypy: allow-untyped-defs, allow-untyped-decorators
"""The compiled loops that tell how the worth of a turn changes with what its player believes the choices are worth.

A player who takes what he believes worth most changes his play in jumps. One who takes a choice the more often the more
he believes it worth changes it smoothly, so that a search can follow the slope.
"""

from __future__ import annotations

import numpy as np
from numba import njit

FAINT = 1e-7
"""Probability of a state of a turn below which it is not followed any further."""
BANK = -1
"""In place of the hot dice of a choice: it is a bank."""


@njit(cache=True)
def _chances(members, entries, state, rule, step, believed, blur, chances, leads):
    """Fill in how likely each choice of a class is and where it leads: hot dice (or `BANK`), hand and column.

    A choice is the likelier the more it is believed to be worth: by a factor e for every `blur`.
    Returns how many there are; those beyond the columns are left out.
    """
    points_of, after, hot, may_roll, may_bank, _, _ = entries
    base, level, bonus_next = state
    rolls, banks = believed
    count, most, total = 0, -np.inf, 0.0
    for number in members:
        points = base + points_of[number] + (bonus_next if hot[number] else 0)
        column = points // step
        if column >= len(banks):
            continue
        allowed = rule[0] <= points <= rule[2] and points % rule[1] == 0
        for bank in range(2):
            if not (may_bank[number] and allowed if bank else may_roll[number]):
                continue
            chances[count] = banks[column] if bank else rolls[after[number], column]
            most = max(most, chances[count])
            leads[count, 0] = BANK if bank else level + (1 if hot[number] else 0)
            leads[count, 1], leads[count, 2] = after[number], column
            count += 1
    for choice in range(count):
        chances[choice] = np.exp((chances[choice] - most) / blur)
        total += chances[choice]
    for choice in range(count):
        chances[choice] /= total
    return count


@njit(cache=True, nogil=True)
def slopes_of(believed, worths, blur, rule, model, entries, step, bonus, visits, ahead, slopes):
    """Return the worth of a turn in which choices are the likelier the more they are believed to be worth.

    Parameters
    ----------
    believed
        What rolling on is believed to be worth, by hand and turn score in steps, and a bank, by turn score in steps.
    worths
        What a bank is really worth, by turn score in steps, and a bust, and a bust with all dice.
    blur
        How blurred the choices are: see `_chances`.
    rule, model, entries, step, bonus
        As for `dice10k_math.follow.follow_plan`.
    visits, ahead
        Shape (hot dice, hands, turn scores in steps): how often each state comes up, and what it is worth. What leads
        out of them counts as a bust.
    slopes
        Gets by how much the worth of the turn rises with what rolling on is believed to be worth; shape as believed.
    """
    _, class_first, member_first, member, weight, outcomes, bust, _ = model
    banks, lost, lost_on_six = worths
    levels, hands, columns = visits.shape
    chances, leads = np.empty(2 * len(entries[0])), np.empty((2 * len(entries[0]), 3), np.int64)
    _visit(believed, blur, rule, model, entries, step, bonus, visits)
    ahead[:], slopes[:] = lost, 0.0
    for level in range(levels - 1, -1, -1):
        for column in range(columns - 1, bonus * ((1 << level) - 1) // step - 1, -1):
            state = (column * step, level, bonus << level)
            for hand in range(hands):
                here = visits[level, hand, column]
                if here < FAINT:
                    continue
                worth = (lost_on_six if hand == hands - 1 else lost) * bust[hand] / outcomes[hand]
                for kind in range(class_first[hand], class_first[hand + 1]):
                    members = member[member_first[kind] : member_first[kind + 1]]
                    count = _chances(members, entries, state, rule, step, believed, blur, chances, leads)
                    share = weight[kind] / outcomes[hand]
                    mean = _add_slopes(here * share / blur, chances[:count], leads, (banks, ahead, lost), slopes)
                    worth += share * mean
                ahead[level, hand, column] = worth
    return ahead[0, hands - 1, 0]


@njit(cache=True)
def _visit(believed, blur, rule, model, entries, step, bonus, visits):
    """Fill in how often each state of the turn comes up."""
    _, class_first, member_first, member, weight, outcomes, _, _ = model
    levels, hands, columns = visits.shape
    chances, leads = np.empty(2 * len(entries[0])), np.empty((2 * len(entries[0]), 3), np.int64)
    visits[:] = 0.0
    visits[0, hands - 1, 0] = 1.0
    for level in range(levels):
        for column in range(bonus * ((1 << level) - 1) // step, columns):
            state = (column * step, level, bonus << level)
            for hand in range(hands - 1, -1, -1):
                here = visits[level, hand, column]
                if here < FAINT:
                    continue
                for kind in range(class_first[hand], class_first[hand + 1]):
                    members = member[member_first[kind] : member_first[kind + 1]]
                    count = _chances(members, entries, state, rule, step, believed, blur, chances, leads)
                    share = here * weight[kind] / outcomes[hand]
                    for choice in range(count):
                        hot_dice, after, there = leads[choice]
                        if hot_dice != BANK and hot_dice < levels and there < columns:
                            visits[hot_dice, after, there] += share * chances[choice]


@njit(cache=True)
def _add_slopes(weight, chances, leads, worths, slopes):
    """Return what a class of rolls is worth, and add how that rises with what its choices are believed to be worth."""
    if len(chances) == 0:
        return worths[2]
    mean = 0.0
    for choice in range(len(chances)):
        mean += chances[choice] * _ahead(leads[choice], worths)
    for choice in range(len(chances)):
        hot_dice, hand, column = leads[choice]
        if hot_dice != BANK:
            slopes[hand, column] += weight * chances[choice] * (_ahead(leads[choice], worths) - mean)
    return mean


@njit(cache=True)
def _ahead(lead, worths):
    """Return what a choice is really worth, by where it leads."""
    hot_dice, hand, column = lead
    banks, ahead, lost = worths
    if hot_dice == BANK:
        return banks[column]
    if hot_dice >= ahead.shape[0] or column >= ahead.shape[2]:
        return lost
    return ahead[hot_dice, hand, column]
