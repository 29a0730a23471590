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

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dice10k_math.backup import Blocks, back_up_keeping
from dice10k_math.errors import InputError
from dice10k_math.last_turn import MOST_LEAD, NEAREST, Side, allowed, compiled_split, last_turns, pose_last_turns
from dice10k_math.program import BLOCK, Floats, Ints, Program
from dice10k_math.race import Race, RowWorth
from dice10k_math.rules import Ruleset

REMOTE = 1e-13
"""Chance to get so far in one turn below which play there need not be followed."""
MOST_BYTES = 7 * 2**30
"""Memory that the offers of a match may take."""
STORES = 2
"""Sets of offers that are held at the same time: a player's own and the other's."""


def unsolved(rules: Ruleset) -> str | None:
    """Tell why matches of a ruleset with High Stakes are not solved; None: they are."""
    if rules.bust.on_six or rules.bust.in_a_row is not None or rules.ending.overshoot == "add_or_subtract":
        return "high_stakes with scores that can fall"
    if rules.turn.hot_dice_bonus:
        return "high_stakes with hot_dice_bonus: who takes over would need the count of hot dice too"
    if rules.ending.tie == "extra_rounds":
        return 'high_stakes with tie = "extra_rounds"'
    return None


class StakesRace(Race):
    """The turn starts of a two-player match with High Stakes in which scores never fall.

    Raises
    ------
    InputError
        Rules with which taking over is not solved, or so many offers that they do not fit into memory.
    """

    def __init__(self, rules: Ruleset) -> None:
        reason = unsolved(rules)
        if reason is not None:
            raise InputError(f"{rules.name}: {reason}; matches are solved without it")
        super().__init__(rules)
        self.offer_starts = self._offer_starts()
        needed = STORES * self.phases * int(self.offer_starts[-1]) * 8
        if needed > MOST_BYTES:
            raise InputError(
                f"{rules.name}: target: {rules.ending.target}; there are {needed / 2**30:.0f} GiB of offers "
                f"to take over up to it; allowed: up to {MOST_BYTES // 2**30} GiB, so a lower target"
            )

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

    @cached_property
    def reach(self) -> int:
        """How many points more a turn can be followed for: nobody gets farther but by a chance that does not matter."""
        chance = last_turns(self, 0.0, NEAREST, instant_win=0.0)
        return min(int(np.searchsorted(-chance, -REMOTE)) * self.unit, MOST_LEAD)

    def limits(self, phase: int, total: int, bust: Floats, last_turn: Floats) -> Ints:
        """Return, by column, the turn score up to which every choice is backed up.

        Where the other has a last turn he may take over, so no lead is safe, and a player may do best to roll on for
        ever: then the limit is how far a turn can come at all.
        """
        if not (self.has_last_turn and phase == 0):
            return super().limits(phase, total, bust, last_turn)
        first, end = self.columns(total)
        opponent = np.arange(first, end)
        needed = np.maximum(self.scores - total + opponent, opponent) * self.unit
        return np.minimum(needed + self.margin + self.reach, self.most).astype(np.int32)

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
        return np.full(self.scores, float(self.ending_is_safe(phase)))

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

    def turn_with_offers(self, phase: int, total: int, worth: RowWorth, side: Side, store: Floats) -> Floats:
        """Back up every turn start of one row, and store what taking over the offers is worth there.

        Returns
        -------
        ndarray of shape (scores,)
            Worth without an offer, as `turn` returns it.
        """
        contexts, blocks = self._posed(phase, total, worth, side)
        first, end = self.columns(total)
        offered = self.offers_of(total)
        values, offers = back_up_keeping(
            self.program,
            contexts,
            self.survival(side),
            self.offer_states[:offered],
            blocks=blocks,
            lowest=side.lowest,
            nudge=side.nudge(self.program),
        )
        # The store is read by the score of the player who is offered them; here columns are the other's.
        start, stop = self.offer_starts[total : total + 2]
        store[phase, start:stop] = offers[:, first:end][:, ::-1].reshape(-1)
        return values

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
        program = compiled_split(self.rules, MOST_LEAD + self.margin, bank_leaves_hand=False)
        least = self._least_offers()
        state = {
            (score, hand): number
            for number, (score, hand) in enumerate(zip(program.turn_score.tolist(), program.hand.tolist(), strict=True))
        }
        kept = np.array(
            [state[least[hand] * self.unit, hand] if hand in least else 0 for hand in self._hands], np.int32
        )
        contexts, blocks = pose_last_turns(self, program, 0.5)
        _, offers = back_up_keeping(
            program,
            contexts,
            self.survival(side),
            kept,
            blocks=blocks,
            lowest=side.lowest,
            nudge=side.nudge(program),
        )
        found = np.full((self.scores + 1, len(kept)), np.nan)
        for hand, units in least.items():
            found[:, hand] = offers[hand, units - 1 : units + self.scores]
        return found

    @property
    def _hands(self) -> range:
        return range(len(self.model.hands))

    def _least_offers(self) -> dict[int, int]:
        """Return the least turn score, in units, that can be banked with each hand left."""
        program = self.program
        open_ = allowed(self.opened, program.bank_scores)
        found: dict[int, int] = {}
        for units, hand in zip(self.bank_units[open_].tolist(), program.bank_hands[open_].tolist(), strict=True):
            found.setdefault(hand, units)
        return found


def race_of(rules: Ruleset) -> Race:
    """Return the race of a ruleset, with High Stakes where it has them."""
    return StakesRace(rules) if rules.variants.high_stakes else Race(rules)
