"""`match`: who wins from here."""

from __future__ import annotations

from fractions import Fraction
from math import inf, nextafter
from pathlib import Path

import click

from dice10k_math.cli.arguments import example, rules_argument
from dice10k_math.cli.output import Answer, answers
from dice10k_math.cli.parameters import Whole
from dice10k_math.cli.seats import refuse_pair, refuse_seats, scores_option, three
from dice10k_math.cli.solving import match_at, progress, resume_option, second_option, tables_option
from dice10k_math.cli.text import heading, pairs, percent
from dice10k_math.questions.allowed import check_score, check_step, is_closing
from dice10k_math.rules.model import Ruleset, with_target


@click.command("match", epilog=example("match farkle --score 4200 --opponent 7000"))
@rules_argument
@click.option("--score", type=Whole(), metavar="A", help="Banked score of the player to move; default: the start.")
@click.option("--opponent", type=Whole(), metavar="B", help="Banked score of the other.")
@second_option
@tables_option
@resume_option
@click.option("--exact", is_flag=True, help="Bounds as fractions, judged in whole numbers; for small targets.")
@click.option("--players", type=Whole(), default=2, show_default=True, metavar="N", help="2, or 3 for small targets.")
@click.option("--target", type=Whole(), metavar="N", help="Another target; default: that of the rules.")
@scores_option
@answers
def command(
    rules: Ruleset,
    score: int | None,
    opponent: int | None,
    second: bool,
    tables: Path | None,
    resume: Path | None,
    exact: bool,
    players: int,
    target: int | None,
    scores: str | None,
) -> Answer:
    """Find how likely the player to move is to win.

    Two play, both to win. The bounds are proved.

    With --exact they are fractions, and no float takes part in the proof.

    With --players 3, three play, each for himself: an equilibrium, with a proved bound of what any of them could gain
    by playing otherwise.
    """
    rules = rules if target is None else with_target(rules, target)
    if players == 3:
        for name, given in (("--exact", exact), ("--tables", tables is not None), ("--resume", resume is not None)):
            if given:
                raise click.UsageError(f"{name}: with --players 3; allowed: without it")
        refuse_pair(score, opponent, second)
        return three(rules, scores)
    if players != 2:
        raise click.UsageError(f"--players: {players}; allowed: 2 or 3")
    refuse_seats(scores)
    if exact and tables is not None:
        raise click.UsageError("--exact: not with --tables; allowed: one of them")
    own, other = both_scores(score, opponent)
    check_scores(rules, own, other, second, closing=not exact)
    if exact:
        if resume is not None:
            raise click.UsageError(f"--resume: {resume}; allowed: --exact or --resume")
        return _exact(rules, own, other, second)
    found = match_at(rules, (own, other), second, tables, resume).win_probability(own, other, second=second)
    row = {
        **_start(rules, own, other, second),
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


def _start(rules: Ruleset, own: int, other: int, second: bool) -> dict[str, int | bool]:
    return {"score": own, "opponent": other} | ({"second": second} if rules.ending.kind == "equal_turns" else {})


def _exact(rules: Ruleset, own: int, other: int, second: bool) -> Answer:
    from dice10k_math.questions.exact_match import certify_match

    with progress() as report:
        found = certify_match(rules, report).win_probability(own, other, second=second)
    lower, upper = found.lower, found.upper
    row = {
        **_start(rules, own, other, second),
        "win_probability": float((lower + upper) / 2),
        "lower": float_below(lower),
        "upper": -float_below(-upper),
        "exact": None if found.exact is None else str(found.exact),
        "exact_lower": str(lower),
        "exact_upper": str(upper),
    }

    def text() -> str:
        items = [
            ("win probability", f"{percent((lower + upper) / 2)} for the player to move"),
            ("at least", str(lower)),
            ("at most", str(upper)),
            ("proved to within", f"{float(upper - lower):.1g}"),
        ]
        return f"{heading(rules, where(own, other, second))}\n\n{pairs(items)}"

    return Answer({"ruleset": rules.name, **row}, [row], text)


def float_below(value: Fraction) -> float:
    """Return the greatest float that is not above a fraction.

    Examples
    --------
    >>> float_below(Fraction(1, 10)) < Fraction(1, 10)
    True
    """
    near = float(value)
    return near if near <= value else nextafter(near, -inf)


def where(score: int, opponent: int, second: bool) -> str:
    """Return a turn start in words."""
    return f"score {score:,}, opponent {opponent:,}{', second turn of the round' if second else ''}"


def check_scores(rules: Ruleset, score: int, opponent: int, second: bool, *, closing: bool = False) -> None:
    """Refuse what can be seen to be wrong before a match is solved, which may take a while.

    `closing`: whether a turn may be asked about that is left once the target has been reached.
    """
    if second and rules.ending.kind != "equal_turns":
        raise click.UsageError(f"--second: {rules.name} has no equal turns; allowed: without it")
    if closing and is_closing(rules, score, opponent, second=second):
        for name, value in (("--score", score), ("--opponent", opponent)):
            check_step(rules, value, name)
            if value < 0:
                raise click.UsageError(f"{name}: {value}; allowed: 0 or more")
        return
    for name, value in (("--score", score), ("--opponent", opponent)):
        check_score(rules, value, name=name)
    target = rules.ending.target
    if rules.ending.overshoot == "add_or_subtract":
        return
    for name, value in (("--score", score), ("--opponent", opponent)):
        if value >= target:
            answers_it = closing and is_closing(rules, score, opponent, second=not second)
            which = (", or without --second" if second else ", or with --second") if answers_it else ""
            if closing and rules.ending.tie == "extra_rounds" and min(score, opponent) >= target:
                which = ", or both level (with --second: the player level or behind) in an extra round"
            raise click.UsageError(f"{name}: {value}; allowed: below the target {target}{which}")
