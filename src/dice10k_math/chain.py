"""A policy's own progress, turn by turn: from which score it gets where, in games in which scores may fall too.

An *own state* is a score, whether the first bank has been made, and busts in a row.
Own states from `low` to `high` are followed; what leads beyond is left out, and counts as left.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dice10k_math.endings import TurnEndings
from dice10k_math.plays import Plays
from dice10k_math.policy.choices import Standing
from dice10k_math.policy.players import Player
from dice10k_math.rules import Ruleset
from dice10k_math.turn import six_dice_penalty

NEGLIGIBLE = 1e-13
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
    busts
        Busts on average.
    banked
        How often each change of the score is banked on average.
    left
        Probability of games that were not followed to their end.
    """

    length: tuple[float, ...]
    busts: float
    banked: dict[int, float]
    left: float


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
    """Follow the game of one player alone.

    Examples
    --------
    >>> from dice10k_math.policy import parse_policy, seat
    >>> from dice10k_math.rules import load_rules
    >>> player = seat(parse_policy("threshold 300"), load_rules("farkle"))
    >>> course = follow_alone(SoloChain(player), OwnState(0, False, 0), 500)
    >>> round(sum(turn * chance for turn, chance in enumerate(course.length)), 3), course.left < 1e-12
    (26.0, True)
    """
    matrix = _Steps(chain)
    mass = matrix.start(start)
    length, left, played = [0.0], 1.0, np.zeros(0)
    while left > NEGLIGIBLE and len(length) <= most_turns:
        mass, ended, played = matrix.step(mass, played)
        length.append(ended)
        left = float(mass.sum())
        if left <= NEGLIGIBLE:
            break
    return matrix.course(tuple(length), played)


class _Steps:
    """The chain as arrays that grow as own states are reached."""

    def __init__(self, chain: SoloChain) -> None:
        self.chain = chain
        self.states: list[OwnState] = []
        self.number: dict[OwnState, int] = {}
        self.rows: list[tuple[np.ndarray, np.ndarray, float]] = []  # type: ignore[type-arg]

    def start(self, state: OwnState) -> np.ndarray:  # type: ignore[type-arg]
        self._add(state)
        return np.ones(1)

    def _add(self, state: OwnState) -> int:
        if state not in self.number:
            self.number[state] = len(self.states)
            self.states.append(state)
        return self.number[state]

    def _row(self, number: int) -> tuple[np.ndarray, np.ndarray, float]:  # type: ignore[type-arg]
        while len(self.rows) <= number:
            state = self.states[len(self.rows)]
            _, after = self.chain.row(state)
            to = np.array([self._add(each) for each in after], np.int64)
            self.rows.append((to, np.array(list(after.values())), self.chain.ends(state)))
        return self.rows[number]

    def step(self, mass, played):  # type: ignore[no-untyped-def]
        """Return the probabilities after one more turn, that of the end, and how often each turn was played."""
        played = np.append(played, np.zeros(len(self.states) - len(played)))
        played[: len(mass)] += mass
        ended, parts = 0.0, []
        for number in np.flatnonzero(mass > NEGLIGIBLE * 1e-3).tolist():
            to, chances, end = self._row(number)
            ended += float(mass[number]) * end
            parts.append((to, chances * mass[number]))
        after = np.zeros(len(self.states))
        for to, chances in parts:
            np.add.at(after, to, chances)
        return after, ended, played

    def course(self, length: tuple[float, ...], played) -> SoloCourse:  # type: ignore[no-untyped-def]
        busts, banked = 0.0, {}
        for state, often in zip(self.states, played.tolist(), strict=False):
            if not often:
                continue
            endings, _ = self.chain.row(state)
            busts += often * endings.busts
            for change, chance in endings.banked.items():
                banked[change] = banked.get(change, 0.0) + often * chance
        left = max(1.0 - sum(length), 0.0)
        return SoloCourse(length, busts, {change: banked[change] for change in sorted(banked)}, left)
