"""The tuning of what a card says about where rolling leads: downhill on what it gives away.

A chart that is fitted to what the rolls of the best turns are worth (see `near`) is a good one on the whole; what
matters is that it makes good choices. So it is changed along the slope of what turns by it give away, with choices that
are blurred at first, and ever less.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dice10k_math.cards.falls import Falls
from dice10k_math.chain import OwnState, after_bust
from dice10k_math.plans import flat_model, rule_numbers
from dice10k_math.policy.keeping import WINS
from dice10k_math.program import Floats
from dice10k_math.turn import BankRule, bank_rule, turn_model
from dice10k_math.workers import Share, counted, nth_part

Ints = NDArray[np.int64]
BLUR = 3e-3, 3e-4
"""Wins by which a choice must be better to be taken e times as often: at first, and in the end."""
ROUNDS = 60
"""How often what a card says is changed."""
PACE = 0.02, 0.02, 0.005, 0.02
"""By how much about: chances to land and to come, hopes, and what is taken off between two places."""
SLOWER = 0.85
"""By which part changes are smaller in the end."""
SEEN = 1e-4
"""Visits of the turn starts from one score against one kind of rivals below which they do not matter."""
LEVELS = 4
"""Numbers of hot dice that are followed."""
BEYOND = 2500
"""Points by which a turn may pass the target and still be followed."""


@dataclass(frozen=True, slots=True, eq=False)
class TurnStart:
    """The turn starts from one score against one kind of rivals, weighted by how often they come up.

    Attributes
    ----------
    rival
        Number of the kind.
    rule
        What may be banked.
    best
        Worth of the best turns.
    banks
        Worth of a bank, by turn score.
    busts
        Worth of a bust, and of one with all dice.
    here
        What the card says that the present place is worth.
    places
        What it says of the place that each turn score leads to.
    parts
        Shape (turn scores, rows): how much each row of the chart counts.
    between
        Which turn scores lead between two places and to no row of the chart, as 1, else 0.
    """

    rival: int
    rule: BankRule
    best: float
    banks: Floats
    busts: tuple[float, float]
    here: float
    places: Floats
    parts: Floats
    between: Floats


@dataclass(slots=True, eq=False)
class Said:
    """What a card says of where rolling leads.

    Attributes
    ----------
    land, come
        Shape (rows, dice): chances.
    hope
        Shape (kinds of rivals, knots): worth of good places.
    off
        By dice: what is taken off the chance to come to one where what is left is between two places.
    """

    land: Floats
    come: Floats
    hope: Floats
    off: Floats

    @property
    def parts(self) -> tuple[Floats, Floats, Floats, Floats]:
        """All numbers."""
        return self.land, self.come, self.hope, self.off


def parts_of(at: Floats, rows: Floats) -> Floats:
    """Return how much each row counts at some places, between two rows in proportion; shape (places, rows).

    Examples
    --------
    >>> parts_of(np.array([0.0, 150.0, 900.0]), np.array([0.0, 100.0, 200.0])).tolist()
    [[1.0, 0.0, 0.0], [0.0, 0.5, 0.5], [0.0, 0.0, 1.0]]
    """
    return np.stack([np.interp(at, rows, unit) for unit in np.eye(len(rows))], axis=1)


class Tuner:
    """The tuning of one chart.

    Parameters
    ----------
    falls
        The solved match.
    ends
        Least and most distance at which the chart counts, in points, below the target.
    rows
        What is left, for each row of the chart.
    knots
        What is left, for each hope; between them a straight line counts.
    kinds
        By kind of rivals: visits, by own state and the rival's, and what each place is worth, in wins of 10,000
        matches.
    """

    def __init__(
        self, falls: Falls, ends: tuple[int, int], rows: Ints, knots: Ints, kinds: list[tuple[Floats, Ints]]
    ) -> None:
        self.falls, self.model = falls, turn_model(falls.rules)
        self.rows, self.knots = rows.astype(float), knots.astype(float)
        self.knot_parts = parts_of(self.rows, self.knots)
        self.columns = (ends[1] + BEYOND) // self.model.step
        self.scores = np.arange(self.columns + BEYOND // self.model.step) * self.model.step
        self.starts = [
            self._start(state, rival, weights[state], places)
            for state in falls.single
            if ends[0] <= falls.target - falls.scores[state] <= ends[1]
            for rival, (weights, places) in enumerate(kinds)
            if weights[state].sum() >= SEEN
        ]
        self._scratch = np.zeros((2, LEVELS, len(self.model.hands), self.columns))
        sizes = np.array([len(hand.hand) for hand in self.model.hands])
        self._by_dice = sizes - 1

    def _start(self, state: int, rival: int, weights: Floats, places: Ints) -> TurnStart:
        falls, rules = self.falls, self.falls.rules
        score, waits = int(falls.scores[state]), falls.waiting @ weights
        banks = waits[[falls.field.banked_row(score + points) for points in self.scores.tolist()]]
        after = [after_bust(rules, OwnState(score, True, 0), on_six=six) for six in (False, True)]
        bust, on_six = (float(waits[falls.field.row_of(a.score, opened=a.opened, busts=a.busts)]) for a in after)
        away = falls.target - score
        left = (away - self.scores).astype(float)
        known, step = np.arange(len(places)), bank_rule(rules, score, None).multiple
        stood = np.interp(np.abs(np.append(left, away)) / step, known, places / WINS)
        best, parts = float(falls.value[state] @ weights), parts_of(left, self.rows)
        rule = bank_rule(rules, score, None)
        between = ((left % step != 0) & ~np.isin(left, self.rows)).astype(float)
        return TurnStart(rival, rule, best, banks, (bust, on_six), float(stood[-1]), stood[:-1], parts, between)

    def believed(self, start: TurnStart, said: Said) -> tuple[Floats, Floats, Floats]:
        """Return what rolling on counts, by dice and turn score, and the chances to come and the hopes behind it."""
        land = start.parts @ said.land
        come = np.maximum(start.parts @ said.come - start.between[:, None] * said.off, 0.0)
        hope = start.parts @ (self.knot_parts @ said.hope[start.rival])
        rolls = start.here + land * (1.0 - start.here) + come * (hope - start.here)[:, None]
        return rolls.T, come, hope

    def lost(self, said: Said, blur: float) -> tuple[float, Said]:
        """Return what turns give away with choices so blurred, and the slope of that."""
        lost, slope = 0.0, Said(*(np.zeros_like(part) for part in said.parts))
        for start in self.starts:
            rolls, come, hope = self.believed(start, said)
            worth, slopes = self._turn(start, rolls, blur)
            lost += (start.best - worth) / 2
            slope.land -= start.parts.T @ slopes * (1.0 - start.here) / 2
            # A chance that is nothing does not fall any further.
            coming = np.where(come > 0.0, slopes * (hope - start.here)[:, None], 0.0) / 2
            slope.come -= start.parts.T @ coming
            slope.off += start.between @ coming
            slope.hope[start.rival] -= self.knot_parts.T @ (start.parts.T @ (slopes * come).sum(axis=1)) / 2
        return lost, slope

    def _turn(self, start: TurnStart, rolls: Floats, blur: float) -> tuple[float, Floats]:
        """Return what a turn is worth, and how that rises with what rolling counts; shape (turn scores, dice)."""
        from dice10k_math.slopes import slopes_of

        model, flat = self.model, flat_model(self.model)
        by_hand = np.ascontiguousarray(rolls[self._by_dice])
        found = np.zeros_like(by_hand)
        worth = slopes_of(
            (by_hand, start.places),
            (start.banks, *start.busts),
            blur,
            rule_numbers(model, start.rule),
            flat.classes,
            flat.entries,
            model.step,
            model.bonus,
            *self._scratch,
            found,
        )
        by_dice = np.zeros_like(rolls)
        np.add.at(by_dice, self._by_dice, found)
        return float(worth), by_dice.T

    def tuned(self, said: Said, rounds: int = ROUNDS, progress: Share | None = None) -> Said:
        """Return what is better said, chances in whole percent.

        Once some numbers are rounded the others make up for it.
        """
        blurs = [BLUR[0] ** (1.0 - done) * BLUR[1] ** done for done in np.linspace(0.0, 1.0, rounds)]
        now = self._descended(said, blurs, 1.0, (0, 1, 2, 3), nth_part(progress, 0, 3))
        for number, (rounded, free) in enumerate((((0,), (1, 2, 3)), ((1, 3), (2,))), 1):
            for place in rounded:
                now.parts[place][:] = np.rint(100 * now.parts[place]) / 100
            last = [BLUR[1]] * (rounds // 4)
            now = self._descended(now, last, 1.0 - SLOWER, free, nth_part(progress, number, 3))
        return now

    def _descended(
        self, said: Said, blurs: list[float], pace: float, free: tuple[int, ...], progress: Share | None
    ) -> Said:
        return descend(said, lambda now, blur: self.lost(now, blur)[1], blurs, pace, free, progress)


def descend(
    said: Said,
    slope_of: Callable[[Said, float], Said],
    blurs: list[float],
    pace: float,
    free: tuple[int, ...],
    progress: Share | None = None,
) -> Said:
    """Change the free parts of what is said against its slope, each number at its own pace (known as Adam)."""
    now = Said(*(part.copy() for part in said.parts))
    means, squares = ([np.zeros_like(part) for part in now.parts] for _ in range(2))
    for number, blur in enumerate(counted(blurs, len(blurs), progress), 1):
        slope = slope_of(now, blur)
        paced = pace * (1.0 - SLOWER * (number - 1) / len(blurs))
        for place in free:
            part, change = now.parts[place], slope.parts[place]
            means[place] += 0.1 * (change - means[place])
            squares[place] += 0.05 * (change**2 - squares[place])
            mean, square = means[place] / (1.0 - 0.9**number), squares[place] / (1.0 - 0.95**number)
            part -= PACE[place] * paced * mean / (np.sqrt(square) + 1e-12)
            np.clip(part, 0.0, 1.0, out=part)
    return now
