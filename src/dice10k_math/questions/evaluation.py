"""Fixed policies: who wins how often, exactly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dice10k_math.endings import TurnEndings
from dice10k_math.errors import InputError
from dice10k_math.movers import PolicyMover
from dice10k_math.plays import Plays
from dice10k_math.policy import Optimum, Policy, Standing, format_policy, parse_policy, seat
from dice10k_math.policy.model import CallablePolicy
from dice10k_math.questions.duels import Duel, Progress, solve_duel
from dice10k_math.questions.match import WinProbability, check_match
from dice10k_math.questions.optimum import optimal_player
from dice10k_math.race import Race, is_race
from dice10k_math.rules.model import Ruleset

if TYPE_CHECKING:
    import polars


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
    duel: Duel = field(repr=False, compare=False)
    plays: tuple[Plays, Plays] = field(repr=False, compare=False)

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
        >>> found.win_probability(seat=2).value > found.win_probability().value
        True
        """
        _check_seat(seat)
        return WinProbability(*self.duel.of(seat - 1, self.duel.place(score, opponent, second=second)))

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


def _check_seat(number: int) -> None:
    if number not in {1, 2}:
        raise InputError(f"seat: {number}; allowed: 1 or 2")


def evaluate(rules: Ruleset, policies: Sequence[Policy | str], progress: Progress | None = None) -> Evaluation:
    """Return the win probabilities of two policies against each other from every score, with proved bounds.

    Parameters
    ----------
    rules
        The ruleset.
    policies
        The two policies, as data or as text; the first has the first turn.
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
    if len(read) != 2:
        raise InputError(f"policies: {len(read)}; allowed: 2")
    check_match(rules)
    if not is_race(rules):
        raise InputError(f"{rules.name}: scores can fall in this game; allowed: games in which they cannot")
    race = Race(rules)
    movers = mover_of(race, read[0]), mover_of(race, read[1])
    duel = solve_duel(race, movers, progress or (lambda _what, _share: None))
    return Evaluation(rules, (read[0], read[1]), duel, (movers[0].plays, movers[1].plays))
