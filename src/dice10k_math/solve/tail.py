"""The far end of a turn, solved in closed form: no cut-off in the turn score is needed.

Far out, the best play no longer depends on the turn score itself, only on the hand and on the remainder of the turn
score by the bank multiple.
Under such a play the value of rolling is affine,

    value(hand, T, b) = alpha * T + beta + gamma * b,

with T the turn score and b the bonus that the next hot dice bring. The coefficients solve a linear system, in exact
fractions.

*Proof that the play is best.* A region of pairs (T, b) is closed: a turn that enters it stays in it. Suppose that in
the region no choice
after any roll is better, by these affine values, than the one the play makes. Then the values satisfy the optimality
equation there.
Under any other play they never fall short of what is still to come on the average (they are a supermartingale); they
are bounded below, and
the turn ends with probability 1, so no play gets more. Hence they are the best values.

The condition is a finite number of inequalities, each of them linear in (T, b), to be checked at the corners of the
region and along its
extreme directions:

* without a bonus the region is T >= `start`;
* with a bonus it is all that can be reached after `levels` hot dice: hot dice bring at most M points besides their
bonus,
  so T - b lies between -b0 and -b0 + M * (k + 1) after k hot dice, where b = b0 * 2**k.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from dice10k_math.errors import NotConvergedError
from dice10k_math.solve.worth import Worth
from dice10k_math.turn import BankRule, Entry, HandModel, TurnModel

Affine = tuple[Fraction, Fraction, Fraction]
"""Coefficients (alpha, beta, gamma) of the turn score, of 1, and of the next bonus."""

ZERO: Affine = (Fraction(0), Fraction(0), Fraction(0))
FAR = 10**12
"""A turn score beyond every comparison that a real ruleset calls for; what is chosen there is proved afterwards."""
MOST_LEVELS = 40


@dataclass(frozen=True, slots=True)
class Choice:
    """One thing to do after a roll: an entry, and whether to bank with it."""

    entry: Entry
    bank: bool


@dataclass(frozen=True, slots=True)
class Region:
    """A closed set of (turn score, next bonus): the hull of `corners` and what lies from there in the `directions`."""

    corners: tuple[tuple[int, int], ...]
    directions: tuple[tuple[int, int], ...]

    def keeps_sign(self, difference: Affine) -> bool:
        """Tell whether an affine function is at least 0 everywhere in the region."""
        alpha, beta, gamma = difference
        return all(alpha * t + gamma * b >= 0 for t, b in self.directions) and all(
            alpha * t + beta + gamma * b >= 0 for t, b in self.corners
        )


@dataclass(frozen=True, slots=True)
class Tail:
    """The values far out and the place from which they hold.

    Attributes
    ----------
    values
        Coefficients by (hand, remainder of the turn score by the bank multiple).
    start
        Without a bonus: the least turn score from which they are proved.
    levels
        With a bonus: the number of hot dice from which they are proved; else 0.
    multiple
        The bank multiple.
    """

    values: dict[tuple[int, int], Affine]
    start: int
    levels: int
    multiple: int

    def value(self, hand: int, turn_score: int, next_bonus: int = 0) -> Fraction:
        """Return the value of rolling `hand`."""
        alpha, beta, gamma = self.values[hand, turn_score % self.multiple]
        return alpha * turn_score + beta + gamma * next_bonus


class Gain(Protocol):
    """What a choice gains: (choice, remainder of the turn score before the roll) -> fraction."""

    def __call__(self, choice: Choice, remainder: int) -> Fraction:
        """Return the gain."""
        ...


class _FarTurn:
    """Policy iteration over the far end of a turn.

    `extra` is what the next bonus adds to the turn score as a remainder by the bank multiple.
    """

    def __init__(self, model: TurnModel, rule: BankRule, worth: Worth, extra: int) -> None:
        self.model, self.rule, self.worth, self.extra = model, rule, worth, extra
        self.remainders = range(0, rule.multiple, model.step)
        self.values: dict[tuple[int, int], Affine] = {}
        self.policy: dict[tuple[int, int], list[Choice]] = {}

    def choices(self, hand: HandModel, entries: tuple[int, ...], remainder: int) -> Iterator[Choice]:
        for number in entries:
            entry = hand.entries[number]
            after = self._remainder_after(entry, remainder)
            if entry.may_bank and after == 0 and self.rule.most is None:
                yield Choice(entry, True)
            if entry.may_roll:
                yield Choice(entry, False)

    def _remainder_after(self, entry: Entry, remainder: int) -> int:
        return (remainder + entry.points + (self.extra if entry.hot else 0)) % self.rule.multiple

    def worth_of(self, choice: Choice, remainder: int) -> Affine:
        """Affine worth of a choice, in the turn score and next bonus before the roll."""
        entry = choice.entry
        if choice.bank:
            slope = Fraction(self.worth.slope)
            return slope, slope * entry.points + self.worth.intercept, slope if entry.hot else Fraction(0)
        alpha, beta, gamma = self.values[entry.hand, self._remainder_after(entry, remainder)]
        if entry.hot:
            return alpha, alpha * entry.points + beta, alpha + 2 * gamma
        return alpha, alpha * entry.points + beta, gamma

    def states(self) -> Iterator[tuple[int, int]]:
        return ((hand, remainder) for hand in range(len(self.model.hands)) for remainder in self.remainders)

    def bust_worth(self, hand: int) -> Fraction:
        return Fraction(self.worth.bust_on_six if hand == self.model.full else self.worth.bust)

    def start(self) -> None:
        """Choose to bank the most where possible, else to roll the most dice."""
        self.policy = {
            (hand, remainder): [
                max(
                    self.choices(self.model.hands[hand], roll.entries, remainder),
                    key=lambda choice: (choice.bank, choice.entry.points if choice.bank else choice.entry.hand),
                )
                for roll in self.model.hands[hand].classes
            ]
            for hand, remainder in self.states()
        }

    def evaluate(self) -> None:
        """Set the values to those of the policy: each coefficient in its turn solves a linear system."""
        alpha = self._solve(lambda choice, _: Fraction(self.worth.slope if choice.bank else 0), 1, 0)
        gamma = self._solve(lambda choice, remainder: self._gained(choice, remainder, alpha, hot=True), 2, 0)
        beta = self._solve(lambda choice, remainder: self._gained(choice, remainder, alpha, hot=False), 1, 1)
        self.values = {state: (alpha[state], beta[state], gamma[state]) for state in self.states()}

    def _gained(self, choice: Choice, remainder: int, alpha: dict[tuple[int, int], Fraction], *, hot: bool) -> Fraction:
        entry = choice.entry
        slope = (
            Fraction(self.worth.slope) if choice.bank else alpha[entry.hand, self._remainder_after(entry, remainder)]
        )
        if hot:
            return slope if entry.hot else Fraction(0)
        return slope * entry.points + (self.worth.intercept if choice.bank else 0)

    def _solve(self, gain: Gain, hot_factor: int, endings: int) -> dict[tuple[int, int], Fraction]:
        """Solve value = gain + (value after the roll, times `hot_factor` after hot dice) over all states.

        Hands only shrink until hot dice bring the full hand back, so every value is written in terms of those of the
        full hand,
        and only that small system is solved.
        """
        size = len(self.remainders)
        rows: dict[tuple[int, int], list[Fraction]] = {}
        for hand, remainder in self.states():
            model = self.model.hands[hand]
            row = [Fraction(0)] * (size + 1)
            row[size] = endings * (
                model.bust * self.bust_worth(hand) + model.instant_win * Fraction(self.worth.instant_win)
            )
            for roll, choice in zip(model.classes, self.policy[hand, remainder], strict=True):
                row[size] += roll.weight * gain(choice, remainder)
                if choice.bank:
                    continue
                after = self._remainder_after(choice.entry, remainder)
                if choice.entry.hot:
                    row[after // self.model.step] += roll.weight * hot_factor
                else:
                    row = [x + roll.weight * y for x, y in zip(row, rows[choice.entry.hand, after], strict=True)]
            rows[hand, remainder] = [x / model.outcomes for x in row]
        full = _fixed_point([rows[self.model.full, remainder] for remainder in self.remainders])
        return {state: row[size] + sum(x * y for x, y in zip(row, full, strict=False)) for state, row in rows.items()}

    def improve(self, at: tuple[int, int]) -> bool:
        """Take the best choices at the point (turn score, next bonus); tell whether anything changed."""
        turn_score, bonus = at
        changed = False
        for hand, remainder in self.states():
            model = self.model.hands[hand]
            for number, roll in enumerate(model.classes):
                scored = [
                    (alpha * turn_score + beta + gamma * bonus, choice)
                    for choice in self.choices(model, roll.entries, remainder)
                    for alpha, beta, gamma in (self.worth_of(choice, remainder),)
                ]
                best, choice = max(scored, key=lambda pair: pair[0])
                now = next(value for value, old in scored if old == self.policy[hand, remainder][number])
                if best > now:
                    self.policy[hand, remainder][number] = choice
                    changed = True
        return changed

    def margins(self) -> Iterator[Affine]:
        """Yield by how much each choice of the policy is better than each other one."""
        for hand, remainder in self.states():
            model = self.model.hands[hand]
            for roll, chosen in zip(model.classes, self.policy[hand, remainder], strict=True):
                best = self.worth_of(chosen, remainder)
                for choice in self.choices(model, roll.entries, remainder):
                    if choice != chosen:
                        other = self.worth_of(choice, remainder)
                        yield best[0] - other[0], best[1] - other[1], best[2] - other[2]

    def settle(self, at: tuple[int, int]) -> None:
        """Iterate to the best play at a point, from the play that was best at the last one."""
        if not self.policy:
            self.start()
            self.evaluate()
        while self.improve(at):
            self.evaluate()


def _fixed_point(rows: list[list[Fraction]]) -> list[Fraction]:
    """Solve x = constants + matrix x, each row being the matrix row followed by the constant."""
    size = len(rows)
    system = [[(1 if i == j else 0) - rows[i][j] for j in range(size)] + [rows[i][size]] for i in range(size)]
    for column in range(size):
        pivot = next((row for row in range(column, size) if system[row][column] != 0), None)
        if pivot is None:
            raise NotConvergedError(
                "the far end of the turn has no finite value: hot dice pay back more than they risk"
            )
        system[column], system[pivot] = system[pivot], system[column]
        head = system[column][column]
        system[column] = [x / head for x in system[column]]
        for row in range(size):
            factor = system[row][column]
            if row != column and factor:
                system[row] = [x - factor * y for x, y in zip(system[row], system[column], strict=True)]
    return [row[size] for row in system]


def _start_of(margins: Iterator[Affine], least: int) -> int | None:
    """Least turn score from which every margin is at least 0; None: some margin falls below it for ever."""
    start = least
    for alpha, beta, _ in margins:
        if alpha < 0 or (alpha == 0 and beta < 0):
            return None
        if alpha > 0 and alpha * start + beta < 0:
            start = -(beta // alpha) if beta % alpha == 0 else int(-beta / alpha) + 1
    return start


def solve_tail(model: TurnModel, rule: BankRule, worth: Worth) -> Tail:
    """Solve the far end of a turn and prove from where its values hold.

    Raises
    ------
    NotConvergedError
        The expected worth is infinite, or no region could be proved.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> from dice10k_math.turn import bank_rule, turn_model
    >>> rules = load_rules("farkle")
    >>> solve_tail(turn_model(rules), bank_rule(rules, 1000), Worth()).start
    16550
    """
    if model.bonus:
        return _tail_with_bonus(model, rule, worth)
    least = max(rule.minimum, worth.beyond, 0 if rule.most is None else rule.most + 1)
    far = _FarTurn(model, rule, worth, extra=0)
    far.settle((FAR, 0))
    start = _start_of(far.margins(), least)
    if start is None:
        raise NotConvergedError("no turn score was found from which one play is best for ever")
    return Tail(far.values, -(-start // model.step) * model.step, 0, rule.multiple)


def most_points(model: TurnModel) -> dict[int, int]:
    """Return the most that can be kept, without bonus, until each hand is left; -1 stands for no dice left."""
    most = {model.full: 0}
    for index in range(model.full, -1, -1):
        if index not in most:
            continue
        for entry in model.hands[index].entries:
            after = -1 if entry.hot else entry.hand
            most[after] = max(most.get(after, 0), most[index] + entry.points)
    return most


def _tail_with_bonus(model: TurnModel, rule: BankRule, worth: Worth) -> Tail:
    most = most_points(model)[-1]
    least = max(rule.minimum, worth.beyond, 0 if rule.most is None else rule.most + 1)
    far: _FarTurn | None = None
    for levels in range(1, MOST_LEVELS):
        bonus = model.bonus_after(levels)
        low = bonus - model.bonus
        if low < least or 2 * bonus % rule.multiple != bonus % rule.multiple:
            continue
        wide = most * (levels + 1)
        far = far or _FarTurn(model, rule, worth, extra=bonus % rule.multiple)
        far.settle((low + wide // 2, bonus))
        region = Region(((low, bonus), (low + wide, bonus)), ((bonus, bonus), (bonus + wide, bonus)))
        if _is_bounded(far.values) and all(region.keeps_sign(margin) for margin in far.margins()):
            return Tail(far.values, 0, levels, rule.multiple)
    raise NotConvergedError("no number of hot dice was found from which one play is best for ever")


def _is_bounded(values: dict[tuple[int, int], Affine]) -> bool:
    """Tell whether the values stay above some bound: a negative slope would be the mark of an infinite expectation."""
    return all(alpha >= 0 and gamma >= 0 for alpha, _, gamma in values.values())
