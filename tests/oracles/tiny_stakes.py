"""A game with High Stakes small enough for a plain recursion in fractions: two dice, a 1 pays 100, a 5 pays 50.

All dice come back when both have scored, a player may bank at any time, and the first to reach the target wins.
The two turn starts that busts lead back and forth between satisfy x = F(1 - y), y = G(1 - x), with F and G made of
straight lines; their tangents are solved until nothing changes, which is then the exact value.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product

Line = tuple[Fraction, Fraction]
"""A value, and its slope in what a bust is worth."""
PAYS = {1: 100, 5: 50}


def keeps(roll: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """What may be kept of a roll: points, and dice left."""
    for kept in product((False, True), repeat=len(roll)):
        dice = [face for face, keep in zip(roll, kept, strict=True) if keep]
        if dice and all(face in PAYS for face in dice):
            yield sum(PAYS[face] for face in dice), len(roll) - len(dice) or 2


@dataclass
class TinyStakes:
    """Win probabilities of the mover, by both scores."""

    target: int
    opening: int
    known: dict[tuple[int, int], Fraction] = field(default_factory=dict)

    def value(self, own: int, other: int) -> Fraction:
        """Starting afresh."""
        if (own, other) not in self.known:
            self._solve(own, other)
        return self.known[own, other]

    def offer(self, own: int, other: int, points: int, dice: int) -> Fraction:
        """Taking over so many points, to roll these dice."""
        return self._roll(own, other, points, dice, 1 - self.value(other, own), {})[0]

    def _solve(self, own: int, other: int) -> None:
        first = second = Fraction(1, 2)
        while True:
            before = first, second
            (one, slope), (two, slope_two) = (
                self._roll(*pair, 0, 2, 1 - bust, {}) for pair, bust in (((own, other), second), ((other, own), first))
            )
            rest, rest_two = one - slope * (1 - second), two - slope_two * (1 - first)
            # x = rest + slope * (1 - y), y = rest_two + slope_two * (1 - x)
            first = (rest + slope - slope * rest_two - slope * slope_two) / (1 - slope * slope_two)
            second = rest_two + slope_two * (1 - first)
            if (first, second) == before:
                self.known[own, other], self.known[other, own] = first, second
                return

    def _roll(
        self, own: int, other: int, points: int, dice: int, bust: Fraction, memo: dict[tuple[int, int], Line]
    ) -> Line:
        """About to roll so many dice."""
        if (points, dice) not in memo:
            total, slope = Fraction(0), Fraction(0)
            for roll in product(range(1, 7), repeat=dice):
                choices = [
                    choice
                    for paid, left in keeps(roll)
                    for choice in self._choices(own, other, points + paid, left, bust, memo)
                ]
                best = max(choices, default=(bust, Fraction(1)))
                total, slope = total + best[0], slope + best[1]
            memo[points, dice] = total / 6**dice, slope / 6**dice
        return memo[points, dice]

    def _choices(
        self, own: int, other: int, points: int, left: int, bust: Fraction, memo: dict[tuple[int, int], Line]
    ) -> Iterator[Line]:
        may_bank = own > 0 or points >= self.opening
        if may_bank and own + points >= self.target:
            yield Fraction(1), Fraction(0)
            return
        yield self._roll(own, other, points, left, bust, memo)
        if may_bank:
            after = other, own + points
            yield 1 - max(self.value(*after), self.offer(*after, points, left)), Fraction(0)
