"""The best play against several players who look at no score but their own: backward induction over own turns.

The player's state is the own score and the number of turns taken, as long as nobody has reached the target.
Both only grow, so that nothing has to settle: one turn is backed up for each state, from the last number of turns down.
The others go on independently of each other and of the player, so that what the player does not look at enters by
products of their distributions (`dice10k_math.pace`).

* Nobody having reached the target, a bank or a bust leads to the next number of turns, unless one of the others ends
  the match before (first to the target), or calls for a last turn.
* In a last turn the player knows who called for it, the highest total so far and how many have it; those who play
  after him have independent totals still to come.
* A bank that reaches the target is worth the share of the win that it brings against the totals still to come.

Everything is done twice, rounded down and rounded up: the numbers are bounds. What is not known of the others counts
as a loss in the lower one and as a win in the upper one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dice10k_math.backup import Contexts, back_up
from dice10k_math.last_turn import NEAREST, Side, allowed, last_turns
from dice10k_math.pace import UNIT_ROUNDOFF, At, Pace, Schedule
from dice10k_math.program import BLOCK, NEVER, Floats, Ints
from dice10k_math.race import CAUTION, Race
from dice10k_math.shares import Highest, highest, share_of_win, tied
from dice10k_math.single import Situation
from dice10k_math.workers import Share

FAINT = 1e-13
"""Probability of what comes up so rarely that it is bounded by 0 and 1."""


class SeatsInduction:
    """One side of the bounds.

    Parameters
    ----------
    race, schedule, side
        The match, who plays when, and which bounds; `NEAREST` gives values that are no bounds, with the win shared at
        every tie, those that call for extra rounds too.
    own
        The pace of the player, if he plays by a policy himself; None: he plays best.
    """

    def __init__(self, race: Race, schedule: Schedule, side: Side, own: Pace | None = None) -> None:
        self.race, self.schedule, self.side, self.own = race, schedule, side, own
        self.open_ties = race.rules.ending.tie == "extra_rounds" and side is not NEAREST
        self.up = not side.lowest
        kind = race.rules.ending.kind
        self.rounds = kind == "equal_turns"
        self.last = race.has_last_turn
        self.worths = self._worths()
        scores = race.program.bank_scores
        self.units = scores // race.unit
        may = [allowed(rule, scores) for rule in (race.opened, race.unopened)]
        self.steps = np.where(np.stack(may), self.units, -1).astype(np.int32)
        self.size = race.scores + int(self.units[-1]) + 1
        self.slack = (len(schedule.before) + len(schedule.after) + 1) * (self.size + 16) * 2.0 * UNIT_ROUNDOFF
        self._deficits: dict[int, Floats] = {}

    def _worths(self) -> list[float]:
        """Worth of the highest total by how many others have it: after it extra rounds may bring anything."""
        if self.open_ties:
            return [1.0, *[1.0 if self.up else 0.0] * 8]
        return [1.0 / (1 + others) for others in range(9)]

    def _outward(self, value: Floats) -> Floats:
        return np.clip(value * (1.0 + self.side.sign * self.slack), 0.0, 1.0)

    def _totals(self, others: Sequence[At]) -> tuple[list[Floats], float]:
        """Return the totals of others after one more turn, and what is not known of them."""
        found = [pace.next(turns, self.side) for pace, turns in others]
        return [totals for totals, _ in found], sum(left for _, left in found) * (1.0 + 1e-9)

    def _staying(self, others: Sequence[At]) -> float:
        """Return the probability that all of some others stay below the target with one more turn."""
        totals, left = self._totals(others)
        staying = float(np.prod([each[: self.race.scores].sum() for each in totals]))
        return min(staying * (1.0 + self.side.sign * self.slack) + left, 1.0)

    # -- turns -------------------------------------------------------------------------------------------------

    def _safe(self, worth: Floats, bust: Floats) -> NDArray[Any]:
        """Return the totals from which on it is best to bank, by what a bust is worth; see `Race.limits`."""
        scores = self.race.scores
        risk = CAUTION * self.race.least_bust * (1.0 - bust)
        found = scores + np.searchsorted(np.maximum.accumulate(worth[scores:]), 1.0 - risk)
        return np.minimum(found, self.size - 1)

    def open_turn(self, worth: Floats, beyond: Floats) -> Floats:
        """Back up the turn from every own score.

        Parameters
        ----------
        worth
            Shape (scores,): of every score below the target, after a bank or a bust.
        beyond
            Shape (totals,): of every total; counts from the target on.
        """
        race = self.race
        by_total = np.concatenate([worth, beyond[race.scores :]])
        if self.own is not None:
            return self._by_policy(self.own, by_total[:, None])[:, 0]
        own = np.arange(race.scores)
        table = by_total[np.minimum(np.arange(self.units[-1] + 1)[:, None] + own, self.size - 1)]
        safe = self._safe(by_total, worth)
        limits = np.minimum((safe - own) * race.unit + race.margin, race.most)
        top = by_total[np.minimum(own + limits // race.unit, self.size - 1)] if self.side.lowest else np.ones(len(own))
        return self._back_up(table, self.steps, worth, top, self._blocks(limits))

    def situation(self, turns: int, own: int, values: Floats) -> Situation:
        """Return the player's turn from an own score, nobody having reached the target.

        `values` is what the turns are worth, as `solve` returns them.
        """
        race, nexts = self.race, min(turns + 1, len(values) - 1)
        following = self.round_start(nexts, values[nexts]) if self.rounds else values[nexts]
        worth = self._after(turns, following)
        by_total = np.concatenate([worth, self.reached(turns)[race.scores :]])
        bust = float(worth[own])
        limit = int(self._safe(by_total, worth)[own] - own) * race.unit + race.margin
        bank = np.where(self.steps[int(own == 0)] >= 0, by_total[np.minimum(own + self.units, self.size - 1)], NEVER)
        top = float(by_total[min(own + limit // race.unit, self.size - 1)])
        return Situation(bank, bust, bust, top, min(limit, race.most), race.survival(NEAREST))

    def _by_policy(self, own: Pace, table: Floats) -> Floats:
        """Return what a policy's turn is worth by own score (rows), from the worths of totals, for some cases."""
        matrix, instant, left = own.steps
        width = matrix.shape[1]
        further = np.repeat(table[-1:], max(width - len(table), 0), axis=0)
        value = matrix @ np.concatenate([table, further])[:width] + instant[:, None]
        return self._outward(value + (left[:, None] if self.up else 0.0))

    def _blocks(self, limits: NDArray[Any]) -> list[tuple[int, int, int, int]]:
        first = 1 if self.race.unopened != self.race.opened else 0
        found = [
            (0, start, min(BLOCK, self.race.scores - start), int(limits[start : start + BLOCK].max()))
            for start in range(first, self.race.scores, BLOCK)
        ]
        return found + [(1, 0, 1, int(limits[0]))] * first

    def _back_up(
        self, table: Floats, rows: Ints, bust: Floats, top: Floats, blocks: list[tuple[int, int, int, int]]
    ) -> Floats:
        race, groups = self.race, len(rows)
        busts, tops = np.stack([bust] * groups), np.stack([top] * groups)
        values = back_up(
            race.program,
            Contexts(np.ascontiguousarray(table), rows, busts, busts, tops),
            race.survival(self.side),
            blocks=np.array(blocks, np.int64),
            lowest=self.side.lowest,
            nudge=self.side.nudge(race.program),
        )
        return np.clip(np.where(np.isnan(values[0]), values[-1], values[0]), 0.0, 1.0)

    def last_turn(self, found: Highest, later: list[Floats]) -> Floats:
        """Return what a last turn is worth to the player.

        Parameters
        ----------
        found
            The highest totals so far.
        later
            Totals still to come after the player's turn.

        Returns
        -------
        ndarray of shape (scores,)
            By own score, over all cases: not yet divided by their probability.
        """
        if not len(found.total):
            return np.zeros(self.race.scores)
        if not later and self.own is None:
            return self._by_deficit(found)
        own = np.arange(self.race.scores)
        alone = self._outward(share_of_win(later, self.worths, self.size))
        together = {
            players: self._outward(share_of_win(later, self.worths, self.size, players))
            for players in sorted(set(found.players.tolist()))
        }
        table = np.where(np.arange(self.size)[:, None] > found.total, alone[:, None], 0.0)
        for column, (total, players) in enumerate(zip(found.total.tolist(), found.players.tolist(), strict=True)):
            if total < self.size:
                table[total, column] = together[players][total]
        if self.own is not None:
            return self._by_policy(self.own, table) @ found.chance
        safe = np.maximum(self._safe(alone, np.zeros(1)), found.total + 1)
        return self._by_score(table, own, safe) @ found.chance

    def _by_score(self, table: Floats, own: NDArray[Any], safe: NDArray[Any]) -> Floats:
        """Back up last turns: groups are own scores, columns the cases; a bust loses."""
        race, cases = self.race, table.shape[1]
        steps = self.steps[(own == 0).astype(int)]
        rows = np.where(steps >= 0, steps + own[:, None].astype(np.int32), np.int32(-1)).astype(np.int32)
        limits = np.minimum((safe - own[:, None]) * race.unit + race.margin, race.most)
        top = np.ones((len(own), cases))
        if self.side.lowest:
            # A block has one limit, the greatest of its columns: beyond that banking is worth no less.
            top = table[np.minimum(own[:, None] + limits // race.unit, self.size - 1), np.arange(cases)]
        bust = np.zeros((len(own), cases))
        blocks = [
            (group, start, min(BLOCK, cases - start), int(limits[group, start : start + BLOCK].max()))
            for group in range(len(own))
            for start in range(0, cases, BLOCK)
        ]
        values = back_up(
            race.program,
            Contexts(np.ascontiguousarray(table), rows, bust, bust, top),
            race.survival(self.side),
            blocks=np.array(blocks, np.int64),
            lowest=self.side.lowest,
            nudge=self.side.nudge(race.program),
        )
        return np.clip(values, 0.0, 1.0)

    def _by_deficit(self, found: Highest) -> Floats:
        """Return the same where the player is the last: then the difference alone counts."""
        own, value = np.arange(self.race.scores), np.zeros(self.race.scores)
        for players in sorted(set(found.players.tolist())):
            worth = self._deficit_worths(players)
            here = found.players == players
            deficit = found.total[here] - own[:, None]
            value += worth[np.minimum(deficit, len(worth) - 1)] @ found.chance[here]
        return value

    def _deficit_worths(self, players: int) -> Floats:
        if players not in self._deficits:
            worth = last_turns(self.race, self.worths[players], self.side)
            self._deficits[players] = np.append(worth, 0.0 if self.side.lowest else worth[-1])
        return self._deficits[players]

    # -- between turns -----------------------------------------------------------------------------------------

    def waiting(self, turns: int) -> tuple[Floats, float]:
        """Return what the others' turns bring before the player's next one, by own score.

        Returns
        -------
        tuple
            What last turns are worth that they call for, and the probability that they call for none.
        """
        others = self.schedule.others(turns)
        if not self.last:
            return np.zeros(self.race.scores), self._staying(others)
        rest = [(pace, 0) for pace in self.schedule.after] if turns < 0 else []
        alive, value = 1.0, np.zeros(self.race.scores)
        likely = max(self.schedule.alive(turns) if turns >= 0 else 1.0, FAINT)
        for number in range(len(others)):
            before = others[number:]
            later = rest + [(pace, had + 1) for pace, had in others[:number]]
            value += alive * self._called(before, later, FAINT / likely)
            alive *= self._staying(others[number : number + 1])
        return np.clip(self._outward(value), 0.0, 1.0), alive

    def _called(self, before: list[At], later: list[At], faint: float) -> Floats:
        """Return what the player's last turn is worth that the first of `before` calls for."""
        totals, left = self._totals(before)
        totals[0] = np.where(np.arange(len(totals[0])) < self.race.scores, 0.0, totals[0])
        found = highest(totals, self.race.scores, faint)
        ahead, unknown = self._totals(later)
        extra = left + unknown + found.dropped if self.up else 0.0
        return self.last_turn(found, ahead) + extra

    def round_start(self, turns: int, value: Floats) -> Floats:
        """Equal turns: return what a round is worth before its first turn, from what the player's turn is then."""
        before = [(pace, turns) for pace in self.schedule.before]
        later = [(pace, turns) for pace in self.schedule.after]
        totals, left = self._totals(before)
        likely = max(self.schedule.alive(turns), FAINT)
        found = highest(totals, self.race.scores, FAINT / likely)
        ahead, unknown = self._totals(later)
        staying = self._staying(before)
        worth = staying * value + self.last_turn(found, ahead)
        if self.up:
            worth = worth + left + unknown + found.dropped + self._level(totals + ahead)
        return self._outward(worth)

    def _level(self, totals: list[Floats]) -> float:
        """Bound the probability that others share the highest total, where extra rounds may then bring anything."""
        if not self.open_ties:
            return 0.0
        size = max(map(len, totals), default=0)
        return float(tied(totals, size)[2:, self.race.scores :].sum()) * (1.0 + self.slack)

    def reached(self, turns: int) -> Floats:
        """Return what reaching the target with each total is worth, by total."""
        race = self.race
        if not self.last:
            worth = np.ones(self.size)
            if race.rules.ending.kind == "exact":
                worth[race.scores + 1 :] = NEVER
            return worth
        later = [(pace, turns) for pace in self.schedule.after] if self.rounds else self.schedule.others(turns)
        totals, left = self._totals(later)
        return self._outward(share_of_win(totals, self.worths, self.size) + left)

    # -- induction ---------------------------------------------------------------------------------------------

    def solve(self, most: int, progress: Share | None = None) -> tuple[Floats, Floats]:
        """Return bounds of the win probability.

        Parameters
        ----------
        most
            Number of turns after which nothing is followed.

        Returns
        -------
        tuple
            By own score at the beginning of the match; and shape (turns, scores): when the player moves, nobody having
            reached the target.
        """
        values = np.zeros((most, self.race.scores))
        following = np.full(self.race.scores, float(self.up))
        for turns in range(most - 1, -1, -1):
            if progress is not None:
                progress(1.0 - turns / most)
            value = self.open_turn(self._after(turns, following), self.reached(turns))
            values[turns] = value
            following = self.round_start(turns, value) if self.rounds else value
        return following if self.rounds else self._after(-1, following), values

    def _after(self, turns: int, following: Floats) -> Floats:
        """Return what every score below the target is worth after a turn of the player, from the next one's worth."""
        if self.rounds:
            return self._outward(self._staying([(pace, turns) for pace in self.schedule.after]) * following)
        value, alive = self.waiting(turns)
        return self._outward(value + alive * following)
