"""The search for the policy of a card, in a small family.

* What rolling on counts: points and percent of the turn score for each number of dice left, found by climbing from a
  straight line through the values of the best turn. Players without points, and players near the end, have counts of
  their own.
* How much more (or less) rolling on counts, by both scores in bands: multiples of 50 points; and whether to bank only
  what reaches the target.
* In a last turn only being ahead matters: worths of the dice left.

The family is searched by what the turns give away (`Losses`), so nothing here is exact, and nothing needs to be.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from dice10k_math.cards.losses import Losses
from dice10k_math.cards.near import Near
from dice10k_math.errors import InputError
from dice10k_math.policy import (
    GOAL,
    NEVER,
    Case,
    Condition,
    KeepWorths,
    RollCounts,
    ThresholdPolicy,
    Thresholds,
)
from dice10k_math.policy.cases import Subject
from dice10k_math.policy.thresholds import ByDice
from dice10k_math.program import Floats
from dice10k_math.questions.turn import TurnSolution, solve_turn
from dice10k_math.rules import Ruleset, bank_step
from dice10k_math.rules.steps import point_step
from dice10k_math.turn import bank_rule

BOLD = tuple(range(-100, 601, 50))
EDGES = (0.2, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.98)
"""Parts of the target at which a band of scores may begin."""
MOST_BANDS = 9
WORTH_WHILE = 4e-5
"""Win probability that one more edge must save."""
DEFICITS = (300, 500, 700, 900, 1200, 1500, 2000, 2750)
"""Deficits, in points, that stand for all in the search for the last turn."""
MOST_HOT_DICE = 2
"""Hot dice of turns to which the straight lines are fitted."""
STEPS = (20, 10, 5)
LAST_STEPS = (50, 20, 10)
"""By how much a number is changed in a search."""


LEADS = (0, 200, 300, 400, 500, 600, 800)
"""Leads, in points, that are tried."""


class Cell(NamedTuple):
    """What changes in a band of scores.

    Attributes
    ----------
    bold
        How much more rolling counts.
    goal
        Whether nothing is banked that does not reach the target.
    one_die
        High stakes: least offered turn score to take over with one die; None: as elsewhere.
    """

    bold: int
    goal: bool = False
    one_die: int | None = None


@dataclass(frozen=True, slots=True)
class Findings:
    """What a card is made of.

    Attributes
    ----------
    counts
        What rolling on counts.
    opening
        The same for a player with no points yet; None: the same.
    lead
        With less of a lead, in points, nothing is banked that reaches the target while others have a turn after it.
    edges, bold
        Where each band of scores begins, in points, and how much more rolling counts, by own band and the other's;
        under equal turns a second table for the second player of a round.
    last
        Worths of the dice left in a last turn.
    take, leave
        High stakes: least offered turn score to take over, by dice; and which part of what a bank is above that it
        leaves to the other, in percent, the same for all dice.
    one_die
        High stakes: least offered turn score to take over with one die, cell by cell as in `bold`; () as in `take`.
    reach, far
        High stakes: least lead before the turn with which to bank what reaches the target, by dice left; and from how
        far behind on that is banked too.
    opening_take
        High stakes: as `take`, for a player with no points yet; None: the same.
    last_take
        High stakes, in a last turn: from how far behind on which offers are taken over, in rising order.
    goal
        Whether nothing is banked that does not reach the target, cell by cell as in `bold`; () nowhere.
    near
        Where the target must be hit: what counts near it, and how much more rolling counts far away.
    """

    counts: RollCounts
    opening: RollCounts | None = None
    lead: int = 0
    edges: tuple[int, ...] = (0,)
    bold: tuple[tuple[tuple[int, ...], ...], ...] = ()
    last: KeepWorths | None = None
    take: ByDice = ()
    goal: tuple[tuple[tuple[bool, ...], ...], ...] = ()
    near: Near | None = None
    leave: int = 0
    one_die: tuple[tuple[int, ...], ...] = ()
    reach: ByDice = ()
    last_take: tuple[tuple[int, ByDice], ...] = ()
    far: ByDice = ()
    opening_take: ByDice | None = None

    def cells(self, phase: int) -> tuple[tuple[Cell, ...], ...]:
        """Return the cells of a table."""
        table = self.bold[phase]
        goals = self.goal[phase] if self.goal else tuple((False,) * len(row) for row in table)
        none: tuple[int | None, ...] = (None,) * len(table)
        ones = self.one_die or (none,) * len(table)
        return tuple(tuple(map(Cell, *rows)) for rows in zip(table, goals, ones, strict=True))

    def taken(self, one_die: int | None) -> ByDice:
        """Return what is taken over, with an amount of its own for one die."""
        if one_die is None:
            return self.take
        rest = tuple(each for each in self.take if each[0] > 1)
        return rest if one_die == NEVER else (*rest, (1, one_die))


def straight_counts(turn: TurnSolution) -> RollCounts:
    """Fit what rolling counts to the values of a turn: a straight line for each number of dice.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> straight_counts(solve_turn(load_rules("farkle"), score=1000, exact=False)).percent
    (30, 54, 71, 79, 82, 93)
    """
    dice, step = turn.rules.turn.dice, point_step(turn.rules)
    lines = []
    for left in range(1, dice + 1):
        scores = range(step * (dice - left), 13 * step, step) if left < dice else range(6 * step, 30 * step, step)
        known = [(score, value) for score in scores if (value := _roll_value(turn, left, score)) is not None]
        lines.append(np.polyfit([score for score, _ in known], [value for _, value in known], 1))
    points = tuple(5 * round(float(line[1]) / 5) for line in lines)
    return RollCounts(points, tuple(min(100, max(0, round(100 * float(line[0])))) for line in lines))


def _roll_value(turn: TurnSolution, left: int, score: int) -> float | None:
    """Return what rolling on is worth, with as few hot dice as can be; None: the turn score cannot be."""
    for hot_dice in range(MOST_HOT_DICE + 1 if turn.rules.turn.hot_dice_bonus else 1):
        try:
            return turn.roll_value(_dice(turn.rules, left), score, hot_dice)
        except InputError:
            continue
    return None


def climb(start: RollCounts, gain: Callable[[RollCounts], float], *, may_stick: bool = False) -> RollCounts:
    """Change one number, or both of one number of dice, as long as that gains.

    `may_stick`: some turn scores cannot be banked, so what is taken off for them are numbers too.
    """
    best, most = start, gain(start)
    for step in STEPS:
        moved = True
        while moved:
            moved = False
            for candidate in _neighbours(best, step, may_stick=may_stick):
                found = gain(candidate)
                if found > most + 1e-9:
                    best, most, moved = candidate, found, True
    return best


def _neighbours(counts: RollCounts, step: int, *, may_stick: bool) -> list[RollCounts]:
    part = step // 5
    found = []
    for place in range(len(counts.points)):
        for more, steeper in ((step, 0), (-step, 0), (0, part), (0, -part), (step, -part), (-step, part)):
            points, percent = list(counts.points), list(counts.percent)
            points[place] += more
            percent[place] += steeper
            if 0 <= percent[place] <= 100:
                found.append(RollCounts(tuple(points), tuple(percent), counts.unbankable))
    return found + (_otherwise_off(counts, step) if may_stick else [])


def _otherwise_off(counts: RollCounts, step: int) -> list[RollCounts]:
    """Return counts that take more or less off for turn scores that cannot be banked: by all dice, or by one number."""
    numbers = range(len(counts.offs))
    changed = [range(len(counts.offs)), *((number,) for number in numbers)]
    return [
        replace(counts, unbankable=tuple(max(0, counts.offs[at] + change * (at in places)) for at in numbers))
        for places in changed
        for change in (step, -step)
    ]


def _dice(rules: Ruleset, left: int) -> int | tuple[int, ...]:
    """Return a hand of so many dice: of spicy dice those of the smallest faces."""
    spicy = rules.variants.spicy_faces
    return left if spicy is None else tuple(sorted(spicy))[:left]


OFFS = 0, 0, 30, 50, 70, 90
"""What is first taken off, by dice, for a turn score that cannot be banked."""
USUAL = 0.1
"""Part of the target at which the points of a turn are told."""


def usual_score(rules: Ruleset) -> int:
    """Return the score at which the points of a turn are told."""
    step = bank_step(rules)
    return max(step, round(USUAL * rules.ending.target / step) * step)


def find_points(rules: Ruleset, points_of: Callable[[RollCounts], float], score: int | None = None) -> RollCounts:
    """Return the counts that bring the most points a turn, near those of the best turn at a score."""
    score = usual_score(rules) if score is None else score
    start = straight_counts(solve_turn(rules, score=score, opened=score != 0, exact=False))
    if bank_step(rules) == point_step(rules):
        return climb(start, points_of)
    return climb(replace(start, unbankable=OFFS[: rules.turn.dice]), points_of, may_stick=True)


def find_card(losses: Losses) -> Findings:
    """Search the family for what loses least in a solved match."""
    rules, unit = losses.rules, losses.race.unit
    counts = find_points(rules, losses.points_per_turn)
    opening = counts
    if bank_rule(rules, 0, opened=False) != bank_rule(rules, 0, opened=True):
        first = losses.visits(counts, counts)[0][:, 0]
        start = straight_counts(solve_turn(rules, score=0, exact=False))
        opening = climb(start, lambda keep: float((first * losses.openings(keep)).sum()))
    visits, deficits = losses.visits(counts, opening)
    lead = _find_lead(losses, counts, visits)
    given = _given_away(losses, (counts, opening), lead // unit, visits)
    edges = _find_edges(given)
    best = [_best(given[:, phase], edges) for phase in range(losses.race.phases)]
    return Findings(
        counts,
        None if opening == counts else opening,
        lead,
        tuple(edge * unit for edge in edges),
        tuple(bold for bold, _ in best),
        _find_last(losses, deficits) if losses.race.has_last_turn else None,
        goal=tuple(goal for _, goal in best),
    )


def _find_lead(losses: Losses, counts: RollCounts, visits: Floats) -> int:
    """Return the lead, in points, without which it is best not to reach the target."""
    if not losses.race.has_last_turn:
        return 0
    unit = losses.race.unit
    leads = [lead for lead in LEADS if lead % unit == 0]
    gains = [float((losses.turns_with_lead(counts, lead // unit) * visits).sum()) for lead in leads]
    return leads[int(np.argmax(gains))]


def _given_away(losses: Losses, counts: tuple[RollCounts, RollCounts], lead: int, visits: Floats) -> Floats:
    """Return what is given away, by way of playing and turn start: first by boldness, then the same for the goal."""
    usual, opening = counts
    given = []
    for turns in (losses.turns_with_lead, losses.turns_to_target):
        for bold in BOLD:
            worth = turns(usual.bolder(bold), lead)
            worth[:, 0] = losses.openings(opening)
            given.append((losses.value - worth) * visits / 2)
    return np.array(given)


def _find_edges(given: Floats) -> tuple[int, ...]:
    """Return where bands begin, in units: one edge more as long as it saves enough."""
    size = given.shape[-1]
    chosen, lost = (0,), _lost(given, (0,))
    candidates = {edge for part in EDGES if 0 < (edge := round(part * size)) < size}
    while candidates and len(chosen) < MOST_BANDS:
        tried = {edge: _lost(given, tuple(sorted((*chosen, edge)))) for edge in candidates}
        best = min(tried, key=lambda edge: (tried[edge], edge))
        if lost - tried[best] < WORTH_WHILE:
            break
        chosen, lost = tuple(sorted((*chosen, best))), tried[best]
        candidates.remove(best)
    return chosen


def _lost(given: Floats, edges: tuple[int, ...]) -> float:
    return float(sum(_by_cell(given[:, phase], edges).min(axis=0).sum() for phase in range(given.shape[1])))


def _by_cell(given: Floats, edges: tuple[int, ...]) -> Floats:
    """Sum what is given away over the turn starts of each cell; shape (choices, own bands, bands of the other)."""
    return np.add.reduceat(np.add.reduceat(given, edges, axis=1), edges, axis=2)


def _best(given: Floats, edges: tuple[int, ...]) -> tuple[tuple[tuple[int, ...], ...], tuple[tuple[bool, ...], ...]]:
    """Return the best boldness of each cell, and whether to bank for the goal only."""
    best = _by_cell(given, edges).argmin(axis=0).tolist()
    return (
        tuple(tuple(BOLD[choice % len(BOLD)] for choice in row) for row in best),
        tuple(tuple(choice >= len(BOLD) for choice in row) for row in best),
    )


def _find_last(losses: Losses, deficits: Floats) -> KeepWorths:
    """Return worths of the dice left for a last turn."""
    unit = losses.race.unit
    chosen = [points // unit for points in DEFICITS]
    borders = [0, *((low + high) // 2 for low, high in pairwise(chosen)), len(deficits)]
    weights = [float(deficits[low:high].sum()) for low, high in pairwise(borders)]

    def gain(worths: list[int]) -> float:
        keep = KeepWorths(tuple(worths))
        return -sum(weight * losses.last_turn(keep, deficit) for weight, deficit in zip(weights, chosen, strict=True))

    dice = losses.rules.turn.dice
    best = [0, -50, 0, 100, 250, 500][:dice]
    most = gain(best)
    for step in LAST_STEPS:
        moved = True
        while moved:
            moved = False
            for place in range(dice):
                for change in (step, -step):
                    worths = [worth + change * (number == place) for number, worth in enumerate(best)]
                    found = gain(worths)
                    if found > most + 1e-9:
                        best, most, moved = worths, found, True
    return KeepWorths(tuple(best))


def policy_of(rules: Ruleset, found: Findings) -> ThresholdPolicy:
    """Return the policy that a card describes."""
    target = rules.ending.target
    cases: list[Case] = []
    if found.last is not None:
        there = (Condition("opponent", at_least=True, points=target), Condition("own", at_least=False, points=target))
        # From the greatest deficit down, so that only lower ends need be said.
        for behind, take in reversed(found.last_take):
            far = (*there, Condition("behind", at_least=True, points=behind))
            cases.append(Case(far, Thresholds(0), keep=found.last, take=take))
        if not found.last_take:
            cases.append(Case(there, Thresholds(0), keep=found.last))
    if found.opening is not None:
        none = (Condition("own", at_least=False, points=1),)
        cases.append(Case(none, Thresholds(0), keep=found.opening, take=found.opening_take))
    # The last table is that of the second player of a round, where there are two.
    for phase in reversed(range(1, len(found.bold))):
        cases += _cases_of(found, phase, (Condition("closing", at_least=True, points=1),))
    if found.bold:
        cases += _cases_of(found, 0, ())
    if found.near is not None:
        cases += _near_cases(found.near)
    lead = found.lead or None
    leave = (found.leave,) * rules.turn.dice if found.leave else ()
    return ThresholdPolicy(
        Thresholds(0),
        found.counts,
        tuple(cases),
        "win",
        lead,
        reach=found.reach,
        take=found.take,
        leave=leave,
        far=found.far,
    )


def _near_cases(near: Near) -> list[Case]:
    """Return the cases of a target that must be hit, from the nearest zone on, then by rising own scores."""
    cases: list[Case] = []
    for zone in near.zones:
        within = Condition("to_go", at_least=False, points=zone.below)
        for rival, places in zip(near.rivals, zone.places, strict=True):
            cases.append(Case((within, *rival.conditions), Thresholds(0), keep=places))
    for edge, row in zip(near.edges, near.bold, strict=True):
        below = Condition("own", at_least=False, points=edge)
        for rival, bold in zip(near.rivals, row, strict=True):
            cases.append(Case((below, *rival.conditions), Thresholds(0), bold))
    return cases


SIDES: tuple[Subject, Subject] = ("own", "opponent")


def _cases_of(found: Findings, phase: int, always: tuple[Condition, ...]) -> list[Case]:
    """Return the cases of a table of cells, band by band in rising order, so that only upper ends need be said."""
    cases: list[Case] = []
    ends = (*found.edges[1:], None)
    for own, row in enumerate(found.cells(phase)):
        for other, cell in enumerate(row):
            if row[other + 1 : other + 2] == (cell,):
                continue
            ended = zip(SIDES, (ends[own], ends[other]), strict=True)
            limits = [Condition(who, at_least=False, points=end) for who, end in ended if end is not None]
            conditions = (*always, *limits) or (Condition("own", at_least=True, points=found.edges[own]),)
            take = None if cell.one_die is None else found.taken(cell.one_die)
            cases.append(Case(conditions, Thresholds(GOAL if cell.goal else 0), cell.bold, take=take))
    return cases
