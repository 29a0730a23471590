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
    Places,
    Policy,
    Reach,
    RollCounts,
    ThresholdPolicy,
    Thresholds,
)
from dice10k_math.policy.plan import Plan
from dice10k_math.policy.players import Player, Resolve, seat
from dice10k_math.policy.text import format_policy, parse_policy
from dice10k_math.policy.worths import WorthPlayer, Worths, place_worths

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
    "Places",
    "Plan",
    "Player",
    "Policy",
    "Reach",
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
    "place_worths",
    "seat",
    "situation_of",
    "subtracts",
]
