"""What must hold for every ruleset and for every text."""

from __future__ import annotations

import pickle
from math import gcd

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dice10k_math.errors import RulesError
from dice10k_math.rules import (
    Ruleset,
    bank_step,
    dump_rules,
    fingerprint,
    load_rules,
    parse_rules,
    point_step,
    score_step,
)
from tests.strategies import RULES_TEXTS, rulesets


@given(rulesets())
def test_writing_and_reading_is_the_identity(rules: Ruleset) -> None:
    text = dump_rules(rules)
    again = parse_rules(text)
    assert again == rules
    assert hash(again) == hash(rules)
    assert dump_rules(again) == text
    assert fingerprint(again) == fingerprint(rules)


@given(rulesets())
def test_a_ruleset_survives_pickling(rules: Ruleset) -> None:
    assert pickle.loads(pickle.dumps(rules)) == rules


@given(rulesets(), rulesets())
def test_only_equal_rulesets_share_a_fingerprint(one: Ruleset, other: Ruleset) -> None:
    assert (fingerprint(one) == fingerprint(other)) == (one == other)


@given(RULES_TEXTS)
def test_any_text_is_a_ruleset_or_refused(text: str) -> None:
    try:
        rules = parse_rules(text, where="game.toml")
    except RulesError as error:
        lines = str(error).split("\n")
        assert all(line.startswith("game.toml: ") for line in lines)
        assert all(line.isprintable() for line in lines)
        assert all("allowed: " in line or " more" in line for line in lines)
    else:
        assert parse_rules(dump_rules(rules)) == rules


@given(data=st.binary(max_size=300))
def test_any_bytes_are_refused(data: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.getbasetemp() / "game.toml"
    path.write_bytes(data)
    with pytest.raises(RulesError, match=r"game\.toml: "):
        load_rules(path)


@given(rulesets())
def test_steps_divide_what_they_are_steps_of(rules: Ruleset) -> None:
    step = point_step(rules)
    amounts = (*rules.scoring.singles, rules.turn.hot_dice_bonus, rules.scoring.straight or 0)
    assert gcd(step, *amounts) == step
    assert bank_step(rules) % step == 0
    assert bank_step(rules) % score_step(rules) == 0
    if rules.ending.kind == "exact":
        assert rules.ending.target % score_step(rules) == 0
