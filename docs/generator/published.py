"""The page of results that others have published, beside ours."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any

import dice10k_math as d10
from dice10k_math.dice import rolls
from dice10k_math.questions.turn import TurnSolution
from dice10k_math.rules import Ruleset
from docs.generator import costly
from docs.generator.text import DOCS, MADE, grid, number, page

REFERENCE = DOCS.parent / "tests" / "reference"
RULES = "../tests/reference/rules"


@cache
def reference_rules(name: str) -> Ruleset:
    return d10.load_rules(REFERENCE / "rules" / f"{name}.toml")


@cache
def turn(name: str) -> TurnSolution:
    return d10.solve_turn(reference_rules(name), exact=False)


@dataclass(frozen=True)
class Result:
    """A published number.

    Attributes
    ----------
    what
        What it is.
    rules
        Name of the rules file in tests/reference/rules.
    published
        As it was printed.
    ours
        Computes ours; None: it takes hours, and has not been done.
    noise
        For a simulated number: how far it may be off.
    """

    what: str
    rules: str
    published: str
    ours: Callable[[], float | Fraction | None]
    noise: float = 0.0


def _odds(name: str, dice: int) -> Callable[[], Fraction]:
    return lambda: d10.bust_odds(reference_rules(name), dice)


def _mean_if_any(dice: int) -> Callable[[], Fraction]:
    rules = reference_rules("zilch-solver")
    return lambda: d10.mean_best_score(rules, dice) / (1 - d10.bust_odds(rules, dice))


def _kept(key: str) -> float | None:
    kept = costly.found(key)
    return None if kept is None else kept["value"]


def _outcomes(patterns: tuple[tuple[int, ...], ...]) -> Callable[[], Fraction]:
    return lambda: Fraction(_patterns()[patterns])


@cache
def _patterns() -> dict[tuple[tuple[int, ...], ...], int]:
    """Return the outcomes of six dice by how many dice of each face there are, for the patterns that are published."""
    found: dict[tuple[tuple[int, ...], ...], int] = {}
    for roll, weight in rolls((0,) * 6):
        counts = tuple(sorted((roll.count(face) for face in set(roll)), reverse=True))
        for patterns in _PUBLISHED_PATTERNS.values():
            if counts in patterns:
                found[patterns] = found.get(patterns, 0) + weight
    return found


_PUBLISHED_PATTERNS: dict[str, tuple[tuple[int, ...], ...]] = {
    "three of a kind": ((3, 1, 1, 1), (3, 2, 1)),
    "four of a kind": ((4, 1, 1), (4, 2)),
    "three pairs": ((2, 2, 2),),
    "straight": ((1, 1, 1, 1, 1, 1),),
    "two triplets": ((3, 3),),
    "five of a kind": ((5, 1),),
    "six of a kind": ((6,),),
}
_PATTERN_COUNTS = ("14400", "2250", "1800", "720", "300", "180", "6")
_BUSTS = ("2/3", "4/9", "5/18", "17/108", "25/324", "5/216")
_MEANS = ("75.00", "90.00", "120.19", "170.34", "266.42", "475.06")

SECTIONS: dict[str, tuple[Result, ...]] = {
    "Wikipedia, article Farkle, and many copies of it": (
        *(Result(f"bust, {dice} dice" if dice > 1 else "bust, 1 die", "mckenna", value, _odds("mckenna", dice)) for dice, value in enumerate(_BUSTS, start=1)),
        Result("bust, 6 dice, three pairs not scoring", "no-three-pairs", "5/162", _odds("no-three-pairs", 6)),
        *(
            Result(f"{what}, outcomes of 46,656", "mckenna", count, _outcomes(patterns))
            for (what, patterns), count in zip(_PUBLISHED_PATTERNS.items(), _PATTERN_COUNTS, strict=True)
        ),
    ),
    "M. Busche, Maximizing Expected Scores in the Game of Zilch (2010)": (
        Result("points a turn in the long run", "zilch", "620.855", lambda: d10.long_run(reference_rules("zilch")).points_per_turn),
    ),
    "M. Busche, on Farkle (2012)": (
        Result("six dice: the least turn score to bank", "busche-farkle-no-penalty", "16400", lambda: Fraction(turn("busche-farkle-no-penalty").bank_from(6) or 0)),
    ),
    "M. Busche, Maximizing Win Probability in the Game of Farkle (2016); M. Busche and T. W. Neller, Optimal Play of the Farkle Dice Game (ACG 2017)": (
        Result("win probability of the first player", "busche-farkle", "0.53487", lambda: _kept("win:busche-farkle")),
    ),
    "zilch-solver, simulations of 100 million rolls each": tuple(
        Result(f"mean best score if something scores, {dice} dice" if dice > 1 else "mean best score if something scores, 1 die", "zilch-solver", value, _mean_if_any(dice), noise=0.1)
        for dice, value in enumerate(_MEANS, start=1)
    ),
}  # fmt: skip


def agrees(result: Result, found: float | Fraction) -> bool:
    """Tell whether ours rounds to what was printed, or lies within the noise of a simulation."""
    ours = Fraction(found)
    printed = Fraction(result.published)
    if result.noise:
        return abs(ours - printed) <= Fraction(result.noise)
    if "/" in result.published:
        return ours == printed
    exponent = Decimal(result.published).as_tuple().exponent
    assert isinstance(exponent, int)
    return abs(ours - printed) <= Fraction(1, 2) * Fraction(10) ** exponent


def _shown(result: Result, ours: float | Fraction) -> str:
    if "/" in result.published and isinstance(ours, Fraction):
        return f"{ours.numerator}/{ours.denominator}"
    if "." not in result.published:
        return number(ours)
    return number(ours, len(result.published.split(".")[1]) + 3)


def _printed(result: Result) -> str:
    return f"{int(result.published):,}" if result.published.isdigit() else result.published


def _row(result: Result) -> list[str]:
    ours = result.ours()
    cells = [result.what, f"`{result.rules}`", _printed(result)]
    if ours is None:
        return [*cells, "not computed in this version", ""]
    verdict = "yes" if agrees(result, ours) else "**no**"
    if result.noise and agrees(result, ours):
        verdict = f"yes, off by {abs(float(ours) - float(result.published)):.2f} of noise"
    return [*cells, _shown(result, ours), verdict]


def published_page() -> str:
    """Return the page of published results."""
    return page(
        MADE,
        "# Published results, and ours",
        "Each published number with the rules that reproduce it, as a rules file in `tests/reference/rules/`, and the number "
        "that this package computes from that file. Numbers agree when ours rounds to what was printed.",
        *_sections(),
        *_mckenna(),
        *_wrong(),
        *_methods(),
    )


def _sections() -> Iterator[str]:
    for title, results in SECTIONS.items():
        yield f"## {title}"
        yield grid(["number", "rules", "published", "ours", "agree"], map(_row, results), left=5)


def _entries() -> Iterator[tuple[int, int, str]]:
    """Yield turn score, dice and entry of McKenna's table."""
    document: dict[str, Any] = tomllib.loads((REFERENCE / "mckenna.toml").read_text(encoding="utf-8"))
    for part in document["table"]:
        header, *rows = (line.split() for line in part["entries"].strip().splitlines())
        for first, *entries in rows:
            for dice, entry in zip(header[1:], entries, strict=True):
                yield int(first.rstrip(":")), int(dice), entry


def _mckenna() -> Iterator[str]:
    values = [entry for entry in _entries() if entry[2] not in {"B", "-"}]
    banks = [entry for entry in _entries() if entry[2] == "B"]
    same = sum(round(turn("mckenna").roll_value(dice, score), 3) == float(entry) for score, dice, entry in values)
    right = sum(turn("mckenna").roll_value(dice, score) < score for score, dice, _ in banks)
    score, dice, entry = values[0]
    yield "## M. McKenna, A Sound Strategy for Farkle Dice (2018)"
    yield (
        "A table of what it is worth to be about to roll, by dice and turn score, to three decimals; rules `mckenna`. "
        f"Of its {len(values)} numbers {same} agree to the last digit, and of its {len(banks)} entries that say to bank {right}. "
        f"The first of them, a turn from nothing with {dice} dice, is published as {entry}; ours is {turn('mckenna').roll_value(dice, score):.6f}. "
        f"With five dice banking is best from {turn('mckenna').bank_from(5):,} points on."
    )


def _wrong() -> Iterator[str]:
    standard = d10.mean_best_score(reference_rules("wikipedia"))
    kingdom = reference_rules("kingdom-come")
    bust = d10.bust_odds(reference_rules("mckenna"))
    rows = [
        ["mean score of a roll of six dice, standard rules of Wikipedia", "`wikipedia`", "302", f"{standard.numerator}/{standard.denominator} = {number(standard, 5)}"],
        ["a bust with six dice, once in so many rolls", "`mckenna`", "42", number(1 / bust, 1)],
        ["expected points of the best turn, Kingdom Come: Deliverance", "`kingdom-come`", "517.9492", number(turn("kingdom-come").expected_points, 4)],
    ]  # fmt: skip
    yield "## Figures in circulation that are wrong"
    yield grid(["number", "rules", "in circulation", "right"], rows, left=4)
    yield (
        f"The source of the last one also gives {number(d10.mean_best_score(kingdom))} for a turn of a single roll, which is right ({number(d10.mean_best_score(kingdom), 4)}): "
        "the rules are the same, and it is the looking ahead that stops too early."
    )


def _methods() -> Iterator[str]:
    yield "## Methods"
    yield "\n".join(
        (
            "- J. Glenn, H. Fang, C. Kruskal, retrograde approximation for Can't Stop (CG 2006).",
            "- C. Baier, J. Klein, L. Leuschner, D. Parker, S. Wunderlich, interval iteration, CAV 2017, DOI 10.1007/978-3-319-63387-9_8.",
            "- T. Quatmann, J.-P. Katoen, Sound Value Iteration, CAV 2018, DOI 10.1007/978-3-319-96145-3_37.",
            "- A. Hartmanns, B. L. Kaminski, Optimistic Value Iteration, CAV 2020, DOI 10.1007/978-3-030-53291-8_26.",
            "- M. Busche, T. W. Neller, Optimal Play of the Farkle Dice Game, ACG 2017 (LNCS 10664).",
            "- T. W. Neller, C. G. M. Presser, Optimal Play of the Dice Game Pig, The UMAP Journal 25(1), 2004.",
        )
    )
