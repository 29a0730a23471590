"""What a card says about a target that must be hit: chances, places, the policy, the page."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest

from dice10k_math.cards.blocks import Table
from dice10k_math.cards.card import Card, Points, find_hit_card, is_hit, make_card
from dice10k_math.cards.drawing import Letters, layout
from dice10k_math.cards.falls import Falls
from dice10k_math.cards.known import known_cards
from dice10k_math.cards.markdown import markdown
from dice10k_math.cards.near import Finder, Near, Zone, rivals_of
from dice10k_math.cards.page import page_of
from dice10k_math.cards.search import Findings, policy_of
from dice10k_math.cards.written import Chart, near_of
from dice10k_math.cli.card import _rendered
from dice10k_math.plays import Plays
from dice10k_math.policy import Places, Plan, Reach, RollCounts, Standing, parse_policy, seat
from dice10k_math.questions.positions import FieldPositions
from dice10k_math.questions.positions import Seat as At
from dice10k_math.questions.simulation import simulate
from dice10k_math.rules import load_rules
from dice10k_math.tables.match import load_match

TABLES = Path(__file__).resolve().parents[2] / "tables"
DICE10K = load_rules("dice10k")
COUNTS = RollCounts((355, 265, 255, 310, 335, 575), (29, 30, 38, 48, 80, 84))


@cache
def positions() -> FieldPositions:
    found = load_match(TABLES, DICE10K).positions
    assert isinstance(found, FieldPositions)
    return found


@cache
def falls() -> Falls:
    return Falls(positions())


def landed(dice: int, left: int) -> float:
    """Chance to land from few points left with few dice, by every roll of them; 1s and 5s are all that can do it."""
    if left == 0:
        return 1.0
    if dice <= 1 or left < 0:
        # Three together are a set, which is worth more. All dice scored are a Player's Hand, and 500 too many.
        return 0.0
    total = 0.0
    for roll in product(range(1, 7), repeat=dice):
        ones, fives = roll.count(1), roll.count(5)
        kept = [(a, b) for a in range(min(ones, 2) + 1) for b in range(min(fives, 2) + 1) if 0 < a + b < dice]
        total += max((landed(dice - a - b, left - 100 * a - 50 * b) for a, b in kept), default=0.0)
    return total / 6**dice


@pytest.mark.parametrize(("dice", "left"), [(2, 50), (3, 50), (3, 100), (4, 100), (4, 150), (3, 150)])
def test_chances_to_land(dice: int, left: int) -> None:
    goal = np.zeros(200, np.int64)
    goal[0] = 10_000
    found = falls().chances(9700, goal, 100)
    assert found.worth[(300 - left) // 50, dice - 1] / 10_000 == pytest.approx(landed(dice, left), abs=1e-12)


def test_what_a_turn_gives_away_is_what_its_endings_are_worth() -> None:
    found, match = falls(), positions()
    score, other = 8800, 7000
    ended = Plays(seat(policy_of(DICE10K, Findings(COUNTS)), DICE10K)).of(Standing(score, other))

    def waits(after: int) -> float:
        return 1.0 if after == 10_000 else 1.0 - match.value(At(other), At(after))[0]

    worth = sum(chance * waits(score + bank) for bank, chance in ended.banked.items())
    worth += ended.bust * waits(score) + ended.bust_on_six * waits(score - 2000)
    weights = np.zeros(len(found.scores))
    weights[match.field.state_of(other)] = 1.0
    lost = found.lost(match.field.state_of(score), found.row(score, ended), weights)
    assert lost == pytest.approx(match.value(At(score), At(other))[0] - worth, abs=1e-9)
    assert 0 < lost < 0.2


def test_places_are_worth_what_the_match_says() -> None:
    found, match = falls(), positions()
    weights = np.zeros(len(found.scores))
    weights[match.field.state_of(6000)] = 2.0
    assert found.worth_of(9700, weights) == pytest.approx(1 - match.value(At(6000), At(9700))[0], abs=1e-12)
    assert found.worth_of(10_000, weights) == 1.0


def test_the_best_rolls_to_places_are_those_of_the_match() -> None:
    """To one who counts places by what they are worth below the target, a turn far below it is worth what it is."""
    found, match = falls(), positions()
    other = np.zeros(len(found.scores))
    other[match.field.state_of(8000)] = 1.0
    worth = np.array([round(10_000 * found.worth_of(10_000 - 100 * step, other)) for step in range(200)])
    rolls = found.chances(9000, worth, 100)
    turn = match.turn(At(9000), At(8000))
    states = zip(turn.program.turn_score, turn.program.hand, turn.program.hot_dice, turn.roll, strict=True)
    seen = 0
    for turn_score, hand, hot_dice, roll in states:
        if hand < 5 and hot_dice == 0 and 50 <= turn_score <= 700:
            seen += 1
            # Places past the target are worth a little more or less than those before it.
            assert rolls.worth[turn_score // 50, hand] / 10_000 == pytest.approx(roll, abs=2e-2)
    assert seen > 30


def rows(*hopes: int) -> tuple[Reach, ...]:
    lefts = (-300, 50, 1000, 1500, 2000, 2500, 3000, 4000)
    chances = (10, 20, 30, 40, 50, 60)
    return tuple(Reach(left, hopes[0], chances, chances[::-1]) for left in lefts)


HOPES = (1000, 2000, 9500, 9000, 8000, 7000, 5000)


@cache
def near() -> Near:
    places = tuple(Places(100, tuple(range(10_000, 0, -90)), rows(hope)) for hope in HOPES)
    zones = tuple(Zone(below, places) for below in (600, 3100, 4100))
    bold = (400, 300, -10, 0, 100, 120, 200), (300, 200, -100, -50, 50, 70, 150)
    return Near(rivals_of(DICE10K), zones, (3000, 10_000), bold)


def test_the_policy_goes_by_places_near_the_target_and_by_counts_far_away() -> None:
    policy = policy_of(DICE10K, Findings(COUNTS, near=near()))
    assert parse_policy(Card(DICE10K, Findings(COUNTS, near=near()), Points(1000, 2.0, 1.0), None).text) == policy
    player = seat(policy, DICE10K)

    def keep(own: int, other: int) -> object:
        plan = player.key(Standing(own, other))
        assert isinstance(plan, Plan)
        return plan.keep

    kinds = {
        9700: 1000,
        9600: 1000,
        10_300: 1000,
        9500: 2000,
        9300: 2000,
        10_700: 2000,
        2900: 9500,
        3000: 9000,
        4900: 9000,
        5000: 8000,
        6400: 8000,
        6500: 7000,
        7900: 7000,
        8000: 5000,
        9200: 5000,
        9800: 5000,
    }
    for other, hope in kinds.items():
        for own in (9700, 8000, 5950, 10_500):
            found = keep(own, other)
            assert isinstance(found, Places)
            assert found.rows[0].hope == hope
    assert keep(1000, 9700) == COUNTS.bolder(400)
    assert keep(1000, 9400) == COUNTS.bolder(300)
    assert keep(2900, 4900) == COUNTS
    assert keep(3000, 4900) == COUNTS.bolder(-50)
    assert keep(5900, 9000) == COUNTS.bolder(150)
    assert keep(15_000, 9000) == COUNTS


def test_the_page_tells_it_all() -> None:
    *zones, last = near().zones
    last = replace(last, places=tuple(replace(each, between=(1, 2, 3, 4, 5, 6)) for each in last.places))
    counts = replace(COUNTS, unbankable=(0, 0, 30, 40, 0, 0))
    card = Card(DICE10K, Findings(counts, near=replace(near(), zones=(*zones, last))), Points(1000, 2.0, 1.0), None)
    page = page_of(card)
    text = markdown(page)
    for word in (
        "4,100 or more away",
        "Chart 1, less than 3,100 away, by what is left (minus: past it) and the dice left:",
        "Chart 2, from there to less than 4,100; where what is left is no multiple of 100 and has no row, ",
        "the second number is less: 6 with 6, 5 with 5, 4 with 4, 3 with 3, 2 with 2, 1 with 1 dice:",
        "(A to G as above)",
        "Where the turn score is no multiple of 100, take this off what counts: 40 with 4, 30 with 3 dice left.",
        "Less than 600 away",
        "| A: 300 or 400 away | +400 | +300 |",
    ):
        assert word in text
    assert "| the other stands | to 2,900 | to 5,900 |" in text
    assert "| B: 500 to 700 away | +300 | +200 |" in text
    assert "| D: below 5,000 | 0 | -50 |" in text
    assert "| away, in 100s | 1 | 2 |" in text
    assert "| hope, left | 1: 1,000 | 1,500 | 2,000 | 2,500 | 3,000 | 4,000 | 2: 1,000 |" in text
    assert f"| G |{' 5000 |' * 12}" in text
    assert "| -300 | 60+10 | 50+20 | 40+30 | 30+40 | 20+50 | 10+60 | 1,500 | 60+10 |" in text
    marks = layout(page)
    assert all(mark.y < 842 for mark in marks)
    assert min(mark.size for mark in marks if isinstance(mark, Letters)) > 5


def test_json_has_the_places() -> None:
    card = Card(DICE10K, Findings(COUNTS, near=near()), Points(1000, 2.0, 1.0), None)
    told = json.loads(_rendered(card, "json"))["near"]
    assert told["rivals"] == [
        *("300 or 400 away", "500 to 700 away", "below 3,000", "below 5,000", "below 6,500", "below 8,000"),
        "8,000 or more",
    ]
    assert [zone["below"] for zone in told["zones"]] == [600, 3100, 4100]
    assert told["zones"][0]["places"][3]["rows"][0] == {
        "left": -300,
        "hope": 9000,
        "land": [10, 20, 30, 40, 50, 60],
        "come": [60, 50, 40, 30, 20, 10],
    }
    assert (told["edges"], told["bold"][1]) == ([3000, 10_000], [300, 200, -100, -50, 50, 70, 150])


def test_only_a_target_that_must_be_hit_has_places() -> None:
    assert is_hit(positions())
    small = replace(DICE10K, ending=replace(DICE10K.ending, target=3000))
    field = positions().field
    moved = type("Field", (), {"passes": True, "rules": small, "remembers": field.remembers})
    assert not is_hit(type("Positions", (), {"field": moved}))  # type: ignore[arg-type] # all that is asked of it


@pytest.mark.slow
def test_what_is_found_near_the_target() -> None:
    # Tuning takes minutes, and is tested apart.
    finder = Finder(falls(), COUNTS)
    found = finder.find(policy_of(DICE10K, Findings(COUNTS)), rounds=1)
    assert [zone.below for zone in found.zones] == [600, 2100, 4100, 7100]
    assert [zone.places[0].rows[-1].left for zone in found.zones[1:]] == [2000, 4000, 7000]
    places = found.zones[1].places
    for each in places:
        # From 300 one bank may land; 100 and 200 are worse than what is farther away.
        assert each.worth[3] > each.worth[4] > each.worth[1] > each.worth[2]
        assert each.worth[6] > each.worth[5]
    fifty = next(row for row in found.zones[0].places[0].rows if row.left == 50)
    assert fifty.land[1:3] == (round(100 * landed(2, 50)), round(100 * landed(3, 50)))
    policy = policy_of(DICE10K, Findings(COUNTS, near=found))
    plain = policy_of(DICE10K, Findings(COUNTS))
    # Two who know what is near the target against two who do not: the one who knows wins far more.
    wins = simulate(DICE10K, [policy, plain], matches=20_000, seed=1)
    assert wins.seats[0].win_probability.lower > 0.55
    assert len(finder.masks) == len(found.rivals) == 7
    assert np.array_equal(sum(finder.masks), np.ones(len(falls().scores)))


def test_a_known_card_is_made_without_the_solved_match() -> None:
    card = make_card(DICE10K)
    assert card.wins is None
    assert card.findings == known_cards()[DICE10K]
    assert parse_policy(card.text) == card.policy
    told = json.loads(_rendered(card, "json"))["counts"]
    assert [row["unbankable"] for row in told] == list(card.findings.counts.offs)
    assert card.points.best - 1 < card.points.card < card.points.best
    page = page_of(card)
    text = markdown(page)
    assert "to tell what is given away takes the solved match" in text
    assert "Less than 7,100 away" in text
    marks = layout(page)
    assert all(mark.y < 842 for mark in marks)
    assert min(mark.size for mark in marks if isinstance(mark, Letters)) > 5.3


def test_the_page_has_every_number_of_the_known_card() -> None:
    """Read back from the page, the numbers give the card again."""
    found = known_cards()[DICE10K]
    page = page_of(make_card(DICE10K))
    tables = {block.heads[0]: block for block in page.blocks if isinstance(block, Table)}
    assert found.near is not None
    worths = [" ".join(["10000", *row[1:]]) for row in tables["away, in 100s"].rows]
    bold = tuple(zip(*(map(int, row[1:]) for row in tables["the other stands"].rows), strict=True))
    hopes = tables["hope, left"]
    starts = [number for number, head in enumerate(hopes.heads) if ":" in head] + [len(hopes.heads)]
    charts = [block for block in page.blocks if isinstance(block, Table) and block.heads[:2] == ("left", "6 dice")]
    read = []
    for chart, zone, (low, high) in zip(charts, found.near.zones[1:], pairwise(starts), strict=True):
        parts = [row[start : start + 7] for start in (0, 7, 14) for row in chart.rows]
        rows = "\n".join(" ".join((left.replace(",", ""), *pairs[::-1])) for left, *pairs in parts if left)
        told = tuple(tuple(map(int, row[low:high])) for row in hopes.rows)
        read.append(Chart(zone.below, told, zone.places[0].between, rows))
    landing = found.near.zones[0]
    lines = [
        f"{row.left} " + " ".join(map("{}+{}".format, row.land, row.come))  # told apart on the page
        for row in landing.places[0].rows
    ]
    first = Chart(landing.below, (), landing.places[0].between, "\n".join(lines))
    assert near_of(DICE10K, worths, (first, *read), bold) == found.near


@pytest.mark.slow
def test_the_numbers_of_the_card_are_those_that_the_search_finds() -> None:
    """This takes some fifteen minutes: the charts are tuned."""
    assert find_hit_card(positions()) == known_cards()[DICE10K]


@pytest.mark.slow
def test_the_card_of_dice10k_gives_away_what_the_documentation_says() -> None:
    """This takes some ten minutes: the best play against the card is solved with bounds."""
    card = make_card(DICE10K, positions())
    assert card.wins is not None
    told = f"{card.wins.given_away:.2%}"
    assert f"{card.wins.lower:.2%}" == told == f"{card.wins.upper:.2%}"
    assert f"The card of `dice10k` gives away {told} of the wins" in (ROOT / DECISION).read_text(encoding="utf-8")
    assert f"says what it gives away: {told}." in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


ROOT = TABLES.parent
DECISION = "docs/decisions/0005-policies-simulation-cards.md"
