"""Every code block in the documentation runs, and gives what it shows.

How a block is marked says how it is run; see `RUN`. A page is run from top to bottom in a folder of its own, in which
`tables` is the folder of built tables.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from dice10k_math.cli import main
from tests.docs.pages import DOCS, PAGES, SPOKEN, Block, blocks
from tests.unit.cli import environment

NODE = shutil.which("node")
ROOT = DOCS.parent
README = ROOT / "README.md"

RUN = {
    "python": "a dialogue with >>>, run as a doctest; the names of a page stay from block to block",
    "console": "commands after $ with all that they print; `...` alone on a line stands for any lines",
    "toml": "a file, named by its caption; it must be TOML",
    "js": "a file, named by its caption; a console block runs it, where there is node",
    "sh": "part of a command of the README that the gate runs from nothing, extras aside",
    "text": "a formula or a picture, with nothing to run; its numbers are checked like those of prose",
}
"""The marks that a block may have."""

DIRECTIVES = ("{toctree}", "{figure}", "{image}", "{literalinclude}", "{include}", "{public-names}")
"""Blocks that are no code."""


class Page:
    """Runs the blocks of a page in a folder."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self.folder = folder
        self.names: dict[str, Any] = {"__name__": "__main__"}
        (folder / "tables").symlink_to(ROOT / "tables")
        self.programs = _programs(folder)

    def python(self, block: Block) -> None:
        assert ">>> " in block.text, self.at(block, "no dialogue")
        test = doctest.DocTestParser().get_doctest(block.text, self.names, self.name, self.name, block.line - 1)
        said: list[str] = []
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
        runner.run(test, out=said.append, clear_globs=False)
        self.names = test.globs
        assert not said, "".join(said)

    def write(self, block: Block) -> None:
        assert block.file, self.at(block, "no caption, which would be the name of its file")
        (self.folder / block.file).write_text(block.text, encoding="utf-8")
        if block.kind == "toml":
            tomllib.loads(block.text)

    def console(self, block: Block) -> None:
        assert block.text.startswith("$ "), self.at(block, "no command")
        for command, expected in commands(block.text):
            if command.startswith("node ") and NODE is None:
                continue
            given = self.shell(command)
            wanted = "".join("(?:.*\n)*" if line == "...\n" else re.escape(line) for line in expected.splitlines(True))
            assert re.fullmatch(wanted, given), self.at(block, f"$ {command}\n{given}\ninstead of\n{expected}")

    def shell(self, command: str) -> str:
        words = shlex.split(command)
        if words[0] == "dice10k-math" and not re.search(r"[|<>&;*$]", command):
            return _in_this_process(words[1:])
        path = f"{self.programs}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            ["/bin/bash", "-c", command],
            cwd=self.folder,
            env={**environment(), "PATH": path},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return done.stdout

    def installs(self, block: Block) -> None:
        whole, part = (re.sub(r"'\.\[\w+\]'", ".", text) for text in (README.read_text(encoding="utf-8"), block.text))
        assert part.strip() in whole, self.at(block, "no part of a command of the README")

    def at(self, block: Block, what: str) -> str:
        return f"docs/{self.name}, line {block.line}: {what}"


def _programs(folder: Path) -> Path:
    """Make a folder with the programs that the pages call, as an installation would have them."""
    programs = folder / ".programs"
    programs.mkdir()
    for name, start in (("python", ""), ("dice10k-math", "-m dice10k_math")):
        path = programs / name
        path.write_text(f'#!/bin/sh\nexec "{sys.executable}" {start} "$@"\n', encoding="utf-8")
        path.chmod(0o755)
    return programs


def _in_this_process(words: list[str]) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        code = main(words)
    given = out.getvalue()
    assert (code == 0) != given.startswith("dice10k-math: "), f"exit code {code} after\n{given}"
    return given


def commands(text: str) -> list[tuple[str, str]]:
    """Return the commands of a console block, each with what it should print."""
    parts = re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]
    found = []
    for part in parts:
        command, _, expected = re.sub(r" *\\\n> *", " ", part).partition("\n")
        # One empty line before the next command is for the eye.
        found.append((command, expected.removesuffix("\n") if expected.endswith("\n\n") else expected))
    return found


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path


def runs(block: Block) -> bool:
    return not block.kind.startswith((*DIRECTIVES, *SPOKEN))


@pytest.mark.parametrize("name", [name for name in PAGES if any(map(runs, blocks(name)))])
def test_the_blocks_of_a_page_run_and_give_what_they_show(name: str, folder: Path) -> None:
    page = Page(name, folder)
    for block in filter(runs, blocks(name)):
        assert block.kind in RUN, page.at(block, f"{block.kind!r}; allowed: {', '.join(RUN)}")
        if block.kind == "console":
            page.console(block)
        elif block.kind == "sh":
            page.installs(block)
        elif block.kind == "python" and block.file is None:
            page.python(block)
        else:
            page.write(block)


def test_there_is_javascript() -> None:
    assert any("$ node " in block.text for name in PAGES for block in blocks(name))


def test_a_wrong_output_fails(folder: Path) -> None:
    page = Page("sample.md", folder)
    with pytest.raises(AssertionError, match="instead of"):
        page.console(Block("console", None, "$ dice10k-math keeps farkle 1\nnothing\n", 1))
    with pytest.raises(AssertionError, match="Expected"):
        page.python(Block("python", None, ">>> 1 + 1\n3\n", 1))
