"""Two-player matches in which no score ever falls: turn starts, their order, and what the endings of a turn are worth
in them.

With no penalties and no subtracting, a bank raises the sum of both scores and a bust leaves it. So the turn starts
are taken in falling order of
the sum, and only the two that a bust leads back and forth between depend on each other.

Turn starts of one sum lie in one row of a table, the opponent's score being the column: then banking a turn score T
leads from row S to row S + T in the same
column, which is what the operator wants.

*Phases.* Under equal turns it matters who had the first turn of the round, so there are two phases, 0 for the first
player's turn and 1 for the second's.
Under the other endings there is one.

*Last turn.* When a player has banked the target (in a final round; under equal turns: the first player), the other
has one turn left
and needs more than the difference; its worth depends on the difference alone.

Scores are counted in units: the greatest common divisor of what can be banked.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dice10k_math.backup import Blocks, Contexts, back_up
from dice10k_math.errors import InputError
from dice10k_math.last_turn import Mask, Side, allowed, compiled, hot_dice_within, margin_of, most_lead
from dice10k_math.program import BLOCK, NEVER, Floats, Ints, Program, survival
from dice10k_math.rules import Ruleset, bank_step
from dice10k_math.turn import BankRule, TurnModel, bank_rule, turn_model

CAUTION = 0.5
"""Banking is taken to be best once the risk after it is this part of the risk of one more roll; the judge checks what
that costs."""


@dataclass(frozen=True, slots=True)
class RowWorth:
    """What the endings of the turns of one row are worth.

    Attributes
    ----------
    table
        Shape (phases * rows, scores): worth of waiting after a bank.
    bust
        Shape (scores,): worth of a bust, by column.
    last_turn
        Worth of a last turn by deficit, which says how far play can be worth while.
    least
        Like `table`, past the target: the least worth of banking at least as much; None: a greater lead is never worse.
    """

    table: Floats
    bust: Floats
    last_turn: Floats
    least: Floats | None = None


def is_race(rules: Ruleset) -> bool:
    """Tell whether no score can ever fall, and no bank passes an exact target."""
    return not rules.bust.on_six and rules.bust.in_a_row is None and rules.ending.overshoot != "add_or_subtract"


class Race:
    """The turn starts of a two-player match in which scores never fall.

    Attributes
    ----------
    unit
        Points in one unit of the score.
    scores
        Number of scores below the target; a score is a column 0 .. scores - 1.
    phases
        1, or 2 under equal turns.
    rows
        Number of rows of a table of one phase: the greatest sum that a bank can lead to, plus one.
    """

    def __init__(self, rules: Ruleset) -> None:
        if not is_race(rules):
            raise InputError(f"{rules.name}: scores can fall in this game")
        self.rules = rules
        self.model: TurnModel = turn_model(rules)
        self.unit = bank_step(rules)
        self.scores = -(-rules.ending.target // self.unit)
        self.phases = 2 if rules.ending.kind == "equal_turns" else 1
        self.opened = bank_rule(rules, rules.ending.target, opened=True)
        self.opened = BankRule(self.opened.minimum, bank_step(rules))
        self.unopened = BankRule(bank_rule(rules, 0, opened=False).minimum, self.opened.multiple)
        # Past an exact target nothing can be banked: the turn can only bust, or win by six spicy dice.
        self.low_survival, self.high_survival = survival(
            self.model, lcm(bank_step(rules), self.model.step), banks=rules.ending.kind != "exact"
        )
        self.least_bust = min(hand.bust / hand.outcomes for hand in self.model.hands)
        self.margin = margin_of(self.model, self.opened)
        self.most = self.greatest_turn_score()
        self.rows = 2 * self.scores + int(self.program.bank_scores[-1]) // self.unit

    def greatest_turn_score(self) -> int:
        """Return up to which turn score, in points, turns are compiled."""
        # What is banked past a target between two scores is more than the target.
        return self.scores * self.unit + self.margin + (most_lead(self.rules) if self.has_last_turn else 0)

    def survival(self, side: Side) -> Floats:
        """Return the survival beyond the greatest turn score, for a bound on this side."""
        return self.low_survival if side.lowest else self.high_survival

    @property
    def has_last_turn(self) -> bool:
        """Whether the opponent of a player who reaches the target may have one more turn."""
        return self.rules.ending.kind in ("final_round", "equal_turns")

    @cached_property
    def program(self) -> Program:
        """The compiled turn."""
        return compiled(self.rules, self.most, hot_dice_within(self.rules, self.most))

    def columns(self, total: int) -> tuple[int, int]:
        """Return the first column of a row and the one after the last: the opponent's scores with which this sum can
        occur.
        """
        return max(0, total - self.scores + 1), min(total, self.scores - 1) + 1

    def limits(self, phase: int, total: int, bust: Floats, last_turn: Floats) -> Ints:
        """Return, by column, the turn score beyond which a player does best to bank.

        Past the target, with a lead after which the opponent still wins with probability f, banking is worth 1 - f;
        one more roll can bring at most 1 where it does not bust, and what a bust is worth where it does.
        So banking is best once f is at most the chance of a bust times what a bust costs.
        """
        first, end = self.columns(total)
        opponent = np.arange(first, end)
        return self.limits_of(phase, total - opponent, opponent, bust[first:end], last_turn)

    def limits_of(self, phase: int, own: NDArray[Any], opponent: NDArray[Any], bust: Floats, last_turn: Floats) -> Ints:
        """Return the same for any turn starts, scores in units."""
        needed = self.scores - own
        if self.has_last_turn and phase == 0:
            risk = CAUTION * self.least_bust * (1.0 - bust)
            lead = np.searchsorted(-last_turn, -risk)
            needed = np.maximum(needed, opponent - own + lead)
        return np.minimum(needed * self.unit + self.margin, self.most).astype(np.int32)

    def blocks(self, total: int, limits: Ints) -> Blocks:
        """Return the turn starts of one row as blocks; group 1 is of the player who has not banked yet."""
        first, end = self.columns(total)
        unopened = total < self.scores and self.unopened != self.opened
        stop = end - 1 if unopened else end
        found = [
            (0, start, min(BLOCK, stop - start), limits[start - first : min(start + BLOCK, stop) - first].max())
            for start in range(first, stop, BLOCK)
        ]
        if unopened:
            found.append((1, total, 1, limits[-1]))
        return np.array(found, np.int64)

    def bank_rows(self, phase: int, total: int) -> Ints:
        """Return the row that each bank leads to in a table of all phases, or -1 where banking is not allowed.

        Returns
        -------
        ndarray of shape (2, bank rows)
            For a player who has banked before, and for one who has not.
        """
        steps, may_bank = self._banks
        return np.where(may_bank, steps + np.int32(phase * self.rows + total), np.int32(-1))

    @cached_property
    def _banks(self) -> tuple[Ints, Mask]:
        """Turn scores in units, and whether they may be banked, for a player who has banked before and for another."""
        scores = self.program.bank_scores
        may_bank = np.stack([allowed(rule, scores) for rule in (self.opened, self.unopened)])
        return scores // np.int32(self.unit), may_bank

    def turn(self, phase: int, total: int, worth: RowWorth, side: Side, only: Mask | None = None) -> Floats:
        """Back up the turn of every turn start of one row.

        Parameters
        ----------
        phase, total
            The row.
        worth
            What the endings are worth.
        side
            Rounding.
        only
            Columns to back up; default: all.

        Returns
        -------
        ndarray of shape (scores,)
            Not a number where there is no turn start, or none that was asked for.
        """
        contexts, blocks = self._posed(phase, total, worth, side)
        if only is not None:
            blocks = np.array([block for block in blocks if only[block[1] : block[1] + block[2]].any()])
        values = back_up(
            self.program,
            contexts,
            self.survival(side),
            blocks=blocks,
            lowest=side.lowest,
            nudge=side.nudge(self.program),
        )
        return values[0] if len(values) == 1 else np.where(np.isnan(values[1]), values[0], values[1])

    def _posed(self, phase: int, total: int, worth: RowWorth, side: Side) -> tuple[Contexts, Blocks]:
        """Return the turns of one row as contexts and blocks."""
        blocks = self.blocks(total, self.limits(phase, total, worth.bust, worth.last_turn))
        least = worth.table if worth.least is None else worth.least
        top = self._top(phase, total, least, blocks) if side.lowest else np.ones(self.scores)
        rows = self.bank_rows(phase, total)
        bust, top = np.stack([worth.bust] * len(rows)), np.stack([top] * len(rows))
        return Contexts(worth.table, rows, bust, bust, top), blocks

    def _top(self, phase: int, total: int, table: Floats, blocks: Blocks) -> Floats:
        """Return a lower bound, by column, for banking more than the limit, or for what else saves the turn."""
        top = np.ones(self.scores)
        for _, start, width, limit in blocks:
            row = phase * self.rows + total + limit // self.unit
            top[start : start + width] = table[row, start : start + width]
        return self.saved(top)

    def saved(self, banked: Floats) -> Floats:
        """Return what saving a turn beyond the limit is worth, from what a bank is worth there.

        Past an exact target there is none, and six spicy dice, which win, are all that saves it.
        """
        return np.ones_like(banked) if self.rules.ending.kind == "exact" else banked

    def other(self, phase: int) -> int:
        """Return the phase of the other player's turn."""
        return (phase + 1) % self.phases

    def fill_past_target(self, table: Floats, last_turn: Floats, beyond: float) -> None:
        """Write the worth of having reached the target into a table of waiting.

        Parameters
        ----------
        table
            Shape (phases * rows, scores).
        last_turn
            Shape (leads,): worth for the opponent of the last turn, by how far behind he is.
        beyond
            The same for greater leads.
        """
        own = np.arange(self.rows)[:, None] - np.arange(self.scores)[None, :]
        lead = np.maximum(own - np.arange(self.scores)[None, :], 0)
        past = own >= self.scores
        exact = self.rules.ending.kind == "exact"
        for phase in range(self.phases):
            part = table[phase * self.rows : (phase + 1) * self.rows]
            if self.has_last_turn and phase == 0:
                worth = 1.0 - np.append(last_turn, beyond)[np.minimum(lead, len(last_turn))]
            else:
                worth = np.ones_like(part)
            part[past] = worth[past]
            if exact:
                part[own > self.scores] = NEVER
