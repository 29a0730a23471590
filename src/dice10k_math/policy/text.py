"""Policies as text, for the command line and for files.

::

    threshold AMOUNT [DICE:AMOUNT]... [keep=all|points|few|W,W,W,W,W,W[/U]|C+P%,C+P%,...[/U[,U]...]|PLACES]
              [end=win] [lead=N] [reach=DICE:N,DICE:N] [far=DICE:N,DICE:N] [take=DICE:N,DICE:N]
              [leave=P%,P%,...]
              [if CONDITION[,CONDITION]... AMOUNT [DICE:AMOUNT]... [bold=N] [keep=...] [take=...] [leave=...]]...
    computer [base=N] [step=N] [per=N] [most=N] [two=N] [one=N] [least=N] [hot=N]
    optimum points|win|turns

An AMOUNT is a number of points, ``never`` (roll on), or ``goal`` (bank only what reaches the target).
A CONDITION compares ``own``, ``opponent``, ``behind``, ``ahead``, ``to_go``, ``opponent_to_go`` or ``closing`` with
points by ``>=`` or ``<``.
``keep=`` takes a way of keeping; or what it is worth to roll 1, 2, ... dice next; or what rolling them counts, points
and percent of the turn score (and after ``/`` what a turn score that cannot be banked takes off: the same for all dice,
or for 1, 2, ...).
``bold=`` says how much more rolling counts in a case.
``lead=`` says with how small a lead nothing is banked that reaches the target while others have a turn after it;
``reach=`` says the same by the dice left, of the lead before the turn, and ``far=`` from how far behind on that may be
banked, too; such a bank counts whole.
``take=`` says from which turn score on an offer is taken over, by the dice; ``leave=``, for 1, 2, ... dice left, which
part of what a bank is above that it leaves to the other, so that it counts less; ``take=never`` and
``leave=nothing`` in a case: neither.
PLACES are ``STEP[/O,O,...]:W,W,...;LEFT:HOPE:L+C,L+C,...;LEFT:...``: what it is worth to stand 0, 1, 2, ... steps away
from an exact target; then rows of where rolling 1, 2, ... dice leads with so many points left: percent to land on the
target, and to come to a place that is worth the hope, less percent O where what is left is between two places; see
`dice10k_math.policy.Places`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from typing import NoReturn, TypeVar

from dice10k_math.errors import InputError
from dice10k_math.policy.cases import SUBJECTS, Case, Condition
from dice10k_math.policy.keeping import KEEP_KINDS, Keeping, KeepWorths, Places, Reach, RollCounts
from dice10k_math.policy.model import GOALS, ComputerPolicy, Optimum, Policy, ThresholdPolicy
from dice10k_math.policy.thresholds import GOAL, NEVER, ByDice, Thresholds

Made = TypeVar("Made")
NUMBER = re.compile(r"[0-9]{1,9}")
SIGNED = re.compile(r"-?[0-9]{1,9}")


def parse_policy(text: str) -> Policy:
    """Read a policy from its text form.

    Raises
    ------
    InputError
        Text that is no policy; the message names the place.

    Examples
    --------
    >>> parse_policy("threshold 300 2:250 1:250").bank_from.of(2)
    250
    >>> parse_policy("computer base=500").base
    500
    >>> parse_policy("threshold 300 2:many")
    Traceback (most recent call last):
    dice10k_math.errors.InputError: policy 'threshold 300 2:many', character 15: '2:many'; allowed: ...
    """
    words = _Words(text)
    kind = words.take("threshold, computer or optimum")
    readers: dict[str, Callable[[_Words], Policy]] = {
        "threshold": _threshold,
        "computer": _computer,
        "optimum": _optimum,
    }
    if kind.text not in readers:
        words.refuse(kind, "threshold, computer or optimum")
    return readers[kind.text](words)


def format_policy(policy: Policy) -> str:
    """Return the text form of a policy; reading it gives the policy again.

    Raises
    ------
    InputError
        A Python function has no text form.

    Examples
    --------
    >>> format_policy(parse_policy("threshold   300 2:250  keep=few"))
    'threshold 300 2:250 keep=few'
    """
    match policy:
        case ThresholdPolicy():
            return " ".join(_threshold_words(policy))
        case ComputerPolicy():
            usual = ComputerPolicy()
            named = [(each.name, getattr(policy, each.name)) for each in fields(ComputerPolicy)]
            return " ".join(["computer", *(f"{name}={n}" for name, n in named if n != getattr(usual, name))])
        case Optimum(goal):
            return f"optimum {goal}"
        case _:
            raise InputError(f"policy: {policy!r} has no text form; allowed: a policy that is plain data")


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    place: int


class _Words:
    """The words of a text, each with its place."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.words = [_Word(found.group(), found.start() + 1) for found in re.finditer(r"\S+", text)]
        self.next = 0

    def peek(self) -> _Word | None:
        return self.words[self.next] if self.next < len(self.words) else None

    def take(self, allowed: str) -> _Word:
        word = self.peek()
        if word is None:
            self.refuse(_Word("", len(self.text) + 1), allowed)
        self.next += 1
        return word

    def refuse(self, word: _Word, allowed: str) -> NoReturn:
        what = repr(word.text) if word.text else "nothing"
        raise InputError(f"policy {self.text!r}, character {word.place}: {what}; allowed: {allowed}")

    def make(self, word: _Word, maker: Callable[[], Made]) -> Made:
        """Make a part of the policy; what it refuses gets its place."""
        try:
            return maker()
        except InputError as error:
            raise InputError(f"policy {self.text!r}, character {word.place}: {error}") from None


AMOUNT = "points, never or goal"


def _amount(words: _Words, word: _Word, text: str) -> int:
    if text in ("never", "goal"):
        return NEVER if text == "never" else GOAL
    if not NUMBER.fullmatch(text):
        words.refuse(word, f"{AMOUNT}, such as 300 or 2:250")
    return int(text)


def _thresholds(words: _Words) -> Thresholds:
    first = words.take(AMOUNT)
    base = _amount(words, first, first.text)
    by_dice: dict[int, int] = {}
    while (word := words.peek()) is not None and ":" in word.text and "=" not in word.text:
        words.take(AMOUNT)
        dice, _, amount = word.text.partition(":")
        if not re.fullmatch("[1-6]", dice) or int(dice) in by_dice:
            words.refuse(word, f"1 to 6 dice, each once, and {AMOUNT}, such as 2:250")
        by_dice[int(dice)] = _amount(words, word, amount)
    return words.make(first, lambda: Thresholds(base, tuple(sorted(by_dice.items(), reverse=True))))


def _threshold(words: _Words) -> ThresholdPolicy:
    start = words.words[0]
    bank_from = _thresholds(words)
    options: dict[str, object] = {}
    cases: list[Case] = []
    while (word := words.peek()) is not None:
        words.take("")
        if word.text == "if":
            cases.append(_case(words))
            continue
        name, equals, value = word.text.partition("=")
        if not equals or name not in OPTIONS or name in options or cases:
            words.refuse(word, f"DICE:AMOUNT, then {', '.join(f'{option}=' for option in OPTIONS)} each once, then if")
        options[name] = OPTIONS[name](words, word, value)
    return words.make(start, lambda: ThresholdPolicy(bank_from, cases=tuple(cases), **options))  # type: ignore[arg-type]


def _case(words: _Words) -> Case:
    allowed = f"conditions such as behind>=1000,own<5000 on {', '.join(SUBJECTS)}"
    word = words.take(allowed)
    conditions = []
    for part in word.text.split(","):
        found = re.fullmatch(rf"({'|'.join(SUBJECTS)})(>=|<)(-?[0-9]{{1,9}})", part)
        if found is None:
            words.refuse(word, allowed)
        subject, sign, points = found.groups()
        conditions.append(Condition(subject, sign == ">=", int(points)))  # type: ignore[arg-type] # one of SUBJECTS
    bank_from = _thresholds(words)
    options: dict[str, object] = {}
    while (option := words.peek()) is not None and option.text != "if":
        words.take("")
        name, equals, value = option.text.partition("=")
        if not equals or name not in CASE_OPTIONS or name in options:
            words.refuse(
                option, f"DICE:AMOUNT, then {', '.join(f'{name}=' for name in CASE_OPTIONS)} each once, then if"
            )
        options[name] = CASE_OPTIONS[name](words, option, value)
    return words.make(word, lambda: Case(tuple(conditions), bank_from, **options))  # type: ignore[arg-type]


def _bold(words: _Words, word: _Word, value: str) -> object:
    if not SIGNED.fullmatch(value):
        words.refuse(word, "bold= and points, such as bold=50")
    return int(value)


def _keep(words: _Words, word: _Word, value: str) -> object:
    if value in KEEP_KINDS:
        return value
    if ":" in value:
        return _places(words, word, value)
    worths, slash, off = value.partition("/")
    parts = worths.split(",")
    counts = [re.fullmatch(r"(-?[0-9]{1,7})\+([0-9]{1,3})%", part) for part in parts]
    offs = off.split(",")
    if all(counts) and (not slash or all(SIGNED.fullmatch(part) for part in offs)):
        points, percent = (tuple(int(found[group]) for found in counts if found) for group in (1, 2))
        taken = int(off or 0) if len(offs) == 1 else tuple(map(int, offs))
        return words.make(word, lambda: RollCounts(points, percent, taken))
    if not all(SIGNED.fullmatch(part) for part in parts) or (slash and not SIGNED.fullmatch(off)):
        words.refuse(
            word,
            f"keep={', keep='.join(KEEP_KINDS)}, worths such as keep=0,50,100,150,250,400/25, "
            "counts such as keep=200+30%,100+50%,100+70%,150+80%,300+80%,500+90%, "
            "or places such as keep=100:10000,4000,3000,5000;0:4000:0+10,0+20,0+30,0+40,0+50,0+60",
        )
    return words.make(word, lambda: KeepWorths(tuple(map(int, parts)), int(off or 0)))


PLACES = re.compile(r"([0-9]{1,7})(?:/([0-9]{1,3}(?:,[0-9]{1,3})*))?:([0-9]{1,5}(?:,[0-9]{1,5})*)")
REACH = re.compile(r"(-?[0-9]{1,7}):([0-9]{1,5}):([0-9]{1,3}\+[0-9]{1,3}(?:,[0-9]{1,3}\+[0-9]{1,3})*)")


def _places(words: _Words, word: _Word, value: str) -> object:
    """Read places and where rolling leads."""
    first, *parts = value.split(";")
    start = word.place + len(word.text) - len(value)
    known = PLACES.fullmatch(first)
    if known is None:
        words.refuse(_Word(first, start), "STEP:W,W,... with places, then rows parted by ;")
    rows = []
    for part in parts:
        start += len(first) + 1
        row = REACH.fullmatch(part)
        if row is None:
            words.refuse(_Word(part, start), "LEFT:HOPE:L+C,L+C,... with places, parted by ;")
        rows.append(row)
        first = part
    step, offs, worth = known.groups()
    between = tuple(map(int, offs.split(","))) if offs else ()
    made = words.make(word, lambda: tuple(map(_reach, rows)))
    return words.make(word, lambda: Places(int(step), tuple(map(int, worth.split(","))), made, between=between))


def _reach(row: re.Match[str]) -> Reach:
    left, hope, chances = row.groups()
    pairs = [tuple(map(int, pair.split("+"))) for pair in chances.split(",")]
    return Reach(int(left), int(hope), tuple(land for land, _ in pairs), tuple(come for _, come in pairs))


def _end(words: _Words, word: _Word, value: str) -> object:
    if value not in ("plain", "win"):
        words.refuse(word, "end=plain or end=win")
    return value


def _lead(words: _Words, word: _Word, value: str) -> object:
    if not NUMBER.fullmatch(value):
        words.refuse(word, "lead= and points")
    return int(value)


def _take(words: _Words, word: _Word, value: str) -> object:
    taken: dict[int, int] = {}
    if value == "never":
        return ()
    for part in value.split(","):
        found = re.fullmatch(r"([1-6]):([0-9]{1,9})", part)
        if found is None or int(found[1]) in taken:
            words.refuse(word, "take= and dice with points, such as take=6:300,5:500")
        taken[int(found[1])] = int(found[2])
    return tuple(sorted(taken.items(), reverse=True))


def _reach_by_dice(words: _Words, word: _Word, value: str) -> object:
    leads: dict[int, int] = {}
    for part in value.split(","):
        found = re.fullmatch(r"([1-6]):(-?[0-9]{1,9})", part)
        if found is None or int(found[1]) in leads:
            words.refuse(word, "reach= and dice with leads, such as reach=2:500,1:-300")
        leads[int(found[1])] = int(found[2])
    return tuple(sorted(leads.items(), reverse=True))


def _far(words: _Words, word: _Word, value: str) -> object:
    points: dict[int, int] = {}
    for part in value.split(","):
        found = re.fullmatch(r"([1-6]):([0-9]{1,9})", part)
        if found is None or int(found[1]) in points:
            words.refuse(word, "far= and dice with points, such as far=2:1000")
        points[int(found[1])] = int(found[2])
    return tuple(sorted(points.items(), reverse=True))


def _leave(words: _Words, word: _Word, value: str) -> object:
    if value == "nothing":
        return ()
    parts = [re.fullmatch("([0-9]{1,3})%", part) for part in value.split(",")]
    if not all(parts):
        words.refuse(word, "leave= and percent for each number of dice, such as leave=15%,40%,60%,70%,80%,85%")
    return tuple(int(part[1]) for part in parts if part)


Reader = Callable[[_Words, _Word, str], object]
OFFER_OPTIONS: dict[str, Reader] = {"take": _take, "leave": _leave}
OPTIONS: dict[str, Reader] = {
    "keep": _keep,
    "end": _end,
    "lead": _lead,
    "reach": _reach_by_dice,
    "far": _far,
    **OFFER_OPTIONS,
}
CASE_OPTIONS: dict[str, Reader] = {"bold": _bold, "keep": _keep, **OFFER_OPTIONS}


def _computer(words: _Words) -> ComputerPolicy:
    start = words.words[0]
    names = [each.name for each in fields(ComputerPolicy)]
    found: dict[str, int] = {}
    while (word := words.peek()) is not None:
        words.take("")
        name, _, value = word.text.partition("=")
        if name not in names or name in found or not NUMBER.fullmatch(value):
            words.refuse(word, f"{', '.join(f'{option}=N' for option in names)}, each once")
        found[name] = int(value)
    return words.make(start, lambda: ComputerPolicy(**found))


def _optimum(words: _Words) -> Optimum:
    allowed = ", ".join(GOALS)
    word = words.take(allowed)
    if word.text not in GOALS:
        words.refuse(word, allowed)
    more = words.peek()
    if more is not None:
        words.refuse(more, "nothing more")
    return Optimum(word.text)


def _amount_words(thresholds: Thresholds) -> Iterable[str]:
    names = {NEVER: "never", GOAL: "goal"}
    yield names.get(thresholds.base, str(thresholds.base))
    for dice, amount in thresholds.by_dice:
        yield f"{dice}:{names.get(amount, amount)}"


def _threshold_words(policy: ThresholdPolicy) -> Iterable[str]:
    yield "threshold"
    yield from _amount_words(policy.bank_from)
    if policy.keep != "all":
        yield f"keep={_keep_word(policy.keep)}"
    if policy.end != "plain":
        yield f"end={policy.end}"
    if policy.lead is not None:
        yield f"lead={policy.lead}"
    if policy.reach:
        yield f"reach={','.join(f'{dice}:{points}' for dice, points in policy.reach)}"
    if policy.far:
        yield f"far={','.join(f'{dice}:{points}' for dice, points in policy.far)}"
    yield from _offer_words(policy.take or None, policy.leave or None)
    for case in policy.cases:
        yield from _case_words(case)


def _case_words(case: Case) -> Iterable[str]:
    yield "if"
    yield ",".join(f"{c.subject}{'>=' if c.at_least else '<'}{c.points}" for c in case.conditions)
    yield from _amount_words(case.bank_from)
    if case.bold:
        yield f"bold={case.bold}"
    if case.keep is not None:
        yield f"keep={_keep_word(case.keep)}"
    yield from _offer_words(case.take, case.leave)


def _offer_words(take: ByDice | None, leave: tuple[int, ...] | None) -> Iterable[str]:
    if take is not None:
        yield _take_word(take)
    if leave is not None:
        yield f"leave={','.join(f'{percent}%' for percent in leave) or 'nothing'}"


def _take_word(take: ByDice) -> str:
    return f"take={','.join(f'{dice}:{points}' for dice, points in take) or 'never'}"


def _keep_word(keep: Keeping) -> str:
    match keep:
        case KeepWorths(worths, off):
            listed = ",".join(map(str, worths))
        case RollCounts(points, percent, off):
            listed = ",".join(f"{count}+{part}%" for count, part in zip(points, percent, strict=True))
        case Places():
            return _places_word(keep)
        case word:
            return word
    if not off:
        return listed
    return f"{listed}/{','.join(map(str, off)) if isinstance(off, tuple) else off}"


def _places_word(places: Places) -> str:
    if places.bold:
        raise InputError(f"policy: places with bold {places.bold} have no text form; allowed: bold= of a case")
    off = f"/{','.join(map(str, places.between))}" if places.between else ""
    parts = [f"{places.step}{off}:{','.join(map(str, places.worth))}"]
    for row in places.rows:
        pairs = ",".join(f"{land}+{come}" for land, come in zip(row.land, row.come, strict=True))
        parts.append(f"{row.left}:{row.hope}:{pairs}")
    return ";".join(parts)
