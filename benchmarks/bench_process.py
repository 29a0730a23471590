"""`dice10k-math odds dice10k` as a whole process, against a process that imports numpy and does nothing.

Also printed: which third-party packages the command imports, and whether any of those is among the heavy ones that it
has to do without.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from harness import SOURCES, Report, Row, alternate_processes, arguments, environment, finish

COMMAND = "import sys; from dice10k_math.cli import main; sys.exit(main())"
NUMPY = (sys.executable, "-c", "import numpy")
NOTHING = (sys.executable, "-c", "pass")
OURS = (sys.executable, "-c", COMMAND, "odds", "dice10k")
HEAVY = {"numba", "polars", "sympy", "scipy", "matplotlib", "pyarrow"}


def imported_packages(process: tuple[str, ...], sources: Path) -> set[str]:
    """Return the top-level names of all that a Python process imports."""
    command = (process[0], "-X", "importtime", *process[1:])
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment(sources))  # noqa: S603
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    return {line.rsplit("|", 1)[1].strip().split(".")[0] for line in lines[1:]}


def main(argv: list[str] | None = None) -> int:
    parser = arguments(__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--sources", type=Path, default=SOURCES, help="folder that holds the package")
    options: argparse.Namespace = parser.parse_args(argv)
    report = Report("The command `odds dice10k` as a whole process")
    measure(report, options.rounds or (1 if options.quick else 25), options.sources.resolve())
    return finish(report, options)


def measure(report: Report, rounds: int, sources: Path) -> None:
    commands: dict[str, tuple[str, ...]] = {"python, nothing imported": NOTHING, "import numpy": NUMPY}
    has_command = (sources / "dice10k_math" / "cli").exists() or (sources / "dice10k_math" / "cli.py").exists()
    if has_command:
        commands["dice10k-math odds dice10k"] = OURS
    if find_spec("numpy") is None:
        del commands["import numpy"]
    rows = {name: report.add(name, timings) for name, timings in alternate_processes(commands, rounds, sources).items()}
    ours = rows.get("dice10k-math odds dice10k", Row("dice10k-math odds dice10k", None, None, 0))
    numpy = rows.get("import numpy", Row("import numpy", None, None, 0))
    report.at_most("odds as a process, to importing numpy", ours, numpy, 2.5)
    if has_command:
        packages = imported_packages(OURS, sources) - imported_packages(NOTHING, sources)
        own = sorted(packages - sys.stdlib_module_names - {"dice10k_math"})
        report.notes.append(f"third-party modules imported: {', '.join(own) or 'none'}")
        report.notes.append(f"heavy ones among them: {', '.join(sorted(HEAVY & packages)) or 'none'}")


if __name__ == "__main__":
    sys.exit(main())
