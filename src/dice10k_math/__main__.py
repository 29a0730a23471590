"""Run the command line as ``python -m dice10k_math``."""

from __future__ import annotations

import sys

from dice10k_math.cli import main

if __name__ == "__main__":
    sys.exit(main())
