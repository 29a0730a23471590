"""Many matches: handed out to the compiled loops, or to the plain ones where a player is a function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dice10k_math.errors import InputError
from dice10k_math.policy import Player
from dice10k_math.rules.model import Ruleset
from dice10k_math.rules.steps import bank_step, point_step
from dice10k_math.simulation.plain import Match, Seat, chances
from dice10k_math.simulation.tally import Tally
from dice10k_math.workers import CORES, run_all

Ints = NDArray[np.int64]
FIRST_CHUNK, CHUNK = 1 << 8, 1 << 14
MOST_TURNS = 100_000
"""Turns after which a match is taken to go on for ever."""
MOST_TABLE = 6_000
"""Greatest turn score, in points, that is looked up in tables of worths; what goes beyond is played plainly."""
KINDS = ("exact", "first_to_target", "final_round", "equal_turns")
FAR = 1 << 40
SHARES = 840


@dataclass(frozen=True, slots=True)
class Start:
    """What every match starts with, by seat; `turns_only`: the turns after which it is stopped, 0: none."""

    scores: tuple[int, ...]
    opened: tuple[bool, ...]
    busts: tuple[int, ...]
    turns_only: int = 0


def usual_start(scores: Sequence[int], opened: Sequence[bool | None] | None = None) -> Start:
    """Return a start with these scores; a score other than 0 says that a bank has been made."""
    given = opened or [None] * len(scores)
    made = tuple(score != 0 if known is None else known for score, known in zip(scores, given, strict=True))
    return Start(tuple(scores), made, (0,) * len(scores))


def play_matches(
    rules: Ruleset,
    players: Sequence[Player],
    matches: int,
    seed: int,
    start: Start,
    *,
    progress: Callable[[float], None] | None = None,
    plainly: bool = False,
) -> Tally:
    """Play matches and count.

    Parameters
    ----------
    rules
        The ruleset.
    players
        One for each seat, in the order of their turns.
    matches
        How many.
    seed
        The same seed gives the same matches.
    start
        What every match starts with.
    progress
        Told the share that is done.
    plainly
        Use the plain loops also where the compiled ones could be.

    Raises
    ------
    InputError
        A match that goes on for ever, or a choice that is not allowed.
    """
    tally = Tally.empty(len(players), SHARES)
    from dice10k_math.simulation.seats import can_be_compiled

    if plainly or not can_be_compiled(players):
        for match in range(matches):
            tally.add(_plain(rules, players, seed, match, start)[None])
            if progress is not None and match % 64 == 0:
                progress(match / matches)
        return tally
    table = _Table(rules, players, seed, start)
    # Small portions first: they make most of the plans, so few matches of a large one are given up for want of one.
    first, size = 0, FIRST_CHUNK
    while first < matches:
        tally.add(table.play(np.arange(first, min(first + size, matches))))
        first, size = first + size, min(4 * size, CHUNK * CORES)
        if progress is not None:
            progress(min(first / matches, 1.0))
    return tally


def _plain(rules: Ruleset, players: Sequence[Player], seed: int, match: int, start: Start) -> Ints:
    """Play one match plainly and return its counts."""
    seats = [
        Seat(player, score, opened, busts)
        for player, score, opened, busts in zip(players, start.scores, start.opened, start.busts, strict=True)
    ]
    Match(rules, seats, chances(seed, match), MOST_TURNS, start.turns_only).play()
    return np.array(
        [
            [round(seat.share * SHARES) for seat in seats],
            [seat.turns for seat in seats],
            [seat.gained for seat in seats],
            [seat.lost for seat in seats],
        ],
        np.int64,
    )


class _Table:
    """Everything that the compiled loops need for the matches of one simulation."""

    def __init__(self, rules: Ruleset, players: Sequence[Player], seed: int, start: Start) -> None:
        from dice10k_math.simulation.rolls import rolls_of
        from dice10k_math.simulation.seats import Seats

        found = rolls_of(rules)
        self.rules, self.players, self.seed, self.start = rules, players, seed, start
        self.seats = Seats(rules, players, found, MOST_TABLE)
        self.game = rule_numbers(rules, len(players), start.turns_only)
        rows = [(FAR if row.below is None else row.below, row.penalty) for row in rules.bust.on_six]
        self.penalties = np.array(rows, np.int64).reshape(len(rows), 2)
        self.rolls = found.arrays
        self.chances = (found.first, found.outcomes, found.kind)
        self.begin = np.array([start.scores, start.opened, start.busts], np.int64)

    def play(self, numbers: Ints) -> Ints:
        """Play the matches of these numbers and return their counts."""
        from dice10k_math.simulation import loops

        counts = np.zeros((len(numbers), 4, len(self.players)), np.int64)
        left = np.arange(len(numbers))
        while len(left):
            result, out = self._pass(numbers[left])
            done = result[:, 0] == loops.DONE
            counts[left[done]] = out[done]
            for row in np.flatnonzero(result[:, 0] == loops.BEYOND):
                counts[left[row]] = _plain(self.rules, self.players, self.seed, int(numbers[left[row]]), self.start)
            endless = np.flatnonzero(result[:, 0] == loops.ENDLESS)
            if len(endless):
                self._refuse(result[endless[0]])
            missing = result[:, 0] == loops.MISSING
            for seat, standing in np.unique(result[missing, 1:], axis=0).tolist():
                self.seats.learn(seat, standing)
            left = left[missing]
        return counts

    def _pass(self, numbers: Ints) -> tuple[Ints, Ints]:
        """Play matches as far as the plans that are known allow."""
        from dice10k_math.simulation import loops

        result = np.zeros((len(numbers), 3), np.int64)
        out = np.zeros((len(numbers), 4, len(self.players)), np.int64)
        arrays = self.seats.arrays()

        def job(part: slice) -> None:
            loops.play_all(
                *(numbers[part], self.seed, self.game, self.penalties, self.rolls, self.chances),
                *(arrays, self.begin, out[part], result[part]),
            )

        size = -(-len(numbers) // CORES)
        parts = [slice(first, first + size) for first in range(0, len(numbers), size)]
        run_all([lambda part=part: job(part) for part in parts])  # type: ignore[misc] # bound early
        return result, out

    def _refuse(self, result: Ints) -> None:
        from dice10k_math.simulation.seats import unpacked

        standing = unpacked(int(result[2]))
        raise InputError(
            f"policies: no end after {MOST_TURNS} turns, with seat {int(result[1]) + 1} to move at score "
            f"{standing.score}, the best of the others at {standing.opponent}; allowed: policies that bank"
        )


def _multiple(rules: Ruleset) -> int:
    """Return the multiple that a turn score must be to be banked; 1: every turn score is one."""
    return 1 if point_step(rules) % bank_step(rules) == 0 else bank_step(rules)


def rule_numbers(rules: Ruleset, seats: int, turns_only: int = 0) -> Ints:
    """Return the rules as the compiled loops read them."""
    turn, ending, in_a_row = rules.turn, rules.ending, rules.bust.in_a_row
    numbers = (
        *(seats, KINDS.index(ending.kind), ending.target),
        *(ending.overshoot == "add_or_subtract", ending.overshoot == "not_allowed", ending.tie == "extra_rounds"),
        *(turn.opening_applies == "at_score_zero", turn.opening_minimum, turn.bank_minimum, _multiple(rules)),
        turn.hot_dice_bonus,
        *((in_a_row.busts, in_a_row.penalty) if in_a_row else (0, 0)),
        *(rules.variants.high_stakes, MOST_TURNS, turns_only),
    )
    return np.array(numbers, np.int64)
