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
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Literal

from dice10k_math.errors import InputError
from dice10k_math.policy.choices import Choice, Situation, Standing

NEVER = 1_000_000_000
"""A threshold that says never to bank."""
GOAL = -1
"""A threshold that says to bank only what reaches the target."""
MOST_DICE = 6
MOST_COUNT = 1_000_000
WINS = 10_000
"""Of so many matches wins are counted."""

Subject = Literal["own", "opponent", "behind", "ahead", "to_go", "opponent_to_go", "closing"]
SUBJECTS: tuple[Subject, ...] = ("own", "opponent", "behind", "ahead", "to_go", "opponent_to_go", "closing")
Goal = Literal["points", "win", "turns"]
GOALS: tuple[Goal, ...] = ("points", "win", "turns")
KeepKind = Literal["all", "points", "few"]
KEEP_KINDS: tuple[KeepKind, ...] = ("all", "points", "few")


@dataclass(frozen=True, slots=True)
class Thresholds:
    """From which turn score on to bank.

    Attributes
    ----------
    base
        With any number of dice left.
    by_dice
        Other amounts for some numbers of dice left: (dice, amount), most dice first. All dice left means hot dice.
        An amount may be `NEVER` or `GOAL`.
    """

    base: int
    by_dice: tuple[tuple[int, int], ...] = ()

    def __post_init__(self) -> None:
        for name, amount in (("base", self.base), *((f"{dice} dice", amount) for dice, amount in self.by_dice)):
            if not (0 <= amount <= NEVER or amount == GOAL):
                raise InputError(f"threshold for {name}: {amount}; allowed: 0 to {NEVER}, or GOAL")
        numbers = [dice for dice, _ in self.by_dice]
        if numbers != sorted(set(numbers), reverse=True) or not all(1 <= dice <= MOST_DICE for dice in numbers):
            raise InputError(f"thresholds by dice: {numbers}; allowed: numbers from {MOST_DICE} to 1, falling")
        if {self.base, *(amount for _, amount in self.by_dice)} == {NEVER}:
            raise InputError("threshold: never; a policy must bank at some time; allowed: an amount of points")

    def of(self, dice: int) -> int:
        """Return the threshold with so many dice left.

        Examples
        --------
        >>> Thresholds(300, ((2, 250),)).of(2)
        250
        """
        return dict(self.by_dice).get(dice, self.base)

    def amounts(self, dice: int) -> tuple[int, ...]:
        """Return the thresholds with 1, 2, ... `dice` dice left.

        Examples
        --------
        >>> Thresholds(300, ((2, 250),)).amounts(3)
        (300, 250, 300)
        """
        found = [self.base] * dice
        for number, amount in self.by_dice:
            if number <= dice:
                found[number - 1] = amount
        return tuple(found)


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
class KeepWorths:
    """Keep what makes turn score plus worth of the dice left greatest.

    Attributes
    ----------
    dice_left
        What it is worth, in points, to roll 1, 2, ... all dice next.
    unbankable
        What is taken off for a turn score that is no multiple of the bank multiple.
    """

    dice_left: tuple[int, ...]
    unbankable: int = 0

    def __post_init__(self) -> None:
        if not 1 <= len(self.dice_left) <= MOST_DICE:
            raise InputError(f"keep: {len(self.dice_left)} worths; allowed: one for each number of dice")
        if any(abs(worth) > NEVER for worth in (*self.dice_left, self.unbankable)):
            raise InputError(f"keep: {self.dice_left}; allowed: amounts up to {NEVER}")


@dataclass(frozen=True, slots=True)
class RollCounts:
    """What it counts to roll on: of all keeps and banks, take what counts most.

    A bank counts its turn score; rolling on with so many dice left counts some points and a part of the turn score,
    as the rest of it will be lost. So it says both what to keep and when to bank.

    Attributes
    ----------
    points, percent
        By the number of dice to roll next, 1, 2, ...
    unbankable
        What is taken off for a turn score that is no multiple of the bank multiple.
    """

    points: tuple[int, ...]
    percent: tuple[int, ...]
    unbankable: int = 0

    def __post_init__(self) -> None:
        if not 1 <= len(self.points) == len(self.percent) <= MOST_DICE:
            raise InputError(f"keep: {len(self.points)} counts; allowed: one for each number of dice")
        if any(abs(points) > MOST_COUNT for points in (*self.points, self.unbankable)):
            raise InputError(f"keep: {self.points}; allowed: points up to {MOST_COUNT}")
        if any(not 0 <= percent <= 100 for percent in self.percent):
            raise InputError(f"keep: {self.percent}; allowed: 0 to 100 percent")

    def hundredfold(self, turn_score: int, dice: int) -> int:
        """Return a hundred times what rolling so many dice counts.

        Examples
        --------
        >>> RollCounts((200, 100), (30, 50)).hundredfold(300, 2)
        25000
        """
        return 100 * self.points[dice - 1] + self.percent[dice - 1] * turn_score

    def bolder(self, points: int) -> RollCounts:
        """Return the counts of a player to whom rolling on counts so much more."""
        return replace(self, points=tuple(count + points for count in self.points))


@dataclass(frozen=True, slots=True)
class Reach:
    """Where rolling leads from so many points before an exact target, in percent.

    Attributes
    ----------
    left
        Points that are left to the target after the keep; below 0 past it.
    hope
        What the places are worth that the turn may come to without landing, in wins of 10,000 matches.
    land, come
        By the number of dice to roll next, 1, 2, ...: chance to land on the target, and to come to one of those places.
    """

    left: int
    hope: int
    land: tuple[int, ...]
    come: tuple[int, ...]

    def __post_init__(self) -> None:
        if not 1 <= len(self.land) == len(self.come) <= MOST_DICE:
            raise InputError(f"keep: {len(self.land)} chances; allowed: one for each number of dice")
        if any(not 0 <= chance <= 100 for chance in (*self.land, *self.come)):
            raise InputError(f"keep: {self.land} and {self.come}; allowed: 0 to 100 percent")
        if not 0 <= self.hope <= WINS:
            raise InputError(f"keep: a hope of {self.hope}; allowed: 0 to {WINS}")
        if abs(self.left) > MOST_COUNT:
            raise InputError(f"keep: {self.left} points left; allowed: up to {MOST_COUNT}")


@dataclass(frozen=True, slots=True)
class Places:
    """Near an exact target what counts is where a player stands: of all keeps and banks, take what is worth most.

    A bank is worth the place it leads to. Rolling on lands on the target with some chance, comes with some chance to a
    place that is worth the hope of the row, and else leaves the player where he stands.
    Between two rows, and between two places, a straight line is taken; beyond the last its value.

    Attributes
    ----------
    step
        Points between two places.
    worth
        What it is worth to stand 0, 1, 2, ... steps away from the target, on either side, in wins of 10,000 matches.
    rows
        Where rolling leads, by what is left, in rising order.
    bold
        What rolling on counts more, in wins of 10,000 matches.
    """

    step: int
    worth: tuple[int, ...]
    rows: tuple[Reach, ...]
    bold: int = 0

    def __post_init__(self) -> None:
        if not 1 <= self.step <= MOST_COUNT:
            raise InputError(f"keep: places every {self.step} points; allowed: 1 to {MOST_COUNT}")
        if not self.worth or not self.rows:
            raise InputError("keep: no places or no rows; allowed: at least one of each")
        if any(not 0 <= worth <= WINS for worth in self.worth):
            raise InputError(f"keep: places worth {self.worth}; allowed: 0 to {WINS}")
        if abs(self.bold) > WINS:
            raise InputError(f"bold: {self.bold}; allowed: up to {WINS} wins of {WINS}")
        lefts = [row.left for row in self.rows]
        if lefts != sorted(set(lefts)):
            raise InputError(f"keep: rows of {lefts} points left; allowed: rising, each once")
        if len({len(row.land) for row in self.rows}) > 1:
            raise InputError("keep: rows of unequal length; allowed: one chance for each number of dice")

    def standing(self, away: int) -> int:
        """Return a hundred times what it is worth to stand so far away.

        Examples
        --------
        >>> Places(100, (10_000, 4000, 6000), (Reach(0, 0, (0,), (0,)),)).standing(150)
        500000
        """
        number, rest = divmod(away, self.step)
        if number + 1 >= len(self.worth):
            return 100 * self.worth[-1]
        low, high = self.worth[number : number + 2]
        return 100 * low + 100 * (high - low) * rest // self.step

    def rolling(self, away: int, left: int, dice: int) -> int:
        """Return a hundred times what it is worth to roll so many dice with so much left, from so far away.

        Examples
        --------
        >>> rows = Reach(0, 5000, (0,), (0,)), Reach(100, 5000, (50,), (20,))
        >>> Places(100, (10_000, 4000, 4000), rows).rolling(200, 100, 1)
        720000
        """
        low, high, part, whole = self._around(left)
        land = low.land[dice - 1] * (whole - part) + high.land[dice - 1] * part
        come = low.come[dice - 1] * (whole - part) + high.come[dice - 1] * part
        hope = low.hope * (whole - part) + high.hope * part
        here = self.standing(away)
        # In hundredths of wins, all over `whole` twice.
        gain = land * whole * (100 * WINS - here) + come * (100 * hope - here * whole)
        return here + 100 * self.bold + gain // (100 * whole * whole)

    def _around(self, left: int) -> tuple[Reach, Reach, int, int]:
        """Return the rows on both sides, and which part of the way between them it is."""
        rows = self.rows
        if left <= rows[0].left or len(rows) == 1:
            return rows[0], rows[0], 0, 1
        for low, high in pairwise(rows):
            if left <= high.left:
                return low, high, left - low.left, high.left - low.left
        return rows[-1], rows[-1], 0, 1

    def bolder(self, wins: int) -> Places:
        """Return the same for a player to whom rolling on counts so much more."""
        return replace(self, bold=self.bold + wins)


Keeping = KeepKind | KeepWorths | RollCounts | Places


ByDice = tuple[tuple[int, int], ...]
"""Amounts for some numbers of dice, most dice first."""


def _check_numbers(name: str, by_dice: ByDice) -> None:
    numbers = [dice for dice, _ in by_dice]
    if numbers != sorted(set(numbers), reverse=True) or not all(1 <= dice <= MOST_DICE for dice in numbers):
        raise InputError(f"{name}, by dice: {numbers}; allowed: numbers from {MOST_DICE} to 1, falling")


def _check_offers(take: ByDice, leave: tuple[int, ...]) -> None:
    """Refuse offers and parts left that make no sense."""
    _check_numbers("take", take)
    if any(not 0 <= points <= NEVER for _, points in take):
        raise InputError(f"take: {take}; allowed: 0 to {NEVER} points")
    if len(leave) > MOST_DICE:
        raise InputError(f"leave: {len(leave)} parts; allowed: one for each number of dice")
    if any(not 0 <= percent <= 100 for percent in leave):
        raise InputError(f"leave: {leave}; allowed: 0 to 100 percent")


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
        _check_offers(self.take or (), self.leave or ())
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
        The same by the number of dice left, the lead being that before the turn, which may be below 0; with a number of
        dice that is not named nothing is banked that reaches it. () no special rule.
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
        _check_numbers("reach", self.reach)
        if any(abs(points) > NEVER for _, points in self.reach):
            raise InputError(f"reach: {self.reach}; allowed: leads up to {NEVER} points")
        _check_offers(self.take, self.leave)

    def at(self, standing: Standing, target: int) -> tuple[Thresholds, Keeping]:
        """Return the thresholds and the way of keeping at a standing.

        Examples
        --------
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
