"""The peculiarities of each game, each as the one change of the rules that takes it away."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import dice10k_math as d10
from dice10k_math.rules import BustRules, Ending, MultipliedSets, Ruleset, Variants, with_target

Changed = Callable[[Ruleset], Ruleset]


@dataclass(frozen=True)
class Change:
    """A change of the rules.

    Attributes
    ----------
    key
        Names it among the figures.
    what
        The peculiarity, in words.
    instead
        What the changed rules say.
    make
        Makes the changed ruleset.
    match
        Whether its match of two is solved, which takes a while.
    """

    key: str
    what: str
    instead: str
    make: Changed
    match: bool = True


def scoring(**fields: Any) -> Changed:
    return lambda rules: replace(rules, scoring=replace(rules.scoring, **fields))


def turn(**fields: Any) -> Changed:
    return lambda rules: replace(rules, turn=replace(rules.turn, **fields))


def ending(kind: str, **fields: Any) -> Changed:
    return lambda rules: replace(rules, ending=Ending(kind, rules.ending.target, **fields))  # type: ignore[arg-type]


def spicy(*faces: int) -> Changed:
    return lambda rules: replace(rules, variants=replace(rules.variants, spicy_faces=faces))


CHANGES: dict[str, tuple[Change, ...]] = {
    "dice10k": (
        Change("multiple", "a bank is a multiple of 100", "any turn score of 300 or more", turn(bank_multiple=None)),
        Change("forced", "all dice must be rolled after a Player's Hand", "the player may bank", turn(hot_dice="may_bank")),
        Change("bonus", "a Player's Hand pays a bonus", "no bonus", turn(hot_dice_bonus=0)),
        Change("penalty", "a bust on six dice costs 1,000 or 2,000", "it costs nothing", lambda r: replace(r, bust=BustRules())),
        Change("exact", "10,000 must be met exactly", "10,000 or more wins at once", ending("first_to_target")),
        Change("minimum", "a bank needs 300, or 500 at score 0", "no minimum", turn(bank_minimum=0, opening_minimum=0)),
        Change("pairs", "four of a kind and a pair may count as three pairs", "they may not", scoring(four_and_pair=None)),
    ),
    "farkle": (
        Change("opening", "the first bank needs 500", "no minimum", turn(opening_minimum=0)),
        Change("takes", "banking takes every scoring die", "banking takes the dice kept", turn(bank_takes="keep")),
        Change("final", "the other has a last turn", "the target wins at once", ending("first_to_target")),
        Change("forced", "after hot dice the player may bank", "all dice must be rolled", turn(hot_dice="must_roll")),
        Change("sets", "four, five, six of a kind pay 1,000, 2,000, 3,000", "2, 4, 8 times the triple", scoring(larger_sets=MultipliedSets((2, 4, 8)))),
        Change("triplets", "two triplets pay 2,500", "two sets of three", scoring(two_triplets=None)),
    ),
    "dix-mille": (
        Change("opening", "a player with no points needs 500", "no minimum", turn(opening_minimum=0)),
        Change("forced", "after hot dice all six must be rolled", "the player may bank", turn(hot_dice="may_bank")),
        Change("equal", "all have the same number of turns", "the target wins at once", ending("first_to_target")),
        Change("final", "all have the same number of turns", "the other always has a last turn", ending("final_round")),
        Change("tie", "a tie is played off in extra rounds", "a tie is shared", ending("equal_turns", tie="shared")),
    ),
    "des-10000": (
        Change("forced", "after hot dice the player may bank", "all dice must be rolled", turn(hot_dice="must_roll")),
        Change("final", "the other has a last turn", "the target wins at once", ending("first_to_target")),
        Change("short", "the target is 10,000", "5,000", lambda r: with_target(r, 5000)),
        Change("long", "the target is 10,000", "15,000", lambda r: with_target(r, 15000)),
    ),
    "farkle-spicy": (
        Change("plain", "each die has a spicy face", "no spicy dice", lambda r: replace(r, variants=Variants()), match=False),
        Change("ones", "the six dice have different spicy faces", "the spicy face is always the 1", spicy(*[1] * 6), match=False),
        Change("fives", "the six dice have different spicy faces", "the spicy face is always the 5", spicy(*[5] * 6), match=False),
        Change("twos", "the six dice have different spicy faces", "the spicy face is always the 2", spicy(*[2] * 6), match=False),
        Change("opening", "the first bank needs 500", "no minimum", turn(opening_minimum=0), match=False),
    ),
}  # fmt: skip
"""For each game its peculiarities. The High Stakes variants have the turns of the games that they belong to."""


def changed(game: str, change: Change) -> Ruleset:
    """Return the changed ruleset, under a name of its own."""
    rules = change.make(d10.load_rules(game))
    return replace(rules, name=f"{game}-{change.key}")
