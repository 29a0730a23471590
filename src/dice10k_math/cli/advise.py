"""`advise`: every choice after a roll, best first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

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
from dice10k_math.cli.output import Answer, answers
from dice10k_math.cli.text import columns, faces, heading
from dice10k_math.rules.model import Ruleset

HEADS = ("keep", "points", "then", "dice_left", "win_probability", "expected_points", "loss")

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


@click.command("advise", epilog=example("advise dice10k --turn-score 350 --roll 1,1,5,3 --score 2000 --for points"))
@rules_argument
@click.option(
    "--turn-score", type=click.IntRange(0, MOST_TURN_SCORE), required=True, metavar="T", help="Before this roll."
)
@roll_option
@click.option("--score", type=int, default=0, show_default=True, metavar="A", help="The player's banked score.")
@click.option("--opponent", type=int, metavar="B", help="The opponent's banked score.")
@click.option(
    "--for", "goal", type=click.Choice(["win", "points"]), default="win", show_default=True, help="What to rank by."
)
@click.option(
    "--hot-dice",
    type=click.IntRange(0, MOST_HOT_DICE),
    default=0,
    show_default=True,
    metavar="N",
    help="So far in the turn.",
)
@hand_option
@click.option("--opened/--not-opened", default=None, help="Whether the player has banked before; default: score not 0.")
@click.option("--busts", type=int, default=0, metavar="N", help="Busts in a row before this turn.")
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
) -> Answer:
    """Rank every choice after a roll.

    The best comes first: which dice to keep, then whether to bank or to roll on.

    --for points ranks by the expected change of the score in this turn.
    """
    return GOALS[goal](Situation(rules, score, opponent, turn_score, hot_dice, roll, hand, opened, busts))


def _for_points(situation: Situation) -> Answer:
    from dice10k_math.questions.turn import solve_turn

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
    raise click.UsageError("--for win: there is no match solver in this version; allowed: --for points")


GOALS: dict[str, Callable[[Situation], Answer]] = {"win": _for_win, "points": _for_points}
"""What choices are ranked by."""
