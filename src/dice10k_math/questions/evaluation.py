"""Fixed policies: who wins how often, exactly."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, overload

from dice10k_math.course import Course, follow_match
from dice10k_math.endings import TurnEndings
from dice10k_math.errors import InputError
from dice10k_math.falling_course import follow_falling
from dice10k_math.movers import PolicyMover
from dice10k_math.plays import Plays
from dice10k_math.policy import Policy, Standing, format_policy, parse_policy, seat
from dice10k_math.policy.model import CallablePolicy
from dice10k_math.questions.duels import Duel, Progress, solve_duel
from dice10k_math.questions.field_duels import FieldDuel, RoundsDuel, duel_of
from dice10k_math.questions.match import WinProbability, check_match
from dice10k_math.questions.optimum import optimal_player
from dice10k_math.questions.spreads import Spread, solve_spread
from dice10k_math.questions.stakes_duels import StakesDuel, solve_stakes_duel
from dice10k_math.race import Race, is_race
from dice10k_math.rules.model import Ruleset
from dice10k_math.rules.steps import score_step
from dice10k_math.spread import is_followed
from dice10k_math.stakes import FollowedStakesRace
from dice10k_math.stakes_course import follow_stakes
from dice10k_math.stakes_movers import StakesPolicyMover

if TYPE_CHECKING:
    import polars

MOST_TURNS = 5_000
"""Turns after which a player alone is taken to go on for ever."""
MOST_LEFT = 1e-3
"""Probability that a game is not followed to its end, above which a policy is refused."""


def read_policy(policy: Policy | str) -> Policy:
    """Return a policy that may be given as text."""
    return parse_policy(policy) if isinstance(policy, str) else policy


def name_of(policy: Policy) -> str:
    """Return a policy as text; a function by its name."""
    if isinstance(policy, CallablePolicy):
        return policy.name or getattr(policy.function, "__name__", "function")
    return format_policy(policy)


def mover_of(race: Race, policy: Policy) -> PolicyMover:
    """Return who plays a race by a policy."""
    return PolicyMover(race, seat(policy, race.rules, optimal_player))


def stakes_mover_of(race: FollowedStakesRace, policy: Policy) -> StakesPolicyMover:
    """Return who plays a race with High Stakes by a policy."""
    return StakesPolicyMover(race, seat(policy, race.rules, optimal_player))


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Win probabilities of two policies against each other, from every score.

    Attributes
    ----------
    rules
        The ruleset.
    policies
        The two policies, in the order of their seats.
    """

    rules: Ruleset
    policies: tuple[Policy, Policy]
    duel: Duel | Spread | FieldDuel | RoundsDuel = field(repr=False, compare=False)
    plays: tuple[Plays, Plays] = field(repr=False, compare=False)
    movers: tuple[PolicyMover, PolicyMover] | None = field(default=None, repr=False, compare=False)

    def win_probability(
        self, score: int = 0, opponent: int = 0, *, seat: int = 1, second: bool = False
    ) -> WinProbability:
        """Return the win probability of one of the two when to move.

        Parameters
        ----------
        score, opponent
            Banked scores of the player to move and of the other.
        seat
            Who is to move: 1 the first policy, 2 the second.
        second
            Under equal turns: whether the player to move has the second turn of the round.

        Raises
        ------
        InputError
            Scores or a seat that cannot be.

        Examples
        --------
        >>> from dice10k_math.rules import load_rules, with_target
        >>> found = evaluate(with_target(load_rules("farkle"), 1000), ["threshold 300", "threshold 1000"])
        >>> round(found.win_probability().value, 6), round(found.win_probability(seat=2).value, 6)
        (0.591185, 0.534707)
        """
        _check_seat(seat)
        return WinProbability(*value_of(self.duel, seat - 1, score, opponent, second=second))

    def turn(self, score: int = 0, opponent: int = 0, *, seat: int = 1, second: bool = False) -> TurnEndings:
        """Return how the turn of one of the two ends: the points that it banks, and how likely it busts.

        Parameters are those of `win_probability`.

        Examples
        --------
        >>> from dice10k_math.rules import load_rules, with_target
        >>> found = evaluate(with_target(load_rules("farkle"), 1000), ["threshold 300", "threshold 1000"])
        >>> round(found.turn(500, 0).busts, 6)
        0.195843
        """
        _check_seat(seat)
        self.duel.place(score, opponent, second=second)
        return self.plays[seat - 1].of(Standing(score, opponent, closing=second, opened=score > 0))

    def to_frame(self) -> polars.DataFrame:
        """Return every turn start: seat to move, scores, win probability with its bounds."""
        import polars as pl

        parts = [
            pl.DataFrame(self.duel.columns(player)).with_columns(pl.lit(player + 1).alias("seat")) for player in (0, 1)
        ]
        frame = pl.concat(parts)
        return frame.select("seat", pl.exclude("seat"))

    def course(
        self, score: int = 0, opponent: int = 0, *, seat: int = 1, second: bool = False, share: float = 1e-13
    ) -> MatchCourse:
        """Return how the match goes on: how long it takes, and what the turns of both bring.

        Parameters are those of `win_probability`; a match that is still going on with a probability under `share` is
        not followed any further.

        Examples
        --------
        >>> from dice10k_math.rules import load_rules, with_target
        >>> found = evaluate(with_target(load_rules("farkle"), 1000), ["threshold 300", "threshold 1000"]).course()
        >>> round(sum(found.length), 9), found.seats[0].bust_rate < found.seats[1].bust_rate
        (1.0, True)
        """
        _check_seat(seat)
        place = self.duel.place(score, opponent, second=second)
        if isinstance(self.duel, Duel):
            assert self.movers is not None  # noqa: S101 - races have them
            course = _follow_race(self.duel, self.movers, seat - 1, (place[0], place[1], place[-1]), share)
        else:
            course = follow_falling(self.plays, seat - 1, (score, opponent), share, closing=second)
        first, second_seat = (SeatCourse.of(turns) for turns in course.turns)
        return MatchCourse(course.length, (first, second_seat), course.won, course.left)


def _follow_race(
    duel: Duel, movers: tuple[PolicyMover, PolicyMover], player: int, place: tuple[int, int, int], share: float
) -> Course:
    first, second = movers
    if isinstance(duel, StakesDuel):
        assert isinstance(first, StakesPolicyMover)  # noqa: S101 - who else plays such a match
        assert isinstance(second, StakesPolicyMover)  # noqa: S101
        return follow_stakes(duel.stakes, (first, second), player, place, share)
    return follow_match(duel.race, movers, player, place, share)


@dataclass(frozen=True, slots=True)
class SeatCourse:
    """What the turns of one player bring in a match.

    Attributes
    ----------
    turns
        Turns on average.
    bust_rate
        Share of the turns that bust.
    points_per_turn
        Points banked in a turn on average, a bust counting as none; penalties are not taken off.
    points
        Points banked (below 0 where they are subtracted) to the share of the turns that bank them.
    """

    turns: float
    bust_rate: float
    points_per_turn: float
    points: dict[int, float]

    @classmethod
    def of(cls, played: Iterable[tuple[float, TurnEndings]]) -> SeatCourse:
        """Return the course of a player whose turns are played so often on average."""
        turns, busts = 0.0, 0.0
        banked: dict[int, float] = {}
        for often, endings in played:
            turns += often
            busts += often * endings.busts
            for change, chance in endings.banked.items() if often else ():
                banked[change] = banked.get(change, 0.0) + often * chance
        most = max(turns, 1e-300)
        points = {change: banked[change] / most for change in sorted(banked)}
        mean = sum(change * share for change, share in points.items())
        return cls(turns, busts / most, mean, points)


@dataclass(frozen=True, slots=True)
class MatchCourse:
    """How a match of two policies goes.

    Attributes
    ----------
    length
        Probability that it takes so many turns of both together: index 0 is no turn.
    seats
        What the turns of each bring.
    won
        Probability that each wins, as followed: what is shared counts half for both.
    left
        Probability of matches that were not followed to their end.
    """

    length: tuple[float, ...]
    seats: tuple[SeatCourse, SeatCourse]
    won: tuple[float, float]
    left: float

    @property
    def expected_turns(self) -> float:
        """Turns of both together on average."""
        return self.seats[0].turns + self.seats[1].turns


@dataclass(frozen=True, slots=True)
class SoloEvaluation:
    """How the game of one player alone goes who plays by a policy.

    Attributes
    ----------
    rules, policy
        The ruleset and the policy.
    length
        Probability that the game takes so many turns: index 0 is no turn.
    turns
        What the turns bring.
    left
        Probability of games that were not followed to their end, because they take too long or go too far.
    """

    rules: Ruleset
    policy: Policy
    length: tuple[float, ...]
    turns: SeatCourse
    left: float

    @property
    def expected_turns(self) -> float:
        """Turns on average, those of games that were not followed to their end left out."""
        return sum(turn * chance for turn, chance in enumerate(self.length))

    def to_frame(self) -> polars.DataFrame:
        """Return the probability of each number of turns."""
        import polars as pl

        return pl.DataFrame({"turns": range(len(self.length)), "probability": self.length})


def value_of(
    duel: Duel | Spread | FieldDuel | RoundsDuel, player: int, score: int, opponent: int, *, second: bool
) -> tuple[float, float, float]:
    """Return a player's win probability when to move, with its bounds."""
    if isinstance(duel, Duel | RoundsDuel):
        return duel.of(player, duel.place(score, opponent, second=second))
    return duel.of(player, duel.place(score, opponent, second=second))


def _check_seat(number: int) -> None:
    if number not in {1, 2}:
        raise InputError(f"seat: {number}; allowed: 1 or 2")


def evaluate_alone(rules: Ruleset, policy: Policy | str, score: int = 0) -> SoloEvaluation:
    """Return how the game of one player alone goes who plays by a policy.

    The player is done with a bank that reaches the target (or lands on it, where it must be hit), or six spicy dice.

    Raises
    ------
    InputError
        A policy that does not fit the rules, or that can go on for ever.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> found = evaluate_alone(load_rules("farkle"), "threshold 300")
    >>> round(found.expected_turns, 6), round(found.turns.bust_rate, 6), round(found.turns.points_per_turn, 3)
    (23.619745, 0.226219, 439.785)
    """
    from dice10k_math.chain import OwnState, SoloChain, follow_alone

    read = read_policy(policy)
    if not 0 <= score < rules.ending.target or score % score_step(rules):
        raise InputError(f"score: {score}; allowed: 0 to below {rules.ending.target} in steps of {score_step(rules)}")
    chain = SoloChain(seat(read, rules, optimal_player))
    course = follow_alone(chain, OwnState(score, score != 0, 0), MOST_TURNS)
    if course.left > MOST_LEFT:
        where = course.lingering
        raise InputError(
            f"policy {name_of(read)}: it can go on for ever, as at {where.score}: after {len(course.length) - 1} turns "
            f"{course.left:.3g} of the games are not done; allowed: a policy that ends the game"
        )
    turns = SeatCourse.of((often, chain.row(state)[0]) for state, often in course.played)
    return SoloEvaluation(rules, read, course.length, turns, course.left)


@overload
def evaluate(
    rules: Ruleset, policies: tuple[Policy | str, Policy | str], progress: Progress | None = None
) -> Evaluation: ...
@overload
def evaluate(rules: Ruleset, policies: tuple[Policy | str], progress: Progress | None = None) -> SoloEvaluation: ...
@overload
def evaluate(
    rules: Ruleset, policies: Sequence[Policy | str], progress: Progress | None = None
) -> Evaluation | SoloEvaluation: ...
def evaluate(
    rules: Ruleset, policies: Sequence[Policy | str], progress: Progress | None = None
) -> Evaluation | SoloEvaluation:
    """Return the win probabilities of two policies against each other from every score, with proved bounds.

    One policy is evaluated for a player alone.

    Parameters
    ----------
    rules
        The ruleset.
    policies
        Two policies, as data or as text, of which the first has the first turn; or one.
    progress
        Told how far the work is.

    Raises
    ------
    InputError
        Another number of policies, one that does not fit the rules, or two that can go on for ever.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules, with_target
    >>> found = evaluate(with_target(load_rules("des-10000"), 1000), ["computer", "threshold 300"])
    >>> first = found.win_probability()
    >>> first.lower <= first.value <= first.upper, first.upper - first.lower < 1e-9
    (True, True)
    """
    read = tuple(read_policy(policy) for policy in policies)
    if len(read) == 1:
        return evaluate_alone(rules, read[0])
    if len(read) != 2:
        raise InputError(f"policies: {len(read)}; allowed: 1 or 2")
    check_match(rules)
    told = progress or (lambda _what, _share: None)
    pair = read[0], read[1]
    if rules.variants.high_stakes:
        stakes = FollowedStakesRace(rules)
        players = stakes_mover_of(stakes, read[0]), stakes_mover_of(stakes, read[1])
        plays = players[0].plays, players[1].plays
        return Evaluation(rules, pair, solve_stakes_duel(stakes, players, told), plays, players)
    if not is_race(rules):
        seated = seat(read[0], rules, optimal_player), seat(read[1], rules, optimal_player)
        if is_followed(rules):
            return Evaluation(rules, pair, *solve_spread(seated, told))
        plays = Plays(seated[0]), Plays(seated[1])
        return Evaluation(rules, pair, duel_of(rules, plays, told), plays)
    race = Race(rules)
    movers = mover_of(race, read[0]), mover_of(race, read[1])
    duel = solve_duel(race, movers, told)
    return Evaluation(rules, pair, duel, (movers[0].plays, movers[1].plays), movers)
