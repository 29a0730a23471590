"""Spicy dice and High Stakes: what each step of solving and certifying a match costs, as the target grows.

Every match is solved in a process of its own, kernels compiled in advance.
There is nothing to compare with: no general solver holds even the smallest of these games.
So the figures are what the steps cost, and what the next target would from the number of turn starts.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time

from harness import Report, Timing, arguments, environment, finish

GAMES: dict[str, tuple[int, ...]] = {
    "farkle-high-stakes": (1_000, 2_500, 5_000, 10_000),
    "farkle-spicy": (500, 1_000, 2_000),
    "farkle-spicy-high-stakes": (500, 1_000),
}
QUICK = {"farkle-high-stakes": (500,)}
GREATEST = {"farkle-spicy": 25_000}
"""Targets whose cost is estimated from those that are solved."""
SOLVE = """
import json, resource, sys, time
from dice10k_math import load_rules
from dice10k_math.rules.model import with_target
from dice10k_math.stakes import StakesRace, race_of
from dice10k_math.solve.race import propose_bounds, solve_race
from dice10k_math.solve.stakes import propose_stakes_bounds, solve_stakes
from dice10k_math.certify.race import judge_race
def used():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime
times = [used()]
race = race_of(with_target(load_rules(sys.argv[1]), int(sys.argv[2])))
program = race.program; times.append(used())
if isinstance(race, StakesRace):
    values = solve_stakes(race).race; times.append(used())
    bounds = propose_stakes_bounds(race, values); times.append(used())
else:
    values = solve_race(race); times.append(used())
    bounds = propose_bounds(race, values); times.append(used())
verdict = judge_race(race, bounds); times.append(used())
assert verdict.accepted, str(verdict.faults[0])
steps = [after - before for before, after in zip(times, times[1:])]
print(json.dumps({"steps": steps, "cpu": used(), "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
                  "value": float(values.move[0, 0, 0]), "gap": float(1 - bounds.wait[0, 0, 0] - bounds.move[0, 0, 0]),
                  "starts": verdict.checked // 2, "operations": program.operations()}))
"""


def solved(report: Report, name: str, target: int) -> dict[str, float] | None:
    """Solve and certify a match as a process of its own, and report it."""
    start = time.perf_counter()
    command = [sys.executable, "-c", SOLVE, name, str(target)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment(), check=False)  # noqa: S603
    wall = time.perf_counter() - start
    if done.returncode:
        report.notes.append(f"{name} to {target:,} failed: {done.stderr.strip().splitlines()[-1]}")
        return None
    found = json.loads(done.stdout)
    compiled, solve, propose, judge = found["steps"]
    steps = f"model {compiled:.1f} s, solve {solve:.1f} s, propose {propose:.1f} s, judge {judge:.1f} s"
    report.add(f"{name} to {target:,}", [Timing(found["cpu"], wall)], f"{found['memory'] / 1e6:.0f} MB; {steps}")
    report.notes.append(f"{name} to {target:,}: first player {found['value']:.9f}, bounds {found['gap']:.0e} apart")
    return {"cpu": sum(found["steps"][1:]), "starts": found["starts"], "operations": found["operations"]}


def estimate(report: Report, name: str, target: int, found: dict[str, float], greatest: int) -> None:
    """Say what a greater target would cost: as many more turn starts, each as much longer as the target is."""
    starts = (greatest / target) ** 2
    # A turn is followed to what is needed and a lead that does not depend on the target.
    longer = (greatest / 2 + 10_000) / (target / 2 + 10_000)
    hours = found["cpu"] * starts * longer / 3600
    report.notes.append(f"{name} to {greatest:,} from {target:,}: about {hours:.1f} hours of CPU time")


def main(argv: list[str] | None = None) -> int:
    options: argparse.Namespace = arguments(__doc__.splitlines()[0] if __doc__ else "").parse_args(argv)
    report = Report("Matches with spicy dice and High Stakes: what each step costs, in CPU seconds")
    games = QUICK if options.quick else GAMES
    for name, targets in games.items() if not options.quick else ():
        solved(Report("not shown: compiles the loops"), name, targets[0])
    for name, targets in games.items():
        for target in targets:
            found = solved(report, name, target)
            if found is not None and target == targets[-1] and name in GREATEST and not options.quick:
                estimate(report, name, target, found, GREATEST[name])
    return finish(report, options)


if __name__ == "__main__":
    sys.exit(main())
