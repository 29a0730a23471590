"""How time and memory of a match of two grow with the target: solved, bounded and judged, each as a process of its own.

With `--write` the table is written into the documentation, `docs/reference/growth.md`.
Unlike other pages it states times: those of one machine on one day, while it had other work too.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from harness import HERE, Report, Timing, arguments, environment, finish, machine

PLAIN = HERE / "rules" / "plain.toml"
GAMES = {"plain game, first to the target": str(PLAIN), "farkle": "farkle"}
TARGETS, QUICK_TARGETS = (2_500, 5_000, 10_000, 20_000), (300,)
PAGE = HERE.parent / "docs" / "reference" / "growth.md"
SOLVE = """
import json, resource, sys, time
from dice10k_math import load_rules
from dice10k_math.rules.model import with_target
from dice10k_math.race import Race
from dice10k_math.solve.race import propose_bounds, solve_race
from dice10k_math.certify.race import judge_race
race = Race(with_target(load_rules(sys.argv[1]), int(sys.argv[2])))
times = [time.process_time()]
values = solve_race(race); times.append(time.process_time())
bounds = propose_bounds(race, values); times.append(time.process_time())
verdict = judge_race(race, bounds); times.append(time.process_time())
assert verdict.accepted, str(verdict.faults[0])
steps = [after - before for before, after in zip(times, times[1:])]
used = resource.getrusage(resource.RUSAGE_SELF)
starts = race.phases * race.scores ** 2
print(json.dumps({"steps": steps, "cpu": used.ru_utime + used.ru_stime, "memory": used.ru_maxrss * 1024,
                  "starts": starts, "value": float(values.move[0, 0, 0])}))
"""


@dataclass(frozen=True, slots=True)
class Run:
    """What one process needed."""

    game: str
    target: int
    starts: int
    timing: Timing
    steps: tuple[float, float, float]
    memory: float


def run(game: str, rules: str, target: int) -> Run:
    """Solve, bound and judge one match in a process of its own; a first one fills the cache of compiled loops."""
    wall = time.perf_counter()
    command = [sys.executable, "-c", SOLVE, rules, str(target)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment(), check=True)  # noqa: S603
    found = json.loads(done.stdout)
    timing = Timing(found["cpu"], time.perf_counter() - wall)
    solve, propose, judge = found["steps"]
    return Run(game, target, found["starts"], timing, (solve, propose, judge), found["memory"])


def page(runs: list[Run]) -> str:
    """Return the page of the documentation."""
    about = machine()
    where = f"{about['system']}, {about['processor']}, {about['cores']} cores, Python {about['python']}"
    lines = [
        "# Growth with the target",
        "",
        "<!-- Written by benchmarks/bench_growth.py --write; do not edit. -->",
        "",
        "Two players: a match solved, its bounds proposed and judged, as a process of its own.",
        "Start-up and imports are included.",
        f"Measured, not promised: {where}, while other work was running.",
        "CPU seconds are those of all threads together.",
        "",
    ]
    for game in dict.fromkeys(found.game for found in runs):
        lines += [
            f"## {game[0].upper()}{game[1:]}",
            "",
            "| target | turn starts | CPU s | solving | bounding | judging | memory MB |",
            "|---:|---:|---:|---:|---:|---:|---:|",
            *(_line(found) for found in runs if found.game == game),
            "",
        ]
    lines.append("Turn starts grow with the square of the target, and a turn with the target itself.")
    return "\n".join(lines) + "\n"


def _line(found: Run) -> str:
    seconds = " | ".join(f"{second:.1f}" for second in (found.timing.cpu, *found.steps))
    return f"| {found.target:,} | {found.starts:,} | {seconds} | {found.memory / 1e6:.0f} |"


def main(argv: list[str] | None = None) -> int:
    parser = arguments(__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--write", type=Path, nargs="?", const=PAGE, metavar="FILE", help=f"write the page {PAGE.name}")
    options = parser.parse_args(argv)
    report = Report("Growth with the target: solving, bounding and judging a match of two, whole processes")
    runs = []
    games = dict([next(iter(GAMES.items()))]) if options.quick else GAMES
    for game, rules in games.items():
        for target in QUICK_TARGETS if options.quick else TARGETS:
            runs.append(found := run(game, rules, target))
            note = f"{found.memory / 1e6:.0f} MB; {found.starts:,} turn starts"
            report.add(f"{game}, {target:,}", [found.timing], note)
    if options.write is not None:
        options.write.write_text(page(runs), encoding="utf-8")
    return finish(report, options)


if __name__ == "__main__":
    sys.exit(main())
