"""`rules`: the built-in rulesets, one in full, a file checked."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from dice10k_math.cli.arguments import example, rules_argument
from dice10k_math.cli.output import Answer, answers
from dice10k_math.cli.parameters import FilePath
from dice10k_math.cli.text import columns, pairs
from dice10k_math.rules import Ruleset, builtin_rulesets, dump_rules, fingerprint, load_rules


class RulesGroup(click.Group):
    """Lists the rulesets when no command follows; ``--format`` before a command is a slip."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the arguments name."""
        if args[0] not in self.commands:
            raise click.UsageError(f"rules: {args[0]!r}; allowed: {', '.join(self.commands)}, or nothing")
        if ctx.params.get("form") != "table" or ctx.params.get("output"):
            raise click.UsageError(f"rules: say --format and --output after {args[0]!r}")
        return super().resolve_command(ctx, args)


@click.group("rules", cls=RulesGroup, invoke_without_command=True, epilog=example("rules --format json"))
@click.pass_context
@answers
def command(ctx: click.Context) -> Answer | None:
    """List the built-in rulesets."""
    if ctx.invoked_subcommand is not None:
        return None
    rulesets = [load_rules(name) for name in builtin_rulesets()]
    rows = [_listed(rules) for rules in rulesets]
    return Answer({"rulesets": rows}, rows, lambda: _list_text(rulesets))


def _listed(rules: Ruleset) -> dict[str, Any]:
    return {
        "name": rules.name,
        "title": rules.title,
        "players": list(rules.players),
        "target": rules.ending.target,
    }


def _list_text(rulesets: list[Ruleset]) -> str:
    rows = [[rules.name, _players(rules.players), f"{rules.ending.target:,}", rules.title] for rules in rulesets]
    return columns(["name", "seats", "target", "title"], rows, left=[0, 3])


def _players(players: tuple[int, int]) -> str:
    least, most = players
    return str(least) if least == most else f"{least}-{most}"


@command.command(epilog=example("rules show dice10k > house.toml"))
@rules_argument
@answers
def show(rules: Ruleset) -> Answer:
    """Print the resolved rules file of RULES: every field with its value."""
    text = dump_rules(rules)
    data = tomllib.loads(text)
    rows = [{"key": key, "value": value} for key, value in _flat(data)]
    return Answer(data, rows, lambda: text)


def _flat(table: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{key}.")
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            for number, row in enumerate(value):
                yield from _flat(row, f"{prefix}{key}.{number}.")
        else:
            yield f"{prefix}{key}", value


@command.command(epilog=example("rules check house.toml"))
@click.argument("file", type=FilePath())
@answers
def check(file: Path) -> Answer:
    """Check the rules file FILE."""
    rules = load_rules(file)
    row = {"ok": True, "name": rules.name, "title": rules.title, "fingerprint": fingerprint(rules)}
    return Answer(row, [row], lambda: pairs([("ok", rules.name), ("title", rules.title)]))
