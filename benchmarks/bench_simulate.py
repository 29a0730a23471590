"""Simulated matches of Farkle, two players who bank from 300 points on: compiled loops against plain ones.

There are two plain loops. The one plays what the compiled loops play: any rules, any policy, every keep listed.
The other is wired for this game and this policy alone, and so does a small part of that work.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Callable
from math import sqrt

from harness import Report, Timing, arguments, finish, timed

OURS, GENERAL, LOOP = 400_000, 100, 2_000
QUICK_OURS, QUICK_GENERAL, QUICK_LOOP = 2_000, 20, 50
TARGET, OPENING, THRESHOLD = 10_000, 500, 300
FACES = range(1, 7)
SETS = {4: 1000, 5: 2000, 6: 3000}


def score(dice: list[int]) -> tuple[int, int]:
    """Return what all scoring dice of a roll pay, and how many dice are left."""
    counts = Counter(dice)
    if len(dice) == 6:
        pattern = sorted(counts.values())
        if pattern in ([1] * 6, [2, 2, 2]):
            return 1500, 0
        if pattern == [3, 3]:
            return 2500, 0
    points = left = 0
    for face, count in counts.items():
        if count >= 4:
            points += SETS[count]
        elif count == 3:
            points += 300 if face == 1 else 100 * face
        elif face in (1, 5):
            points += count * (100 if face == 1 else 50)
        else:
            left += count
    return points, left


def play_turn(opened: bool) -> int:
    """Return what a turn banks; 0: a bust."""
    least = THRESHOLD if opened else OPENING
    dice, turn_score = 6, 0
    while True:
        points, left = score(random.choices(FACES, k=dice))  # noqa: S311 - it is a game
        if not points:
            return 0
        turn_score += points
        if turn_score >= least:
            return turn_score
        dice = left or 6


def play_match() -> tuple[float, int, int, int]:
    """Return the share of the win of the first player, the turns, the busts and the points of both."""
    scores, turns, busts, points = [0, 0], 0, 0, 0
    seat, reached = 0, None
    while True:
        banked = play_turn(scores[seat] > 0)
        turns += 1
        busts += not banked
        points += banked
        scores[seat] += banked
        if reached is not None:
            break
        if scores[seat] >= TARGET:
            reached = seat
        seat = 1 - seat
    return (scores[0] > scores[1]) + 0.5 * (scores[0] == scores[1]), turns, busts, points


def with_a_loop(matches: int) -> Callable[[], list[float]]:
    def job() -> list[float]:
        random.seed(1)
        played = [play_match() for _ in range(matches)]
        won, turns, busts, points = map(sum, zip(*played, strict=True))
        return [won / matches, turns, busts / turns, points / turns]

    return job


def with_ours(matches: int) -> Callable[[], list[float]]:
    from dice10k_math import load_rules, simulate

    rules = load_rules("farkle")

    def job() -> list[float]:
        first, second = simulate(rules, [f"threshold {THRESHOLD}"] * 2, matches).seats
        turns = (first.turns.value + second.turns.value) * matches
        share = first.turns.value * matches / turns
        means = [
            share * getattr(first, name).value + (1 - share) * getattr(second, name).value
            for name in ("bust_rate", "points_per_turn")
        ]
        return [first.win_probability.value, turns, *means]

    return job


def with_general_loops(matches: int) -> Callable[[], list[float]]:
    from dice10k_math import load_rules, parse_policy
    from dice10k_math.policy import seat
    from dice10k_math.simulation.run import play_matches, usual_start
    from dice10k_math.simulation.tally import GAINED, LOST, SHARES, TURNS

    rules = load_rules("farkle")
    players = [seat(parse_policy(f"threshold {THRESHOLD}"), rules)] * 2

    def job() -> list[float]:
        tally = play_matches(rules, players, matches, 2, usual_start((0, 0)), plainly=True)
        turns = float(tally.sums[TURNS].sum())
        busts, points = (float(tally.sums[what].sum()) / turns for what in (LOST, GAINED))
        return [float(tally.sums[SHARES, 0]) / tally.shares / matches, turns, busts, points]

    return job


def main(argv: list[str] | None = None) -> int:
    options = arguments(__doc__.splitlines()[0] if __doc__ else "").parse_args(argv)
    ours, loop = with_ours(QUICK_OURS if options.quick else OURS), with_a_loop(QUICK_LOOP if options.quick else LOOP)
    general = with_general_loops(QUICK_GENERAL if options.quick else GENERAL)
    works = {"dice10k_math": ours, "plain loops for any game": general, "a loop for this game": loop}
    ours()  # compiled, or read from the cache
    timings: dict[str, list[Timing]] = {name: [] for name in works}
    answers: dict[str, list[float]] = {}
    for _ in range(options.rounds or (1 if options.quick else 5)):
        for name, work in works.items():
            timing, answers[name] = timed(work)
            # A million turns, so that the two can be compared.
            scale = 1_000_000 / answers[name][1]
            timings[name].append(Timing(timing.cpu * scale, timing.wall * scale))
    report = Report("Simulated matches of Farkle, both banking from 300 points on: a million turns")
    rows = [report.add(name, timings[name]) for name in works]
    if not options.quick:
        report.times_faster("times faster than plain loops for any game", rows[0], rows[1], 50)
    turns_per_second = 1_000_000 / (rows[0].cpu or 1)
    report.notes.append(f"turns a second, a core: {turns_per_second:,.0f}")
    wired = (rows[2].cpu or 0) / (rows[0].cpu or 1)
    report.notes.append(f"times faster than a loop that is wired for this game and policy: {wired:.1f}")
    compare(answers["dice10k_math"], answers["a loop for this game"], LOOP if not options.quick else QUICK_LOOP)
    compare(
        answers["dice10k_math"], answers["plain loops for any game"], GENERAL if not options.quick else QUICK_GENERAL
    )
    return finish(report, options)


def compare(ours: list[float], loop: list[float], matches: int) -> None:
    """Refuse answers that differ by more than chance."""
    turns = loop[1]
    assert abs(ours[0] - loop[0]) < 5 * sqrt(0.25 / matches)
    assert abs(ours[2] - loop[2]) < 5 * sqrt(0.25 / turns)
    # The points of a turn have a standard deviation of less than 400.
    assert abs(ours[3] - loop[3]) < 5 * 400 / sqrt(turns)


if __name__ == "__main__":
    sys.exit(main())
