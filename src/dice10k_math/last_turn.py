"""The last turn of a match: one player has reached the target, the other needs more than the difference.

What it is worth depends on the difference alone. It serves final rounds, equal turns, and the extra rounds that break
a tie.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import lcm
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from dice10k_math.backup import Blocks, Contexts, back_up, rounding_of
from dice10k_math.program import BLOCK, FORCED, Floats, Ints, Program, compile_turn
from dice10k_math.rules import Ruleset, bank_step
from dice10k_math.turn import BankRule, TurnModel, split_model, turn_model

Mask = NDArray[np.bool_]
MOST_LEADS = 200_000, 80_000, 40_000
"""Greatest differences, in points, for which the last turn may be solved."""
MOST_STATES = 60_000
"""As many turn scores with dice left as are worth it for a greater difference than the least of them."""
TOGETHER = 1024
"""Last turns that are laid out together."""


@dataclass(frozen=True, slots=True)
class Side:
    """How bounds are rounded: down (with the worse bust at the edges), up, or not at all."""

    lowest: bool
    sign: float

    def nudge(self, program: Program) -> float:
        """Return what to add at every roll."""
        return self.sign * rounding_of(program)


DOWN, UP, NEAREST = Side(True, -1.0), Side(False, 1.0), Side(True, 0.0)


class Setting(Protocol):
    """What the last turn needs to know of a match."""

    rules: Ruleset
    unit: int
    opened: BankRule
    margin: int

    @property
    def has_last_turn(self) -> bool:
        """Whether there is a last turn at all."""
        ...

    def survival(self, side: Side) -> Floats:
        """Return the survival beyond the greatest turn score, for a bound on this side."""
        ...


@lru_cache(maxsize=64)
def most_lead(rules: Ruleset) -> int:
    """Return the greatest difference, in points, for which the last turn is solved; greater ones are bounded by it.

    Where many dice have the same spicy face, turns come much farther than elsewhere, and there are few different hands.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> most_lead(load_rules("farkle"))
    40000
    """
    if rules.variants.spicy_faces is None:
        return MOST_LEADS[-1]
    model = turn_model(rules)
    fitting = (lead for lead in MOST_LEADS if len(model.hands) * (lead // model.step) <= MOST_STATES)
    return next(fitting, MOST_LEADS[-1])


def allowed(rule: BankRule, scores: Ints) -> Mask:
    """Tell which turn scores may be banked."""
    return (scores >= rule.minimum) & (scores % rule.multiple == 0)


@lru_cache(maxsize=64)
def compiled(rules: Ruleset, most: int, most_hot_dice: int = 0) -> Program:
    """Return the turn of a ruleset compiled up to a greatest turn score."""
    return compile_turn(
        turn_model(rules),
        most,
        hot_may_bank=rules.turn.hot_dice == "may_bank",
        most_hot_dice=most_hot_dice,
        multiple=lcm(bank_step(rules), turn_model(rules).step),
    )


@lru_cache(maxsize=64)
def compiled_split(rules: Ruleset, most: int, *, bank_leaves_hand: bool) -> Program:
    """Return the turn compiled with banking and rolling on as two choices, so that after-states only roll."""
    return compile_turn(
        split_model(rules),
        most,
        hot_may_bank=rules.turn.hot_dice == "may_bank",
        multiple=lcm(bank_step(rules), turn_model(rules).step),
        bank_leaves_hand=bank_leaves_hand,
    )


def hot_dice_within(rules: Ruleset, most: int) -> int:
    """Return the most hot dice that fit into a turn score."""
    bonus, times = rules.turn.hot_dice_bonus, 0
    while bonus and bonus * (2 ** (times + 1) - 1) <= most:
        times += 1
    return times


def is_bank_shut(model: TurnModel, rule: BankRule) -> bool:
    """Tell whether a scoring roll can leave a turn score that may not be banked, however great it is.

    It can with a bank multiple, and where the bank takes every scoring die but may not take the last.
    """
    entries = [entry for hand in model.hands for entry in hand.entries]
    takes_all = any(not entry.may_bank and not entry.hot for entry in entries)
    must_roll = any(entry.hot for entry in entries) and not any(entry.hot and entry.may_bank for entry in entries)
    return rule.multiple != model.step or (takes_all and must_roll)


def margin_of(model: TurnModel, rule: BankRule) -> int:
    """Return how far beyond a limit, in points, every choice is still backed up.

    Where banking is not always open, as after a bonus, a player past the limit is not home.
    Below the bank minimum it is never open, and what is said of turn scores beyond the last takes it to be.
    """
    margin = FORCED if model.bonus or is_bank_shut(model, rule) else 0
    return max(margin, rule.minimum) if rule.minimum > model.step else margin


def _program(match: Setting) -> Program:
    most = most_lead(match.rules) + match.margin
    return compiled(match.rules, most, hot_dice_within(match.rules, most))


def last_turns(match: Setting, tie: float, side: Side, instant_win: float = 1.0) -> Floats:
    """Return what a last turn is worth to its player, by how far behind he is.

    Parameters
    ----------
    match
        The match.
    tie
        Worth of drawing level. Being level before the turn (extra rounds), a bust leaves the tie.
    side
        Rounding.
    instant_win
        Worth of six spicy dice.

    Returns
    -------
    ndarray
        Worth by deficit in units, from 0 to that of `most_lead`; greater deficits are worth no more than the last.
        A match without last turns has just the one entry 0.
    """
    return gains(match, tie, side, instant_win) if match.has_last_turn else np.zeros(1)


def gains(match: Setting, tie: float, side: Side, instant_win: float = 1.0) -> Floats:
    """Return the same whether or not the match has last turns."""
    program = _program(match)
    contexts, blocks = pose_last_turns(match, program, tie, instant_win)
    return back_up(
        program, contexts, match.survival(side), blocks=blocks, lowest=side.lowest, nudge=side.nudge(program)
    )[0]


def pose_last_turns(match: Setting, program: Program, tie: float, instant_win: float = 1.0) -> tuple[Contexts, Blocks]:
    """Return the last turns by deficit as contexts and blocks."""
    leads = most_lead(match.rules) // match.unit + 1
    scores = program.bank_scores // match.unit
    behind = np.arange(leads)
    table = np.where(scores[:, None] > behind, 1.0, np.where(scores[:, None] == behind, tie, 0.0))
    rows = np.where(allowed(match.opened, program.bank_scores), np.arange(len(scores)), -1).astype(np.int32)
    bust = np.where(behind == 0, tie, 0.0)[None, :]
    contexts = Contexts(table, rows[None, :], bust, bust, np.ones((1, leads)), instant_win)
    blocks = np.array(
        [(0, j, min(BLOCK, leads - j), (j + BLOCK) * match.unit + match.margin) for j in range(0, leads, BLOCK)],
        np.int64,
    )
    return contexts, blocks


def last_turns_at(match: Setting, rule: BankRule, behind: Ints, ties: Floats, side: Side) -> Floats:
    """Return what last turns are worth, each with a worth of its own of drawing level.

    Parameters
    ----------
    match
        The match.
    rule
        Which turn scores may be banked.
    behind, ties
        By how many units the player of each turn is behind, at least 1 and never less than before; and what drawing
        level is worth.
    side
        Rounding.
    """
    program, unit = _program(match), match.unit
    margin = max(match.margin, margin_of(turn_model(match.rules), rule))
    scores = program.bank_scores // unit
    rows = np.where(allowed(rule, program.bank_scores), np.arange(len(scores)), -1).astype(np.int32)
    found = np.empty(len(behind))
    for start in range(0, len(behind), TOGETHER):
        part = slice(start, start + TOGETHER)
        lead, count = behind[part], len(behind[part])
        table = np.where(scores[:, None] > lead, 1.0, np.where(scores[:, None] == lead, ties[part], 0.0))
        lost = np.zeros((1, count))
        contexts = Contexts(table, rows[None, :], lost, lost, np.ones((1, count)))
        ends = [(j, min(BLOCK, count - j)) for j in range(0, count, BLOCK)]
        blocks = np.array([(0, j, size, (lead[j + size - 1] + 1) * unit + margin) for j, size in ends], np.int64)
        nudge = side.nudge(program)
        found[part] = back_up(program, contexts, match.survival(side), blocks=blocks, lowest=side.lowest, nudge=nudge)[
            0
        ]
    return found


def first_of_extra_round(match: Setting, last_turn: Floats, beyond: float, side: Side) -> float:
    """Return what leading off an extra round from a tie is worth.

    Parameters
    ----------
    match
        The match.
    last_turn, beyond
        Worth for the second player of his turn, by how far behind he is then, and for greater deficits.
    side
        Rounding.
    """
    program = _program(match)
    scores = program.bank_scores // match.unit
    worth = 1.0 - np.append(last_turn, beyond)[np.minimum(scores, len(last_turn))]
    rows = np.where(allowed(match.opened, program.bank_scores), np.arange(len(scores)), -1).astype(np.int32)
    bust = np.array([[1.0 - last_turn[0]]])
    top = np.array([[1.0 - (last_turn[-1] if side.lowest else 0.0)]])
    contexts = Contexts(worth[:, None], rows[None, :], bust, bust, top)
    values = back_up(program, contexts, match.survival(side), lowest=side.lowest, nudge=side.nudge(program))
    return float(values[0, 0])
