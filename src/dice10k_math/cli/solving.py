"""The solved match that a command needs: from a built table, or by solving with a progress bar."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dice10k_math.cli.arguments import is_spicy
from dice10k_math.cli.parameters import FilePath
from dice10k_math.errors import TableError
from dice10k_math.questions.allowed import is_closing
from dice10k_math.rules.model import Ruleset

if TYPE_CHECKING:
    from dice10k_math.questions.match import MatchSolution

USUAL = Path("tables")
"""Folder of tables that is looked for in the current directory."""

tables_option = click.option(
    "--tables", type=FilePath(), metavar="DIR", help="Read a built match table instead of solving."
)
second_option = click.option("--second", is_flag=True, help="Equal turns: the player has the second turn of the round.")
resume_option = click.option(
    "--resume",
    type=FilePath(),
    metavar="FILE",
    help="Keep the work in this file every minute, and go on from it.",
)


def match_of(rules: Ruleset, tables: Path | None, resume: Path | None = None) -> MatchSolution:
    """Return the solved match of a ruleset.

    Parameters
    ----------
    rules
        The ruleset.
    tables
        Folder of tables to read it from; None: solve it.
    resume
        File in which solving is kept.
    """
    if tables is not None and resume is not None:
        raise click.UsageError(f"--resume: {resume}; allowed: --tables or --resume")
    if tables is None:
        from dice10k_math.questions.match import solve_match

        with progress() as report:
            return solve_match(rules, report, resume=resume)
    from dice10k_math.tables.match import load_match

    try:
        return load_match(tables, rules)
    except TableError as error:
        raise click.UsageError(f"--tables {tables}: {error}") from None


def match_at(
    rules: Ruleset, scores: tuple[int, int], second: bool, tables: Path | None, resume: Path | None = None
) -> MatchSolution:
    """Return as much of a solved match as a question about these scores needs, the player's and the opponent's."""
    from dice10k_math.questions.match import has_plain_last_turns, solve_last_turns

    alone = tables is None and resume is None and has_plain_last_turns(rules)
    if alone and is_closing(rules, *scores, second=second):
        return solve_last_turns(rules)
    return match_of(rules, tables, resume)


def usual_tables(rules: Ruleset) -> Path | None:
    """Return the folder of tables in the current directory, if it holds the match of these very rules."""
    from dice10k_math.tables.match import holds_match

    return USUAL if holds_match(USUAL, rules) else None


@contextmanager
def progress() -> Iterator[Callable[[str, float | None], None]]:
    """Show a progress bar on standard error if that is a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda _what, _share: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    shown = (BarColumn(bar_width=20), TaskProgressColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Progress(*shown, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)

        def report(what: str, share: float | None) -> None:
            bar.update(task, completed=share or 0.0, total=None if share is None else 1.0, description=what)

        yield report


@contextmanager
def waiting(rules: Ruleset, what: str) -> Iterator[None]:
    """Show that work goes on of which the share that is done is not known, where it takes more than a moment."""
    if not is_spicy(rules) and rules.bust.in_a_row is None:
        yield
        return
    with progress() as report:
        report(what, None)
        yield
