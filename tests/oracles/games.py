"""The built-in games, typed in by hand from the rule texts (not read from the rules files)."""

from __future__ import annotations

from dataclasses import replace

from dice10k_math.rules.model import (
    BustRules,
    Ending,
    FlatSets,
    MultipliedSets,
    Ruleset,
    Scoring,
    SixDicePenalty,
    TurnRules,
    Variants,
)

DICE10K = Ruleset(
    name="dice10k",
    title="Dice 10k",
    players=(2, 2),
    source="rule text of Dice 10k",
    scoring=Scoring(
        singles=(100, 0, 0, 0, 50, 0),
        triples=(700, 200, 300, 400, 500, 600),
        larger_sets=MultipliedSets((2, 4, 8)),
        straight=1500,
        three_pairs=1000,
        four_and_pair=1000,
        readings="player_chooses",
    ),
    turn=TurnRules(
        hot_dice="must_roll",
        hot_dice_bonus=500,
        opening_minimum=500,
        opening_applies="at_score_zero",
        bank_minimum=300,
        bank_multiple=100,
    ),
    bust=BustRules(on_six=(SixDicePenalty(1000, below=5000), SixDicePenalty(2000))),
    ending=Ending("exact", 10_000, overshoot="add_or_subtract"),
)

FARKLE = Ruleset(
    name="farkle",
    title="Farkle",
    players=(1, 8),
    source="rule text of Farkle",
    scoring=Scoring(
        singles=(100, 0, 0, 0, 50, 0),
        triples=(300, 200, 300, 400, 500, 600),
        larger_sets=FlatSets((1000, 2000, 3000)),
        straight=1500,
        three_pairs=1500,
        two_triplets=2500,
    ),
    turn=TurnRules(opening_minimum=500, bank_takes="all_scoring"),
    bust=BustRules(),
    ending=Ending("final_round", 10_000, tie="shared"),
)

FARKLE_SPICY = replace(
    FARKLE,
    name="farkle-spicy",
    ending=replace(FARKLE.ending, target=25_000),
    variants=Variants(spicy_faces=(1, 2, 3, 4, 5, 6)),
)
FARKLE_HIGH_STAKES = replace(FARKLE, name="farkle-high-stakes", players=(2, 8), variants=Variants(high_stakes=True))
FARKLE_SPICY_HIGH_STAKES = replace(
    FARKLE_SPICY,
    name="farkle-spicy-high-stakes",
    players=(2, 8),
    variants=replace(FARKLE_SPICY.variants, high_stakes=True),
)

DIX_MILLE = Ruleset(
    name="dix-mille",
    title="Le 10000",
    players=(2, 8),
    source="rule text of Le 10000",
    scoring=Scoring(
        singles=(100, 0, 0, 0, 50, 0),
        triples=(1000, 200, 300, 400, 500, 600),
        larger_sets=MultipliedSets((2, 4, 10)),
        straight=1500,
        three_pairs=1000,
    ),
    turn=TurnRules(hot_dice="must_roll", opening_minimum=500),
    bust=BustRules(),
    ending=Ending("equal_turns", 10_000, tie="extra_rounds"),
)

DES_10000 = replace(
    DIX_MILLE,
    name="des-10000",
    title="Dés 10 000",
    players=(2, 7),
    source="rule text of Dés 10 000",
    turn=TurnRules(),
    ending=Ending("final_round", 10_000, tie="shared"),
)

BY_HAND = {
    game.name: game
    for game in (
        DICE10K,
        FARKLE,
        FARKLE_SPICY,
        FARKLE_HIGH_STAKES,
        FARKLE_SPICY_HIGH_STAKES,
        DIX_MILLE,
        DES_10000,
    )
}
