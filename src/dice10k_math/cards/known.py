"""Cards that have been found before: searching again takes minutes.

What they give away is not written down here: it is computed by other means each time it is told.
"""

from __future__ import annotations

from functools import lru_cache

from dice10k_math.cards.known_near import DICE10K
from dice10k_math.cards.search import Findings
from dice10k_math.cards.written import near_of
from dice10k_math.policy import NEVER, KeepWorths, RollCounts
from dice10k_math.rules.load import load_rules
from dice10k_math.rules.model import Ruleset

HIGH_STAKES = Findings(
    counts=RollCounts(points=(245, 130, 170, 220, 320, 600), percent=(17, 31, 44, 46, 51, 45)),
    opening=RollCounts(points=(275, 80, 170, 220, 320, 600), percent=(19, 39, 44, 46, 49, 45)),
    lead=400,
    edges=(0, 2000, 4000, 6000, 7500, 8500, 9000, 9500, 9800),
    bold=(
        (
            (0, 0, 0, 100, 200, 200, 200, 200, 100),
            (0, 0, 0, 0, 200, 100, 50, 200, 200),
            (0, 0, 0, 0, 0, 100, 200, 100, 100),
            (-50, 0, 0, 0, 0, 0, 100, 100, 100),
            (-50, -50, 0, 0, 0, 0, 0, 50, 50),
            (-50, -50, -50, 0, 0, 0, 0, 0, 0),
            (-50, -50, -50, -50, 0, 0, 0, -50, -50),
            (-50, -50, -50, -50, 0, 0, 0, -100, -100),
            (-100, -100, -100, -100, -100, -100, 0, 100, 200),
        ),
    ),
    last=KeepWorths(dice_left=(0, -100, -30, 100, 280, 500)),
    take=((6, 300), (5, 350), (4, 400), (3, 550), (2, 800), (1, 1850)),
    leave=55,
    one_die=(
        (1800, 1400, 1200, 1000, 2000, 1400, 2000, 2000, 1000),
        (2000, 1800, 1400, 1200, 1000, 1000, 1000, 1000, 800),
        (2000, 2500, 2000, 1200, 1000, 1000, 1000, 1000, 1000),
        (2000, 3000, 2500, 2500, 1200, 1000, 1000, 800, 800),
        (2000, 2500, 2500, 2500, NEVER, NEVER, 1000, 800, 800),
        (2000, 2000, 3000, NEVER, NEVER, NEVER, NEVER, NEVER, 1200),
        (2000, 2000, 2500, NEVER, NEVER, 3000, NEVER, NEVER, NEVER),
        (2000, 2000, 2000, NEVER, NEVER, NEVER, NEVER, 2000, 2500),
        (2000, 2000, 2500, 3000, NEVER, 2000, NEVER, NEVER, NEVER),
    ),
    reach=((5, 2500), (4, 800), (3, 200), (2, 100), (1, -99950)),
    last_take=(
        (0, ((6, 300), (5, 350))),
        (200, ((6, 300), (5, 350), (4, 700))),
        (400, ((6, 300), (5, 350), (4, 700), (3, 500), (2, 500))),
        (600, ((6, 300), (5, 350), (4, 1000), (3, 600), (2, 550))),
        (800, ((6, 300), (5, 350), (4, 750), (3, 700), (2, 850), (1, 650))),
        (1000, ((6, 300), (5, 350), (4, 700), (3, 700), (2, 850), (1, 700))),
        (1300, ((6, 300), (5, 350), (4, 850), (3, 900), (2, 950), (1, 800))),
        (1700, ((6, 300), (5, 350), (4, 950), (3, 1000), (2, 1050), (1, 900))),
        (2300, ((6, 300), (5, 350), (4, 950), (3, 1000), (2, 1100), (1, 900))),
    ),
    far=((2, 1000),),
    opening_take=((6, 300), (5, 350), (4, 400), (3, 450), (2, 700), (1, 1500)),
)


@lru_cache(maxsize=1)
def known_cards() -> dict[Ruleset, Findings]:
    """Return the findings of games whose card has been searched for before: `find_stakes_card`, `find_hit_card`."""
    rules = load_rules("dice10k")
    near = near_of(rules, DICE10K.worths, DICE10K.charts, DICE10K.bold)
    return {load_rules("farkle-high-stakes"): HIGH_STAKES, rules: Findings(DICE10K.counts, near=near)}
