"""The text form of policies: read, written, and refused with the place."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dice10k_math.errors import InputError
from dice10k_math.policy import (
    GOAL,
    NEVER,
    CallablePolicy,
    ComputerPolicy,
    KeepWorths,
    Optimum,
    Places,
    Policy,
    Reach,
    RollCounts,
    Standing,
    ThresholdPolicy,
    format_policy,
    parse_policy,
)
from tests.policies import by_places, policies


@given(policies | by_places())
@settings(deadline=None)
def test_what_is_written_is_read_back(policy: Policy) -> None:
    assert parse_policy(format_policy(policy)) == policy


@given(st.text(alphabet="threshold computer if keep=,:>=<019 behind never", max_size=40))
@settings(deadline=None)
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        policy = parse_policy(text)
    except InputError:
        return
    assert parse_policy(format_policy(policy)) == policy


def test_all_parts_are_read() -> None:
    policy = parse_policy(
        "threshold 300 6:never 2:250 keep=0,50,100,150,250,400/25 end=win lead=500 take=6:300 "
        "if behind>=1500,own<9000 400 5:800 if opponent_to_go<1000 goal"
    )
    assert isinstance(policy, ThresholdPolicy)
    assert policy.bank_from.of(6) == NEVER
    assert policy.bank_from.of(2) == 250
    assert policy.bank_from.of(1) == 300
    assert policy.keep == KeepWorths((0, 50, 100, 150, 250, 400), 25)
    assert (policy.end, policy.lead, policy.take) == ("win", 500, ((6, 300),))
    assert policy.at(Standing(3000, 4500), 10_000)[0].of(5) == 800
    assert policy.at(Standing(9000, 9500), 10_000)[0].base == GOAL
    assert policy.at(Standing(3000), 10_000)[0].base == 300


def test_places_are_read() -> None:
    policy = parse_policy("threshold 0 if to_go<600 0 bold=-5 keep=100:10000,50,60;-50:70:1+2,3+4;300:80:5+6,100+0")
    assert isinstance(policy, ThresholdPolicy)
    rows = Reach(-50, 70, (1, 3), (2, 4)), Reach(300, 80, (5, 100), (6, 0))
    assert policy.cases[0].keep == Places(100, (10_000, 50, 60), rows)
    assert policy.at(Standing(9500), 10_000)[1] == Places(100, (10_000, 50, 60), rows, bold=-5)
    between = parse_policy("threshold 0 keep=100/7,0:10000,50,60;-50:70:1+2,3+4;300:80:5+6,100+0")
    assert between == ThresholdPolicy(policy.bank_from, Places(100, (10_000, 50, 60), rows, between=(7, 0)))
    with pytest.raises(InputError, match="bold -5 have no text form"):
        format_policy(ThresholdPolicy(policy.bank_from, Places(100, (10_000, 50, 60), rows, bold=-5)))


def test_what_cannot_be_banked_is_read() -> None:
    for text, unbankable, offs in (("5", 5, (5, 5)), ("5,-10", (5, -10), (5, -10)), ("0,0", (0, 0), (0, 0))):
        policy = parse_policy(f"threshold 0 keep=200+30%,100+50%/{text}")
        assert isinstance(policy, ThresholdPolicy)
        assert policy.keep == RollCounts((200, 100), (30, 50), unbankable)
        assert policy.keep.offs == offs
        assert format_policy(policy).endswith(f"/{text}")


def test_short_forms() -> None:
    assert parse_policy("computer") == ComputerPolicy()
    assert format_policy(ComputerPolicy()) == "computer"
    assert parse_policy("optimum points") == Optimum("points")


REFUSED = {
    "": "character 1: nothing; allowed: threshold, computer or optimum",
    "  fun": "character 3: 'fun'; allowed: threshold, computer or optimum",
    "threshold": "character 10: nothing; allowed: points, never or goal",
    "threshold x": "character 11: 'x'; allowed: points, never or goal",
    "threshold -50": "character 11: '-50'; allowed: points",
    "threshold 1e3": "character 11: '1e3'; allowed: points",
    "threshold 9999999999": "character 11: '9999999999'; allowed: points",
    "threshold never": "character 11: threshold: never; a policy must bank at some time",
    "threshold 300 7:200": "character 15: '7:200'; allowed: 1 to 6 dice, each once",
    "threshold 300 2:200 2:250": "character 21: '2:250'; allowed: 1 to 6 dice, each once",
    "threshold 300 2:": "character 15: '2:'; allowed: points",
    "threshold 300 keep=most": "character 15: 'keep=most'; allowed: keep=all, keep=points, keep=few, worths",
    "threshold 300 keep=1,2,3,4,5,6,7": "character 15: keep: 7 worths",
    "threshold 300 keep=all keep=few": "character 24: 'keep=few'; allowed: DICE:AMOUNT",
    "threshold 300 end=lose": "character 15: 'end=lose'; allowed: end=plain or end=win",
    "threshold 300 end=win lead=-1": "character 23: 'lead=-1'; allowed: lead= and points",
    "threshold 300 end=win far=2:100": "character 1: far: ((2, 100),) without reach; allowed: with reach",
    "threshold 300 end=win reach=2:50 far=7:1": "character 34: 'far=7:1'; allowed: far= and dice with points",
    "threshold 300 end=win reach=2:50 far=2:1,2:5": "character 34: 'far=2:1,2:5'; allowed: far= and dice with points",
    "threshold 300 end=win reach=2:50 far=2:-5": "character 34: 'far=2:-5'; allowed: far= and dice with points",
    "threshold 300 lead=100": "character 1: lead: 100 with end plain; allowed: with end win",
    "threshold 300 take=7:1": "character 15: 'take=7:1'; allowed: take= and dice with points",
    "threshold 300 if": "character 17: nothing; allowed: conditions such as",
    "threshold 300 if luck>=1 200": "character 18: 'luck>=1'; allowed: conditions such as",
    "threshold 300 if own=5 200": "character 18: 'own=5'; allowed: conditions such as",
    "threshold 300 if own>=5": "character 24: nothing; allowed: points, never or goal",
    "threshold 300 if own>=5 200 keep=alL": "character 29: 'keep=alL'; allowed: keep=all",
    "threshold 300 keep=1+2%,3": "character 15: 'keep=1+2%,3'; allowed: keep=all",
    "threshold 300 keep=1+101%": "character 15: keep: (101,); allowed: 0 to 100 percent",
    "threshold 300 keep=1+2%,3+4%/5,x": "character 15: 'keep=1+2%,3+4%/5,x'; allowed: keep=all",
    "threshold 300 keep=1+2%,3+4%/5,6,7": "character 15: keep: 3 amounts taken off; allowed: one, or one for each",
    "threshold 300 keep=1+2%,3+4%/5,9999999": "and (5, 9999999); allowed: points up to 1000000",
    "threshold 0 keep=1/5,6:2;3:4:5+6": "character 13: keep: 2 amounts taken off; allowed: one for each number of dice",
    "threshold 0 keep=1/101:2;3:4:5+6": "character 13: keep: (101,) taken off; allowed: 0 to 100 percent",
    "threshold 0 keep=1/-1:2;3:4:5+6": "character 18: '1/-1:2'; allowed: STEP:W,W,... with places, then rows",
    "threshold 300 if own>=5 200 bold=x": "character 29: 'bold=x'; allowed: bold= and points",
    "threshold 300 if own>=5 200 bold=50": "character 1: bold: ",
    "threshold 300 keep=1:2;3:4:5+6": "character 1: threshold: 300 with places; allowed: 0",
    "threshold 0 keep=1:x;3:4:5+6": "character 18: '1:x'; allowed: STEP:W,W,... with places, then rows",
    "threshold 0 keep=1:2;3:4:5+6;3:4": "character 30: '3:4'; allowed: LEFT:HOPE:L+C,L+C,...",
    "threshold 0 keep=1:2;3:4:5+6;3:4:5+6": "character 13: keep: rows of [3, 3] points left; allowed: rising, each once",
    "threshold 0 keep=1:2;3:4:5+6;4:4:5+6,7+8": "character 13: keep: rows of unequal length",
    "threshold 0 keep=1:2;3:4:5+101": "character 13: keep: (5,) and (101,); allowed: 0 to 100 percent",
    "threshold 0 keep=1:2;3:10001:5+6": "character 13: keep: a hope of 10001; allowed: 0 to 10000",
    "threshold 0 keep=1:20000;3:4:5+6": "character 13: keep: places worth (20000,); allowed: 0 to 10000",
    "threshold 0 keep=0:2;3:4:5+6": "character 13: keep: places every 0 points; allowed: 1 to 1000000",
    "threshold 0 keep=1:2": "character 13: keep: no places or no rows; allowed: at least one of each",
    "computer base": "character 10: 'base'; allowed: base=N",
    "computer luck=1": "character 10: 'luck=1'; allowed: base=N",
    "computer base=1 base=2": "character 17: 'base=2'; allowed: base=N",
    "computer per=0": "character 1: computer: per=0; allowed: 1 to 1000000",
    "optimum": "character 8: nothing; allowed: points, win, turns",
    "optimum fun": "character 9: 'fun'; allowed: points, win, turns",
    "optimum win win": "character 13: 'win'; allowed: nothing more",
}


@pytest.mark.parametrize(("text", "message"), REFUSED.items(), ids=REFUSED)
def test_bad_text_is_refused_with_the_place(text: str, message: str) -> None:
    with pytest.raises(InputError) as refused:
        parse_policy(text)
    assert message in str(refused.value)
    assert repr(text) in str(refused.value)


def test_a_function_has_no_text() -> None:
    with pytest.raises(InputError, match="has no text form"):
        format_policy(CallablePolicy(lambda _, situation: situation.choices[0]))
