"""Solving a field: policy iteration.

A round backs up every turn start and moves the values along the equations of some play: where a turn ends, by
probability. The worth of a turn start is that of waiting after it, and that is 1 minus the opponent's.
With the equations of the best play this is Newton's method. Following a turn to its endings takes several times as long
as backing it up, so the equations of a former round serve as long as the values move toward the solution with them, and
what hardly ever happens is left out of them: what the values settle to depends on the turns backed up alone.

Two tables are solved together: `us` for the player whom a bound protects, `them` for the opponent, who gains where
the player must not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, bicgstab

from dice10k_math.errors import NotConvergedError
from dice10k_math.field import Field
from dice10k_math.field_movers import BestFieldMover, FieldMover
from dice10k_math.last_turn import DOWN, NEAREST, UP, Mask, Side, last_turns
from dice10k_math.program import Floats, Ints
from dice10k_math.workers import Progress, Share, counted, map_all, nth_part, part_of, within

MOST_ROUNDS, ROUGH_ROUNDS = 40, 5
"""Rounds after which play that has not settled never will, and after which a start is good enough."""
COST = 1e-12
"""What each turn costs a guarantee: enough to cover that both players' play is improved at once, which settles to
about 1e-11 only."""
SETTLED = 4e-13

STALE = 1e-3
"""Part of the last move of all values that an own state may still be off by with its equations; else they are made
anew."""
SMALL, DRIFT, MOST_PARTS, MOST_SHARE = 0.05, 0.3, 6, 0.4
"""Between two rounds over all turns those are backed up that are off by more than such a part of the greatest
difference, or have been moved by more than such a part of it since: so often at most, and only if they are no more
than such a part of all."""
PRECISION = 1e-3
"""How precisely the equations are solved, as a part of the greatest difference."""
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


Makers = Callable[[Field], tuple[FieldMover, FieldMover]]
"""Makes who plays the turns of two players in a field."""


class PolicyIteration:
    """Policy iteration over the turn starts of a field, for one table (both players alike) or two.

    The fields of both players have the same own states.

    `move[s][i, j]` is the worth for player s of being to move with own state i against state j; after the turn the
    other table is in force.
    """

    def __init__(self, players: tuple[Player, ...], start: Floats, settled: float) -> None:
        self.rules, self.size = players[0].field.rules, len(players[0].field.states)
        self.players, self.settled = players, settled
        self.move = start.copy()
        self._rows: dict[tuple[int, int], sparse.csr_matrix] = {}
        self._constants = np.zeros_like(self.move)
        self._open = np.ones(self.move.shape, bool)
        self._off = np.full(self.move.shape, np.inf)
        self._moved = np.inf
        self._seen = start.copy()

    @property
    def most(self) -> str:
        """Up to which turn score turns are followed."""
        return f"{self.players[0].field.most:,} points"

    def go_on(self, players: tuple[Player, ...], settled: float) -> None:
        """Go on with other players of the same states: their turns are followed farther."""
        self.players, self.settled = players, settled
        self._off[:] = np.inf
        self._moved = 1.0

    def table(self, player: int) -> Floats:
        """Return the extended table of waiting for a player, from the other's present values."""
        other = self.move[(player + 1) % len(self.players)]
        who = self.players[player]
        return who.field.extend(1.0 - other.T, who.side, who.last_turn, who.beyond)

    def round(self, progress: Share | None = None) -> float:
        """Back up every turn and move the values; return the greatest difference that a turn made.

        First those turns alone that were off by the most or have been moved far since, until there are none.
        """
        greatest = float(self._off.max())
        for _ in range(MOST_PARTS if np.isfinite(greatest) else 0):
            drift = np.abs(self.move - self._seen)
            asked = (self._off > max(self.settled, SMALL * greatest)) | (drift > max(self.settled, DRIFT * greatest))
            if not asked.any() or asked.mean() > MOST_SHARE:
                break
            self._back_up(asked, None)
        self._back_up(np.ones_like(self._open), progress)
        return float(self._off.max())

    def _back_up(self, asked: Mask, progress: Share | None) -> None:
        """Back up some turns, and move all values along the equations."""
        count = len(self.players)
        for number in range(count):
            improve = partial(self._improve, number=number, table=self.table(number), asked=asked[number])
            states = np.flatnonzero(asked[number].any(axis=1)).tolist()
            for _ in counted(map_all(improve, states), len(states), nth_part(progress, number, count)):
                pass
        matrices = [self._matrix(number) for number in range(count)]
        before = self.move
        self._solve(matrices, self._constants, max(1e-14, PRECISION * float(self._off.max())))
        moved = float(np.max(np.abs(self.move - before)))
        self._moved = moved if asked.all() else max(moved, self._moved)

    def _improve(self, state: int, number: int, table: Floats, asked: Mask) -> None:
        """Back up turns of one own state; make their equations anew if they no longer serve."""
        player = self.players[number]
        columns = np.flatnonzero(asked[state]).astype(np.int32)
        worth = np.clip(player.who.turn(state, table, player.side, columns) + player.cost, 0.0, 1.0)
        off = np.abs(worth - self.move[number, state, columns])
        self._off[number, state, columns] = off
        self._seen[number, state, columns] = self.move[number, state, columns]
        # Where few turns are backed up, following them costs little.
        serve = max(self.settled, STALE * self._moved if len(columns) == self.size else 0.0)
        self._follow(number, state, table, columns if (number, state) not in self._rows else columns[off > serve])
        # At most 0 guaranteed, at least 1 conceded: that needs no proof, and is not followed any further.
        open_ = (worth > 0.0) if player.side.lowest else (worth < 1.0)
        self._open[number, state, columns] = open_
        other = self.move[(number + 1) % len(self.players)].reshape(-1)
        led = (self._rows[number, state] @ other)[columns]
        self._constants[number, state, columns] = worth + np.where(open_, led, 0.0)

    def _follow(self, number: int, state: int, table: Floats, columns: Ints) -> None:
        """Make the equations of some turns of an own state: the probabilities of their endings.

        The other player's turn starts are numbered by (their own state, our state).
        """
        if not len(columns):
            return
        player, size = self.players[number], self.size
        endings = player.who.endings(state, table, player.side, columns)
        bank, place = np.nonzero((endings.weight > 0.0) & (endings.row < size))
        column = columns[place]
        new = sparse.csr_matrix(
            (endings.weight[bank, place], (column, column * size + endings.row[bank, place])),
            shape=(size, size * size),
        )
        if len(columns) < size:
            kept = np.ones(size)
            kept[columns] = 0.0
            new += sparse.diags_array(kept) @ self._rows[number, state]
        self._rows[number, state] = new

    def _matrix(self, number: int) -> sparse.csr_matrix:
        """Return the probabilities with which the turns of all own states lead to those of the other player."""
        every = sparse.vstack([self._rows[number, state] for state in range(self.size)], format="csr")
        return sparse.diags_array(self._open[number].reshape(-1).astype(float)) @ every

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
    rougher: Sequence[Field] = (),
    settled: float = SETTLED,
    movers: Makers | None = None,
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
    rougher
        The same match with the same own states, with turns followed less far: solved roughly one after another before.
    settled
        Change of a round at which to stop; more than the default is not enough for a judge.
    movers
        Makes who plays the turns of the protected player, and those of the opponent; None: both play best.
    progress
        Told about every round, and how far it is.

    Raises
    ------
    NotConvergedError
        The play did not settle.
    """
    first, *finer = (*rougher, field)
    if start is None:
        start = estimate_field(first, movers=movers, progress=within(progress, "estimating"))
    aim = ROUGHLY if finer else settled
    iteration = PolicyIteration(_players(first, movers), np.stack([start.us, start.them]), aim)
    for each in finer:
        settle_roughly(iteration, within(progress, f"bounding, turns to {iteration.most}"))
        aim = settled if each is field else aim / 10
        iteration.go_on(_players(each, movers), aim)
    return cleaned(*settle(iteration, within(progress, "bounding")))


def cleaned(us: Floats, them: Floats) -> FieldBounds:
    """Return bounds that say of what is next to nothing that it is nothing, which needs no proof; the cost of a turn
    covers the difference.
    """
    return FieldBounds(np.where(us < NOTHING, 0.0, us), np.where(them > 1.0 - NOTHING, 1.0, them))


def estimate_field(field: Field, *, movers: Makers | None = None, progress: Progress | None = None) -> FieldBounds:
    """Return what being to move is worth in every turn start, roughly: a start for bounds, at half their cost.

    Parameters
    ----------
    field
        The match.
    movers
        Makes who plays the turns of the one player, and those of the other; None: both play best, so that both are
        alike.
    progress
        Told about every round.
    """
    if movers is not None:
        one, other = movers(field)
        players = (
            Player(field, NEAREST, 0.0, other.last_turn(NEAREST), mover=one),
            Player(field, NEAREST, 0.0, one.last_turn(NEAREST), mover=other),
        )
        first, second = settle(PolicyIteration(players, np.stack([guess(field)] * 2), ROUGHLY), progress)
        return FieldBounds(first, second)
    last = last_turns(field, 0.5, NEAREST) if field.has_last_turn else None
    beyond = 0.0 if last is None else float(last[-1])
    iteration = PolicyIteration((Player(field, NEAREST, 0.0, last, beyond),), guess(field)[None], ROUGHLY)
    (values,) = settle(iteration, progress)
    return FieldBounds(values, values)


def guess(field: Field) -> Floats:
    """Return a first guess of every worth: as if each player needed so many turns, and one turn more."""
    target = field.target
    middles = np.array([state.high if state.low < -1e9 else state.low for state in field.states])
    turns = 1.0 + 20.0 * np.abs(target - middles) / target
    return np.asarray(turns[None, :] / (turns[:, None] + turns[None, :]))


def settle(iteration: PolicyIteration, progress: Progress | None) -> Floats:
    """Improve the play until it has settled; return the tables.

    Raises
    ------
    NotConvergedError
        It did not settle.
    """
    if not _settles(iteration, MOST_ROUNDS, progress):
        raise NotConvergedError(f"{iteration.rules.name}: policy iteration did not settle in {MOST_ROUNDS} rounds")
    return np.clip(iteration.move, 0.0, 1.0)


def settle_roughly(iteration: PolicyIteration, progress: Progress | None) -> None:
    """Improve the play for a start: until it has settled, or it has taken too long."""
    _settles(iteration, ROUGH_ROUNDS, progress)


def _settles(iteration: PolicyIteration, rounds: int, progress: Progress | None) -> bool:
    last = ""
    for number in range(1, rounds + 1):
        change = iteration.round(part_of(progress, f"{iteration.size} own states, round {number}{last}"))
        last = f" (change {change:.0e})"
        if change <= iteration.settled:
            return True
    return False


def _players(field: Field, movers: Makers | None) -> tuple[Player, Player]:
    if movers is not None:
        player, opponent = movers(field)
        return (
            Player(field, DOWN, -COST, opponent.last_turn(UP), mover=player),
            Player(field, UP, COST, player.last_turn(DOWN), mover=opponent),
        )
    if not field.has_last_turn:
        return Player(field, DOWN, -COST), Player(field, UP, COST)
    theirs, own = last_turns(field, 0.5, UP), last_turns(field, 0.5, DOWN)
    return Player(field, DOWN, -COST, theirs, float(theirs[-1])), Player(field, UP, COST, own, 0.0)
