"""One turn of a written-out match by plain backward induction, over whole numbers, truth values or floats.

A *vector* holds one value for each opponent's part.
In whole numbers a vector comes with an exponent: its values are multiples of 6 ** -exponent of the common denominator.
Nothing is rounded until the exponent passes `FINEST`; from there on a lower bound is rounded down to multiples of
6 ** -FINEST, and an upper one up.

A choice between keeps, and between banking and rolling, is made in one of two ways: the best value counts (for whoever
may play anything), or that with the highest rating (for a player who keeps to a policy).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from dice10k_math.explicit.match import Nodes
from dice10k_math.explicit.survival import GRID
from dice10k_math.program import Floats, Program
from dice10k_math.turn import HandModel, TurnModel

Vector = NDArray[Any]
FINEST = 100
"""Exponent of the finest multiples: 1e-77."""
SIXES = np.array([6**exponent for exponent in range(FINEST + 1)], object)
Banks = tuple[Vector | None, ...]
"""Worth of banking one turn score, by way (add, subtract); None: not allowed."""


class Turn(Protocol):
    """What a backup needs to know of a turn."""

    @property
    def program(self) -> Program:
        """The after-states."""
        ...

    @property
    def model(self) -> TurnModel:
        """The turn model of the program."""
        ...

    @property
    def nodes(self) -> tuple[Nodes, ...]:
        """The classes of each hand."""
        ...


class Scaled(NamedTuple):
    """A vector, and the exponent of 6 in its denominator."""

    vector: Vector
    exponent: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Endings:
    """What the endings of a turn are worth.

    Attributes
    ----------
    banks
        For each bank row of the program.
    bust, bust_on_six
        Worth of a bust.
    edges
        By kind of edge.
    instant_win
        Worth of six spicy dice.
    """

    banks: Sequence[Banks]
    bust: Vector
    bust_on_six: Vector
    edges: Sequence[Scaled]
    instant_win: Any


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """A policy for the turn from one part: of what can be chosen, that with the highest rating; among equals the first.

    Attributes
    ----------
    roll
        Shape (after-states, opponent's parts): rolling on from each after-state.
    bank
        Shape (bank rows, ways, opponent's parts): banking each turn score.
    """

    roll: Floats
    bank: Floats


class Algebra(Protocol):
    """How values are added up and combined."""

    nothing: Any
    """Stands for a bank that is not allowed: no value is as low."""

    def lift(self, vector: Vector, by: int) -> Vector:
        """Return the same values over a denominator greater by a power of 6."""
        ...

    def lift_rows(self, rows: Vector, by: NDArray[np.intp]) -> Vector:
        """Do so for several vectors, each by a power of its own."""
        ...

    def best(self, first: Vector, second: Vector) -> Vector:
        """Return what the player gets who has both choices."""
        ...

    def mix(self, hand: HandModel, lost: Vector, instant_win: Any, weights: Vector, picks: Vector) -> Vector:
        """Return what a roll of a hand is worth, from what is chosen after each class of rolls."""
        ...

    def shorten(self, vector: Vector, exponent: int) -> Scaled:
        """Return a vector with an exponent that is not too great."""
        ...


class Whole:
    """Whole numbers over a power of 6; what is rounded is rounded down, or up."""

    nothing = -1

    @staticmethod
    def best(first: Vector, second: Vector) -> Vector:
        """Take the greater."""
        return np.asarray(np.maximum(first, second))

    def __init__(self, *, down: bool) -> None:
        self.down = down

    @staticmethod
    def lift(vector: Vector, by: int) -> Vector:
        """Multiply."""
        return vector * 6**by if by else vector

    @staticmethod
    def lift_rows(rows: Vector, by: NDArray[np.intp]) -> Vector:
        """Multiply each."""
        return np.asarray(rows * SIXES[by][:, None])

    @staticmethod
    def mix(hand: HandModel, lost: Vector, instant_win: Any, weights: Vector, picks: Vector) -> Vector:
        """Add up; the denominator grows by the outcomes of the hand."""
        return np.asarray(weights @ picks + lost * hand.bust + instant_win * hand.instant_win)

    def shorten(self, vector: Vector, exponent: int) -> Scaled:
        """Round to the finest multiples."""
        if exponent <= FINEST:
            return Scaled(vector, exponent)
        by = 6 ** (exponent - FINEST)
        return Scaled(vector // by if self.down else -(-vector // by), FINEST)


class _Plain:
    """Values that need no denominator."""

    @staticmethod
    def lift(vector: Vector, by: int) -> Vector:  # noqa: ARG004 - there is no denominator
        """Leave as it is."""
        return vector

    @staticmethod
    def lift_rows(rows: Vector, by: NDArray[np.intp]) -> Vector:  # noqa: ARG004 - there is no denominator
        """Leave them as they are."""
        return rows

    @staticmethod
    def shorten(vector: Vector, exponent: int) -> Scaled:  # noqa: ARG004 - there is no denominator
        """Leave as it is."""
        return Scaled(vector)


class Floating(_Plain):
    """Floats: for proposing only."""

    nothing = -1.0

    @staticmethod
    def best(first: Vector, second: Vector) -> Vector:
        """Take the greater."""
        return np.asarray(np.maximum(first, second))

    @staticmethod
    def mix(hand: HandModel, lost: Vector, instant_win: Any, weights: Vector, picks: Vector) -> Vector:
        """Average."""
        total = weights.astype(float) @ picks + lost * hand.bust + instant_win * hand.instant_win
        return np.asarray(total / hand.outcomes)


class Possible(_Plain):
    """Truth values: whether some roll leads to True."""

    nothing = False

    @staticmethod
    def best(first: Vector, second: Vector) -> Vector:
        """Take what is True."""
        return np.asarray(first | second)

    @staticmethod
    def mix(hand: HandModel, lost: Vector, instant_win: Any, weights: Vector, picks: Vector) -> Vector:  # noqa: ARG004 - every class can come
        """Tell whether any outcome is True."""
        found = picks.any(axis=0)
        found = found | lost if hand.bust else found
        return np.asarray(found | instant_win if hand.instant_win else found)


class Certain(_Plain):
    """Truth values: whether every roll leads to True."""

    nothing = False

    @staticmethod
    def best(first: Vector, second: Vector) -> Vector:
        """Take what is True."""
        return np.asarray(first | second)

    @staticmethod
    def mix(hand: HandModel, lost: Vector, instant_win: Any, weights: Vector, picks: Vector) -> Vector:  # noqa: ARG004 - every class can come
        """Tell whether all outcomes are True."""
        found = picks.all(axis=0)
        found = found & lost if hand.bust else found
        return np.asarray(found & instant_win if hand.instant_win else found)


class _Turn:
    """One turn while it is backed up.

    Attributes
    ----------
    pool, exponents, rating
        Values, exponents and ratings by row of the program: banks first, then after-states, each the better of rolling
        on and banking.
    rolled
        Rolling on from each after-state that is backed up.
    """

    def __init__(self, match: Turn, limit: int, endings: Endings, algebra: Algebra, ratings: Ratings | None) -> None:
        self.match, self.endings, self.algebra, self.ratings = match, endings, algebra, ratings
        self.program: Program = match.program
        self.limit = min(limit, self.program.most)
        self.forced_limit = min(self.limit + self.program.forced_beyond, self.program.most)
        self.banks = len(self.program.bank_scores)
        shape = self.program.rows, len(endings.bust)
        self.pool = np.full(shape, algebra.nothing, endings.bust.dtype)
        self.exponents = np.zeros(self.program.rows, np.intp)
        self.rating = np.full(shape, -np.inf) if ratings is not None else None
        self.rolled: dict[int, Scaled] = {}

    def run(self) -> Scaled:
        """Back up every after-state; the last is the start of the turn."""
        program = self.program
        for row, ways in enumerate(self.endings.banks):
            for way, worth in enumerate(ways):
                if worth is not None:
                    self._offer(row, worth, None if self.ratings is None else self.ratings.bank[row, way])
        reach = self.forced_limit + program.widest
        for state in range(int(np.searchsorted(-program.turn_score, -reach)), len(program.hand)):
            vector, exponent = self.rolled[state] = self._rolled(state)
            row = self.banks + state
            self.exponents[row] = exponent
            self._offer(row, vector, None if self.ratings is None else self.ratings.roll[state])
            bank = int(program.bank_row[state])
            if bank >= 0:
                worth = self.algebra.lift(self.pool[bank], exponent)
                self._offer(row, worth, None if self.rating is None else self.rating[bank])
        return self.rolled[len(program.hand) - 1]

    def _offer(self, row: int, vector: Vector, rating: Floats | None) -> None:
        """Add a choice to what a row offers."""
        if self.rating is None or rating is None:
            self.pool[row] = self.algebra.best(self.pool[row], vector)
        else:
            better = rating > self.rating[row]
            self.pool[row] = np.where(better, vector, self.pool[row])
            self.rating[row] = np.where(better, rating, self.rating[row])

    def _is_edge(self, state: int) -> bool:
        program = self.program
        whole = program.hand[state] == self.match.model.full
        beyond = program.turn_score[state] > (self.forced_limit if whole else self.limit)
        return bool(beyond or program.hot_edge[state])

    def _rolled(self, state: int) -> Scaled:
        program, endings, lift = self.program, self.endings, self.algebra.lift
        if self._is_edge(state):
            return endings.edges[int(program.edge_kind[state])]
        number = int(program.hand[state])
        hand, nodes = self.match.model.hands[number], self.match.nodes[number]
        start = int(program.target_starts[state])
        rows = program.targets[start : start + len(hand.entries)]
        exponents = self.exponents[rows]
        exponent = int(exponents.max(initial=0))
        values = self.algebra.lift_rows(self.pool[rows], exponent - exponents)
        ratings = None if self.rating is None else self.rating[rows]
        lost = lift(endings.bust_on_six if number == self.match.model.full else endings.bust, exponent)
        win = lift(np.full(len(lost), endings.instant_win, lost.dtype), exponent) if hand.instant_win else 0
        total = self.algebra.mix(hand, lost, win, nodes.weights, picks_of(nodes, values, ratings, self.algebra))
        return self.algebra.shorten(total, exponent + len(hand.hand))

    def at(self, state: int) -> Scaled:
        """Return what rolling on from an after-state is worth, whether or not it was backed up."""
        found = self.rolled.get(state)
        return self.endings.edges[int(self.program.edge_kind[state])] if found is None else found


def picks_of(nodes: Nodes, values: Vector, ratings: Vector | None, algebra: Algebra) -> Vector:
    """Return what is chosen after each class of rolls; beginnings that classes share are worked out once."""
    value = values[nodes.entry]
    rating = None if ratings is None else ratings[nodes.entry]
    for level, parents in nodes.levels:
        if rating is None:
            value[level] = algebra.best(value[parents], value[level])
        else:
            later = rating[level] > rating[parents]
            value[level] = np.where(later, value[level], value[parents])
            rating[level] = np.where(later, rating[level], rating[parents])
    return value[nodes.ends]


def back_up(match: Turn, limit: int, endings: Endings, algebra: Algebra, ratings: Ratings | None = None) -> Scaled:
    """Return what starting a turn is worth.

    Parameters
    ----------
    match
        The match, or its turn.
    limit
        Turn score beyond which only forced rolls are followed.
    endings
        What the endings are worth.
    algebra
        The arithmetic.
    ratings
        The policy that is kept to; None: the best choice counts.
    """
    return _Turn(match, limit, endings, algebra, ratings).run()


def back_up_keeping(
    match: Turn,
    limit: int,
    endings: Endings,
    algebra: Algebra,
    ratings: Ratings | None,
    kept: Sequence[int],
) -> tuple[Scaled, list[Scaled]]:
    """Return the same, and what rolling on from some after-states is worth."""
    turn = _Turn(match, limit, endings, algebra, ratings)
    start = turn.run()
    return start, [turn.at(state) for state in kept]


def rate(match: Turn, limit: int, endings: Endings) -> Ratings:
    """Return the policy that is best for the endings, going by floats."""
    turn = _Turn(match, limit, endings, Floating(), None)
    columns = len(turn.run().vector)
    roll = np.full((len(match.program.hand), columns), -np.inf)
    for state, (vector, _) in turn.rolled.items():
        roll[state] = vector
    bank = np.full((len(endings.banks), max(map(len, endings.banks)), columns), -np.inf)
    for row, ways in enumerate(endings.banks):
        for way, worth in enumerate(ways):
            if worth is not None:
                bank[row, way] = worth
    return Ratings(roll, bank)


def edges(
    survival: Sequence[int], bust: Vector, bust_on_six: Vector, top: Vector, worse: Callable[..., Vector]
) -> list[Scaled]:
    """Return what the edges are worth, in whole numbers.

    Parameters
    ----------
    survival
        Bounds of the chance to bank at last, in multiples of 6 ** -GRID.
    bust, bust_on_six
        Worth of a bust.
    top
        Bound of what a bank beyond the limit is worth.
    worse
        Which kind of bust counts: `numpy.minimum` for a lower bound, `numpy.maximum` for an upper one.
    """
    whole = 6**GRID
    fall = worse(bust, bust_on_six)
    # Where banking so much is worth less than a bust, a player may roll on until the bust comes.
    top = np.maximum(top, fall)
    return [Scaled(top * chance + fall * (whole - chance), GRID) for chance in survival]
