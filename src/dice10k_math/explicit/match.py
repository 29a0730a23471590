"""Small matches written out: every turn start, and what the endings of its turn lead to.

This is a second reading of the rules of a match, which shares nothing with races and fields.
It serves the exact judge, who evaluates it in whole numbers, and whoever proposes bounds to that judge.

*Parts.* A player's part of a turn start is a score, or an interval of scores far from where the match is decided;
whether the first bank has been made, where that matters; and the number of busts in a row, where they are counted.
A lower bound takes of the scores in an interval the one that is worst for the player, an upper bound the best, each
time anew.

*Rows.* An ending of a turn leads to rows of a table of waiting: the mover's parts (the other moves next), having won,
and having reached the target with a last turn of the other to come.
Where an ending may lead to several rows the worst counts for a lower bound, the best for an upper one.

*Edges.* Beyond a limit of the turn score, play is not followed: it ends in a bank with a probability between two
bounds.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import inf, lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dice10k_math.errors import InputError
from dice10k_math.explicit.levels import LastTurn, Levels, last_turns_of, mark_of
from dice10k_math.last_turn import compiled, hot_dice_within
from dice10k_math.odds import mean_best_score
from dice10k_math.program import FORCED, Program
from dice10k_math.rules import Ruleset, bank_step, least_reaching, penalties, score_step
from dice10k_math.turn import BankRule, HandModel, TurnModel, bank_rule, six_dice_penalty, turn_model

ADD, SUBTRACT = 0, 1
SHARED = "shared"
LEADS = {SHARED: 20, "extra_rounds": 24}
"""Lead past the target that is told apart, in scores of a typical roll, by what a tie means."""
MOST_LEAD = 100
FALLS = 4
"""How many of the greatest penalties levels are told apart beyond where something changes."""
MOST_LEVELS = 48
"""How many levels are told apart at most, if one penalty does not reach farther."""
Rows = tuple[int, ...]
"""Rows of the table of waiting that one ending can lead to."""


@dataclass(frozen=True, slots=True)
class Part:
    """A player's part of a turn start: scores from `low` to `high`, first bank made, busts in a row."""

    low: float
    high: float
    opened: bool = True
    busts: int = 0

    def __str__(self) -> str:
        return f"{self.low:g}" if self.low == self.high else f"{self.low:g} to {self.high:g}"


@dataclass(frozen=True, slots=True)
class Layout:
    """How far a match is written out, in points.

    Attributes
    ----------
    low, high
        From the one to the other every score is a part of its own.
    far
        Widths of the intervals that follow on either side, nearest first; beyond them there is one without end.
    most
        Greatest turn score that is followed, besides forced rolls.
    lead
        Greatest lead past the target up to which every one is told apart, where a last turn follows.
    sparse, most_lead
        From there on one in so many points is, up to a greatest one.
    ties
        Where it matters at which score both are level: from the one to the other every one is told apart, and around
        where something changes.
    """

    low: int
    high: int
    far: tuple[int, ...]
    most: int
    lead: int = 0
    sparse: int = 0
    most_lead: int = 0
    ties: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class Ways:
    """Where the endings of one part's turn lead.

    Attributes
    ----------
    banks
        For each bank row of the program, by way (add, subtract); None: not allowed.
    bust, bust_on_six
        Rows after a bust.
    beyond
        Rows that a bank beyond the limit can lead to; empty: such a bank is not allowed, and only six spicy dice win.
    """

    banks: tuple[tuple[Rows | None, Rows | None], ...]
    bust: Rows
    bust_on_six: Rows
    beyond: Rows


@dataclass(frozen=True, slots=True, eq=False)
class Nodes:
    """The classes of rolls of a hand as lists of entries whose beginnings are shared: a node is a beginning.

    Attributes
    ----------
    entry
        Last entry of each node.
    levels
        Nodes of 2, 3, ... entries, each level with the nodes that they continue.
    ends, weights
        The node and the number of outcomes of each class.
    """

    entry: NDArray[np.intp]
    levels: tuple[tuple[NDArray[np.intp], NDArray[np.intp]], ...]
    ends: NDArray[np.intp]
    weights: NDArray[Any]


class ExplicitMatch:
    """A two-player match written out.

    Attributes
    ----------
    parts
        The parts of turn starts; a turn start is a phase and a pair of their numbers, the mover's first.
    phases
        2 under equal turns (the first player's turn of a round, and the second's), else 1.
    busts
        How many numbers of busts in a row are told apart.
    won
        Row of the table of waiting: having won. The rows before it are the parts.
    rows
        Number of rows; those after `won` stand for having reached the target with each lead.
    leads, deficits
        The leads past the target, and the deficits before a last turn, that are told apart, in units; none where there
        is no last turn.
    levels
        The scores at which both can be level in extra rounds that are told apart.
    """

    def __init__(self, rules: Ruleset, layout: Layout) -> None:
        self.rules, self.layout = rules, layout
        self.model: TurnModel = turn_model(rules)
        self.unit, self.target = score_step(rules), least_reaching(rules)
        self.kind, self.overshoot = rules.ending.kind, rules.ending.overshoot
        self.phases = 2 if self.kind == "equal_turns" else 1
        self.busts = rules.bust.in_a_row.busts if rules.bust.in_a_row else 1
        first_bank = bank_rule(rules, self.target, opened=True)
        self.opened = BankRule(first_bank.minimum, first_bank.multiple)
        self.unopened = BankRule(bank_rule(rules, 0, opened=False).minimum, first_bank.multiple)
        self.remembers = rules.turn.opening_applies == "until_first_bank" and self.opened != self.unopened
        self.intervals = tuple(self._intervals())
        self.parts = tuple(self._parts())
        self._blocks: dict[tuple[bool, int], list[int]] = {(part.opened, part.busts): [] for part in self.parts}
        for number, part in enumerate(self.parts):
            self._blocks[part.opened, part.busts].append(number)
        self._ways: dict[tuple[int, int, bool], Ways] = {}
        self.won = len(self.parts)
        self.leads = self._marks(layout.lead)
        self.deficits = self._marks(self.target + layout.lead)
        self.rows = self.won + 1 + len(self.leads)
        self.levels = Levels(rules, self.unit, layout.ties)

    @property
    def has_last_turn(self) -> bool:
        """Whether the opponent of a player who reaches the target may have one more turn."""
        return self.kind in ("final_round", "equal_turns")

    @cached_property
    def program(self) -> Program:
        """The after-states of a turn."""
        forced = self.rules.turn.hot_dice == "must_roll" and not self.model.bonus
        most = self.layout.most + (FORCED if forced else 0)
        if self.deficits:
            most = max(most, last_limit(self, self.deficits[-1], shut=True))
        return compiled(self.rules, most, hot_dice_within(self.rules, most))

    @property
    def tie_shape(self) -> tuple[int, ...]:
        """Shape of what is said of ties: (busts, busts), after the levels if there are several."""
        level = (len(self.levels.intervals),) if self.levels.several else ()
        return (*level, self.busts, self.busts)

    @cached_property
    def last_turns(self) -> tuple[LastTurn, ...]:
        """The last turns that are worked out."""
        edges = {self.target - edge for part in self.parts for edge in (part.low, part.high)}
        behind = ((edge / self.unit + lead, self.target + lead * self.unit) for edge in edges for lead in self.leads)
        most = tie_limit(self, shut=True)
        banks = {most, tie_limit(self), *self.program.bank_scores.tolist()} if self.levels.several else {most}
        return last_turns_of(self.levels, self.deficits, behind, (bank // self.unit for bank in banks))

    @cached_property
    def _last_numbers(self) -> dict[LastTurn, int]:
        return {turn: number for number, turn in enumerate(self.last_turns)}

    def last_turn(self, deficit: float, total: int, *, lowest: bool) -> int | None:
        """Return the number of the last turn that stands for one below the target; None: it cannot be won."""
        mark = mark_of(self.deficits, deficit, lowest=lowest)
        return None if mark is None else self._last_numbers[LastTurn(False, mark, self.levels.at(total, total))]

    def answer_to(self, level: int, scored: int, *, lowest: bool) -> int | None:
        """Return the number of the last turn that stands for one which answers a bank of so many units at a level."""
        mark = mark_of(self.deficits, scored, lowest=lowest)
        return None if mark is None else self._last_numbers[self.levels.answer(level, mark)]

    def _marks(self, dense: int) -> tuple[int, ...]:
        """Return leads or deficits in units: all of them up to `dense` points, then sparse ones."""
        if not self.has_last_turn:
            return ()
        first, step = dense // self.unit, max(self.layout.sparse // self.unit, 1)
        return (*range(first + 1), *range(first + step, self.layout.most_lead // self.unit + 1, step))

    @cached_property
    def nodes(self) -> tuple[Nodes, ...]:
        """The classes of each hand."""
        return tuple(_nodes(hand) for hand in self.model.hands)

    def _intervals(self) -> Iterator[tuple[float, float]]:
        unit, low, high = self.unit, self.layout.low, self.layout.high
        if penalties(self.rules) or self.overshoot == "add_or_subtract":
            edges = [low]
            for width in self.layout.far:
                edges.append(edges[-1] - width)
            yield -inf, edges[-1] - unit
            yield from ((start, end - unit) for end, start in reversed(list(pairwise(edges))))
        yield from ((score, score) for score in range(low, high + 1, unit))
        if self.overshoot == "add_or_subtract":
            end = high
            for width in self.layout.far:
                yield end + unit, end + width
                end += width
            yield end + unit, inf

    def _parts(self) -> Iterator[Part]:
        falls = bool(penalties(self.rules))
        for opened in (True, False) if self.remembers else (True,):
            for busts in range(self.busts):
                for low, high in self.intervals:
                    never = low == high == 0 and opened and self.remembers and not falls
                    if not never and (opened or high <= 0):
                        yield Part(low, high, opened, busts)

    def number(self, score: int, opened: bool | None = None, busts: int = 0) -> int:
        """Return the number of the part that holds a score; a score other than 0 counts as having banked.

        Raises
        ------
        InputError
            A part that cannot be.
        """
        if opened is None:
            opened = score != 0
        # Where it makes no difference, who has not banked yet is told apart from nobody.
        opened = opened or not self.remembers
        found = self._overlapping(score, score, opened, busts) if score % self.unit == 0 else ()
        if len(found) != 1:
            raise InputError(
                f"score: {score} with {busts} busts in a row cannot be in {self.rules.name}; "
                f"scores are multiples of {self.unit}"
            )
        return found[0]

    def _overlapping(self, low: float, high: float, opened: bool, busts: int = 0) -> Rows:
        return tuple(
            number
            for number in self._blocks.get((opened, busts), ())
            if self.parts[number].low <= high and self.parts[number].high >= low
        )

    def rule_of(self, part: Part) -> BankRule:
        """Return which turn scores may be banked from a part."""
        if self.rules.turn.opening_applies == "at_score_zero":
            return self.unopened if part.low == part.high == 0 else self.opened
        return self.opened if part.opened else self.unopened

    def rule(self, *, shut: bool) -> BankRule:
        """Return which turn scores may be banked in extra rounds, with an opening bank to make or not."""
        return self.unopened if shut else self.opened

    def limit(self, part: Part, phase: int = 0) -> int:
        """Return the turn score beyond which choices are not followed."""
        if self.overshoot == "add_or_subtract" or part.low == -inf:
            return self.layout.most
        more = self.layout.lead if self.has_last_turn and phase == 0 else 0
        needed = int(self.target - part.low) + more
        return min(self.layout.most, max(needed, self.rule_of(part).minimum))

    def ways_of(self, phase: int, part: int, *, lowest: bool) -> Ways:
        """Return where the endings of a part's turn lead, for a lower or an upper bound."""
        key = phase, part, lowest
        if key not in self._ways:
            self._ways[key] = self._find_ways(self.parts[part], phase, lowest)
        return self._ways[key]

    def _find_ways(self, part: Part, phase: int, lowest: bool) -> Ways:
        rule = self.rule_of(part)
        subtracts = self.overshoot == "add_or_subtract" and part.low > self.target
        banks = []
        for turn_score in self.program.bank_scores.tolist():
            add = subtract = None
            if rule.allows(turn_score):
                add = self._added(part, turn_score, phase, lowest) or None
                if subtracts:
                    subtract = self._landed(part.low - turn_score, part.high - turn_score) or None
            banks.append((add, subtract))
        return Ways(
            tuple(banks),
            self._bust_rows(part, on_six=False),
            self._bust_rows(part, on_six=True),
            self._beyond(part, phase, lowest),
        )

    def _added(self, part: Part, turn_score: int, phase: int, lowest: bool) -> Rows:
        low, high = part.low + turn_score, part.high + turn_score
        if self.kind == "exact":
            if self.overshoot == "not_allowed":
                if (high if lowest else low) > self.target:
                    return ()
                high = min(high, self.target)
            return self._landed(low, high, from_target=part.low == self.target)
        below = self._overlapping(low, min(high, self.target - self.unit), opened=True) if low < self.target else ()
        if high < self.target:
            return below
        # Of the totals that an interval can make the one that counts: a greater one is worth more.
        return (*below, self._reached(max(low, self.target) if lowest else high, phase, lowest))

    def _reached(self, total: float, phase: int, lowest: bool) -> int:
        """Return the row of having reached the target with a total."""
        if not self.has_last_turn or phase == 1:
            return self.won
        lead = int(total - self.target) // self.unit
        # A greater lead is worth more.
        place = bisect_right(self.leads, lead) - 1 if lowest else bisect_left(self.leads, lead)
        return self.won if place == len(self.leads) else self.won + 1 + place

    def _landed(self, low: float, high: float, *, from_target: bool = False) -> Rows:
        """Where scores from `low` to `high` put a player under an exact target."""
        on_target = low <= self.target <= high and not from_target
        found = self._overlapping(low, high, opened=True)
        if on_target:
            found = tuple(row for row in found if self.parts[row].low != self.target)
        return found + ((self.won,) if on_target else ())

    def after_bust(self, score: float, busts: int, *, on_six: bool) -> tuple[int, int]:
        """Return the busts in a row after one more, and what it costs a player with this score."""
        lost, in_a_row = six_dice_penalty(self.rules, int(score)) if on_six else 0, self.rules.bust.in_a_row
        if in_a_row is None:
            return 0, lost
        return (0, lost + in_a_row.penalty) if busts + 1 == in_a_row.busts else (busts + 1, lost)

    def _bust_rows(self, part: Part, *, on_six: bool) -> Rows:
        # What a bust costs may change within an interval, at some of these scores.
        edges = [row.below for row in self.rules.bust.on_six if row.below is not None]
        scores = [part.low, part.high, *edges, *(edge - 1 for edge in edges[:1])]
        inside = [score for score in scores if part.low <= score <= part.high and abs(score) < inf]
        found = {self.after_bust(score, part.busts, on_six=on_six) for score in inside}
        return tuple(
            sorted(
                row
                for busts, lost in found
                for row in self._overlapping(part.low - lost, part.high - lost, part.opened, busts)
            )
        )

    def _beyond(self, part: Part, phase: int, lowest: bool) -> Rows:
        """Rows that banks beyond the limit can lead to."""
        limit = self.limit(part, phase)
        low, single = part.low + limit, part.low == part.high
        if self.kind == "exact" and self.overshoot == "not_allowed":
            if lowest or (low >= self.target and single):
                return ()
            return self._landed(low, self.target)
        if self.kind == "exact":
            found = self._landed(low, inf, from_target=part.low == self.target)
            return found + (self._landed(-inf, part.high - limit) if part.low > self.target else ())
        below = self._overlapping(low, self.target - self.unit, opened=True) if low < self.target else ()
        total = max(low, self.target)
        return (*below, self._reached(total, phase, lowest) if lowest else self.won)


def _nodes(hand: HandModel) -> Nodes:
    """Lay out the classes of a hand, the entries that occur most often first, so that many beginnings are shared."""
    often = Counter(number for roll in hand.classes for number in roll.entries)
    lists = [sorted(roll.entries, key=lambda number: (-often[number], number)) for roll in hand.classes]
    known: dict[tuple[int, ...], int] = {}
    for entries in lists:
        for size in range(1, len(entries) + 1):
            known.setdefault(tuple(entries[:size]), len(known))
    levels = []
    # A hand may be one that no roll of scores.
    for size in range(2, max(map(len, known), default=0) + 1):
        level = [prefix for prefix in known if len(prefix) == size]
        levels.append((np.array([known[p] for p in level]), np.array([known[p[:-1]] for p in level])))
    return Nodes(
        np.array([prefix[-1] for prefix in known], np.intp),
        tuple(levels),
        np.array([known[tuple(entries)] for entries in lists], np.intp),
        np.array([roll.weight for roll in hand.classes], object),
    )


def kinds_of_edges(match: ExplicitMatch) -> int:
    """Return the multiple by which remainders of turn scores tell edges apart."""
    return lcm(bank_step(match.rules), match.model.step)


def last_limit(match: ExplicitMatch, most: int, *, shut: bool = False) -> int:
    """Return the turn score beyond which a last turn is won by banking, whatever deficit it has up to a greatest."""
    return max((most + 1) * match.unit, match.rule(shut=shut).minimum)


def tie_limit(match: ExplicitMatch, *, shut: bool = False) -> int:
    """Return the turn score beyond which choices are not followed when leading off an extra round."""
    return max(match.layout.lead, match.rule(shut=shut).minimum)


def layout_of(rules: Ruleset) -> Layout:
    """Return a layout that keeps the bounds of a small match close together.

    Bounds hold for every layout; how close they are was measured.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules, with_target
    >>> layout_of(with_target(load_rules("farkle"), 600)).high
    550
    """
    target, unit = least_reaching(rules), score_step(rules)
    typical = int(mean_best_score(rules, rules.turn.dice)) // unit + 1
    fall = max((*penalties(rules), 0))
    # Widths of far intervals grow with the distance.
    far = tuple(factor * max(typical, fall // (2 * unit)) * unit for factor in (1, 1, 2, 2, 4))
    low = -2 * fall
    if rules.ending.overshoot == "add_or_subtract":
        most = target + 2 * fall + 8 * typical * unit
        return Layout(low, target + 2 * fall + 2 * typical * unit, far, most)
    lead = (
        LEADS[rules.ending.tie or SHARED] * typical * unit if rules.ending.kind in ("final_round", "equal_turns") else 0
    )
    changes = (0, *(row.below for row in rules.bust.on_six if row.below is not None))
    reach = min(FALLS * fall, max(fall, MOST_LEVELS // 2 * unit))
    return Layout(
        low,
        target - unit,
        far if fall else (),
        target - low + lead,
        lead,
        typical * unit,
        MOST_LEAD * typical * unit,
        (min(changes) - reach, max(changes) + reach),
    )
