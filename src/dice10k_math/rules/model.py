"""The frozen parts of a ruleset: what a game of the 10,000 family may vary.

Every part mirrors one table of the rules file.
The parts hold plain numbers and short words, so a ruleset is hashable and can key a cache.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

HotDice = Literal["must_roll", "may_bank"]
OpeningApplies = Literal["at_score_zero", "until_first_bank"]
BankTakes = Literal["keep", "all_scoring"]
Readings = Literal["player_chooses", "highest"]
EndingKind = Literal["exact", "first_to_target", "final_round", "equal_turns"]
Overshoot = Literal["add_or_subtract", "not_allowed"]
Tie = Literal["shared", "extra_rounds"]


@dataclass(frozen=True, slots=True)
class MultipliedSets:
    """Four, five and six of a kind pay a multiple of three of a kind."""

    factors: tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class FlatSets:
    """Four, five and six of a kind pay the same points whatever the face."""

    points: tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class FiveStraights:
    """Points of 1-2-3-4-5 (low) and 2-3-4-5-6 (high) in one roll of five or six dice."""

    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Scoring:
    """What dice of one roll are worth, in points.

    Attributes
    ----------
    singles, triples
        Points by face: index 0 is face 1. Zero: does not score.
    larger_sets
        How four, five and six of a kind pay; None: there are sets of three only.
    straight, three_pairs, four_and_pair, two_triplets, no_scoring_dice
        Combinations of all six dice in one roll of six; None: no combination.
    five_straights
        Straights of five; None: no combination.
    readings
        Who picks when the same six dice can be read in two ways.
    """

    singles: tuple[int, int, int, int, int, int] = (0, 0, 0, 0, 0, 0)
    triples: tuple[int, int, int, int, int, int] = (0, 0, 0, 0, 0, 0)
    larger_sets: MultipliedSets | FlatSets | None = None
    straight: int | None = None
    three_pairs: int | None = None
    four_and_pair: int | None = None
    two_triplets: int | None = None
    no_scoring_dice: int | None = None
    five_straights: FiveStraights | None = None
    readings: Readings = "highest"


@dataclass(frozen=True, slots=True)
class TurnRules:
    """What a player may do within a turn; points where not said otherwise.

    Attributes
    ----------
    bank_multiple
        A turn score may be banked when it is a multiple of this; None: any turn score.
    """

    dice: int = 6
    hot_dice: HotDice = "may_bank"
    hot_dice_bonus: int = 0
    opening_minimum: int = 0
    opening_applies: OpeningApplies = "until_first_bank"
    bank_minimum: int = 0
    bank_multiple: int | None = None
    bank_takes: BankTakes = "keep"


@dataclass(frozen=True, slots=True)
class SixDicePenalty:
    """Points lost by a bust on six dice at a score under `below`; None: at any higher score."""

    penalty: int
    below: int | None = None


@dataclass(frozen=True, slots=True)
class BustsInARow:
    """Points lost by the last of `busts` busts in a row; then the count starts again."""

    busts: int
    penalty: int


@dataclass(frozen=True, slots=True)
class BustRules:
    """What a bust costs beyond the turn score."""

    on_six: tuple[SixDicePenalty, ...] = ()
    in_a_row: BustsInARow | None = None


@dataclass(frozen=True, slots=True)
class Ending:
    """When the match is over and who has won it.

    Attributes
    ----------
    overshoot
        For "exact" only: what a bank past the target does.
    tie
        For "final_round" and "equal_turns" only: what a shared highest total means.
    """

    kind: EndingKind
    target: int
    overshoot: Overshoot | None = None
    tie: Tie | None = None


@dataclass(frozen=True, slots=True)
class Variants:
    """Spicy dice and High Stakes.

    Attributes
    ----------
    spicy_faces
        One spicy face for each die, in the order of the dice; None: plain dice.
    """

    spicy_faces: tuple[int, ...] | None = None
    high_stakes: bool = False


@dataclass(frozen=True, slots=True)
class Ruleset:
    """A whole game, as a rules file describes it."""

    name: str
    title: str
    players: tuple[int, int]
    source: str
    scoring: Scoring
    turn: TurnRules
    bust: BustRules
    ending: Ending
    variants: Variants = Variants()
