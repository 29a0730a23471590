"""The kinds of tables: what each answers, how it is made and how it is checked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dice10k_math.errors import InputError
from dice10k_math.rules.model import Ruleset
from dice10k_math.tables import (
    alone,
    check_match,
    check_policy,
    check_roll,
    check_turn,
    match,
    one_roll,
    one_turn,
    policies,
    policy,
    spicy_faces,
    take_over,
)
from dice10k_math.tables.columns import Column

if TYPE_CHECKING:
    import polars

Reader = Callable[[str], "polars.DataFrame | None"]
"""Reads another table of the same ruleset by name; None: it is not there or does not hold."""


@dataclass(frozen=True, slots=True)
class TableKind:
    """A kind of table, which any ruleset may have.

    Attributes
    ----------
    name
        Names the file.
    question
        What the table answers, in words.
    columns
        The columns for a ruleset.
    make
        Computes the table and the widest gap of its values (0: they are exact).
    check
        Recomputes a sample by another route where there is one, and yields what does not hold.
    applies
        Whether a ruleset has such a table.
    """

    name: str
    question: str
    columns: Callable[[Ruleset], tuple[Column, ...]]
    make: Callable[[Ruleset], tuple[polars.DataFrame, float]]
    check: Callable[[Ruleset, polars.DataFrame, Reader], Iterator[str]]
    applies: Callable[[Ruleset], bool] = lambda _: True


KINDS: tuple[TableKind, ...] = (
    TableKind(
        "odds",
        "How likely are a bust and hot dice in one roll, and what is its best score on average?",
        one_roll.odds_columns,
        one_roll.odds,
        check_roll.odds,
    ),
    TableKind(
        "scores",
        "How likely is each best score of one roll?",
        one_roll.scores_columns,
        one_roll.scores,
        check_roll.scores,
    ),
    TableKind(
        "keeps",
        "Which dice of a roll may be kept, and for how many points? (A roll that is not listed is a bust.)",
        one_roll.keeps_columns,
        one_roll.keeps,
        check_roll.keeps,
    ),
    TableKind(
        "turn_values",
        "What is the turn with the most expected points worth, and how likely is it to end in a bust?",
        one_turn.values_columns,
        one_turn.values,
        check_turn.values,
    ),
    TableKind(
        "turn",
        "After dice have been set aside, what are banking and rolling on worth, and which is better?",
        one_turn.states_columns,
        one_turn.states,
        check_turn.states,
    ),
    TableKind(
        "bank",
        "With these dice left to roll, at which turn scores is banking better than rolling on?",
        one_turn.bank_columns,
        one_turn.bank,
        check_turn.bank,
    ),
    TableKind(
        "turn_endings",
        "How does the turn with the most expected points end, and how likely is each ending?",
        one_turn.endings_columns,
        one_turn.endings,
        check_turn.endings,
    ),
    TableKind(
        "long_run",
        "What is the best average of points a turn, and what is each number of busts in a row worth?",
        one_turn.long_run_columns,
        one_turn.long_run_values,
        check_turn.long_run_values,
        applies=one_turn.counts_busts,
    ),
    TableKind(
        "long_run_bank",
        "For the best average of points a turn, at which turn scores is banking better than rolling on?",
        one_turn.long_run_bank_columns,
        one_turn.long_run_bank,
        check_turn.long_run_bank,
        applies=one_turn.counts_busts,
    ),
    TableKind(
        "spicy_faces",
        "Which spicy faces are best for a turn, and which make six spicy dice most likely?",
        spicy_faces.columns,
        spicy_faces.values,
        spicy_faces.check,
        applies=spicy_faces.applies,
    ),
    TableKind(
        "solo",
        "How many turns does the game take at least on average, alone, and how likely is it to be done in time?",
        alone.columns,
        alone.values,
        alone.check,
        applies=alone.has_table,
    ),
    TableKind(
        "match",
        "How likely is the player to move to win a match of two, when both play to win?",
        match.columns,
        match.values,
        check_match.match,
        applies=match.has_table,
    ),
    TableKind(
        "match_far",
        "What are the bounds of a match of two where a score is far from where it is decided?",
        match.far_columns,
        match.far_values,
        check_match.far,
        applies=match.has_far,
    ),
    TableKind(
        "last_turn",
        "The other has reached the target: how likely is a win with the one turn left, by how far one is behind?",
        match.last_turn_columns,
        match.last_turn_values,
        check_match.last_turn,
        applies=match.has_last_turn,
    ),
    TableKind(
        "policy",
        "In a match of two, both playing to win: with these dice left, at which turn scores to bank?",
        policy.columns,
        policy.values,
        check_policy.policy,
        applies=policy.applies,
    ),
    TableKind(
        "take_over",
        "High Stakes: which banked turns are better taken over than declined, when both play to win?",
        take_over.columns,
        take_over.values,
        take_over.check,
        applies=take_over.applies,
    ),
    TableKind(
        "exploitability",
        "How likely is a policy to win against the best play against it, and how much does it give away?",
        policies.columns,
        policies.values,
        policies.check,
        applies=policies.has_table,
    ),
)
"""All kinds, in the order in which they are built; a new kind is one entry here."""


def kind_named(name: str) -> TableKind:
    """Return the kind of table of that name.

    Examples
    --------
    >>> kind_named("odds").name
    'odds'
    """
    for kind in KINDS:
        if kind.name == name:
            return kind
    raise InputError(f"table: {name!r}; allowed: {', '.join(kind.name for kind in KINDS)}")


def kinds_of(rules: Ruleset, kinds: tuple[TableKind, ...] = KINDS) -> tuple[TableKind, ...]:
    """Return the kinds of tables that a ruleset has.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> [kind.name for kind in kinds_of(load_rules("farkle"))][-5:]
    ['solo', 'match', 'last_turn', 'policy', 'exploitability']
    """
    return tuple(kind for kind in kinds if kind.applies(rules))
