"""Races with High Stakes: after a bank the next player may take over the turn score and the dice left.

An *offer* is a turn score T with a hand. Taking it over is worth what the after-state (T, hand) is worth in the turn of
the player who is offered it, so one sweep over that turn gives the worth of starting afresh and of every offer at once.
A bank then leads to the better of these two for the other player, and both belong to a greater sum of the scores.

*Last turn.* A banker who was x points ahead before the turn that reached the target, and banks T, is x + T ahead.
Who takes over T needs more than x on top of it, whatever T is. So what taking over is worth there depends on x and
the hand alone.

A turn start without an offer is the same as in any race. With one there is a choice more and nothing else,
and since a bank comes before each offer, and banks raise scores, there are finitely many of them in a match.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dice10k_math.backup import Blocks, back_up_keeping
from dice10k_math.errors import InputError
from dice10k_math.last_turn import (
    NEAREST,
    Mask,
    Side,
    allowed,
    compiled_split,
    gains,
    last_turns,
    most_lead,
    pose_last_turns,
)
from dice10k_math.program import BLOCK, NEVER, Floats, Ints, Program
from dice10k_math.race import Race, RowWorth
from dice10k_math.rules import Ruleset, bank_step
from dice10k_math.turn import turn_model

REMOTE = 1e-13
"""Chance to get so far in one turn below which play there need not be followed."""
MOST_BYTES = 6 * 2**30
"""Memory that the offers of a match may take."""
STORES = 3
"""Sets of offers that are held at the same time: solved, and guaranteed to a player and to the other."""


def unsolved(rules: Ruleset) -> str | None:
    """Tell why matches of a ruleset with High Stakes are not solved; None: they are."""
    if rules.bust.on_six or rules.bust.in_a_row is not None or rules.ending.overshoot == "add_or_subtract":
        return "high_stakes with scores that can fall"
    if rules.turn.hot_dice_bonus:
        return "high_stakes with hot_dice_bonus: who takes over would need the count of hot dice too"
    if rules.ending.tie == "extra_rounds":
        return 'high_stakes with tie = "extra_rounds"'
    return None


def check_solved(rules: Ruleset) -> None:
    """Refuse a ruleset whose matches with High Stakes are not solved.

    Raises
    ------
    InputError
        What stands in the way.
    """
    reason = unsolved(rules)
    if reason is not None:
        raise InputError(f"{rules.name}: {reason}; matches are solved without it")


def check_memory(rules: Ruleset) -> None:
    """Refuse a match with so many offers that they do not fit into memory.

    Raises
    ------
    InputError
        The target is too high for this number of different hands.
    """
    scores = -(-rules.ending.target // bank_step(rules))
    hands = len(turn_model(rules).hands)
    phases = 2 if rules.ending.kind == "equal_turns" else 1
    # For every sum of the scores: all turn scores up to the greater score, for every pair of scores and hand.
    offers = sum(
        min(total, scores - 1) * (min(total, scores - 1) - max(0, total - scores + 1) + 1)
        for total in range(2 * scores - 1)
    )
    needed = STORES * phases * hands * offers * 8
    if needed > MOST_BYTES:
        raise InputError(
            f"{rules.name}: target: {rules.ending.target}; taking over with {hands} different hands needs about "
            f"{needed / 2**30:.0f} GiB of memory up to there; allowed: {MOST_BYTES // 2**30} GiB, so a lower target"
        )


@dataclass(frozen=True, slots=True)
class StakesWorth(RowWorth):
    """What the endings of the turns of one row are worth, with High Stakes.

    Attributes
    ----------
    takes
        What taking over is worth in a last turn, as `StakesRace.take_overs` returns it.
    """

    takes: Floats = field(kw_only=True)


class StakesRace(Race):
    """The turn starts of a two-player match with High Stakes in which scores never fall.

    Raises
    ------
    InputError
        Rules with which taking over is not solved, or so many offers that they do not fit into memory.
    """

    def __init__(self, rules: Ruleset) -> None:
        check_solved(rules)
        check_memory(rules)
        super().__init__(rules)
        self.offer_starts = self._offer_starts()

    @property
    def program(self) -> Program:
        """The compiled turn, with a bank row for each turn score and hand left."""
        return compiled_split(self.rules, self.most, bank_leaves_hand=True)

    @cached_property
    def bank_units(self) -> Ints:
        """Turn score of each bank row, in units; those that are no multiple are never read."""
        return (self.program.bank_scores // self.unit).astype(np.int32)

    @cached_property
    def offer_states(self) -> Ints:
        """Number of the after-state that goes on from each bank row that can be offered below the target."""
        program = self.program
        number = {
            (score, hand): state
            for state, (score, hand) in enumerate(zip(program.turn_score.tolist(), program.hand.tolist(), strict=True))
        }
        banks = zip(program.bank_scores.tolist(), program.bank_hands.tolist(), strict=True)
        return np.array([number[bank] for bank in banks if bank[0] < self.rules.ending.target], np.int32)

    def offers_of(self, total: int) -> int:
        """Return how many bank rows, from the first, can be offered with this sum of the scores."""
        most = min(total, self.scores - 1)
        return int(np.searchsorted(self.bank_units, most, side="right"))

    def _offer_starts(self) -> NDArray[np.int64]:
        sizes = []
        for total in range(2 * self.scores - 1):
            first, end = self.columns(total)
            sizes.append(self.offers_of(total) * (end - first))
        return np.cumsum([0, *sizes])

    @property
    def stands_still(self) -> bool:
        """Whether the turn score matters no more from some point on: not where only some of them can be banked."""
        return self.opened.multiple == self.model.step

    @cached_property
    def reach(self) -> int:
        """How many points more a turn can be followed for: nobody gets farther but by a chance that does not matter."""
        chance = gains(self, 0.0, NEAREST, instant_win=0.0)
        return min(int(np.searchsorted(-chance, -REMOTE)) * self.unit, most_lead(self.rules))

    @cached_property
    def usual_takes(self) -> Floats:
        """What taking over is worth in a last turn, not as a bound."""
        return self.take_overs(NEAREST)

    def limits(self, phase: int, total: int, bust: Floats, last_turn: Floats) -> Ints:
        """Return, by column, the turn score up to which every choice is backed up.

        Where the other has a last turn he may take over, so no lead is safe, and a player may do best to roll on for
        ever. The limit is where taking over has become better for the other than rolling afresh, whatever hand is
        left: from there on the turn score does not matter.
        """
        if not (self.has_last_turn and phase == 0):
            return super().limits(phase, total, bust, last_turn)
        first, end = self.columns(total)
        opponent = np.arange(first, end)
        own = total - opponent
        if not self.stands_still:
            needed = np.maximum(self.scores - own, opponent)
            return np.minimum(needed * self.unit + self.margin + self.reach, self.most).astype(np.int32)
        needed = np.maximum(self.scores - own, opponent - own + self._safe_leads(last_turn, own - opponent))
        return np.minimum(needed * self.unit + self.margin, self.most).astype(np.int32)

    def _safe_leads(self, last_turn: Floats, ahead: Ints) -> Ints:
        """Return the lead from which on the other had better take over, by how far ahead the banker was before."""
        least = np.nanmin(self.usual_takes, axis=1)[np.maximum(ahead, -1) + 1]
        return np.searchsorted(-last_turn, -least)

    def far_banks(self, phase: int, total: int, worth: StakesWorth, side: Side) -> Floats:
        """Return what banking beyond the limits is worth: shape (hands, scores); for bounds, a bound."""
        first, end = self.columns(total)
        limits, last_turn = self.limits(phase, total, worth.bust, worth.last_turn), worth.last_turn
        found = np.full((len(self.model.hands), self.scores), NEVER if self.rules.ending.kind == "exact" else 1.0)
        if self.has_last_turn and phase == 0:
            opponent = np.arange(first, end)
            own = total - opponent
            taken = worth.takes[np.maximum(own - opponent, -1) + 1].T
            lead = own - opponent + limits // self.unit
            afresh = np.append(last_turn, last_turn[-1])[np.minimum(lead, len(last_turn))]
            found[:, first:end] = 1.0 - (np.maximum(taken, afresh) if side.lowest else taken)
        return np.where(np.isnan(found), NEVER, found)

    def blocks(self, total: int, limits: Ints) -> Blocks:
        """Return the turn starts of one row as blocks."""
        first, end = self.columns(total)
        return np.array(
            [
                (0, start, min(BLOCK, end - start), limits[start - first : start + BLOCK - first].max())
                for start in range(first, end, BLOCK)
            ],
            np.int64,
        )

    def bank_rows(self, phase: int, total: int) -> Ints:  # noqa: ARG002 - as in other races
        """Return the row of each bank in the table of one row of turn starts, or -1 where banking is not allowed."""
        scores = self.program.bank_scores
        return np.where(allowed(self.opened, scores), np.arange(len(scores)), -1).astype(np.int32)[None]

    def _top(self, phase: int, total: int, table: Floats, blocks: Blocks) -> Floats:  # noqa: ARG002
        """Return a lower bound, by column, for banking more than the limit: nothing is safe from being taken over."""
        return np.full(self.scores, self.top_beyond(phase))

    def top_beyond(self, phase: int) -> float:
        """Return a lower bound for what saves a turn beyond the limit, where that may depend on the turn score."""
        return float(self.saved(np.array(float(self.ending_is_safe(phase)))))

    def ending_is_safe(self, phase: int) -> bool:
        """Tell whether a bank beyond the target wins at once."""
        return self.rules.ending.kind != "exact" and not (self.has_last_turn and phase == 0)

    def bank_table(self, phase: int, total: int, waiting: Floats, offers: Floats, takes: Floats) -> Floats:
        """Return what banking is worth in the turns of one row.

        Parameters
        ----------
        phase, total
            The row.
        waiting
            Shape (phases * rows, scores): worth of waiting after a bank, the other beginning afresh.
        offers
            Shape (phases, offers): what taking over is worth to the player who is offered it.
        takes
            What taking over is worth in a last turn, as `take_overs` returns it.

        Returns
        -------
        ndarray of shape (bank rows, scores)
        """
        from dice10k_math.kernel import fill_bank_worths

        first, end = self.columns(total)
        program = self.program
        out = np.empty((len(program.bank_scores), self.scores))
        last_turn = self.has_last_turn and phase == 0
        opening = -(-self.unopened.minimum // self.unit)
        fill_bank_worths(
            out,
            (total, first, end, self.scores, opening, last_turn),
            waiting[phase * self.rows : (phase + 1) * self.rows],
            offers[self.other(phase)],
            self.offer_starts,
            takes,
            self.bank_units,
            program.bank_hands,
        )
        return out

    def no_offers(self) -> Floats:
        """Return a store of offers of which none is known: shape (phases, offers)."""
        return np.full((self.phases, int(self.offer_starts[-1])), np.nan)

    def turn(self, phase: int, total: int, worth: RowWorth, side: Side, only: Mask | None = None) -> Floats:
        """Back up the turn of every turn start of one row, as in other races."""
        return self._backed_up(phase, total, worth, side, self.offer_states[:0], only)[0]

    def turn_with_offers(
        self, phase: int, total: int, worth: RowWorth, side: Side, store: Floats, only: Mask | None = None
    ) -> Floats:
        """Back up every turn start of one row, or some, and store what taking over the offers is worth there.

        Returns
        -------
        ndarray of shape (scores,)
            Worth without an offer, as `turn` returns it.
        """
        first, end = self.columns(total)
        kept = self.offer_states[: self.offers_of(total)]
        values, offers = self._backed_up(phase, total, worth, side, kept, only)
        # The store is read by the score of the player who is offered them; here columns are the other's.
        start, stop = self.offer_starts[total : total + 2]
        store[phase, start:stop] = offers[:, first:end][:, ::-1].reshape(-1)
        return values

    def _backed_up(
        self, phase: int, total: int, worth: RowWorth, side: Side, kept: Ints, only: Mask | None = None
    ) -> tuple[Floats, Floats]:
        assert isinstance(worth, StakesWorth)  # noqa: S101 - what these races are solved with
        contexts, blocks = self._posed(phase, total, worth, side)
        if only is not None:
            blocks = np.array([block for block in blocks if only[block[1] : block[1] + block[2]].any()])
        return back_up_keeping(
            self.program,
            contexts,
            self.survival(side),
            kept,
            self.far_banks(phase, total, worth, side) if self.stands_still else None,
            blocks=blocks,
            lowest=side.lowest,
            nudge=side.nudge(self.program),
        )

    def take_overs(self, side: Side) -> Floats:
        """Return what taking over is worth in a last turn.

        Returns
        -------
        ndarray of shape (2 + greatest lead, hands)
            By how many units more the player needs than was taken over, plus 1: place 0 is for every player who was
            ahead already, whom any bank makes the winner.
        """
        if not self.has_last_turn:
            return np.zeros((1, len(self.model.hands)))
        program = compiled_split(self.rules, most_lead(self.rules) + self.margin, bank_leaves_hand=False)
        least = self._least_offers(program)
        contexts, blocks = pose_last_turns(self, program, 0.5)
        # Who takes over is behind by what he has taken, or more: a bust leaves him there, and not at a tie.
        contexts = replace(contexts, bust=np.zeros_like(contexts.bust), bust_on_six=np.zeros_like(contexts.bust))
        _, offers = back_up_keeping(
            program,
            contexts,
            self.survival(side),
            np.array(list(least.values()), np.int32),
            blocks=blocks,
            lowest=side.lowest,
            nudge=side.nudge(program),
        )
        found = np.full((self.scores + 1, len(self.model.hands)), np.nan)
        for place, (hand, state) in enumerate(least.items()):
            units = int(program.turn_score[state]) // self.unit
            found[:, hand] = offers[place, units - 1 : units + self.scores]
        return found

    def _least_offers(self, program: Program) -> dict[int, int]:
        """Return for each hand the after-state with the least turn score that can be banked."""
        found = {}
        for state in np.flatnonzero(allowed(self.opened, program.turn_score)):
            # They come from the highest turn score down.
            found[int(program.hand[state])] = int(state)
        return found

    def greatest_turn_score(self) -> int:
        """Return up to which turn score, in points, turns are compiled."""
        if not (self.has_last_turn and self.stands_still):
            return super().greatest_turn_score()
        last_turn = last_turns(self, 0.5, NEAREST)
        ahead = np.arange(-self.scores + 1, self.scores, dtype=np.int32)
        needed = max(self.scores, int((self._safe_leads(last_turn, ahead) - ahead).max()))
        return min(needed * self.unit + self.margin, super().greatest_turn_score())


class FollowedStakesRace(StakesRace):
    """The same for players of whom one plays by a policy: from no turn score on it is known what he makes of it.

    So turns are followed as far as anybody gets.
    """

    @property
    def stands_still(self) -> bool:
        """The turn score may always matter."""
        return False

    def greatest_turn_score(self) -> int:
        """Return up to which turn score, in points, turns are compiled."""
        return self.scores * self.unit + self.margin + self.reach


def race_of(rules: Ruleset) -> Race:
    """Return the race of a ruleset, with High Stakes where it has them."""
    return StakesRace(rules) if rules.variants.high_stakes else Race(rules)
