"""Runs the lesson, and writes it as a notebook with its outputs and as a page of the documentation.

A cell is run statement by statement in plain Python, so nothing but the package is needed;
what it prints, and the value of an expression at its end, are its output, as in any notebook.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
from typing import Any

from docs.generator.lesson import LESSON, Code, Words
from docs.generator.text import DOCS, MADE

NAME = "rolls-to-winning"
NOTEBOOK = DOCS / "teaching" / f"{NAME}.ipynb"
PAGE = DOCS / "teaching" / f"{NAME}.md"

Step = tuple[str, str]
"""A statement and what it shows."""


def run(code: str, names: dict[str, Any]) -> list[Step]:
    """Run a cell and return its statements with what each shows."""
    return [(source, _shown(source, names)) for source in statements(code)]


def statements(code: str) -> list[str]:
    """Return the sources of the statements of a cell, decorators with what they decorate."""
    lines = code.splitlines()
    found = []
    for node in ast.parse(code).body:
        decorators = getattr(node, "decorator_list", [])
        first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
        found.append("\n".join(lines[first - 1 : node.end_lineno]))
    return found


def _shown(source: str, names: dict[str, Any]) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(f"{source}\n", f"<{NAME}>", "single"), names)  # noqa: S102 - the lesson's own code
    return out.getvalue()


def executed() -> list[tuple[Words | Code, list[Step]]]:
    """Return the lesson with what its code shows."""
    names: dict[str, Any] = {"__name__": "__main__"}
    return [(part, run(part.text.strip("\n"), names) if isinstance(part, Code) else []) for part in LESSON]


def notebook(lesson: list[tuple[Words | Code, list[Step]]]) -> str:
    """Return the lesson as a notebook in the format of Jupyter, version 4.5."""
    cells = []
    count = 0
    for number, (part, steps) in enumerate(lesson):
        cell: dict[str, Any] = {"id": f"cell-{number:02}", "metadata": {}, "source": _lines(part.text.strip("\n"))}
        if isinstance(part, Words):
            cells.append({"cell_type": "markdown", **cell})
            continue
        count += 1
        shown = "".join(output for _, output in steps)
        outputs = [{"name": "stdout", "output_type": "stream", "text": _lines(shown)}] if shown else []
        cells.append({"cell_type": "code", "execution_count": count, **cell, "outputs": outputs})
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    document = {
        "cells": cells,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def dialogue(lesson: list[tuple[Words | Code, list[Step]]]) -> str:
    """Return the lesson as a page, its code as dialogues with Python."""
    parts = [MADE]
    for part, steps in lesson:
        if isinstance(part, Words):
            parts.append(part.text.strip("\n"))
        else:
            lines = [line for source, shown in steps for line in _dialogue_lines(source, shown)]
            parts.append("\n".join(["```python", *lines, "```"]))
        if len(parts) == 2:
            parts.append(f"The same lesson is a notebook, {{download}}`{NAME}.ipynb`, with its outputs.")
    return "\n\n".join(parts) + "\n"


def _dialogue_lines(source: str, shown: str) -> list[str]:
    first, *more = source.splitlines()
    closing = ["..."] if more and more[-1].startswith(" ") else []
    return [f">>> {first}", *(f"... {line}".rstrip() for line in more), *closing, *shown.splitlines()]


def write() -> None:
    """Run the lesson and write both files."""
    lesson = executed()
    NOTEBOOK.parent.mkdir(exist_ok=True)
    NOTEBOOK.write_text(notebook(lesson), encoding="utf-8")
    PAGE.write_text(dialogue(lesson), encoding="utf-8")
