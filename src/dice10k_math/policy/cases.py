"""What changes by both scores: conditions on them, and cases in which they hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dice10k_math.errors import InputError
from dice10k_math.policy.choices import Standing
from dice10k_math.policy.keeping import MOST_COUNT, Keeping, Places, RollCounts
from dice10k_math.policy.thresholds import ByDice, Thresholds, check_offers

Subject = Literal["own", "opponent", "behind", "ahead", "to_go", "opponent_to_go", "closing"]
SUBJECTS: tuple[Subject, ...] = ("own", "opponent", "behind", "ahead", "to_go", "opponent_to_go", "closing")


@dataclass(frozen=True, slots=True)
class Condition:
    """A bound on what a player knows at the start of his turn.

    Attributes
    ----------
    subject
        `own` score; `opponent`: the best score among the others; how far `behind` or `ahead` of it the player is;
        points `to_go` to the target (the distance, where banks can pass it), and those of the opponent; `closing`: 1
        for the last turn of a round (equal turns), else 0.
    at_least
        Whether the subject must be at least `points`, or less.
    """

    subject: Subject
    at_least: bool
    points: int

    def __post_init__(self) -> None:
        if self.subject not in SUBJECTS:
            raise InputError(f"condition on {self.subject!r}; allowed: {', '.join(SUBJECTS)}")

    def holds(self, standing: Standing, target: int) -> bool:
        """Tell whether the condition holds; one on an opponent does not hold for a player alone.

        Examples
        --------
        >>> Condition("behind", at_least=True, points=1000).holds(Standing(2000, 3500), target=10_000)
        True
        """
        own, other = standing.score, standing.opponent
        if self.subject == "own":
            return (own >= self.points) is self.at_least
        if self.subject == "closing":
            return (standing.closing >= self.points) is self.at_least
        if self.subject == "to_go":
            return (abs(target - own) >= self.points) is self.at_least
        if other is None:
            return False
        amount = {
            "opponent": other,
            "behind": other - own,
            "ahead": own - other,
            "opponent_to_go": abs(target - other),
        }[self.subject]
        return (amount >= self.points) is self.at_least


@dataclass(frozen=True, slots=True)
class Case:
    """Other thresholds where all of some conditions hold.

    Attributes
    ----------
    conditions
        All of them must hold.
    bank_from
        The thresholds.
    bold
        With `RollCounts` and `Places`: how much more it counts to roll on.
    keep
        Another way of keeping; None: that of the policy.
    take, leave
        High stakes: other offers that are taken over, and another part that a bank leaves; None: as the policy.
    """

    conditions: tuple[Condition, ...]
    bank_from: Thresholds
    bold: int = 0
    keep: Keeping | None = None
    take: ByDice | None = None
    leave: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        check_offers(self.take or (), self.leave or ())
        if abs(self.bold) > MOST_COUNT:
            raise InputError(f"bold: {self.bold}; allowed: up to {MOST_COUNT} points")
        if not self.conditions:
            raise InputError("case: no condition; allowed: at least one")

    def holds(self, standing: Standing, target: int) -> bool:
        """Tell whether the case applies."""
        return all(condition.holds(standing, target) for condition in self.conditions)

    def keeping(self, usual: Keeping) -> Keeping:
        """Return the way of keeping, with that of the policy."""
        keep = self.keep or usual
        if isinstance(keep, RollCounts | Places):
            return keep.bolder(self.bold) if self.bold else keep
        if self.bold:
            raise InputError(f"bold: {self.bold} with keep={keep}; allowed: with counts or places")
        return keep
