# mypy: allow-untyped-defs, allow-untyped-decorators
"""The compiled loops that follow a plan through a turn.

They do what `dice10k_math.endings.follow_turn` does with `Plan.decide`, for many plans in little time.

Probabilities are whole numbers over 2**62, and every product is rounded down, so that what is missing to 1 is known.
A turn score is counted from what the bonuses so far have brought, in steps: then every number of hot dice needs the
same range.
"""

from __future__ import annotations

import numpy as np
from numba import njit

WHOLE = 1 << 62
NEVER = 1_000_000_000
UNLIMITED = 1 << 40
ALL, POINTS, FEW, WORTHS, COUNTS = 0, 1, 2, 3, 4
"""Ways to keep."""
KINDS = 7
"""Kinds of numbers by dice: see `dice10k_math.plans.worths_of`."""


@njit(cache=True)
def _keep_rank(plan, dice_left, points, left, dice):
    """Rank a keep; see `dice10k_math.policy.plan.Plan`."""
    keep, _, _, _, _, most, _, _, _, _, multiple, unbankable, _, _ = plan
    fits = 1 if points <= most else 0
    if keep == ALL:
        return fits, -left, points
    if keep == POINTS:
        return fits, points, -left
    if keep == FEW:
        return fits, left, points
    if keep == COUNTS:
        count = len(dice_left) // KINDS
        off = dice_left[6 * count + dice - 1] if points % multiple else 0
        return fits, 100 * (dice_left[dice - 1] - off) + dice_left[count + dice - 1] * points, points
    return fits, points + dice_left[dice - 1] - (unbankable if points % multiple else 0), points


@njit(cache=True)
def _bank_count(dice_left, points, dice):
    """Return a hundred times what a bank counts, less what it leaves to the other."""
    count = len(dice_left) // KINDS
    take, leave = dice_left[2 * count + dice - 1], dice_left[3 * count + dice - 1]
    if points >= dice_left[5 * count + dice - 1]:
        return 100 * points
    return 100 * points - leave * max(0, points - take)


@njit(cache=True)
def _wants(plan, bank_from, dice_left, points, count, dice, subtract, hundredfold):
    """Tell whether the player wants this bank, and whether it hits the target."""
    _, _, win_from, win_at, least, most, tie, above, _, _, _, _, short_from, short_to = plan
    wins = points == win_at and subtract == above
    if points >= win_from or wins or (points == tie and dice == 1):
        return True, wins
    if short_from <= points < short_to or points >= dice_left[4 * len(dice_left) // KINDS + dice - 1]:
        return False, wins
    return max(least, bank_from[dice - 1]) <= points <= most and count >= hundredfold, wins


@njit(cache=True)
def _bank_rank(plan, points, count, subtract, wins):
    """Rank a wanted bank, by what it counts."""
    _, _, _, _, _, _, _, above, over, hittable, _, _, _, _ = plan
    near = 0
    if above:
        distance = abs(over - points) if subtract else over + points
        near = -distance if distance >= hittable else -1_000_000_000
    return int(wins), near, count, points, 1 if subtract else 2


@njit(cache=True)
def _decide(plan, bank_from, dice_left, rule, entries, members, base):
    """Return what is chosen among the members of a class: the entry, and 0 to roll, 1 to bank, 2 to subtract."""
    points_of, after, hot, may_roll, may_bank, dice_after, order, bonus_next = entries
    minimum, multiple, most_banked, may_subtract = rule
    kept = kept_hand = -1
    if plan[1]:
        best, best_tie = (-1, 0, 0), (False, -1)
        for number in members:
            points = base + points_of[number] + (bonus_next if hot[number] else 0)
            allowed = may_bank[number] and minimum <= points <= most_banked and points % multiple == 0
            if not may_roll[number] and not allowed:
                continue
            rank = _keep_rank(plan, dice_left, points, 0 if hot[number] else dice_after[number], dice_after[number])
            tie = (allowed, order[number])
            if rank > best or (rank == best and tie > best_tie):
                best, best_tie, kept, kept_hand = rank, tie, points, after[number]
    hundredfold = 0
    if plan[0] == COUNTS:
        most_counts = (-1, 0, 0)
        for number in members:
            if may_roll[number]:
                points = base + points_of[number] + (bonus_next if hot[number] else 0)
                rank = _keep_rank(plan, dice_left, points, 0, dice_after[number])
                if rank > most_counts:
                    most_counts, hundredfold = rank, rank[1]
    chosen, then = -1, 0
    best_bank = (-1, 0, 0, 0, 0)
    best_keep = (-1, 0, 0)
    best_hand = best_bank_hand = -1
    for number in members:
        points = base + points_of[number] + (bonus_next if hot[number] else 0)
        if plan[1] and (points != kept or after[number] != kept_hand):
            continue
        dice = dice_after[number]
        if may_bank[number] and minimum <= points <= most_banked and points % multiple == 0:
            count = _bank_count(dice_left, points, dice)
            for subtract in range(1 + may_subtract):
                wanted, wins = _wants(plan, bank_from, dice_left, points, count, dice, subtract == 1, hundredfold)
                if wanted:
                    rank = _bank_rank(plan, points, count, subtract == 1, wins)
                    if rank > best_bank or (rank == best_bank and order[number] > best_bank_hand):
                        best_bank, best_bank_hand, chosen, then = rank, order[number], number, 1 + subtract
        if may_roll[number] and then == 0:
            rank = _keep_rank(plan, dice_left, points, 0 if hot[number] else dice, dice)
            if rank > best_keep or (rank == best_keep and order[number] > best_hand):
                best_keep, best_hand, chosen = rank, order[number], number
    return chosen, then


@njit(cache=True)
def _least_below(dice_left):
    """Return from which turn score on some banks are not wanted, or count whole, because of the dice left."""
    return dice_left[4 * len(dice_left) // KINDS :].min()


@njit(cache=True)
def _regime(plan, bank_from, dice_left, rule, base, reach):
    """Return 0 where no roll can bring a bank that is wanted, 1 where every bank is wanted, 2 elsewhere.

    In the first two the choices depend on the turn score by its remainder only, so they are worked out once for each
    hand, remainder and number of hot dice.
    """
    keep, _, win_from, win_at, least, most, tie, above, _, _, _, _, short_from, short_to = plan
    minimum, _, most_banked, may_subtract = rule
    end = base + reach
    if keep == COUNTS or base < win_at <= end or base < tie <= end or (short_from <= end and base < short_to):
        return 2
    if base >= most and end < win_from:
        return 0
    if end > most or end >= _least_below(dice_left):
        return 2
    if end < min(max(least, bank_from.min()), win_from):
        return 0
    if base >= max(least, minimum, bank_from.max()) and end <= most_banked and not above and not may_subtract:
        return 1
    return 2


@njit(cache=True)
def _horizon(plan, dice_left, rule):
    """Return a turn score below which two plans that bank and keep alike choose alike, whatever else they say."""
    _, _, win_from, win_at, _, most, tie, above, _, _, _, _, short_from, _ = plan
    if above or rule[3]:
        return 0
    if win_at < rule[0]:
        win_at = NEVER
    return min(win_from, win_at, tie, short_from, _least_below(dice_left), most + 1, rule[2] + 1)


@njit(cache=True)
def _least_banked(plan, bank_from, rule):
    """Return a turn score below which nothing is banked and what is kept depends on its remainder only; 0: none."""
    keep, keep_first, win_from, win_at, least, most, tie, above, _, _, _, _, _, _ = plan
    if keep == COUNTS or keep_first or above or rule[3]:
        return 0
    return min(max(least, bank_from.min()), win_from, win_at, tie, most + 1)


@njit(cache=True)
def _past(plan):
    """Return a turn score from which on nothing is banked, so that two plans that keep alike choose alike."""
    _, _, win_from, win_at, _, most, tie, _, _, _, _, _, _, _ = plan
    if win_from < NEVER:
        return NEVER
    return max(most, win_at if win_at < NEVER else 0, tie if tie < NEVER else 0)


@njit(cache=True)
def _reaches(model, entries):
    """Return the most points that each class brings, shape (2, classes): without hot dice, and with them."""
    _, _, member_first, member, weight, _, _, _ = model
    points_of, _, hot, _, _, _, _ = entries
    found = np.full((2, len(weight)), -1, np.int64)
    for kind in range(len(weight)):
        for number in member[member_first[kind] : member_first[kind + 1]]:
            row = 1 if hot[number] else 0
            found[row, kind] = max(found[row, kind], points_of[number])
    return found


@njit(cache=True)
def _count(counts, plan, bank_from, dice_left, rule, model, offered, hand, base, free_to, past, known, rest, touched):
    """Count the outcomes after which each entry of a hand is chosen, to roll, to bank or to subtract.

    `free_to[class]` is the turn score up to which plans that bank and keep alike choose alike, as they do from `past`
    on; `known[0, class]` and `known[1, class]` are what they choose there, 0 where nobody has asked yet.
    `rest` has the turn score by class up to which nothing is banked, and what is kept there, 0 where it is not known.
    What is chosen at all is listed in `touched`; how many there are is returned.
    """
    _, class_first, member_first, member, weight, _, _, _ = model
    rest_to, kept = rest
    listed = 0
    for kind in range(class_first[hand], class_first[hand + 1]):
        free = (base <= free_to[kind] or base >= past) and known.shape[1] > 0
        way = 0 if base <= free_to[kind] else 1
        resting = base <= rest_to[kind]
        if resting and kept[kind]:
            choice = kept[kind] - 1
        elif free and known[way, kind]:
            choice = known[way, kind] - 1
        else:
            members = member[member_first[kind] : member_first[kind + 1]]
            number, then = _decide(plan, bank_from, dice_left, rule, offered, members, base)
            choice = 3 * number + then if number >= 0 else -1
            if resting and number >= 0:
                kept[kind] = choice + 1
            if free and number >= 0:
                known[way, kind] = choice + 1
        if choice >= 0:
            number, then = choice // 3, choice % 3
            if counts[number, then] == 0:
                touched[listed] = choice
                listed += 1
            counts[number, then] += weight[kind]
    return listed


@njit(cache=True, nogil=True)
def follow_plan(plan, bank_from, dice_left, rule, model, entries, step, bonus, known_choices, mass, banked):
    """Follow a plan from the start of the turn.

    `mass[hot dice, hand, place]` is scratch; `banked[hot dice, place, 0 or 1]` gets the probability of each bank, to
    be added or subtracted. `rule` has the minimum, the multiple (1: any turn score), the most, and whether banks may
    be subtracted. `known_choices[hot dice, place, 0 or 1, class]` remembers the choices of plans that bank and keep
    alike; it may have no places.
    Returns the probabilities of a bust, of a bust with all dice, and of an instant win.
    """
    entry_first, _, _, _, _, outcomes, bust, instant = model
    points_of, after, hot, may_roll, may_bank, dice_after, order = entries
    hots, hands, places = mass.shape
    mass[:] = 0
    mass[0, hands - 1, 0] = WHOLE
    banked[:] = 0
    remainders = max(rule[1], plan[10], step) // step
    counts = np.zeros((3, remainders, len(points_of), 3), np.int64)
    known = np.zeros((2, remainders, hands), np.bool_)
    horizon = _horizon(plan, dice_left, rule)
    past = _past(plan)
    nothing = np.zeros((2, 0), np.int16)
    reaches = _reaches(model, entries)
    free_to = np.zeros(reaches.shape[1], np.int64)
    least_banked = _least_banked(plan, bank_from, rule)
    rest_to = np.zeros(reaches.shape[1], np.int64)
    kept = np.zeros((remainders, reaches.shape[1]), np.int64)
    touched = np.zeros((3, remainders, hands, len(points_of)), np.int64)
    listed = np.zeros((3, remainders, hands), np.int64)
    reach = np.zeros(hands, np.int64)
    for hand in range(hands):
        for number in range(entry_first[hand], entry_first[hand + 1]):
            reach[hand] = max(reach[hand], points_of[number])
    lost, lost_on_six, won = np.int64(0), np.int64(0), np.int64(0)
    for level in range(hots):
        gained = bonus * ((1 << level) - 1)
        bonus_next = bonus << level
        offered = (points_of, after, hot, may_roll, may_bank, dice_after, order, bonus_next)
        known[:] = False
        kept[:] = 0
        for kind in range(len(free_to)):
            most = max(reaches[0, kind], reaches[1, kind] + bonus_next if reaches[1, kind] >= 0 else -1)
            free_to[kind] = horizon - 1 - most
            rest_to[kind] = least_banked - 1 - most
        for place in range(places):
            base = gained + place * step
            for hand in range(hands - 1, -1, -1):
                here = mass[level, hand, place]
                share, rest = here // outcomes[hand], here % outcomes[hand]
                if share == 0:
                    continue
                if hand == hands - 1:
                    lost_on_six += share * bust[hand] + rest * bust[hand] // outcomes[hand]
                else:
                    lost += share * bust[hand] + rest * bust[hand] // outcomes[hand]
                won += share * instant[hand] + rest * instant[hand] // outcomes[hand]
                regime = _regime(plan, bank_from, dice_left, rule, base, reach[hand] + bonus_next)
                remainder = base // step % remainders
                chosen, counted = touched[regime, remainder, hand], counts[regime, remainder]
                if regime == 2 or not known[regime, remainder, hand]:
                    for place_of in range(listed[regime, remainder, hand]):
                        counted[chosen[place_of] // 3, chosen[place_of] % 3] = 0
                    remembered = known_choices[level, place] if place < known_choices.shape[1] else nothing
                    listed[regime, remainder, hand] = _count(
                        counted,
                        plan,
                        bank_from,
                        dice_left,
                        rule,
                        model,
                        offered,
                        hand,
                        base,
                        free_to,
                        past,
                        remembered,
                        (rest_to, kept[remainder]),
                        chosen,
                    )
                    if regime < 2:
                        known[regime, remainder, hand] = True
                for place_of in range(listed[regime, remainder, hand]):
                    number, then = chosen[place_of] // 3, chosen[place_of] % 3
                    there = place + points_of[number] // step
                    level_there = level + (1 if hot[number] and bonus > 0 else 0)
                    if there >= places or level_there >= hots:
                        continue
                    count = counted[number, then]
                    part = share * count + rest * count // outcomes[hand]
                    if then == 0:
                        mass[level_there, after[number], there] += part
                    else:
                        banked[level_there, there, then - 1] += part
    return lost, lost_on_six, won


@njit(cache=True)
def _worth_most(members, entries, rule, state, worths, step):
    """Return what is worth most among the members of a class: the entry, and 0 to roll, 1 to bank or 2 to subtract.

    Of equally good ones rather a bank is chosen, then one that is added, then the most points, then the last hand.
    """
    points_of, after, hot, may_roll, may_bank, _, order = entries
    minimum, multiple, most_banked, may_subtract = rule
    base, level, bonus_next = state
    rolls, banks = worths
    columns = banks.shape[2]
    chosen, then = -1, 0
    best = (-np.inf, -1, 0, 0)
    for number in members:
        points = base + points_of[number] + (bonus_next if hot[number] else 0)
        column = points // step
        if may_roll[number]:
            worth = -np.inf
            if column < columns:
                worth = rolls[min(level + (1 if hot[number] else 0), rolls.shape[0] - 1), after[number], column]
            rank = (worth, 0, points, order[number])
            if chosen < 0 or rank > best:
                best, chosen, then = rank, number, 0
        if may_bank[number] and minimum <= points <= most_banked and points % multiple == 0:
            for way in range(1 + may_subtract):
                left = min(after[number], banks.shape[1] - 1)
                worth = banks[way, left, column] if column < columns else np.inf
                rank = (worth, 2 - way, points, order[number])
                if chosen < 0 or rank > best:
                    best, chosen, then = rank, number, 1 + way
    return chosen, then


@njit(cache=True, nogil=True)
def follow_worths(worths, rule, model, entries, step, bonus, mass, banked):
    """Follow a player who takes what is worth most from the start of the turn; like `follow_plan`.

    `worths` are those of rolling on, by hot dice, hand and turn score in steps, and those of banking and subtracting,
    by hand (or one row for all) and turn score.
    """
    _, class_first, member_first, member, weight, outcomes, bust, instant = model
    points_of, after, hot, _, _, _, _ = entries
    hots, hands, places = mass.shape
    mass[:] = 0
    mass[0, hands - 1, 0] = WHOLE
    banked[:] = 0
    lost, lost_on_six, won = np.int64(0), np.int64(0), np.int64(0)
    for level in range(hots):
        state_bonus = bonus << level
        for place in range(places):
            base = bonus * ((1 << level) - 1) + place * step
            for hand in range(hands - 1, -1, -1):
                here = mass[level, hand, place]
                share, rest = here // outcomes[hand], here % outcomes[hand]
                if share == 0:
                    continue
                if hand == hands - 1:
                    lost_on_six += share * bust[hand] + rest * bust[hand] // outcomes[hand]
                else:
                    lost += share * bust[hand] + rest * bust[hand] // outcomes[hand]
                won += share * instant[hand] + rest * instant[hand] // outcomes[hand]
                for kind in range(class_first[hand], class_first[hand + 1]):
                    members = member[member_first[kind] : member_first[kind + 1]]
                    number, then = _worth_most(members, entries, rule, (base, level, state_bonus), worths, step)
                    if number < 0:
                        continue
                    there = place + points_of[number] // step
                    level_there = level + (1 if hot[number] and bonus > 0 else 0)
                    if there >= places or level_there >= hots:
                        continue
                    part = share * weight[kind] + rest * weight[kind] // outcomes[hand]
                    if then == 0:
                        mass[level_there, after[number], there] += part
                    else:
                        banked[level_there, there, then - 1] += part
    return lost, lost_on_six, won


@njit(cache=True, nogil=True)
def choose_by_plan(plan, bank_from, dice_left, rule, model, entries, step, hands, scores, firsts, chosen):
    """Fill in what a plan chooses after each class of rolls of each after-state: the entry times 3, plus `then`.

    `firsts` says where the classes of each after-state start in `chosen`; those that have none are not followed.
    Where no bank is wanted, or every one, the turn score does not matter, but for its remainder: see `_regime`.
    """
    entry_first, class_first, member_first, member, _, _, _, _ = model
    points_of = entries[0]
    reach = np.zeros(len(entry_first) - 1, np.int64)
    for hand in range(len(reach)):
        for number in range(entry_first[hand], entry_first[hand + 1]):
            reach[hand] = max(reach[hand], points_of[number])
    remainders = max(rule[1], plan[10], step) // step
    known = np.full((2, remainders, len(reach)), -1, np.int64)
    for state in range(len(hands)):
        hand, place, score = hands[state], firsts[state], scores[state]
        classes = firsts[state + 1] - place
        if classes == 0:
            continue
        regime, remainder = _regime(plan, bank_from, dice_left, rule, score, reach[hand]), score // step % remainders
        if regime < 2 and known[regime, remainder, hand] >= 0:
            alike = known[regime, remainder, hand]
            chosen[place : place + classes] = chosen[alike : alike + classes]
            continue
        for number in range(classes):
            kind = class_first[hand] + number
            members = member[member_first[kind] : member_first[kind + 1]]
            entry, then = _decide(plan, bank_from, dice_left, rule, entries, members, score)
            chosen[place + number] = 3 * entry + then
        if regime < 2:
            known[regime, remainder, hand] = place


@njit(cache=True, nogil=True)
def choose_by_worths(worths, rule, model, entries, step, hands, scores, firsts, chosen):
    """Fill in what a player chooses who takes what is worth most; like `choose_by_plan`.

    Beyond the table the turn score does not matter, but for its remainder.
    """
    entry_first, class_first, member_first, member, _, _, _, _ = model
    end = worths[1].shape[2] * step
    remainders = max(rule[1], step) // step
    known = np.full((remainders, len(entry_first) - 1), -1, np.int64)
    for state in range(len(hands)):
        hand, place, score = hands[state], firsts[state], scores[state]
        classes, remainder = firsts[state + 1] - place, score // step % remainders
        if classes == 0:
            continue
        beyond = score >= max(end, rule[0]) and rule[2] >= UNLIMITED
        if beyond and known[remainder, hand] >= 0:
            alike = known[remainder, hand]
            chosen[place : place + classes] = chosen[alike : alike + classes]
            continue
        for number in range(classes):
            kind = class_first[hand] + number
            members = member[member_first[kind] : member_first[kind + 1]]
            entry, then = _worth_most(members, entries, rule, (score, 0, 0), worths, step)
            chosen[place + number] = 3 * entry + then
        if beyond:
            known[remainder, hand] = place


@njit(cache=True, nogil=True)
def gather(chosen, model, entries, step, hands, scores, firsts, banks_at, states_at, starts, rows, chances):
    """Add up choices that lead to the same row: where each after-state's rolls lead, and how likely.

    `banks_at` and `states_at` are the rows by hand and turn score in steps. Returns how many there are.
    """
    _, class_first, _, _, weight, outcomes, _, _ = model
    points_of, after = entries[0], entries[1]
    counts = np.zeros((len(points_of), 3), np.int64)
    touched = np.zeros(3 * len(points_of), np.int64)
    written = 0
    for state in range(len(hands)):
        starts[state] = written
        hand, listed = hands[state], 0
        for number in range(firsts[state + 1] - firsts[state]):
            choice = chosen[firsts[state] + number]
            if counts[choice // 3, choice % 3] == 0:
                touched[listed] = choice
                listed += 1
            counts[choice // 3, choice % 3] += weight[class_first[hand] + number]
        for place in range(listed):
            entry, then = touched[place] // 3, touched[place] % 3
            there = (scores[state] + points_of[entry]) // step
            rows[written] = states_at[after[entry], there] if then == 0 else banks_at[after[entry], there]
            chances[written] = counts[entry, then] / outcomes[hand]
            counts[entry, then] = 0
            written += 1
    starts[len(hands)] = written
    return written
