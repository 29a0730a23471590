"""The steps in which turn scores and scores move: common divisors of what the rules pay."""

from __future__ import annotations

from collections.abc import Iterator
from math import gcd, lcm
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dice10k_math.rules.model import Ruleset, Scoring

SET_OF_THREE = 3


def point_step(rules: Ruleset) -> int:
    """Return the greatest common divisor of all amounts by which a turn score can grow, in points.

    Every turn score is a multiple of it; spicy dice double amounts, which keeps multiples.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> point_step(load_rules("dice10k"))
    50
    """
    return gcd(rules.turn.hot_dice_bonus, *_keep_amounts(rules.scoring, rules.turn.dice))


def bank_step(rules: Ruleset) -> int:
    """Return the step in which turn scores may be banked, in points: every bank is a multiple of it.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> bank_step(load_rules("dice10k"))
    100
    """
    return lcm(point_step(rules), rules.turn.bank_multiple or 1)


def score_step(rules: Ruleset) -> int:
    """Return the step in which scores move, in points: banks and penalties are multiples of it.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> score_step(load_rules("dice10k"))
    100
    """
    return gcd(bank_step(rules), *penalties(rules))


def least_reaching(rules: Ruleset) -> int:
    """Return the least score that can be and reaches the target.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules, with_target
    >>> least_reaching(with_target(load_rules("farkle"), 975))
    1000
    """
    step = score_step(rules)
    return -(-rules.ending.target // step) * step


def penalties(rules: Ruleset) -> tuple[int, ...]:
    """Return every amount of points that a bust can cost.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> penalties(load_rules("dice10k"))
    (1000, 2000)
    """
    in_a_row = rules.bust.in_a_row
    return tuple(row.penalty for row in rules.bust.on_six) + ((in_a_row.penalty,) if in_a_row else ())


def _keep_amounts(scoring: Scoring, dice: int) -> Iterator[int]:
    yield from scoring.singles
    if dice >= SET_OF_THREE:
        yield from scoring.triples
    if scoring.larger_sets is not None:
        for triple in scoring.triples:
            yield from scoring.larger_sets.pays(triple)[: dice - SET_OF_THREE]
    if scoring.five_straights is not None:
        yield from (scoring.five_straights.low, scoring.five_straights.high)
    yield from (points for points in scoring.six_dice_combinations().values() if points is not None)
