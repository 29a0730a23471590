"""Bad input, interruptions and closed pipes: exit codes, one line, no traceback, no half file."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import dice10k_math.cli.odds
from tests.unit.cli import Cli, environment, process


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    return Cli(capsys)


ADVISE = ("advise", "farkle", "--for", "points")

BAD = {
    "no dice": (("odds", "dice10k", "--dice", "0"), "--dice: 0; allowed: 1 to 6"),
    "seven dice": (("odds", "dice10k", "--dice", "7"), "--dice: 7; allowed: 1 to 6"),
    "minus one die": (("scores", "dice10k", "--dice", "-1"), "--dice: -1; allowed: 1 to 6"),
    "dice in letters": (("scores", "dice10k", "--dice", "six"), "--dice: 'six'; allowed: a whole number"),
    "half a die": (("odds", "dice10k", "--dice", "2.5"), "--dice: '2.5'; allowed: a whole number"),
    "a hand of plain dice": (("odds", "dice10k", "--hand", "1,2"), "dice10k has no spicy dice; allowed: --dice"),
    "a hand and another number": (("odds", "farkle-spicy", "--hand", "1,2", "--dice", "3"), "allowed: one of the two"),
    "a hand of equal spicy dice": (("odds", "farkle-spicy", "--hand", "1,1"), "farkle-spicy has (1, 2, 3, 4, 5, 6)"),
    "a roll with letters": (("keeps", "dice10k", "1", "x"), "roll: 'x' is no face of a die; allowed: 1 to 6"),
    "face 7": (("keeps", "dice10k", "1", "7"), "roll: '7' is no face of a die; allowed: 1 to 6"),
    "face 0": (("keeps", "dice10k", "0"), "roll: '0' is no face of a die; allowed: 1 to 6"),
    "a face in other digits": (("keeps", "dice10k", "١"), "is no face of a die; allowed: 1 to 6"),
    "no roll": (("keeps", "dice10k"), "roll: no dice; allowed: faces from 1 to 6"),
    "an empty roll": (("keeps", "dice10k", ","), "roll: no dice; allowed: faces from 1 to 6"),
    "too many dice": (("keeps", "dice10k", "1,1,1,1,1,1,1"), "roll: 7 dice; dice10k is played with 1 to 6"),
    "some spicy dice": (("keeps", "farkle-spicy", "1", "2"), "say which 2 of the spicy dice (1, 2, 3, 4, 5, 6)"),
    "unknown ruleset": (("odds", "nope"), "nope: no such ruleset or file; allowed: des-10000, dice10k"),
    "missing rules file": (("odds", "nope.toml"), "nope.toml: no such file; allowed: a rules file that exists"),
    "a line break in a name": (("odds", "a\nb"), "no such ruleset or file"),
    "a folder for rules": (("odds", "/"), "/: a directory; allowed: a rules file"),
    "a built-in name for a file": (("rules", "check", "dice10k"), "dice10k: no such file"),
    "no ruleset": (("odds",), "RULES: missing; allowed: dice10k-math odds [OPTIONS] RULES"),
    "unknown format": (("odds", "dice10k", "--format", "xml"), "--format: 'xml'; allowed: table, json, csv"),
    "unknown option": (("odds", "dice10k", "--nope"), "--nope: no such option; allowed: --dice, --hand, --format, --output, --help"),
    "unknown command": (("nope",), "command: 'nope'; allowed: rules, odds"),
    "unknown rules command": (("rules", "nope"), "rules: 'nope'; allowed: show, check, or nothing"),
    "unknown tables command": (("tables", "nope"), "tables: 'nope'; allowed: build, verify"),
    "a format too early": (("rules", "--format", "json", "show", "farkle"), "say --format and --output after 'show'"),
    "a missing folder": (("odds", "dice10k", "--output", "/nope/odds.csv"), "--output /nope/odds.csv: cannot be written"),
    "a folder for output": (("odds", "dice10k", "--output", "/"), "--output /: cannot be written (Is a directory)"),
    "a huge score": (("turn", "farkle", "--score", "9" * 20), "--score: 99999999999999999999; allowed: a whole number such as 10000, of at most 18 digits"),
    "busts that do not count": (("turn", "farkle", "--busts", "1"), "--busts: 1; farkle counts 0 to 0"),
    "nothing to aim for": (("turn", "farkle", "--at-least", "0"), "--at-least: 0; allowed: a whole number from 1 to 100000"),
    "one turn of many": (("turn", "farkle", "--long-run", "--busts", "0"), "--long-run: not with"),
    "negative turn score": ((*ADVISE, "--turn-score", "-50", "--roll", "1"), "--turn-score: -50; allowed: a whole number from 0 to 1000000000"),
    "crooked turn score": ((*ADVISE, "--turn-score", "75", "--roll", "1"), "--turn-score: 75; farkle scores in steps of 50"),
    "hot dice that are not named": (("advise", "dice10k", "--for", "points", "--turn-score", "700", "--roll", "1,2,3,4,5,6"), "--turn-score: 700 cannot be with 6 dice to roll and 0 hot dice in the turn; allowed: 0"),
    "one die at the start": ((*ADVISE, "--turn-score", "0", "--roll", "1"), "--turn-score: 0 cannot be with 1 die to roll; allowed: 250, 300"),
    "a state before a match is solved": (("advise", "dice10k", "--turn-score", "0", "--roll", "1", "--opponent", "0"), "--turn-score: 0 cannot be with 1 die"),
    "a score before a match is solved": (("match", "dice10k", "--score", "50", "--opponent", "0"), "--score: 50 cannot be in dice10k; allowed: multiples of 100"),
    "a crooked score": (("turn", "farkle", "--score", "77"), "--score: 77 cannot be in farkle; allowed: multiples of 50"),
    "a score below 0": (("turn", "farkle", "--score", "-50"), "--score: -50 cannot be in farkle, where no score falls; allowed: 0 or more"),
    "a score past the target": (("turn", "farkle", "--score", "12350"), "--score: 12350; allowed: below the target 10000"),
    "points of nobody": (("turn", "farkle", "--score", "50", "--not-opened"), "--score: 50 of a player who has not banked (not opened); allowed: 0, or opened"),
    "advice on face 7": ((*ADVISE, "--turn-score", "50", "--roll", "1,7"), "--roll: '7' is no face of a die"),
    "advice without a roll": ((*ADVISE, "--turn-score", "50"), "--roll: missing; allowed: --roll FACES after a roll, --dice N before one"),
    "advice on seven dice": ((*ADVISE, "--turn-score", "50", "--dice", "7"), "--dice: 7; allowed: 1 to 6"),
    "advice on dice rolled and left": ((*ADVISE, "--turn-score", "50", "--roll", "1", "--dice", "1"), "--dice: 1; allowed: --roll or --dice"),
    "advice on some spicy dice": (("advise", "farkle-spicy", "--for", "points", "--turn-score", "50", "--dice", "2"), "allowed: --hand FACES"),
    "advice without an opponent": (("advise", "farkle", "--turn-score", "50", "--roll", "1"), "--for win: needs --opponent"),
    "a simulation of nobody": (("simulate", "farkle"), "policies: 0, one for each player; farkle is for 1 to 8 players"),
    "a simulation of nine": (("simulate", "farkle", *["computer"] * 9), "policies: 9, one for each player"),
    "a simulation of one, for two": (("simulate", "dice10k", "computer"), "dice10k is for 2 players"),
    "no matches": (("simulate", "farkle", "computer", "--matches", "0"), "matches: 0; allowed: 1 to"),
    "a policy that is none": (("simulate", "farkle", "threshold 300 2:many"), "character 15: '2:many'; allowed: points"),
    "a policy that never banks": (("simulate", "farkle", "threshold never"), "a policy must bank at some time"),
    "an evaluation of nobody": (("evaluate", "farkle"), "policies: 0; allowed: 2 to 8, or one with --course"),
    "an evaluation of one": (("evaluate", "farkle", "computer"), "policies: 1; allowed: 2 to 8, or one with --course"),
    "the course of three": (("evaluate", "farkle", *["threshold 300"] * 3, "--course"), "--course: with 3 policies; allowed: with one or two"),
    "the course of nobody": (("evaluate", "farkle", "--course"), "policies: 0; allowed: 2 to 8"),
    "the course of one against a score": (("evaluate", "farkle", "threshold 300", "--course", "--score", "0", "--opponent", "0"), "--opponent: with one policy; allowed: with two"),
    "the course of one in the second turn": (("evaluate", "dix-mille", "threshold 300", "--course", "--second"), "--second: with one policy; allowed: with two"),
    "the course of one at a crooked score": (("evaluate", "farkle", "threshold 300", "--course", "--score", "75"), "score: 75; allowed"),
    "an evaluation of three who look at each other": (("evaluate", "farkle", *["computer"] * 3), "policy computer: the threshold of a computer that is behind looks at the scores of others; allowed"),
    "an evaluation of nine": (("evaluate", "farkle", *["threshold 300"] * 9), "policies: 9, so 9 players; farkle is for 1 to 8; allowed: 2 to 8 policies"),
    "an evaluation of three, for two": (("evaluate", "dice10k", *["threshold 300"] * 3), "policies: 3, so 3 players; dice10k is for 2; allowed: 2 policies"),
    "an evaluation of three at two scores": (("evaluate", "farkle", *["threshold 300"] * 3, "--score", "0", "--opponent", "0"), "--score: with more than two players; allowed: --scores"),
    "an evaluation of three at two other scores": (("evaluate", "farkle", *["threshold 300"] * 3, "--scores", "0,0"), "scores: 2 for 3 players; allowed: one for each"),
    "an evaluation of three at no score": (("evaluate", "farkle", *["threshold 300"] * 3, "--scores", "0,x,0"), "'x'; allowed: a whole number"),
    "an evaluation of three at a crooked score": (("evaluate", "farkle", *["threshold 300"] * 3, "--scores", "0,75,0"), "scores: 75; farkle has scores from 0 in steps of 50, below the target 10000"),
    "an evaluation of two at three scores": (("evaluate", "farkle", "computer", "computer", "--scores", "0,0,0"), "--scores: with two players; allowed: with three or more"),
    "a match of nobody": (("match", "farkle", "--players", "0"), "--players: 0; allowed: 2 or 3"),
    "a match of nine": (("match", "farkle", "--players", "9"), "--players: 9; allowed: 2 or 3"),
    "a match of three, for two": (("match", "dice10k", "--players", "3", "--target", "1000"), "players: 3; dice10k is for 2"),
    "a match of three to a far target": (("match", "farkle", "--players", "3"), "target 10000, so 200 scores below it; allowed for three players: at most 120, a target of 6000"),
    "a match of three in rounds": (("match", "dix-mille", "--players", "3", "--target", "1000"), "ending.kind 'equal_turns'; allowed for three players: first_to_target, final_round"),
    "a match of three at two scores": (("match", "farkle", "--players", "3", "--target", "500", "--score", "0", "--opponent", "0"), "--score: with more than two players; allowed: --scores A,B,C"),
    "a match of three at two other scores": (("match", "farkle", "--players", "3", "--target", "500", "--scores", "0,0"), "--scores: 2 for 3 players"),
    "a match of three at a crooked score": (("match", "farkle", "--players", "3", "--target", "1000", "--scores", "0,0,75"), "third: 75; farkle has scores from 0 in steps of 50, below the target 1000"),
    "a match of three in fractions": (("match", "farkle", "--players", "3", "--exact"), "--exact: with --players 3"),
    "a match of two at three scores": (("match", "farkle", "--scores", "0,0,0"), "--scores: with two players"),
    "a match to a target that cannot be": (("match", "farkle", "--target", "300"), "target"),
    "an answer to eight": (("respond", "farkle", *["--against", "threshold 300"] * 8), "against: 8, so 9 players; farkle is for 1 to 8; allowed: 1 to 7 policies"),
    "an answer to two who look at others": (("respond", "farkle", *["--against", "threshold 300 if behind>=500 400"] * 2), "a condition on behind looks at the scores of others"),
    "an answer to two who look at others at the end": (("respond", "farkle", *["--against", "threshold 300 end=win"] * 2), "end=win looks at the scores of others"),
    "an answer to two from a seat that is not there": (("respond", "farkle", *["--against", "threshold 300"] * 2, "--seat", "4"), "seat: 4; allowed: 1 to 3"),
    "an answer to two from no seat": (("respond", "farkle", *["--against", "threshold 300"] * 2, "--seat", "0"), "--seat: 0; allowed: a whole number from 1 to 8"),
    "an answer to one from a seat": (("respond", "farkle", "--against", "threshold 300", "--seat", "2"), "--seat: with two players"),
    "an answer to two with high stakes": (("respond", "farkle-high-stakes", *["--against", "threshold 300"] * 2), "high_stakes"),
    "an evaluation of no policy": (("evaluate", "farkle", "computer", "best"), "'best'"),
    "an evaluation at the target": (("evaluate", "farkle", "computer", "computer", "--score", "10000", "--opponent", "0"), "--score: 10000; allowed: below"),
    "an evaluation at one score": (("evaluate", "farkle", "computer", "computer", "--score", "100"), "--score: not without the other score"),
    "an answer to nobody": (("respond", "farkle"), "--against: missing"),
    "an answer to one who never banks": (("respond", "farkle", "--against", "threshold never"), "a policy must bank at some time"),
    "an answer with more offers than fit": (("respond", "farkle-spicy-high-stakes", "--against", "computer"), "GiB of memory"),
    "an evaluation with more offers than fit": (("evaluate", "farkle-spicy-high-stakes", "computer", "computer"), "GiB of memory"),
    "an evaluation of three with high stakes": (("evaluate", "farkle-high-stakes", *["threshold 300"] * 3), "high_stakes; allowed for this question: rules without this variant"),
    "a match of three with high stakes": (("match", "farkle-high-stakes", "--players", "3"), "high_stakes; allowed for this question"),
    "an offer taken with seven dice": (("evaluate", "farkle-high-stakes", "threshold 300 take=7:0", "computer"), "'take=7:0'; allowed: take= and dice with points"),
    "an unknown goal": (("advise", "farkle", "--turn-score", "50", "--roll", "1", "--for", "fun"), "--for: 'fun'; allowed: win, points"),
    "no folder to build in": (("tables", "build", "farkle"), "--out: missing; allowed: --out DIR"),
    "a file to build in": (("tables", "build", "farkle", "--out", __file__), "cannot be written"),
    "a great score": (("turn", "farkle", "--score", "9" * 10), "--score: 9999999999; allowed: -1000000000 to 1000000000"),
    "very many digits": (("turn", "farkle", "--score", "9" * 9999), f"--score: {'9' * 60}...; allowed: a whole number"),
    "a number in other digits": (("odds", "dice10k", "--dice", "٣"), "--dice: '٣'; allowed: a whole number"),
    "a word too many": (("odds", "dice10k", "farkle"), "unexpected extra argument (farkle); allowed: dice10k-math odds [OPTIONS] RULES"),
    "no number of dice": (("odds", "dice10k", "--dice"), "--dice: no value; allowed: --dice VALUE"),
    "a value for a flag": (("match", "farkle", "--second=1"), "--second: takes no value; allowed: --second"),
    "no name of a rules file": (("rules", "check", ""), "FILE: ''; allowed: a path"),
    "no name of rules": (("odds", ""), "'': no such ruleset or file"),
    "no name of a folder": (("tables", "build", "farkle", "--out", ""), "--out: ''; allowed: a path"),
    "no name of an output": (("odds", "farkle", "--output", ""), "--output: ''; allowed: a path"),
    "a score between": (("solo", "des-10000", "--score", "75"), "--score: 75; allowed: 0 to 9950 in steps of 50"),
    "unopened with points": (("solo", "farkle", "--score", "500", "--not-opened"), "--not-opened: with a score of 500; a player with points"),
    "no folder to verify": (("tables", "verify", "/nope"), "/nope: no such folder"),
}  # fmt: skip


@pytest.mark.parametrize(("words", "message"), BAD.values(), ids=BAD)
def test_bad_input_is_refused_in_one_line(cli: Cli, words: tuple[str, ...], message: str) -> None:
    assert message in cli(*words).refused()


@pytest.mark.parametrize("text", ["", "[ruleset", "name = 1", '[ruleset]\nname = "x"\nfun = 1\nplayers = [3, 2]\n'])
def test_broken_rules_files_are_refused_in_one_line(cli: Cli, tmp_path: Path, text: str) -> None:
    file = tmp_path / "broken.toml"
    file.write_text(text, encoding="utf-8")
    assert "broken.toml" in cli("rules", "check", str(file)).refused()
    assert "broken.toml" in cli("odds", str(file)).refused()


def test_all_faults_of_a_rules_file_are_counted_in_one_line(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "broken.toml"
    file.write_text('[ruleset]\nname = "x"\nfun = 1\nplayers = [3, 2]\n[turn]\ndice = 9\n', encoding="utf-8")
    said = cli("rules", "check", str(file)).refused()
    assert said.startswith(f"{file}: 6 faults: (1) ruleset.fun = 1 is an unknown key; ")
    assert said.count(str(file)) == 1
    assert "; (6) " in said


def test_a_failed_command_leaves_the_old_file(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "odds.csv"
    file.write_text("old", encoding="utf-8")
    cli("odds", "dice10k", "--dice", "7", "--output", str(file)).refused()
    assert file.read_text(encoding="utf-8") == "old"


def test_a_disk_that_fails_leaves_the_old_file(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "odds.csv"
    file.write_text("old", encoding="utf-8")

    def fail(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    assert "No space left on device" in cli("odds", "dice10k", "--output", str(file)).refused()
    assert file.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_output_goes_straight_into_what_is_no_ordinary_file(cli: Cli) -> None:
    assert cli("odds", "dice10k", "--output", os.devnull).code == 0
    assert not Path(os.devnull).is_file()


def test_a_defect_gives_code_1_and_one_line(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("of a test")

    monkeypatch.setattr(dice10k_math.cli.odds, "bust_odds", broken)
    result = cli("odds", "dice10k")
    assert (result.code, result.out, result.err) == (1, "", "dice10k-math: ZeroDivisionError: of a test\n")


def test_ctrl_c_gives_130_and_no_file(cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(dice10k_math.cli.odds, "bust_odds", interrupted)
    result = cli("odds", "dice10k", "--output", str(tmp_path / "odds"))
    assert result.code == 130
    assert "Traceback" not in result.err
    assert not list(tmp_path.iterdir())


INTERRUPTIONS = {
    "while modules are imported": """
class Finder:
    def find_spec(self, name, *_):
        if name == "click":
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Finder())
main()
""",
    "while a file is written": """
os.fsync = lambda _: os.kill(os.getpid(), signal.SIGINT)
main()
""",
    # Stands for a compiled loop: a call that lets go of the interpreter and comes back after an hour.
    "in a call that lasts": """
import dice10k_math.cli.odds
def lasting(*_):
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    hashlib.pbkdf2_hmac("sha256", b"", b"", 2**31 - 1)
dice10k_math.cli.odds.bust_odds = lasting
main()
""",
    "where it is taken for another error": """
import dice10k_math.cli.odds
def failing(*_):
    try:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(60)
    except BaseException:
        raise ImportError from None
dice10k_math.cli.odds.bust_odds = failing
main()
""",
}


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent as POSIX sends them")
@pytest.mark.parametrize("when", INTERRUPTIONS)
def test_ctrl_c_stops_the_process_at_once(when: str, tmp_path: Path) -> None:
    start = """
import hashlib, os, signal, sys, threading, time
signal.signal(signal.SIGINT, signal.default_int_handler)
from dice10k_math.__main__ import main
"""
    run = process("odds", "dice10k", "--output", str(tmp_path / "odds"), code=start + INTERRUPTIONS[when])
    assert (run.returncode, run.stdout, run.stderr) == (130, "", "")
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent as POSIX sends them")
def test_ctrl_c_is_ignored_where_whoever_starts_the_process_ignores_it() -> None:
    code = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)
from dice10k_math.__main__ import main
class Finder:
    def find_spec(self, name, *_):
        os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Finder())
sys.exit(main())
"""
    assert process("odds", "dice10k", code=code).returncode == 0


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent as POSIX sends them")
def test_ctrl_c_stops_a_build_between_whole_files(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "dice10k_math", "tables", "build", "farkle", "--out", str(tmp_path / "tables")]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()) as run:
        while run.poll() is None and not (tmp_path / "tables" / "farkle" / "odds.parquet").exists():
            pass
        run.send_signal(signal.SIGINT)
        _, err = run.communicate(timeout=60)
    assert run.returncode == 130
    assert b"Traceback" not in err
    assert not list(tmp_path.rglob("*.part"))


@pytest.mark.skipif(sys.platform == "win32", reason="pipes close as POSIX closes them")
def test_a_closed_pipe_gives_no_traceback() -> None:
    for words in (["turn", "farkle", "--format", "csv"], ["odds", "dice10k"], ["--help"]):
        reader, writer = os.pipe()
        os.close(reader)
        run = subprocess.run(
            [sys.executable, "-m", "dice10k_math", *words],
            stdout=writer,
            stderr=subprocess.PIPE,
            check=False,
            env=environment(),
            timeout=60,
        )
        os.close(writer)
        assert (run.returncode, run.stderr) == (1, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_standard_output_is_named() -> None:
    with Path("/dev/full").open("wb") as full:
        run = subprocess.run(
            [sys.executable, "-m", "dice10k_math", "odds", "dice10k"],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            env=environment(),
            timeout=60,
        )
    assert run.returncode == 2
    assert run.stderr.count(b"\n") == 1
    assert b"standard output: cannot be written" in run.stderr


def test_the_exit_code_is_that_of_the_process() -> None:
    assert process("odds", "dice10k").returncode == 0
    bad = process("odds", "nope")
    assert (bad.returncode, bad.stdout, bad.stderr.count("\n")) == (2, "", 1)


def test_text_is_utf_8_whatever_the_locale() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "dice10k_math", "rules"],
        capture_output=True,
        check=True,
        env={**environment(), "LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"},
        timeout=60,
    )
    assert "Dés 10 000" in run.stdout.decode("utf-8")


@pytest.mark.parametrize(
    "words", [("odds", "dice10k"), ("scores", "farkle"), ("keeps", "dice10k", "1"), ("rules",), ("rules", "show", "farkle")]
)  # fmt: skip
def test_light_commands_import_nothing_heavy(words: tuple[str, ...]) -> None:
    heavy = ("numba", "polars", "sympy", "scipy", "matplotlib", "numpy", "rich")
    code = f"""
import sys
from dice10k_math.cli import main
code = main({words!r})
print("loaded", [name for name in {heavy!r} if name in sys.modules])
sys.exit(code)
"""
    run = process(code=code)
    assert run.returncode == 0, run.stderr
    assert run.stdout.endswith("loaded []\n")
