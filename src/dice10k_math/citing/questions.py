"""The questions whose answers can be cited, each one entry of `QUESTIONS`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from dice10k_math import odds
from dice10k_math.citing.arguments import Argument, Value
from dice10k_math.errors import InputError, TableError
from dice10k_math.rules import Ruleset, bank_step, fingerprint
from dice10k_math.workers import Progress

if TYPE_CHECKING:
    from dice10k_math.questions.match import MatchSolution
    from dice10k_math.questions.turn import TurnSolution

Origin = Literal["computed", "tables"]


@dataclass(frozen=True, slots=True)
class Number:
    """A result: a number with its bounds.

    Attributes
    ----------
    value, lower, upper
        The number, and bounds that are proved.
    exact
        The number as a fraction, where it is known.
    origin
        Whether it was computed or read from tables.
    """

    value: float
    lower: float
    upper: float
    exact: Fraction | None = None
    origin: Origin = "computed"


@dataclass(frozen=True, slots=True)
class Setting:
    """Where answers come from: a folder of tables (None: no folder), and who is told how far the work is."""

    tables: Path | None = None
    progress: Progress | None = None


Answerer = Callable[[Ruleset, Mapping[str, Value], Setting], Number]


@dataclass(frozen=True, slots=True)
class Question:
    """A question that can be cited.

    Attributes
    ----------
    meaning
        What the number is, in words.
    unit
        "probability", "points" or "turns".
    """

    name: str
    meaning: str
    unit: str
    arguments: tuple[Argument, ...]
    answer: Answerer


def _exact(value: Fraction) -> Number:
    return Number(float(value), float(value), float(value), value)


def _hand(rules: Ruleset, given: Mapping[str, Value]) -> int | tuple[int, ...]:
    """Return the dice that are asked about: by their number or, for spicy dice, by their faces."""
    hand, dice = given["hand"], given["dice"]
    if hand is not None:
        if dice is not None:
            raise InputError(f"hand: not with dice={dice}; allowed: one of the two")
        if rules.variants.spicy_faces is None:
            raise InputError(f"hand: {rules.name} has no spicy dice; allowed: dice")
        assert isinstance(hand, tuple)  # noqa: S101 - as its kind says
        return hand
    return rules.turn.dice if dice is None else _int(dice)


def _int(value: Value) -> int:
    assert isinstance(value, int)  # noqa: S101 - as its kind says
    return value


def _state(value: Value) -> bool | None:
    assert value is None or isinstance(value, bool)  # noqa: S101 - as its kind says
    return value


def _bust(rules: Ruleset, given: Mapping[str, Value], _: Setting) -> Number:
    return _exact(odds.bust_odds(rules, _hand(rules, given)))


def _hot_dice(rules: Ruleset, given: Mapping[str, Value], _: Setting) -> Number:
    return _exact(odds.hot_dice_odds(rules, _hand(rules, given)))


def _mean_score(rules: Ruleset, given: Mapping[str, Value], _: Setting) -> Number:
    return _exact(odds.mean_best_score(rules, _hand(rules, given)))


def _best_score(rules: Ruleset, given: Mapping[str, Value], _: Setting) -> Number:
    distribution = odds.score_distribution(rules, _hand(rules, given))
    return _exact(distribution.get(_int(given["points"]), Fraction(0)))


def _turn_of(
    rules: Ruleset, given: Mapping[str, Value], at_least: int | None = None, *, exact: bool = True
) -> TurnSolution:
    from dice10k_math.questions.turn import solve_turn
    from dice10k_math.solve.worth import at_least as worth_of

    worth = None if at_least is None else worth_of(at_least)
    score, opened, busts = _int(given["score"]), _state(given["opened"]), _int(given["busts"])
    return solve_turn(rules, score, opened=opened, busts=busts, worth=worth, exact=exact)


def _turn(rules: Ruleset, given: Mapping[str, Value], _: Setting) -> Number:
    turn = _turn_of(rules, given)
    return Number(turn.expected_points, turn.lower, turn.upper, turn.exact)


MOST_AT_LEAST = 100_000


def _at_least(rules: Ruleset, given: Mapping[str, Value], _: Setting) -> Number:
    points = _int(given["points"])
    if not 1 <= points <= MOST_AT_LEAST:
        raise InputError(f"points: {points}; allowed: 1 to {MOST_AT_LEAST}")
    turn = _turn_of(rules, given, points)
    return Number(turn.expected_points, turn.lower, turn.upper, turn.exact)


def _bank_from(rules: Ruleset, given: Mapping[str, Value], _: Setting) -> Number:
    hand, hot_dice = _hand(rules, given), _int(given["hot-dice"])
    found = _turn_of(rules, given, exact=False).bank_from(hand, hot_dice)
    if found is None:
        raise InputError(f"bank-from: {rules.name} has no turn score to bank with these dice; allowed: other dice")
    return _exact(Fraction(found))


def _solo(rules: Ruleset, given: Mapping[str, Value], setting: Setting) -> Number:
    start = _int(given["score"]), _state(given["opened"]), _int(given["busts"])
    listed = _listed_turns(rules, start, setting.tables)
    if listed is not None:
        return listed
    from dice10k_math.questions.solo import solve_solo

    found = solve_solo(rules, setting.progress).expected_turns(*start)
    if not isfinite(found.value):
        raise InputError(f"solo: {rules.name} has no play that is certain to end from score {start[0]}")
    return Number(found.value, found.lower, found.upper)


def _listed_turns(rules: Ruleset, start: tuple[int, bool | None, int], tables: Path | None) -> Number | None:
    """Return the number of turns in a table of these very rules; None: it is not there."""
    if tables is None or rules.variants.spicy_faces is not None:
        return None
    from dice10k_math.tables.manifest import read_manifest
    from dice10k_math.tables.read import read_entry

    entry = read_manifest(tables).tables.get((rules.name, "solo"))
    if entry is None or entry.fingerprint != fingerprint(rules):
        return None
    score, opened, busts = start
    opened = score != 0 if opened is None else opened
    for row in read_entry(tables, entry).iter_rows(named=True):
        if (row["score"], row["opened"], row["busts"]) == (score, opened, busts) and row["expected_turns"] is not None:
            return Number(row["expected_turns"], row["lower"], row["upper"], None, "tables")
    return None


def _match(rules: Ruleset, given: Mapping[str, Value], setting: Setting) -> Number:
    score, opponent, second = _int(given["score"]), _int(given["opponent"]), bool(given["second"])
    _check_scores(rules, {"score": score, "opponent": opponent}, second)
    match, origin = _match_of(rules, setting)
    found = match.win_probability(score, opponent, second=second)
    return Number(found.value, found.lower, found.upper, None, origin)


def _match_of(rules: Ruleset, setting: Setting) -> tuple[MatchSolution, Origin]:
    from dice10k_math.tables.match import holds_match, load_match

    if setting.tables is not None and holds_match(setting.tables, rules):
        return load_match(setting.tables, rules), "tables"
    from dice10k_math.questions.match import solve_match

    return solve_match(rules, setting.progress), "computed"


def _check_scores(rules: Ruleset, scores: Mapping[str, int], second: bool) -> None:
    """Refuse what can be seen to be wrong before a match is solved, which may take a while."""
    if second and rules.ending.kind != "equal_turns":
        raise InputError(f"second: {rules.name} has no equal turns; allowed: without it")
    if rules.ending.overshoot == "add_or_subtract" or rules.bust.on_six or rules.bust.in_a_row is not None:
        return
    unit, target = bank_step(rules), rules.ending.target
    for name, score in scores.items():
        if score % unit or not 0 <= score < target:
            raise InputError(f"{name}: {score}; allowed: from 0 in steps of {unit}, below the target {target}")


def _long_run(rules: Ruleset, given: Mapping[str, Value], _: Setting) -> Number:
    from dice10k_math.questions.long_run import long_run

    run = long_run(rules, _int(given["score"]))
    return Number(run.points_per_turn, run.lower, run.upper)


DICE = (Argument("dice"), Argument("hand", "faces"))
START = (Argument("score", default=0), Argument("opened", "yes or no"), Argument("busts", default=0))

_ALL = (
    Question("bust", "probability that a roll scores nothing", "probability", DICE, _bust),
    Question("hot-dice", "probability that every die of a roll can be kept", "probability", DICE, _hot_dice),
    Question("mean-score", "mean of the best keep of a roll, a bust counting 0", "points", DICE, _mean_score),
    Question(
        "best-score",
        "probability that the best keep of a roll is worth these points, a bust being 0",
        "probability",
        (Argument("points", needed=True), *DICE),
        _best_score,
    ),
    Question("turn", "greatest expected change of the score in one turn", "points", START, _turn),
    Question(
        "at-least",
        "greatest probability to bank at least these points in one turn",
        "probability",
        (Argument("points", needed=True), *START),
        _at_least,
    ),
    Question(
        "bank-from",
        "least turn score that the turn with the most expected points banks with these dice left",
        "points",
        (*DICE, Argument("hot-dice", default=0), *START),
        _bank_from,
    ),
    Question(
        "long-run",
        "best long-run average of points a turn",
        "points",
        (Argument("score", default=1000),),
        _long_run,
    ),
    Question("solo", "fewest expected turns to the end of the game, alone", "turns", START, _solo),
    Question(
        "match",
        "probability that the player to move wins a match of two who both play to win",
        "probability",
        (Argument("score", default=0), Argument("opponent", default=0), Argument("second", "yes or no", default=False)),
        _match,
    ),
)
QUESTIONS: dict[str, Question] = {question.name: question for question in _ALL}
"""All questions by name; a new one is one entry above."""


def question_named(name: str) -> Question:
    """Return the question of that name.

    Raises
    ------
    InputError
        There is none.

    Examples
    --------
    >>> question_named("match").unit
    'probability'
    """
    if name not in QUESTIONS:
        raise InputError(f"question: {name[:40]!r}; allowed: {', '.join(QUESTIONS)}")
    return QUESTIONS[name]


def answer(question: Question, rules: Ruleset, given: Mapping[str, Value], setting: Setting) -> Number:
    """Return the answer to a question.

    Raises
    ------
    InputError
        Arguments that these rules do not allow, or a table that does not hold.
    """
    try:
        return question.answer(rules, given, setting)
    except TableError as error:
        raise InputError(f"tables: {error}") from None
