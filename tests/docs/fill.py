"""Writes what the commands and dialogues of pages print into the pages: `python -m tests.docs.fill PAGE...`.

For whoever writes a page: the outputs are made, not typed. Read them before they are committed.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import sys
import tempfile
from pathlib import Path

from tests.docs.pages import DOCS, Block, blocks, source
from tests.docs.test_blocks import NODE, Page, commands, runs


def console(page: Page, block: Block) -> str:
    """Return a console block with the present outputs; outputs with `...` stay."""
    text = block.text
    for command, expected in commands(block.text):
        given = page.shell(command) if NODE or not command.startswith("node ") else expected
        given = expected if "...\n" in expected else given
        text = text.replace(_as_written(text, command) + expected, _as_written(text, command) + given, 1)
    return text


def _as_written(text: str, command: str) -> str:
    pattern = r"\$ " + re.escape(command).replace(r"\ ", r"(?: | *\\\n> *)") + "\n"
    found = re.search(pattern, text)
    assert found, command
    return found[0]


def dialogue(page: Page, block: Block) -> str:
    """Return a python block with the present outputs."""
    lines: list[str] = []
    for example in doctest.DocTestParser().get_examples(block.text):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(example.source, page.name, "single"), page.names)  # noqa: S102 - the page's own code
        first, *more = example.source.splitlines()
        lines += [f">>> {first}", *(f"... {line}".rstrip() for line in more)]
        given = out.getvalue()
        lines += (example.want if "..." in example.want else given).splitlines()
    return "\n".join([*lines, ""]) + ("\n" if block.text.endswith("\n\n") else "")


def fill(name: str) -> None:
    """Fill in one page."""
    text = source(name)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        page = Page(name, Path(folder))
        for block in filter(runs, blocks(name)):
            if block.kind == "console":
                text = text.replace(block.text, console(page, block), 1)
            elif block.kind == "python" and block.file is None:
                text = text.replace(block.text, dialogue(page, block), 1)
            elif block.file:
                page.write(block)
    (DOCS / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    os.environ["COLUMNS"] = "80"
    for given in sys.argv[1:]:
        fill(Path(given).resolve().relative_to(DOCS).as_posix())
