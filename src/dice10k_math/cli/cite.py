"""`cite`: a number with an identifier by which it can be found again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dice10k_math.cli.arguments import example, rules_argument
from dice10k_math.cli.output import Answer, answers
from dice10k_math.cli.solving import USUAL, progress
from dice10k_math.cli.text import certain, heading, pairs, ratio
from dice10k_math.rules.model import Ruleset

if TYPE_CHECKING:
    from dice10k_math.citing.lookup import Citation

LONGEST = 60
"""Longest exact fraction that the text for people shows."""

folder_option = click.option(
    "--tables",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Folder of tables to read the number from; default: the folder 'tables', if it is there.",
)


@click.command("cite", epilog=example("cite farkle match score=4200 opponent=7000 --tables tables"))
@rules_argument
@click.argument("question")
@click.argument("arguments", nargs=-1, metavar="[NAME=VALUE]...")
@folder_option
@answers
def command(rules: Ruleset, question: str, arguments: tuple[str, ...], tables: Path | None) -> Answer:
    """Answer a QUESTION, and say how to cite the number.

    \b
    QUESTION    arguments
    bust        dice, hand
    hot-dice    dice, hand
    mean-score  dice, hand
    best-score  points, dice, hand
    turn        score, opened, busts
    at-least    points, score, opened, busts
    bank-from   dice, hand, hot-dice, score, opened, busts
    long-run    score
    solo        score, opened, busts
    match       score, opponent, second

    The identifier in the answer finds the number again: see the command "lookup".
    """  # noqa: D301 - a backspace, by which click knows lines that are to stay lines
    from dice10k_math.citing.lookup import cite

    with progress() as report:
        found = cite(rules, question, arguments, tables=usual_folder(tables), progress=report)
    return Answer(fields_of(found), [fields_of(found)], lambda: text_of(found))


def usual_folder(tables: Path | None) -> Path | None:
    """Return the folder of tables to read from: the given one, or the usual one if it is there."""
    if tables is not None or not (USUAL / "manifest.json").is_file():
        return tables
    return USUAL


def fields_of(found: Citation) -> dict[str, Any]:
    """Return a citation as fields."""
    number = found.number
    return {
        "identifier": str(found.identifier),
        "ruleset": found.rules.name,
        "fingerprint": found.identifier.fingerprint,
        "question": found.question.name,
        "meaning": found.question.meaning,
        "arguments": list(found.identifier.arguments),
        "unit": found.question.unit,
        "value": number.value,
        "lower": number.lower,
        "upper": number.upper,
        "exact": None if number.exact is None else ratio(number.exact),
        "version": found.identifier.version,
        "origin": number.origin,
    }


def text_of(found: Citation, *more: tuple[str, str]) -> str:
    """Return a citation in words."""
    number = found.number
    value = certain(number.lower, number.upper)
    proof = ("proved to within", f"{number.upper - number.lower:.1g}")
    items = [("value", value), ("unit", found.question.unit)]
    items.append(proof if number.exact is None else ("exact", _shortened(ratio(number.exact))))
    items += [("read from" if number.origin == "tables" else "found by", _origin(found)), *more]
    asked = ", ".join((found.question.name, *found.identifier.arguments))
    note = f"{value} ({found.question.unit}). dice10k_math {found.identifier.version}."
    return f"{heading(found.rules, asked)}\n{found.question.meaning}\n\n{pairs(items)}\n\n{note}\n{found.identifier}"


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST else f"a fraction of {len(text):,} characters (--format json shows it)"


def _origin(found: Citation) -> str:
    return "the tables" if found.number.origin == "tables" else "computing it"
