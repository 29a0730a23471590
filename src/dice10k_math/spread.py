"""Two policies against each other in games in which scores can fall or pass the target: what a player can guarantee.

Scores from `low` to `high` are followed, with those beyond as lost for both: so a guarantee counts them as a loss, and
an upper bound (1 minus the other's guarantee) as a win.

*Inequalities.* With A the matrix of the player's turns and B that of the other's,

    move(own, other) <= sum over own' of A * wait(own', other) + chance to win,
    wait(own, other) <= sum over other' of B * move(own, other'),

with something to spare at every turn, so that a match in which the player keeps a guarantee above 0 ends with
probability 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from dice10k_math.chain import OwnState, after_bust, is_done
from dice10k_math.endings import TurnEndings
from dice10k_math.plays import Plays
from dice10k_math.policy.choices import Standing
from dice10k_math.policy.players import Player
from dice10k_math.program import Floats, Ints
from dice10k_math.rules import Ruleset, score_step

BELOW, ABOVE = 8_000, 30_000
"""How far below 0 and above the target scores are followed, in points."""


def is_followed(rules: Ruleset) -> bool:
    """Tell whether the score says all of a player: no busts in a row, no opening bank to remember, no last turns.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> is_followed(load_rules("dice10k"))
    True
    """
    turn = rules.turn
    remembers = turn.opening_applies == "until_first_bank" and turn.opening_minimum > turn.bank_minimum
    return rules.bust.in_a_row is None and not remembers and rules.ending.kind in {"exact", "first_to_target"}


def scores_of(rules: Ruleset) -> Ints:
    """Return the scores that are followed."""
    unit, target = score_step(rules), rules.ending.target
    high = target + ABOVE if rules.ending.overshoot == "add_or_subtract" else target
    return np.arange(-(BELOW // unit) * unit, high // unit * unit + 1, unit, dtype=np.int32)


@dataclass(frozen=True, slots=True)
class Turns:
    """The turns of one player.

    Attributes
    ----------
    number
        Shape (scores, scores): the row of the matrix, by own score and the other's.
    matrix
        Shape (rows, scores): probability to come to each score.
    win
        Shape (rows,): probability to win.
    """

    number: Ints
    matrix: Floats
    win: Floats

    def move(self, wait: Floats, sign: float = 0.0) -> Floats:
        """Return what moving is worth, by own score and the other's, from what waiting is worth.

        With `sign` -1 the sums are rounded down.
        """
        after = (self.matrix @ wait)[self.number, np.arange(wait.shape[1])[None, :]] + self.win[self.number]
        return after * (1.0 + sign * (self.matrix.shape[1] + 8) * 2.0**-53)

    def wait(self, move: Floats, sign: float = 0.0) -> Floats:
        """Return what waiting is worth to the other player, by the other's own score and this player's."""
        after = (self.matrix @ move.T)[self.number, np.arange(len(move))[None, :]].T
        return after * (1.0 + sign * (self.matrix.shape[1] + 8) * 2.0**-53)


def turns_of(player: Player) -> tuple[Turns, Plays]:
    """Return the turns of a player from every score against every score."""
    rules = player.rules
    scores, plays = scores_of(rules), Plays(player)
    rows: dict[tuple[int, int], int] = {}
    found: list[tuple[int, TurnEndings]] = []
    number = np.zeros((len(scores), len(scores)), np.int32)
    for (place, own), (column, other) in product(enumerate(scores.tolist()), enumerate(scores.tolist())):
        key = own, plays.number(Standing(own, other, opened=own != 0))
        if key not in rows:
            rows[key] = len(found)
            found.append((own, plays.endings[key[1]]))
        number[place, column] = rows[key]
    matrix, win = np.zeros((len(found), len(scores))), np.zeros(len(found))
    for row, (own, endings) in enumerate(found):
        win[row] = _fill(rules, scores, own, endings, matrix[row])
    return Turns(number, matrix, win), plays


def _fill(rules: Ruleset, scores: Ints, own: int, endings: TurnEndings, row: Floats) -> float:
    """Add up where a turn leads; return the probability to win."""
    unit, low, win = int(scores[1] - scores[0]), int(scores[0]), endings.instant_win
    state = OwnState(own, own != 0, 0)
    after = [(own + change, chance) for change, chance in endings.banked.items()]
    busts = [(after_bust(rules, state, on_six=False).score, endings.bust)]
    busts += [(after_bust(rules, state, on_six=True).score, endings.bust_on_six)]
    for banked, parts in ((True, after), (False, busts)):
        for score, chance in parts:
            if banked and is_done(rules, score):
                win += chance
            elif 0 <= (score - low) // unit < len(row):
                row[(score - low) // unit] += chance
    return win * (1.0 - len(endings.banked) * 2.0**-53)
