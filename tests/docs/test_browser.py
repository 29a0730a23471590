"""The site in a browser, on a desk and on a phone: start page, a page of a game, search.

Needs Chromium with its driver (Debian: chromium, chromium-driver); skipped where they are not.
`DICE10K_SCREENSHOTS=DIR` keeps pictures of what was seen.
"""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
DRIVER = shutil.which("chromedriver")
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None or DRIVER is None, reason="no Chromium with its driver"),
    # Selenium leaves the closing of its connection to the interpreter.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)
SIZES = {"desk": (1280, 900), "phone": (390, 844)}
PATIENCE = 30
"""Seconds until something that should appear is missing; a machine may be busy."""


class Quiet(SimpleHTTPRequestHandler):
    """Serves files without telling of it."""

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - as the base class calls it
        pass


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@dataclass
class Browser:
    """A browser window of one size, looking at the site."""

    driver: Any
    address: str
    size: str

    def open(self, page: str) -> None:
        self.driver.get(f"{self.address}/{page}")

    def script(self, code: str) -> Any:
        return self.driver.execute_script(f"return {code}")

    def find(self, selector: str) -> Any:
        return self.driver.find_element("css selector", selector)

    def wait(self, code: str) -> None:
        from selenium.webdriver.support.ui import WebDriverWait

        WebDriverWait(self.driver, PATIENCE).until(lambda _driver: self.script(code), f"never true: {code}")

    def picture(self, name: str) -> None:
        if folder := os.environ.get("DICE10K_SCREENSHOTS"):
            self.driver.save_screenshot(str(Path(folder) / f"{name}-{self.size}.png"))

    def fits(self) -> bool:
        """Tell whether the page is no wider than the window."""
        return bool(self.script("document.documentElement.scrollWidth <= window.innerWidth"))


@pytest.fixture(scope="module", params=SIZES)
def browser(
    request: pytest.FixtureRequest, address: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Browser]:
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM or ""
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    width, height = SIZES[request.param]
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    # A window cannot be made as narrow as a phone, a device can.
    phone = request.param == "phone"
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": phone}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    yield Browser(driver, address, request.param)
    driver.quit()


def test_the_start_page_leads_on(browser: Browser) -> None:
    browser.open("index.html")
    browser.picture("start")
    assert browser.fits()
    assert "dice10k_math" in browser.find("h1").text
    link = browser.find("article a[href='how-to/best-play.html']")
    browser.driver.execute_script("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", link)
    link.click()
    browser.wait("location.pathname.endsWith('/how-to/best-play.html')")
    assert browser.find("h1").text.startswith("Find the best play")
    browser.picture("best-play")
    assert browser.fits()


def test_a_page_with_wide_tables_fits(browser: Browser) -> None:
    for page in ("rules/dice10k.html", "reference/rules-file.html", "reference/api.html", "results/comparison.html"):
        browser.open(page)
        browser.picture(page.split("/")[1].removesuffix(".html"))
        assert browser.fits(), page


def test_a_page_of_results_shows_its_pictures(browser: Browser) -> None:
    browser.open("results/farkle.html")
    browser.wait("document.readyState === 'complete'")
    shown = browser.script("[...document.querySelectorAll('article img')].map((img) => img.naturalWidth)")
    assert shown
    assert all(shown)
    browser.picture("results")
    assert browser.fits()


def test_search_finds_a_page(browser: Browser) -> None:
    browser.open("index.html")
    if browser.size == "phone":
        browser.find("label.nav-overlay-icon[for='__navigation']").click()
        browser.wait("document.querySelector('.sidebar-drawer').getBoundingClientRect().left >= 0")
        browser.picture("menu")
    field = browser.find("input.sidebar-search")
    field.send_keys("hot dice")
    field.submit()
    browser.wait("document.querySelectorAll('ul.search li a').length > 0")
    browser.wait("/found|matching/.test(document.querySelector('.search-summary').textContent)")
    browser.picture("search")
    assert browser.fits()
    links = [link.get_attribute("href") for link in browser.driver.find_elements("css selector", "ul.search li a")]
    assert any("reference/glossary.html" in link for link in links)


def test_search_finds_the_answer_to_a_question_of_a_player(browser: Browser) -> None:
    browser.open("search.html?q=best+play")
    browser.wait("/found|matching/.test(document.querySelector('.search-summary').textContent)")
    links = [link.get_attribute("href") for link in browser.driver.find_elements("css selector", "ul.search li a")]
    assert any("how-to/best-play.html" in link for link in links[:3])


def test_dark_mode_is_dark(browser: Browser) -> None:
    browser.open("index.html")
    shade = "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number)"
    browser.script("document.body.dataset.theme = 'light'")
    light = browser.script(shade)
    buttons = [
        button
        for button in browser.driver.find_elements("css selector", "button.theme-toggle")
        if button.is_displayed()
    ]
    for _ in range(3):
        buttons[0].click()
        if browser.script("document.body.dataset.theme") == "dark":
            break
    browser.picture("dark")
    assert max(browser.script(shade)) < 64
    assert min(light) > 192


def test_nothing_was_asked_of_another_host(browser: Browser) -> None:
    browser.open("search.html?q=bust")
    browser.wait("document.querySelectorAll('ul.search li a').length > 0")
    asked = browser.script("performance.getEntriesByType('resource').map((entry) => entry.name)")
    assert asked
    assert all(name.startswith(browser.address) for name in asked)
