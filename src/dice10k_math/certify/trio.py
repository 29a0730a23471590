"""The judge of three players: what each can win at most, whatever he does, while the other two play as they do.

*Inequalities.* Let (a, b, c) be the scores of the player to move, of the next and of the third. The bounds claim for
one player, who plays as he likes, that he wins at most `moving` when he is to move, `next` when he is the next, and
`third` when he is the third. They are right if they are no less than what one turn makes of them:

    moving(a, b, c) >= his best turn, a bank T being worth third(b, c, a + T) and a bust third(b, c, a),
    next(a, b, c)   >= sum over the ends of the other's turn of probability * moving(after it),
    third(a, b, c)  >= sum over the ends of the other's turn of probability * next(after it).

What a player wins within some number of turns, none counting as won before, is then at most the bounds by induction
over that number, and so is what he wins at all. The match need not end for that.

How the others play is computed here anew from the tables that say it; what was not followed counts as won.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dice10k_math.program import Floats
from dice10k_math.trio import Trio, TrioTables
from dice10k_math.workers import Share, counted

LASTING = 1e-9
"""Chance that three turns end otherwise than by three busts, below which the match may go on for ever."""


@dataclass(frozen=True, slots=True)
class TrioVerdict:
    """What the judge found.

    Attributes
    ----------
    faults
        Turn starts with a bound that does not hold: who, and the three scores in points.
    checked
        How many bounds were checked.
    ends
        Whether the match ends with probability 1 if all three play as they do.
    """

    faults: tuple[str, ...]
    checked: int
    ends: bool

    @property
    def accepted(self) -> bool:
        """Whether every bound holds."""
        return not self.faults


def judge_trio(trio: Trio, tables: TrioTables, progress: Share | None = None) -> TrioVerdict:
    """Check every bound.

    Parameters
    ----------
    trio
        The match.
    tables
        How all three play, and the bounds.
    progress
        Told the share of the sums that have been checked.
    """
    upper = trio.bounds()
    faults: list[str] = []
    checked, ends = 0, True
    totals = range(3 * trio.scores - 3, -1, -1)
    for total in counted(totals, len(totals), progress):
        trios = trio.trios(total)
        for table, claimed in zip(upper, tables.upper, strict=True):
            table[total, trios.before] = claimed[total, trios.before]
        needed, around = _needed(trio, total, tables, upper)
        ends = ends and bool((around < 1.0 - LASTING).all())
        for who, table, least in zip(("third", "moving", "next"), upper, needed, strict=True):
            claimed = table[total, trios.before]
            sound = ((claimed >= least) & (claimed <= 1.0)) | (claimed == 1.0)
            checked += len(claimed)
            if not sound.all():
                at = int(np.argmin(sound))
                scores = [int(part[at]) * trio.race.unit for part in (trios.own, trios.next, trios.third)]
                faults.append(f"{who} at {scores}: claims {claimed[at]!r}, the turn gives {least[at]!r}")
    return TrioVerdict(tuple(faults), checked, ends)


def _needed(
    trio: Trio, total: int, tables: TrioTables, upper: tuple[Floats, Floats, Floats]
) -> tuple[tuple[Floats, Floats, Floats], Floats]:
    """Return what the bounds must be at least, in the order of the tables, and how likely three busts are."""
    trios, more = trio.trios(total), 1.0 + trio.slack
    found = trio.play(total, tables.play, tables.bust[total], (upper[1], upper[2]))
    best = trio.best(total, upper[0], upper[0][total])
    bust = (found.bust * more)[trios.here]
    left = found.left[trios.here] + trio.slack
    next_ = (found.others[0][trios.here] * more + bust * upper[1][total, trios.here] + left) * more
    third = (found.others[1][trios.here] * more + bust * upper[2][total, trios.here] + left) * more
    around = found.bust[trios.here] * found.bust[trios.after] * found.bust[trios.before] * more
    return (third, best[trios.here], next_), around
