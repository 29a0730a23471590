"""How a race between two policies goes: followed turn by turn, with the probability of every turn start."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dice10k_math.endings import TurnEndings
from dice10k_math.movers import PolicyMover
from dice10k_math.program import Floats, Ints
from dice10k_math.race import Race

NEGLIGIBLE = 1e-13
"""Probability of a match that is still going on, at which it is not followed any further."""
MOST_TURNS = 20_000
Movers = tuple[PolicyMover, PolicyMover]
Turns = tuple[tuple[float, TurnEndings], ...]
"""How often turns are played on average, and how they end."""


@dataclass(frozen=True, slots=True)
class Course:
    """How a match goes.

    Attributes
    ----------
    length
        Probability that the match takes so many turns of both players together: index 0 is no turn.
    turns
        For each player, how his turns end, each with how often it is played on average.
    won
        Probability that each player wins; what is shared counts half for both.
    left
        Probability of matches that were not followed to their end.
    """

    length: tuple[float, ...]
    turns: tuple[Turns, Turns]
    won: tuple[float, float]
    left: float


@dataclass(slots=True)
class _Places:
    """Where a match can be, by who is to move, with probabilities.

    Attributes
    ----------
    live
        Shape (2, phases, scores, scores): turn starts, by own score and the other's.
    last
        Shape (2, totals, scores): last turns, by the other's total and the own score.
    lead
        Shape (2,): extra rounds about to begin, by who leads off.
    level
        Shape (2, deficits): second turns of extra rounds.
    """

    live: Floats
    last: Floats
    lead: Floats
    level: Floats

    @classmethod
    def empty(cls, race: Race, deficits: int) -> _Places:
        """Return places with no probability."""
        scores = race.scores
        return cls(
            np.zeros((2, race.phases, scores, scores)),
            np.zeros((2, deficits, scores)),
            np.zeros(2),
            np.zeros((2, deficits)),
        )

    @property
    def total(self) -> float:
        """Probability of all together."""
        return float(self.live.sum() + self.last.sum() + self.lead.sum() + self.level.sum())


class _Walk:
    """Follows a match by one turn at a time."""

    def __init__(self, race: Race, movers: Movers) -> None:
        self.race, self.movers = race, movers
        self.numbers = [mover.numbers for mover in movers]
        self.last_numbers = [mover.last_numbers if race.has_last_turn else None for mover in movers]
        ties = race.rules.ending.tie == "extra_rounds"
        self.tie_numbers = [mover.tie_numbers if ties else None for mover in movers]
        # Asking for numbers follows turns, so the probabilities come last.
        self.deficits = next((len(numbers) for numbers in self.last_numbers if numbers is not None), 1)
        found = [mover.plays.banked(race.unit, race.scores + self.deficits) for mover in movers]
        self.banked, self.beyond = [banked for banked, _ in found], [beyond for _, beyond in found]
        self.above = [_above(banked, beyond) for banked, beyond in found]
        self.ended = [mover.plays.ended for mover in movers]
        self.played = [np.zeros(len(ended)) for ended in self.ended]
        self.won = [0.0, 0.0]

    def step(self, here: _Places) -> _Places:
        """Return where the match can be after one more turn."""
        after = _Places.empty(self.race, self.deficits)
        for player in range(2):
            for phase in range(self.race.phases):
                if here.live[player, phase].any():
                    self._live(player, phase, here.live[player, phase], after)
            if here.last[player].any():
                self._last(player, here.last[player], after)
            if here.lead[player] or here.level[player].any():
                self._extra(player, float(here.lead[player]), here.level[player], after)
        return after

    def turns(self, player: int) -> Turns:
        """Return the turns of a player, each with how often it has been played."""
        return tuple(zip(self.played[player].tolist(), self.movers[player].plays.endings, strict=False))

    def _count(self, player: int, numbers: Ints, mass: Floats) -> None:
        self.played[player] += np.bincount(numbers.ravel(), mass.ravel(), len(self.played[player]))

    def _live(self, player: int, phase: int, mass: Floats, after: _Places) -> None:
        race, scores = self.race, self.race.scores
        numbers, banked = self.numbers[player][phase], self.banked[player]
        self._count(player, numbers, mass)
        following = after.live[1 - player, race.other(phase)]
        following += (mass * self.ended[player][numbers, 0]).T
        self.won[player] += float((mass * self.ended[player][numbers, 1]).sum())
        answered = race.has_last_turn and phase == 0
        if not answered:
            self.won[player] += float((mass * self.beyond[player][numbers]).sum())
        for units in np.flatnonzero(banked[np.unique(numbers[mass > 0])].any(axis=0)).tolist():
            moved = mass * banked[numbers, units]
            below = max(scores - units, 0)
            following[:, scores - below :] += moved[:below].T
            if answered:
                totals = np.arange(below, scores) + units - scores
                inside = totals < self.deficits
                after.last[1 - player][totals[inside]] += moved[below:][inside]
            else:
                self.won[player] += float(moved[below:].sum())

    def _last(self, player: int, mass: Floats, after: _Places) -> None:
        numbers = self.last_numbers[player]
        assert numbers is not None  # noqa: S101 - a last turn has a number
        self._count(player, numbers, mass)
        deficit = self.race.scores + np.arange(self.deficits)[:, None] - np.arange(self.race.scores)[None, :]
        level = self._settled(player, numbers, deficit, mass)
        if self.tie_numbers[player] is not None:
            after.lead[1 - player] += level
        else:
            self._won(level / 2, level / 2)

    def _settled(self, player: int, numbers: Ints, deficit: Ints, mass: Floats) -> float:
        """Add up who wins by a turn that has to make good a deficit; return how likely both are level after it."""
        bust, instant, left = np.moveaxis(self.ended[player][numbers], -1, 0)
        more = self.above[player][numbers, deficit] + instant
        level = np.where(deficit == 0, bust, self.banked[player][numbers, deficit])
        won = float((mass * more).sum())
        lost = float((mass * np.maximum(1.0 - more - level - left, 0.0)).sum())
        self._won(*((won, lost) if player == 0 else (lost, won)))
        return float((mass * level).sum())

    def _won(self, first: float, second: float) -> None:
        self.won[0] += first
        self.won[1] += second

    def _extra(self, player: int, leading: float, level: Floats, after: _Places) -> None:
        numbers = self.tie_numbers[player]
        assert numbers is not None  # noqa: S101 - an extra round has numbers
        lead, follow = numbers
        self.played[player][lead] += leading
        self.won[player] += leading * self.ended[player][lead, 1]
        after.level[1 - player] += leading * self.banked[player][lead, : self.deficits]
        after.level[1 - player][0] += leading * self.ended[player][lead, 0]
        self._count(player, follow, level)
        after.lead[1 - player] += self._settled(player, follow, np.arange(self.deficits, dtype=np.int32), level)


def _above(banked: Floats, beyond: Floats) -> Floats:
    """Return how likely a turn banks more than so many units: the last column holds what is beyond them."""
    found: Floats = np.cumsum(np.column_stack([beyond, banked[:, :0:-1]]), axis=1)[:, ::-1]
    return found


def follow_match(
    race: Race, movers: Movers, player: int, place: tuple[int, int, int], share: float = NEGLIGIBLE
) -> Course:
    """Follow a match between two policies.

    Parameters
    ----------
    race, movers
        The match, and who plays it.
    player
        Who is to move.
    place
        Phase, own score and the other's, in units.
    share
        Probability of a match that is still going on, at which it is not followed any further.

    What ends and what is not followed cannot be told apart within one turn; it is far less than `share`.
    """
    walk = _Walk(race, movers)
    here = _Places.empty(race, walk.deficits)
    here.live[(player, *place)] = 1.0
    length, before = [0.0], 1.0
    while before > share and len(length) <= MOST_TURNS:
        here = walk.step(here)
        total = here.total
        length.append(max(before - total, 0.0))
        before = total
    won = walk.won[0], walk.won[1]
    return Course(tuple(length), (walk.turns(0), walk.turns(1)), won, max(before, 1.0 - sum(won)))
