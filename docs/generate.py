"""Writes the pages of results, of published results, about citing, and the lesson.

    python docs/generate.py             pages and lesson
    python docs/generate.py --pictures  the pictures as well
    python docs/generate.py --costly    first the figures of docs/results/costly.json that are missing or outdated;
                                        with `all` after it also those that take many minutes each;
                                        with keys of figures after it these, even if they are there

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
        costly.compute([word for word in words if not word.startswith("--")])
    if "--pictures" in words:
        pictures.draw_all()
    write()
    notebook.write()


if __name__ == "__main__":
    main(sys.argv[1:])
