"""The tables about matches of two, and the match that they hold."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dice10k_math.errors import TableError
from dice10k_math.questions.match import MatchSolution, solve_match, turn_can_bank
from dice10k_math.questions.positions import RacePositions
from dice10k_math.questions.stakes import StakesPositions
from dice10k_math.race import is_race
from dice10k_math.rules.model import Ruleset
from dice10k_math.rules.write import fingerprint
from dice10k_math.stakes import race_of, unsolved
from dice10k_math.tables.columns import Column, schema_of
from dice10k_math.tables.manifest import Manifest, read_manifest
from dice10k_math.tables.read import read_entry

if TYPE_CHECKING:
    import polars
    from numpy.typing import NDArray

MATCH, LAST_TURN = "match", "last_turn"
MOST_SPICY_TARGET = 5_000
"""Greatest target up to which a game with spicy dice has a table: beyond, solving takes hours."""
VALUES = ("win_probability", "lower", "upper")
WORTHS = ("worth", "lower", "upper")


def has_table(rules: Ruleset) -> bool:
    """Tell whether a ruleset has the table `match`: games of two in which no score ever falls; with spicy dice only
    those to few points and without High Stakes.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> has_table(load_rules("farkle")), has_table(load_rules("dice10k"))
    (True, False)
    """
    least, most = rules.players
    variants = rules.variants
    if variants.spicy_faces is not None and (variants.high_stakes or rules.ending.target > MOST_SPICY_TARGET):
        return False
    if variants.high_stakes and unsolved(rules) is not None:
        return False
    return least <= 2 <= most and is_race(rules) and turn_can_bank(rules)


def has_last_turn(rules: Ruleset) -> bool:
    """Tell whether a ruleset has the table `last_turn`: a player who reaches the target may not have won yet."""
    return has_table(rules) and rules.ending.kind in {"final_round", "equal_turns"}


@lru_cache(maxsize=1)
def solved(rules: Ruleset) -> RacePositions:
    """Return the solved match of a ruleset; its tables share it."""
    positions = solve_match(rules).positions
    assert isinstance(positions, RacePositions)  # noqa: S101 - only races have these tables
    return positions


def columns(rules: Ruleset) -> tuple[Column, ...]:
    """Return the columns of the table `match`."""
    second = Column("second", "boolean", "", "whether the player to move has the second turn of the round")
    return (
        Column("score", "integer", "points", "banked score of the player to move"),
        Column("opponent", "integer", "points", "banked score of the other"),
        *((second,) if rules.ending.kind == "equal_turns" else ()),
        Column("win_probability", "float", "probability", "the player to move wins; both play to win"),
        Column("lower", "float", "probability", "proved lower bound of win_probability"),
        Column("upper", "float", "probability", "proved upper bound of win_probability"),
    )


def last_turn_columns(rules: Ruleset) -> tuple[Column, ...]:  # noqa: ARG001 - the same for all
    """Return the columns of the table `last_turn`."""
    return (
        Column("deficit", "integer", "points", "how far the player is behind; greater ones are worth no more"),
        Column("worth", "float", "probability", "the player wins with this one turn"),
        Column("lower", "float", "probability", "proved lower bound of worth"),
        Column("upper", "float", "probability", "proved upper bound of worth"),
    )


def values(rules: Ruleset) -> tuple[polars.DataFrame, float]:
    """Make the table `match`."""
    return _frame(columns(rules), solved(rules).columns())


def last_turn_values(rules: Ruleset) -> tuple[polars.DataFrame, float]:
    """Make the table `last_turn`."""
    return _frame(last_turn_columns(rules), solved(rules).last_turn_columns())


def _frame(listed: tuple[Column, ...], found: Mapping[str, NDArray[Any]]) -> tuple[polars.DataFrame, float]:
    import polars as pl

    return pl.DataFrame(dict(found), schema=schema_of(listed)), float(np.max(found["upper"] - found["lower"]))


def positions_of(rules: Ruleset, match: polars.DataFrame, last_turn: polars.DataFrame | None) -> RacePositions:
    """Return the positions that the tables of a ruleset hold; `last_turn` None: there are no last turns.

    Raises
    ------
    TableError
        Turn starts or deficits that are not those of the rules, or cells that are missing.
    """
    race = race_of(rules)
    if last_turn is None:
        last: list[NDArray[Any]] = [np.zeros(1)] * 3
    else:
        last = [_numbers(last_turn, LAST_TURN, name) for name in WORTHS]
    shape = race.phases, race.scores, race.scores
    if match.height != np.prod(shape):
        raise TableError(f"{MATCH}: {match.height} rows; {rules.name} has {np.prod(shape)} turn starts")
    kind = StakesPositions if rules.variants.high_stakes else RacePositions
    found = kind(race, *(_numbers(match, MATCH, name).reshape(shape) for name in VALUES), *last)
    _check_starts(match, MATCH, found.columns())
    if last_turn is not None:
        _check_starts(last_turn, LAST_TURN, found.last_turn_columns())
    return found


def _numbers(frame: polars.DataFrame, table: str, name: str) -> NDArray[Any]:
    found = frame[name].to_numpy()
    if not len(found) or not ((found >= 0) & (found <= 1)).all():
        raise TableError(f"{table}: {name}: some are missing or no probabilities; allowed: 0 to 1")
    return found


def _check_starts(frame: polars.DataFrame, table: str, right: Mapping[str, NDArray[Any]]) -> None:
    for name, column in right.items():
        if not np.array_equal(frame[name].to_numpy(), column):
            raise TableError(f"{table}: {name}: the rows are not those of the rules, in their order")


def load_match(folder: str | os.PathLike[str], rules: Ruleset) -> MatchSolution:
    """Return a solved match from a folder that `tables build` wrote, without solving again.

    Parameters
    ----------
    folder
        The folder with the manifest.
    rules
        The ruleset; the table must be that of these very rules.

    Raises
    ------
    TableError
        There is no such table, or its file is not the one that the manifest tells of.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from dice10k_math.rules import load_rules, with_target
    >>> from dice10k_math.tables.build import build_tables
    >>> from dice10k_math.tables.kinds import kind_named
    >>> rules = with_target(load_rules("farkle"), 500)
    >>> kinds = kind_named("match"), kind_named("last_turn")
    >>> with TemporaryDirectory() as folder:
    ...     _ = build_tables([rules], Path(folder), kinds=kinds)
    ...     match = load_match(folder, rules)
    >>> round(match.win_probability(0, 0).value, 6)
    0.564168
    """
    root = Path(folder)
    manifest = read_manifest(root)
    names = _needed(rules)
    if MATCH not in names:
        raise TableError(
            f"{root}: {rules.name} can have no table {MATCH!r}; allowed: games of two in which no score ever falls, "
            f"with spicy dice up to {MOST_SPICY_TARGET} points and without High Stakes"
        )
    frames = {name: _read(root, manifest, rules, name) for name in names}
    return MatchSolution(rules, positions_of(rules, frames[MATCH], frames.get(LAST_TURN)))


def holds_match(folder: Path, rules: Ruleset) -> bool:
    """Tell whether a folder holds the solved match of these very rules, going by its manifest."""
    try:
        manifest = read_manifest(folder)
    except TableError:
        return False
    names = _needed(rules)
    return MATCH in names and all(_is_of(manifest, rules, name) for name in names)


def _needed(rules: Ruleset) -> tuple[str, ...]:
    return (*((MATCH,) if has_table(rules) else ()), *((LAST_TURN,) if has_last_turn(rules) else ()))


def _is_of(manifest: Manifest, rules: Ruleset, name: str) -> bool:
    entry = manifest.tables.get((rules.name, name))
    return entry is not None and entry.fingerprint == fingerprint(rules)


def _read(root: Path, manifest: Manifest, rules: Ruleset, name: str) -> polars.DataFrame:
    entry = manifest.tables.get((rules.name, name))
    if entry is None:
        raise TableError(f"{root}: no table {name!r} of {rules.name!r}; `tables build` writes it")
    if entry.fingerprint != fingerprint(rules):
        raise TableError(f"{root}: {entry.file} is of other rules named {rules.name!r}; `tables build` writes it anew")
    listed = columns(rules) if name == MATCH else last_turn_columns(rules)
    if entry.columns != listed:
        raise TableError(f"{root}: {entry.file} has other columns than this version writes")
    return read_entry(root, entry)
