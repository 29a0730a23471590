"""Players as the compiled loops want them: rows of numbers, found by what a player knows at the start of his turn."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dice10k_math.dice import sub_hands
from dice10k_math.policy import (
    NEVER,
    KeepWorths,
    Places,
    Plan,
    Player,
    RollCounts,
    Standing,
    WorthPlayer,
    Worths,
    place_worths,
)
from dice10k_math.policy.players import ComputerPlayer, ThresholdPlayer
from dice10k_math.rules.model import Ruleset
from dice10k_math.scoring import full_hand
from dice10k_math.simulation import loops
from dice10k_math.simulation.rolls import Rolls
from dice10k_math.turn import turn_model

KEEPS = {"all": loops.KEEP_ALL, "points": loops.KEEP_POINTS, "few": loops.KEEP_FEW}
FIRST_SIZE = 1 << 10
MOST_CELLS = 150_000_000
"""Worths that are held at once, in all tables together."""


def can_be_compiled(players: Sequence[Player]) -> bool:
    """Tell whether the compiled loops know how all of these players play."""
    return all(isinstance(player, ThresholdPlayer | ComputerPlayer | WorthPlayer) for player in players)


def _sees(player: Player) -> int:
    """Return what a player's plan depends on: nothing, the scores, or all that can be known."""
    if isinstance(player, WorthPlayer):
        return loops.SEES_ALL
    assert isinstance(player, ThresholdPlayer | ComputerPlayer)  # noqa: S101 - see `can_be_compiled`
    return loops.SEES_NOTHING if player.sees == "turn" else loops.SEES_SCORES


class Seats:
    """The players at the table, with a plan for each standing that has been met.

    Parameters
    ----------
    rules
        The ruleset.
    players
        One for each seat.
    rolls
        The rolls of the ruleset.
    most
        Greatest turn score in tables of worths, in points.
    """

    def __init__(self, rules: Ruleset, players: Sequence[Player], rolls: Rolls, most: int) -> None:
        self.rules, self.rolls, self.most = rules, rolls, most
        # A player who sits at several seats plans once.
        self.players = list({id(player): player for player in players}.values())
        numbers = {id(player): number for number, player in enumerate(self.players)}
        self.who = np.array([numbers[id(player)] for player in players])
        self.favourites = np.zeros((0, len(rolls.starts) - 1), np.int32)
        self.ways: dict[tuple[int, ...], int] = {}
        seats = len(self.players)
        self.keys = np.full((seats, FIRST_SIZE), -1, np.int64)
        self.numbers = np.zeros((seats, FIRST_SIZE), np.int64)
        self.known = [0] * seats
        self.plans: dict[tuple[int, Hashable], int] = {}
        self.rows = np.zeros((16, loops.PLAN), np.int64)
        self.sees = np.array([_sees(player) for player in self.players])
        self.step = 1
        self.tables = 0
        self.roll_worth = np.zeros((1, 1, 1, 1), np.float32)
        self.bank_worth = np.zeros((1, 2, 1, 1), np.float32)

    def arrays(self) -> tuple[Any, ...]:
        """Return what the loops read."""
        return (
            *(self.who, self.keys, self.numbers, self.rows, self.sees),
            *(self.favourites, self.roll_worth, self.bank_worth, self.step),
        )

    def learn(self, seat: int, packed: int) -> None:
        """Make the plan of a player for a standing."""
        seat = int(self.who[seat])
        key = self.players[seat].key(unpacked(packed))
        number = self.plans.get((seat, key))
        if number is None:
            number = self._plan(seat, key)
            self.plans[seat, key] = number
        if self.keys[seat, loops.place_of(self.keys[seat], packed)] == packed:
            return
        if 2 * self.known[seat] >= self.keys.shape[1]:
            self._grow()
        loops.insert(self.keys[seat], self.numbers[seat], packed, number)
        self.known[seat] += 1

    def _grow(self) -> None:
        keys = np.full((len(self.players), 4 * self.keys.shape[1]), -1, np.int64)
        numbers = np.zeros_like(keys)
        for seat in range(len(self.players)):
            loops.rehashed(self.keys[seat], self.numbers[seat], keys[seat], numbers[seat])
        self.keys, self.numbers = keys, numbers

    def _plan(self, seat: int, key: Hashable) -> int:
        number = len(self.plans)
        if number == len(self.rows):
            self.rows = np.concatenate([self.rows, np.zeros_like(self.rows)])
        player = self.players[seat]
        if isinstance(player, WorthPlayer):
            self.rows[number, loops.TABLE] = self._add_table(player.worths(key))
        else:
            assert isinstance(key, Plan)  # noqa: S101 - the key of a player of plain data
            self.rows[number] = plan_row(key)
            self.rows[number, loops.FAVOURITE] = self._way_of(self.rows[number])
            if isinstance(key.keep, Places):
                worths = place_worths(key, sub_hands(full_hand(self.rules)), turn_model(self.rules).step)
                self.rows[number, loops.TABLE] = self._add_table(worths)
        return number

    def _way_of(self, row: NDArray[np.int64]) -> int:
        """Return the row of the favourite options of a plan, where they do not depend on the turn score; else -1."""
        if (
            row[loops.OFF]
            or row[loops.KEEP] == loops.KEEP_COUNTS
            or row[loops.MOST] < NEVER
            or self.rules.variants.spicy_faces is not None
        ):
            return -1
        way = (*row[loops.WORTH : loops.WORTH + 6].tolist(), int(row[loops.KEEP]))
        if way not in self.ways:
            rule = (0, 1, 0, False)
            found = [
                loops.favourite(row, (0, self.rules.turn.hot_dice_bonus), self.rolls.arrays, kind, rule)
                for kind in range(len(self.rolls.starts) - 1)
            ]
            self.ways[way] = len(self.ways)
            self.favourites = np.concatenate([self.favourites, np.array([found], np.int32)])
        return self.ways[way]

    def _add_table(self, worths: Worths) -> int:
        columns = min(worths.bank.shape[1], self.most // worths.step + 1)
        if self.tables == 0:
            self.roll_worth = np.zeros((1, *worths.roll.shape[:2], columns), np.float32)
            hands = worths.roll.shape[1] if self.rules.variants.high_stakes else 1
            self.bank_worth = np.zeros((1, 2, hands, columns), np.float32)
        self.step = worths.step
        if self.tables == len(self.roll_worth):
            self.roll_worth = np.concatenate([self.roll_worth, np.zeros_like(self.roll_worth)])
            self.bank_worth = np.concatenate([self.bank_worth, np.zeros_like(self.bank_worth)])
        columns = self.roll_worth.shape[3]
        more = worths.roll.shape[0] - self.roll_worth.shape[1]
        if more > 0:
            # Where a table has fewer hot dice than another, its last ones stand for all beyond.
            self.roll_worth = np.concatenate([self.roll_worth, self.roll_worth[:, -1:].repeat(more, axis=1)], axis=1)
        levels = np.minimum(np.arange(self.roll_worth.shape[1]), len(worths.roll) - 1)
        self.roll_worth[self.tables] = worths.roll[levels, :, :columns]
        self.bank_worth[self.tables, 0] = worths.bank[:, :columns]
        self.bank_worth[self.tables, 1] = worths.subtract[:, :columns]
        self.tables += 1
        return self.tables - 1


def plan_row(plan: Plan) -> NDArray[np.int64]:
    """Return a plan as a row of numbers."""
    row = np.zeros(loops.PLAN, np.int64)
    row[loops.BANK_FROM : loops.BANK_FROM + len(plan.bank_from)] = plan.bank_from
    if isinstance(plan.keep, KeepWorths):
        row[loops.KEEP], row[loops.OFF] = loops.KEEP_WORTHS, plan.keep.unbankable
        row[loops.WORTH : loops.WORTH + len(plan.keep.dice_left)] = plan.keep.dice_left
    elif isinstance(plan.keep, RollCounts):
        row[loops.KEEP] = loops.KEEP_COUNTS
        row[loops.OFFS : loops.OFFS + len(plan.keep.offs)] = plan.keep.offs
        row[loops.WORTH : loops.WORTH + len(plan.keep.points)] = plan.keep.points
        row[loops.PERCENT : loops.PERCENT + len(plan.keep.percent)] = plan.keep.percent
    elif not isinstance(plan.keep, Places):
        row[loops.KEEP] = KEEPS[plan.keep]
    row[loops.KEEP_FIRST : loops.MULTIPLE + 1] = (
        *(plan.keep_first, plan.win_from, plan.win_at, plan.least, plan.most, plan.tie),
        *(-1 if plan.over is None else plan.over, plan.hittable, plan.multiple),
    )
    row[loops.TAKE : loops.TAKE + 6] = (*plan.take, *(NEVER,) * (6 - len(plan.take)))
    row[loops.LEAVE : loops.LEAVE + len(plan.leave)] = plan.leave
    row[loops.BELOW : loops.BELOW + 6] = (*plan.below, *(NEVER,) * (6 - len(plan.below)))
    row[loops.SHORT_FROM], row[loops.SHORT_TO] = plan.short_from, plan.short_to
    row[loops.TABLE] = -1
    row[loops.FLOOR] = min(plan.win_at, plan.win_from, plan.tie, max(plan.least, min(plan.bank_from)))
    return row


def unpacked(packed: int) -> Standing:
    """Return a standing from the number that the loops make of it."""
    half = 1 << 25
    own, other = (packed >> 34) - half, (packed >> 8 & (2 * half - 1)) - half
    flags = packed & 255
    return Standing(
        own,
        None if other == loops.NONE else other,
        bool(flags & 128),
        bool(flags & 64),
        bool(flags & 32),
        flags & 31,
    )
