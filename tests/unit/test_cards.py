"""The strategy card: its numbers hold, and each form of it can be read."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from dice10k_math.cards import search
from dice10k_math.cards.blocks import Paragraph
from dice10k_math.cards.card import Card, Points, make_card, points_of
from dice10k_math.cards.drawing import pdf, svg
from dice10k_math.cards.losses import Losses
from dice10k_math.cards.markdown import markdown
from dice10k_math.cards.page import Page, bank_from, count, page_of
from dice10k_math.cards.search import Findings, policy_of
from dice10k_math.errors import InputError
from dice10k_math.policy import KeepWorths, RollCounts, Standing, parse_policy, seat
from dice10k_math.questions.match import solve_match
from dice10k_math.questions.positions import FieldPositions, RacePositions
from dice10k_math.questions.simulation import simulate
from dice10k_math.questions.turn import solve_turn
from dice10k_math.rules import load_rules, with_target
from tests.agreement.test_field import IN_A_ROW
from tests.unit.cli import Cli

FIVE_ERRORS = 1 - 5.7e-7
COUNTS = RollCounts((195, 110, 115, 175, 265, 525), (30, 54, 71, 80, 88, 97))
OTHERS = RollCounts((215, 75, 55, 150, 255, 425), (26, 63, 81, 84, 89, 93))


@cache
def positions(name: str, target: int) -> RacePositions:
    found = solve_match(with_target(load_rules(name), target)).positions
    assert isinstance(found, RacePositions)
    return found


@cache
def quick_card(name: str, target: int | None = None) -> Card:
    """A card without climbing: not a good one, but all that it says must hold."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "STEPS", ())
        patch.setattr(search, "LAST_STEPS", ())
        patch.setattr(search, "BOLD", (0, 100))
        patch.setattr(search, "LEADS", (0, 500))
        if target is None:
            return make_card(load_rules(name))
        return make_card(with_target(load_rules(name), target), positions(name, target))


def small_card(name: str) -> Card:
    return quick_card(name, 1000)


@pytest.mark.parametrize("name", ["des-10000", pytest.param("dix-mille", marks=pytest.mark.slow)])
def test_what_a_card_gives_away_agrees_with_simulated_matches(name: str) -> None:
    card = small_card(name)
    assert card.wins is not None
    assert 0 < card.wins.lower <= card.wins.given_away <= card.wins.upper < 0.05
    # The best play against the card wins at least as much as the best play against best play.
    first = simulate(card.rules, [card.policy, "optimum win"], matches=20_000, seed=1, confidence=FIVE_ERRORS)
    assert first.seats[0].win_probability.upper > card.wins.first
    second = simulate(card.rules, ["optimum win", card.policy], matches=20_000, seed=2, confidence=FIVE_ERRORS)
    assert second.seats[1].win_probability.upper > card.wins.second
    assert first.seats[0].win_probability.lower < card.wins.best_first


def test_the_policy_of_a_card_is_the_text_that_it_gives() -> None:
    card = small_card("des-10000")
    assert parse_policy(card.text) == card.policy


@pytest.mark.parametrize("name", ["des-10000", pytest.param("dix-mille", marks=pytest.mark.slow)])
def test_visits_are_those_of_simulated_matches(name: str) -> None:
    losses = Losses(positions(name, 1000))
    visits, deficits = losses.visits(COUNTS, OTHERS)
    last = deficits.sum()
    policy = policy_of(losses.rules, Findings(COUNTS, OTHERS))
    found = simulate(losses.rules, [policy] * 2, matches=40_000, seed=3, confidence=FIVE_ERRORS)
    turns = [seat.turns for seat in found.seats]
    # A last turn is a turn too; extra rounds are not counted, so under equal turns there may be more.
    total = visits.sum() + last
    assert sum(each.lower for each in turns) < total * (1.0 if name == "des-10000" else 1.05)
    assert total < sum(each.upper for each in turns)


@pytest.mark.parametrize(
    "name", ["des-10000", *(pytest.param(n, marks=pytest.mark.slow) for n in ("farkle", "dix-mille"))]
)
def test_no_plan_is_worth_more_than_the_best_turn(name: str) -> None:
    losses = Losses(positions(name, 1000))
    for turns in (losses.turns(COUNTS), losses.turns_with_lead(COUNTS, 6)):
        assert np.all(turns[:, 1:] <= losses.value[:, 1:] + 1e-9)
    assert np.all(losses.openings(COUNTS) <= losses.value[:, 0] + 1e-9)
    assert all(losses.last_turn(COUNTS, deficit) >= -1e-9 for deficit in range(1, 12))


def test_points_are_those_of_the_plan() -> None:
    farkle = load_rules("farkle")
    assert points_of(farkle, COUNTS, 1000) == pytest.approx(534.254598, abs=1e-6)


CELLS = ((0, 50), (-50, 100))


def test_a_policy_follows_the_cells_of_its_card() -> None:
    rules = load_rules("farkle")
    found = Findings(COUNTS, OTHERS, 500, (0, 9000), (CELLS,), KeepWorths((0, -100, -30, 100, 280, 500)))
    player = seat(policy_of(rules, found), rules)

    def at(own: int, other: int, *, last: bool = False) -> tuple[object, tuple[int, ...]]:
        plan = player.key(Standing(own, other, last=last))
        return plan.keep, plan.bank_from  # type: ignore[attr-defined] # a plan

    free = (0,) * 6
    assert at(100, 100) == (COUNTS, free)
    assert at(0, 100) == (OTHERS, free)
    assert at(100, 9000) == (COUNTS.bolder(50), free)
    assert at(9000, 100) == (COUNTS.bolder(-50), free)
    assert at(9500, 9000) == (COUNTS.bolder(100), free)
    plan = player.key(Standing(9500, 9800))
    assert (plan.short_from, plan.short_to) == (500, 800)  # type: ignore[attr-defined] # a plan
    assert at(9500, 10_000, last=True) == (KeepWorths((0, -100, -30, 100, 280, 500)), free)


def test_the_second_of_a_round_has_a_table_of_its_own() -> None:
    rules = load_rules("dix-mille")
    found = Findings(COUNTS, edges=(0,), bold=(((50,),), ((-50,),)))
    player = seat(policy_of(rules, found), rules)
    first, second = (player.key(Standing(500, 500, closing=closing)) for closing in (False, True))
    assert first.keep == COUNTS.bolder(50)  # type: ignore[attr-defined] # a plan
    assert second.keep == COUNTS.bolder(-50)  # type: ignore[attr-defined] # a plan


def test_a_cell_can_bank_for_the_goal_only() -> None:
    rules = load_rules("farkle")
    goal = (((False, False), (False, True)),)
    card = Card(
        rules, Findings(COUNTS, lead=300, edges=(0, 9000), bold=(CELLS,), goal=goal), Points(1000, 2.0, 1.0), None
    )
    assert parse_policy(card.text) == card.policy
    plan = seat(card.policy, rules).key(Standing(9500, 9400))
    assert (plan.keep, plan.bank_from) == (COUNTS.bolder(100), (500,) * 6)  # type: ignore[attr-defined] # a plan
    free = seat(card.policy, rules).key(Standing(9500, 500))
    assert (free.keep, free.bank_from) == (COUNTS.bolder(-50), (0,) * 6)  # type: ignore[attr-defined] # a plan
    text = markdown(page_of(card))
    assert "With a star: bank nothing that does not reach 10,000." in text
    assert "| 9,000 | -50 | +100* |" in text


@pytest.mark.parametrize("name", ["des-10000", pytest.param("dix-mille", marks=pytest.mark.slow)])
def test_what_a_turn_to_the_target_is_worth(name: str) -> None:
    losses = Losses(positions(name, 1000))
    race, lead = losses.race, 4
    found = losses.turns_to_target(COUNTS, lead)
    own, other = race.scores - 3, race.scores - 2
    plan = replace(losses.plan(COUNTS), bank_from=(5 * race.unit,) * 6)
    banked, bust = losses.endings(plan)
    worth = bust * (1 - losses.value[race.other(0), other, own])
    for units in range(3, losses.banks):
        worth += banked[units] * (1 - losses.positions.last_turn[units - 1])
    assert banked[:5].sum() == 0
    assert found[0, own, other] == pytest.approx(worth, abs=1e-12)
    assert np.all(found <= losses.value + 1e-9)


def test_the_thresholds_are_where_banking_counts_as_much_as_rolling() -> None:
    for dice in range(1, 7):
        least = bank_from(COUNTS, dice, 50, 20_000)
        assert least is not None
        assert count(COUNTS, least, dice) <= least + 5
        assert count(COUNTS, least - 50, dice) > least - 50 - 5


def words(card: Card) -> list[str]:
    return [word for block in page_of(card).blocks if isinstance(block, Paragraph) for word in block.text.split()]


def test_markdown_has_everything() -> None:
    card = small_card("des-10000")
    text = markdown(page_of(card))
    assert all(word in text for word in words(card))
    assert f"{card.wins.given_away:.3%}" in text if card.wins else False
    for line in text.splitlines():
        if line.startswith("| turn score"):
            assert line.count("|") == 8


def test_svg_is_xml_on_one_page() -> None:
    card = small_card("des-10000")
    root = ET.fromstring(svg(page_of(card)))  # noqa: S314 - it is our own
    shown = " ".join(each.text or "" for each in root.iter("{http://www.w3.org/2000/svg}text"))
    assert all(word in shown for word in words(card))
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    for each in root.iter("{http://www.w3.org/2000/svg}text"):
        assert 0 < float(each.attrib["x"]) < width
        assert 0 < float(each.attrib["y"]) < height
    assert (width, height) == (595, 842)


def test_pdf_says_where_its_objects_start() -> None:
    text = pdf(page_of(small_card("des-10000")))
    assert text.isascii()
    start = int(re.findall(r"startxref\n(\d+)", text)[0])
    assert text[start:].startswith("xref")
    places = [int(place) for place in re.findall(r"(\d{10}) 00000 n", text)]
    for number, place in enumerate(places, 1):
        assert text[place:].startswith(f"{number} 0 obj")
    length = int(re.findall(r"/Length (\d+)", text)[0])
    stream = text.index("stream\n") + len("stream\n")
    assert text[stream + length :].startswith("\nendstream")


def test_a_card_for_points_alone() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "STEPS", ())
        # Neither a card that has been found before nor a solved match to search in.
        card = make_card(with_target(load_rules("farkle-high-stakes"), 9000))
    assert card.wins is None
    assert card.points.best - 2 < card.points.card < card.points.best
    assert [dice for dice, _ in card.findings.take] == [6, 5, 4, 3, 2, 1]
    assert "not known" in markdown(page_of(card))


@pytest.mark.slow
def test_what_a_card_with_high_stakes_gives_away_is_told_with_the_solved_match() -> None:
    card = quick_card("farkle-high-stakes", 500)
    assert card.wins is not None
    assert 0 < card.wins.lower <= card.wins.given_away <= card.wins.upper < 0.5
    assert card.wins.best_first == positions("farkle-high-stakes", 500).move[0, 0, 0]
    text = markdown(page_of(card))
    assert f"So {card.wins.given_away:.3%} is given away." in text
    assert "aims for points alone" not in text
    assert 0 < card.findings.leave < 100


def test_a_card_where_scores_can_fall_is_for_points() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "STEPS", ())
        # Neither a card that has been found before nor a solved match to search in.
        card = make_card(with_target(load_rules("dice10k"), 9000))
    assert card.wins is None
    assert card.points.best - 10 < card.points.card < card.points.best
    text = markdown(page_of(card))
    assert "Bank at once what lands on 9,000" in text
    assert "Wins: not known" in text


def test_what_such_a_card_gives_away_is_told_with_the_solved_match() -> None:
    rules = replace(IN_A_ROW, turn=replace(IN_A_ROW.turn, bank_multiple=None))
    solved = solve_match(rules).positions
    assert isinstance(solved, FieldPositions)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "STEPS", ())
        card = make_card(rules, solved)
    assert card.wins is not None
    assert 0 < card.wins.lower <= card.wins.given_away <= card.wins.upper < 0.5
    text = markdown(page_of(card))
    assert f"So {card.wins.given_away:.3%} is given away." in text
    assert "aims for points alone" in text


def test_climbing_changes_what_cannot_be_banked_too() -> None:
    start = replace(COUNTS, unbankable=40)
    goal = (55, 55, 0, 55, 100, 55)

    def near_goal(counts: RollCounts) -> float:
        return -float(sum(abs(off - best) for off, best in zip(counts.offs, goal, strict=True)))

    assert search.climb(start, near_goal, may_stick=True).unbankable == goal
    assert search.climb(start, near_goal).unbankable == 40


def test_the_match_of_other_rules_is_refused() -> None:
    with pytest.raises(InputError, match="card: the match of des-10000; allowed: that of farkle"):
        make_card(with_target(load_rules("farkle"), 1000), positions("des-10000", 1000))


def test_the_command(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "STEPS", ())
    cli = Cli(capsys)
    data = json.loads(cli("card", "farkle-high-stakes", "--format", "json").out)
    assert data["ruleset"] == "farkle-high-stakes"
    assert parse_policy(data["policy"])
    assert cli("card", "farkle-high-stakes", "--format", "csv").out.startswith(
        "when,dice_left,points,percent,unbankable\n"
    )
    for form, start in (("markdown", "# "), ("svg", "<svg "), ("pdf", "%PDF")):
        file = tmp_path / form
        assert cli("card", "farkle-high-stakes", "--format", form, "--output", str(file)).code == 0
        assert file.read_text(encoding="utf-8").startswith(start)
    for name, start in (("card.SVG", "<svg "), ("card.md", "# "), ("card.json", "{"), ("card", "# ")):
        assert cli("card", "farkle-high-stakes", "--output", str(tmp_path / name)).code == 0
        assert (tmp_path / name).read_text(encoding="utf-8").startswith(start)
    assert "is not one of" in cli("card", "farkle", "--format", "png").refused()
    assert "--tables /nope" in cli("card", "farkle", "--tables", "/nope").refused()


@pytest.mark.slow
@pytest.mark.parametrize(("name", "most"), [("farkle", 0.0035), ("des-10000", 0.0045), ("dix-mille", 0.005)])
def test_a_card_gives_away_little(name: str, most: float) -> None:
    card = make_card(load_rules(name))
    assert card.wins is not None
    assert card.wins.upper < most
    assert card.points.best - card.points.card < 0.5


@pytest.mark.slow
def test_climbing_gains() -> None:
    farkle = load_rules("farkle")
    start = search.straight_counts(solve_turn(farkle, score=1000, exact=False))
    found = search.climb(start, lambda keep: points_of(farkle, keep, 1000))
    assert points_of(farkle, start, 1000) + 0.5 < points_of(farkle, found, 1000) < 534.287063


def test_a_long_card_is_made_smaller_to_fit_one_page() -> None:
    page = Page("Long", (Paragraph("word " * 4000),))
    root = ET.fromstring(svg(page))  # noqa: S314 - it is our own
    lowest = max(float(each.attrib["y"]) for each in root.iter("{http://www.w3.org/2000/svg}text"))
    assert 700 < lowest < float(root.attrib["height"]) == 842
