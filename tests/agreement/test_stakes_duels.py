"""Policies against each other and against the best play with High Stakes: the library against plain recursion."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import pytest

from dice10k_math import InputError, best_response, evaluate, exploitability, load_rules, simulate, solve_match
from dice10k_math.certify.duel import judge_stakes_duel
from dice10k_math.policy import CallablePolicy, Choice, Player, Situation, Standing, parse_policy, seat
from dice10k_math.rules import bank_step
from dice10k_math.rules.model import Ruleset, with_target
from dice10k_math.solve.stakes_duel import propose_stakes_guarantees, solve_stakes_duel
from dice10k_math.stakes import FollowedStakesRace
from dice10k_math.stakes_movers import BestStakesMover, StakesPolicyMover
from tests.agreement.test_duels import SMALL, SMALL_SHARED, start_of
from tests.agreement.test_match import FIVE_DICE, ended
from tests.agreement.test_stakes import BOTH, EARLY, STAKES, TWO_FACES, varied
from tests.oracles.stakes_duel import StakesDuelOracle
from tests.oracles.variations import turned

CLOSE = 1e-12
QUICK = (
    ended(varied(EARLY), "first_to_target", 300),
    ended(varied(FIVE_DICE), "exact", 300, overshoot="not_allowed"),
    with_target(varied(SMALL), 200),
    varied(SMALL_SHARED),
)
SLOW = (
    ended(STAKES, "first_to_target", 1000),
    ended(varied(EARLY), "first_to_target", 500),
    with_target(varied(SMALL), 500),
    ended(varied(turned(SMALL, "multiple-of-100", bank_multiple=100)), "final_round", 300),
    ended(varied(turned(SMALL, "minimum-of-150", bank_minimum=150)), "final_round", 400),
    ended(varied(SMALL), "equal_turns", 400, tie="shared"),
)
WEIGHING = (
    "threshold 0 keep=100+20%,80+40%,100+50%,100+50%,100+50% end=win lead=50 reach=5:100,4:0,3:-100,2:-200,1:-300 far=6:150,5:100 "
    "take=5:100,4:150,2:200,1:250 leave=50%,40%,30%,30%,40% if opponent>=250 0 keep=0,-50,0,50,150 take=5:50,3:100 "
    "if own<100 0 bold=50 take=4:50 leave=0%,0%,10%,20%,30%"
)
PAIRS = (
    ("threshold 100", "threshold 300 2:100 keep=points take=5:50,3:150"),
    ("threshold 150 take=5:0,4:0,2:200", "threshold 200 keep=few end=win take=5:150,1:100 if behind>=100 400"),
    ("threshold 100 1:50 keep=10,40,90,150,250 end=win take=4:100", "threshold goal take=5:0,4:0,3:0,2:0,1:0"),
    (WEIGHING, "threshold 150 take=5:0,4:0,2:200"),
)
ANSWERED = PAIRS[0][1], PAIRS[1][1], WEIGHING


def named(rules: Ruleset) -> str:
    return f"{rules.name}-{rules.ending.kind}-{rules.ending.target}"


def against_plain_recursion(
    name: str, policies: Sequence[object], quick: Sequence[tuple[Ruleset, object]]
) -> pytest.MarkDecorator:
    """All rules with all policies; slow but for some."""
    cases = list(product((*QUICK, *SLOW), policies))
    marked = [pytest.param(*case, marks=() if case in quick else pytest.mark.slow) for case in cases]
    ids = [f"{named(rules)}-{policies.index(policy)}" for rules, policy in cases]
    return pytest.mark.parametrize(("rules", name), marked, ids=ids)


def fitting(text: str, rules: Ruleset) -> str:
    """The policy, with a number more of each kind where the game has six dice."""
    more = {"250 end": "250,350 end", "50% end": "50%,150+40% end", ",150 take": ",150,300 take"}
    more |= {"40% if": "40%,80% if", "20%,30%": "20%,30%,40%"}
    for short, long in more.items() if rules.turn.dice == 6 else ():
        text = text.replace(short, long)
    return text


def player(text: str, rules: Ruleset) -> Player:
    return seat(parse_policy(text), rules)


def starts(rules: Ruleset) -> list[tuple[int, int, bool]]:
    scores = range(0, rules.ending.target, bank_step(rules))
    seconds = (False, True) if rules.ending.kind == "equal_turns" else (False,)
    return list(product(scores, scores, seconds))


def cutoff(rules: Ruleset, *policies: str) -> int:
    """Turn score at which the recursion may stop."""
    if rules.ending.kind == "first_to_target":
        return 3 * rules.ending.target + 4000
    # Where not every turn score may be banked, or not with any dice left, a player has to roll on more often.
    return 8_500 if rules.turn.bank_multiple or any("reach=" in policy for policy in policies) else 5_500


def assert_two_policies(rules: Ruleset, pair: tuple[str, str]) -> None:
    found = evaluate(rules, pair)
    oracle = StakesDuelOracle(rules, (player(pair[0], rules), player(pair[1], rules)), cutoff(rules, *pair))
    for (own, other, second), number in product(starts(rules), (0, 1)):
        right = oracle.value(number, start_of(own, other, second))
        here = found.win_probability(own, other, seat=number + 1, second=second)
        assert here.value == pytest.approx(right, abs=CLOSE, rel=0), (own, other, second, number)
        assert here.lower - CLOSE <= right <= here.upper + CLOSE
        assert here.upper - here.lower < 1e-9


@against_plain_recursion("pair", PAIRS, [*product(QUICK[:1], PAIRS), *((rules, PAIRS[0]) for rules in QUICK)])
def test_two_policies_are_worth_what_plain_recursion_says(rules: Ruleset, pair: tuple[str, str]) -> None:
    if rules.ending.kind == "exact" and pair == PAIRS[0]:
        # At 250 the one waits for 100 points, and may bank no more than 50; nor can the other bank at 200.
        with pytest.raises(InputError, match="go on for ever: at 250 against 200 both only bust"):
            evaluate(rules, pair)
        return
    assert_two_policies(rules, (fitting(pair[0], rules), fitting(pair[1], rules)))


def test_who_weighs_what_a_bank_leaves_is_worth_what_plain_recursion_says() -> None:
    rules = with_target(varied(SMALL), 100)
    assert_two_policies(rules, (fitting(WEIGHING, rules), "threshold 150 take=5:0,4:0,2:200"))


@pytest.mark.parametrize(
    "rules",
    [
        ended(varied(EARLY, TWO_FACES), "first_to_target", 250),
        pytest.param(ended(BOTH, "first_to_target", 500), marks=pytest.mark.slow),
        pytest.param(ended(varied(SMALL, (1,) * 6), "final_round", 200), marks=pytest.mark.slow),
    ],
    ids=named,
)
def test_two_policies_with_spicy_dice_are_worth_what_plain_recursion_says(rules: Ruleset) -> None:
    assert_two_policies(rules, PAIRS[1])


@pytest.mark.slow
@pytest.mark.parametrize("pair", [PAIRS[0], ("threshold 300", "threshold 300 end=win take=6:0,5:0,4:300")])
@pytest.mark.parametrize("rules", [with_target(STAKES, 500), with_target(STAKES, 1000)], ids=["500", "1000"])
def test_two_policies_of_the_game_itself(rules: Ruleset, pair: tuple[str, str]) -> None:
    assert_two_policies(rules, (fitting(pair[0], rules), fitting(pair[1], rules)))


def assert_best_response(rules: Ruleset, policy: str) -> None:
    found = best_response(rules, policy)
    oracle = StakesDuelOracle(rules, (None, player(policy, rules)), cutoff(rules, policy))
    full = oracle.full
    for own, other, second in starts(rules):
        start = start_of(own, other, second)
        here = found.win_probability(own, other, second=second)
        assert here.value == pytest.approx(oracle.value(0, start), abs=CLOSE, rel=0), (own, other, second)
        assert here.lower - CLOSE <= oracle.value(0, start) <= here.upper + CLOSE
        right = 1 - oracle.value(1, start_of(other, own, second))
        waiting = found.win_probability(own, other, second=second, waiting=True)
        assert waiting.value == pytest.approx(right, abs=CLOSE, rel=0), (own, other, second)
        assert max(here.upper - here.lower, waiting.upper - waiting.lower) < 1e-9
        for points, dice in ((0, len(full)), (200, 2), (150, len(full) - 2)):
            # What it is worth to have taken over such an offer is what rolling on from there is worth.
            choices = found.decide(own, other, points, dice, second=second)
            rolled = next(choice.win_probability for choice in choices if choice.then == "roll")
            plain = oracle.turn(0, start)(points, full[:dice])
            assert rolled == pytest.approx(plain, abs=CLOSE, rel=0), (own, other, points, dice)


@against_plain_recursion(
    "policy", ANSWERED, [*product(QUICK[:1], ANSWERED), (QUICK[1], ANSWERED[1]), (QUICK[3], ANSWERED[0])]
)
def test_the_best_response_is_worth_what_plain_recursion_says(rules: Ruleset, policy: str) -> None:
    assert_best_response(rules, fitting(policy, rules))


def assert_optimum(rules: Ruleset) -> None:
    match, best = solve_match(rules), best_response(rules, "optimum win")
    found = evaluate(rules, ("optimum win", "optimum win"))
    for own, other, second in starts(rules):
        right = match.win_probability(own, other, second=second).value
        assert best.win_probability(own, other, second=second).value == pytest.approx(right, abs=CLOSE, rel=0)
        assert found.win_probability(own, other, second=second).value == pytest.approx(right, abs=CLOSE, rel=0)


@pytest.mark.parametrize(
    "rules",
    [
        ended(varied(EARLY), "first_to_target", 250),
        pytest.param(with_target(varied(SMALL), 200), marks=pytest.mark.slow),
        pytest.param(with_target(STAKES, 500), marks=pytest.mark.slow),
        pytest.param(ended(STAKES, "first_to_target", 1000), marks=pytest.mark.slow),
        pytest.param(ended(varied(EARLY, TWO_FACES), "first_to_target", 250), marks=pytest.mark.slow),
    ],
    ids=named,
)
def test_the_optimum_with_offers_is_the_solved_match_and_cannot_be_beaten(rules: Ruleset) -> None:
    assert_optimum(rules)


def test_a_function_plays_as_the_thresholds_that_it_writes_out() -> None:
    rules = ended(varied(EARLY), "first_to_target", 200)

    def choose(_: Standing, situation: Situation) -> Choice:
        banks = [choice for choice in situation.choices if choice.then == "bank" and choice.turn_score >= 150]
        rolls = [choice for choice in situation.choices if choice.then == "roll"]
        return max(banks or rolls, key=lambda choice: (choice.hot, -choice.dice, choice.turn_score))

    written = evaluate(rules, (CallablePolicy(choose, sees="turn"), "threshold 150 take=4:0"))
    found = evaluate(rules, ("threshold 150", "threshold 150 take=4:0"))
    for own, other, _ in starts(rules):
        right = found.win_probability(own, other).value
        assert written.win_probability(own, other).value == pytest.approx(right, abs=CLOSE, rel=0)


def test_what_a_policy_gives_away_with_offers() -> None:
    rules = with_target(varied(SMALL), 200)
    found = exploitability(rules, PAIRS[0][0])
    assert 0.01 < found.lower <= found.value <= found.upper < 0.5
    assert found.upper - found.lower < 1e-9


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "target", "pair"),
    [
        ("farkle-high-stakes", 2000, ("threshold 300 take=6:0,5:0,4:300", "threshold 500 end=win take=6:0,3:400")),
        ("farkle-high-stakes", 1000, ("optimum win", "threshold 300 take=6:0,5:0")),
    ],
)
def test_random_matches_agree_with_what_offers_are_worth(name: str, target: int, pair: tuple[str, str]) -> None:
    rules = with_target(load_rules(name), target)
    found = evaluate(rules, pair).win_probability()
    played = simulate(rules, pair, matches=1_000_000, seed=7).seats[0].win_probability
    # Wider than the interval, so that one of a thousand seeds would fail.
    wide = 1.7 * (played.upper - played.lower) / 2
    assert abs(played.value - found.value) < wide
    assert found.upper - found.lower < 1e-9


def test_bounds_that_claim_too_much_are_refused() -> None:
    race = FollowedStakesRace(ended(varied(EARLY), "first_to_target", 200))
    movers = BestStakesMover(race), StakesPolicyMover(race, player("threshold 150 take=4:0", race.rules))
    values = solve_stakes_duel(race, movers)
    for number in (0, 1):
        own, other = movers[number], movers[1 - number]
        bounds = propose_stakes_guarantees(race, movers, values.duel, number)
        assert judge_stakes_duel(race, bounds, own, other).accepted
        for part in (bounds.move, bounds.wait):
            part[0, 3, 1] += 1e-10
            assert not judge_stakes_duel(race, bounds, own, other).accepted
            part[0, 3, 1] -= 1e-10
