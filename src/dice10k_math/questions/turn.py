"""One turn: what it is worth, what to do in it, how it ends."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from dice10k_math.dice import Hand
from dice10k_math.errors import InputError, NotConvergedError, check_whole
from dice10k_math.odds import hand_of
from dice10k_math.questions.allowed import check_score, check_state
from dice10k_math.questions.choices import Action, after_keep, hot_dice_forbid_banking
from dice10k_math.rules.model import Ruleset
from dice10k_math.scoring import Keep, align_roll, bank_keeps, keeps_of
from dice10k_math.solve.endings import Endings, endings_of
from dice10k_math.solve.exact import TurnProblem, exact_value
from dice10k_math.solve.turn import pose
from dice10k_math.solve.worth import Number, Worth
from dice10k_math.turn import BankRule, bank_rule, six_dice_penalty, turn_model

if TYPE_CHECKING:
    import polars


@dataclass(frozen=True, slots=True)
class TurnState:
    """A decision within a turn, after dice have been set aside.

    Attributes
    ----------
    dice
        Number of dice that would be rolled next.
    hand
        Which dice those are (kinds; 0 is a plain die).
    turn_score
        Points not yet banked.
    hot_dice
        How often all dice have scored in this turn; 0 where the rules give no bonus for it, since it does not matter
        then.
    bank
        Worth of banking now; None: not allowed.
    roll
        Worth of rolling on and playing best.
    action
        The better of the two.
    """

    dice: int
    hand: Hand
    turn_score: int
    hot_dice: int
    bank: float | None
    roll: float
    action: Action


@dataclass(frozen=True, slots=True)
class TurnChoice:
    """What a player can do after a roll, and what that is worth."""

    keep: tuple[int, ...]
    points: int
    then: Action
    dice_left: int
    hand_left: Hand
    worth: float
    loss: float


@dataclass(frozen=True, slots=True)
class BankInterval:
    """Turn scores, both ends included, at which banking is the best action; `last` None: for ever."""

    dice: int
    hand: Hand
    hot_dice: int
    first: int
    last: int | None


@dataclass(frozen=True, slots=True)
class TurnSolution:
    """The best turn from one score.

    Attributes
    ----------
    rules, score, opened, busts
        The ruleset and the situation at the start of the turn: score, whether the player has banked before (None: as
        the score says),
        and the number of busts in a row before this turn.
    expected_points
        Worth of the turn: for the usual goal the expected change of the score, in points.
    lower, upper
        Bounds of it that hold in spite of rounding.
    exact
        The exact value, proved best; None where it is not feasible.
    """

    rules: Ruleset
    score: int
    opened: bool | None
    busts: int
    expected_points: float
    lower: float
    upper: float
    exact: Fraction | None
    problem: TurnProblem = field(repr=False, compare=False)

    @property
    def endings(self) -> Endings:
        """How the turn ends under the best play: a probability for each ending."""
        return endings_of(self.problem)

    @property
    def bust_probability(self) -> float:
        """Probability that the turn ends in a bust, under the best play."""
        return self.endings.any_bust

    def roll_value(self, dice: int | Iterable[int], turn_score: int, hot_dice: int = 0) -> float:
        """Return the worth of rolling these dice with this turn score at risk, playing best afterwards.

        Raises
        ------
        InputError
            Dice that the ruleset does not have, or a turn score that no keep can have led to.

        Examples
        --------
        >>> from dice10k_math.rules import load_rules
        >>> round(solve_turn(load_rules("des-10000"), score=1000).roll_value(3, 300), 3)
        329.943
        """
        hand = hand_of(self.rules, dice)
        check_state(self.rules, turn_score, hot_dice, hand)
        index = self.problem.model.index(hand)
        return sum(self._bounds(index, turn_score, hot_dice)) / 2

    def bank_value(self, turn_score: int) -> float | None:
        """Return the worth of banking this turn score; None: it may not be banked."""
        check_whole("turn_score", turn_score)
        if not self.problem.rule.allows(turn_score):
            return None
        return float(self.problem.worth.bank(turn_score))

    def bank_from(self, dice: int | Iterable[int], hot_dice: int = 0) -> int | None:
        """Return the least turn score at which banking is best with these dice left to roll; None: never."""
        hand = hand_of(self.rules, dice)
        firsts = [run.first for run in self.bank_table() if run.hand == hand and run.hot_dice == hot_dice]
        return min(firsts, default=None)

    def advise(
        self, turn_score: int, roll: Iterable[int], hot_dice: int = 0, dice: Iterable[int] | None = None
    ) -> tuple[TurnChoice, ...]:
        """Rank every choice after a roll, best first.

        Parameters
        ----------
        turn_score
            Points before this roll.
        roll
            Faces rolled.
        hot_dice
            How often all dice have scored in this turn; matters with a hot-dice bonus only.
        dice
            Spicy faces of the dice rolled, in the order of `roll`; needed only when some spicy dice have been set
            aside.

        Returns
        -------
        tuple of TurnChoice
            Empty for a bust. `loss` is the worth given away against the best choice.

        Raises
        ------
        InputError
            A roll, turn score or number of hot dice that cannot be.

        Examples
        --------
        >>> from dice10k_math.rules import load_rules
        >>> best = solve_turn(load_rules("dice10k"), score=2000).advise(turn_score=350, roll=(1, 5, 3))[0]
        >>> best.keep, best.then
        ((1, 5), 'bank')
        """
        hand, aligned = align_roll(self.rules, roll, dice)
        check_state(self.rules, turn_score, hot_dice, hand)
        keeps = keeps_of(self.rules, hand, aligned)
        found = [self._rolled_on(keep, turn_score, hot_dice) for keep in keeps]
        found += [
            choice for keep in bank_keeps(self.rules, keeps) if (choice := self._banked(keep, turn_score, hot_dice))
        ]
        return _ranked(found)

    def decide(self, turn_score: int, dice: int | Iterable[int], hot_dice: int = 0) -> tuple[TurnChoice, ...]:
        """Rank banking and rolling on, when dice have been set aside already and others are left.

        Parameters
        ----------
        turn_score
            Points not yet banked, those of the dice set aside included.
        dice
            How many dice are left to roll, or (spicy dice) which; all of them at the start of the turn and after hot
            dice.
        hot_dice
            As for `advise`.

        Returns
        -------
        tuple of TurnChoice
            The better one first. One choice only where the rules do not allow banking.

        Raises
        ------
        InputError
            Dice, a turn score or a number of hot dice that cannot be.

        Examples
        --------
        >>> from dice10k_math.rules import load_rules
        >>> [choice.then for choice in solve_turn(load_rules("farkle"), score=1000).decide(650, 3)]
        ['bank', 'roll']
        """
        hand = hand_of(self.rules, dice)
        check_state(self.rules, turn_score, hot_dice, hand)
        state = self._state(turn_score, hot_dice, self.problem.model.index(hand))
        found = [TurnChoice((), 0, "roll", len(hand), hand, state.roll, 0.0)]
        if state.bank is not None:
            found.append(TurnChoice((), 0, "bank", len(hand), hand, state.bank, 0.0))
        return _ranked(found)

    def states(self, most: int | None = None) -> tuple[TurnState, ...]:
        """Return every decision that some play can reach with a turn score of at most `most` (default: the target).

        Returns
        -------
        tuple of TurnState
            In order of hot dice, dice, turn score.
        """
        most = self.rules.ending.target if most is None else most
        reached = sorted(_reachable(self.problem, most), key=lambda s: (s[1], len(self._hand(s[2])), s[2], s[0]))
        return tuple(self._state(*state) for state in reached)

    def bank_table(self) -> tuple[BankInterval, ...]:
        """Return for each hand the runs of turn scores at which banking is best, among those that can be reached.

        Turn scores at which banking is not allowed do not break a run.
        """
        runs: list[BankInterval] = []
        for state in self._decisions():
            if state.bank is None:
                continue
            same = bool(runs) and (runs[-1].hand, runs[-1].hot_dice) == (state.hand, state.hot_dice)
            if state.action == "bank" and same and runs[-1].last is None:
                continue
            if state.action == "bank":
                runs.append(BankInterval(state.dice, state.hand, state.hot_dice, state.turn_score, None))
            elif same and runs[-1].last is None:
                runs[-1] = replace(runs[-1], last=state.turn_score - self.problem.model.step)
        return tuple(runs)

    def to_frame(self) -> polars.DataFrame:
        """Return the decisions as a table: dice, turn score, hot dice, worth of banking and of rolling, action."""
        import polars as pl

        states = self.states()
        return pl.DataFrame(
            {
                "hand": [" ".join(map(str, state.hand)) for state in states],
                "dice": [state.dice for state in states],
                "turn_score": [state.turn_score for state in states],
                "hot_dice": [state.hot_dice for state in states],
                "bank": [state.bank for state in states],
                "roll": [state.roll for state in states],
                "action": [state.action for state in states],
            },
            schema_overrides={"bank": pl.Float64, "roll": pl.Float64},
        )

    def _decisions(self) -> tuple[TurnState, ...]:
        """Return all decisions up to where the tail takes over; with a bonus there is no such place: to the target."""
        level, model = self.problem.grid.levels[0], self.problem.model
        return self.states(None if model.bonus else (level.rows - 1) * model.step)

    def _hand(self, index: int) -> Hand:
        return self.problem.model.hands[index].hand

    def _check(self, turn_score: int, hot_dice: int) -> None:
        if turn_score < 0 or turn_score % self.problem.model.step:
            raise InputError(
                f"turn_score: {turn_score}; {self.rules.name} scores in steps of {self.problem.model.step} from 0"
            )
        least = self.problem.model.bonus_after(hot_dice) - self.problem.model.bonus if hot_dice >= 0 else 0
        if hot_dice < 0 or turn_score < least:
            raise InputError(
                f"hot_dice: {hot_dice} with a turn score of {turn_score}; that many bring {least} at least"
            )

    def _bounds(self, hand: int, turn_score: int, hot_dice: int) -> tuple[float, float]:
        self._check(turn_score, hot_dice)
        problem, grid = self.problem, self.problem.grid
        if grid.with_bonus and hot_dice >= len(grid.levels) - 1:
            value = float(problem.tail.value(hand, turn_score, problem.model.bonus_after(hot_dice)))
            return value, value
        level = grid.levels[hot_dice if grid.with_bonus else 0]
        if (turn_score - level.low) // grid.step < level.rows:
            return problem.bounds.roll(grid.row(turn_score, hot_dice), hand)
        if grid.with_bonus:
            raise InputError(f"turn_score: {turn_score} cannot be reached with {hot_dice} hot dice")
        value = float(problem.tail.value(hand, turn_score))
        return value, value

    def _state(self, turn_score: int, hot_dice: int, index: int) -> TurnState:
        hand = self._hand(index)
        low, high = self._bounds(index, turn_score, hot_dice)
        forced = index == self.problem.model.full and self.rules.turn.hot_dice == "must_roll"
        bank = None if forced else self.bank_value(turn_score)
        action: Action = "bank" if bank is not None and bank >= low else "roll"
        return TurnState(len(hand), hand, turn_score, hot_dice, bank, (low + high) / 2, action)

    def _rolled_on(self, keep: Keep, turn_score: int, hot_dice: int) -> TurnChoice:
        after, hot, hand = after_keep(self.rules, keep, turn_score, hot_dice)
        worth = sum(self._bounds(self.problem.model.index(hand), after, hot)) / 2
        return TurnChoice(keep.dice, keep.points, "roll", keep.dice_left, keep.hand_left, worth, 0.0)

    def _banked(self, keep: Keep, turn_score: int, hot_dice: int) -> TurnChoice | None:
        if hot_dice_forbid_banking(self.rules, keep):
            return None
        worth = self.bank_value(after_keep(self.rules, keep, turn_score, hot_dice)[0])
        if worth is None:
            return None
        return TurnChoice(keep.dice, keep.points, "bank", keep.dice_left, keep.hand_left, worth, 0.0)


def _ranked(found: list[TurnChoice]) -> tuple[TurnChoice, ...]:
    best = max((choice.worth for choice in found), default=0.0)
    ranked = [replace(choice, loss=best - choice.worth) for choice in found]
    return tuple(sorted(ranked, key=lambda choice: (choice.loss, choice.then, choice.keep)))


def _reachable(problem: TurnProblem, most: int) -> set[tuple[int, int, int]]:
    """Return every (turn score, hot dice, hand) that some play can reach after a keep, up to a turn score."""
    model = problem.model
    found: set[tuple[int, int, int]] = set()
    waiting = [(0, 0, model.full)]
    while waiting:
        turn_score, hot_dice, hand = waiting.pop()
        for entry in model.hands[hand].entries:
            if not entry.may_roll:
                continue
            hot = entry.hot and bool(model.bonus)
            after = turn_score + entry.points + (model.bonus_after(hot_dice) if entry.hot else 0)
            state = (after, hot_dice + hot, entry.hand)
            if after <= most and state not in found:
                found.add(state)
                waiting.append(state)
    return found


def solve_turn(
    rules: Ruleset,
    score: int = 0,
    *,
    opened: bool | None = None,
    busts: int = 0,
    worth: Worth | None = None,
    exact: bool = True,
) -> TurnSolution:
    """Return the best turn: by default the one with the most expected points.

    The expected change of the score counts the penalties that the turn itself can bring: for a bust on six dice at
    this score,
    and for the last bust in a row. An instant win (spicy dice) is worth no points.
    There is no cut-off in the turn score: see `dice10k_math.solve.tail`.

    Parameters
    ----------
    rules
        The ruleset.
    score
        The player's score at the start of the turn, in points.
    opened
        Whether the player has banked before; default: a score other than 0 says so.
    busts
        Busts in a row before this turn, for rules that count them.
    worth
        What the endings are worth, for another goal (`dice10k_math.solve.worth.at_least`, or any).
    exact
        Also compute the exact value.

    Raises
    ------
    InputError
        A score out of range, or a number of busts that the rules do not know.
    NotConvergedError
        Rules under which a turn has no finite worth, such as dice that never bust.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> turn = solve_turn(load_rules("dice10k"), score=0)
    >>> round(turn.expected_points, 4)
    577.8324
    >>> float(turn.exact) == turn.expected_points
    True
    """
    check_score(rules, score, opened)
    return turn_from(rules, score, opened=opened, busts=busts, worth=worth, exact=exact)


def turn_from(
    rules: Ruleset,
    score: int,
    *,
    opened: bool | None = None,
    busts: int = 0,
    worth: Worth | None = None,
    exact: bool = True,
) -> TurnSolution:
    """Return the best turn as `solve_turn` does, from any score that stands for a range of them."""
    _check_busts(rules, busts)
    worth = worth or points_of(rules, score, busts)
    problem = _posed(rules, bank_rule(rules, score, opened), worth)
    lower, upper = problem.bounds.roll(0, problem.model.full)
    value = exact_value(problem) if exact else None
    expected = (lower + upper) / 2 if value is None else float(value)
    return TurnSolution(rules, score, opened, busts, expected, lower, upper, value, problem)


def _posed(rules: Ruleset, rule: BankRule, worth: Worth) -> TurnProblem:
    try:
        return pose(turn_model(rules), rule, worth)
    except NotConvergedError as error:
        raise NotConvergedError(f"{rules.name}: {error}") from error


def _check_busts(rules: Ruleset, busts: int) -> None:
    in_a_row = rules.bust.in_a_row
    allowed = 0 if in_a_row is None else in_a_row.busts - 1
    if not 0 <= busts <= allowed:
        raise InputError(f"busts: {busts}; {rules.name} counts 0 to {allowed} busts in a row before a turn")


def points_of(rules: Ruleset, score: int, busts: int, after_bust: Number = 0) -> Worth:
    """Return the worth in points; `after_bust` is that of one more bust in a row where no penalty falls due."""
    in_a_row = rules.bust.in_a_row
    bust: Number = after_bust
    if in_a_row is not None and busts + 1 == in_a_row.busts:
        bust = -in_a_row.penalty
    return Worth(bust=bust, bust_on_six=bust - six_dice_penalty(rules, score))
