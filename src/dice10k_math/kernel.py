# mypy: allow-untyped-defs, allow-untyped-decorators, allow-untyped-calls
"""The compiled loops of the operator: one block of contexts at a time, contexts innermost.

Numba compiles them at the first call and keeps the result in its cache.
The arguments are tuples of arrays, in the order in which `dice10k_math.backup` names them.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from dice10k_math.program import BLOCK, NEVER

STILL, STILL_ROUNDS = 1e-16, 1000
"""Change of the value of a full hand that is as good as none, and how often at most hands are gone through."""
NARROW = BLOCK // 2
"""Up to so many contexts in a block the others are left out."""


@njit(cache=True)
def _new_pool(shape, states):
    """Return rows for one block, slots of the maxima included, and a table of where sides lie."""
    first, _, entries, slots = shape
    kept = first + len(states[0])
    rows = np.empty(entries + slots, np.uint64)
    for number in range(slots):
        rows[entries + number] = kept + number
    return np.empty((kept + slots, BLOCK)), rows


@njit(cache=True, inline="always")
def _point(rows, state, targets, target_starts):
    """Let the entries of a hand point to the rows of an after-state."""
    start = target_starts[state]
    for number in range(target_starts[state + 1] - start):
        rows[number] = targets[start + number]


def _loops_of(size):
    """Return the loops over blocks of up to `size` contexts: vector operations of a fixed length are faster."""

    @njit(inline="always", fastmath={"nnan", "nsz", "contract"})
    def add_classes(acc, pool, rows, h, maxima):
        """Add what the classes of a hand are worth, by their probabilities: two wholes at once."""
        starts, runs, left, right, place, whole_left, whole_right, weight = maxima
        for run in range(starts[h], starts[h + 1]):
            for number in range(runs[run, 0], runs[run, 1]):
                one, other, keep = rows[left[number]], rows[right[number]], rows[place[number]]
                for b in range(size):
                    x = pool[one, b]
                    y = pool[other, b]
                    pool[keep, b] = x if x > y else y  # noqa: FURB136 - this form becomes one vector instruction
            for number in range(runs[run, 2], runs[run, 3], 2):
                one, other, w = rows[whole_left[number]], rows[whole_right[number]], weight[number]
                third, fourth, v = rows[whole_left[number + 1]], rows[whole_right[number + 1]], weight[number + 1]
                for b in range(size):
                    x = pool[one, b]
                    y = pool[other, b]
                    x = x if x > y else y  # noqa: FURB136 - this form becomes one vector instruction
                    y = pool[third, b]
                    z = pool[fourth, b]
                    y = y if y > z else z  # noqa: FURB136 - this form becomes one vector instruction
                    acc[b] += w * x + v * y

    @njit(inline="always", fastmath={"nnan", "nsz", "contract"})
    def sweep(pool, rows, acc, ending, edge, block, nudge, shape, states, maxima):
        """Back up every after-state of one block that matters; those beyond the limits are edges."""
        first, last = shape[0], shape[1]
        limit, forced_limit = block[3], block[4]
        hand, turn_score, hot_edge, edge_kind, bank_row, targets, target_starts = states
        for state in range(block[5], len(hand)):
            h = hand[state]
            own = first + state
            bank = bank_row[state]
            score = turn_score[state]
            if hot_edge[state] or score > (forced_limit if h == last else limit):
                for b in range(size):
                    pool[own, b] = edge[edge_kind[state], b]
                if bank >= 0:
                    for b in range(size):
                        x = pool[own, b]
                        y = pool[bank, b]
                        pool[own, b] = x if x > y else y  # noqa: FURB136 - this form becomes one vector instruction
                continue
            _point(rows, state, targets, target_starts)
            for b in range(size):
                acc[b] = ending[h, b]
            add_classes(acc, pool, rows, h, maxima)
            if bank >= 0:
                for b in range(size):
                    x = acc[b] + nudge
                    y = pool[bank, b]
                    pool[own, b] = x if x > y else y  # noqa: FURB136 - this form becomes one vector instruction
            else:
                for b in range(size):
                    pool[own, b] = acc[b] + nudge

    return add_classes, sweep


_add_classes, _sweep = _loops_of(BLOCK)
_, _narrow_sweep = _loops_of(NARROW)


@njit(cache=True)
def edge_worth(bust, bust_on_six, top, survival, least, most, hand, lowest):
    """Bound the worth of a turn score past the limit, as `dice10k_math.edges.edge_worths` does."""
    fall = min(bust, bust_on_six) if lowest else max(bust, bust_on_six)
    worth = fall if top < fall else survival * top + (1.0 - survival) * fall
    if len(least) == 0:
        return worth
    share = least if bust_on_six < bust else most
    rolled_on = bust + (bust_on_six - bust) * share[hand]
    if lowest:
        return max(worth, rolled_on)
    worst = rolled_on
    for other in range(len(share)):
        worst = min(worst, bust + (bust_on_six - bust) * share[other])
    return min(worth, rolled_on + max(0.0, top - worst))


@njit(cache=True, inline="always")
def _load(pool, ending, edge, block, lowest, shares, contexts):
    """Fill the bank rows of one block, and what its endings and edges are worth."""
    group, j0, width = block[0], block[1], block[2]
    table, bank_rows, bust, bust_on_six, top, instant_win = contexts
    bust_share, instant_share, survival, least, most = shares
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
    for kind in range(len(survival)):
        for b in range(BLOCK):
            c = j0 + (b if b < width else 0)
            edge[kind, b] = edge_worth(
                bust[group, c], bust_on_six[group, c], top[group, c], survival[kind], least, most,
                kind * len(least) // len(survival), lowest,
            )  # fmt: skip


@njit(nogil=True, cache=True)
def back_up_blocks(blocks, contexts, shares, shape, states, maxima, lowest, nudge, out):
    """Back up blocks of contexts, one after another."""
    first = shape[0]
    start = first + len(states[0]) - 1
    pool, rows = _new_pool(shape, states)
    acc = np.empty(BLOCK)
    ending = np.empty((len(shares[0]), BLOCK))
    edge = np.empty((len(shares[2]), BLOCK))
    for k in range(len(blocks)):
        block = blocks[k]
        _load(pool, ending, edge, block, lowest, shares, contexts)
        if block[2] <= NARROW:
            _narrow_sweep(pool, rows, acc, ending, edge, block, nudge, shape, states, maxima)
        else:
            _sweep(pool, rows, acc, ending, edge, block, nudge, shape, states, maxima)
        for b in range(block[2]):
            out[block[0], block[1] + b] = pool[start, b]


@njit(nogil=True, cache=True)
def back_up_and_bank(blocks, contexts, shares, shape, states, maxima, lowest, nudge, banks, tolerance, out):
    """Back up blocks of contexts of one group, and tell for each after-state within reach whether to bank there.

    `banks` holds the bank row of each after-state's turn score, or -1.
    """
    first = shape[0]
    pool, rows = _new_pool(shape, states)
    acc = np.empty(BLOCK)
    ending = np.empty((len(shares[0]), BLOCK))
    edge = np.empty((len(shares[2]), BLOCK))
    for k in range(len(blocks)):
        block = blocks[k]
        _load(pool, ending, edge, block, lowest, shares, contexts)
        _sweep(pool, rows, acc, ending, edge, block, nudge, shape, states, maxima)
        for state in range(block[5], len(banks)):
            bank = banks[state]
            if bank >= 0:
                for b in range(block[2]):
                    out[state, block[1] + b] = pool[first + state, b] <= pool[bank, b] + tolerance


@njit(cache=True, inline="always", fastmath={"nnan", "nsz", "contract"})
def _stand_still(still, last, acc, ending, shape, maxima, entries, nudge, start):
    """Find what rolling is worth where the turn score matters no more: hand by hand, as often as it takes.

    `still` has a row for rolling each hand, which is filled in; then one for banking and leaving each hand; then
    the slots of the maxima. From a start below the solution the values rise to it, from one above they fall to it.
    """
    entry_starts, entry_hand, entry_rolls = entries
    hands = len(entry_starts) - 1
    rows = np.empty(shape[2] + shape[3], np.uint64)
    for number in range(shape[3]):
        rows[shape[2] + number] = 2 * hands + number
    still[:hands] = start
    for _ in range(STILL_ROUNDS):
        last[:] = still[hands - 1]
        for h in range(hands):
            first = entry_starts[h]
            for number in range(entry_starts[h + 1] - first):
                after = entry_hand[first + number]
                rows[number] = after if entry_rolls[first + number] else hands + after
            acc[:] = ending[h]
            _add_classes(acc, still, rows, h, maxima)
            for b in range(BLOCK):
                still[h, b] = acc[b] + nudge
        moved = 0.0
        for b in range(BLOCK):
            moved = max(moved, abs(still[hands - 1, b] - last[b]))
        if moved < STILL:
            break


@njit(nogil=True, cache=True)
def back_up_and_keep(
    blocks, contexts, shares, shape, states, maxima, lowest, nudge, out, kept, offers, far_banks, entries
):
    """Back up blocks of contexts; give out also what the after-states `kept` are worth.

    Beyond the limits banking is worth what `far_banks` say of the hand that it leaves, whatever the turn score.
    """
    first = shape[0]
    start = first + len(states[0]) - 1
    pool, rows = _new_pool(shape, states)
    acc = np.empty(BLOCK)
    last = np.empty(BLOCK)
    ending = np.empty((len(shares[0]), BLOCK))
    edge = np.empty((len(shares[2]), BLOCK))
    still = np.zeros((2 * len(far_banks) + shape[3], BLOCK))
    for k in range(len(blocks)):
        block = blocks[k]
        _load(pool, ending, edge, block, lowest, shares, contexts)
        if len(far_banks) > 0:
            hands = len(far_banks)
            still[hands : 2 * hands, : block[2]] = far_banks[:, block[1] : block[1] + block[2]]
            _stand_still(still, last, acc, ending, shape, maxima, entries, nudge, 0.0 if lowest else 1.0)
            edge[:] = still[:hands]
        _sweep(pool, rows, acc, ending, edge, block, nudge, shape, states, maxima)
        for b in range(block[2]):
            out[block[0], block[1] + b] = pool[start, b]
        for number in range(len(kept)):
            state = kept[number]
            # No turn of this block comes to what lies before its first state, so that was not backed up.
            row = edge[states[3][state]] if state < block[5] else pool[first + state]
            for b in range(block[2]):
                offers[number, block[1] + b] = row[b]


@njit(cache=True)
def stand_still(ending, far, shape, maxima, entries):
    """Return what rolling each hand is worth where the turn score matters no more, for one context."""
    hands = len(far)
    still, last, acc = np.empty((2 * hands + shape[3], BLOCK)), np.empty(BLOCK), np.empty(BLOCK)
    endings = np.empty((hands, BLOCK))
    for h in range(hands):
        endings[h, :] = ending[h]
        still[hands + h, :] = far[h]
    _stand_still(still, last, acc, endings, shape, maxima, entries, 0.0, 0.0)
    return still[:hands, 0].copy()


@njit(nogil=True, cache=True)
def fill_bank_worths(out, row, waiting, offers, starts, takes, units, hands):
    """Fill in what each bank of the turns of one row is worth to the banker, by bank row and column.

    The next player either begins afresh (`waiting`) or takes over: below the target `offers` say what that is worth
    to him, past it `takes` do, by how far he was behind before this turn.
    """
    total, first, end, scores, opening, last_turn = row
    for k in range(len(out)):
        after = total + units[k]
        for b in range(first, end):
            own = total - b
            worth = waiting[after, b]
            if own == 0 and units[k] < opening:
                worth = NEVER
            elif own + units[k] < scores:
                low = max(0, after - scores + 1)
                width = min(after, scores - 1) + 1 - low
                worth = min(worth, 1.0 - offers[starts[after] + k * width + b - low])
            elif last_turn:
                worth = min(worth, 1.0 - takes[max(own - b, -1) + 1, hands[k]])
            out[k, b] = worth


@njit(nogil=True, cache=True)
def fill_answered_banks(out, row, waiting, offers, starts, last, units):
    """Fill in what each bank of the turns of one row is worth to the banker, by bank row and column.

    The next player plays by a policy: `offers` say what he makes of an offer that he takes over, and are not a number
    where he declines it and begins afresh (`waiting`). Past the target `last` says all: numbers by the banker's total
    and the next player's score, where the worths of that last turn would start with the first bank row, the worths, and
    what is taken for the worth with greater totals.
    """
    total, first, end, scores, opening, last_turn = row
    numbers, starts_of, worths, unknown = last
    for k in range(len(out)):
        after = total + units[k]
        for b in range(first, end):
            own = total - b
            worth = waiting[after, b]
            if own == 0 and units[k] < opening:
                worth = NEVER
            elif own + units[k] < scores:
                low = max(0, after - scores + 1)
                width = min(after, scores - 1) + 1 - low
                taken = offers[starts[after] + k * width + b - low]
                if not np.isnan(taken):
                    worth = 1.0 - taken
            elif last_turn:
                past = own + units[k] - scores
                worth = 1.0 - (worths[starts_of[numbers[past, b]] + k] if past < len(numbers) else unknown)
            out[k, b] = worth


@njit(nogil=True, cache=True)
def back_up_fixed(fixed, states, first, ending, edge, table, columns, nudge, out):
    """Back up turns in which nothing is chosen any more, for some columns of a table of bank rows.

    `fixed` has the rows that the rolls of each after-state lead to, with their probabilities; after-states with none
    are worth `edge`. `ending` is what instant wins and busts add, by hand. `out` gets the worth of each after-state.
    """
    starts, rows, chances = fixed
    hand, inner = states
    width = len(columns)
    for state in range(len(hand)):
        if not inner[state]:
            out[state, :] = edge
            continue
        out[state, :] = ending[hand[state]] + nudge
        for place in range(starts[state], starts[state + 1]):
            row, chance = rows[place], chances[place]
            if row < first:
                for b in range(width):
                    out[state, b] += chance * table[row, columns[b]]
            else:
                for b in range(width):
                    out[state, b] += chance * out[row - first, b]


@njit(cache=True, inline="always", fastmath={"nnan", "nsz", "contract"})
def _forward(pool, rows, mass, here, chosen, banked, ended, block, shares, faint, shape, states, maxima):
    """Follow the best play of every context of a block from the start of the turn, adding up how it ends.

    `banked` gets the probability of each bank row; `ended` those of a bust and of a bust with all dice,
    and what edges and instant wins are worth. States less probable than `faint` are not followed, but count what they
    are worth.
    """
    first, last, entries, slots = shape
    choice = chosen[slots]
    limit, forced_limit = block[3], block[4]
    hand, turn_score, hot_edge, _, bank_row, targets, target_starts = states
    starts, runs, left, right, place, whole_left, whole_right, weight = maxima
    bust_share, instant_share, instant_win = shares
    j0, width = block[1], block[2]
    for state in range(block[5], len(hand)):
        mass[state, :] = 0.0
    mass[len(hand) - 1, :] = 1.0
    for state in range(len(hand) - 1, block[5] - 1, -1):
        most = 0.0
        for b in range(BLOCK):
            here[b] = mass[state, b]
            most = max(most, here[b])
        if most == 0.0:
            continue
        h = hand[state]
        bank = bank_row[state]
        own = first + state
        if bank >= 0:
            most = 0.0
            for b in range(BLOCK):
                stays = pool[bank, b] >= pool[own, b]
                if b < width and stays:
                    banked[bank, j0 + b] += here[b]
                here[b] = 0.0 if stays else here[b]
                most = max(most, here[b])
        if most < faint or hot_edge[state] or turn_score[state] > (forced_limit if h == last else limit):
            for b in range(width):
                ended[2, j0 + b] += here[b] * pool[own, b]
            continue
        kind = 1 if h == last else 0
        for b in range(width):
            ended[kind, j0 + b] += here[b] * bust_share[h]
            ended[2, j0 + b] += here[b] * instant_share[h] * instant_win
        _point(rows, state, targets, target_starts)
        for run in range(starts[h], starts[h + 1]):
            for number in range(runs[run, 0], runs[run, 1]):
                keep = place[number]
                _choose(chosen[keep - entries], pool, rows, left[number], right[number], chosen, entries)
                for b in range(BLOCK):
                    x = pool[rows[left[number]], b]
                    y = pool[rows[right[number]], b]
                    pool[rows[keep], b] = x if x > y else y  # noqa: FURB136 - this form becomes one vector instruction
            for number in range(runs[run, 2], runs[run, 3]):
                _choose(choice, pool, rows, whole_left[number], whole_right[number], chosen, entries)
                _send(choice, here, weight[number], mass, banked, first, j0, width)


@njit(cache=True, inline="always")
def _choose(choice, pool, rows, one, other, chosen, entries):
    """Write the row of the better of two sides, by context."""
    for b in range(BLOCK):
        side = other if pool[rows[other], b] > pool[rows[one], b] else one
        choice[b] = rows[side] if side < entries else chosen[side - entries, b]


@njit(cache=True, inline="always")
def _send(choice, here, weight, mass, banked, first, j0, width):
    """Add the probability of a class to the rows chosen there."""
    # Mostly all contexts of a block choose alike, and then the step is a vector operation.
    common = choice[0]
    others = 0
    for b in range(width):
        others += choice[b] != common
    if others == 0 and common < first:
        for b in range(width):
            banked[common, j0 + b] += here[b] * weight
    elif others == 0:
        for b in range(BLOCK):
            mass[common - first, b] += here[b] * weight
    else:
        for b in range(width):
            row = choice[b]
            if row < first:
                banked[row, j0 + b] += here[b] * weight
            else:
                mass[row - first, b] += here[b] * weight


@njit(nogil=True, cache=True)
def back_up_and_forward(blocks, contexts, shares, shape, states, maxima, lowest, nudge, out, banked, ended, faint):
    """Back up blocks of one group, and follow the best play of each of their contexts to its endings."""
    first = shape[0]
    start = first + len(states[0]) - 1
    pool, rows = _new_pool(shape, states)
    mass = np.empty((len(states[0]), BLOCK))
    chosen = np.empty((shape[3] + 1, BLOCK), np.int64)
    acc = np.empty(BLOCK)
    ending = np.empty((len(shares[0]), BLOCK))
    edge = np.empty((len(shares[2]), BLOCK))
    for k in range(len(blocks)):
        block = blocks[k]
        _load(pool, ending, edge, block, lowest, shares, contexts)
        _sweep(pool, rows, acc, ending, edge, block, nudge, shape, states, maxima)
        for b in range(block[2]):
            out[block[0], block[1] + b] = pool[start, b]
        _forward(
            pool, rows, mass, acc, chosen, banked, ended, block,
            (shares[0], shares[1], contexts[5]), faint, shape, states, maxima,
        )  # fmt: skip


@njit(cache=True, inline="always", fastmath={"nnan", "nsz", "contract"})
def _weigh_state(pools, rows, acc, h, own, bank, size, maxima):
    """Add up what a hand is worth to all, its player choosing; then let him bank where that is no worse.

    `acc` holds what its endings are worth, and is used up.
    """
    starts, runs, left, right, place, whole_left, whole_right, weight = maxima
    tables = len(pools)
    for run in range(starts[h], starts[h + 1]):
        for number in range(runs[run, 0], runs[run, 1]):
            one, other, keep = rows[left[number]], rows[right[number]], rows[place[number]]
            # A part may go where one of its sides lies: so what the choice depends on comes last.
            for table in range(tables - 1, -1, -1):
                for b in range(size):
                    x, y = pools[0, one, b], pools[0, other, b]
                    mine, theirs = pools[table, one, b], pools[table, other, b]
                    pools[table, keep, b] = theirs if y > x else mine
        for number in range(runs[run, 2], runs[run, 3]):
            one, other, w = rows[whole_left[number]], rows[whole_right[number]], weight[number]
            for table in range(tables):
                for b in range(size):
                    x, y = pools[0, one, b], pools[0, other, b]
                    mine, theirs = pools[table, one, b], pools[table, other, b]
                    acc[table, b] += w * (theirs if y > x else mine)
    for table in range(tables):
        if bank < 0:
            for b in range(size):
                pools[table, own, b] = acc[table, b]
            continue
        for b in range(size):
            x, y = pools[0, bank, b], acc[0, b]
            banked, rolled = pools[table, bank, b], acc[table, b]
            pools[table, own, b] = banked if x >= y else rolled


@njit(nogil=True, cache=True)
def back_up_and_weigh(blocks, contexts, shares, shape, states, maxima, lowest, _nudge, others, out):
    """Back up blocks of contexts, and work out what the play that is best for one is worth to others.

    `out` gets by column the value, the probability of a bust and that of a bank; then for each of the `others` the sum
    of probability times worth over the banks. Edges are worth nothing to others.
    """
    first, last = shape[0], shape[1]
    pool, rows = _new_pool(shape, states)
    pools = np.zeros((3 + len(others), len(pool), BLOCK))
    acc = np.empty((len(pools), BLOCK))
    ending = np.empty((len(shares[0]), BLOCK))
    edge = np.empty((len(shares[2]), BLOCK))
    hand, turn_score, hot_edge, edge_kind, bank_row, targets, target_starts = states
    bank_rows = contexts[1]
    for k in range(len(blocks)):
        block = blocks[k]
        group, j0, width, limit, forced_limit = block[0], block[1], block[2], block[3], block[4]
        # Whole vectors of eight, and no more of them than there are contexts for.
        size = min((width + 7) // 8 * 8, BLOCK)
        _load(pools[0], ending, edge, block, lowest, shares, contexts)
        for bank in range(block[6]):
            row = bank_rows[group, bank]
            pools[2, bank, :] = 1.0 if row >= 0 else 0.0
            for m in range(len(others)):
                for b in range(width):
                    pools[3 + m, bank, b] = others[m][row, j0 + b] if row >= 0 else 0.0
        for state in range(block[5], len(hand)):
            h, own, bank = hand[state], first + state, bank_row[state]
            if hot_edge[state] or turn_score[state] > (forced_limit if h == last else limit):
                for b in range(size):
                    worth = edge[edge_kind[state], b]
                    stays = bank >= 0 and pools[0, bank, b] >= worth
                    for table in range(1, len(pools)):
                        pools[table, own, b] = pools[table, bank, b] if stays else 0.0
                    pools[0, own, b] = pools[0, bank, b] if stays else worth
                continue
            _point(rows, state, targets, target_starts)
            acc[:, :size] = 0.0
            acc[0, :size] = ending[h, :size]
            acc[1, :size] = shares[0][h]
            _weigh_state(pools, rows, acc, h, own, bank, size, maxima)
        for table in range(len(pools)):
            for b in range(width):
                out[table, j0 + b] = pools[table, first + len(hand) - 1, b]


@njit(cache=True, nogil=True)
def back_up_single(bank_worth, edge, ending, limits, shape, states, maxima):
    """Back up one context; return the worth of rolling on from each after-state, and of the better of that and
    banking.
    """
    limit, forced_limit = limits
    hand, turn_score, hot_edge, edge_kind, bank_row, targets, target_starts = states
    starts, runs, left, right, place, whole_left, whole_right, weight = maxima
    first, last, entries, slots = shape
    kept = first + len(hand)
    pool = np.empty(kept)
    pool[:first] = bank_worth
    rolled = np.empty(len(hand))
    sides = np.empty(entries + slots)
    for state in range(len(hand)):
        h = hand[state]
        if hot_edge[state] or turn_score[state] > (forced_limit if h == last else limit):
            value = edge[edge_kind[state]]
        else:
            value = ending[h]
            for number in range(target_starts[state + 1] - target_starts[state]):
                sides[number] = pool[targets[target_starts[state] + number]]
            for run in range(starts[h], starts[h + 1]):
                for number in range(runs[run, 0], runs[run, 1]):
                    sides[place[number]] = max(sides[left[number]], sides[right[number]])
                for number in range(runs[run, 2], runs[run, 3]):
                    value += weight[number] * max(sides[whole_left[number]], sides[whole_right[number]])
        rolled[state] = value
        bank = bank_row[state]
        pool[first + state] = max(value, bank_worth[bank]) if bank >= 0 else value
    return rolled, pool[first:]
