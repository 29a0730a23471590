"""Writes the pages of results, of published results, about citing, and the lesson.

    python docs/generate.py             pages and lesson
    python docs/generate.py --pictures  the pictures as well
    python docs/generate.py --costly    first the figures of docs/results/costly.json that are missing or outdated;
                                        with `all` after it also those that take many minutes each

Run it after `tables/` was built anew. The tests compare what it writes with what is there.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from docs.generator import costly, notebook, pictures
from docs.generator.pages import write


def main(words: list[str]) -> None:
    """Write what the words ask for."""
    if "--costly" in words:
        costly.compute(all_of_them="all" in words)
    if "--pictures" in words:
        pictures.draw_all()
    write()
    notebook.write()


if __name__ == "__main__":
    main(sys.argv[1:])
