"""The pages of the documentation, taken apart: blocks, tables, and prose with its numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt

DOCS = Path(__file__).resolve().parents[2] / "docs"
NOT_OF_THE_SITE = {"README.md"}

PAGES = tuple(
    path.relative_to(DOCS).as_posix()
    for path in sorted(DOCS.rglob("*.md"))
    if path.relative_to(DOCS).as_posix() not in NOT_OF_THE_SITE
)


@dataclass(frozen=True)
class Block:
    """A fenced block: its language or directive, the name of the file that it is (caption), its text and its line."""

    kind: str
    file: str | None
    text: str
    line: int


@dataclass(frozen=True)
class Number:
    """A number in prose, as it is written, and where it stands in the text of the page."""

    text: str
    start: int

    @property
    def digits(self) -> str:
        """The significant digits: 0.052 has two, 10,000 one, 16,400 three."""
        plain = self.text.replace(",", "")
        return plain.replace(".", "").lstrip("0") if "." in plain else plain.lstrip("0").rstrip("0")


def source(page: str) -> str:
    return (DOCS / page).read_text(encoding="utf-8")


def blocks(page: str) -> list[Block]:
    return [_block(*fence) for fence in _fences(source(page))]


def _fences(text: str) -> Iterator[tuple[str, str, int, int]]:
    """Yield info, content, first line and last line of every fenced block."""
    for token in MarkdownIt().enable("table").parse(text):
        if token.type == "fence":
            assert token.map is not None
            first, last = token.map
            yield token.info.strip(), token.content, first, last


def _block(info: str, content: str, line: int, _end: int) -> Block:
    directive = re.fullmatch(r"\{code-block\} (\w+)", info)
    if not directive:
        return Block(info, None, content, line + 1)
    caption = re.match(r":caption: (\S+)\n+", content)
    assert caption, f"line {line + 1}: a code-block has a caption, the name of its file"
    return Block(directive[1], caption[1], content[caption.end() :], line + 1)


SPOKEN = ("{note}", "{tip}", "{warning}", "{admonition}", "{glossary}", "text")
"""Blocks that are read like prose."""


def prose(page: str) -> str:
    """Return a page without its code blocks, with every run of white space as one space."""
    lines = source(page).splitlines()
    for info, _content, first, last in _fences(source(page)):
        if not info.startswith(SPOKEN):
            lines[first:last] = [""] * (last - first)
    return " ".join("\n".join(lines).split())


NUMBER = re.compile(r"(?<![\w.])(?:\d{1,3}(?:,\d{3})+(?![,\d])|\d+)(?:\.\d+)?")


def numbers(text: str) -> list[Number]:
    return [Number(found[0], found.start()) for found in NUMBER.finditer(text)]


def tables(page: str) -> Iterator[list[list[str]]]:
    """Yield the tables of a page: rows of cells, the heads first, as they are written."""
    rows: list[list[str]] = []
    for line in [*source(page).splitlines(), ""]:
        if line.startswith("|"):
            rows.append([cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip())[1:-1]])
        elif rows:
            yield [rows[0], *rows[2:]]
            rows = []
