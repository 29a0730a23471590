"""The site builds without a warning, every internal link leads somewhere, and nothing is fetched from elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import dice10k_math
from tests.docs.pages import PAGES

FETCHED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "video": "src", "object": "data"}


@dataclass
class Html(HTMLParser):
    """What a page of the site links to, what it fetches, and what can be linked to in it."""

    links: list[str] = field(default_factory=list)
    fetched: list[str] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.anchors.add(given.get("id") or "")
        if tag == "a" and given.get("href"):
            self.links.append(given["href"] or "")
        if tag == "link" and given.get("rel") in {"stylesheet", "icon", "preload", "preconnect", "search"}:
            self.fetched.append(given.get("href") or "")
        if tag in FETCHED and given.get(FETCHED[tag]):
            self.fetched.append(given[FETCHED[tag]] or "")


@cache
def parsed(path: Path) -> Html:
    page = Html()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def html_pages(site: Path) -> list[Path]:
    return sorted(path for path in site.rglob("*.html") if "_static" not in path.relative_to(site).parts)


def faults(site: Path, path: Path) -> Iterator[str]:
    """Yield the links of a page that lead nowhere."""
    for link in parsed(path).links:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        if not target.is_relative_to(site) or not target.is_file():
            yield f"{path.relative_to(site)}: {link}: no such page"
        elif parts.fragment and target.suffix == ".html" and unquote(parts.fragment) not in parsed(target).anchors:
            yield f"{path.relative_to(site)}: {link}: no such place in the page"


def test_every_internal_link_leads_somewhere(site: Path) -> None:
    found = html_pages(site)
    assert len(found) > len(PAGES)
    assert not [fault for path in found for fault in faults(site, path)]


def test_a_broken_link_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(
        '<p id="here"></p><a href="#here"></a><a href="#there"></a><a href="none.html"></a>', encoding="utf-8"
    )
    assert [fault.split(": ", 1)[1] for fault in faults(tmp_path, page)] == [
        "#there: no such place in the page",
        "none.html: no such page",
    ]


def test_nothing_is_fetched_from_elsewhere(site: Path) -> None:
    for path in html_pages(site):
        for address in parsed(path).fetched:
            assert not urlsplit(address).netloc, f"{path.name}: {address}"
    for sheet in site.rglob("*.css"):
        assert not re.search(r"(?:url\(|@import)\s*['\"]?(?:https?:)?//", sheet.read_text(encoding="utf-8")), sheet.name


def test_every_page_is_in_the_site(site: Path) -> None:
    for page in PAGES:
        assert (site / page).with_suffix(".html").is_file()


def test_every_public_name_is_documented(site: Path) -> None:
    anchors = parsed(site / "reference" / "api.html").anchors
    for name, home in dice10k_math._HOME.items():
        assert f"dice10k_math.{home}.{name}" in anchors
