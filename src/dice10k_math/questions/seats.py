"""Beating several players at once who look at no score but their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from dice10k_math.errors import InputError
from dice10k_math.last_turn import DOWN, UP
from dice10k_math.pace import Pace, Schedule, check_pace
from dice10k_math.policy import Policy
from dice10k_math.policy import seat as seated
from dice10k_math.program import Floats
from dice10k_math.questions.evaluation import name_of, read_policy
from dice10k_math.questions.match import WinProbability, check_bankable, refuse_offers
from dice10k_math.questions.optimum import optimal_player
from dice10k_math.race import Race, is_race
from dice10k_math.rules.model import Ruleset
from dice10k_math.workers import Progress, nth_part, part_of

if TYPE_CHECKING:
    import polars

MOST_SEATS = 8
OVER = 1e-14
"""Probability that the others are all still below the target, at which no further turn is looked at."""
MOST_TURNS = 5_000
"""Turns after which players are taken to go on for ever."""


@dataclass(frozen=True, slots=True)
class SeatsResponse:
    """The best play against several policies that look at no score but their own.

    Attributes
    ----------
    rules
        The ruleset.
    against
        The policies of the others, in the order of their seats.
    seat
        Where the player sits who plays best, counted from 1.
    scores
        Banked scores of all at the beginning, in the order of the seats.
    """

    rules: Ruleset
    against: tuple[Policy, ...]
    seat: int
    scores: tuple[int, ...]
    unit: int
    start: tuple[float, float] = field(repr=False)
    lower: Floats = field(repr=False, compare=False)
    upper: Floats = field(repr=False, compare=False)

    def win_probability(self, score: int | None = None, turns: int | None = None) -> WinProbability:
        """Return the win probability of the player who plays best.

        Parameters
        ----------
        score, turns
            The player's own score and how many turns he has had, when he is to move and nobody has reached the target;
            default: the beginning of the match, whoever is to move then.

        Raises
        ------
        InputError
            A score that cannot be, or a turn that hardly any match comes to.

        Examples
        --------
        >>> from dice10k_math.rules import load_rules, with_target
        >>> best = seats_response(with_target(load_rules("farkle"), 1000), ["threshold 300"] * 2)
        >>> best.win_probability(score=900, turns=1).value > best.win_probability(score=500, turns=1).value
        True
        """
        if score is None and turns is None:
            return _between(*self.start)
        own, had = score or 0, turns or 0
        if own % self.unit or not 0 <= own < self.rules.ending.target:
            raise InputError(
                f"score: {own}; {self.rules.name} has scores from 0 in steps of {self.unit}, "
                f"below the target {self.rules.ending.target}"
            )
        if not 0 <= had < len(self.lower):
            raise InputError(f"turns: {had}; allowed: 0 to {len(self.lower) - 1}")
        at = had, own // self.unit
        return _between(float(self.lower[at]), float(self.upper[at]))

    def to_frame(self) -> polars.DataFrame:
        """Return every turn start of the player: turns had, own score, win probability with its bounds."""
        import polars as pl

        turns, own = np.indices(self.lower.shape)
        return pl.DataFrame(
            {
                "turns": turns.ravel(),
                "score": own.ravel() * self.unit,
                "win_probability": ((self.lower + self.upper) / 2).ravel(),
                "lower": self.lower.ravel(),
                "upper": self.upper.ravel(),
            }
        )


def _between(lower: float, upper: float) -> WinProbability:
    return WinProbability((lower + upper) / 2, lower, upper)


def seats_response(
    rules: Ruleset,
    against: Sequence[Policy | str],
    seat: int = 1,
    *,
    scores: Sequence[int] | None = None,
    progress: Progress | None = None,
) -> SeatsResponse:
    """Return the best play against several policies that look at no score but their own, with proved bounds.

    The others go on independently of everybody else, so their distributions after every number of turns say all of
    them that counts.

    The best is taken over the strategies that look at

    * the own score and the number of turns taken, as long as nobody has reached the target;
    * once somebody has, also at who it was, the highest total so far and how many players have it.

    A player who also looks at the scores of others who are still below the target may win more: they tell something of
    when those will reach it. So the value is a lower bound for all strategies together, and `best_response` against
    one policy, which looks at everything, is never less.

    Under extra rounds a tie at the top counts as a loss in the lower bound and as a win in the upper one.

    Parameters
    ----------
    rules
        The ruleset, one in which no score can fall.
    against
        The policies of the others, 1 to 7, as data or as text, in the order of their seats.
    seat
        Where the player sits who plays best: 1 has the first turn.
    scores
        Banked scores of all players at the beginning, in the order of the seats; default: 0 each.
    progress
        Told how far the work is.

    Returns
    -------
    SeatsResponse

    Raises
    ------
    InputError
        A number of players or a seat that the rules do not have, a policy that looks at the scores of others or does
        not fit the rules, policies that can go on for ever, or rules for which this is not solved.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules, with_target
    >>> rules = with_target(load_rules("des-10000"), 1000)
    >>> first, last = (seats_response(rules, ["threshold 300"] * 2, seat=seat).win_probability() for seat in (1, 3))
    >>> 1 / 3 < last.value < first.value < 1 / 2, first.upper - first.lower < 1e-9
    (True, True)
    """
    from dice10k_math.solve.seats import SeatsInduction

    read = tuple(read_policy(policy) for policy in against)
    _check(rules, read, seat)
    race = Race(rules)
    found = _scores(race, scores, len(read) + 1)
    places = [number for number in range(len(found)) if number != seat - 1]
    paces = [
        Pace(race, seated(policy, rules, optimal_player), found[place] // race.unit, closing=_closes(rules, place, found))
        for policy, place in zip(read, places, strict=True)
    ]
    schedule = Schedule(tuple(paces[: seat - 1]), tuple(paces[seat - 1 :]))
    most = _turns(schedule, paces)
    told = part_of(progress, "solving")
    parts = [
        SeatsInduction(race, schedule, side).solve(most, nth_part(told, number, 2))
        for number, side in enumerate((DOWN, UP))
    ]
    own = found[seat - 1] // race.unit
    start = float(parts[0][0][own]), float(parts[1][0][own])
    return SeatsResponse(rules, read, seat, found, race.unit, start, parts[0][1], parts[1][1])


def _closes(rules: Ruleset, place: int, seats: Sequence[int]) -> bool:
    return rules.ending.kind == "equal_turns" and place == len(seats) - 1


def _check(rules: Ruleset, policies: Sequence[Policy], seat: int) -> None:
    least, most = rules.players
    players, most = len(policies) + 1, min(most, MOST_SEATS)
    if not max(least, 2) <= players <= most:
        fewest = max(least, 2) - 1
        allowed = f"{fewest}" if fewest == most - 1 else f"{fewest} to {most - 1}"
        raise InputError(
            f"against: {len(policies)}, so {players} players; {rules.name} is for {least} to {rules.players[1]} players; "
            f"allowed: {allowed} policies"
        )
    if not 1 <= seat <= players:
        raise InputError(f"seat: {seat}; allowed: 1 to {players}")
    check_bankable(rules)
    refuse_offers(rules)
    if not is_race(rules):
        raise InputError(f"{rules.name}: scores can fall in this game; allowed: games in which they cannot")
    for policy in policies:
        check_pace(policy, rules, name_of(policy))


def _scores(race: Race, scores: Sequence[int] | None, players: int) -> tuple[int, ...]:
    if scores is None:
        return (0,) * players
    if len(scores) != players:
        raise InputError(f"scores: {len(scores)} for {players} players; allowed: one for each")
    for score in scores:
        if score % race.unit or not 0 <= score < race.rules.ending.target:
            raise InputError(
                f"scores: {score}; {race.rules.name} has scores from 0 in steps of {race.unit}, "
                f"below the target {race.rules.ending.target}"
            )
    return tuple(scores)


def _turns(schedule: Schedule, paces: Sequence[Pace]) -> int:
    """Return after how many turns it is as good as sure that one of the others has reached the target."""
    for turns in range(1, MOST_TURNS + 1):
        if schedule.alive(turns) < OVER:
            return turns
    where = ", ".join(str(pace.where_left(MOST_TURNS)) for pace in paces)
    raise InputError(
        f"policies: they can go on for ever, as at {where}: after {MOST_TURNS} turns each, "
        f"{schedule.alive(MOST_TURNS):.3g} of the matches have nobody at the target; allowed: policies that end"
    )
