"""What is said about bad input: where it is, what it is, and what is allowed, in the words that the user typed."""

from __future__ import annotations

import re

import click

from dice10k_math.errors import RulesError

ALSO_CALLED = {"dice": "hand", "turns": "within"}
"""Arguments of the library to the names that options give them."""


def complaint(error: Exception) -> str:
    """Return what to say about bad input."""
    if isinstance(error, click.ClickException):
        return _about_words(error)
    return in_one_line(str(error)) if isinstance(error, RulesError) else str(error)


def _about_words(error: click.ClickException) -> str:
    """Return what to say about a command line that cannot be understood."""
    ctx = getattr(error, "ctx", None)
    if isinstance(error, click.MissingParameter) and error.param is not None:
        return f"{name_of(error.param)}: missing; allowed: {_way_to_say(error.param, ctx)}"
    if isinstance(error, click.BadParameter) and error.param is not None:
        return f"{name_of(error.param)}: {error.message.removesuffix('.')}"
    if isinstance(error, click.NoSuchOption):
        return f"{error.option_name}: no such option; allowed: {_options(ctx)}"
    if isinstance(error, click.BadOptionUsage):
        return f"{error.option_name}: {_misused(error)}"
    message = error.format_message().removesuffix(".")
    if message.startswith("Got unexpected extra argument"):
        return f"{message.removeprefix('Got ')}; allowed: {_usage(ctx)}"
    return message


def name_of(param: click.Parameter) -> str:
    """Return the name under which a user knows a parameter."""
    if isinstance(param, click.Option):
        return param.opts[0]
    return param.metavar or param.human_readable_name


def _usage(ctx: click.Context | None) -> str:
    return "" if ctx is None else " ".join([ctx.command_path, *ctx.command.collect_usage_pieces(ctx)])


def _way_to_say(param: click.Parameter, ctx: click.Context | None) -> str:
    return f"{param.opts[0]} {param.metavar or ''}".strip() if isinstance(param, click.Option) else _usage(ctx)


def _options(ctx: click.Context | None) -> str:
    params = [] if ctx is None else ctx.command.get_params(ctx)
    return ", ".join(name for param in params if isinstance(param, click.Option) for name in _names(param))


def _names(option: click.Option) -> list[str]:
    return [*option.opts, *option.secondary_opts]


def _misused(error: click.BadOptionUsage) -> str:
    # Click does not say of which command the option is, and tells the two slips apart by its message alone.
    name = error.option_name
    if "not take a value" in error.message:
        return f"takes no value; allowed: {name}"
    return f"no value; allowed: {name} VALUE"


def in_options(message: str, command: click.Command) -> str:
    """Return what the library says about an argument, with the name of the option that brought it.

    Examples
    --------
    >>> command = click.Command("advise", params=[click.Option(["--turn-score"])])
    >>> in_options("turn_score: 75; farkle scores in steps of 50 from 0", command)
    '--turn-score: 75; farkle scores in steps of 50 from 0'
    >>> command = click.Command("solo", params=[click.Option(["--opened/--not-opened"])])
    >>> in_options("opened: False with a score of 500", command)
    '--not-opened: with a score of 500'
    """
    found = re.match(r"([a-z_]+): ((?:True|False) )?", message)
    if found is None:
        return message
    name = ALSO_CALLED.get(found[1], found[1])
    options = (param for param in command.params if isinstance(param, click.Option) and param.name == name)
    return next((_said(option, found[2]) + message[found.end() :] for option in options), message)


def _said(option: click.Option, flag: str | None) -> str:
    """Return an option as it was given: with a colon, or the one of a pair of flags that says so."""
    return f"{(option.secondary_opts if flag == 'False ' else option.opts)[0]}: "


def in_one_line(message: str) -> str:
    r"""Return several faults of a file as one line that counts them; their common beginning is said once.

    Examples
    --------
    >>> in_one_line("house.toml: a is missing\nhouse.toml: b is missing")
    'house.toml: 2 faults: (1) a is missing; (2) b is missing'
    """
    lines = message.splitlines()
    if len(lines) < 2:
        return message
    common = f"{lines[0].partition(': ')[0]}: "
    if not all(line.startswith(common) for line in lines):
        common = ""
    listed = "; ".join(f"({number}) {line.removeprefix(common)}" for number, line in enumerate(lines, 1))
    return f"{common}{len(lines)} faults: {listed}"
