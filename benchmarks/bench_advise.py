"""One piece of advice from built tables: as a whole process, and in the library.

The command `advise` is compared with a process that imports numpy and polars and does nothing.
In the library the tables are loaded before, numba stays unloaded, and what is taken is the median of many different
questions, in turn with the others.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
from pathlib import Path

from bench_process import COMMAND
from harness import HERE, Report, Row, Timing, alternate_processes, arguments, environment, finish

TABLES = HERE.parent / "tables"
GAMES = ("farkle", "dix-mille", "des-10000", "dice10k")
LIMITED = ("farkle", "dix-mille", "des-10000")
MOST_SECONDS = 0.002
FRAMES = (sys.executable, "-c", "import numpy, polars")
ASKED = ("--score", "4200", "--opponent", "7000", "--turn-score", "650", "--roll", "1,5,3", "--tables")
SCORES = range(500, 10_000, 100)
CHILD = """
import json, sys
from time import perf_counter, process_time
from dice10k_math import load_rules
from dice10k_math.tables.match import load_match
match = load_match(sys.argv[1], load_rules(sys.argv[2]))
found = []
for score, opponent in json.loads(sys.argv[3]):
    wall, cpu = perf_counter(), process_time()
    choices = match.advise(score, opponent, 0, (1, 5, 3, 3, 4, 6))
    found.append((process_time() - cpu, perf_counter() - wall))
    assert choices and "numba" not in sys.modules
print(json.dumps(found))
"""


def questions(count: int) -> list[tuple[int, int]]:
    """Return pairs of scores, the same in every run."""
    drawn = random.Random(1)  # noqa: S311 - scores to ask about
    return [(drawn.choice(SCORES), drawn.choice(SCORES)) for _ in range(count)]


def in_the_library(name: str, asked: list[tuple[int, int]], tables: Path) -> list[Timing]:
    """Ask in a process of its own; the first answer, which lays out the turn, is left out."""
    command = [sys.executable, "-c", CHILD, str(tables), name, json.dumps(asked[:1] + asked)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment())  # noqa: S603
    return [Timing(*pair) for pair in json.loads(done.stdout)][1:]


def main(argv: list[str] | None = None) -> int:
    parser = arguments(__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--tables", type=Path, default=TABLES, help="folder of built tables")
    options: argparse.Namespace = parser.parse_args(argv)
    tables = options.tables.resolve()
    rounds = options.rounds or (1 if options.quick else 15)
    report = Report("Advice from built tables")
    commands = {"import numpy, polars": FRAMES} | {
        f"advise {name} as a process": (sys.executable, "-c", COMMAND, "advise", name, *ASKED, str(tables))
        for name in GAMES[: 1 if options.quick else None]
        if name in LIMITED
    }
    rows = {name: report.add(name, timings) for name, timings in alternate_processes(commands, rounds).items()}
    for name, row in list(rows.items())[1:]:
        report.at_most(f"{name}, to importing numpy and polars", row, rows["import numpy, polars"], 3)
    limit = Row("the limit", MOST_SECONDS, MOST_SECONDS, 0)
    parts: dict[str, list[Timing]] = {name: [] for name in GAMES[: 1 if options.quick else None]}
    for _ in range(1 if options.quick else 3):
        for name, timings in parts.items():
            timings.extend(in_the_library(name, questions(1 if options.quick else 100), tables))
    for name, timings in parts.items():
        row = report.add(f"advise {name} in the library", timings)
        if name in LIMITED:
            report.at_most(f"advise {name} in the library, to 2 ms", row, limit, 1)
    return finish(report, options)


if __name__ == "__main__":
    sys.exit(main())
