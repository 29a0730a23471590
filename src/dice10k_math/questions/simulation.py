"""Matches played with random dice: who wins how often, how long it takes, what a turn brings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dice10k_math.errors import InputError, check_whole
from dice10k_math.policy import Optimum, Player, Policy, format_policy, parse_policy, seat
from dice10k_math.policy.model import CallablePolicy
from dice10k_math.rules.model import Ruleset
from dice10k_math.rules.steps import score_step
from dice10k_math.simulation.run import Start, play_matches, usual_start
from dice10k_math.simulation.tally import GAINED, LOST, TURNS, Estimate, Tally

if TYPE_CHECKING:
    import polars

MOST_MATCHES = 1_000_000_000
MOST_SEED = (1 << 63) - 1
MOST_SCORE = 10_000_000


@dataclass(frozen=True, slots=True)
class SeatResult:
    """How one seat has fared.

    Attributes
    ----------
    seat
        1 has the first turn.
    policy
        How it was played.
    win_probability
        Share of the matches won; a shared win counts as its share.
    turns
        Turns in a match.
    points_per_turn
        What a turn banks on average, penalties taken off.
    bust_rate
        Share of the turns that bust.
    """

    seat: int
    policy: str
    win_probability: Estimate
    turns: Estimate
    points_per_turn: Estimate
    bust_rate: Estimate


@dataclass(frozen=True, slots=True)
class Simulation:
    """What simulated matches have shown: means, each with a confidence interval.

    Attributes
    ----------
    rules
        The ruleset.
    matches, seed
        How many matches were played, and the seed that gives them again.
    confidence
        Of the intervals.
    seats
        One for each player.
    """

    rules: Ruleset
    matches: int
    seed: int
    confidence: float
    seats: tuple[SeatResult, ...]

    def to_frame(self) -> polars.DataFrame:
        """Return one row for each seat, each mean with its lower and upper end."""
        import polars as pl

        return pl.DataFrame(self.rows())

    def rows(self) -> list[dict[str, float | int | str]]:
        """Return the columns of each seat by name."""
        found: list[dict[str, float | int | str]] = []
        for each in self.seats:
            row: dict[str, float | int | str] = {"seat": each.seat, "policy": each.policy}
            for name in ("win_probability", "turns", "points_per_turn", "bust_rate"):
                estimate: Estimate = getattr(each, name)
                row |= {name: estimate.value, f"{name}_lower": estimate.lower, f"{name}_upper": estimate.upper}
            found.append(row)
        return found


def simulate(
    rules: Ruleset,
    policies: Sequence[Policy | str],
    matches: int = 100_000,
    seed: int = 1,
    *,
    scores: Sequence[int] | None = None,
    confidence: float = 0.95,
    progress: Callable[[float], None] | None = None,
) -> Simulation:
    """Play matches with random dice.

    Of the package only the rules are used, no solver (but for a policy that is an optimum).

    Parameters
    ----------
    rules
        The ruleset.
    policies
        One for each player, in the order of their turns; as data, or as text.
    matches
        How many to play.
    seed
        The same seed gives the same matches, on any machine and any number of cores.
    scores
        Banked scores to start from; default: 0 each. A score other than 0 says that a bank has been made.
    confidence
        Of the intervals.
    progress
        Told the share that is done.

    Raises
    ------
    InputError
        A number of players that the rules do not allow, no matches, a policy that does not fit the rules, or one that
        can go on for ever.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> found = simulate(load_rules("farkle"), ["threshold 300", "threshold 500"], matches=2000, seed=1)
    >>> found.seats[0].bust_rate.upper < found.seats[1].bust_rate.lower
    True
    """
    read = [parse_policy(policy) if isinstance(policy, str) else policy for policy in policies]
    _check(rules, read, matches, seed, confidence)
    start = usual_start(_scores(rules, scores, len(read)))
    tally = play_matches(rules, players_of(read, rules), matches, seed, start, progress=progress)
    return _result(rules, read, seed, confidence, tally)


def simulate_turns(
    rules: Ruleset,
    policy: Policy | str,
    turns: int = 1_000_000,
    seed: int = 1,
    *,
    score: int = 0,
    opponent: int | None = None,
    confidence: float = 0.95,
) -> SeatResult:
    """Play single turns from one score: what they bring on average, and how many of them bust.

    Parameters
    ----------
    rules, policy, seed, confidence
        As for `simulate`.
    turns
        How many to play.
    score, opponent
        Banked scores of the player and of his opponent; None: he is alone.

    Returns
    -------
    SeatResult
        Its win probability means nothing.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> from dice10k_math.questions.turn import solve_turn
    >>> best = solve_turn(load_rules("des-10000"))
    >>> found = simulate_turns(load_rules("des-10000"), "computer", turns=20_000)
    >>> found.points_per_turn.upper < best.expected_points
    True
    """
    read = parse_policy(policy) if isinstance(policy, str) else policy
    seats = [read] if opponent is None else [read, read]
    least, most = rules.players
    _check(rules, [read] * min(max(least, len(seats)), most), turns, seed, confidence)
    usual = usual_start(_scores(rules, [score] if opponent is None else [score, opponent], len(seats)))
    start = Start(usual.scores, usual.opened, usual.busts, turns_only=1)
    tally = play_matches(rules, players_of(seats, rules), turns, seed, start)
    return _result(rules, seats, seed, confidence, tally).seats[0]


def players_of(policies: Sequence[Policy], rules: Ruleset) -> list[Player]:
    """Seat policies; equal ones share a player, so that what is worked out for one serves all."""
    seated: list[tuple[Policy, Player]] = []
    found = []
    for policy in policies:
        player = next((known for each, known in seated if each == policy), None)
        if player is None:
            player = seat(policy, rules, _resolve)
            seated.append((policy, player))
        found.append(player)
    return found


def _resolve(optimum: Optimum, rules: Ruleset) -> Player:
    from dice10k_math.questions.optimum import optimal_player

    return optimal_player(optimum, rules)


def _check(rules: Ruleset, policies: Sequence[Policy], matches: int, seed: int, confidence: float) -> None:
    least, most = rules.players
    if not least <= len(policies) <= most:
        allowed = str(least) if least == most else f"{least} to {most}"
        raise InputError(f"policies: {len(policies)}, one for each player; {rules.name} is for {allowed} players")
    check_whole("matches", matches)
    check_whole("seed", seed)
    if not 1 <= matches <= MOST_MATCHES:
        raise InputError(f"matches: {matches}; allowed: 1 to {MOST_MATCHES}")
    if not 0 <= seed <= MOST_SEED:
        raise InputError(f"seed: {seed}; allowed: 0 to {MOST_SEED}")
    if not 0 < confidence < 1:
        raise InputError(f"confidence: {confidence}; allowed: more than 0 and less than 1")
    if len(policies) > 2 and any(isinstance(policy, Optimum) and policy.goal == "win" for policy in policies):
        raise InputError("policies: optimum win; known for two players; allowed: other policies")


def _scores(rules: Ruleset, scores: Sequence[int] | None, players: int) -> tuple[int, ...]:
    if scores is None:
        return (0,) * players
    if len(scores) != players:
        raise InputError(f"scores: {len(scores)} for {players} players; allowed: one for each")
    step, target = score_step(rules), rules.ending.target
    for score in scores:
        check_whole("scores", score)
        passed = score >= target and rules.ending.overshoot != "add_or_subtract"
        if score % step or abs(score) > MOST_SCORE or passed:
            raise InputError(f"scores: {score}; {rules.name} has scores in steps of {step}, below the target {target}")
    return tuple(scores)


def _result(rules: Ruleset, policies: Sequence[Policy], seed: int, confidence: float, tally: Tally) -> Simulation:
    results = tuple(
        SeatResult(
            number + 1,
            policy_name(policy),
            tally.win_probability(number, confidence),
            tally.mean(TURNS, number, confidence),
            tally.ratio(GAINED, number, confidence),
            tally.ratio(LOST, number, confidence),
        )
        for number, policy in enumerate(policies)
    )
    return Simulation(rules, tally.matches, seed, confidence, results)


def policy_name(policy: Policy) -> str:
    """Return the text form of a policy, or the name of a function."""
    if isinstance(policy, CallablePolicy):
        return policy.name or getattr(policy.function, "__name__", "function")
    return format_policy(policy)
