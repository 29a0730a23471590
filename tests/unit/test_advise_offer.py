"""Advice on an offer (High Stakes) and with spicy dice in hand, in the library and on the command line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import dice10k_math as d10
from dice10k_math.errors import InputError
from dice10k_math.questions.match import MatchSolution, solve_match
from dice10k_math.questions.positions import Seat
from dice10k_math.questions.stakes import StakesPositions
from dice10k_math.rules import with_target
from dice10k_math.stakes import check_memory
from dice10k_math.tables.build import build_tables
from dice10k_math.tables.kinds import kind_named
from dice10k_math.tables.match import load_match
from dice10k_math.tables.verify import verify_tables
from tests.agreement.test_match import ended
from tests.agreement.test_stakes import EARLY, varied
from tests.unit.cli import Cli

STAKES = with_target(d10.load_rules("farkle-high-stakes"), 700)
BOTH = ended(varied(EARLY, (1, 1, 1, 5, 5, 5)), "first_to_target", 300)
KINDS = tuple(map(kind_named, ("match", "last_turn", "take_over")))


@pytest.fixture(scope="module")
def match() -> MatchSolution:
    return solve_match(STAKES)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("stakes")
    (found / "stakes.toml").write_text(d10.dump_rules(STAKES), encoding="utf-8")
    (found / "both.toml").write_text(d10.dump_rules(BOTH), encoding="utf-8")
    build_tables([STAKES], found / "tables", kinds=KINDS)
    return found


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], folder: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    monkeypatch.chdir(folder)
    return Cli(capsys)


def test_an_offer_is_worth_what_rolling_from_it_is(match: MatchSolution) -> None:
    # The turn evaluated by itself, with another loop than the one that stored the offers.
    program = match.positions.turn(Seat(200), Seat(600)).program
    for points, dice in ((100, 5), (350, 2), (600, 6)):
        number = program.number(points, 0, dice - 1)
        assert number is not None
        rolled = float(match.positions.turn(Seat(200), Seat(600)).roll[number])
        found = match.take_over(200, 600, points, dice)
        assert found.take_over.value == pytest.approx(rolled, abs=1e-13)
        assert found.take_over.lower <= found.take_over.value <= found.take_over.upper
        assert found.take_over.upper - found.take_over.lower < 1e-9
        assert found.fresh == match.win_probability(200, 600)


def test_an_offer_in_the_last_turn(match: MatchSolution) -> None:
    # 600 more than the 300 of a banker who had 200 against 250: one die wins unless it busts.
    assert match.take_over(250, 800, points=600, dice=1).take_over.value == pytest.approx(1 / 3)
    # Level before: any score wins, however many points were banked.
    level = [match.take_over(200, 200 + points, points, 6).take_over.value for points in (500, 1000, 2000)]
    assert level == pytest.approx([1 - 5 / 216] * 3, abs=1e-12)
    fresh = match.take_over(250, 800, points=600, dice=1).fresh
    assert 0 < fresh.lower <= fresh.value <= fresh.upper < 0.5


def test_a_banker_weighs_what_he_offers(match: MatchSolution) -> None:
    # The same points and one die left are worth more to bank than with all dice left.
    worths = match.positions.turn(Seat(0), Seat(200))
    one, six = worths.banked(600, 0), worths.banked(600, 5)
    assert one is not None
    assert six is not None
    assert one > six
    choices = match.advise(0, 200, 450, (1, 5, 3))
    assert {choice.then for choice in choices} == {"bank", "roll"}
    assert choices[0].loss == 0.0
    with pytest.raises(InputError, match="depends on the dice"):
        match.positions.bank_worths(Seat(0), Seat(200))


def test_tables_give_the_same_advice(match: MatchSolution, folder: Path) -> None:
    loaded = load_match(folder / "tables", STAKES)
    assert list(verify_tables(folder / "tables", kinds=KINDS)) == []
    assert isinstance(loaded.positions, StakesPositions)
    assert isinstance(match.positions, StakesPositions)
    assert np.nanmax(np.abs(loaded.positions.offers - match.positions.offers)) < 1e-12
    assert loaded.take_over(0, 500, 500, 3).take_over.value == pytest.approx(
        match.take_over(0, 500, 500, 3).take_over.value, abs=1e-12
    )


def test_a_question_is_answered_from_the_offers_that_can_follow_it(match: MatchSolution, folder: Path) -> None:
    assert isinstance(match.positions, StakesPositions)
    for own, other in ((300, 450), (450, 300), (0, 650)):
        loaded = load_match(folder / "tables", STAKES)
        assert isinstance(loaded.positions, StakesPositions)
        found = loaded.positions.turn(Seat(own), Seat(other))
        assert "offers" not in loaded.positions.__dict__
        # Not only the start: every after-state, and so every bank that can be offered.
        assert np.max(np.abs(found.roll - match.positions.turn(Seat(own), Seat(other)).roll)) < 1e-12
        loaded.positions.turn(Seat(other), Seat(own))
        assert "offers" not in loaded.positions.__dict__
        loaded.positions.turn(Seat(100), Seat(100))
        assert "offers" in loaded.positions.__dict__


def test_a_wrong_table_of_what_to_take_over_is_found(folder: Path) -> None:
    from dice10k_math.tables import take_over

    def read(name: str) -> object:
        import polars as pl

        return pl.read_parquet(folder / "tables" / "farkle-high-stakes" / f"{name}.parquet")

    frame = read("take_over")
    assert list(take_over.check(STAKES, frame, read)) == []  # type: ignore[arg-type]
    assert list(take_over.check(STAKES, frame.head(0), read))  # type: ignore[attr-defined,arg-type]
    longer = frame.with_columns(points_to=frame["points_to"] + 600)  # type: ignore[attr-defined,index]
    assert list(take_over.check(STAKES, longer, read))  # type: ignore[arg-type]


def test_the_command_gives_both_probabilities(cli: Cli, match: MatchSolution) -> None:
    words = ("advise", "stakes.toml", "--score", "0", "--opponent", "500", "--offer", "500", "6")
    rows = cli(*words, "--format", "json").data["choices"]
    right = match.take_over(0, 500, 500, 6)
    assert [row["then"] for row in rows] == ["take over", "roll fresh"]
    assert [row["win_probability"] for row in rows] == pytest.approx([right.take_over.value, right.fresh.value])
    assert [row["points"] for row in rows] == [500, 0]
    assert rows[0]["loss"] == 0.0
    assert all(row["lower"] <= row["win_probability"] <= row["upper"] for row in rows)
    assert "take over" in cli(*words).out


def test_spicy_dice_are_offered_and_rolled_by_their_faces(cli: Cli) -> None:
    match = solve_match(BOTH)
    words = ("advise", "both.toml", "--score", "100", "--opponent", "250", "--format", "json")
    rows = cli(*words, "--offer", "200", "1,5,5").data["choices"]
    found = {row["then"]: row for row in rows}
    right = match.take_over(100, 250, 200, (1, 5, 5))
    assert found["take over"]["win_probability"] == pytest.approx(right.take_over.value, abs=1e-12)
    assert found["take over"]["hand_left"] == [1, 5, 5]
    rolled = ("--turn-score", "200", "--roll", "1,2,5", "--dice", "1,5,5")
    choices = cli(*words, *rolled).data["choices"]
    best = match.advise(100, 250, 200, (1, 2, 5), dice=(1, 5, 5))[0]
    assert choices[0]["win_probability"] == pytest.approx(best.win_probability, abs=1e-12)
    # The 1 on the die with the spicy 1 and the 5 on one with a spicy 5 are doubled.
    assert {tuple(choice["keep"]): choice["points"] for choice in choices}[1, 5] == 300


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--offer", "400", "0"), "0 dice"),
        (("--offer", "400", "7"), "7 dice"),
        (("--offer", "400", "x"), "x dice"),
        (("--offer", "410", "3"), "410 points"),
        (("--offer", "0", "3"), "0 points"),
        (("--offer", "-50", "3"), "-50 points"),
        (("--offer", "750", "3"), "750 points"),
        (("--offer", "50", "4"), "50 points with 4 dice left"),
        (("--offer", "400"), "--offer: no value"),
        (("--offer", "400", "3", "--roll", "1,5,3"), "--offer: not with"),
        (("--offer", "400", "3", "--for", "points"), "--offer: not with"),
        (("--opponent", "50", "--offer", "50", "2"), "allowed: a banker with 500 or more"),
        (("--offer", "400", "3", "--second"), "no equal turns"),
        ((), "--turn-score: missing"),
        (("--turn-score", "100"), "--roll: missing"),
        (("--turn-score", "100", "--roll", "1,5", "--dice", "1,5"), "--roll or --dice"),
    ],
)
def test_bad_offers_are_refused(cli: Cli, words: tuple[str, ...], complaint: str) -> None:
    assert complaint in cli("advise", "stakes.toml", "--score", "300", "--opponent", "600", *words).refused()


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("farkle", "--opponent", "500", "--offer", "500", "3"), "no High Stakes"),
        (("stakes.toml", "--offer", "500", "3"), "needs --opponent"),
        (("stakes.toml", "--opponent", "450", "--offer", "450", "1"), "450 points"),
        (("stakes.toml", "--opponent", "1300", "--offer", "600", "1"), "the player who banked them had 700"),
        (("both.toml", "--opponent", "250", "--offer", "250", "1,2"), "--offer: dice 1,2"),
        (("both.toml", "--opponent", "250", "--offer", "250", "7"), "no face of a die"),
        (("both.toml", "--opponent", "250", "--turn-score", "0", "--roll", "1,5", "--dice", "0,1"), "no face of a die"),
        (("both.toml", "--opponent", "250", "--turn-score", "0", "--roll", "1,5", "--dice", "1"), "1 dice"),
        (("both.toml", "--opponent", "250", "--turn-score", "0", "--roll", "1,5"), "say which 2"),
        (("farkle-spicy-high-stakes", "--opponent", "900", "--offer", "300", "1,2,3"), "GiB of memory"),
    ],
)
def test_bad_situations_are_refused(cli: Cli, words: tuple[str, ...], complaint: str) -> None:
    assert complaint in cli("advise", *words).refused()


def test_the_target_is_bounded_by_memory() -> None:
    both = d10.load_rules("farkle-spicy-high-stakes")
    check_memory(with_target(both, 8000))
    check_memory(with_target(d10.load_rules("farkle-high-stakes"), 10_000))
    with pytest.raises(InputError, match="target: 10000; taking over with 63 different hands"):
        check_memory(with_target(both, 10_000))


def test_rules_with_which_taking_over_is_not_solved_are_refused() -> None:
    from dataclasses import replace

    dice10k, dix_mille = d10.load_rules("dice10k"), d10.load_rules("dix-mille")
    for rules, complaint in (
        (dice10k, "scores that can fall"),
        (dix_mille, "extra_rounds"),
        (replace(dix_mille, turn=replace(dix_mille.turn, hot_dice_bonus=100)), "hot_dice_bonus"),
    ):
        changed = replace(rules, variants=replace(rules.variants, high_stakes=True))
        with pytest.raises(InputError, match=complaint):
            solve_match(changed)


def test_a_bust_after_taking_over_loses_to_a_player_who_was_ahead(match: MatchSolution) -> None:
    # Who had 650 to the other's 600 has more with any roll that scores; a bust does not even draw level.
    assert match.rules.ending.target == 700
    offer = match.take_over(650, 700, points=100, dice=5)
    assert offer.take_over.value == pytest.approx(float(1 - d10.bust_odds(match.rules, dice=5)), abs=1e-12)
    assert offer.take_over.upper - offer.take_over.lower < 1e-9
