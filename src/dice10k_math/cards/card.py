"""The card of a ruleset: a policy of a small family, and exactly what it gives away."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

from dice10k_math.cards.falls import Falls
from dice10k_math.cards.known import known_cards
from dice10k_math.cards.losses import Losses
from dice10k_math.cards.near import Finder, Near
from dice10k_math.cards.search import Findings, find_card, find_points, policy_of, usual_score
from dice10k_math.cards.stakes_losses import StakesLosses
from dice10k_math.cards.stakes_search import find_stakes_card
from dice10k_math.errors import InputError
from dice10k_math.plans import MOST_KEPT, follow_plan
from dice10k_math.policy import Plan, RollCounts, Standing, ThresholdPolicy, format_policy, seat
from dice10k_math.questions.match import solve_match
from dice10k_math.questions.positions import FieldPositions, RacePositions, Seat
from dice10k_math.questions.response import exploitability
from dice10k_math.questions.stakes import StakesPositions
from dice10k_math.questions.turn import TurnSolution, solve_turn
from dice10k_math.race import is_race
from dice10k_math.rules import Ruleset, bank_step
from dice10k_math.stakes import unsolved
from dice10k_math.turn import bank_rule, six_dice_penalty, turn_model
from dice10k_math.workers import Share

Progress = Callable[[str, float | None], None]
MOST_NEAR = 100
"""Steps of a bank to the target from which on a card tells places apart."""
MOST_SEARCHED = 6_000
"""Turn score, in points, up to which turns are followed in the search: what is beyond does not decide it."""


@dataclass(frozen=True, slots=True)
class Points:
    """Expected points of a turn, at a score of `score`: the best there are, and those of the card."""

    score: int
    best: float
    card: float


@dataclass(frozen=True, slots=True)
class Wins:
    """Win probabilities of the card against the opponent who plays best against it.

    Attributes
    ----------
    best_first
        With both playing best: of the player with the first turn.
    first, second
        Of the card with the first turn, and with the second.
    given_away, lower, upper
        What the card gives away, the mean of both seats, with proved bounds.
    """

    best_first: float
    first: float
    second: float
    given_away: float
    lower: float
    upper: float


@dataclass(frozen=True, slots=True)
class Card:
    """A strategy to play by.

    Attributes
    ----------
    rules
        The ruleset.
    findings
        The numbers on the card.
    points
        What a turn brings.
    wins
        What a match brings; None: the match of two is not solved for these rules.
    """

    rules: Ruleset
    findings: Findings
    points: Points
    wins: Wins | None

    @property
    def policy(self) -> ThresholdPolicy:
        """The policy that the card describes."""
        return policy_of(self.rules, self.findings)

    @property
    def text(self) -> str:
        """The policy as text."""
        return format_policy(self.policy)


def make_card(
    rules: Ruleset, positions: RacePositions | FieldPositions | None = None, progress: Progress | None = None
) -> Card:
    """Make the strategy card of a ruleset.

    Parameters
    ----------
    rules
        The ruleset.
    positions
        The solved match, if it is at hand. Where scores can fall, and with High Stakes, wins are told only if it is:
        they take minutes. With High Stakes a card that weighs offers needs it too, but for the built-in game.
    progress
        Told how far the work is.

    Raises
    ------
    InputError
        A match that is not that of these rules.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules, with_target
    >>> card = make_card(with_target(load_rules("des-10000"), 1000))
    >>> 0 < card.wins.given_away < 0.02, card.points.card < card.points.best
    (True, True)
    """
    told = progress or (lambda _what, _share: None)
    if positions is not None and rules_of(positions) != rules:
        raise InputError(f"card: the match of {rules_of(positions).name}; allowed: that of {rules.name}")
    if weighs_offers(rules) and (isinstance(positions, StakesPositions) or rules in known_cards()):
        return _with_offers(rules, positions, told)
    if not has_match(rules):
        findings = known_cards().get(rules) or _searched(rules, positions, told)
        wins = None if positions is None else _wins(positions, findings, told)
        return Card(rules, findings, _points(rules, findings.counts), wins)
    if positions is None:
        solved = solve_match(rules, told).positions
        assert isinstance(solved, RacePositions)  # noqa: S101 - what the match of a race has
        positions = solved
    assert isinstance(positions, RacePositions)  # noqa: S101 - the rules are those of a race
    told("searching", None)
    findings = find_card(Losses(positions))
    return Card(rules, findings, _points(rules, findings.counts), _wins(positions, findings, told))


def _searched(rules: Ruleset, positions: RacePositions | FieldPositions | None, told: Progress) -> Findings:
    """Search for the card of a game whose match of two is not solved in reasonable time."""
    told("searching", None)
    if isinstance(positions, FieldPositions) and is_hit(positions):
        return find_hit_card(positions, lambda share: told("searching", share))
    return _for_points(rules)


def find_hit_card(positions: FieldPositions, progress: Share | None = None) -> Findings:
    """Search for the card of a game whose target must be hit."""
    findings = _for_points(rules_of(positions))
    return replace(findings, near=find_near(positions, findings, progress))


def _with_offers(rules: Ruleset, positions: RacePositions | FieldPositions | None, told: Progress) -> Card:
    """Make the card of a game with High Stakes: one that has been found before, or search."""
    findings = known_cards().get(rules)
    if findings is None:
        assert isinstance(positions, StakesPositions)  # noqa: S101 - asked for before
        told("searching", None)
        findings = find_stakes_card(StakesLosses(positions))
    score = usual_score(rules)
    plan = seat(policy_of(rules, findings), rules).key(Standing(score, score, opened=True))
    assert isinstance(plan, Plan)  # noqa: S101 - the key of a policy of thresholds
    points = Points(score, _best_turn(rules, score).expected_points, points_by(rules, plan, score))
    return Card(rules, findings, points, None if positions is None else _wins(positions, findings, told))


def weighs_offers(rules: Ruleset) -> bool:
    """Tell whether a card can weigh what a bank leaves to the other: with High Stakes, in a plain race of two."""
    plain = tells_wins(rules) and rules.variants.high_stakes and is_race(rules)
    return plain and rules.ending.kind != "equal_turns" and unsolved(rules) is None


def has_match(rules: Ruleset) -> bool:
    """Tell whether the match of two is solved in reasonable time, so that a card is made for it."""
    return is_plain(rules) and is_race(rules)


def is_hit(positions: FieldPositions) -> bool:
    """Tell whether a target must be hit in steps that places can tell apart, and a score says all of a player."""
    field = positions.field
    return (
        field.passes and field.rules.bust.in_a_row is None and not field.remembers and _steps(field.rules) >= MOST_NEAR
    )


def _steps(rules: Ruleset) -> int:
    """Return how many steps of a bank it is to the target."""
    return rules.ending.target // bank_step(rules)


def find_near(positions: FieldPositions, findings: Findings, progress: Share | None = None) -> Near:
    """Return what a card says about a target that must be hit, with the numbers that it has already."""
    finder = Finder(Falls(positions), findings.counts)
    near = finder.find(policy_of(positions.field.rules, findings), rounds=0)
    # Turn starts come up otherwise for one who knows what is near.
    return finder.find(policy_of(positions.field.rules, replace(findings, near=near)), progress=progress)


def is_plain(rules: Ruleset) -> bool:
    """Tell whether it is a match of two without variants."""
    least, most = rules.players
    return rules.variants.spicy_faces is None and not rules.variants.high_stakes and least <= 2 <= most


def tells_wins(rules: Ruleset) -> bool:
    """Tell whether a card says what it gives away in wins where the solved match is at hand: with High Stakes too.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> tells_wins(load_rules("farkle-high-stakes")), tells_wins(load_rules("farkle-spicy"))
    (True, False)
    """
    return is_plain(replace(rules, variants=replace(rules.variants, high_stakes=False)))


@lru_cache(maxsize=16)
def _best_turn(rules: Ruleset, score: int) -> TurnSolution:
    return solve_turn(rules, score=score, exact=False)


def points_of(rules: Ruleset, counts: RollCounts, score: int, most_kept: int = MOST_KEPT) -> float:
    """Return the expected points of a turn that is played by counts alone, followed up to a turn score.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> flat = RollCounts((200, 100, 100, 200, 300, 500), (30, 50, 70, 80, 80, 90))
    >>> points_of(load_rules("farkle"), flat, score=1000) < 534.287063
    True
    """
    return points_by(rules, Plan((0,) * rules.turn.dice, counts, multiple=bank_step(rules)), score, most_kept)


def points_by(rules: Ruleset, plan: Plan, score: int, most_kept: int = MOST_KEPT) -> float:
    """Return the expected points of a turn that is played by a plan, followed up to a turn score.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> round(points_by(load_rules("farkle"), Plan((300,) * 6, "all"), score=1000), 2)
    444.93
    """
    ended = follow_plan(turn_model(rules), bank_rule(rules, score), plan, most_kept=most_kept)
    lost = six_dice_penalty(rules, score) * ended.bust_on_six
    return sum(points * chance for points, chance in ended.banked.items()) - lost


def _points(rules: Ruleset, counts: RollCounts) -> Points:
    score = usual_score(rules)
    return Points(score, _best_turn(rules, score).expected_points, points_of(rules, counts, score))


def rules_of(positions: RacePositions | FieldPositions) -> Ruleset:
    """Return the rules of a solved match."""
    return positions.race.rules if isinstance(positions, RacePositions) else positions.field.rules


def _wins(positions: RacePositions | FieldPositions, findings: Findings, told: Progress) -> Wins:
    rules = rules_of(positions)
    found = exploitability(rules, policy_of(rules, findings), told)
    best_first = positions.value(Seat(0), Seat(0))[0]
    return Wins(best_first, found.first.value, found.second.value, found.value, found.lower, found.upper)


def _for_points(rules: Ruleset) -> Findings:
    """Find the numbers of a card that is about points alone."""
    score = usual_score(rules)
    counts = find_points(rules, lambda keep: points_of(rules, keep, score, MOST_SEARCHED))
    opening = None
    if bank_rule(rules, 0, opened=False) != bank_rule(rules, 0, opened=True):
        first = find_points(rules, lambda keep: points_of(rules, keep, 0, MOST_SEARCHED), score=0)
        opening = None if first == counts else first
    return Findings(counts, opening, take=_offers(rules))


def _rolled_on(turn: TurnSolution, hand: int | tuple[int, ...], turn_score: int) -> float:
    """Return the worth of rolling on; of a turn score that cannot be offered with these dice, nothing."""
    try:
        return turn.roll_value(hand, turn_score)
    except InputError:
        return 0.0


def _offers(rules: Ruleset) -> tuple[tuple[int, int], ...]:
    """Return from which turn score on an offer is worth more points than a turn of one's own."""
    if not rules.variants.high_stakes:
        return ()
    turn = _best_turn(rules, usual_score(rules))
    own, step = turn.expected_points, turn_model(rules).step
    found = []
    for dice in range(rules.turn.dice, 0, -1):
        hand = dice if rules.variants.spicy_faces is None else tuple(sorted(rules.variants.spicy_faces))[:dice]
        found.append((dice, next(t for t in range(step, 100_000, step) if _rolled_on(turn, hand, t) > own)))
    return tuple(found)
