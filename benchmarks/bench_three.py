"""Three players: how time and memory grow with the target, each target as a process of its own; and the best play
against two policies, beside that against one.

With `--write` the first table is written into the documentation, `docs/reference/growth-three.md`.
It states times: those of one machine on one day, while it had other work too.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from harness import HERE, Report, Timing, alternate, arguments, environment, finish, machine

PLAIN = HERE / "rules" / "plain.toml"
GAMES = {"plain game, first to the target": str(PLAIN), "Dés 10 000, final round": "des-10000"}
TARGETS, QUICK_TARGETS = (1_000, 2_000, 3_000, 5_000), (300,)
PAGE = HERE.parent / "docs" / "reference" / "growth-three.md"
POLICY = "threshold 300"
SOLVE = """
import json, resource, sys, time
from dice10k_math import load_rules
from dice10k_math.rules.model import with_target
from dice10k_math.race import Race
from dice10k_math.trio import Trio
from dice10k_math.solve.trio import solve_trio
from dice10k_math.certify.trio import judge_trio
trio = Trio(Race(with_target(load_rules(sys.argv[1]), int(sys.argv[2]))))
times = [time.process_time()]
values = solve_trio(trio); times.append(time.process_time())
verdict = judge_trio(trio, values.tables); times.append(time.process_time())
assert verdict.accepted and verdict.ends, str(verdict.faults[:1])
used = resource.getrusage(resource.RUSAGE_SELF)
gap = sum(float(table[0, 0]) for table in values.tables.upper) - 1
print(json.dumps({"steps": [after - before for before, after in zip(times, times[1:])], "gap": gap,
                  "cpu": used.ru_utime + used.ru_stime, "memory": used.ru_maxrss * 1024, "starts": trio.scores ** 3}))
"""


@dataclass(frozen=True, slots=True)
class Run:
    """What one process needed."""

    game: str
    target: int
    starts: int
    timing: Timing
    steps: tuple[float, float]
    memory: float
    gap: float


def run(game: str, rules: str, target: int) -> Run:
    """Solve and judge one match in a process of its own."""
    wall = time.perf_counter()
    command = [sys.executable, "-c", SOLVE, rules, str(target)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment(), check=True)  # noqa: S603
    found = json.loads(done.stdout)
    timing = Timing(found["cpu"], time.perf_counter() - wall)
    solve, judge = found["steps"]
    return Run(game, target, found["starts"], timing, (solve, judge), found["memory"], found["gap"])


def page(runs: list[Run]) -> str:
    """Return the page of the documentation."""
    about = machine()
    where = f"{about['system']}, {about['processor']}, {about['cores']} cores, Python {about['python']}"
    lines = [
        "# Growth with the target, three players",
        "",
        "<!-- Written by benchmarks/bench_three.py --write; do not edit. -->",
        "",
        "Three players who all play to win: a match solved with its bounds, and judged, as a process of its own.",
        "Start-up and imports are included.",
        f"Measured, not promised: {where}, while other work was running.",
        "CPU seconds are those of all threads together; the gap is the proved bound of what a player can gain.",
        "",
    ]
    for game in dict.fromkeys(found.game for found in runs):
        lines += [
            f"## {game[0].upper()}{game[1:]}",
            "",
            "| target | turn starts | CPU s | solving | judging | memory MB | gap |",
            "|---:|---:|---:|---:|---:|---:|---:|",
            *(_line(found) for found in runs if found.game == game),
            "",
        ]
    lines.append("Turn starts grow with the third power of the target, and a turn with the target itself.")
    return "\n".join(lines) + "\n"


def _line(found: Run) -> str:
    seconds = " | ".join(f"{second:.1f}" for second in (found.timing.cpu, *found.steps))
    return f"| {found.target:,} | {found.starts:,} | {seconds} | {found.memory / 1e6:.0f} | {found.gap:.0e} |"


def responses(report: Report, target: int, rounds: int) -> None:
    """Add the best play against one policy and against two."""
    from dice10k_math import best_response, load_rules, seats_response
    from dice10k_math.rules.model import with_target

    rules = with_target(load_rules("des-10000"), target)
    for number in (1, 2):
        # Once for the compiler.
        seats_response(with_target(rules, 300), [POLICY] * number)
    works = {
        "one policy, seeing its score": lambda: best_response(rules, POLICY),
        "one policy, not seeing its score": lambda: seats_response(rules, [POLICY]),
        "two policies, not seeing their scores": lambda: seats_response(rules, [POLICY] * 2),
    }
    for title, timings in alternate(works, rounds).items():
        report.add(f"best play against {title}, {target:,}", timings)


def main(argv: list[str] | None = None) -> int:
    parser = arguments(__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--write", type=Path, nargs="?", const=PAGE, metavar="FILE", help=f"write the page {PAGE.name}")
    parser.add_argument("--most", type=int, default=TARGETS[-1], metavar="N", help="leave out greater targets")
    options = parser.parse_args(argv)
    report = Report("Three players: solving and judging a match, and the best play against policies")
    runs = []
    games = dict([next(iter(GAMES.items()))]) if options.quick else GAMES
    for game, rules in games.items():
        for target in QUICK_TARGETS if options.quick else [each for each in TARGETS if each <= options.most]:
            runs.append(found := run(game, rules, target))
            note = f"{found.memory / 1e6:.0f} MB; {found.starts:,} turn starts; gap {found.gap:.0e}"
            report.add(f"{game}, {target:,}", [found.timing], note)
    if options.write is not None:
        options.write.write_text(page(runs), encoding="utf-8")
    responses(report, 300 if options.quick else 2_000, options.rounds or 1)
    return finish(report, options)


if __name__ == "__main__":
    sys.exit(main())
