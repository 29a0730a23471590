"""Two players of whom at least one plays by a policy, where scores can fall or pass the target: win probabilities with
bounds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dice10k_math.errors import InputError, NotConvergedError, check_whole
from dice10k_math.field import Field
from dice10k_math.field_movers import BestFieldMover, FieldMover, PolicyFieldMover
from dice10k_math.field_states import extents
from dice10k_math.last_turn import NEAREST
from dice10k_math.plays import Plays
from dice10k_math.program import Floats
from dice10k_math.questions.positions import FieldPositions, RoundsPositions
from dice10k_math.rules.model import Ruleset
from dice10k_math.workers import Progress, part_of, within

MOST_OPEN = 1e-2
"""Probability that neither is known to win, from the start, above which two policies are refused."""


@dataclass(frozen=True, slots=True, eq=False)
class FieldDuel:
    """Win probabilities of two players against each other; the twin of `Duel`.

    Attributes
    ----------
    field
        The match.
    lower, upper
        Shape (2, states, states): of each player when to move, by own state and the other's.
    last_turn
        What a last turn is worth to the second player, by the other's total and own state; None: there is none.
    """

    field: Field
    lower: Floats
    upper: Floats
    last_turn: Floats | None

    def place(self, score: int, opponent: int, *, second: bool = False) -> tuple[int, int]:
        """Return the numbers of both own states, with no busts in a row.

        Raises
        ------
        InputError
            Scores that cannot be, or that are not told apart.
        """
        rules = self.field.rules
        if second and self.field.phases == 1:
            raise InputError(f"second: {rules.name} has no equal turns, so it does not matter who began")
        numbers = []
        for name, points in (("score", score), ("opponent", opponent)):
            check_whole(name, points)
            low, high, unit = self._told_apart
            if points % unit or not low <= points <= high:
                raise InputError(f"{name}: {points}; {rules.name} is solved from {low} to {high} in steps of {unit}")
            numbers.append(self.field.state_of(points))
        return numbers[0], numbers[1]

    @property
    def _told_apart(self) -> tuple[int, int, int]:
        """The least and the greatest score that is an own state by itself, and the step between them."""
        single = [state.low for state in self.field.states if state.low == state.high]
        return int(min(single)), int(max(single)), self.field.unit

    def of(self, player: int, place: tuple[int, int]) -> tuple[float, float, float]:
        """Return a player's win probability when to move, with its bounds."""
        lower, upper = float(self.lower[(player, *place)]), float(self.upper[(player, *place)])
        return (lower + upper) / 2, lower, upper

    def columns(self, player: int) -> dict[str, NDArray[Any]]:
        """Return all turn starts of a player with two single scores as columns of a table."""
        return FieldPositions(self.field, self.lower[player], self.upper[player]).columns()


@dataclass(frozen=True, slots=True, eq=False)
class RoundsDuel:
    """The same with equal turns.

    Attributes
    ----------
    phases
        Of the turns that begin a round, and of those that close one.
    """

    phases: tuple[FieldDuel, FieldDuel]

    def place(self, score: int, opponent: int, *, second: bool = False) -> tuple[int, int, int]:
        """Return the phase, and the numbers of both own states, with no busts in a row."""
        return int(second), *self.phases[second].place(score, opponent, second=second)

    def of(self, player: int, place: tuple[int, int, int]) -> tuple[float, float, float]:
        """Return a player's win probability when to move, with its bounds."""
        return self.phases[place[0]].of(player, place[1:])

    def columns(self, player: int) -> dict[str, NDArray[Any]]:
        """Return all turn starts of a player with two single scores as columns of a table."""
        return _rounds_of(
            [FieldPositions(each.field, each.lower[player], each.upper[player]) for each in self.phases]
        ).columns()


def _rounds_of(phases: Sequence[FieldPositions]) -> RoundsPositions:
    first, second = phases
    return RoundsPositions((first, second))


def response_positions(duel: FieldDuel | RoundsDuel) -> FieldPositions | RoundsPositions:
    """Return the turn starts of the first player of a duel, as positions for advice."""
    if isinstance(duel, RoundsDuel):
        first, second = duel.phases
        return _rounds_of([_responding(first, second), _responding(second, first)])
    return _responding(duel, duel)


def _responding(duel: FieldDuel, after: FieldDuel) -> FieldPositions:
    """Return the turn starts of the first player, the other's turn being that of another phase perhaps."""
    against = (after.lower[1] + after.upper[1]) / 2
    waiting = duel.field.extend(1.0 - against.T, NEAREST, duel.last_turn)
    return FieldPositions(duel.field, duel.lower[0], duel.upper[0], waiting)


Maker = Callable[[Field], FieldMover]
"""Makes a mover for a field."""


def maker_of(plays: Plays | None) -> Maker:
    """Return what makes the mover of a policy; None: of the best play."""
    return BestFieldMover if plays is None else lambda field: PolicyFieldMover(field, plays)


def solve_field_duel(
    rules: Ruleset, plays: tuple[Plays | None, Plays | None], told: Progress | None = None
) -> FieldDuel:
    """Solve a match between two players, and prove bounds for every turn start of both.

    Parameters
    ----------
    rules
        The ruleset.
    plays
        The turns of each player; None: the player plays best.
    told
        Told how far the work is.

    Raises
    ------
    InputError
        Two policies that can go on for ever.
    NotConvergedError
        The judge did not accept the bounds.
    """
    from dice10k_math.certify.field import judge_field
    from dice10k_math.solve.field import FieldBounds, estimate_field, solve_field

    *rougher, field = (Field(rules, extent) for extent in extents(rules))
    makers = maker_of(plays[0]), maker_of(plays[1])

    @cache
    def made(field: Field) -> tuple[FieldMover, FieldMover]:
        return makers[0](field), makers[1](field)

    estimate = estimate_field((*rougher, field)[0], movers=made, progress=within(told, "estimating"))
    values = estimate.us, estimate.them
    movers = made(field)
    size = len(field.states)
    lower, upper = np.empty((2, size, size)), np.empty((2, size, size))
    for player, what in enumerate(("bounding from below", "bounding from above")):
        pair = movers[player], movers[1 - player]
        start = FieldBounds(values[player], values[1 - player])
        turned = made if player == 0 else lambda field: made(field)[::-1]
        bounds = solve_field(field, start, rougher=rougher, movers=turned, progress=within(told, what))
        verdict = judge_field(field, bounds.us, bounds.them, part_of(told, "judging"), pair)
        if not verdict.accepted:
            raise NotConvergedError(f"{rules.name}: the judge refuses the bounds: {verdict.faults[0]}")
        lower[player], upper[1 - player] = bounds.us, bounds.them
    duel = FieldDuel(field, lower, upper, movers[1].last_turn(NEAREST))
    if None not in plays:
        _check_lasting(duel)
    return duel


def solve_rounds_duel(
    rules: Ruleset, plays: tuple[Plays | None, Plays | None], told: Progress | None = None
) -> RoundsDuel:
    """Solve a match of equal turns, as `solve_field_duel` does.

    Raises
    ------
    InputError
        Extra rounds, or two policies that can go on for ever.
    NotConvergedError
        The judge did not accept the bounds.
    """
    if rules.ending.tie != "shared":
        raise InputError(
            f"{rules.name}: extra rounds in which scores can fall; "
            'allowed: policies with tie = "shared", or with other endings'
        )
    from dice10k_math.certify.rounds import judge_rounds_duel
    from dice10k_math.solve import rounds

    extent = extents(rules)[-1]
    fields = Field(rules, extent), Field(rules, extent, 1)
    movers = tuple((make(fields[0]), make(fields[1])) for make in map(maker_of, plays))
    size = len(fields[0].states)
    lower, upper = np.empty((2, 2, size, size)), np.empty((2, 2, size, size))
    for player, what in enumerate(("bounding from below", "bounding from above")):
        pair = movers[player], movers[1 - player]
        bounds = rounds.solve_rounds_duel(pair, progress=within(told, what))
        us, them = (np.stack([getattr(phase, name) for phase in bounds]) for name in ("us", "them"))
        verdict = judge_rounds_duel(pair, us, them, part_of(told, "judging"))
        if not verdict.accepted:
            raise NotConvergedError(f"{rules.name}: the judge refuses the bounds: {verdict.faults[0]}")
        lower[player], upper[1 - player] = us, them
    last = movers[1][0].last_turn(NEAREST), None
    first, second = (FieldDuel(fields[n], lower[:, n], upper[:, n], last[n]) for n in range(2))
    if None not in plays:
        _check_lasting(first)
    return RoundsDuel((first, second))


def duel_of(
    rules: Ruleset, plays: tuple[Plays | None, Plays | None], told: Progress | None = None
) -> FieldDuel | RoundsDuel:
    """Solve a match in which scores can fall or pass the target between two players."""
    solve = solve_rounds_duel if rules.ending.kind == "equal_turns" else solve_field_duel
    return solve(rules, plays, told)


def _check_lasting(duel: FieldDuel) -> None:
    """Refuse policies whose match need not end."""
    start = duel.field.start
    left = float(duel.upper[0, start, start] - duel.lower[0, start, start])
    if left > MOST_OPEN:
        raise InputError(
            f"policies: they can go on for ever: from 0 against 0, {left:.3g} of the matches are not known to be won "
            "by either; allowed: policies that end"
        )
