"""Two players: from the rules to the value of a match, against a general solver of stochastic games.

The game is the plain one with four of a kind and a pair as three pairs, the first to 1,000 points.
PAYNT (on stormpy) gets it as an explicit turn-based game: a state for each pair of scores, turn score and dice to be
rolled, and for each class of rolls; a keep that wins is banked, banking takes the most points, and of keeps that leave
equally many dice the one with most points is kept.
(Those prunings hold where the first to reach the target wins, not in every game.)
Its solver of games stops at a change of 1e-6 and cannot be told otherwise, so that the value of the play that it found
is compared, outside the time taken.

Also: how many compare-and-accumulate operations the operator does in a second, over what a bare loop of the same
operations does on arrays of the same size; and solving and certifying the built-in games as whole processes.
How time and memory grow with the target is measured by `bench_growth.py`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from bench_turn import PATTERNS, STEP, classes_of
from harness import (
    HERE,
    Contestant,
    Outcome,
    Report,
    Row,
    Timing,
    alternate,
    arguments,
    compete,
    environment,
    finish,
    run_child,
)

RULES = HERE / "rules" / "plain.toml"
TARGET, QUICK_TARGET = 1_000, 200
BUILT_IN = ("farkle", "dix-mille", "des-10000")
FOUR_AND_PAIR = PATTERNS | {(2, 4): 1000}
SOLVE = """
import json, resource, sys, time
from dice10k_math import load_rules
from dice10k_math.rules.model import with_target
from dice10k_math.race import Race
from dice10k_math.solve.race import propose_bounds, solve_race
from dice10k_math.certify.race import judge_race
race = Race(with_target(load_rules(sys.argv[1]), int(sys.argv[2])))
times = [time.perf_counter()]
values = solve_race(race); times.append(time.perf_counter())
bounds = propose_bounds(race, values); times.append(time.perf_counter())
verdict = judge_race(race, bounds); times.append(time.perf_counter())
assert verdict.accepted, str(verdict.faults[0])
steps = [after - before for before, after in zip(times, times[1:])]
used = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps({"steps": steps, "cpu": used.ru_utime + used.ru_stime, "memory": used.ru_maxrss * 1024,
                  "value": float(values.move[0, 0, 0])}))
"""


def the_rules(target: int) -> Any:
    from dice10k_math import load_rules
    from dice10k_math.rules.model import with_target

    rules = load_rules(RULES)
    return with_target(replace(rules, scoring=replace(rules.scoring, four_and_pair=1000)), target)


def with_ours(target: int) -> Callable[[], float]:
    from dice10k_math import load_rules
    from dice10k_math.race import Race
    from dice10k_math.rules import Ending
    from dice10k_math.solve.race import solve_race

    # Numba loads most of itself, and the compiled loops from their cache, when a loop is first called. Another game of
    # one score makes it do so here, where the other contestant loads what it needs too.
    other = replace(load_rules("des-10000"), ending=Ending("first_to_target", 50))
    solve_race(Race(other))
    return lambda: float(solve_race(Race(the_rules(target))).move[0, 0, 0])


class Game:
    """An explicit game being written down: states 0 and 1 are won and lost by seat 0, 2 and on are a turn each."""

    def __init__(self, target: int) -> None:
        self.scores = target // STEP
        hands = [classes_of(dice, FOUR_AND_PAIR) for dice in range(1, 7)]
        self.offered = [[options for options in classes if options] for classes in hands]
        self.chances = [
            [classes[options] / 6 ** (index + 1) for options in ((), *self.offered[index])]
            for index, classes in enumerate(hands)
        ]
        self.firsts = [6 + sum(map(len, self.offered[:index])) for index in range(6)]
        self.block = 6 + sum(map(len, self.offered))
        self.blocks: dict[tuple[int, int, int, int], int] = {}
        for seat in range(2):
            for own in range(self.scores):
                for other in range(self.scores):
                    for turn_score in range(self.scores - own):
                        self.blocks[seat, own, other, turn_score] = 2 + len(self.blocks) * self.block
        self.rows: list[int] = [0, 1]
        self.columns: list[int] = [0, 1]
        self.values: list[float] = [1.0, 1.0]
        self.groups: list[int] = [0, 1]
        self.players: list[int] = [0, 0]
        self.row = 2
        for turn in self.blocks:
            self._write(*turn)

    def start(self, seat: int, own: int, other: int) -> int:
        """Return the state of a seat about to roll all dice."""
        return self.blocks[seat, own, other, 0] + 5

    def _state(self, seat: int) -> None:
        self.groups.append(self.row)
        self.players.append(seat)

    def _choice(self, columns: list[int], values: list[float]) -> None:
        self.rows += [self.row] * len(columns)
        self.columns += columns
        self.values += values
        self.row += 1

    def _write(self, seat: int, own: int, other: int, turn_score: int) -> None:
        base, lost = self.blocks[seat, own, other, turn_score], self.start(1 - seat, other, own)
        for index in range(6):
            first = base + self.firsts[index]
            self._state(seat)
            self._choice([lost, *range(first, first + len(self.offered[index]))], self.chances[index])
        for options in (options for offered in self.offered for options in offered):
            self._state(seat)
            most = turn_score + max(points for _, points in options) // STEP
            if own + most >= self.scores:
                self._choice([seat], [1.0])
                continue
            self._choice([self.start(1 - seat, other, own + most)], [1.0])
            for dice, points in options:
                self._choice([self.blocks[seat, own, other, turn_score + points // STEP] + dice - 1], [1.0])


def matrix_of(game: Game) -> Any:
    from stormpy import datastructures

    states = len(game.groups)
    builder = datastructures.SparseMatrixBuilder[float](
        rows=game.row, columns=states, entries=len(game.rows), has_custom_row_grouping=True, row_groups=states
    )
    builder.add_next_values(game.rows, game.columns, game.values, game.groups)
    return builder.build()


def labels_of(states: int, first: int) -> Any:
    from stormpy import models

    labels = models.StateLabeling(states)
    for label, state in (("won", 0), ("init", first)):
        labels.add_label(label)
        labels.add_label_to_state(label, state)
    return labels


def with_paynt(target: int) -> Callable[[], Any]:
    import payntbind
    import stormpy
    from stormpy import models

    def job() -> Any:
        game = Game(target)
        states, first = len(game.groups), game.start(0, 0, 0)
        components = models.SparseModelComponents[float](matrix_of(game), labels_of(states, first))
        components.state_player_indications = game.players
        wanted = stormpy.parse_properties('<<0>> Pmax=? [F "won"]')[0].get_raw_formula()
        found = payntbind.synthesis.model_check_smg(
            models.SparseSmg[float](components),
            wanted,
            only_initial_states=False,
            set_produce_schedulers=True,
            env=stormpy.Environment(),
        )
        return game, found

    return job


def value_of_its_play(answer: Any) -> float:
    """Return the value of the play that was found: the solver of games stops at a change of 1e-6."""
    import numpy as np
    from scipy.sparse import csr_array, identity
    from scipy.sparse.linalg import spsolve

    game, found = answer
    scheduler = found.get_scheduler()
    states, first = len(game.groups), game.start(0, 0, 0)
    chosen = [scheduler.get_choice(state).get_deterministic_choice() for state in range(states)]
    everything = csr_array((game.values, (game.rows, game.columns)), shape=(game.row, states))
    moves = everything[np.array(game.groups) + np.array(chosen)]
    value = spsolve((identity(states - 2) - moves[2:, 2:]).tocsc(), moves[2:, [0]].toarray().ravel())
    return float(value[first - 2])


def bare_loop(size: int) -> Callable[..., None]:
    """Return the same operations without any rules: maxima of two rows, kept; others, multiplied and added up.

    Like the operator it knows the length of a row in advance, and adds two maxima at a time.
    """
    from numba import njit, prange

    # numba has no types that mypy could use
    @njit(parallel=True, fastmath={"nnan", "nsz", "contract"})  # type: ignore[untyped-decorator]
    def loop(pools: Any, kept: Any, added: Any, weights: Any, accumulated: Any) -> None:
        for block in prange(len(pools)):
            pool, total = pools[block], accumulated[block]
            for number in range(len(kept)):
                one, other, place = kept[number]
                for column in range(size):
                    x = pool[one, column]
                    y = pool[other, column]
                    pool[place, column] = x if x > y else y  # noqa: FURB136 - as the operator writes it
            for number in range(0, len(added) - 1, 2):
                one, other = added[number]
                third, fourth = added[number + 1]
                weight, further = weights[number], weights[number + 1]
                for column in range(size):
                    x = pool[one, column]
                    y = pool[other, column]
                    x = x if x > y else y  # noqa: FURB136 - as the operator writes it
                    y = pool[third, column]
                    z = pool[fourth, column]
                    y = y if y > z else z  # noqa: FURB136 - as the operator writes it
                    total[column] += weight * x + further * y

    return loop


def rows_read(program: Any) -> tuple[Any, Any]:
    """Return the rows of which the operator takes maxima, one after another, so that the bare loop reads the same
    memory: those that are kept, with the row they go to, and those that are added up.
    """
    import numpy as np

    maxima = program.maxima
    slots = program.rows + np.arange(maxima.slots)
    kept, added = [], []
    for state in np.flatnonzero(~program.hot_edge & (program.turn_score <= program.most)).tolist():
        hand = program.hand[state]
        entries = program.targets[program.target_starts[state] : program.target_starts[state + 1]]
        places = np.concatenate([entries, np.zeros(maxima.entries - len(entries), np.int64), slots])
        for first, last, first_whole, last_whole in maxima.runs[maxima.starts[hand] : maxima.starts[hand + 1]]:
            sides = maxima.left[first:last], maxima.right[first:last], maxima.place[first:last]
            kept.append(places[np.stack(sides, axis=1)])
            wholes = maxima.whole_left[first_whole:last_whole], maxima.whole_right[first_whole:last_whole]
            added.append(places[np.stack(wholes, axis=1)])
    return np.concatenate(kept), np.concatenate(added)


def throughput(report: Report, rounds: int, target: int) -> None:
    """Compare the operations in a second of the operator and of the bare loop, on blocks of contexts of one size."""
    import numba
    import numpy as np

    from dice10k_math.backup import Contexts, back_up
    from dice10k_math.program import BLOCK, compile_turn
    from dice10k_math.turn import turn_model

    blocks = 4 * numba.get_num_threads()
    program = compile_turn(turn_model(the_rules(target)), target, hot_may_bank=True)
    generator = np.random.default_rng(1)
    banks = len(program.bank_scores)
    worth = generator.random((banks, blocks * BLOCK))
    rows = np.arange(banks, dtype=np.int32)[None, :]
    ends = generator.random((1, blocks * BLOCK))
    survival = np.ones(len(program.bust))
    contexts = Contexts(worth, rows, ends, ends, ends)
    operations = program.operations()
    kept, added = rows_read(program)
    assert len(kept) + len(added) == operations
    weights = generator.random(len(added))
    pools = generator.random((blocks, program.rows + program.maxima.slots, BLOCK))
    sums = np.zeros((blocks, BLOCK))
    loop = bare_loop(BLOCK)
    works = {
        "operator": lambda: back_up(program, contexts, survival),
        "bare loop": lambda: loop(pools, kept, added, weights, sums),
    }
    alternate(works, 1)
    # One call is short: many of them make a run.
    repeated = {name: partial(_repeat, work, 5) for name, work in works.items()}
    found = alternate(repeated, rounds)
    done = operations * blocks * BLOCK * 5
    speeds = {}
    for name, timings in found.items():
        row = report.add(f"{name}, {operations:,} operations on {blocks * BLOCK} contexts, 5 times", timings)
        speeds[name] = row
        assert row.wall is not None
        report.notes.append(f"{name}: {done / row.wall / 1e9:.2f} thousand million operations in a second")
    report.times_faster("operator, share of the speed of the bare loop", speeds["operator"], speeds["bare loop"], 0.6)


def _repeat(work: Callable[[], object], times: int) -> None:
    for _ in range(times):
        work()


def whole_process(report: Report, name: str, rules: str, target: int, rounds: int) -> None:
    """Solve and certify as a process of its own."""
    timings, notes = [], {}
    for _ in range(rounds):
        wall = time.perf_counter()
        command = [sys.executable, "-c", SOLVE, rules, str(target)]
        done = subprocess.run(command, capture_output=True, text=True, env=environment(), check=False)  # noqa: S603
        elapsed = time.perf_counter() - wall
        if done.returncode:
            report.notes.append(f"{name} failed: {done.stderr.strip().splitlines()[-1]}")
            return
        notes = json.loads(done.stdout)
        timings.append(Timing(notes["cpu"], elapsed))
    solve, propose, judge = notes["steps"]
    memory = f"{notes['memory'] / 1e6:.0f} MB"
    report.add(name, timings, f"{memory}; solve {solve:.1f} s, propose {propose:.1f} s, judge {judge:.1f} s")


def _with_imports(report: Report, found: Mapping[str, Outcome]) -> list[Row]:
    """Add up importing and the first call of each contestant."""
    rows = []
    for name, outcome in found.items():
        both = zip(outcome.imports, outcome.first, strict=True)
        timings = [Timing(load.cpu + work.cpu, load.wall + work.wall) for load, work in both]
        rows.append(report.add(f"importing and first call: {name}", timings, outcome.note))
    return rows


def compare(report: Report, ours: float, theirs: float | None) -> None:
    report.notes.append(f"value: {ours:.12f}; by PAYNT: {'-' if theirs is None else format(theirs, '.12f')}")
    assert theirs is None or abs(ours - theirs) <= 1e-9, f"the values differ by {ours - theirs}"


def main(argv: list[str] | None = None) -> int:
    parser = arguments(__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--only-solver", action="store_true", help="leave out all but the comparison with PAYNT")
    options: argparse.Namespace = parser.parse_args(argv)
    target = QUICK_TARGET if options.quick else TARGET
    paynt = f"PAYNT on stormpy, first to {target:,}"
    contestants = {
        "dice10k_math": Contestant(partial(with_ours, target), "dice10k_math", float),
        paynt: Contestant(partial(with_paynt, target), "payntbind", value_of_its_play),
    }
    if options.child:
        run_child(contestants[options.child])
        return 0
    rounds = options.rounds or (1 if options.quick else 5)
    report = Report(f"Two players, first to {target:,} points, from the rules to the value")
    found = compete(__file__, contestants, rounds, ["--quick"] * options.quick)
    ours, theirs = (report.add(name, outcome.first, outcome.note) for name, outcome in found.items())
    for name, outcome in found.items():
        report.add(f"again, in the same process: {name}", outcome.warm, outcome.note)
        report.add(f"import: {name}", outcome.imports, outcome.note)
    if not options.quick:
        report.times_faster("times faster than PAYNT, from rules to value", ours, theirs, 100)
        ours, theirs = _with_imports(report, found)
        report.times_faster("the same, importing both as well", ours, theirs, 5)
    compare(report, found["dice10k_math"].answer, found[paynt].answer)
    if options.only_solver:
        return finish(report, options)
    throughput(report, rounds, target if options.quick else 10_000)
    for name in () if options.quick else BUILT_IN:
        whole_process(report, f"{name} to 10,000, whole process", name, 10_000, 1)
    return finish(report, options)


if __name__ == "__main__":
    sys.exit(main())
