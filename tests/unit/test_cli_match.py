"""The commands `match` and `advise --for win`: what they answer, from tables or by solving, and what they refuse."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import NoReturn

import pytest

import dice10k_math as d10
from dice10k_math.cli import solving
from dice10k_math.questions import match as match_module
from dice10k_math.rules import Ending, Ruleset, with_target
from dice10k_math.rules.model import Variants
from dice10k_math.tables.build import build_tables
from dice10k_math.tables.kinds import kind_named
from tests.unit.cli import Cli, environment, process

SMALL = {name: with_target(d10.load_rules(name), 500) for name in ("farkle", "dix-mille")}
MATCH_KINDS = kind_named("match"), kind_named("last_turn")
START = ("--score", "100", "--opponent", "200")
ROLLED = ("--turn-score", "0", "--roll", "1,1,5,3,2,2")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with rules files of small targets, and their tables."""
    found = tmp_path_factory.mktemp("matches")
    for name, rules in SMALL.items():
        (found / f"{name}.toml").write_text(d10.dump_rules(rules), encoding="utf-8")
    build_tables(SMALL.values(), found / "tables", kinds=MATCH_KINDS)
    return found


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], folder: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    monkeypatch.chdir(folder)
    return Cli(capsys)


@pytest.fixture
def unsolved(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make solving a failure."""

    def solve(*_: object) -> NoReturn:
        raise AssertionError("solved again")

    monkeypatch.setattr(match_module, "solve_match", solve)


def test_match_solves_and_says_who_wins(cli: Cli) -> None:
    found = cli("match", "farkle.toml", "--format", "json").data
    right = d10.solve_match(SMALL["farkle"]).win_probability()
    assert found == {
        "ruleset": "farkle",
        "score": 0,
        "opponent": 0,
        "win_probability": right.value,
        "lower": right.lower,
        "upper": right.upper,
    }


@pytest.mark.usefixtures("unsolved")
def test_match_reads_tables(cli: Cli) -> None:
    words = ("match", "dix-mille.toml", *START, "--tables", "tables", "--format", "json")
    first, second = cli(*words).data, cli(*words, "--second").data
    table = d10.load_match("tables", SMALL["dix-mille"])
    for found, is_second in ((first, False), (second, True)):
        right = table.win_probability(100, 200, second=is_second)
        assert found["second"] is is_second
        assert (found["win_probability"], found["lower"], found["upper"]) == (right.value, right.lower, right.upper)


@pytest.mark.usefixtures("unsolved")
def test_match_speaks_to_people(cli: Cli) -> None:
    found = cli("match", "farkle.toml", *START, "--tables", "tables")
    assert found.out.startswith("Farkle (farkle): score 100, opponent 200\n\nwin probability")
    assert "proved to within" in found.out
    assert not found.err
    said = cli("match", "dix-mille.toml", *START, "--second", "--tables", "tables").out
    assert "second turn of the round" in said
    assert cli("match", "farkle.toml", *START, "--tables", "tables", "--format", "csv").out.startswith(
        "score,opponent,win_probability,lower,upper\n100,200,0."
    )


@pytest.mark.usefixtures("unsolved")
def test_advice_is_that_of_the_match_best_first(cli: Cli) -> None:
    found = cli("advise", "farkle.toml", *START, *ROLLED, "--format", "json").data
    right = d10.load_match("tables", SMALL["farkle"]).advise(100, 200, 0, (1, 1, 5, 3, 2, 2))
    assert found == {
        "choices": [
            {
                "keep": list(choice.keep),
                "points": choice.points,
                "then": choice.then,
                "dice_left": choice.dice_left,
                "win_probability": choice.win_probability,
                "loss": choice.loss,
            }
            for choice in right
        ]
    }
    losses = [choice["loss"] for choice in found["choices"]]
    assert losses == sorted(losses)
    assert losses[0] == 0 < losses[1]


@pytest.mark.usefixtures("unsolved")
@pytest.mark.parametrize(
    ("game", "scores", "more"),
    [("farkle", (300, 700), ()), ("dix-mille", (300, 700), ("--second",)), ("dix-mille", (700, 700), ())],
)
def test_a_turn_after_the_target_has_been_reached(
    cli: Cli, game: str, scores: tuple[int, int], more: tuple[str, ...]
) -> None:
    asked = ("--score", str(scores[0]), "--opponent", str(scores[1]), *more, "--tables", "tables", "--format", "json")
    found = cli("match", f"{game}.toml", *asked).data
    table, second = d10.load_match("tables", SMALL[game]), bool(more)
    assert found["win_probability"] == table.win_probability(*scores, second=second).value
    assert found["lower"] <= found["win_probability"] <= found["upper"]
    choices = cli("advise", f"{game}.toml", *ROLLED, *asked).data["choices"]
    right = table.advise(*scores, 0, (1, 1, 5, 3, 2, 2), second=second)
    assert [choice["win_probability"] for choice in choices] == [choice.win_probability for choice in right]


@pytest.mark.usefixtures("unsolved")
def test_a_last_turn_needs_no_more_of_the_match(cli: Cli) -> None:
    asked = ("farkle-spicy", "--target", "500", "--score", "300", "--opponent", "600")
    found = cli("match", *asked, "--format", "json").data
    assert 0 < found["lower"] <= found["win_probability"] <= found["upper"] < 1
    assert found["upper"] - found["lower"] < 1e-10


@pytest.mark.usefixtures("unsolved")
def test_advice_for_people(cli: Cli) -> None:
    found = cli("advise", "farkle.toml", *START, *ROLLED).out
    assert "keep   points  then  dice left  win probability" in found
    assert max(map(len, found.splitlines())) <= 80
    words = ("advise", "dix-mille.toml", *START, "--turn-score", "100", "--roll", "2,3,3,4,6", "--second")
    assert cli(*words).out.endswith("\n\nbust: no die scores\n")
    assert cli(*words, "--format", "csv").out == "keep,points,then,dice_left,win_probability,loss\n"


@pytest.mark.usefixtures("unsolved")
def test_advice_says_where_the_bounds_are_too_wide_for_its_digits(cli: Cli) -> None:
    tables = Path(__file__).resolve().parents[2] / "tables"
    asked = ("--turn-score", "600", "--roll", "1,5,3", "--tables", str(tables))
    far = cli("advise", "dice10k", "--score", "-99900", "--opponent", "99900", *asked).out
    assert far.endswith("the turn start is proved\nto be worth 0.000% to 100.000%, no closer.\n")
    assert "estimate" not in cli("advise", "dice10k", "--score", "9000", "--opponent", "9900", *asked).out


@pytest.mark.usefixtures("unsolved")
def test_advice_with_dice_left_weighs_banking_against_rolling(cli: Cli) -> None:
    words = ("advise", "dix-mille.toml", *START, "--turn-score", "350", "--dice", "2", "--second")
    found = cli(*words, "--format", "json").data["choices"]
    match = d10.load_match("tables", SMALL["dix-mille"])
    right = match.decide(100, 200, 350, 2, second=True)
    assert [(choice["keep"], choice["points"], choice["then"]) for choice in found] == [([], 0, c.then) for c in right]
    assert [choice["win_probability"] for choice in found] == [choice.win_probability for choice in right]
    assert re.search(r"^turn score 350, dice left 2\n\nchoice  win probability +loss\n", cli(*words).out, re.MULTILINE)


def test_dice_left_are_worth_the_mean_over_their_rolls() -> None:
    # dix-mille: a player must roll after hot dice, so nothing else can be chosen there.
    match = d10.solve_match(SMALL["dix-mille"])
    left = {choice.then: choice.win_probability for choice in match.decide(100, 200, 350, 2)}
    bust = 1 - match.win_probability(200, 100, second=True).value
    rolled = [
        max((c.win_probability for c in match.advise(100, 200, 350, (first, second))), default=bust)
        for first in range(1, 7)
        for second in range(1, 7)
    ]
    assert left["roll"] == pytest.approx(sum(rolled) / 36, abs=1e-12)
    banked = [c for c in match.advise(100, 200, 250, (1, 2, 3)) if c.then == "bank"]
    assert [choice.win_probability for choice in banked] == [left["bank"]]
    (hot,) = match.decide(100, 200, 350, 6)
    assert hot.then == "roll"


def test_advice_solves_where_there_is_no_table_of_these_rules(
    cli: Cli, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("advise", str(folder / "farkle.toml"), *START, *ROLLED, "--format", "json")
    read = cli(*words).data
    monkeypatch.chdir(tmp_path)
    assert solving.usual_tables(SMALL["farkle"]) is None
    # The compiled turn adds in another order than the plain one.
    for solved, right in zip(cli(*words).data["choices"], read["choices"], strict=True):
        assert solved["keep"] == right["keep"]
        assert solved["win_probability"] == pytest.approx(right["win_probability"], abs=1e-12)


def test_advice_from_tables_compiles_nothing(folder: Path) -> None:
    code = (
        "import os, sys; from dice10k_math.cli import main; os.chdir(sys.argv[1]); code = main(sys.argv[2:]);"
        "print(*{name.partition('.')[0] for name in sys.modules}, file=sys.stderr); sys.exit(code)"
    )
    done = process(str(folder), "advise", "farkle.toml", *START, *ROLLED, "--format", "json", code=code)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["choices"]
    assert not {"numba", "scipy", "sympy", "rich"} & set(done.stderr.split())


TABLES = ("--tables", "tables")
ADVISE = ("advise", "farkle.toml", *TABLES)
REFUSED = {
    "a missing opponent": (("match", "farkle.toml", "--score", "100"), "--score: .*allowed: also --opponent B"),
    "a missing score": (("match", "farkle.toml", "--opponent", "100"), "--opponent: .*allowed: also --score A"),
    "a score below zero": (
        ("match", "farkle.toml", "--score", "-50", "--opponent", "0", *TABLES),
        "--score: -50 cannot be in farkle, where no score falls; allowed: 0 or more",
    ),
    "a score off the grid": (
        ("match", "farkle.toml", "--score", "0", "--opponent", "70", *TABLES),
        "--opponent: 70 cannot be in farkle; allowed: multiples of 50",
    ),
    "a score at the target": (
        ("match", "farkle.toml", "--score", "500", "--opponent", "0"),
        "--score: 500; allowed: below the target 500",
    ),
    "both past the target": (
        (*ADVISE, "--score", "500", "--opponent", "600", *ROLLED),
        "--score: 500; allowed: below the target 500",
    ),
    "an answer that the player cannot have any more": (
        ("match", "dix-mille.toml", "--score", "0", "--opponent", "600", *TABLES),
        "--opponent: 600; allowed: below the target 500, or with --second",
    ),
    "a turn of an extra round that cannot be": (
        ("match", "dix-mille.toml", "--score", "550", "--opponent", "500", *TABLES),
        "--score: 550; allowed: below the target 500, or both level .with --second: the player level or behind. in an",
    ),
    "a last turn in exact numbers": (
        ("match", "farkle.toml", "--score", "0", "--opponent", "600", "--exact"),
        "--opponent: 600; allowed: below the target 500",
    ),
    "a last turn off the grid": (
        (*ADVISE, "--score", "0", "--opponent", "625", *ROLLED),
        "--opponent: 625 cannot be in farkle; allowed: multiples of 50",
    ),
    "a last turn too far behind": (
        ("match", "farkle.toml", "--score", "0", "--opponent", "90000", *TABLES),
        "--opponent: 90000; allowed in a last turn: at most 40000 more than the score",
    ),
    "a second turn without equal turns": (
        ("match", "farkle.toml", *START, "--second"),
        "--second: farkle has no equal",
    ),
    "advice with a second turn without equal turns": (
        (*ADVISE, *START, *ROLLED, "--second"),
        "--second: farkle has no",
    ),
    "advice without an opponent": ((*ADVISE, *ROLLED), "--for win: needs --opponent"),
    "a turn score that cannot be": (
        (*ADVISE, *START, "--turn-score", "50", "--roll", "1,1,5,3,2,2"),
        "--turn-score: 50 cannot be with 6 dice to roll; allowed: 0",
    ),
    "a bust after a turn score that cannot be": (
        (*ADVISE, *START, "--turn-score", "0", "--roll", "2,3"),
        "--turn-score: 0 cannot be with 2 dice to roll; allowed: 200",
    ),
    "a turn score off the grid": ((*ADVISE, *START, "--turn-score", "70", "--roll", "1,2,3"), "--turn-score: 70"),
    "busts that are not counted": ((*ADVISE, *START, *ROLLED, "--busts", "1"), "--busts: 1; farkle does not count"),
    "an opening against the score": ((*ADVISE, *START, *ROLLED, "--not-opened"), "--not-opened: at a score of 100"),
    "a second turn for points": ((*ADVISE, *ROLLED, "--for", "points"), "--tables: not with --for points"),
    "no folder of tables": (
        ("match", "farkle.toml", "--tables", "nowhere"),
        "--tables nowhere: .*missing; allowed: a folder that",
    ),
    "tables of other rules": (("match", "farkle", *TABLES), "--tables tables: .*is of other rules named 'farkle'"),
    "a game that has no table": (("match", "farkle-spicy", *TABLES), "can have no table 'match'"),
}


@pytest.mark.usefixtures("unsolved")
@pytest.mark.parametrize("case", REFUSED)
def test_refuses(cli: Cli, case: str) -> None:
    words, message = REFUSED[case]
    said = cli(*words).refused()
    assert re.search(message, said), said


@pytest.mark.usefixtures("unsolved")
def test_a_spoilt_table_is_told_and_not_solved_over(cli: Cli, folder: Path) -> None:
    path = folder / "tables" / "farkle" / "match.parquet"
    whole = path.read_bytes()
    try:
        path.write_bytes(whole[:-1])
        assert "SHA-256" in cli("advise", "farkle.toml", *START, *ROLLED).refused()
    finally:
        path.write_bytes(whole)


def test_progress_is_shown_on_a_terminal_only(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with solving.progress() as report:
        report("solving", 0.5)
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    with solving.progress() as report:
        report("solving", 0.5)
        report("judging", None)
    out, err = capsys.readouterr()
    assert not out
    assert "judging" in err


SMALL_FIELD = """
[ruleset]
name = "small-field"
[scoring]
singles = { 1 = 100, 5 = 50 }
[turn]
dice = 1
[bust]
in_a_row = { busts = 2, penalty = 100 }
[ending]
kind = "first_to_target"
target = 200
"""


@pytest.mark.parametrize("rules", [SMALL["farkle"], d10.parse_rules(SMALL_FIELD)], ids=lambda rules: rules.name)
def test_every_phase_of_solving_tells_how_far_it_is(rules: Ruleset) -> None:
    told: list[tuple[str, float | None]] = []
    d10.solve_match(rules, lambda what, share: told.append((what, share)))
    assert told[0] == ("laying out the turn", None)
    phases = list(dict.fromkeys(what for what, _ in told[1:]))
    rounds = rules.name == "small-field"
    assert all("round" in phase for phase in phases[:-1]) if rounds else phases[:-1] == ["solving", "bounding"]
    assert phases[-1] == "judging"
    for phase in phases:
        shares = [-1.0 if share is None else share for what, share in told if what == phase]
        assert shares == sorted(shares)
        assert shares[0] == 0
        assert shares[-1] < 1


@pytest.mark.skipif(sys.platform == "win32", reason="no such signal there")
def test_an_interrupted_match_leaves_nothing(tmp_path: Path) -> None:
    code = (
        "import os, signal, sys\n"
        "from dice10k_math.cli import main\n"
        "from dice10k_math.questions import match\n"
        "told = match._solve_race\n"
        "def solve(*given):\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    return told(*given)\n"
        "match._solve_race = solve\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    output = tmp_path / "match.json"
    words = [sys.executable, "-c", code, "match", "farkle", "--output", str(output)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=environment(), timeout=60)
    assert done.returncode == 128 + signal.SIGINT
    assert not done.stdout
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir())


def test_evaluate_says_how_likely_two_policies_are_to_win(cli: Cli) -> None:
    words = ("evaluate", "farkle.toml", "computer", "threshold 300 2:250")
    found = cli(*words, *START, "--format", "json").data
    right = d10.evaluate(SMALL["farkle"], words[2:])
    assert [row["policy"] for row in found["seats"]] == list(words[2:])
    for seat, row in enumerate(found["seats"], start=1):
        value = right.win_probability(100, 200, seat=seat)
        assert (row["win_probability"], row["lower"], row["upper"]) == (value.value, value.lower, value.upper)
        assert row["bust_rate"] == right.turn(100, 200, seat=seat).busts
    text = cli(*words).out
    assert "proved to within" in text
    assert max(map(len, text.splitlines())) <= 80
    assert cli(*words, "--format", "csv").out.count("\n") == 3


def test_respond_says_the_most_that_can_be_won_against_a_policy(cli: Cli) -> None:
    words = ("respond", "farkle.toml", "--against", "threshold 300")
    found = cli(*words, "--format", "json").data
    right = d10.exploitability(SMALL["farkle"], "threshold 300")
    assert found["exploitability"] == pytest.approx(right.value, abs=1e-12)
    assert [row["to_move"] for row in found["values"]] == ["best", "policy"]
    text = cli(*words).out
    assert "gives away" in text
    assert max(map(len, text.splitlines())) <= 80
    assert "exploitability" not in cli(*words, *START, "--format", "json").data
    assert cli(*words, "--format", "csv").out.count("\n") == 3


def test_exact_bounds_are_fractions(cli: Cli, folder: Path) -> None:
    small = replace(d10.load_rules("des-10000"), ending=Ending("first_to_target", 200))
    (folder / "small.toml").write_text(d10.dump_rules(small), encoding="utf-8")
    found = cli("match", "small.toml", "--exact", "--score", "50", "--opponent", "100", "--format", "json").data
    right = d10.certify_match(small).win_probability(50, 100)
    lower, upper = (Fraction(found[f"exact_{side}"]) for side in ("lower", "upper"))
    assert (lower, upper) == (right.lower, right.upper)
    assert Fraction(found["lower"]) <= lower < upper <= Fraction(found["upper"])
    assert found["exact"] is None
    assert found["lower"] <= d10.solve_match(small).win_probability(50, 100).value <= found["upper"]
    text = cli("match", "small.toml", "--exact").out
    assert re.search(r"at least +[0-9]+/[0-9]+\n", text)


def test_exact_bounds_with_high_stakes(cli: Cli) -> None:
    found = cli("match", "farkle-high-stakes", "--target", "1000", "--exact", "--format", "json").data
    lower, upper = (Fraction(found[f"exact_{side}"]) for side in ("lower", "upper"))
    assert 0 < upper - lower < 1e-10
    assert round(float(lower), 6) == round(float(upper), 6) == round(found["win_probability"], 6) == 0.542517


def test_exact_refuses_what_it_cannot_do(cli: Cli, folder: Path) -> None:
    assert "--exact: not with --tables" in cli("match", "farkle.toml", "--exact", "--tables", "tables").refused()
    assert "too great for whole numbers" in cli("match", "farkle", "--exact").refused()
    for name in ("farkle-high-stakes", "farkle-spicy-high-stakes"):
        assert "target 9000 is too great for whole n" in cli("match", name, "--target", "9000", "--exact").refused()
    falling = replace(d10.load_rules("dice10k"), variants=Variants(None, True), name="falling")
    (folder / "falling.toml").write_text(d10.dump_rules(falling), encoding="utf-8")
    assert "high_stakes with scores that can fall" in cli("match", "falling.toml", "--exact").refused()
    rounds = replace(d10.load_rules("dix-mille"), variants=Variants(None, True), name="rounds")
    (folder / "rounds.toml").write_text(d10.dump_rules(rounds), encoding="utf-8")
    assert 'high_stakes with tie = "extra_rounds"' in cli("match", "rounds.toml", "--exact").refused()
