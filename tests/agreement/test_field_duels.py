"""Best responses where scores can fall or pass the target: proved bounds against plain loops."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pytest

from dice10k_math import InputError, best_response, evaluate, exploitability, load_rules, solve_match
from dice10k_math.certify.field import judge_field
from dice10k_math.certify.rounds import judge_rounds_duel
from dice10k_math.field import Field
from dice10k_math.field_movers import BestFieldMover, PolicyFieldMover
from dice10k_math.plays import Plays
from dice10k_math.policy import CallablePolicy, Player, Policy, Standing, parse_policy, seat
from dice10k_math.policy.players import breaks_of
from dice10k_math.questions.field_duels import RoundsDuel, solve_field_duel
from dice10k_math.rules.model import BustRules, Ending, Ruleset, SixDicePenalty, with_target
from dice10k_math.solve.field import solve_field
from tests.agreement.test_field import EXACT, EXTENTS, IN_A_ROW, SMALL
from tests.oracles.falling_duel import FallingDuel
from tests.oracles.match import MatchOracle, Start

DICE10K = load_rules("dice10k")
FINAL = replace(SMALL["a final round"], name="final-round")
REACH = replace(
    load_rules("des-10000"),
    name="reach",
    bust=BustRules(on_six=(SixDicePenalty(200),)),
    ending=Ending("first_to_target", 300),
)
PAIR = ("threshold 100 end=win", "threshold 100 2:200 if behind>=200 100 1:200 if opponent_to_go<200,own<200 100")
ROUNDS = replace(IN_A_ROW, name="rounds", ending=Ending("equal_turns", 400, tie="shared"))
ROUNDS_PAIR = (PAIR[0], "threshold 100 2:200 if behind>=200 100")
ORACLES = {
    ROUNDS.name: (1_800, (-2_400, 1_000)),
    IN_A_ROW.name: (1_800, (-2_400, 1_000)),
    FINAL.name: (1_800, (-2_400, 1_000)),
    EXACT.name: (4_000, (-1_000, 4_000)),
    REACH.name: (3_000, (-2_000, 300)),
}
GAMES = pytest.mark.parametrize(
    "rules",
    [IN_A_ROW, FINAL, *(pytest.param(each, marks=pytest.mark.slow) for each in (EXACT, REACH))],
    ids=lambda rules: rules.name,
)


def player(text: str, rules: Ruleset) -> Player:
    return seat(parse_policy(text), rules)


@cache
def oracle(rules: Ruleset, texts: tuple[str | None, str | None]) -> FallingDuel:
    cutoff, span = ORACLES[rules.name]
    also = tuple(start_of(own, other) for own, other in starts(rules))
    players = [None if text is None else player(text, rules) for text in texts]
    return FallingDuel(MatchOracle(rules, cutoff, span=span, also=also), (players[0], players[1]))


def starts(rules: Ruleset) -> list[tuple[int, int]]:
    scores = range(0, rules.ending.target, 100)
    return [(own, other) for own in scores for other in scores]


def start_of(own: int, other: int) -> Start:
    return Start(own, other, opened=True, other_opened=True)


@pytest.mark.parametrize(
    ("rules", "policy"),
    [
        (IN_A_ROW, PAIR[1]),
        (FINAL, PAIR[0]),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in ((IN_A_ROW, PAIR[0]), (FINAL, PAIR[1]), *product((EXACT, REACH), PAIR))
        ),
    ],
    ids=lambda case: getattr(case, "name", case),
)
def test_the_best_response_is_worth_what_plain_loops_say(rules: Ruleset, policy: str) -> None:
    found, right = best_response(rules, policy), oracle(rules, (None, policy))
    for own, other in starts(rules):
        here = found.win_probability(own, other)
        assert here.lower - 3e-8 <= right.value(0, start_of(own, other)) <= here.upper + 3e-8, (own, other)
        assert here.upper - here.lower < 1e-3
        waiting = found.win_probability(other, own, waiting=True)
        assert waiting.lower - 3e-8 <= 1 - right.value(1, start_of(own, other)) <= waiting.upper + 3e-8, (own, other)


@GAMES
def test_two_policies_are_worth_what_plain_loops_say(rules: Ruleset) -> None:
    plays = Plays(player(PAIR[0], rules)), Plays(player(PAIR[1], rules))
    found, right = solve_field_duel(rules, plays), oracle(rules, PAIR)
    for own, other in starts(rules):
        for number in (0, 1):
            _, lower, upper = found.of(number, found.place(own, other))
            assert lower - 3e-8 <= right.value(number, start_of(own, other)) <= upper + 3e-8, (own, other, number)
            assert upper - lower < 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("policy", ROUNDS_PAIR)
def test_the_best_response_with_equal_turns_is_worth_what_plain_loops_say(policy: str) -> None:
    found, right = best_response(ROUNDS, policy), oracle(ROUNDS, (None, policy))
    for (own, other), second in product(starts(ROUNDS), (False, True)):
        here = found.win_probability(own, other, second=second)
        start = start_of(own, other)._replace(stage="second" if second else "")
        assert here.lower - 3e-8 <= right.value(0, start) <= here.upper + 3e-8, (own, other, second)
        assert here.upper - here.lower < 1e-3
        waiting = found.win_probability(other, own, second=second, waiting=True)
        assert waiting.lower - 3e-8 <= 1 - right.value(1, start) <= waiting.upper + 3e-8, (own, other, second)


@pytest.mark.slow
def test_two_policies_with_equal_turns_are_worth_what_plain_loops_say() -> None:
    found, right = evaluate(ROUNDS, ROUNDS_PAIR), oracle(ROUNDS, ROUNDS_PAIR)
    for (own, other), second, number in product(starts(ROUNDS), (False, True), (0, 1)):
        here = found.win_probability(own, other, seat=number + 1, second=second)
        start = start_of(own, other)._replace(stage="second" if second else "")
        assert here.lower - 3e-8 <= right.value(number, start) <= here.upper + 3e-8, (own, other, second, number)
        assert here.upper - here.lower < 1e-3


def test_equal_turns_of_policies_are_judged_and_told_apart() -> None:
    found = evaluate(ROUNDS, ROUNDS_PAIR)
    assert isinstance(found.duel, RoundsDuel)
    frame = found.to_frame()
    assert frame["second"].sum() * 2 == len(frame)
    first, second = found.duel.phases
    movers = [
        tuple(PolicyFieldMover.of(each.field, player(text, ROUNDS)) for each in found.duel.phases)
        for text in ROUNDS_PAIR
    ]
    us, them = np.stack([first.lower[0], second.lower[0]]), np.stack([first.upper[1], second.upper[1]])
    pair = (movers[0][0], movers[0][1]), (movers[1][0], movers[1][1])
    assert judge_rounds_duel(pair, us, them).accepted
    place = first.field.state_of(100), first.field.state_of(300)
    for phase, (table, by) in product((0, 1), ((us, 1e-9), (them, -1e-9), (us, float("nan")))):
        kept = table[(phase, *place)]
        table[(phase, *place)] += by
        assert not judge_rounds_duel(pair, us, them).accepted
        table[(phase, *place)] = kept


def test_extra_rounds_of_policies_in_which_scores_fall_are_refused() -> None:
    rules = replace(ROUNDS, ending=Ending("equal_turns", 400, tie="extra_rounds"))
    with pytest.raises(
        InputError, match=r'extra rounds in which scores can fall; allowed: policies with tie = "shared"'
    ):
        evaluate(rules, ROUNDS_PAIR)


def test_two_policies_with_busts_in_a_row_are_evaluated() -> None:
    found = evaluate(IN_A_ROW, PAIR)
    right = oracle(IN_A_ROW, PAIR)
    here = found.win_probability(100, 200)
    assert here.lower - 3e-8 <= right.value(0, start_of(100, 200)) <= here.upper + 3e-8
    other = found.win_probability(200, 100, seat=2)
    assert other.lower - 3e-8 <= right.value(1, start_of(200, 100)) <= other.upper + 3e-8
    assert "opened" not in found.to_frame().columns
    assert len(found.to_frame().filter(seat=1)) == len(found.to_frame().filter(seat=2))


def test_what_a_policy_gives_away_where_scores_fall() -> None:
    match = solve_match(IN_A_ROW).win_probability()
    found = exploitability(IN_A_ROW, PAIR[0])
    assert 0 < found.lower <= found.value <= found.upper < 0.5
    # No policy does better against the best play against it than the best play does.
    assert found.first.lower <= match.upper
    assert found.second.lower <= 1 - match.lower


def test_advice_against_a_policy_is_worth_the_best_response() -> None:
    best = best_response(IN_A_ROW, PAIR[1])
    choices = best.advise(100, 200, 100, (1, 5))
    assert choices[0].win_probability >= choices[-1].win_probability
    banked = next(each for each in choices if each.then == "bank" and each.points == 100)
    assert banked.win_probability == pytest.approx(best.win_probability(300, 200, waiting=True).value, abs=1e-12)


@pytest.mark.parametrize("player_number", [0, 1])
def test_a_bound_that_is_moved_is_refused(player_number: int) -> None:
    field = Field(IN_A_ROW, EXTENTS[IN_A_ROW.name])
    both = BestFieldMover(field), PolicyFieldMover.of(field, player(PAIR[0], IN_A_ROW))
    movers = both[player_number], both[1 - player_number]
    bounds = solve_field(field, movers=lambda _: movers)
    assert judge_field(field, bounds.us, bounds.them, movers=movers).accepted
    place = field.state_of(100), field.state_of(300)
    for table, by in (("us", 1e-9), ("them", -1e-9), ("us", float("nan"))):
        forged = getattr(bounds, table).copy()
        forged[place] += by
        verdict = judge_field(field, **{"us": bounds.us, "them": bounds.them, table: forged}, movers=movers)
        assert any((fault.state.low, fault.opponent.low) == (100, 300) for fault in verdict.faults)


def test_a_policy_that_plays_alike_between_its_breaks_does() -> None:
    texts = (
        PAIR[1],
        "computer base=100 step=50 per=100 most=120",
        "threshold 300 if ahead>=250 100 if behind<-100 200 if opponent_to_go>=400 500",
    )
    for rules in (REACH, with_target(DICE10K, 1000)):
        for text in texts:
            who = player(text, rules)
            for own in range(-300, 900, 100):
                breaks = breaks_of(who, own)
                assert breaks is not None
                keys = [who.key(Standing(own, other)) for other in range(-2000, 4000, 50)]
                for before, (other, key) in zip(keys, enumerate(keys[1:], 1), strict=False):
                    between = range(-2000 + 50 * (other - 1) + 1, -2000 + 50 * other + 1)
                    assert key == before or any(each in between for each in breaks), (text, own, other)


def test_a_function_that_sees_the_match_is_bounded_all_the_same() -> None:
    usual = player(PAIR[0], IN_A_ROW)
    policy: Policy = CallablePolicy(
        lambda standing, situation: usual.decide(usual.key(standing), situation), name="the same"
    )
    wide, narrow = (best_response(IN_A_ROW, each).win_probability() for each in (policy, PAIR[0]))
    assert wide.lower - 1e-12 <= narrow.lower <= narrow.upper <= wide.upper + 1e-12
    assert wide.upper - wide.lower < 1e-3


def test_policies_that_can_go_on_for_ever_are_reported() -> None:
    never = CallablePolicy(lambda _, situation: situation.choices[-1], sees="turn", name="rolls on")
    with pytest.raises(InputError, match="they can go on for ever"):
        evaluate(IN_A_ROW, (never, never))


@pytest.mark.slow
def test_two_policies_of_dice10k_by_two_routes() -> None:
    """Fields against the flat range of scores in which policies are followed."""
    rules = with_target(DICE10K, 2000)
    pair = ("threshold 300 end=win", "threshold 500 2:300 end=win")
    flat = evaluate(rules, pair)
    duel = solve_field_duel(rules, (Plays(player(pair[0], rules)), Plays(player(pair[1], rules))))
    for own, other in ((0, 0), (1700, 1700), (0, 1700), (2300, 1500)):
        found = flat.win_probability(own, other)
        _, lower, upper = duel.of(0, duel.place(own, other))
        assert max(found.lower, lower) <= min(found.upper, upper) + 1e-9
        assert upper - lower < 1e-4
    best = best_response(rules, pair[1]).win_probability()
    assert best.upper >= flat.win_probability().lower
    assert np.isfinite(best.value)
