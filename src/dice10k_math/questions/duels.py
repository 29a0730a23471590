"""Two players of a race who play by given movers: win probabilities of both from every turn start, with bounds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dice10k_math.bounds import RaceBounds
from dice10k_math.errors import InputError, NotConvergedError, check_whole
from dice10k_math.last_turn import NEAREST, allowed
from dice10k_math.movers import LastTurn, Mover, PolicyMover, TurnMover
from dice10k_math.program import NEVER, Floats
from dice10k_math.questions.positions import Seat
from dice10k_math.race import Race
from dice10k_math.single import Situation, TurnWorths, evaluate

if TYPE_CHECKING:
    from dice10k_math.certify.race import Verdict

Progress = Callable[[str, float | None], None]
LASTING = 1e-9
"""Chance that two turns end otherwise than by two busts, below which a match is taken to go on for ever."""


@dataclass(frozen=True, slots=True, eq=False)
class Duel:
    """Win probabilities of two players against each other.

    Attributes
    ----------
    race
        The match.
    value, lower, upper
        Shape (2, phases, scores, scores): of each player when to move, by own score and the other's, in units.
    """

    race: Race
    value: Floats
    lower: Floats
    upper: Floats

    def place(self, score: int, opponent: int, *, second: bool = False) -> tuple[int, int, int]:
        """Return phase and both scores in units.

        Raises
        ------
        InputError
            Scores that cannot be, or at which the match is over.
        """
        race = self.race
        if second and race.phases == 1:
            raise InputError(f"second: {race.rules.name} has no equal turns, so it does not matter who began")
        for name, points in (("score", score), ("opponent", opponent)):
            check_whole(name, points)
            if points % race.unit or not 0 <= points < race.rules.ending.target:
                raise InputError(
                    f"{name}: {points}; {race.rules.name} has scores from 0 in steps of {race.unit}, "
                    f"below the target {race.rules.ending.target}"
                )
        return int(second), score // race.unit, opponent // race.unit

    def of(self, player: int, place: tuple[int, int, int]) -> tuple[float, float, float]:
        """Return a player's win probability when to move, with its bounds."""
        at = (player, *place)
        return float(self.value[at]), float(self.lower[at]), float(self.upper[at])

    def columns(self, player: int) -> dict[str, NDArray[Any]]:
        """Return all turn starts of a player as columns of a table."""
        phase, own, other = np.indices(self.value.shape[1:])
        unit = self.race.unit
        found: dict[str, NDArray[Any]] = {"score": own.ravel() * unit, "opponent": other.ravel() * unit}
        if self.race.phases > 1:
            found["second"] = phase.ravel() == 1
        names = {"win_probability": self.value, "lower": self.lower, "upper": self.upper}
        return found | {name: values[player].ravel() for name, values in names.items()}


@dataclass(frozen=True, slots=True, eq=False)
class PlainDuel(Duel):
    """The same without High Stakes.

    Attributes
    ----------
    last
        Last turns of both.
    """

    last: tuple[LastTurn, LastTurn]


def solve_duel(race: Race, movers: tuple[Mover, Mover], told: Progress) -> PlainDuel:
    """Solve a race between two movers, and prove bounds for every turn start of both.

    Raises
    ------
    InputError
        Two policies that can go on for ever.
    NotConvergedError
        The judge did not accept the bounds.
    """
    from dice10k_math.certify.duel import judge_duel
    from dice10k_math.solve import duel

    check_lasting(race, movers)
    values = duel.solve_duel(race, movers, lambda share: told("solving", share))
    lower, upper = empty_bounds(race), empty_bounds(race)
    for player in range(2):
        bounds = duel.propose_guarantees(race, movers, values, player, lambda share: told("bounding", share))
        told("judging", None)
        verdict = judge_duel(race, bounds, movers[player], movers[1 - player])
        write_accepted(race, player, bounds, verdict, lower, upper)
    tie = 1.0 - values.lead[1], 1.0 - values.lead[0]
    last = movers[0].last_turn(tie[0], NEAREST), movers[1].last_turn(tie[1], NEAREST)
    return PlainDuel(race, by_scores(race, values.move, lower, upper), lower, upper, last)


def empty_bounds(race: Race) -> Floats:
    """Return room for bounds of both players: shape (2, phases, scores, scores)."""
    return np.empty((2, race.phases, race.scores, race.scores))


def write_accepted(race: Race, player: int, bounds: RaceBounds, verdict: Verdict, lower: Floats, upper: Floats) -> None:
    """Write what the accepted guarantees of a player say of his win probability and of the other's.

    Raises
    ------
    NotConvergedError
        The judge did not accept them.
    """
    if not verdict.accepted:
        raise NotConvergedError(f"{race.rules.name}: the judge refuses the bounds: {verdict.faults[0]}")
    own, other = np.indices((race.scores, race.scores))
    for phase in range(race.phases):
        lower[player, phase] = bounds.move[phase][own + other, other]
        upper[1 - player, race.other(phase)] = 1.0 - bounds.wait[phase][own + other, other].T


def by_scores(race: Race, move: Floats, lower: Floats, upper: Floats) -> Floats:
    """Return values by own score and the other's, between their bounds."""
    own, other = np.indices((race.scores, race.scores))
    value = np.stack([[move[player, phase][own + other, other] for phase in range(race.phases)] for player in (0, 1)])
    return np.clip(value, lower, upper)


def check_lasting(race: Race, movers: tuple[TurnMover, TurnMover]) -> None:
    """Refuse two policies that can come to where both only bust, for ever."""
    first, second = movers
    if not (isinstance(first, PolicyMover) and isinstance(second, PolicyMover)):
        return
    lasting = np.stack(
        [first.busts[phase] * second.busts[race.other(phase)].T > 1.0 - LASTING for phase in range(race.phases)]
    )
    if not lasting.any():
        return
    from dice10k_math.solve.reach import reached

    found = np.argwhere(lasting & reached(race, (first, second)))
    if len(found):
        phase, own, other = found[0].tolist()
        where = f"{own * race.unit} against {other * race.unit}" + (" (second turn of the round)" if phase else "")
        raise InputError(f"policies: they can go on for ever: at {where} both only bust; allowed: policies that end")


def check_place(duel: Duel, mover: Seat, other: Seat, second: bool) -> tuple[int, int, int]:
    """Return the place of two seats of which the scores say all.

    Raises
    ------
    InputError
        Seats that cannot be.
    """
    for seat in (mover, other):
        if seat.busts or (seat.opened is not None and seat.opened != (seat.score != 0)):
            raise InputError(
                f"opened, busts: {seat.opened}, {seat.busts} at a score of {seat.score}; "
                f"in {duel.race.rules.name} the score says all; allowed: without them"
            )
    return duel.place(mover.score, other.score, second=second)


@dataclass(frozen=True, slots=True, eq=False)
class ResponsePositions:
    """The turn starts of a player who plays best against a policy; see `dice10k_math.questions.positions`.

    The player is number 0 of the duel.
    """

    duel: PlainDuel

    def value(self, mover: Seat, other: Seat, *, second: bool = False) -> tuple[float, float, float]:
        """Return the player's win probability, when to move, with its lower and upper bound."""
        return self.duel.of(0, check_place(self.duel, mover, other, second))

    def _situation(self, mover: Seat, other: Seat, second: bool, reach: int = 0) -> Situation:
        race = self.duel.race
        phase, own, opponent = check_place(self.duel, mover, other, second)
        scores = race.program.bank_scores
        worth = np.array([self._after_bank(phase, own + int(t) // race.unit, opponent) for t in scores])
        rule = race.unopened if own == 0 else race.opened
        bust = 1.0 - float(self.duel.value[1, race.other(phase), opponent, own])
        limits = race.limits(phase, own + opponent, np.full(race.scores, bust), self.duel.last[1].most)
        limit = int(limits[opponent - race.columns(own + opponent)[0]])
        limit = max(limit, min(reach + race.margin, race.most))
        top = float(race.saved(np.array(self._after_bank(phase, own + limit // race.unit, opponent))))
        return Situation(np.where(allowed(rule, scores), worth, NEVER), bust, bust, top, limit, race.survival(NEAREST))

    def _after_bank(self, phase: int, own: int, opponent: int) -> float:
        """Worth of waiting with an own score, in units, after a turn of this phase."""
        race = self.duel.race
        if own < race.scores:
            return 1.0 - float(self.duel.value[1, race.other(phase), opponent, own])
        if race.rules.ending.kind == "exact" and own > race.scores:
            return NEVER
        if not race.has_last_turn or phase == 1:
            return 1.0
        table = self.duel.last[1].table
        return 1.0 - float(table[min(own - race.scores, len(table) - 1), opponent])

    def turn(self, mover: Seat, other: Seat, *, second: bool = False, asked: tuple[int, int] = (0, 0)) -> TurnWorths:
        """Return the worth of every after-state of the player's turn."""
        return evaluate(self.duel.race.program, self._situation(mover, other, second, asked[1]), asked[0])

    def bank_worths(self, mover: Seat, other: Seat, *, second: bool = False) -> dict[int, float]:
        """Return the worth of banking each turn score that may be banked."""
        worth = self._situation(mover, other, second).bank
        scores = self.duel.race.program.bank_scores
        return {int(t): float(w) for t, w in zip(scores, worth, strict=True) if w > NEVER}

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return all turn starts as columns of a table."""
        return self.duel.columns(0)
