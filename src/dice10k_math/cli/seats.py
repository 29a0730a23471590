"""What `respond`, `evaluate` and `match` do for more than two players."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from dice10k_math.cli.output import Answer
from dice10k_math.cli.parameters import Whole
from dice10k_math.cli.solving import progress
from dice10k_math.cli.text import columns, heading, pairs, percent
from dice10k_math.rules.model import Ruleset

scores_option = click.option(
    "--scores", metavar="A,B,C", help="Three or more players: banked scores of all, by seat; default: 0 each."
)


def read_scores(text: str | None) -> list[int] | None:
    """Return the scores that a user names, with commas between.

    Examples
    --------
    >>> read_scores("0,500,1000")
    [0, 500, 1000]
    """
    return None if text is None else [Whole().convert(word, None, None) for word in text.split(",")]


def refuse_pair(score: int | None, opponent: int | None, second: bool) -> None:
    """Refuse options that are for two players."""
    for name, given in (("--score", score is not None), ("--opponent", opponent is not None), ("--second", second)):
        if given:
            raise click.UsageError(f"{name}: with more than two players; allowed: --scores A,B,C")


def refuse_seats(scores: str | None, seat: int | None = None) -> None:
    """Refuse options that are for three or more players."""
    for name, given in (("--scores", scores is not None), ("--seat", seat is not None)):
        if given:
            raise click.UsageError(f"{name}: with two players; allowed: with three or more")


def respond(rules: Ruleset, against: Sequence[str], seat: int, scores: str | None) -> Answer:
    """Find the most that can be won against several policies without looking at the others' scores."""
    from dice10k_math.questions.evaluation import name_of
    from dice10k_math.questions.seats import seats_response

    with progress() as report:
        found = seats_response(rules, against, seat, scores=read_scores(scores), progress=report)
    value, names = found.win_probability(), [name_of(policy) for policy in found.against]
    row: dict[str, Any] = {"ruleset": rules.name, "against": names, "seat": seat, "scores": list(found.scores)}
    row |= {"win_probability": value.value, "lower": value.lower, "upper": value.upper}
    seated = [*names[: seat - 1], "best play", *names[seat - 1 :]]

    def text() -> str:
        items = [
            ("best play wins", percent(value.value)),
            ("proved to within", f"{value.upper - value.lower:.1g}"),
        ]
        who = pairs((f"seat {number}", name) for number, name in enumerate(seated, start=1))
        note = "The best play looks at no score of players who are still below the target."
        return f"{heading(rules, _scores(found.scores))}\n\n{who}\n\n{pairs(items)}\n\n{note}"

    flat = row | {"against": "; ".join(names), "scores": " ".join(map(str, found.scores))}
    return Answer(row, [flat], text)


def evaluate(rules: Ruleset, policies: Sequence[str], scores: str | None) -> Answer:
    """Find how likely three or more policies are to win that look at their own score only."""
    from dice10k_math.questions.evaluation import name_of
    from dice10k_math.questions.seats import evaluate_seats

    with progress() as report:
        found = evaluate_seats(rules, policies, scores=read_scores(scores), progress=report)
    rows = [
        {
            "seat": number,
            "policy": name_of(policy),
            "win_probability": value.value,
            "lower": value.lower,
            "upper": value.upper,
        }
        for number, (policy, value) in enumerate(zip(found.policies, found.seats, strict=True), start=1)
    ]
    head: dict[str, Any] = {"ruleset": rules.name, "scores": list(found.scores)}

    def text() -> str:
        names = pairs((f"seat {number}", name_of(policy)) for number, policy in enumerate(found.policies, start=1))
        lines = [
            [str(number), percent(value.value), f"{value.upper - value.lower:.1g}"]
            for number, value in enumerate(found.seats, start=1)
        ]
        table = columns(["seat", "wins", "proved to within"], lines)
        return f"{heading(rules, _scores(found.scores))}\n\n{names}\n\n{table}"

    flat = {"ruleset": rules.name, "scores": " ".join(map(str, found.scores))}
    return Answer({**head, "seats": rows}, [flat | row for row in rows], text)


def three(rules: Ruleset, scores: str | None) -> Answer:
    """Find how likely each of three players is to win who all play to win."""
    from dice10k_math.questions.trio import check_scores, solve_three

    given = read_scores(scores) or [0, 0, 0]
    if len(given) != 3:
        raise click.UsageError(f"--scores: {len(given)} for 3 players; allowed: one for each")
    own, next_, third = given
    check_scores(rules, own, next_, third)
    with progress() as report:
        found = solve_three(rules, report)
    values, gap = found.win_probabilities(own, next_, third), found.gap(own, next_, third)
    rows = [
        {"seat": number, "score": score, "win_probability": value.value, "lower": value.lower, "upper": value.upper}
        for number, (score, value) in enumerate(zip(given, values, strict=True), start=1)
    ]
    head: dict[str, Any] = {"ruleset": rules.name, "target": rules.ending.target, "players": 3}

    def text() -> str:
        lines = [
            [str(row["seat"]), str(row["score"]), percent(row["win_probability"]), f"{row['upper'] - row['lower']:.1g}"]
            for row in rows
        ]
        table = columns(["seat", "score", "wins", "proved to within"], lines)
        note = f"Seat 1 is to move. None can gain more than {gap:.1g} by playing otherwise."
        return f"{heading(rules, f'3 players, target {rules.ending.target:,}')}\n\n{table}\n\n{note}"

    return Answer({**head, "seats": rows, "gap": gap}, [head | row | {"gap": gap} for row in rows], text)


def _scores(scores: Sequence[int]) -> str:
    return f"{len(scores)} players, scores {', '.join(map(str, scores))}"
