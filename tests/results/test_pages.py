"""The pages that are made from figures are what the generator makes, and their costly figures are right."""

from __future__ import annotations

import re

import matplotlib as mpl
import pytest
from docs.generator import costly
from docs.generator.changes import CHANGES, changed
from docs.generator.pages import PAGES
from docs.generator.pictures import DRAW, path_of, pictures_of
from docs.generator.published import SECTIONS, agrees
from docs.generator.text import DOCS, GAMES, SPACE, number, one_in, page, percent, signed

import dice10k_math as d10
from dice10k_math.citing.lookup import look_up

PICTURES = [(game, kind) for game in GAMES for kind in pictures_of(game)]
QUICK = {("farkle", "turn"), ("farkle", "dice"), ("farkle", "win")}
CLOSE = 1e-7
"""How far a kept figure may be off one that is computed anew: both are the middle of bounds."""


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_what_the_generator_makes(name: str) -> None:
    assert (DOCS / name).read_text(encoding="utf-8") == PAGES[name](), "run: python docs/generate.py"


def test_no_page_is_left_over() -> None:
    found = {path.relative_to(DOCS).as_posix() for path in (DOCS / "results").glob("*.md")}
    assert found == {name for name in PAGES if name.startswith("results/")}


def test_costly_figures_are_all_there_and_of_these_rules() -> None:
    kept = costly.read()
    wanted = [figure for figure in costly.figures() if figure.key in kept or not figure.optional]
    assert list(kept) == [figure.key for figure in wanted]
    assert all(costly.is_current(kept, figure) for figure in wanted), "run: python docs/generate.py --costly"


def test_costly_figures_of_other_rules_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = {key: {**entry, "fingerprint": "0" * 64} for key, entry in costly.read().items()}
    monkeypatch.setattr(costly, "read", lambda: kept)
    with pytest.raises(LookupError, match="length:farkle is missing or of other rules"):
        costly.values("length:farkle")


def figures(*starts: str) -> list[costly.Figure]:
    return [figure for figure in costly.figures() if figure.key.startswith(starts)]


def assert_kept(figure: costly.Figure) -> None:
    kept = costly.values(figure.key)
    found = figure.compute(figure.rules)
    if "lower" in kept:  # what is proved twice must not contradict itself
        assert kept["lower"] <= kept["value"] <= kept["upper"]
        assert max(kept["lower"], found["lower"]) <= min(kept["upper"], found["upper"])
        assert abs(kept["value"] - found["value"]) <= max(CLOSE, kept["upper"] - kept["lower"])
    else:
        assert found == pytest.approx(kept, abs=CLOSE)


PLAIN = ("points:farkle", "points:dix-mille", "points:des-10000")


@pytest.mark.parametrize("figure", [one for one in figures(*PLAIN) if "spicy" not in one.key], ids=lambda one: one.key)
def test_points_of_changed_rules(figure: costly.Figure) -> None:
    assert_kept(figure)


HOURS = ("win:farkle-spicy", "win:busche-farkle")


@pytest.mark.parametrize(
    "figure",
    [
        pytest.param(one, id=one.key, marks=pytest.mark.hours if one.key in HOURS else pytest.mark.slow)
        for one in costly.figures()
        if one.key in costly.read()
    ],
)
def test_every_costly_figure(figure: costly.Figure) -> None:
    assert_kept(figure)


def test_the_first_players_share_of_the_matches_followed_is_the_win_probability() -> None:
    for game in costly.LENGTHS:
        right = d10.load_match(costly.TABLES, d10.load_rules(game)).win_probability().value
        assert costly.values(f"length:{game}")["first_wins"] == pytest.approx(right, abs=1e-8)


def test_every_change_changes_the_rules() -> None:
    for game, changes in CHANGES.items():
        made = [changed(game, change) for change in changes]
        assert len({d10.fingerprint(rules) for rules in made}) == len(made)
        for rules, change in zip(made, changes, strict=True):
            assert change.make(d10.load_rules(game)) != d10.load_rules(game)
            assert rules.name == f"{game}-{change.key}"


def test_every_published_number_agrees() -> None:
    for title, results in SECTIONS.items():
        for result in results:
            ours = result.ours()
            assert ours is None or agrees(result, ours), (title, result.what)


@pytest.mark.parametrize(
    ("game", "kind"),
    [pytest.param(*one, id="-".join(one), marks=() if one in QUICK else pytest.mark.slow) for one in PICTURES],
)
def test_a_picture_is_what_the_generator_draws(game: str, kind: str) -> None:
    kept, drawn = path_of(game, kind).read_bytes(), DRAW[kind](game)
    if f"Matplotlib v{mpl.__version__},".encode() in kept:
        assert kept == drawn, "run: python docs/generate.py --pictures"
    else:  # another version of matplotlib draws other lines, but writes the same words and numbers
        assert _texts(kept) == _texts(drawn)


def _texts(svg: bytes) -> list[bytes]:
    return re.findall(rb">([^<>]+)</(?:text|tspan)>", svg)


def test_every_picture_is_shown() -> None:
    shown = {name for page_ in PAGES for name in re.findall(r"\((pictures/[^)]+)\)", (DOCS / page_).read_text("utf-8"))}
    kept = {f"pictures/{path.name}" for path in (DOCS / "results" / "pictures").iterdir()}
    assert shown == kept == {f"pictures/{path_of(*one).name}" for one in PICTURES}


@pytest.mark.parametrize("name", [name for name in PAGES if name.startswith("results/")])
def test_the_identifiers_of_a_page_find_numbers_of_its_game(name: str) -> None:
    for identifier in set(re.findall(r"`(dice10k-math:[^`]+)`", (DOCS / name).read_text(encoding="utf-8"))):
        found = look_up(identifier, tables=costly.TABLES)
        assert name == f"results/{found.rules.name}.md"
        assert str(found.identifier) == identifier


def test_numbers_in_words() -> None:
    assert (number(16400), number(2 / 3, 2), percent(0.5).replace(SPACE, " "), signed(-0.5), signed(1e-12)) == (
        *("16,400", "0.67", "50.00 %", "−0.50", "0.00"),
    )
    assert (signed(-1e-12), signed(1234.5, 1), one_in(1 / 43.2), one_in(0)) == (
        "0.00",
        "+1,234.5",
        "1 in 43.2",
        "never",
    )
    shown = [percent(value).replace(SPACE, " ") for value in (1e-9, 1 - 1e-9, 1, 0)]
    assert shown == ["under 0.01 %", "over 99.99 %", "100.00 %", "0.00 %"]


def test_sentences_have_a_line_each() -> None:
    assert (
        page("It is so. That is how `it` is. M. Busche", "| a. B |")
        == "It is so.\nThat is how `it` is.\nM. Busche\n\n| a. B |\n"
    )
