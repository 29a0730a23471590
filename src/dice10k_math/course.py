"""How a race between two policies goes: followed turn by turn, with the probability of every turn start."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dice10k_math.movers import PolicyMover
from dice10k_math.program import Floats, Ints
from dice10k_math.race import Race

NEGLIGIBLE = 1e-13
"""Probability of a match that is still going on, at which it is not followed any further."""
MOST_TURNS = 20_000
Movers = tuple[PolicyMover, PolicyMover]


@dataclass(frozen=True, slots=True)
class Course:
    """How a match goes.

    Attributes
    ----------
    length
        Probability that the match takes so many turns of both players together: index 0 is no turn.
    played
        For each player, how often each of his turns is played on average: by the number of the turn in his `Plays`.
    left
        Probability of matches that were not followed to their end.
    """

    length: tuple[float, ...]
    played: tuple[Floats, Floats]
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
        self.banked = [mover.plays.banked(race.unit, race.scores + self.deficits)[0] for mover in movers]
        self.ended = [mover.plays.ended for mover in movers]
        self.played = [np.zeros(len(ended)) for ended in self.ended]

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

    def _count(self, player: int, numbers: Ints, mass: Floats) -> None:
        self.played[player] += np.bincount(numbers.ravel(), mass.ravel(), len(self.played[player]))

    def _live(self, player: int, phase: int, mass: Floats, after: _Places) -> None:
        race, scores = self.race, self.race.scores
        numbers, banked = self.numbers[player][phase], self.banked[player]
        self._count(player, numbers, mass)
        following = after.live[1 - player, race.other(phase)]
        following += (mass * self.ended[player][numbers, 0]).T
        answered = race.has_last_turn and phase == 0
        for units in np.flatnonzero(banked[np.unique(numbers[mass > 0])].any(axis=0)).tolist():
            moved = mass * banked[numbers, units]
            below = max(scores - units, 0)
            following[:, scores - below :] += moved[:below].T
            if answered:
                totals = np.arange(below, scores) + units - scores
                inside = totals < self.deficits
                after.last[1 - player][totals[inside]] += moved[below:][inside]

    def _last(self, player: int, mass: Floats, after: _Places) -> None:
        numbers = self.last_numbers[player]
        assert numbers is not None  # noqa: S101 - a last turn has a number
        self._count(player, numbers, mass)
        if self.tie_numbers[player] is not None:
            deficit = self.race.scores + np.arange(self.deficits)[:, None] - np.arange(self.race.scores)[None, :]
            after.lead[1 - player] += float((mass * self.banked[player][numbers, deficit]).sum())

    def _extra(self, player: int, leading: float, level: Floats, after: _Places) -> None:
        numbers = self.tie_numbers[player]
        assert numbers is not None  # noqa: S101 - an extra round has numbers
        lead, follow = numbers
        self.played[player][lead] += leading
        after.level[1 - player] += leading * self.banked[player][lead, : self.deficits]
        after.level[1 - player][0] += leading * self.ended[player][lead, 0]
        self._count(player, follow, level)
        again = self.banked[player][follow, np.arange(self.deficits)]
        again[0] = self.ended[player][follow[0], 0]
        after.lead[1 - player] += float((level * again).sum())


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
    return Course(tuple(length), (walk.played[0], walk.played[1]), before)
