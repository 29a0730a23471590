"""`turn`: the best single turn, or the best play in the long run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from dice10k_math.bounds import clean_chance
from dice10k_math.cli.arguments import example, hand_field, rules_argument
from dice10k_math.cli.bank_text import bank_text
from dice10k_math.cli.output import Answer, answers
from dice10k_math.cli.parameters import Whole
from dice10k_math.cli.solving import waiting
from dice10k_math.cli.text import heading, one_in, pairs, percent, ratio
from dice10k_math.rules.model import Ruleset

if TYPE_CHECKING:
    from dice10k_math.questions.long_run import LongRun
    from dice10k_math.questions.turn import TurnSolution
    from dice10k_math.solve.endings import Endings

MOST_AT_LEAST = 100_000
NEGLIGIBLE = 1e-5
STATE_HEADS = ("dice", "turn_score", "hot_dice", "bank", "roll", "action")


@click.command("turn", epilog=example("turn dice10k --score 5000"))
@rules_argument
@click.option("--score", type=Whole(), metavar="S", help="Score at the start of the turn; default: 0, long run: 1000.")
@click.option("--opened/--not-opened", default=None, help="Whether the player has banked before; default: score not 0.")
@click.option("--busts", type=Whole(), metavar="N", help="Busts in a row before this turn.")
@click.option(
    "--at-least",
    type=Whole(1, MOST_AT_LEAST),
    metavar="POINTS",
    help="Aim to bank this many points, as likely as can be.",
)
@click.option("--long-run", is_flag=True, help="Most points a turn on average, over all busts in a row.")
@answers
def command(
    rules: Ruleset, score: int | None, opened: bool | None, busts: int | None, at_least: int | None, long_run: bool
) -> Answer:
    """Find the best turn, and say when to bank.

    The best turn is the one with the most expected points.

    The expected change of the score counts the penalties of a bust; an instant win is worth no points.
    """
    if long_run:
        if opened is not None or busts is not None or at_least is not None:
            raise click.UsageError("--long-run: not with --opened, --busts or --at-least; allowed: --score")
        with waiting(rules, "solving the turns"):
            return _long_run(rules, 1000 if score is None else score)
    from dice10k_math.questions.turn import solve_turn
    from dice10k_math.solve.worth import at_least as worth_of

    worth = None if at_least is None else worth_of(at_least)
    with waiting(rules, "solving the turn"):
        turn = solve_turn(rules, score or 0, opened=opened, busts=busts or 0, worth=worth)
        return _one_turn(turn, at_least)


def _one_turn(turn: TurnSolution, at_least: int | None) -> Answer:
    endings, states = turn.endings, states_of(turn)
    value = {"expected_points": turn.expected_points}
    if at_least is not None:
        value = {"at_least": at_least, "probability": _goal(turn)}
    data: dict[str, Any] = {
        "ruleset": turn.rules.name,
        "score": turn.score,
        **value,
        "exact": None if turn.exact is None else ratio(turn.exact),
        "bust_probability": endings.any_bust,
        "states": states,
        "lower": turn.lower,
        "upper": turn.upper,
        "opened": turn.opened,
        "busts": turn.busts,
        "bank_table": bank_rows(turn),
        "endings": _endings(endings),
    }
    return Answer(data, states, lambda: _text(turn, at_least, endings), STATE_HEADS)


def states_of(turn: TurnSolution) -> list[dict[str, Any]]:
    """Return the decisions of a turn as rows."""
    return [
        {
            "dice": state.dice,
            "turn_score": state.turn_score,
            "hot_dice": state.hot_dice,
            "bank": state.bank,
            "roll": state.roll,
            "action": state.action,
            **hand_field(turn.rules, state.hand),
        }
        for state in turn.states()
    ]


def bank_rows(turn: TurnSolution) -> list[dict[str, Any]]:
    """Return the bank table of a turn as rows."""
    return [
        {
            "dice": run.dice,
            "hot_dice": run.hot_dice,
            "bank_from": run.first,
            "bank_to": run.last,
            **hand_field(turn.rules, run.hand),
        }
        for run in turn.bank_table()
    ]


def _endings(endings: Endings) -> dict[str, Any]:
    return {
        "bust": endings.bust,
        "bust_on_six": endings.bust_on_six,
        "instant_win": endings.instant_win,
        "not_followed": endings.open,
        "banked": [{"turn_score": score, "probability": chance} for score, chance in endings.banked.items()],
    }


def _text(turn: TurnSolution, at_least: int | None, endings: Endings) -> str:
    goal = "the best turn" if at_least is None else f"the best turn to bank at least {at_least:,} points"
    title = heading(turn.rules, f"{goal}, {_situation(turn)}")
    return f"{title}\n\n{pairs(_summary(turn, at_least, endings))}\n\n{bank_text(turn)}"


def _situation(turn: TurnSolution) -> str:
    words = [f"score {turn.score:,}"]
    if turn.opened is not None:
        words.append("opened" if turn.opened else "not opened")
    if turn.busts:
        words.append(f"after {turn.busts} bust{'s' if turn.busts > 1 else ''} in a row")
    return ", ".join(words)


def _summary(turn: TurnSolution, at_least: int | None, endings: Endings) -> list[tuple[str, str]]:
    bust = endings.any_bust
    items = [
        ("expected", f"{turn.expected_points:,.4f} points ({_proof(turn)})")
        if at_least is None
        else ("chance", f"{percent(_goal(turn))} ({_proof(turn)})"),
        ("bust", _chance(bust)),
    ]
    if turn.rules.bust.on_six:
        items.append(("bust on six", _chance(endings.bust_on_six)))
    if turn.rules.variants.spicy_faces is not None:
        items.append(("instant win", _chance(endings.instant_win)))
    banked = sum(endings.banked.values())
    if banked:
        mean = sum(score * chance for score, chance in endings.banked.items()) / banked
        items.append(("bank", f"{percent(banked)}, {mean:,.1f} points on average"))
    if endings.open >= NEGLIGIBLE:
        items.append(("not followed", f"{percent(endings.open)}, turns that outrun the turn scores looked at"))
    return items


def _goal(turn: TurnSolution) -> float:
    """Return the chance of the points aimed for."""
    return clean_chance(turn.expected_points, turn.lower, turn.upper)


def _chance(probability: float) -> str:
    return f"{percent(probability)}, 1 turn in {one_in(probability)}"


def _proof(turn: TurnSolution) -> str:
    if turn.exact is not None:
        return "exact"
    return f"proved to within {turn.upper - turn.lower:.1g}"


def _long_run(rules: Ruleset, score: int) -> Answer:
    from dice10k_math.questions.long_run import long_run

    run = long_run(rules, score)
    strategies = [
        {
            "busts": turn.busts,
            "advantage": advantage,
            "bust_probability": turn.bust_probability,
            "bank_table": bank_rows(turn),
            "states": states_of(turn),
        }
        for turn, advantage in zip(run.turns, run.advantages, strict=True)
    ]
    data = {
        "ruleset": rules.name,
        "score": score,
        "points_per_turn": run.points_per_turn,
        "lower": run.lower,
        "upper": run.upper,
        "strategies": strategies,
    }
    rows = [{"busts": turn.busts, **state} for turn in run.turns for state in states_of(turn)]
    return Answer(data, rows, lambda: _long_run_text(run, score), ("busts", *STATE_HEADS))


def _long_run_text(run: LongRun, score: int) -> str:
    title = heading(run.rules, f"the best turns in the long run, score {score:,}")
    value = f"{run.points_per_turn:,.4f} points a turn (proved to within {run.upper - run.lower:.1g})"
    parts = [title, pairs([("expected", value)])]
    for turn, advantage in zip(run.turns, run.advantages, strict=True):
        if len(run.turns) > 1:
            parts.append(f"{_before(turn.busts)}, worth {advantage:+,.2f} points against none:")
        parts.append(bank_text(turn))
    return "\n\n".join(parts)


def _before(busts: int) -> str:
    return "After no bust" if not busts else f"After {busts} bust{'s' if busts > 1 else ''} in a row"
