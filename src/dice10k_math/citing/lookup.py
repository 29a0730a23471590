"""From a question to its identifier, and from an identifier back to the number."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from dice10k_math import __version__
from dice10k_math.citing.arguments import read_arguments, write_arguments
from dice10k_math.citing.identifier import FINGERPRINT_DIGITS, Identifier, parse_identifier
from dice10k_math.citing.questions import Number, Question, Setting, answer, question_named
from dice10k_math.errors import InputError, RulesError, TableError
from dice10k_math.rules import Ruleset, builtin_rulesets, fingerprint, load_rules, parse_rules
from dice10k_math.workers import Progress


@dataclass(frozen=True, slots=True)
class Citation:
    """A number with what it takes to find it again.

    Attributes
    ----------
    identifier
        Names the number: version, ruleset with fingerprint, question, arguments.
    rules
        The ruleset.
    question
        What was asked.
    number
        The answer, with its bounds.
    """

    identifier: Identifier
    rules: Ruleset
    question: Question
    number: Number


def cite(
    rules: Ruleset,
    question: str,
    arguments: Iterable[str] = (),
    *,
    tables: Path | None = None,
    progress: Progress | None = None,
) -> Citation:
    """Return the answer to a question with an identifier that finds it again.

    Parameters
    ----------
    rules
        The ruleset.
    question
        Name of the question, one of `dice10k_math.citing.questions.QUESTIONS`.
    arguments
        Words such as "score=4200".
    tables
        Folder of tables to read the answer from, where it holds it for these very rules.
    progress
        Told how far the work is, where there is much of it.

    Raises
    ------
    InputError
        A question or an argument that is not allowed.

    Examples
    --------
    >>> found = cite(load_rules("dice10k"), "bust", ["dice=1"])
    >>> found.number.exact, found.identifier.question, found.identifier.arguments
    (Fraction(2, 3), 'bust', ('dice=1',))
    """
    asked = question_named(question)
    given = read_arguments(asked.arguments, arguments)
    _rulesets_in(tables)
    number = answer(asked, rules, given, Setting(tables, progress))
    words = write_arguments(asked.arguments, given)
    return Citation(Identifier(__version__, rules.name, _short(rules), asked.name, words), rules, asked, number)


def look_up(
    identifier: str,
    *,
    rules: Ruleset | None = None,
    tables: Path | None = None,
    progress: Progress | None = None,
) -> Citation:
    """Return the number that an identifier names, with the identifier that this version gives it.

    The rules must be those that were cited: the built-in ruleset of that name, those given, or those that a folder of
    tables keeps.

    Parameters
    ----------
    identifier
        As `cite` gives it.
    rules
        The ruleset, where it is not a built-in one.
    tables, progress
        As for `cite`.

    Raises
    ------
    InputError
        Text that is no identifier, or rules with another fingerprint.

    Examples
    --------
    >>> found = cite(load_rules("dice10k"), "bust", ["dice=1"])
    >>> look_up(str(found.identifier)) == found
    True
    """
    cited = parse_identifier(identifier)
    question_named(cited.question)
    return cite(_rules_of(cited, rules, tables), cited.question, cited.arguments, tables=tables, progress=progress)


def _rules_of(cited: Identifier, given: Ruleset | None, tables: Path | None) -> Ruleset:
    found = [given] if given is not None else _rulesets_named(cited.ruleset, tables)
    for rules in found:
        if (rules.name, _short(rules)) == (cited.ruleset, cited.fingerprint):
            return rules
    if not found:
        raise InputError(f"identifier: {cited.ruleset} is no built-in ruleset; allowed: with its rules file")
    known = " or ".join(f"{rules.name}:{_short(rules)}" for rules in found)
    raise InputError(
        f"identifier: cited are the rules {cited.ruleset}:{cited.fingerprint}, these are {known}; "
        "allowed: the very rules that were cited, as a rules file"
    )


def _rulesets_named(name: str, tables: Path | None) -> list[Ruleset]:
    found = [load_rules(name)] if name in builtin_rulesets() else []
    text = _rulesets_in(tables).get(name)
    try:
        found += [] if text is None else [parse_rules(text)]
    except RulesError as error:
        raise InputError(f"tables: {error}") from None
    return list(dict.fromkeys(found))


def _rulesets_in(tables: Path | None) -> Mapping[str, str]:
    """Return the rules texts that a folder of tables keeps, by name."""
    if tables is None:
        return {}
    from dice10k_math.tables.manifest import read_manifest

    try:
        return read_manifest(tables).rulesets
    except TableError as error:
        raise InputError(f"tables: {error}") from None


def _short(rules: Ruleset) -> str:
    return fingerprint(rules)[:FINGERPRINT_DIGITS]
