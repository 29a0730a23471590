"""`match`: who wins from here."""

from __future__ import annotations

from pathlib import Path

import click

from dice10k_math.cli.arguments import example, rules_argument
from dice10k_math.cli.output import Answer, answers
from dice10k_math.cli.solving import match_of, second_option, tables_option
from dice10k_math.cli.text import heading, pairs, percent
from dice10k_math.rules.model import Ruleset


@click.command("match", epilog=example("match farkle --score 4200 --opponent 7000"))
@rules_argument
@click.option("--score", type=int, metavar="A", help="Banked score of the player to move; default: the start.")
@click.option("--opponent", type=int, metavar="B", help="Banked score of the other.")
@second_option
@tables_option
@answers
def command(rules: Ruleset, score: int | None, opponent: int | None, second: bool, tables: Path | None) -> Answer:
    """Find how likely the player to move is to win.

    Two play, both to win. The bounds are proved.
    """
    own, other = both_scores(score, opponent)
    check_scores(rules, own, other, second)
    found = match_of(rules, tables).win_probability(own, other, second=second)
    row = {
        "score": own,
        "opponent": other,
        **({"second": second} if rules.ending.kind == "equal_turns" else {}),
        "win_probability": found.value,
        "lower": found.lower,
        "upper": found.upper,
    }

    def text() -> str:
        items = [
            ("win probability", f"{percent(found.value)} for the player to move"),
            ("proved to within", f"{found.upper - found.lower:.1g}"),
        ]
        return f"{heading(rules, where(own, other, second))}\n\n{pairs(items)}"

    return Answer({"ruleset": rules.name, **row}, [row], text)


def both_scores(score: int | None, opponent: int | None) -> tuple[int, int]:
    """Return the two scores that a user gives, or those of the start."""
    if (score is None) != (opponent is None):
        missing, given = ("--opponent B", "--score") if opponent is None else ("--score A", "--opponent")
        raise click.UsageError(f"{given}: not without the other score; allowed: also {missing}, or neither")
    return score or 0, opponent or 0


def where(score: int, opponent: int, second: bool) -> str:
    """Return a turn start in words."""
    return f"score {score:,}, opponent {opponent:,}{', second turn of the round' if second else ''}"


def check_scores(rules: Ruleset, score: int, opponent: int, second: bool) -> None:
    """Refuse what can be seen to be wrong before a match is solved, which may take a while."""
    if second and rules.ending.kind != "equal_turns":
        raise click.UsageError(f"--second: {rules.name} has no equal turns; allowed: without it")
    target = rules.ending.target
    if rules.ending.overshoot == "add_or_subtract":
        return
    for name, value in (("--score", score), ("--opponent", opponent)):
        if value >= target:
            raise click.UsageError(f"{name}: {value}; allowed: below the target {target}")
