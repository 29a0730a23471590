"""Which spicy faces are best: every assignment of faces to the dice, with the best turn and the instant win."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from dice10k_math.dice import FACES, Hand
from dice10k_math.errors import InputError, NotConvergedError
from dice10k_math.program import Floats
from dice10k_math.questions.turn import solve_turn
from dice10k_math.rules.model import Ruleset, Variants
from dice10k_math.rules.steps import score_step
from dice10k_math.turn import HandModel, TurnModel, turn_model

Places = NDArray[np.int64]
MOST_ROLLS = 10_000
WIDTH = 1e-13
"""Distance between the bounds of a probability of an instant win."""


ROUNDING = 1e-9
"""Bound of the relative rounding in a probability of an ending: at most 1e6 roundings of 2**-53 lie behind any."""


@dataclass(frozen=True, slots=True)
class SpicyFaces:
    """An assignment of spicy faces, and what it is worth.

    Attributes
    ----------
    faces
        The spicy faces of the dice, in rising order.
    expected_points, lower, upper
        Expected points of the best turn of a player who has opened, with proved bounds; an instant win is worth 0.
    instant_win, instant_lower, instant_upper
        Probability of an instant win in that turn, with bounds. Of equally good choices the first is made.
    most_instant, most_instant_lower, most_instant_upper
        Probability of an instant win in a turn that is played for nothing else, with proved bounds. It hardly depends
        on the faces: it is least where those of the winning roll would all score too, and be rolled again anyhow.
    """

    faces: Hand
    expected_points: float
    lower: float
    upper: float
    instant_win: float
    instant_lower: float
    instant_upper: float
    most_instant: float
    most_instant_lower: float
    most_instant_upper: float


def with_spicy_faces(rules: Ruleset, faces: tuple[int, ...]) -> Ruleset:
    """Return the same game with these spicy faces.

    Raises
    ------
    RulesError
        Faces that the dice do not have, or another number of them than there are dice.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> with_spicy_faces(load_rules("farkle"), (1, 1, 1, 1, 1, 1)).variants.spicy_faces
    (1, 1, 1, 1, 1, 1)
    """
    return replace(rules, variants=Variants(faces, rules.variants.high_stakes))


def assignments(rules: Ruleset) -> Iterator[Hand]:
    """Yield every way to give the dice spicy faces; which die has which does not matter.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> len(list(assignments(load_rules("farkle-spicy"))))
    462
    """
    return combinations_with_replacement(FACES, rules.turn.dice)


def rank_spicy_faces(rules: Ruleset, progress: Callable[[float], None] | None = None) -> tuple[SpicyFaces, ...]:
    """Rank every assignment of spicy faces by the expected points of the best turn, best first.

    Parameters
    ----------
    rules
        The ruleset; its own spicy faces do not matter.
    progress
        Told the share that is done.

    Returns
    -------
    tuple of SpicyFaces
        462 for six dice. It takes some minutes.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from dice10k_math.rules import load_rules
    >>> rules = load_rules("farkle")
    >>> rules = replace(rules, scoring=replace(rules.scoring, straight=None, three_pairs=None, two_triplets=None,
    ...     larger_sets=None), turn=replace(rules.turn, dice=1))
    >>> [ranked.faces for ranked in rank_spicy_faces(rules)[:2]]
    [(1,), (5,)]
    """
    every = tuple(assignments(rules))
    found = []
    for done, faces in enumerate(every):
        if progress is not None:
            progress(done / len(every))
        found.append(worth_of_faces(rules, faces))
    return tuple(sorted(found, key=lambda one: (-one.expected_points, one.faces)))


def worth_of_faces(rules: Ruleset, faces: tuple[int, ...]) -> SpicyFaces:
    """Return what one assignment of spicy faces is worth.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> round(worth_of_faces(load_rules("farkle-spicy"), (5,) * 6).expected_points, 7)
    1324.1908983
    """
    chosen = with_spicy_faces(rules, faces)
    turn = solve_turn(chosen, score_step(chosen), opened=True, exact=False)
    low, high = instant_win_chance(turn_model(chosen))
    endings = turn.endings
    # Turns that are not followed to their end win at once no more often than those that try to.
    won = endings.instant_win * (1 - ROUNDING), endings.instant_win * (1 + ROUNDING) + endings.open * high
    return SpicyFaces(
        tuple(sorted(faces)),
        *(turn.expected_points, turn.lower, turn.upper),
        *(endings.instant_win, *won),
        *(min((low + high) / 2, high), low, high),
    )


def instant_win_chance(model: TurnModel) -> tuple[float, float]:
    """Return bounds of the largest probability that a turn wins the match at once.

    The turn score does not matter to a player who never banks, so there is one value for each hand.

    Raises
    ------
    NotConvergedError
        The upper bound could not be proved.
    """
    rolled = _Rolled(model)
    low = np.zeros(len(model.hands))
    for _ in range(MOST_ROLLS):
        before, low = low, rolled.once(low)
        if np.array_equal(before, low):
            break
    # From below, rounding aside: each round counts the wins within one more roll.
    low = np.maximum(low - WIDTH / 2, 0.0)
    # What no roll raises is an upper bound, for then no play can.
    high = np.minimum(low + WIDTH, 1.0)
    if not (rolled.once(high) * (1 + rolled.rounding) <= high).all():
        raise NotConvergedError("the probability of an instant win did not settle")
    return float(low[-1]), float(high[-1])


class _Rolled:
    """One roll of every hand, by a player who wants an instant win only."""

    def __init__(self, model: TurnModel) -> None:
        if not all(entry.may_roll for hand in model.hands for entry in hand.entries if not entry.may_bank):
            raise InputError("a choice that neither rolls nor banks")
        self.instant = np.array([hand.instant_win / hand.outcomes for hand in model.hands])
        self.hands = [_next_hands(hand) for hand in model.hands]
        self.rounding = (max(len(hand.classes) for hand in model.hands) + 8) * 2.0**-52

    def once(self, value: Floats) -> Floats:
        """Return the worth of rolling each hand, when each hand that follows is worth this."""
        return self.instant + np.array(
            [float(chances @ np.maximum.reduceat(value[hands], starts)) for hands, starts, chances in self.hands]
        )


def _next_hands(hand: HandModel) -> tuple[Places, Places, Floats]:
    """Return the hands that can follow each class of rolls, where those of each class start, and probabilities."""
    follow = [sorted({hand.entries[e].hand for e in roll.entries if hand.entries[e].may_roll}) for roll in hand.classes]
    starts = np.cumsum([0, *map(len, follow[:-1])], dtype=np.int64)
    return (
        np.concatenate(follow).astype(np.int64),
        starts,
        np.array([roll.weight / hand.outcomes for roll in hand.classes]),
    )
