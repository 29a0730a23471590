"""The judge of small matches with High Stakes, in whole numbers: no float comes near a claim.

What is claimed of every turn start is claimed of every offer too, and all is checked in one turn:

1. *The policy guarantees the lower bounds*, of starting afresh and of going on from each offer.
   A bank is worth 1 minus the greater of the upper bounds of what the other may do then: start afresh, or take over.
2. *No play does better than the upper bounds*; a bank is worth 1 minus the greater of the lower bounds.
3. *The policy ends the match, whatever the other does.* No turn can go on for ever, as no play keeps to hands that
   never bust.
   Every bank raises a score, so there are finitely many in a match, and after the last of them and the turn that may
   take it over all turns are started afresh and bust.
   At every turn start the policy's turn comes to an end other than a bust with a probability above 0, so with
   probability 1 that does not last for ever.

By 1 and 2 what is guaranteed to a player never falls on average from turn to turn while that player keeps to the
policy, taking over where that has the greater lower bound; by 3 there is a last turn: so the player wins with at least
that probability.
Where nothing is guaranteed (a lower bound of 0) there is nothing to prove, and 3 may stop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial

import numpy as np

from dice10k_math.certify.exact import END, LOWER, UPPER, ExactFault, ExactVerdict, Progress, faults_of
from dice10k_math.explicit.claims import HALF, Fractions
from dice10k_math.explicit.grid import Grid
from dice10k_math.explicit.stakes import StakesMatch, Waiting, last_endings, stakes_endings
from dice10k_math.explicit.stakes_claims import StakesClaims, Wholes, rounded
from dice10k_math.explicit.turn import Endings, Possible, Scaled, Vector, back_up, back_up_keeping
from dice10k_math.turn import TurnModel

Where = Callable[..., str]


def judge_stakes_exactly(match: StakesMatch, claims: StakesClaims, progress: Progress | None = None) -> ExactVerdict:
    """Check every claim about a small match with High Stakes.

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
    checked = claims.lower.size + claims.last_lower.size + claims.offers_lower.size + claims.takes_lower.size
    return ExactVerdict(tuple(found), 2 * checked)


class _Judge:
    """The claims as whole numbers over the grain of the match."""

    def __init__(self, match: StakesMatch, claims: StakesClaims) -> None:
        self.match, self.claims, self.one = match, claims, match.grain
        self.waiting = {lowest: claims.waiting(match, lowest=lowest) for lowest in (True, False)}

    def jobs(self) -> Iterator[Callable[[], list[ExactFault]]]:
        """Return what there is to check, piece by piece."""
        yield self._turns_end
        for lowest in (True, False):
            if self.match.has_last_turn:
                yield partial(self._last_turns, lowest)
            for phase in range(self.match.phases):
                for block in range(len(self.match.pairs)):
                    yield partial(self._turns, phase, block, lowest)
        for phase in range(self.match.phases):
            for block in range(len(self.match.pairs)):
                yield partial(self._policy_ends, phase, block)

    # -- bounds ----------------------------------------------------------------------------------------------------

    def _turns(self, phase: int, block: int, lowest: bool) -> list[ExactFault]:
        """Check some turn starts, with every offer."""
        match, claims, algebra = self.match, self.claims, Grid(down=lowest)
        ours, theirs = np.divmod(match.pairs[block], match.won)
        endings = stakes_endings(
            match, phase, match.pairs[block], self.waiting[lowest], self.one, algebra, lowest=lowest
        )
        policy = claims.policy[phase][block] if lowest else None
        start, taken = back_up_keeping(match, match.limit_of(phase), endings, algebra, policy, match.offer_states)
        fresh, offers = (claims.lower, claims.offers_lower) if lowest else (claims.upper, claims.offers_upper)
        where = partial(_where, match, phase)
        places = list(zip(ours.tolist(), theirs.tolist(), strict=True))
        found = self._compare(_claimed(fresh[phase, ours, theirs], match, lowest), start, lowest, where, places)
        for offer, worth in enumerate(taken):
            offered = [(*place, offer) for place in places]
            found += self._compare(offers[phase, ours, theirs, offer], worth, lowest, where, offered)
        return found

    def _last_turns(self, lowest: bool) -> list[ExactFault]:
        """Check last turns, and taking over in them."""
        match, claims, algebra = self.match, self.claims, Grid(down=lowest)
        endings = last_endings(match, self.one, self.one // 2, algebra, 0 if lowest else self.one)
        reads = list(match.read_takes())
        start, taken = back_up_keeping(
            match.last,
            match.last_limit,
            endings,
            algebra,
            claims.last_policy[0] if lowest else None,
            [state for _, state, _ in reads],
        )
        fresh, takes = (claims.last_lower, claims.takes_lower) if lowest else (claims.last_upper, claims.takes_upper)
        where = partial(_behind, match)
        places = [(deficit,) for deficit in range(len(fresh))]
        found = self._compare(_claimed(fresh, match, lowest), start, lowest, where, places)
        for (hand, _, deficits), worth in zip(reads, taken, strict=True):
            leads = [(lead - 1, hand) for lead in range(len(deficits))]
            found += self._compare(
                takes[:, hand], Scaled(worth.vector[deficits]), lowest, partial(_taking, match), leads
            )
        return found

    def _compare(
        self, claimed: Wholes, worth: Scaled, lowest: bool, where: Where, places: Sequence[tuple[int, ...]]
    ) -> list[ExactFault]:
        wrong = claimed > worth.vector if lowest else claimed < worth.vector
        name = LOWER if lowest else UPPER
        return [
            ExactFault(
                name,
                where(*places[place]),
                Fraction(int(claimed[place]), self.one),
                Fraction(int(worth.vector[place]), self.one),
            )
            for place in np.flatnonzero(wrong).tolist()
        ]

    # -- the end of the match --------------------------------------------------------------------------------------

    def _turns_end(self) -> list[ExactFault]:
        """Check that no play can roll for ever."""
        stalled = _stalling_hands(self.match.model)
        if stalled:
            dice = len(self.match.model.hands[min(stalled)].hand)
            return [ExactFault(END, f"a turn about to roll {dice} dice that never bust")]
        return []

    def _policy_ends(self, phase: int, block: int) -> list[ExactFault]:
        """Check that the policy's turn may end otherwise than by a bust, at all starts where it guarantees anything."""
        match = self.match
        ours, theirs = np.divmod(match.pairs[block], match.won)
        allowed = self._allowed(phase, block)
        bust = np.zeros(len(ours), bool)
        # What lies beyond the limit is not followed and counts for nothing.
        kinds = int(match.program.edge_kind.max()) + 1
        endings = Endings(allowed, bust, bust, [Scaled(bust)] * kinds, True)
        ends = back_up(match, match.limit_of(phase), endings, Possible(), self.claims.policy[phase][block]).vector
        open_ = np.flatnonzero(~ends & (self.claims.lower[phase, ours, theirs] != 0))
        return [ExactFault(END, _where(match, phase, int(ours[place]), int(theirs[place]))) for place in open_]

    def _allowed(self, phase: int, block: int) -> list[tuple[Vector | None, ...]]:
        """Return which banks are allowed."""
        match = self.match
        nothing = Waiting(*(np.zeros_like(part) for part in self.waiting[True]))
        endings = stakes_endings(match, phase, match.pairs[block], nothing, self.one, Grid(down=True), lowest=True)
        return [tuple(None if way is None else way >= 0 for way in ways) for ways in endings.banks]


def _claimed(claims: Fractions, match: StakesMatch, lowest: bool) -> Wholes:
    """Return claims as whole numbers that claim as much or more."""
    return rounded(claims, match, up=lowest)


def _stalling_hands(model: TurnModel) -> set[int]:
    """Return the hands from which some play never comes to a roll that may bust."""
    found = {number for number, hand in enumerate(model.hands) if not hand.bust and not hand.instant_win}
    while True:
        left = {number for number in found if _can_stay(model, number, found)}
        if left == found:
            return found
        found = left


def _can_stay(model: TurnModel, number: int, among: set[int]) -> bool:
    hand = model.hands[number]
    return all(
        any(hand.entries[entry].may_roll and hand.entries[entry].hand in among for entry in roll.entries)
        for roll in hand.classes
    )


# -- what is no claim at all -----------------------------------------------------------------------------------------


def _range_faults(match: StakesMatch, claims: StakesClaims) -> Iterator[ExactFault]:
    """Refuse other turn starts, and numbers that are no probabilities."""
    starts = (match.phases, match.won, match.won)
    last = (match.behind + 1 if match.has_last_turn else 0,)
    fractions = (
        (LOWER, claims.lower, starts),
        (UPPER, claims.upper, starts),
        (LOWER, claims.last_lower, last),
        (UPPER, claims.last_upper, last),
        (LOWER, claims.tie_lower, match.tie_shape),
        (UPPER, claims.tie_upper, match.tie_shape),
    )
    for name, found, shape in fractions:
        yield from _fraction_faults(name, found, shape)
    for name, values in ((LOWER, claims.tie_lower), (UPPER, claims.tie_upper)):
        yield from (ExactFault(name, "a tie", value, HALF) for value in values.flat if value != HALF)
    offers = (*starts, match.offers)
    wholes = (
        (LOWER, claims.offers_lower, offers),
        (UPPER, claims.offers_upper, offers),
        (LOWER, claims.takes_lower, match.takes_shape),
        (UPPER, claims.takes_upper, match.takes_shape),
    )
    for name, whole, shape in wholes:
        if whole.dtype != np.int64 or whole.shape != shape:
            yield ExactFault(name, f"{whole.dtype} of shape {whole.shape} instead of int64 of shape {shape}")
        elif whole.size and not 0 <= int(whole.min()) <= int(whole.max()) <= match.grain:
            yield ExactFault(name, f"offers from {whole.min()} to {whole.max()} parts of {match.grain}")


def _fraction_faults(name: str, found: Fractions, shape: tuple[int, ...]) -> Iterator[ExactFault]:
    if found.shape != shape:
        yield ExactFault(name, f"{found.shape} turn starts instead of {shape}")
        return
    for place, value in np.ndenumerate(found):
        if not isinstance(value, Fraction) or not 0 <= value <= 1:
            yield ExactFault(name, f"place {place}", value)


# -- words -----------------------------------------------------------------------------------------------------------


def _where(match: StakesMatch, phase: int, part: int, other: int, offer: int | None = None) -> str:
    words = f"score {match.parts[part]} against {match.parts[other]}"
    if offer is not None:
        program = match.program
        words += f", taking over {program.bank_scores[offer]} with {_dice(match, int(program.bank_hands[offer]))}"
    return words + (", second turn of the round" if phase else "")


def _behind(match: StakesMatch, deficit: int) -> str:
    return f"a last turn, {deficit * match.unit} behind"


def _taking(match: StakesMatch, lead: int, hand: int) -> str:
    banker = "was behind" if lead < 0 else f"was {lead * match.unit} ahead"
    return f"a last turn, taking over {_dice(match, hand)} from a banker who {banker}"


def _dice(match: StakesMatch, hand: int) -> str:
    dice = len(match.model.hands[hand].hand)
    return "1 die" if dice == 1 else f"{dice} dice"
