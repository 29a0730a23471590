"""A card as a picture: laid out once on a page of A4, then written as SVG or PDF.

Only the standard fonts of every PDF reader are used, so nothing is embedded; widths of letters are estimated on the
safe side.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, replace
from xml.sax.saxutils import escape

from dice10k_math.cards.blocks import Paragraph, Table
from dice10k_math.cards.page import Page

WIDTH, HEIGHT, MARGIN = 595.0, 842.0, 36.0
"""Points (1/72 inch)."""
WIDE = 0.56
"""Mean width of a letter, as part of the size of the font."""
TITLE, HEADING, TEXT, CELL = 15.0, 11.0, 9.0, 8.5
SMALLER, MOST_SMALLER = 0.05, 40
"""Steps in which a sheet is made larger for what does not fit, and how many."""


@dataclass(frozen=True, slots=True)
class Letters:
    """Text from a place on; y grows downward."""

    x: float
    y: float
    size: float
    text: str
    bold: bool = False


@dataclass(frozen=True, slots=True)
class Rule:
    """A horizontal line."""

    x: float
    y: float
    width: float


Mark = Letters | Rule


def layout(page: Page) -> tuple[Mark, ...]:
    """Return what is to be drawn on the page; a long card is made smaller to fit.

    Examples
    --------
    >>> layout(Page("A card", ()))[0].text
    'A card'
    """
    # What is made smaller has room for longer lines; so the sheet is made larger until all fits on it.
    sheets = (1.0 + SMALLER * number for number in range(MOST_SMALLER))
    for sheet in sheets:
        marks, end = _laid_out(page, WIDTH * sheet - 2 * MARGIN)
        if end + MARGIN <= HEIGHT * sheet:
            break
    scale = min(1.0 / sheet, HEIGHT / (end + MARGIN))
    return tuple(_scaled(mark, scale) for mark in marks)


def _laid_out(page: Page, room: float) -> tuple[list[Mark], float]:
    """Return what is drawn on a sheet with lines so long, and where it ends."""
    marks: list[Mark] = [Letters(MARGIN, MARGIN + TITLE, TITLE, page.title, bold=True)]
    y = MARGIN + TITLE + 8
    for block in page.blocks:
        if isinstance(block, Table):
            y = _table(marks, block, y, room)
        elif block.heading:
            y += HEADING + 7
            marks.append(Letters(MARGIN, y, HEADING, block.text, bold=True))
            y += 3
        else:
            y = _paragraph(marks, block, y, room)
    return marks, y


def _scaled(mark: Mark, scale: float) -> Mark:
    if isinstance(mark, Letters):
        return replace(mark, x=mark.x * scale, y=mark.y * scale, size=mark.size * scale)
    return replace(mark, x=mark.x * scale, y=mark.y * scale, width=mark.width * scale)


def _paragraph(marks: list[Mark], block: Paragraph, y: float, room: float) -> float:
    letters = int(room / (WIDE * TEXT * 0.9))
    for line in textwrap.wrap(block.text, letters):
        y += TEXT + 3
        marks.append(Letters(MARGIN, y, TEXT, line))
    return y + 4


def _table(marks: list[Mark], table: Table, y: float, room: float) -> float:
    size = _cell_size(table, room)
    first = max(len(row[0]) for row in (table.heads, *table.rows)) * size * WIDE + 10
    columns = len(table.heads) - 1
    width = min(62.0, (room - first) / max(columns, 1))
    whole = first + width * columns
    for number, row in enumerate((table.heads, *table.rows)):
        y += size + 3.5
        marks.append(Letters(MARGIN, y, size, row[0], bold=number == 0))
        for column, cell in enumerate(row[1:]):
            right = MARGIN + first + width * (column + 1)
            marks.append(Letters(right - len(cell) * size * WIDE, y, size, cell, bold=number == 0 or cell == "bank"))
        if number == 0:
            y += 3
            marks.append(Rule(MARGIN, y, whole))
    return y + 8


def _cell_size(table: Table, room: float) -> float:
    """Return a size of letters with which the widest row fits."""
    first = max(len(row[0]) for row in (table.heads, *table.rows))
    other = max((len(cell) for row in (table.heads, *table.rows) for cell in row[1:]), default=0)
    letters = first + (other + 1.5) * (len(table.heads) - 1)
    return min(CELL, (room - 10) / (letters * WIDE))


def svg(page: Page) -> str:
    """Return a page as an SVG picture.

    Examples
    --------
    >>> svg(Page("A card", ())).startswith("<svg ")
    True
    """
    marks = layout(page)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH:g}" height="{HEIGHT:g}" '
        f'viewBox="0 0 {WIDTH:g} {HEIGHT:g}" font-family="Helvetica, Arial, sans-serif">'
    )
    lines = [
        head,
        f"<title>{escape(page.title)}</title>",
        '<rect width="100%" height="100%" fill="white"/>',
        *map(_svg_mark, marks),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _svg_mark(mark: Mark) -> str:
    if isinstance(mark, Rule):
        return f'<line x1="{mark.x:g}" y1="{mark.y:g}" x2="{mark.x + mark.width:g}" y2="{mark.y:g}" stroke="black"/>'
    weight = ' font-weight="bold"' if mark.bold else ""
    return f'<text x="{mark.x:.1f}" y="{mark.y:.1f}" font-size="{mark.size:.2f}"{weight}>{escape(mark.text)}</text>'


def pdf(page: Page) -> str:
    """Return a page as a PDF file, all of it in ASCII.

    Examples
    --------
    >>> pdf(Page("A card", ()))[:8]
    '%PDF-1.4'
    """
    marks = layout(page)
    content = "\n".join(_pdf_mark(mark) for mark in marks)
    fonts = (_font("Helvetica"), _font("Helvetica-Bold"))
    leaf = (
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {WIDTH:g} {HEIGHT:g}] /Contents 4 0 R "
        "/Resources << /Font << /F1 5 0 R /F2 6 0 R >> >> >>"
    )
    objects = (
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        leaf,
        f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
        *fonts,
        f"<< /Title ({_pdf_text(page.title)}) >>",
    )
    return _pdf_file(objects)


def _font(name: str) -> str:
    return f"<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>"


def _pdf_file(objects: tuple[str, ...]) -> str:
    """Put objects together, with the table of where they start; the last one says what the file is about."""
    text, places = "%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(text))
        text += f"{number} 0 obj\n{body}\nendobj\n"
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    size = len(objects) + 1
    trailer = f"trailer\n<< /Size {size} /Root 1 0 R /Info {len(objects)} 0 R >>"
    return f"{text}xref\n0 {size}\n0000000000 65535 f \n{table}{trailer}\nstartxref\n{len(text)}\n%%EOF\n"


def _pdf_mark(mark: Mark) -> str:
    y = HEIGHT - mark.y
    if isinstance(mark, Rule):
        return f"0.5 w {mark.x:g} {y:g} m {mark.x + mark.width:g} {y:g} l S"
    font = "F2" if mark.bold else "F1"
    return f"BT /{font} {mark.size:.2f} Tf {mark.x:.1f} {y:.1f} Td ({_pdf_text(mark.text)}) Tj ET"


def _pdf_text(text: str) -> str:
    return "".join(_pdf_letters(text))


def _pdf_letters(text: str) -> Iterator[str]:
    for letter in text:
        code = letter.encode("cp1252", "replace")[0]
        if letter in "()\\":
            yield f"\\{letter}"
        else:
            yield letter if 32 <= code < 127 else f"\\{code:03o}"
