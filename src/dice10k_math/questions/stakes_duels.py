"""Two players of a race with High Stakes of whom at least one plays by a policy: win probabilities, with bounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dice10k_math.errors import InputError
from dice10k_math.last_turn import NEAREST, allowed
from dice10k_math.program import NEVER
from dice10k_math.questions.duels import (
    Duel,
    Progress,
    by_scores,
    check_lasting,
    check_place,
    empty_bounds,
    write_accepted,
)
from dice10k_math.questions.positions import Seat
from dice10k_math.single import Situation, TurnWorths, evaluate
from dice10k_math.stakes import StakesRace
from dice10k_math.stakes_duel import StakesWaiting
from dice10k_math.stakes_movers import StakesMover, StakesPolicyMover


@dataclass(frozen=True, slots=True, eq=False)
class StakesDuel(Duel):
    """Win probabilities of two players against each other, with High Stakes.

    They are those of players who have no offer or decline it.

    Attributes
    ----------
    stakes
        The match.
    waiting
        What waiting is worth to the first player, with what taking over is worth to the other; None: both play by
        policies.
    """

    stakes: StakesRace
    waiting: StakesWaiting | None


def solve_stakes_duel(race: StakesRace, movers: tuple[StakesMover, StakesMover], told: Progress) -> StakesDuel:
    """Solve a race with High Stakes between two movers, and prove bounds for every turn start of both.

    Raises
    ------
    InputError
        Two policies that can go on for ever.
    NotConvergedError
        The judge did not accept the bounds.
    """
    from dice10k_math.certify.duel import judge_stakes_duel
    from dice10k_math.solve.stakes_duel import propose_stakes_guarantees, solve_stakes_duel

    check_lasting(race, movers)
    values = solve_stakes_duel(race, movers, lambda share: told("solving", share))
    move, first = values.duel, values.waiting[0]
    # What takes much memory and is not asked for any more goes before the bounds need as much.
    del values
    waiting = None if isinstance(movers[0], StakesPolicyMover) else first
    del first
    lower, upper = empty_bounds(race), empty_bounds(race)
    for player in range(2):
        bounds = propose_stakes_guarantees(race, movers, move, player, lambda share: told("bounding", share))
        told("judging", None)
        verdict = judge_stakes_duel(race, bounds, movers[player], movers[1 - player])
        write_accepted(race, player, bounds, verdict, lower, upper)
    return StakesDuel(race, by_scores(race, move.move, lower, upper), lower, upper, race, waiting)


@dataclass(frozen=True, slots=True, eq=False)
class StakesResponsePositions:
    """The turn starts of a player who plays best against a policy; see `dice10k_math.questions.positions`.

    The player is number 0 of the duel.
    """

    duel: StakesDuel

    def value(self, mover: Seat, other: Seat, *, second: bool = False) -> tuple[float, float, float]:
        """Return the player's win probability, when to move, with its lower and upper bound."""
        return self.duel.of(0, check_place(self.duel, mover, other, second))

    def _situation(self, mover: Seat, other: Seat, second: bool, reach: int) -> Situation:
        race, waiting = self.duel.stakes, self.duel.waiting
        assert waiting is not None  # noqa: S101 - of a player who plays best it is kept
        phase, own, opponent = check_place(self.duel, mover, other, second)
        total = own + opponent
        rule = race.unopened if own == 0 else race.opened
        banks = waiting.banks(phase, total)[:, opponent]
        bust = 1.0 - float(self.duel.value[1, race.other(phase), opponent, own])
        limits = race.limits(phase, total, np.full(race.scores, bust), np.zeros(1))
        limit = int(limits[opponent - race.columns(total)[0]])
        limit = max(limit, min(reach + race.margin, race.most))
        bank = np.where(allowed(rule, race.program.bank_scores), banks, NEVER)
        return Situation(bank, bust, bust, race.top_beyond(phase), limit, race.survival(NEAREST))

    def turn(self, mover: Seat, other: Seat, *, second: bool = False, asked: tuple[int, int] = (0, 0)) -> TurnWorths:
        """Return the worth of every after-state of the player's turn."""
        return evaluate(self.duel.stakes.program, self._situation(mover, other, second, asked[1]), asked[0])

    def bank_worths(self, mover: Seat, other: Seat, *, second: bool = False) -> dict[int, float]:  # noqa: ARG002
        """Refuse: with High Stakes the dice that a bank leaves matter."""
        raise InputError(f"{self.duel.race.rules.name}: what a bank is worth depends on the dice that it leaves")

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return all turn starts as columns of a table."""
        return self.duel.columns(0)
