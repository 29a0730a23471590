"""The turn of a policy on a compiled turn: which row the rolls of each after-state lead to, nothing being chosen.

Where the worth of a bank depends on the dice that it leaves, and a turn may begin anywhere in it, the endings of one
turn do not say enough. So the whole turn is written down, and backed up like any other.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cached_property
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from dice10k_math.kept import Keeps
from dice10k_math.plans import plan_numbers, rule_numbers, worths_of
from dice10k_math.policy.choices import Choice, situation_of
from dice10k_math.policy.keeping import Places, RollCounts
from dice10k_math.policy.plan import Plan
from dice10k_math.policy.players import CallablePlayer, Player
from dice10k_math.policy.worths import WorthPlayer, Worths, place_worths
from dice10k_math.program import Floats, Ints, Program
from dice10k_math.turn import BankRule, turn_model

Mask = NDArray[np.bool_]
MOST_BYTES = 2**28
"""Memory for turns that are kept, in case they are asked for again."""


@dataclass(frozen=True, slots=True, eq=False)
class FixedTurn:
    """A turn in which nothing is chosen any more.

    Attributes
    ----------
    starts, rows, chances
        For each after-state, from `starts` on: the rows that its rolls lead to, with their probabilities.
        What is missing to 1 is the chance of a bust and of an instant win.
    takes
        Shape (bank rows,): whether the player takes over what such a bank offers.
    rounding
        A bound for the rounding error of the worth of one roll, for worths of at most 1.
    busts
        By rounding: how likely each after-state leads to a bust, where that has been asked.
    """

    starts: Ints
    rows: Ints
    chances: Floats
    takes: Mask
    rounding: float
    busts: dict[float, Floats] = field(default_factory=dict)

    @property
    def bytes(self) -> int:
        """Memory that it takes."""
        return sum(part.nbytes for part in (self.starts, self.rows, self.chances, self.takes))


class FixedTurns:
    """The turns of one player on a program without a hot-dice bonus, in which a bank leaves its hand."""

    def __init__(self, program: Program, player: Player, keeps: Keeps | None = None) -> None:
        self.program, self.player = program, player
        self.keeps = keeps or Keeps(program, turn_model(player.rules))
        self.model, self.flat = self.keeps.model, self.keeps.flat
        self.inner: Mask = program.turn_score <= program.most
        self._lock = Lock()
        self._kept: OrderedDict[tuple[Hashable, BankRule], FixedTurn] = OrderedDict()
        self._bytes = 0

    def of(self, key: Hashable, rule: BankRule) -> FixedTurn:
        """Return the turn of the player with a key, under a bank rule."""
        with self._lock:
            found = self._taken_out(key, rule)
        found = found or self._written(key, rule)
        with self._lock:
            self._taken_out(key, rule)
            self._kept[key, rule] = found
            self._bytes += found.bytes
            while len(self._kept) > 1 and self._bytes > MOST_BYTES:
                self._bytes -= self._kept.popitem(last=False)[1].bytes
        return found

    def _taken_out(self, key: Hashable, rule: BankRule) -> FixedTurn | None:
        found = self._kept.pop((key, rule), None)
        self._bytes -= found.bytes if found is not None else 0
        return found

    @cached_property
    def states_at(self) -> Ints:
        """Row of each after-state by hand and turn score in steps; -1: there is none."""
        return self._table(self.program.hand, self.program.turn_score, len(self.program.bank_scores))

    @cached_property
    def _banks_at(self) -> Ints:
        return self._table(self.program.bank_hands, self.program.bank_scores, 0)

    def _table(self, hands: Ints, scores: Ints, first: int) -> Ints:
        most = max(int(self.program.turn_score.max()), int(self.program.bank_scores.max()))
        found = np.full((len(self.model.hands), most // self.model.step + 1), -1, np.int32)
        found[hands, scores // self.model.step] = first + np.arange(len(hands))
        return found

    def _written(self, key: Hashable, rule: BankRule) -> FixedTurn:
        from dice10k_math.follow import gather

        program, flat = self.program, self.flat
        chosen = self._chosen(key, rule)
        starts = np.empty(len(program.hand) + 1, np.int32)
        rows, chances = np.empty(len(chosen), np.int32), np.empty(len(chosen))
        places = program.hand, program.turn_score, self.keeps.firsts, self._banks_at, self.states_at
        count = gather(chosen, flat.classes, flat.entries, self.model.step, *places, starts, rows, chances)
        rows, chances = rows[:count].copy(), chances[:count].copy()
        if len(rows) and rows.min() < 0:
            raise ValueError("a policy's choice leads to no row of the program")
        terms = int(np.diff(starts).max())
        return FixedTurn(starts, rows, chances, self.takes(key), (terms + 8) * 2.0**-53)

    def _chosen(self, key: Hashable, rule: BankRule) -> Ints:
        """Return what is chosen after each class of rolls of each after-state: the entry times 3, plus 1 for a bank."""
        numbers, worths = rule_numbers(self.model, rule), self._worths(key)
        chosen = np.empty(int(self.keeps.firsts[-1]), np.int32)
        if worths is not None:
            self._choose_by_worths(worths, numbers, chosen)
        elif isinstance(key, Plan):
            self._choose_by_plan(key, numbers, chosen)
        else:
            self._choose_plainly(key, rule, chosen)
        if len(chosen) and chosen.min() < 0:
            raise ValueError("a roll that scores leaves a policy no choice")
        return chosen

    def _worths(self, key: Hashable) -> Worths | None:
        if isinstance(self.player, WorthPlayer):
            return self.player.worths(key)
        if isinstance(key, Plan) and isinstance(key.keep, Places):
            return place_worths(key, [hand.hand for hand in self.model.hands], self.model.step)
        return None

    def _choose_by_plan(self, key: Plan, rule: tuple[int, int, int, int], chosen: Ints) -> None:
        from dice10k_math.follow import choose_by_plan
        from dice10k_math.keeps import bank_by_plan

        flat, states = self.flat, (self.program.hand, self.program.turn_score, self.keeps.firsts)
        plan = plan_numbers(key), np.array(key.bank_from, np.int64), np.array(worths_of(key), np.int64), rule
        # What other plans keep depends on the turn score by its remainder only: `choose_by_plan` makes use of that.
        if key.keep_first or not isinstance(key.keep, RollCounts):
            choose_by_plan(*plan, flat.classes, (*flat.entries, 0), self.model.step, *states, chosen)
            return
        bank_by_plan(*plan, self.keeps.banks, flat.classes, flat.entries, *states, self.keeps.of(key), chosen)

    def _choose_by_worths(self, worths: Worths, rule: tuple[int, int, int, int], chosen: Ints) -> None:
        from dice10k_math.follow import choose_by_worths

        program, flat = self.program, self.flat
        tables = worths.roll, np.stack([worths.bank, worths.subtract])
        states = program.hand, program.turn_score, self.keeps.firsts
        choose_by_worths(tables, rule, flat.classes, flat.entries, self.model.step, *states, chosen)

    def _choose_plainly(self, key: Hashable, rule: BankRule, chosen: Ints) -> None:
        """Ask the player about every situation."""
        program = self.program
        # Choices are numbered through all hands.
        before = np.cumsum([0, *(len(hand.entries) for hand in self.model.hands)]).tolist()
        for state in np.flatnonzero(self.inner).tolist():
            hand, score, place = int(program.hand[state]), int(program.turn_score[state]), int(self.keeps.firsts[state])
            model = self.model.hands[hand]
            for number, roll in enumerate(model.classes):
                entries = [(before[hand] + entry, model.entries[entry]) for entry in roll.entries]
                situation = situation_of(self.model, rule, (score, 0, hand), [entry for _, entry in entries])
                choice = self.player.decide(key, situation)
                chosen[place + number] = next(
                    3 * entry + int(choice.then == "bank")
                    for entry, fields in entries
                    if self._is(choice, score + fields.points, fields.hand, fields.hot)
                    and (fields.may_bank if choice.then == "bank" else fields.may_roll)
                )

    def _is(self, choice: Choice, turn_score: int, hand: int, hot: bool) -> bool:
        return choice.turn_score == turn_score and choice.hand == self.model.hands[hand].hand and choice.hot == hot

    def takes(self, key: Hashable) -> Mask:
        """Return which offers the player takes over."""
        program, player = self.program, self.player
        if isinstance(player, CallablePlayer):
            return np.zeros(len(program.bank_scores), bool)
        if isinstance(key, Plan):
            return self._planned_takes(key.take)
        if isinstance(player, WorthPlayer):
            return player.worths(key).takes(program.bank_scores, program.bank_hands)
        return self._asked_takes(key)

    def _planned_takes(self, take: tuple[int, ...]) -> Mask:
        program = self.program
        if not take:
            return np.zeros(len(program.bank_scores), bool)
        dice = np.array([len(hand.hand) for hand in self.model.hands])[program.bank_hands]
        return np.asarray(program.bank_scores >= np.array(take)[dice - 1])

    def _asked_takes(self, key: Hashable) -> Mask:
        hands = [hand.hand for hand in self.model.hands]
        banks = zip(self.program.bank_scores.tolist(), self.program.bank_hands.tolist(), strict=True)
        return np.array([self.player.takes_over(key, score, hands[hand]) for score, hand in banks], bool)
