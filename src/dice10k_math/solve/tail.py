"""The far end of a turn, solved in closed form: no cut-off in the turn score is needed.

Far out, the best play no longer depends on the turn score itself, only on the hand and on the remainders by the bank
multiple of the turn score and of the bonus that the next hot dice bring.
Under such a play the value of rolling is affine,

    value(hand, T, b) = alpha * T + beta + gamma * b,

with T the turn score and b that bonus. The coefficients solve a linear system, in exact fractions.
The remainders of the bonus b0, 2 * b0, 4 * b0, ... come round in a cycle sooner or later (*phases*): often of one
member, but a bonus of 500
leaves 200, 100, 200, 100, ... by a multiple of 300. Hot dice lead from each phase to the next.

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
  The play of a phase is checked from the first k on at which that phase comes.

Whether there is a finite value at all is decided beforehand: see `growth`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import chain, count, product
from math import lcm
from typing import Protocol

from dice10k_math.errors import NotConvergedError
from dice10k_math.solve.growth import check_growth
from dice10k_math.solve.worth import Worth
from dice10k_math.turn import BankRule, Entry, TurnModel

Number = Fraction | float
"""Exact or rounded, as the policy is proved or looked for."""

Affine = tuple[Fraction, Fraction, Fraction]
"""Coefficients (alpha, beta, gamma) of the turn score, of 1, and of the next bonus."""

State = tuple[int, int, int]
"""Hand, remainder of the turn score and remainder of the next bonus, both by the bank multiple."""

Margin = tuple[int, int, int]
"""The same three coefficients of a difference, times some positive number: its sign is what matters."""

FAR = 10**12
"""A turn score beyond every comparison that a real ruleset calls for; what is chosen there is proved afterwards."""
FAR_LEVELS = (20, 40)
"""Numbers of hot dice at which the play of the far turn is looked for."""

MOST_ROUNDS = 200


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

    @property
    def middle(self) -> tuple[int, int]:
        """The point between the corners."""
        (low, bonus), (high, _) = self.corners
        return (low + high) // 2, bonus

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
        Coefficients by hand and remainders.
    start
        Without a bonus: the least turn score from which they are proved.
    levels
        With a bonus: the number of hot dice from which they are proved; else 0.
    multiple
        The bank multiple.
    """

    values: dict[State, Affine]
    start: int
    levels: int
    multiple: int

    def value(self, hand: int, turn_score: int, next_bonus: int = 0) -> Fraction:
        """Return the value of rolling `hand`."""
        alpha, beta, gamma = self.values[hand, turn_score % self.multiple, next_bonus % self.multiple]
        return alpha * turn_score + beta + gamma * next_bonus


class Gain(Protocol):
    """What a choice gains: (choice, state before the roll) -> fraction."""

    def __call__(self, choice: Choice, state: State) -> Number:
        """Return the gain."""
        ...


@dataclass(frozen=True, slots=True)
class Offers:
    """What can be done after rolling a hand: the choices, and for each class of rolls the numbers of its own."""

    choices: tuple[Choice, ...]
    rolls: tuple[tuple[int, ...], ...]


class _FarTurn:
    """Policy iteration over the far end of a turn.

    `phases` are the remainders of the bonus by the bank multiple, in the order in which they come round.
    `policy` holds the number of the choice that is made after each class of rolls.
    `exact`: whether the values are those of the policy exactly, or rounded, to find the policy.
    """

    def __init__(self, model: TurnModel, rule: BankRule, worth: Worth, phases: tuple[int, ...] = (0,)) -> None:
        self.model, self.rule, self.worth, self.phases = model, rule, worth, phases
        self.remainders = range(0, rule.multiple, model.step)
        self.states = tuple(product(range(len(model.hands)), self.remainders, phases))
        self.offers = {state: self._offers(state) for state in self.states}
        self.values: dict[State, Affine] = {}
        self.policy: dict[State, list[int]] = {}
        self.exact = False

    def _offers(self, state: State) -> Offers:
        model = self.model.hands[state[0]]
        choices: list[Choice] = []
        numbers: list[tuple[int, ...]] = []
        for entry in model.entries:
            first = len(choices)
            may_bank = entry.may_bank and self.rule.most is None and self._after(entry, state)[1] == 0
            choices += [Choice(entry, bank) for bank, may in ((True, may_bank), (False, entry.may_roll)) if may]
            numbers.append(tuple(range(first, len(choices))))
        rolls = tuple(tuple(chain.from_iterable(numbers[entry] for entry in roll.entries)) for roll in model.classes)
        return Offers(tuple(choices), rolls)

    def _after(self, entry: Entry, state: State) -> State:
        """Return the state that an entry leads to: hot dice double the next bonus."""
        _, remainder, bonus = state
        if not entry.hot:
            return entry.hand, (remainder + entry.points) % self.rule.multiple, bonus
        return entry.hand, (remainder + entry.points + bonus) % self.rule.multiple, 2 * bonus % self.rule.multiple

    def worth_of(self, choice: Choice, state: State) -> Affine:
        """Affine worth of a choice, in the turn score and next bonus before the roll."""
        entry = choice.entry
        if choice.bank:
            slope = Fraction(self.worth.slope)
            return slope, slope * entry.points + self.worth.intercept, slope if entry.hot else Fraction(0)
        alpha, beta, gamma = self.values[self._after(entry, state)]
        if entry.hot:
            return alpha, alpha * entry.points + beta, alpha + 2 * gamma
        return alpha, alpha * entry.points + beta, gamma

    def _scaled_worths(self, state: State) -> list[tuple[int, int, int]]:
        """Worths of all choices of a state over one common denominator, which is left out: only signs matter."""
        worths = [self.worth_of(choice, state) for choice in self.offers[state].choices]
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
        gamma: dict[State, Number] = dict.fromkeys(self.states, Fraction(0))
        if self.model.bonus and any(alpha.values()):
            gamma = self._solve(lambda choice, state: self._gained(choice, state, alpha, hot=True), 2, 0)
        beta = self._solve(lambda choice, state: self._gained(choice, state, alpha, hot=False), 1, 1)
        self.values = {
            state: (Fraction(alpha[state]), Fraction(beta[state]), Fraction(gamma[state])) for state in self.states
        }

    def _gained(self, choice: Choice, state: State, alpha: dict[State, Number], *, hot: bool) -> Number:
        entry = choice.entry
        slope = Fraction(self.worth.slope) if choice.bank else alpha[self._after(entry, state)]
        if hot:
            return slope if entry.hot else Fraction(0)
        return slope * entry.points + (self.worth.intercept if choice.bank else 0)

    def _solve(self, gain: Gain, hot_factor: int, endings: int) -> dict[State, Number]:
        """Solve value = gain + (value after the roll, times `hot_factor` after hot dice) over all states.

        Hands only shrink until hot dice bring the full hand back, in the next phase. So every value is written in
        terms of those of the full hand there;
        once round all phases, those of the first phase are written in terms of themselves, and only that small system
        is solved.
        """
        rows = self._rows_in_full(gain, hot_factor, endings)
        blocks = [[rows[self.model.full, remainder, phase] for remainder in self.remainders] for phase in self.phases]
        full = {self.phases[0]: _fixed_point(reduce(_composed, blocks))}
        after = dict(zip(self.phases, (*self.phases[1:], self.phases[0]), strict=True))
        for phase, block in reversed(list(zip(self.phases, blocks, strict=True))):
            full[phase] = [_at(row, full[after[phase]]) for row in block]
        return {state: _at(row, full[after[state[2]]]) for state, row in rows.items()}

    def _rows_in_full(self, gain: Gain, hot_factor: int, endings: int) -> dict[State, list[Number]]:
        """Return each value as a row: factors of the values of the full hand in the next phase, then a constant."""
        size = len(self.remainders)
        number: type[Fraction] | type[float] = Fraction if self.exact else float
        rows: dict[State, list[Number]] = {}
        for state in self.states:
            hand = state[0]
            model = self.model.hands[hand]
            row: list[Number] = [number(0)] * (size + 1)
            ends = model.bust * self.bust_worth(hand) + model.instant_win * Fraction(self.worth.instant_win)
            row[size] = number(endings * ends)
            for choice, weight in self._play(state):
                row[size] += number(weight * gain(choice, state))
                if choice.bank:
                    continue
                after = self._after(choice.entry, state)
                if choice.entry.hot:
                    row[after[1] // self.model.step] += weight * hot_factor
                else:
                    row = [x + weight * y for x, y in zip(row, rows[after], strict=True)]
            rows[state] = [x / model.outcomes for x in row]
        return rows

    def _play(self, state: State) -> list[tuple[Choice, int]]:
        """Return the choices that the policy makes in a state, with the number of outcomes."""
        weights: dict[int, int] = defaultdict(int)
        for roll, number in zip(self.model.hands[state[0]].classes, self.policy[state], strict=True):
            weights[number] += roll.weight
        choices = self.offers[state].choices
        return [(choices[number], weight) for number, weight in weights.items()]

    def improve(self, at: dict[int, tuple[int, int]]) -> bool:
        """Take the best choices at a point (turn score, next bonus) of each phase; tell whether anything changed."""
        changed = False
        for state, offers in self.offers.items():
            turn_score, bonus = at[state[2]]
            scores = [alpha * turn_score + beta + gamma * bonus for alpha, beta, gamma in self._scaled_worths(state)]
            policy = self.policy[state]
            for roll, numbers in enumerate(offers.rolls):
                best = max(numbers, key=scores.__getitem__)
                if scores[best] > scores[policy[roll]]:
                    policy[roll] = best
                    changed = True
        return changed

    def margins(self) -> Iterator[tuple[int, Margin]]:
        """Yield by how much each choice of the policy is better than each other one, up to a positive factor.

        Each comes after the phase in which it counts.
        """
        for state, offers in self.offers.items():
            worths = self._scaled_worths(state)
            pairs = {
                (chosen, other)
                for chosen, numbers in zip(self.policy[state], offers.rolls, strict=True)
                for other in numbers
            }
            for chosen, other in pairs:
                best, second = worths[chosen], worths[other]
                yield state[2], (best[0] - second[0], best[1] - second[1], best[2] - second[2])

    def settle(self, at: dict[int, tuple[int, int]], *, exact: bool) -> bool:
        """Iterate to the best play at a point of each phase, from the play that was best at the last ones.

        Rounding finds the play fast; whether it settles depends on luck with choices that are equally good.
        """
        self.exact = exact
        if not self.policy:
            self.start()
        for _ in range(MOST_ROUNDS):
            self.evaluate()
            if not self.improve(at):
                return True
        return False


def _at(row: list[Number], values: list[Number]) -> Number:
    """Return the value of a row of factors and a constant."""
    return row[-1] + sum(factor * value for factor, value in zip(row, values, strict=False) if factor)


def _composed(outer: list[list[Number]], inner: list[list[Number]]) -> list[list[Number]]:
    """Return the rows of `outer`, whose unknowns the rows of `inner` express, in terms of the unknowns of `inner`."""
    columns = list(zip(*inner, strict=True))
    found = []
    for row in outer:
        used = [(number, factor) for number, factor in enumerate(row[:-1]) if factor]
        made = [sum(factor * column[number] for number, factor in used) for column in columns]
        found.append([*made[:-1], made[-1] + row[-1]])
    return found


def _fixed_point(rows: list[list[Number]]) -> list[Number]:
    """Solve x = constants + matrix x, each row being the matrix row followed by the constant."""
    size = len(rows)
    system: list[list[Number]] = [[*((i == j) - rows[i][j] for j in range(size)), rows[i][size]] for i in range(size)]
    for column in range(size):
        sizes = [abs(float(system[row][column])) for row in range(column, size)]
        pivot = column + sizes.index(max(sizes))
        if not system[pivot][column]:
            raise NotConvergedError("the play of the far turn has no finite value")
        system[column], system[pivot] = system[pivot], system[column]
        head = system[column][column]
        system[column] = [x / head for x in system[column]]
        for row in range(size):
            factor = system[row][column]
            if row != column and factor:
                system[row] = [x - factor * y for x, y in zip(system[row], system[column], strict=True)]
    return [row[size] for row in system]


def _start_of(margins: Iterator[tuple[int, Margin]], least: int) -> int | None:
    """Least turn score from which every margin is at least 0; None: some margin falls below it for ever."""
    start = least
    for _, (alpha, beta, _) in margins:
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
    check_growth(model, rule, worth)
    if model.bonus:
        return _tail_with_bonus(model, rule, worth)
    least = max(rule.minimum, worth.beyond, 0 if rule.most is None else rule.most + 1)
    far = _FarTurn(model, rule, worth)
    far.settle({0: (FAR, 0)}, exact=False)
    settled = far.settle({0: (FAR, 0)}, exact=True)
    start = _start_of(far.margins(), least) if settled else None
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


def phases_of(bonus: int, multiple: int) -> tuple[int, ...]:
    """Return the remainders of bonus, 2 * bonus, 4 * bonus, ... by the bank multiple that come round for ever.

    Examples
    --------
    >>> phases_of(500, 100), phases_of(500, 1000), phases_of(500, 300)
    ((0,), (0,), (200, 100))
    """
    seen: list[int] = []
    remainder = bonus % multiple
    while remainder not in seen:
        seen.append(remainder)
        remainder = 2 * remainder % multiple
    return tuple(seen[seen.index(remainder) :])


def _tail_with_bonus(model: TurnModel, rule: BankRule, worth: Worth) -> Tail:
    phases = phases_of(model.bonus, rule.multiple)
    far = _FarTurn(model, rule, worth, phases)
    for far_levels in FAR_LEVELS:
        regions = _regions(model, rule, far_levels, len(phases))
        at = {phase: region.middle for phase, region in regions.items()}
        far.settle(at, exact=False)
        if far.settle(at, exact=True) and _is_bounded(far.values):
            levels = _levels_of(far, _first_levels(model, rule, worth, phases), far_levels)
            if levels is not None:
                return Tail(far.values, 0, levels, rule.multiple)
    raise NotConvergedError("no number of hot dice was found from which one play is best for ever")


def _first_levels(model: TurnModel, rule: BankRule, worth: Worth, phases: tuple[int, ...]) -> int:
    """Return the first number of hot dice after which the bonus is in its cycle and banking worth its line."""
    least = max(rule.minimum, worth.beyond, 0 if rule.most is None else rule.most + 1)
    return next(
        levels
        for levels in count(1)
        if model.bonus_after(levels) % rule.multiple in phases and model.bonus_after(levels) - model.bonus >= least
    )


def _levels_of(far: _FarTurn, levels: int, most: int) -> int | None:
    """Return the least number of hot dice, from `levels` to `most`, from which every margin is at least 0.

    Each region lies within the one before, so that a margin once checked need not be checked again.
    """
    regions = _regions(far.model, far.rule, levels, len(far.phases))
    for phase, margin in far.margins():
        while not regions[phase].keeps_sign(margin):
            levels += 1
            if levels > most:
                return None
            regions = _regions(far.model, far.rule, levels, len(far.phases))
    return levels


def _regions(model: TurnModel, rule: BankRule, levels: int, phases: int) -> dict[int, Region]:
    """Return for each phase what can be reached after at least that many hot dice."""
    return {model.bonus_after(n) % rule.multiple: _region(model, n) for n in range(levels, levels + phases)}


def _region(model: TurnModel, levels: int) -> Region:
    """Return what can be reached after at least that many hot dice, from the first time that they are that many."""
    bonus = model.bonus_after(levels)
    low = bonus - model.bonus
    wide = most_points(model)[-1] * (levels + 1)
    return Region(((low, bonus), (low + wide, bonus)), ((bonus, bonus), (bonus + wide, bonus)))


def _is_bounded(values: dict[State, Affine]) -> bool:
    """Tell whether the values stay above some bound: a negative slope would be the mark of an infinite expectation."""
    return all(alpha >= 0 and gamma >= 0 for alpha, _, gamma in values.values())
