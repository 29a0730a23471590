"""Exact answers for dice games of the 10,000 family.

How likely is a bust, what is a throw worth, when to bank, who wins from here: as exact fractions, or with bounds that
are proved.
The rules are data, so a house rule is a file.

Names are loaded when they are first used, so that asking for odds does not pay for the solvers.
"""

from __future__ import annotations

# Not from typing: the first moments of a command, in which Ctrl-C cannot be heeded yet, would be longer.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dice10k_math.citing.lookup import cite as cite
    from dice10k_math.citing.lookup import look_up as look_up
    from dice10k_math.errors import Dice10kError as Dice10kError
    from dice10k_math.errors import InputError as InputError
    from dice10k_math.errors import NotConvergedError as NotConvergedError
    from dice10k_math.errors import RulesError as RulesError
    from dice10k_math.errors import TableError as TableError
    from dice10k_math.odds import bust_odds as bust_odds
    from dice10k_math.odds import hot_dice_odds as hot_dice_odds
    from dice10k_math.odds import mean_best_score as mean_best_score
    from dice10k_math.odds import score_counts as score_counts
    from dice10k_math.odds import score_distribution as score_distribution
    from dice10k_math.policy import parse_policy as parse_policy
    from dice10k_math.questions.bank import least_banks as least_banks
    from dice10k_math.questions.evaluation import evaluate as evaluate
    from dice10k_math.questions.exact_match import certify_match as certify_match
    from dice10k_math.questions.length import match_length as match_length
    from dice10k_math.questions.long_run import long_run as long_run
    from dice10k_math.questions.match import solve_match as solve_match
    from dice10k_math.questions.response import best_response as best_response
    from dice10k_math.questions.response import exploitability as exploitability
    from dice10k_math.questions.seats import evaluate_seats as evaluate_seats
    from dice10k_math.questions.seats import seats_response as seats_response
    from dice10k_math.questions.simulation import simulate as simulate
    from dice10k_math.questions.solo import solve_solo as solve_solo
    from dice10k_math.questions.spicy_faces import rank_spicy_faces as rank_spicy_faces
    from dice10k_math.questions.trio import solve_three as solve_three
    from dice10k_math.questions.turn import solve_turn as solve_turn
    from dice10k_math.rules import Ruleset as Ruleset
    from dice10k_math.rules import builtin_rulesets as builtin_rulesets
    from dice10k_math.rules import dump_rules as dump_rules
    from dice10k_math.rules import fingerprint as fingerprint
    from dice10k_math.rules import load_rules as load_rules
    from dice10k_math.rules import parse_rules as parse_rules
    from dice10k_math.scoring import Keep as Keep
    from dice10k_math.scoring import legal_keeps as legal_keeps
    from dice10k_math.solve.worth import Worth as Worth
    from dice10k_math.solve.worth import at_least as at_least
    from dice10k_math.tables.match import load_match as load_match

__version__ = "0.1.0"

_HOME = {
    "cite": "citing.lookup",
    "look_up": "citing.lookup",
    "Dice10kError": "errors",
    "InputError": "errors",
    "NotConvergedError": "errors",
    "RulesError": "errors",
    "TableError": "errors",
    "bust_odds": "odds",
    "hot_dice_odds": "odds",
    "mean_best_score": "odds",
    "score_counts": "odds",
    "score_distribution": "odds",
    "parse_policy": "policy",
    "evaluate": "questions.evaluation",
    "certify_match": "questions.exact_match",
    "least_banks": "questions.bank",
    "match_length": "questions.length",
    "solve_match": "questions.match",
    "best_response": "questions.response",
    "exploitability": "questions.response",
    "evaluate_seats": "questions.seats",
    "seats_response": "questions.seats",
    "simulate": "questions.simulation",
    "solve_solo": "questions.solo",
    "rank_spicy_faces": "questions.spicy_faces",
    "solve_three": "questions.trio",
    "long_run": "questions.long_run",
    "solve_turn": "questions.turn",
    "Ruleset": "rules",
    "builtin_rulesets": "rules",
    "dump_rules": "rules",
    "fingerprint": "rules",
    "load_rules": "rules",
    "parse_rules": "rules",
    "Keep": "scoring",
    "legal_keeps": "scoring",
    "Worth": "solve.worth",
    "at_least": "solve.worth",
    "load_match": "tables.match",
}

__all__ = ["__version__", *_HOME]  # noqa: PLE0604 - the names are those of _HOME


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
