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
    level_worths,
    waiting,
)
from dice10k_math.explicit.levels import LastTurn
from dice10k_math.explicit.match import ExplicitMatch, kinds_of_edges, last_limit, tie_limit
from dice10k_math.explicit.survival import survival_bounds
from dice10k_math.explicit.ties import (
    Group,
    answer_endings,
    answers,
    of_levels,
    put_together,
    tie_endings,
    ties,
    worth_beyond,
)
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
    found = faults_of(_Judge(match, claims).jobs(), progress)
    if not found:
        found += _Ends(match, claims).faults()
    checked = claims.lower.size + claims.last_lower.size + claims.answer_lower.size
    checked += claims.tie_lower.size if _breaks_ties(match) else 0
    return ExactVerdict(tuple(found), 2 * checked)


def faults_of(jobs: Iterator[Callable[[], list[ExactFault]]], progress: Progress | None) -> list[ExactFault]:
    """Do what there is to check, piece by piece, and return what fails."""
    pieces, found = list(jobs), list[ExactFault]()
    for done, piece in enumerate(pieces):
        found += piece()
        if progress is not None:
            progress(done / len(pieces))
    return found


def _breaks_ties(match: ExplicitMatch) -> bool:
    return match.rules.ending.tie == "extra_rounds"


def _where(match: ExplicitMatch, phase: int, part: int, other: int) -> str:
    words = f"score {match.parts[part]} against {match.parts[other]}"
    for name, one in (("", match.parts[part]), ("opponent ", match.parts[other])):
        words += f", {name}not opened" if not one.opened else ""
        words += f", {name}{one.busts} busts in a row" if one.busts else ""
    return words + (", second turn of the round" if phase else "")


def _behind(match: ExplicitMatch, place: int) -> str:
    turn = match.last_turns[place]
    level = f", to be level at {_at(match, turn.levels[0], turn.levels[-1])}" if match.levels.several else ""
    return f"a last turn, {turn.behind * match.unit} behind{level}" + (", with an opening bank" if turn.shut else "")


def _at(match: ExplicitMatch, first: int, last: int) -> str:
    low, high = match.levels.intervals[first][0], match.levels.intervals[last][1]
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"


def _at_tie(match: ExplicitMatch, *tie: int) -> str:
    return "leading off an extra round" + _with(match, tie)


def _at_answer(match: ExplicitMatch, *answer: int) -> str:
    return "answering a bust" + (" with all dice" if answer[-1] else "") + _with(match, answer[:-1])


def _with(match: ExplicitMatch, tie: tuple[int, ...]) -> str:
    """Say with how many busts in a row, and at which level where that matters."""
    *level, led, followed = tie
    words = f" with {led} and {followed} busts in a row" if led or followed else ""
    return words + (f" at {_at(match, level[0], level[0])}" if level and match.levels.several else "")


def _range_faults(match: ExplicitMatch, claims: Claims) -> Iterator[ExactFault]:
    """Refuse what is no claim at all: other turn starts, or numbers that are no probabilities."""
    shape, last, level = (match.phases, match.won, match.won), len(match.last_turns), match.tie_shape
    answer = (*level, 2) if _breaks_ties(match) else (0,)
    kinds: tuple[tuple[Fractions, Fractions, tuple[int, ...], Callable[..., str]], ...] = (
        (claims.lower, claims.upper, shape, partial(_where, match)),
        (claims.last_lower, claims.last_upper, (last,), partial(_behind, match)),
        (claims.tie_lower, claims.tie_upper, level, partial(_at_tie, match)),
        (claims.answer_lower, claims.answer_upper, answer, partial(_at_answer, match)),
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
        multiple = kinds_of_edges(match)
        self.survival = survival_bounds(match.model, multiple)
        # Past a target that may not be passed nothing can be banked.
        passed = match.overshoot == "not_allowed"
        without = survival_bounds(match.model, multiple, banks=False) if passed else self.survival
        self.saved = tuple(zip(self.survival, without, strict=True))

    def _whole(self, values: Fractions) -> Vector:
        whole = [value.numerator * (self.one // value.denominator) for value in values.flat]
        return np.array(whole, object).reshape(values.shape)

    def jobs(self) -> Iterator[Callable[[], list[ExactFault]]]:
        """Return what there is to check, piece by piece."""
        for lowest in (True, False):
            for number in range(len(blocks(self.match))):
                yield partial(self._last_turns, number, lowest)
            if _breaks_ties(self.match):
                for number in range(len(self.match.levels.groups())):
                    yield partial(self._answers, number, lowest)
                    yield partial(self._ties, number, lowest)
            for phase in range(self.match.phases):
                yield from self._turns(phase, lowest)

    def _turns(self, phase: int, lowest: bool) -> Iterator[Callable[[], list[ExactFault]]]:
        claimed, other = (self.lower, self.upper) if lowest else (self.upper, self.lower)
        table = waiting(self.match, phase, other, self.last[lowest], self.one, lowest=lowest)
        for part in range(self.match.won):
            yield partial(self._turn, phase, part, table, claimed[phase, part], lowest)

    def _turn(self, phase: int, part: int, table: Sequence[Vector], claimed: Vector, lowest: bool) -> list[ExactFault]:
        match = self.match
        endings = endings_of(match, phase, part, table, self.saved[not lowest], lowest=lowest)
        limit = match.limit(match.parts[part], phase)
        worth = back_up(match, limit, endings, Whole(down=lowest), self.claims.policy[phase][part] if lowest else None)
        return self._compare(claimed, worth, lowest, [_where(match, phase, part, other) for other in range(match.won)])

    def _last_turns(self, number: int, lowest: bool) -> list[ExactFault]:
        """Check some last turns: the follower's tie is the other's lead in the next round."""
        match = self.match
        place, turns = blocks(match)[number]
        levels = level_worths(turns, self.one - self.tie[lowest], lowest=lowest)
        bust = np.array([level if turn.behind == 0 else 0 for turn, level in zip(turns, levels, strict=True)], object)
        top = np.full(len(turns), self.one, object)
        worse = np.minimum if lowest else np.maximum
        endings = Endings(
            last_turn_banks(match, turns, self.one, levels, 0),
            bust,
            bust,
            edges(self.survival[not lowest], bust, bust, top, worse),
            self.one,
        )
        policy = self.claims.last_policy[number] if lowest else None
        limit = last_limit(match, turns[-1].behind, shut=turns[-1].shut)
        worth = back_up(match, limit, endings, Whole(down=lowest), policy)
        claimed = self.last[not lowest][place]
        where = [_behind(match, number) for number in range(len(match.last_turns))[place]]
        return self._compare(claimed, worth, lowest, where)

    def _answers(self, number: int, lowest: bool) -> list[ExactFault]:
        """Check answers to busts: a tie is the other's lead in the next round."""
        match, group = self.match, self.match.levels.groups()[number]
        endings = answer_endings(match, group, self.one - self.tie[lowest], self.one, 0, lowest=lowest)
        top = np.full(len(endings[1]), self.one, object)
        policy = self.claims.answer_policy[number] if lowest else None
        worth = self._turn_of_extra_round(group, endings, top, policy, lowest)
        claimed = of_levels(match, self.answer[not lowest], group[1])
        return self._compare(
            claimed, worth, lowest, [_at_answer(match, *answer) for answer in answers(match, group[1])]
        )

    def _ties(self, number: int, lowest: bool) -> list[ExactFault]:
        """Check leading off extra rounds, from the turns that answer."""
        match, group = self.match, self.match.levels.groups()[number]
        last = self.one - self.last[lowest]
        endings = tie_endings(match, group, last, self.one - self.answer[lowest], self.one, lowest=lowest)
        top = worth_beyond(match, group, last, self.one, lowest=lowest)
        policy = self.claims.tie_policy[number] if lowest else None
        worth = self._turn_of_extra_round(group, endings, top, policy, lowest)
        claimed = of_levels(match, self.tie[not lowest], group[1])
        return self._compare(claimed, worth, lowest, [_at_tie(match, *tie) for tie in ties(match, group[1])])

    def _turn_of_extra_round(
        self,
        group: Group,
        endings: tuple[list[Banks], Vector, Vector],
        top: Vector,
        policy: Ratings | None,
        lowest: bool,
    ) -> Scaled:
        banks, bust, on_six = endings
        beyond = edges(self.survival[not lowest], bust, on_six, top, np.minimum if lowest else np.maximum)
        given = Endings(banks, bust, on_six, beyond, self.one)
        return back_up(self.match, tie_limit(self.match, shut=group[0]), given, Whole(down=lowest), policy)

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
        last = len(match.last_turns)
        # Without extra rounds every last turn ends the match, however it is played.
        self.our_last, self.their_last = (np.full(last, not _breaks_ties(match)) for _ in range(2))
        self.our_tie, self.their_tie = (np.full(match.tie_shape, not _breaks_ties(match)) for _ in range(2))
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
            found += [ExactFault(END, _at_tie(self.match, *tie)) for tie in np.argwhere(~known).tolist()]
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
            deficits, total = behind(match, row, lowest=lowest)
            numbers = [match.last_turn(deficit, total, lowest=True) for deficit in deficits]
            rows.append(np.array([number is None or last[number] for number in numbers]))
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
        for number, (place, turns) in enumerate(blocks(self.match)):
            policy = self.claims.last_policy[number]
            self.our_last[place] |= self._last_turn(turns, self.their_tie, Possible(), policy)
            self.their_last[place] |= ~self._last_turn(turns, ~self.our_tie, Certain(), None)
        claims = self.claims
        self.our_answer |= self._answers(self.their_tie, Possible(), claims.answer_policy)
        self.their_answer |= ~self._answers(~self.our_tie, Certain(), None)
        self.our_tie |= self._ties(self.their_last, self.their_answer, Possible(), claims.tie_policy)
        self.their_tie |= ~self._ties(~self.our_last, ~self.our_answer, Certain(), None)

    def _last_turn(self, turns: tuple[LastTurn, ...], ties: Vector, algebra: Algebra, policy: Ratings | None) -> Vector:
        over = policy is not None
        levels = level_worths(turns, ties, lowest=over)
        banks = last_turn_banks(self.match, turns, over, levels, over)
        bust = np.array([level if turn.behind == 0 else over for turn, level in zip(turns, levels, strict=True)])
        endings = self._with_edges(banks, bust, bust, edge=not over)
        limit = last_limit(self.match, turns[-1].behind, shut=turns[-1].shut)
        return back_up(self.match, limit, endings, algebra, policy).vector

    def _answers(self, tied: Vector, algebra: Algebra, policies: Sequence[Ratings] | None) -> Vector:
        """Return which answers come to an end, or (for the other) which need not, from the ties that do."""
        ours, found = policies is not None, []
        for number, group in enumerate(self.match.levels.groups()):
            endings = answer_endings(self.match, group, tied, ours, ours, lowest=ours)
            found.append(
                self._turns_of_extra_rounds(group, endings, algebra, None if policies is None else policies[number])
            )
        return put_together(self.match, found, self.our_answer.shape)

    def _ties(self, last: Vector, answered: Vector, algebra: Algebra, policies: Sequence[Ratings] | None) -> Vector:
        """Return which leads come to an end, or (for the other) which need not, from the turns that answer and do."""
        found = []
        for number, group in enumerate(self.match.levels.groups()):
            endings = tie_endings(self.match, group, last, answered, policies is not None, lowest=True)
            found.append(
                self._turns_of_extra_rounds(group, endings, algebra, None if policies is None else policies[number])
            )
        return put_together(self.match, found, self.our_tie.shape)

    def _turns_of_extra_rounds(
        self,
        group: Group,
        endings: tuple[list[Banks], Vector, Vector],
        algebra: Algebra,
        policy: Ratings | None,
    ) -> Vector:
        given = self._with_edges(*endings, edge=policy is None)
        return back_up(self.match, tie_limit(self.match, shut=group[0]), given, algebra, policy).vector
