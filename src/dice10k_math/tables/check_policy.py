"""Checking the table of bank decisions: single turns are evaluated from the match tables and compared with the runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from dice10k_math.questions.decisions import TOLERANCE
from dice10k_math.questions.positions import Positions, Seat
from dice10k_math.rules.model import Ruleset
from dice10k_math.tables.check_match import CLOSE, read_positions
from dice10k_math.tables.check_roll import Reader, hand_in
from dice10k_math.tables.match import listed_scores, seat_columns
from dice10k_math.tables.policy import shown_states
from dice10k_math.turn import turn_model

if TYPE_CHECKING:
    import polars

SAMPLE = 24
"""Turn starts whose turn is evaluated."""
GOLDEN = 0.6180339887498949
Runs = dict[tuple[int, int], list[tuple[int, int | None]]]
"""Runs of turn scores by hand and hot dice."""


def policy(rules: Ruleset, frame: polars.DataFrame, read: Reader) -> Iterator[str]:
    """Check the table `policy`: its runs are in order, and the turns of a sample of starts bank where it says so."""
    faults = list(_order_faults(frame))
    if faults:
        yield from faults
        return
    positions = read_positions(rules, read, "policy", frame)
    if isinstance(positions, str):
        yield positions
        return
    for start in _sample(rules, positions):
        yield from _start_faults(rules, frame, positions, start)


def _order_faults(frame: polars.DataFrame) -> Iterator[str]:
    import polars as pl

    wrong = frame.filter(
        (pl.col("opponent_from") > pl.col("opponent_to"))
        | (pl.col("bank_from") > pl.col("bank_to").fill_null(pl.col("bank_from")))
        | pl.any_horizontal(pl.col(name).is_null() for name in frame.columns if name != "bank_to")
    )
    for row in wrong.iter_rows(named=True):
        yield f"{_place(row)}: a run that is none, {row['opponent_from']} to {row['opponent_to']}, {row['bank_from']}"


def _sample(rules: Ruleset, positions: Positions) -> Iterator[dict[str, Any]]:
    """Yield turn starts spread over those that are listed."""
    scores = listed_scores(rules, positions)
    seats = {column.name for column in seat_columns(rules)}
    for number in range(SAMPLE):
        own, other = (scores[int(number * step % 1.0 * len(scores))] for step in (GOLDEN, GOLDEN**2))
        start: dict[str, Any] = {"score": own, "opponent": other}
        if rules.ending.kind == "equal_turns":
            start["second"] = number % 2 == 1
        if "opened" in seats:
            # A player who has not banked has no points.
            start |= {"opened": own > 0 or number % 2 == 0, "opponent_opened": other > 0 or number % 3 == 0}
        if rules.bust.in_a_row is not None and "busts" in seats:
            busts = rules.bust.in_a_row.busts
            start |= {"busts": number % busts, "opponent_busts": number // 2 % busts}
        yield start


def _start_faults(
    rules: Ruleset, frame: polars.DataFrame, positions: Positions, start: dict[str, Any]
) -> Iterator[str]:
    mover = Seat(start["score"], start.get("opened"), start.get("busts", 0))
    other = Seat(start["opponent"], start.get("opponent_opened"), start.get("opponent_busts", 0))
    second = start.get("second", False)
    worths = positions.turn(mover, other, second=second)
    bank = positions.bank_worths(mover, other, second=second)
    runs = _runs_of(rules, frame, start)
    program = worths.program
    for state in shown_states(rules, program):
        turn_score = int(program.turn_score[state])
        if turn_score not in bank:
            continue
        hand, hot_dice = int(program.hand[state]), int(program.hot_dice[state])
        more = float(worths.roll[state]) - bank[turn_score]
        banks = any(
            first <= turn_score and (last is None or turn_score <= last) for first, last in runs[hand, hot_dice]
        )
        if (more > TOLERANCE + CLOSE and banks) or (more < TOLERANCE - CLOSE and not banks):
            said, right = ("bank", "rolling on") if banks else ("roll", "banking")
            yield (
                f"{_place(start)}, {len(program.model.hands[hand].hand)} dice, turn score {turn_score}: says {said}, "
                f"but {right} is better by {abs(more):.1e}"
            )


def _runs_of(rules: Ruleset, frame: polars.DataFrame, start: dict[str, Any]) -> Runs:
    """Return what the table says of one turn start."""
    import polars as pl

    asked = (pl.col("opponent_from") <= start["opponent"]) & (start["opponent"] <= pl.col("opponent_to"))
    for name, value in start.items():
        if name != "opponent":
            asked &= pl.col(name) == value
    model_index = {hand: number for number, hand in enumerate(_hands(rules))}
    found: Runs = defaultdict(list)
    for row in frame.filter(asked).iter_rows(named=True):
        found[model_index[hand_in(rules, row)], row["hot_dice"]].append((row["bank_from"], row["bank_to"]))
    return found


def _hands(rules: Ruleset) -> list[tuple[int, ...]]:
    return [hand.hand for hand in turn_model(rules).hands]


def _place(row: dict[str, Any]) -> str:
    return f"score {row['score']}" + (f", opponent {row['opponent']}" if "opponent" in row else "")
