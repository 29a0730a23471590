"""Beating a policy: the most that can be won against it, how, and what that says of the policy."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dice10k_math.movers import BestMover
from dice10k_math.plays import Plays
from dice10k_math.policy import Policy, seat
from dice10k_math.questions.duels import Duel, PlainDuel, Progress, ResponsePositions, solve_duel
from dice10k_math.questions.evaluation import mover_of, read_policy, stakes_mover_of, value_of
from dice10k_math.questions.field_duels import FieldDuel, RoundsDuel, duel_of, response_positions
from dice10k_math.questions.match import MatchChoice, MatchSolution, WinProbability, check_match
from dice10k_math.questions.optimum import optimal_player
from dice10k_math.questions.stakes_duels import StakesDuel, StakesResponsePositions, solve_stakes_duel
from dice10k_math.race import Race, is_race
from dice10k_math.rules.model import Ruleset
from dice10k_math.stakes import FollowedStakesRace
from dice10k_math.stakes_movers import BestStakesMover

if TYPE_CHECKING:
    import polars


@dataclass(frozen=True, slots=True)
class BestResponse:
    """The best play against a policy.

    Attributes
    ----------
    rules
        The ruleset.
    against
        The policy.
    """

    rules: Ruleset
    against: Policy
    duel: Duel | FieldDuel | RoundsDuel = field(repr=False, compare=False)

    def win_probability(
        self, score: int = 0, opponent: int = 0, *, second: bool = False, waiting: bool = False
    ) -> WinProbability:
        """Return the most that can be won against the policy.

        Parameters
        ----------
        score, opponent
            Banked scores of the player who plays best and of the policy.
        second
            Under equal turns: whether the player to move has the second turn of the round.
        waiting
            Whether the policy is to move, not the player who plays best.

        Examples
        --------
        >>> from dice10k_math.rules import load_rules, with_target
        >>> best = best_response(with_target(load_rules("des-10000"), 1000), against="computer")
        >>> best.win_probability().value > 0.5, best.win_probability(waiting=True).upper < best.win_probability().lower
        (True, True)
        """
        if not waiting:
            return WinProbability(*value_of(self.duel, 0, score, opponent, second=second))
        value, lower, upper = value_of(self.duel, 1, opponent, score, second=second)
        return WinProbability(1.0 - value, 1.0 - upper, 1.0 - lower)

    def advise(
        self, score: int, opponent: int, turn_score: int, roll: Iterable[int], **situation: object
    ) -> tuple[MatchChoice, ...]:
        """Rank every choice after a roll by the win probability against the policy; see `MatchSolution.advise`."""
        return self._solution.advise(score, opponent, turn_score, roll, **situation)  # type: ignore[arg-type]

    def decide(
        self, score: int, opponent: int, turn_score: int, dice: int | Iterable[int], **situation: object
    ) -> tuple[MatchChoice, ...]:
        """Rank banking and rolling on with these dice left to roll; see `MatchSolution.decide`.

        High Stakes: taking over an offer is worth what rolling on from it is.
        """
        return self._solution.decide(score, opponent, turn_score, dice, **situation)  # type: ignore[arg-type]

    @property
    def _solution(self) -> MatchSolution:
        if isinstance(self.duel, FieldDuel | RoundsDuel):
            return MatchSolution(self.rules, response_positions(self.duel))
        if isinstance(self.duel, StakesDuel):
            return MatchSolution(self.rules, StakesResponsePositions(self.duel))
        assert isinstance(self.duel, PlainDuel)  # noqa: S101 - what else there is
        return MatchSolution(self.rules, ResponsePositions(self.duel))

    def to_frame(self) -> polars.DataFrame:
        """Return every turn start of the player who plays best: scores, win probability with its bounds."""
        return self._solution.to_frame()


@dataclass(frozen=True, slots=True)
class Exploitability:
    """How much a policy gives away.

    Attributes
    ----------
    rules, policy
        The ruleset and the policy.
    first, second
        Win probability of the policy against the best play against it, having the first turn, and the second.
    value, lower, upper
        Half minus the mean of the two, with bounds: 0 for a policy that cannot be exploited.
    """

    rules: Ruleset
    policy: Policy
    first: WinProbability
    second: WinProbability
    value: float
    lower: float
    upper: float

    def to_frame(self) -> polars.DataFrame:
        """Return one row."""
        import polars as pl

        from dice10k_math.questions.evaluation import name_of

        row = {"ruleset": self.rules.name, "policy": name_of(self.policy), "exploitability": self.value}
        row |= {"lower": self.lower, "upper": self.upper}
        for name, part in (("first", self.first), ("second", self.second)):
            row |= {name: part.value, f"{name}_lower": part.lower, f"{name}_upper": part.upper}
        return pl.DataFrame([row])


def best_response(rules: Ruleset, against: Policy | str, progress: Progress | None = None) -> BestResponse:
    """Return the most that a player can win against a policy, with the play that does it, and proved bounds.

    Parameters
    ----------
    rules
        The ruleset.
    against
        The policy, as data or as text.
    progress
        Told how far the work is.

    Raises
    ------
    InputError
        A policy that does not fit the rules, or rules for which this is not solved.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules, with_target
    >>> best = best_response(with_target(load_rules("farkle"), 1000), against="threshold 300")
    >>> found = best.win_probability()
    >>> found.lower <= found.value <= found.upper
    True
    """
    policy = read_policy(against)
    check_match(rules)
    told: Progress = progress or (lambda _what, _share: None)
    if rules.variants.high_stakes:
        stakes = FollowedStakesRace(rules)
        players = BestStakesMover(stakes), stakes_mover_of(stakes, policy)
        return BestResponse(rules, policy, solve_stakes_duel(stakes, players, told))
    if not is_race(rules):
        return BestResponse(rules, policy, duel_of(rules, (None, Plays(seat(policy, rules, optimal_player))), progress))
    race = Race(rules)
    movers = BestMover(race), mover_of(race, policy)
    return BestResponse(rules, policy, solve_duel(race, movers, told))


def exploitability(rules: Ruleset, policy: Policy | str, progress: Progress | None = None) -> Exploitability:
    """Return how much win probability a policy gives away against the best play against it.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules, with_target
    >>> found = exploitability(with_target(load_rules("des-10000"), 1000), "computer")
    >>> 0 < found.lower <= found.value <= found.upper < 0.5
    True
    """
    best = best_response(rules, policy, progress)
    first, second = (_other(best.win_probability(waiting=waiting)) for waiting in (True, False))
    parts = first, second
    return Exploitability(
        rules,
        best.against,
        first,
        second,
        0.5 - sum(part.value for part in parts) / 2,
        0.5 - sum(part.upper for part in parts) / 2,
        0.5 - sum(part.lower for part in parts) / 2,
    )


def _other(found: WinProbability) -> WinProbability:
    return WinProbability(1.0 - found.value, 1.0 - found.upper, 1.0 - found.lower)
