"""`advise --offer`: take over what the opponent has just banked, or roll afresh."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dice10k_math.cli.arguments import is_spicy, read_dice
from dice10k_math.cli.keeps import dice_left
from dice10k_math.cli.match import check_scores, where
from dice10k_math.cli.output import Answer
from dice10k_math.cli.solving import match_of, usual_tables
from dice10k_math.cli.text import columns, heading, percent
from dice10k_math.dice import Hand
from dice10k_math.odds import hand_of
from dice10k_math.rules.model import Ruleset
from dice10k_math.scoring import full_hand

if TYPE_CHECKING:
    from dice10k_math.questions.match import TakeOver, WinProbability

HEADS = ("keep", "points", "then", "dice_left", "win_probability", "loss", "lower", "upper")
TAKE_OVER, FRESH = "take over", "roll fresh"


@dataclass(frozen=True, slots=True)
class Start:
    """The start of a turn, and where its match is read from."""

    score: int
    opponent: int | None
    second: bool
    tables: Path | None


def offer_answer(rules: Ruleset, start: Start, points: int, dice: str) -> Answer:
    """Compare taking over with rolling afresh."""
    if not rules.variants.high_stakes:
        raise click.UsageError(f"--offer: {rules.name} has no High Stakes; allowed: rules with high_stakes = true")
    if start.opponent is None:
        raise click.UsageError("--offer: needs --opponent; allowed: --opponent B")
    hand = _hand(rules, dice)
    _check(rules, start, points, hand)
    match = match_of(rules, start.tables or usual_tables(rules))
    found = match.take_over(
        start.score, start.opponent, points, hand if is_spicy(rules) else len(hand), second=start.second
    )
    rows = _rows(rules, found, points, hand)

    def text() -> str:
        place = where(start.score, start.opponent or 0, start.second)
        title = heading(rules, f"{place},\noffered {points:,} points with dice {dice_left(rules, hand)}")
        lines = [
            [row["then"], percent(row["win_probability"]), percent(row["loss"]) if row["loss"] else "-"] for row in rows
        ]
        return f"{title}\n\n{columns(['choice', 'win probability', 'loss'], lines, left=[0])}"

    return Answer({"choices": rows}, rows, text, HEADS)


def _hand(rules: Ruleset, dice: str) -> Hand:
    """Return the dice of an offer: how many, or which spicy ones."""
    most = len(full_hand(rules))
    if is_spicy(rules):
        faces, whole = read_dice([dice], "--offer"), full_hand(rules)
        if Counter(faces) - Counter(whole):
            named = ",".join(map(str, whole))
            raise click.UsageError(f"--offer: dice {dice}; allowed: some or all of the spicy dice {named}")
        return hand_of(rules, faces)
    if not dice.isdecimal() or not 1 <= int(dice) <= most:
        raise click.UsageError(f"--offer: {dice} dice; allowed: 1 to {most} (all of them if none was left)")
    return hand_of(rules, int(dice))


def _check(rules: Ruleset, start: Start, points: int, hand: Hand) -> None:
    """Refuse what can be seen to be wrong before a match is solved, which may take a while."""
    from dice10k_math.questions.stakes import check_offer

    opponent = start.opponent or 0
    last_turn = rules.ending.kind == "final_round" or (rules.ending.kind == "equal_turns" and start.second)
    check_scores(rules, start.score, 0 if last_turn else opponent, start.second)
    check_offer(rules, opponent, points, hand)


def _rows(rules: Ruleset, found: TakeOver, points: int, hand: Hand) -> list[dict[str, Any]]:
    """Return the two choices, the better one first."""
    best = max(found.take_over.value, found.fresh.value)
    choices = [(FRESH, 0, full_hand(rules), found.fresh), (TAKE_OVER, points, hand, found.take_over)]
    rows = [_row(rules, best, *choice) for choice in choices]
    return sorted(rows, key=lambda row: float(row["loss"]))


def _row(rules: Ruleset, best: float, then: str, points: int, hand: Hand, chance: WinProbability) -> dict[str, Any]:
    return {
        "keep": [],
        "points": points,
        "then": then,
        "dice_left": len(hand),
        "win_probability": chance.value,
        "loss": best - chance.value,
        "lower": chance.lower,
        "upper": chance.upper,
        **({"hand_left": list(hand)} if is_spicy(rules) else {}),
    }
