"""Checks of the tables about one roll: every roll is scored, where the tables were made from sums over faces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dice10k_math.dice import Hand, rolls, sub_hands
from dice10k_math.rules.model import Ruleset
from dice10k_math.scoring import full_hand, keeps_of, legal_keeps
from dice10k_math.tables.columns import dice_of, joined
from dice10k_math.tables.one_roll import is_spicy

if TYPE_CHECKING:
    import polars

Reader = Callable[[str], "polars.DataFrame | None"]

MOST_SPICY_DICE = 4
"""Hands of more spicy dice have tens of thousands of rolls; their rows are checked by their sums."""


def hand_in(rules: Ruleset, row: dict[str, Any]) -> Hand:
    """Return the hand that a row is about."""
    return dice_of(row["hand"]) if is_spicy(rules) else full_hand(rules)[: row["dice"]]


def _counted(rules: Ruleset, hand: Hand) -> tuple[Counter[int], int]:
    """Return the outcomes of each best score, and those with hot dice, by scoring every roll."""
    best: Counter[int] = Counter()
    hot = 0
    for roll, weight in rolls(hand):
        keeps = keeps_of(rules, hand, roll)
        best[max((keep.points for keep in keeps), default=0)] += weight
        hot += weight * any(not keep.hand_left for keep in keeps)
    return best, hot


def _is_small(rules: Ruleset, hand: Hand) -> bool:
    return not is_spicy(rules) or len(hand) <= MOST_SPICY_DICE


def _missing_hands(rules: Ruleset, found: set[Hand]) -> Iterator[str]:
    for hand in sub_hands(full_hand(rules)):
        if hand not in found:
            yield f"no row for the {len(hand)} dice {joined(hand)}"


def odds(rules: Ruleset, frame: polars.DataFrame, read: Reader) -> Iterator[str]:  # noqa: ARG001 - as all checks
    """Check the table `odds`."""
    rows = list(frame.iter_rows(named=True))
    yield from _missing_hands(rules, {hand_in(rules, row) for row in rows})
    for row in rows:
        hand = hand_in(rules, row)
        total = 6 ** len(hand)
        if row["outcomes"] != total:
            yield f"{_place(row)}: outcomes {row['outcomes']}; right: {total}"
        if not _is_small(rules, hand):
            continue
        best, hot = _counted(rules, hand)
        right = {
            "bust_outcomes": best[0],
            "bust_probability": best[0] / total,
            "hot_dice_probability": hot / total,
            "mean_best_score": float(Fraction(sum(points * weight for points, weight in best.items()), total)),
        }
        yield from (
            f"{_place(row)}: {key} {row[key]}; right: {value}" for key, value in right.items() if row[key] != value
        )


def scores(rules: Ruleset, frame: polars.DataFrame, read: Reader) -> Iterator[str]:  # noqa: ARG001 - as all checks
    """Check the table `scores`."""
    by_hand: dict[Hand, dict[int, int]] = {}
    for row in frame.iter_rows(named=True):
        hand = hand_in(rules, row)
        by_hand.setdefault(hand, {})[row["points"]] = row["outcomes"]
        if row["probability"] != row["outcomes"] / 6 ** len(hand):
            yield f"{_place(row)}, {row['points']} points: probability {row['probability']} is not that of the outcomes"
    yield from _missing_hands(rules, set(by_hand))
    for hand, counts in by_hand.items():
        if sum(counts.values()) != 6 ** len(hand):
            yield f"dice {joined(hand)}: outcomes add up to {sum(counts.values())}; right: {6 ** len(hand)}"
        elif _is_small(rules, hand) and counts != (right := dict(_counted(rules, hand)[0])):
            wrong = sorted(points for points in counts.keys() | right if counts.get(points) != right.get(points))
            yield f"dice {joined(hand)}: wrong number of outcomes for {', '.join(map(str, wrong))} points"


def keeps(rules: Ruleset, frame: polars.DataFrame, read: Reader) -> Iterator[str]:  # noqa: ARG001 - as all checks
    """Check the table `keeps`: the rolls of a sample, each rolled with its dice in another order."""
    by_roll: dict[tuple[Hand, str], set[tuple[Any, ...]]] = {}
    for row in frame.iter_rows(named=True):
        kept = (row["keep"], row["points"], row["dice_left"])
        by_roll.setdefault((hand_in(rules, row), row["roll"]), set()).add(kept)
    for hand in sub_hands(full_hand(rules)):
        listed = [(roll, weight) for roll, weight in rolls(hand)][:: max(1, 6 ** len(hand) // 6**3)]
        for roll, _ in listed:
            kinds, faces = hand[::-1], roll[::-1]
            right = {
                (joined(keep.dice), keep.points, keep.dice_left)
                for keep in legal_keeps(rules, faces, kinds if is_spicy(rules) else None)
            }
            if by_roll.get((hand, joined(roll)), set()) != right:
                yield f"dice {joined(hand)}, roll {joined(roll)}: the keeps are not those of the rules"


def _place(row: dict[str, Any]) -> str:
    return f"dice {row['hand']}" if "hand" in row else f"{row['dice']} dice"
