"""Small matches with High Stakes written out: after a bank the next player may take over the turn score and the dice.

An *offer* is a bank row of the program: a turn score and the dice left.
To take it over is to go on from that after-state in a turn of one's own, so what it is worth is found together with
what starting afresh is worth.
Scores never fall in these matches, and a part of a turn start is one score.

*Pairs.* All turn starts of a phase are worked out together, some hundred in a block; a pair is the number of the
mover's part times the number of parts, plus that of the other's.

*Last turns.* Who takes over a turn score in the last turn needs more than the banker was ahead before that bank, on
top of it.
So what taking over is worth there depends on that lead and the dice alone, and it is read off an ordinary last turn:
at the least turn score that can leave these dice, with that much more to make up.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dice10k_math.explicit.grid import edges_beyond, grain_of
from dice10k_math.explicit.match import ExplicitMatch, Layout, Nodes, kinds_of_edges
from dice10k_math.explicit.turn import Algebra, Banks, Endings, Vector
from dice10k_math.last_turn import compiled_split
from dice10k_math.program import Program
from dice10k_math.rules import Ruleset
from dice10k_math.turn import TurnModel, split_model

TOGETHER = 256
"""Pairs that are worked out together."""
Indices = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class PlainTurn:
    """A turn by itself."""

    program: Program
    model: TurnModel
    nodes: tuple[Nodes, ...]


class Waiting(NamedTuple):
    """Bounds of what is worth how much to the other player, all on one side.

    Attributes
    ----------
    fresh
        Shape (phases, parts, parts): starting afresh.
    offers
        Shape (phases, parts, parts, offers): taking over.
    last
        By deficit in units: starting the last turn afresh.
    takes
        Shape (leads, hands): taking over in the last turn, place 0 being for a banker who was behind.
    """

    fresh: Vector
    offers: Vector
    last: Vector
    takes: Vector


class StakesMatch(ExplicitMatch):
    """A two-player match with High Stakes written out.

    Attributes
    ----------
    grain
        Into how many parts a whole is divided.
    multiple
        Only multiples of it may be banked.
    scores, shut
        By part: the score, and whether an opening bank is needed.
    with_score
        By score in units: the part of a player who has banked.
    offers
        How many bank rows, from the first, can be offered below the target.
    """

    def __init__(self, rules: Ruleset, layout: Layout) -> None:
        super().__init__(rules, layout)
        self.model = split_model(rules)
        self.grain = grain_of(self.model)
        self.multiple = kinds_of_edges(self)
        self.scores = np.array([int(part.low) for part in self.parts])
        self.shut = np.array([self.rule_of(part) == self.unopened for part in self.parts])
        banked = range(self.unit, self.target, self.unit)
        self.with_score = np.array([0, *(self.number(score, opened=True) for score in banked)])
        self.offers = int(np.searchsorted(self.program.bank_scores, self.target))

    @cached_property
    def program(self) -> Program:
        """The after-states of a turn, banking and rolling on being two choices."""
        return compiled_split(self.rules, self.most, bank_leaves_hand=True)

    @cached_property
    def offer_states(self) -> list[int]:
        """The after-state that goes on from each offer."""
        program = self.program
        places = zip(program.turn_score.tolist(), program.hand.tolist(), strict=True)
        number = {place: state for state, place in enumerate(places)}
        banks = zip(program.bank_scores.tolist(), program.bank_hands.tolist(), strict=True)
        return [number[bank] for _, bank in zip(range(self.offers), banks, strict=False)]

    def offer(self, points: int, hand: int) -> int | None:
        """Return the number of an offer; None: no bank leaves it."""
        program, end = self.program, self.offers
        found = np.flatnonzero((program.bank_scores[:end] == points) & (program.bank_hands[:end] == hand))
        return int(found[0]) if len(found) else None

    def answered(self, phase: int) -> bool:
        """Tell whether a bank that reaches the target is followed by a last turn."""
        return self.has_last_turn and phase == 0

    def limit_of(self, phase: int) -> int:
        """Return the turn score beyond which all that matters of a bank is the dice that it leaves."""
        return self.most if self.answered(phase) else self.target

    @property
    def most(self) -> int:
        """The greatest turn score that is followed: at least so much that a bank beyond it reaches the target."""
        return max(self.layout.most, self.target)

    @cached_property
    def pairs(self) -> tuple[Indices, ...]:
        """All pairs, in blocks."""
        every = np.arange(self.won**2)
        return tuple(every[start : start + TOGETHER] for start in range(0, len(every), TOGETHER))

    # -- last turns ------------------------------------------------------------------------------------------------

    @cached_property
    def least_offers(self) -> dict[int, int]:
        """The least turn score that a bank can leave each hand with, in points, for a player who has banked before."""
        found: dict[int, int] = {}
        for points, hand in zip(self.program.bank_scores.tolist(), self.program.bank_hands.tolist(), strict=True):
            if self.opened.allows(points):
                found.setdefault(hand, points)
        return found

    @cached_property
    def behind(self) -> int:
        """The greatest deficit of a last turn that is told apart, in units; greater ones are worth no more."""
        if not self.has_last_turn:
            return 0
        taken = max(self.least_offers.values(), default=0) + self.target
        return max(self.most + self.target, taken) // self.unit + 1

    @cached_property
    def last(self) -> PlainTurn:
        """The last turn."""
        program = compiled_split(self.rules, self.last_limit, bank_leaves_hand=False)
        return PlainTurn(program, self.model, self.nodes)

    @property
    def last_limit(self) -> int:
        """Turn score beyond which every bank wins in a last turn."""
        return max((self.behind + 1) * self.unit, self.opened.minimum)

    @property
    def takes_shape(self) -> tuple[int, int]:
        """Shape of what is said of taking over in the last turn: (leads, hands)."""
        return (self.target // self.unit + 1 if self.has_last_turn else 0), len(self.model.hands)

    def read_takes(self) -> Iterator[tuple[int, int, Indices]]:
        """Return for each hand the after-state of the last turn and the deficits that stand for the leads, in order."""
        for hand, points in self.least_offers.items() if self.has_last_turn else ():
            state = self.last.program.number(points, 0, hand)
            assert state is not None  # noqa: S101 - the program of the match has it too
            yield hand, state, points // self.unit - 1 + np.arange(self.takes_shape[0])


def last_endings(match: StakesMatch, one: Any, half: Any, algebra: Algebra, start: Any) -> Endings:
    """Return what the endings of the last turns are worth, by deficit in units.

    A bust loses: before a last turn its player is behind.
    """
    behind = np.arange(match.behind + 1)
    banks: list[Banks] = []
    for points in match.last.program.bank_scores.tolist():
        scored = points // match.unit
        worth = np.where(scored > behind, one, np.where(scored == behind, half, one * 0))
        banks.append((worth if match.opened.allows(points) else None,))
    lost, win = np.full(len(behind), one * 0), np.full(len(behind), one)
    edges = edges_beyond(match.last, match.multiple, [win] * len(match.model.hands), lost, one, algebra, start)
    return Endings(banks, lost, lost, edges, one)


def stakes_endings(
    match: StakesMatch,
    phase: int,
    pairs: Indices,
    other: Waiting,
    one: Any,
    algebra: Algebra,
    *,
    lowest: bool,
) -> Endings:
    """Return what the endings of turns are worth.

    Parameters
    ----------
    match, phase, pairs
        The turn starts.
    other
        Bounds of what the other player's turns are worth: upper ones for a lower bound.
    one
        Worth of having won.
    algebra
        The arithmetic.
    lowest
        Whether a lower bound is wanted.
    """
    turns = _Turns(match, phase, pairs, other, one, lowest)
    bust = one - other.fresh[turns.next_phase, turns.theirs, turns.ours]
    start = one * 0 if lowest else one
    edges = edges_beyond(match, match.multiple, turns.beyond(), bust, one, algebra, start)
    return Endings(list(turns.banks(algebra.nothing)), bust, bust, edges, one)


class _Turns:
    """What banks are worth in a block of turn starts."""

    def __init__(self, match: StakesMatch, phase: int, pairs: Indices, other: Waiting, one: Any, lowest: bool) -> None:
        self.match, self.phase, self.other, self.one, self.lowest = match, phase, other, one, lowest
        self.ours, self.theirs = np.divmod(pairs, match.won)
        self.own, self.opponent = match.scores[self.ours], match.scores[self.theirs]
        self.next_phase = (phase + 1) % match.phases
        # A greater deficit than those that are told apart is worth no more.
        self.last = np.append(other.last, other.last[-1:] if lowest else other.last[:1] * 0)
        self.ahead = np.maximum((self.own - self.opponent) // match.unit, -1) + 1

    def banks(self, nothing: Any) -> Iterator[Banks]:
        """Return what every bank is worth, `nothing` where it is not allowed."""
        program = self.match.program
        shut = self.match.shut[self.ours]
        banks = zip(program.bank_scores.tolist(), program.bank_hands.tolist(), strict=True)
        for row, (points, hand) in enumerate(banks):
            if not self.match.opened.allows(points):
                yield (None,)
                continue
            worth = self._bank(row, points, hand, nothing)
            yield (worth if self.match.unopened.allows(points) else np.where(shut, nothing, worth),)

    def _bank(self, row: int, points: int, hand: int, nothing: Any) -> Vector:
        match, total = self.match, self.own + points
        worth = self._reached(total, hand, nothing)
        below = np.flatnonzero(total < match.target)
        if len(below):
            place = self.next_phase, self.theirs[below], match.with_score[total[below] // match.unit]
            worth[below] = self.one - np.maximum(self.other.fresh[place], self.other.offers[(*place, row)])
        return worth

    def _reached(self, total: Vector, hand: int, nothing: Any) -> Vector:
        """Return what totals from the target on are worth."""
        win = np.full(len(total), self.one)
        if self.match.kind == "exact":
            return np.where(total == self.match.target, win, nothing)
        return self._answered(total, hand) if self.match.answered(self.phase) else win

    def _answered(self, total: Vector, hand: int) -> Vector:
        behind = np.clip((total - self.opponent) // self.match.unit, 0, len(self.last) - 1)
        return np.asarray(self.one - np.maximum(self.last[behind], self.other.takes[self.ahead, hand]))

    def beyond(self) -> list[Vector | None]:
        """Bound what banks beyond the limit are worth, by the dice that they leave."""
        match, hands = self.match, range(len(self.match.model.hands))
        if match.kind == "exact":
            return [None for _ in hands]
        if not match.answered(self.phase):
            return [np.full(len(self.own), self.one) for _ in hands]
        if not self.lowest:
            return [self.one - self.other.takes[self.ahead, hand] for hand in hands]
        return [self._answered(self.own + match.limit_of(self.phase), hand) for hand in hands]
