"""Two players: who wins from here, and what is the best choice, when both play to win."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dice10k_math.dice import Hand
from dice10k_math.errors import InputError, NotConvergedError, check_whole
from dice10k_math.last_turn import DOWN, NEAREST, UP, last_turns
from dice10k_math.odds import hand_of
from dice10k_math.questions.choices import Action, after_keep, all_dice_must_be_rolled, hot_dice_forbid_banking
from dice10k_math.questions.closing import ClosingTurns
from dice10k_math.questions.positions import (
    ClosingPositions,
    FieldPositions,
    Positions,
    RacePositions,
    RoundsPositions,
    Seat,
)
from dice10k_math.questions.resume import Diary
from dice10k_math.questions.stakes import StakesPositions, solve_stakes_positions
from dice10k_math.race import Race, is_race
from dice10k_math.rules.model import Ruleset
from dice10k_math.scoring import Keep, align_roll, bank_keeps, keeps_of
from dice10k_math.single import TurnWorths
from dice10k_math.solve.growth import REMEDY, hot_dice_chance
from dice10k_math.turn import turn_model
from dice10k_math.workers import Progress, part_of, within

if TYPE_CHECKING:
    import polars


@dataclass(frozen=True, slots=True)
class WinProbability:
    """Win probability of the player to move, with bounds that are proved: `lower` <= true value <= `upper`."""

    value: float
    lower: float
    upper: float


@dataclass(frozen=True, slots=True)
class TakeOver:
    """Win probabilities of a player who is offered a banked turn: starting afresh, and taking it over."""

    fresh: WinProbability
    take_over: WinProbability


@dataclass(frozen=True, slots=True)
class MatchChoice:
    """What a player can do after a roll, the win probability after it, and what it gives away against the best."""

    keep: tuple[int, ...]
    points: int
    then: Action
    dice_left: int
    hand_left: Hand
    win_probability: float
    loss: float


@dataclass(frozen=True, slots=True)
class MatchSolution:
    """Win probabilities of a two-player match from every score.

    Attributes
    ----------
    rules
        The ruleset.
    positions
        The values and their bounds, by turn start.
    """

    rules: Ruleset
    positions: Positions

    def win_probability(
        self,
        score: int = 0,
        opponent: int = 0,
        *,
        second: bool = False,
        opened: tuple[bool | None, bool | None] = (None, None),
        busts: tuple[int, int] = (0, 0),
    ) -> WinProbability:
        """Return the win probability of the player to move.

        Parameters
        ----------
        score, opponent
            Banked scores of the player to move and of the other. That of the other, and in extra rounds both, may be
            past the target where a turn is left nevertheless, in games in which no score falls.
        second
            Under equal turns: whether the player to move has the second turn of the round.
        opened
            Whether each of the two has banked before; None: a score other than 0 says so.
        busts
            Busts in a row of each of the two, for rules that count them.

        Raises
        ------
        InputError
            Scores that cannot be, or at which the match is over.

        Examples
        --------
        >>> from dice10k_math.rules import load_rules, with_target
        >>> match = solve_match(with_target(load_rules("farkle"), 500))
        >>> round(match.win_probability(0, 0).value, 6)
        0.564168
        """
        seats = _seats(score, opponent, opened, busts)
        return WinProbability(*self.positions.value(*seats, second=second))

    def advise(
        self,
        score: int,
        opponent: int,
        turn_score: int,
        roll: Iterable[int],
        *,
        hot_dice: int = 0,
        dice: Iterable[int] | None = None,
        second: bool = False,
        opened: tuple[bool | None, bool | None] = (None, None),
        busts: tuple[int, int] = (0, 0),
    ) -> tuple[MatchChoice, ...]:
        """Rank every choice after a roll by win probability, best first.

        Parameters
        ----------
        score, opponent, second, opened, busts
            The turn start, as for `win_probability`.
        turn_score
            Points before this roll.
        roll
            Faces rolled.
        hot_dice
            How often all dice have scored in this turn; matters with a hot-dice bonus only.
        dice
            Spicy faces of the dice rolled, when some have been set aside.

        Returns
        -------
        tuple of MatchChoice
            Empty for a bust.

        Raises
        ------
        InputError
            A situation that cannot be.
        """
        hand, aligned = align_roll(self.rules, roll, dice)
        check_whole("turn_score", turn_score)
        check_whole("hot_dice", hot_dice)
        seats = _seats(score, opponent, opened, busts)
        keeps = keeps_of(self.rules, hand, aligned)
        most = max((after_keep(self.rules, keep, turn_score, hot_dice)[0] for keep in keeps), default=turn_score)
        table = self._lookup(seats, second, (turn_score, most))
        table.check(turn_score, hot_dice, hand)
        found = [table.rolled_on(keep, turn_score, hot_dice) for keep in keeps]
        found += [
            choice
            for keep in bank_keeps(self.rules, keeps)
            if (choice := table.banked(keep, turn_score, hot_dice)) is not None
        ]
        return _ranked(found)

    def decide(
        self,
        score: int,
        opponent: int,
        turn_score: int,
        dice: int | Iterable[int],
        *,
        hot_dice: int = 0,
        second: bool = False,
        opened: tuple[bool | None, bool | None] = (None, None),
        busts: tuple[int, int] = (0, 0),
    ) -> tuple[MatchChoice, ...]:
        """Rank banking and rolling on, when dice have been set aside already and others are left.

        Parameters
        ----------
        score, opponent, second, opened, busts
            The turn start, as for `win_probability`.
        turn_score
            Points not yet banked, those of the dice set aside included.
        dice
            How many dice are left to roll, or (spicy dice) which; all of them at the start of the turn and after hot
            dice.
        hot_dice
            As for `advise`.

        Returns
        -------
        tuple of MatchChoice
            The better one first. One choice only where the rules do not allow banking.

        Raises
        ------
        InputError
            A situation that cannot be.

        Examples
        --------
        >>> from dice10k_math.rules import load_rules, with_target
        >>> match = solve_match(with_target(load_rules("farkle"), 1000))
        >>> [choice.then for choice in match.decide(600, 500, turn_score=350, dice=2)]
        ['bank', 'roll']
        """
        check_whole("turn_score", turn_score)
        check_whole("hot_dice", hot_dice)
        seats = _seats(score, opponent, opened, busts)
        return _ranked(
            self._lookup(seats, second, (turn_score, turn_score)).left(hand_of(self.rules, dice), turn_score, hot_dice)
        )

    def _lookup(self, seats: tuple[Seat, Seat], second: bool, asked: tuple[int, int]) -> _Lookup:
        worths = self.positions.turn(*seats, second=second, asked=asked)
        return _Lookup(self.rules, worths)

    def take_over(
        self, score: int, opponent: int, points: int, dice: int | Iterable[int], *, second: bool = False
    ) -> TakeOver:
        """Compare taking over what the opponent has just banked with starting afresh (High Stakes).

        Parameters
        ----------
        score, opponent, second
            The turn start, as for `win_probability`. The opponent may also have reached the target,
            where that leaves the player one more turn.
        points
            Turn score that the opponent has just banked.
        dice
            How many dice were not kept when banking, or (spicy dice) which; all of them if none was left.

        Raises
        ------
        InputError
            Rules without High Stakes, or an offer that no bank can have made.

        Examples
        --------
        >>> from dice10k_math.rules import load_rules, with_target
        >>> match = solve_match(with_target(load_rules("farkle-high-stakes"), 1000))
        >>> offer = match.take_over(0, 500, points=500, dice=6)
        >>> offer.take_over.value > offer.fresh.value
        True
        """
        if not isinstance(self.positions, StakesPositions):
            raise InputError(f"offer: {self.rules.name} has no High Stakes, so nothing can be taken over")
        hand = hand_of(self.rules, dice)
        fresh, taken = self.positions.offer(Seat(score), Seat(opponent), points, hand, second=second)
        return TakeOver(WinProbability(*fresh), WinProbability(*taken))

    def to_frame(self) -> polars.DataFrame:
        """Return every turn start as a table: scores and states of both, win probability, lower, upper."""
        import polars as pl

        return pl.DataFrame(self.positions.columns())


@dataclass(frozen=True, slots=True)
class _Lookup:
    """Finds the worth of what follows a keep."""

    rules: Ruleset
    worths: TurnWorths

    def _number(self, turn_score: int, hot_dice: int, hand: Hand) -> int:
        program = self.worths.program
        number = program.number(turn_score, hot_dice, program.model.index(hand))
        if number is None:
            dice = "1 die" if len(hand) == 1 else f"{len(hand)} dice"
            after = f" after {hot_dice} hot dice" if hot_dice else ""
            raise InputError(
                f"turn_score: {turn_score} with {dice} to roll{after}; "
                f"allowed: what keeps can have brought by then, up to {program.most}"
            )
        return number

    def check(self, turn_score: int, hot_dice: int, hand: Hand) -> None:
        """Refuse a situation before a roll that no play leads to."""
        self._number(turn_score, hot_dice, hand)

    def left(self, hand: Hand, turn_score: int, hot_dice: int) -> list[MatchChoice]:
        """Return the choices with these dice left to roll, nothing being kept any more."""
        roll = float(self.worths.roll[self._number(turn_score, hot_dice, hand)])
        bank = None if all_dice_must_be_rolled(self.rules, hand) else self._bank(turn_score, hand)
        choices = [MatchChoice((), 0, "roll", len(hand), hand, roll, 0.0)]
        return choices if bank is None else [*choices, MatchChoice((), 0, "bank", len(hand), hand, bank, 0.0)]

    def _bank(self, turn_score: int, hand: Hand) -> float | None:
        return self.worths.banked(turn_score, self.worths.program.model.index(hand))

    def rolled_on(self, keep: Keep, turn_score: int, hot_dice: int) -> MatchChoice:
        worth = float(self.worths.roll[self._number(*after_keep(self.rules, keep, turn_score, hot_dice))])
        return MatchChoice(keep.dice, keep.points, "roll", keep.dice_left, keep.hand_left, worth, 0.0)

    def banked(self, keep: Keep, turn_score: int, hot_dice: int) -> MatchChoice | None:
        if hot_dice_forbid_banking(self.rules, keep):
            return None
        after, _, hand = after_keep(self.rules, keep, turn_score, hot_dice)
        worth = self._bank(after, hand)
        if worth is None:
            return None
        return MatchChoice(keep.dice, keep.points, "bank", keep.dice_left, keep.hand_left, worth, 0.0)


def _ranked(found: list[MatchChoice]) -> tuple[MatchChoice, ...]:
    best = max((choice.win_probability for choice in found), default=0.0)
    ranked = [replace(choice, loss=best - choice.win_probability) for choice in found]
    return tuple(sorted(ranked, key=lambda choice: (choice.loss, choice.then, choice.keep)))


def _seats(
    score: int, opponent: int, opened: tuple[bool | None, bool | None], busts: tuple[int, int]
) -> tuple[Seat, Seat]:
    check_whole("score", score)
    check_whole("opponent", opponent)
    check_whole("busts", *busts)
    return Seat(score, opened[0], busts[0]), Seat(opponent, opened[1], busts[1])


def solve_match(
    rules: Ruleset, progress: Progress | None = None, *, resume: str | os.PathLike[str] | None = None
) -> MatchSolution:
    """Solve a match of two players who both play to win, and prove bounds for every turn start.

    Parameters
    ----------
    rules
        The ruleset.
    progress
        Told how far the work is.
    resume
        A file in which the work is kept every minute: if it is there already, it goes on from what the file holds.
        The bounds are judged in one go at the end, whatever the file says. For games in which no score ever falls,
        without High Stakes.

    Raises
    ------
    InputError
        A ruleset that two cannot play, or with which High Stakes is not solved; a file that is no journal of this
        match.
    NotConvergedError
        The judge did not accept the bounds.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules, with_target
    >>> match = solve_match(with_target(load_rules("des-10000"), 500))
    >>> found = match.win_probability(100, 400)
    >>> found.lower <= found.value <= found.upper
    True
    """
    if progress is not None:
        progress("laying out the turn", None)
    check_match(rules)
    if resume is not None and (rules.variants.high_stakes or not is_race(rules)):
        raise InputError(f"resume: {rules.name}; allowed: games without High Stakes in which no score ever falls")
    if rules.variants.high_stakes:
        return MatchSolution(rules, solve_stakes_positions(rules, progress))
    if is_race(rules):
        return MatchSolution(rules, _solve_race(rules, progress, None if resume is None else Path(resume)))
    if rules.ending.kind == "equal_turns":
        return MatchSolution(rules, _solve_rounds(rules, progress))
    return MatchSolution(rules, _solve_field(rules, progress))


def solve_last_turns(rules: Ruleset) -> MatchSolution:
    """Solve no more of a match than its last turns: those that answer a player who has reached the target.

    For games in which no score falls, and whose ties are shared.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> round(solve_last_turns(load_rules("farkle")).win_probability(8000, 10_200).value, 4)
    0.0661
    """
    check_match(rules)
    if not has_plain_last_turns(rules):
        raise InputError(f"{rules.name}: allowed: last turns that end the match, in games in which no score falls")
    race = Race(replace(rules, variants=replace(rules.variants, high_stakes=False)))
    low, high = (np.clip(last_turns(race, 0.5, side), 0.0, 1.0) for side in (DOWN, UP))
    middle = np.clip(last_turns(race, 0.5, NEAREST), low, high)
    return MatchSolution(rules, ClosingPositions(ClosingTurns(rules, middle, low, high)))


def has_plain_last_turns(rules: Ruleset) -> bool:
    """Tell whether a player who reaches the target is answered by one turn, which ends the match.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> [name for name in ("farkle", "dix-mille", "dice10k") if has_plain_last_turns(load_rules(name))]
    ['farkle']
    """
    return is_race(rules) and rules.ending.kind in ("final_round", "equal_turns") and rules.ending.tie == "shared"


def check_match(rules: Ruleset) -> None:
    """Refuse a ruleset that two cannot play, or whose variants are not solved.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> check_match(load_rules("farkle"))
    """
    least, most = rules.players
    if not least <= 2 <= most:
        raise InputError(f"{rules.name}: {least} to {most} players; a match is solved for 2")
    check_bankable(rules)


def check_bankable(rules: Ruleset) -> None:
    """Refuse a ruleset in which no turn can bank, or in which a turn can be as long as the player likes.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> check_bankable(load_rules("farkle"))
    """
    if not turn_can_bank(rules):
        raise InputError(f"{rules.name}: no turn can ever bank, so no match ends")
    if rules.ending.kind != "first_to_target" and hot_dice_chance(turn_model(rules)) == 1:
        why = "some play never busts, so a turn can be as long as the player likes, and none is best"
        raise InputError(f"{rules.name}: {why}; remedy: {REMEDY}, or ending.kind = 'first_to_target'")


def refuse_offers(rules: Ruleset) -> None:
    """Refuse a ruleset with High Stakes, for questions that are not answered with offers.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> refuse_offers(load_rules("farkle"))
    """
    if rules.variants.high_stakes:
        raise InputError(f"{rules.name}: high_stakes; allowed for this question: rules without this variant")


def turn_can_bank(rules: Ruleset) -> bool:
    """Tell whether some turn score can be banked at all."""
    return any(entry.may_bank for hand in turn_model(rules).hands for entry in hand.entries)


def _solve_race(rules: Ruleset, progress: Progress | None, resume: Path | None) -> RacePositions:
    from dice10k_math.certify.race import judge_race
    from dice10k_math.solve.race import propose_bounds, solve_race

    race = Race(rules)
    journal = None if resume is None else Diary(resume, race).open()
    values = solve_race(race, part_of(progress, "solving"), journal)
    bounds = propose_bounds(race, values, part_of(progress, "bounding"), journal)
    verdict = judge_race(race, bounds, part_of(progress, "judging"))
    if not verdict.accepted:
        raise NotConvergedError(f"{rules.name}: the judge refuses the bounds: {verdict.faults[0]}")
    return RacePositions.of(race, values, bounds)


def _solve_field(rules: Ruleset, progress: Progress | None) -> FieldPositions:
    from dice10k_math.certify.field import judge_field
    from dice10k_math.field import Field
    from dice10k_math.field_states import extents
    from dice10k_math.solve.field import solve_field

    *rougher, field = (Field(rules, extent) for extent in extents(rules))
    bounds = solve_field(field, rougher=rougher, progress=progress)
    verdict = judge_field(field, bounds.us, bounds.them, part_of(progress, "judging"))
    if not verdict.accepted:
        raise NotConvergedError(f"{rules.name}: the judge refuses the bounds: {verdict.faults[0]}")
    return FieldPositions(field, bounds.us, bounds.them)


def _solve_rounds(rules: Ruleset, progress: Progress | None) -> RoundsPositions:
    from dice10k_math.certify.rounds import judge_rounds
    from dice10k_math.field import Field
    from dice10k_math.field_states import extents
    from dice10k_math.solve.rounds import estimate_rounds, solve_rounds

    extent = extents(rules)[-1]
    fields = Field(rules, extent), Field(rules, extent, 1)
    bounds = solve_rounds(fields, estimate_rounds(fields, progress=within(progress, "estimating")), progress=progress)
    us, them = (np.stack([getattr(phase, name) for phase in bounds.phases]) for name in ("us", "them"))
    verdict = judge_rounds(fields, us, them, bounds.lead, bounds.follow, bounds.levels, part_of(progress, "judging"))
    if not verdict.accepted:
        raise NotConvergedError(f"{rules.name}: the judge refuses the bounds: {verdict.faults[0]}")
    ties = (bounds.follow + 1.0 - bounds.lead) / 2
    return RoundsPositions.of(fields, us, them, bounds.levels, ties)
