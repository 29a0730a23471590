"""The pace of a player who looks at no other score: the distribution of the total after every turn.

Such a player's turns depend on the own score alone, so the players of a match who all play like that move on
independently of each other, and everything about them is in these distributions.
Scores are counted in units of the race.

*Proof.* What is known of a turn's endings are lower bounds (`dice10k_math.endings`), so every probability here is one
too, rounding apart; `slack` bounds the rounding, relative to the probability, and `missing` what is not known.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dice10k_math.errors import InputError
from dice10k_math.last_turn import NEAREST, Side
from dice10k_math.plays import Plays
from dice10k_math.policy.choices import Standing
from dice10k_math.policy.model import CallablePolicy, ComputerPolicy, Optimum, Policy, ThresholdPolicy
from dice10k_math.policy.players import Player
from dice10k_math.program import Floats
from dice10k_math.race import Race
from dice10k_math.rules.model import Ruleset

OTHERS = {"opponent", "behind", "ahead", "opponent_to_go"}
"""Subjects of conditions that are not the player's own."""
UNIT_ROUNDOFF, TINY = 2.0**-53, 1e-300


def looks_at_others(policy: Policy, rules: Ruleset) -> str | None:
    """Return what of a policy looks at the scores of other players; None: nothing does.

    Examples
    --------
    >>> from dice10k_math.policy import parse_policy
    >>> from dice10k_math.rules import load_rules
    >>> rules = load_rules("des-10000")
    >>> looks_at_others(parse_policy("threshold 300"), rules)
    >>> looks_at_others(parse_policy("threshold 300 if behind>=1000 500"), rules)
    'a condition on behind'
    """
    match policy:
        case ThresholdPolicy():
            found = [each.subject for case in policy.cases for each in case.conditions if each.subject in OTHERS]
            if found:
                return f"a condition on {found[0]}"
            return "end=win" if policy.end == "win" and rules.ending.kind in {"final_round", "equal_turns"} else None
        case ComputerPolicy():
            return "the threshold of a computer that is behind" if policy.step and policy.most else None
        case Optimum():
            return "optimum win" if policy.goal == "win" else None
        case CallablePolicy():
            return "a function that sees the match" if policy.sees not in {"turn", "own"} else None


class Pace:
    """How a player gets on, turn by turn.

    Attributes
    ----------
    race
        The match.
    totals
        For each number of turns, shape (totals,): probability of each total after them, all totals before the last
        turn having been below the target.
    instant, missing
        For each number of turns: probability of an instant win in the last of them; and of all that is not known of
        any turn up to it.
    """

    def __init__(self, race: Race, player: Player, start: int = 0, *, closing: bool = False) -> None:
        self.race, self.player, self.plays = race, player, Plays(player)
        self._standings = [Standing(own * race.unit, closing=closing, opened=own > 0) for own in range(race.scores)]
        first = np.zeros(race.scores)
        first[start] = 1.0
        self.totals, self.instant, self.missing = [first], [0.0], [0.0]

    @cached_property
    def steps(self) -> tuple[Floats, Floats, Floats]:
        """Shape (scores, totals), (scores,), (scores,): where a turn leads, instant wins, and what is not known."""
        scores = self.race.scores
        numbers = self.plays.numbers(self._standings)
        most = 1 + max(max(endings.banked, default=0) for endings in self.plays.endings) // self.race.unit
        banked, _ = self.plays.banked(self.race.unit, most)
        lost, instant, left = self.plays.ended[numbers].T
        matrix = np.zeros((scores, scores + most + 1))
        for own, number in enumerate(numbers.tolist()):
            matrix[own, own : own + most + 1] = banked[number]
            matrix[own, own] += lost[own]
        used = np.flatnonzero(matrix.any(axis=0))
        return matrix[:, : max(int(used[-1]) + 1, scores)], instant, left

    def follow(self, turns: int) -> None:
        """Make the distributions known up to so many turns."""
        matrix, instant, left = self.steps
        while len(self.totals) <= turns:
            here = self.totals[-1][: self.race.scores]
            self.totals.append(here @ matrix)
            self.instant.append(float(here @ instant))
            self.missing.append(self.missing[-1] + float(here @ left))

    def alive(self, turns: int) -> float:
        """Return the probability that no total up to so many turns has reached the target."""
        self.follow(turns)
        return float(self.totals[turns][: self.race.scores].sum())

    def slack(self, turns: int) -> float:
        """Return how far, relative to it, a probability after so many turns can be off by rounding."""
        return (turns + 2) * (self.race.scores + 16) * UNIT_ROUNDOFF

    def next(self, turns: int, side: Side) -> tuple[Floats, float]:
        """Return the totals after one more turn, given that none of the first so many has reached the target.

        Returns
        -------
        tuple
            Bounds of the probabilities from this side; and what is not known, which may be any total.
        """
        self.follow(turns + 1)
        alive, after, slack = self.alive(turns), self.totals[turns + 1], self.slack(turns + 1)
        if side is NEAREST:
            return after / max(alive, TINY), 0.0
        if side.lowest:
            return after * ((1.0 - slack) / (alive * (1.0 + slack) + self.missing[turns])), 0.0
        if alive <= 0.0:
            return np.zeros_like(after), 1.0
        left = self.missing[turns + 1] / alive * (1.0 + 2.0 * slack)
        return after * ((1.0 + slack) / (alive * (1.0 - slack))), min(left, 1.0)

    def where_left(self, turns: int) -> int:
        """Return the score, in points, at which the player most likely is after so many turns below the target."""
        self.follow(turns)
        return int(np.argmax(self.totals[turns][: self.race.scores])) * self.race.unit


At = tuple[Pace, int]
"""One of the others, and how many turns he has had."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """Who plays when.

    Attributes
    ----------
    before, after
        The others who sit before the player and after him, in the order of their turns.
    """

    before: tuple[Pace, ...]
    after: tuple[Pace, ...]

    def others(self, turns: int) -> list[At]:
        """Return the others in the order of their turns after the player's turn with this number, counted from 0.

        The number -1 stands for the beginning of the match.
        """
        after = [(pace, turns) for pace in self.after] if turns >= 0 else []
        return after + [(pace, turns + 1) for pace in self.before]

    def alive(self, turns: int) -> float:
        """Return the probability that none of the others has reached the target before the player's turn."""
        ahead = [pace.alive(turns + 1) for pace in self.before]
        return float(np.prod(ahead + [pace.alive(turns) for pace in self.after]))


def check_pace(policy: Policy, rules: Ruleset, name: str) -> None:
    """Refuse a policy that looks at the scores of others.

    Raises
    ------
    InputError
        The message says what looks at them.
    """
    found = looks_at_others(policy, rules)
    if found is not None:
        raise InputError(
            f"policy {name}: {found} looks at the scores of others; "
            "allowed against several: policies that look at their own score only"
        )
