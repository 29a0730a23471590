"""What players of each policy do in situations that a person can judge."""

from __future__ import annotations

from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dice10k_math.errors import InputError
from dice10k_math.policy import (
    CallablePolicy,
    Choice,
    ComputerPolicy,
    Optimum,
    Plan,
    Policy,
    Situation,
    Standing,
    ThresholdPolicy,
    parse_policy,
    seat,
    situation_of,
    subtracts,
)
from dice10k_math.rules import load_rules
from dice10k_math.scoring import align_roll, bank_keeps, keeps_of
from dice10k_math.turn import bank_rule, turn_model
from tests.policies import by_places, computers, threshold_policies


def situation(game: str, roll: str, turn_score: int, standing: Standing) -> Situation:
    """The situation after a roll."""
    rules = load_rules(game)
    model = turn_model(rules)
    hand, aligned = align_roll(rules, map(int, roll))
    keeps = keeps_of(rules, hand, aligned)
    number = model.index(hand)
    kept = {(keep.points, keep.hand_left) for keep in keeps}
    banked = {(keep.points, keep.hand_left) for keep in bank_keeps(rules, keeps)}
    entries = []
    for entry in model.hands[number].entries:
        what = (entry.points, () if entry.hot else model.hands[entry.hand].hand)
        if what in (kept if entry.may_roll else banked):
            entries.append(entry)
    rule = bank_rule(rules, standing.score)
    return situation_of(model, rule, (turn_score, 0, number), entries, subtract=subtracts(rules, standing.score))


COUNTS = "keep=200+30%,100+55%,125+70%,175+80%,275+80%,500+95%"
EVEN = Standing(1000, 1000)
BEHIND = Standing(1000, 3500)
LAST = Standing(9000, 10_200, last=True)

# Places of 300 and 400 away are good ones; 1, 2, ... dice land from 300 or less with 10%, 20%, ...
BY_PLACES = (
    "threshold 0 keep=all if to_go<1500 0 keep=100:10000,5000,4500,8500,8000,5500,6000,5000,4000,3000,2000;"
    "0:5000:0+0,0+0,0+0,0+0,0+0,0+0;50:5000:10+0,20+0,30+0,40+0,50+0,60+0;300:5000:10+0,20+0,30+0,40+0,50+0,60+0"
)
OFF = "threshold 0 keep=200+0%,220+0%,210+0%,200+0%,200+0%,200+0%"
# Two dice come to a good place with 50%, three with 40%.
WORTHS = "10000,5000,5000,5000,5000,5000,5000"
BETWEEN = ";".join(f"{left}:9000:0+0,0+50,0+40,0+0,0+0,0+0" for left in (300, 400, 500))
WHOLE = f"threshold 0 keep={','.join(['0+60%'] * 6)} end=win reach=2:0 take=2:0 leave={','.join(['50%'] * 6)}"
DECISIONS = {
    "banks from the threshold on": ("des-10000", "threshold 250", "11534", 0, EVEN, ("bank", 250, 2)),
    "rolls below it, all dice kept": ("des-10000", "threshold 300", "11534", 0, EVEN, ("roll", 250, 2)),
    "a threshold for two dice": ("des-10000", "threshold 300 2:250", "11534", 0, EVEN, ("bank", 250, 2)),
    "keeps few": ("des-10000", "threshold 300 keep=few", "11534", 0, EVEN, ("roll", 100, 4)),
    "keeps by worth": ("des-10000", "threshold 300 keep=0,0,0,160,0,0", "11534", 0, EVEN, ("roll", 100, 4)),
    "keeps by less worth": ("des-10000", "threshold 300 keep=0,0,0,140,0,0", "11534", 0, EVEN, ("roll", 250, 2)),
    "counts what rolling counts": ("des-10000", f"threshold 0 {COUNTS}", "11534", 0, EVEN, ("roll", 200, 3)),
    "banks what counts more": ("des-10000", f"threshold 0 {COUNTS}", "11534", 100, EVEN, ("bank", 350, 2)),
    "is bolder": ("des-10000", f"threshold 0 {COUNTS} if behind>=1000 0 bold=100", "11534", 100, BEHIND, ("roll", 300, 3)),
    "counts and a threshold": ("des-10000", f"threshold 400 {COUNTS}", "11534", 100, EVEN, ("roll", 300, 3)),
    "hot dice are no dice left": ("des-10000", "threshold 900 keep=few", "15", 0, EVEN, ("roll", 100, 1)),
    "banks the keep that may be banked": ("dice10k", "threshold 300", "1154", 100, EVEN, ("bank", 300, 2)),
    "a threshold below the minimum": ("dice10k", "threshold 0", "1164", 0, EVEN, ("roll", 200, 2)),
    "avoids what cannot be banked": ("dice10k", "threshold 900 keep=0,0,0,0,0,0/60", "1154", 0, EVEN, ("roll", 200, 2)),
    "farkle banks every scoring die": ("farkle", "threshold 300 keep=few", "11534", 100, EVEN, ("bank", 350, 2)),
    "the computer, two dice left": ("des-10000", "computer", "11534", 0, EVEN, ("bank", 250, 2)),
    "the computer, behind": ("des-10000", "computer", "11534", 0, BEHIND, ("roll", 250, 2)),
    "the computer, hot dice": ("des-10000", "computer", "15", 400, EVEN, ("roll", 550, 6)),
    "the computer, twice the threshold": ("des-10000", "computer", "15", 450, EVEN, ("bank", 600, 6)),
    "the computer keeps first": ("dice10k", "computer", "1154", 100, EVEN, ("roll", 350, 1)),
    "a last turn, plainly": ("farkle", "threshold 300", "134", 800, LAST, ("bank", 900, 2)),
    "a last turn, to win": ("farkle", "threshold 300 end=win", "134", 800, LAST, ("roll", 900, 2)),
    "a last turn, won": ("farkle", "threshold 5000 end=win", "134", 1200, LAST, ("bank", 1300, 2)),
    "a last turn, tied with two dice": ("farkle", "threshold 300 end=win", "134", 1100, LAST, ("roll", 1200, 2)),
    "a last turn, tied with one die": ("farkle", "threshold 300 end=win", "14", 1100, LAST, ("bank", 1200, 1)),
    "lands on the target": ("dice10k", "threshold 900 end=win", "1534", 200, Standing(9700), ("bank", 300, 3)),
    "does not pass it": ("dice10k", "threshold 300 end=win", "134", 300, Standing(9700), ("roll", 400, 2)),
    "passes it, plainly": ("dice10k", "threshold 300", "134", 300, Standing(9700), ("bank", 400, 2)),
    "passes what cannot be hit": ("dice10k", "threshold 300 end=win", "134", 300, Standing(9800), ("bank", 400, 2)),
    "comes back": ("dice10k", "threshold 900 end=win", "134", 200, Standing(10_300), ("subtract", 300, 2)),
    "gets off the target": ("dice10k", "threshold 300 end=win", "134", 200, Standing(10_200), ("bank", 300, 2)),
    "goes for the goal": ("farkle", "threshold 300 if opponent>=9000 goal", "134", 800, Standing(9000, 9500), ("roll", 900, 2)),
    "far behind it reaches": ("farkle", "threshold 0 end=win reach=1:0 far=2:1000", "134", 1900, Standing(8000, 9000), ("bank", 2000, 2)),
    "not so far behind": ("farkle", "threshold 0 end=win reach=1:0 far=2:1000", "134", 1900, Standing(8000, 8950), ("roll", 2000, 2)),
    "far behind, of two dice": ("farkle", "threshold 0 end=win reach=1:0 far=3:1000", "134", 1900, Standing(8000, 9000), ("roll", 2000, 2)),
    "what reaches counts whole": ("farkle-high-stakes", WHOLE, "134", 900, Standing(9000, 9000), ("bank", 1000, 2)),
    "what does not leaves": ("farkle-high-stakes", WHOLE, "134", 850, Standing(9000, 9000), ("roll", 950, 2)),
    "reaches the goal": ("farkle", "threshold 300 if opponent>=9000 goal", "134", 900, Standing(9000, 9500), ("bank", 1000, 2)),
    "leads enough": ("farkle", "threshold 300 end=win lead=800", "134", 900, Standing(9000, 9200), ("bank", 1000, 2)),
    "leads too little": ("farkle", "threshold 300 end=win lead=900", "134", 900, Standing(9000, 9200), ("roll", 1000, 2)),
    "lands from a place": ("dice10k", BY_PLACES, "134", 900, Standing(9000, 9200), ("bank", 1000, 2)),
    "rolls on to land": ("dice10k", BY_PLACES, "13426", 100, Standing(9700, 0), ("roll", 200, 4)),
    "comes to a good place": ("dice10k", BY_PLACES, "134", 600, Standing(9000, 0), ("bank", 700, 2)),
    "leaves a bad place": ("dice10k", BY_PLACES, "134", 300, Standing(9500, 0), ("roll", 400, 2)),
    "lands from above": ("dice10k", BY_PLACES, "134", 300, Standing(10_400, 0), ("subtract", 400, 2)),
    "goes away to come back": ("dice10k", BY_PLACES, "134", 200, Standing(10_100, 0), ("bank", 300, 2)),
    "less counts what cannot be banked": ("dice10k", f"{OFF}/0,15,0,0,0,0", "1564", 0, EVEN, ("roll", 100, 3)),
    "but not so much less": ("dice10k", f"{OFF}/0,5,15,0,0,0", "1564", 0, EVEN, ("roll", 150, 2)),
    "less between places": ("dice10k", f"threshold 0 keep=100/0,20,0,0,0,0:{WORTHS};{BETWEEN}", "1564", 0, Standing(9500, 0), ("roll", 100, 3)),
    "little less between places": ("dice10k", f"threshold 0 keep=100/0,5,9,0,0,0:{WORTHS};{BETWEEN}", "1564", 0, Standing(9500, 0), ("roll", 150, 2)),
    "a row of its own": ("dice10k", f"threshold 0 keep=100/0,20,0,0,0,0:{WORTHS};350:9000:0+0,0+50,0+40,0+0,0+0,0+0;{BETWEEN[BETWEEN.index(';') + 1:]}", "1564", 0, Standing(9500, 0), ("roll", 150, 2)),
    "closes the last round": ("dix-mille", "threshold 5000 end=win", "134", 900, Standing(9000, 9200, closing=True), ("bank", 1000, 2)),
}  # fmt: skip


@pytest.mark.parametrize(
    ("game", "text", "roll", "turn_score", "standing", "expected"), DECISIONS.values(), ids=DECISIONS
)
def test_what_is_decided(
    game: str, text: str, roll: str, turn_score: int, standing: Standing, expected: tuple[str, int, int]
) -> None:
    player = seat(parse_policy(text), load_rules(game))
    chosen = player.decide(player.key(standing), situation(game, roll, turn_score, standing))
    assert (chosen.then, chosen.turn_score, chosen.dice) == expected


@given(
    policy=by_places(),
    score=st.integers(0, 105).map(lambda hundreds: 100 * hundreds),
    roll=st.lists(st.sampled_from("12345"), min_size=2, max_size=5).map(lambda more: "".join(["1", *more])),
    turn_score=st.integers(0, 40).map(lambda steps: 50 * steps),
)
@settings(deadline=None)
def test_decisions_by_places_are_legal_and_do_not_depend_on_the_order_of_the_choices(
    policy: Policy, score: int, roll: str, turn_score: int
) -> None:
    standing = Standing(score, 0)
    here = situation("dice10k", roll, turn_score, standing)
    player = seat(policy, load_rules("dice10k"))
    chosen = player.decide(player.key(standing), here)
    assert chosen in here.choices
    assert player.decide(player.key(standing), here._replace(choices=here.choices[::-1])) == chosen


@given(
    policy=threshold_policies() | computers,
    game=st.sampled_from(["dice10k", "farkle", "dix-mille", "des-10000"]),
    score=st.integers(0, 105).map(lambda hundreds: 100 * hundreds),
    opponent=st.none() | st.integers(0, 105).map(lambda hundreds: 100 * hundreds),
    roll=st.lists(st.sampled_from("12345"), min_size=2, max_size=5).map(lambda more: "".join(["1", *more])),
    turn_score=st.integers(0, 40).map(lambda steps: 50 * steps),
    last=st.booleans(),
)
@settings(deadline=None)
def test_decisions_are_legal_and_do_not_depend_on_the_order_of_the_choices(
    policy: Policy, game: str, score: int, opponent: int | None, roll: str, turn_score: int, last: bool
) -> None:
    standing = Standing(score, opponent, last=last)
    here = situation(game, roll, turn_score, standing)
    player = seat(policy, load_rules(game))
    chosen = player.decide(player.key(standing), here)
    assert chosen in here.choices
    assert player.decide(player.key(standing), here._replace(choices=here.choices[::-1])) == chosen


def test_standings_with_one_key_are_few() -> None:
    player = seat(parse_policy("threshold 300 2:250 if behind>=1000 500"), load_rules("farkle"))
    assert len({player.key(Standing(own, other)) for own in range(0, 9000, 500) for other in range(0, 9000, 500)}) == 2


def greedy(_: Standing, here: Situation) -> Choice:
    return max(here.choices, key=lambda choice: (choice.turn_score, choice.then == "bank"))


def test_a_function_decides() -> None:
    player = seat(CallablePolicy(greedy), load_rules("des-10000"))
    assert player.decide(player.key(EVEN), situation("des-10000", "11534", 0, EVEN)).turn_score == 250


@pytest.mark.parametrize(("sees", "seen"), [("turn", Standing(0)), ("own", Standing(1000)), ("match", EVEN)])
def test_a_function_sees_what_it_says(sees: str, seen: Standing) -> None:
    player = seat(CallablePolicy(greedy, sees=sees), load_rules("farkle"))  # type: ignore[arg-type] # one of the words
    assert player.key(EVEN) == seen


@pytest.mark.parametrize("answer", [None, "bank", Choice("bank", 100, (0, 0, 0, 0), 0, False)])
def test_illegal_choices_of_a_function_are_refused(answer: object) -> None:
    player = seat(CallablePolicy(lambda _, __: answer, name="mine"), load_rules("dice10k"))  # type: ignore[arg-type, return-value] # it is bad
    with pytest.raises(InputError, match=r"policy mine: .* at Standing\(score=1000.* with turn score 0; allowed: "):
        player.decide(player.key(EVEN), situation("dice10k", "11534", 0, EVEN))


def test_what_can_never_be_banked_is_rolled_on_and_what_is_beyond_the_places_banked() -> None:
    player = seat(parse_policy(BY_PLACES), load_rules("dice10k"))
    plan = player.key(Standing(9000, 0))
    assert isinstance(plan, Plan)
    assert plan.place_worth("roll", 20_050, 6) == -inf
    assert plan.place_worth("bank", 20_050, 6) == inf
    assert plan.place_worth("roll", 850, 4) == 100 * 2000 + 40 * (10_000 - 2000)
    assert plan.place_worth("roll", 950, 1) == 100 * 2000 + 10 * (10_000 - 2000)
    assert plan.place_worth("bank", 650, 1) == 100 * 8250


REFUSED = {
    "places without a target to hit": (
        parse_policy("threshold 0 keep=100:1;0:0:0+0,0+0,0+0,0+0,0+0"),
        "with places; five",
    ),
    "places for other dice": (parse_policy("threshold 0 keep=100:1;0:0:0+0"), "keep=1 worths; five needs 5"),
    "dice that are not there": (parse_policy("threshold 300 6:200"), "thresholds for 6 dice; five is played with 5"),
    "worths for other dice": (parse_policy("threshold 300 keep=0,0,0,0,0,0"), "keep=6 worths; five needs 5"),
    "an optimum that is not solved": (Optimum("win"), "optimum win; not solved here"),
    "something else": ("threshold 300", "policy: 'threshold 300'; allowed: one of the kinds of Policy"),
}


@pytest.mark.parametrize(("policy", "message"), REFUSED.values(), ids=REFUSED)
def test_policies_that_do_not_fit_the_game_are_refused(policy: Policy, message: str) -> None:
    from dataclasses import replace

    farkle = load_rules("farkle")
    scoring = replace(farkle.scoring, straight=None, three_pairs=None, two_triplets=None)
    five = replace(farkle, name="five", scoring=scoring, turn=replace(farkle.turn, dice=5))
    with pytest.raises(InputError, match=message):
        seat(policy, five)


def test_a_policy_that_never_banks_where_the_rules_let_it_is_refused() -> None:
    policy = parse_policy("threshold 300 5:never 4:never 3:never 2:never 1:never")
    assert seat(policy, load_rules("farkle"))
    with pytest.raises(InputError, match="it never banks in dice10k"):
        seat(policy, load_rules("dice10k"))


@pytest.mark.parametrize("bad", [{"base": -1}, {"per": 0}, {"hot": 2_000_000}, {"step": 1.5}])
def test_bad_parameters_of_the_computer_are_refused(bad: dict[str, int]) -> None:
    with pytest.raises(InputError, match="computer: "):
        ComputerPolicy(**bad)


@pytest.mark.parametrize("bad", [{"keep": "most"}, {"end": "lose"}, {"lead": 5}, {"take": ((1, 5), (2, 5))}])
def test_bad_parts_of_a_threshold_policy_are_refused(bad: dict[str, object]) -> None:
    from dice10k_math.policy import Thresholds

    with pytest.raises(InputError):
        ThresholdPolicy(Thresholds(300), **bad)  # type: ignore[arg-type] # they are bad
