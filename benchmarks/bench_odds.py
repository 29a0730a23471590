"""Odds of one roll: the first call against icepool and dyce, and every keep of every roll against a plain loop.

The job of the first part: bust odds of six dice and the exact distribution of the best score of six dice, in the
rules of Dice 10k, as fractions.
The others are used in the fastest way that we found. dyce scores its own listing of the distinct rolls with their
counts. icepool has two entries, since either may be the faster: an evaluator that sees one face after another and
remembers points and pattern, and a scoring of its distinct sorted rolls. All three are given a scoring of a roll by
table look-up, so what is compared is the counting.
Importing, and for us reading the rules file, is measured apart; each first call has a fresh process.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable
from itertools import combinations_with_replacement
from typing import Any

from harness import Contestant, Outcome, Report, alternate, arguments, compete, finish, run_child

SINGLES = {1: 100, 5: 50}
TRIPLES = {1: 700, 2: 200, 3: 300, 4: 400, 5: 500, 6: 600}
PATTERNS = {(1, 1, 1, 1, 1, 1): 1500, (2, 2, 2): 1000, (2, 4): 1000}

PlainKeep = tuple[tuple[int, ...], int, int]


def most_of_face(face: int, count: int) -> int:
    """Return the most that `count` dice of one face pay."""
    return TRIPLES[face] << (count - 3) if count >= 3 else count * SINGLES.get(face, 0)


def best_score() -> Callable[[tuple[int, ...]], int]:
    """Return the plain scoring of a sorted roll of six dice: runs of equal faces, by look-up."""
    table = [[most_of_face(face, count) for count in range(7)] for face in range(1, 7)]
    patterns = {order: points for pattern, points in PATTERNS.items() for order in (pattern, pattern[::-1])}

    def score(roll: tuple[int, ...]) -> int:
        points, run, last, runs = 0, 0, roll[0], []
        for face in roll:
            if face == last:
                run += 1
                continue
            points += table[last - 1][run]
            runs.append(run)
            last, run = face, 1
        points += table[last - 1][run]
        runs.append(run)
        return max(points, patterns.get(tuple(runs), 0))

    return score


Answer = tuple[dict[int, Any], Any]
"""Probability of each best score, and of a bust."""


def show(answer: Answer) -> list[Any]:
    """Return bust odds and distribution in a form that all give alike."""
    distribution, bust = answer
    return [str(bust), {str(points): str(distribution[points]) for points in sorted(distribution)}]


def with_ours() -> Callable[[], Answer]:
    from dice10k_math import bust_odds, load_rules, score_distribution

    rules = load_rules("dice10k")
    return lambda: (score_distribution(rules, 6), bust_odds(rules, 6))


def with_dyce() -> Callable[[], Answer]:
    from fractions import Fraction

    from dyce import H, P

    def job() -> Answer:
        score = best_score()
        found = H.from_counts((score(roll), count) for roll, count in (6 @ P(6)).rolls_with_counts())
        total = found.total
        distribution = {points: Fraction(count, total) for points, count in found.items()}
        return distribution, distribution[0]

    return job


def with_icepool_rolls() -> Callable[[], Answer]:
    import icepool

    def job() -> Answer:
        found = icepool.d6.pool(6).expand().map(best_score())
        return {points: found.probability(points) for points in found}, found.probability(0)

    return job


def with_icepool_evaluator() -> Callable[[], Answer]:
    import icepool

    class BestScore(icepool.MultisetEvaluator):  # type: ignore[misc, name-defined, unused-ignore]
        table = tuple(tuple(most_of_face(face, count) if face else 0 for count in range(7)) for face in range(7))

        def initial_state(self, *_: object) -> tuple[int, tuple[int, ...]]:
            return 0, ()

        def next_state(
            self, state: tuple[int, tuple[int, ...]], _order: object, outcome: int, count: int
        ) -> tuple[int, tuple[int, ...]]:
            points, counts = state
            if not count:
                return state
            return points + self.table[outcome][count], tuple(sorted((*counts, count)))

        def final_outcome(self, state: tuple[int, tuple[int, ...]], *_: object) -> int:
            return max(state[0], PATTERNS.get(state[1], 0))

    def job() -> Answer:
        found = BestScore().evaluate(icepool.d6.pool(6))
        return {points: found.probability(points) for points in found}, found.probability(0)

    return job


CONTESTANTS = {
    "dice10k_math": Contestant(with_ours, "dice10k_math", show),
    "icepool, evaluator": Contestant(with_icepool_evaluator, "icepool", show),
    "icepool, scored rolls": Contestant(with_icepool_rolls, "icepool", show),
    "dyce": Contestant(with_dyce, "dyce", show),
}


def plain_keeps(roll: tuple[int, ...]) -> list[PlainKeep]:
    """Return every keep of a roll: dice kept, points, dice left."""
    parts: list[tuple[tuple[int, ...], int]] = [((), 0)]
    counts = Counter(roll)
    for face, count in counts.items():
        sizes = [size for size in range(count + 1) if size == 0 or size >= 3 or face in SINGLES]
        parts = [(kept + (face,) * size, points + most_of_face(face, size)) for kept, points in parts for size in sizes]
    found = {(kept, points, len(roll) - len(kept)) for kept, points in parts if kept}
    if len(roll) == 6 and (whole := PATTERNS.get(tuple(sorted(counts.values())))) is not None:
        found.add((roll, whole, 0))
    return sorted(found)


def all_rolls() -> list[tuple[int, ...]]:
    return [roll for dice in range(1, 7) for roll in combinations_with_replacement(range(1, 7), dice)]


def keeps_by_plain_loop() -> list[list[PlainKeep]]:
    return [plain_keeps(roll) for roll in all_rolls()]


def measure_keeps(report: Report, rounds: int) -> None:
    from dice10k_math import legal_keeps, load_rules
    from dice10k_math.scoring import scorer

    rules = load_rules("dice10k")

    def keeps_by_us() -> list[Any]:
        scorer.cache_clear()
        return [legal_keeps(rules, roll) for roll in all_rolls()]

    ours = [[(keep.dice, keep.points, keep.dice_left) for keep in keeps] for keeps in keeps_by_us()]
    assert ours == keeps_by_plain_loop(), "the keeps of the library and of the plain loop differ"
    timings = alternate({"ours": keeps_by_us, "plain": keeps_by_plain_loop}, rounds)
    us = report.add("keeps of all 923 rolls: dice10k_math", timings["ours"], "tables built anew each time")
    plain = report.add("keeps of all 923 rolls: plain loop", timings["plain"])
    report.at_most("keeps of all 923 rolls, to the plain loop", us, plain, 2)


def fastest(outcomes: dict[str, Outcome], report: Report) -> None:
    rows = {}
    for name, outcome in outcomes.items():
        rows[name] = report.add(f"first call: {name}", outcome.first, outcome.note)
    for name, outcome in outcomes.items():
        report.add(f"second call: {name}", outcome.warm, outcome.note)
        report.add(f"import and rules: {name}", outcome.imports, outcome.note)
    answers = [outcome.answer for outcome in outcomes.values() if outcome.answer is not None]
    assert all(one == answers[0] for one in answers), "the contestants disagree"
    ours = rows.pop("dice10k_math")
    peers = [row for row in rows.values() if row.cpu is not None]
    best = min(peers, key=lambda row: row.cpu or 0, default=next(iter(rows.values())))
    report.at_most(f"first call, to the fastest other ({best.name.removeprefix('first call: ')})", ours, best, 1)


def main(argv: list[str] | None = None) -> int:
    options: argparse.Namespace = arguments(__doc__.splitlines()[0] if __doc__ else "").parse_args(argv)
    if options.child:
        run_child(CONTESTANTS[options.child])
        return 0
    rounds = options.rounds or (1 if options.quick else 15)
    report = Report("Odds of one roll, rules of Dice 10k")
    fastest(compete(__file__, CONTESTANTS, rounds), report)
    measure_keeps(report, rounds)
    return finish(report, options)


if __name__ == "__main__":
    sys.exit(main())
