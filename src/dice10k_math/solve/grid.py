"""The after-states of a turn below its tail, laid out in one flat order.

A *row* is a turn score (and, with a bonus, a number of hot dice); each row has one cell for each hand.
Without a bonus there is one level, from turn score 0 to the start of the tail and as far beyond as one keep can reach
from the first turn scores there, one for each remainder by the bank multiple.
With a bonus there is one level for each number of hot dice up to those of the tail; level k starts at b0 * (2**k -
1), the bonus alone,
and ends where no play can get beyond.
Either way a keep moves a fixed number of rows on within a level.
"""

from __future__ import annotations

from dataclasses import dataclass

from dice10k_math.solve.tail import Tail, most_points
from dice10k_math.turn import Entry, TurnModel


@dataclass(frozen=True, slots=True)
class Level:
    """Rows of one number of hot dice.

    Attributes
    ----------
    low
        Turn score of the first row.
    first, rows
        Number of the first row, and how many rows a play can reach.
    solved
        How many of the rows lie below the tail; 0 for the level of the tail itself.
    """

    hot_dice: int
    low: int
    first: int
    rows: int
    solved: int


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows of all levels."""

    levels: tuple[Level, ...]
    rows: int
    step: int
    with_bonus: bool

    def row(self, turn_score: int, hot_dice: int = 0) -> int:
        """Return the row of a turn score; without a bonus the hot dice do not matter."""
        level = self.levels[hot_dice if self.with_bonus else 0]
        return level.first + (turn_score - level.low) // self.step

    def shift(self, level: Level, entry: Entry) -> int:
        """Return how many rows an entry moves on, from any row of a level."""
        on = entry.points // self.step
        if entry.hot and self.with_bonus:
            return self.levels[level.hot_dice + 1].first - level.first + on
        return on


def lay_out(model: TurnModel, tail: Tail) -> Grid:
    """Return the grid of a turn whose tail is known."""
    reach = max(entry.points for hand in model.hands for entry in hand.entries) // model.step
    if not model.bonus:
        solved = tail.start // model.step
        rows = solved + tail.multiple // model.step + reach + 1
        return Grid((Level(0, 0, 0, rows, solved),), rows, model.step, False)
    most = most_points(model)[-1]
    levels: list[Level] = []
    first = 0
    for hot_dice in range(tail.levels + 1):
        rows = most * (hot_dice + 1) // model.step + 1
        low = model.bonus_after(hot_dice) - model.bonus
        levels.append(Level(hot_dice, low, first, rows, rows if hot_dice < tail.levels else 0))
        first += rows + reach
    return Grid(tuple(levels), first, model.step, True)
