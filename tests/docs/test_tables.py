"""The page on tables tells of every kind of table, with the columns that the built-in rulesets have."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from dice10k_math.rules import builtin_rulesets, load_rules
from dice10k_math.tables.columns import DENOMINATOR, NUMERATOR, Column
from dice10k_math.tables.kinds import KINDS, TableKind
from tests.docs.pages import source

PAGE = "reference/tables.md"


def section(name: str) -> str:
    found = re.search(rf"^### {name}\n(.*?)(?=^##|\Z)", source(PAGE), re.DOTALL | re.MULTILINE)
    assert found, f"{PAGE} has no section {name}"
    return found[1]


def as_rows(columns: tuple[Column, ...]) -> Iterator[str]:
    """Yield the rows that tell of columns; an exact number is one row, marked so."""
    names = {column.name for column in columns}
    for column in columns:
        if re.fullmatch(rf"\w+({NUMERATOR}|{DENOMINATOR})", column.name):
            continue
        exact = ", exact" if f"{column.name}{NUMERATOR}" in names else ""
        yield f"| `{column.name}`{exact} | {column.type} | {column.unit} | {column.meaning} |"


def rows_of(text: str) -> set[str]:
    """Return the rows of a section, without the remark after them which rules have the column."""
    return {line.replace("; equal turns only |", " |") for line in text.splitlines() if line.startswith("| `")}


def test_the_page_has_the_tables_and_no_others() -> None:
    named = re.findall(r"^### (\w+)$", source(PAGE), re.MULTILINE)
    assert sorted(named) == sorted(kind.name for kind in KINDS)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_section_has_the_question_and_the_columns(kind: TableKind) -> None:
    text = section(kind.name)
    assert kind.question in text
    rules = [rules for rules in map(load_rules, builtin_rulesets()) if kind.applies(rules)]
    assert {row for each in rules for row in as_rows(kind.columns(each))} <= rows_of(text)
