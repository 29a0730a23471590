"""Matches played in plain Python: for players who are functions, and to check the compiled loops.

The same seed gives the same rolls as in the compiled loops, so the same matches.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from dice10k_math.dice import Hand, Roll
from dice10k_math.errors import InputError
from dice10k_math.policy import Choice, Player, Situation, Standing, subtracts
from dice10k_math.rules.model import Ruleset
from dice10k_math.scoring import bank_keeps, full_hand, is_instant_win, keeps_of
from dice10k_math.turn import BankRule, bank_rule, six_dice_penalty

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15
MOST_ROLLS = 100_000


def mixed(state: int) -> int:
    """Return the output of the generator splitmix64 in a state.

    Examples
    --------
    >>> hex(mixed(0x9E3779B97F4A7C15))
    '0xe220a8397b1dcdaf'
    """
    z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def chances(seed: int, match: int) -> Iterator[float]:
    """Yield the random numbers of a match, at least 0 and less than 1."""
    state = mixed((mixed((seed + GOLDEN) & MASK) + match) & MASK)
    while True:
        state = (state + GOLDEN) & MASK
        yield (mixed(state) >> 11) * 2.0**-53


@dataclass(slots=True)
class Seat:
    """A player with what he has on the table, and what is counted for him."""

    player: Player
    score: int = 0
    opened: bool = False
    busts: int = 0
    turns: int = 0
    gained: int = 0
    lost: int = 0
    share: float = 0.0


@dataclass(slots=True)
class Offer:
    """A turn that the next player may take over."""

    turn_score: int
    hand: Hand


@dataclass(slots=True)
class Match:
    """A match being played.

    Attributes
    ----------
    turns_only
        Stop when the first player has had so many turns, whatever the scores; 0: play to the end.
    extra
        Whether there is a tie to break: nobody needs the target any more.
    """

    rules: Ruleset
    seats: Sequence[Seat]
    chance: Iterator[float]
    most_turns: int
    turns_only: int = 0
    reached: int | None = None
    offer: Offer | None = None
    over: bool = field(default=False)
    extra: bool = False

    def play(self) -> None:
        """Play to the end.

        Raises
        ------
        InputError
            The match goes on and on.
        """
        for number in range(self.most_turns):
            self._turn(number % len(self.seats))
            if self.over:
                return
        scores = ", ".join(str(seat.score) for seat in self.seats)
        raise InputError(
            f"policies: no end after {self.most_turns} turns, at scores {scores}; allowed: policies that bank"
        )

    def _standing(self, number: int) -> Standing:
        seat, kind, target = self.seats[number], self.rules.ending.kind, self.rules.ending.target
        others = [other.score for other in self.seats if other is not seat]
        before = self.seats[:number] if kind == "equal_turns" else ()
        last = self.reached is not None or any(other.score >= target for other in before)
        closing = kind == "equal_turns" and number == len(self.seats) - 1
        return Standing(seat.score, max(others, default=None), last, closing, seat.opened, seat.busts)

    def _turn(self, number: int) -> None:
        seat = self.seats[number]
        key = seat.player.key(self._standing(number))
        hand, turn_score = full_hand(self.rules), 0
        offer, self.offer = self.offer, None
        if offer is not None and seat.player.takes_over(key, offer.turn_score, offer.hand):
            hand, turn_score = offer.hand, offer.turn_score
        ended = play_turn(self.rules, seat, key, self.chance, hand, turn_score)
        seat.turns += 1
        before = seat.score
        if ended is None:
            self._win([number])
            return
        if isinstance(ended, Choice):
            self._bank(seat, ended)
        else:
            self._bust(seat, ended)
        self._settle(number, before, banked=isinstance(ended, Choice))

    def _bank(self, seat: Seat, choice: Choice) -> None:
        seat.score += choice.turn_score if choice.then == "bank" else -choice.turn_score
        seat.gained += choice.turn_score
        seat.opened, seat.busts = True, 0
        if self.rules.variants.high_stakes:
            self.offer = Offer(choice.turn_score, choice.hand)

    def _bust(self, seat: Seat, hand: Hand) -> None:
        penalty = six_dice_penalty(self.rules, seat.score) if len(hand) == 6 else 0
        in_a_row = self.rules.bust.in_a_row
        if in_a_row is not None:
            seat.busts += 1
            if seat.busts == in_a_row.busts:
                penalty, seat.busts = penalty + in_a_row.penalty, 0
        seat.lost += 1
        seat.score -= penalty
        seat.gained -= penalty

    def _settle(self, number: int, before: int, *, banked: bool) -> None:
        """See whether the match is over after a turn."""
        ending, seat = self.rules.ending, self.seats[number]
        if self.turns_only:
            self.over = seat.turns >= self.turns_only
        elif ending.kind == "final_round":
            self._settle_final_round(number)
        elif ending.kind == "equal_turns":
            self._settle_round(number)
        elif banked and (
            seat.score == ending.target != before if ending.kind == "exact" else seat.score >= ending.target
        ):
            self._win([number])

    def _settle_final_round(self, number: int) -> None:
        if self.reached is None and self.seats[number].score >= self.rules.ending.target:
            self.reached = number
        if self.reached is not None and (number + 1) % len(self.seats) == self.reached:
            self._win(self._highest())

    def _settle_round(self, number: int) -> None:
        ending, highest = self.rules.ending, self._highest()
        reached = self.extra or self.seats[highest[0]].score >= ending.target
        if number != len(self.seats) - 1 or not reached:
            return
        if len(highest) == 1 or ending.tie != "extra_rounds":
            self._win(highest)
        self.extra = True

    def _highest(self) -> list[int]:
        most = max(seat.score for seat in self.seats)
        return [number for number, seat in enumerate(self.seats) if seat.score == most]

    def _win(self, winners: list[int]) -> None:
        for number in winners:
            self.seats[number].share = 1 / len(winners)
        self.over = True


def play_turn(
    rules: Ruleset, seat: Seat, key: Hashable, chance: Iterator[float], hand: Hand, turn_score: int
) -> Choice | Hand | None:
    """Play one turn.

    Returns
    -------
    Choice, Hand or None
        The bank; or the dice that busted; or None for six spicy dice.
    """
    hot_dice = 0
    for _ in range(MOST_ROLLS):
        roll = _rolled(hand, next(chance))
        if is_instant_win(hand, roll):
            return None
        situation = _situation(rules, (seat.score, seat.opened), (turn_score, hot_dice), hand, roll)
        if not situation.choices:
            return hand
        choice = seat.player.decide(key, situation)
        if choice.then != "roll":
            return choice
        hand, turn_score, hot_dice = choice.hand, choice.turn_score, choice.hot_dice
    raise InputError(
        f"policies: no end after {MOST_ROLLS} rolls of one turn, at score {seat.score}; allowed: policies that bank"
    )


def _rolled(hand: Hand, chance: float) -> Roll:
    """Turn a random number into a roll, dice of one kind sorted."""
    number = int(chance * 6 ** len(hand))
    faces = [number // 6**place % 6 + 1 for place in reversed(range(len(hand)))]
    return tuple(face for _, face in sorted(zip(hand, faces, strict=True)))


@lru_cache(maxsize=4096)
def _rule(rules: Ruleset, score: int, opened: bool) -> BankRule:
    return bank_rule(rules, score, opened)


def _situation(rules: Ruleset, who: tuple[int, bool], before: tuple[int, int], hand: Hand, roll: Roll) -> Situation:
    score, opened = who
    turn_score, hot_dice = before
    rule, subtract = _rule(rules, score, opened), subtracts(rules, score)
    keeps = keeps_of(rules, hand, roll)
    banks = set(bank_keeps(rules, keeps))
    found: set[Choice] = set()
    for keep in keeps:
        hot = not keep.hand_left
        after = turn_score + keep.points + (rules.turn.hot_dice_bonus * 2**hot_dice if hot else 0)
        left = keep.hand_left or full_hand(rules)
        found.add(Choice("roll", after, left, hot_dice + hot, hot))
        may_bank = keep in banks and not (hot and rules.turn.hot_dice == "must_roll")
        if may_bank and rule.allows(after):
            found.add(Choice("bank", after, left, hot_dice + hot, hot))
            if subtract:
                found.add(Choice("subtract", after, left, hot_dice + hot, hot))
    return Situation(turn_score, hot_dice, hand, tuple(sorted(found)))
