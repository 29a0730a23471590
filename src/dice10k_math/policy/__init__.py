"""Policies: ways to play, as data, as text, and at the table of a ruleset."""

from dice10k_math.policy.cases import Case, Condition
from dice10k_math.policy.choices import Choice, Situation, Standing, Then, situation_of, subtracts
from dice10k_math.policy.keeping import Keeping, KeepWorths, Places, Reach, RollCounts
from dice10k_math.policy.model import CallablePolicy, ComputerPolicy, Optimum, Policy, ThresholdPolicy
from dice10k_math.policy.plan import Plan
from dice10k_math.policy.players import Player, Resolve, seat
from dice10k_math.policy.text import format_policy, parse_policy
from dice10k_math.policy.thresholds import GOAL, NEVER, Thresholds
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
