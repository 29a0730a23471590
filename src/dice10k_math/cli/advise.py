"""`advise`: every choice after a roll, with dice left to roll, or on an offer, best first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dice10k_math.cli.arguments import (
    MOST_TURN_SCORE,
    chosen_hands,
    dice_option,
    example,
    hand_option,
    is_spicy,
    read_dice,
    roll_option,
    rules_argument,
)
from dice10k_math.cli.keeps import dice_left
from dice10k_math.cli.match import check_scores, where
from dice10k_math.cli.offer import Start, offer_answer
from dice10k_math.cli.output import Answer, answers
from dice10k_math.cli.parameters import OneOf, Whole
from dice10k_math.cli.solving import match_at, second_option, tables_option, usual_tables, waiting
from dice10k_math.cli.text import columns, faces, heading, percent
from dice10k_math.dice import Hand
from dice10k_math.questions.allowed import check_state, is_closing
from dice10k_math.rules.model import Ruleset
from dice10k_math.scoring import align_roll

if TYPE_CHECKING:
    from dice10k_math.questions.match import MatchChoice, MatchSolution
    from dice10k_math.questions.turn import TurnChoice

HEADS = ("keep", "points", "then", "dice_left", "win_probability", "expected_points", "loss")

WIN_HEADS = ("keep", "points", "then", "dice_left", "win_probability", "loss")

SHOWN = 1e-5
"""The last digit of the win probabilities that are shown."""

MOST_HOT_DICE = 30
"""More of them would bring more than the greatest turn score, whatever the bonus."""


@dataclass(frozen=True, slots=True)
class Situation:
    """What a player who asks for advice is looking at."""

    rules: Ruleset
    score: int
    opponent: int | None
    turn_score: int
    hot_dice: int
    roll: tuple[int, ...] | None
    dice: int | None
    hand: tuple[int, ...] | None
    opened: bool | None
    busts: int
    second: bool
    tables: Path | None

    @property
    def before(self) -> Hand:
        """The hand that was rolled, or is to be rolled."""
        if self.roll is not None:
            return align_roll(self.rules, self.roll, self.hand)[0]
        return chosen_hands(self.rules, self.dice, self.hand)[0]


@click.command("advise", epilog=example("advise farkle --turn-score 300 --roll 1,5,3 --score 2000 --opponent 4500"))
@rules_argument
@click.option("--turn-score", type=Whole(0, MOST_TURN_SCORE), metavar="T", help="Points before the next roll.")
@roll_option
@dice_option
@click.option("--score", type=Whole(), default=0, show_default=True, metavar="A", help="The player's banked score.")
@click.option("--opponent", type=Whole(), metavar="B", help="The opponent's banked score.")
@click.option("--for", "goal", type=OneOf(["win", "points"]), default="win", show_default=True, help="What to rank by.")
@click.option(
    "--hot-dice",
    type=Whole(0, MOST_HOT_DICE),
    default=0,
    show_default=True,
    metavar="N",
    help="So far in the turn.",
)
@hand_option
@click.option(
    "--offer",
    nargs=2,
    type=(Whole(), str),
    metavar="POINTS DICE",
    help="High Stakes, instead of a roll: what the opponent has just banked, and how many dice were left (or which).",
)
@click.option("--opened/--not-opened", default=None, help="Whether the player has banked before; default: score not 0.")
@click.option("--busts", type=Whole(), default=0, metavar="N", help="Busts in a row before this turn.")
@second_option
@tables_option
@answers
def command(
    rules: Ruleset,
    turn_score: int | None,
    roll: tuple[int, ...] | None,
    dice: str | None,
    score: int,
    opponent: int | None,
    goal: str,
    hot_dice: int,
    hand: tuple[int, ...] | None,
    offer: tuple[int, str] | None,
    opened: bool | None,
    busts: int,
    second: bool,
    tables: Path | None,
) -> Answer:
    """Rank every choice after a roll, or with dice left to roll.

    The best comes first: with --roll which dice to keep, then whether to bank or to roll on; with --dice whether to
    bank or to roll on, the points of the dice set aside being in the turn score already.

    --for win ranks by the probability to win a match of two, both playing to win.
    It is read from the folder of --tables, or from the folder "tables" here if that has the match; else solved first.

    --for points ranks by the expected change of the score in this turn.

    --offer asks, before any roll, whether to take over what the opponent has just banked or to roll all dice afresh.
    """
    if goal == "points" and (second or tables is not None):
        raise click.UsageError("--second, --tables: not with --for points; allowed: --for win")
    if offer is not None:
        if goal == "points" or any(value is not None for value in (turn_score, roll, dice, hand)):
            raise click.UsageError("--offer: not with --for points, --turn-score, --roll or --dice; allowed: by itself")
        return offer_answer(rules, Start(score, opponent, second, tables), *offer)
    if turn_score is None:
        raise click.UsageError("--turn-score: missing; allowed: --turn-score T, or --offer by itself")
    left, hand = _dice_in_hand(rules, roll, dice, hand)
    _check_dice(rules, roll, left, hand)
    situation = Situation(rules, score, opponent, turn_score, hot_dice, roll, left, hand, opened, busts, second, tables)
    return GOALS[goal](situation)


def _dice_in_hand(
    rules: Ruleset, roll: tuple[int, ...] | None, dice: str | None, hand: tuple[int, ...] | None
) -> tuple[int | None, tuple[int, ...] | None]:
    """Return how many dice are left, or which spicy ones are in hand: a list, or with a roll anything, names faces."""
    if dice is None:
        return None, hand
    if is_spicy(rules) and (roll is not None or not dice.strip().isdecimal()):
        if hand is not None:
            raise click.UsageError(f"--dice: {dice}; allowed: --hand or --dice")
        return None, read_dice([dice], "--dice")
    if roll is not None:
        raise click.UsageError(f"--dice: {dice}; allowed: --roll or --dice")
    if not (dice.strip().isascii() and dice.strip().isdecimal() and len(dice) < 9):
        raise click.UsageError(f"--dice: {dice[:60]!r}; allowed: a number of dice, or which spicy ones, such as 1,2,5")
    return int(dice), hand


def _check_dice(rules: Ruleset, roll: tuple[int, ...] | None, dice: int | None, hand: tuple[int, ...] | None) -> None:
    """Refuse to guess which dice are meant: those that have been rolled, or those that are left."""
    if roll is not None and dice is not None:
        raise click.UsageError(f"--dice: {dice}; allowed: --roll or --dice")
    if roll is None and dice is None and hand is None:
        raise click.UsageError("--roll: missing; allowed: --roll FACES after a roll, --dice N before one")
    if roll is None and len(chosen_hands(rules, dice, hand)) > 1:
        raise click.UsageError(f"--dice: {dice}; the dice of {rules.name} are told apart; allowed: --hand FACES")


def _for_points(situation: Situation) -> Answer:
    from dice10k_math.questions.turn import solve_turn

    with waiting(situation.rules, "solving the turn"):
        turn = solve_turn(situation.rules, situation.score, opened=situation.opened, busts=situation.busts, exact=False)
        if situation.roll is None:
            choices = turn.decide(situation.turn_score, situation.before, situation.hot_dice)
        else:
            choices = turn.advise(situation.turn_score, situation.roll, situation.hot_dice, situation.hand)
    rows = [
        {
            "keep": list(choice.keep),
            "points": choice.points,
            "then": choice.then,
            "dice_left": choice.dice_left,
            "win_probability": None,
            "expected_points": choice.worth,
            "loss": choice.loss,
            **({"hand_left": list(choice.hand_left)} if is_spicy(situation.rules) else {}),
        }
        for choice in choices
    ]

    def text() -> str:
        title = _title(situation)
        if not choices:
            return f"{title}\n\nbust: no die scores"
        lines = [
            [
                *_kept(situation, choice),
                f"{choice.worth:,.2f}",
                f"{choice.loss:,.2f}" if choice.loss else "-",
            ]
            for choice in choices
        ]
        return f"{title}\n\n{_columns(situation, 'expected points', lines)}"

    return Answer({"choices": rows}, rows, text, HEADS)


def _title(situation: Situation) -> str:
    return heading(situation.rules, f"score {situation.score:,}, {_before(situation)}")


def _before(situation: Situation) -> str:
    """Say what the choice is about."""
    if situation.roll is not None:
        return f"turn score {situation.turn_score:,}, roll {faces(situation.roll)}"
    return f"turn score {situation.turn_score:,}, dice left {dice_left(situation.rules, situation.before)}"


def _kept(situation: Situation, choice: TurnChoice | MatchChoice) -> list[str]:
    """Return the cells that say what a choice is."""
    if situation.roll is None:
        return [choice.then]
    hand = dice_left(situation.rules, choice.hand_left)
    return [faces(choice.keep), f"{choice.points:,}", choice.then, hand]


def _columns(situation: Situation, worth: str, lines: list[list[str]]) -> str:
    if situation.roll is None:
        return columns(["choice", worth, "loss"], lines, left=[0])
    return columns(["keep", "points", "then", "dice left", worth, "loss"], lines, left=[0, 2, 3])


def _for_win(situation: Situation) -> Answer:
    if situation.opponent is None:
        raise click.UsageError("--for win: needs --opponent; allowed: --opponent B, or --for points")
    check_scores(situation.rules, situation.score, situation.opponent, situation.second, closing=True)
    check_state(situation.rules, situation.turn_score, situation.hot_dice, situation.before, exactly=True)
    tables = situation.tables or usual_tables(situation.rules)
    match = match_at(situation.rules, (situation.score, situation.opponent), situation.second, tables)
    choices = _ranked(match, situation, situation.opponent)
    rows = [
        {
            "keep": list(choice.keep),
            "points": choice.points,
            "then": choice.then,
            "dice_left": choice.dice_left,
            "win_probability": choice.win_probability,
            "loss": choice.loss,
            **({"hand_left": list(choice.hand_left)} if is_spicy(situation.rules) else {}),
        }
        for choice in choices
    ]
    doubt = _doubt(match, situation, situation.opponent)
    return Answer({"choices": rows}, rows, lambda: f"{_win_text(situation, choices)}{doubt}", WIN_HEADS)


def _doubt(match: MatchSolution, situation: Situation, opponent: int) -> str:
    """Say so where the bounds of the turn start are too far apart for the digits that are shown."""
    opened, busts = (situation.opened, None), (situation.busts, 0)
    if is_closing(situation.rules, situation.score, opponent, second=situation.second):
        return ""
    start = match.win_probability(situation.score, opponent, second=situation.second, opened=opened, busts=busts)
    if start.upper - start.lower <= SHOWN:
        return ""
    low, high = percent(start.lower), percent(start.upper)
    return f"\n\nAn estimate, at scores like these: the turn start is proved\nto be worth {low} to {high}, no closer."


def _ranked(match: MatchSolution, situation: Situation, opponent: int) -> tuple[MatchChoice, ...]:
    start = situation.score, opponent, situation.turn_score
    opened, busts = (situation.opened, None), (situation.busts, 0)
    hot_dice, second = situation.hot_dice, situation.second
    if situation.roll is None:
        return match.decide(*start, situation.before, hot_dice=hot_dice, second=second, opened=opened, busts=busts)
    hand = situation.hand
    return match.advise(*start, situation.roll, hot_dice=hot_dice, dice=hand, second=second, opened=opened, busts=busts)


def _win_text(situation: Situation, choices: tuple[MatchChoice, ...]) -> str:
    start = where(situation.score, situation.opponent or 0, situation.second)
    title = heading(situation.rules, f"{start},\n{_before(situation)}")
    if not choices:
        return f"{title}\n\nbust: no die scores"
    lines = [
        [
            *_kept(situation, choice),
            percent(choice.win_probability),
            percent(choice.loss) if choice.loss else "-",
        ]
        for choice in choices
    ]
    return f"{title}\n\n{_columns(situation, 'win probability', lines)}"


GOALS: dict[str, Callable[[Situation], Answer]] = {"win": _for_win, "points": _for_points}
"""What choices are ranked by."""
