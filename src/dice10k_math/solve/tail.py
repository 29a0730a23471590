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

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from math import lcm
from typing import Protocol

from dice10k_math.errors import NotConvergedError
from dice10k_math.solve.worth import Worth
from dice10k_math.turn import BankRule, Entry, TurnModel

Affine = tuple[Fraction, Fraction, Fraction]
"""Coefficients (alpha, beta, gamma) of the turn score, of 1, and of the next bonus."""

Margin = tuple[int, int, int]
"""The same three coefficients of a difference, times some positive number: its sign is what matters."""

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

    def keeps_sign(self, difference: Margin) -> bool:
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


@dataclass(frozen=True, slots=True)
class Offers:
    """What can be done after rolling a hand: the choices, and for each class of rolls the numbers of its own."""

    choices: tuple[Choice, ...]
    rolls: tuple[tuple[int, ...], ...]


class _FarTurn:
    """Policy iteration over the far end of a turn.

    `extra` is what the next bonus adds to the turn score as a remainder by the bank multiple.
    `policy` holds the number of the choice that is made after each class of rolls.
    """

    def __init__(self, model: TurnModel, rule: BankRule, worth: Worth, extra: int) -> None:
        self.model, self.rule, self.worth, self.extra = model, rule, worth, extra
        self.remainders = range(0, rule.multiple, model.step)
        self.states = tuple((hand, remainder) for hand in range(len(model.hands)) for remainder in self.remainders)
        self.offers = {state: self._offers(*state) for state in self.states}
        self.values: dict[tuple[int, int], Affine] = {}
        self.policy: dict[tuple[int, int], list[int]] = {}

    def _offers(self, hand: int, remainder: int) -> Offers:
        model = self.model.hands[hand]
        choices: list[Choice] = []
        numbers: list[tuple[int, ...]] = []
        for entry in model.entries:
            first = len(choices)
            may_bank = entry.may_bank and self.rule.most is None and self._remainder_after(entry, remainder) == 0
            choices += [Choice(entry, bank) for bank, may in ((True, may_bank), (False, entry.may_roll)) if may]
            numbers.append(tuple(range(first, len(choices))))
        rolls = tuple(tuple(chain.from_iterable(numbers[entry] for entry in roll.entries)) for roll in model.classes)
        return Offers(tuple(choices), rolls)

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

    def _scaled_worths(self, state: tuple[int, int]) -> list[tuple[int, int, int]]:
        """Worths of all choices of a state over one common denominator, which is left out: only signs matter."""
        worths = [self.worth_of(choice, state[1]) for choice in self.offers[state].choices]
        scale = lcm(*{number.denominator for worth in worths for number in worth})
        return [
            (
                alpha.numerator * (scale // alpha.denominator),
                beta.numerator * (scale // beta.denominator),
                gamma.numerator * (scale // gamma.denominator),
            )
            for alpha, beta, gamma in worths
        ]

    def bust_worth(self, hand: int) -> Fraction:
        return Fraction(self.worth.bust_on_six if hand == self.model.full else self.worth.bust)

    def start(self) -> None:
        """Choose to bank the most where possible, else to roll the most dice."""
        for state, offers in self.offers.items():
            eager = [
                (choice.bank, choice.entry.points if choice.bank else choice.entry.hand) for choice in offers.choices
            ]
            self.policy[state] = [max(numbers, key=eager.__getitem__) for numbers in offers.rolls]

    def evaluate(self) -> None:
        """Set the values to those of the policy: each coefficient in its turn solves a linear system."""
        alpha = self._solve(lambda choice, _: Fraction(self.worth.slope if choice.bank else 0), 1, 0)
        gamma = dict.fromkeys(self.states, Fraction(0))
        if self.model.bonus:
            gamma = self._solve(lambda choice, remainder: self._gained(choice, remainder, alpha, hot=True), 2, 0)
        beta = self._solve(lambda choice, remainder: self._gained(choice, remainder, alpha, hot=False), 1, 1)
        self.values = {state: (alpha[state], beta[state], gamma[state]) for state in self.states}

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
        for hand, remainder in self.states:
            model = self.model.hands[hand]
            row = [Fraction(0)] * (size + 1)
            row[size] = endings * (
                model.bust * self.bust_worth(hand) + model.instant_win * Fraction(self.worth.instant_win)
            )
            for choice, weight in self._play(hand, remainder):
                row[size] += weight * gain(choice, remainder)
                if choice.bank:
                    continue
                after = self._remainder_after(choice.entry, remainder)
                if choice.entry.hot:
                    row[after // self.model.step] += weight * hot_factor
                else:
                    row = [x + weight * y for x, y in zip(row, rows[choice.entry.hand, after], strict=True)]
            rows[hand, remainder] = [x / model.outcomes for x in row]
        full = _fixed_point([rows[self.model.full, remainder] for remainder in self.remainders])
        return {state: row[size] + sum(x * y for x, y in zip(row, full, strict=False)) for state, row in rows.items()}

    def _play(self, hand: int, remainder: int) -> list[tuple[Choice, int]]:
        """Return the choices that the policy makes after rolling a hand, with the number of outcomes."""
        weights: dict[int, int] = defaultdict(int)
        for roll, number in zip(self.model.hands[hand].classes, self.policy[hand, remainder], strict=True):
            weights[number] += roll.weight
        choices = self.offers[hand, remainder].choices
        return [(choices[number], weight) for number, weight in weights.items()]

    def improve(self, at: tuple[int, int]) -> bool:
        """Take the best choices at the point (turn score, next bonus); tell whether anything changed."""
        turn_score, bonus = at
        changed = False
        for state, offers in self.offers.items():
            scores = [alpha * turn_score + beta + gamma * bonus for alpha, beta, gamma in self._scaled_worths(state)]
            policy = self.policy[state]
            for roll, numbers in enumerate(offers.rolls):
                best = max(numbers, key=scores.__getitem__)
                if scores[best] > scores[policy[roll]]:
                    policy[roll] = best
                    changed = True
        return changed

    def margins(self) -> Iterator[Margin]:
        """Yield by how much each choice of the policy is better than each other one, up to a positive factor."""
        for state, offers in self.offers.items():
            worths = self._scaled_worths(state)
            pairs = {
                (chosen, other)
                for chosen, numbers in zip(self.policy[state], offers.rolls, strict=True)
                for other in numbers
            }
            for chosen, other in pairs:
                best, second = worths[chosen], worths[other]
                yield best[0] - second[0], best[1] - second[1], best[2] - second[2]

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


def _start_of(margins: Iterator[Margin], least: int) -> int | None:
    """Least turn score from which every margin is at least 0; None: some margin falls below it for ever."""
    start = least
    for alpha, beta, _ in margins:
        if alpha < 0 or (alpha == 0 and beta < 0):
            return None
        if alpha > 0 and alpha * start + beta < 0:
            start = -(beta // alpha)
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
