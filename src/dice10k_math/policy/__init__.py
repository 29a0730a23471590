"""Policies: ways to play, as data, as text, and at the table of a ruleset."""

from dice10k_math.policy.choices import Choice, Situation, Standing, Then, situation_of, subtracts
from dice10k_math.policy.model import (
    GOAL,
    NEVER,
    CallablePolicy,
    Case,
    ComputerPolicy,
    Condition,
    Keeping,
    KeepWorths,
    Optimum,
    Policy,
    RollCounts,
    ThresholdPolicy,
    Thresholds,
)
from dice10k_math.policy.plan import Plan
from dice10k_math.policy.players import Player, Resolve, seat
from dice10k_math.policy.text import format_policy, parse_policy
from dice10k_math.policy.worths import WorthPlayer, Worths

__all__ = [
    "GOAL",
    "NEVER",
    "CallablePolicy",
    "Case",
    "Choice",
    "ComputerPolicy",
    "Condition",
    "KeepWorths",
    "Keeping",
    "Optimum",
    "Plan",
    "Player",
    "Policy",
    "Resolve",
    "RollCounts",
    "Situation",
    "Standing",
    "Then",
    "ThresholdPolicy",
    "Thresholds",
    "WorthPlayer",
    "Worths",
    "format_policy",
    "parse_policy",
    "seat",
    "situation_of",
    "subtracts",
]
