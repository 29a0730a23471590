"""Plans followed through a turn by compiled loops: how the turn of a policy that is plain data ends, or of one that
takes what is worth most.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dice10k_math.endings import TurnEndings, rounded
from dice10k_math.policy.keeping import KeepWorths, Places, RollCounts
from dice10k_math.policy.plan import Plan
from dice10k_math.policy.thresholds import NEVER
from dice10k_math.policy.worths import Worths, place_worths
from dice10k_math.turn import BankRule, Entry, TurnModel

Ints = NDArray[np.int64]
BITS = 62
MOST_LEVELS = 13
"""Hot dice, with a bonus for them, that are followed."""
MOST_KEPT = 60_000
"""Turn score without bonuses, in points, up to which a turn is followed."""
UNLIMITED = 1 << 40
KEEPS = {"all": 0, "points": 1, "few": 2}
"""As the compiled loops number them."""


@dataclass(frozen=True, slots=True, eq=False)
class FlatModel:
    """A turn model as flat arrays, hand after hand."""

    classes: tuple[Ints, ...]
    entries: tuple[NDArray[np.int64] | NDArray[np.bool_], ...]
    mass: Ints
    banked: Ints


@lru_cache(maxsize=8)
def flat_model(model: TurnModel, most_kept: int = MOST_KEPT) -> FlatModel:
    """Return a turn model as flat arrays."""
    entry_first, class_first, member_first = [0], [0], [0]
    member: list[int] = []
    weight: list[int] = []
    entries: list[Entry] = []
    for hand in model.hands:
        for roll in hand.classes:
            member += [entry_first[-1] + number for number in roll.entries]
            member_first.append(len(member))
            weight.append(roll.weight)
        entries += hand.entries
        entry_first.append(len(entries))
        class_first.append(len(weight))
    classes = (
        entry_first,
        class_first,
        member_first,
        member,
        weight,
        [hand.outcomes for hand in model.hands],
        [hand.bust for hand in model.hands],
        [hand.instant_win for hand in model.hands],
    )
    order = {hand: number for number, hand in enumerate(sorted(hand.hand for hand in model.hands))}
    columns = (
        np.array([entry.points for entry in entries], np.int64),
        np.array([entry.hand for entry in entries], np.int64),
        np.array([entry.hot for entry in entries], np.bool_),
        np.array([entry.may_roll for entry in entries], np.bool_),
        np.array([entry.may_bank for entry in entries], np.bool_),
        np.array([len(model.hands[entry.hand].hand) for entry in entries], np.int64),
        np.array([order[model.hands[entry.hand].hand] for entry in entries], np.int64),
    )
    levels = MOST_LEVELS + 1 if model.bonus else 1
    places = most_kept // model.step
    mass = np.zeros((levels, len(model.hands), places), np.int64)
    return FlatModel(
        tuple(np.array(column, np.int64) for column in classes), columns, mass, np.zeros((levels, places, 2), np.int64)
    )


def follow_plan(
    model: TurnModel, rule: BankRule, plan: Plan, *, subtract: bool = False, most_kept: int = MOST_KEPT
) -> TurnEndings:
    """Return how the turn of a plan ends.

    Turns beyond `most_kept` points, bonuses not counted, are left open.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> from dice10k_math.turn import bank_rule, turn_model
    >>> rules = load_rules("des-10000")
    >>> endings = follow_plan(turn_model(rules), bank_rule(rules), Plan((300,) * 6, "all"))
    >>> round(endings.busts, 6), endings.open < 1e-14
    (0.195843, True)
    """
    if isinstance(plan.keep, Places):
        hands = [hand.hand for hand in model.hands]
        return follow_worths(model, rule, place_worths(plan, hands, model.step), subtract=subtract, most_kept=most_kept)
    from dice10k_math import follow

    flat = flat_model(model, most_kept)
    ended = follow.follow_plan(
        plan_numbers(plan),
        np.array(plan.bank_from, np.int64),
        np.array(worths_of(plan), np.int64),
        rule_numbers(model, rule, subtract=subtract),
        flat.classes,
        flat.entries,
        model.step,
        model.bonus,
        _choices(model, replace(rule, most=None), replace(plan, **SET_ASIDE), most_kept),
        flat.mass,
        flat.banked,
    )
    return rounded(_banked(model, flat.banked), *map(int, ended), bits=BITS)


def follow_worths(
    model: TurnModel, rule: BankRule, worths: Worths, *, subtract: bool = False, most_kept: int = MOST_KEPT
) -> TurnEndings:
    """Return how the turn of a player ends who takes the choice that is worth most; see `WorthPlayer`."""
    from dice10k_math import follow

    flat = flat_model(model, most_kept)
    ended = follow.follow_worths(
        (worths.roll, np.stack([worths.bank, worths.subtract])),
        rule_numbers(model, rule, subtract=subtract),
        flat.classes,
        flat.entries,
        model.step,
        model.bonus,
        flat.mass,
        flat.banked,
    )
    return rounded(_banked(model, flat.banked), *map(int, ended), bits=BITS)


SET_ASIDE: dict[str, Any] = {
    each.name: each.default
    for each in fields(Plan)
    if each.name in {"win_from", "win_at", "most", "tie", "hittable", "over"}
    or each.name in {"short_from", "short_to", "below", "whole"}
}
"""What plans may differ in whose choices are remembered together: it matters from some turn score on only."""


@lru_cache(maxsize=16)
def _choices(
    model: TurnModel,
    rule: BankRule,  # noqa: ARG001 - what is remembered depends on it
    plan: Plan,
    most_kept: int,
) -> NDArray[np.int16]:
    """Return where the choices of plans that bank and keep alike are remembered."""
    flat = flat_model(model, most_kept)
    levels, _, places = flat.mass.shape
    remembered = places if isinstance(plan.keep, RollCounts) else 0
    return np.zeros((levels, remembered, 2, len(flat.classes[4])), np.int16)


def worths_of(plan: Plan) -> tuple[int, ...]:
    """Return numbers of a plan by dice, one kind after another.

    The worths of dice left, or what rolling them counts, points and percent; from which turn score on the player takes
    over, and what part of a bank it leaves; below which it is to be, and from which on it counts whole; and what
    rolling counts less with a turn score that cannot be banked.
    """
    worths = percent = offs = nothing = (0,) * len(plan.bank_from)
    if isinstance(plan.keep, KeepWorths):
        worths = plan.keep.dice_left
    if isinstance(plan.keep, RollCounts):
        worths, percent, offs = plan.keep.points, plan.keep.percent, plan.keep.offs
    never = (NEVER,) * len(plan.bank_from)
    offers = (plan.take or never) + (plan.leave or nothing)
    return worths + percent + offers + (plan.below or never) + (plan.whole or never) + offs


def rule_numbers(model: TurnModel, rule: BankRule, *, subtract: bool = False) -> tuple[int, int, int, int]:
    """Return a bank rule as the compiled loops read it."""
    most = UNLIMITED if rule.most is None else rule.most
    return rule.minimum, _multiple(model, rule), most, int(subtract)


def _multiple(model: TurnModel, rule: BankRule) -> int:
    """Return the multiple that a turn score must be to be banked; 1: every turn score is one."""
    return 1 if model.step % rule.multiple == 0 else rule.multiple


def plan_numbers(plan: Plan) -> tuple[int, ...]:
    """Return a plan as the compiled loops read it."""
    match plan.keep:
        case KeepWorths(_, unbankable):
            keep = 3
        case RollCounts():
            keep, unbankable = 4, 0
        case Places():
            raise AssertionError("places are followed by their worths")
        case kind:
            keep, unbankable = KEEPS[kind], 0
    over = -1 if plan.over is None else plan.over
    return (
        keep,
        int(plan.keep_first),
        plan.win_from,
        plan.win_at,
        plan.least,
        plan.most,
        plan.tie,
        int(plan.over is not None),
        over,
        plan.hittable,
        plan.multiple,
        unbankable,
        plan.short_from,
        plan.short_to,
    )


def _banked(model: TurnModel, found: Ints) -> dict[int, int]:
    """Return the banks by the change of the score."""
    banked: dict[int, int] = {}
    for level, place, way in np.argwhere(found).tolist():
        points = model.bonus * ((1 << level) - 1) + place * model.step
        change = -points if way else points
        banked[change] = banked.get(change, 0) + int(found[level, place, way])
    return banked
