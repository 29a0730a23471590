"""High Stakes between two players of whom each plays by a policy or best, by plain recursion over explicit states.

A state is (seat to move, `Start`) and, within the turn, (turn score, hand about to be rolled). Who has an offer plays
on from such a state, or from none. Scores only rise here, so a turn leads to states that come later, but for a bust:
the two states that busts lead back and forth between are iterated until they stand still.
From the turn score `cutoff` on, being about to roll counts as a bust.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dice10k_math.policy import Choice, Player, Situation, Standing
from dice10k_math.rules.model import Ruleset

from .match import MatchOracle, Start, back_up_turn, choices_of, choices_of_class, turn_step
from .turn import all_hands, full_hand, roll_classes

STILL = 1e-15
MOST_ROUNDS = 10_000
Hand = tuple[int, ...]
Within = Callable[[int, Hand], float]
"""Worth of being about to roll, by turn score and hand."""
BUST, INSTANT = "bust", "instant win"


@dataclass
class StakesDuelOracle:
    """Win probability of the mover. `players`: one for each seat; None plays best."""

    rules: Ruleset
    players: tuple[Player | None, Player | None]
    cutoff: int = 6_000
    turns: dict[tuple[int, Start], Within] = field(default_factory=dict)
    rolls: dict[Any, Counter[Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.match: MatchOracle = MatchOracle.__new__(MatchOracle)
        self.match.rules = self.rules
        self.full = full_hand(self.rules)
        self.hands = sorted(all_hands(self.rules), key=lambda hand: (len(hand), hand))

    def value(self, seat: int, start: Start) -> float:
        """Win probability of the seat that is to move, without an offer or declining it."""
        return self.turn(seat, start)(0, self.full)

    def offered(self, seat: int, start: Start, points: int, hand: Hand) -> float:
        """The same of a seat that may take over."""
        player = self.players[seat]
        if player is None:
            return max(self.value(seat, start), self.turn(seat, start)(points, hand))
        takes = player.takes_over(self.key(player, start), points, hand)
        return self.turn(seat, start)(points, hand) if takes else self.value(seat, start)

    def turn(self, seat: int, start: Start) -> Within:
        """The turn of a seat."""
        if (seat, start) not in self.turns:
            after = self.match.after_bust(start, on_six=False)
            if isinstance(after, Start):
                self._settle(seat, start, after)
            else:
                self.turns[seat, start] = self._played(seat, start, after)
        return self.turns[seat, start]

    def _settle(self, seat: int, start: Start, after: Start) -> None:
        here, there = 0.5, 0.5
        for _ in range(MOST_ROUNDS):
            before = here, there
            own = self._played(seat, start, 1 - there)
            here = own(0, self.full)
            other = self._played(1 - seat, after, 1 - here)
            there = other(0, self.full)
            # The one may stand still while the other still moves.
            if max(abs(before[0] - here), abs(before[1] - there)) <= STILL:
                break
        self.turns[seat, start], self.turns[1 - seat, after] = own, other

    def _played(self, seat: int, start: Start, bust: float) -> Within:
        player = self.players[seat]
        return self._best(seat, start, bust) if player is None else self._by_policy(player, seat, start, bust)

    def _banked(self, seat: int, start: Start, points: int, hand: Hand) -> float:
        following = self.match.after_bank(start, start.own + points)
        return 1 - self.offered(1 - seat, following, points, hand) if isinstance(following, Start) else following

    def _best(self, seat: int, start: Start, bust: float) -> Within:
        choices, step = choices_of(self.rules), turn_step(self.rules)
        places = self.cutoff // step
        worth = np.full((len(self.hands), places + int(choices.points.max())), -np.inf)
        for place in range(1, worth.shape[1]):
            if self.match.banked_scores(start, place * step):
                worth[:, place] = [self._banked(seat, start, place * step, hand) for hand in self.hands]
        rolled = np.empty((1, len(self.hands), places))
        back_up_turn(choices, 0, worth, bust, bust, bust, rolled)
        return lambda points, hand: (
            float(rolled[0, self.hands.index(hand), points // step]) if points < self.cutoff else bust
        )

    def key(self, player: Player, start: Start) -> Any:
        """What the player goes by in this turn."""
        closing = start.stage == "second"
        last = start.stage == "last" or (closing and start.other >= self.rules.ending.target)
        return player.key(Standing(start.own, start.other, last, closing, start.opened))

    def _by_policy(self, player: Player, seat: int, start: Start, bust: float) -> Within:
        key, known = self.key(player, start), dict[tuple[int, Hand], float]()

        def within(points: int, hand: Hand) -> float:
            if points >= self.cutoff:
                return bust
            if (points, hand) not in known:
                known[points, hand] = sum(
                    count * worth(what) for what, count in self._chosen(player, key, start, points, hand).items()
                ) / 6 ** len(hand)
            return known[points, hand]

        def worth(what: Any) -> float:
            if what == BUST:
                return bust
            if what == INSTANT:
                return 1.0
            then, points, hand = what
            return within(points, hand) if then == "roll" else self._banked(seat, start, points, hand)

        return within

    def _chosen(self, player: Player, key: Any, start: Start, points: int, hand: Hand) -> Counter[Any]:
        """How many rolls of a hand lead to what."""
        limit = start.own if self.rules.ending.kind == "exact" else 0
        place = id(player), key, start.opened, limit, points, hand
        if place not in self.rolls:
            found: Counter[Any] = Counter()
            for kind, count in roll_classes(self.rules, hand):
                if kind.instant_win:
                    found[INSTANT] += count
                elif not kind.options:
                    found[BUST] += count
                else:
                    situation = Situation(points, 0, hand, tuple(self._choices(kind, points, start)))
                    choice = player.decide(key, situation)
                    found[choice.then, choice.turn_score, choice.hand] += count
            self.rolls[place] = found
        return self.rolls[place]

    def _choices(self, kind: Any, points: int, start: Start) -> list[Choice]:
        found = set()
        for paid, left, roll, bank in choices_of_class(self.rules, kind):
            hand, after = left or self.full, points + paid
            if roll:
                found.add(Choice("roll", after, hand, int(not left), not left))
            if bank and self.match.banked_scores(start, after):
                found.add(Choice("bank", after, hand, int(not left), not left))
        return sorted(found)
