"""`lookup`: the number that an identifier names."""

from __future__ import annotations

from pathlib import Path

import click

from dice10k_math.cli.arguments import example
from dice10k_math.cli.cite import fields_of, folder_option, text_of, usual_folder
from dice10k_math.cli.output import Answer, answers
from dice10k_math.cli.solving import progress
from dice10k_math.rules.load import load_rules
from dice10k_math.rules.model import Ruleset

DISAGREES = 1


def _load(ctx: click.Context, param: click.Parameter, value: str | None) -> Ruleset | None:  # noqa: ARG001 - click
    return None if value is None else load_rules(value)


@click.command("lookup", epilog=example("lookup dice10k-math:0.1.0:dice10k:436eaa2bf469:bust:dice=1"))
@click.argument("identifier")
@click.option("--rules", callback=_load, metavar="FILE", help="The rules file, where they are not built in.")
@click.option("--value", metavar="NUMBER", help="The number as printed: is it right to its last digit?")
@folder_option
@answers
def command(identifier: str, rules: Ruleset | None, value: str | None, tables: Path | None) -> Answer:
    """Find the number that an IDENTIFIER names.

    Rules that are not those that were cited are refused; another version of the package is told.

    With --value the exit code says whether the printed number agrees: 0 it does, 1 it does not.
    """
    from dice10k_math.citing.identifier import parse_identifier
    from dice10k_math.citing.lookup import look_up
    from dice10k_math.citing.printed import Printed

    cited = parse_identifier(identifier)
    printed = None if value is None else Printed.of(value)
    with progress() as report:
        found = look_up(identifier, rules=rules, tables=usual_folder(tables), progress=report)
    agrees = None if printed is None else printed.agrees(found.number)
    row = {
        **fields_of(found),
        "cited_version": cited.version,
        "same_version": cited.version == found.identifier.version,
        "agrees": agrees,
    }
    more = [("rules", "the same as cited"), ("version", _versions(cited.version, found.identifier.version))]
    if agrees is not None:
        more.append(("the printed value", f"{value} {'agrees' if agrees else 'does not agree'}"))
    return Answer(row, [row], lambda: text_of(found, *more), code=DISAGREES if agrees is False else 0)


def _versions(cited: str, here: str) -> str:
    return f"{here}, the same as cited" if cited == here else f"{here}; cited was {cited}"
