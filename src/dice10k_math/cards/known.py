"""Cards that have been found before: searching again takes minutes.

What they give away is not written down here: it is computed by other means each time it is told.
"""

from __future__ import annotations

from functools import lru_cache

from dice10k_math.cards.search import Findings
from dice10k_math.policy import NEVER, KeepWorths, RollCounts
from dice10k_math.rules.load import load_rules
from dice10k_math.rules.model import Ruleset

HIGH_STAKES = Findings(
    counts=RollCounts(points=(205, 80, 160, 210, 320, 640), percent=(15, 39, 48, 48, 51, 49)),
    opening=RollCounts(points=(325, 80, 170, 230, 320, 640), percent=(7, 39, 46, 46, 55, 57)),
    lead=450,
    edges=(0, 2000, 4000, 6000, 7500, 8500, 9000, 9500, 9800),
    bold=(
        (
            (0, 0, 0, 100, 200, 200, 0, 100, 0),
            (0, 0, 0, 0, 100, 200, 200, 100, 0),
            (0, 0, 0, 0, 0, 100, 200, 200, 200),
            (-50, -50, 0, 0, 0, 0, 0, 200, 200),
            (-50, -50, -50, 0, 0, 0, 0, 50, 50),
            (-50, -50, -50, -50, 0, 0, 0, 0, 0),
            (0, -50, -50, -50, -50, 0, 0, -50, -50),
            (0, 0, -50, -50, -50, -50, 0, -100, -100),
            (0, -100, -100, -100, -100, -100, -50, 100, 200),
        ),
    ),
    last=KeepWorths(dice_left=(0, -100, -30, 100, 280, 500)),
    take=((6, 300), (5, 350), (4, 400), (3, 550), (2, 850), (1, 1850)),
    leave=55,
    one_die=(
        (2000, 1500, 1200, 2000, 2000, 2000, 2000, 2000, 2000),
        (2000, 2000, 1200, 1200, 900, 900, 2000, 900, 2000),
        (2000, 3000, 3000, 1200, 900, 900, 900, 900, 900),
        (2000, 2000, 3000, NEVER, 2000, 900, 900, 900, 1500),
        (2000, 2000, 2000, 3000, 3000, 3000, 1500, 900, 2000),
        (2000, 2000, 2000, 3000, 3000, 2000, 3000, 3000, 1500),
        (2000, 2000, 2000, 2000, NEVER, NEVER, 3000, 2000, 2000),
        (2000, 2000, 2000, 2000, NEVER, 2000, 2000, 3000, 2000),
        (2000, 2000, 2000, 2000, 2000, 2000, 3000, 600, 3000),
    ),
    reach=((5, 2900), (4, 700), (3, 200), (2, 100), (1, -99950)),
    last_take=(
        (0, ((6, 300), (5, 350))),
        (200, ((6, 300), (5, 350), (4, 950), (3, 1900))),
        (400, ((6, 300), (5, 350), (4, 700), (3, 500), (2, 550))),
        (600, ((6, 300), (5, 350), (4, 750), (3, 600), (2, 650))),
        (800, ((6, 300), (5, 350), (4, 700), (3, 750), (2, 800), (1, 600))),
        (1000, ((6, 300), (5, 350), (4, 800), (3, 700), (2, 850), (1, 700))),
        (1300, ((6, 300), (5, 350), (4, 1250), (3, 1050), (2, 950), (1, 950))),
        (1700, ((6, 300), (5, 350), (4, 1000), (3, 1050), (2, 1100), (1, 950))),
        (2300, ((6, 300), (5, 350), (4, 1000), (3, 1000), (2, 1350), (1, 950))),
    ),
)


@lru_cache(maxsize=1)
def known_cards() -> dict[Ruleset, Findings]:
    """Return the findings of games whose card has been searched for before, with `find_stakes_card`."""
    return {load_rules("farkle-high-stakes"): HIGH_STAKES}
