"""One piece of advice from built tables: as a whole process, and in the library.

The command `advise` is compared with a process that imports numpy and polars and does nothing.
In the library the tables are loaded before, numba stays unloaded, and many different questions are asked, each about a
situation that play can come to; the games take turns.
What is taken is the median over the questions, and the longest: of each question the fastest of a few runs, as a busy
machine only ever adds to a time.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
from pathlib import Path

from bench_process import COMMAND
from dice10k_math import legal_keeps, load_rules
from dice10k_math.dice import Hand
from dice10k_math.questions.choices import after_keep
from dice10k_math.scoring import full_hand
from harness import HERE, Report, Row, Timing, alternate_processes, arguments, environment, finish

TABLES = HERE.parent / "tables"
GAMES = ("farkle", "dix-mille", "des-10000", "dice10k")
MOST_SECONDS = 0.002
FRAMES = (sys.executable, "-c", "import numpy, polars")
ASKED = ("--score", "4200", "--opponent", "7000", "--turn-score", "0", "--roll", "1,1,5,3,4,6", "--tables")
SCORES = {"dice10k": range(-2_000, 10_000, 100)}
QUESTIONS, MOST_ROLLS, RUNS = 300, 25, 3
CHILD = """
import json, sys
from time import perf_counter, process_time
from dice10k_math import load_rules
from dice10k_math.tables.match import load_match
match = load_match(sys.argv[1], load_rules(sys.argv[2]))
found = []
for score, opponent, turn_score, roll, hot_dice in json.loads(sys.argv[3]):
    wall, cpu = perf_counter(), process_time()
    match.advise(score, opponent, turn_score, roll, hot_dice=hot_dice)
    found.append((process_time() - cpu, perf_counter() - wall))
    assert "numba" not in sys.modules
print(json.dumps(found))
"""
Question = tuple[int, int, int, tuple[int, ...], int]
"""Both scores, turn score, roll, hot dice so far."""


def questions(name: str, count: int) -> list[Question]:
    """Return situations that play can come to, the same in every run: short turns and very long ones."""
    drawn = random.Random(1)  # noqa: S311 - situations to ask about
    rules, scores = load_rules(name), SCORES.get(name, range(0, 10_000, 100))
    found = []
    for _ in range(count):
        turn_score, hot_dice, hand = 0, 0, full_hand(rules)
        for _ in range(drawn.randrange(MOST_ROLLS)):
            if keeps := legal_keeps(rules, _roll(drawn, hand)):
                turn_score, hot_dice, hand = after_keep(rules, drawn.choice(keeps), turn_score, hot_dice)
        found.append((drawn.choice(scores), drawn.choice(scores), turn_score, _roll(drawn, hand), hot_dice))
    return found


def _roll(drawn: random.Random, hand: Hand) -> tuple[int, ...]:
    return tuple(drawn.randint(1, 6) for _ in hand)


def in_the_library(name: str, asked: list[Question], tables: Path) -> list[Timing]:
    """Ask in a process of its own; the first answer, which lays out the turn, is left out."""
    command = [sys.executable, "-c", CHILD, str(tables), name, json.dumps(asked[:1] + asked)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment())  # noqa: S603
    return [Timing(*pair) for pair in json.loads(done.stdout)][1:]


def fastest(runs: list[list[Timing]]) -> list[Timing]:
    """Return the fastest run of each question."""
    return [min(timings, key=lambda timing: timing.cpu) for timings in zip(*runs, strict=True)]


def main(argv: list[str] | None = None) -> int:
    parser = arguments(__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--tables", type=Path, default=TABLES, help="folder of built tables")
    options: argparse.Namespace = parser.parse_args(argv)
    tables = options.tables.resolve()
    rounds = options.rounds or (1 if options.quick else 15)
    report = Report("Advice from built tables")
    games = GAMES[: 1 if options.quick else None]
    commands = {"import numpy, polars": FRAMES} | {
        f"advise {name} as a process": (sys.executable, "-c", COMMAND, "advise", name, *ASKED, str(tables))
        for name in games
    }
    rows = {name: report.add(name, timings) for name, timings in alternate_processes(commands, rounds).items()}
    for name, row in list(rows.items())[1:]:
        report.at_most(f"{name}, to importing numpy and polars", row, rows["import numpy, polars"], 3)
    limit = Row("the limit", MOST_SECONDS, MOST_SECONDS, 0)
    runs: dict[str, list[list[Timing]]] = {name: [] for name in games}
    for _ in range(1 if options.quick else RUNS):
        for name, timings in runs.items():
            timings.append(in_the_library(name, questions(name, 1 if options.quick else QUESTIONS), tables))
    for name, timings in runs.items():
        asked = fastest(timings)
        row = report.add(f"advise {name} in the library", asked)
        report.at_most(f"advise {name} in the library, to 2 ms", row, limit, 1)
        longest = report.add("  the longest of its questions", [max(asked, key=lambda timing: timing.cpu)])
        report.at_most("  the longest of its questions, to 2 ms", longest, limit, 1)
    return finish(report, options)


if __name__ == "__main__":
    sys.exit(main())
