"""Policies: the best response to one at 10,000 points, against solving the match; and two policies against each other.

Each is solved, bounded and judged. The best response must take no longer than the match.
"""

from __future__ import annotations

import argparse
import sys

from harness import Report, alternate, arguments, finish

BUILT_IN = ("des-10000", "farkle")
POLICIES = ("computer", "threshold 300 end=win")


def measure(options: argparse.Namespace) -> Report:
    from dice10k_math import best_response, evaluate, load_rules, solve_match
    from dice10k_math.rules.model import with_target

    report = Report("The best response to a policy, and the match")
    target = 500 if options.quick else 10_000
    rounds = options.rounds or (1 if options.quick else 3)
    for name in BUILT_IN[:1] if options.quick else BUILT_IN:
        rules = with_target(load_rules(name), target)
        # Once for the compiler.
        best_response(with_target(rules, 500), POLICIES[0])
        works = {
            f"{name}: match": lambda rules=rules: solve_match(rules),
            f"{name}: best response": lambda rules=rules: best_response(rules, POLICIES[0]),
            f"{name}: two policies": lambda rules=rules: evaluate(rules, POLICIES),
        }
        rows = {title: report.add(title, timings) for title, timings in alternate(works, rounds).items()}
        report.at_most(f"{name}: best response over match", rows[f"{name}: best response"], rows[f"{name}: match"], 1.0)
    return report


def main() -> int:
    options = arguments(__doc__ or "").parse_args()
    return finish(measure(options), options)


if __name__ == "__main__":
    sys.exit(main())
