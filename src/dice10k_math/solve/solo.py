"""Fewest expected turns alone, and the best chance to be done in time.

*Solving.* Policy iteration over all turn starts: back up every turn, follow the best play to its endings, solve the
sparse linear system of that play.

*Upper bounds.* If U is finite, at least 0, and U(start) >= 1 + expected U after the turn for some play of it, at
every turn start,
then that play takes at most U(start) turns on average: the turns taken plus U where the player is never rise on
average.

*Lower bounds.* If 0 <= L(start) <= 1 + expected L after the turn for every play of it, then no play takes fewer
than L(start) turns on average.
A play that takes infinitely many on average does not matter. For any other one L <= n turns + expected L after n
turns if not yet done, and the last term vanishes:
L grows no faster than the distance covered, whose expectation in one turn is bounded, so the sum over all turns has
a finite expectation too.

*Far scores* for U: from far below, the climb of `SoloGame.climb`. For L: the distance to the target divided by
`stride`, the most points by which
the score can move in one turn on average, whatever the play; or 1 if that is more. Moving in a turn by d lowers
this by at most d / stride, hence by 1 on average.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import frexp, inf

import numpy as np

from dice10k_math.errors import NotConvergedError
from dice10k_math.last_turn import DOWN, UP, Side
from dice10k_math.program import NEVER, Floats
from dice10k_math.solo import TINY, SoloGame, Worths
from dice10k_math.solve.turn import pose
from dice10k_math.solve.worth import Worth
from dice10k_math.workers import Progress, Share, part_of

MOST_ROUNDS = 60
SETTLED = 4e-15
SLACK = 2.0**-46
"""What a bound gives away at every turn, as a worth, so that its inequality holds in spite of the rounding of the
linear solver."""


@dataclass(frozen=True, slots=True)
class SoloBounds:
    """Bounds of the fewest expected turns, by turn start of the game; infinite where no play is certain to end."""

    lower: Floats
    upper: Floats


def stride_of(game: SoloGame) -> float:
    """Return an upper bound of the points by which a score moves in one turn on average, whatever the play;
    perhaps infinite.
    """
    fine = sum(penalty for penalty in game.fines)
    in_a_row = game.rules.bust.in_a_row
    worth = Worth(bust=in_a_row.penalty if in_a_row else 0, bust_on_six=fine)
    try:
        return pose(game.model, game.opened, worth).bounds.roll(0, game.model.full)[1]
    except NotConvergedError:
        return inf


class TurnCount:
    """The worths of turns still to come: -turns / scale, with bounds for far scores."""

    def __init__(self, game: SoloGame, scale: float) -> None:
        self.game, self.scale = game, scale
        self.cost = 1.0 / scale

    def upper(self, values: Floats, landing: float) -> Worths:
        """Return the worths of an upper bound of the turns."""
        game = self.game
        far = np.full((len(game.modes), len(game.line)), -1.0)
        if game.fines:
            far = np.maximum(-game.turns_from_below(landing) / self.scale, -1.0)
        return Worths(values, 0.0, far, np.full(len(game.line), NEVER), game.endless)

    def lower(self, values: Floats, stride: float) -> Worths:
        """Return the worths of a lower bound of the turns."""
        turns = far_turns(self.game, stride, self.scale)
        far = np.repeat(-turns[None, :] / self.scale, len(self.game.modes), axis=0)
        return Worths(values, 0.0, far, far[0], self.game.endless)


def far_turns(game: SoloGame, stride: float, most: float = inf) -> Floats:
    """Return a lower bound of the expected turns from each score of the line."""
    distance = np.abs(game.line - game.target) if game.exact else np.maximum(game.target - game.line, 0)
    return np.maximum(np.minimum(distance / (stride * (1.0 + 1e-12)), most), 1.0)


def improve(
    game: SoloGame, worths: Worths, side: Side, cost: float, progress: Share | None = None
) -> tuple[Floats, float]:
    """Make one round of policy iteration; return the new values and the greatest change that backing up made."""
    from scipy import sparse
    from scipy.sparse.linalg import splu

    value, origin, target, weight = game.turn_forward(worths, side, progress)
    residual = np.where(game.endless, 0.0, value - cost - worths.values)
    # Where the game never ends the turns lead back to their start for ever, and there is nothing to solve.
    ends = ~game.endless[origin]
    matrix = sparse.csc_matrix((weight[ends], (origin[ends], target[ends])), shape=(game.starts, game.starts))
    change = float(np.max(np.abs(residual)))
    try:
        step = splu(sparse.identity(game.starts, format="csc") - matrix).solve(residual)
    except RuntimeError:
        # The system of a play that never ends is singular.
        step = np.full(game.starts, np.nan)
    step[game.endless] = 0.0
    solved = worths.values + step
    # The play of a poor guess may never end; then plain backing up goes on from the guess.
    return (solved if np.all(solved <= 0.0) and np.all(solved >= -4.0) else worths.values + residual), change


def settle(
    game: SoloGame, count: TurnCount, start: Floats, far: float, side: Side, progress: Progress | None = None
) -> Floats:
    """Iterate to the values of a bound."""
    values = start
    lower_worth = side is DOWN
    cost = count.cost + (SLACK if lower_worth else -SLACK)
    what = f"{'upper' if lower_worth else 'lower'} bounds, round"
    for number in range(1, MOST_ROUNDS + 1):
        worths = count.upper(values, far) if lower_worth else count.lower(values, far)
        values, change = improve(game, worths, side, cost, part_of(progress, f"{what} {number}"))
        if change <= SETTLED:
            return values
    raise NotConvergedError(f"{game.rules.name}: policy iteration did not settle in {MOST_ROUNDS} rounds")


def upper_holds(game: SoloGame, upper: Floats, landing: float, scale: float) -> bool:
    """Tell whether upper bounds of the expected turns are proved.

    Parameters
    ----------
    upper
        Expected turns by turn start.
    landing
        What is claimed for all scores after a climb from far below.
    scale
        A power of two, at least as great as all bounds.
    """
    count = TurnCount(game, scale)
    worths = count.upper(-upper / scale, landing)
    proved = game.turn(worths, DOWN) - count.cost - TINY >= worths.values
    sound = not game.fines or (game.landing(upper) <= landing and _from_below(game, landing) <= scale)
    return bool(sound and np.all(game.endless | (proved & (upper >= 0.0) & (upper <= scale))))


def _from_below(game: SoloGame, landing: float) -> float:
    """Return the most turns from a score that a bust can lead to."""
    near = game.line >= game.low - sum(game.fines)
    return float(np.max(game.turns_from_below(landing)[:, near]))


def lower_holds(game: SoloGame, lower: Floats, stride: float, scale: float) -> bool:
    """Tell whether lower bounds of the expected turns are proved; `stride` is that of `stride_of`."""
    count = TurnCount(game, scale)
    worths = count.lower(-lower / scale, stride)
    proved = game.turn(worths, UP) - count.cost + TINY <= worths.values
    far = far_turns(game, stride, scale)
    # Far scores were proved with the far formula everywhere; so the bounds may nowhere be less.
    enough = lower >= np.interp(game.scores, game.line, far) if game.low else lower >= 0.0
    return bool(np.all(game.endless | (proved & enough & (lower <= scale))))


def _guess(game: SoloGame) -> Floats:
    return 3.0 + 1.5 * np.abs(game.target - game.scores) / game.climb.gain


def power_above(number: float) -> float:
    """Return the least power of two above a number.

    Examples
    --------
    >>> power_above(20.0), power_above(32.0)
    (32.0, 64.0)
    """
    return 2.0 ** frexp(number)[1]


def bound_turns(game: SoloGame, progress: Progress | None = None) -> SoloBounds:
    """Return proved bounds of the fewest expected turns from every turn start.

    Parameters
    ----------
    game
        The game.
    progress
        Told which round it is, and how far.

    Raises
    ------
    NotConvergedError
        The target cannot be reached, or no bounds were proved.
    """
    if game.endless.all():
        raise NotConvergedError(f"{game.rules.name}: no play is certain to reach the target")
    upper, _, scale = _upper(game, progress)
    stride = stride_of(game) if game.low else inf
    lower = -scale * settle(game, TurnCount(game, scale), -upper / scale, stride, UP, progress)
    if not lower_holds(game, lower, stride, scale):
        raise NotConvergedError(f"{game.rules.name}: the lower bounds of the expected turns were not proved")
    return SoloBounds(np.where(game.endless, inf, lower), np.where(game.endless, inf, upper))


def _upper(game: SoloGame, progress: Progress | None) -> tuple[Floats, float, float]:
    """Return upper bounds, what they claim after a climb, and the scale at which they are proved."""
    turns = _guess(game)
    landing, scale = game.landing(turns), 0.0
    for _ in range(12):
        needed = max(float(np.max(turns)), _from_below(game, landing) if game.fines else 0.0)
        rescaled = power_above(needed) != scale
        scale = power_above(needed)
        start = -np.where(game.endless, 0.0, turns) / scale
        turns = -scale * settle(game, TurnCount(game, scale), start, landing, DOWN, progress)
        reached = game.landing(turns)
        if not rescaled and upper_holds(game, turns, landing, scale):
            return turns, landing, scale
        if game.fines and not reached <= landing <= reached + 2.0:
            landing = reached + 1.0 if reached <= landing else 2.0 * reached
    raise NotConvergedError(f"{game.rules.name}: the upper bounds of the expected turns were not proved")


def chances_within(game: SoloGame, stride: float) -> Iterator[SoloBounds]:
    """Yield bounds of the best chance to be done within 0, 1, 2, ... turns, by turn start.

    A far score at distance d from the target is left behind within k turns with a chance of at most k * stride
    / d, by Markov's inequality.
    """
    lower, upper = np.zeros(game.starts), np.zeros(game.starts)
    never = np.zeros(game.starts, bool)
    turns = 0
    distance = np.maximum(np.abs(game.target - game.line), 1)
    shape = (len(game.modes), len(game.line))
    while True:
        yield SoloBounds(lower, upper)
        far = np.minimum(turns * stride * (1.0 + 1e-12) / distance, 1.0) if turns else np.zeros(len(game.line))
        nothing = np.zeros(shape)
        lower = np.maximum(game.turn(Worths(lower, 1.0, nothing, nothing[0], never), DOWN), 0.0)
        upper = np.minimum(game.turn(Worths(upper, 1.0, np.repeat(far[None], shape[0], axis=0), far, never), UP), 1.0)
        turns += 1
