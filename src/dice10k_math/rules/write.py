"""A ruleset -> its canonical rules file, and the fingerprint taken from that."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable

from dice10k_math.rules.model import FlatSets, MultipliedSets, Ruleset, Scoring, SixDicePenalty


def dump_rules(rules: Ruleset) -> str:
    """Return the canonical rules file of a ruleset: every field with its value, defaults resolved.

    Fields that stand for something the game does not have (a combination, a penalty) are left out.
    Reading the text back gives an equal ruleset, and equal rulesets give the same text.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules, parse_rules
    >>> rules = load_rules("farkle")
    >>> parse_rules(dump_rules(rules)) == rules
    True
    """
    return "\n".join(
        [
            _table("ruleset", _identity(rules)),
            _table("scoring", _scoring(rules.scoring)),
            _table("turn", _turn(rules)),
            _table("bust", _bust(rules)),
            _table("ending", _ending(rules)),
            _table("variants", _variants(rules)),
        ]
    )


def fingerprint(rules: Ruleset) -> str:
    """Return the SHA-256 of the canonical rules file, in hexadecimal.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> len(fingerprint(load_rules("dice10k")))
    64
    """
    return hashlib.sha256(dump_rules(rules).encode()).hexdigest()


def _table(name: str, fields: dict[str, str | None]) -> str:
    lines = [f"{key} = {value}\n" for key, value in fields.items() if value is not None]
    return f"[{name}]\n{''.join(lines)}"


def _identity(rules: Ruleset) -> dict[str, str | None]:
    return {
        "name": _text(rules.name),
        "title": _text(rules.title),
        "players": _array(rules.players),
        "source": _text(rules.source),
    }


def _scoring(scoring: Scoring) -> dict[str, str | None]:
    straights = scoring.five_straights
    combinations = scoring.six_dice_combinations().items()
    return {
        "singles": _by_face(scoring.singles),
        "triples": _by_face(scoring.triples),
        "larger_sets": _larger_sets(scoring.larger_sets),
        **{key: _number(points) for key, points in combinations},
        "five_straights": _inline({"low": straights.low, "high": straights.high}) if straights else None,
        "readings": _text(scoring.readings),
    }


def _turn(rules: Ruleset) -> dict[str, str | None]:
    turn = rules.turn
    return {
        "dice": _number(turn.dice),
        "hot_dice": _text(turn.hot_dice),
        "hot_dice_bonus": _number(turn.hot_dice_bonus),
        "opening_minimum": _number(turn.opening_minimum),
        "opening_applies": _text(turn.opening_applies),
        "bank_minimum": _number(turn.bank_minimum),
        "bank_multiple": _number(turn.bank_multiple),
        "bank_takes": _text(turn.bank_takes),
    }


def _bust(rules: Ruleset) -> dict[str, str | None]:
    row = rules.bust.in_a_row
    return {
        "on_six": f"[{', '.join(map(_penalty, rules.bust.on_six))}]" if rules.bust.on_six else None,
        "in_a_row": _inline({"busts": row.busts, "penalty": row.penalty}) if row else None,
    }


def _ending(rules: Ruleset) -> dict[str, str | None]:
    ending = rules.ending
    return {
        "kind": _text(ending.kind),
        "target": _number(ending.target),
        "overshoot": ending.overshoot and _text(ending.overshoot),
        "tie": ending.tie and _text(ending.tie),
    }


def _variants(rules: Ruleset) -> dict[str, str | None]:
    faces = rules.variants.spicy_faces
    return {
        "spicy_faces": None if faces is None else _array(faces),
        "high_stakes": "true" if rules.variants.high_stakes else "false",
    }


def _penalty(row: SixDicePenalty) -> str:
    limit = {} if row.below is None else {"below": row.below}
    return _inline({**limit, "penalty": row.penalty})


def _larger_sets(sets: MultipliedSets | FlatSets | None) -> str | None:
    if isinstance(sets, MultipliedSets):
        return f"{{ multiply_triple = {_array(sets.factors)} }}"
    return None if sets is None else f"{{ points = {_array(sets.points)} }}"


def _by_face(points: tuple[int, ...]) -> str | None:
    return _inline({str(face): amount for face, amount in enumerate(points, start=1) if amount})


def _inline(pairs: dict[str, int]) -> str:
    return f"{{ {', '.join(f'{key} = {int(value)}' for key, value in pairs.items())} }}" if pairs else "{}"


def _array(numbers: Iterable[int]) -> str:
    return f"[{', '.join(str(int(number)) for number in numbers)}]"


def _number(value: int | None) -> str | None:
    return None if value is None else str(int(value))


def _text(text: str) -> str:
    # The escapes of JSON are escapes of TOML, and control characters that differ never get this far.
    return json.dumps(text, ensure_ascii=False)
