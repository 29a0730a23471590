"""Extra rounds from a tie where busts can cost points: whole rounds until one player alone is the highest.

The target matters no more then, and of the scores only their difference does: at a tie only the busts in a row of
both are to be remembered. Whoever leads off a round has a turn that the other answers knowing what he needs:

* after a bank the other is behind, and wins, draws level or loses by what he banks;
* after a bust the other is level or even ahead, so every bank of his wins, and a bust of his own decides.

When both bust, what that costs is compared, and no more than compared: both are level before the round, so both pay by
the same row of the table of busts on six. As long as all rows compare alike to nothing, and to the penalty for busts in
a row, it does not matter which row it is, nor how far both have fallen.
Else it matters at which score both are level, as it does where an opening minimum comes back at a score of 0:
`dice10k_math.tie_levels` says which scores are told apart.

A *tie* is written as the numbers of busts in a row of the player who leads off the next round and of the other, after
the level where levels are told apart.
"""

from __future__ import annotations

from functools import cached_property
from itertools import product

import numpy as np

from dice10k_math.backup import Contexts, back_up, blocks_of
from dice10k_math.last_turn import (
    NEAREST,
    Setting,
    Side,
    allowed,
    compiled,
    hot_dice_within,
    last_turns,
    last_turns_at,
    margin_of,
    most_lead,
)
from dice10k_math.program import Floats
from dice10k_math.tie_levels import Numbers, TieLevels, are_told_apart, levels_of, penalties_on_six, zero_matters
from dice10k_math.turn import BankRule, bank_rule, turn_model

MOST_ROUNDS, PLAIN_ROUNDS = 400, 10
TINY = 1e-300
SETTLED = 4e-15


class ExtraRounds:
    """The extra rounds of a match.

    Attributes
    ----------
    levels
        The scores at which both can be level that are told apart.
    busts
        How many numbers of busts in a row are told apart.
    shape
        Shape of the ties: (levels, busts, busts), without the levels if there is only one.

    Raises
    ------
    ValueError
        Levels that are not each alike in all their scores.
    """

    def __init__(self, match: Setting, levels: TieLevels | None = None) -> None:
        self.match, self.rules = match, match.rules
        self.levels = levels_of(self.rules, 1) if levels is None else levels
        if not are_told_apart(self.rules, self.levels):
            raise ValueError(f"levels: {self.levels} does not tell the scores apart at which a tie is another")
        in_a_row = self.rules.bust.in_a_row
        self.busts = in_a_row.busts if in_a_row else 1
        every = (self.levels.count, self.busts, self.busts)
        self.shape = every if self.levels.count > 1 else every[1:]
        most = most_lead(self.rules) + match.margin
        self.program = compiled(self.rules, most, hot_dice_within(self.rules, most))
        self.on_six = penalties_on_six(self.rules, self.levels)
        # Whether both need an opening bank again, by level.
        self.shut = (self.levels.samples == 0) & zero_matters(self.rules)

    def after_bust(self, busts: int, *, on_six: bool) -> tuple[int, Numbers]:
        """Return the busts in a row after one more, and what it costs in points at every level."""
        in_a_row, lost = self.rules.bust.in_a_row, self.on_six if on_six else np.zeros_like(self.on_six)
        if in_a_row is None:
            return 0, lost
        return (0, lost + in_a_row.penalty) if busts + 1 == in_a_row.busts else (busts + 1, lost)

    def leading_off(self, ties: Floats, leader: Side, follower: Side) -> Floats:
        """Return what leading off is worth at every tie.

        Parameters
        ----------
        ties
            By tie: what being level again is worth to the other player.
        leader, follower
            How the turns of both are rounded.

        Returns
        -------
        ndarray of the shape of ties
        """
        answered = self._answers_to_banks(self.levels.after_banks(ties), follower)
        # With greater leads the other can do at most as well, and may do as badly as can be.
        beyond = np.zeros_like(answered[:, :1]) if follower.lowest else answered[:, -1:]
        leads = np.minimum(self.program.bank_scores // self.match.unit, answered.shape[1])
        bank = 1.0 - np.append(answered, beyond, axis=1)[:, leads].T
        answers = 1.0 - self._answers_to_busts(ties.reshape(self.levels.count, self.busts, self.busts), follower)
        top = 1.0 - (answered[:, -1] if leader.lowest else np.zeros(len(answered)))
        return self._turns(bank, answers, top, leader).reshape(self.shape)

    def _answers_to_banks(self, ties: Floats, side: Side) -> Floats:
        """Return what the turn after a bank of the leader is worth, by level and lead in units.

        `ties`: by level, what being level again is worth to the player of that turn.
        """
        if self.levels.count == 1:
            return last_turns(self.match, float(ties[0]), side)[None, :]
        turns, numbers = self._after_banks
        level = self._counting(ties, turns[:, 2], turns[:, 3], side)
        found = np.empty(len(turns))
        for shut in (False, True):
            mine = turns[:, 0] == shut
            found[mine] = last_turns_at(self.match, self._rule(shut=shut), turns[mine, 1], level[mine], side)
        return found[numbers]

    @cached_property
    def _after_banks(self) -> tuple[Numbers, Numbers]:
        """The turns that answer a bank, and the one after each lead at each level.

        A turn is written as whether an opening bank is needed, the lead, and the first and the last level to which a
        bank can lead that draws level. A lead of 0 stands for one of 1: it cannot be.
        """
        leads = np.maximum(np.arange(most_lead(self.rules) // self.match.unit + 1), 1)
        first, last = self.levels.moved(leads[None, :] * self.match.unit)
        shut = np.broadcast_to(self.shut[:, None], first.shape)
        keys = np.stack([shut, np.broadcast_to(leads, first.shape), first, last], axis=-1)
        turns, numbers = np.unique(keys.reshape(-1, 4), axis=0, return_inverse=True)
        return turns, numbers.reshape(first.shape)

    @staticmethod
    def _counting(ties: Floats, first: Numbers, last: Numbers, side: Side) -> Floats:
        """Return by level what counts of the ties from a first to a last one: the worst or the best."""
        found = ties[first]
        for place in np.flatnonzero(first < last).tolist():
            among = ties[first[place] : last[place] + 1]
            found[place] = among.min() if side.lowest else among.max()
        return found

    def _rule(self, *, shut: bool) -> BankRule:
        """Return which turn scores may be banked, with an opening bank to make or not."""
        opened = self.match.opened
        return BankRule(bank_rule(self.rules, 0, opened=False).minimum, opened.multiple) if shut else opened

    def _answers_to_busts(self, ties: Floats, side: Side) -> Floats:
        """Return what the turn after a bust of the leader is worth: by tie, for a bust with fewer dice and on six."""
        ends = np.empty((*ties.shape, 2, 2))
        for led, followed, first, second in product(range(self.busts), range(self.busts), (0, 1), (0, 1)):
            both = self.after_bust(led, on_six=bool(first)), self.after_bust(followed, on_six=bool(second))
            ends[:, led, followed, first, second] = self._level(ties, *both, side)
        busts = ends.reshape(-1, 2)
        return self._turns(np.ones((1, len(busts))), busts, np.ones(self.levels.count), side).reshape(-1, 2)

    def _level(self, ties: Floats, leader: tuple[int, Numbers], follower: tuple[int, Numbers], side: Side) -> Floats:
        """Return by level what it is worth to the other that both have bust, each with busts in a row and a loss."""
        first, last = self.levels.moved(-leader[1])
        again = self._counting(ties[:, leader[0], follower[0]], first, last, side)
        return np.where(leader[1] == follower[1], again, leader[1] > follower[1])

    def _turns(self, bank: Floats, busts: Floats, top: Floats, side: Side) -> Floats:
        """Back up turns, level by level as many.

        Parameters
        ----------
        bank
            Shape (bank rows, levels): worth of banking; or (1, turns), whatever is banked.
        busts
            Shape (turns, 2): worth of a bust with fewer dice and on six.
        top
            Shape (levels,): bound for what lies beyond the greatest turn score.
        side
            Rounding.
        """
        each = len(busts) // self.levels.count
        table = bank if len(bank) == 1 else np.repeat(bank, each, axis=1)
        tops, shut = np.repeat(top, each), np.repeat(self.shut, each)
        found = np.empty(len(busts))
        for closed in np.unique(self.shut).tolist():
            mine = shut == closed
            found[mine] = self._turns_alike(table[:, mine], busts[mine], tops[mine], side, self._rule(shut=closed))
        return found

    def _turns_alike(self, table: Floats, busts: Floats, top: Floats, side: Side, rule: BankRule) -> Floats:
        """Back up turns in which the same turn scores may be banked."""
        program = self.program
        rows = np.where(
            allowed(rule, program.bank_scores), np.arange(len(program.bank_scores)) if len(table) > 1 else 0, -1
        ).astype(np.int32)
        contexts = Contexts(
            np.ascontiguousarray(table),
            rows[None, :],
            np.ascontiguousarray(busts[:, 0])[None, :],
            np.ascontiguousarray(busts[:, 1])[None, :],
            top[None, :],
        )
        # Where every bank wins, there is nothing to gain by a greater one.
        margin = max(self.match.margin, margin_of(turn_model(self.rules), rule))
        limit = program.most if len(table) > 1 else self.match.unit + margin
        blocks = blocks_of(1, len(busts), limit)
        survival, nudge = self.match.survival(side), side.nudge(program)
        return back_up(program, contexts, survival, blocks=blocks, lowest=side.lowest, nudge=nudge)[0]

    def settled(
        self, leader: Side, follower: Side, cost: float = 0.0, *, leading: bool = True, start: Floats | None = None
    ) -> Floats:
        """Return what every tie is worth to the player who leads off the next round, or to the other.

        Parameters
        ----------
        leader, follower
            How the turns of both are rounded.
        cost
            What each round costs the player.
        leading
            Whether it is the one who leads off.
        start
            Values to start from.
        """
        worth = np.full(self.shape, 0.5) if start is None else start
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
    """Return the win probability of the player who leads off, at every tie; not as a bound.

    Where levels are told apart, they are not told apart far.
    """
    if match.rules.ending.tie != "extra_rounds":
        return np.full((1, 1), 0.5)
    return ExtraRounds(match).settled(NEAREST, NEAREST)
