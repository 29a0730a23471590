"""Beating several players at once who look at no score but their own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from dice10k_math.errors import InputError
from dice10k_math.last_turn import DOWN, NEAREST, UP
from dice10k_math.pace import Pace, Schedule, check_pace
from dice10k_math.policy import Player, Policy
from dice10k_math.policy import seat as seated
from dice10k_math.program import Floats
from dice10k_math.questions.evaluation import name_of, read_policy
from dice10k_math.questions.match import MatchChoice, MatchSolution, WinProbability, check_bankable, refuse_offers
from dice10k_math.questions.one_turn import OneTurn
from dice10k_math.questions.optimum import optimal_player
from dice10k_math.race import Race, is_race
from dice10k_math.rules.model import Ruleset
from dice10k_math.workers import Progress, Share, nth_part, part_of

if TYPE_CHECKING:
    import polars

    from dice10k_math.solve.seats import SeatsInduction

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
    start: WinProbability
    value: Floats = field(repr=False, compare=False)
    lower: Floats = field(repr=False, compare=False)
    upper: Floats = field(repr=False, compare=False)
    induction: SeatsInduction = field(repr=False, compare=False)

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
            return self.start
        at = self._place(score or 0, turns or 0)
        return WinProbability(float(self.value[at]), float(self.lower[at]), float(self.upper[at]))

    def _place(self, own: int, had: int) -> tuple[int, int]:
        if own % self.unit or not 0 <= own < self.rules.ending.target:
            raise InputError(
                f"score: {own}; {self.rules.name} has scores from 0 in steps of {self.unit}, "
                f"below the target {self.rules.ending.target}"
            )
        if not 0 <= had < len(self.lower):
            raise InputError(f"turns: {had}; allowed: 0 to {len(self.lower) - 1}")
        return had, own // self.unit

    def advise(
        self, score: int, turns: int, turn_score: int, roll: Iterable[int], *, hot_dice: int = 0
    ) -> tuple[MatchChoice, ...]:
        """Rank every choice after a roll by win probability, best first, while nobody has reached the target.

        Parameters
        ----------
        score, turns
            As for `win_probability`.
        turn_score, roll, hot_dice
            As for `MatchSolution.advise`.

        Examples
        --------
        >>> from dice10k_math.rules import load_rules, with_target
        >>> best = seats_response(with_target(load_rules("des-10000"), 1000), ["threshold 300"] * 2)
        >>> [best.advise(0, turns, 200, (1, 5, 2))[0].then for turns in (0, 4)]
        ['bank', 'roll']
        """
        _, own = self._place(score, turns)
        turn = OneTurn(self.induction.race.program, self.induction.situation(turns, own, self.value))
        return MatchSolution(self.rules, turn).advise(score, 0, turn_score, roll, hot_dice=hot_dice)

    def to_frame(self) -> polars.DataFrame:
        """Return every turn start of the player: turns had, own score, win probability with its bounds."""
        import polars as pl

        turns, own = np.indices(self.lower.shape)
        return pl.DataFrame(
            {
                "turns": turns.ravel(),
                "score": own.ravel() * self.unit,
                "win_probability": self.value.ravel(),
                "lower": self.lower.ravel(),
                "upper": self.upper.ravel(),
            }
        )


Found = tuple[Floats, Floats]
"""Of one induction: by own score at the beginning, and by turns had and own score."""


def _solve(
    race: Race, schedule: Schedule, most: int, own: Pace | None, told: Share | None
) -> tuple[Found, Found, Found]:
    """Return values and their bounds from below and above."""
    from dice10k_math.solve.seats import SeatsInduction

    more = race.rules.ending.tie == "extra_rounds" or own is not None
    parts = 2 + more
    lower, upper = (
        SeatsInduction(race, schedule, side, own).solve(most, nth_part(told, number, parts))
        for number, side in enumerate((DOWN, UP))
    )
    if more:
        value = SeatsInduction(race, schedule, NEAREST, own).solve(most, nth_part(told, 2, parts))
    else:
        value = (lower[0] + upper[0]) / 2, (lower[1] + upper[1]) / 2
    clipped = [np.clip(each, low, high) for each, low, high in zip(value, lower, upper, strict=True)]
    return (clipped[0], clipped[1]), lower, upper


def _start(found: tuple[Found, Found, Found], own: int) -> WinProbability:
    return WinProbability(*(float(each[0][own]) for each in found))


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

    Under extra rounds a tie at the top counts as a loss in the lower bound, as a win in the upper one, and as shared in
    the value.

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
    >>> 1 / 3 < last.value < first.value < 2 / 3, first.upper - first.lower < 1e-9
    (True, True)
    """
    from dice10k_math.solve.seats import SeatsInduction

    read = tuple(read_policy(policy) for policy in against)
    _check_players(rules, len(read) + 1, f"against: {len(read)}", 1)
    if not 1 <= seat <= len(read) + 1:
        raise InputError(f"seat: {seat}; allowed: 1 to {len(read) + 1}")
    _check(rules, read)
    race = Race(rules)
    found = _scores(race, scores, len(read) + 1)
    paces = _paces(race, [*read[: seat - 1], None, *read[seat - 1 :]], found)
    schedule = Schedule(tuple(paces[: seat - 1]), tuple(paces[seat - 1 :]))
    most = _turns(schedule, paces)
    values = _solve(race, schedule, most, None, part_of(progress, "solving"))
    start = _start(values, found[seat - 1] // race.unit)
    induction = SeatsInduction(race, schedule, NEAREST)
    value, lower, upper = (each[1] for each in values)
    return SeatsResponse(rules, read, seat, found, race.unit, start, value, lower, upper, induction)


@dataclass(frozen=True, slots=True)
class SeatsEvaluation:
    """Win probabilities of policies that look at no score but their own.

    Attributes
    ----------
    rules, policies
        The ruleset, and the policies in the order of their seats.
    scores
        Banked scores at the beginning, in the order of the seats.
    seats
        Win probability of each seat, with its bounds.
    """

    rules: Ruleset
    policies: tuple[Policy, ...]
    scores: tuple[int, ...]
    seats: tuple[WinProbability, ...]

    def to_frame(self) -> polars.DataFrame:
        """Return one row for each seat: policy, score at the beginning, win probability with its bounds."""
        import polars as pl

        return pl.DataFrame(
            {
                "seat": range(1, len(self.seats) + 1),
                "policy": [name_of(policy) for policy in self.policies],
                "score": self.scores,
                "win_probability": [found.value for found in self.seats],
                "lower": [found.lower for found in self.seats],
                "upper": [found.upper for found in self.seats],
            }
        )


def evaluate_seats(
    rules: Ruleset,
    policies: Sequence[Policy | str],
    *,
    scores: Sequence[int] | None = None,
    progress: Progress | None = None,
) -> SeatsEvaluation:
    """Return the win probabilities of 2 to 8 policies that look at no score but their own, with proved bounds.

    Under extra rounds a tie at the top counts as a loss in the lower bounds, as a win in the upper ones, and as shared
    in the values.

    Parameters
    ----------
    rules, scores, progress
        As for `seats_response`.
    policies
        One for each seat, as data or as text.

    Raises
    ------
    InputError
        As for `seats_response`.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules, with_target
    >>> found = evaluate_seats(with_target(load_rules("des-10000"), 1000), ["threshold 300"] * 3)
    >>> round(sum(seat.value for seat in found.seats), 9), found.seats[0].value > found.seats[2].value
    (1.0, True)
    """
    read = tuple(read_policy(policy) for policy in policies)
    _check_players(rules, len(read), f"policies: {len(read)}", 0)
    _check(rules, read)
    race = Race(rules)
    found = _scores(race, scores, len(read))
    paces = _paces(race, read, found)
    most = _turns(Schedule((), tuple(paces)), paces)
    told, values = part_of(progress, "evaluating"), []
    for number, own in enumerate(paces):
        schedule = Schedule(tuple(paces[:number]), tuple(paces[number + 1 :]))
        part = nth_part(told, number, len(paces))
        values.append(_start(_solve(race, schedule, most, own, part), found[number] // race.unit))
    return SeatsEvaluation(rules, read, found, tuple(values))


def _paces(race: Race, policies: Sequence[Policy | None], scores: Sequence[int]) -> list[Pace]:
    """Return the pace of each policy; None stands for a seat that is left out."""
    rules, last = race.rules, len(policies) - 1
    players: dict[Policy, Player] = {}
    found = []
    for place, policy in enumerate(policies):
        if policy is not None:
            player = players.setdefault(policy, seated(policy, rules, optimal_player))
            closing = rules.ending.kind == "equal_turns" and place == last
            found.append(Pace(race, player, scores[place] // race.unit, closing=closing))
    return found


def _check_players(rules: Ruleset, players: int, given: str, others: int) -> None:
    """Refuse a number of players that the rules do not allow; `others` players are not counted in what is allowed."""
    least, most = max(rules.players[0], 2), min(rules.players[1], MOST_SEATS)
    if not least <= players <= most:
        fewest, highest = least - others, most - others
        allowed = f"{fewest}" if fewest == highest else f"{fewest} to {highest}"
        named = f"{rules.players[0]}" if rules.players[0] == rules.players[1] else "{} to {}".format(*rules.players)
        raise InputError(f"{given}, so {players} players; {rules.name} is for {named}; allowed: {allowed} policies")


def _check(rules: Ruleset, policies: Sequence[Policy]) -> None:
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
    """Return after how many turns it is as good as sure that somebody in the schedule has reached the target."""
    for turns in range(1, MOST_TURNS + 1):
        if schedule.alive(turns) < OVER:
            return turns
    where = ", ".join(str(pace.where_left(MOST_TURNS)) for pace in paces)
    raise InputError(
        f"policies: they can go on for ever, as at {where}: after {MOST_TURNS} turns each, "
        f"{schedule.alive(MOST_TURNS):.3g} of the matches have nobody at the target; allowed: policies that end"
    )
