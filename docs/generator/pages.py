"""Every page that is made from figures: its path, and what makes it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from docs.generator.citing import citing_page
from docs.generator.games import game_page
from docs.generator.overview import comparison_page, index_page, surprises_page
from docs.generator.published import published_page
from docs.generator.text import DOCS, GAMES

PAGES: dict[str, Callable[[], str]] = {
    "results/README.md": index_page,
    **{f"results/{game}.md": partial(game_page, game) for game in GAMES},
    "results/comparison.md": comparison_page,
    "results/surprises.md": surprises_page,
    "published.md": published_page,
    "citing.md": citing_page,
}


def write() -> None:
    """Write every page."""
    for name, make in PAGES.items():
        (DOCS / name).write_text(make(), encoding="utf-8")
