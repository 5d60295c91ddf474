"""Fixtures that open pages in a real headless Chromium; a plugin that pyproject.toml names."""

import collections
import functools
import http.server
import os
import re
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    BrowserType,
    ConsoleMessage,
    Locator,
    Page,
    Request,
    expect,
    sync_playwright,
)

from tests.fonts import FOREIGN, environment, missing

ROOT = Path(__file__).resolve().parent.parent
SITE = Path(os.environ.get("ATTNSTEPS_SITE", ROOT / "_build" / "html"))
JS = ROOT / "src" / "attnsteps" / "widgets" / "js"
NAMES = (
    "chromium-headless-shell",  # no window to draw: half of the processor time of the others
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"),
)
MAC = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
# Code, drawings and formulas: most of a visit's time goes into them.
STILL = re.compile(
    rb'<div class="highlight"><pre>.*?</pre></div>|<svg class="(?:wide|tall)".*?</svg>'
    rb"|<math\b.*?</math>",
    re.DOTALL,
)
COME_BY = """async () => { // models are loaded when their widget comes near the screen
  const frame = () => new Promise((go) => requestAnimationFrame(go));
  for (const place of document.querySelectorAll(".attnsteps-widget:has(.tr)")) {
    place.scrollIntoView();
    for (let n = 0; n < 3; n++) await frame(); // who waits to be near is told after the first
  }
  scrollTo(0, 0);
}"""
# Where an element of an svg lies. Its getBoundingClientRect takes in the outline in Firefox alone.
BOX = """const box = (e) => {
  const { x, y, width, height } = e.getBBox();
  const here = e.getScreenCTM();
  const corners = [x, x + width].flatMap((across) => [y, y + height].map((down) =>
    new DOMPoint(across, down).matrixTransform(here)));
  const [xs, ys] = ["x", "y"].map((axis) => corners.map((corner) => corner[axis]));
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  return new DOMRect(left, top, Math.max(...xs) - left, Math.max(...ys) - top);
};"""
PHONE_AT_MOST = 600  # pixels across
PHONE = {"width": 360, "color_scheme": "dark", "reduced_motion": "reduce"}
PATIENCE = 60_000  # milliseconds of waiting for what must come: other programs may be busy
expect.set_options(timeout=PATIENCE)
LAUNCH = ["--disable-gpu", "--disable-background-networking", "--disable-smooth-scrolling"]
if hasattr(os, "geteuid") and os.geteuid() == 0:
    LAUNCH.append("--no-sandbox")  # Chromium's sandbox refuses to run as root


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    """Serves files without a line of log for each, over connections that stay open."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *args: object) -> None:
        pass


class BareHandler(QuietHandler):
    """Leaves out what tests of widgets don't look at."""

    def do_GET(self) -> None:
        if (path := Path(self.translate_path(self.path))).suffix == ".html" and path.exists():
            self._send("text/html; charset=utf-8", STILL.sub(b"", path.read_bytes()))
        else:
            super().do_GET()

    def _send(self, kind: str, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def serve(folder: Path, handler: type = QuietHandler) -> Iterator[str]:
    """Serve a folder on a free port of this machine; yield its address with a slash at the end."""
    handler = functools.partial(handler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


def find_browser() -> str | None:
    """Return the path of the system's Chromium or Chrome, or None."""
    return next(filter(None, map(shutil.which, NAMES)), MAC if Path(MAC).exists() else None)


def installed() -> bool:
    """Say whether there is a browser to test in: the system's, or one that Playwright brought."""
    with sync_playwright() as playwright:
        return bool(find_browser()) or Path(playwright.chromium.executable_path).exists()


class Firefox:
    """Debian's firefox-esr as Playwright's ``Browser``.

    It speaks WebDriver BiDi, by which no page can be told a colour scheme, whether to move or that
    bars for scrolling lie over it, as they do on a phone: each choice has a Firefox of its own,
    started when it is first asked for.
    """

    def __init__(self, kind: BrowserType, environment: dict[str, str]) -> None:
        self.browser_type = kind
        self.environment = environment
        self.started: dict[tuple[bool, bool, bool], Browser] = {}

    def new_context(
        self,
        *,
        color_scheme: str = "light",
        reduced_motion: str = "no-preference",
        service_workers: str = "allow",
        **options: object,
    ) -> BrowserContext:
        is_phone = options.get("viewport", {}).get("width", 1280) <= PHONE_AT_MOST
        choice = color_scheme == "dark", reduced_motion == "reduce", is_phone
        if choice not in self.started:
            names = "systemUsesDarkTheme", "prefersReducedMotion", "useOverlayScrollbars"
            preferences = {
                f"ui.{name}": int(is_so) for name, is_so in zip(names, choice, strict=True)
            }
            self.started[choice] = self.browser_type.launch(
                channel="moz-firefox",
                executable_path=find_firefox(),
                firefox_user_prefs=preferences,
                env=self.environment,
            )
        untold = dict.fromkeys(("color_scheme", "reduced_motion", "forced_colors"), "null")
        context = self.started[choice].new_context(**untold, **options)
        if service_workers == "block":
            context.add_init_script("delete Navigator.prototype.serviceWorker")
        return context

    def new_page(self, **options: object) -> Page:
        return self.new_context(**options).new_page()

    def close(self) -> None:
        for browser in self.started.values():
            browser.close()


def find_firefox() -> str | None:
    """Return the path of the system's Firefox, or None."""
    return shutil.which("firefox-esr") or shutil.which("firefox")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--all", action="store_true", help="run what is marked elsewhere, too")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what only `make elsewhere` runs: the same again on more pages, or more often."""
    if not config.option.all:
        left = [item for item in items if item.get_closest_marker("elsewhere")]
        items[:] = [item for item in items if not item.get_closest_marker("elsewhere")]
        config.hook.pytest_deselected(items=left)


@pytest.fixture(scope="session")
def start_browser(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Callable[[str], Browser | Firefox]]:
    """Start the browser that ``ATTNSTEPS_BROWSER`` names: chromium, firefox or webkit.

    ``start_browser("narrow")`` returns one that has the fonts of that set alone (tests/fonts.py),
    ``start_browser("")`` one that has the machine's own.
    """
    started = []
    with sync_playwright() as playwright:

        def start(fonts: str) -> Browser | Firefox:
            if fonts and (lack := missing(fonts)):
                pytest.skip(f"the fonts {fonts!r} can't be played: {lack}")
            folder = tmp_path_factory.mktemp("fonts")
            seen = environment(fonts, folder) if fonts else dict(os.environ)
            match os.environ.get("ATTNSTEPS_BROWSER", "chromium"):
                case "chromium":
                    path, chromium = find_browser(), playwright.chromium
                    browser = chromium.launch(executable_path=path, args=LAUNCH, env=seen)
                case "firefox":
                    browser = Firefox(playwright.firefox, seen)
                case "webkit":
                    browser = playwright.webkit.launch()
                case other:
                    need = "ATTNSTEPS_BROWSER must be chromium, firefox or webkit"
                    raise ValueError(f"{need}; got {other!r}")
            started.append(browser)
            return browser

        yield start
        for each in started:
            each.close()


@pytest.fixture(scope="session")
def browser(start_browser: Callable[[str], Browser | Firefox]) -> Browser | Firefox:
    """A browser; with ``ATTNSTEPS_FONTS`` one that has no other fonts than that set's."""
    return start_browser(os.environ.get("ATTNSTEPS_FONTS", ""))


@pytest.fixture(scope="session")
def phones(
    browser: Browser | Firefox, start_browser: Callable[[str], Browser | Firefox]
) -> Browser | Firefox:
    """The browser of readers on a phone: it has the foreign fonts, unless others are asked for."""
    is_asked = os.environ.get("ATTNSTEPS_FONTS")
    return browser if is_asked or missing(FOREIGN) else start_browser(FOREIGN)


@pytest.fixture(scope="session")
def site() -> Iterator[str]:
    """The address of the built site, served from ``_build/html``."""
    if not (SITE / "intro.html").exists():
        pytest.fail("the site is not built: run `make site`, or `make test`, which does so first")
    yield from serve(SITE)


@pytest.fixture(scope="session")
def bare_site(site: str) -> Iterator[str]:
    """The address of the same site without code, drawings and formulas."""
    yield from serve(SITE, BareHandler)


@pytest.fixture(scope="session")
def maths_page(browser: Browser) -> Iterator[tuple[Page, str]]:
    """A page that can import the widgets' JavaScript modules, and the address they are under."""
    for base in serve(JS):
        page = browser.new_page()
        page.goto(f"{base}maths/")  # any page of the same origin will do
        yield page, base
        page.close()


def bring_to_life(page: Page) -> None:
    """Draw every widget of a page, as printing does: without that, those far away wait."""
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(page.locator(".attnsteps-widget:not([data-ready])")).to_have_count(0)


def is_chromium(page: Page) -> bool:
    """Say whether a page is open in Chromium, whose driver can do all that tests ask for."""
    return page.context.browser.browser_type.name == "chromium"


def needs_media(page: Page) -> None:
    """Skip a test that changes what a page is told of the paper, the colours or the motion."""
    if not is_chromium(page):
        pytest.skip("WebDriver BiDi, by which Firefox is driven, changes no media of an open page")


def needs_finger(page: Page) -> None:
    """Skip a test of something that a finger does and a mouse doesn't."""
    if not is_chromium(page):
        pytest.skip("by WebDriver BiDi Playwright touches nothing in Firefox")


def touch(place: Locator) -> None:
    """Touch something. In Firefox Playwright has no finger: there it is clicked on."""
    place.tap() if is_chromium(place.page) else place.click()


class Tab:
    """A page that keeps a list of everything that goes wrong on it, for one visit after the other.

    A new one costs as much time as it takes to load a chapter.
    """

    def __init__(
        self,
        browser: Browser,
        *,
        width: int = 1280,
        color_scheme: str = "light",
        reduced_motion: str = "no-preference",
        **options: object,
    ) -> None:
        self.viewport = {"width": width, "height": 900}
        self.media = {"color_scheme": color_scheme, "reduced_motion": reduced_motion}
        options = {"service_workers": "block", **options}
        self.page = browser.new_context(viewport=self.viewport, **self.media, **options).new_page()
        self.page.set_default_timeout(PATIENCE)
        self.page.on("pageerror", lambda error: self._note(str(error)))
        self.page.on("console", self._hear)
        self.page.on("request", self._watch)
        self.problems: list[str] = []

    def _hear(self, message: ConsoleMessage) -> None:
        if "ERR_INTERNET_DISCONNECTED" in message.text and "favicon" in message.location["url"]:
            return  # the browser itself asks for the icon, whenever it likes: offline, too
        if "was preloaded using link preload but not used within a few seconds" in message.text:
            return  # the machine was busy
        if "Service Worker registration blocked by Playwright" in message.text:
            return  # what a tab keeps would hide what a test changes; test_light.py lets it in
        if message.type in ("error", "warning"):
            self._note(f"{message.type}: {message.text} {message.location['url']}")

    def _note(self, problem: str) -> None:
        if "Incorrect number of children for <" in problem:
            return  # Firefox: of a formula only the beginning had come; test_pages.py counts them
        self.problems.append(problem)

    def _watch(self, request: Request) -> None:
        if not request.url.startswith(("http://127.0.0.1:", "data:", "blob:")):
            self.problems.append(f"foreign request: {request.url}")

    def visit(self, address: str) -> Page:
        """Load an address, and wait for its widgets."""
        self.page.bring_to_front()  # in Firefox one window alone has the keyboard
        self.page.goto(address)
        self.page.wait_for_function(
            "performance.getEntriesByName('attnsteps:widgets-ready').length > 0"
            " || !document.querySelector('script[type$=\"widget-view+json\"]')"
        )
        bring_to_life(self.page)
        return self.page

    def leave(self) -> list[str]:
        """Undo what a test may have done to the tab; return all that went wrong on it."""
        self.page.context.set_offline(False)
        self.page.unroute_all()
        self.page.set_viewport_size(self.viewport)
        if is_chromium(self.page):
            self.page.emulate_media(**self.media)  # a Firefox has one for good
        self.page.mouse.move(0, 0)
        self.page.evaluate("localStorage.clear(); sessionStorage.clear()")
        problems, self.problems = self.problems, []
        self.page.goto("about:blank")
        self.problems.clear()  # Firefox calls a request that leaving has cut off an error
        return problems

    def close(self) -> None:
        self.page.context.close()


@pytest.fixture(scope="session")
def free_tabs(browser: Browser) -> dict[tuple, list[Tab]]:
    """The tabs that no test uses now, by their options."""
    return collections.defaultdict(list)


@pytest.fixture
def open_page(browser: Browser, bare_site: str, free_tabs: dict) -> Iterator[Callable[..., Page]]:
    """Open a page of the site anew; at the end of the test nothing may have gone wrong on it.

    ``open_page("06_softmax.html", width=360, color_scheme="dark", reduced_motion="reduce")``
    returns a Playwright page on which every widget is ready, without code, drawings and formulas.
    """
    opened: list[tuple[Tab, list[Tab]]] = []

    def open_(path: str, **options: object) -> Page:
        free = free_tabs[tuple(sorted(options.items()))]
        tab = free.pop() if free else Tab(browser, **options)
        opened.append((tab, free))
        page = tab.visit(f"{bare_site}{path}")
        page.evaluate(COME_BY)
        return page

    yield open_
    problems = []
    for tab, free in opened:
        problems += tab.leave()
        free.append(tab)
    assert not problems, problems


@pytest.fixture(scope="module")
def look_at(
    browser: Browser, phones: Browser, site: str
) -> Iterator[Callable[..., tuple[Page, list[str]]]]:
    """Open a page once for all tests that only look at it; returns the page and its problems.

    A page is kept twice, on a desk and on a phone, until another is asked for: tests of the same
    page should follow each other. The phone's reader likes it dark and without motion, and has
    other fonts.
    """
    tabs = {False: Tab(browser), True: Tab(phones, **PHONE)}
    kept: dict[bool, str] = {}

    def look(path: str, *, phone: bool = False) -> tuple[Page, list[str]]:
        tab = tabs[phone]
        if kept.get(phone) != path:
            if phone in kept:
                tab.leave()
            tab.visit(f"{site}{path}")
            kept[phone] = path
        return tab.page, tab.problems

    yield look
    for tab in tabs.values():
        tab.close()
