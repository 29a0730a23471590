"""What the benchmarks share: timing, alternating runs, ratios, and the report of them.

A ratio is taken between contestants that ran in turn, A B A B, so that a busy machine slows both alike.
Each time is taken twice, as CPU time (user and system) and on the wall.
Ratios are those of the medians of the CPU time, which other processes disturb less; the others stand beside them.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any, TypeVar

T = TypeVar("T")
HERE = Path(__file__).resolve().parent
SOURCES = HERE.parent / "src"


@dataclass(frozen=True, slots=True)
class Timing:
    """One measured run, in seconds."""

    cpu: float
    wall: float


@dataclass(frozen=True, slots=True)
class Row:
    """What one contestant needed: medians in seconds, or why it did not run."""

    name: str
    cpu: float | None
    wall: float | None
    runs: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class Ratio:
    """A stated bound: `value` times (None: not measured), at least or at most `limit`."""

    name: str
    value: float | None
    wall: float | None
    limit: float
    at_least: bool

    @property
    def verdict(self) -> str:
        if self.value is None:
            return "not measured"
        kept = self.value >= self.limit if self.at_least else self.value <= self.limit
        return "kept" if kept else "MISSED"


@dataclass(slots=True)
class Report:
    """The rows and ratios of one benchmark, and what else is to be said."""

    title: str
    rows: list[Row] = field(default_factory=list)
    ratios: list[Ratio] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, name: str, timings: Sequence[Timing], note: str = "") -> Row:
        row = Row(name, _median("cpu", timings), _median("wall", timings), len(timings), note)
        self.rows.append(row)
        return row

    def at_most(self, name: str, ours: Row, theirs: Row, limit: float) -> None:
        """State that `ours` takes at most `limit` times as long as `theirs`."""
        self.ratios.append(Ratio(name, _over(ours.cpu, theirs.cpu), _over(ours.wall, theirs.wall), limit, False))

    def times_faster(self, name: str, ours: Row, theirs: Row, limit: float) -> None:
        """State that `theirs` takes at least `limit` times as long as `ours`."""
        self.ratios.append(Ratio(name, _over(theirs.cpu, ours.cpu), _over(theirs.wall, ours.wall), limit, True))

    def text(self) -> str:
        times = [(row.name, _ms(row.cpu), _ms(row.wall), str(row.runs), row.note) for row in self.rows]
        bounds = [
            (
                ratio.name,
                _times(ratio.value),
                _times(ratio.wall),
                f"{'at least' if ratio.at_least else 'at most'} {ratio.limit:g}",
                ratio.verdict,
            )
            for ratio in self.ratios
        ]
        blocks = [
            [self.title, ""],
            _aligned([("what (medians)", "CPU ms", "wall ms", "runs", ""), *times]),
            ["", *_aligned([("ratio", "CPU", "wall", "stated", "verdict"), *bounds])] if bounds else [],
            ["", *self.notes] if self.notes else [],
        ]
        return "\n".join(line for block in blocks for line in block)

    def document(self) -> dict[str, Any]:
        ratios = [asdict(ratio) | {"verdict": ratio.verdict} for ratio in self.ratios]
        return {
            "title": self.title,
            "machine": machine(),
            "rows": [asdict(row) for row in self.rows],
            "ratios": ratios,
            "notes": self.notes,
        }


def machine() -> dict[str, str | int]:
    """Return the kind of machine, without anything that would tell which one it is."""
    return {
        "system": platform.system(),
        "processor": platform.machine(),
        "cores": os.cpu_count() or 1,
        "python": platform.python_version(),
    }


def _median(kind: str, timings: Sequence[Timing]) -> float | None:
    return median(getattr(timing, kind) for timing in timings) if timings else None


def _over(top: float | None, bottom: float | None) -> float | None:
    return None if top is None or not bottom else top / bottom


def _ms(seconds: float | None) -> str:
    return "-" if seconds is None else f"{1000 * seconds:.2f}"


def _times(ratio: float | None) -> str:
    return "-" if ratio is None else f"{ratio:.2f}"


def _aligned(lines: Sequence[tuple[str, str, str, str, str]]) -> list[str]:
    widths = [max(len(line[column]) for line in lines) for column in range(5)]
    return [
        "  ".join(
            cell.ljust(width) if column in {0, 4} else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]


def timed(work: Callable[[], T]) -> tuple[Timing, T]:
    """Run `work` once in this process."""
    wall, cpu = time.perf_counter(), time.process_time()
    result = work()
    return Timing(time.process_time() - cpu, time.perf_counter() - wall), result


def alternate(works: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, list[Timing]]:
    """Run the works in turn, `rounds` times each, in this process."""
    timings: dict[str, list[Timing]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            timings[name].append(timed(work)[0])
    return timings


def environment(sources: Path | None = None) -> dict[str, str]:
    """Return the environment for a child process that imports the package from its sources.

    One thread for linear algebra, which no contestant uses: others would only spin, and count as CPU time.
    """
    alone = {"OPENBLAS_NUM_THREADS": "1"}
    return os.environ | alone | {"PYTHONPATH": str(sources or SOURCES), "PYTHONHASHSEED": "0"}


def alternate_processes(
    commands: Mapping[str, Sequence[str]], rounds: int, sources: Path | None = None
) -> dict[str, list[Timing]]:
    """Run the commands in turn, `rounds` times each, as whole processes; a first run, not counted, fills the caches."""
    timings: dict[str, list[Timing]] = {name: [] for name in commands}
    for number in range(rounds + 1):
        for name, command in commands.items():
            timing = _process(command, sources)
            if number:
                timings[name].append(timing)
    return timings


def _process(command: Sequence[str], sources: Path | None) -> Timing:
    from resource import RUSAGE_CHILDREN, getrusage

    before, wall = getrusage(RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment(sources))  # noqa: S603
    after, elapsed = getrusage(RUSAGE_CHILDREN), time.perf_counter() - wall
    return Timing(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, elapsed)


@dataclass(frozen=True, slots=True)
class Contestant:
    """One way to do a job, run in a process of its own.

    `prepare` imports what the job needs and returns the job; `module` is what has to be installed for it;
    `show` turns what the job returns into something that JSON can hold, outside the time taken.
    """

    prepare: Callable[[], Callable[[], Any]]
    module: str
    show: Callable[[Any], Any]


@dataclass(slots=True)
class Outcome:
    """What the runs of one contestant gave; `answer` None: not installed."""

    imports: list[Timing] = field(default_factory=list)
    first: list[Timing] = field(default_factory=list)
    warm: list[Timing] = field(default_factory=list)
    answer: Any = None
    note: str = ""


def compete(
    script: str, contestants: Mapping[str, Contestant], rounds: int, extra: Sequence[str] = ()
) -> dict[str, Outcome]:
    """Run the contestants in turn, each run in a fresh process that imports, runs the job once, and then again."""
    outcomes = {name: Outcome() for name in contestants}
    for _ in range(rounds):
        for name, contestant in contestants.items():
            outcome = outcomes[name]
            if find_spec(contestant.module) is None:
                outcome.note = "not installed"
                continue
            command = [sys.executable, script, "--child", name, *extra]
            done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment())  # noqa: S603
            read = json.loads(done.stdout)
            outcome.imports.append(Timing(*read["import"]))
            outcome.first.append(Timing(*read["first"]))
            outcome.warm.append(Timing(*read["warm"]))
            outcome.answer = read["answer"]
    return outcomes


def run_child(contestant: Contestant) -> None:
    """Do what `compete` asks of its child process, and print the figures."""
    imports, job = timed(contestant.prepare)
    first, answer = timed(job)
    warm, _ = timed(job)
    print(
        json.dumps(
            {
                "import": (imports.cpu, imports.wall),
                "first": (first.cpu, first.wall),
                "warm": (warm.cpu, warm.wall),
                "answer": contestant.show(answer),
            }
        )
    )


def arguments(description: str) -> argparse.ArgumentParser:
    """Return the options that all benchmarks have."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--rounds", type=int, default=None, help="runs of each contestant")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--quick", action="store_true", help="one small run of each: shows that the benchmark works")
    how.add_argument("--check", action="store_true", help="exit with 1 when a stated ratio is missed or not measured")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures as JSON")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    return parser


def finish(report: Report, options: argparse.Namespace) -> int:
    """Print and write the report; return the exit code."""
    print(report.text())
    if options.json is not None:
        options.json.write_text(json.dumps(report.document(), indent=2) + "\n", encoding="utf-8")
    return int(options.check and any(ratio.verdict != "kept" for ratio in report.ratios))
