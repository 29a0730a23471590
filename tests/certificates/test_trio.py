"""The judge of three players: it accepts what the solver proposes, and nothing that is a little better."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from dice10k_math import load_rules
from dice10k_math.certify.trio import judge_trio
from dice10k_math.program import Floats
from dice10k_math.race import Race
from dice10k_math.rules.model import with_target
from dice10k_math.solve.trio import solve_trio
from dice10k_math.trio import Trio, TrioTables
from tests.agreement.test_match import ended

DES_10000 = load_rules("des-10000")
KINDS = pytest.mark.parametrize("kind", ["first_to_target", "final_round"])


def with_upper(tables: TrioTables, upper: list[Floats]) -> TrioTables:
    return replace(tables, upper=(upper[0], upper[1], upper[2]))


@cache
def solved(kind: str) -> tuple[Trio, TrioTables]:
    rules = with_target(DES_10000, 250) if kind == "final_round" else ended(DES_10000, "first_to_target", 250)
    trio = Trio(Race(rules))
    return trio, solve_trio(trio).tables


@KINDS
def test_what_the_solver_proposes_is_accepted(kind: str) -> None:
    trio, tables = solved(kind)
    verdict = judge_trio(trio, tables)
    assert verdict.accepted
    assert verdict.ends
    assert verdict.checked == 3 * trio.scores**3


@KINDS
@pytest.mark.parametrize("number", [0, 1, 2])
def test_a_bound_that_is_too_low_is_found(kind: str, number: int) -> None:
    trio, tables = solved(kind)
    total = 2 * trio.scores - 2
    column = int(trio.trios(total).before[1])
    upper = [table.copy() for table in tables.upper]
    upper[number][total, column] -= 1e-6
    verdict = judge_trio(trio, with_upper(tables, upper))
    assert not verdict.accepted
    assert "claims" in verdict.faults[0]


@KINDS
def test_a_bound_that_is_no_number_is_found(kind: str) -> None:
    trio, tables = solved(kind)
    upper = [table.copy() for table in tables.upper]
    upper[1][0, 0] = np.nan
    assert not judge_trio(trio, with_upper(tables, upper)).accepted


@KINDS
def test_bounds_of_another_play_are_refused(kind: str) -> None:
    trio, tables = solved(kind)
    # Who takes a bust for worth everything rolls for ever.
    careless = replace(tables, bust=np.where(np.isnan(tables.bust), np.nan, 1.0))
    assert not judge_trio(trio, careless).accepted


@KINDS
def test_what_is_claimed_of_ended_matches_does_not_count(kind: str) -> None:
    trio, tables = solved(kind)
    upper = [table.copy() for table in tables.upper]
    for row in range(trio.scores, trio.rows):
        past = row - trio.others >= trio.scores
        for table in upper:
            table[row, past] = 0.0
    assert judge_trio(trio, with_upper(tables, upper)).accepted


@KINDS
def test_to_win_always_is_no_bold_claim(kind: str) -> None:
    trio, tables = solved(kind)
    assert judge_trio(trio, with_upper(tables, [np.ones_like(table) for table in tables.upper])).accepted
