"""How a match of two policies with High Stakes goes: followed turn by turn, with the probability of every turn start.

As in `dice10k_math.course`. A turn begins afresh or from an offer that is taken over, so offers are turn starts too:
by own score, the other's, and the bank row. Nobody offers more than he has.

What a turn banks is the whole turn score, what has been taken over included.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dice10k_math.course import MOST_TURNS, NEGLIGIBLE, Course
from dice10k_math.endings import TurnEndings
from dice10k_math.errors import InputError
from dice10k_math.last_turn import NEAREST
from dice10k_math.program import Floats, Ints
from dice10k_math.stakes import StakesRace
from dice10k_math.stakes_movers import StakesPolicyMover

Movers = tuple[StakesPolicyMover, StakesPolicyMover]
FAINT = 1e-17
"""Probability of a turn start below which it is not followed."""
RARE = 1e-15
"""Probability of last turns that are played alike, below which it is left open how they end."""
MOST_BYTES = 3 * 2**30
"""Memory that the last turns may take."""


@dataclass(slots=True)
class _Here:
    """Where a match can be: the turn starts of the player to move, with probabilities.

    Attributes
    ----------
    fresh, offered
        Shape (scores, scores): afresh, and with any offer that is taken over, by own score and the other's.
    offers
        Those with an offer, packed.
    """

    fresh: Floats
    offered: Floats
    offers: Floats

    @classmethod
    def empty(cls, scores: int, offers: int) -> _Here:
        """Return turn starts without probability."""
        return cls(np.zeros((scores, scores)), np.zeros((scores, scores)), np.zeros(offers))

    @property
    def total(self) -> float:
        """Probability of all together."""
        return float(self.fresh.sum() + self.offered.sum())

    @property
    def arrays(self) -> tuple[Floats, Floats, Floats]:
        """What the compiled loops read."""
        return self.fresh, self.offered, self.offers

    def clear(self) -> None:
        """Take all probability away, once every turn start that is likely has been played."""
        faint = (self.offered > 0.0) & (self.fresh + self.offered <= FAINT)
        if faint.any():
            self.offers[:] = 0.0
        self.fresh[:] = self.offered[:] = 0.0


class _Seat:
    """The turns of one player, and what has come of them.

    Attributes
    ----------
    takes
        Shape (turns, bank rows): which offers each turn takes over.
    asked
        How likely each last turn is, after each bank; laid out as the player's last turns are.
    banked, ended
        How likely each bank row is; and a bust, an instant win, a bank that wins, and one that is answered.
    turns
        How many turns there have been.
    """

    def __init__(self, race: StakesRace, mover: StakesPolicyMover) -> None:
        self.race, self.mover, self.numbers = race, mover, mover.numbers
        self.takes = np.array([mover.fixed.takes(key) for key, _ in mover.plays.turns[: self.numbers.max() + 1]])
        last = mover.all_last_turns
        self.asked, self.starts = np.zeros(int(last.starts[-1])), last.starts[:-1] - last.banks[:, 0]
        self.banked, self.ended, self.turns = np.zeros(len(race.bank_units)), np.zeros(4), 0.0
        program = race.program
        self.states = program.hand, mover.fixed.inner, program.bust, program.instant_win

    def finish(self) -> tuple[float, float]:
        """Play the last turns; return how likely they are won and lost."""
        if not len(self.asked):
            return 0.0, 0.0
        from dice10k_math.flows import follow_from

        last, fixed = self.mover.all_last_turns, self.mover.fixed
        entries = np.zeros(len(self.states[0]))
        for by, numbers in last.alike():
            if sum(self._asked(number).sum() for number in numbers) <= RARE:
                continue
            turn = fixed.of(*by)
            for number in numbers:
                first, end = last.banks[number]
                asked = self._asked(number)
                taken = turn.takes[first:end]
                states = self.mover.offered_states[first:end][taken]
                np.add.at(entries, states[states >= 0], asked[taken][states >= 0])
                entries[-1] += asked[~taken].sum()
            follow_from((turn.starts, turn.rows, turn.chances), self.states, entries, self.banked, self.ended)
        total = float(self.asked.sum())
        self.turns += total
        won = float(self.asked @ self.mover.answers(NEAREST).worths)
        return won, total - won

    def _asked(self, number: int) -> Floats:
        starts = self.mover.all_last_turns.starts
        return self.asked[starts[number] : starts[number + 1]]

    def endings(self) -> tuple[float, TurnEndings]:
        """Return how many turns there have been, and how they have ended."""
        often, program = max(self.turns, 1e-300), self.race.program
        banked: dict[int, float] = {}
        for points, chance in zip(program.bank_scores.tolist(), (self.banked / often).tolist(), strict=True):
            if chance:
                banked[points] = banked.get(points, 0.0) + chance
        bust, instant = (self.ended[:2] / often).tolist()
        left = max(1.0 - sum(banked.values()) - bust - instant, 0.0)
        return self.turns, TurnEndings(dict(sorted(banked.items())), bust, 0.0, instant, left)


class _Walk:
    """Follows a match by one turn at a time."""

    def __init__(self, race: StakesRace, movers: Movers) -> None:
        self.race = race
        _check_memory(race, movers)
        self.seats = _Seat(race, movers[0]), _Seat(race, movers[1])
        scores = np.arange(race.scores)
        self.counts = np.minimum(np.searchsorted(race.bank_units, scores, side="right"), len(race.offer_states))
        self.firsts = np.append(0, np.cumsum(self.counts))
        taken = any(seat.takes.any() for seat in self.seats)
        self.size = race.scores * int(self.firsts[-1]) if taken else 0

    def empty(self) -> _Here:
        """Return turn starts without probability."""
        return _Here.empty(self.race.scores, self.size)

    def step(self, player: int, phase: int, here: _Here, after: _Here) -> None:
        """Play one turn: `here` is used up, `after` gets where the other player begins."""
        from dice10k_math.flows import carry_offers

        race, own, other = self.race, self.seats[player], self.seats[1 - player]
        answered = race.has_last_turn and phase == 0
        asked = other.mover.all_last_turns.numbers, other.starts, other.asked
        likely = here.fresh + here.offered
        own.turns += float(likely[likely > FAINT].sum())
        for number, pairs in _alike(own.numbers[phase], likely > FAINT):
            turn = own.mover.fixed.of(*own.mover.plays.turns[number])
            carry_offers(
                (turn.starts, turn.rows, turn.chances),
                own.states,
                pairs,
                here.arrays,
                after.arrays,
                (self.firsts, self.counts, race.offer_states, race.bank_units),
                (other.numbers[race.other(phase)], other.takes),
                (answered, *asked),
                (own.banked, own.ended),
            )
        here.clear()


def _alike(numbers: Ints, likely: NDArray[np.bool_]) -> list[tuple[int, NDArray[np.intp]]]:
    """Return the turns that are likely, each with the turn starts at which it is played."""
    pairs = np.argwhere(likely)
    played = numbers[likely]
    order = np.argsort(played, kind="stable")
    found, firsts = np.unique(played[order], return_index=True)
    return list(zip(found.tolist(), np.split(pairs[order], firsts[1:]), strict=True))


def follow_stakes(
    race: StakesRace,
    movers: Movers,
    player: int,
    place: tuple[int, int, int],
    share: float = NEGLIGIBLE,
) -> Course:
    """Follow a match between two policies with High Stakes; see `dice10k_math.course.follow_match`.

    Raises
    ------
    InputError
        So many different last turns that they do not fit into memory.
    """
    walk = _Walk(race, movers)
    here, after = walk.empty(), walk.empty()
    here.fresh[place[1:]] = 1.0
    length, phase, answered = [0.0], place[0], 0.0
    won = [0.0, 0.0]
    while here.total + answered > share and len(length) <= MOST_TURNS:
        before = walk.seats[player].ended.copy()
        walk.step(player, phase, here, after)
        made = walk.seats[player].ended - before
        length.append(float(made[1] + made[2]) + answered)
        won[player] += float(made[1] + made[2])
        answered, here, after = float(made[3]), after, here
        player, phase = 1 - player, race.other(phase)
    for number, seat in enumerate(walk.seats):
        more, less = seat.finish()
        won[number], won[1 - number] = won[number] + more, won[1 - number] + less
    first, second = (seat.endings() for seat in walk.seats)
    return Course(tuple(length), ((first,), (second,)), (won[0], won[1]), max(1.0 - sum(length), 0.0))


def _check_memory(race: StakesRace, movers: Movers) -> None:
    needed = 16 * sum(int(mover.all_last_turns.starts[-1]) for mover in movers)
    if needed > MOST_BYTES:
        raise InputError(
            f"course: last turns of these policies: {needed / 2**30:.0f} GiB of memory at a target of "
            f"{race.rules.ending.target}; allowed: {MOST_BYTES // 2**30} GiB, so a lower target, or last turns that "
            "look at less"
        )
