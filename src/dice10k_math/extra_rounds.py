"""Extra rounds from a tie where busts can cost points: whole rounds until one player alone is the highest.

The target matters no more then, and of the scores only their difference does: at a tie only the busts in a row of
both are to be remembered. Whoever leads off a round has a turn that the other answers knowing what he needs:

* after a bank the other is behind, and wins, draws level or loses by what he banks;
* after a bust the other is level or even ahead, so every bank of his wins, and a bust of his own decides.

When both bust, what that costs is compared, and no more than compared: both are level before the round, so both pay by
the same row of the table of busts on six. As long as all rows compare alike to nothing, and to the penalty for busts in
a row, it does not matter which row it is, nor how far both have fallen.

A *tie* is written as the numbers of busts in a row of the player who leads off the next round and of the other.
"""

from __future__ import annotations

import numpy as np

from dice10k_math.backup import Contexts, back_up
from dice10k_math.last_turn import MOST_LEAD, NEAREST, Setting, Side, allowed, compiled, hot_dice_within, last_turns
from dice10k_math.program import Floats
from dice10k_math.rules import Ruleset, penalties
from dice10k_math.turn import bank_rule

MOST_ROUNDS, PLAIN_ROUNDS = 400, 10
TINY = 1e-300
SETTLED = 4e-15


def unsolved(rules: Ruleset) -> str | None:
    """Tell why the extra rounds of a ruleset are not solved; None: they are, or there are none.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> unsolved(load_rules("dix-mille")) is None
    True
    """
    if rules.ending.tie != "extra_rounds" or not penalties(rules):
        return None
    if len({_compared(rules, row.penalty) for row in rules.bust.on_six}) > 1:
        return "extra rounds, with a bust on six that costs more than busts in a row at some scores and not at others"
    if rules.turn.opening_applies == "at_score_zero" and bank_rule(rules, 0) != bank_rule(rules, 1):
        return "extra rounds, with penalties and an opening minimum that comes back at a score of 0"
    return None


def _compared(rules: Ruleset, penalty: int) -> tuple[bool, bool, bool]:
    """Tell how the cost of a bust on six compares: with nothing, and with the penalty for busts in a row."""
    other = rules.bust.in_a_row.penalty if rules.bust.in_a_row else 0
    return penalty > 0, penalty > other, penalty < other


class ExtraRounds:
    """The extra rounds of a match.

    Attributes
    ----------
    busts
        How many numbers of busts in a row are told apart.
    """

    def __init__(self, match: Setting) -> None:
        self.match, self.rules = match, match.rules
        in_a_row = self.rules.bust.in_a_row
        self.busts = in_a_row.busts if in_a_row else 1
        most = MOST_LEAD + match.margin
        self.program = compiled(self.rules, most, hot_dice_within(self.rules, most))

    def after_bust(self, busts: int, *, on_six: bool) -> tuple[int, int]:
        """Return the busts in a row after one more, and what it costs in points."""
        in_a_row = self.rules.bust.in_a_row
        lost = self.rules.bust.on_six[-1].penalty if on_six and self.rules.bust.on_six else 0
        if in_a_row is None:
            return 0, lost
        return (0, lost + in_a_row.penalty) if busts + 1 == in_a_row.busts else (busts + 1, lost)

    def leading_off(self, ties: Floats, leader: Side, follower: Side) -> Floats:
        """Return what leading off is worth at every tie.

        Parameters
        ----------
        ties
            Shape (busts, busts): what being level again is worth to the other player.
        leader, follower
            How the turns of both are rounded.

        Returns
        -------
        ndarray of shape (busts, busts)
        """
        last = last_turns(self.match, float(ties[0, 0]), follower)
        # With greater leads the other can do at most as well, and may do as badly as can be.
        beyond = 0.0 if follower.lowest else float(last[-1])
        leads = self.program.bank_scores // self.match.unit
        bank = 1.0 - np.append(last, beyond)[np.minimum(leads, len(last))]
        answers = 1.0 - self._answers_to_busts(ties, follower)
        top = 1.0 - (float(last[-1]) if leader.lowest else 0.0)
        return self._turns(bank, answers, top, leader).reshape(self.busts, self.busts)

    def _answers_to_busts(self, ties: Floats, side: Side) -> Floats:
        """Return what the turn after a bust of the leader is worth: by tie, for a bust with fewer dice and on six."""
        ends = [
            [self._level(ties, self.after_bust(led, on_six=first), self.after_bust(followed, on_six=second))
             for second in (False, True)]
            for led in range(self.busts)
            for followed in range(self.busts)
            for first in (False, True)
        ]  # fmt: skip
        bank = np.ones(len(self.program.bank_scores))
        return self._turns(bank, np.array(ends), 1.0, side).reshape(-1, 2)

    @staticmethod
    def _level(ties: Floats, leader: tuple[int, int], follower: tuple[int, int]) -> float:
        """Return what it is worth to the other that both have bust, each with busts in a row and a loss."""
        if leader[1] != follower[1]:
            return float(leader[1] > follower[1])
        return float(ties[leader[0], follower[0]])

    def _turns(self, bank: Floats, busts: Floats, top: float, side: Side) -> Floats:
        """Back up turns that differ only in what busts are worth: shape (turns, 2), with fewer dice and on six."""
        program, turns = self.program, len(busts)
        rows = np.where(allowed(self.match.opened, program.bank_scores), np.arange(len(bank)), -1).astype(np.int32)
        contexts = Contexts(
            np.repeat(bank[:, None], turns, axis=1),
            rows[None, :],
            np.ascontiguousarray(busts[:, 0])[None, :],
            np.ascontiguousarray(busts[:, 1])[None, :],
            np.full((1, turns), top),
        )
        survival = self.match.survival(side)
        return back_up(program, contexts, survival, lowest=side.lowest, nudge=side.nudge(program))[0]

    def settled(self, leader: Side, follower: Side, cost: float = 0.0, *, leading: bool = True) -> Floats:
        """Return what every tie is worth to the player who leads off the next round, or to the other.

        Parameters
        ----------
        leader, follower
            How the turns of both are rounded.
        cost
            What each round costs the player.
        leading
            Whether it is the one who leads off.
        """
        worth = np.full((self.busts, self.busts), 0.5)
        before = np.zeros_like(worth)
        for round_ in range(MOST_ROUNDS):
            found = self.allowed(worth, leader, follower, leading=leading)
            found = np.clip(found - cost, 0.0, 1.0)
            step, worth = found - worth, found
            if np.max(np.abs(step)) <= SETTLED:
                break
            if round_ % PLAIN_ROUNDS == PLAIN_ROUNDS - 1:
                # Where most rounds end level again, going on like this takes too long: leap to where it leads.
                share = float(np.sum(step * before) / max(np.sum(before * before), TINY))
                leap = step * share / (1.0 - share) if share < 1.0 else 0.0
                worth = np.clip(worth + leap, 0.0, 1.0)
            before = step
        return worth

    def allowed(self, worth: Floats, leader: Side, follower: Side, *, leading: bool) -> Floats:
        """Return what one round allows ties to be worth to a player to whom they are worth so much after it."""
        if leading:
            return self.leading_off(1.0 - worth, leader, follower)
        return 1.0 - self.leading_off(worth, leader, follower)


def value_of_ties(match: Setting) -> Floats:
    """Return the win probability of the player who leads off, at every tie; not as a bound."""
    if match.rules.ending.tie != "extra_rounds":
        return np.full((1, 1), 0.5)
    return ExtraRounds(match).settled(NEAREST, NEAREST)
