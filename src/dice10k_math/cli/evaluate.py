"""`evaluate`: who wins how often, playing by given policies."""

from __future__ import annotations

from typing import Any

import click

from dice10k_math.cli.arguments import example, rules_argument
from dice10k_math.cli.match import both_scores, check_scores, where
from dice10k_math.cli.output import Answer, answers
from dice10k_math.cli.seats import evaluate as seats
from dice10k_math.cli.seats import refuse_pair, refuse_seats, scores_option
from dice10k_math.cli.solving import progress, second_option
from dice10k_math.cli.text import columns, heading, pairs, percent
from dice10k_math.rules.model import Ruleset

EXAMPLE = 'evaluate des-10000 computer "threshold 350 2:250 1:250"'


@click.command("evaluate", epilog=example(EXAMPLE))
@rules_argument
@click.argument("policies", metavar="POLICY POLICY...", nargs=-1)
@click.option("--score", type=int, metavar="A", help="Banked score of the player to move; default: the start.")
@click.option("--opponent", type=int, metavar="B", help="Banked score of the other.")
@second_option
@scores_option
@answers
def command(
    rules: Ruleset,
    policies: tuple[str, ...],
    score: int | None,
    opponent: int | None,
    second: bool,
    scores: str | None,
) -> Answer:
    """Find how likely players are to win who play by policies.

    Each of two is looked at when to move, with score A against B. The bounds are proved.

    Three or more, which must look at their own score only, play in the order given.
    """
    if len(policies) > 2:
        refuse_pair(score, opponent, second)
        return seats(rules, policies, scores)
    refuse_seats(scores)
    own, other = both_scores(score, opponent)
    check_scores(rules, own, other, second)
    if len(policies) != 2:
        raise click.UsageError(f"policies: {len(policies)}; allowed: 2 to 8")
    from dice10k_math.questions.evaluation import evaluate, name_of

    with progress() as report:
        found = evaluate(rules, (policies[0], policies[1]), report)
    rows: list[dict[str, Any]] = []
    for seat, policy in enumerate(found.policies, start=1):
        value = found.win_probability(own, other, seat=seat, second=second)
        turn = found.turn(own, other, seat=seat, second=second)
        rows.append(
            {
                "seat": seat,
                "policy": name_of(policy),
                "win_probability": value.value,
                "lower": value.lower,
                "upper": value.upper,
                "bust_rate": turn.busts,
                "points_per_turn": turn.mean,
            }
        )
    head = {"ruleset": rules.name, "score": own, "opponent": other}
    head |= {"second": second} if rules.ending.kind == "equal_turns" else {}

    def text() -> str:
        names = pairs((f"seat {row['seat']}", str(row["policy"])) for row in rows)
        lines = [
            [
                str(row["seat"]),
                percent(row["win_probability"]),
                f"{row['upper'] - row['lower']:.1g}",
                percent(row["bust_rate"]),
                f"{row['points_per_turn']:.1f}",
            ]
            for row in rows
        ]
        table = columns(["to move", "wins", "proved to within", "busts", "points a turn"], lines)
        return f"{heading(rules, where(own, other, second))}\n\n{names}\n\n{table}"

    return Answer({**head, "seats": rows}, [head | row for row in rows], text)
