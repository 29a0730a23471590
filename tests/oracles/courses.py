"""How matches of two policies go, by plain loops over explicit states: turn after turn."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from dice10k_math.plays import Plays
from dice10k_math.policy import Player, Standing

from .match import MatchOracle, Start
from .stakes_duel import BUST, INSTANT, Hand, StakesDuelOracle

OVER, FAINT = 1e-14, 1e-18


@dataclass
class PlainCourse:
    """Probability of so many turns, of a win of each, turns of each on average, and busts and points of each."""

    length: list[float] = field(default_factory=lambda: [0.0])
    won: list[float] = field(default_factory=lambda: [0.0, 0.0])
    turns: list[float] = field(default_factory=lambda: [0.0, 0.0])
    busts: list[float] = field(default_factory=lambda: [0.0, 0.0])
    points: tuple[dict[int, float], dict[int, float]] = field(default_factory=lambda: ({}, {}))


def falling_course(players: tuple[Player, Player], mover: int = 0, start: Start | None = None) -> PlainCourse:
    """The course of a match in which scores can fall, from how the single turns of the players end."""
    match: MatchOracle = MatchOracle.__new__(MatchOracle)
    match.rules = players[0].rules
    plays = [Plays(player) for player in players]
    found = PlainCourse()
    mass: dict[Start, float] = {start or Start(0, 0): 1.0}
    while sum(mass.values()) > OVER:
        after: dict[Start, float] = defaultdict(float)
        found.length.append(0.0)
        for here, chance in mass.items():
            shown: dict[tuple[str, int], float] = defaultdict(float)
            for kind, points, following, part in _turn(match, plays[mover], here):
                shown[kind, points] += part
                if isinstance(following, Start):
                    after[following] += chance * part
                else:
                    found.length[-1] += chance * part
                    found.won[mover] += chance * part * following
                    found.won[1 - mover] += chance * part * (1 - following)
            _count(found, mover, chance, shown)
        mass, mover = {here: chance for here, chance in after.items() if chance > FAINT}, 1 - mover
    return found


def _turn(match: MatchOracle, plays: Plays, start: Start) -> Iterator[tuple[str, int, float | Start, float]]:
    """What a turn can end with, what follows, and how likely it is."""
    at_zero = match.rules.turn.opening_applies == "at_score_zero"
    opened = start.own != 0 if at_zero else start.opened
    closing = start.stage in {"second", "extra second"}
    last = start.stage in {"last", "extra second"} or (closing and start.other >= match.rules.ending.target)
    endings = plays.of(Standing(start.own, start.other, last, closing, opened, start.busts))
    for points, chance in endings.banked.items():
        yield "bank" if points > 0 else "subtract", abs(points), match.after_bank(start, start.own + points), chance
    yield "bust", 0, match.after_bust(start, on_six=False), endings.bust
    yield "bust", 6, match.after_bust(start, on_six=True), endings.bust_on_six


def stakes_course(duel: StakesDuelOracle, mover: int = 0, start: Start | None = None) -> PlainCourse:
    """The course of a match with High Stakes: a turn begins at a state within it, so that offers are turn starts too."""
    found = PlainCourse()
    mass: dict[tuple[Start, int, Hand], float] = {(start or Start(0, 0), 0, duel.full): 1.0}
    while sum(mass.values()) > OVER:
        after: dict[tuple[Start, int, Hand], float] = defaultdict(float)
        found.length.append(0.0)
        for (here, points, hand), chance in mass.items():
            ended = _ended(duel, mover, here, points, hand)
            shown: dict[tuple[str, int], float] = defaultdict(float)
            for what, part in ended.items():
                if what != INSTANT:
                    shown["bust" if what == BUST else "bank", 0 if what == BUST else what[1]] += part
                following = _following(duel, mover, here, what)
                if isinstance(following, tuple):
                    after[following] += chance * part
                else:
                    found.length[-1] += chance * part
                    found.won[mover] += chance * part * following
                    found.won[1 - mover] += chance * part * (1 - following)
            _count(found, mover, chance, shown)
        mass, mover = after, 1 - mover
    return found


def _following(duel: StakesDuelOracle, mover: int, start: Start, what: Any) -> float | tuple[Start, int, Hand]:
    """What follows a turn: its worth, or the other's turn start with where that begins."""
    if what == INSTANT:
        return 1.0
    if what == BUST:
        after = duel.match.after_bust(start, on_six=False)
        return (after, 0, duel.full) if isinstance(after, Start) else after
    _, points, hand = what
    after = duel.match.after_bank(start, start.own + points)
    if not isinstance(after, Start):
        return after
    player = duel.players[1 - mover]
    assert player is not None
    takes = player.takes_over(duel.key(player, after), points, hand)
    return (after, points, hand) if takes else (after, 0, duel.full)


def _ended(duel: StakesDuelOracle, mover: int, start: Start, points: int, hand: Hand) -> dict[Any, float]:
    """How a turn ends that begins in a state within it."""
    player = duel.players[mover]
    assert player is not None
    key = duel.key(player, start)
    arriving, ended = {(points, hand): 1.0}, defaultdict[Any, float](float)
    while arriving:
        here = min(arriving)
        chance = arriving.pop(here) / 6 ** len(here[1])
        if here[0] >= duel.cutoff:
            ended[BUST] += chance * 6 ** len(here[1])
            continue
        for what, count in duel._chosen(player, key, start, *here).items():
            if what[0] == "roll":
                arriving[what[1:]] = arriving.get(what[1:], 0.0) + chance * count
            else:
                ended[what] += chance * count
    return ended


def _count(found: PlainCourse, mover: int, here: float, endings: Mapping[tuple[str, int], float]) -> None:
    found.turns[mover] += here
    for (then, points), chance in endings.items():
        if then == "bust":
            found.busts[mover] += here * chance
        else:
            change = points if then == "bank" else -points
            found.points[mover][change] = found.points[mover].get(change, 0.0) + here * chance
