"""The search for the card of a game with High Stakes: a small family of policies, by what their turns give away.

* What rolling on counts, as on other cards; from which turn score on an offer is taken over, by dice; and, the same
  for all dice, which part of what a bank is above that it leaves to the other.
* By both scores in bands: how much more rolling on counts, and from where on an offer with one die is taken over.
* With which lead, before the turn, a bank may reach the target, by dice left, or from how far behind on.
* In a last turn: which offers are taken over, by how far behind the player is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from dice10k_math.cards.search import Findings, policy_of
from dice10k_math.cards.stakes_losses import Meetings, StakesLosses
from dice10k_math.policy import NEVER, KeepWorths, RollCounts
from dice10k_math.policy.thresholds import ByDice
from dice10k_math.program import Floats
from dice10k_math.questions.positions import Seat

COUNTS = RollCounts((205, 80, 150, 240, 320, 600), (15, 39, 52, 42, 53, 45))
"""Where the search for what rolling counts begins."""
TAKE = ((6, 300), (5, 350), (4, 400), (3, 550), (2, 750), (1, 1900))
LEAVE = 55
LAST = KeepWorths((0, -100, -30, 100, 280, 500))
FAR = ((2, 1000),)
"""With two dice left a player who is far behind cannot hope for more than to reach the target."""
LEADS = tuple(range(0, 1001, 50))
AHEAD = (-99_950, *range(-1000, 3001, 100))
"""Leads that are tried: after a bank that reaches the target, and before the turn."""
WITHIN = 500
"""How far beyond the target banks are looked at."""
FADING = 600
"""Points that make a turn score less likely by a factor e, about."""
STEPS, LAST_STEPS = (40, 20, 10), (10,)
EDGES = (0, 0.2, 0.4, 0.6, 0.75, 0.85, 0.9, 0.95, 0.98)
"""Parts of the target at which a band of scores begins."""
BOLD = (0, -100, -50, 50, 100, 200)
ONE_DIE = (2000, 600, 800, 1000, 1200, 1400, 1600, 1800, 2500, 3000, NEVER)
"""What is tried; where nothing comes up, the first."""
BEHIND = (0, 200, 400, 600, 800, 1000, 1300, 1700, 2300)
FEW, SOME, MORE, MANY = 400, 1500, 3000, 10_000
"""Meetings that are looked at: where every one of them takes long, at first, at last, and for many numbers at once."""
CLOSE, NEAR = 0.85, 0.9
"""Parts of the target from which on it may be reached, and easily."""
LEAST = 1e-7
"""Win probability that a change must save."""


def find_stakes_card(losses: StakesLosses) -> Findings:
    """Search the family for what loses least in a solved match."""
    found = Findings(COUNTS, take=TAKE, leave=LEAVE, last=LAST)
    met = _Phases.of(losses, found)
    found = _climbed(losses, found, [losses.some(met.early, SOME)], _usual_neighbours, STEPS)
    found = replace(found, opening=found.counts, opening_take=found.take)
    found = _climbed(losses, found, [losses.some(met.first, SOME)], _opening_neighbours, STEPS)
    if losses.race.has_last_turn:
        lead, reach = _reach(losses, losses.some(met.near, FEW))
        found = replace(found, reach=reach, lead=lead, far=FAR, last_take=_last_takes(losses, met.last))
        met = _Phases.of(losses, found)
    found = _with_cells(losses, found, [losses.some(part, MANY) for part in (met.early, met.late)])
    # Now that all is there, every number may change a little.
    found = _climbed(losses, found, [losses.some(met.first, MORE)], _opening_neighbours, LAST_STEPS)
    parts = [losses.some(part, MORE) for part in (met.early, met.late)]
    return _climbed(losses, found, parts, _all_neighbours, LAST_STEPS)


@dataclass(frozen=True, slots=True)
class _Phases:
    """Meetings of a policy: without points yet, far from the target, close to it, at most one turn away; last turns."""

    first: NDArray[np.int64]
    early: NDArray[np.int64]
    late: NDArray[np.int64]
    near: NDArray[np.int64]
    last: NDArray[np.int64]

    @classmethod
    def of(cls, losses: StakesLosses, found: Findings) -> _Phases:
        """Draw them."""
        met, size = losses.draw(policy_of(losses.rules, found)), losses.race.scores
        high, last, opened = met[:, :2].max(axis=1), met[:, 2] == 1, met[:, 0] > 0
        close = high >= CLOSE * size
        parts = (~last & ~opened, ~last & opened & ~close, ~last & opened & close, ~last & (high >= NEAR * size), last)
        return cls(*(met[which] for which in parts))


Neighbours = Callable[[Findings, int], Iterator[Findings]]


def _climbed(
    losses: StakesLosses, start: Findings, parts: list[Meetings], neighbours: Neighbours, steps: tuple[int, ...]
) -> Findings:
    """Change one number after another as long as that gains."""

    def lost(found: Findings) -> float:
        policy = policy_of(losses.rules, found)
        return sum(float(losses.given_away(policy, met).sum()) * met.weight for met in parts)

    best, least = start, lost(start)
    for step in steps:
        moved = True
        while moved:
            moved, number = False, 0
            while candidate := next(islice(neighbours(best, step), number, None), None):
                if (there := lost(candidate)) < least - LEAST:
                    best, least, moved = candidate, there, True
                else:
                    number += 1
    return best


def _usual_neighbours(found: Findings, step: int) -> Iterator[Findings]:
    for counts in _counts_near(found.counts, step):
        yield replace(found, counts=counts)
    for more in (step // 5, -(step // 5)):
        yield replace(found, leave=found.leave + more)
    for take in _amounts_near(found.take, 50):
        yield replace(found, take=take)


def _opening_neighbours(found: Findings, step: int) -> Iterator[Findings]:
    assert found.opening is not None  # noqa: S101 - begun with
    assert found.opening_take is not None  # noqa: S101 - begun with
    for counts in _counts_near(found.opening, step):
        yield replace(found, opening=counts)
    for take in _amounts_near(found.opening_take, 50):
        yield replace(found, opening_take=take)


def _all_neighbours(found: Findings, step: int) -> Iterator[Findings]:
    """Return those that differ in one number, those of cells and of last turns apart."""
    yield from _usual_neighbours(found, step)
    for more in (50, -50):
        if found.reach and found.lead + more >= 0:
            yield replace(found, lead=found.lead + more)
    for reach in _amounts_near(found.reach, 100, lowest=AHEAD[1]):
        yield replace(found, reach=reach)
    for far in _amounts_near(found.far, 200):
        yield replace(found, far=far)


def _amounts_near(amounts: ByDice, step: int, lowest: int = 0) -> Iterator[ByDice]:
    """Return amounts of which one differs; one that says any amount will do stays."""
    for place, (dice, least) in enumerate(amounts):
        for more in (step, -step):
            if least + more >= lowest:
                yield (*amounts[:place], (dice, least + more), *amounts[place + 1 :])


def _counts_near(counts: RollCounts, step: int) -> Iterator[RollCounts]:
    part = step // 5
    for place in range(len(counts.points)):
        for more, steeper in ((step, 0), (-step, 0), (0, part), (0, -part), (step, -part), (-step, part)):
            points, percent = list(counts.points), list(counts.percent)
            points[place] += more
            percent[place] += steeper
            if 0 <= percent[place] <= 100:
                yield RollCounts(tuple(points), tuple(percent), counts.unbankable)


def _reach(losses: StakesLosses, met: Meetings) -> tuple[int, ByDice]:
    """Return with which lead to bank what reaches the target, and by dice left with which lead before the turn.

    They are fitted to what banking and rolling on are worth in the best play, one after the other.
    """
    unit, positions = losses.race.unit, losses.positions
    ahead, lead, dice, gain = [], [], [], []
    # Points far away are seldom reached in one turn.
    starts = np.unique(np.stack([met.own, met.other], axis=1)[~met.last], axis=0)
    for own, other in starts.tolist():
        turn = positions.turn(Seat(own * unit), Seat(other * unit))
        program, goal = turn.program, (losses.race.scores - own) * unit
        banks = np.flatnonzero((program.bank_scores >= goal) & (program.bank_scores < goal + WITHIN))
        states = losses.states[banks]
        ahead.append(np.full(len(banks), (own - other) * unit))
        lead.append((own - other) * unit + program.bank_scores[banks])
        dice.append(losses.dice[banks])
        weight = np.exp(-program.bank_scores[banks] / FADING)
        gain.append(weight * (turn.bank[banks] - turn.roll[states]))
    if not ahead:
        return 0, ()
    before, after, left, gained = map(np.concatenate, (ahead, lead, dice, gain))
    least = max(LEADS, key=lambda amount: float(gained[(left == 1) & (after >= amount)].sum()))
    reached = after >= least
    found = []
    for number in range(losses.rules.turn.dice, 0, -1):
        which = reached & (left == number)
        best = max((*AHEAD, None), key=lambda amount: _gained(before[which], gained[which], amount))
        if best is not None:
            found.append((number, best))
    return least, tuple(found)


def _gained(before: NDArray[np.int64], gained: Floats, amount: int | None) -> float:
    return 0.0 if amount is None else float(gained[before >= amount].sum())


def _last_takes(losses: StakesLosses, met: NDArray[np.int64]) -> tuple[tuple[int, ByDice], ...]:
    """Return what to take over in a last turn, by how far behind."""
    unit, program = losses.race.unit, losses.program
    behind = (met[:, 1] - met[:, 0]) * unit
    found = []
    for low, high in zip(BEHIND, (*BEHIND[1:], NEVER), strict=True):
        here = met[(behind >= low) & (behind < high) & (met[:, 3] >= 0)][:FEW]
        worth = np.array([losses.taken_last(own, other, offer) for own, other, _, offer in here.tolist()])
        last = losses.positions.last_turn
        fresh = last[np.minimum(here[:, 1] - here[:, 0], len(last) - 1)]
        gain, points = worth - fresh, program.bank_scores[here[:, 3]]
        take = []
        for dice, usual in TAKE:
            which = losses.dice[here[:, 3]] == dice
            take.append((dice, _least_taken(points[which], gain[which]) if which.any() else usual))
        found.append((low, tuple(each for each in take if each[1] < NEVER)))
    return tuple(found)


def _least_taken(points: NDArray[np.int32], gain: Floats) -> int:
    """Return from which turn score on taking over gains most."""
    tried = [*np.unique(points).tolist(), NEVER]
    return max(tried, key=lambda least: float(gain[points >= least].sum()))


def _with_cells(losses: StakesLosses, found: Findings, parts: list[Meetings]) -> Findings:
    """Add how much more rolling counts, and when to take over with one die, by both scores in bands."""
    edges = tuple(round(part * losses.race.scores) for part in EDGES)
    bands = len(edges)
    found = replace(
        found,
        edges=tuple(edge * losses.race.unit for edge in edges),
        bold=(((0,) * bands,) * bands,),
        one_die=((ONE_DIE[0],) * bands,) * bands,
    )

    def best(tried: Callable[[int], Findings], numbers: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
        lost = [np.sum([_by_cell(losses, tried(number), met, edges) for met in parts], axis=0) for number in numbers]
        return tuple(tuple(numbers[place] for place in row) for row in np.argmin(lost, axis=0).tolist())

    one_die = best(lambda amount: replace(found, one_die=((amount,) * bands,) * bands), ONE_DIE)
    found = replace(found, one_die=one_die)
    return replace(found, bold=(best(lambda more: replace(found, bold=(((more,) * bands,) * bands,)), BOLD),))


def _by_cell(losses: StakesLosses, found: Findings, met: Meetings, edges: tuple[int, ...]) -> Floats:
    """Return what is given away in each band of scores."""
    own, other = (np.searchsorted(edges, each, side="right") - 1 for each in (met.own, met.other))
    lost = np.zeros((len(edges), len(edges)))
    np.add.at(lost, (own, other), losses.given_away(policy_of(losses.rules, found), met) * met.weight)
    return lost
