"""`card`: the one-page strategy card."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dice10k_math.cli.arguments import example, rules_argument
from dice10k_math.cli.output import Answer, render, write
from dice10k_math.cli.solving import match_of, progress, tables_option
from dice10k_math.rules.model import Ruleset

if TYPE_CHECKING:
    from dice10k_math.cards.card import Card
    from dice10k_math.cards.near import Near
    from dice10k_math.policy.thresholds import ByDice

FORMATS = ("table", "markdown", "svg", "pdf", "json", "csv")
ENDINGS = {".md": "markdown"} | {f".{form}": form for form in ("svg", "pdf", "json", "csv")}
"""What a file is that ends so."""


@click.command("card", epilog=example("card farkle --tables tables --output farkle.pdf"))
@rules_argument
@tables_option
@click.option("--format", "form", type=click.Choice(FORMATS), help="Format; default: what FILE ends in, else table.")
@click.option(
    "--output", type=click.Path(path_type=Path), metavar="FILE", help="Write to this file, whole or not at all."
)
def command(rules: Ruleset, tables: Path | None, form: str | None, output: Path | None) -> int:
    """Make a one-page strategy card, and say exactly what it gives away.

    The card counts what rolling on is worth, and says what changes near the end and when behind.
    Where scores can fall it takes --tables, and minutes, to say what the card gives away.
    With High Stakes it weighs what a bank leaves to the other; --tables, and minutes, tell what the card gives away.
    """
    from dice10k_math.cards.card import make_card, tells_wins
    from dice10k_math.questions.positions import FieldPositions, RacePositions

    positions = None
    if tables is not None and tells_wins(rules):
        found = match_of(rules, tables).positions
        positions = found if isinstance(found, RacePositions | FieldPositions) else None
    with progress() as report:
        card = make_card(rules, positions, report)
    usual = ENDINGS.get(output.suffix.lower(), "table") if output is not None else "table"
    write(_rendered(card, form or usual), output)
    return 0


def _rendered(card: Card, form: str) -> str:
    from dice10k_math.cards.drawing import pdf, svg
    from dice10k_math.cards.markdown import markdown
    from dice10k_math.cards.page import page_of

    if form == "json":
        return json.dumps(_data(card), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    if form == "csv":
        return render(Answer({}, _rows(card), str), "csv")
    makers = {"table": markdown, "markdown": markdown, "svg": svg, "pdf": pdf}
    return makers[form](page_of(card))


def _data(card: Card) -> dict[str, Any]:
    """Return everything on the card."""
    from dice10k_math.policy.thresholds import NEVER

    data: dict[str, Any] = {
        "ruleset": card.rules.name,
        "policy": card.text,
        "points": asdict(card.points),
        "wins": None,
    }
    if card.wins is not None:
        data["wins"] = asdict(card.wins)
    found = card.findings
    return data | {
        "counts": _rows(card),
        "edges": list(found.edges),
        "bold": [[list(row) for row in table] for table in found.bold],
        "goal": [[list(row) for row in table] for table in found.goal],
        "lead": found.lead,
        "last_turn": None if found.last is None else list(found.last.dice_left),
        "take": _by_dice(found.take),
        "leave": found.leave,
        "one_die": [[None if least == NEVER else least for least in row] for row in found.one_die],
        "reach": [{"dice": dice, "lead": lead} for dice, lead in found.reach],
        "far": [{"dice": dice, "behind": behind} for dice, behind in found.far],
        "opening_take": None if found.opening_take is None else _by_dice(found.opening_take),
        "last_take": [{"behind": behind, "take": _by_dice(take)} for behind, take in found.last_take],
        "near": None if found.near is None else _near(found.near),
    }


def _by_dice(take: ByDice) -> list[dict[str, int]]:
    return [{"dice": dice, "from": points} for dice, points in take]


def _near(near: Near) -> dict[str, Any]:
    """Return what counts near a target that must be hit."""
    return {
        "rivals": [rival.name for rival in near.rivals],
        "zones": [{"below": zone.below, "places": [asdict(each) for each in zone.places]} for zone in near.zones],
        "edges": list(near.edges),
        "bold": [list(row) for row in near.bold],
    }


def _rows(card: Card) -> list[dict[str, Any]]:
    """Return what rolling on counts, by when and by the dice left."""
    found = card.findings
    kinds = (("usual", found.counts), ("no points yet", found.opening))
    return [
        {"when": when, "dice_left": number + 1, "points": points, "percent": percent, "unbankable": off}
        for when, counts in kinds
        if counts is not None
        for number, (points, percent, off) in enumerate(zip(counts.points, counts.percent, counts.offs, strict=True))
    ]
