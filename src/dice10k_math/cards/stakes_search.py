"""The search for the card of a game with High Stakes: a small family of policies, by what their turns give away.

* What rolling on counts, as on other cards; from which turn score on an offer is taken over, by dice; and, the same
  for all dice, which part of what a bank is above that it leaves to the other.
* By both scores in bands: how much more rolling on counts, and from where on an offer with one die is taken over.
* With which lead, before the turn, a bank may reach the target, by dice left.
* In a last turn: which offers are taken over, by how far behind the player is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

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
LEADS = tuple(range(0, 1001, 50))
AHEAD = (-99_950, *range(-1000, 3001, 100))
"""Leads that are tried: after a bank that reaches the target, and before the turn."""
WITHIN = 500
"""How far beyond the target banks are looked at."""
FADING = 600
"""Points that make a turn score less likely by a factor e, about."""
STEPS = (40, 20, 10)
EDGES = (0, 0.2, 0.4, 0.6, 0.75, 0.85, 0.9, 0.95, 0.98)
"""Parts of the target at which a band of scores begins."""
BOLD = (0, -100, -50, 50, 100, 200)
ONE_DIE = (2000, 600, 900, 1200, 1500, 3000, NEVER)
"""What is tried; where nothing comes up, the first."""
BEHIND = (0, 200, 400, 600, 800, 1000, 1300, 1700, 2300)
FEW, MANY = 400, 1500
"""Meetings that a search looks at where every one of them takes long, and where not."""
CLOSE = 0.85
"""Part of the target from which on it may be reached."""


def find_stakes_card(losses: StakesLosses) -> Findings:
    """Search the family for what loses least in a solved match."""
    found = Findings(COUNTS, take=TAKE, leave=LEAVE, last=LAST)
    met = losses.draw(policy_of(losses.rules, found))
    size = losses.race.scores
    high, last = met[:, :2].max(axis=1), met[:, 2] == 1
    early = losses.some(met[~last & (high < CLOSE * size) & (met[:, 0] > 0)], MANY)
    found = _climbed(losses, found, early, _usual_neighbours)
    first = losses.some(met[~last & (high < CLOSE * size) & (met[:, 0] == 0)], FEW)
    opened = replace(found, opening=found.counts)
    found = _climbed(losses, opened, first, _opening_neighbours)
    if losses.race.has_last_turn:
        lead, reach = _reach(losses, losses.some(met[~last & (high >= 0.9 * size)], FEW))
        found = replace(found, reach=reach, lead=lead, last_take=_last_takes(losses, met[last]))
    late = losses.some(met[~last & (met[:, 0] > 0) & (high >= CLOSE * size)], MANY)
    return _with_cells(losses, found, early, late)


Neighbours = Callable[[Findings, int], Iterator[Findings]]


def _climbed(losses: StakesLosses, start: Findings, met: Meetings, neighbours: Neighbours) -> Findings:
    """Change the numbers as long as that gains."""

    def lost(found: Findings) -> float:
        return float(losses.given_away(policy_of(losses.rules, found), met).sum())

    best, least = start, lost(start)
    for step in STEPS:
        moved = True
        while moved:
            moved = False
            for candidate in neighbours(best, step):
                if (there := lost(candidate)) < least - 1e-9:
                    best, least, moved = candidate, there, True
    return best


def _usual_neighbours(found: Findings, step: int) -> Iterator[Findings]:
    for counts in _counts_near(found.counts, step):
        yield replace(found, counts=counts)
    for more in (step // 5, -(step // 5)):
        yield replace(found, leave=found.leave + more)
    for place, (dice, least) in enumerate(found.take):
        for more in (50, -50):
            take = (*found.take[:place], (dice, max(0, least + more)), *found.take[place + 1 :])
            yield replace(found, take=take)


def _opening_neighbours(found: Findings, step: int) -> Iterator[Findings]:
    assert found.opening is not None  # noqa: S101 - begun with
    for counts in _counts_near(found.opening, step):
        yield replace(found, opening=counts)


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


def _with_cells(losses: StakesLosses, found: Findings, early: Meetings, late: Meetings) -> Findings:
    """Add how much more rolling counts, and when to take over with one die, by both scores in bands."""
    edges = tuple(round(part * losses.race.scores) for part in EDGES)

    def cells(tried: Findings) -> Floats:
        # These make a turn of its own of many a pair of scores; far from the target they do not matter.
        parts = (early, replace(tried, lead=0, reach=())), (late, tried)
        return sum((_by_cell(losses, each, met, edges) for met, each in parts), np.zeros((len(edges),) * 2))

    bold = np.argmin([cells(replace(found, counts=found.counts.bolder(more))) for more in BOLD], axis=0)
    least = np.argmin([cells(replace(found, take=found.taken(amount))) for amount in ONE_DIE], axis=0)
    return replace(
        found,
        edges=tuple(edge * losses.race.unit for edge in edges),
        bold=(tuple(tuple(BOLD[number] for number in row) for row in bold),),
        one_die=tuple(tuple(ONE_DIE[number] for number in row) for row in least),
    )


def _by_cell(losses: StakesLosses, found: Findings, met: Meetings, edges: tuple[int, ...]) -> Floats:
    """Return what is given away in each band of scores."""
    own, other = (np.searchsorted(edges, each, side="right") - 1 for each in (met.own, met.other))
    lost = np.zeros((len(edges), len(edges)))
    np.add.at(lost, (own, other), losses.given_away(policy_of(losses.rules, found), met) * met.weight)
    return lost
