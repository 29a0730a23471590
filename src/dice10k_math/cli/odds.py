"""`odds`: bust, hot dice and mean best score of one roll, for each number of dice."""

from __future__ import annotations

from typing import Any

import click

from dice10k_math.cli.arguments import chosen_hands, example, hand_field, hand_option, is_spicy, rules_argument
from dice10k_math.cli.output import Answer, answers
from dice10k_math.cli.parameters import Whole
from dice10k_math.cli.text import columns, faces, heading, one_in, percent, ratio
from dice10k_math.dice import Hand
from dice10k_math.odds import bust_odds, hot_dice_odds, mean_best_score
from dice10k_math.rules.model import Ruleset


@click.command("odds", epilog=example("odds dice10k --dice 6"))
@rules_argument
@click.option("--dice", type=Whole(), metavar="N", help="Number of dice rolled; default: each in turn.")
@hand_option
@answers
def command(rules: Ruleset, dice: int | None, hand: tuple[int, ...] | None) -> Answer:
    """Show the odds of one roll.

    How likely a bust is, how likely all dice score (hot dice), and the mean of the best score, a bust counting 0.
    Spicy dice are told apart: with --dice N there is a row for each choice of N of them.
    """
    hands = chosen_hands(rules, dice, hand)
    rows = [_row(rules, chosen) for chosen in hands]
    return Answer({"ruleset": rules.name, "odds": rows}, rows, lambda: _text(rules, hands))


def _row(rules: Ruleset, hand: Hand) -> dict[str, Any]:
    outcomes = 6 ** len(hand)
    bust, hot, mean = bust_odds(rules, hand), hot_dice_odds(rules, hand), mean_best_score(rules, hand)
    return {
        "dice": len(hand),
        "outcomes": outcomes,
        "bust_outcomes": int(bust * outcomes),
        "bust_odds": ratio(bust),
        "bust_probability": float(bust),
        "mean_best_score": float(mean),
        "hot_dice_probability": float(hot),
        "hot_dice_odds": ratio(hot),
        "mean_best_score_exact": ratio(mean),
        **hand_field(rules, hand),
    }


def _text(rules: Ruleset, hands: tuple[Hand, ...]) -> str:
    spicy = is_spicy(rules)
    heads = ["dice", "bust", "fraction", "1 in", "hot dice", "fraction", "1 in", "mean points"]
    table = columns(
        ["spicy faces", *heads[1:]] if spicy else heads,
        [_text_row(rules, hand, faces(hand) if spicy else str(len(hand))) for hand in hands],
        left=[0] if spicy else [],
    )
    note = "mean points: of the best score of the roll, a bust counting 0"
    return f"{heading(rules, 'odds of one roll')}\n\n{table}\n\n{note}"


def _text_row(rules: Ruleset, hand: Hand, name: str) -> list[str]:
    bust, hot = bust_odds(rules, hand), hot_dice_odds(rules, hand)
    return [
        name,
        percent(bust),
        ratio(bust),
        one_in(bust),
        percent(hot),
        ratio(hot),
        one_in(hot),
        f"{float(mean_best_score(rules, hand)):,.2f}",
    ]
