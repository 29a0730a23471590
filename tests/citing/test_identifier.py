"""Identifiers are read and written in one way only."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dice10k_math.citing.arguments import Argument, read_arguments, write_arguments
from dice10k_math.citing.identifier import Identifier, parse_identifier
from dice10k_math.errors import InputError

WORDS = st.lists(
    st.tuples(st.from_regex(r"[a-z-]{1,10}", fullmatch=True), st.integers(-99_999, 99_999)), max_size=4
).map(lambda found: tuple(f"{name}={value}" for name, value in found))
IDENTIFIERS = st.builds(
    Identifier,
    st.from_regex(r"[0-9]\.[0-9]{1,2}\.[0-9](rc1)?", fullmatch=True),
    st.from_regex(r"[a-zA-Z0-9-]{1,20}", fullmatch=True),
    st.from_regex(r"[0-9a-f]{12}", fullmatch=True),
    st.from_regex(r"[a-z-]{1,20}", fullmatch=True),
    WORDS,
)


@given(IDENTIFIERS)
def test_what_is_written_is_read_back(identifier: Identifier) -> None:
    assert parse_identifier(str(identifier)) == identifier
    assert parse_identifier(f"  {identifier}\n") == identifier


@pytest.mark.parametrize(
    "text",
    [
        "",
        "dice10k-math",
        "farkle:match",
        "dice10k-math:0.1.0:farkle:e317:match",
        "dice10k-math:0.1.0:farkle:E317C3FB1454:match",
        "dice10k-math:0.1.0:farkle:e317c3fb1454:",
        "dice10k-math:0.1.0:farkle:e317c3fb1454:match:",
        "dice10k-math:0.1.0:far kle:e317c3fb1454:match",
        "dice10k-math:0.1.0:farkle:e317c3fb1454:match:score=1\nscore=2",
        "dice10k-math:" + "0" * 10_000,
    ],
)
def test_other_text_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"^identifier: .{0,90}; allowed: dice10k-math:VERSION:"):
        parse_identifier(text)


ARGUMENTS = (
    Argument("points", needed=True),
    Argument("score", default=0),
    Argument("hand", "faces"),
    Argument("opened", "yes or no"),
)


@given(
    st.integers(-99, 99),
    st.integers(-99, 99),
    st.none() | st.lists(st.integers(1, 6), min_size=1, max_size=6).map(lambda dice: tuple(sorted(dice))),
    st.none() | st.booleans(),
)
def test_arguments_are_read_back(points: int, score: int, hand: tuple[int, ...] | None, opened: bool | None) -> None:
    values = {"points": points, "score": score, "hand": hand, "opened": opened}
    words = write_arguments(ARGUMENTS, values)
    assert read_arguments(ARGUMENTS, reversed(words)) == values
    assert (score == 0) == (f"score={score}" not in words)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "argument: points is missing; allowed: points=..."),
        (["points=1", "points=1"], "argument: points is given twice"),
        (["points"], "argument: 'points'; allowed: points=..., score=..., hand=..., opened=..."),
        (["points=1", "fun=1"], "argument: 'fun=1'; allowed: points=..."),
        (["points="], "points: ''; allowed: a whole number"),
        (["points=1.5"], "points: '1.5'; allowed: a whole number"),
        (["points=١"], "points: '١'; allowed: a whole number"),
        (["points=" + "9" * 5_000], "allowed: a whole number of at most 10 digits"),
        (["points=1", "hand=7"], "hand: '7'; allowed: the spicy faces"),
        (["points=1", "opened=maybe"], "opened: 'maybe'; allowed: yes or no"),
    ],
)
def test_arguments_that_cannot_be_are_refused(words: list[str], message: str) -> None:
    with pytest.raises(InputError) as error:
        read_arguments(ARGUMENTS, words)
    assert message in str(error.value)
