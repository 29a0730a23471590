"""How long a match of two lasts when both play to win: the turn starts of a race followed forward.

Backward induction gives, for every turn start, how likely each bank and a bust are under the best play.
Followed forward from the start of the match, turn by turn, these give how likely it is that the match is over after
so many turns, and who has won it. That the first player's share is the win probability again is a check on all of it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dice10k_math.backup import Contexts, back_up_forward
from dice10k_math.errors import InputError
from dice10k_math.last_turn import NEAREST
from dice10k_math.program import Floats
from dice10k_math.questions.match import MatchSolution
from dice10k_math.questions.positions import RacePositions
from dice10k_math.race import Race
from dice10k_math.workers import Progress

NEGLIGIBLE = 1e-12
"""Probability that the match goes on at which following it stops."""
MOST_TURNS = 5_000


@dataclass(frozen=True, slots=True)
class MatchLength:
    """How many turns a match lasts, both players together; extra rounds after a tie are not counted.

    Attributes
    ----------
    chances
        Probability by number of turns, from 0 on.
    first_wins
        Probability that the first player wins, a tie counting as its worth.
    rest
        Probability that was not followed.
    """

    chances: tuple[float, ...]
    first_wins: float
    rest: float

    @property
    def mean(self) -> float:
        """Expected number of turns."""
        return float(np.arange(len(self.chances)) @ np.array(self.chances))

    def within(self, turns: int) -> float:
        """Return the probability that the match is over after so many turns.

        Examples
        --------
        >>> MatchLength((0.0, 0.25, 0.75), 0.5, 0.0).within(1)
        0.25
        """
        return float(sum(self.chances[: turns + 1]))


@dataclass(frozen=True, slots=True)
class _Turns:
    """How turns end in one phase.

    Attributes
    ----------
    banks
        Every bank in units, with its probability by own score and opponent's.
    bust
        Probability of a bust.
    instant
        Probability of six spicy dice, which win at once.
    """

    banks: tuple[tuple[int, Floats], ...]
    bust: Floats
    instant: Floats


def match_length(match: MatchSolution, progress: Progress | None = None) -> MatchLength:
    """Return how many turns a match lasts from its start when both play to win.

    Parameters
    ----------
    match
        A solved match in which no score can fall.
    progress
        Told how far the work is.

    Raises
    ------
    InputError
        A match in which scores can fall, or a turn can start from the banked turn of the other.

    Examples
    --------
    >>> from dice10k_math.questions.match import solve_match
    >>> from dice10k_math.rules import load_rules, with_target
    >>> match = solve_match(with_target(load_rules("farkle"), 500))
    >>> length = match_length(match)
    >>> round(length.mean, 4), abs(length.first_wins - match.win_probability().value) < 1e-9
    (3.2032, True)
    """
    positions = match.positions
    if match.rules.variants.high_stakes:
        raise InputError(
            f"{match.rules.name}: High Stakes; allowed: games in which every turn starts from nothing, or the course "
            'of policies, as of "optimum win" against itself (evaluate --course)'
        )
    if not isinstance(positions, RacePositions):
        raise InputError(f"{match.rules.name}: scores can fall; allowed: games in which they cannot")
    turns = [_turns(positions, phase, progress) for phase in range(positions.race.phases)]
    return _follow(positions, turns)


def _waiting(positions: RacePositions) -> Floats:
    """Return the table of waiting, as `Race.turn` reads it."""
    race = positions.race
    table = np.zeros((race.phases, race.rows, race.scores))
    own, other = np.indices((race.scores, race.scores))
    for phase in range(race.phases):
        table[phase, own + other, other] = 1.0 - positions.move[race.other(phase)].T
    flat = table.reshape(-1, race.scores)
    race.fill_past_target(flat, positions.last_turn, float(positions.last_turn[-1]))
    return flat


def _turns(positions: RacePositions, phase: int, progress: Progress | None) -> _Turns:
    race, table = positions.race, _waiting(positions)
    scores = len(race.program.bank_scores)
    banked = np.zeros((scores, race.scores, race.scores), np.float64)
    bust, instant = np.zeros((2, race.scores, race.scores))
    totals = range(2 * race.scores - 1)
    for done, total in enumerate(totals):
        for columns, group, limit in _parts(race, positions, phase, total):
            own = total - columns
            lost = 1.0 - positions.move[race.other(phase)][columns, own]
            ends = _endings(race, phase, total, table[:, columns], lost, group, limit)
            banked[:, own, columns], bust[own, columns], instant[own, columns] = ends
        if progress is not None and done % 8 == 0:
            progress("following", (phase + done / len(totals)) / race.phases)
    units = (race.program.bank_scores // race.unit).tolist()
    made = tuple((unit, chance) for unit, chance in zip(units, banked, strict=True) if chance.any())
    return _Turns(made, bust, instant)


Part = tuple[NDArray[np.intp], int, int]


def _parts(race: Race, positions: RacePositions, phase: int, total: int) -> list[Part]:
    """Return the turn starts of one sum in parts: columns, group (1: not banked yet), and limit."""
    first, end = race.columns(total)
    bust = np.full(race.scores, np.nan)
    columns = np.arange(first, end)
    bust[first:end] = 1.0 - positions.move[race.other(phase)][columns, total - columns]
    limits = race.limits(phase, total, bust, positions.last_turn)
    blocks = race.blocks(total, limits).tolist()
    return [(np.arange(start, start + width), group, limit) for group, start, width, limit in blocks]


def _endings(
    race: Race, phase: int, total: int, table: Floats, bust: Floats, group: int, limit: int
) -> tuple[Floats, Floats, Floats]:
    lost = bust[None, :]
    contexts = Contexts(
        np.ascontiguousarray(table),
        race.bank_rows(phase, total)[group : group + 1],
        lost,
        lost,
        np.ones_like(lost),
    )
    found = back_up_forward(race.program, contexts, race.survival(NEAREST), limit=limit)
    banked, busts = found.banked, found.bust + found.bust_on_six
    won, fallen = found.beyond(np.ones_like(bust), bust)
    if any(hand.instant_win for hand in race.model.hands):
        return banked, busts + fallen, won
    # Whoever is past the limit and banks at last has won, by whatever turn score.
    banked[np.flatnonzero(contexts.bank_rows[0] >= 0)[-1]] += won
    return banked, busts + fallen, np.zeros_like(won)


def _follow(positions: RacePositions, turns: list[_Turns]) -> MatchLength:
    """Follow the turn starts forward; a player's turn is every other turn."""
    race = positions.race
    chances = [0.0]
    wins = np.zeros(2)
    here = np.zeros((race.scores, race.scores))
    here[0, 0] = 1.0
    last_turns = 0.0
    for turn in range(MOST_TURNS):
        mover, phase = turn % 2, turn % race.phases
        following = (here * turns[phase].bust).T.copy()
        ended, ended_later = float((here * turns[phase].instant).sum()), 0.0
        wins[mover] += ended
        for units, chance in turns[phase].banks:
            moved = here * chance
            below = max(race.scores - units, 0)
            following[:, units:] += moved[:below].T
            at_once, later, won = _reached(positions, phase, units, moved[below:])
            ended, ended_later = ended + at_once, ended_later + later
            wins[mover] += won
            wins[1 - mover] += at_once + later - won
        chances.append(ended + last_turns)
        last_turns = ended_later
        here = following
        if here.sum() < NEGLIGIBLE:
            break
    chances.append(last_turns)
    return MatchLength(tuple(chances), float(wins[0]), 1.0 - sum(chances))


def _reached(positions: RacePositions, phase: int, units: int, mass: Floats) -> tuple[float, float, float]:
    """Return how likely the match ends now, or after the other's last turn, and how likely the banker wins it."""
    race = positions.race
    total = float(mass.sum())
    if not race.has_last_turn or phase == 1:
        return total, 0.0, total
    own = race.scores - mass.shape[0] + units + np.arange(mass.shape[0])
    lead = np.maximum(own[:, None] - np.arange(race.scores)[None, :], 0)
    lost = positions.last_turn[np.minimum(lead, len(positions.last_turn) - 1)]
    return 0.0, total, float((mass * (1.0 - lost)).sum())
