"""Three players who all play to win."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from dice10k_math.errors import InputError, NotConvergedError, check_whole
from dice10k_math.last_turn import NEAREST, allowed
from dice10k_math.program import NEVER, Floats
from dice10k_math.questions.match import MatchChoice, MatchSolution, WinProbability, check_bankable, refuse_offers
from dice10k_math.questions.one_turn import OneTurn
from dice10k_math.race import Race, is_race
from dice10k_math.rules.model import Ruleset
from dice10k_math.rules.steps import bank_step
from dice10k_math.single import Situation
from dice10k_math.trio import Trio
from dice10k_math.workers import Progress, part_of

if TYPE_CHECKING:
    import polars

PLAYERS = 3
MOST_SCORES = 120
"""Scores below the target, beyond which the tables would not fit into the memory of a small machine."""
Three = tuple[WinProbability, WinProbability, WinProbability]


@dataclass(frozen=True, slots=True)
class ThreePlayers:
    """What three players win who all play to win: an equilibrium, with bounds of what each could gain by leaving it.

    Attributes
    ----------
    rules
        The ruleset.
    value, upper
        Shape (3, scores, scores, scores), by the scores of the player to move, the next and the third, in units: what
        each of these three wins, and the most that he could win while the other two play on as they do.
    """

    rules: Ruleset
    unit: int
    value: Floats = field(repr=False, compare=False)
    upper: Floats = field(repr=False, compare=False)
    trio: Trio = field(repr=False, compare=False)

    def win_probabilities(self, own: int = 0, next: int = 0, third: int = 0) -> Three:  # noqa: A002 - next in turn
        """Return what the player to move, the next and the third win.

        Parameters
        ----------
        own, next, third
            Their banked scores.

        Returns
        -------
        tuple of WinProbability
            The bounds hold for the play of this equilibrium; a player who leaves it alone does not win more than the
            upper one.

        Examples
        --------
        >>> from dice10k_math.rules import load_rules, with_target
        >>> found = solve_three(with_target(load_rules("des-10000"), 300))
        >>> first, second, third = found.win_probabilities()
        >>> first.value > second.value > third.value, round(first.value + second.value + third.value, 9)
        (True, 1.0)
        """
        a, b, c = self._place(own, next, third)
        values, uppers = self.value[:, a, b, c].tolist(), self.upper[:, a, b, c].tolist()
        found = [
            WinProbability(value, max(1.0 - sum(uppers) + upper, 0.0), upper)
            for value, upper in zip(values, uppers, strict=True)
        ]
        return found[0], found[1], found[2]

    def gap(self, own: int = 0, next: int = 0, third: int = 0) -> float:  # noqa: A002 - next in turn
        """Return a proved bound of what any one of the three can gain by playing otherwise.

        The three together win every match, so a player wins at least what the upper bounds of the other two leave of 1.
        So none can gain more than what the three upper bounds together are above 1.

        Parameters are those of `win_probabilities`.

        Examples
        --------
        >>> from dice10k_math.rules import load_rules, with_target
        >>> 0 <= solve_three(with_target(load_rules("des-10000"), 300)).gap() < 1e-6
        True
        """
        a, b, c = self._place(own, next, third)
        return max(float(self.upper[:, a, b, c].sum()) - 1.0, 0.0)

    def advise(
        self,
        own: int,
        next: int,  # noqa: A002 - next in turn
        third: int,
        turn_score: int,
        roll: Iterable[int],
        *,
        hot_dice: int = 0,
    ) -> tuple[MatchChoice, ...]:
        """Rank every choice after a roll by win probability, best first, while nobody has reached the target.

        Parameters
        ----------
        own, next, third
            As for `win_probabilities`.
        turn_score, roll, hot_dice
            As for `MatchSolution.advise`.

        Examples
        --------
        >>> from dice10k_math.rules import load_rules, with_target
        >>> found = solve_three(with_target(load_rules("des-10000"), 300))
        >>> best = found.advise(0, 0, 250, turn_score=0, roll=(1, 1, 5, 2, 3, 6))[0]
        >>> best.keep, best.then
        ((1,), 'roll')
        """
        place = self._place(own, next, third)
        turn = OneTurn(self.trio.program, self._situation(*place))
        return MatchSolution(self.rules, turn).advise(own, 0, turn_score, roll, hot_dice=hot_dice)

    def _situation(self, own: int, next_: int, third: int) -> Situation:
        trio, waiting = self.trio, self.value[2, next_, third]
        scores, race = trio.program.bank_scores, trio.race
        totals = np.minimum(own + scores // race.unit, trio.most)
        past = np.maximum(totals, trio.scores)
        reached = np.ones(len(totals))
        if trio.last is not None:
            reached = trio.last.value[0, third - next_ + trio.scores - 1, past - third]
        worth = np.where(totals < trio.scores, waiting[np.minimum(totals, trio.scores - 1)], reached)
        rule = race.unopened if own == 0 else race.opened
        bust = float(waiting[own])
        return Situation(
            np.where(allowed(rule, scores), worth, NEVER), bust, bust, 0.0, trio.program.most, race.survival(NEAREST)
        )

    @property
    def largest_gap(self) -> float:
        """The same for the turn start at which it is greatest."""
        return max(float(self.upper.sum(axis=0).max()) - 1.0, 0.0)

    def _place(self, own: int, next_: int, third: int) -> tuple[int, int, int]:
        check_scores(self.rules, own, next_, third)
        return own // self.unit, next_ // self.unit, third // self.unit

    def to_frame(self) -> polars.DataFrame:
        """Return every turn start: the three scores, and what each of the three wins and could win."""
        import polars as pl

        own, next_, third = (part.ravel() * self.unit for part in np.indices(self.value.shape[1:]))
        names = ("own", "next", "third")
        columns = dict(zip(names, (own, next_, third), strict=True))
        wins = {f"{name}_wins": part.ravel() for name, part in zip(names, self.value, strict=True)}
        most = {f"{name}_upper": part.ravel() for name, part in zip(names, self.upper, strict=True)}
        return pl.DataFrame(columns | wins | most)


def check_scores(rules: Ruleset, own: int, next_: int, third: int) -> None:
    """Refuse scores that the player to move, the next and the third cannot have.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> check_scores(load_rules("farkle"), 0, 500, 9950)
    """
    unit, target = bank_step(rules), rules.ending.target
    for name, points in (("own", own), ("next", next_), ("third", third)):
        check_whole(name, points)
        if points % unit or not 0 <= points < target:
            raise InputError(
                f"{name}: {points}; {rules.name} has scores from 0 in steps of {unit}, below the target {target}"
            )


def solve_three(rules: Ruleset, progress: Progress | None = None) -> ThreePlayers:
    """Return what three players win of whom each plays every turn best for himself.

    That is an equilibrium and no more: other three ways to play may be another one, with other chances. Where no ways
    to play were found from which nobody gains by departing, the bound `ThreePlayers.gap` says by how little they fail.

    Of equally good choices a player banks; else he takes the keep that comes first in a fixed order. It does not change
    what he wins, but what the other two do.

    Parameters
    ----------
    rules
        The ruleset, with the first to the target winning or a final round, for three players; no variants.
    progress
        Told how far the work is.

    Returns
    -------
    ThreePlayers

    Raises
    ------
    InputError
        Rules for which this is not solved, or with a target that is too far away.
    NotConvergedError
        The judge did not accept the bounds.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules, with_target
    >>> found = solve_three(with_target(load_rules("farkle"), 500))
    >>> round(found.win_probabilities()[0].value, 6), found.gap() < 1e-6
    (0.399898, True)
    """
    from dice10k_math.certify.trio import judge_trio
    from dice10k_math.solve.trio import solve_trio

    _check(rules)
    trio = Trio(Race(rules))
    if progress is not None:
        progress("last turns", None)
    values = solve_trio(trio, part_of(progress, "solving"))
    verdict = judge_trio(trio, values.tables, part_of(progress, "judging"))
    if not verdict.accepted:
        raise NotConvergedError(f"{rules.name}: the judge refuses the bounds: {verdict.faults[0]}")
    if not verdict.ends:
        raise NotConvergedError(f"{rules.name}: with this play the match may go on for ever")
    value, upper = (_cubes(trio, tables) for tables in (values.waiting, values.tables.upper))
    return ThreePlayers(rules, trio.race.unit, value, upper, trio)


def _cubes(trio: Trio, tables: tuple[Floats, Floats, Floats]) -> Floats:
    """Return tables of waiting by the scores of the player to move, the next and the third."""
    own, next_, third = np.indices((trio.scores,) * 3)
    at = own + next_ + third, own * trio.scores + next_
    return np.stack([tables[number][at] for number in (1, 2, 0)])


def _check(rules: Ruleset) -> None:
    least, most = rules.players
    if not least <= PLAYERS <= most:
        raise InputError(f"players: {PLAYERS}; {rules.name} is for {least if least == most else f'{least} to {most}'}")
    refuse_offers(rules)
    if rules.variants.spicy_faces is not None:
        raise InputError(f"{rules.name}: spicy_faces; allowed for three players: rules without this variant")
    check_bankable(rules)
    if not is_race(rules):
        raise InputError(f"{rules.name}: scores can fall in this game; allowed: games in which they cannot")
    if rules.ending.kind not in ("first_to_target", "final_round"):
        raise InputError(
            f"{rules.name}: ending.kind {rules.ending.kind!r}; allowed for three players: first_to_target, final_round"
        )
    scores = Race(rules).scores
    if scores > MOST_SCORES:
        unit = -(-rules.ending.target // scores)
        raise InputError(
            f"{rules.name}: target {rules.ending.target}, so {scores} scores below it; "
            f"allowed for three players: at most {MOST_SCORES}, a target of {MOST_SCORES * unit}"
        )
