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
    waiting,
)
from dice10k_math.explicit.match import ExplicitMatch, kinds_of_edges, last_limit, tie_limit
from dice10k_math.explicit.survival import survival_bounds
from dice10k_math.explicit.ties import Answer, Tie, answer_endings, answers, tie_endings, ties
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
    checked = claims.lower.size + claims.last_lower.size + claims.answer_lower.size
    checked += claims.tie_lower.size if _breaks_ties(match) else 0
    return ExactVerdict(tuple(found), 2 * checked)


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


def _at_tie(tie: Tie) -> str:
    return "leading off an extra round" + (f" with {tie[0]} and {tie[1]} busts in a row" if any(tie) else "")


def _at_answer(answer: Answer) -> str:
    led, followed, on_six = answer
    words = "answering a bust" + (" with all dice" if on_six else "")
    return words + (f" with {led} and {followed} busts in a row" if led or followed else "")


def _range_faults(match: ExplicitMatch, claims: Claims) -> Iterator[ExactFault]:
    """Refuse what is no claim at all: other turn starts, or numbers that are no probabilities."""
    shape, last, level = (match.phases, match.won, match.won), len(match.deficits), (match.busts, match.busts)
    answer = (*level, 2) if _breaks_ties(match) else (0,)
    kinds: tuple[tuple[Fractions, Fractions, tuple[int, ...], Callable[..., str]], ...] = (
        (claims.lower, claims.upper, shape, partial(_where, match)),
        (claims.last_lower, claims.last_upper, (last,), partial(_behind, match)),
        (claims.tie_lower, claims.tie_upper, level, lambda *tie: _at_tie(tie)),
        (claims.answer_lower, claims.answer_upper, answer, lambda *answer: _at_answer(answer)),
    )
    for low, high, right, where in kinds:
        for name, found in ((LOWER, low), (UPPER, high)):
            yield from _kind_faults(name, found, right, where)
    if not _breaks_ties(match):
        for name, found in ((LOWER, claims.tie_lower), (UPPER, claims.tie_upper)):
            yield from (ExactFault(name, "a tie", value, HALF) for value in found.flat if value != HALF)


def _kind_faults(
    name: str, found: Fractions, right: tuple[int, ...], where: Callable[..., str]
) -> Iterator[ExactFault]:
    if found.shape != right:
        yield ExactFault(name, f"{found.shape} turn starts instead of {right}")
        return
    for place, value in np.ndenumerate(found):
        if not isinstance(value, Fraction) or not 0 <= value <= 1:
            yield ExactFault(name, where(*place), value)


class _Judge:
    """The claims as whole numbers over their common denominator."""

    def __init__(self, match: ExplicitMatch, claims: Claims) -> None:
        self.match, self.claims = match, claims
        bounds = (
            (claims.lower, claims.upper),
            (claims.last_lower, claims.last_upper),
            (claims.tie_lower, claims.tie_upper),
            (claims.answer_lower, claims.answer_upper),
        )
        self.one = lcm(*(value.denominator for both in bounds for bound in both for value in bound.flat), 2)
        whole = [(self._whole(low), self._whole(high)) for low, high in bounds]
        (self.lower, self.upper), self.last, self.tie, self.answer = whole
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
                yield partial(self._answers, lowest)
                yield partial(self._ties, lowest)
            for phase in range(self.match.phases):
                yield from self._turns(phase, lowest)

    def _turns(self, phase: int, lowest: bool) -> Iterator[Callable[[], list[ExactFault]]]:
        claimed, other = (self.lower, self.upper) if lowest else (self.upper, self.lower)
        table = waiting(self.match, phase, other, self.last[lowest], self.one, lowest=lowest)
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
        level = self.one - self.tie[lowest][0, 0]
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
        claimed = self.last[not lowest][place]
        where = [_behind(match, number) for number in range(len(match.deficits))[place]]
        return self._compare(claimed, worth, lowest, where)

    def _answers(self, lowest: bool) -> list[ExactFault]:
        """Check answers to busts: a tie is the other's lead in the next round."""
        match = self.match
        banks, bust, on_six = answer_endings(match, self.one - self.tie[lowest], self.one, 0)
        top = np.full(len(bust), self.one, object)
        policy = self.claims.answer_policy if lowest else None
        worth = self._turn_of_extra_round((banks, bust, on_six), top, policy, lowest)
        return self._compare(self.answer[not lowest].reshape(-1), worth, lowest, list(map(_at_answer, answers(match))))

    def _ties(self, lowest: bool) -> list[ExactFault]:
        """Check leading off extra rounds, from the turns that answer."""
        match = self.match
        answered = self.one - self.last[lowest]
        endings = tie_endings(match, answered, self.one - self.answer[lowest], self.one, lowest=lowest)
        top = np.full(match.busts**2, answered[-1] if lowest else self.one, object)
        worth = self._turn_of_extra_round(endings, top, self.claims.tie_policy if lowest else None, lowest)
        return self._compare(self.tie[not lowest].reshape(-1), worth, lowest, list(map(_at_tie, ties(match))))

    def _turn_of_extra_round(
        self, endings: tuple[list[Banks], Vector, Vector], top: Vector, policy: Ratings | None, lowest: bool
    ) -> Scaled:
        banks, bust, on_six = endings
        beyond = edges(self.survival[not lowest], bust, on_six, top, np.minimum if lowest else np.maximum)
        given = Endings(banks, bust, on_six, beyond, self.one)
        return back_up(self.match, tie_limit(self.match), given, Whole(down=lowest), policy)

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
        level = (match.busts, match.busts)
        self.our_tie, self.their_tie = (np.full(level, not _breaks_ties(match)) for _ in range(2))
        self.our_answer, self.their_answer = (np.full(claims.answer_lower.shape, False) for _ in range(2))

    def faults(self) -> list[ExactFault]:
        """Add turn starts until no more come in; those that stay out are faults."""
        while self._round():
            pass
        places = [tuple(place) for known in (self.ours, self.theirs) for place in np.argwhere(~known).tolist()]
        found = [ExactFault(END, _where(self.match, *place)) for place in places]
        level = (*np.flatnonzero(~self.our_last), *np.flatnonzero(~self.their_last))
        found += [ExactFault(END, _behind(self.match, int(place))) for place in level]
        for known in (self.our_tie, self.their_tie):
            found += [ExactFault(END, _at_tie((led, other))) for led, other in np.argwhere(~known).tolist()]
        return found

    def _round(self) -> bool:
        before = self._known()
        if _breaks_ties(self.match):
            self._last_turns()
        for phase in range(self.match.phases):
            self._turns(phase)
        return self._known() != before

    def _known(self) -> int:
        known = (self.ours, self.theirs, self.our_last, self.their_last, self.our_tie, self.their_tie)
        return int(sum(part.sum() for part in (*known, self.our_answer, self.their_answer)))

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
            self.our_last[place] |= self._last_turn(deficits, bool(self.their_tie[0, 0]), Possible(), policy)
            self.their_last[place] |= ~self._last_turn(deficits, not self.our_tie[0, 0], Certain(), None)
        claims = self.claims
        self.our_answer |= self._answers(self.their_tie, Possible(), claims.answer_policy)
        self.their_answer |= ~self._answers(~self.our_tie, Certain(), None)
        self.our_tie |= self._ties(self.their_last, self.their_answer, Possible(), claims.tie_policy)
        self.their_tie |= ~self._ties(~self.our_last, ~self.our_answer, Certain(), None)

    def _last_turn(self, deficits: tuple[int, ...], tie: bool, algebra: Algebra, policy: Ratings | None) -> Vector:
        over = policy is not None
        banks = last_turn_banks(self.match, deficits, over, tie, over)
        bust = np.array([tie if deficit == 0 else over for deficit in deficits])
        endings = self._with_edges(banks, bust, bust, edge=not over)
        return back_up(self.match, last_limit(self.match, deficits), endings, algebra, policy).vector

    def _answers(self, level: Vector, algebra: Algebra, policy: Ratings | None) -> Vector:
        """Return which answers come to an end, or (for the other) which need not, from the ties that do."""
        ours = policy is not None
        return self._turns_of_extra_rounds(answer_endings(self.match, level, ours, ours), algebra, policy).reshape(
            self.our_answer.shape
        )

    def _ties(self, last: Vector, answered: Vector, algebra: Algebra, policy: Ratings | None) -> Vector:
        """Return which leads come to an end, or (for the other) which need not, from the turns that answer and do."""
        endings = tie_endings(self.match, last, answered, policy is not None, lowest=True)
        return self._turns_of_extra_rounds(endings, algebra, policy).reshape(self.our_tie.shape)

    def _turns_of_extra_rounds(
        self, endings: tuple[list[Banks], Vector, Vector], algebra: Algebra, policy: Ratings | None
    ) -> Vector:
        given = self._with_edges(*endings, edge=policy is None)
        return back_up(self.match, tie_limit(self.match), given, algebra, policy).vector
