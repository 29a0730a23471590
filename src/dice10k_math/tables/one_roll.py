"""Tables about one roll: odds, scores, keeps."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from dice10k_math.dice import Hand, rolls, sub_hands
from dice10k_math.odds import bust_odds, hot_dice_odds, mean_best_score, score_counts
from dice10k_math.rules.model import Ruleset
from dice10k_math.scoring import full_hand, keeps_of
from dice10k_math.tables.columns import Column, exact_cells, exact_columns, frame_of, joined

if TYPE_CHECKING:
    import polars

DICE = Column("dice", "integer", "dice", "dice rolled")
HAND = Column("hand", "text", "", "spicy faces of these dice")


def is_spicy(rules: Ruleset) -> bool:
    """Tell whether the dice of the ruleset are told apart; only then tables name them."""
    return rules.variants.spicy_faces is not None


def hand_columns(rules: Ruleset) -> tuple[Column, ...]:
    """Return the columns that say which dice a row is about."""
    return (DICE, HAND) if is_spicy(rules) else (DICE,)


def hand_cells(rules: Ruleset, hand: Hand) -> tuple[object, ...]:
    """Return the cells of `hand_columns`."""
    return (len(hand), joined(hand)) if is_spicy(rules) else (len(hand),)


def odds_columns(rules: Ruleset) -> tuple[Column, ...]:
    """Return the columns of the table `odds`."""
    return (
        *hand_columns(rules),
        Column("outcomes", "integer", "outcomes", "equally likely outcomes of the roll"),
        Column("bust_outcomes", "integer", "outcomes", "those in which no die scores"),
        *exact_columns("bust_probability", "probability", "no die scores"),
        *exact_columns("hot_dice_probability", "probability", "all dice can be kept"),
        *exact_columns("mean_best_score", "points", "mean of the best keep, a bust counting 0"),
    )


def odds(rules: Ruleset) -> tuple[polars.DataFrame, float]:
    """Make the table `odds`."""
    rows = []
    for hand in sub_hands(full_hand(rules)):
        bust, outcomes = bust_odds(rules, hand), 6 ** len(hand)
        exact = (bust, hot_dice_odds(rules, hand), mean_best_score(rules, hand))
        cells = [cell for value in exact for cell in exact_cells(value)]
        rows.append((*hand_cells(rules, hand), outcomes, int(bust * outcomes), *cells))
    return frame_of(odds_columns(rules), rows), 0.0


def scores_columns(rules: Ruleset) -> tuple[Column, ...]:
    """Return the columns of the table `scores`."""
    return (
        *hand_columns(rules),
        Column("points", "integer", "points", "best score of the roll; 0 is a bust"),
        Column("outcomes", "integer", "outcomes", "outcomes with this best score"),
        *exact_columns("probability", "probability", "the best score is this one"),
    )


def scores(rules: Ruleset) -> tuple[polars.DataFrame, float]:
    """Make the table `scores`."""
    rows = [
        (*hand_cells(rules, hand), points, outcomes, *exact_cells(Fraction(outcomes, 6 ** len(hand))))
        for hand in sub_hands(full_hand(rules))
        for points, outcomes in score_counts(rules, hand).items()
    ]
    return frame_of(scores_columns(rules), rows), 0.0


def keeps_columns(rules: Ruleset) -> tuple[Column, ...]:
    """Return the columns of the table `keeps`."""
    left = (Column("hand_left", "text", "", "spicy faces of the dice left"),) if is_spicy(rules) else ()
    return (
        *hand_columns(rules),
        Column("roll", "text", "", "faces rolled, in the order of the dice"),
        Column("outcomes", "integer", "outcomes", "outcomes that show this roll"),
        Column("keep", "text", "", "faces kept"),
        Column("points", "integer", "points", "what the keep adds, without any hot-dice bonus"),
        Column("dice_left", "integer", "dice", "dice that stay to be rolled; 0 is hot dice"),
        *left,
    )


def keeps(rules: Ruleset) -> tuple[polars.DataFrame, float]:
    """Make the table `keeps`."""
    return frame_of(keeps_columns(rules), list(_keep_rows(rules))), 0.0


def _keep_rows(rules: Ruleset) -> Iterator[tuple[object, ...]]:
    spicy = is_spicy(rules)
    # The same few texts stand in many rows; one copy of each saves most of the memory.
    texts: dict[tuple[int, ...], str] = {}
    for hand in sub_hands(full_hand(rules)):
        first = hand_cells(rules, hand)
        for roll, outcomes in rolls(hand):
            for keep in keeps_of(rules, hand, roll):
                roll_text = texts.setdefault(roll, joined(roll))
                keep_text = texts.setdefault(keep.dice, joined(keep.dice))
                row = (*first, roll_text, outcomes, keep_text, keep.points, keep.dice_left)
                yield (*row, texts.setdefault(keep.hand_left, joined(keep.hand_left))) if spicy else row
