"""`solo`: the fewest turns of one player alone."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite
from typing import TYPE_CHECKING, Any

import click

from dice10k_math.cli.arguments import example, rules_argument
from dice10k_math.cli.output import Answer, answers
from dice10k_math.cli.parameters import Whole
from dice10k_math.cli.solving import progress
from dice10k_math.cli.text import columns, heading, pairs, percent
from dice10k_math.rules.model import Ruleset

if TYPE_CHECKING:
    from dice10k_math.questions.solo import Enclosed

LISTED = 50
"""How many scores the text for people lists at most."""

STEPS = (1, 2, 4, 5, 10, 20, 40, 50, 100, 200, 500, 1_000)
"""Which scores those are, in steps of the game."""


@click.command("solo", epilog=example("solo farkle --score 9000 --within 3"))
@rules_argument
@click.option("--score", type=Whole(), metavar="S", help="Score at the start of the turn; default: all scores.")
@click.option("--opened/--not-opened", default=None, help="Whether the player has banked before; default: score not 0.")
@click.option("--busts", type=Whole(), metavar="N", help="Busts in a row before this turn.")
@click.option("--within", type=Whole(0, 10_000), metavar="K", help="Also: the best chance to be done in K turns.")
@answers
def command(rules: Ruleset, score: int | None, opened: bool | None, busts: int | None, within: int | None) -> Answer:
    """Find the fewest expected turns to the end of the game, alone.

    The end is a bank that reaches the target, or lands on it where it must be met exactly.

    With --within the chance is that of the play that is best for it.
    """
    if score is None and (opened is not None or busts is not None):
        raise click.UsageError("--opened, --busts: not without --score; allowed: --score S")
    from dice10k_math.questions.solo import check_score, solve_solo
    from dice10k_math.workers import part_of

    check_score(rules, score or 0)
    with progress() as report:
        solo = solve_solo(rules, report)
        starts = solo.turn_starts() if score is None else ((score, opened, busts or 0),)
        found = [solo.expected_turns(*start) for start in starts]
        told = part_of(report, f"chance within {_turns_in_words(within or 0)}")
        chances = () if within is None else solo.within(within, starts, told)
    rows = [
        {"score": start[0], "opened": start[1], "busts": start[2], **_row(turns), **chance}
        for start, turns, chance in zip(starts, found, _chances(within, chances) or [{}] * len(found), strict=True)
    ]
    if score is None:
        return Answer({"ruleset": rules.name, "scores": rows}, rows, lambda: _table(rules, rows))
    return Answer({"ruleset": rules.name, **rows[0]}, rows, lambda: _text(rules, score, rows[0]))


def _row(found: Enclosed) -> dict[str, Any]:
    """Return bounds as fields; a game without a certain end has none."""
    if not isfinite(found.value):
        return {"expected_turns": None, "lower": None, "upper": None}
    return {"expected_turns": found.value, "lower": found.lower, "upper": found.upper}


def _chances(turns: int | None, found: Iterable[Enclosed]) -> list[dict[str, Any]]:
    return [
        {
            "within": turns,
            "probability": chance.value,
            "probability_lower": chance.lower,
            "probability_upper": chance.upper,
        }
        for chance in found
    ]


def _turns(row: dict[str, Any]) -> str:
    return "no certain end" if row["expected_turns"] is None else f"{row['expected_turns']:.6f}"


def _text(rules: Ruleset, score: int, row: dict[str, Any]) -> str:
    items = [("expected", _turns(row))]
    if row["lower"] is not None:
        items[0] = ("expected", f"{_turns(row)} turns (proved to within {row['upper'] - row['lower']:.1g})")
    if "within" in row:
        items.append((f"done within {_turns_in_words(row['within'])}", percent(row["probability"])))
    return f"{heading(rules, f'fewest turns alone, score {score:,}')}\n\n{pairs(items)}"


def _turns_in_words(turns: int) -> str:
    return f"{turns:,} turn{'' if turns == 1 else 's'}"


def _table(rules: Ruleset, rows: list[dict[str, Any]]) -> str:
    """Return a choice of the scores between 0 and the target that are enough for a look, and say so."""
    shown, step = _chosen(rows, rules.ending.target)
    lines = [
        [f"{row['score']:,}", "yes" if row["opened"] else "no", str(row["busts"]), _turns(row)]
        + ([percent(row["probability"])] if "probability" in row else [])
        for row in shown
    ]
    heads = ["score", "opened", "busts", "expected turns"]
    heads += [f"within {rows[0]['within']:,}"] if "within" in rows[0] else []
    parts = [heading(rules, "fewest turns alone"), columns(heads, lines)]
    if len(shown) < len(rows):
        parts.append(
            f"shown: scores from 0 to below the target in steps of {step:,}\n"
            f"all {len(rows):,} turn starts: --format csv or --format json"
        )
    return "\n\n".join(parts)


def _chosen(rows: list[dict[str, Any]], target: int) -> tuple[list[dict[str, Any]], int]:
    """Return some of the turn starts by rising score, and the step between their scores."""
    likely = [row for row in rows if 0 <= row["score"] < target and (row["opened"] or row["score"] == 0)]
    scores = sorted({row["score"] for row in likely})
    unit = scores[1] - scores[0] if len(scores) > 1 else 1
    step = next((unit * times for times in STEPS if len(scores) <= LISTED * times), unit * len(scores))
    shown = [row for row in likely if row["score"] % step == 0]
    return sorted(shown, key=lambda row: (row["score"], row["opened"], row["busts"])), step
