"""`keeps`: every legal keep of a roll."""

from __future__ import annotations

import click

from dice10k_math.cli.arguments import example, hand_option, is_spicy, read_dice, rules_argument
from dice10k_math.cli.output import Answer, answers
from dice10k_math.cli.text import columns, faces, heading
from dice10k_math.rules.model import Ruleset
from dice10k_math.scoring import Keep, legal_keeps


@click.command("keeps", epilog=example("keeps dice10k 1 1 5 3 2 6"))
@rules_argument
@click.argument("roll", nargs=-1)
@hand_option
@answers
def command(rules: Ruleset, roll: tuple[str, ...], hand: tuple[int, ...] | None) -> Answer:
    """List every legal keep of a roll.

    ROLL is the faces of the dice, with spaces or commas between.

    With spicy dice the faces are in the order of the dice; --hand says which dice they are when fewer than all are
    rolled.
    """
    rolled = read_dice(roll, "roll")
    keeps = legal_keeps(rules, rolled, hand)
    left = [{"hand_left": list(keep.hand_left)} if is_spicy(rules) else {} for keep in keeps]
    rows = [
        {"keep": list(keep.dice), "points": keep.points, "dice_left": keep.dice_left, **extra}
        for keep, extra in zip(keeps, left, strict=True)
    ]
    heads = ["keep", "points", "dice_left", *(["hand_left"] if is_spicy(rules) else [])]
    data = {"ruleset": rules.name, "roll": list(rolled), "keeps": rows}
    return Answer(data, rows, lambda: _text(rules, rolled, keeps), heads)


def _text(rules: Ruleset, roll: tuple[int, ...], keeps: tuple[Keep, ...]) -> str:
    title = heading(rules, f"keeps of {faces(roll)}")
    if not keeps:
        return f"{title}\n\nbust: no die scores"
    rows = [[faces(keep.dice), f"{keep.points:,}", dice_left(rules, keep.hand_left)] for keep in keeps]
    return f"{title}\n\n{columns(['keep', 'points', 'dice left'], rows, left=[0, 2])}"


def dice_left(rules: Ruleset, hand: tuple[int, ...]) -> str:
    """Return which dice stay to be rolled, in words."""
    if not hand:
        return "none: hot dice"
    return faces(hand) if is_spicy(rules) else str(len(hand))
