"""The match of M. Busche's article, whose figure is of a game in which scores stay above a bound."""

from __future__ import annotations

import pytest
from docs.generator import costly

import dice10k_math as d10
from dice10k_math.rules import with_target
from tests.oracles.bounded import BoundedMatch
from tests.oracles.match import MatchOracle
from tests.test_reference import HERE

RULES = d10.load_rules(HERE / "rules" / "busche-farkle.toml")


def test_sweeps_agree_with_plain_loops() -> None:
    rules = with_target(RULES, 400)
    match = BoundedMatch(rules, -200)
    match.settle(1e-13)
    oracle = MatchOracle(rules, cutoff=1_200, span=(-200, 400), beyond="win")
    plain = [start for start in oracle.starts if start.busts == start.other_busts == 0]
    assert len(plain) > 50
    for start in plain:
        assert match.value(start.own, start.other) == pytest.approx(oracle.value(start), abs=1e-10)


@pytest.mark.slow
def test_a_bound_of_the_scores_moves_no_digit_of_the_published_figure() -> None:
    """By sweeps with scores of at least -2,500, and by the solver, which has no such bound: the kept figure."""
    match = BoundedMatch(RULES, -2500)
    match.settle(1e-9)
    kept = costly.values("win:busche-farkle")
    assert match.value(0, 0) == pytest.approx(kept["value"], abs=1e-8, rel=0)
    assert round(kept["lower"], 5) == round(kept["upper"], 5) == 0.53487
