"""`tables`: build them, verify them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dice10k_math.cli.arguments import example
from dice10k_math.cli.output import Answer, answers
from dice10k_math.cli.parameters import FilePath
from dice10k_math.cli.text import columns
from dice10k_math.errors import InputError
from dice10k_math.rules import builtin_rulesets, load_rules

if TYPE_CHECKING:
    from dice10k_math.tables.manifest import Entry

Report = Callable[[int, int, str], None]


class TablesGroup(click.Group):
    """Names its commands when another is asked for."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the arguments name."""
        if args[0] not in self.commands:
            raise click.UsageError(f"tables: {args[0]!r}; allowed: {', '.join(self.commands)}")
        return super().resolve_command(ctx, args)


@click.group("tables", cls=TablesGroup, invoke_without_command=True, epilog=example("tables build farkle --out tables"))
@click.pass_context
def command(ctx: click.Context) -> None:
    """Build tables of answers, or verify them."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


@command.command(epilog=example("tables build farkle dix-mille --out tables"))
@click.argument("rulesets", metavar="[RULES]...", nargs=-1)
@click.option("--out", type=FilePath(), required=True, metavar="DIR", help="Folder; made if it is not there.")
@answers
def build(rulesets: tuple[str, ...], out: Path) -> Answer:
    """Write tables into a folder.

    They are those of RULES (default: all built-in rulesets), with a manifest.

    Tables that are there already for the same rules and version are kept, so a build goes on where it stopped.
    """
    loaded = [load_rules(name) for name in rulesets or builtin_rulesets()]
    from dice10k_math.tables.build import build_tables

    try:
        with progress() as report:
            built = build_tables(loaded, out, report=report)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise InputError(f"--out {out}: cannot be written ({reason}); allowed: a folder that can") from None
    entries = [(entry, "written") for entry in built.written] + [(entry, "kept") for entry in built.kept]
    rows = [_row(entry, state) for entry, state in sorted(entries, key=lambda item: item[0].file)]
    return Answer({"out": str(out), "tables": rows}, rows, lambda: _built_text(rows, out))


def _row(entry: Entry, state: str) -> dict[str, Any]:
    return {
        "file": entry.file,
        "rows": entry.rows,
        "exactness": entry.exactness,
        "widest_gap": entry.widest_gap,
        "state": state,
        "sha256": entry.sha256,
    }


def _built_text(rows: list[dict[str, Any]], out: Path) -> str:
    lines = [
        [
            row["file"],
            f"{row['rows']:,}",
            f"within {row['widest_gap']:.1g}" if row["widest_gap"] else "exact",
            row["state"],
        ]
        for row in rows
    ]
    table = columns(["file", "rows", "values", "now"], lines, left=[0, 2, 3])
    kept = sum(row["state"] == "kept" for row in rows)
    written = len(rows) - kept
    parts = [table, f"{out}: {written} table{'' if written == 1 else 's'} written, {kept} kept"]
    if kept:
        parts.append(
            "kept: there already, for the same rules and version, its hashes right.\n"
            "To build a table anew, remove its file, or choose another folder for --out."
        )
    return "\n\n".join(parts)


@command.command(epilog=example("tables verify tables"))
@click.argument("folder", metavar="DIR", type=FilePath())
@answers
def verify(folder: Path) -> Answer:
    """Check the tables in a folder.

    Hashes are compared, missing and stray files named, and a sample of rows is computed afresh.

    The exit code is 1 if anything does not hold; each fault is named.
    """
    from dice10k_math.tables.verify import verify_tables

    with progress() as report:
        faults = list(verify_tables(folder, report=report))
    rows = [{"fault": fault} for fault in faults]
    text = "\n".join(faults) if faults else "all tables hold"
    return Answer({"ok": not faults, "faults": faults}, rows, lambda: text, ("fault",), code=1 if faults else 0)


@contextmanager
def progress() -> Iterator[Report]:
    """Show a progress bar on standard error if that is a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda _done, _total, _name: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    shown = (BarColumn(bar_width=20), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Progress(*shown, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, total, name: bar.update(task, completed=done, total=total, description=name)
