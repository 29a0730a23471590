"""Building the single-turn tables of one ruleset, as a whole process: time and memory against the stated limits.

These are limits rather than ratios: everything is built, from an empty folder, anything compiled included.
CPU time is judged, since other work on the machine disturbs it less than the time on the wall.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time

from harness import SOURCES, environment

ONE_TURN = ("odds", "scores", "keeps", "turn_values", "turn", "bank", "turn_endings", "long_run", "long_run_bank")
COMMAND = """
import sys
from pathlib import Path
from dice10k_math.rules import load_rules
from dice10k_math.tables.build import build_tables
from dice10k_math.tables.kinds import KINDS
build_tables([load_rules(sys.argv[1])], Path(sys.argv[2]), kinds=tuple(k for k in KINDS if k.name in sys.argv[3:]))
"""
LIMITS = {"dice10k": (10.0, 500.0), "farkle": (10.0, 500.0), "dix-mille": (10.0, 500.0), "farkle-spicy": (60.0, 1000.0)}
"""Ruleset to seconds and megabytes."""


def build(ruleset: str) -> tuple[float, float, float]:
    """Build in a process of its own; return CPU seconds, seconds on the wall, and the megabytes at most in memory."""
    with tempfile.TemporaryDirectory() as folder:
        arguments = [sys.executable, "-c", COMMAND, ruleset, folder, *ONE_TURN]
        start = time.perf_counter()
        process = os.posix_spawn(sys.executable, arguments, environment(SOURCES))
        _, status, usage = os.wait4(process, 0)
        if status:
            raise SystemExit(f"building the tables of {ruleset} failed")
        return usage.ru_utime + usage.ru_stime, time.perf_counter() - start, usage.ru_maxrss / 1024


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="one ruleset only")
    parser.add_argument("--check", action="store_true", help="exit code 1 when a limit is exceeded")
    options = parser.parse_args(argv)
    exceeded = False
    print(f"{'ruleset':<14}{'CPU s':>8}{'wall s':>8}{'limit':>7}{'megabytes':>11}{'limit':>7}")
    for ruleset, (most_seconds, most_megabytes) in list(LIMITS.items())[: 1 if options.quick else None]:
        seconds, wall, megabytes = build(ruleset)
        exceeded |= seconds > most_seconds or megabytes > most_megabytes
        print(f"{ruleset:<14}{seconds:>8.1f}{wall:>8.1f}{most_seconds:>7.0f}{megabytes:>11.0f}{most_megabytes:>7.0f}")
    return int(options.check and exceeded)


if __name__ == "__main__":
    sys.exit(main())
