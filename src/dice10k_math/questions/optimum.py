"""The best play for a goal as a player: what each choice is worth, from the values of a solved goal.

* "points": the most expected points of the turn, penalties counted, whatever the scores;
* "win": the most chance to win for two players who both play so;
* "turns": the fewest expected turns of one player alone.

Turn scores up to `MOST` are looked up; a player beyond banks.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import lru_cache
from math import inf

import numpy as np

from dice10k_math.errors import InputError
from dice10k_math.last_turn import (
    NEAREST,
    Setting,
    allowed,
    compiled,
    first_of_extra_round,
    hot_dice_within,
    last_turns,
)
from dice10k_math.policy import Optimum, Player, Standing, WorthPlayer, Worths, subtracts
from dice10k_math.program import ANY_HAND, NEVER, Floats, Program, survival
from dice10k_math.questions.match import solve_match
from dice10k_math.questions.positions import FieldPositions, RacePositions, Seat
from dice10k_math.questions.solo import solve_solo
from dice10k_math.questions.stakes import StakesPositions
from dice10k_math.questions.turn import solve_turn
from dice10k_math.race import is_race
from dice10k_math.rules import Ruleset, bank_step
from dice10k_math.single import Situation, TurnWorths, evaluate
from dice10k_math.turn import bank_rule, six_dice_penalty, turn_model

MOST = 20_000
"""Greatest turn score in the tables, in points."""


def optimal_player(optimum: Optimum, rules: Ruleset) -> Player:
    """Return the player of an optimum.

    Raises
    ------
    InputError
        A goal that is not solved for these rules.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> player = optimal_player(Optimum("points"), load_rules("farkle"))
    >>> player.key(Standing(0)) == player.key(Standing(500))
    False
    """
    makers: dict[str, Callable[[Ruleset], Player]] = {"points": _for_points, "win": _to_win, "turns": _for_turns}
    return makers[optimum.goal](rules)


def _grid(program: Program, roll: Floats, bank: Floats, subtract: Floats) -> Worths:
    """Lay out the worths of after-states and of bank rows by turn score."""
    step = program.model.step
    most = min(MOST, program.most)
    columns = most // step + 1
    inside = (program.turn_score <= most) & ~program.hot_edge
    levels = int(program.hot_dice[inside].max()) + 1 if program.model.bonus else 1
    rolls = np.full((levels, len(program.model.hands), columns), -inf)
    level = program.hot_dice[inside] if program.model.bonus else 0
    rolls[level, program.hand[inside], program.turn_score[inside] // step] = roll[inside]
    leaves_hand = bool((program.bank_hands != ANY_HAND).any())
    banks = np.full((2, len(program.model.hands) if leaves_hand else 1, columns), -inf)
    scores = program.bank_scores <= most
    left = program.bank_hands[scores] if leaves_hand else 0
    banks[:, left, program.bank_scores[scores] // step] = np.stack([bank, subtract])[:, scores]
    return Worths(step, rolls, banks[0], banks[1])


def _program(rules: Ruleset) -> Program:
    return compiled(rules, MOST, hot_dice_within(rules, MOST))


def _player(rules: Ruleset, keys: Callable[[Standing], Hashable], worths: Callable[..., Worths], size: int) -> Player:
    return WorthPlayer(rules, keys, lru_cache(maxsize=size)(worths))


def _for_points(rules: Ruleset) -> Player:
    in_a_row = rules.bust.in_a_row

    def key(standing: Standing) -> Hashable:
        score = standing.score
        rule = bank_rule(rules, score, standing.opened)
        return rule.minimum, rule.most, six_dice_penalty(rules, score), standing.busts if in_a_row else 0, score > 0

    standings: dict[Hashable, Standing] = {}

    def keep(standing: Standing) -> Hashable:
        return standings.setdefault(key(standing), standing) and key(standing)

    def worths(found: Hashable) -> Worths:
        standing = standings[found]
        turn = solve_turn(rules, standing.score, opened=standing.opened, busts=standing.busts, exact=False)
        step = turn_model(rules).step
        states = turn.states(MOST)
        hands = {model.hand: number for number, model in enumerate(turn_model(rules).hands)}
        levels = 1 + max(state.hot_dice for state in states)
        roll = np.full((levels, len(hands), MOST // step + 1), -inf)
        for state in states:
            roll[state.hot_dice, hands[state.hand], state.turn_score // step] = state.roll
        roll[0, -1, 0] = turn.expected_points
        bank = np.arange(MOST // step + 1, dtype=np.float64)[None] * step
        return Worths(step, roll, bank, bank)

    return _player(rules, keep, worths, 64)


def _for_turns(rules: Ruleset) -> Player:
    solo = solve_solo(rules)
    program = _program(rules)

    def key(standing: Standing) -> Hashable:
        return standing.score, standing.opened, standing.busts

    def left(score: int, *, opened: bool = True, busts: int = 0) -> float:
        return -solo.expected_turns(score, opened, busts).value

    def worths(found: tuple[int, bool | None, int]) -> Worths:
        score, opened, busts = found
        rule, target = bank_rule(rules, score, opened), rules.ending.target
        exact = rules.ending.kind == "exact"

        def banked(after: int) -> float:
            done = after == target if exact else after >= target
            return 0.0 if done else left(after)

        def row(sign: int) -> Floats:
            scores = program.bank_scores.tolist()
            return np.array([banked(score + sign * t) if rule.allows(t) else NEVER for t in scores])

        bank = row(1)
        subtract = row(-1) if subtracts(rules, score) else np.full_like(bank, NEVER)
        in_a_row = rules.bust.in_a_row
        after, penalty = busts + 1 if in_a_row else 0, 0
        if in_a_row is not None and after == in_a_row.busts:
            after, penalty = 0, in_a_row.penalty
        bust, on_six = (
            left(score - lost, opened=bool(opened), busts=after)
            for lost in (penalty, penalty + six_dice_penalty(rules, score))
        )
        best = np.maximum(bank, subtract)
        top = float(best.max())
        chance = survival(program.model, _multiple(rules))[0]
        turn = evaluate(program, Situation(best, bust, on_six, top, MOST, chance))
        return _grid(program, turn.roll, bank, subtract)

    return _player(rules, key, worths, 4096)


def _multiple(rules: Ruleset) -> int:
    step, model = bank_step(rules), turn_model(rules)
    return step * model.step // np.gcd(step, model.step)


def _to_win(rules: Ruleset) -> Player:
    if rules.ending.kind == "equal_turns" and not is_race(rules):
        raise InputError(f"optimum win: {rules.name} has equal turns in which scores can fall; allowed: other goals")
    positions = solve_match(rules).positions
    if isinstance(positions, RacePositions):
        worths = _RaceWorths(rules, positions)
        return _player(rules, worths.key, worths.of, 256)
    if isinstance(positions, FieldPositions):
        field_worths = _FieldWorths(rules, positions)
        return _player(rules, field_worths.key, field_worths.of, 256)
    raise InputError(f"optimum win: no turns are known for {rules.name}; allowed: a game that is solved for two")


def _opponent(standing: Standing) -> int:
    if standing.opponent is None:
        raise InputError("optimum win: a player alone has nobody to win against; allowed: optimum turns")
    return standing.opponent


def _last_place(behind: int) -> Standing:
    """Return a standing for all last turns of a player so far behind: only the difference matters."""
    return Standing(0, behind, last=True)


class _RaceWorths:
    """Worths for a match in which no score falls."""

    def __init__(self, rules: Ruleset, positions: RacePositions) -> None:
        self.rules, self.positions = rules, positions
        self.last = _LastWorths(rules, positions.race, positions.last_turn)

    def key(self, standing: Standing) -> Standing:
        """Return one standing for all at which the player plays alike."""
        opponent, target = _opponent(standing), self.rules.ending.target
        if standing.last:
            return _last_place(opponent - standing.score)
        if opponent >= target:
            return Standing(target, target)
        return Standing(standing.score, opponent, closing=standing.closing)

    def of(self, standing: Standing) -> Worths:
        """Return what the choices are worth at a standing."""
        assert standing.opponent is not None  # noqa: S101 - a standing without one has no key
        target = self.rules.ending.target
        if standing.last:
            return self.last.of(standing.opponent - standing.score)
        if standing.opponent >= target:
            return self.last.of_first()
        seats = Seat(standing.score), Seat(standing.opponent)
        turn = self.positions.turn(*seats, second=standing.closing)
        grid = _grid(turn.program, turn.roll, turn.bank, np.full_like(turn.bank, NEVER))
        stakes = isinstance(self.positions, StakesPositions) and self.positions.stakes.stands_still
        return _going_on(grid, turn) if stakes else grid


def _going_on(worths: Worths, turn: TurnWorths) -> Worths:
    """Lay a table out up to `MOST`, where the turn score does not matter any more beyond what is solved.

    With High Stakes it can be best to roll on there: see `StakesRace.limits`.
    """
    program, known = turn.program, worths.bank.shape[1]
    rest = MOST // worths.step + 1 - known
    if rest <= 0:
        return worths
    last: list[Floats] = []
    parts = (program.hand, program.turn_score, turn.roll), (program.bank_hands, program.bank_scores, turn.bank)
    for hands, scores, worth in parts:
        order = np.argsort(scores, kind="stable")
        far = np.full(len(program.model.hands), -inf)
        # Of several the one with the greatest turn score is written last.
        far[hands[order]] = worth[order]
        last.append(far[:, None].repeat(rest, axis=1))
    roll = np.concatenate([worths.roll, last[0][None]], axis=2)
    bank = np.concatenate([worths.bank, last[1]], axis=1)
    return Worths(worths.step, roll, bank, np.full_like(bank, -inf))


class _FieldWorths:
    """Worths for a match in which scores can fall or pass the target."""

    def __init__(self, rules: Ruleset, positions: FieldPositions) -> None:
        field = positions.field
        if field.remembers or rules.bust.in_a_row is not None:
            raise InputError(
                f"optimum win: {rules.name} has more to remember of an opponent than his score; allowed: other goals"
            )
        self.rules, self.positions = rules, positions
        self.last = _LastWorths(rules, field, last_turns(field, 0.5, NEAREST)) if field.has_last_turn else None

    def key(self, standing: Standing) -> Standing:
        """Return one standing for all at which the player plays alike."""
        opponent = _opponent(standing)
        if standing.last and self.last is not None:
            return _last_place(opponent - standing.score)
        return Standing(standing.score, opponent)

    def of(self, standing: Standing) -> Worths:
        """Return what the choices are worth at a standing."""
        assert standing.opponent is not None  # noqa: S101 - a standing without one has no key
        if standing.last and self.last is not None:
            return self.last.of(standing.opponent - standing.score)
        turn = self.positions.turn(Seat(standing.score), Seat(standing.opponent))
        if not subtracts(self.rules, standing.score):
            return _grid(turn.program, turn.roll, turn.bank, np.full_like(turn.bank, NEVER))
        scores = zip(turn.program.bank_scores.tolist(), turn.bank.tolist(), strict=True)
        banks = [(t, worth > NEVER) for t, worth in scores]
        added, subtracted = (
            np.array([self._after(standing.score + sign * t, standing.opponent) if may else NEVER for t, may in banks])
            for sign in (1, -1)
        )
        return _grid(turn.program, turn.roll, added, subtracted)

    def _after(self, score: int, opponent: int) -> float:
        """Return what it is worth to have come to a score, which is not the target already."""
        if score == self.rules.ending.target:
            return 1.0
        return 1.0 - self.positions.value(Seat(opponent), Seat(score))[0]


class _LastWorths:
    """Worths of last turns and of the first turn of an extra round: only the difference of the scores matters."""

    def __init__(self, rules: Ruleset, match: Setting, last_turn: Floats) -> None:
        self.match, self.last_turn = match, last_turn
        self.program = _program(rules)
        self.first = 0.5
        if rules.ending.tie == "extra_rounds":
            self.first = first_of_extra_round(match, last_turn, float(last_turn[-1]), NEAREST)

    def of(self, deficit: int) -> Worths:
        """Return what the choices of a last turn are worth to a player so far behind."""
        scores, tie = self.program.bank_scores, 1.0 - self.first
        worth = np.where(scores > deficit, 1.0, np.where(scores == deficit, tie, 0.0))
        return self._turn(worth, tie if deficit == 0 else 0.0)

    def of_first(self) -> Worths:
        """Return what the choices of the player who leads off an extra round are worth."""
        behind = np.minimum(self.program.bank_scores // self.match.unit, len(self.last_turn) - 1)
        return self._turn(1.0 - self.last_turn[behind], 1.0 - float(self.last_turn[0]))

    def _turn(self, worth: Floats, bust: float) -> Worths:
        program = self.program
        bank = np.where(allowed(self.match.opened, program.bank_scores), worth, NEVER)
        situation = Situation(bank, bust, bust, 1.0, program.most, self.match.survival(NEAREST))
        return _grid(program, evaluate(program, situation).roll, bank, np.full_like(bank, NEVER))
