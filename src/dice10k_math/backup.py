"""The operator: backs up one turn for many situations at once; and its forward twin.

Given what each ending of a turn is worth, the operator returns what starting the turn is worth,

    value(after-state) = sum over rolls of probability * max over entries of value(entry) + probability of a bust *
    worth of a bust,

from the highest turn score down. Situations ("contexts") lie in the innermost, contiguous axis, a block of them at a
time, so that every
operation is a vector operation and a block's rows stay in the processor's cache.

No entry is dropped: whether more points with the same dice left are better depends on the rules.

Rounding. Probabilities are rounded once, a sum has one term for each maximum with weight, and values are at
most 1 in absolute value:
the value of one roll is off by less than `rounding_of(program)`.
A caller that wants bounds passes it, with a sign, as `nudge`: it is added at every roll, so that the result is a
bound by induction.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dice10k_math.edges import RollOn
from dice10k_math.program import BLOCK, Floats, Ints, Program
from dice10k_math.workers import CORES, run_all

Blocks = NDArray[np.int64]


FAINT = 1e-10
"""Probability below which a state within a turn is followed no further."""
TINY_GAIN = 1e-12
"""What banking beyond the limit must gain over a bust to be told from it."""


@dataclass(frozen=True, slots=True)
class Contexts:
    """Situations to be backed up: groups of rows, and columns within them.

    Attributes
    ----------
    table
        Shape (table rows, columns): what is looked up when a turn score is banked.
    bank_rows
        Shape (groups, bank rows of the program): the row of the table for each turn score; -1: banking is not allowed.
    bust, bust_on_six, top
        Shape (groups, columns): worth of a bust with fewer dice than all, of a bust on six,
        and of surviving past the greatest turn score.
    instant_win
        Worth of six spicy dice.
    """

    table: Floats
    bank_rows: Ints
    bust: Floats
    bust_on_six: Floats
    top: Floats
    instant_win: float = 1.0


@lru_cache(maxsize=64)
def rounding_of(program: Program) -> float:
    """Return a bound for the rounding error of the value of one roll, for values of at most 1 in absolute value."""
    terms = int(program.maxima.wholes.max())
    return float((terms + 8) * 2.0**-53)


def blocks_of(groups: int, columns: int, limit: int) -> Blocks:
    """Return every block of contexts with one limit."""
    return np.array(
        [(g, j, min(BLOCK, columns - j), limit) for g in range(groups) for j in range(0, columns, BLOCK)], np.int64
    ).reshape(-1, 4)


def _with_ranges(program: Program, blocks: Blocks, rolled_on: RollOn | None) -> Blocks:
    """Add to each block the limit of forced rolls, the first after-state and the end of the bank rows that it can
    reach.
    """
    limit = np.minimum(blocks[:, 3], program.most)
    # Where never to bank is as good as anything, a limit settles forced rolls too.
    beyond = program.forced_beyond if rolled_on is None else 0
    forced_limit = np.minimum(limit + beyond, program.most)
    reach = forced_limit + program.widest
    found = np.empty((len(blocks), 7), np.int64)
    found[:, :3], found[:, 3], found[:, 4] = blocks[:, :3], limit, forced_limit
    found[:, 5] = len(program.turn_score) - np.searchsorted(program.turn_score[::-1], reach, side="right")
    found[:, 6] = np.searchsorted(program.bank_scores, reach, side="right")
    return found


def back_up(
    program: Program,
    contexts: Contexts,
    survival: Floats,
    *,
    rolled_on: RollOn | None = None,
    blocks: Blocks | None = None,
    lowest: bool = True,
    nudge: float = 0.0,
    workers: int = CORES,
) -> Floats:
    """Return what starting a turn is worth in every context.

    Parameters
    ----------
    program
        The compiled turn.
    contexts
        The situations and what the endings are worth in them.
    survival
        Shape (edge kinds,): the probability to bank at last when play goes on beyond the limit;
        with `lowest` a lower bound for some play, else an upper bound for every play.
    rolled_on
        What comes of never banking, which bounds the worth beyond the limit as well. With it forced rolls have no
        longer limit of their own.
    blocks
        Which contexts to back up, as (group, first column, columns, limit): above the limit only forced rolls are
        backed up. Default: all, up to the greatest turn score of the program. Others are not a number in the result.
    lowest
        Whether an edge counts its worse or its better kind of bust.
    nudge
        Added at every roll: the rounding error with a sign, for a bound.
    workers
        Threads that share the blocks.

    Returns
    -------
    ndarray of shape (groups, columns)
    """
    groups, columns = contexts.bust.shape
    if blocks is None:
        blocks = blocks_of(groups, columns, program.most)
    out = np.full((groups, columns), np.nan)
    from dice10k_math.kernel import back_up_blocks

    share, *rest = _arguments(program, contexts, (survival, rolled_on), blocks, lowest=lowest, nudge=nudge)
    run_all([partial(back_up_blocks, part, *rest, out) for part in _parts(share, workers)])
    return out


def back_up_keeping(
    program: Program,
    contexts: Contexts,
    survival: Floats,
    kept: Ints,
    far_banks: Floats | None = None,
    *,
    blocks: Blocks,
    lowest: bool = True,
    nudge: float = 0.0,
    workers: int = CORES,
) -> tuple[Floats, Floats]:
    """Back up one group of contexts like `back_up`; return also what some after-states are worth.

    Parameters
    ----------
    kept
        Numbers of after-states from which no bank is open (as in a program of a split model).
    far_banks
        Shape (hands, columns): what banking is worth beyond the limits, by the hand it leaves, where the turn score
        matters no more; for bounds, a bound. Edges then count what rolling on is worth, in place of `survival`.

    Returns
    -------
    tuple of ndarrays of shapes (columns,) and (kept, columns)
    """
    columns = contexts.bust.shape[1]
    out, offers = np.full((1, columns), np.nan), np.full((len(kept), columns), np.nan)
    from dice10k_math.kernel import back_up_and_keep

    share, *rest = _arguments(program, contexts, (survival, None), blocks, lowest=lowest, nudge=nudge)
    far = np.empty((0, columns)) if far_banks is None else far_banks
    entries = entries_of(program)
    run_all(
        [partial(back_up_and_keep, part, *rest, out, kept, offers, far, entries) for part in _parts(share, workers)]
    )
    return out[0], offers


def shape_of(program: Program) -> tuple[int, int, int, int]:
    """Return the number of bank rows, the full hand, the most entries of a hand and the number of slots."""
    return len(program.bank_scores), len(program.bust) - 1, program.maxima.entries, program.maxima.slots


def entries_of(program: Program) -> tuple[Ints, Ints, NDArray[np.bool_]]:
    """Return the entries of all hands flat: where those of each hand start, hand left, and whether it is rolled on."""
    hands = program.model.hands
    every = [entry for hand in hands for entry in hand.entries]
    return (
        np.cumsum([0, *(len(hand.entries) for hand in hands)], dtype=np.int32),
        np.array([entry.hand for entry in every], np.int32),
        np.array([entry.may_roll for entry in every]),
    )


@lru_cache(maxsize=64)
def _edge_kinds(program: Program) -> int:
    return int(program.edge_kind.max()) + 1


def _parts(blocks: Blocks, workers: int) -> list[Blocks]:
    """Deal the blocks out, long ones and short ones alike to every worker."""
    return [blocks[start::workers] for start in range(min(workers, len(blocks)))]


def _arguments(
    program: Program,
    contexts: Contexts,
    beyond: tuple[Floats, RollOn | None],
    blocks: Blocks,
    *,
    lowest: bool,
    nudge: float,
) -> tuple[Any, ...]:
    """Return the arguments that the compiled loops share."""
    survival, rolled_on = beyond
    least, most = (np.empty(0), np.empty(0)) if rolled_on is None else (rolled_on.least, rolled_on.most)
    if len(survival) < (kinds := _edge_kinds(program)):
        raise ValueError(f"survival: {len(survival)} probabilities for {kinds} kinds of edges")
    return (
        _with_ranges(program, blocks, rolled_on),
        (contexts.table, contexts.bank_rows, contexts.bust, contexts.bust_on_six, contexts.top, contexts.instant_win),
        (program.bust, program.instant_win, survival, least, most),
        shape_of(program),
        program.arrays,
        program.maxima.arrays,
        lowest,
        nudge,
    )


@dataclass(frozen=True, slots=True)
class Forward:
    """How turns end under the best play, one row for each column of a group.

    Attributes
    ----------
    value
        Shape (columns,): what the turn is worth.
    banked
        Shape (bank rows, columns): probability of each bank.
    bust, bust_on_six
        Shape (columns,): probabilities.
    rest
        Shape (columns,): what all other endings add to the value.
    """

    value: Floats
    banked: Floats
    bust: Floats
    bust_on_six: Floats
    rest: Floats

    def beyond(self, top: Floats, fall: Floats) -> tuple[Floats, Floats]:
        """Part what was not followed into banks worth `top` (and instant wins) and busts worth `fall`.

        Both together are worth `rest`, as the edges are.
        """
        left = np.maximum(1.0 - self.banked.sum(axis=0) - self.bust - self.bust_on_six, 0.0)
        gain = top - fall
        banked = np.where(gain > TINY_GAIN, (self.rest - left * fall) / np.maximum(gain, TINY_GAIN), 0.0)
        banked = np.clip(banked, 0.0, left)
        return banked, left - banked


def back_up_forward(
    program: Program,
    contexts: Contexts,
    survival: Floats,
    *,
    limit: int,
    rolled_on: RollOn | None = None,
    lowest: bool = True,
    nudge: float = 0.0,
    faint: float = FAINT,
) -> Forward:
    """Back up one group of contexts, and follow the best play of each to its endings.

    The value is, rounding apart, the sum of the endings' worths by their probabilities, plus `rest`.
    States less probable than `faint` are not followed to their endings: what they are worth goes to `rest`.
    """
    from dice10k_math.kernel import back_up_and_forward

    columns = contexts.bust.shape[1]
    out = np.full((1, columns), np.nan)
    banked = np.zeros((len(program.bank_scores), columns))
    ended = np.zeros((3, columns))
    arguments = _arguments(
        program, contexts, (survival, rolled_on), blocks_of(1, columns, limit), lowest=lowest, nudge=nudge
    )
    back_up_and_forward(*arguments, out, banked, ended, faint)
    return Forward(out[0], banked, ended[0], ended[1], ended[2])


@dataclass(frozen=True, slots=True)
class Weighed:
    """How turns end under the best play, and what that is worth to others; one entry for each column, shape (columns,).

    Attributes
    ----------
    value
        What the turn is worth.
    bust, bank
        Probability of a bust of either kind, and of a bank; the rest was not followed, for it lies beyond the limit.
    others
        For each of the other tables, the sum of probability times worth over the banks.
    """

    value: Floats
    bust: Floats
    bank: Floats
    others: tuple[Floats, ...]

    @property
    def left(self) -> Floats:
        """Probability of what was not followed."""
        return np.maximum(1.0 - self.bust - self.bank, 0.0)


def back_up_weighing(
    program: Program,
    contexts: Contexts,
    survival: Floats,
    others: tuple[Floats, ...],
    *,
    blocks: Blocks,
    workers: int = CORES,
) -> Weighed:
    """Back up contexts, each of one group, and weigh other tables by the banks of the best play.

    Of equally good choices a player banks; else takes the keep that comes first in a fixed order.

    Parameters
    ----------
    program, contexts, survival, blocks, workers
        As for `back_up`; columns that are in no block are not a number in the result.
    others
        Tables of the shape of that of the contexts.
    """
    out = np.full((3 + len(others), contexts.bust.shape[1]), np.nan)
    from dice10k_math.kernel import back_up_and_weigh

    share, *rest = _arguments(program, contexts, (survival, None), blocks, lowest=True, nudge=0.0)
    run_all([partial(back_up_and_weigh, part, *rest, others, out) for part in _parts(share, workers)])
    return Weighed(out[0], out[1], out[2], tuple(out[3:]))


def bank_decisions(
    program: Program,
    contexts: Contexts,
    survival: Floats,
    *,
    blocks: Blocks,
    tolerance: float,
    rolled_on: RollOn | None = None,
    beyond: bool = True,
) -> NDArray[np.bool_]:
    """Back up one group of contexts, and tell from which after-states to bank.

    Parameters
    ----------
    program, contexts, survival, blocks, rolled_on
        As for `back_up`.
    tolerance
        Banking is chosen if rolling on is worth at most so much more.
    beyond
        Whether to bank, where that is allowed, farther beyond the limit of a block than one choice can lead.

    Returns
    -------
    ndarray of shape (after-states, columns)
        True where banking is allowed and chosen.
    """
    columns = contexts.bust.shape[1]
    at = np.searchsorted(program.bank_scores, program.turn_score)
    at = np.minimum(at, len(program.bank_scores) - 1)
    allowed = (program.bank_scores[at] == program.turn_score) & (contexts.bank_rows[0, at] >= 0)
    if program.forced:
        allowed &= program.hand != len(program.bust) - 1
    banks = np.where(allowed, at, -1).astype(np.int32)
    out = np.repeat((allowed & beyond)[:, None], columns, axis=1)
    from dice10k_math.kernel import back_up_and_bank

    share, *rest = _arguments(program, contexts, (survival, rolled_on), blocks, lowest=True, nudge=0.0)
    run_all([partial(back_up_and_bank, part, *rest, banks, tolerance, out) for part in _parts(share, CORES)])
    return out
