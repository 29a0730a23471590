"""One player alone: how many turns the game takes, and how likely it is to be done in time."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import islice
from math import inf
from typing import TYPE_CHECKING

from dice10k_math.bounds import clean_chance
from dice10k_math.errors import InputError, check_whole
from dice10k_math.rules import score_step
from dice10k_math.rules.model import Ruleset
from dice10k_math.rules.steps import penalties
from dice10k_math.solo import SoloGame
from dice10k_math.solve.solo import SoloBounds, bound_turns, chances_within, stride_of
from dice10k_math.turn import is_open
from dice10k_math.workers import Progress, Share, counted

if TYPE_CHECKING:
    import polars

MOST_TURNS = 10_000


@dataclass(frozen=True, slots=True)
class Enclosed:
    """A value with proved bounds.

    Attributes
    ----------
    value
        Between the bounds; infinite where they are.
    lower, upper
        Bounds that hold in spite of rounding and of every cut-off.
    """

    value: float
    lower: float
    upper: float

    def __float__(self) -> float:
        return self.value


def _enclosed(bounds: SoloBounds, start: int) -> Enclosed:
    lower, upper = float(bounds.lower[start]), float(bounds.upper[start])
    # Half the sum of neighbouring floats can round to neither of them.
    middle = upper if lower == inf else min(max(lower + (upper - lower) / 2, lower), upper)
    return Enclosed(middle, lower, upper)


@dataclass(frozen=True, slots=True)
class SoloSolution:
    """The fewest expected turns of one player alone, from every score to the end of the game.

    The end is a bank that reaches the target; under an exact target one that lands on it; or six spicy dice in
    one roll.

    Attributes
    ----------
    rules
        The ruleset.
    """

    rules: Ruleset
    game: SoloGame = field(repr=False, compare=False)
    bounds: SoloBounds = field(repr=False, compare=False)

    def expected_turns(self, score: int = 0, opened: bool | None = None, busts: int = 0) -> Enclosed:
        """Return the fewest expected turns from a turn start.

        Parameters
        ----------
        score
            Score at the start of the turn, in points.
        opened
            Whether the player has banked before; default: the score is not 0.
        busts
            Busts in a row before the turn.

        Returns
        -------
        Enclosed
            Turns; infinite where no play is certain to end the game.

        Raises
        ------
        InputError
            A turn start that cannot be, or a score farther away than is resolved.

        Examples
        --------
        >>> from dice10k_math.rules import load_rules
        >>> solo = solve_solo(load_rules("farkle"))
        >>> round(solo.expected_turns().value, 6), round(solo.expected_turns(9700).value, 6)
        (19.691782, 1.17662)
        """
        return _enclosed(self.bounds, self._start(score, opened, busts))

    def done_within(self, turns: int, score: int = 0, opened: bool | None = None, busts: int = 0) -> Enclosed:
        """Return the largest probability of being done within so many turns.

        The play for it is another one than for the fewest turns: the last turn takes any risk.

        Raises
        ------
        InputError
            A turn start that cannot be, or turns below 0 or too many.

        Examples
        --------
        >>> from dice10k_math.rules import load_rules
        >>> round(solve_solo(load_rules("dix-mille")).done_within(20).value, 6)
        0.731898
        """
        return self.within(turns, ((score, opened, busts),))[0]

    def within(
        self, turns: int, starts: tuple[tuple[int, bool | None, int], ...], progress: Share | None = None
    ) -> tuple[Enclosed, ...]:
        """Return the same for several turn starts (score, opened, busts) at once.

        `progress` is told the share of the turns that has been done.
        """
        if not 0 <= turns <= MOST_TURNS:
            raise InputError(f"turns: {turns}; allowed: 0 to {MOST_TURNS}")
        numbers = [self._start(*start) for start in starts]
        steps = counted(chances_within(self.game, self._stride()), turns + 1, progress)
        chances = next(islice(steps, turns, None))
        found = [_enclosed(chances, number) for number in numbers]
        return tuple(replace(one, value=clean_chance(one.value, one.lower, one.upper)) for one in found)

    def _stride(self) -> float:
        return stride_of(self.game) if self.game.low else inf

    def _start(self, score: int, opened: bool | None, busts: int) -> int:
        check_whole("score", score)
        game = self.game
        start = game.start(score, is_open(self.rules, score) if opened is None else opened, busts)
        if start is None:
            raise InputError(self._refusal(score, opened, busts))
        return start

    def _refusal(self, score: int, opened: bool | None, busts: int) -> str:
        game, in_a_row = self.game, self.rules.bust.in_a_row
        most = 0 if in_a_row is None else in_a_row.busts - 1
        if not 0 <= busts <= most:
            return f"busts: {busts}; {self.rules.name} counts 0 to {most} busts in a row before a turn"
        if game.start(score, True, busts) is None:
            return f"score: {score}; allowed: {game.low} to {game.high} in steps of {game.unit}"
        return f"opened: {opened} with a score of {score}; a player with points has banked before"

    def turn_starts(self) -> tuple[tuple[int, bool, int], ...]:
        """Return every turn start that can be, as (score, opened, busts); scores grow for each opened and busts."""
        game = self.game
        starts = tuple(
            (score, game.modes[mode].opened if game.remembers else score != 0, game.modes[mode].busts)
            for score, mode in zip(game.scores.tolist(), game.mode.tolist(), strict=True)
        )
        # Where no score falls, a player who has banked has points.
        return tuple(start for start in starts if game.low or not game.remembers or start[:2] != (0, True))

    def to_frame(self) -> polars.DataFrame:
        """Return all turn starts as a data frame: score, opened, busts, expected_turns, lower, upper.

        Examples
        --------
        >>> from dice10k_math.rules import load_rules
        >>> solve_solo(load_rules("farkle")).to_frame().columns
        ['score', 'opened', 'busts', 'expected_turns', 'lower', 'upper']
        """
        import polars as pl

        rows = [
            (*start, found.value, found.lower, found.upper)
            for start in self.turn_starts()
            for found in (self.expected_turns(*start),)
        ]
        heads = ["score", "opened", "busts", "expected_turns", "lower", "upper"]
        return pl.DataFrame(rows, schema=heads, orient="row")


def check_score(rules: Ruleset, score: int) -> None:
    """Refuse a score that can be seen to be none before the game is solved, which may take minutes.

    Raises
    ------
    InputError
        A score that no play can bring.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> check_score(load_rules("farkle"), 9700)
    """
    unit, target = score_step(rules), rules.ending.target
    endless = bool(penalties(rules)) or rules.ending.overshoot == "add_or_subtract"
    if score % unit or not (endless or 0 <= score < target):
        span = "multiples" if endless else f"0 to {-(-target // unit) * unit - unit} in steps"
        raise InputError(f"score: {score}; allowed: {span} of {unit}")


def solve_solo(rules: Ruleset, progress: Progress | None = None) -> SoloSolution:
    """Find the fewest expected turns of one player alone, with proved bounds.

    Scores that can fall without end are resolved down to -16,000, and above an exact target that may be passed
    up to 24,000 beyond it.

    Parameters
    ----------
    rules
        The ruleset. Taking over (high stakes) does not matter to a player alone.
    progress
        Told how far the work is.

    Raises
    ------
    NotConvergedError
        The target cannot be reached for certain.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> round(solve_solo(load_rules("farkle")).expected_turns(0).value, 6)
    19.691782
    """
    if progress is not None:
        progress("laying out the turn", None)
    game = SoloGame(rules)
    return SoloSolution(rules, game, bound_turns(game, progress))
