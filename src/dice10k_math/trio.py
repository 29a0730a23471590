"""Three players in a race: turn starts, what banks lead to, and the last turns.

A turn start has three scores: of the player to move, of the next, and of the third. A bank leads to the turn start of
the next player in which the banker is the third; a bust leads there too, with the same scores. No score falls, so the
turn starts are taken in falling order of the sum, and the three that busts lead round in depend on each other only.

*Tables of waiting.* What a turn leads to is looked up by the sum of the scores (rows), and by the scores of the next
player and of the third (columns): banking leads to another row in the same column. The first table is of the player
who has just played, the second of the next, the third of the one after that.

*Last turns.* When somebody has banked the target in a final round, the next and then the third have one turn each.
The third needs more than the higher of the two; the next has to leave the third something that is hard to beat.
Both depend on how far the two are behind alone.

Scores are counted in units.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dice10k_math.backup import Blocks, Contexts, Weighed, back_up, back_up_weighing
from dice10k_math.last_turn import NEAREST, UP, allowed, compiled, hot_dice_within, last_turns
from dice10k_math.program import BLOCK, FORCED, Floats, Ints, Program
from dice10k_math.race import CAUTION, Race
from dice10k_math.trio_last import LastTrios, last_trios

Numbers = NDArray[np.intp]
FAR = 10_000
"""How far past the target, in points, totals are told apart."""
UNIT_ROUNDOFF = 2.0**-53


@dataclass(frozen=True, slots=True)
class Trios:
    """The turn starts of one sum.

    Attributes
    ----------
    own, next, third
        Scores in units.
    here, after, before
        Number of the column of each turn start: as the turn is backed up (next and third), as what follows a bust is
        backed up (third and own), and as it is looked up itself in a table of waiting (own and next).
    """

    own: Numbers
    next: Numbers
    third: Numbers
    here: Numbers
    after: Numbers
    before: Numbers


class Trio:
    """A race of three.

    Parameters
    ----------
    race
        The race, which the first to the target wins or which ends with a final round.
    """

    def __init__(self, race: Race) -> None:
        self.race = race
        self.scores = race.scores
        self.columns = self.scores**2
        self.most = self.scores + (FAR // race.unit if race.has_last_turn else 0)
        self.rows = self.most + 2 * self.scores - 1
        next_, third = np.divmod(np.arange(self.columns), self.scores)
        self.others = next_ + third
        self.next, self.third = next_, third

    @cached_property
    def program(self) -> Program:
        """The compiled turn: no longer than limits reach."""
        race = self.race
        most = self.most * race.unit + race.margin + (FORCED if race.rules.turn.hot_dice == "must_roll" else 0)
        return compiled(race.rules, most, hot_dice_within(race.rules, most))

    def trios(self, total: int) -> Trios:
        """Return the turn starts of one sum."""
        here = np.flatnonzero((self.others <= total) & (self.others > total - self.scores))
        next_, third = self.next[here], self.third[here]
        own = total - next_ - third
        return Trios(own, next_, third, here, third * self.scores + own, own * self.scores + next_)

    # -- turns -------------------------------------------------------------------------------------------------

    @cached_property
    def _steps(self) -> tuple[Ints, NDArray[np.bool_]]:
        scores, race = self.program.bank_scores, self.race
        return scores // race.unit, np.stack([allowed(rule, scores) for rule in (race.opened, race.unopened)])

    def _contexts(self, total: int, table: Floats, bust: Floats, *, lowest: bool) -> Contexts:
        """Return the turns of one sum; totals too great to be told apart count as the greatest."""
        steps, may_bank = self._steps
        rows = np.minimum(steps + total, self.rows - 1)
        rows = np.where(may_bank, rows, -1).astype(np.int32)
        top = np.zeros(self.columns) if lowest else np.ones(self.columns)
        return Contexts(table, rows, np.stack([bust] * 2), np.stack([bust] * 2), np.stack([top] * 2))

    def blocks(self, total: int, bust: Floats, only: NDArray[np.bool_] | None = None) -> Blocks:
        """Return the turn starts of one sum as blocks; group 1 is of those who have not banked yet.

        `bust` is what a bust is worth, by column; it says how much a roll can cost.
        """
        trios, race = self.trios(total), self.race
        needed = np.full(len(trios.own), self.scores)
        if race.has_last_turn:
            risk = CAUTION / 2 * race.least_bust * (1.0 - bust[trios.here])
            lead = np.searchsorted(-self.chase, -risk)
            needed = np.maximum(needed, np.maximum(trios.next, trios.third) + lead)
        limit = np.minimum((needed - trios.own) * race.unit + race.margin, self.program.most)
        apart = race.unopened != race.opened
        found = []
        group = np.where(apart & (trios.own == 0), 1, 0)
        new = np.flatnonzero((np.diff(trios.here) != 1) | (np.diff(group) != 0)) + 1
        for start, end in zip([0, *new.tolist()], [*new.tolist(), len(group)], strict=True):
            for first in range(start, end, BLOCK):
                last = min(first + BLOCK, end)
                if only is None or only[trios.here[first:last]].any():
                    found.append(
                        (int(group[first]), int(trios.here[first]), last - first, int(limit[first:last].max()))
                    )
        return np.array(found, np.int64).reshape(-1, 4)

    def play(
        self,
        total: int,
        table: Floats,
        bust: Floats,
        others: tuple[Floats, ...],
        only: NDArray[np.bool_] | None = None,
    ) -> Weighed:
        """Follow the turns of one sum as they are played for a table of waiting.

        Parameters
        ----------
        total
            The sum.
        table
            What waiting is worth to the player who plays.
        bust
            Shape (columns,): the same after a bust.
        others
            Tables of the shape of `table` that are weighed by the banks of this play.
        only
            Columns to follow; default: all.
        """
        contexts = self._contexts(total, table, bust, lowest=True)
        return back_up_weighing(
            self.program,
            contexts,
            self.race.survival(NEAREST),
            others,
            blocks=self.blocks(total, bust, only),
        )

    def best(self, total: int, table: Floats, bust: Floats) -> Floats:
        """Return upper bounds of what the best turn is worth, by column."""
        values = back_up(
            self.program,
            self._contexts(total, table, bust, lowest=False),
            self.race.survival(UP),
            blocks=self.blocks(total, bust),
            lowest=False,
            nudge=UP.nudge(self.program),
        )
        return np.where(np.isnan(values[1]), values[0], values[1])

    @cached_property
    def slack(self) -> float:
        """Bound of the relative rounding error of a probability or a mean over the ends of a turn.

        Every roll takes a sum of non-negative terms, one for each class of rolls and one for the bust; a turn takes no
        more rolls than the turn score has steps.
        """
        program = self.program
        rolls = program.most // program.model.step + 2
        return float((int(program.maxima.wholes.max()) + 8) * rolls * UNIT_ROUNDOFF)

    # -- last turns --------------------------------------------------------------------------------------------

    @cached_property
    def chase(self) -> Floats:
        """Shape (deficits,): upper bound of what one last turn is worth to whoever has to beat a total."""
        return last_turns(self.race, 0.5, UP)

    @cached_property
    def last(self) -> LastTrios | None:
        """The last turns; None: the first to the target has won."""
        return last_trios(self) if self.race.has_last_turn else None

    def waiting(self) -> tuple[Floats, Floats, Floats]:
        """Return tables of waiting in which only what follows reaching the target is known; the rest is 0."""
        value = None if self.last is None else self.last.value
        return self._filled(value)

    def bounds(self) -> tuple[Floats, Floats, Floats]:
        """Return the same with upper bounds of what each can win, playing best, while the other two play on."""
        found = self._filled(None if self.last is None else self.last.upper)
        if self.last is not None:
            # The last row stands for all greater totals too.
            total = self.rows - 1 - self.others
            found[0][-1] = 1.0
            found[1][-1] = self.chase[np.minimum(total - self.next, len(self.chase) - 1)]
            found[2][-1] = self.chase[np.minimum(total - self.third, len(self.chase) - 1)]
        return found

    def _filled(self, last: Floats | None) -> tuple[Floats, Floats, Floats]:
        found = np.zeros((3, self.rows, self.columns))
        difference = self.third - self.next + self.scores - 1
        for row in range(self.scores, self.rows):
            own = row - self.others
            past = own >= self.scores
            if last is None:
                found[0, row, past] = 1.0
            else:
                found[:, row, past] = last[:, difference[past], (own - self.third)[past]]
        return found[0], found[1], found[2]


@dataclass(frozen=True, slots=True)
class TrioTables:
    """Three tables of waiting: of the player who has just played, of the next, and of the one after that.

    Attributes
    ----------
    play
        What waiting is worth to the player who has just played, as all three reckon when they choose between banks.
    bust
        Shape (sums, columns): what they reckon a bust to be worth. Both together say how they play.
    upper
        Upper bounds of what each can win, whatever he does, while the other two play like that.
    """

    play: Floats
    bust: Floats
    upper: tuple[Floats, Floats, Floats]
