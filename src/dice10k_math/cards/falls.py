"""What plays give away in a solved match in which scores can fall and the target must be hit, turn by turn.

With V the values of the match when both play to win, a turn that is played somehow and followed by best play is worth
U; V - U is what the turn gives away. Weighted by how often each turn start comes up, it is to first order what a player
gives away who always plays so; see `losses` for the same where scores only grow.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dice10k_math.chain import OwnState, after_bust
from dice10k_math.endings import TurnEndings
from dice10k_math.last_turn import NEAREST
from dice10k_math.plans import follow_plan
from dice10k_math.plays import Plays
from dice10k_math.policy import Plan, Player, Standing, subtracts
from dice10k_math.program import NEVER, Floats
from dice10k_math.questions.positions import FieldPositions
from dice10k_math.single import Situation, evaluate
from dice10k_math.turn import bank_rule, turn_model

Mask = NDArray[np.bool_]
MOST_TURNS = 400
"""Turns after which a match is not followed any further."""
MOST_FOLLOWED = 12_000
"""Turn score, in points, up to which turns are followed: what is beyond does not decide which card is best."""


@dataclass(frozen=True, slots=True, eq=False)
class Chances:
    """What the rolls of a turn are worth for a play to places, by the turn score and the dice to be rolled.

    Attributes
    ----------
    scores
        Turn scores.
    worth
        Shape (scores, dice): for 1, 2, ... dice; nan where that cannot be.
    """

    scores: NDArray[np.int64]
    worth: Floats


class Falls:
    """What plays give away in one match.

    Parameters
    ----------
    positions
        The solved match.
    """

    def __init__(self, positions: FieldPositions) -> None:
        self.positions, self.field = positions, positions.field
        self.rules, self.target = self.field.rules, self.field.target
        self.value, self.waiting = positions.middle, positions.waiting
        states = self.field.states
        self.single = [number for number, state in enumerate(states) if state.low == state.high]
        ends = [state.high if state.low == -np.inf else state.low for state in states]
        self.scores = np.array(ends, np.int64)
        self.away = np.abs(self.target - self.scores)
        self.minimum = self.field.opened.minimum

    def row(self, score: int, endings: TurnEndings) -> Floats:
        """Return the probability of each row of the extended table after a turn."""
        field, found = self.field, np.zeros(self.field.rows)
        place = OwnState(score, True, 0)
        for on_six, chance in ((False, endings.bust), (True, endings.bust_on_six)):
            after = after_bust(self.rules, place, on_six=on_six)
            found[field.row_of(after.score, opened=after.opened, busts=after.busts)] += chance
        for change, chance in endings.banked.items():
            found[field.banked_row(score + change)] += chance
        return found

    def plan_row(self, score: int, plan: Plan) -> Floats:
        """Return the same for a plan, followed as far as it matters."""
        subtract = subtracts(self.rules, score)
        rule = bank_rule(self.rules, score, None)
        return self.row(
            score, follow_plan(turn_model(self.rules), rule, plan, subtract=subtract, most_kept=MOST_FOLLOWED)
        )

    def visits(self, player: Player) -> Floats:
        """Return how often each turn start comes up when both play as the player does against one at his own score."""
        plays, size = Plays(player), len(self.field.states)
        play = np.zeros((size, size))
        for state in self.single:
            score = int(self.scores[state])
            play[state] = self.row(score, plays.of(Standing(score, min(score, self.target - self.minimum))))[:size]
        start = self.field.start
        now, found = np.zeros((size, size)), np.zeros((size, size))
        now[start, start] = 1.0
        for _ in range(MOST_TURNS):
            found += now
            now = (play.T @ now).T
        return found

    def lost(self, state: int, row: Floats, weights: Floats) -> float:
        """Return what a turn gives away that ends so, against opponents' states of these weights."""
        return float(weights @ (self.value[state] - row @ self.waiting))

    def worth_of(self, score: int, weights: Floats) -> float:
        """Return the mean worth of waiting with a score against opponents' states of these weights."""
        row = self.field.won if score == self.target else self.field.row_of(score, opened=True, busts=0)
        return float(self.waiting[row] @ weights / weights.sum())

    def chances(self, score: int, worth: NDArray[np.int64], step: int) -> Chances:
        """Return what the rolls of the best turn are worth to a player who wants to come to places.

        Parameters
        ----------
        score
            Score before the turn.
        worth
            Worth of standing 0, 1, 2, ... steps away from the target.
        step
            Points between two places.
        """
        field, program = self.field, self.field.program
        state = field.state_of(score)
        bank = np.full(len(program.bank_scores), NEVER)
        for sign, way in zip((1, -1), field.moves[state].banks, strict=False):
            away = np.abs(self.target - score - sign * program.bank_scores[way.scores]) // step
            bank[way.scores] = np.maximum(bank[way.scores], worth[np.minimum(away, len(worth) - 1)])
        bust, on_six = (
            float(worth[min(abs(self.target - after.score) // step, len(worth) - 1)])
            for after in (after_bust(self.rules, OwnState(score, True, 0), on_six=six) for six in (False, True))
        )
        limit, rolled_on = field.limit(state), field.rolled_on(NEAREST)
        turn = evaluate(program, Situation(bank, bust, on_six, bust, limit, field.survival(NEAREST), rolled_on))
        return self._by_dice(turn.roll, limit)

    def _by_dice(self, roll: Floats, limit: int) -> Chances:
        """Lay out the worths of after-states; of several numbers of hot dice the least counts."""
        program = self.field.program
        inside = np.flatnonzero((program.turn_score <= limit) & ~program.hot_edge)
        order = inside[np.argsort(-program.hot_dice[inside], kind="stable")]
        sizes = np.array([len(hand.hand) for hand in program.model.hands])
        scores = np.arange(0, limit + 1, program.model.step)
        worth = np.full((len(scores), int(sizes.max())), np.nan)
        worth[program.turn_score[order] // program.model.step, sizes[program.hand[order]] - 1] = roll[order]
        worth[0] = np.nan
        return Chances(scores, worth)
