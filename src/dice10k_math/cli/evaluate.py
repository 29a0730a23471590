"""`evaluate`: who wins how often, playing by given policies, and how the match goes."""

from __future__ import annotations

from typing import Any

import click

from dice10k_math.cli.arguments import example, rules_argument
from dice10k_math.cli.course import course_data, course_rows, course_text, length_data, turns_data
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
@click.option(
    "--course",
    is_flag=True,
    help="One or two policies: how many turns it takes, how many of them bust, and what they bring.",
)
@answers
def command(
    rules: Ruleset,
    policies: tuple[str, ...],
    score: int | None,
    opponent: int | None,
    second: bool,
    scores: str | None,
    course: bool,
) -> Answer:
    """Find how likely players are to win who play by policies.

    Each of two is looked at when to move, with score A against B. The bounds are proved.

    With --course also how the match goes, the first policy being to move: the distributions of the number of turns
    of both together and of what a turn banks. With one policy, of a player alone with score A.

    Three or more, which must look at their own score only, play in the order given.
    """
    if len(policies) > 2:
        refuse_pair(score, opponent, second)
        if course:
            raise click.UsageError(f"--course: with {len(policies)} policies; allowed: with one or two")
        return seats(rules, policies, scores)
    refuse_seats(scores)
    if len(policies) == 1 and course:
        return _alone(rules, policies[0], score, opponent, second)
    own, other = both_scores(score, opponent)
    check_scores(rules, own, other, second)
    if len(policies) != 2:
        raise click.UsageError(f"policies: {len(policies)}; allowed: 2 to 8, or one with --course")
    from dice10k_math.questions.evaluation import evaluate, name_of

    with progress() as report:
        found = evaluate(rules, (policies[0], policies[1]), report)
        if course:
            report("following", None)
        goes = found.course(own, other, second=second) if course else None
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
        parts = [heading(rules, where(own, other, second)), names, table]
        if goes is not None:
            parts += [
                "how it goes with seat 1 to move:",
                course_text(goes.length, goes.left, goes.expected_turns, goes.seats),
            ]
        return "\n\n".join(parts)

    if goes is None:
        return Answer({**head, "seats": rows}, [head | row for row in rows], text)
    data = {**head, "seats": rows, "course": course_data(goes)}
    return Answer(data, course_rows(head, goes.length, goes.seats), text)


def _alone(rules: Ruleset, policy: str, score: int | None, opponent: int | None, second: bool) -> Answer:
    """Find how the game of one player alone goes."""
    for name, given in (("--opponent", opponent is not None), ("--second", second)):
        if given:
            raise click.UsageError(f"{name}: with one policy; allowed: with two")
    from dice10k_math.questions.evaluation import evaluate_alone, name_of

    with progress() as report:
        report("following", None)
        found = evaluate_alone(rules, policy, score or 0)
    head: dict[str, Any] = {"ruleset": rules.name, "score": score or 0}
    row = {"policy": name_of(found.policy), "expected_turns": found.expected_turns} | turns_data(found.turns)

    def text() -> str:
        title = heading(rules, f"alone, score {score or 0:,}")
        goes = course_text(found.length, found.left, found.expected_turns, [found.turns])
        return f"{title}\n\n{pairs([('policy', name_of(found.policy))])}\n\n{goes}"

    data = head | row | length_data(found.length, found.left)
    return Answer(data, course_rows(head, found.length, [found.turns]), text)
