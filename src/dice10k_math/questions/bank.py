"""When to bank in a match: for one turn start, the least turn score at which banking is best, by dice left."""

from __future__ import annotations

import numpy as np

from dice10k_math.errors import InputError
from dice10k_math.program import NEVER, Floats
from dice10k_math.questions.match import MatchSolution
from dice10k_math.questions.positions import Seat
from dice10k_math.rules.model import Ruleset
from dice10k_math.single import TurnWorths


def least_banks(match: MatchSolution, score: int, opponent: int, *, second: bool = False) -> tuple[int | None, ...]:
    """Return the least turn score at which banking is best, for 1, 2, ... dice left; None: there is none.

    The last entry is about hot dice.
    With a hot-dice bonus only turns without hot dice so far are looked at, and for the last entry those after one.

    Parameters
    ----------
    match
        A solved match.
    score, opponent, second
        The turn start, as for `MatchSolution.win_probability`.

    Raises
    ------
    InputError
        Spicy dice, of which not only the number matters, or High Stakes, under which the dice left matter to the other.

    Examples
    --------
    >>> from dice10k_math.questions.match import solve_match
    >>> from dice10k_math.rules import load_rules, with_target
    >>> least_banks(solve_match(with_target(load_rules("farkle"), 500)), 0, 0)
    (550, 600, 700, 850, 1250, 2650)
    """
    variants = match.rules.variants
    if variants.spicy_faces is not None or variants.high_stakes:
        what = "High Stakes" if variants.high_stakes else "spicy dice"
        raise InputError(f"{match.rules.name}: {what}; allowed: rules without variants")
    seats = Seat(score), Seat(opponent)
    worths = match.positions.turn(*seats, second=second)
    bank = match.positions.bank_worths(*seats, second=second)
    return tuple(_least(match.rules, worths, bank, dice) for dice in range(1, match.rules.turn.dice + 1))


def _least(rules: Ruleset, worths: TurnWorths, bank: dict[int, float], dice: int) -> int | None:
    if dice == rules.turn.dice and rules.turn.hot_dice == "must_roll":
        return None
    program = worths.program
    after_bonus = int(bool(program.model.bonus) and dice == rules.turn.dice)
    here = (program.hand == program.model.index((0,) * dice)) & (program.turn_score > 0)
    if program.model.bonus:
        here &= program.hot_dice == after_bonus
    scores = program.turn_score[here]
    worth: Floats = np.array([bank.get(score, NEVER) for score in scores.tolist()])
    best = scores[worth >= worths.roll[here]]
    return int(best.min()) if len(best) else None
