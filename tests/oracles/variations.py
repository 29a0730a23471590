"""House rules that touch every field of the scoring and turn tables, each in a small step."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dice10k_math.rules.model import FiveStraights, FlatSets, MultipliedSets, Ruleset, Variants

from .games import DES_10000, DICE10K, DIX_MILLE, FARKLE, FARKLE_SPICY


def scored(base: Ruleset, name: str, **changes: Any) -> Ruleset:
    """The game with another scoring table."""
    return replace(base, name=name, scoring=replace(base.scoring, **changes))


def turned(base: Ruleset, name: str, **changes: Any) -> Ruleset:
    """The game with other rules of the turn."""
    return replace(base, name=name, turn=replace(base.turn, **changes))


def spicy(name: str, *faces: int) -> Ruleset:
    """Spicy farkle with these spicy faces."""
    return replace(FARKLE_SPICY, name=name, variants=Variants(spicy_faces=faces))


NO_COMBINATIONS: dict[str, Any] = {
    "straight": None,
    "three_pairs": None,
    "four_and_pair": None,
    "two_triplets": None,
}

VARIATIONS: tuple[Ruleset, ...] = (
    scored(DES_10000, "no-combinations", **NO_COMBINATIONS),
    scored(DES_10000, "sets-of-three-only", larger_sets=None, **NO_COMBINATIONS),
    scored(DICE10K, "sets-of-three-only-chosen", larger_sets=None),
    scored(DES_10000, "flat-four-below-triple-and-one", larger_sets=FlatSets((1000, 1000, 1500))),
    scored(DES_10000, "cheap-triple-of-ones", triples=(200, 200, 300, 400, 500, 600)),
    scored(DICE10K, "cheap-triple-of-ones-chosen", triples=(200, 200, 300, 400, 500, 600)),
    scored(DES_10000, "nothing-pays", no_scoring_dice=500, three_pairs=None),
    scored(DES_10000, "five-straights", five_straights=FiveStraights(500, 750)),
    scored(DICE10K, "five-straights-chosen", five_straights=FiveStraights(500, 750)),
    scored(DES_10000, "five-straights-no-straight", straight=None, five_straights=FiveStraights(750, 500)),
    scored(DES_10000, "all-singles-score", singles=(100, 10, 20, 30, 50, 60)),
    scored(
        DICE10K,
        "all-singles-and-straights-chosen",
        singles=(100, 50, 50, 50, 50, 50),
        five_straights=FiveStraights(150, 300),
        two_triplets=600,
    ),
    scored(DES_10000, "no-triple-of-twos", triples=(1000, 0, 300, 400, 500, 600)),
    scored(
        DES_10000,
        "no-triple-of-twos-flat",
        triples=(1000, 0, 300, 400, 500, 600),
        larger_sets=FlatSets((1000, 2000, 3000)),
    ),
    scored(DES_10000, "low-combinations", three_pairs=100, two_triplets=150, straight=50),
    scored(DICE10K, "low-combinations-chosen", three_pairs=100, two_triplets=150, four_and_pair=50),
    scored(DES_10000, "single-fives-only", singles=(0, 0, 0, 0, 50, 0), larger_sets=MultipliedSets((2, 3, 4))),
    turned(
        scored(DES_10000, "five-dice", five_straights=FiveStraights(500, 750), **NO_COMBINATIONS),
        "five-dice",
        dice=5,
    ),
)

TURN_VARIATIONS: tuple[Ruleset, ...] = (
    turned(DICE10K, "bonus-may-bank", hot_dice="may_bank"),
    turned(DICE10K, "all-scoring-must-roll", bank_takes="all_scoring", bank_multiple=None),
    turned(FARKLE, "all-scoring-bonus", hot_dice_bonus=100),
    turned(FARKLE, "all-scoring-multiple", bank_multiple=100, bank_minimum=300),
    turned(DIX_MILLE, "opening-at-zero", opening_applies="at_score_zero", bank_minimum=200),
    turned(DES_10000, "multiple-of-300", bank_multiple=300),
    # Where every face scores there is no bust, and a turn has no end but the player's wish.
    *(rules for rules in VARIATIONS if 0 in rules.scoring.singles),
)

SPICY_VARIATIONS: tuple[Ruleset, ...] = (
    spicy("spicy-ones", 1, 1, 1, 1, 1, 1),
    spicy("spicy-fives", 5, 5, 5, 5, 5, 5),
    spicy("spicy-pairs", 2, 1, 5, 1, 2, 5),
    replace(scored(FARKLE_SPICY, "spicy-chosen", readings="player_chooses", four_and_pair=500)),
    scored(FARKLE_SPICY, "spicy-nothing-pays", no_scoring_dice=500, five_straights=FiveStraights(500, 750)),
)
