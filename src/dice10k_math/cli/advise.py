"""`advise`: every choice after a roll, best first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dice10k_math.cli.arguments import (
    MOST_TURN_SCORE,
    example,
    hand_option,
    is_spicy,
    roll_option,
    rules_argument,
)
from dice10k_math.cli.keeps import dice_left
from dice10k_math.cli.match import check_scores, where
from dice10k_math.cli.output import Answer, answers
from dice10k_math.cli.parameters import OneOf, Whole
from dice10k_math.cli.solving import match_of, second_option, tables_option, usual_tables, waiting
from dice10k_math.cli.text import columns, faces, heading, percent
from dice10k_math.questions.allowed import check_state
from dice10k_math.rules.model import Ruleset
from dice10k_math.scoring import align_roll

if TYPE_CHECKING:
    from dice10k_math.questions.match import MatchChoice

HEADS = ("keep", "points", "then", "dice_left", "win_probability", "expected_points", "loss")

WIN_HEADS = ("keep", "points", "then", "dice_left", "win_probability", "loss")

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
    roll: tuple[int, ...]
    hand: tuple[int, ...] | None
    opened: bool | None
    busts: int
    second: bool
    tables: Path | None


@click.command("advise", epilog=example("advise farkle --turn-score 300 --roll 1,5,3 --score 2000 --opponent 4500"))
@rules_argument
@click.option("--turn-score", type=Whole(0, MOST_TURN_SCORE), required=True, metavar="T", help="Before this roll.")
@roll_option
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
@click.option("--opened/--not-opened", default=None, help="Whether the player has banked before; default: score not 0.")
@click.option("--busts", type=Whole(), default=0, metavar="N", help="Busts in a row before this turn.")
@second_option
@tables_option
@answers
def command(
    rules: Ruleset,
    turn_score: int,
    roll: tuple[int, ...],
    score: int,
    opponent: int | None,
    goal: str,
    hot_dice: int,
    hand: tuple[int, ...] | None,
    opened: bool | None,
    busts: int,
    second: bool,
    tables: Path | None,
) -> Answer:
    """Rank every choice after a roll.

    The best comes first: which dice to keep, then whether to bank or to roll on.

    --for win ranks by the probability to win a match of two, both playing to win.
    It is read from the folder of --tables, or from the folder "tables" here if that has the match; else solved first.

    --for points ranks by the expected change of the score in this turn.
    """
    if goal == "points" and (second or tables is not None):
        raise click.UsageError("--second, --tables: not with --for points; allowed: --for win")
    situation = Situation(rules, score, opponent, turn_score, hot_dice, roll, hand, opened, busts, second, tables)
    return GOALS[goal](situation)


def _for_points(situation: Situation) -> Answer:
    from dice10k_math.questions.turn import solve_turn

    with waiting(situation.rules, "solving the turn"):
        turn = solve_turn(situation.rules, situation.score, opened=situation.opened, busts=situation.busts, exact=False)
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
                faces(choice.keep),
                f"{choice.points:,}",
                choice.then,
                dice_left(situation.rules, choice.hand_left),
                f"{choice.worth:,.2f}",
                f"{choice.loss:,.2f}" if choice.loss else "-",
            ]
            for choice in choices
        ]
        heads = ["keep", "points", "then", "dice left", "expected points", "loss"]
        return f"{title}\n\n{columns(heads, lines, left=[0, 2, 3])}"

    return Answer({"choices": rows}, rows, text, HEADS)


def _title(situation: Situation) -> str:
    where = f"score {situation.score:,}, turn score {situation.turn_score:,}, roll {faces(situation.roll)}"
    return heading(situation.rules, where)


def _for_win(situation: Situation) -> Answer:
    if situation.opponent is None:
        raise click.UsageError("--for win: needs --opponent; allowed: --opponent B, or --for points")
    check_scores(situation.rules, situation.score, situation.opponent, situation.second)
    hand, _ = align_roll(situation.rules, situation.roll, situation.hand)
    check_state(situation.rules, situation.turn_score, situation.hot_dice, hand, exactly=True)
    choices = _ranked(situation, situation.opponent)
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
    return Answer({"choices": rows}, rows, lambda: _win_text(situation, choices), WIN_HEADS)


def _ranked(situation: Situation, opponent: int) -> tuple[MatchChoice, ...]:
    match = match_of(situation.rules, situation.tables or usual_tables(situation.rules))
    return match.advise(
        situation.score,
        opponent,
        situation.turn_score,
        situation.roll,
        hot_dice=situation.hot_dice,
        dice=situation.hand,
        second=situation.second,
        opened=(situation.opened, None),
        busts=(situation.busts, 0),
    )


def _win_text(situation: Situation, choices: tuple[MatchChoice, ...]) -> str:
    start = where(situation.score, situation.opponent or 0, situation.second)
    title = heading(situation.rules, f"{start},\nturn score {situation.turn_score:,}, roll {faces(situation.roll)}")
    if not choices:
        return f"{title}\n\nbust: no die scores"
    lines = [
        [
            faces(choice.keep),
            f"{choice.points:,}",
            choice.then,
            dice_left(situation.rules, choice.hand_left),
            percent(choice.win_probability),
            percent(choice.loss) if choice.loss else "-",
        ]
        for choice in choices
    ]
    heads = ["keep", "points", "then", "dice left", "win probability", "loss"]
    return f"{title}\n\n{columns(heads, lines, left=[0, 2, 3])}"


GOALS: dict[str, Callable[[Situation], Answer]] = {"win": _for_win, "points": _for_points}
"""What choices are ranked by."""
