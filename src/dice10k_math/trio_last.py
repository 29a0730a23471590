"""The last two turns of a final round of three: the next player's, then the third's.

The third has to beat the higher of two totals; a tie is shared. How far he is behind says all.
The next player, behind by d1, banks a turn score T; it leaves the third y = T - d1 + d2 behind him, where d2 is how far
the third is behind the player who called. If T is less than d1 he has lost, and the third is d2 behind.
So his turn depends on d1 - d2 and d2: the former says which row y of a table a bank leads to, the latter is its column.

Both play best for themselves, the third against what he finds. Of equally good choices they bank.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from dice10k_math.backup import Blocks, Contexts, back_up, back_up_weighing
from dice10k_math.last_turn import NEAREST, UP, allowed, last_turns, most_lead
from dice10k_math.program import BLOCK, Floats, Program
from dice10k_math.race import CAUTION, Race


class Setting(Protocol):
    """What the last turns need to know of a race of three; see `dice10k_math.trio.Trio`."""

    race: Race
    scores: int
    rows: int

    @property
    def program(self) -> Program:
        """The compiled turn."""
        ...

    @property
    def slack(self) -> float:
        """Bound of the relative rounding error of a probability."""
        ...

    @property
    def chase(self) -> Floats:
        """What a last turn is worth at most, by deficit."""
        ...


ALONE, SHARED = 1.0 / 2.0, 1.0 / 3.0
"""A tie with one other, and with both."""


@dataclass(frozen=True, slots=True)
class LastTrios:
    """What the last two turns are worth: shape (3, differences, deficits).

    First the player who called for them, then the next, then the third; by the third's score less the next player's
    (from the least on), and by how far the third is behind.

    Attributes
    ----------
    value
        Under this play.
    upper
        Upper bounds of what each can win while the other two play like this.
    """

    value: Floats
    upper: Floats


@dataclass(frozen=True, slots=True)
class _Third:
    """The third's turn: shape (2, deficits), against one total and against two that are level.

    Attributes
    ----------
    beats, ties
        Probabilities, rounded down.
    most
        Upper bound of what it is worth to him.
    """

    beats: Floats
    ties: Floats
    most: Floats

    def own(self) -> Floats:
        """Return what the turn is worth to the third."""
        return np.stack([self.beats[0] + ALONE * self.ties[0], self.beats[1] + SHARED * self.ties[1]])

    def others(self) -> Floats:
        """Return what it is worth to the one ahead, and to each of two who are level ahead."""
        alone = 1.0 - self.beats[0] - (1.0 - ALONE) * self.ties[0]
        level = 0.5 * (1.0 - self.beats[1] - self.ties[1]) + SHARED * self.ties[1]
        return np.stack([alone, level])


def last_trios(trio: Setting) -> LastTrios:
    """Return what the last two turns are worth."""
    third = _third(trio)
    deficits = third.beats.shape[1]
    value = np.empty((3, 2 * trio.scores - 1, deficits))
    upper = np.empty_like(value)
    tables = _tables(third.own(), third.others())
    bounds = _tables(third.most, third.others())
    # Rows stop at the last one; a bank that leads further leaves the third no better off there.
    bounds[1][-1] = 1.0
    lead = int(np.searchsorted(-trio.chase, -CAUTION * trio.race.least_bust))
    for place, difference in enumerate(range(1 - trio.scores, trio.scores)):
        blocks = _blocks(trio, difference, deficits, lead)
        found, bound = (
            back_up_weighing(
                trio.program,
                _contexts(trio, tables[1], difference, lowest=True),
                trio.race.survival(NEAREST),
                (others[0], others[2]),
                blocks=blocks,
            )
            for others in (tables, bounds)
        )
        more = 1.0 + trio.slack
        # Whoever busts leaves the third where banking nothing would.
        for number, place_of in ((0, 0), (2, 1)):
            value[number, place] = found.others[place_of] + found.bust * tables[number][0]
            most = bound.others[place_of] + bound.bust * bounds[number][0] + bound.left
            upper[number, place] = most * more + trio.slack
        value[1, place] = found.value
        upper[1, place] = back_up(
            trio.program,
            _contexts(trio, bounds[1], difference, lowest=False),
            trio.race.survival(UP),
            blocks=blocks,
            lowest=False,
            nudge=UP.nudge(trio.program),
        )[0]
    return LastTrios(value, np.clip(upper, 0.0, 1.0))


def _third(trio: Setting) -> _Third:
    race, program, deficits = trio.race, trio.program, trio.rows
    scores = program.bank_scores // race.unit
    behind = np.arange(deficits)
    above = (scores[:, None] > behind).astype(float)
    equal = (scores[:, None] == behind).astype(float)
    rows = np.where(allowed(race.opened, program.bank_scores), np.arange(len(scores)), -1).astype(np.int32)[None, :]
    nothing = np.zeros((1, deficits))
    beats, ties, most = (np.empty((2, deficits)) for _ in range(3))
    for number, share in enumerate((ALONE, SHARED)):
        found = back_up_weighing(
            program,
            Contexts(above + share * equal, rows, nothing, nothing, nothing),
            race.survival(NEAREST),
            (above, equal),
            blocks=_blocks(trio, 0, deficits, 0),
        )
        beats[number], ties[number] = (part * (1.0 - trio.slack) for part in found.others)
        bound = last_turns(race, share, UP)
        most[number] = bound[np.minimum(behind, most_lead(race.rules) // race.unit)]
    return _Third(beats, ties, most)


def _tables(own: Floats, others: Floats) -> list[Floats]:
    """Return what a bank of the next player is worth to all three, by row and column."""
    deficits = own.shape[1]
    row, column = np.indices((deficits, deficits))
    less, level = row < column, row == column
    caller = np.where(less, others[0][column], np.where(level, others[1][column], 0.0))
    next_ = np.where(less, 0.0, np.where(level, others[1][column], others[0][row]))
    third = np.where(less, own[0][column], np.where(level, own[1][column], own[0][row]))
    return [caller, next_, third]


def _contexts(trio: Setting, table: Floats, difference: int, *, lowest: bool) -> Contexts:
    race, scores = trio.race, trio.program.bank_scores
    deficits = table.shape[1]
    rows = np.clip(scores // race.unit - difference, 0, deficits - 1)
    rows = np.where(allowed(race.opened, scores), rows, -1).astype(np.int32)[None, :]
    nothing = np.zeros((1, deficits))
    return Contexts(np.ascontiguousarray(table), rows, nothing, nothing, nothing if lowest else nothing + 1.0)


def _blocks(trio: Setting, difference: int, deficits: int, lead: int) -> Blocks:
    """Return blocks with limits from where on it is best to bank: when the third is so far behind."""
    race, program = trio.race, trio.program
    found = []
    for first in range(0, deficits, BLOCK):
        width = min(BLOCK, deficits - first)
        limit = (max(first + width, lead) + difference + 1) * race.unit + race.margin
        found.append((0, first, width, min(max(limit, race.unit), program.most)))
    return np.array(found, np.int64)
