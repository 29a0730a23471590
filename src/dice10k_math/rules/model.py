"""The frozen parts of a ruleset: what a game of the 10,000 family may vary.

Every part mirrors one table of the rules file and is checked when it is made:
an impossible part raises `RulesError`, whether it comes from a file or from Python.
The parts hold plain numbers and short words, so a ruleset is hashable and can key a cache.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from dice10k_math.rules import checks, validate
from dice10k_math.rules.checks import MOST_POINTS, Problem, refuse
from dice10k_math.rules.words import (
    BankTakes,
    EndingKind,
    HotDice,
    OpeningApplies,
    Overshoot,
    Readings,
    Tie,
)

__all__ = [
    "BankTakes",
    "BustRules",
    "BustsInARow",
    "Ending",
    "EndingKind",
    "FiveStraights",
    "FlatSets",
    "HotDice",
    "MultipliedSets",
    "OpeningApplies",
    "Overshoot",
    "Readings",
    "Ruleset",
    "Scoring",
    "SixDicePenalty",
    "Tie",
    "TurnRules",
    "Variants",
    "with_target",
]


@dataclass(frozen=True, slots=True)
class MultipliedSets:
    """Four, five and six of a kind pay a multiple of three of a kind."""

    factors: tuple[int, int, int]

    def __post_init__(self) -> None:
        key = "scoring.larger_sets.multiply_triple"
        refuse(checks.whole_numbers(key, self.factors, 3, 1, validate.MOST_FACTOR))

    def pays(self, triple: int) -> tuple[int, int, int]:
        """Return the points of four, five and six of a kind of a face whose triple pays `triple`.

        Examples
        --------
        >>> MultipliedSets((2, 4, 8)).pays(700)
        (1400, 2800, 5600)
        """
        four, five, six = self.factors
        return triple * four, triple * five, triple * six


@dataclass(frozen=True, slots=True)
class FlatSets:
    """Four, five and six of a kind pay the same points whatever the face."""

    points: tuple[int, int, int]

    def __post_init__(self) -> None:
        refuse(checks.whole_numbers("scoring.larger_sets.points", self.points, 3, 1, MOST_POINTS))

    def pays(self, triple: int) -> tuple[int, int, int]:  # noqa: ARG002 - called like MultipliedSets.pays
        """Return the points of four, five and six of a kind: the triple does not matter.

        Examples
        --------
        >>> FlatSets((1000, 2000, 3000)).pays(700)
        (1000, 2000, 3000)
        """
        return self.points


@dataclass(frozen=True, slots=True)
class FiveStraights:
    """Points of 1-2-3-4-5 (low) and 2-3-4-5-6 (high) in one roll of five or six dice."""

    low: int
    high: int

    def __post_init__(self) -> None:
        refuse(self._problems())

    def _problems(self) -> Iterator[Problem]:
        yield from checks.positive("scoring.five_straights.low", self.low)
        yield from checks.positive("scoring.five_straights.high", self.high)


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

    Raises
    ------
    RulesError
        If nothing scores, or a combination pays less than 1 point.
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

    def __post_init__(self) -> None:
        refuse([*validate.scoring_problems(self), *self._type_problems()])

    def _type_problems(self) -> Iterator[Problem]:
        sets, straights = self.larger_sets, self.five_straights
        yield from checks.instance(
            "scoring.larger_sets", sets, (MultipliedSets, FlatSets, type(None)), "MultipliedSets or FlatSets"
        )
        yield from checks.instance("scoring.five_straights", straights, (FiveStraights, type(None)), "FiveStraights")

    def six_dice_combinations(self) -> dict[str, int | None]:
        """Return the points of each combination that only a roll of six dice can show, by field name.

        Examples
        --------
        >>> Scoring(singles=(100, 0, 0, 0, 50, 0), straight=1500).six_dice_combinations()["straight"]
        1500
        """
        return {
            "straight": self.straight,
            "three_pairs": self.three_pairs,
            "four_and_pair": self.four_and_pair,
            "two_triplets": self.two_triplets,
            "no_scoring_dice": self.no_scoring_dice,
        }


@dataclass(frozen=True, slots=True)
class TurnRules:
    """What a player may do within a turn; points where not said otherwise.

    Attributes
    ----------
    dice
        How many dice a turn starts with, 1 to 6.
    hot_dice
        Whether a player whose dice have all scored must roll them all again or may bank instead.
    hot_dice_bonus
        Points for the first hot dice of a turn; doubles with every further time in the turn.
    opening_minimum, bank_minimum
        The least turn score that may be banked: to open, and otherwise.
    opening_applies
        When the opening minimum holds: at a score of exactly 0, or until the player's first bank.
    bank_multiple
        A turn score may be banked when it is a multiple of this; None: any turn score.
    bank_takes
        Whether a bank follows a keep of the player's choice or takes every scoring die of the roll.
    """

    dice: int = 6
    hot_dice: HotDice = "may_bank"
    hot_dice_bonus: int = 0
    opening_minimum: int = 0
    opening_applies: OpeningApplies = "until_first_bank"
    bank_minimum: int = 0
    bank_multiple: int | None = None
    bank_takes: BankTakes = "keep"

    def __post_init__(self) -> None:
        refuse(validate.turn_problems(self))


@dataclass(frozen=True, slots=True)
class SixDicePenalty:
    """Points lost by a bust on six dice at a score under `below`; None: at any higher score."""

    penalty: int
    below: int | None = None

    def __post_init__(self) -> None:
        refuse(self._problems())

    def _problems(self) -> Iterator[Problem]:
        yield from checks.positive("bust.on_six.penalty", self.penalty)
        if self.below is not None:
            yield from checks.whole("bust.on_six.below", self.below, -MOST_POINTS, MOST_POINTS)


@dataclass(frozen=True, slots=True)
class BustsInARow:
    """Points lost by the last of `busts` busts in a row; then the count starts again."""

    busts: int
    penalty: int

    def __post_init__(self) -> None:
        refuse(self._problems())

    def _problems(self) -> Iterator[Problem]:
        yield from checks.whole("bust.in_a_row.busts", self.busts, 1, validate.MOST_BUSTS)
        yield from checks.positive("bust.in_a_row.penalty", self.penalty)


@dataclass(frozen=True, slots=True)
class BustRules:
    """What a bust costs beyond the turn score."""

    on_six: tuple[SixDicePenalty, ...] = ()
    in_a_row: BustsInARow | None = None

    def __post_init__(self) -> None:
        refuse(self._type_problems())
        refuse(validate.bust_problems(self))

    def _type_problems(self) -> Iterator[Problem]:
        rows = self.on_six
        if not isinstance(rows, tuple) or not all(isinstance(row, SixDicePenalty) for row in rows):
            yield Problem("bust.on_six", rows, "a tuple of SixDicePenalty")
        yield from checks.instance("bust.in_a_row", self.in_a_row, (BustsInARow, type(None)), "BustsInARow")


@dataclass(frozen=True, slots=True)
class Ending:
    """When the match is over and who has won it.

    Attributes
    ----------
    overshoot
        For "exact" only, and needed there: what a bank past the target does.
    tie
        For "final_round" and "equal_turns" only: what a shared highest total means.
        Left out there, it becomes "shared"; "extra_rounds" is for "equal_turns" only.
    """

    kind: EndingKind
    target: int
    overshoot: Overshoot | None = None
    tie: Tie | None = None

    def __post_init__(self) -> None:
        if self.tie is None and self.kind in validate.KINDS_WITH_TIES:
            # Filled in here so that equal games compare equal and have one fingerprint.
            object.__setattr__(self, "tie", "shared")
        refuse(validate.ending_problems(self))


@dataclass(frozen=True, slots=True)
class Variants:
    """Spicy dice and High Stakes.

    Attributes
    ----------
    spicy_faces
        One spicy face for each die, in the order of the dice; None: plain dice.
    high_stakes
        Whether the next player may take over a banked turn.
    """

    spicy_faces: tuple[int, ...] | None = None
    high_stakes: bool = False

    def __post_init__(self) -> None:
        refuse(validate.variant_problems(self))


@dataclass(frozen=True, slots=True)
class Ruleset:
    """A whole game, as a rules file describes it.

    Attributes
    ----------
    name
        Letters, digits and '-'; names files and folders.
    players
        The least and the most number of players.

    Raises
    ------
    RulesError
        If the parts do not fit together; one line for each problem.
    """

    name: str
    title: str
    players: tuple[int, int]
    source: str
    scoring: Scoring
    turn: TurnRules
    bust: BustRules
    ending: Ending
    variants: Variants = Variants()

    def __post_init__(self) -> None:
        refuse(
            [
                *validate.identity_problems(self.name, self.title, self.players, self.source),
                *self._type_problems(),
            ]
        )
        refuse(validate.ruleset_problems(self))

    def _type_problems(self) -> Iterator[Problem]:
        yield from checks.instance("scoring", self.scoring, Scoring, "Scoring")
        yield from checks.instance("turn", self.turn, TurnRules, "TurnRules")
        yield from checks.instance("bust", self.bust, BustRules, "BustRules")
        yield from checks.instance("ending", self.ending, Ending, "Ending")
        yield from checks.instance("variants", self.variants, Variants, "Variants")


def with_target(rules: Ruleset, target: int) -> Ruleset:
    """Return the same game with another target.

    Raises
    ------
    RulesError
        If the game cannot have that target, as when the opening minimum is above it.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> with_target(load_rules("farkle"), 5000).ending.target
    5000
    """
    return replace(rules, ending=replace(rules.ending, target=target))
