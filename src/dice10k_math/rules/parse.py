"""A rules file -> a `Ruleset`, or one `RulesError` that names everything wrong that can be found at once.

Only the layout is read here: which tables and keys there are.
Whether a value is possible is for the parts of the ruleset to say when they are made.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any, TypeVar, get_args

from dice10k_math.errors import RulesError
from dice10k_math.rules.checks import MISSING, MOST_POINTS, Problem, RefusedError, one_of, shorten
from dice10k_math.rules.model import (
    BustRules,
    BustsInARow,
    Ending,
    EndingKind,
    FiveStraights,
    FlatSets,
    MultipliedSets,
    Ruleset,
    Scoring,
    SixDicePenalty,
    TurnRules,
    Variants,
)
from dice10k_math.rules.validate import MOST_BUSTS, identity_problems

Part = TypeVar("Part")
Table = dict[str, Any]

LARGEST_TEXT = 100_000
LONGEST_REASON = 160
MOST_LINES = 50
KEY_PART = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')"""
#: A key of more parts than any rules file has: the time tomllib takes grows with their square.
DEEP_KEY = re.compile(
    rf"(?<![\w-]){KEY_PART}(?:[ \t]*+\.[ \t]*+{KEY_PART}){{20}}",
    re.ASCII,
)
TABLES = ("ruleset", "scoring", "turn", "bust", "ending", "variants")
IDENTITY = ("name", "title", "players", "source")
FACES = ("1", "2", "3", "4", "5", "6")
DEFAULT_PLAYERS = (2, 2)
AMOUNT = f"a whole number from 1 to {MOST_POINTS:,}"
#: The fields without a default, and what each may be.
NEEDED: dict[type, dict[str, str]] = {
    Ending: {"kind": one_of(get_args(EndingKind)), "target": AMOUNT},
    FiveStraights: {"low": AMOUNT, "high": AMOUNT},
    SixDicePenalty: {"penalty": AMOUNT},
    BustsInARow: {"busts": f"a whole number from 1 to {MOST_BUSTS}", "penalty": AMOUNT},
}


def parse_rules(text: str, where: str = "<text>") -> Ruleset:
    """Return the ruleset that the text of a rules file describes.

    Parameters
    ----------
    text
        TOML, at most 100,000 characters.
    where
        What error messages call the text, usually the path of its file.

    Raises
    ------
    RulesError
        If the text is no TOML or describes no possible game.
        One line for each problem: file, key, value and what is allowed.

    Examples
    --------
    >>> rules = parse_rules('''
    ... ruleset.name = "short"
    ... scoring.singles = { 1 = 100, 5 = 50 }
    ... ending = { kind = "first_to_target", target = 1000 }
    ... ''')
    >>> rules.ending.target
    1000
    """
    reader = _Reader()
    rules = reader.ruleset(_toml(text, where))
    if reader.problems or rules is None:
        raise RulesError(_message(where, reader.problems))
    return rules


def _message(where: str, problems: list[Problem]) -> str:
    lines = [f"{where}: {problem}" for problem in problems[:MOST_LINES]]
    more = [f"{where}: and {len(problems) - MOST_LINES:,} more"] if len(problems) > MOST_LINES else []
    return "\n".join(lines + more)


def _toml(text: str, where: str) -> Table:
    if len(text) > LARGEST_TEXT:
        raise RulesError(f"{where}: {len(text):,} characters; allowed: a rules file of at most {LARGEST_TEXT:,}")
    if not text.strip():
        raise RulesError(f"{where}: empty; allowed: at least [ruleset], [scoring] and [ending]")
    if DEEP_KEY.search(text):
        raise RulesError(f"{where}: a key of more than 20 parts; allowed: keys as in the rules files")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise RulesError(f"{where}: tables nested too deeply; allowed: TOML as in the rules files") from None
    except ValueError as error:
        reason = shorten(ascii(str(error))[1:-1], LONGEST_REASON)
        raise RulesError(f"{where}: not TOML: {reason}; allowed: a rules file in TOML") from None


class _Reader:
    """Builds the parts of a ruleset and gathers the problems on the way."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def ruleset(self, raw: Table) -> Ruleset | None:
        """Return the ruleset, or None if there are problems."""
        self._known("", raw, TABLES)
        identity = self._identity(raw)
        scoring = self._scoring(self._section(raw, "scoring"))
        turn = self._plain(TurnRules, "turn", self._section(raw, "turn"))
        bust = self._bust(self._section(raw, "bust"))
        ending = self._plain(Ending, "ending", self._section(raw, "ending"))
        variants = self._variants(self._section(raw, "variants"))
        if self.problems or not (scoring and turn and bust and ending and variants):
            return None
        return self._make(lambda: Ruleset(*identity, scoring, turn, bust, ending, variants))

    def _identity(self, raw: Table) -> tuple[Any, Any, Any, Any]:
        table = self._known("ruleset", self._section(raw, "ruleset"), IDENTITY)
        name = table.get("name", MISSING)
        title = table.get("title", name)
        players = _frozen(table.get("players", DEFAULT_PLAYERS))
        source = table.get("source", "")
        found = list(identity_problems(name, title, players, source))
        # A title that is only the bad name again would be a second message about one mistake.
        self.problems += [problem for problem in found if problem.key != "ruleset.title" or "title" in table]
        return name, title, players, source

    def _scoring(self, table: Table) -> Scoring | None:
        table = dict(self._known("scoring", table, _names(Scoring)))
        for key in ("singles", "triples"):
            if key in table:
                table[key] = self._by_face(f"scoring.{key}", table[key])
        if "larger_sets" in table:
            table["larger_sets"] = self._larger_sets(table["larger_sets"])
        if "five_straights" in table:
            key = "scoring.five_straights"
            table["five_straights"] = self._nested(FiveStraights, key, table["five_straights"])
        return self._make(lambda: Scoring(**table))

    def _by_face(self, key: str, raw: Any) -> tuple[Any, ...]:
        table = self._known(key, self._as_table(key, raw), FACES)
        for face, points in table.items():
            if points == 0 and face in FACES:
                self.problems.append(Problem(f"{key}.{face}", points, f"{AMOUNT}, or no such face"))
        return tuple(table.get(face, 0) for face in FACES)

    def _larger_sets(self, raw: Any) -> MultipliedSets | FlatSets | None:
        key = "scoring.larger_sets"
        table = self._known(key, self._as_table(key, raw), ("multiply_triple", "points"))
        if isinstance(raw, dict) and len(table) != 1:
            self.problems.append(Problem(key, raw, "either multiply_triple or points"))
        elif "multiply_triple" in table:
            return self._make(lambda: MultipliedSets(_frozen(table["multiply_triple"])))
        elif "points" in table:
            return self._make(lambda: FlatSets(_frozen(table["points"])))
        return None

    def _bust(self, table: Table) -> BustRules | None:
        table = dict(self._known("bust", table, _names(BustRules)))
        if "on_six" in table:
            table["on_six"] = self._on_six(table["on_six"])
        if "in_a_row" in table:
            table["in_a_row"] = self._nested(BustsInARow, "bust.in_a_row", table["in_a_row"])
        return self._make(lambda: BustRules(**table))

    def _on_six(self, raw: Any) -> tuple[SixDicePenalty, ...]:
        if not isinstance(raw, list):
            self.problems.append(Problem("bust.on_six", raw, "an array of tables with below and penalty"))
            return ()
        keys = [f"bust.on_six[{place}]" for place in range(len(raw))]
        rows = [self._nested(SixDicePenalty, key, row) for key, row in zip(keys, raw, strict=True)]
        # With a row missing, the order of the rest would be judged wrongly.
        return tuple(row for row in rows if row) if all(rows) else ()

    def _variants(self, table: Table) -> Variants | None:
        table = dict(self._known("variants", table, _names(Variants)))
        if "spicy_faces" in table:
            table["spicy_faces"] = _frozen(table["spicy_faces"])
        return self._make(lambda: Variants(**table))

    def _nested(self, part: type[Part], key: str, raw: Any) -> Part | None:
        if not isinstance(raw, dict):
            self._no_table(key, raw)
            return None
        return self._plain(part, key, raw)

    def _plain(self, part: type[Part], key: str, table: Table) -> Part | None:
        """Return a part whose fields are the keys of the table."""
        known = self._known(key, table, _names(part))
        missing = [
            Problem(f"{key}.{name}", MISSING, allowed)
            for name, allowed in NEEDED.get(part, {}).items()
            if name not in known
        ]
        self.problems += missing
        return None if missing else self._make(lambda: part(**known), key)

    def _make(self, build: Callable[[], Part], key: str = "") -> Part | None:
        try:
            return build()
        except RefusedError as refused:
            self.problems += [_placed(problem, key) for problem in refused.problems]
            return None

    def _section(self, raw: Table, name: str) -> Table:
        return self._as_table(name, raw.get(name, {}))

    def _as_table(self, key: str, raw: Any) -> Table:
        if isinstance(raw, dict):
            return raw
        self._no_table(key, raw)
        return {}

    def _no_table(self, key: str, raw: Any) -> None:
        self.problems.append(Problem(key, raw, "a table"))

    def _known(self, key: str, table: Table, names: tuple[str, ...]) -> Table:
        """Return the table without its unknown keys, each of which is a problem."""
        prefix = f"{key}." if key else ""
        for name in table:
            if name not in names:
                problem = Problem(f"{prefix}{name}", table[name], ", ".join(names), "is an unknown key")
                self.problems.append(problem)
        return {name: value for name, value in table.items() if name in names}


def _frozen(value: Any) -> Any:
    """Return an array as a tuple, so that parts stay hashable; anything else as it is."""
    return tuple(value) if isinstance(value, list) else value


def _names(part: type[Any]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(part))


def _placed(problem: Problem, key: str) -> Problem:
    """Return the problem with the place of its row where the part alone cannot know it."""
    if not key.startswith("bust.on_six["):
        return problem
    return replace(problem, key=problem.key.replace("bust.on_six", key, 1))
