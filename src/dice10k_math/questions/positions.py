"""The turn starts of a match with their values: looked up, and a single turn evaluated from them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from dice10k_math.bounds import RaceBounds
from dice10k_math.errors import InputError
from dice10k_math.field import Field
from dice10k_math.field_states import OwnState
from dice10k_math.last_turn import DOWN, NEAREST, UP, allowed, last_turns
from dice10k_math.program import NEVER, Floats, Ints
from dice10k_math.questions.allowed import check_step, is_closing
from dice10k_math.questions.closing import ClosingTurns
from dice10k_math.race import Race
from dice10k_math.single import Situation, TurnWorths, evaluate
from dice10k_math.solve.race import RaceValues
from dice10k_math.tie_levels import TieLevels


@dataclass(frozen=True, slots=True)
class Seat:
    """A player's part of a turn start: banked score, whether a bank has been made (None: as the score says), busts in
    a row.
    """

    score: int
    opened: bool | None = None
    busts: int = 0


class Positions(Protocol):
    """What is known of the turn starts of a match."""

    def value(self, mover: Seat, other: Seat, *, second: bool = False) -> tuple[float, float, float]:
        """Return the mover's win probability with its lower and upper bound."""
        ...

    def turn(self, mover: Seat, other: Seat, *, second: bool = False, asked: tuple[int, int] = (0, 0)) -> TurnWorths:
        """Return the worth of every after-state of the mover's turn.

        `asked`: the least turn score asked about, lower ones may have no worth; and one up to which the short cut for
        turn scores at which a player banks anyway is not taken.
        """
        ...

    def bank_worths(self, mover: Seat, other: Seat, *, second: bool = False) -> dict[int, float]:
        """Return the worth of banking each turn score that may be banked."""
        ...

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return all turn starts as columns of a table."""
        ...


@dataclass(frozen=True, eq=False)
class RacePositions:
    """The turn starts of a race.

    Attributes
    ----------
    race
        The match.
    move, lower, upper
        Shape (phases, scores, scores): for the player to move, by own score and opponent's, in units.
    last_turn, last_lower, last_upper
        Worth of a last turn with its bounds, by deficit in units.
    """

    race: Race
    move: Floats
    lower: Floats
    upper: Floats
    last_turn: Floats
    last_lower: Floats
    last_upper: Floats

    @classmethod
    def of(cls, race: Race, values: RaceValues, bounds: RaceBounds) -> Self:
        """Return the positions of a solved and certified race."""
        own, other = np.indices((race.scores, race.scores))
        total = own + other
        lower = np.stack([bounds.move[phase][total, other] for phase in range(race.phases)])
        upper = np.stack([1.0 - bounds.wait[race.other(phase)][total, own] for phase in range(race.phases)])
        move = np.stack([values.move[phase][total, other] for phase in range(race.phases)])
        # Rounding can leave the value a hair outside bounds that are as narrow as rounding.
        last = [last_turns(race, bounds.follow, DOWN), last_turns(race, 1.0 - bounds.lead, UP)]
        last = [np.clip(bound, 0.0, 1.0) for bound in last]
        return cls(race, np.clip(move, lower, upper), lower, upper, np.clip(values.last_turn, *last), *last)

    def last_turn_columns(self) -> dict[str, NDArray[Any]]:
        """Return the worth of a last turn as columns of a table."""
        deficit = np.arange(len(self.last_turn)) * self.race.unit
        return {"deficit": deficit, "worth": self.last_turn, "lower": self.last_lower, "upper": self.last_upper}

    def _place(self, mover: Seat, other: Seat, second: bool) -> tuple[int, int, int]:
        race = self.race
        if second and race.phases == 1:
            raise InputError(f"second: {race.rules.name} has no equal turns, so it does not matter who began")
        target, closing = race.rules.ending.target, self._is_closing(mover, other, second)
        for name, seat in (("score", mover), ("opponent", other)):
            check_step(race.rules, seat.score, name)
            if seat.score % race.unit or seat.score < 0 or (seat.score >= target and not closing):
                raise InputError(
                    f"{name}: {seat.score}; {race.rules.name} has scores from 0 in steps of {race.unit}, "
                    f"below the target {target}"
                )
            if seat.busts:
                raise InputError(f"busts: {seat.busts}; {race.rules.name} does not count busts in a row")
            if seat.opened is not None and seat.opened != (seat.score != 0):
                raise InputError(f"opened: {seat.opened} at a score of {seat.score}: scores never fall in this game")
        return int(second), mover.score // race.unit, other.score // race.unit

    def _is_closing(self, mover: Seat, other: Seat, second: bool) -> bool:
        return is_closing(self.race.rules, mover.score, other.score, second=second)

    @cached_property
    def closing(self) -> ClosingTurns:
        """The turns that are left once the target has been reached."""
        return ClosingTurns(self.race.rules, self.last_turn, self.last_lower, self.last_upper)

    def value(self, mover: Seat, other: Seat, *, second: bool = False) -> tuple[float, float, float]:
        """Return the mover's win probability with its lower and upper bound."""
        place = self._place(mover, other, second)
        if self._is_closing(mover, other, second):
            return self.closing.value(mover.score, other.score, second=second)
        return float(self.move[place]), float(self.lower[place]), float(self.upper[place])

    def _situation(self, mover: Seat, other: Seat, second: bool, reach: int = 0) -> Situation:
        race = self.race
        phase, own, opponent = self._place(mover, other, second)
        opponents = np.array([opponent])
        worth = self.after_banks(phase, own, opponents)[:, 0]
        bust = 1.0 - float(self.move[race.other(phase), opponent, own])
        limit = max(int(self.limits(phase, own, opponents)[0]), min(reach + race.margin, race.most))
        top = float(race.saved(self.after_bank(phase, np.array([own + limit // race.unit]), opponents))[0])
        return Situation(worth, bust, bust, top, limit, race.survival(NEAREST))

    def limits(self, phase: int, own: int, opponents: NDArray[Any]) -> Ints:
        """Return the turn scores beyond which to bank, for an own score against several opponents, scores in units."""
        bust = 1.0 - self.move[self.race.other(phase), opponents, own]
        return self.race.limits_of(phase, np.full(len(opponents), own), opponents, bust, self.last_turn)

    def after_banks(self, phase: int, own: int, opponents: NDArray[Any]) -> Floats:
        """Return what banking each turn score is worth.

        Parameters
        ----------
        phase, own, opponents
            The phase of the turn, the mover's score before it and the opponents' scores, in units.

        Returns
        -------
        ndarray of shape (bank rows, opponents)
            `NEVER` where banking is not allowed.
        """
        race = self.race
        scores = race.program.bank_scores
        rule = race.unopened if own == 0 else race.opened
        worth = self.after_bank(phase, (own + scores // race.unit)[:, None], opponents[None, :])
        worth[~allowed(rule, scores)] = NEVER
        return worth

    def after_bank(self, phase: int, own: NDArray[Any], opponent: NDArray[Any]) -> Floats:
        """Return what waiting is worth after a turn of this phase, by own score and opponent's, in units."""
        race = self.race
        below = own < race.scores
        going_on = 1.0 - self.move[race.other(phase), opponent, np.where(below, own, 0)]
        won: Floats = np.ones(going_on.shape)
        if race.rules.ending.kind == "exact":
            won[np.broadcast_to(own > race.scores, won.shape)] = NEVER
        elif race.has_last_turn and phase == 0:
            won -= self.last_turn[np.clip(own - opponent, 0, len(self.last_turn) - 1)]
        return np.where(below, going_on, won)

    def turn(self, mover: Seat, other: Seat, *, second: bool = False, asked: tuple[int, int] = (0, 0)) -> TurnWorths:
        """Return the worth of every after-state of the mover's turn."""
        if self._is_closing(mover, other, second):
            self._place(mover, other, second)
            return self.closing.turn(mover.score, other.score, second=second, asked=asked)
        return evaluate(self.race.program, self._situation(mover, other, second, asked[1]), asked[0])

    def bank_worths(self, mover: Seat, other: Seat, *, second: bool = False) -> dict[int, float]:
        """Return the worth of banking each turn score that may be banked."""
        worth = self._situation(mover, other, second).bank
        return {int(t): float(w) for t, w in zip(self.race.program.bank_scores, worth, strict=True) if w > NEVER}

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return all turn starts as columns of a table."""
        phase, own, other = np.indices(self.move.shape)
        unit = self.race.unit
        found: dict[str, NDArray[Any]] = {"score": own.ravel() * unit, "opponent": other.ravel() * unit}
        if self.race.phases > 1:
            found["second"] = phase.ravel() == 1
        return found | {
            "win_probability": self.move.ravel(),
            "lower": self.lower.ravel(),
            "upper": self.upper.ravel(),
        }


@dataclass(frozen=True, slots=True)
class ClosingPositions:
    """The last turns of a race alone, which need nothing else of the match."""

    closing: ClosingTurns

    def value(self, mover: Seat, other: Seat, *, second: bool = False) -> tuple[float, float, float]:
        """Return the mover's win probability with its lower and upper bound."""
        self._check(mover, other, second)
        return self.closing.value(mover.score, other.score, second=second)

    def turn(self, mover: Seat, other: Seat, *, second: bool = False, asked: tuple[int, int] = (0, 0)) -> TurnWorths:
        """Return the worth of every after-state of the mover's turn."""
        self._check(mover, other, second)
        return self.closing.turn(mover.score, other.score, second=second, asked=asked)

    def bank_worths(self, mover: Seat, other: Seat, *, second: bool = False) -> dict[int, float]:
        """Return the worth of banking each turn score that may be banked."""
        worths = self.turn(mover, other, second=second)
        banks = zip(worths.program.bank_scores.tolist(), worths.bank.tolist(), strict=True)
        return {turn_score: worth for turn_score, worth in banks if worth > NEVER}

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return the worth of a last turn as columns of a table, by deficit in points."""
        deficit = np.arange(len(self.closing.last_turn)) * self.closing.race.unit
        bounds = {"lower": self.closing.last_lower, "upper": self.closing.last_upper}
        return {"deficit": deficit, "worth": self.closing.last_turn} | bounds

    def _check(self, mover: Seat, other: Seat, second: bool) -> None:
        rules = self.closing.rules
        if not is_closing(rules, mover.score, other.score, second=second):
            raise InputError(f"opponent: {other.score}; only last turns of {rules.name} are solved here")


@dataclass(frozen=True, eq=False)
class FieldPositions:
    """The turn starts of a field.

    Attributes
    ----------
    field
        The match.
    us, them
        Bounds for the player to move, by own state and opponent's.
    wait
        The extended table of waiting after a turn; None: it follows from the bounds, as one turn is like another.
    """

    field: Field
    us: Floats
    them: Floats
    wait: Floats | None = None

    @cached_property
    def middle(self) -> Floats:
        """The middle of the bounds."""
        return (self.us + self.them) / 2

    @cached_property
    def waiting(self) -> Floats:
        """The extended table of waiting that belongs to the middle of the bounds."""
        if self.wait is not None:
            return self.wait
        last = last_turns(self.field, 0.5, NEAREST) if self.field.has_last_turn else None
        return self.field.extend(1.0 - self.middle.T, NEAREST, last, 0.0 if last is None else float(last[-1]))

    def _place(self, mover: Seat, other: Seat, second: bool) -> tuple[int, int]:
        if second and self.field.phases == 1:
            raise InputError(f"second: {self.field.rules.name} has no equal turns, so it does not matter who began")
        numbers = tuple(self.field.state_of(seat.score, seat.opened, seat.busts) for seat in (mover, other))
        return numbers[0], numbers[1]

    def value(self, mover: Seat, other: Seat, *, second: bool = False) -> tuple[float, float, float]:
        """Return the mover's win probability with its lower and upper bound."""
        place = self._place(mover, other, second)
        return float(self.middle[place]), float(self.us[place]), float(self.them[place])

    def _situation(self, mover: Seat, other: Seat, second: bool, reach: int = 0) -> Situation:
        own, opponent = self._place(mover, other, second)
        contexts = self.field.contexts(own, self.waiting, NEAREST, columns=slice(opponent, opponent + 1))
        rows = contexts.bank_rows[0]
        bank = np.where(rows >= 0, contexts.table[rows, 0], NEVER)
        bust, bust_on_six = float(contexts.bust[0, 0]), float(contexts.bust_on_six[0, 0])
        limit, top = self.field.limit(own), float(contexts.top[0, 0])
        rolled_on = self.field.rolled_on(NEAREST)
        if rolled_on is not None:
            limit, top = self._last_bank(bank, rolled_on.worths(bust, bust_on_six), limit, top)
        limit = max(limit, min(reach + self.field.margin, self.field.most))
        return Situation(bank, bust, bust_on_six, top, limit, self.field.survival(NEAREST), rolled_on)

    def _last_bank(self, bank: Floats, never: Floats, limit: int, top: float) -> tuple[int, float]:
        """Return the turn score beyond which no bank is better than rolling on until the bust, and what is lost by
        banking there; the limit and its top if there may be such banks beyond it.
        """
        least = float(never.min())
        if top > least:
            return limit, top
        worth_it = np.flatnonzero(bank > least)
        last = int(self.field.program.bank_scores[worth_it[-1]]) if len(worth_it) else 0
        return min(limit, last), top

    def turn(self, mover: Seat, other: Seat, *, second: bool = False, asked: tuple[int, int] = (0, 0)) -> TurnWorths:
        """Return the worth of every after-state of the mover's turn."""
        return evaluate(self.field.program, self._situation(mover, other, second, asked[1]), asked[0])

    def bank_worths(self, mover: Seat, other: Seat, *, second: bool = False) -> dict[int, float]:
        """Return the worth of banking each turn score that may be banked."""
        worth = self._situation(mover, other, second).bank
        return {int(t): float(w) for t, w in zip(self.field.program.bank_scores, worth, strict=True) if w > NEVER}

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return all turn starts with two single scores as columns of a table."""
        states = self.field.states
        single = np.array([number for number, state in enumerate(states) if state.low == state.high])
        own, other = (grid.ravel() for grid in np.meshgrid(single, single, indexing="ij"))
        found: dict[str, NDArray[Any]] = {"score": _scores(states, own), "opponent": _scores(states, other)}
        if self.field.remembers:
            found |= {"opened": np.array([states[i].opened for i in own])}
            found |= {"opponent_opened": np.array([states[i].opened for i in other])}
        if self.field.rules.bust.in_a_row is not None:
            found |= {"busts": np.array([states[i].busts for i in own])}
            found |= {"opponent_busts": np.array([states[i].busts for i in other])}
        return found | {
            "win_probability": self.middle[own, other],
            "lower": self.us[own, other],
            "upper": self.them[own, other],
        }


@dataclass(frozen=True, eq=False)
class RoundsPositions:
    """The turn starts of a match of equal turns in which scores can fall.

    Attributes
    ----------
    phases
        Those of turns that begin a round, and of turns that close one.
    """

    phases: tuple[FieldPositions, FieldPositions]

    @classmethod
    def of(cls, fields: tuple[Field, Field], us: Floats, them: Floats, levels: TieLevels, ties: Floats) -> Self:
        """Return the positions of a solved and certified match.

        Parameters
        ----------
        fields
            Turns that begin a round, and turns that close one.
        us, them
            Shape (2, states, states): bounds, by phase.
        levels, ties
            The scores at which both can be level that are told apart, and what each tie is worth to the player who
            closes the round.
        """
        first, second = fields
        middle = (us + them) / 2
        begun = first.extend(1.0 - middle[1].T, NEAREST, *first.last_turns_with(levels, ties, NEAREST))
        closed = second.extend(1.0 - middle[0].T, NEAREST)
        return cls((FieldPositions(first, us[0], them[0], begun), FieldPositions(second, us[1], them[1], closed)))

    def value(self, mover: Seat, other: Seat, *, second: bool = False) -> tuple[float, float, float]:
        """Return the mover's win probability with its lower and upper bound."""
        return self.phases[second].value(mover, other, second=second)

    def turn(self, mover: Seat, other: Seat, *, second: bool = False, asked: tuple[int, int] = (0, 0)) -> TurnWorths:
        """Return the worth of every after-state of the mover's turn."""
        return self.phases[second].turn(mover, other, second=second, asked=asked)

    def bank_worths(self, mover: Seat, other: Seat, *, second: bool = False) -> dict[int, float]:
        """Return the worth of banking each turn score that may be banked."""
        return self.phases[second].bank_worths(mover, other, second=second)

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return all turn starts with two single scores as columns of a table."""
        first, second = (positions.columns() for positions in self.phases)
        whole = {name: np.concatenate([first[name], second[name]]) for name in first}
        size = len(first["score"])
        which = {"second": np.repeat([False, True], size)}
        return {"score": whole.pop("score"), "opponent": whole.pop("opponent")} | which | whole


def _scores(states: tuple[OwnState, ...], numbers: Ints) -> Ints:
    return np.array([int(states[number].low) for number in numbers], np.int32)
