"""The judge of small matches, in whole numbers: no float comes near a claim.

Of every turn start, for the mover, a lower and an upper bound are claimed, and a policy.
Three things are checked.

1. *The policy guarantees the lower bounds.* A turn of the policy, an ending being worth 1 minus the upper bound of the
   other's turn that follows, is worth at least the lower bound claimed.
2. *No play does better than the upper bounds.* The best turn, an ending being worth 1 minus the lower bound of what
   follows, is worth at most the upper bound claimed.
3. *The policy ends the match, whatever the other does.* From every turn start an end of the match is reached with a
   probability above 0: each of a player's own turns comes closer to it by some roll, and the other's turns cannot
   avoid coming closer.
   As there are finitely many turn starts, the match then ends with probability 1.

By 1 and 2 what is guaranteed to a player never falls on average from turn to turn while that player keeps to the
policy, and by 3 there is a last turn: so the player wins with at least that probability.
Where nothing is guaranteed (a lower bound of 0, an upper one of 1) there is nothing to prove, and 3 may stop.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import lcm

import numpy as np

from dice10k_math.explicit.claims import (
    HALF,
    Claims,
    Fractions,
    bank_worths,
    behind,
    blocks,
    endings_of,
    extreme,
    last_turn_banks,
    tie_banks,
    waiting,
)
from dice10k_math.explicit.match import ExplicitMatch, kinds_of_edges, last_limit, tie_limit
from dice10k_math.explicit.survival import survival_bounds
from dice10k_math.explicit.turn import (
    Algebra,
    Banks,
    Certain,
    Endings,
    Possible,
    Ratings,
    Scaled,
    Vector,
    Whole,
    back_up,
    edges,
)

Progress = Callable[[float], None]
LOWER, UPPER, END = "lower bound", "upper bound", "end of the match"


@dataclass(frozen=True, slots=True)
class ExactFault:
    """A turn start at which a claim does not hold.

    Attributes
    ----------
    claim
        "lower bound", "upper bound" or "end of the match".
    where
        The turn start, in words.
    claimed, allowed
        What is claimed and what the turn allows; None for an end of the match that is not reached.
    """

    claim: str
    where: str
    claimed: Fraction | None = None
    allowed: Fraction | None = None

    def __str__(self) -> str:
        if self.claim == END:
            return f"{self.where}: the policy need not end the match"
        return f"{self.claim}, {self.where}: claims {self.claimed}, the turn allows {self.allowed}"


@dataclass(frozen=True, slots=True)
class ExactVerdict:
    """What the judge found: every claim that fails, and how many bounds were checked."""

    faults: tuple[ExactFault, ...]
    checked: int

    @property
    def accepted(self) -> bool:
        """Whether every claim holds."""
        return not self.faults


def judge_exactly(match: ExplicitMatch, claims: Claims, progress: Progress | None = None) -> ExactVerdict:
    """Check every claim about a small match.

    Parameters
    ----------
    match
        The match.
    claims
        Bounds and policy.
    progress
        Told the share of the bounds that are checked.
    """
    faults = tuple(_range_faults(match, claims))
    if faults:
        return ExactVerdict(faults, 0)
    judge = _Judge(match, claims)
    found = []
    jobs = list(judge.jobs())
    for done, job in enumerate(jobs):
        found += job()
        if progress is not None:
            progress(done / len(jobs))
    if not found:
        found += _Ends(match, claims).faults()
    return ExactVerdict(tuple(found), 2 * (claims.lower.size + len(claims.last_lower) + _breaks_ties(match)))


def _breaks_ties(match: ExplicitMatch) -> bool:
    return match.rules.ending.tie == "extra_rounds"


def _where(match: ExplicitMatch, phase: int, part: int, other: int) -> str:
    words = f"score {match.parts[part]} against {match.parts[other]}"
    for name, one in (("", match.parts[part]), ("opponent ", match.parts[other])):
        words += f", {name}not opened" if not one.opened else ""
        words += f", {name}{one.busts} busts in a row" if one.busts else ""
    return words + (", second turn of the round" if phase else "")


def _behind(match: ExplicitMatch, place: int) -> str:
    return f"a last turn, {match.deficits[place] * match.unit} behind"


def _range_faults(match: ExplicitMatch, claims: Claims) -> Iterator[ExactFault]:
    """Refuse what is no claim at all: other turn starts, or numbers that are no probabilities."""
    shape, last = (match.phases, match.won, match.won), len(match.deficits)
    for name, found, right in (
        (LOWER, claims.lower, shape),
        (UPPER, claims.upper, shape),
        (LOWER, claims.last_lower, (last,)),
        (UPPER, claims.last_upper, (last,)),
    ):
        if found.shape != right:
            yield ExactFault(name, f"{found.shape} turn starts instead of {right}")
            continue
        for place, value in np.ndenumerate(found):
            if not isinstance(value, Fraction) or not 0 <= value <= 1:
                where = _where(match, *place) if len(place) == 3 else _behind(match, *place)
                yield ExactFault(name, where, value)
    shared = not _breaks_ties(match)
    for name, tie in ((LOWER, claims.tie_lower), (UPPER, claims.tie_upper)):
        if not isinstance(tie, Fraction) or not 0 <= tie <= 1 or (shared and tie != HALF):
            yield ExactFault(name, "a tie", tie, HALF if shared else None)


class _Judge:
    """The claims as whole numbers over their common denominator."""

    def __init__(self, match: ExplicitMatch, claims: Claims) -> None:
        self.match, self.claims = match, claims
        every = [*claims.lower.flat, *claims.upper.flat, *claims.last_lower, *claims.last_upper]
        self.one = lcm(*(value.denominator for value in (*every, claims.tie_lower, claims.tie_upper, HALF)))
        self.lower, self.upper = self._whole(claims.lower), self._whole(claims.upper)
        self.last_lower, self.last_upper = self._whole(claims.last_lower), self._whole(claims.last_upper)
        self.survival = survival_bounds(match.model, kinds_of_edges(match))
        if match.overshoot == "not_allowed":
            # Past the target nothing can be banked.
            self.survival = [0] * len(self.survival[0]), self.survival[1]

    def _whole(self, values: Fractions) -> Vector:
        whole = [value.numerator * (self.one // value.denominator) for value in values.flat]
        return np.array(whole, object).reshape(values.shape)

    def jobs(self) -> Iterator[Callable[[], list[ExactFault]]]:
        """Return what there is to check, piece by piece."""
        for lowest in (True, False):
            for number in range(len(blocks(self.match))):
                yield partial(self._last_turns, number, lowest)
            if _breaks_ties(self.match):
                yield partial(self._tie, lowest)
            for phase in range(self.match.phases):
                yield from self._turns(phase, lowest)

    def _turns(self, phase: int, lowest: bool) -> Iterator[Callable[[], list[ExactFault]]]:
        claimed, other = (self.lower, self.upper) if lowest else (self.upper, self.lower)
        last = self.last_upper if lowest else self.last_lower
        table = waiting(self.match, phase, other, last, self.one, lowest=lowest)
        for part in range(self.match.won):
            yield partial(self._turn, phase, part, table, claimed[phase, part], lowest)

    def _turn(self, phase: int, part: int, table: Sequence[Vector], claimed: Vector, lowest: bool) -> list[ExactFault]:
        match = self.match
        endings = endings_of(match, phase, part, table, self.survival[not lowest], lowest=lowest)
        limit = match.limit(match.parts[part], phase)
        worth = back_up(match, limit, endings, Whole(down=lowest), self.claims.policy[phase][part] if lowest else None)
        return self._compare(claimed, worth, lowest, [_where(match, phase, part, other) for other in range(match.won)])

    def _last_turns(self, number: int, lowest: bool) -> list[ExactFault]:
        """Check last turns of some deficits: the follower's tie is the other's lead in the next round."""
        match = self.match
        place, deficits = blocks(match)[number]
        tie = self.claims.tie_upper if lowest else self.claims.tie_lower
        level = int((1 - tie) * self.one)
        bust = np.array([level if deficit == 0 else 0 for deficit in deficits], object)
        top = np.full(len(deficits), self.one, object)
        worse = np.minimum if lowest else np.maximum
        endings = Endings(
            last_turn_banks(match, deficits, self.one, level, 0),
            bust,
            bust,
            edges(self.survival[not lowest], bust, bust, top, worse),
            self.one,
        )
        policy = self.claims.last_policy[number] if lowest else None
        worth = back_up(match, last_limit(match, deficits), endings, Whole(down=lowest), policy)
        claimed = (self.last_lower if lowest else self.last_upper)[place]
        where = [_behind(match, number) for number in range(len(match.deficits))[place]]
        return self._compare(claimed, worth, lowest, where)

    def _tie(self, lowest: bool) -> list[ExactFault]:
        match = self.match
        answered = self.one - (self.last_upper if lowest else self.last_lower)
        bust = answered[[0]]
        top = answered[[-1]] if lowest else np.full(1, self.one, object)
        banks = tie_banks(match, answered, self.one, lowest=lowest)
        worse = np.minimum if lowest else np.maximum
        endings = Endings(banks, bust, bust, edges(self.survival[not lowest], bust, bust, top, worse), self.one)
        worth = back_up(
            match, tie_limit(match), endings, Whole(down=lowest), self.claims.tie_policy if lowest else None
        )
        claimed = self._whole(np.array([self.claims.tie_lower if lowest else self.claims.tie_upper], object))
        return self._compare(claimed, worth, lowest, ["leading off an extra round"])

    def _compare(self, claimed: Vector, worth: Scaled, lowest: bool, where: Sequence[str]) -> list[ExactFault]:
        scale = 6**worth.exponent
        found = []
        for claim, right, place in zip(claimed, worth.vector, where, strict=True):
            if (claim * scale > right) if lowest else (claim * scale < right):
                allowed = Fraction(right, self.one * scale)
                found.append(ExactFault(LOWER if lowest else UPPER, place, Fraction(claim, self.one), allowed))
        return found


class _Ends:
    """The proof that the policy ends the match.

    `ours` and `theirs` hold the turn starts, by the mover's part and the other's, that are known to come to an end with
    a probability above 0: those of the player who keeps to the policy, and those of the other, who does anything.
    """

    def __init__(self, match: ExplicitMatch, claims: Claims) -> None:
        self.match, self.claims = match, claims
        self.ours = claims.lower == 0
        self.theirs = claims.upper == 1
        last = len(match.deficits)
        # Without extra rounds every last turn ends the match, however it is played.
        self.our_last, self.their_last = (np.full(last, not _breaks_ties(match)) for _ in range(2))
        self.our_tie = self.their_tie = not _breaks_ties(match)

    def faults(self) -> list[ExactFault]:
        """Add turn starts until no more come in; those that stay out are faults."""
        while self._round():
            pass
        places = [tuple(place) for known in (self.ours, self.theirs) for place in np.argwhere(~known).tolist()]
        found = [ExactFault(END, _where(self.match, *place)) for place in places]
        level = (*np.flatnonzero(~self.our_last), *np.flatnonzero(~self.their_last))
        found += [ExactFault(END, _behind(self.match, int(place))) for place in level]
        if not (self.our_tie and self.their_tie):
            found.append(ExactFault(END, "leading off an extra round"))
        return found

    def _round(self) -> bool:
        before = self._known()
        if _breaks_ties(self.match):
            self._last_turns()
        for phase in range(self.match.phases):
            self._turns(phase)
        return self._known() != before

    def _known(self) -> int:
        known = (self.ours, self.theirs, self.our_last, self.their_last)
        return int(sum(part.sum() for part in known)) + self.our_tie + self.their_tie

    def _turns(self, phase: int) -> None:
        match = self.match
        next_phase = (phase + 1) % match.phases
        for part in range(match.won):
            limit = match.limit(match.parts[part], phase)
            if not self.ours[phase, part].all():
                table = self._table(self.theirs[next_phase], self.their_last, lowest=True)
                endings = self._endings(phase, part, table, edge=False)
                closer = back_up(match, limit, endings, Possible(), self.claims.policy[phase][part]).vector
                self.ours[phase, part] |= closer
            if not self.theirs[phase, part].all():
                table = [~row for row in self._table(self.ours[next_phase], self.our_last, lowest=False)]
                endings = self._endings(phase, part, table, edge=True)
                self.theirs[phase, part] |= ~back_up(match, limit, endings, Certain()).vector

    def _table(self, moving: Vector, last: Vector, *, lowest: bool) -> list[Vector]:
        """Return by row and opponent's part whether what follows comes to an end."""
        match = self.match
        rows = [moving[:, row] for row in range(match.won)] + [np.ones(match.won, bool)]
        for row in range(match.won + 1, match.rows):
            deficits = behind(match, row, lowest=lowest)
            rows.append(np.array([last[bisect_right(match.deficits, deficit) - 1] for deficit in deficits]))
        return rows

    def _endings(self, phase: int, part: int, table: Sequence[Vector], *, edge: bool) -> Endings:
        """Of several rows all must come to an end for the player; for the other one that does not is enough."""
        lowest = not edge
        ways = self.match.ways_of(phase, part, lowest=lowest)
        bust, on_six = extreme(table, ways.bust, lowest=lowest), extreme(table, ways.bust_on_six, lowest=lowest)
        banks = bank_worths(self.match, phase, part, table, lowest=lowest)
        return self._with_edges(banks, bust, on_six, edge=edge)

    def _with_edges(self, banks: list[Banks], bust: Vector, on_six: Vector, *, edge: bool) -> Endings:
        """Complete the endings: what lies beyond the limit is not followed and counts for nothing."""
        kinds = int(self.match.program.edge_kind.max()) + 1
        return Endings(banks, bust, on_six, [Scaled(np.full(len(bust), edge))] * kinds, not edge)

    def _last_turns(self) -> None:
        """Add last turns and extra rounds: they end the match but for a tie."""
        for number, (place, deficits) in enumerate(blocks(self.match)):
            policy = self.claims.last_policy[number]
            self.our_last[place] |= self._last_turn(deficits, self.their_tie, Possible(), policy)
            self.their_last[place] |= ~self._last_turn(deficits, not self.our_tie, Certain(), None)
        self.our_tie |= self._tie(self.their_last, Possible(), self.claims.tie_policy)
        self.their_tie |= not self._tie(~self.our_last, Certain(), None)

    def _last_turn(self, deficits: tuple[int, ...], tie: bool, algebra: Algebra, policy: Ratings | None) -> Vector:
        over = policy is not None
        banks = last_turn_banks(self.match, deficits, over, tie, over)
        bust = np.array([tie if deficit == 0 else over for deficit in deficits])
        endings = self._with_edges(banks, bust, bust, edge=not over)
        return back_up(self.match, last_limit(self.match, deficits), endings, algebra, policy).vector

    def _tie(self, answered: Vector, algebra: Algebra, policy: Ratings | None) -> bool:
        ours = policy is not None
        banks = tie_banks(self.match, answered, ours, lowest=True)
        endings = self._with_edges(banks, answered[[0]], answered[[0]], edge=not ours)
        return bool(back_up(self.match, tie_limit(self.match), endings, algebra, policy).vector[0])
