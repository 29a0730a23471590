"""`simulate`: matches played with random dice."""

from __future__ import annotations

from typing import Any

import click

from dice10k_math.cli.arguments import example, rules_argument
from dice10k_math.cli.output import Answer, answers
from dice10k_math.cli.solving import progress
from dice10k_math.cli.text import columns, heading, pairs
from dice10k_math.rules.model import Ruleset

EXAMPLE = 'simulate farkle "threshold 300" "threshold 500 2:300 1:300" --matches 20000'


@click.command("simulate", epilog=example(EXAMPLE))
@rules_argument
@click.argument("policies", metavar="POLICY...", nargs=-1)
@click.option("--matches", type=int, default=100_000, show_default=True, metavar="N", help="How many to play.")
@click.option("--seed", type=int, default=1, show_default=True, help="The same seed gives the same matches.")
@click.option("--confidence", type=float, default=0.95, show_default=True, help="Of the intervals.")
@answers
def command(rules: Ruleset, policies: tuple[str, ...], matches: int, seed: int, confidence: float) -> Answer:
    """Play matches with random dice and count.

    One POLICY for each player, in the order of their turns: "threshold 300 2:250 1:250", "computer", "optimum win".
    """
    from dice10k_math.questions.simulation import simulate

    with progress() as report:
        found = simulate(
            rules,
            policies,
            matches,
            seed,
            confidence=confidence,
            progress=lambda share: report("playing", share),
        )
    rows = found.rows()
    head = {"ruleset": rules.name, "matches": matches, "seed": seed, "confidence": confidence}

    def text() -> str:
        names = pairs((f"seat {row['seat']}", str(row["policy"])) for row in rows)
        lines = [[str(row["seat"]), *(cell(row, name) for name in NAMES)] for row in rows]
        table = columns(["seat", *(name.replace("_", " ") for name in NAMES)], lines)
        title = heading(rules, f"{matches:,} matches, seed {seed}")
        return f"{title}\n\n{names}\n\n{table}\n\n± is half of the {confidence:.0%} confidence interval."

    return Answer({**head, "seats": rows}, [head | row for row in rows], text)


NAMES = ("win_probability", "turns", "points_per_turn", "bust_rate")


def cell(row: dict[str, Any], name: str) -> str:
    """Return a mean with half the width of its interval.

    Examples
    --------
    >>> cell({"turns": 20.0, "turns_lower": 19.75, "turns_upper": 20.25}, "turns")
    '20.00 ± 0.25'
    """
    value, half = row[name], (row[f"{name}_upper"] - row[f"{name}_lower"]) / 2
    if name in ("win_probability", "bust_rate"):
        return f"{100 * value:.2f}% ± {100 * half:.2f}"
    return f"{value:.2f} ± {half:.2f}"
