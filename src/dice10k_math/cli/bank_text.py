"""The bank table in words: for each number of dice left, the turn scores at which to bank."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dice10k_math.cli.arguments import is_spicy
from dice10k_math.cli.text import columns, faces

if TYPE_CHECKING:
    from dice10k_math.dice import Hand
    from dice10k_math.questions.turn import TurnSolution

Run = tuple[int, int | None]
"""Turn scores at which to bank, both ends included; the second None: for ever."""

Plan = dict["Hand", dict[int, tuple[Run, ...]]]
"""For each hand and number of hot dice the runs at which to bank."""


def bank_plan(turn: TurnSolution) -> Plan:
    """Return the runs of turn scores at which banking is best, for everything that can be reached."""
    plan: Plan = {}
    for state in turn.states():
        plan.setdefault(state.hand, {}).setdefault(state.hot_dice, ())
    for run in turn.bank_table():
        known = plan.setdefault(run.hand, {})
        known[run.hot_dice] = (*known.get(run.hot_dice, ()), (run.first, run.last))
    return plan


def runs_text(runs: Sequence[Run]) -> str:
    """Return runs in words.

    Examples
    --------
    >>> runs_text([(300, None)])
    'bank from 300; roll again below'
    >>> runs_text([(300, 450), (500, 500), (1000, None)])
    'bank at 300 to 450, at 500 and from 1,000; roll again otherwise'
    >>> runs_text([])
    'roll again'
    """
    if not runs:
        return "roll again"
    parts = [_run_text(first, last) for first, last in runs]
    listed = parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
    monotone = len(runs) == 1 and runs[0][1] is None
    return f"bank {listed}; roll again {'below' if monotone else 'otherwise'}"


def _run_text(first: int, last: int | None) -> str:
    if last is None:
        return f"from {first:,}"
    return f"at {first:,}" if first == last else f"at {first:,} to {last:,}"


def bank_text(turn: TurnSolution) -> str:
    """Return the bank table of a turn: one look says whether to bank.

    Without a hot-dice bonus there is one line for each hand.
    With one, there is a line for each number of hot dice and a column for each number of dice,
    unless some hand has a gap in its runs.
    """
    plan = bank_plan(turn)
    if turn.problem.model.bonus and not is_spicy(turn.rules) and _fits_grid(plan):
        return _grid_text(turn, plan)
    return _list_text(turn, plan)


def _fits_grid(plan: Plan) -> bool:
    return all(not runs or (len(runs) == 1 and runs[0][1] is None) for of in plan.values() for runs in of.values())


def _grid_text(turn: TurnSolution, plan: Plan) -> str:
    hands = sorted(plan, key=len)
    counts = sorted({count for of in plan.values() for count in of})
    heads = ["hot dice", *("1 die" if len(hand) == 1 else f"{len(hand)} dice" for hand in hands)]
    rows = [[str(count), *(_grid_cell(turn, hand, plan[hand].get(count)) for hand in hands)] for count in counts]
    table = columns(heads, rows)
    return f"Bank from this turn score on, roll below; by hot dice so far and dice left:\n\n{table}"


def _grid_cell(turn: TurnSolution, hand: Hand, runs: tuple[Run, ...] | None) -> str:
    if runs is None:
        return "-"
    if not runs:
        return "must roll" if _is_forced(turn, hand) else "roll"
    return f"{runs[0][0]:,}"


def _is_forced(turn: TurnSolution, hand: Hand) -> bool:
    model = turn.problem.model
    return hand == model.hands[model.full].hand and turn.rules.turn.hot_dice == "must_roll"


def _list_text(turn: TurnSolution, plan: Plan) -> str:
    with_bonus = bool(turn.problem.model.bonus)
    rows = []
    for hand, of_hand in sorted(plan.items(), key=lambda item: (len(item[0]), item[0])):
        name = faces(hand) if is_spicy(turn.rules) else str(len(hand))
        for counts, runs in _grouped(of_hand):
            words = "must roll" if not runs and _is_forced(turn, hand) else runs_text(runs)
            rows.append([name, *([counts] if with_bonus else []), words])
    first = "spicy dice left" if is_spicy(turn.rules) else "dice left"
    heads = [first, *(["hot dice"] if with_bonus else []), "turn score"]
    return columns(heads, rows, left=range(len(heads)))


def _grouped(of_hand: dict[int, tuple[Run, ...]]) -> list[tuple[str, tuple[Run, ...]]]:
    """Put numbers of hot dice that follow each other and have the same runs together."""
    groups: list[tuple[int, int, tuple[Run, ...]]] = []
    for count in sorted(of_hand):
        if groups and groups[-1][1] == count - 1 and groups[-1][2] == of_hand[count]:
            groups[-1] = (groups[-1][0], count, of_hand[count])
        else:
            groups.append((count, count, of_hand[count]))
    return [(str(first) if first == last else f"{first} to {last}", runs) for first, last, runs in groups]
