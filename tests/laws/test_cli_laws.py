"""Whatever the words: an exit code that is promised, at most one line of complaint, never a traceback."""

from __future__ import annotations

import contextlib
import io

from hypothesis import given, settings
from hypothesis import strategies as st

from dice10k_math.cli import main

COMMANDS = ("rules", "odds", "scores", "keeps", "tables")
WORDS = st.one_of(
    st.sampled_from(
        [
            *COMMANDS,
            *("dice10k", "farkle-spicy", "show", "check", "build", "verify", "--dice", "--hand", "--format", "json"),
            *("csv", "1", "6", "0", "-1", "1,2,5", "1,1", "--help", "--", "-", "", "--nope", "/", "=", "--dice=2"),
        ]
    ),
    st.text(max_size=8).filter(lambda word: "\0" not in word),
)


def write(words: list[str]) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(words)
    return code, out.getvalue(), err.getvalue()


# Some commands compile a whole game when it is first asked for: how long that takes is not what is tested.
@settings(deadline=None)
@given(st.sampled_from(COMMANDS), st.lists(WORDS, max_size=5))
def test_any_words_are_answered_or_refused_in_one_line(command: str, words: list[str]) -> None:
    code, out, err = write([command, *words])
    assert code in {0, 1, 2}, err
    if code == 1:
        # A folder without a manifest does not hold.
        assert command == "tables"
        assert "manifest.json" in out
    if code < 2:
        assert not err
        assert out.endswith("\n")
    else:
        assert not out
        assert err.count("\n") == 1
        assert err.startswith("dice10k-math: ")
