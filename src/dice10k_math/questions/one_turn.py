"""One turn of a player whose opponents' scores are already counted in what the endings are worth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dice10k_math.program import NEVER, Program
from dice10k_math.questions.positions import Seat
from dice10k_math.single import Situation, TurnWorths, evaluate


@dataclass(frozen=True, slots=True, eq=False)
class OneTurn:
    """The one turn that is looked at; see `dice10k_math.questions.positions`. No score that is asked for matters.

    Attributes
    ----------
    program
        The compiled turn.
    situation
        What its endings are worth.
    """

    program: Program
    situation: Situation

    def value(self, mover: Seat, other: Seat, *, second: bool = False) -> tuple[float, float, float]:
        """Return what the turn is worth, three times: nothing is proved here."""
        worth = self.turn(mover, other, second=second).start
        return worth, worth, worth

    def turn(self, mover: Seat, other: Seat, *, second: bool = False, asked: tuple[int, int] = (0, 0)) -> TurnWorths:  # noqa: ARG002 - as positions are asked
        """Return the worth of every after-state."""
        return evaluate(self.program, self.situation)

    def bank_worths(self, mover: Seat, other: Seat, *, second: bool = False) -> dict[int, float]:  # noqa: ARG002 - the same
        """Return the worth of banking each turn score that may be banked."""
        worths = zip(self.program.bank_scores.tolist(), self.situation.bank.tolist(), strict=True)
        return {points: worth for points, worth in worths if worth > NEVER}

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return what the turn is worth as a table of one row."""
        return {"win_probability": np.array([evaluate(self.program, self.situation).start])}
