"""The situations that a ruleset knows at the start of a turn: scores that differ by no rule are one situation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from dice10k_math.rules.model import Ruleset
from dice10k_math.turn import BankRule, bank_rule, six_dice_penalty

Range = tuple[int | None, int | None]
"""Scores, both ends included; None: no end on that side."""


@dataclass(frozen=True, slots=True)
class Situation:
    """Scores, openings and busts in a row from which a turn is the same.

    Attributes
    ----------
    name
        Such as "opened, from 5000".
    scores
        The scores that belong to it, in points.
    score
        One of them.
    opened
        Whether the player has banked before; None: as the score says, or it does not matter.
    busts
        Busts in a row before the turn.
    """

    name: str
    scores: tuple[Range, ...]
    score: int
    opened: bool | None
    busts: int


def situations(rules: Ruleset) -> tuple[Situation, ...]:
    """Return all situations of a ruleset.

    Under ``overshoot = "not_allowed"`` every score has bank rules of its own;
    then each situation is that of one score, far from the target where there is one.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> for situation in situations(load_rules("dice10k")):
    ...     print(situation.name, situation.scores)
    not opened ((0, 0),)
    opened, below 5000 ((None, -1), (1, 4999))
    opened, from 5000 ((5000, None),)
    """
    found: dict[tuple[BankRule, int, int], list[tuple[bool | None, Range]]] = {}
    for opened, scores in _starts(rules):
        for busts in range(1 if rules.bust.in_a_row is None else rules.bust.in_a_row.busts):
            score = _score_of(scores)
            rule = replace(bank_rule(rules, score, opened), most=None)
            found.setdefault((rule, six_dice_penalty(rules, score), busts), []).append((opened, scores))
    listed = [_situation(rules, busts, starts) for (_, _, busts), starts in found.items()]
    return tuple(sorted(listed, key=lambda situation: situation.name.startswith("opened")))


def opening_matters(rules: Ruleset) -> bool:
    """Tell whether a first bank needs more than later ones."""
    return rules.turn.opening_minimum > max(rules.turn.bank_minimum, 1)


def _has_penalties(rules: Ruleset) -> bool:
    return bool(rules.bust.on_six) or rules.bust.in_a_row is not None


def _starts(rules: Ruleset) -> Iterator[tuple[bool | None, Range]]:
    """Yield what can be told apart: whether the player has opened, and a range of scores."""
    for scores in _ranges(rules):
        if not opening_matters(rules) or rules.turn.opening_applies == "at_score_zero":
            yield None, scores
            continue
        low, high = scores
        if low is None or low <= 0:
            yield False, scores
        if _has_penalties(rules) or high is None or high > 0:
            yield True, scores


def _ranges(rules: Ruleset) -> Iterator[Range]:
    cuts = {row.below for row in rules.bust.on_six if row.below is not None}
    if opening_matters(rules):
        cuts |= {0, 1} if rules.turn.opening_applies == "at_score_zero" else {1}
    least = None if _has_penalties(rules) else 0
    edges = [least, *sorted(cut for cut in cuts if cut != least), None]
    for low, next_low in pairwise(edges):
        yield low, None if next_low is None else next_low - 1


def _score_of(scores: Range) -> int:
    """Return a score of the range: 0 or the one next to it."""
    low, high = scores
    if low is not None and low > 0:
        return low
    return min(0, high) if high is not None else 0


def _situation(rules: Ruleset, busts: int, starts: list[tuple[bool | None, Range]]) -> Situation:
    opened, first = starts[0]
    score = _score_of(first)
    ranges = _joined([scores for _, scores in starts])
    single = rules.ending.overshoot == "not_allowed"
    words = [*_opening_words(rules, opened, score), *_penalty_words(rules, score)]
    if single:
        words.append(f"score {score}")
    if rules.bust.in_a_row is not None:
        words.append(f"after {busts} busts" if busts != 1 else "after 1 bust")
    return Situation(", ".join(words) or "any score", ((score, score),) if single else ranges, score, opened, busts)


def _joined(ranges: list[Range]) -> tuple[Range, ...]:
    merged: list[Range] = []
    for low, high in ranges:
        if merged and merged[-1][1] is not None and low == merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], high)
        elif (low, high) not in merged:
            merged.append((low, high))
    return tuple(merged)


def _opening_words(rules: Ruleset, opened: bool | None, score: int) -> list[str]:
    if not opening_matters(rules):
        return []
    return ["opened" if (score != 0 if opened is None else opened) else "not opened"]


def _penalty_words(rules: Ruleset, score: int) -> list[str]:
    """Say which row of the penalties applies; nothing where the opening says enough or there is one row."""
    rows = rules.bust.on_six
    at_zero = rules.turn.opening_applies == "at_score_zero" and opening_matters(rules)
    if len(rows) < 2 or (score == 0 and at_zero):
        return []
    lower = None
    for row in rows:
        if row.below is not None and score < row.below:
            return [f"below {row.below}" if lower is None else f"from {lower} to below {row.below}"]
        lower = row.below
    return [f"from {rows[-2].below}"]
