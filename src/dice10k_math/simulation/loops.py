# mypy: allow-untyped-defs, allow-untyped-decorators
"""The compiled loops that play matches.

What a player of plain data does is a row of numbers (`PLAN`), looked up by what he knows at the start of his turn.
A match that needs a row which has not been made yet is given up, and played again from its first roll once it is
there: its rolls depend on the seed and its number alone.
"""

from __future__ import annotations

import numpy as np
from numba import njit

# Columns of a plan. The first six are thresholds by dice, the next six the worths of dice left or what they count.
BANK_FROM, WORTH = 0, 6
KEEP, OFF, KEEP_FIRST, WIN_FROM, WIN_AT, LEAST, MOST, TIE, OVER, HITTABLE, MULTIPLE = range(12, 23)
TAKE, PERCENT, LEAVE, BELOW, OFFS = 23, 29, 35, 41, 47
SHORT_FROM, SHORT_TO, TABLE, FLOOR, FAVOURITE, PLAN = range(53, 59)
"""`TABLE`: number of the table of worths that decides instead, or -1. `FLOOR`: no lower turn score is banked.
`FAVOURITE`: row of the favourite options of this way of keeping, or -1. `PLAN`: number of columns."""
KEEP_ALL, KEEP_POINTS, KEEP_FEW, KEEP_WORTHS, KEEP_COUNTS = range(5)

# Rules as numbers.
SEATS, KIND, TARGET, ADDS_OR_SUBTRACTS, NOT_PAST, EXTRA_ROUNDS, AT_ZERO, OPENING, MINIMUM, STEP, BONUS = range(11)
IN_A_ROW, IN_A_ROW_PENALTY, HIGH_STAKES, MOST_TURNS, TURNS_ONLY = range(11, 16)
EXACT, FIRST, FINAL, EQUAL = range(4)

DONE, MISSING, BEYOND, ENDLESS = range(4)
"""What became of a match: it is over; it needs a plan; it has left a table of worths; it goes on and on."""
NONE = -(1 << 25)
"""Stands for the score of an opponent who is not there."""
SHARES = 840
"""Parts of a win, so that every number of up to eight players can share it."""
MOST_ROLLS, MOST_HOT_DICE = 100_000, 30
ROLL, BANK, SUBTRACT = range(3)
SEES_NOTHING, SEES_SCORES, SEES_ALL = range(3)


@njit(cache=True)
def mixed(state):
    """Return the output of the generator splitmix64 in a state."""
    z = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@njit(cache=True)
def started(seed, match):
    """Return the state of the generator in which a match starts."""
    return mixed(mixed(np.uint64(seed) + np.uint64(0x9E3779B97F4A7C15)) + np.uint64(match))


@njit(cache=True)
def packed(own, other, last, closing, opened, busts):
    """Return what a player knows as one number, never negative."""
    key = (np.int64(own + (1 << 25)) << 26) | np.int64(other + (1 << 25))
    return (key << 8) | (np.int64(last) << 7) | (np.int64(closing) << 6) | (np.int64(opened) << 5) | np.int64(busts)


@njit(cache=True)
def place_of(keys, key):
    """Return where a key is, or would be, in an open hash table whose size is a power of two."""
    size = np.int64(len(keys))
    spread = mixed(np.uint64(key))
    place = np.int64(spread & np.uint64(size - 1))
    while keys[place] != key and keys[place] != -1:
        place = (place + 1) & (size - 1)
    return place


@njit(cache=True)
def insert(keys, numbers, key, number):
    """Add a key to a hash table."""
    place = place_of(keys, key)
    keys[place] = key
    numbers[place] = number


@njit(cache=True)
def rehashed(keys, numbers, new_keys, new_numbers):
    """Copy a hash table into another."""
    for place in range(len(keys)):
        if keys[place] != -1:
            insert(new_keys, new_numbers, keys[place], numbers[place])


@njit(cache=True)
def _keep_rank(plan, after, dice, hot):
    """Return how a plan ranks a keep, apart from its dice: whether it fits, and two more numbers."""
    left = 0 if hot else dice
    keep = plan[KEEP]
    fits = 1 if after <= plan[MOST] else 0
    if keep == KEEP_ALL:
        return fits, -left, after
    if keep == KEEP_POINTS:
        return fits, after, -left
    if keep == KEEP_FEW:
        return fits, left, after
    odd = after % plan[MULTIPLE] != 0
    if keep == KEEP_COUNTS:
        off = plan[OFFS + dice - 1] if odd else 0
        return fits, 100 * (plan[WORTH + dice - 1] - off) + plan[PERCENT + dice - 1] * after, after
    return fits, after + plan[WORTH + dice - 1] - (plan[OFF] if odd else 0), after


@njit(cache=True)
def _bank_count(plan, after, dice):
    """Return a hundred times what a bank counts: the turn score, less what it leaves to the other."""
    return 100 * after - plan[LEAVE + dice - 1] * max(0, after - plan[TAKE + dice - 1])


@njit(cache=True)
def _wants(plan, after, dice, then, hundredfold):
    """Tell whether a plan wants this bank, as 1; 2: it wins the match; 0: no."""
    if after == plan[WIN_AT] and (then == SUBTRACT) == (plan[OVER] >= 0):
        return 2
    if after >= plan[WIN_FROM] or (after == plan[TIE] and dice == 1):
        return 1
    if _bank_count(plan, after, dice) < hundredfold or plan[SHORT_FROM] <= after < plan[SHORT_TO]:
        return 0
    if after >= plan[BELOW + dice - 1]:
        return 0
    return 1 if max(plan[LEAST], plan[BANK_FROM + dice - 1]) <= after <= plan[MOST] else 0


@njit(cache=True)
def _near(plan, after, then):
    """Rank where a bank from above an exact target lands."""
    over = plan[OVER]
    if over < 0:
        return 0
    distance = abs(over - after) if then == SUBTRACT else over + after
    return -distance if distance >= plan[HITTABLE] else -1_000_000_000


@njit(cache=True)
def _may_bank(after, flags, rule):
    least, multiple, most, _ = rule
    return (flags & 2) != 0 and least <= after <= most and (multiple == 1 or after % multiple == 0)


@njit(cache=True)
def favourite(plan, turn, rolls, kind, rule):
    """Return the option that a plan would roll on with; with keep first, the one that it would keep."""
    turn_score, bonus = turn
    size, order, starts, points, next_hand, hot, flags, _ = rolls
    chosen = -1
    best = (0, 0, 0, 0, 0)
    for option in range(starts[kind], starts[kind + 1]):
        if not plan[KEEP_FIRST] and not flags[option] & 1:
            continue
        after = turn_score + points[option] + (bonus if hot[option] else 0)
        hand = next_hand[option]
        fits, one, two = _keep_rank(plan, after, size[hand], hot[option])
        then = 1 if plan[KEEP_FIRST] and _may_bank(after, flags[option], rule) else 0
        rank = (fits, one, two, then, order[hand])
        if chosen < 0 or rank > best:
            chosen, best = option, rank
    return chosen


@njit(cache=True)
def _planned(plan, turn, rolls, favourites, kind, rule):
    """Return (option, what follows) as a plan decides."""
    turn_score, bonus = turn
    size, order, starts, points, next_hand, hot, flags, most_points = rolls
    chosen = -1
    if plan[FAVOURITE] >= 0:
        chosen = favourites[plan[FAVOURITE], kind]
    else:
        chosen = favourite(plan, turn, rolls, kind, rule)
    what = ROLL
    if turn_score + most_points[kind] + bonus < plan[FLOOR]:
        return chosen, what
    hundredfold = 0
    if plan[KEEP] == KEEP_COUNTS:
        after = turn_score + points[chosen] + (bonus if hot[chosen] else 0)
        hundredfold = _keep_rank(plan, after, size[next_hand[chosen]], hot[chosen])[1]
    first, end = starts[kind], starts[kind + 1]
    if plan[KEEP_FIRST]:
        first, end = chosen, chosen + 1
    found = (0, 0, 0, 0, 0, 0)
    for option in range(first, end):
        after = turn_score + points[option] + (bonus if hot[option] else 0)
        if after < plan[FLOOR] or not _may_bank(after, flags[option], rule):
            continue
        hand = next_hand[option]
        for then in range(BANK, SUBTRACT + 1 if rule[3] else SUBTRACT):
            wanted = _wants(plan, after, size[hand], then, hundredfold)
            if wanted:
                count = _bank_count(plan, after, size[hand])
                rank = (wanted, _near(plan, after, then), count, after, -then, order[hand])
                if what == ROLL or rank > found:
                    chosen, what, found = option, then, rank
    return chosen, what


@njit(cache=True)
def _worth_most(table, turn, hot_dice, rolls, kind, rule, roll_worth, bank_worth, step):
    """Return (option, what follows) that is worth most; option -1: beyond the table."""
    turn_score, bonus = turn
    _, order, starts, points, next_hand, hot, flags, _ = rolls
    chosen, what = -1, ROLL
    best = (-np.inf, 0, 0, 0)
    levels = roll_worth.shape[1]
    for option in range(starts[kind], starts[kind + 1]):
        after = turn_score + points[option] + (bonus if hot[option] else 0)
        column = after // step
        if column >= roll_worth.shape[3]:
            return -1, ROLL
        hand = next_hand[option]
        if flags[option] & 1:
            level = min(hot_dice + hot[option], levels - 1)
            rank = (np.float64(roll_worth[table, level, hand, column]), 0, after, order[hand])
            if chosen < 0 or rank > best:
                chosen, what, best = option, ROLL, rank
        if _may_bank(after, flags[option], rule):
            for then in range(BANK, SUBTRACT + 1 if rule[3] else SUBTRACT):
                left = min(hand, bank_worth.shape[2] - 1)
                rank = (np.float64(bank_worth[table, then - BANK, left, column]), 3 - then, after, order[hand])
                if chosen < 0 or rank > best:
                    chosen, what, best = option, then, rank
    return chosen, what


@njit(cache=True)
def _takes(plan, turn_score, hand, size, roll_worth, step):
    """Tell whether an offer is taken over, as 1 or 0; -1: beyond the table."""
    table = plan[TABLE]
    if table < 0:
        return 1 if turn_score >= plan[TAKE + size[hand] - 1] else 0
    column = turn_score // step
    if column >= roll_worth.shape[3]:
        return -1
    full = roll_worth.shape[2] - 1
    return 1 if roll_worth[table, 0, hand, column] > roll_worth[table, 0, full, 0] else 0


@njit(cache=True)
def _standing(game, scores, opened, busts, seat, played_last, sees):
    """Return what a player knows at the start of his turn, as one number."""
    if sees == SEES_NOTHING:
        return np.int64(0)
    seats = game[SEATS]
    other = NONE
    for each in range(seats):
        if each != seat and scores[each] > other:
            other = scores[each]
    closing = game[KIND] == EQUAL and seat == seats - 1
    if sees == SEES_SCORES:
        return packed(scores[seat], other, played_last, closing, 1, 0)
    return packed(scores[seat], other, played_last, closing, opened[seat], busts[seat])


@njit(cache=True)
def _is_last(game, scores, seat, reached):
    """Tell whether somebody has reached the target whose turn is over: see `Standing.last`."""
    if game[KIND] == FINAL:
        return reached >= 0
    if game[KIND] != EQUAL:
        return False
    for each in range(seat):
        if scores[each] >= game[TARGET]:
            return True
    return False


@njit(cache=True)
def _bank_rule(game, score, opened):
    """Return (least, multiple, most, whether a bank may be subtracted)."""
    closed = score == 0 if game[AT_ZERO] else not opened
    least = max(game[MINIMUM], game[OPENING]) if closed else game[MINIMUM]
    most = game[TARGET] - score if game[NOT_PAST] else np.int64(1) << 40
    return max(least, 1), game[STEP], most, game[ADDS_OR_SUBTRACTS] and score > game[TARGET]


@njit(cache=True)
def _penalty(penalties, score):
    for row in range(len(penalties)):
        if score < penalties[row, 0]:
            return penalties[row, 1]
    return 0


@njit(cache=True)
def _shared_win(scores, seats, shares):
    """Share the win among the highest; return how many they are."""
    highest = scores[0]
    count = 0
    for seat in range(seats):
        highest = max(highest, scores[seat])
    for seat in range(seats):
        count += scores[seat] == highest
    for seat in range(seats):
        shares[seat] = SHARES // count if scores[seat] == highest else 0
    return count


@njit(cache=True)
def play(state, game, penalties, rolls, chances, players, start, out):
    """Play one match.

    Returns
    -------
    (status, seat, standing)
        The last two say which plan is missing.
    """
    size = rolls[0]
    next_hand, hot, points = rolls[4], rolls[5], rolls[3]
    first, outcomes, kinds = chances
    who, keys, numbers, plans, sees, favourites, roll_worth, bank_worth, step = players
    scores, opened, busts = start
    shares, turns, gained, lost = out
    seats = game[SEATS]
    full = np.int64(len(size) - 1)
    reached = -1
    offer_score, offer_hand = np.int64(0), np.int64(-1)
    seat = 0
    for turn in range(game[MOST_TURNS]):
        last = _is_last(game, scores, seat, reached)
        player = who[seat]
        standing = _standing(game, scores, opened, busts, seat, last, sees[player])
        place = place_of(keys[player], standing)
        if keys[player, place] == -1:
            return MISSING, seat, standing
        plan = plans[numbers[player, place]]
        rule = _bank_rule(game, scores[seat], opened[seat])
        hand, turn_score, hot_dice = full, np.int64(0), np.int64(0)
        if offer_hand >= 0:
            taken = _takes(plan, offer_score, offer_hand, size, roll_worth, step)
            if taken < 0:
                return BEYOND, seat, standing
            if taken:
                hand, turn_score = offer_hand, offer_score
        offer_hand = np.int64(-1)
        what, won, beaten = ROLL, False, False
        for _ in range(MOST_ROLLS):
            state += np.uint64(0x9E3779B97F4A7C15)
            chance = np.float64(mixed(state) >> np.uint64(11)) * 2.0**-53
            kind = kinds[first[hand] + np.int64(chance * outcomes[hand])]
            if kind < 2:
                won, beaten = kind == 1, kind == 0
                break
            now = (turn_score, game[BONUS] << hot_dice)
            if plan[TABLE] < 0:
                option, what = _planned(plan, now, rolls, favourites, kind, rule)
            else:
                option, what = _worth_most(plan[TABLE], now, hot_dice, rolls, kind, rule, roll_worth, bank_worth, step)
                if option < 0:
                    return BEYOND, seat, standing
            turn_score += points[option] + (now[1] if hot[option] else 0)
            hot_dice += hot[option]
            hand = next_hand[option]
            if what != ROLL or hot_dice > MOST_HOT_DICE:
                break
        turns[seat] += 1
        before = scores[seat]
        if won:
            for each in range(seats):
                shares[each] = SHARES if each == seat else 0
            return DONE, seat, standing
        if beaten:
            lost[seat] += 1
            penalty = _penalty(penalties, before) if size[hand] == 6 else 0
            busts[seat] += 1
            if game[IN_A_ROW] and busts[seat] == game[IN_A_ROW]:
                penalty += game[IN_A_ROW_PENALTY]
                busts[seat] = 0
            if not game[IN_A_ROW]:
                busts[seat] = 0
            scores[seat] -= penalty
            gained[seat] -= penalty
        elif what == ROLL:
            return ENDLESS, seat, _standing(game, scores, opened, busts, seat, last, SEES_ALL)
        else:
            scores[seat] += turn_score if what == BANK else -turn_score
            gained[seat] += turn_score
            opened[seat] = 1
            busts[seat] = 0
            if game[HIGH_STAKES]:
                offer_score, offer_hand = turn_score, hand
        # Is the match over?
        if game[TURNS_ONLY]:
            if turns[seat] >= game[TURNS_ONLY]:
                return DONE, seat, standing
        elif game[KIND] == EXACT or game[KIND] == FIRST:
            there = scores[seat] == game[TARGET] if game[KIND] == EXACT else scores[seat] >= game[TARGET]
            if there and what != ROLL and not (game[KIND] == EXACT and before == game[TARGET]):
                for each in range(seats):
                    shares[each] = SHARES if each == seat else 0
                return DONE, seat, standing
        elif game[KIND] == FINAL:
            if reached < 0 and scores[seat] >= game[TARGET]:
                reached = seat
            if reached >= 0 and (seat + 1) % seats == reached:
                _shared_win(scores, seats, shares)
                return DONE, seat, standing
        elif seat == seats - 1:
            # Once there is a tie to break, nobody needs the target any more.
            over = reached >= 0
            for each in range(seats):
                over = over or scores[each] >= game[TARGET]
            if over and (_shared_win(scores, seats, shares) == 1 or not game[EXTRA_ROUNDS]):
                return DONE, seat, standing
            if over:
                reached = seat
            for each in range(seats):
                shares[each] = 0
        seat = (seat + 1) % seats
    return ENDLESS, seat, _standing(game, scores, opened, busts, seat, last, SEES_ALL)


@njit(cache=True, nogil=True)
def play_all(matches, seed, game, penalties, rolls, chances, players, start, out, result):
    """Play some matches, named by their numbers; those with another result than `DONE` leave no trace in `out`."""
    seats = game[SEATS]
    scores = np.empty(seats, np.int64)
    opened = np.empty(seats, np.int64)
    busts = np.empty(seats, np.int64)
    for row in range(len(matches)):
        scores[:], opened[:], busts[:] = start[0], start[1], start[2]
        own = (out[row, 0], out[row, 1], out[row, 2], out[row, 3])
        for part in own:
            part[:] = 0
        state = started(seed, matches[row])
        status, seat, standing = play(state, game, penalties, rolls, chances, players, (scores, opened, busts), own)
        result[row, 0], result[row, 1], result[row, 2] = status, seat, standing
