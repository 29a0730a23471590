"""Runs the command line for the tests."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from dice10k_math.cli import main

SOURCE = Path(__file__).resolve().parents[2] / "src"


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        assert self.code == 0, self.err
        return json.loads(self.out)

    def refused(self) -> str:
        """Return the one line that a command with bad input leaves."""
        assert self.code == 2, (self.code, self.out, self.err)
        assert not self.out
        lines = self.err.splitlines()
        assert len(lines) == 1, lines
        assert lines[0].startswith("dice10k-math: ")
        return lines[0].removeprefix("dice10k-math: ")


class Cli:
    """Runs commands in this process."""

    def __init__(self, capture: pytest.CaptureFixture[str]) -> None:
        self.capture = capture

    def __call__(self, *words: str) -> Result:
        self.capture.readouterr()
        code = main(words)
        out, err = self.capture.readouterr()
        return Result(code, out, err)


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(SOURCE)}


def process(*words: str, code: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command, or Python code, in a process of its own."""
    start = ["-m", "dice10k_math"] if code is None else ["-c", code]
    return subprocess.run(
        [sys.executable, *start, *words], capture_output=True, text=True, check=False, env=environment(), timeout=60
    )
