"""`solo`: the fewest turns of one player alone."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

import click

from dice10k_math.cli.arguments import example, rules_argument
from dice10k_math.cli.output import Answer, answers
from dice10k_math.cli.text import columns, heading, pairs, percent
from dice10k_math.rules.model import Ruleset

if TYPE_CHECKING:
    from dice10k_math.questions.solo import Enclosed, SoloSolution

LISTED = 40
"""About how many scores the text for people lists."""


@click.command("solo", epilog=example("solo farkle --score 9000 --within 3"))
@rules_argument
@click.option("--score", type=int, metavar="S", help="Score at the start of the turn; default: all scores.")
@click.option("--opened/--not-opened", default=None, help="Whether the player has banked before; default: score not 0.")
@click.option("--busts", type=int, metavar="N", help="Busts in a row before this turn.")
@click.option(
    "--within", type=click.IntRange(0, 10_000), metavar="K", help="Also: the best chance to be done in K turns."
)
@answers
def command(rules: Ruleset, score: int | None, opened: bool | None, busts: int | None, within: int | None) -> Answer:
    """Find the fewest expected turns to the end of the game, alone.

    The end is a bank that reaches the target, or lands on it where it must be met exactly.

    With --within the chance is that of the play that is best for it.
    """
    if score is None and (opened is not None or busts is not None):
        raise click.UsageError("--opened, --busts: not without --score; allowed: --score S")
    from dice10k_math.questions.solo import solve_solo

    solo = solve_solo(rules)
    if score is None:
        return _all(solo, within)
    starts = ((score, opened, busts or 0),)
    row = {"score": score, "opened": opened, "busts": busts or 0, **_row(solo.expected_turns(*starts[0]))}
    if within is not None:
        row |= _within(within, solo.within(within, starts)[0])
    return Answer({"ruleset": rules.name, **row}, [row], lambda: _text(rules, score, row))


def _row(found: Enclosed) -> dict[str, Any]:
    """Return bounds as fields; a game without a certain end has none."""
    if not isfinite(found.value):
        return {"expected_turns": None, "lower": None, "upper": None}
    return {"expected_turns": found.value, "lower": found.lower, "upper": found.upper}


def _within(turns: int, found: Enclosed) -> dict[str, Any]:
    return {
        "within": turns,
        "probability": found.value,
        "probability_lower": found.lower,
        "probability_upper": found.upper,
    }


def _all(solo: SoloSolution, within: int | None) -> Answer:
    starts = solo.turn_starts()
    chances = [{} for _ in starts] if within is None else [_within(within, f) for f in solo.within(within, starts)]
    rows = [
        {"score": start[0], "opened": start[1], "busts": start[2], **_row(solo.expected_turns(*start)), **chance}
        for start, chance in zip(starts, chances, strict=True)
    ]
    return Answer({"ruleset": solo.rules.name, "scores": rows}, rows, lambda: _table(solo.rules, rows))


def _turns(row: dict[str, Any]) -> str:
    return "no certain end" if row["expected_turns"] is None else f"{row['expected_turns']:.6f}"


def _text(rules: Ruleset, score: int, row: dict[str, Any]) -> str:
    items = [("expected", f"{_turns(row)} turns")]
    if row["lower"] is not None:
        items[0] = ("expected", f"{_turns(row)} turns (proved to within {row['upper'] - row['lower']:.1g})")
    if "within" in row:
        items.append((f"done within {row['within']:,} turns", percent(row["probability"])))
    return f"{heading(rules, f'fewest turns alone, score {score:,}')}\n\n{pairs(items)}"


def _table(rules: Ruleset, rows: list[dict[str, Any]]) -> str:
    """Return a choice of the scores between 0 and the target that are enough for a look."""
    shown = [row for row in rows if 0 <= row["score"] < rules.ending.target or row["score"] == 0]
    shown = [row for row in shown if row["opened"] or row["score"] == 0]
    step = max(1, len(shown) // LISTED)
    lines = [
        [f"{row['score']:,}", "yes" if row["opened"] else "no", str(row["busts"]), _turns(row)]
        + ([percent(row["probability"])] if "probability" in row else [])
        for number, row in enumerate(shown)
        if number % step == 0 or not row["opened"]
    ]
    heads = ["score", "opened", "busts", "expected turns"]
    heads += [f"within {rows[0]['within']:,}"] if "within" in rows[0] else []
    return f"{heading(rules, 'fewest turns alone')}\n\n{columns(heads, lines)}"
