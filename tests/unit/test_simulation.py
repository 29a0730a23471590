"""Simulated matches: the compiled loops play what the plain ones play, the counts add up, bad input is refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import sqrt
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dice10k_math.errors import InputError
from dice10k_math.policy import CallablePolicy, Choice, Policy, Situation, Standing, ThresholdPolicy, parse_policy, seat
from dice10k_math.questions.evaluation import evaluate
from dice10k_math.questions.simulation import players_of, simulate, simulate_turns
from dice10k_math.rules import BustRules, BustsInARow, Ending, Ruleset, SixDicePenalty, load_rules, with_target
from dice10k_math.simulation import loops, plain, run
from dice10k_math.simulation.rolls import BUST, rolls_of
from dice10k_math.simulation.run import play_matches, usual_start
from dice10k_math.simulation.tally import Tally
from tests.policies import by_places, computers, threshold_policies

FARKLE = load_rules("farkle")
SUBTRACTING = with_target(load_rules("dice10k"), 2000)
GAMES = {
    "exact": SUBTRACTING,
    "final round": with_target(FARKLE, 1500),
    "equal turns": with_target(load_rules("dix-mille"), 1500),
    "no minimum": with_target(load_rules("des-10000"), 1500),
    "high stakes": with_target(load_rules("farkle-high-stakes"), 1500),
    "first to target": replace(FARKLE, ending=replace(FARKLE.ending, kind="first_to_target", target=1500, tie=None)),
    "exact, not past": replace(
        SUBTRACTING, ending=replace(SUBTRACTING.ending, overshoot="not_allowed"), players=(1, 8)
    ),
    "shared rounds": replace(FARKLE, ending=replace(FARKLE.ending, kind="equal_turns", target=1500)),
    "busts in a row": replace(
        with_target(FARKLE, 1500), bust=BustRules(on_six=(SixDicePenalty(200),), in_a_row=BustsInARow(2, 300))
    ),
}


def both(rules: Ruleset, policies: Sequence[Policy], matches: int, seed: int) -> tuple[Tally, Tally]:
    players = players_of(policies, rules)
    start = usual_start((0,) * len(policies))
    return (
        play_matches(rules, players, matches, seed, start),
        play_matches(rules, players, matches, seed, start, plainly=True),
    )


@pytest.mark.parametrize("game", GAMES)
@given(data=st.data(), seed=st.integers(0, 2**63 - 1))
@settings(deadline=None, max_examples=6)
def test_the_compiled_loops_play_what_the_plain_ones_play(game: str, data: st.DataObject, seed: int) -> None:
    rules = GAMES[game]
    count = data.draw(st.integers(max(2, rules.players[0]), min(4, rules.players[1])))
    policies = [data.draw(threshold_policies() | computers) for _ in range(count)]
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(run, "MOST_TURNS", 400)
            compiled, plainly = both(rules, policies, 8, seed)
    except InputError as error:
        # A drawn policy may wait for what hardly ever comes.
        assert "policies that bank" in str(error) or "never banks" in str(error)  # noqa: PT017 - either is right
        return
    assert np.array_equal(compiled.sums, plainly.sums)
    assert np.array_equal(compiled.products, plainly.products)


@given(first=by_places(), second=by_places(), seed=st.integers(0, 2**63 - 1))
@settings(deadline=None, max_examples=6)
def test_the_compiled_loops_go_by_places_as_the_plain_ones_do(
    first: ThresholdPolicy, second: ThresholdPolicy, seed: int
) -> None:
    rules = with_target(load_rules("dice10k"), 3000)
    players = players_of([first, second], rules)
    start = replace(usual_start((2000, 3400)), turns_only=12)
    compiled = play_matches(rules, players, 8, seed, start)
    plainly = play_matches(rules, players, 8, seed, start, plainly=True)
    assert np.array_equal(compiled.sums, plainly.sums)
    assert np.array_equal(compiled.products, plainly.products)


@pytest.mark.parametrize("overshoot", ["not_allowed", "add_or_subtract"])
def test_who_goes_by_places_and_nothing_else_knows_where_he_stands(
    overshoot: Literal["not_allowed", "add_or_subtract"],
) -> None:
    rules = load_rules("des-10000")
    rules = replace(
        rules, turn=replace(rules.turn, bank_multiple=100), ending=Ending("exact", 400, overshoot=overshoot)
    )
    text = "threshold 0 keep=100:10000,8000,6000,5000,4500;100:8000:5+5,10+20,20+30,30+30,40+30,50+30"
    players = players_of([parse_policy(text), parse_policy("threshold 100")], rules)
    compiled, plainly = (play_matches(rules, players, 40, 3, usual_start((0, 0)), plainly=way) for way in (False, True))
    assert np.array_equal(compiled.sums, plainly.sums)
    found = simulate(rules, [parse_policy(text), parse_policy("threshold 100")], matches=4000, seed=1)
    right = evaluate(rules, (text, "threshold 100")).win_probability()
    share = found.seats[0].win_probability
    assert abs(share.value - right.value) < share.upper - share.lower


def test_the_generators_are_the_same() -> None:
    stream = plain.chances(7, 3)
    state = loops.started(7, 3)
    for _ in range(5):
        state = np.uint64((int(state) + plain.GOLDEN) & plain.MASK)
        assert next(stream) == (int(loops.mixed(state)) >> 11) * 2.0**-53


@pytest.mark.parametrize("name", ["dice10k", "farkle", "dix-mille", "des-10000"])
def test_the_tables_of_rolls_have_the_known_odds(name: str) -> None:
    from dice10k_math import bust_odds

    rules = load_rules(name)
    rolls = rolls_of(rules)
    for number, hand in enumerate(rolls.hands):
        kinds = rolls.kind[rolls.first[number] :][: rolls.outcomes[number]]
        assert int((kinds == BUST).sum()) == bust_odds(rules, dice=len(hand)) * len(kinds)


def test_one_seed_gives_the_same_matches_in_any_portion() -> None:
    rules = GAMES["final round"]
    players = players_of([parse_policy("threshold 300"), parse_policy("computer")], rules)
    start = usual_start((0, 0))
    whole = play_matches(rules, players, 500, 5, start)
    again = play_matches(rules, players, 500, 5, start)
    other = play_matches(rules, players, 500, 6, start)
    assert np.array_equal(whole.products, again.products)
    assert not np.array_equal(whole.products, other.products)
    assert np.array_equal(whole.sums, play_matches(rules, players, 500, 5, start, plainly=True).sums)


@pytest.mark.parametrize("game", GAMES)
def test_wins_add_up_to_the_matches(game: str) -> None:
    rules = GAMES[game]
    count = rules.players[0] if rules.players[0] > 1 else 3
    found = simulate(rules, ["threshold 300 end=win"] * count, matches=300, seed=2)
    assert sum(each.win_probability.value for each in found.seats) == pytest.approx(1)
    for each in found.seats:
        assert each.turns.lower <= each.turns.value <= each.turns.upper
        assert 0 < each.bust_rate.lower < each.bust_rate.upper < 1


@pytest.mark.parametrize("players", range(1, 9))
def test_one_to_eight_can_play(players: int) -> None:
    found = simulate(GAMES["final round"], ["threshold 300"] * players, matches=50)
    assert len(found.seats) == players
    assert found.to_frame().height == players


def greedy(_: Standing, here: Situation) -> Choice:
    return max(here.choices, key=lambda choice: (choice.turn_score >= 300, choice.turn_score, choice.then == "bank"))


def test_a_function_plays_like_the_policy_that_it_spells_out() -> None:
    rules = GAMES["no minimum"]

    def spelled(_: Standing, here: Situation) -> Choice:
        banks = [choice for choice in here.choices if choice.then == "bank" and choice.turn_score >= 300]
        if banks:
            return max(banks, key=lambda choice: choice.turn_score)
        return max(
            here.choices, key=lambda choice: (choice.then == "roll", choice.hot, -choice.dice, choice.turn_score)
        )

    ours = simulate(rules, [CallablePolicy(spelled)] * 2, matches=60)
    theirs = simulate(rules, ["threshold 300"] * 2, matches=60)
    assert [each.turns for each in ours.seats] == [each.turns for each in theirs.seats]
    assert ours.seats[0].policy == "spelled"


def test_single_turns_start_at_the_score_that_is_asked_for() -> None:
    opening = simulate_turns(FARKLE, "threshold 300", turns=5000)
    later = simulate_turns(FARKLE, "threshold 300", turns=5000, score=1000)
    assert opening.turns.value == later.turns.value == 1
    assert opening.bust_rate.lower > later.bust_rate.upper
    against = simulate_turns(FARKLE, "threshold 300 if behind>=500 1000", turns=5000, score=1000, opponent=2000)
    assert against.bust_rate.lower > later.bust_rate.upper


def test_intervals_are_those_of_the_counts() -> None:
    tally = Tally.empty(1, 840)
    wins, turns = [1, 0, 1, 1], [2, 4, 3, 5]
    tally.add(np.array([[[840 * w], [t], [100 * t * t], [1]] for w, t in zip(wins, turns, strict=True)]))
    z = 1.959963984540054
    mean = tally.mean(1, 0, 0.95)
    assert mean.value == 3.5
    assert mean.upper - mean.value == pytest.approx(z * np.std(turns) / 2)
    won = tally.win_probability(0, 0.95)
    # Wilson's interval, as in the textbooks.
    middle, half = (0.75 + z**2 / 8) / (1 + z**2 / 4), z * sqrt(0.75 * 0.25 / 4 + z**2 / 64) / (1 + z**2 / 4)
    assert won.lower == pytest.approx(middle - half)
    assert won.upper == pytest.approx(middle + half)
    ratio = tally.ratio(2, 0, 0.95)
    points = 100 * np.array(turns) ** 2
    slope = points.sum() / sum(turns)
    assert ratio.value == slope
    residual = points - slope * np.array(turns)
    assert ratio.upper - slope == pytest.approx(z * sqrt((residual**2).sum() * 4 / 3) / sum(turns))


ENDLESS = CallablePolicy(lambda _, here: here.choices[-1], name="roller")
REFUSED: dict[str, tuple[Callable[[], object], str]] = {
    "nobody": (lambda: simulate(FARKLE, []), "policies: 0, one for each player; farkle is for 1 to 8 players"),
    "nine": (lambda: simulate(FARKLE, ["computer"] * 9), "policies: 9, one for each player; farkle is for 1 to 8"),
    "one of two": (lambda: simulate(load_rules("dice10k"), ["computer"]), "dice10k is for 2 players"),
    "no matches": (lambda: simulate(FARKLE, ["computer"], matches=0), "matches: 0; allowed: 1 to"),
    "a bad seed": (lambda: simulate(FARKLE, ["computer"], seed=-1), "seed: -1; allowed: 0 to"),
    "certainty": (lambda: simulate(FARKLE, ["computer"], confidence=1.0), "confidence: 1.0; allowed: more than 0"),
    "crooked scores": (lambda: simulate(FARKLE, ["computer"], scores=[25]), "scores: 25; farkle has scores in steps of 50"),
    "a score past the end": (lambda: simulate(FARKLE, ["computer"], scores=[10_000]), "scores: 10000; farkle"),
    "too few scores": (lambda: simulate(FARKLE, ["computer"] * 2, scores=[0]), "scores: 1 for 2 players"),
    "optimum of three": (lambda: simulate(FARKLE, ["optimum win"] * 3), "optimum win; known for two players"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_bad_input_is_refused(case: str) -> None:
    make, message = REFUSED[case]
    with pytest.raises(InputError, match=message.replace("(", r"\(")):
        make()


def test_a_policy_that_goes_on_for_ever_is_reported_with_the_state() -> None:
    with pytest.raises(InputError, match=r"no end after 100000 turns.* at score 0, .*allowed: policies that bank"):
        simulate(FARKLE, ["threshold 900000"], matches=3)


def test_a_function_that_never_banks_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dice10k_math.simulation.run.MOST_TURNS", 50)
    with pytest.raises(InputError, match=r"no end after 50 turns, at scores 0, 0; allowed: policies that bank"):
        simulate(FARKLE, [ENDLESS, ENDLESS], matches=1)


def test_the_random_numbers_of_a_match_do_not_depend_on_the_policy() -> None:
    assert seat(parse_policy("computer"), FARKLE).key(Standing(0)) is not None
    first, second = plain.chances(1, 0), plain.chances(1, 0)
    assert [next(first) for _ in range(3)] == [next(second) for _ in range(3)]
