# mypy: allow-untyped-defs, allow-untyped-decorators
"""The compiled loops that write down a turn of a plan in two steps: what it keeps if it rolls on, and what it banks.

What is kept depends on the way of keeping alone, which plans by the hundred have in common, and takes nearly all of
the time. So it is worked out once for them, and only the banks plan by plan.
The choices are those of `dice10k_math.policy.plan.Plan.decide`, for turns in which no bank is subtracted.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from dice10k_math.follow import COUNTS, _bank_count, _bank_rank, _keep_rank, _wants


@njit(cache=True, nogil=True)
def keep_by_plan(plan, dice_left, model, entries, hands, scores, firsts, kept, hundredfold):
    """Fill in which entry is kept after each class of rolls of each after-state, if the plan rolls on.

    `hundredfold` gets a hundred times what rolling on counts, for plans that say so. -1 where nothing may be kept.
    """
    _, class_first, member_first, member, _, _, _, _ = model
    points_of, _, hot, may_roll, _, dice_after, order = entries
    for state in range(len(hands)):
        place, first = firsts[state], class_first[hands[state]]
        for number in range(firsts[state + 1] - place):
            kind = first + number
            best, best_hand, chosen = (-1, 0, 0), -1, -1
            for item in range(member_first[kind], member_first[kind + 1]):
                entry = member[item]
                if not may_roll[entry]:
                    continue
                dice = dice_after[entry]
                left = 0 if hot[entry] else dice
                rank = _keep_rank(plan, dice_left, scores[state] + points_of[entry], left, dice)
                if rank > best or (rank == best and order[entry] > best_hand):
                    best, best_hand, chosen = rank, order[entry], entry
            kept[place + number] = chosen
            hundredfold[place + number] = best[1] if plan[0] == COUNTS and chosen >= 0 else 0


@njit(cache=True, nogil=True)
def banks_of(model, entries):
    """List the entries of each class that may be banked: where those of each class start, and the entries."""
    _, _, member_first, member, _, _, _, _ = model
    may_bank = entries[4]
    starts = np.zeros(len(member_first), np.int64)
    found = np.empty(len(member), np.int64)
    count = 0
    for kind in range(len(member_first) - 1):
        starts[kind] = count
        for entry in member[member_first[kind] : member_first[kind + 1]]:
            if may_bank[entry]:
                found[count] = entry
                count += 1
    starts[len(member_first) - 1] = count
    return starts, found[:count]


@njit(cache=True, nogil=True)
def bank_by_plan(plan, bank_from, dice_left, rule, banks, model, entries, hands, scores, firsts, keeps, chosen):
    """Fill in what a plan chooses after each class of rolls of each after-state: the entry times 3, plus 1 for a bank.

    `firsts` says where the classes of each after-state start; those that have none are not followed. `keeps` are what
    `keep_by_plan` fills in, and `banks` what `banks_of` lists.
    """
    class_first = model[1]
    points_of, _, _, _, _, dice_after, order = entries
    minimum, multiple, most_banked, _ = rule
    starts, offered = banks
    kept, hundredfold = keeps
    for state in range(len(hands)):
        place, first = firsts[state], class_first[hands[state]]
        for number in range(firsts[state + 1] - place):
            choice, kind = 3 * kept[place + number], first + number
            best, best_hand = (-1, 0, 0, 0, 0), -1
            for item in range(starts[kind], starts[kind + 1]):
                entry = offered[item]
                points = scores[state] + points_of[entry]
                if not minimum <= points <= most_banked or (multiple > 1 and points % multiple):
                    continue
                dice = dice_after[entry]
                count = _bank_count(dice_left, points, dice)
                counts = hundredfold[place + number]
                wanted, wins = _wants(plan, bank_from, dice_left, points, count, dice, False, counts)
                if wanted:
                    rank = _bank_rank(plan, points, count, False, wins)
                    if rank > best or (rank == best and order[entry] > best_hand):
                        best, best_hand, choice = rank, order[entry], 3 * entry + 1
            chosen[place + number] = choice
