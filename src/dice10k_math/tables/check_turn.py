"""Checks of the tables about one turn.

None of them solves the turn the way in which the tables were made:
a value is rolled on by one roll with every keep of the rules, the bank table is read off the decisions,
and the value of a turn is the mean of its endings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dice10k_math.dice import Hand, rolls
from dice10k_math.questions.long_run import long_run
from dice10k_math.questions.turn import turn_from
from dice10k_math.rules.model import Ruleset
from dice10k_math.scoring import bank_keeps, full_hand, is_instant_win, keeps_of
from dice10k_math.tables.check_roll import hand_in
from dice10k_math.tables.columns import joined, number_of
from dice10k_math.tables.one_turn import LONG_RUN_SCORE
from dice10k_math.tables.situations import Situation, situations
from dice10k_math.turn import bank_rule, six_dice_penalty

if TYPE_CHECKING:
    import polars

Reader = Callable[[str], "polars.DataFrame | None"]
State = tuple[Hand, int, int]
"""Hand, turn score, hot dice."""

SAMPLE = 40
MOST_OUTCOMES = 46_656
TOLERANCE = 1e-6
"""Greatest error of a recomputed value, in points; the tables are a thousand times closer."""


def _situations(rules: Ruleset, frame: polars.DataFrame, *, all_of_them: bool = True) -> Iterator[str]:
    named = {situation.name for situation in situations(rules)}
    found = set(frame.get_column("situation").to_list())
    if all_of_them:
        yield from (f"no row for the situation {name!r}" for name in sorted(named - found))
    yield from (f"situation {name!r} is none of the ruleset" for name in sorted(found - named))


def states(rules: Ruleset, frame: polars.DataFrame, read: Reader) -> Iterator[str]:  # noqa: ARG001 - as all checks
    """Check the table `turn`: banking by the rules, rolling by one roll into the table itself, the action by both."""
    yield from _situations(rules, frame)
    by_situation: dict[str, dict[State, dict[str, Any]]] = {}
    for row in frame.iter_rows(named=True):
        state = (hand_in(rules, row), row["turn_score"], row["hot_dice"])
        by_situation.setdefault(row["situation"], {})[state] = row
        if row["action"] not in {"bank", "roll"}:
            yield f"{_place(row)}: action {row['action']!r}"
        elif row["action"] == "bank" and (row["bank"] is None or row["bank"] < row["roll"] - TOLERANCE):
            yield f"{_place(row)}: says bank, but rolling on is worth more"
        elif row["action"] == "roll" and row["bank"] is not None and row["bank"] > row["roll"] + TOLERANCE:
            yield f"{_place(row)}: says roll, but banking is worth more"
    for situation in situations(rules):
        known = by_situation.get(situation.name, {})
        yield from _OneRoll(rules, situation, known).faults()


class _OneRoll:
    """Recomputes values of a situation by one roll with every keep of the rules."""

    def __init__(self, rules: Ruleset, situation: Situation, known: dict[State, dict[str, Any]]) -> None:
        self.rules, self.known = rules, known
        self.rule = bank_rule(rules, situation.score, situation.opened)
        self.whole = full_hand(rules)
        in_a_row = rules.bust.in_a_row
        due = in_a_row is not None and situation.busts + 1 == in_a_row.busts
        self.bust = -in_a_row.penalty if in_a_row is not None and due else 0
        self.bust_on_six = self.bust - six_dice_penalty(rules, situation.score)

    def faults(self) -> Iterator[str]:
        """Check banking in every state, and rolling in a sample of those whose every outcome is in the table."""
        for state, row in self.known.items():
            yield from self._bank_faults(state, row)
        states = list(self.known)
        outcomes = 0
        for state in states[:: max(1, len(states) // SAMPLE)]:
            # Many dice have many rolls, so that their number is what is bounded.
            outcomes += 6 ** len(state[0])
            if outcomes <= MOST_OUTCOMES * 4:
                yield from self._roll_faults(state, self.known[state])

    def _bank_faults(self, state: State, row: dict[str, Any]) -> Iterator[str]:
        hand, turn_score, _ = state
        forced = hand == self.whole and self.rules.turn.hot_dice == "must_roll"
        right = turn_score if self.rule.allows(turn_score) and not forced else None
        if row["bank"] != right:
            yield f"{_place(row)}: bank {row['bank']}; right: {right}"

    def _roll_faults(self, state: State, row: dict[str, Any]) -> Iterator[str]:
        try:
            right = self.rolled(state)
        except KeyError:
            return
        if abs(right - row["roll"]) > TOLERANCE:
            yield f"{_place(row)}: roll {row['roll']}; from its outcomes: {right}"

    def rolled(self, state: State) -> float:
        """Return the mean worth of the best choice after each roll."""
        hand = state[0]
        total = 0.0
        for roll, weight in rolls(hand):
            if is_instant_win(hand, roll):
                continue
            keeps = keeps_of(self.rules, hand, roll)
            after = [self._rolled_on(state, keep.points, keep.hand_left) for keep in keeps]
            after += [self._banked(state, keep.points, keep.hand_left) for keep in bank_keeps(self.rules, keeps)]
            total += weight * max(after, default=self.bust_on_six if hand == self.whole else self.bust)
        return total / float(6 ** len(hand))

    def _after(self, state: State, points: int, left: Hand) -> State:
        _, turn_score, hot_dice = state
        if left:
            return left, turn_score + points, hot_dice
        bonus = self.rules.turn.hot_dice_bonus << hot_dice
        return self.whole, turn_score + points + bonus, hot_dice + bool(bonus)

    def _rolled_on(self, state: State, points: int, left: Hand) -> float:
        return float(self.known[self._after(state, points, left)]["roll"])

    def _banked(self, state: State, points: int, left: Hand) -> float:
        turn_score = self._after(state, points, left)[1]
        forced = not left and self.rules.turn.hot_dice == "must_roll"
        return float(turn_score) if self.rule.allows(turn_score) and not forced else float("-inf")


def bank(rules: Ruleset, frame: polars.DataFrame, read: Reader) -> Iterator[str]:
    """Check the table `bank` against the decisions of the table `turn`."""
    # Where banking is never best there is no run.
    yield from _situations(rules, frame, all_of_them=False)
    decisions = read("turn")
    if decisions is None:
        return
    runs: dict[tuple[Any, ...], list[tuple[int, int | None]]] = {}
    for row in frame.iter_rows(named=True):
        key = (row["situation"], hand_in(rules, row), row["hot_dice"])
        runs.setdefault(key, []).append((row["bank_from"], row["bank_to"]))
    for row in decisions.iter_rows(named=True):
        if row["bank"] is None:
            continue
        of_hand = runs.get((row["situation"], hand_in(rules, row), row["hot_dice"]), [])
        within = any(low <= row["turn_score"] and (high is None or row["turn_score"] <= high) for low, high in of_hand)
        if within != (row["action"] == "bank"):
            yield f"{_place(row)}: {'in' if within else 'outside'} the runs, but the table turn says {row['action']}"


def values(rules: Ruleset, frame: polars.DataFrame, read: Reader) -> Iterator[str]:  # noqa: ARG001 - as all checks
    """Check the table `turn_values`: its bounds, and the exact value against bounds computed afresh."""
    yield from _situations(rules, frame)
    named = {situation.name: situation for situation in situations(rules)}
    for row in frame.iter_rows(named=True):
        if not row["lower"] <= row["expected_points"] <= row["upper"]:
            yield f"{row['situation']}: expected_points {row['expected_points']} is not between its bounds"
    first = frame.row(0, named=True) if frame.height else None
    if first is None or first["situation"] not in named:
        return
    start = named[first["situation"]]
    turn = turn_from(rules, start.score, opened=start.opened, busts=start.busts, exact=False)
    value: Fraction | float = first["expected_points"]
    if first["expected_points_numerator"] is not None:
        numerator, denominator = (first[f"expected_points_{part}"] for part in ("numerator", "denominator"))
        value = Fraction(number_of(numerator), number_of(denominator))
    if not turn.lower <= value <= turn.upper:
        yield f"{start.name}: expected_points {float(value)}; proved: {turn.lower} to {turn.upper}"


def endings(rules: Ruleset, frame: polars.DataFrame, read: Reader) -> Iterator[str]:
    """Check the table `turn_endings`: its sums, and that their mean is the value of the turn."""
    yield from _situations(rules, frame)
    known = read("turn_values")
    worth = {} if known is None else {row["situation"]: row for row in known.iter_rows(named=True)}
    for situation in situations(rules):
        rows = [row for row in frame.iter_rows(named=True) if row["situation"] == situation.name]
        total = sum(row["probability"] for row in rows)
        if abs(total - 1) > 1e-9:
            yield f"{situation.name}: the probabilities add up to {total}"
        if situation.name in worth:
            yield from _mean_faults(rules, situation, rows, worth[situation.name])


def _mean_faults(
    rules: Ruleset, situation: Situation, rows: list[dict[str, Any]], worth: dict[str, Any]
) -> Iterator[str]:
    chance = {row["ending"]: row["probability"] for row in rows if row["turn_score"] is None}
    banked = [(row["turn_score"], row["probability"]) for row in rows if row["turn_score"] is not None]
    turn = _OneRoll(rules, situation, {})
    mean = sum(score * probability for score, probability in banked)
    mean += turn.bust * chance.get("bust", 0.0) + turn.bust_on_six * chance.get("bust on six", 0.0)
    # What was not followed ran past every turn score that was; a turn from there on is worth a few times that.
    most = max((score for score, _ in banked), default=0)
    tolerance = TOLERANCE + 10 * most * chance.get("not followed", 0.0)
    if abs(mean - worth["expected_points"]) > tolerance:
        yield f"{situation.name}: mean of the endings {mean}, but the turn is worth {worth['expected_points']}"


def long_run_values(rules: Ruleset, frame: polars.DataFrame, read: Reader) -> Iterator[str]:  # noqa: ARG001
    """Check the table `long_run`."""
    run = long_run(rules, LONG_RUN_SCORE)
    if frame.get_column("busts").to_list() != list(range(len(run.turns))):
        yield f"busts: {frame.get_column('busts').to_list()}; right: 0 to {len(run.turns) - 1}"
    for row in frame.iter_rows(named=True):
        if not row["lower"] <= row["points_per_turn"] <= row["upper"]:
            yield f"busts {row['busts']}: points_per_turn {row['points_per_turn']} is not between its bounds"
        if row["lower"] > run.upper or row["upper"] < run.lower:
            yield f"busts {row['busts']}: points_per_turn {row['points_per_turn']}; right: {run.points_per_turn}"


def long_run_bank(rules: Ruleset, frame: polars.DataFrame, read: Reader) -> Iterator[str]:  # noqa: ARG001
    """Check the table `long_run_bank` against the decisions of the long run."""
    run = long_run(rules, LONG_RUN_SCORE)
    right = {
        (turn.busts, joined(part.hand), part.hot_dice, part.first, part.last)
        for turn in run.turns
        for part in turn.bank_table()
    }
    found = {
        (row["busts"], joined(hand_in(rules, row)), row["hot_dice"], row["bank_from"], row["bank_to"])
        for row in frame.iter_rows(named=True)
    }
    yield from (f"run {run_} is not one of the best play" for run_ in sorted(found - right, key=str))
    yield from (f"run {run_} is missing" for run_ in sorted(right - found, key=str))


def _place(row: dict[str, Any]) -> str:
    dice = f"dice {row['hand']}" if "hand" in row else f"{row['dice']} dice"
    return f"{row['situation']}, {dice}, turn score {row['turn_score']}, hot dice {row['hot_dice']}"
