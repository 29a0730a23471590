"""Two policies against each other where scores can fall or pass the target: win probabilities with bounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dice10k_math.errors import InputError, NotConvergedError
from dice10k_math.plays import Plays
from dice10k_math.policy.players import Player
from dice10k_math.program import Floats, Ints
from dice10k_math.questions.duels import Progress
from dice10k_math.rules.model import Ruleset
from dice10k_math.spread import scores_of, turns_of

MOST_OPEN = 1e-2
"""Probability that neither is known to win, from the start, above which policies are refused."""


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """Win probabilities of two policies against each other; the twin of `Duel`.

    Attributes
    ----------
    scores
        The scores that are followed.
    lower, upper
        Shape (2, scores, scores): of each player when to move, by own score and the other's.
    """

    rules: Ruleset
    scores: Ints
    lower: Floats
    upper: Floats

    def place(self, score: int, opponent: int, *, second: bool = False) -> tuple[int, int]:
        """Return the places of both scores.

        Raises
        ------
        InputError
            Scores that cannot be, or that are not followed.
        """
        if second:
            raise InputError(f"second: {self.rules.name} has no equal turns, so it does not matter who began")
        low, high, unit = int(self.scores[0]), int(self.scores[-1]), int(self.scores[1] - self.scores[0])
        for name, points in (("score", score), ("opponent", opponent)):
            if points % unit or not low <= points <= high:
                raise InputError(
                    f"{name}: {points}; {self.rules.name} is followed from {low} to {high} in steps of {unit}"
                )
        return (score - low) // unit, (opponent - low) // unit

    def of(self, player: int, place: tuple[int, int]) -> tuple[float, float, float]:
        """Return a player's win probability when to move, with its bounds."""
        lower, upper = float(self.lower[(player, *place)]), float(self.upper[(player, *place)])
        return (lower + upper) / 2, lower, upper

    def columns(self, player: int) -> dict[str, NDArray[Any]]:
        """Return all turn starts of a player as columns of a table."""
        own, other = np.meshgrid(self.scores, self.scores, indexing="ij")
        lower, upper = self.lower[player].ravel(), self.upper[player].ravel()
        return {
            "score": own.ravel(),
            "opponent": other.ravel(),
            "win_probability": (lower + upper) / 2,
            "lower": lower,
            "upper": upper,
        }


def solve_spread(players: tuple[Player, Player], told: Progress) -> tuple[Spread, tuple[Plays, Plays]]:
    """Solve for two policies, and prove bounds for every turn start of both.

    Raises
    ------
    InputError
        Rules that are not followed here, or policies that can go on for ever.
    NotConvergedError
        The judge did not accept the bounds.
    """
    from dice10k_math.certify.spread import faults_of
    from dice10k_math.solve.spread import propose_guarantees

    rules = players[0].rules
    scores = scores_of(rules)
    (first, first_plays), (second, second_plays) = (turns_of(player) for player in players)
    turns = first, second
    shape = (2, len(scores), len(scores))
    lower, upper = np.empty(shape), np.empty(shape)
    for number in range(2):
        told("solving", number / 2)
        own, other = turns[number], turns[1 - number]
        move, wait = propose_guarantees(own, other)
        if faults := faults_of(own, other, move, wait):
            raise NotConvergedError(f"{rules.name}: the judge refuses {faults} of the bounds")
        lower[number], upper[1 - number] = move, 1.0 - wait.T
    found = Spread(rules, scores, lower, upper)
    start = found.place(0, 0)
    left = float(upper[(0, *start)] - lower[(0, *start)])
    if left > MOST_OPEN:
        raise InputError(
            f"policies: they can go on for ever: from 0 against 0, {left:.3g} of the matches are won by neither "
            f"between {scores[0]} and {scores[-1]}; allowed: policies that end"
        )
    return found, (first_plays, second_plays)
