"""What a command answers, as text for people, as JSON or as CSV; to standard output or whole into a file."""

from __future__ import annotations

import csv
import errno
import functools
import io
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, ParamSpec

import click

from dice10k_math.cli.parameters import FilePath, OneOf
from dice10k_math.cli.wording import in_options
from dice10k_math.errors import InputError
from dice10k_math.tables.files import write_whole

Format = Literal["table", "json", "csv"]
FORMATS = ("table", "json", "csv")

Inputs = ParamSpec("Inputs")


class ClosedOutputError(Exception):
    """The reader of standard output has gone away, as `head` does; there is nobody left to tell."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command answers.

    Attributes
    ----------
    data
        For JSON: dictionaries, lists, numbers and text.
    rows
        For CSV: one mapping for each row, all with the keys of the first; lists are joined by spaces.
    heads
        Names of the CSV columns, needed where there may be no row.
    text
        Makes the text for people; called only when that is asked for.
    code
        Exit code of the command.
    """

    data: Mapping[str, Any]
    rows: Sequence[Mapping[str, Any]]
    text: Callable[[], str]
    heads: Sequence[str] = ()
    code: int = 0


def answers(command: Callable[Inputs, Answer | None]) -> Callable[Inputs, int]:
    """Give a command the options ``--format`` and ``--output``, and write what it answers."""

    @click.option("--format", "form", type=OneOf(FORMATS), default="table", show_default=True, help="Format.")
    @click.option("--output", type=FilePath(), metavar="FILE", help="Write to this file, whole or not at all.")
    @functools.wraps(command)
    def answering(*args: Inputs.args, **kwargs: Inputs.kwargs) -> int:
        form, output = kwargs.pop("form"), kwargs.pop("output")
        assert form in FORMATS  # noqa: S101 - click has checked
        assert output is None or isinstance(output, Path)  # noqa: S101 - click has checked
        try:
            answer = command(*args, **kwargs)
        except InputError as error:
            raise InputError(in_options(str(error), click.get_current_context().command)) from None
        if answer is None:
            return 0
        write(render(answer, form), output)  # type: ignore[arg-type] # one of FORMATS
        return answer.code

    return answering


def render(answer: Answer, form: Format) -> str:
    """Return an answer in one of the formats, with a line break at the end."""
    if form == "json":
        return json.dumps(answer.data, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    if form == "csv":
        return _csv(answer)
    return answer.text().rstrip("\n") + "\n"


def _csv(answer: Answer) -> str:
    heads = list(answer.heads or (answer.rows[0] if answer.rows else ()))
    text = io.StringIO()
    writer = csv.DictWriter(text, heads, lineterminator="\n")
    writer.writeheader()
    writer.writerows({head: _cell(row[head]) for head in heads} for row in answer.rows)
    return text.getvalue()


def _cell(value: object) -> object:
    if isinstance(value, list | tuple):
        return " ".join(map(str, value))
    if isinstance(value, bool):
        return str(value).lower()
    return value


def write(text: str, output: Path | None) -> None:
    """Write text in UTF-8 to a file, or to standard output.

    Raises
    ------
    InputError
        The file, or standard output, cannot be written.
    ClosedOutputError
        Nobody reads standard output any more.
    """
    try:
        if output is not None:
            write_whole(output, text.encode("utf-8", "backslashreplace"))
        else:
            _print(text)
    except BrokenPipeError:
        _forget_output()
        raise ClosedOutputError from None
    except OSError as error:
        reason = error.strerror or type(error).__name__
        if output is not None:
            raise InputError(
                f"--output {output}: cannot be written ({reason}); allowed: a file in a folder that can"
            ) from None
        _forget_output()
        raise InputError(f"standard output: cannot be written ({reason}); allowed: --output FILE") from None


def _print(text: str) -> None:
    if sys.stdout is None:
        raise OSError(errno.EBADF, "it is closed")
    # Bytes, so that a locale without the letters of a title cannot make the command fail.
    raw = getattr(sys.stdout, "buffer", None)
    if raw is None:
        sys.stdout.write(text)
    else:
        sys.stdout.flush()
        raw.write(text.encode("utf-8", "backslashreplace"))
    sys.stdout.flush()


def _forget_output() -> None:
    """Send what is still waiting for standard output nowhere, or the interpreter would complain when it ends."""
    if sys.stdout is None:
        return
    with Path(os.devnull).open("wb") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())
