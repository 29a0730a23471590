"""The card of a game with High Stakes: what it says is what its policy does, and what it gives away."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from dice10k_math.cards.blocks import Paragraph, Table
from dice10k_math.cards.card import Card, make_card, weighs_offers
from dice10k_math.cards.drawing import svg
from dice10k_math.cards.known import HIGH_STAKES, known_cards
from dice10k_math.cards.page import page_of
from dice10k_math.cards.search import Findings, policy_of
from dice10k_math.cards.stakes_losses import MATCHES, StakesLosses
from dice10k_math.cards.stakes_search import COUNTS, LEAVE, TAKE, find_stakes_card
from dice10k_math.policy import NEVER, KeepWorths, Plan, RollCounts, Standing, ThresholdPolicy, parse_policy, seat
from dice10k_math.questions.evaluation import Evaluation, evaluate
from dice10k_math.questions.match import solve_match
from dice10k_math.questions.response import exploitability
from dice10k_math.questions.simulation import simulate
from dice10k_math.questions.stakes import StakesPositions
from dice10k_math.rules import load_rules, with_target
from dice10k_math.rules.model import Ruleset
from tests.oracles.match import Start
from tests.oracles.stakes_duel import StakesDuelOracle

FIVE_ERRORS = 1 - 5.7e-7
RULES = load_rules("farkle-high-stakes")
START = Findings(COUNTS, take=TAKE, leave=LEAVE)
NARROW = with_target(RULES, 500)


@cache
def card() -> Card:
    return make_card(RULES)


@cache
def losses(rules: Ruleset = NARROW) -> StakesLosses:
    found = solve_match(rules).positions
    assert isinstance(found, StakesPositions)
    return StakesLosses(found)


def numbers(text: str) -> list[int]:
    return [int(each.replace(",", "")) for each in re.findall(r"-?\d[\d,]*", text)]


def tables(shown: Card) -> dict[str, Table]:
    return {block.heads[0]: block for block in page_of(shown).blocks if isinstance(block, Table)}


def counts_of(cells: tuple[str, ...]) -> RollCounts:
    pairs = [numbers(cell) for cell in reversed(cells)]
    return RollCounts(tuple(points for points, _ in pairs), tuple(percent for _, percent in pairs))


def by_dice(heads: tuple[str, ...], cells: tuple[str, ...]) -> tuple[tuple[int, int], ...]:
    named = zip(heads[1:], cells, strict=True)
    return tuple((int(dice.split()[0]), numbers(cell)[0]) for dice, cell in named if cell != "x")


def read(shown: Card) -> Findings:
    """What a reader of the page would write down."""
    known = tables(shown)
    rolls = {row[0]: row[1:] for row in known["turn score"].rows}
    name = next(name for name in rolls if name.startswith("a bank loses"))
    take = tuple((dice, numbers(cell)[0]) for dice, cell in zip(range(6, 0, -1), rolls[name], strict=True))
    cells = [[cell.split(" / ") for cell in row[1:]] for row in known["your score from"].rows]
    paragraphs = " ".join(block.text for block in page_of(shown).blocks if isinstance(block, Paragraph))
    leads = [block for block in page_of(shown).blocks if isinstance(block, Table) and block.rows[0][0] == "lead before"]
    adds = [block for block in page_of(shown).blocks if isinstance(block, Table) and block.rows[0][0] == "add"]
    least = next(table for name, table in tables(shown).items() if name == "dice").rows[1][1:]
    behind = zip(leads[0].heads[1:], leads[0].rows[1][1:], strict=True)
    far = -99_950
    return Findings(
        counts_of(rolls["rolling counts"]),
        counts_of(known["instead, rolling counts"].rows[0][1:]),
        numbers(re.findall(r"lead by ([\d,]+) or more", paragraphs)[0])[0],
        tuple(numbers(row[0])[0] for row in known["your score from"].rows),
        (tuple(tuple(int(bold) for bold, _ in row) for row in cells),),
        KeepWorths(tuple(int(each) for each in reversed(adds[0].rows[0][1:]))),
        take,
        leave=numbers(name)[0],
        one_die=tuple(tuple(NEVER if least == "x" else numbers(least)[0] for _, least in row) for row in cells),
        reach=tuple(
            (int(dice), far if lead == "any" else numbers(lead)[0])
            for dice, lead in zip(leads[0].heads[1:], leads[0].rows[0][1:], strict=True)
        ),
        last_take=tuple(
            (numbers(row[0])[0], by_dice(known["behind by, from"].heads, row[1:]))
            for row in known["behind by, from"].rows
        ),
        far=tuple((int(dice), numbers(cell)[0]) for dice, cell in behind if cell),
        opening_take=tuple((dice, numbers(cell)[0]) for dice, cell in zip(range(6, 0, -1), least, strict=True)),
    )


def test_who_reads_the_page_plays_the_policy() -> None:
    found = read(card())
    assert found == HIGH_STAKES
    assert policy_of(RULES, found) == card().policy


def test_the_text_of_the_card_is_its_policy() -> None:
    assert parse_policy(card().text) == card().policy


def test_the_cells_say_what_rolling_and_banking_count() -> None:
    plan = seat(card().policy, RULES).key(Standing(5000, 5000))
    assert isinstance(plan, Plan)
    for row in tables(card())["turn score"].rows[2:]:
        score = numbers(row[0])[0]
        for dice, cell in zip(range(6, 0, -1), row[1:], strict=True):
            rolling, banking = numbers(cell)
            assert abs(100 * rolling - HIGH_STAKES.counts.hundredfold(score, dice)) <= 250
            left = 100 * score - plan.leave[dice - 1] * max(0, score - dict(HIGH_STAKES.take)[dice])
            assert abs(100 * banking - left) <= 250


def test_the_policy_answers_offers_and_reaches_the_target_as_the_page_says() -> None:
    player = seat(card().policy, RULES)

    def plan(own: int, other: int, *, last: bool = False) -> Plan:
        found = player.key(Standing(own, other, last=last))
        assert isinstance(found, Plan)
        return found

    edges, leads, far = HIGH_STAKES.edges, dict(HIGH_STAKES.reach), dict(HIGH_STAKES.far)
    for own in (100, 4500, 9600):
        for other in (100, 4500, 9600):
            row, column = (max(place for place, edge in enumerate(edges) if edge <= score) for score in (own, other))
            here = plan(own, other)
            assert here.take[0] == HIGH_STAKES.one_die[row][column]
            assert here.take[1:] == tuple(dict(HIGH_STAKES.take)[dice] for dice in range(2, 7))
            assert here.keep == HIGH_STAKES.counts.bolder(HIGH_STAKES.bold[0][row][column])
            for dice in range(1, 7):
                free = (dice in leads and own - other >= leads[dice]) or (dice in far and other - own >= far[dice])
                assert here.below[dice - 1] == (NEVER if free else 10_000 - own)
                assert here.whole[dice - 1] == (10_000 - own if free else NEVER)
    assert plan(0, 5000).take == tuple(dict(HIGH_STAKES.opening_take or ())[dice] for dice in range(1, 7))
    for behind, take in HIGH_STAKES.last_take:
        here = plan(9000, 9000 + max(behind, 1000), last=True)
        assert behind < 1000 or here.take == tuple(dict(take).get(dice, NEVER) for dice in range(1, 7))
        assert here.keep == HIGH_STAKES.last


def test_the_page_is_one_page() -> None:
    root = ET.fromstring(svg(page_of(card())))  # noqa: S314 - it is our own
    shown = list(root.iter("{http://www.w3.org/2000/svg}text"))
    assert max(float(each.attrib["y"]) for each in shown) < float(root.attrib["height"]) == 842
    assert min(float(each.attrib["font-size"]) for each in shown) > 4.5


def test_which_cards_weigh_offers() -> None:
    assert set(known_cards()) == {RULES, load_rules("dice10k")}
    assert weighs_offers(NARROW)
    assert not any(weighs_offers(load_rules(name)) for name in ("farkle", "dice10k", "farkle-spicy-high-stakes"))


def test_no_turn_and_no_answer_is_worth_more_than_the_best() -> None:
    found = losses()
    met = found.some(found.draw(policy_of(NARROW, START)), 400)
    given = found.given_away(policy_of(NARROW, START), met)
    assert np.all(given > -1e-9)
    assert given.max() > 0.01


@pytest.mark.slow
def test_what_one_turn_gives_away_is_what_plain_recursion_says() -> None:
    text = (
        "threshold 0 keep=195+30%,110+54%,115+61%,155+60%,185+60%,300+50% end=win take=6:300,4:350,2:300 "
        "leave=20%,40%,50%,50%,20%,30% if own<1 300"
    )
    policy = parse_policy(text)
    assert isinstance(policy, ThresholdPolicy)
    met = losses().some(losses().draw(policy), 60)
    given = losses().given_away(policy, met)
    oracle, player, unit = StakesDuelOracle(NARROW, (None, None)), seat(policy, NARROW), losses().race.unit
    program, hands = losses().program, [hand.hand for hand in losses().race.model.hands]
    for number, offer in enumerate(met.offer.tolist()):
        own, other, last = int(met.own[number]) * unit, int(met.other[number]) * unit, bool(met.last[number])
        start = Start(own, other, own != 0, other != 0, stage="last" if last else "")
        after = oracle.match.after_bust(start, on_six=False)
        bust = 1 - oracle.value(1, after) if isinstance(after, Start) else after
        within = oracle._by_policy(player, 0, start, bust)
        best, mine = oracle.value(0, start), within(0, oracle.full)
        if offer >= 0:
            points, hand = int(program.bank_scores[offer]), hands[program.bank_hands[offer]]
            best = oracle.offered(0, start, points, hand)
            if player.takes_over(oracle.key(player, start), points, hand):
                mine = within(points, hand)
        # Turns that go far beyond the target are not followed, nor judged.
        if offer < 0 or points <= 1000:
            assert given[number] == pytest.approx(best - mine, abs=2e-4), (own, other, last, offer)


@pytest.mark.slow
def test_meetings_are_those_of_simulated_matches() -> None:
    rules = with_target(RULES, 3000)
    policy = policy_of(rules, START)
    mean = len(losses(rules).draw(policy)) / MATCHES
    found = simulate(rules, [policy] * 2, matches=40_000, seed=3, confidence=FIVE_ERRORS)
    # Turns that go far beyond the target are not followed.
    assert sum(each.turns.lower for each in found.seats) * 0.99 < mean
    assert mean < sum(each.turns.upper for each in found.seats) * 1.02


@pytest.mark.slow
def test_a_search_gains() -> None:
    rules = with_target(RULES, 1000)
    found = find_stakes_card(losses(rules))
    before, after = (exploitability(rules, policy_of(rules, each)) for each in (START, found))
    assert after.upper < before.lower


@pytest.mark.slow
def test_what_the_card_wins_against_the_best_play_agrees_with_simulated_matches() -> None:
    rules = with_target(RULES, 1000)
    policy = policy_of(rules, find_stakes_card(losses(rules)))
    lost = exploitability(rules, policy)
    played_out = evaluate(rules, [policy, "optimum win"])
    assert isinstance(played_out, Evaluation)
    exact = played_out.win_probability()
    played = simulate(rules, [policy, "optimum win"], matches=100_000, seed=1, confidence=FIVE_ERRORS)
    first = played.seats[0].win_probability
    assert first.lower < exact.value < first.upper
    assert exact.upper > lost.first.lower


@pytest.mark.slow
def test_the_card_gives_away_what_the_docs_say() -> None:
    found = exploitability(RULES, card().policy)
    told = f"{found.value:.2%}"
    assert f"{found.lower:.2%}" == told == f"{found.upper:.2%}"
    decision = Path(__file__).parents[2] / "docs" / "decisions" / "0005-policies-simulation-cards.md"
    assert f"The card of `farkle-high-stakes` gives away {told}" in decision.read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_numbers_of_the_card_are_those_that_the_search_finds() -> None:
    assert find_stakes_card(losses(RULES)) == HIGH_STAKES
