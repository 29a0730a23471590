"""The search for what a card says near a target that must be hit.

What counts there is the place that a turn leads to, not its points. What a place is worth is read off the solved match,
for a few kinds of rivals. Where rolling leads is one chart for all of them: chances to land on the target, and to come
to a good place. They are fitted to the turns that are best for coming to such places, and then tuned to what turns by
them give away (see `tuning`).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from dice10k_math.cards.falls import MOST_FOLLOWED, Falls
from dice10k_math.cards.tuning import ROUNDS, Said, Tuner, parts_of
from dice10k_math.endings import TurnEndings
from dice10k_math.plans import follow_plan
from dice10k_math.policy import Condition, Places, Plan, Reach, RollCounts, ThresholdPolicy, seat
from dice10k_math.policy.keeping import WINS
from dice10k_math.program import Floats
from dice10k_math.rules import Ruleset, bank_step
from dice10k_math.turn import BankRule, bank_rule, turn_model
from dice10k_math.workers import Share, nth_part

Ints = NDArray[np.int64]
Hopes = NDArray[np.int64]
"""What good places are worth, row by row of a chart, in wins of 10,000 matches."""
Chart = tuple[Ints, Ints, Ints, Ints]
"""Where rolling leads: what is left, and by that and the dice the chances to land and to come, in percent; and by the
dice what is taken off the latter where what is left is between two places."""
FADE = 300.0
"""Turn score, in points, over which what comes later in a turn counts less in the fit."""
GOOD = 600
"""How much nearer, in points, good places are than what is left."""
SMOOTH = 2
"""Steps on either side over which the hope is a mean."""
STIFF = 1e-4, 1e-2, 1e-2
"""How much the chances of neighbouring rows are held together, in each chart from the nearest to the target on."""
RARE = 1e-6
"""Visits of a turn start below which it does not matter."""
SPARE = 1000
"""Points past the target up to which turns are part of the fit."""
PLACES = (*range(16), 17, 20, 25, 30, 40, 50, 70, 100)
"""Places that a card lists, in steps of a bank."""
HOPES = (10, 15, 20, 25, 30, 40, 50, 70)
"""What can be left for the hope that a card lists, in steps of a bank."""
BOLD = (-100, -50, 0, 50, 100, 150, 200, 300, 400, 600, 800, 1200)
"""How much more rolling counts, in points, that is tried."""
OWN_EDGES = (0.1, 0.2, 1.0)
"""Parts of the target at which a band of own scores ends, far away."""
RIVAL_EDGES = (0.3, 0.5, 0.65, 0.8)
"""Parts of the target at which a band of rivals' scores ends."""
NEAR, AFAR, FAR = 0.2, 0.4, 0.7
"""Parts of the target within which places count, by the first, the second and the last chart."""
MOST_HALVED = 7
"""How many steps of a bank can be left for the first chart to have a row also between two places."""
MIDDLE_ROWS = (-10, 0, 3, 5, 7, 10, 13, 16, 20, 25, 30, 35)
"""Rows of the second chart, in steps of a bank."""
LAST_ROWS = (-10, 0, 10, 20, 25, 30, 35, 40, 45, 50, 55, 60, 65)
"""Rows of the last chart."""


@dataclass(frozen=True, slots=True)
class Rival:
    """A kind of opponents, by where they stand.

    Attributes
    ----------
    name
        In words.
    conditions
        What holds of them and of none of the kinds before.
    """

    name: str
    conditions: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Zone:
    """What counts within some distance of the target.

    Attributes
    ----------
    below
        The distance, in points: it is less than this.
    places
        By kind of rival.
    """

    below: int
    places: tuple[Places, ...]


@dataclass(frozen=True, slots=True)
class Near:
    """What a card says about a target that must be hit.

    Attributes
    ----------
    rivals
        Kinds of opponents; the first that holds counts.
    zones
        From the nearest on.
    edges, bold
        Farther away: where bands of own scores end, in points, and how much more rolling counts by band and rival.
    """

    rivals: tuple[Rival, ...]
    zones: tuple[Zone, ...]
    edges: tuple[int, ...]
    bold: tuple[tuple[int, ...], ...]


def rivals_of(rules: Ruleset) -> tuple[Rival, ...]:
    """Return the kinds of opponents that a card tells apart: those who may land, those near them, then by score."""
    step, target = bank_step(rules), rules.ending.target
    least = bank_rule(rules, target, opened=True).minimum
    near, far = least + 2 * step, least + 5 * step
    landing = Condition("opponent_to_go", True, least), Condition("opponent_to_go", False, near)
    close = Condition("opponent_to_go", True, near), Condition("opponent_to_go", False, far)
    found = [Rival(f"{least:,} or {least + step:,} away", landing), Rival(f"{near:,} to {far - step:,} away", close)]
    for part in RIVAL_EDGES:
        edge = round(part * target)
        found.append(Rival(f"below {edge:,}", (Condition("opponent", False, edge),)))
    return (*found, Rival(f"{round(RIVAL_EDGES[-1] * target):,} or more", ()))


def _masks(falls: Falls, rivals: tuple[Rival, ...]) -> list[Floats]:
    """Return which opponents' states are of each kind."""
    left = np.ones(len(falls.scores))
    found = []
    for rival in rivals:
        here = left.copy()
        for condition in rival.conditions:
            subject = falls.scores if condition.subject == "opponent" else falls.away
            here *= (subject >= condition.points) == condition.at_least
        found.append(here)
        left = left - here
    return found


def edges_of(rules: Ruleset) -> tuple[int, ...]:
    """Return where bands of own scores end, far away."""
    return tuple(round(part * rules.ending.target) for part in OWN_EDGES)


def knots_of(rows: Ints, step: int) -> Ints:
    """Return with which rows of a chart a hope stands on the card."""
    return rows[np.isin(rows, np.array(HOPES) * step)]


def hopes_of(wins: Floats, rows: Ints, knots: Ints) -> Ints:
    """Return the hopes with all rows, by kind of rivals, from those that stand on the card."""
    return np.rint(wins @ parts_of(rows.astype(float), knots.astype(float)).T).astype(np.int64)


def between_places(worths: Ints) -> Ints:
    """Return what all places are worth, from those that a card lists: between them a straight line.

    Examples
    --------
    >>> between_places(np.arange(17) * 10)[14:].tolist()
    [140, 150, 155, 160]
    """
    told = PLACES[: len(worths)]
    return np.rint(np.interp(np.arange(told[-1] + 1), told, worths)).astype(np.int64)


class Finder:
    """The search in one solved match."""

    def __init__(self, falls: Falls, counts: RollCounts) -> None:
        self.falls, self.counts = falls, counts
        self.rules, self.target, self.minimum = falls.rules, falls.target, falls.minimum
        self.step = bank_step(falls.rules)
        self.rivals = rivals_of(falls.rules)
        self.masks = _masks(falls, self.rivals)
        self.visits = np.zeros_like(falls.value)
        self._known: dict[tuple[BankRule, int], TurnEndings] = {}

    def find(self, policy: ThresholdPolicy, *, rounds: int = ROUNDS, progress: Share | None = None) -> Near:
        """Return what is best to say, with turn starts as often as this policy comes to them, tuned so many rounds."""
        self.visits = self.falls.visits(seat(policy, self.rules))
        worths = [self._worths(mask) for mask in self.masks]
        ends = (2 * self.minimum, *(self._points(part) for part in (NEAR, AFAR, FAR)))
        rows = self._fine(ends[1]), self._rows(MIDDLE_ROWS, ends[2]), self._rows(LAST_ROWS, ends[3])
        told = [
            self._tuned(worths, *zone, rounds, nth_part(progress, number, len(rows)))
            for number, zone in enumerate(zip(pairwise(ends), rows, STIFF, strict=True))
        ]
        told.insert(0, (self._landing(told[0][0]), told[0][1]))
        belows = (ends[0], *(end + self.step for end in ends[1:]))
        zones = [
            Zone(below, tuple(self._places(worth, chart, hope) for worth, hope in zip(worths, hopes, strict=True)))
            for below, (chart, hopes) in zip(belows, told, strict=True)
        ]
        edges = edges_of(self.rules)
        return Near(self.rivals, tuple(zones), edges, self._bold(edges))

    def _tuned(
        self, worths: list[Ints], ends: tuple[int, int], rows: Ints, stiff: float, rounds: int, progress: Share | None
    ) -> tuple[Chart, list[Hopes]]:
        """Return the chart for distances between two ends, and for each kind of rivals the hopes by what is left."""
        first = ends[0] if ends[0] == 2 * self.minimum else ends[0] + self.step
        _, land, come, off = self._chart(worths, ends, rows, stiff)
        knots = knots_of(rows, self.step)
        hope = np.stack([self._hope(worth, knots) for worth in worths])
        kinds = [(self.visits * mask, self._listed(worth)) for worth, mask in zip(worths, self.masks, strict=True)]
        tuner = Tuner(self.falls, (first, ends[1]), rows, knots, kinds)
        found = tuner.tuned(Said(land / 100, come / 100, hope / WINS, off / 100), rounds, progress)
        percent = (np.rint(100 * part).astype(np.int64) for part in (found.land, found.come, found.off))
        hopes = hopes_of(np.rint(WINS * found.hope), rows, knots)
        return (rows, *percent), list(hopes)  # type: ignore[return-value] # three parts

    def _points(self, part: float) -> int:
        return round(part * self.target / self.step) * self.step

    def _fine(self, most: int) -> Ints:
        """Return the rows of the chart next to the target, by what is left."""
        half, step = self.falls.field.model.step, self.step
        parts = (
            np.arange(-10, -3, 1)[[0, 2, 4, 5, 6]] * step,
            np.arange(-3 * step, MOST_HALVED * step + half, half),
            np.arange(MOST_HALVED, 11) * step,
            np.array([11, 12, 13, 14, 15, 17, 20, 25]) * step,
        )
        rows = np.unique(np.concatenate(parts))
        return np.append(rows[rows < most], most).astype(np.int64)

    def _rows(self, steps: tuple[int, ...], most: int) -> Ints:
        """Return those of a chart farther away."""
        rows = np.array(steps) * self.step
        return np.append(rows[rows < most], most).astype(np.int64)

    def _worths(self, mask: Floats) -> Ints:
        """Return what places are worth against a kind of rival, in wins of 10,000 matches."""
        falls = self.falls
        near = [state for state in falls.single if falls.minimum <= falls.away[state] <= self._points(0.7)]
        weights = (self.visits[near] * mask).sum(axis=0) + 1e-12 * mask
        far = 2 * self.target
        return np.array([round(WINS * falls.worth_of(self.target - d, weights)) for d in range(0, far, self.step)])

    def _hope(self, worths: Ints, left: Ints) -> Floats:
        """Return what good places are worth with so much left: between those that a card lists, a straight line."""
        told = np.array(HOPES) * self.step
        return np.rint(np.interp(left, told, np.rint(self._mean_place(worths, told))))

    def _mean_place(self, worths: Ints, left: Ints) -> Floats:
        """Return the mean worth of places nearer to the target than what is left."""
        least = self.minimum // self.step + 1
        numbers = np.maximum((left - GOOD) // self.step, least)
        around = [np.maximum(numbers + shift, least) for shift in range(-SMOOTH, SMOOTH + 1)]
        return np.asarray(np.mean([worths[each] for each in around], axis=0))

    def _places(self, worths: Ints, chart: Chart, hopes: Hopes) -> Places:
        # Next to the target there are fewer rows than hopes.
        rows, land, come, off = chart
        reach = zip(rows.tolist(), hopes.tolist(), land.tolist(), come.tolist(), strict=False)
        listed = tuple(self._listed(worths).tolist())
        found = tuple(Reach(r, h, tuple(x), tuple(y)) for r, h, x, y in reach)
        return Places(self.step, listed, found, between=tuple(off.tolist()) if off.any() else ())

    def _listed(self, worths: Ints) -> Ints:
        """Return what places are worth as far as the card tells it: between those that it lists, a straight line."""
        told = [place for place in PLACES if place * self.step <= self.target]
        return between_places(worths[told])

    def _landing(self, fine: Chart) -> Chart:
        """Return where rolling leads next to the target, where nothing short of it counts; past it as farther away."""
        goal = np.zeros(2 * self.target // self.step, np.int64)
        goal[0] = WINS
        unit = self.falls.field.model.step
        rows, land, come = (part[fine[0] <= 2 * self.minimum - unit].copy() for part in fine[:3])
        land[rows >= 0], come[rows >= 0] = 0, 0
        for away in range(self.minimum, 2 * self.minimum, self.step):
            found = self.falls.chances(self.target - away, goal, self.step)
            for number in np.flatnonzero((rows > 0) & (rows < away)).tolist():
                worth = 100 * found.worth[(away - rows[number]) // unit] / WINS
                land[number] = np.where(np.isnan(worth), land[number], np.rint(worth))
        return rows, land, come, fine[3]

    def _chart(self, worths: list[Ints], ends: tuple[int, int], rows: Ints, stiff: float) -> Chart:
        """Fit where rolling leads to the best turns from distances between two ends; shape (rows, dice), percent."""
        size, dice = len(rows), self.rules.turn.dice
        squares, right = np.zeros((dice, 2 * size, 2 * size)), np.zeros((dice, 2 * size))
        falls = self.falls
        for worth, mask in zip(worths, self.masks, strict=True):
            scale = max(int(worth[25] - worth[35]), 1)
            for state in falls.single:
                away = int(falls.away[state])
                weight = float(self.visits[state] @ mask) / scale
                if ends[0] <= away <= ends[1] and weight * scale > RARE:
                    self._add(squares, right, (int(falls.scores[state]), away, weight), worth, rows)
        return _solved(squares, right, rows, stiff)

    def _add(self, squares: Floats, right: Floats, turn: tuple[int, int, float], worths: Ints, rows: Ints) -> None:
        """Add the turn from one score to the normal equations."""
        score, away, weight = turn
        found = self.falls.chances(score, worths, self.step)
        left = away - found.scores
        here = float(worths[away // self.step])
        inside = (left >= rows[0]) & (found.scores > 0) & (found.scores <= away + SPARE)
        number = np.clip(np.searchsorted(rows, left, side="right") - 1, 0, len(rows) - 2)
        part = np.clip((left - rows[number]) / (rows[number + 1] - rows[number]), 0.0, 1.0)
        gains = (WINS - here) / WINS + 0.0 * left, (self._hope(worths, left) - here) / WINS
        fade = weight * (np.exp(-found.scores / FADE) + 0.02)
        for dice in range(right.shape[0]):
            places = np.flatnonzero(inside & ~np.isnan(found.worth[:, dice]))
            terms = np.zeros((len(places), right.shape[1]))
            each = np.arange(len(places))
            for shift, gain in zip((0, len(rows)), gains, strict=True):
                terms[each, shift + number[places]] += (1.0 - part[places]) * gain[places]
                terms[each, shift + number[places] + 1] += part[places] * gain[places]
            weighed = terms * fade[places, None]
            squares[dice] += weighed.T @ terms
            right[dice] += weighed.T @ ((found.worth[places, dice] - here) / WINS)

    def _bold(self, edges: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
        """Return how much more rolling counts far away, by band of own scores and kind of rival."""
        lost = np.zeros((len(edges), len(self.rivals), len(BOLD)))
        falls, far = self.falls, self.target - self._points(FAR)
        for state in falls.single:
            score = int(falls.scores[state])
            if score >= far or self.visits[state].sum() < RARE:
                continue
            band = int(np.searchsorted(edges, score, side="right"))
            for number, bold in enumerate(BOLD):
                row = falls.row(score, self._ended(bank_rule(self.rules, score, None), bold))
                for rival, mask in enumerate(self.masks):
                    lost[band, rival, number] += falls.lost(state, row, self.visits[state] * mask / 2)
        return tuple(tuple(BOLD[number] for number in row) for row in lost.argmin(axis=2).tolist())

    def _ended(self, rule: BankRule, bold: int) -> TurnEndings:
        """Return how a turn by the counts ends."""
        key = rule, bold
        if key not in self._known:
            plan = Plan((0,) * self.rules.turn.dice, self.counts.bolder(bold), multiple=self.step)
            self._known[key] = follow_plan(turn_model(self.rules), rule, plan, most_kept=MOST_FOLLOWED)
        return self._known[key]


def _solved(squares: Floats, right: Floats, rows: Ints, stiff: float) -> Chart:
    """Solve for the chances, those of neighbouring rows held together; in percent."""
    size = len(rows)
    apart = np.diff(np.eye(size), axis=0)
    held = np.zeros((2 * size, 2 * size))
    held[:size, :size] = 0.1 * np.eye(size)
    held[size:, size:] = apart.T @ apart + 0.01 * np.eye(size)
    usual = np.zeros(2 * size)
    usual[size:] = 0.5 * 0.01
    found = []
    for square, constants in zip(squares, right, strict=True):
        weight = stiff * max(float(np.trace(square)), 1e-12) / size
        found.append(np.linalg.solve(square + weight * held, constants + weight * usual))
    percent = np.clip(np.rint(100 * np.array(found).T), 0, 100).astype(np.int64)
    return rows, percent[:size], percent[size:], np.zeros(len(squares), np.int64)
