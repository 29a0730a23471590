"""A policy's own progress, turn by turn: from which score it gets where, in games in which scores may fall too.

An *own state* is a score, whether the first bank has been made, and busts in a row.
Own states from `low` to `high` are followed; what leads beyond is left out, and counts as left.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dice10k_math.endings import TurnEndings
from dice10k_math.plays import Plays
from dice10k_math.policy.choices import Standing
from dice10k_math.policy.players import Player
from dice10k_math.program import Floats
from dice10k_math.rules import Ruleset
from dice10k_math.turn import six_dice_penalty

NEGLIGIBLE = 1e-13
"""Probability of a game that is still going on, at which it is not followed any further."""
FAINT = 1e-16
"""Probability of an own state below which it is not followed."""
REACH = 30_000
"""How far from 0 and from the target scores are followed, in points."""


class OwnState(NamedTuple):
    """A score, whether the first bank has been made, and busts in a row."""

    score: int
    opened: bool
    busts: int


def after_bust(rules: Ruleset, state: OwnState, *, on_six: bool) -> OwnState:
    """Return the own state after a bust.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> after_bust(load_rules("dice10k"), OwnState(400, True, 0), on_six=True).score
    -600
    """
    lost = six_dice_penalty(rules, state.score) if on_six else 0
    busts, in_a_row = state.busts, rules.bust.in_a_row
    if in_a_row is not None:
        busts += 1
        if busts == in_a_row.busts:
            busts, lost = 0, lost + in_a_row.penalty
    return OwnState(state.score - lost, state.opened, busts)


def is_done(rules: Ruleset, score: int) -> bool:
    """Tell whether a bank that leads to this score ends the game for a player alone."""
    target = rules.ending.target
    return score == target if rules.ending.kind == "exact" else score >= target


@dataclass(frozen=True, slots=True)
class SoloCourse:
    """How the game of one player alone goes.

    Attributes
    ----------
    length
        Probability that the game takes so many turns: index 0 is no turn.
    played
        Own states, each with how often a turn starts there on average.
    left
        Probability of games that were not followed to their end.
    lingering
        The own state in which a game is most likely to be that was not followed to its end.
    """

    length: tuple[float, ...]
    played: tuple[tuple[OwnState, float], ...]
    left: float
    lingering: OwnState


class SoloChain:
    """The own states of one player alone who plays by a policy, found as they are reached."""

    def __init__(self, player: Player) -> None:
        self.rules, self.plays = player.rules, Plays(player)
        self._row: dict[OwnState, tuple[TurnEndings, dict[OwnState, float]]] = {}

    def row(self, state: OwnState) -> tuple[TurnEndings, dict[OwnState, float]]:
        """Return how the turn from an own state ends, and where it leads that is not the end."""
        if state not in self._row:
            self._row[state] = self._follow(state)
        return self._row[state]

    def _follow(self, state: OwnState) -> tuple[TurnEndings, dict[OwnState, float]]:
        rules = self.rules
        endings = self.plays.of(Standing(state.score, opened=state.opened, busts=state.busts))
        found: dict[OwnState, float] = {}
        after = [(OwnState(state.score + change, True, 0), chance) for change, chance in endings.banked.items()]
        # An exact target that a penalty has led to is not reached by banking; from there a bank leads away.
        after = [(to, chance) for to, chance in after if not is_done(rules, to.score)]
        after += [(after_bust(rules, state, on_six=False), endings.bust)]
        after += [(after_bust(rules, state, on_six=True), endings.bust_on_six)]
        for to, chance in after:
            if chance and -REACH <= to.score <= rules.ending.target + REACH:
                found[to] = found.get(to, 0.0) + chance
        return endings, found

    def ends(self, state: OwnState) -> float:
        """Return the probability that the turn from an own state ends the game."""
        endings, _ = self.row(state)
        won = sum(chance for change, chance in endings.banked.items() if is_done(self.rules, state.score + change))
        return won + endings.instant_win


def follow_alone(chain: SoloChain, start: OwnState, most_turns: int) -> SoloCourse:
    """Follow the game of one player alone, turn by turn.

    Examples
    --------
    >>> from dice10k_math.policy import parse_policy, seat
    >>> from dice10k_math.rules import load_rules
    >>> player = seat(parse_policy("threshold 300"), load_rules("farkle"))
    >>> course = follow_alone(SoloChain(player), OwnState(0, False, 0), 500)
    >>> round(sum(turn * chance for turn, chance in enumerate(course.length)), 3), course.left < 1e-12
    (23.62, True)
    """
    steps = _Steps(chain)
    mass = np.ones(1)
    steps.number_of(start)
    length, played = [0.0], np.zeros(1)
    while mass.sum() > NEGLIGIBLE and len(length) <= most_turns:
        played = _sum(played, mass)
        mass, ended = steps.step(mass)
        length.append(ended)
    found = zip(steps.states, played.tolist(), strict=False)
    lingering = steps.states[int(np.argmax(mass))]
    return SoloCourse(tuple(length), tuple(found), max(1.0 - sum(length), 0.0), lingering)


def _sum(first: Floats, second: Floats) -> Floats:
    """Return the sum of two vectors, the shorter one filled up with zeros."""
    size = max(len(first), len(second))
    return np.pad(first, (0, size - len(first))) + np.pad(second, (0, size - len(second)))


class _Steps:
    """The chain as arrays that grow as own states are reached."""

    def __init__(self, chain: SoloChain) -> None:
        self.chain = chain
        self.states: list[OwnState] = []
        self._number: dict[OwnState, int] = {}
        self._rows: dict[int, tuple[NDArray[np.int64], Floats, float]] = {}

    def number_of(self, state: OwnState) -> int:
        """Return the number of an own state, a new one if it has none yet."""
        if state not in self._number:
            self._number[state] = len(self.states)
            self.states.append(state)
        return self._number[state]

    def _row(self, number: int) -> tuple[NDArray[np.int64], Floats, float]:
        if number not in self._rows:
            state = self.states[number]
            after = self.chain.row(state)[1]
            to = np.array([self.number_of(each) for each in after], np.int64)
            self._rows[number] = to, np.array(list(after.values()), float), self.chain.ends(state)
        return self._rows[number]

    def step(self, mass: Floats) -> tuple[Floats, float]:
        """Return the probabilities after one more turn, and that of the end."""
        rows = [(float(mass[number]), self._row(number)) for number in np.flatnonzero(mass > FAINT).tolist()]
        after, ended = np.zeros(len(self.states)), 0.0
        for here, (to, chances, end) in rows:
            # No own state is twice in a row.
            after[to] += here * chances
            ended += here * end
        return after, ended
