"""Players: policies at the table of one ruleset. They know what to do in every situation.

A player answers three questions: at which standings does he play alike (`key`), what does he do in a situation
(`decide`), and does he take over a turn that is offered to him (`takes_over`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal, Protocol

from dice10k_math.dice import Hand
from dice10k_math.errors import InputError
from dice10k_math.policy.cases import Condition
from dice10k_math.policy.choices import Choice, Situation, Standing
from dice10k_math.policy.keeping import Keeping, KeepWorths, Places, RollCounts
from dice10k_math.policy.model import CallablePolicy, ComputerPolicy, Optimum, Policy, ThresholdPolicy
from dice10k_math.policy.plan import Plan
from dice10k_math.policy.thresholds import GOAL, NEVER, ByDice, Thresholds
from dice10k_math.rules.model import Ruleset
from dice10k_math.rules.steps import bank_step
from dice10k_math.rules.words import EndingKind
from dice10k_math.turn import bank_rule


class Player(Protocol):
    """A policy at the table of one ruleset."""

    @property
    def rules(self) -> Ruleset:
        """The ruleset."""
        ...

    def key(self, standing: Standing) -> Hashable:
        """Return what is the same for all standings at which the player plays alike."""
        ...

    def decide(self, key: Hashable, situation: Situation) -> Choice:
        """Return one of the situation's choices, always the same one.

        Raises
        ------
        InputError
            The policy wants what is none of them.
        """
        ...

    def takes_over(self, key: Hashable, turn_score: int, hand: Hand) -> bool:
        """Tell whether the player takes over this turn score with these dice to roll."""
        ...


Resolve = Callable[[Optimum, Ruleset], Player]
"""Makes a player of an optimum: solving is for higher floors."""


def seat(policy: Policy, rules: Ruleset, resolve: Resolve | None = None) -> Player:
    """Seat a policy at the table of a ruleset.

    Parameters
    ----------
    policy
        The policy.
    rules
        The ruleset.
    resolve
        Makes a player of an `Optimum`.

    Raises
    ------
    InputError
        A policy that says something about dice that the game does not have, or that these rules leave no way to bank.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> player = seat(ComputerPolicy(), load_rules("des-10000"))
    >>> player.key(Standing(0, 0)) == player.key(Standing(4000, 100))
    True
    """
    match policy:
        case ThresholdPolicy():
            return ThresholdPlayer(rules, policy)
        case ComputerPolicy():
            return ComputerPlayer(rules, policy)
        case CallablePolicy():
            return CallablePlayer(rules, policy)
        case Optimum() if resolve is not None:
            return resolve(policy, rules)
        case Optimum():
            raise InputError(f"policy: optimum {policy.goal}; not solved here; allowed: a policy that is plain data")
        case _:
            raise InputError(f"policy: {policy!r}; allowed: one of the kinds of Policy")


@dataclass(frozen=True, slots=True)
class ThresholdPlayer:
    """A `ThresholdPolicy` at the table; its key is the plan of the turn."""

    rules: Ruleset
    policy: ThresholdPolicy
    table: TableRules = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "table", TableRules.of(self.rules))
        policy, dice = self.policy, self.rules.turn.dice
        named = [number for each in self._all_thresholds() for number, _ in each.by_dice] + [
            number for by_dice in (policy.reach, policy.far, *self._all_takes()) for number, _ in by_dice
        ]
        if any(number > dice for number in named):
            raise InputError(f"policy: thresholds for {max(named)} dice; {self.rules.name} is played with {dice}")
        for keep in (policy.keep, *(case.keep for case in policy.cases)):
            worths = _by_dice(keep)
            if worths is not None and len(worths) != dice:
                raise InputError(f"policy: keep={len(worths)} worths; {self.rules.name} needs {dice}")
            if isinstance(keep, Places) and self.table.kind != "exact":
                raise InputError(f"policy: keep= with places; {self.rules.name} has no target that must be hit")
        for leave in (policy.leave, *(case.leave or () for case in policy.cases)):
            if leave and len(leave) != dice:
                raise InputError(f"policy: leave={len(leave)} parts; {self.rules.name} needs {dice}")
        forced = self.rules.turn.hot_dice == "must_roll"
        for each in self._all_thresholds():
            if all(each.of(number) == NEVER for number in range(1, dice + (not forced))):
                raise InputError(f"policy: it never banks in {self.rules.name}; allowed: an amount for some dice left")

    def _all_thresholds(self) -> tuple[Thresholds, ...]:
        return (self.policy.bank_from, *(case.bank_from for case in self.policy.cases))

    def _all_takes(self) -> tuple[ByDice, ...]:
        return (self.policy.take, *(case.take or () for case in self.policy.cases))

    def key(self, standing: Standing) -> Plan:
        """Return the plan of the turn."""
        plan = self._plan(standing)
        if not self.rules.variants.high_stakes:
            return plan
        take, leave = self.policy.offers_at(standing, self.table.target)
        by_dice = dict(take)
        taken = tuple(by_dice.get(number, NEVER) for number in range(1, self.table.dice + 1)) if take else ()
        # Only counts ask what a bank leaves.
        return replace(plan, take=taken, leave=leave if isinstance(plan.keep, RollCounts) else ())

    def _plan(self, standing: Standing) -> Plan:
        policy, table = self.policy, self.table
        thresholds, keep = policy.at(standing, table.target)
        if isinstance(keep, Places):
            away = abs(table.target - standing.score)
            return Plan((0,) * table.dice, keep, over=table.over(standing), multiple=table.multiple, away=away)
        amounts = thresholds.amounts(table.dice)
        if GOAL in amounts:
            goal = max(table.to_go(standing), 0)
            amounts = tuple(goal if amount == GOAL else amount for amount in amounts)
        end = NO_END if policy.end == "plain" else table.end(standing)
        over, hittable, short = table.over(standing), table.hittable(policy.end), table.short(standing, policy.lead)
        below, whole = table.reaching(standing, policy.reach, policy.far)
        return Plan(amounts, keep, False, *end, over, hittable, table.multiple, *short, below=below, whole=whole)

    @property
    def sees(self) -> Literal["turn", "match"]:
        """What the plan depends on."""
        policy = self.policy
        plain = policy.end == "plain" and not policy.cases and not self.table.subtracts
        plain = plain and not isinstance(policy.keep, Places)
        return "turn" if plain and GOAL not in policy.bank_from.amounts(self.table.dice) else "match"

    def decide(self, key: Hashable, situation: Situation) -> Choice:
        """Follow the plan."""
        assert isinstance(key, Plan)  # noqa: S101 - keys come from `key`
        return key.decide(situation.choices)

    def takes_over(self, key: Hashable, turn_score: int, hand: Hand) -> bool:
        """Take over from the plan's amount on."""
        assert isinstance(key, Plan)  # noqa: S101 - keys come from `key`
        return key.takes_over(turn_score, len(hand))


def _by_dice(keep: Keeping | None) -> tuple[int, ...] | None:
    """Return numbers of a way of keeping of which there is one for each number of dice; None: it has none."""
    match keep:
        case KeepWorths(worths):
            return worths
        case RollCounts(points):
            return points
        case Places(rows=rows):
            return rows[0].land
        case _:
            return None


End = tuple[int, int, int, int, int]
"""`win_from`, `win_at`, `least`, `most` and `tie` of a plan."""
NO_END: End = (NEVER, NEVER, 0, NEVER, NEVER)


@dataclass(frozen=True, slots=True)
class TableRules:
    """What players of plain data need of the rules, looked up once."""

    kind: EndingKind
    target: int
    dice: int
    multiple: int
    minimum: int
    subtracts: bool

    @classmethod
    def of(cls, rules: Ruleset) -> TableRules:
        """Look it up."""
        ending = rules.ending
        minimum = bank_rule(rules, ending.target, opened=True).minimum
        subtracts = ending.overshoot == "add_or_subtract"
        return cls(ending.kind, ending.target, rules.turn.dice, bank_step(rules), minimum, subtracts)

    def to_go(self, standing: Standing) -> int:
        """Return the turn score that reaches the target, or lands on it from above."""
        to_go = self.target - standing.score
        return abs(to_go) if self.subtracts else to_go

    def over(self, standing: Standing) -> int | None:
        """Return how far a player is above a target that he can come back to."""
        over = standing.score - self.target
        return over if self.subtracts and over > 0 else None

    def hittable(self, end: str) -> int:
        """Return the least distance from an exact target that one bank can bridge; 0: it does not matter."""
        return self.minimum if self.kind == "exact" and end == "win" else 0

    def short(self, standing: Standing, lead: int | None) -> tuple[int, int]:
        """Return which turn scores reach the target without that lead, where others have a turn after it."""
        if lead is None or standing.opponent is None or not self._is_answered(standing):
            return NEVER, 0
        reach, least = max(self.to_go(standing), 1), standing.opponent - standing.score + lead
        return (reach, least) if reach < least else (NEVER, 0)

    def reaching(self, standing: Standing, reach: ByDice, far: ByDice) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return below which turn scores to bank, and from which on banks count whole; see `ThresholdPolicy.reach`."""
        if not reach or standing.opponent is None or not self._is_answered(standing):
            return (), ()
        leads, behind, ahead = dict(reach), dict(far), standing.score - standing.opponent
        numbers = range(1, self.dice + 1)
        free = [ahead >= leads.get(each, NEVER) or -ahead >= behind.get(each, NEVER) for each in numbers]
        goal = max(self.to_go(standing), 1)
        return tuple(NEVER if each else goal for each in free), tuple(goal if each else NEVER for each in free)

    def _is_answered(self, standing: Standing) -> bool:
        """Tell whether others have a turn after a bank that reaches the target."""
        return self.kind in ("final_round", "equal_turns") and not (standing.last or standing.closing)

    def end(self, standing: Standing) -> End:
        """Return what end "win" means at a standing."""
        to_go = self.to_go(standing)
        if self.kind == "exact":
            can_hit = to_go >= self.minimum and to_go % self.multiple == 0
            return NEVER, to_go, 0, to_go if can_hit else NEVER, NEVER
        if self.kind == "first_to_target" or standing.opponent is None:
            return _from(max(to_go, 1))
        behind = standing.opponent - standing.score
        if standing.last:
            return behind + 1, NEVER, behind + 1, NEVER, behind
        if standing.closing and to_go > 0 and behind < to_go:
            return _from(to_go)
        return NO_END


def _from(points: int) -> End:
    return points, NEVER, 0, NEVER, NEVER


@lru_cache(maxsize=1024)
def _computer_plan(policy: ComputerPolicy, behind: int, table: TableRules, over: int | None) -> Plan:
    amounts = (policy.threshold(number, behind, hot=number == table.dice) for number in range(1, table.dice + 1))
    return Plan(tuple(amounts), "all", keep_first=True, over=over, multiple=table.multiple)


@dataclass(frozen=True, slots=True)
class ComputerPlayer:
    """A `ComputerPolicy` at the table; its key is the plan of the turn."""

    rules: Ruleset
    policy: ComputerPolicy
    table: TableRules = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "table", TableRules.of(self.rules))

    @property
    def sees(self) -> Literal["turn", "match"]:
        """What the plan depends on."""
        return "match"

    def key(self, standing: Standing) -> Plan:
        """Return the plan of the turn."""
        behind = 0 if standing.opponent is None else max(0, standing.opponent - standing.score)
        policy = self.policy
        # What is beyond the greatest rise makes no difference.
        enough = policy.step * (behind // policy.per) >= policy.most
        far = NEVER * policy.per if enough else behind // policy.per * policy.per
        return _computer_plan(policy, far, self.table, self.table.over(standing))

    def decide(self, key: Hashable, situation: Situation) -> Choice:
        """Follow the plan."""
        assert isinstance(key, Plan)  # noqa: S101 - keys come from `key`
        return key.decide(situation.choices)

    def takes_over(self, key: Hashable, turn_score: int, hand: Hand) -> bool:  # noqa: ARG002 - as a player is asked
        """Never take over: the game of the computer player has no such offer."""
        return False


@dataclass(frozen=True, slots=True)
class CallablePlayer:
    """A `CallablePolicy` at the table; its key is what the function sees of the standing."""

    rules: Ruleset
    policy: CallablePolicy

    def key(self, standing: Standing) -> Standing:
        """Return what the function sees."""
        match self.policy.sees:
            case "turn":
                return Standing(0)
            case "own":
                return Standing(standing.score, opened=standing.opened, busts=standing.busts)
            case _:
                return standing

    def decide(self, key: Hashable, situation: Situation) -> Choice:
        """Ask the function, and refuse what is not allowed."""
        assert isinstance(key, Standing)  # noqa: S101 - keys come from `key`
        choice = self.policy.function(key, situation)
        if choice not in situation.choices:
            name = self.policy.name or getattr(self.policy.function, "__name__", "function")
            raise InputError(
                f"policy {name}: {choice!r} at {key} with turn score {situation.turn_score}; "
                f"allowed: {list(situation.choices)}"
            )
        return choice

    def takes_over(self, key: Hashable, turn_score: int, hand: Hand) -> bool:  # noqa: ARG002 - as a player is asked
        """Never take over: a function is asked about rolls only."""
        return False


def breaks_of(player: Player, score: int) -> tuple[int, ...] | None:
    """Return where a player may change his play as the opponent's score rises, he being at a score himself.

    From one of these scores up to below the next he plays alike, turns after somebody has reached the target apart.
    None: that is not known, or everywhere.

    Examples
    --------
    >>> from dice10k_math.policy.text import parse_policy
    >>> from dice10k_math.rules import load_rules
    >>> text = "threshold 300 if behind>=1000 600"
    >>> breaks_of(seat(parse_policy(text), load_rules("farkle")), 500)
    (1500,)
    """
    match player:
        case ThresholdPlayer(policy=policy, table=table):
            if (policy.lead is not None or policy.reach) and table.kind in ("final_round", "equal_turns"):
                return None
            conditions = [each for case in policy.cases for each in case.conditions]
            return tuple(each for condition in conditions for each in _breaks(condition, score, table.target))
        case ComputerPlayer(policy=policy):
            steps = 0 if not policy.step else -(-policy.most // policy.step)
            return (
                tuple(score + policy.per * number for number in range(1, steps + 1)) if steps <= MOST_BREAKS else None
            )
        case CallablePlayer(policy=policy):
            return None if policy.sees == "match" else ()
        case _:
            return None


MOST_BREAKS = 1_000


def _breaks(condition: Condition, score: int, target: int) -> tuple[int, ...]:
    points = condition.points
    found: dict[str, tuple[int, ...]] = {
        "opponent": (points,),
        "behind": (score + points,),
        "ahead": (score - points + 1,),
        "opponent_to_go": (target - points + 1, target + points),
    }
    return found.get(condition.subject, ())
