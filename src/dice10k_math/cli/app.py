"""The program `dice10k-math`: its commands, and what becomes of errors."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module

import click

from dice10k_math import __version__
from dice10k_math.cli.output import ClosedOutputError
from dice10k_math.cli.wording import complaint
from dice10k_math.errors import Dice10kError, InputError, RulesError

PROGRAM = "dice10k-math"

DONE, FAILED, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130

COMMANDS = {
    "rules": "rules",
    "odds": "odds",
    "scores": "scores",
    "keeps": "keeps",
    "turn": "turn",
    "solo": "solo",
    "match": "match",
    "advise": "advise",
    "simulate": "simulate",
    "evaluate": "evaluate",
    "respond": "respond",
    "card": "card",
    "tables": "tables",
    "plot": "plot",
    "cite": "cite",
    "lookup": "lookup",
}
"""Command to the module of this package that holds it under the name `command`; a new command is a line here."""


class LazyGroup(click.Group):
    """A group whose commands are imported when they are used, so that each pays only for what it needs."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - as click calls it
        """Return the names of the commands in the order of the help text."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - as click calls it
        """Return a command; None: there is none of that name."""
        if cmd_name not in COMMANDS:
            return None
        found = import_module(f"dice10k_math.cli.{COMMANDS[cmd_name]}").command
        assert isinstance(found, click.Command)  # noqa: S101 - a module that breaks the agreement is a defect
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the arguments name."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            raise click.UsageError(f"command: {args[0]!r}; allowed: {', '.join(COMMANDS)}")
        return super().resolve_command(ctx, args)


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    epilog=f"\b\nExample:\n  {PROGRAM} odds dice10k",
)
@click.version_option(__version__, prog_name=PROGRAM)
@click.pass_context
def program(ctx: click.Context) -> None:
    """Exact answers for dice games of the 10,000 family.

    RULES is the name of a built-in ruleset (see the command "rules") or the path of a rules file.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program and return its exit code.

    Parameters
    ----------
    arguments
        The words after the program's name; default: those of this process.

    Returns
    -------
    int
        0 done; 2 bad input, with one line on standard error; 130 interrupted; 1 anything else.

    Examples
    --------
    >>> main(["keeps", "dice10k", "1", "3", "--format", "csv"])
    keep,points,dice_left
    1,100,1
    0
    """
    try:
        code = program.main(args=arguments, prog_name=PROGRAM, standalone_mode=False)
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except ClosedOutputError:
        return FAILED
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else FAILED
    except (click.ClickException, InputError, RulesError) as error:
        return _complain(complaint(error), BAD_INPUT)
    except Exception as error:  # noqa: BLE001 - a user is never shown a traceback
        kind = "" if isinstance(error, Dice10kError) else f"{type(error).__name__}: "
        return _complain(f"{kind}{error}", FAILED)
    return code if isinstance(code, int) else DONE


def _complain(message: str, code: int) -> int:
    """Say what is wrong, in one line whatever the message holds."""
    line = " ".join("".join(char if char.isprintable() else " " for char in message).split())
    if sys.stderr is not None:
        try:
            click.echo(f"{PROGRAM}: {line}", err=True)
        except OSError:
            return code
    return code
