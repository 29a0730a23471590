"""The table of bank decisions: it says what single turns say, and forged decisions are found."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path

import polars as pl
import pytest

import dice10k_math as d10
from dice10k_math.questions.decisions import TOLERANCE
from dice10k_math.questions.match import MatchSolution
from dice10k_math.questions.positions import Seat
from dice10k_math.tables.build import build_tables
from dice10k_math.tables.kinds import kind_named
from dice10k_math.tables.policy import shown_states
from dice10k_math.tables.read import load_table
from dice10k_math.tables.verify import verify_tables
from tests.unit.table_folders import forge
from tests.unit.test_tables_match import GAMES as ALL

GAMES = {game: ALL[game] for game in ("first to the target", "equal turns", "busts in a row", "add or subtract")}
KINDS = tuple(kind_named(name) for name in ("match", "match_far", "last_turn", "policy"))


@cache
def solved(game: str) -> MatchSolution:
    return d10.solve_match(GAMES[game])


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tables")
    build_tables(GAMES.values(), folder, kinds=KINDS)
    return folder


def banks_at(frame: pl.DataFrame, opponent: int, turn_score: int, **where: int | bool) -> bool:
    """Look up a decision as an app would."""
    rows = frame.filter(
        pl.lit(value=True).and_(*(pl.col(name) == value for name, value in where.items())),
        pl.col("opponent_from") <= opponent,
        pl.col("opponent_to") >= opponent,
        pl.col("bank_from") <= turn_score,
        pl.col("bank_to").is_null() | (pl.col("bank_to") >= turn_score),
    )
    assert rows.height <= 1, "runs of one turn start lie apart"
    return rows.height == 1


@pytest.mark.parametrize("game", GAMES)
def test_decisions_are_those_of_single_turns(tables: Path, game: str) -> None:
    rules = GAMES[game]
    frame = load_table(tables, rules.name, "policy")
    positions = solved(game).positions
    compared = 0
    for own, other in ((0, 0), (50, 300), (200, 100), (300, 350)):
        if (own % 100 or other % 100) and rules.turn.dice == 2:
            continue
        mover, opponent = Seat(own), Seat(other)
        worths, bank = positions.turn(mover, opponent), positions.bank_worths(mover, opponent)
        program = worths.program
        more: dict[str, int | bool] = {"score": own}
        if "second" in frame.columns:
            more["second"] = False
        if "busts" in frame.columns:
            more |= {"busts": 0, "opponent_busts": 0}
        for state in shown_states(rules, program).tolist():
            turn_score = int(program.turn_score[state])
            if turn_score not in bank or turn_score > 1_000:
                continue
            gain = worths.roll[state] - bank[turn_score]
            if abs(gain - TOLERANCE) < TOLERANCE / 2:
                continue
            dice = len(program.model.hands[program.hand[state]].hand)
            said = banks_at(frame, other, turn_score, dice=dice, hot_dice=int(program.hot_dice[state]), **more)
            assert said == (gain < TOLERANCE), (own, other, dice, turn_score)
            compared += 1
    assert compared > 20


def test_nobody_banks_below_the_opening_minimum(tables: Path) -> None:
    # To 500 points, with an opening of 500: whoever can bank has reached the target.
    frame = load_table(tables, "dix-mille", "policy")
    assert not banks_at(frame, 100, 450, score=0, dice=3, second=True)
    assert banks_at(frame, 100, 600, score=0, dice=1, second=True)


@pytest.fixture
def copied(tables: Path, tmp_path: Path) -> Path:
    shutil.copytree(tables, tmp_path / "tables")
    return tmp_path / "tables"


def test_tables_hold(tables: Path) -> None:
    assert list(verify_tables(tables, kinds=KINDS)) == []


FORGERIES: dict[str, tuple[Callable[[pl.DataFrame], pl.DataFrame], str]] = {
    "banks later": (lambda frame: frame.with_columns(pl.col("bank_from") + 50), "says roll, but banking is better"),
    "banks earlier": (
        lambda frame: frame.with_columns(pl.col("bank_from") - 100),
        "says bank, but rolling on is better",
    ),
    "no rows": (lambda frame: frame.head(0), "says roll, but banking is better"),
    "turned opponents": (
        lambda frame: frame.with_columns(opponent_from=pl.col("opponent_to"), opponent_to=pl.col("opponent_from")),
        "a run that is none",
    ),
    "no beginning": (lambda frame: frame.with_columns(bank_from=pl.lit(None, pl.Int64)), "a run that is none"),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_forged_decisions_are_found(copied: Path, forgery: str) -> None:
    change, fault = FORGERIES[forgery]
    forge(copied, "first-to-target/policy.parquet", change)
    faults = list(verify_tables(copied, kinds=KINDS))
    assert any(re.search(f"first-to-target/policy.*{fault}", found) for found in faults), faults


def test_it_cannot_be_checked_without_the_match(copied: Path) -> None:
    (copied / "dix-mille" / "last_turn.parquet").unlink()
    assert any(
        "cannot be checked without the table 'last_turn'" in fault for fault in verify_tables(copied, kinds=KINDS)
    )
