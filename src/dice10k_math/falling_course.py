"""How a match of two policies goes in which scores can fall or pass the target: followed turn by turn.

As in `dice10k_math.course`, over pairs of own states: score, whether the first bank has been made, and busts in a row.
Scores are followed from far below 0 to far above the target; what leads beyond, or is too improbable, is left out, and
counts as left.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from dice10k_math.chain import OwnState, after_bust, is_done
from dice10k_math.course import MOST_TURNS, NEGLIGIBLE, Course
from dice10k_math.endings import TurnEndings
from dice10k_math.plays import Plays
from dice10k_math.policy.choices import Standing
from dice10k_math.program import Floats, Ints
from dice10k_math.rules import Ruleset, penalties, score_step
from dice10k_math.spread import ABOVE, BELOW

PAST = 20_000
"""How far past the target, in points, totals are told apart that the other has to beat in a last turn."""
FAINT = 1e-20
"""Probability of a pair of own states below which it is not followed."""


class Places:
    """Where a match can be.

    Attributes
    ----------
    closing, answered
        Whether a turn closes a round of equal turns, and whether one that reaches the target is answered by a last
        turn.
    scores
        The scores that are followed.
    states
        The own states.
    totals
        Totals that the other has to beat in a last turn; none where there is no last turn.
    columns
        For each own state, which of the scores it has: what a policy sees of the other.
    won, first_total, beyond
        Where a turn can lead that is no own state: a win, a total (the first one), and what is not followed.
    """

    def __init__(self, rules: Ruleset, phase: int = 0) -> None:
        self.rules, self.unit = rules, score_step(rules)
        self.closing = phase == 1
        self.answered = rules.ending.kind in {"final_round", "equal_turns"} and not self.closing
        target, turn = rules.ending.target, rules.turn
        # At least as far as fields tell scores apart.
        span = max(target, 4 * max(penalties(rules), default=0))
        low = -(max(BELOW, span) // self.unit * self.unit)
        high = target + max(ABOVE, span) if rules.ending.overshoot == "add_or_subtract" else target
        self.scores = range(low, high + 1, self.unit)
        self.remembers = turn.opening_applies == "until_first_bank" and turn.opening_minimum > turn.bank_minimum
        counted = rules.bust.in_a_row.busts if rules.bust.in_a_row is not None else 1
        self.states = [
            OwnState(score, opened, busts)
            for opened in ((True, False) if self.remembers else (True,))
            for busts in range(counted)
            for score in self.scores
            if opened or score <= 0
        ]
        self._number = {state: number for number, state in enumerate(self.states)}
        self.columns = np.array([(state.score - low) // self.unit for state in self.states], np.int32)
        first = -(-target // self.unit) * self.unit
        self.totals = range(first, first + PAST, self.unit) if self.answered else range(0)
        self.won, self.first_total = len(self.states), len(self.states) + 1
        self.beyond = self.first_total + len(self.totals)

    def state_of(self, score: int) -> int:
        """Return the own state of a player with a score; who has one other than 0 has banked."""
        return self._number[OwnState(score, score != 0 or not self.remembers, 0)]

    def standing(self, state: OwnState, opponent: int, *, last: bool = False) -> Standing:
        """Return what a player knows in an own state."""
        opened = state.opened if self.remembers else state.score != 0
        closing = self.closing or (last and self.rules.ending.kind == "equal_turns")
        return Standing(state.score, opponent, last, closing, opened, state.busts)

    def leads(self, state: OwnState, endings: TurnEndings) -> tuple[Ints, Floats]:
        """Return where a turn leads, with probabilities."""
        found: dict[int, float] = {self.won: endings.instant_win}
        after = [(self._banked(state.score + change), chance) for change, chance in endings.banked.items()]
        for on_six, chance in ((False, endings.bust), (True, endings.bust_on_six)):
            after.append((self._number.get(after_bust(self.rules, state, on_six=on_six), self.beyond), chance))
        for place, chance in after:
            found[place] = found.get(place, 0.0) + chance
        return np.array(list(found), np.int32), np.array(list(found.values()), float)

    def _banked(self, score: int) -> int:
        if not is_done(self.rules, score):
            return self._number.get(OwnState(score, True, 0), self.beyond)
        if not self.answered:
            return self.won
        return min(self.first_total + (score - self.totals[0]) // self.unit, self.beyond)


@dataclass(slots=True)
class _Sparse:
    """The turns of one player that have been met, by where they lead, one after another."""

    starts: list[int] = field(default_factory=lambda: [0])
    ends: list[Ints] = field(default_factory=list)
    chances: list[Floats] = field(default_factory=list)
    joined: tuple[Ints, Ints, Floats] | None = None

    def add(self, ends: Ints, chances: Floats) -> None:
        """Add a turn."""
        self.ends.append(ends)
        self.chances.append(chances)
        self.starts.append(self.starts[-1] + len(ends))
        self.joined = None

    def arrays(self) -> tuple[Ints, Ints, Floats]:
        """Return where those of each start, and where they lead, with probabilities."""
        if self.joined is None:
            self.ends, self.chances = [np.concatenate(self.ends)], [np.concatenate(self.chances)]
            self.joined = np.array(self.starts, np.int32), self.ends[0], self.chances[0]
        return self.joined


class _Seat:
    """The turns of one player; they are looked up when they are first played."""

    def __init__(self, places: Places, plays: Plays) -> None:
        self.places, self.plays = places, plays
        self.numbers = np.full((len(places.states), len(places.scores)), -1, np.int32)
        self.turns = _Sparse()
        self._known: dict[tuple[int, int], int] = {}
        self._turn_of: list[int] = []
        self._last: dict[tuple[int, int], tuple[int, float, float, float]] = {}
        self.played = np.zeros(0)
        self.last_played: dict[int, float] = {}

    def carry(self, mass: Floats) -> Floats:
        """Play one turn at every pair of own states; return where it leads, by the other's state."""
        from dice10k_math.flows import carry

        self._look_up(mass)
        places = self.places
        self.played = np.pad(self.played, (0, len(self._turn_of) - len(self.played)))
        out = np.zeros((mass.shape[1], places.beyond + 1))
        carry(mass, self.numbers, places.columns, self.turns.arrays(), FAINT, self.played, out)
        return out

    def _look_up(self, mass: Floats) -> None:
        places = self.places
        met = np.zeros(self.numbers.shape, bool)
        own, other = np.nonzero(mass > FAINT)
        met[own, places.columns[other]] = True
        for state, column in np.argwhere(met & (self.numbers < 0)).tolist():
            number = self.plays.number(places.standing(places.states[state], places.scores[column]))
            self.numbers[state, column] = self._numbered(state, number)

    def _numbered(self, state: int, number: int) -> int:
        found = self._known.get((state, number))
        if found is None:
            found = self._known[state, number] = len(self._turn_of)
            self._turn_of.append(number)
            self.turns.add(*self.places.leads(self.places.states[state], self.plays.endings[number]))
        return found

    def last(self, mass: Floats) -> tuple[float, float]:
        """Play last turns, by own state and the other's total; return how likely they win and lose."""
        won = lost = 0.0
        for state, place in np.argwhere(mass > FAINT).tolist():
            here = float(mass[state, place])
            number, wins, level, loses = self._last_turn(state, place)
            self.last_played[number] = self.last_played.get(number, 0.0) + here
            won, lost = won + here * (wins + level / 2), lost + here * (loses + level / 2)
        return won, lost

    def _last_turn(self, state: int, place: int) -> tuple[int, float, float, float]:
        """Return a last turn, and how likely it wins, draws level and loses."""
        if (state, place) not in self._last:
            own, total = self.places.states[state], self.places.totals[place]
            number = self.plays.number(self.places.standing(own, total, last=True))
            endings = self.plays.endings[number]
            behind = total - own.score
            more = sum(chance for change, chance in endings.banked.items() if change > behind) + endings.instant_win
            less = sum(chance for change, chance in endings.banked.items() if change < behind) + endings.busts
            self._last[state, place] = number, more, endings.banked.get(behind, 0.0), less
        return self._last[state, place]

    def often(self) -> tuple[tuple[float, TurnEndings], ...]:
        """Return how often turns have been played, and how they end."""
        found = self.last_played.copy()
        for number, often in zip(self._turn_of, self.played.tolist(), strict=False):
            found[number] = found.get(number, 0.0) + often
        return tuple((often, self.plays.endings[number]) for number, often in found.items())


def follow_falling(
    plays: tuple[Plays, Plays],
    player: int,
    scores: tuple[int, int],
    share: float = NEGLIGIBLE,
    *,
    closing: bool = False,
) -> Course:
    """Follow a match between two policies in which scores can fall or pass the target.

    Parameters
    ----------
    plays
        Their turns.
    player
        Who is to move.
    scores
        His score and the other's.
    share
        Probability of a match that is still going on, at which it is not followed any further.
    closing
        Under equal turns: whether his turn closes the round.
    """
    rules = plays[0].rules
    phases = [Places(rules, phase) for phase in range(2 if rules.ending.kind == "equal_turns" else 1)]
    seats = [[_Seat(places, each) for places in phases] for each in plays]
    phase, states, totals = int(closing), len(phases[0].states), len(phases[0].totals)
    live, last = np.zeros((states, states)), np.zeros((states, totals))
    live[phases[0].state_of(scores[0]), phases[0].state_of(scores[1])] = 1.0
    length, won = [0.0], [0.0, 0.0]
    while live.sum() + last.sum() > share and len(length) <= MOST_TURNS:
        places = phases[phase]
        # Last turns are looked up where totals are: with the turns that they answer.
        one, two = seats[player][0].last(last)
        out = seats[player][phase].carry(live)
        one += float(out[:, places.won].sum())
        won[player], won[1 - player] = won[player] + one, won[1 - player] + two
        length.append(one + two)
        live = np.ascontiguousarray(out[:, : places.won])
        last = out[:, places.first_total : places.beyond] if places.answered else np.zeros((states, totals))
        player, phase = 1 - player, (phase + 1) % len(phases)
    first, second = (tuple(turn for seat in each for turn in seat.often()) for each in seats)
    return Course(tuple(length), (first, second), (won[0], won[1]), max(1.0 - sum(won), 0.0))
