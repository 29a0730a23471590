"""The pages of the games: every field has its source, every ruling its reason, and what changes otherwise is computed."""

from __future__ import annotations

import re

import pytest

import dice10k_math as d10
from tests.docs.pages import source, tables
from tests.docs.rulings import AS_RULED, CHANGE, change, changed, changes, computed

GAMES = d10.builtin_rulesets()
WITH_FIGURES = [name for name in GAMES if changes(f"rules/{name}.md")]
OTHERWISE = "ruled otherwise"
NO_FIELD = "no field"


def table_of(page: str, head: str) -> list[list[str]]:
    found = [table for table in tables(page) if head in table[0]]
    assert len(found) == 1, f"{page}: no table, or several, with the head {head!r}"
    return found[0]


@pytest.mark.parametrize("name", GAMES)
def test_every_ruling_has_a_reason_and_says_what_would_be_otherwise(name: str) -> None:
    page = f"rules/{name}.md"
    heads, *rows = table_of(page, OTHERWISE)
    assert heads == ["point", "ruling", "reason", OTHERWISE]
    assert rows
    for row in rows:
        assert all(row), row
        otherwise = row[heads.index(OTHERWISE)]
        if not otherwise.startswith(NO_FIELD):
            assert change(d10.load_rules(name), otherwise) != d10.load_rules(name)


@pytest.mark.parametrize("name", WITH_FIGURES)
def test_every_ruling_that_has_a_field_has_its_figures(name: str) -> None:
    page = f"rules/{name}.md"
    heads, *rows = changes(page)
    listed = {row[heads.index(CHANGE)] for row in rows}
    assert {row[-1] for row in table_of(page, OTHERWISE)[1:] if not row[-1].startswith(NO_FIELD)} <= listed


@pytest.mark.parametrize("name", WITH_FIGURES)
def test_the_first_row_of_figures_is_the_game_as_it_is(name: str) -> None:
    heads, first, *_ = changes(f"rules/{name}.md")
    assert first[heads.index(CHANGE)] == AS_RULED


@pytest.mark.parametrize("name", WITH_FIGURES)
def test_the_figures_of_a_page_are_those_of_the_changed_game(name: str) -> None:
    heads, *rows = changes(f"rules/{name}.md")
    # Spicy dice take a second or two for each turn; the slow test does them all.
    rows = rows[:1] if d10.load_rules(name).variants.spicy_faces else rows
    assert [computed(name, heads, row, slow=False) for row in rows] == rows


@pytest.mark.slow
@pytest.mark.parametrize("name", WITH_FIGURES)
def test_the_slow_figures_of_a_page_are_those_of_the_changed_game(name: str) -> None:
    heads, *rows = changes(f"rules/{name}.md")
    assert [computed(name, heads, row, slow=True) for row in rows] == rows


def test_a_change_takes_the_place_of_a_field_or_takes_it_out() -> None:
    text = d10.dump_rules(d10.load_rules("farkle"))
    assert 'hot_dice = "must_roll"\n' in changed(text, 'turn.hot_dice = "must_roll"')
    assert "straight" not in changed(text, "without scoring.straight")
    assert "[scoring]\nfour_and_pair = 1500\n" in changed(text, "scoring.four_and_pair = 1500")
    with pytest.raises(AssertionError, match="is so already"):
        changed(text, "turn.dice = 6")


@pytest.mark.parametrize("name", GAMES)
def test_every_field_of_a_page_is_a_field_of_rules_files(name: str) -> None:
    fields = re.findall(r"`((?:ruleset|scoring|turn|bust|ending|variants)\.\w+)`", source(f"rules/{name}.md"))
    assert fields
    assert {field.split(".")[1] for field in fields} <= set(re.findall(r"\w+", source("reference/rules-file.md")))
