"""The command line: arguments in, text or files out, no mathematics."""

from __future__ import annotations

from dice10k_math.cli.app import main

__all__ = ["main"]
