"""Proposing bounds for a written-out match: policy iteration in floats, then fractions with a little to spare.

Two sides are solved together: the lower bounds, whose player turns and roundings cost a little, and the upper ones,
whose player they favour. A round backs up every turn, follows its best play to its endings, and solves the linear
equations of that play. The judge accepts what this proposes or not: nothing rests on it having converged.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import bicgstab

from dice10k_math.backup import Contexts, Forward, back_up_forward
from dice10k_math.errors import NotConvergedError
from dice10k_math.explicit.claims import (
    Claims,
    Fractions,
    bank_worths,
    blocks,
    extreme,
    last_turn_banks,
    level_worths,
    waiting,
)
from dice10k_math.explicit.levels import LastTurn
from dice10k_math.explicit.match import ExplicitMatch, kinds_of_edges, last_limit, tie_limit
from dice10k_math.explicit.survival import GRID, survival_bounds
from dice10k_math.explicit.ties import answer_endings, put_together, tie_endings, worth_beyond
from dice10k_math.explicit.turn import Banks, Endings, Ratings, Scaled, Vector, rate
from dice10k_math.last_turn import DOWN, UP, Side
from dice10k_math.program import Floats, Ints
from dice10k_math.rules import penalties

Progress = Callable[[str], None]
COST = 1e-12
"""What each turn costs a guarantee: enough for roundings, and for play that has settled to this only."""
DIGITS = 10**15
"""Bounds are proposed as multiples of 1 / DIGITS."""
SETTLED, MOST_ROUNDS, MOST_TIE_ROUNDS = 1e-12, 60, 300
SURE = 1.0 - 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class _LastTurns:
    """Bounds from below and from above of last turns by deficit, leading off extra rounds, and answers to busts."""

    last: tuple[Floats, Floats]
    tie: tuple[Floats, Floats]
    answer: tuple[Floats, Floats]


def propose(match: ExplicitMatch, progress: Progress | None = None) -> Claims:
    """Return bounds and a policy for a judge to check.

    Parameters
    ----------
    match
        The match.
    progress
        Told about every round.

    Raises
    ------
    NotConvergedError
        The play did not settle.
    """
    solver = _Solver(match)
    ends = solver.last_turns()
    shared = match.rules.ending.tie != "extra_rounds"
    lower, upper = solver.solve(ends, progress)
    return Claims(
        *_both((lower, upper)),
        *_both(ends.last),
        *_both(ends.tie),
        *_both(ends.answer),
        solver.policy(lower, upper, ends),
        solver.last_policy(ends),
        [] if shared else solver.tie_policy(ends),
        [] if shared else solver.answer_policy(ends),
    )


def _both(bounds: tuple[Floats, Floats]) -> tuple[Fractions, Fractions]:
    return _fractions(bounds[0], lowest=True), _fractions(bounds[1], lowest=False)


def _fractions(values: Floats, lowest: bool) -> Fractions:
    """Round outward to multiples of 1 / DIGITS."""
    rounded = floor if lowest else ceil
    found = [min(max(Fraction(rounded(value * DIGITS), DIGITS), Fraction(0)), Fraction(1)) for value in values.flat]
    return np.array(found, object).reshape(values.shape)


class _Solver:
    """Policy iteration over the turn starts of a match."""

    def __init__(self, match: ExplicitMatch) -> None:
        self.match = match
        # The chance to be saved beyond the limit: by a bank, and where none is allowed.
        self.survival = _chances(match, banks=True)
        self.without = _chances(match, banks=False) if match.overshoot == "not_allowed" else self.survival
        self.sides = (DOWN, UP)

    # -- last turns ------------------------------------------------------------------------------------------------

    def last_turns(self) -> _LastTurns:
        """Return bounds of the last turns, the extra rounds of a tie settled first."""
        match = self.match
        tie, none = np.full((2, *match.tie_shape), 0.5), (np.zeros(0), np.zeros(0))
        if not match.has_last_turn:
            return _LastTurns(none, (tie[0], tie[1]), none)
        if match.rules.ending.tie != "extra_rounds":
            return _LastTurns(self._each(self._last, tie), (tie[0], tie[1]), none)
        found = [tie]
        for number in range(1, MOST_TIE_ROUNDS + 1):
            last, answer = self._each(self._last, tie), self._each(self._answer, tie)
            tie = np.stack([self._lead(side, last[side.lowest], answer[side.lowest]) for side in self.sides])
            found.append(tie)
            if np.max(np.abs(tie - found[-2])) <= COST / 100:
                break
            if number % 3 == 0:
                # Where most turns bust, a tie nearly always comes again, and steps alone would take thousands.
                tie = _limit(*found[-3:])
        return _LastTurns(last, (tie[0], tie[1]), answer)

    def _each(self, bound: Callable[[Side, Floats], Floats], tie: Floats) -> tuple[Floats, Floats]:
        """Bound turns that answer from below and from above, from what leading off the next round is worth."""
        low, high = (bound(side, 1.0 - tie[int(side.lowest)]) for side in self.sides)
        return low, high

    def _last(self, side: Side, ties: Floats) -> Floats:
        """Return the worth of last turns, from what ties are worth."""
        found = []
        for _, turns in blocks(self.match):
            banks, bust = self._last_endings(turns, ties, lowest=side.lowest)
            limit = last_limit(self.match, turns[-1].behind, shut=turns[-1].shut)
            found.append(self._forward(side, banks, bust, bust, np.ones(len(turns)), limit).value)
        return np.clip(np.concatenate(found) + (-COST if side.lowest else COST), 0.0, 1.0)

    def _last_endings(self, turns: Sequence[LastTurn], ties: Floats, *, lowest: bool) -> tuple[list[Banks], Floats]:
        """Return what banks and a bust are worth in last turns."""
        levels = level_worths(turns, ties, lowest=lowest)
        bust = np.array([level if turn.behind == 0 else 0.0 for turn, level in zip(turns, levels, strict=True)])
        return last_turn_banks(self.match, turns, 1.0, levels, 0.0), bust

    def _answer(self, side: Side, ties: Floats) -> Floats:
        """Return the worth of answers to busts, from what ties are worth."""
        match, found = self.match, []
        for group in match.levels.groups():
            banks, bust, on_six = answer_endings(match, group, ties, 1.0, 0.0, lowest=side.lowest)
            limit = tie_limit(match, shut=group[0])
            found.append(self._forward(side, banks, bust, on_six, np.ones(len(bust)), limit).value)
        worth = put_together(match, found, (*match.tie_shape, 2))
        return np.clip(worth + (-COST if side.lowest else COST), 0.0, 1.0)

    def _lead(self, side: Side, last: Floats, answer: Floats) -> Floats:
        """Return the worth of leading off at every tie, from that of the turns that answer."""
        match, found = self.match, []
        for group in match.levels.groups():
            endings = tie_endings(match, group, 1.0 - last, 1.0 - answer, 1.0, lowest=side.lowest)
            top = worth_beyond(match, group, 1.0 - last, 1.0, lowest=side.lowest)
            found.append(self._forward(side, *endings, top, tie_limit(match, shut=group[0])).value)
        worth = put_together(match, found, match.tie_shape)
        return np.clip(worth + (-COST if side.lowest else COST), 0.0, 1.0)

    def _forward(
        self, side: Side, banks: Sequence[Banks], bust: Vector, on_six: Vector, top: Vector | None, limit: int
    ) -> Forward:
        """Back up one turn by the compiled operator, and follow its best play."""
        worths = [[way for way in ways if way is not None] for ways in banks]
        rows = np.where([bool(ways) for ways in worths], np.cumsum([bool(ways) for ways in worths]) - 1, -1)
        table = np.array([np.maximum(ways[0], ways[-1]) for ways in worths if ways]).reshape(-1, len(bust))
        survival = (self.without if top is None else self.survival)[not side.lowest]
        contexts = Contexts(
            table,
            rows.astype(np.int32)[None, :],
            bust[None, :],
            on_six[None, :],
            (np.ones_like(bust) if top is None else top)[None, :],
        )
        program = self.match.program
        return back_up_forward(
            program,
            contexts,
            survival,
            limit=limit,
            lowest=side.lowest,
            nudge=side.nudge(program),
        )

    # -- all other turns -------------------------------------------------------------------------------------------

    def solve(self, ends: _LastTurns, progress: Progress | None) -> tuple[Floats, Floats]:
        """Return lower and upper bounds of every turn start."""
        match = self.match
        move = np.full((2, match.phases, match.won, match.won), 0.5)
        for number in range(MOST_ROUNDS):
            move, change = self._round(move, ends)
            if progress is not None:
                progress(f"round {number + 1}: greatest change {change:.0e}")
            if change <= SETTLED:
                return move[0], move[1]
        raise NotConvergedError(f"{match.rules.name}: policy iteration did not settle in {MOST_ROUNDS} rounds")

    def _round(self, move: Floats, ends: _LastTurns) -> tuple[Floats, float]:
        match = self.match
        size = match.won
        matrices, constants, change = [], [], 0.0
        stuck = np.zeros(move.shape, bool)
        for number, side in enumerate(self.sides):
            cost = -COST if side.lowest else COST
            for phase in range(match.phases):
                table = self.table(move, ends, number, phase)
                # The unknowns that a turn leads to: those of the other side, in the next phase.
                offset = ((1 - number) * match.phases + (phase + 1) % match.phases) * size * size
                for part in range(size):
                    forward, chosen = self._turn(number, phase, part, table)
                    value = np.clip(forward.value + cost, 0.0, 1.0)
                    stuck[number, phase, part] = forward.bust + forward.bust_on_six >= SURE
                    proved = value > 0.0 if side.lowest else value < 1.0
                    change = max(change, float(np.max(np.abs(value - move[number, phase, part]))))
                    row = self._equation(chosen, move, offset)
                    # Worth = constant - sum of probability * the other's worth of moving.
                    constant = value + row @ move.reshape(-1)
                    constants.append(np.where(proved, constant, value))
                    matrices.append(sparse.diags_array(proved.astype(float)) @ row)
        doomed = self._doomed(stuck).reshape(-1)
        coefficients = sparse.diags_array((~doomed).astype(float)) @ sparse.vstack(matrices, format="csr")
        matrix = sparse.eye_array(move.size, format="csr") + coefficients
        nothing = np.repeat([0.0, 1.0], move[0].size)
        right = np.where(doomed, nothing, np.concatenate(constants))
        tolerance = max(1e-15, 1e-5 * change)
        found, _ = bicgstab(matrix, right, x0=move.reshape(-1), rtol=0.0, atol=tolerance, maxiter=500)
        return np.clip(found.reshape(move.shape), 0.0, 1.0), change

    def _doomed(self, stuck: Vector) -> Vector:
        """Return the turn starts from which both players bust for ever, so that nobody wins."""
        if penalties(self.match.rules):
            return np.zeros_like(stuck)
        following = np.roll(stuck[::-1], -1, axis=1).swapaxes(2, 3)
        return stuck & following

    def table(self, move: Floats, ends: _LastTurns, number: int, phase: int) -> list[Vector]:
        """Return the table of waiting of one side."""
        return waiting(self.match, phase, move[1 - number], ends.last[1 - number], 1.0, lowest=number == 0)

    def _turn(
        self, number: int, phase: int, part: int, table: list[Vector]
    ) -> tuple[Forward, list[tuple[Floats, Ints]]]:
        """Back up the turns of a part; return them with the row that each ending leads to, and how likely it is."""
        match, lowest = self.match, number == 0
        ways = match.ways_of(phase, part, lowest=lowest)
        bust, on_six = extreme(table, ways.bust, lowest=lowest), extreme(table, ways.bust_on_six, lowest=lowest)
        top = extreme(table, ways.beyond, lowest=lowest) if ways.beyond else None
        banks = bank_worths(match, phase, part, table, lowest=lowest)
        limit = match.limit(match.parts[part], phase)
        forward = self._forward(self.sides[number], banks, bust, on_six, top, limit)
        worse = np.minimum if lowest else np.maximum
        fall = worse(bust, on_six)
        _, fallen = forward.beyond(np.ones_like(fall) if top is None else top, fall)
        forward = replace(forward, bust=forward.bust + fallen)
        full = np.array(table)
        chosen = [
            (forward.bust, _counting(full, ways.bust, lowest)),
            (forward.bust_on_six, _counting(full, ways.bust_on_six, lowest)),
        ]
        for bank in np.flatnonzero(forward.banked.any(axis=1)).tolist():
            found = [_counting(full, rows, lowest) for rows in ways.banks[bank] if rows is not None]
            columns = np.arange(full.shape[1])
            best = found[0]
            for other in found[1:]:
                best = np.where(full[other, columns] > full[best, columns], other, best)
            chosen.append((forward.banked[bank], best))
        return forward, chosen

    def _equation(self, chosen: list[tuple[Floats, Ints]], move: Floats, offset: int) -> sparse.csr_array:
        """Return the coefficients of one part's turns; what leads out of the match is left to the constant."""
        size = self.match.won
        columns = np.arange(size)
        rows, unknowns, data = [], [], []
        for weight, row in chosen:
            used = (weight > 0.0) & (row < size)
            rows.append(columns[used])
            unknowns.append(offset + columns[used] * size + row[used])
            data.append(weight[used])
        return sparse.csr_array(
            (np.concatenate(data), (np.concatenate(rows), np.concatenate(unknowns))), shape=(size, move.size)
        )

    # -- the policy ------------------------------------------------------------------------------------------------

    def policy(self, lower: Floats, upper: Floats, ends: _LastTurns) -> list[list[Ratings]]:
        """Return the play that is best for the lower bounds."""
        match = self.match
        move = np.stack([lower, upper])
        found = []
        for phase in range(match.phases):
            table = self.table(move, ends, 0, phase)
            found.append([self._rated(phase, part, table) for part in range(match.won)])
        return found

    def _rated(self, phase: int, part: int, table: list[Vector]) -> Ratings:
        match = self.match
        ways = match.ways_of(phase, part, lowest=True)
        bust, on_six = extreme(table, ways.bust, lowest=True), extreme(table, ways.bust_on_six, lowest=True)
        top = extreme(table, ways.beyond, lowest=True) if ways.beyond else None
        banks = bank_worths(match, phase, part, table, lowest=True)
        return rate(match, match.limit(match.parts[part], phase), self._endings(banks, bust, on_six, top))

    def _endings(self, banks: Sequence[Banks], bust: Vector, on_six: Vector, top: Vector | None) -> Endings:
        fall = np.minimum(bust, on_six)
        best = np.ones_like(fall) if top is None else np.maximum(top, fall)
        chances = (self.without if top is None else self.survival)[0]
        edges = [Scaled(best * chance + fall * (1.0 - chance)) for chance in chances]
        return Endings(banks, bust, on_six, edges, 1.0)

    def last_policy(self, ends: _LastTurns) -> list[Ratings]:
        """Return the play of last turns."""
        match, found = self.match, []
        for _, turns in blocks(match):
            banks, bust = self._last_endings(turns, 1.0 - ends.tie[1], lowest=True)
            limit = last_limit(match, turns[-1].behind, shut=turns[-1].shut)
            found.append(rate(match, limit, self._endings(banks, bust, bust, np.ones(len(bust)))))
        return found

    def tie_policy(self, ends: _LastTurns) -> list[Ratings]:
        """Return the play of leading off an extra round."""
        match, last, found = self.match, 1.0 - ends.last[1], []
        for group in match.levels.groups():
            banks, bust, on_six = tie_endings(match, group, last, 1.0 - ends.answer[1], 1.0, lowest=True)
            top = worth_beyond(match, group, last, 1.0, lowest=True)
            found.append(rate(match, tie_limit(match, shut=group[0]), self._endings(banks, bust, on_six, top)))
        return found

    def answer_policy(self, ends: _LastTurns) -> list[Ratings]:
        """Return the play of answers to busts."""
        match, found = self.match, []
        for group in match.levels.groups():
            banks, bust, on_six = answer_endings(match, group, 1.0 - ends.tie[1], 1.0, 0.0, lowest=True)
            endings = self._endings(banks, bust, on_six, np.ones(len(bust)))
            found.append(rate(match, tie_limit(match, shut=group[0]), endings))
        return found


def _chances(match: ExplicitMatch, *, banks: bool) -> tuple[Floats, Floats]:
    """Return bounds of the chance to be saved beyond the limit, in floats."""
    low, high = survival_bounds(match.model, kinds_of_edges(match), banks=banks)
    below, above = (np.array([float(Fraction(chance, 6**GRID)) for chance in side]) for side in (low, high))
    return below, above


def _limit(first: Floats, second: Floats, third: Floats) -> Floats:
    """Return where steps that shrink by one factor lead to (Aitken), each number by itself."""
    bend = (third - second) - (second - first)
    leap = np.divide((second - first) ** 2, bend, out=np.zeros_like(bend), where=bend != 0.0)
    return np.clip(np.where(bend != 0.0, first - leap, third), 0.0, 1.0)


def _counting(table: Floats, rows: Sequence[int], lowest: bool) -> Ints:
    """Return the row that counts of several, by opponent's part."""
    part = table[list(rows)]
    return np.array(rows)[part.argmin(axis=0) if lowest else part.argmax(axis=0)]
