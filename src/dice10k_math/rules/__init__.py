"""Rules as data: the frozen `Ruleset`, its rules files and the built-in games."""

from __future__ import annotations

from dice10k_math.rules.load import builtin_rulesets, load_rules
from dice10k_math.rules.model import (
    BankTakes,
    BustRules,
    BustsInARow,
    Ending,
    EndingKind,
    FiveStraights,
    FlatSets,
    HotDice,
    MultipliedSets,
    OpeningApplies,
    Overshoot,
    Readings,
    Ruleset,
    Scoring,
    SixDicePenalty,
    Tie,
    TurnRules,
    Variants,
    with_target,
)
from dice10k_math.rules.parse import parse_rules
from dice10k_math.rules.steps import bank_step, least_reaching, penalties, point_step, score_step
from dice10k_math.rules.write import dump_rules, fingerprint

__all__ = [
    "BankTakes",
    "BustRules",
    "BustsInARow",
    "Ending",
    "EndingKind",
    "FiveStraights",
    "FlatSets",
    "HotDice",
    "MultipliedSets",
    "OpeningApplies",
    "Overshoot",
    "Readings",
    "Ruleset",
    "Scoring",
    "SixDicePenalty",
    "Tie",
    "TurnRules",
    "Variants",
    "bank_step",
    "builtin_rulesets",
    "dump_rules",
    "fingerprint",
    "least_reaching",
    "load_rules",
    "parse_rules",
    "penalties",
    "point_step",
    "score_step",
    "with_target",
]
