"""`scores`: the distribution of the best score of one roll."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import click

from dice10k_math.cli.arguments import chosen_hands, example, hand_field, hand_option, is_spicy, rules_argument
from dice10k_math.cli.output import Answer, answers
from dice10k_math.cli.parameters import Whole
from dice10k_math.cli.text import columns, faces, heading, one_in, percent, ratio
from dice10k_math.dice import Hand
from dice10k_math.odds import score_counts
from dice10k_math.rules.model import Ruleset


@click.command("scores", epilog=example("scores dice10k --dice 6"))
@rules_argument
@click.option("--dice", type=Whole(), metavar="N", help="Number of dice rolled; default: all.")
@hand_option
@answers
def command(rules: Ruleset, dice: int | None, hand: tuple[int, ...] | None) -> Answer:
    """Show how likely each best score of a roll is.

    A bust scores 0.

    Spicy dice are told apart: with --dice N the rows follow for each choice of N of them.
    """
    size = len(hand) if hand else rules.turn.dice if dice is None else dice
    hands = chosen_hands(rules, size if dice is None else dice, hand)
    rows = [row for chosen in hands for row in _rows(rules, chosen)]
    return Answer({"ruleset": rules.name, "dice": size, "scores": rows}, rows, lambda: _text(rules, hands))


def _rows(rules: Ruleset, hand: Hand) -> list[dict[str, Any]]:
    return [
        {"points": points, "outcomes": outcomes, **hand_field(rules, hand)}
        for points, outcomes in score_counts(rules, hand).items()
    ]


def _text(rules: Ruleset, hands: tuple[Hand, ...]) -> str:
    return "\n\n".join(_hand_text(rules, hand) for hand in hands)


def _hand_text(rules: Ruleset, hand: Hand) -> str:
    total = 6 ** len(hand)
    at_least = total
    lines = []
    for points, outcomes in score_counts(rules, hand).items():
        chance = Fraction(outcomes, total)
        reached = percent(Fraction(at_least, total))
        lines.append([f"{points:,}", f"{outcomes:,}", percent(chance), ratio(chance), one_in(chance), reached])
        at_least -= outcomes
    dice = f"the dice {faces(hand)}" if is_spicy(rules) else "1 die" if len(hand) == 1 else f"{len(hand)} dice"
    table = columns(["points", "outcomes", "chance", "fraction", "1 in", "this or more"], lines)
    return f"{heading(rules, f'best score of one roll of {dice}')}\n\n{table}"
