"""The table about policies: how much the built-in ones give away."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dice10k_math.questions.evaluation import evaluate
from dice10k_math.questions.response import exploitability
from dice10k_math.race import is_race
from dice10k_math.rules.model import Ruleset, with_target
from dice10k_math.tables import match
from dice10k_math.tables.check_roll import Reader
from dice10k_math.tables.columns import Column, frame_of

if TYPE_CHECKING:
    import polars

POLICIES = ("threshold 300", "threshold 500", "threshold 300 end=win")
"""The built-in policies of every ruleset."""
COMPUTERS = {"des-10000": ("computer", (5_000, 10_000, 15_000))}
"""The computer player of a ruleset, and the targets that its game offers."""
CLOSE = 1e-9


def has_table(rules: Ruleset) -> bool:
    """Tell whether a ruleset has the table `exploitability`: a match is solved, and no score falls."""
    return match.has_table(rules) and is_race(rules)


def columns(rules: Ruleset) -> tuple[Column, ...]:  # noqa: ARG001 - the same for all
    """Return the columns of the table `exploitability`."""
    seats = [
        Column(f"{seat}{end}", "float", "probability", f"{bound}the policy wins with the {seat} turn")
        for seat in ("first", "second")
        for end, bound in (("", ""), ("_lower", "proved lower bound: "), ("_upper", "proved upper bound: "))
    ]
    return (
        Column("policy", "text", "", "how the policy plays"),
        Column("target", "integer", "points", "target of the match"),
        Column(
            "exploitability", "float", "probability", "half minus the policy's mean win probability over both seats"
        ),
        Column("lower", "float", "probability", "proved lower bound of exploitability"),
        Column("upper", "float", "probability", "proved upper bound of exploitability"),
        *seats,
    )


def cases_of(rules: Ruleset) -> tuple[tuple[str, int], ...]:
    """Return the policies of a ruleset with the targets for which they are evaluated.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> cases_of(load_rules("des-10000"))[:2]
    (('computer', 5000), ('computer', 10000))
    """
    target = rules.ending.target
    found = [(policy, target) for policy in POLICIES]
    if rules.name in COMPUTERS:
        computer, targets = COMPUTERS[rules.name]
        found = [*((computer, each) for each in (targets if target in targets else (target,))), *found]
    return tuple(found)


def values(rules: Ruleset) -> tuple[polars.DataFrame, float]:
    """Make the table `exploitability`."""
    rows, gap = [], 0.0
    for policy, target in cases_of(rules):
        found = exploitability(with_target(rules, target), policy)
        seats = [(seat.value, seat.lower, seat.upper) for seat in (found.first, found.second)]
        rows.append((policy, target, found.value, found.lower, found.upper, *seats[0], *seats[1]))
        gap = max(gap, *(high - low for _, low, high in seats), found.upper - found.lower)
    return frame_of(columns(rules), rows), gap


def check(rules: Ruleset, frame: polars.DataFrame, read: Reader) -> Iterator[str]:  # noqa: ARG001 - as checks are called
    """Check the table: against the best play no policy does better than against itself."""
    if tuple(frame.select("policy", "target").rows()) != cases_of(rules):
        yield "the policies or targets are not those of the rules"
        return
    for number, row in enumerate(frame.rows(named=True)):
        right = 0.5 - (row["first"] + row["second"]) / 2
        ordered = all(
            row[low] <= row[name] <= row[high]
            for name, low, high in (
                ("exploitability", "lower", "upper"),
                ("first", "first_lower", "first_upper"),
                ("second", "second_lower", "second_upper"),
            )
        )
        if not ordered or not abs(right - row["exploitability"]) <= CLOSE:
            yield f"row {number}: the numbers do not fit together"
        alike = evaluate(with_target(rules, row["target"]), (row["policy"], row["policy"])).win_probability()
        if row["first"] > alike.upper + CLOSE or row["second"] > 1.0 - alike.lower + CLOSE:
            yield f"row {number}: {row['policy']} does better against the best play than against itself"
