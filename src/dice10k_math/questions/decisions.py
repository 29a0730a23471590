"""When to bank, from every turn start of a solved match: for whole rows of turn starts at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from dice10k_math.backup import Contexts, bank_decisions, blocks_of
from dice10k_math.field import Field
from dice10k_math.last_turn import NEAREST
from dice10k_math.program import BLOCK, NEVER, Floats, Ints, Program
from dice10k_math.questions.positions import FieldPositions, Positions, RacePositions, RoundsPositions, Seat

TOLERANCE = 1e-9
"""Banking is chosen where rolling on wins with a probability that is greater by at most this."""


@dataclass(frozen=True, slots=True, eq=False)
class Decisions:
    """From which after-states to bank, for one mover against several opponents.

    Attributes
    ----------
    mover
        Who is to move.
    second
        Under equal turns: whether it is the second turn of the round.
    opponents
        The opponents, alike but for their scores, which rise.
    program
        The after-states.
    bank
        Shape (after-states, opponents): True where banking is chosen.
    allowed
        Shape (after-states,): where banking is allowed.
    """

    mover: Seat
    second: bool
    opponents: tuple[Seat, ...]
    program: Program
    bank: NDArray[np.bool_]
    allowed: NDArray[np.bool_]


def decisions(positions: Positions, scores: tuple[int, int]) -> Iterator[Decisions]:
    """Yield when to bank from every turn start of a solved match with both scores within limits.

    Parameters
    ----------
    positions
        The solved match.
    scores
        The least and the greatest score.

    Examples
    --------
    >>> from dice10k_math.questions.match import solve_match
    >>> from dice10k_math.rules import load_rules, with_target
    >>> match = solve_match(with_target(load_rules("farkle"), 500))
    >>> found = list(decisions(match.positions, (0, 450)))
    >>> len(found), len(found[0].opponents)
    (10, 10)
    """
    if isinstance(positions, RacePositions):
        return _of_race(positions, scores)
    if isinstance(positions, RoundsPositions):
        return chain.from_iterable(_of_field(phase, scores) for phase in positions.phases)
    assert isinstance(positions, FieldPositions)  # noqa: S101 - there are no others
    return _of_field(positions, scores)


def _of_race(positions: RacePositions, scores: tuple[int, int]) -> Iterator[Decisions]:
    race = positions.race
    low, high = scores
    inside = np.arange(race.scores)
    inside = inside[(inside * race.unit >= low) & (inside * race.unit <= high)]
    opponents = tuple(Seat(int(score) * race.unit) for score in inside)
    program = race.program
    for phase in range(race.phases):
        for own in inside.tolist():
            worths = positions.after_banks(phase, own, inside)
            rows = np.where(worths[:, 0] > NEVER, np.arange(len(worths)), -1)
            bust = 1.0 - positions.move[race.other(phase), inside, own]
            limits = positions.limits(phase, own, inside)
            top = race.saved(positions.after_bank(phase, own + limits // race.unit, inside))
            contexts = _contexts(worths, rows, bust, bust, top)
            bank = bank_decisions(
                program, contexts, race.survival(NEAREST), blocks=_blocks(limits), tolerance=TOLERANCE
            )
            yield Decisions(Seat(own * race.unit), phase == 1, opponents, program, bank, _bankable(program, rows))


def _of_field(positions: FieldPositions, scores: tuple[int, int]) -> Iterator[Decisions]:
    field = positions.field
    groups = _groups(field, scores)
    program = field.program
    for movers in groups:
        for own in movers:
            for others in groups:
                contexts = field.contexts(own, positions.waiting, NEAREST, slice(others[0], others[-1] + 1))
                blocks = blocks_of(1, len(others), field.limit(own))
                # Where the target can be passed, a turn score beyond the limit only leads farther away.
                bank = bank_decisions(
                    program,
                    contexts,
                    field.survival(NEAREST),
                    blocks=blocks,
                    tolerance=TOLERANCE,
                    rolled_on=field.rolled_on(NEAREST),
                    beyond=not field.exact,
                )
                opponents = tuple(_seat(field, other) for other in others)
                yield Decisions(
                    _seat(field, own),
                    field.phase == 1,
                    opponents,
                    program,
                    bank,
                    _bankable(program, contexts.bank_rows[0]),
                )


def _seat(field: Field, number: int) -> Seat:
    state = field.states[number]
    return Seat(int(state.low), state.opened if field.remembers else None, state.busts)


def _groups(field: Field, scores: tuple[int, int]) -> list[list[int]]:
    """Return the own states with single scores within limits, alike but for their scores; each group has no gap."""
    found: dict[tuple[bool, int], list[int]] = {}
    low, high = scores
    for number, state in enumerate(field.states):
        if state.low == state.high and low <= state.low <= high:
            found.setdefault((state.opened, state.busts), []).append(number)
    return list(found.values())


def _contexts(worths: Floats, rows: Ints, bust: Floats, on_six: Floats, top: Floats) -> Contexts:
    return Contexts(worths, rows.astype(np.int32)[None, :], bust[None, :], on_six[None, :], top[None, :])


def _blocks(limits: Ints) -> NDArray[np.int64]:
    """Return blocks of columns, each with the greatest limit of its columns."""
    starts = range(0, len(limits), BLOCK)
    return np.array(
        [(0, start, min(BLOCK, len(limits) - start), limits[start : start + BLOCK].max()) for start in starts],
        np.int64,
    )


def _bankable(program: Program, rows: Ints) -> NDArray[np.bool_]:
    """Tell from which after-states banking is allowed, when it is for the turn scores whose row is not -1."""
    place = np.minimum(np.searchsorted(program.bank_scores, program.turn_score), len(program.bank_scores) - 1)
    found = (program.bank_scores[place] == program.turn_score) & (rows[place] >= 0)
    return found & ((program.hand != len(program.bust) - 1) if program.forced else True)
