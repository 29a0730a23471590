"""Arguments and options that several commands share."""

from __future__ import annotations

from collections.abc import Iterable

import click

from dice10k_math.dice import Hand, sub_hands
from dice10k_math.errors import InputError
from dice10k_math.odds import hand_of
from dice10k_math.rules.load import load_rules
from dice10k_math.rules.model import Ruleset
from dice10k_math.scoring import full_hand

MOST_TURN_SCORE = 1_000_000_000


def _load(ctx: click.Context, param: click.Parameter, value: str) -> Ruleset:  # noqa: ARG001 - as click calls it
    return load_rules(value)


def _read(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[int, ...] | None:  # noqa: ARG001
    return None if value is None else read_dice([value], param.opts[0])


def read_dice(words: Iterable[str], where: str) -> tuple[int, ...]:
    """Return the faces that a user names, with commas or spaces between.

    Raises
    ------
    InputError
        A word that is no face of a die, or no word at all.

    Examples
    --------
    >>> read_dice(["1,1,5", "3"], "roll")
    (1, 1, 5, 3)
    """
    found = [word for part in words for word in part.replace(",", " ").split()]
    if not found:
        raise InputError(f"{where}: no dice; allowed: faces from 1 to 6, such as 1,1,5")
    for word in found:
        if word not in {"1", "2", "3", "4", "5", "6"}:
            raise InputError(f"{where}: {word!r} is no face of a die; allowed: 1 to 6")
    return tuple(map(int, found))


def is_spicy(rules: Ruleset) -> bool:
    """Tell whether the dice of the ruleset are told apart."""
    return rules.variants.spicy_faces is not None


def chosen_hands(rules: Ruleset, dice: int | None, hand: tuple[int, ...] | None) -> tuple[Hand, ...]:
    """Return the hands that a question about one roll is about.

    Spicy dice are told apart, so a number of dice may mean several hands: all of them are meant.

    Parameters
    ----------
    dice
        Number of dice; None: any number.
    hand
        Spicy faces of the dice; None: any.

    Examples
    --------
    >>> chosen_hands(load_rules("farkle"), 2, None)
    ((0, 0),)
    >>> len(chosen_hands(load_rules("farkle-spicy"), 2, None))
    15
    """
    most = len(full_hand(rules))
    if dice is not None and not 1 <= dice <= most:
        raise InputError(f"--dice: {dice}; allowed: 1 to {most}")
    if hand is None:
        return tuple(found for found in sub_hands(full_hand(rules)) if dice in {None, len(found)})
    if not is_spicy(rules):
        raise InputError(f"--hand: {','.join(map(str, hand))}; {rules.name} has no spicy dice; allowed: --dice")
    if dice is not None and dice != len(hand):
        raise InputError(f"--hand: {len(hand)} dice, but --dice {dice}; allowed: one of the two")
    return (hand_of(rules, hand),)


def hand_field(rules: Ruleset, hand: Hand) -> dict[str, list[int]]:
    """Return the extra field of a row that says which spicy dice it is about; none for plain dice."""
    return {"hand": list(hand)} if is_spicy(rules) else {}


rules_argument = click.argument("rules", metavar="RULES", callback=_load)

hand_option = click.option(
    "--hand",
    callback=_read,
    metavar="FACES",
    help="Spicy rulesets: the spicy faces of the dice, such as 1,2,5.",
)

dice_option = click.option(
    "--dice",
    metavar="N|FACES",
    help="Before a roll: dice left; bank, or roll them? Spicy rulesets: which dice are in hand, such as 1,2,5.",
)

roll_option = click.option("--roll", callback=_read, metavar="FACES", help="Faces rolled: 1,1,5,3.")


def example(line: str) -> str:
    """Return the end of a help text."""
    return f"\b\nExample:\n  dice10k-math {line}"
