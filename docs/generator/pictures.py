"""The pictures of the pages of results."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import dice10k_math as d10
from dice10k_math.plots.length import match_length as draw_length
from dice10k_math.plots.match import bank_decisions, win_probability
from dice10k_math.plots.style import to_bytes
from dice10k_math.plots.turn import dice_left, turn_score
from dice10k_math.questions.length import match_length
from dice10k_math.questions.match import MatchSolution
from docs.generator.costly import LENGTHS
from docs.generator.text import DOCS, GAMES, SAME_TURNS, match_of, rules_of, turn_of

FOLDER = DOCS / "results" / "pictures"
SCORE = 1000
"""Score at which the pictures of a turn are drawn: a player who has opened."""
DRAW: dict[str, Callable[[str], bytes]] = {
    "turn": lambda game: to_bytes(turn_score(turn_of(game, SCORE))),
    "dice": lambda game: to_bytes(dice_left(turn_of(game, SCORE))),
    "win": lambda game: to_bytes(win_probability(_match(game))),
    "bank": lambda game: to_bytes(bank_decisions(_match(game))),
    "length": lambda game: to_bytes(draw_length(d10.load_rules(game), match_length(_match(game)))),
}


def _match(game: str) -> MatchSolution:
    match = match_of(game)
    assert match is not None
    return match


def pictures_of(game: str) -> tuple[str, ...]:
    """Return the kinds of pictures that the page of a game shows: those of a match where the tables hold it."""
    variants = rules_of(game).variants
    plain = variants.spicy_faces is None and not variants.high_stakes
    kinds: tuple[str, ...] = () if game in SAME_TURNS else ("turn", "dice")
    if match_of(game) is not None:
        kinds += ("win", "bank") if plain else ("win",)
    return (*kinds, "length") if game in LENGTHS else kinds


def path_of(game: str, kind: str) -> Path:
    return FOLDER / f"{game}-{kind}.svg"


def draw_all() -> None:
    """Draw every picture into its file."""
    FOLDER.mkdir(exist_ok=True)
    for game in GAMES:
        for kind in pictures_of(game):
            path_of(game, kind).write_bytes(DRAW[kind](game))
