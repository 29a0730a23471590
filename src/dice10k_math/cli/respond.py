"""`respond`: the most that can be won against a policy."""

from __future__ import annotations

from typing import Any

import click

from dice10k_math.cli.arguments import example, rules_argument
from dice10k_math.cli.match import both_scores, check_scores, where
from dice10k_math.cli.output import Answer, answers
from dice10k_math.cli.parameters import Whole
from dice10k_math.cli.seats import refuse_pair, refuse_seats, respond, scores_option
from dice10k_math.cli.solving import progress, second_option
from dice10k_math.cli.text import columns, heading, pairs, percent
from dice10k_math.rules.model import Ruleset


@click.command("respond", epilog=example("respond des-10000 --against computer"))
@rules_argument
@click.option(
    "--against",
    required=True,
    multiple=True,
    metavar="POLICY",
    help='Such as "threshold 300 2:250 1:250" or computer; once for each of the others.',
)
@click.option("--score", type=int, metavar="A", help="Banked score of the player who plays best; default: the start.")
@click.option("--opponent", type=int, metavar="B", help="Banked score of the policy.")
@second_option
@click.option(
    "--seat", type=Whole(1, 8), metavar="N", help="Three or more players: who plays best, by turn order; default: 1."
)
@scores_option
@answers
def command(
    rules: Ruleset,
    against: tuple[str, ...],
    score: int | None,
    opponent: int | None,
    second: bool,
    seat: int | None,
    scores: str | None,
) -> Answer:
    """Find the most that can be won against a policy, or against several at once.

    One line with the player who plays best to move, one with the policy to move. The bounds are proved.

    Against several policies, which must look at their own score only, the best play looks at its own score, at the
    number of turns, and in its last turn at what it has to beat.
    """
    if len(against) > 1:
        refuse_pair(score, opponent, second)
        return respond(rules, against, seat or 1, scores)
    refuse_seats(scores, seat)
    own, other = both_scores(score, opponent)
    check_scores(rules, own, other, second)
    from dice10k_math.questions.evaluation import name_of
    from dice10k_math.questions.response import best_response

    with progress() as report:
        found = best_response(rules, against[0], report)
    rows: list[dict[str, Any]] = []
    for waiting in (False, True):
        value = found.win_probability(own, other, second=second, waiting=waiting)
        row: dict[str, Any] = {"to_move": "policy" if waiting else "best"}
        rows.append(row | {"win_probability": value.value, "lower": value.lower, "upper": value.upper})
    head = {"ruleset": rules.name, "against": name_of(found.against), "score": own, "opponent": other}
    head |= {"second": second} if rules.ending.kind == "equal_turns" else {}
    given = 0.5 if (own, other) == (0, 0) else None
    exploited = None if given is None else sum(row["win_probability"] for row in rows) / 2 - given
    extra = {} if exploited is None else {"exploitability": exploited}

    def text() -> str:
        lines = [
            [
                str(row["to_move"]),
                percent(row["win_probability"]),
                f"{row['upper'] - row['lower']:.1g}",
            ]
            for row in rows
        ]
        table = columns(["to move", "best play wins", "proved to within"], lines, left=[0])
        parts = [heading(rules, where(own, other, second)), pairs([("against", str(head["against"]))]), table]
        if exploited is not None:
            parts.append(f"Over both seats the policy gives away {percent(exploited)}.")
        return "\n\n".join(parts)

    return Answer({**head, "values": rows, **extra}, [head | row for row in rows], text)
