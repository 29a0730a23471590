"""`plot`: an answer as a picture."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dice10k_math.cli.arguments import example, is_spicy, rules_argument
from dice10k_math.cli.output import write_bytes
from dice10k_math.cli.solving import match_of, progress, second_option, tables_option, usual_tables
from dice10k_math.rules.model import Ruleset

if TYPE_CHECKING:
    from dice10k_math.plots.style import Suffix

SUFFIXES = ("svg", "png")
OF_MATCHES = ("win", "bank", "length")
OF_TURNS = ("turn", "dice")
KINDS = (*OF_MATCHES, *OF_TURNS)


@click.command("plot", epilog=example("plot turn dice10k --output turn.svg"))
@click.argument("kind")
@rules_argument
@click.option("--output", type=click.Path(path_type=Path), metavar="FILE", required=True, help="FILE.svg or FILE.png.")
@click.option("--score", type=int, metavar="S", help="turn, dice: score at the start of the turn; default: 0.")
@click.option("--dice", type=int, metavar="N", help="bank: for this number of dice left; default: for each.")
@second_option
@tables_option
def command(
    kind: str,
    rules: Ruleset,
    output: Path,
    score: int | None,
    dice: int | None,
    second: bool,
    tables: Path | None,
) -> None:
    """Draw an answer as a picture.

    \b
    KIND    shows
    win     win probability over both scores
    bank    the least turn score to bank, over both scores and dice left
    length  how many turns a match lasts
    turn    how the turn with the most expected points ends
    dice    what the dice left are worth, over the turn score

    The first three are about two who play to win. Their match is read from the
    tables of --tables, or of the folder 'tables' if it is there, else solved.
    """  # noqa: D301 - a backspace, by which click knows lines that are to stay lines
    suffix = _checked(kind, rules, output, {"--score": score, "--dice": dice, "--second": second or None}, tables)
    if kind in OF_TURNS:
        data = _turn_picture(kind, rules, score, suffix)
    else:
        data = _match_picture(kind, rules, OfMatch(dice, second, tables), suffix)
    write_bytes(data, output)


@dataclass(frozen=True, slots=True)
class OfMatch:
    """What is asked of a match: for which dice, in which turn of the round, read from where."""

    dice: int | None
    second: bool
    tables: Path | None


ALLOWED = {
    "win": {"--second", "--tables"},
    "bank": {"--second", "--tables", "--dice"},
    "length": {"--tables"},
    "turn": {"--score"},
    "dice": {"--score"},
}


def _checked(kind: str, rules: Ruleset, output: Path, given: dict[str, object], tables: Path | None) -> Suffix:
    """Refuse what can be seen to be wrong before anything is computed, and return the kind of file."""
    if kind not in KINDS:
        raise click.UsageError(f"plot: {kind!r}; allowed: {', '.join(KINDS)}")
    for option, value in {**given, "--tables": tables}.items():
        if value is not None and option not in ALLOWED[kind]:
            allowed = ", ".join(sorted(ALLOWED[kind]))
            raise click.UsageError(f"{option}: not for {kind!r}; allowed: {allowed}")
    if given["--second"] and rules.ending.kind != "equal_turns":
        raise click.UsageError(f"--second: {rules.name} has no equal turns; allowed: without it")
    dice = given["--dice"]
    if dice is not None and not 1 <= int(str(dice)) <= rules.turn.dice:
        raise click.UsageError(f"--dice: {dice}; allowed: 1 to {rules.turn.dice}")
    _check_rules(kind, rules)
    for suffix in SUFFIXES:
        if output.suffix.lower() == f".{suffix}":
            return suffix  # type: ignore[return-value] # one of SUFFIXES
    raise click.UsageError(f"--output: {str(output)!r}; allowed: a name that ends in .svg or .png")


def _check_rules(kind: str, rules: Ruleset) -> None:
    from dice10k_math.race import is_race

    if kind == "bank" and is_spicy(rules):
        raise click.UsageError(f"bank: {rules.name} has spicy dice; allowed: rules with plain dice")
    if kind in {"bank", "length"} and rules.variants.high_stakes:
        raise click.UsageError(f"{kind}: {rules.name} has high stakes; allowed: rules without")
    if kind == "length" and not is_race(rules):
        raise click.UsageError(f"length: scores of {rules.name} can fall; allowed: games in which they cannot")


def _turn_picture(kind: str, rules: Ruleset, score: int | None, suffix: Suffix) -> bytes:
    from dice10k_math.plots.style import to_bytes
    from dice10k_math.plots.turn import dice_left, turn_score
    from dice10k_math.questions.turn import solve_turn

    turn = solve_turn(rules, score or 0, exact=False)
    return to_bytes(turn_score(turn) if kind == "turn" else dice_left(turn), suffix)


def _match_picture(kind: str, rules: Ruleset, asked: OfMatch, suffix: Suffix) -> bytes:
    from dice10k_math.plots.length import match_length as drawn
    from dice10k_math.plots.match import bank_decisions, win_probability
    from dice10k_math.plots.style import to_bytes
    from dice10k_math.questions.length import match_length

    match = match_of(rules, asked.tables if asked.tables is not None else usual_tables(rules))
    if kind == "win":
        return to_bytes(win_probability(match, second=asked.second), suffix)
    if kind == "bank":
        return to_bytes(bank_decisions(match, asked.dice, second=asked.second), suffix)
    with progress() as report:
        return to_bytes(drawn(rules, match_length(match, report)), suffix)
