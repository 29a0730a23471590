"""The words that fields of a rules file may take."""

from __future__ import annotations

from typing import Literal

HotDice = Literal["must_roll", "may_bank"]
OpeningApplies = Literal["at_score_zero", "until_first_bank"]
BankTakes = Literal["keep", "all_scoring"]
Readings = Literal["player_chooses", "highest"]
EndingKind = Literal["exact", "first_to_target", "final_round", "equal_turns"]
Overshoot = Literal["add_or_subtract", "not_allowed"]
Tie = Literal["shared", "extra_rounds"]
