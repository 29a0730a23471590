"""The best turn of the plain game, exactly: from the rules to the value, against stormpy on an explicit model.

We read the rules file and return the exact expected points of the best turn, with no cut-off in the turn score.
stormpy is given the same game as an explicit Markov decision process in rationals, in which a turn score of the
cut-off or more must be banked, and its exact engine computes the greatest expected reward.
Its model is as small as we could make it without solving it: rolls that offer the same choices are one state, of two
keeps that leave equally many dice only the one with more points is kept, and banking always takes the most points.
(Those prunings hold for expected points in this game, not in every game.) It is filled in bulk, not entry by entry.
The model's value is a lower bound of ours. Where the cut-off lies beyond the last turn score at which rolling on can
be best, both are the same fraction; the gap is printed.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from itertools import combinations_with_replacement
from math import factorial
from typing import Any

from harness import HERE, Contestant, Report, arguments, compete, finish, run_child

RULES = HERE / "rules" / "plain.toml"
CUT_OFF, QUICK_CUT_OFF = 20_000, 2_000
STEP = 50
SINGLES = {1: 100, 5: 50}
TRIPLES = {1: 1000, 2: 200, 3: 300, 4: 400, 5: 500, 6: 600}
PATTERNS = {(1, 1, 1, 1, 1, 1): 1500, (2, 2, 2): 1000}

Options = tuple[tuple[int, int], ...]
"""What a roll offers: (dice left, most points), hot dice leaving six."""


def with_ours() -> Callable[[], Any]:
    from dice10k_math import load_rules, solve_turn

    def job() -> Any:
        turn = solve_turn(load_rules(RULES), score=1000)
        assert turn.exact is not None, "no exact value"
        return turn.exact

    return job


def show(value: Any) -> list[str]:
    return [str(value.numerator), str(value.denominator)]


def options_of(roll: tuple[int, ...], patterns: Mapping[tuple[int, ...], int] = PATTERNS) -> Options:
    counts = Counter(roll)
    most = {0: 0}
    for face, count in counts.items():
        sizes = [size for size in range(1, count + 1) if size >= 3 or face in SINGLES]
        for kept, points in list(most.items()):
            for size in sizes:
                paid = TRIPLES[face] << (size - 3) if size >= 3 else size * SINGLES[face]
                most[kept + size] = max(most.get(kept + size, 0), points + paid)
    if len(roll) == 6 and (whole := patterns.get(tuple(sorted(counts.values())))):
        most[6] = max(most.get(6, 0), whole)
    return tuple(sorted((len(roll) - kept or 6, points) for kept, points in most.items() if kept))


def classes_of(dice: int, patterns: Mapping[tuple[int, ...], int] = PATTERNS) -> Counter[Options]:
    """Return what the rolls of a number of dice offer, with the number of outcomes; nothing: a bust."""
    classes: Counter[Options] = Counter()
    for roll in combinations_with_replacement(range(1, 7), dice):
        orders = factorial(dice)
        for count in Counter(roll).values():
            orders //= factorial(count)
        classes[options_of(roll, patterns)] += orders
    return classes


class Entries:
    """A decision process being written down: matrix entries in order of their rows, and rewards of the rows."""

    def __init__(self) -> None:
        self.rows: list[int] = []
        self.columns: list[int] = []
        self.values: list[Any] = []
        self.rewards: list[int] = []
        self.groups: list[int] = []

    def state(self) -> None:
        self.groups.append(len(self.rewards))

    def choice(self, columns: list[int], values: list[Any], reward: int = 0) -> None:
        self.rows += [len(self.rewards)] * len(columns)
        self.columns += columns
        self.values += values
        self.rewards.append(reward)


def explicit_model(rational: Callable[[Fraction], Any], cut_off: int) -> Entries:
    """Write the turn down: state 0 ends it, then for each turn score the six hands and what their rolls offer.

    A keep that reaches the cut-off is banked, and no state has such a turn score.
    """
    hands = [classes_of(dice) for dice in range(1, 7)]
    offered = [[options for options in classes if options] for classes in hands]
    firsts = [6 + sum(map(len, offered[:index])) for index in range(6)]
    block = 6 + sum(map(len, offered))
    chances = [
        [rational(Fraction(classes[options], 6 ** (index + 1))) for options in ((), *offered[index])]
        for index, classes in enumerate(hands)
    ]
    one = rational(Fraction(1))
    entries = Entries()
    entries.state()
    entries.choice([0], [one])
    for turn_score in range(0, cut_off, STEP):
        base = 1 + turn_score // STEP * block
        for index in range(6):
            first = base + firsts[index]
            entries.state()
            entries.choice([0, *range(first, first + len(offered[index]))], chances[index])
        for options in (options for classes in offered for options in classes):
            entries.state()
            entries.choice([0], [one], turn_score + max(points for _, points in options))
            for dice, points in options:
                after = turn_score + points
                if after < cut_off:
                    entries.choice([1 + after // STEP * block + dice - 1], [one])
    return entries


def with_stormpy(cut_off: int) -> Callable[[], Any]:
    import stormpy
    from stormpy import datastructures, models

    number = stormpy.Rational

    def job() -> Any:
        entries = explicit_model(number, cut_off)
        states = len(entries.groups)
        builder = datastructures.SparseMatrixBuilder[number](
            rows=len(entries.rewards),
            columns=states,
            entries=len(entries.rows),
            has_custom_row_grouping=True,
            row_groups=states,
        )
        builder.add_next_values(entries.rows, entries.columns, entries.values, entries.groups)
        labels = models.StateLabeling(states)
        for label, state in (("over", 0), ("init", 6)):
            labels.add_label(label)
            labels.add_label_to_state(label, state)
        worth = {reward: number(reward) for reward in set(entries.rewards)}
        rewards = models.SparseRewardModel[number](
            optional_state_action_reward_vector=[worth[reward] for reward in entries.rewards]
        )
        components = models.SparseModelComponents[number](builder.build(), labels, {"points": rewards})
        model = models.SparseMdp[number](components)
        wanted = stormpy.parse_properties('R{"points"}max=? [F "over"]')[0]
        found = stormpy.model_checking(model, wanted, only_initial_states=True)
        return found.get_value(6)

    return job


def main(argv: list[str] | None = None) -> int:
    options: argparse.Namespace = arguments(__doc__.splitlines()[0] if __doc__ else "").parse_args(argv)
    cut_off = QUICK_CUT_OFF if options.quick else CUT_OFF
    storm = f"stormpy, exact, cut off at {cut_off:,}"
    contestants = {
        "dice10k_math": Contestant(with_ours, "dice10k_math", show),
        storm: Contestant(partial(with_stormpy, cut_off), "stormpy", show),
    }
    if options.child:
        run_child(contestants[options.child])
        return 0
    report = Report("The best turn of the plain game, from the rules to the exact value")
    found = compete(__file__, contestants, options.rounds or (1 if options.quick else 5), ["--quick"] * options.quick)
    ours, theirs = (report.add(name, outcome.first, outcome.note) for name, outcome in found.items())
    for name, outcome in found.items():
        report.add(f"import: {name}", outcome.imports, outcome.note)
    if not options.quick:
        report.times_faster("times faster than stormpy", ours, theirs, 10)
    # A game cut off early is worth visibly less; that is all that a quick run can show.
    compare(report, found["dice10k_math"].answer, found[storm].answer, 100 if options.quick else 1e-9)
    return finish(report, options)


def compare(report: Report, ours: list[str], theirs: list[str] | None, most: float) -> None:
    value = Fraction(int(ours[0]), int(ours[1]))
    report.notes.append(f"value without cut-off: {float(value):.12f}, a fraction of {len(ours[0])} digits")
    if theirs is None:
        return
    gap = value - Fraction(int(theirs[0]), int(theirs[1]))
    lost = f"{float(gap):.3e} points" if gap else "nothing: both fractions are the same"
    report.notes.append(f"the cut-off takes away {lost}")
    assert 0 <= gap <= most, f"the values differ by {float(gap)}"


if __name__ == "__main__":
    sys.exit(main())
