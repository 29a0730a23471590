"""Solving a field: policy iteration.

A round backs up every turn start, follows the best play of each to its endings, and solves the sparse linear system
of that play.
The worth of a turn start is that of waiting after it, and that is 1 minus the opponent's.

Two tables are solved together: `us` for the player whom a bound protects, `them` for the opponent, who gains where
the player must not.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, bicgstab

from dice10k_math.errors import NotConvergedError
from dice10k_math.field import Field
from dice10k_math.field_movers import BestFieldMover, Endings, FieldMover
from dice10k_math.last_turn import DOWN, NEAREST, UP, Mask, Side, last_turns
from dice10k_math.program import Floats
from dice10k_math.workers import Progress, Share, counted, map_all, nth_part, part_of

MOST_ROUNDS = 40
COST = 1e-12
"""What each turn costs a guarantee: enough to cover that both players' play is improved at once, which settles to
about 1e-11 only."""
SETTLED = 4e-13

WAITS = 0.01
"""Share of the greatest change up to which an own state keeps its play."""
NOTHING = 1e-13
ROUGHLY = 1e-2
"""Change at which an estimate is good enough to start from."""


@dataclass(frozen=True, slots=True)
class Player:
    """One side of the system.

    Attributes
    ----------
    field
        The turns of this player.
    side
        How the player's turns are rounded.
    cost
        What a turn of this player adds to the worth of it (for bounds: a little, against the protected player).
    last_turn, beyond
        Worth of a last turn for the opponent; see `Field.extend`.
    mover
        Who plays the turns, if it is not the best play.
    """

    field: Field
    side: Side
    cost: float = 0.0
    last_turn: Floats | None = None
    beyond: float = 0.0
    mover: FieldMover | None = None

    @property
    def who(self) -> FieldMover:
        """Who plays the turns."""
        return self.mover or BestFieldMover(self.field)


Movers = tuple[FieldMover, FieldMover]


@dataclass(frozen=True, slots=True)
class Rows:
    """The equations of one own state: worth = constants - matrix times the other's worths; and which are proved."""

    matrix: sparse.csr_matrix
    constants: Floats
    proved: Mask


class PolicyIteration:
    """Policy iteration over the turn starts of a field, for one table (both players alike) or two.

    The fields of both players have the same own states.

    `move[s][i, j]` is the worth for player s of being to move with own state i against state j; after the turn the
    other table is in force.
    """

    def __init__(self, players: tuple[Player, ...], start: Floats, settled: float) -> None:
        self.rules, size = players[0].field.rules, len(players[0].field.states)
        self.size, self.players, self.settled = size, players, settled
        self.move = start.copy()
        self._rows: dict[tuple[int, int], Rows] = {}
        self._changes = np.ones((len(players), size))
        self._greatest = 0.0

    def table(self, player: int) -> Floats:
        """Return the extended table of waiting for a player, from the other's present values."""
        other = self.move[(player + 1) % len(self.players)]
        who = self.players[player]
        return who.field.extend(1.0 - other.T, who.side, who.last_turn, who.beyond)

    def round(self, progress: Share | None = None) -> float:
        """Improve the play and solve for it; return the greatest change that the improvement alone made."""
        size = self.size
        for number in range(len(self.players)):
            improve = partial(self._improve, number=number, table=self.table(number))
            share = nth_part(progress, number, len(self.players))
            for state, (rows, changed) in enumerate(counted(map_all(improve, range(size)), size, share)):
                if rows is not None:
                    self._rows[number, state] = rows
                self._changes[number, state] = changed
        self._greatest = change = float(self._changes.max())
        sides = [[self._rows[number, state] for state in range(size)] for number in range(len(self.players))]
        matrices = [sparse.vstack([rows.matrix for rows in side], format="csr") for side in sides]
        constants = np.array([[rows.constants for rows in side] for side in sides])
        self._solve(matrices, constants, max(1e-14, 1e-8 * change))
        return change

    def _improve(self, state: int, number: int, table: Floats) -> tuple[Rows | None, float]:
        """Improve the play of one own state; return its rows of the linear system and the greatest change.

        What changes little compared to others keeps its play for now: following it to its endings is what takes long.
        """
        player = self.players[number]
        waits = max(self.settled, self._greatest * min(WAITS, self._greatest))
        if self._changes[number, state] <= 4 * waits:
            value, proved = self._worth(player.who.turn(state, table, player.side), player)
            change = float(np.max(np.abs(value - self.move[number, state])))
            if change <= waits and np.array_equal(proved, self._rows[number, state].proved):
                return None, change
        endings = player.who.endings(state, table, player.side)
        value, proved = self._worth(endings.value, player)
        part, constant = self._equations(table, endings, number)
        mask = sparse.diags_array(proved.astype(float))
        change = float(np.max(np.abs(value - self.move[number, state])))
        return Rows(mask @ part, np.where(proved, constant + player.cost, value), proved), change

    @staticmethod
    def _worth(turn: Floats, player: Player) -> tuple[Floats, Mask]:
        """Return what turns are worth with their cost, and for which of them that has to be proved.

        At most 0 guaranteed, at least 1 conceded: that needs no proof, and is not followed any further.
        """
        value = np.clip(turn + player.cost, 0.0, 1.0)
        return value, (value > 0.0) if player.side.lowest else (value < 1.0)

    def _equations(self, table: Floats, endings: Endings, number: int) -> tuple[sparse.csr_matrix, Floats]:
        """Rows of the linear system: worth = constant - sum of probability * the other's worth of moving.

        The unknowns of the other player are numbered by (their own state, our state).
        """
        size = self.size
        bank, column = np.nonzero(endings.weight > 0.0)
        weight, row = endings.weight[bank, column], endings.row[bank, column]
        inside = row < size
        outside = ~inside
        # What the endings do not explain: edges, instant wins and rounding.
        constant = endings.rest.copy()
        np.add.at(constant, column[outside], weight[outside] * table[row[outside], column[outside]])
        np.add.at(constant, column[inside], weight[inside])
        matrix = sparse.csr_matrix(
            (weight[inside], (column[inside], column[inside] * size + row[inside])), shape=(size, size * size)
        )
        # Rounding (the nudges of a bound) is kept as part of the constant.
        other = self.move[(number + 1) % len(self.players)].reshape(-1)
        constant += endings.value - (constant - matrix @ other)
        return matrix, constant

    def _solve(self, matrices: list[sparse.csr_matrix], constants: Floats, tolerance: float) -> None:
        """Solve worth[s] + matrix[s] worth[1 - s] = constants[s] up to a residual."""
        count = len(matrices)
        shape = constants.shape
        length = constants[0].size

        def apply(vector: Floats) -> Floats:
            parts = vector.reshape(count, length)
            return np.concatenate([parts[s] + matrices[s] @ parts[(s + 1) % count] for s in range(count)])

        operator = LinearOperator((count * length,) * 2, matvec=apply, dtype=float)
        right = constants.reshape(-1)
        start = self.move.reshape(-1)
        solution, _ = bicgstab(operator, right, x0=start, rtol=0.0, atol=tolerance, maxiter=400)
        self.move = np.clip(solution.reshape(shape), 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class FieldBounds:
    """Bounds for the player to move, by own state and opponent's: shape (states, states)."""

    us: Floats
    them: Floats


def solve_field(
    field: Field,
    start: FieldBounds | None = None,
    *,
    settled: float = SETTLED,
    movers: Movers | None = None,
    progress: Progress | None = None,
) -> FieldBounds:
    """Return bounds for every turn start that a judge can check.

    The relaxed match is solved by policy iteration, every turn costing the protected player a little and roundings
    going against him.

    Parameters
    ----------
    field
        The match.
    start
        Values to start from.
    settled
        Change of a round at which to stop; more than the default is not enough for a judge.
    movers
        Who plays the turns of the protected player, and those of the opponent; None: both play best.
    progress
        Told about every round, and how far it is.

    Raises
    ------
    NotConvergedError
        The play did not settle.
    """
    first = estimate_field(field, movers=movers, progress=progress) if start is None else start
    players = _players(field) if movers is None else _moving(field, movers)
    us, them = iterate(PolicyIteration(players, np.stack([first.us, first.them]), settled), progress)
    return cleaned(us, them)


def cleaned(us: Floats, them: Floats) -> FieldBounds:
    """Return bounds that say of what is next to nothing that it is nothing, which needs no proof; the cost of a turn
    covers the difference.
    """
    return FieldBounds(np.where(us < NOTHING, 0.0, us), np.where(them > 1.0 - NOTHING, 1.0, them))


def estimate_field(field: Field, *, movers: Movers | None = None, progress: Progress | None = None) -> FieldBounds:
    """Return what being to move is worth in every turn start, roughly: a start for bounds, at half their cost.

    Parameters
    ----------
    field
        The match.
    movers
        Who plays the turns of the one player, and those of the other; None: both play best, so that both are alike.
    progress
        Told about every round.
    """
    if movers is not None:
        one, other = movers
        players = (
            Player(field, NEAREST, 0.0, other.last_turn(NEAREST), mover=one),
            Player(field, NEAREST, 0.0, one.last_turn(NEAREST), mover=other),
        )
        first, second = iterate(PolicyIteration(players, np.stack([guess(field)] * 2), ROUGHLY), progress)
        return FieldBounds(first, second)
    last = last_turns(field, 0.5, NEAREST) if field.has_last_turn else None
    beyond = 0.0 if last is None else float(last[-1])
    iteration = PolicyIteration((Player(field, NEAREST, 0.0, last, beyond),), guess(field)[None], ROUGHLY)
    (values,) = iterate(iteration, progress)
    return FieldBounds(values, values)


def guess(field: Field) -> Floats:
    """Return a first guess of every worth: as if each player needed so many turns, and one turn more."""
    target = field.target
    middles = np.array([state.high if state.low < -1e9 else state.low for state in field.states])
    turns = 1.0 + 20.0 * np.abs(target - middles) / target
    return np.asarray(turns[None, :] / (turns[:, None] + turns[None, :]))


def iterate(iteration: PolicyIteration, progress: Progress | None) -> Floats:
    """Improve the play until it has settled; return the tables.

    Raises
    ------
    NotConvergedError
        It did not settle.
    """
    last = ""
    for number in range(1, MOST_ROUNDS + 1):
        change = iteration.round(part_of(progress, f"{iteration.size} own states, round {number}{last}"))
        last = f" (change {change:.0e})"
        if change <= iteration.settled:
            return np.clip(iteration.move, 0.0, 1.0)
    raise NotConvergedError(f"{iteration.rules.name}: policy iteration did not settle in {MOST_ROUNDS} rounds")


def _players(field: Field) -> tuple[Player, Player]:
    if not field.has_last_turn:
        return Player(field, DOWN, -COST), Player(field, UP, COST)
    theirs, own = last_turns(field, 0.5, UP), last_turns(field, 0.5, DOWN)
    return Player(field, DOWN, -COST, theirs, float(theirs[-1])), Player(field, UP, COST, own, 0.0)


def _moving(field: Field, movers: Movers) -> tuple[Player, Player]:
    player, opponent = movers
    return (
        Player(field, DOWN, -COST, opponent.last_turn(UP), mover=player),
        Player(field, UP, COST, player.last_turn(DOWN), mover=opponent),
    )


def carry_over(bounds: FieldBounds, coarse: Field, fine: Field) -> FieldBounds:
    """Return the values of one field for another one, as a start: each own state takes those of the one that holds
    it.
    """
    number = [coarse.nearest(state) for state in fine.states]
    pick = np.ix_(number, number)
    return FieldBounds(bounds.us[pick], bounds.them[pick])
