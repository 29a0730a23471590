"""Two players by plain loops over explicit states, for small targets.

A state (`Start`) is what the mover sees at the start of a turn.
All states that play can come to are listed, the strongly connected groups of them are taken from the end of the match
backwards, and each group is iterated until its values stand still: play every turn best for the values there are,
then solve the linear equations of that play.

A turn is two loops: from the highest turn score down to the best choices, and from the start up to how often each
ending occurs under them.
They are the obvious loops over turn scores, hands, classes of rolls and choices, compiled because there are many.

What has no end is cut off: from the turn score `cutoff` on, being about to roll counts as a bust (or, with
``beyond = "win"``, as a win); scores are kept within `span`.
Move the cut-offs until nothing changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from graphlib import TopologicalSorter
from typing import Any, Literal, NamedTuple

import numpy as np
from numba import njit
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from dice10k_math.rules.model import Ruleset

from .grid import points_step
from .turn import all_hands, may_bank, roll_classes, six_dice_penalty

Array = np.ndarray[Any, Any]
Stage = Literal["", "second", "last", "extra", "extra second"]
STILL = 1e-14
MOST_ROUNDS = 200
PLAIN_ROUNDS = 1
FORBIDDEN, OVER = -1, -2


class Start(NamedTuple):
    """A turn start as the mover sees it.

    `busts`: busts in a row up to now, counted only where the rules count them.
    `stage`: "second" for the turn that closes a round of equal turns, "last" for the one that answers the bank past
    the target of a final round, "extra" and "extra second" for those of the rounds that break a tie.
    """

    own: int
    other: int
    opened: bool = False
    other_opened: bool = False
    busts: int = 0
    other_busts: int = 0
    stage: Stage = ""


class Choices(NamedTuple):
    """What can be chosen with every hand, flat.

    A hand has choices (`points`, hand `after`, ...) and classes of rolls; a class has members, which are choices.
    """

    first_choice: Array
    points: Array
    after: Array
    hot: Array
    roll_on: Array
    bank: Array
    first_class: Array
    first_member: Array
    member: Array
    weight: Array
    rolls: Array
    busts: Array
    instant: Array


def choices_of_class(rules: Ruleset, kind: Any) -> Iterator[tuple[int, Any, bool, bool]]:
    """The choices after a roll: points, dice left, may roll on, may bank."""
    takes_all = rules.turn.bank_takes == "all_scoring"
    must_roll = rules.turn.hot_dice == "must_roll"
    for points, left in sorted(kind.options):
        yield points, left, True, not takes_all and not (must_roll and not left)
    if takes_all and (kind.banked[1] or not must_roll):
        yield *kind.banked, False, True


def pruned_choices(rules: Ruleset, kind: Any) -> Iterator[tuple[int, Any, bool, bool]]:
    """The choices after a roll, of those that leave the same dice only the one with most points."""
    most = {choice[1:]: choice for choice in sorted(choices_of_class(rules, kind))}
    yield from most.values()


@cache
def turn_step(rules: Ruleset) -> int:
    """What all turn scores are multiples of."""
    return int(np.gcd(points_step(rules), rules.turn.hot_dice_bonus))


@cache
def choices_of(rules: Ruleset, pruned: bool = False) -> Choices:
    """All choices of the game, points in steps; hands with fewer dice first.

    `pruned`: of the keeps that leave the same dice, only the one with most points (which may be wrong).
    """
    offered = pruned_choices if pruned else choices_of_class
    hands, step = sorted(all_hands(rules), key=lambda hand: (len(hand), hand)), turn_step(rules)
    index = {hand: number for number, hand in enumerate(hands)} | {(): len(hands) - 1}
    first_choice, first_class, first_member, member, count = [0], [0], [0], [], []
    rows: list[tuple[int, int, bool, bool, bool]] = []
    busts, instant = [], []
    for hand in hands:
        kinds = roll_classes(rules, hand)
        busts.append(sum(number for kind, number in kinds if not kind.options and not kind.instant_win))
        instant.append(sum(number for kind, number in kinds if kind.instant_win))
        mine = sorted({choice for kind, _ in kinds if kind.options for choice in offered(rules, kind)})
        for kind, number in kinds:
            if kind.options:
                member += [len(rows) + mine.index(choice) for choice in offered(rules, kind)]
                first_member.append(len(member))
                count.append(number)
        rows += [(paid // step, index[left], not left, roll, banks) for paid, left, roll, banks in mine]
        first_choice.append(len(rows))
        first_class.append(len(count))
    points, after, hot, roll_on, bank = (np.array(column) for column in zip(*rows, strict=True))
    return Choices(
        np.array(first_choice),
        points,
        after,
        hot,
        roll_on,
        bank,
        np.array(first_class),
        np.array(first_member),
        np.array(member),
        np.array(count, float),
        np.array([6.0 ** len(hand) for hand in hands]),
        np.array(busts, float),
        np.array(instant, float),
    )


# numba infers the types of what it compiles; annotations would say nothing to it and Any to a checker.
@njit(cache=True)
def after_choice(choices, number, place, hot, bonus):  # type: ignore[no-untyped-def]
    """Turn score and hot-dice count after a choice."""
    there = place + choices.points[number]
    if choices.hot[number] and bonus > 0:
        return there + (bonus << hot), hot + 1
    return there, hot


@njit(cache=True)
def worths_of_choices(choices, hand, place, hot, bonus, bank, value, beyond, worth):  # type: ignore[no-untyped-def]
    """Fill `worth[choice]`, the better of rolling on and banking, for the choices of one hand."""
    for number in range(choices.first_choice[hand], choices.first_choice[hand + 1]):
        there, hots = after_choice(choices, number, place, hot, bonus)
        left = choices.after[number]
        best = -np.inf
        if choices.roll_on[number]:
            best = value[hots, left, there] if hots < value.shape[0] and there < value.shape[2] else beyond
        if choices.bank[number] and there < bank.shape[1]:
            best = max(best, bank[left, there])
        worth[number] = best


@njit(cache=True)
def back_up_turn(choices, bonus, bank, bust, six_bust, beyond, value):  # type: ignore[no-untyped-def]
    """Fill `value[hot dice, hand, turn score]`, the worth of being about to roll."""
    hots, hands, places = value.shape
    worth = np.empty(len(choices.points))
    for place in range(places - 1, -1, -1):
        for hot in range(hots):
            for hand in range(hands):
                worths_of_choices(choices, hand, place, hot, bonus, bank, value, beyond, worth)
                lost = six_bust if choices.rolls[hand] == 6**6 else bust
                total = choices.busts[hand] * lost + choices.instant[hand]
                for kind in range(choices.first_class[hand], choices.first_class[hand + 1]):
                    best = -np.inf
                    for place_ in range(choices.first_member[kind], choices.first_member[kind + 1]):
                        best = max(best, worth[choices.member[place_]])
                    total += choices.weight[kind] * best
                value[hot, hand, place] = total / choices.rolls[hand]


@njit(cache=True)
def follow_turn(choices, bonus, bank, beyond, value, banked):  # type: ignore[no-untyped-def]
    """Fill `banked[hand left, turn score]`, how often the best play banks; of equal choices the first.

    Returns the probabilities of a bust on less than six dice and of one on six.
    """
    hots, hands, places = value.shape
    worth = np.empty(len(choices.points))
    chance = np.zeros(value.shape)
    chance[0, hands - 1, 0] = 1.0
    bust, six_bust = 0.0, 0.0
    banked[:] = 0.0
    for place in range(places):
        for hot in range(hots):
            for hand in range(hands):
                here = chance[hot, hand, place] / choices.rolls[hand]
                if here == 0.0:
                    continue
                if choices.rolls[hand] == 6**6:
                    six_bust += here * choices.busts[hand]
                else:
                    bust += here * choices.busts[hand]
                worths_of_choices(choices, hand, place, hot, bonus, bank, value, beyond, worth)
                for kind in range(choices.first_class[hand], choices.first_class[hand + 1]):
                    members = choices.member[choices.first_member[kind] : choices.first_member[kind + 1]]
                    number = members[np.argmax(worth[members])]
                    there, hots_there = after_choice(choices, number, place, hot, bonus)
                    left = choices.after[number]
                    if choices.bank[number] and there < bank.shape[1] and bank[left, there] == worth[number]:
                        banked[left, there] += here * choices.weight[kind]
                    elif hots_there < hots and there < places:
                        chance[hots_there, left, there] += here * choices.weight[kind]
    return bust, six_bust


class NeverEndsError(Exception):
    """From a state that was asked for, no play ends the match."""


@dataclass(frozen=True)
class Ways:
    """Where the endings of a turn lead, by turn score in steps.

    `banks` has one row for each way to count a bank (add, or subtract): numbers of states, or FORBIDDEN, or OVER and
    the worth stands in `over`.
    `busts` are the states after a bust and after a bust on six, or OVER and the worth in `bust_over`.
    """

    banks: Array
    over: Array
    busts: tuple[int, int]
    bust_over: tuple[float, float]


@dataclass
class MatchOracle:
    """Win probability of the mover at every turn start that can come up.

    `cutoff` in points; `span`: the least and the greatest score that is told apart; `also`: states to be solved
    besides those that can be reached from 0 : 0; `pruned`: leave out keeps that pay less than others.
    """

    rules: Ruleset
    cutoff: int = 40_000
    span: tuple[int, int] = (-100_000, 100_000)
    hot_dice: int = 7
    beyond: Literal["bust", "win"] = "bust"
    also: tuple[Start, ...] = ()
    pruned: bool = False
    starts: list[Start] = field(default_factory=list)
    numbers: dict[Start, int] = field(default_factory=dict)
    ways: list[Ways] = field(default_factory=list)
    offered: dict[int, tuple[int, int]] = field(default_factory=dict)
    offers: dict[int, Array] = field(default_factory=dict)

    def value(self, start: Start) -> float:
        """Win probability of the mover at the start of a turn."""
        return float(self.values[self.numbers[self.told_apart(start)]])

    def offer(self, start: Start, hand: int, points: int) -> float:
        """Worth of taking over an offer of which a bank can lead to this state, by the place of the hand."""
        number = self.numbers[self.told_apart(start)]
        first, last = self.offered[number]
        place = points // self.step
        assert first <= place <= last
        return float(self.offers[number][hand, place - first])

    # -- what follows ------------------------------------------------------------------------------------------

    def after_bank(self, start: Start, score: int) -> float | Start:
        """What follows when the mover has banked and has this score: a worth, or the other's turn."""
        ending = self.rules.ending
        if ending.kind == "exact" and score == ending.target:
            return 1.0
        return self._turn_over(start._replace(own=score, opened=True, busts=0))

    def after_bust(self, start: Start, *, on_six: bool) -> float | Start:
        """What follows a bust."""
        own, busts, in_a_row = start.own, start.busts, self.rules.bust.in_a_row
        if on_six:
            own -= six_dice_penalty(self.rules, own)
        if in_a_row is not None:
            busts += 1
            if busts == in_a_row.busts:
                own, busts = own - in_a_row.penalty, 0
        return self._turn_over(start._replace(own=own, busts=busts))

    def _turn_over(self, start: Start) -> float | Start:
        """What follows a turn that has ended in this situation."""
        ending = self.rules.ending
        own, target = start.own, ending.target
        following = Start(
            start.other, own, start.other_opened, start.opened, start.other_busts, start.busts, start.stage
        )
        if ending.kind == "first_to_target":
            return 1.0 if own >= target else following
        if ending.kind == "final_round":
            if start.stage == "last":
                return self._result(own, start.other)
            return following._replace(stage="last" if own >= target else "")
        if ending.kind == "equal_turns":
            if start.stage == "extra second" or (start.stage == "second" and max(own, start.other) >= target):
                level = own == start.other and ending.tie == "extra_rounds"
                return following._replace(stage="extra") if level else self._result(own, start.other)
            closes: dict[Stage, Stage] = {"": "second", "second": "", "extra": "extra second"}
            return following._replace(stage=closes[start.stage])
        return following

    @staticmethod
    def _result(own: int, other: int) -> float:
        return 0.5 if own == other else float(own > other)

    def banked_scores(self, start: Start, turn_score: int) -> list[int]:
        """The scores that a bank can lead to, one for each way to count it; none: no such bank."""
        ending, own, turn = self.rules.ending, start.own, self.rules.turn
        minimum = turn.bank_minimum if start.opened else max(turn.bank_minimum, turn.opening_minimum)
        if not may_bank(self.rules, turn_score, minimum):
            return []
        if ending.overshoot == "not_allowed" and own + turn_score > ending.target:
            return []
        if ending.overshoot == "add_or_subtract" and own > ending.target:
            return [own + turn_score, own - turn_score]
        return [own + turn_score]

    def told_apart(self, start: Start) -> Start:
        """The state as it is listed: what makes no difference any more is the same in all."""
        ending = self.rules.ending
        if self.rules.turn.opening_applies == "at_score_zero":
            start = start._replace(opened=start.own != 0, other_opened=start.other != 0)
        if start.stage == "" and start.own == start.other >= ending.target:
            start = start._replace(stage="extra")
        answers = ending.kind == "equal_turns" and start.other >= ending.target
        if start.stage == "last" or start.stage.startswith("extra") or answers:
            if ending.tie == "extra_rounds" and self._score_matters():
                return self._by_scores(start)
            # Only the difference counts, whether the mover has opened, and in extra rounds the busts in a row.
            own = start.own - start.other + ending.target
            level = Start(own, ending.target, start.opened, True, stage=start.stage)
            extra = ending.tie == "extra_rounds"
            return level._replace(busts=start.busts, other_busts=start.other_busts) if extra else level
        least, most = self.span
        own, other = (min(max(score, least), most) for score in (start.own, start.other))
        return start._replace(own=own, other=other)

    def _score_matters(self) -> bool:
        """Whether a bust costs more at some scores, or a score that has fallen to 0 needs an opening bank again."""
        turn, bust = self.rules.turn, self.rules.bust
        again = turn.opening_applies == "at_score_zero" and turn.opening_minimum > turn.bank_minimum
        return len(bust.on_six) > 1 or (again and bool(bust.on_six or bust.in_a_row))

    def _by_scores(self, start: Start) -> Start:
        """A turn that answers or breaks a tie, where not only the difference counts: both scores are told apart.

        Both above the span are so far beyond where anything changes that it makes no difference how far.
        """
        least, most = self.span
        lift = max(min(start.own, start.other) - most, 0)
        return start._replace(own=max(start.own - lift, least), other=max(start.other - lift, least))

    # -- the list of states ------------------------------------------------------------------------------------

    def __post_init__(self) -> None:
        rules = self.rules
        self.step = turn_step(rules)
        self.choices = choices_of(rules, self.pruned)
        self.places = self.cutoff // self.step
        self.bank_places = self.places + int(self.choices.points.max())
        self.hots = self.hot_dice + 1 if rules.turn.hot_dice_bonus else 1
        for start in (Start(0, 0), *self.also):
            self._number(self.told_apart(start))
        for start in self.starts:  # grows while it is read
            self.ways.append(self._ways_from(start))
        if rules.variants.high_stakes:
            self._find_offered()

    def _find_offered(self) -> None:
        """Note with which turn scores, the least to the greatest, a bank leads to each state: only those are offered."""
        for ways in self.ways:
            for way, place in np.argwhere(ways.banks[:, : self.places] >= 0).tolist():
                number = int(ways.banks[way, place])
                first, last = self.offered.get(number, (place, place))
                self.offered[number] = min(first, place), max(last, place)

    def _number(self, start: Start) -> int:
        if start not in self.numbers:
            self.numbers[start] = len(self.starts)
            self.starts.append(start)
        return self.numbers[start]

    def _ways_from(self, start: Start) -> Ways:
        banks = np.full((2, self.bank_places), FORBIDDEN, np.int32)
        over = np.full((2, self.bank_places), -np.inf)
        for place in range(1, self.bank_places):
            for way, score in enumerate(self.banked_scores(start, place * self.step)):
                banks[way, place], over[way, place] = self._refer(self.after_bank(start, score))
        busts = [self._refer(self.after_bust(start, on_six=on_six)) for on_six in (False, True)]
        two = 1 + int((banks[1] != FORBIDDEN).any())
        return Ways(banks[:two].copy(), over[:two].copy(), (busts[0][0], busts[1][0]), (busts[0][1], busts[1][1]))

    def _refer(self, following: float | Start) -> tuple[int, float]:
        if isinstance(following, Start):
            return self._number(self.told_apart(following)), np.nan
        return OVER, following

    # -- solving -----------------------------------------------------------------------------------------------

    @cached_property
    def values(self) -> Array:
        """Win probability of the mover in every state of the list."""
        self.worth = np.full(len(self.starts), 0.5)
        for group in self._groups():
            self._settle(group)
        return self.worth

    def _groups(self) -> list[list[int]]:
        """The strongly connected groups of states, those that others depend on first."""
        follows = [np.unique([*ways.banks[ways.banks >= 0], *(b for b in ways.busts if b >= 0)]) for ways in self.ways]
        heads = np.repeat(np.arange(len(follows)), [len(numbers) for numbers in follows])
        tails = np.concatenate(follows).astype(int)
        size = len(follows)
        count, group_of = connected_components(
            csr_array((np.ones(len(heads)), (heads, tails)), shape=(size, size)), connection="strong"
        )
        between = np.unique(np.stack([group_of[heads], group_of[tails]]), axis=1)
        order: TopologicalSorter[int] = TopologicalSorter(dict.fromkeys(range(count), ()))
        for before, after in between.T.tolist():
            if before != after:
                order.add(before, after)
        members: list[list[int]] = [[] for _ in range(count)]
        for number, group in enumerate(group_of.tolist()):
            members[group].append(number)
        return [members[group] for group in order.static_order()]

    def _settle(self, group: list[int]) -> None:
        inside = {number: place for place, number in enumerate(group)}
        for round_ in range(MOST_ROUNDS):
            found = [self._play(number, inside) for number in group]
            better = np.array([worth for worth, _ in found])
            moved = np.max(np.abs(better - self.worth[group]))
            if all(chances.sum() > 1 - 1e-12 for _, chances in found):
                # Nobody can win from here, which is not the loss of either.
                raise NeverEndsError(str(self.starts[group[0]]))
            plain = round_ < PLAIN_ROUNDS
            self.worth[group] = better if plain else self._of_this_play(group, better, found)
            if moved <= STILL or (len(group) == 1 and not found[0][1].any()):
                return
        raise AssertionError(f"{self.starts[group[0]]} and {len(group) - 1} others did not stand still")

    def _of_this_play(self, group: list[int], better: Array, found: list[tuple[float, Array]]) -> Array:
        """The worth of going on for ever as in this turn: v = rest + often @ (1 - v)."""
        often = np.array([chances for _, chances in found])
        rest = better - often @ (1 - self.worth[group])
        return np.linalg.solve(np.eye(len(group)) + often, rest + often.sum(axis=1))

    def _play(self, number: int, inside: dict[int, int]) -> tuple[float, Array]:
        """Worth of the best turn, and how often it leads to each state of its own group."""
        ways = self.ways[number]
        bank_by_way = self._bank_worths(ways)
        bank = bank_by_way.max(axis=0)
        bust, six_bust = (
            over if state == OVER else 1 - self.worth[state]
            for state, over in zip(ways.busts, ways.bust_over, strict=True)
        )
        beyond = 1.0 if self.beyond == "win" else min(bust, six_bust)
        bonus = self.rules.turn.hot_dice_bonus // self.step
        value = np.empty((self.hots, len(self.choices.rolls), self.places))
        back_up_turn(self.choices, bonus, bank, bust, six_bust, beyond, value)
        if number in self.offered:
            first, last = self.offered[number]
            self.offers[number] = value[0, :, first : last + 1].copy()
        often = np.zeros(len(inside))
        if len(inside) > 1 or number in ways.busts or (ways.banks == number).any():
            banked = np.empty(bank.shape)
            chances = follow_turn(self.choices, bonus, bank, beyond, value, banked)
            way = bank_by_way.argmax(axis=0)
            reached = np.take_along_axis(np.broadcast_to(ways.banks[:, None, :], bank_by_way.shape), way[None], 0)[0]
            likely = banked > 0.0
            for state, chance in zip(
                (*ways.busts, *reached[likely].tolist()), (*chances, *banked[likely].tolist()), strict=True
            ):
                if state in inside:
                    often[inside[state]] += chance
        return value[0, -1, 0], often

    def _bank_worths(self, ways: Ways) -> Array:
        """Worth of a bank by way to count it, hand left and turn score."""
        shape = (len(ways.banks), len(self.choices.rolls), self.bank_places)
        follows = ways.banks >= 0
        answer = np.where(follows, self.worth[np.maximum(ways.banks, 0)], 0.0)[:, None, :]
        if self.rules.variants.high_stakes:
            # The next player may take over the turn score and the hand left instead of beginning afresh.
            answer = np.broadcast_to(answer, shape).copy()
            for way, place in np.argwhere(follows[:, : self.places]):
                number = ways.banks[way, place]
                taken = self.offers[number][:, place - self.offered[number][0]]
                answer[way, :, place] = np.maximum(answer[way, :, place], taken)
        return np.broadcast_to(np.where(follows[:, None, :], 1 - answer, ways.over[:, None, :]), shape)


def chance_to_bank(rules: Ruleset, cutoff: int = 10_000) -> float:
    """The best chance of a turn to bank what a first bank needs."""
    choices, step = choices_of(rules), turn_step(rules)
    least = max(rules.turn.bank_minimum, rules.turn.opening_minimum)
    most = int(choices.points.max())
    bank = np.full((len(choices.rolls), cutoff // step + most), -np.inf)
    for place in range(1, bank.shape[1]):
        if may_bank(rules, place * step, least):
            bank[:, place] = 1.0
    value = np.empty((8, len(choices.rolls), cutoff // step))
    back_up_turn(choices, rules.turn.hot_dice_bonus // step, bank, 0.0, 0.0, 0.0, value)
    return float(value[0, -1, 0])


def extra_rounds(rules: Ruleset, cutoff: int = 40_000) -> float:
    """Win probability of the player who leads off when both are level past the target."""
    level = Start(rules.ending.target, rules.ending.target, True, True)
    return MatchOracle(rules, cutoff, also=(level,)).value(level)


def every_start(rules: Ruleset, unit: int) -> Iterator[Start]:
    """Every turn start with both scores from 0 to below the target, in steps of `unit`, without busts in a row."""
    stages: tuple[Stage, ...] = ("", "second") if rules.ending.kind == "equal_turns" else ("",)
    for own in range(0, rules.ending.target, unit):
        for other in range(0, rules.ending.target, unit):
            for stage in stages:
                yield Start(own, other, own != 0, other != 0, stage=stage)
