"""Policies as data: how a player plays, whatever the scores. Points where not said otherwise.

* `ThresholdPolicy`: bank from so many points on, by the number of dice left, and by both scores.
* `ComputerPolicy`: the computer player of `des-10000` with its parameters.
* `Optimum`: the best play for a goal that is solved elsewhere.
* `CallablePolicy`: a Python function.

A policy says what a player wants; the rules say what he may. Who wants to bank where the rules forbid it rolls on,
so a threshold below the bank minimum means to bank as soon as that is allowed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from dice10k_math.errors import InputError
from dice10k_math.policy.cases import Case
from dice10k_math.policy.choices import Choice, Situation, Standing
from dice10k_math.policy.keeping import KEEP_KINDS, Keeping, KeepWorths, Places, RollCounts
from dice10k_math.policy.thresholds import GOAL, NEVER, ByDice, Thresholds, check_offers, check_reach

Goal = Literal["points", "win", "turns"]
GOALS: tuple[Goal, ...] = ("points", "win", "turns")


@dataclass(frozen=True, slots=True)
class ThresholdPolicy:
    """Bank from a turn score on; else keep by a rule and roll.

    Where several keeps allow a bank that is wanted, the one with the most points is banked.

    Attributes
    ----------
    bank_from
        The thresholds.
    keep
        Which dice to set aside before rolling on: "all" scoring dice; the most "points" (with the fewest dice); as
        "few" dice as possible (with the most points); by the worth of the dice left; or by what rolling them counts,
        which a bank must reach as well as the threshold; or by the places that are worth most, which says all: there
        the threshold is 0, and what `end` says is not asked.
    cases
        Other thresholds for some scores; the first case that applies counts.
    end
        "win": bank at once what wins the match (or, in a last turn, what takes the lead), and never, in a last turn,
        what leaves the player behind; do not pass an exact target that one turn can still hit.
        "plain": the thresholds alone.
    lead
        With end "win", where others have a last turn after a bank that reaches the target: bank nothing that reaches
        it with a smaller lead; None: no special rule.
    reach
        The same by the number of dice left, the lead being that before the turn, which may be below 0; a bank that
        reaches it with such a lead counts whole, whatever `leave` says. With a number of dice that is not named nothing
        is banked that reaches it. () no special rule.
    far
        With `reach`, by the number of dice left: from how far behind before the turn on that may be banked, too.
    take
        High stakes: least offered turn score to take over, by the number of dice; () never.
    leave
        High stakes, with `RollCounts`: a bank with 1, 2, ... dice left counts by so many percent less of what the turn
        score is above that of `take`: that is left to the other, who may take over. () nothing.
    """

    bank_from: Thresholds
    keep: Keeping = "all"
    cases: tuple[Case, ...] = ()
    end: Literal["plain", "win"] = "plain"
    lead: int | None = None
    reach: ByDice = ()
    take: ByDice = ()
    leave: tuple[int, ...] = ()
    far: ByDice = ()

    def __post_init__(self) -> None:
        if not isinstance(self.keep, KeepWorths | RollCounts | Places) and self.keep not in KEEP_KINDS:
            raise InputError(f"keep: {self.keep!r}; allowed: {', '.join(KEEP_KINDS)}, KeepWorths, RollCounts or Places")
        kept = [(self.keep, self.bank_from), *((case.keeping(self.keep), case.bank_from) for case in self.cases)]
        for keep, bank_from in kept:
            if isinstance(keep, Places) and bank_from != Thresholds(0):
                given = (
                    "amounts by dice"
                    if bank_from.by_dice
                    else "goal"
                    if bank_from.base == GOAL
                    else f"{bank_from.base}"
                )
                raise InputError(f"threshold: {given} with places; allowed: 0 alone, for all dice")
        if self.end not in ("plain", "win"):
            raise InputError(f"end: {self.end!r}; allowed: plain, win")
        if self.lead is not None and not 0 <= self.lead <= NEVER:
            raise InputError(f"lead: {self.lead}; allowed: 0 to {NEVER}")
        if self.lead is not None and self.end == "plain":
            raise InputError(f"lead: {self.lead} with end plain; allowed: with end win")
        if self.reach and self.end == "plain":
            raise InputError(f"reach: {self.reach} with end plain; allowed: with end win")
        check_reach(self.reach, self.far)
        check_offers(self.take, self.leave)

    def at(self, standing: Standing, target: int) -> tuple[Thresholds, Keeping]:
        """Return the thresholds and the way of keeping at a standing.

        Examples
        --------
        >>> from dice10k_math.policy import Condition
        >>> late = Case((Condition("own", at_least=True, points=9000),), Thresholds(600))
        >>> ThresholdPolicy(Thresholds(300), cases=(late,)).at(Standing(9500), 10_000)[0].base
        600
        """
        for case in self.cases:
            if case.holds(standing, target):
                return case.bank_from, case.keeping(self.keep)
        return self.bank_from, self.keep

    def offers_at(self, standing: Standing, target: int) -> tuple[ByDice, tuple[int, ...]]:
        """Return what is taken over at a standing, and which part of a bank it leaves to the other.

        Examples
        --------
        >>> from dice10k_math.policy import Condition
        >>> late = Case((Condition("own", at_least=True, points=9000),), Thresholds(600), take=((6, 50),))
        >>> ThresholdPolicy(Thresholds(300), cases=(late,), take=((6, 300),)).offers_at(Standing(9500), 10_000)
        (((6, 50),), ())
        """
        for case in self.cases:
            if case.holds(standing, target):
                take = self.take if case.take is None else case.take
                return take, self.leave if case.leave is None else case.leave
        return self.take, self.leave


@dataclass(frozen=True, slots=True)
class ComputerPolicy:
    """The computer player of `des-10000`: keeps every scoring die and banks from a threshold on.

    Attributes
    ----------
    base
        The threshold of a player who is not behind.
    step, per, most
        It rises by `step` for every full `per` points behind the leading opponent, by `most` at most.
    two, one
        It falls by this with two dice left, with one.
    least
        It is never lower.
    hot
        After hot dice the computer rolls below so many times the threshold.
    """

    base: int = 300
    step: int = 50
    per: int = 1000
    most: int = 300
    two: int = 50
    one: int = 100
    least: int = 50
    hot: int = 2

    def __post_init__(self) -> None:
        for name in ("base", "step", "per", "most", "two", "one", "least", "hot"):
            value, low = getattr(self, name), int(name == "per")
            if not isinstance(value, int) or not low <= value <= 1_000_000:
                raise InputError(f"computer: {name}={value}; allowed: {low} to 1000000")

    def threshold(self, dice: int, behind: int, *, hot: bool = False) -> int:
        """Return from which turn score on the computer banks with so many dice left.

        Examples
        --------
        >>> computer = ComputerPolicy()
        >>> computer.threshold(3, behind=0), computer.threshold(1, behind=2500), computer.threshold(6, 0, hot=True)
        (300, 300, 600)
        """
        found = self.base + min(self.most, self.step * (max(behind, 0) // self.per))
        if not hot:
            found -= {2: self.two, 1: self.one}.get(dice, 0)
        return max(found, self.least) * (self.hot if hot else 1)


@dataclass(frozen=True, slots=True)
class Optimum:
    """The best play for a goal: most expected `points` a turn, most chance to `win`, fewest `turns` alone."""

    goal: Goal = "win"

    def __post_init__(self) -> None:
        if self.goal not in GOALS:
            raise InputError(f"optimum: {self.goal!r}; allowed: {', '.join(GOALS)}")


@dataclass(frozen=True, slots=True)
class CallablePolicy:
    """A Python function as a policy.

    Attributes
    ----------
    function
        Called with the standing and the situation; returns one of the situation's choices. It must return the same
        choice whenever it is asked the same.
    sees
        What the function may look at: the "turn" alone, also the player's "own" score, or the whole "match".
        What it does not see is 0 or None in the standing. The less it sees, the faster it is evaluated.
    name
        For messages.
    """

    function: Callable[[Standing, Situation], Choice]
    sees: Literal["turn", "own", "match"] = "match"
    name: str = field(default="")

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise InputError(f"policy: {self.function!r} cannot be called; allowed: a function")
        if self.sees not in ("turn", "own", "match"):
            raise InputError(f"sees: {self.sees!r}; allowed: turn, own, match")


Policy = ThresholdPolicy | ComputerPolicy | Optimum | CallablePolicy
