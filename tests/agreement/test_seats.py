"""The best play against several policies: the library against plain recursion over worlds."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dice10k_math import best_response, load_rules, seats_response
from dice10k_math.rules import bank_step
from dice10k_math.rules.model import Ruleset, with_target
from tests.agreement.test_duels import SMALL, SMALL_SHARED, closeness, player
from tests.agreement.test_match import PLAIN, ended
from tests.oracles.crowd import CrowdOracle, full_response

CUTOFF = 3_000


def crowded(rules: Ruleset) -> Ruleset:
    return replace(rules, players=(2, 8))


FIRST = crowded(with_target(PLAIN, 300))
FINAL = crowded(with_target(SMALL, 200))
HIT = crowded(ended(load_rules("des-10000"), "exact", 300, overshoot="not_allowed"))
ROUNDS = crowded(SMALL_SHARED)
POLICIES = "threshold 100", "threshold 200 2:50 keep=points", "threshold goal keep=few if own>=150 100"
TABLES = (
    (FIRST, POLICIES[:2]),
    (FINAL, POLICIES[:2]),
    (HIT, ("threshold 50", "threshold 150 keep=few if own>=200 50")),
    (ROUNDS, POLICIES[1:]),
)
EACH = pytest.mark.parametrize(
    ("rules", "policies"), TABLES, ids=[f"{rules.name}-{rules.ending.kind}" for rules, _ in TABLES]
)


def right(rules: Ruleset, policies: tuple[str, ...], seat: int, scores: tuple[int, ...]) -> float:
    players = [player(policy, rules) for policy in policies]
    return CrowdOracle(rules, (*players[: seat - 1], None, *players[seat - 1 :]), scores, CUTOFF).win_probability()


@pytest.mark.parametrize("seat", [1, 2, 3])
@EACH
def test_the_best_play_against_two_is_worth_what_plain_recursion_says(
    rules: Ruleset, policies: tuple[str, ...], seat: int
) -> None:
    for scores in ((0, 0, 0), (100, 50, 0) if bank_step(rules) == 50 else (100, 0, 0)):
        found = seats_response(rules, policies, seat, scores=scores).win_probability()
        exact = right(rules, policies, seat, scores)
        assert found.value == pytest.approx(exact, abs=closeness(rules), rel=0)
        assert found.lower - closeness(rules) <= exact <= found.upper + closeness(rules)
        assert found.upper - found.lower < 1e-9
