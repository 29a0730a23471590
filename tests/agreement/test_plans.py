"""The compiled loops that follow plans agree with the plain ones, also when they remember the choices of other plans."""

from __future__ import annotations

from functools import partial

import pytest

from dice10k_math.endings import TurnEndings, follow_turn
from dice10k_math.plans import follow_plan
from dice10k_math.plays import Plays
from dice10k_math.policy import Choice, Optimum, Plan, Situation, Standing, parse_policy, seat, subtracts
from dice10k_math.questions.optimum import optimal_player
from dice10k_math.rules import load_rules, with_target
from dice10k_math.turn import bank_rule, turn_model

COUNTS = "threshold 0 keep=200+30%,110+54%,115+71%,175+80%,265+88%,500+92% end=win lead=300"
OFF = (
    "threshold 0 keep=345+29%,265+30%,240+43%,325+28%,355+76%,575+84%/0,-10,50,10,50,70 end=win if own>=9000 0 bold=-50"
)
GOAL = "threshold 0 keep=200+30%,110+54%,115+71%,175+80%,265+88%,500+92% end=win if own>=7000 goal"
WEIGHING = (
    "threshold 0 keep=205+15%,80+39%,190+44%,230+44%,280+45%,600+45% end=win lead=450 reach=6:1500,3:200,2:-100,1:-9000 far=5:2000,3:700 "
    "take=6:300,5:350,4:350,3:400,2:650,1:1900 leave=63%,55%,50%,63%,60%,90% if own<1000 0 bold=50 leave=0%,0%,0%,0%,0%,0%"
)
"""For a game with High Stakes."""
USUAL = "threshold 300 2:250 keep=few end=win"
PLACES = (
    "threshold 0 keep=355+29%,265+30%,255+38%,310+48%,335+80%,575+84% end=win if to_go<3050 0 bold=7 "
    "keep=100/0,3,7,9,5,2:10000,5700,5000,8500,7900,7000,7500,7300,6900,6700,6500;-300:7000:0+5,0+10,0+20,0+30,0+40,0+50;"
    "50:7500:0+22,30+7,41+11,50+14,60+17,68+19;300:7500:3+22,0+25,0+38,8+39,38+21,63+11;"
    "3000:4000:0+30,0+40,0+50,0+60,0+70,0+80"
)
# The plans of one case are followed one after the other, so that the later ones find what the others have left.
CASES = {
    "final round": ("des-10000", COUNTS, [(9500, 9400), (8900, 9900)]),
    "opening": ("farkle", COUNTS, [(0, 0), (500, 0), (9900, 9000), (0, 9000)]),
    "offers": ("farkle-high-stakes", WEIGHING, [(500, 0), (9500, 9800)]),
    "thresholds": ("farkle", USUAL, [(500, 0), (9900, 9000)]),
    "places": ("dice10k", PLACES, [(9700, 0), (10_400, 0)]),
}
SLOW = {
    "offers, more": ("farkle-high-stakes", WEIGHING, [(8900, 8700), (9500, 9800), (9500, 9600), (9500, 8000)]),
    "places, more": ("dice10k", PLACES, [(9900, 0), (9000, 0), (7000, 0), (10_000, 0), (10_100, 0), (13_000, 0)]),
    "final round, more": ("des-10000", COUNTS, [(1000, 0), (9500, 9400), (8900, 9900), (9300, 0), (1000, 0)]),
    "to the target": ("dix-mille", GOAL, [(9500, 9400), (7000, 9800), (3000, 3000)]),
    "exact": ("dice10k", OFF, [(1000, 0), (9500, 0), (9800, 0), (9600, 0), (10_300, 0), (10_200, 0), (5000, 0)]),
    "exact thresholds": ("dice10k", USUAL, [(9500, 0), (10_700, 0)]),
}


@pytest.mark.parametrize(
    ("game", "text", "places"),
    [*CASES.values(), *(pytest.param(*case, marks=pytest.mark.slow) for case in SLOW.values())],
    ids=[*CASES, *SLOW],
)
def test_compiled_loops_follow_a_plan_as_plain_ones_do(game: str, text: str, places: list[tuple[int, int]]) -> None:
    rules = load_rules(game)
    model, player = turn_model(rules), seat(parse_policy(text), rules)
    for own, other in places:
        plan = player.key(Standing(own, other))
        assert isinstance(plan, Plan)
        rule, subtract = bank_rule(rules, own), subtracts(rules, own)
        found = follow_plan(model, rule, plan, subtract=subtract)
        right = follow_turn(model, rule, partial(decide, plan), subtract=subtract)
        assert_alike(found, right)


def decide(plan: Plan, situation: Situation) -> Choice:
    return plan.decide(situation.choices)


def assert_alike(found: TurnEndings, right: TurnEndings) -> None:
    off = found.open + right.open + 1e-15
    assert off < 1e-5
    assert found.bust == pytest.approx(right.bust, abs=off)
    assert found.bust_on_six == pytest.approx(right.bust_on_six, abs=off)
    for change in found.banked.keys() | right.banked.keys():
        assert found.banked.get(change, 0.0) == pytest.approx(right.banked.get(change, 0.0), abs=off), change


def test_the_optimum_is_followed_as_plain_loops_do() -> None:
    rules = with_target(load_rules("des-10000"), 500)
    player = seat(Optimum("win"), rules, optimal_player)
    plays, model = Plays(player), turn_model(rules)
    for standing in (Standing(0, 0), Standing(300, 450), Standing(200, 600, last=True)):
        key = player.key(standing)
        right = follow_turn(model, bank_rule(rules, standing.score), partial(player.decide, key))
        assert_alike(plays.of(standing), right)


def test_an_optimum_plays_alike_in_all_last_turns_that_are_as_far_behind() -> None:
    player = seat(Optimum("win"), with_target(load_rules("des-10000"), 500), optimal_player)
    assert player.key(Standing(100, 600, last=True)) == player.key(Standing(400, 900, last=True, opened=True))
    assert player.key(Standing(100, 600, last=True)) != player.key(Standing(100, 650, last=True))
    assert player.key(Standing(100, 400)) != player.key(Standing(400, 100))
