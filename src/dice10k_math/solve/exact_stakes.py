"""Proposing bounds for a written-out match with High Stakes: those of its race, with a little to spare for rounding.

The race is solved and bounded in floats, each turn costing a guarantee some `COST`.
What the race guarantees to whoever takes over costs nothing there; here it is moved outward a little, by less than
turns that are started afresh can spare.
The judge accepts what this proposes or not: nothing rests on the race.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from dice10k_math.bounds import StakesGuarantees
from dice10k_math.explicit.claims import HALF, Fractions
from dice10k_math.explicit.stakes import Indices, StakesMatch, Waiting, last_endings, stakes_endings
from dice10k_math.explicit.stakes_claims import StakesClaims, Wholes
from dice10k_math.explicit.turn import Floating, Ratings, rate
from dice10k_math.program import Floats
from dice10k_math.solve.stakes import propose_guarantees, solve_stakes
from dice10k_math.stakes import StakesRace
from dice10k_math.workers import Progress, part_of

SPARE = 4e-13
"""What going on from an offer may cost: roundings, those of further offers included."""


def propose_stakes(match: StakesMatch, race: StakesRace, progress: Progress | None = None) -> StakesClaims:
    """Return bounds and a policy for a judge to check.

    Parameters
    ----------
    match
        The match.
    race
        The race of the same rules.
    progress
        Told how far the work is.
    """
    values = solve_stakes(race, part_of(progress, "solving")).race
    found = propose_guarantees(race, values, part_of(progress, "bounding"))
    claims = _claims(match, found)
    return _with_policy(match, claims)


def _claims(match: StakesMatch, found: StakesGuarantees) -> StakesClaims:
    """Return what the race guarantees as claims, without a policy."""
    race, bounds = found.race, found.bounds
    units = match.scores // match.unit
    own, other = np.meshgrid(units, units, indexing="ij")
    lower = np.stack([bounds.move[phase, own + other, other] for phase in range(match.phases)])
    waiting = np.stack([bounds.wait[race.other(phase), own + other, own] for phase in range(match.phases)])
    tie = np.full(match.tie_shape, HALF, object)
    none = np.zeros(0, object)
    return StakesClaims(
        _fractions(match, lower, lowest=True),
        _fractions(match, 1.0 - waiting, lowest=False),
        _fractions(match, _last(match, found.own_last, 0.0), lowest=True),
        _fractions(match, _last(match, found.their_last, 1.0), lowest=False),
        tie,
        tie,
        none,
        none,
        [],
        [],
        [],
        [],
        _wholes(match, _offers(match, found, found.own_offers) - SPARE, lowest=True),
        _wholes(match, _offers(match, found, found.their_offers) + SPARE, lowest=False),
        _wholes(match, _takes(match, found.own_takes) - SPARE, lowest=True),
        _wholes(match, _takes(match, found.their_takes) + SPARE, lowest=False),
    )


def _last(match: StakesMatch, last: Floats, level: float) -> Floats:
    """Return the worth of last turns by deficit; nobody is level before one."""
    if not match.has_last_turn:
        return np.zeros(0)
    found = last[: match.behind + 1].copy()
    found = np.append(found, np.full(match.behind + 1 - len(found), last[-1] * level))
    found[0] = level
    spare = SPARE if level else -SPARE
    found[1:] += spare
    return found


def _takes(match: StakesMatch, takes: Floats) -> Floats:
    return takes[: match.takes_shape[0]]


def _offers(match: StakesMatch, found: StakesGuarantees, store: Floats) -> Floats:
    """Return what taking over is worth by phase, both parts and offer; not a number where nothing is said of it."""
    race = found.stakes
    worth = np.full((match.phases, match.won, match.won, match.offers), np.nan)
    part = np.empty(race.scores, np.intp)
    units = match.scores // match.unit
    part[units] = np.arange(match.won)
    for total in range(2 * race.scores - 1):
        first, end = race.columns(total)
        own = np.arange(first, end)
        begin, stop = race.offer_starts[total : total + 2]
        for phase in range(match.phases):
            rows = store[phase, begin:stop].reshape(-1, end - first)
            worth[phase, part[own], part[total - own], : len(rows)] = rows.T
    return worth


def _wholes(match: StakesMatch, values: Floats, *, lowest: bool) -> Wholes:
    """Round outward to multiples of one over the grain; what is not known is bounded by 0 and 1."""
    known = np.where(np.isnan(values), 0.0 if lowest else 1.0, np.clip(values, 0.0, 1.0))
    rounded_ = np.floor if lowest else np.ceil
    # The grain is a power of 2, so nothing is lost in multiplying.
    return np.asarray(rounded_(known * match.grain), np.int64)


def _fractions(match: StakesMatch, values: Floats, *, lowest: bool) -> Fractions:
    whole = _wholes(match, values, lowest=lowest)
    return np.array([Fraction(value, match.grain) for value in whole.ravel().tolist()], object).reshape(whole.shape)


def _with_policy(match: StakesMatch, claims: StakesClaims) -> StakesClaims:
    """Add the play that is best for the lower bounds."""
    other = Waiting(*(part / match.grain for part in claims.waiting(match, lowest=True)))
    policy = [[_rated(match, phase, pairs, other) for pairs in match.pairs] for phase in range(match.phases)]
    last = []
    if match.has_last_turn:
        last = [rate(match.last, match.last_limit, last_endings(match, 1.0, 0.5, Floating(), 0.0))]
    return replace(claims, policy=policy, last_policy=last)


def _rated(match: StakesMatch, phase: int, pairs: Indices, other: Waiting) -> Ratings:
    endings = stakes_endings(match, phase, pairs, other, 1.0, Floating(), lowest=True)
    return rate(match, match.limit_of(phase), endings)
