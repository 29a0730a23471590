"""What makes a ruleset possible: the checks that run whenever a part of one is made.

Each function takes a part and finds its problems; keys are those of the rules file.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, get_args

from dice10k_math.rules import checks
from dice10k_math.rules.checks import MISSING, MOST_POINTS, Problem
from dice10k_math.rules.steps import SET_OF_THREE, point_step, score_step
from dice10k_math.rules.words import (
    BankTakes,
    EndingKind,
    HotDice,
    OpeningApplies,
    Overshoot,
    Readings,
    Tie,
)

if TYPE_CHECKING:
    from dice10k_math.rules.model import BustRules, Ending, Ruleset, Scoring, TurnRules, Variants

MOST_PLAYERS = 8
MOST_BUSTS = 100
MOST_FACTOR = 1_000
FACES = 6
MOST_DICE = 6
SET_OF_FOUR = 4
STRAIGHT_OF_FIVE = 5
LONGEST_TITLE = 200
LONGEST_SOURCE = 2_000
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,63}")
KINDS_WITH_TIES = ("final_round", "equal_turns")


def scoring_problems(scoring: Scoring) -> Iterator[Problem]:
    """Find what is impossible within the scoring table."""
    yield from _face_problems("scoring.singles", scoring.singles)
    yield from _face_problems("scoring.triples", scoring.triples)
    for key, points in scoring.six_dice_combinations().items():
        if points is not None:
            yield from checks.positive(f"scoring.{key}", points)
    yield from checks.word("scoring.readings", scoring.readings, get_args(Readings))
    if not _pays(scoring.singles) and not _pays(scoring.triples):
        yield Problem("scoring.singles", MISSING, "points for at least one face here or in scoring.triples")
    if scoring.larger_sets is not None and not _pays(scoring.triples):
        yield Problem("scoring.larger_sets", scoring.larger_sets, "only together with triples")


def _face_problems(key: str, points: object) -> Iterator[Problem]:
    if not isinstance(points, tuple) or len(points) != FACES:
        yield Problem(key, points, "points for each of the faces 1 to 6")
        return
    for face, amount in enumerate(points, start=1):
        if isinstance(amount, bool) or amount != 0:
            yield from checks.positive(f"{key}.{face}", amount)


def _pays(points: object) -> bool:
    # What is no tuple has its own problem already, so it counts as paying here.
    return not isinstance(points, tuple) or any(points)


def turn_problems(turn: TurnRules) -> Iterator[Problem]:
    """Find what is impossible within the rules of a turn."""
    yield from checks.whole("turn.dice", turn.dice, 1, MOST_DICE)
    yield from checks.word("turn.hot_dice", turn.hot_dice, get_args(HotDice))
    yield from checks.whole("turn.hot_dice_bonus", turn.hot_dice_bonus, 0, MOST_POINTS)
    yield from checks.whole("turn.opening_minimum", turn.opening_minimum, 0, MOST_POINTS)
    yield from checks.word("turn.opening_applies", turn.opening_applies, get_args(OpeningApplies))
    yield from checks.whole("turn.bank_minimum", turn.bank_minimum, 0, MOST_POINTS)
    if turn.bank_multiple is not None:
        yield from checks.positive("turn.bank_multiple", turn.bank_multiple)
    yield from checks.word("turn.bank_takes", turn.bank_takes, get_args(BankTakes))


def bust_problems(bust: BustRules) -> Iterator[Problem]:
    """Find penalty rows that are out of order or leave some score without a penalty."""
    rows = bust.on_six
    for place, row in enumerate(rows[:-1]):
        if row.below is None:
            yield Problem(f"bust.on_six[{place}].below", MISSING, "a score, for every row but the last")
    if rows and rows[-1].below is not None:
        allowed = "no `below` in the last row: it holds at every higher score"
        yield Problem(f"bust.on_six[{len(rows) - 1}].below", rows[-1].below, allowed)
    for place, (lower, upper) in enumerate(pairwise(rows[:-1]), start=1):
        if lower.below is not None and upper.below is not None and upper.below <= lower.below:
            allowed = f"more than {lower.below:,}, the row before"
            yield Problem(f"bust.on_six[{place}].below", upper.below, allowed)


def ending_problems(ending: Ending) -> Iterator[Problem]:
    """Find what is impossible within the end of the match."""
    yield from checks.word("ending.kind", ending.kind, get_args(EndingKind))
    yield from checks.positive("ending.target", ending.target)
    if ending.kind in get_args(EndingKind):
        yield from _overshoot_problems(ending)
        yield from _tie_problems(ending)


def _overshoot_problems(ending: Ending) -> Iterator[Problem]:
    words = get_args(Overshoot)
    if ending.kind == "exact" and ending.overshoot is None:
        yield Problem("ending.overshoot", MISSING, checks.one_of(words))
    elif ending.kind == "exact":
        yield from checks.word("ending.overshoot", ending.overshoot, words)
    elif ending.overshoot is not None:
        allowed = f'only for kind "exact", not for "{ending.kind}"'
        yield Problem("ending.overshoot", ending.overshoot, allowed)


def _tie_problems(ending: Ending) -> Iterator[Problem]:
    if ending.tie is None:
        return
    if ending.kind not in KINDS_WITH_TIES:
        allowed = f'only for kind {checks.one_of(KINDS_WITH_TIES)}, not for "{ending.kind}"'
        yield Problem("ending.tie", ending.tie, allowed)
    elif ending.kind == "final_round" and ending.tie == "extra_rounds":
        # Turns are unequal after a final round, so no text says who would begin an extra one.
        yield Problem("ending.tie", ending.tie, '"shared" for kind "final_round"')
    else:
        yield from checks.word("ending.tie", ending.tie, get_args(Tie))


def variant_problems(variants: Variants) -> Iterator[Problem]:
    """Find spicy faces that no die has, and switches that are neither true nor false."""
    faces = variants.spicy_faces
    if faces is not None:
        count = len(faces) if isinstance(faces, tuple) and 1 <= len(faces) <= MOST_DICE else MOST_DICE
        yield from checks.whole_numbers("variants.spicy_faces", faces, count, 1, FACES)
    yield from checks.instance("variants.high_stakes", variants.high_stakes, bool, "true or false")


def identity_problems(name: object, title: object, players: object, source: object) -> Iterator[Problem]:
    """Find what is impossible in the table `[ruleset]`."""
    if not (isinstance(name, str) and NAME.fullmatch(name)):
        allowed = "1 to 64 of the letters a-z and A-Z, digits and '-', the first no '-'"
        yield Problem("ruleset.name", name, allowed)
    yield from _text_problems("ruleset.title", title, LONGEST_TITLE, least=1, breaks="")
    yield from _player_problems(players)
    yield from _text_problems("ruleset.source", source, LONGEST_SOURCE, least=0, breaks="\n\t")


def _text_problems(key: str, text: object, most: int, *, least: int, breaks: str) -> Iterator[Problem]:
    if not isinstance(text, str) or len(text) > most or len(text.strip()) < least:
        yield Problem(key, text, f"text of {least} to {most:,} characters, not all blank")
    elif any(unicodedata.category(sign) in ("Cc", "Cs", "Zl", "Zp") and sign not in breaks for sign in text):
        yield Problem(key, text, "text without control characters")


def _player_problems(players: object) -> Iterator[Problem]:
    found = list(checks.whole_numbers("ruleset.players", players, 2, 1, MOST_PLAYERS))
    yield from found
    if not found and isinstance(players, tuple) and players[0] > players[1]:
        yield Problem("ruleset.players", players, "the least number of players, then the most")


def ruleset_problems(rules: Ruleset) -> Iterator[Problem]:
    """Find what is impossible between the parts of a ruleset, each sound by itself."""
    yield from _dice_problems(rules)
    if point_step(rules) == 0:
        # No keep is possible, which is a problem of its own: there is no step to divide by.
        return
    yield from _bank_problems(rules)
    if rules.ending.kind == "exact" and rules.ending.target % score_step(rules):
        allowed = f"a multiple of {score_step(rules):,}, the step in which banks and penalties move a score"
        yield Problem("ending.target", rules.ending.target, allowed)
    if rules.variants.high_stakes and rules.players[1] == 1:
        yield Problem("variants.high_stakes", True, "true only for two or more players")


def _dice_problems(rules: Ruleset) -> Iterator[Problem]:
    dice, scoring = rules.turn.dice, rules.scoring
    if dice < SET_OF_THREE and not any(scoring.singles):
        yield Problem("turn.dice", dice, "3 or more where singles pay nothing")
    if scoring.larger_sets is not None and dice < SET_OF_FOUR:
        yield Problem("scoring.larger_sets", scoring.larger_sets, f"only with 4 to 6 dice, not {dice}")
    if scoring.five_straights is not None and dice < STRAIGHT_OF_FIVE:
        yield Problem("scoring.five_straights", scoring.five_straights, f"only with 5 or 6 dice, not {dice}")
    if dice != MOST_DICE:
        yield from _six_dice_problems(rules)
    faces = rules.variants.spicy_faces
    if faces is not None and len(faces) != dice:
        yield Problem("variants.spicy_faces", faces, f"one face for each of the {dice} dice")


def _six_dice_problems(rules: Ruleset) -> Iterator[Problem]:
    allowed = f"only with six dice, not {rules.turn.dice}"
    for key, points in rules.scoring.six_dice_combinations().items():
        if points is not None:
            yield Problem(f"scoring.{key}", points, allowed)
    if rules.bust.on_six:
        yield Problem("bust.on_six", rules.bust.on_six, allowed)


def _bank_problems(rules: Ruleset) -> Iterator[Problem]:
    turn, target, step = rules.turn, rules.ending.target, point_step(rules)
    for key, minimum in (("opening_minimum", turn.opening_minimum), ("bank_minimum", turn.bank_minimum)):
        if minimum > target:
            yield Problem(f"turn.{key}", minimum, f"at most the target, {target:,}")
    if turn.bank_multiple is not None and turn.bank_multiple % step:
        allowed = f"a multiple of {step:,}, the step in which points come"
        yield Problem("turn.bank_multiple", turn.bank_multiple, allowed)
