"""Solving one turn: tail in closed form, bounds below it, exact value, endings."""

from __future__ import annotations

from dataclasses import replace

from dice10k_math.solve.enclose import enclose
from dice10k_math.solve.exact import TurnProblem
from dice10k_math.solve.grid import lay_out
from dice10k_math.solve.tail import Tail, solve_tail
from dice10k_math.solve.worth import Worth
from dice10k_math.turn import BankRule, TurnModel

FOLLOWED = 20_000
FOLLOWED_LEVELS = 8
"""Turn scores and hot dice up to which a turn is followed even where its closed form holds earlier, so that its
endings are known."""


def _followed(tail: Tail, model: TurnModel) -> Tail:
    """Return a tail that starts late enough for all but a negligible part of the turns to end before it."""
    if model.bonus:
        return replace(tail, levels=max(tail.levels, FOLLOWED_LEVELS))
    return replace(tail, start=max(tail.start, -(-FOLLOWED // model.step) * model.step))


def pose(model: TurnModel, rule: BankRule, worth: Worth) -> TurnProblem:
    """Return a turn with the bounds of all its values.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> from dice10k_math.turn import bank_rule, turn_model
    >>> rules = load_rules("farkle")
    >>> problem = pose(turn_model(rules), bank_rule(rules, 1000), Worth())
    >>> low, high = problem.bounds.roll(0, problem.model.full)
    >>> round(low, 9), high - low < 1e-9
    (534.287062597, True)
    """
    tail = _followed(solve_tail(model, rule, worth), model)
    grid = lay_out(model, tail)
    return TurnProblem(model, rule, worth, tail, grid, enclose(model, rule, worth, tail, grid))
