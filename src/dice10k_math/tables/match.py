"""The tables about matches of two, and the match that they hold."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import lru_cache
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dice10k_math.errors import TableError
from dice10k_math.field import Field
from dice10k_math.field_states import extents
from dice10k_math.questions.match import MatchSolution, solve_match, turn_can_bank
from dice10k_math.questions.positions import FieldPositions, Positions, RacePositions, RoundsPositions
from dice10k_math.questions.stakes import StakesPositions
from dice10k_math.race import is_race
from dice10k_math.rules import penalties
from dice10k_math.rules.model import Ruleset
from dice10k_math.rules.write import fingerprint
from dice10k_math.stakes import race_of, unsolved
from dice10k_math.tables.columns import Column, schema_of
from dice10k_math.tables.manifest import Manifest, read_manifest
from dice10k_math.tables.read import read_entry
from dice10k_math.tables.situations import opening_matters

if TYPE_CHECKING:
    import polars
    from numpy.typing import NDArray

MATCH, MATCH_FAR, LAST_TURN = "match", "match_far", "last_turn"
NEAR = 2_000
"""How far below 0, and above an exact target, scores are listed."""
MIDDLE = 1e-15
BOUNDS = ("lower", "upper")
VALUES = ("win_probability", *BOUNDS)
WORTHS = ("worth", *BOUNDS)
MOST_SPICY_TARGET = 5_000
"""Greatest target up to which a game with spicy dice has a table: beyond, solving takes hours."""


def has_table(rules: Ruleset) -> bool:
    """Tell whether a ruleset has the table `match`: games of two; with spicy dice only small ones.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> has_table(load_rules("dice10k")), has_table(load_rules("farkle-spicy"))
    (True, False)
    """
    least, most = rules.players
    variants = rules.variants
    if variants.spicy_faces is not None and (
        variants.high_stakes or not is_race(rules) or rules.ending.target > MOST_SPICY_TARGET
    ):
        return False
    if variants.high_stakes and unsolved(rules) is not None:
        return False
    solved_here = is_race(rules) or rules.ending.kind != "equal_turns"
    return least <= 2 <= most and solved_here and turn_can_bank(rules)


def has_far(rules: Ruleset) -> bool:
    """Tell whether a ruleset has the table `match_far`: scores can fall or pass the target, so they have no end."""
    return has_table(rules) and not is_race(rules)


def has_last_turn(rules: Ruleset) -> bool:
    """Tell whether a ruleset has the table `last_turn`: a player who reaches the target may not have won yet."""
    return has_table(rules) and is_race(rules) and rules.ending.kind in {"final_round", "equal_turns"}


def listed(rules: Ruleset) -> tuple[int, int]:
    """Return the least and the greatest score that the table `match` has.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> listed(load_rules("farkle")), listed(load_rules("dice10k"))
    ((0, 9999), (-2000, 12000))
    """
    target, passes = rules.ending.target, rules.ending.overshoot == "add_or_subtract"
    return (-NEAR if penalties(rules) or passes else 0), (target + NEAR if passes else target - 1)


def listed_scores(rules: Ruleset, positions: Positions) -> list[int]:
    """Return the scores that the table `match` has."""
    if isinstance(positions, RacePositions):
        return [number * positions.race.unit for number in range(positions.race.scores)]
    if isinstance(positions, RoundsPositions):
        positions = positions.phases[0]
    assert isinstance(positions, FieldPositions)  # noqa: S101 - there are no others
    low, high = listed(rules)
    states = positions.field.states
    return sorted({int(state.low) for state in states if low <= state.low == state.high <= high})


@lru_cache(maxsize=1)
def solved(rules: Ruleset) -> Positions:
    """Return the solved match of a ruleset; its tables share it."""
    return solve_match(rules).positions


def seat_columns(rules: Ruleset) -> tuple[Column, ...]:
    """Return the columns that tell turn starts apart besides the scores: openings and busts in a row.

    They are there where scores can fall; else the score says whether its player has banked before.
    """
    opened = (
        Column("opened", "boolean", "", "whether the player to move has banked before"),
        Column("opponent_opened", "boolean", "", "whether the other has"),
    )
    busts = (
        Column("busts", "integer", "busts", "busts in a row of the player to move, before the turn"),
        Column("opponent_busts", "integer", "busts", "busts in a row of the other"),
    )
    if is_race(rules):
        return ()
    remembers = rules.turn.opening_applies == "until_first_bank" and opening_matters(rules)
    return (*(opened if remembers else ()), *(busts if rules.bust.in_a_row is not None else ()))


@lru_cache(maxsize=4)
def field_of(rules: Ruleset) -> Field:
    """Return the field in which a match is solved at last."""
    return Field(rules, extents(rules)[-1])


def columns(rules: Ruleset) -> tuple[Column, ...]:
    """Return the columns of the table `match`."""
    second = Column("second", "boolean", "", "whether the player to move has the second turn of the round")
    return (
        Column("score", "integer", "points", "banked score of the player to move"),
        Column("opponent", "integer", "points", "banked score of the other"),
        *((second,) if rules.ending.kind == "equal_turns" else ()),
        *seat_columns(rules),
        Column("win_probability", "float", "probability", "the player to move wins; both play to win"),
        Column("lower", "float", "probability", "proved lower bound of win_probability"),
        Column("upper", "float", "probability", "proved upper bound of win_probability"),
    )


def far_columns(rules: Ruleset) -> tuple[Column, ...]:
    """Return the columns of the table `match_far`."""
    return (
        Column("score_from", "integer", "points", "least banked score of the player to move; missing: no end"),
        Column("score_to", "integer", "points", "greatest banked score of the player to move; missing: no end"),
        Column("opponent_from", "integer", "points", "least banked score of the other; missing: no end"),
        Column("opponent_to", "integer", "points", "greatest banked score of the other; missing: no end"),
        *seat_columns(rules),
        Column("lower", "float", "probability", "lower bound: each score counts as the worst of its interval"),
        Column("upper", "float", "probability", "upper bound: each score counts as the best of its interval"),
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
    positions = solved(rules)
    found = positions.columns() if isinstance(positions, RacePositions) else _near_columns(rules, positions)
    return _frame(columns(rules), found)


def far_values(rules: Ruleset) -> tuple[polars.DataFrame, float]:
    """Make the table `match_far`."""
    return _frame(far_columns(rules), _far_columns(rules, solved(rules)))


def last_turn_values(rules: Ruleset) -> tuple[polars.DataFrame, float]:
    """Make the table `last_turn`."""
    positions = solved(rules)
    assert isinstance(positions, RacePositions)  # noqa: S101 - only races have this table
    return _frame(last_turn_columns(rules), positions.last_turn_columns())


def _frame(listed: tuple[Column, ...], found: Mapping[str, Any]) -> tuple[polars.DataFrame, float]:
    import polars as pl

    wanted = {column.name: found[column.name] for column in listed}
    return pl.DataFrame(wanted, schema=schema_of(listed)), float(np.max(found["upper"] - found["lower"]))


# -- fields as columns ---------------------------------------------------------------------------------------------


def _pairs(rules: Ruleset, field: Field) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.bool_]]:
    """Return the own state and the opponent's state of every turn start, and whether the table `match` has it."""
    low, high = listed(rules)
    near = np.array([low <= state.low == state.high <= high for state in field.states])
    own, other = (grid.ravel() for grid in np.indices((len(near), len(near))))
    return own, other, near[own] & near[other]


def _near_columns(rules: Ruleset, positions: Positions) -> dict[str, Any]:
    assert isinstance(positions, FieldPositions)  # noqa: S101 - races have columns of their own
    field = positions.field
    own, other, near = _pairs(rules, field)
    own, other = own[near], other[near]
    return {
        **_near_starts(field, own, other),
        "win_probability": positions.middle[own, other],
        "lower": positions.us[own, other],
        "upper": positions.them[own, other],
    }


def _far_columns(rules: Ruleset, positions: Positions) -> dict[str, Any]:
    assert isinstance(positions, FieldPositions)  # noqa: S101 - no race has this table
    field = positions.field
    own, other, near = _pairs(rules, field)
    own, other = own[~near], other[~near]
    return {
        **_far_starts(field, own, other),
        "lower": positions.us[own, other],
        "upper": positions.them[own, other],
    }


def _near_starts(field: Field, own: NDArray[Any], other: NDArray[Any]) -> dict[str, Any]:
    scores = np.array([0 if abs(state.low) == inf else int(state.low) for state in field.states])
    return {"score": scores[own], "opponent": scores[other], **_seats(field, own, other)}


def _far_starts(field: Field, own: NDArray[Any], other: NDArray[Any]) -> dict[str, Any]:
    ends = [[None if abs(end) == inf else int(end) for end in (state.low, state.high)] for state in field.states]
    return {
        f"{name}_{end}": [ends[number][place] for number in numbers.tolist()]
        for name, numbers in (("score", own), ("opponent", other))
        for place, end in enumerate(("from", "to"))
    } | _seats(field, own, other)


def _seats(field: Field, own: NDArray[Any], other: NDArray[Any]) -> dict[str, Any]:
    opened = np.array([state.opened for state in field.states])
    busts = np.array([state.busts for state in field.states])
    return {
        "opened": opened[own],
        "opponent_opened": opened[other],
        "busts": busts[own],
        "opponent_busts": busts[other],
    }


# -- reading -------------------------------------------------------------------------------------------------------


def positions_of(rules: Ruleset, frames: Mapping[str, polars.DataFrame]) -> Positions:
    """Return the positions that the tables of a ruleset hold.

    Parameters
    ----------
    rules
        The ruleset.
    frames
        The tables that `needed` names.

    Raises
    ------
    TableError
        Turn starts or deficits that are not those of the rules, or cells that are missing.
    """
    if is_race(rules):
        return _race_of(rules, frames[MATCH], frames.get(LAST_TURN))
    return _field_of(rules, frames[MATCH], frames[MATCH_FAR])


def _race_of(rules: Ruleset, match: polars.DataFrame, last_turn: polars.DataFrame | None) -> RacePositions:
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


def _field_of(rules: Ruleset, match: polars.DataFrame, far: polars.DataFrame) -> FieldPositions:
    field = field_of(rules)
    own, other, near = _pairs(rules, field)
    bounds = [np.empty((len(field.states), len(field.states))) for _ in BOUNDS]
    for table, frame, here in ((MATCH, match, near), (MATCH_FAR, far, ~near)):
        if frame.height != here.sum():
            raise TableError(f"{table}: {frame.height} rows; {rules.name} has {here.sum()} turn starts")
        starts = (_near_starts if table == MATCH else _far_starts)(field, own[here], other[here])
        _check_starts(frame, table, {name: starts[name] for name in starts if name in frame.columns})
        for bound, name in zip(bounds, BOUNDS, strict=True):
            bound[own[here], other[here]] = _numbers(frame, table, name)
    found = FieldPositions(field, *bounds)
    _check_middle(match, found.middle[own[near], other[near]])
    return found


def _check_middle(match: polars.DataFrame, middle: NDArray[Any]) -> None:
    value = _numbers(match, MATCH, "win_probability")
    # The middle is computed anew; what it was computed on may have rounded otherwise.
    wrong = np.flatnonzero(np.abs(value - middle) > MIDDLE)
    if len(wrong):
        place = int(wrong[0])
        raise TableError(
            f"{MATCH}: row {place}: win_probability {value[place]} is not the middle of its bounds, {middle[place]}"
        )


def _numbers(frame: polars.DataFrame, table: str, name: str) -> NDArray[Any]:
    found = frame[name].to_numpy()
    if not len(found) or not ((found >= 0) & (found <= 1)).all():
        raise TableError(f"{table}: {name}: some are missing or no probabilities; allowed: 0 to 1")
    return found


def _check_starts(frame: polars.DataFrame, table: str, right: Mapping[str, Any]) -> None:
    import polars as pl

    for name, column in right.items():
        if not frame[name].equals(pl.Series(name, column, dtype=frame[name].dtype), null_equal=True):
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
    names = needed(rules)
    if not names:
        raise TableError(
            f"{root}: {rules.name} can have no table {MATCH!r}; allowed: games of two in which a turn can bank, "
            f"no penalties with equal turns, and with spicy dice up to {MOST_SPICY_TARGET} points without High Stakes"
        )
    return MatchSolution(rules, positions_of(rules, {name: _read(root, manifest, rules, name) for name in names}))


def holds_match(folder: Path, rules: Ruleset) -> bool:
    """Tell whether a folder holds the solved match of these very rules, going by its manifest."""
    try:
        manifest = read_manifest(folder)
    except TableError:
        return False
    names = needed(rules)
    return bool(names) and all(_is_of(manifest, rules, name) for name in names)


def needed(rules: Ruleset) -> tuple[str, ...]:
    """Return the tables that hold the solved match of a ruleset.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> needed(load_rules("farkle")), needed(load_rules("dice10k"))
    (('match', 'last_turn'), ('match', 'match_far'))
    """
    kinds = {MATCH: has_table, MATCH_FAR: has_far, LAST_TURN: has_last_turn}
    return tuple(name for name, has in kinds.items() if has(rules))


def _is_of(manifest: Manifest, rules: Ruleset, name: str) -> bool:
    entry = manifest.tables.get((rules.name, name))
    return entry is not None and entry.fingerprint == fingerprint(rules)


def _read(root: Path, manifest: Manifest, rules: Ruleset, name: str) -> polars.DataFrame:
    entry = manifest.tables.get((rules.name, name))
    if entry is None:
        raise TableError(f"{root}: no table {name!r} of {rules.name!r}; `tables build` writes it")
    if entry.fingerprint != fingerprint(rules):
        raise TableError(f"{root}: {entry.file} is of other rules named {rules.name!r}; `tables build` writes it anew")
    listed = {MATCH: columns, MATCH_FAR: far_columns, LAST_TURN: last_turn_columns}[name](rules)
    if entry.columns != listed:
        raise TableError(f"{root}: {entry.file} has other columns than this version writes")
    return read_entry(root, entry)
