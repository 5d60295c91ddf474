"""What the service worker keeps: each chapter once opened, whatever is published later."""

import functools
import http.server
import re
import threading
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser import SITE, QuietHandler
from tests.web.test_pages import CHAPTERS

# Not the next one, which Firefox fetches while the first is read.
CHAPTER, OTHER, LIVE = CHAPTERS[5], CHAPTERS[3], "16_training.html"
CONTROLLED = "() => Boolean(navigator.serviceWorker.controller)"
KEPT = "async (name) => Boolean(await (await caches.open('attnsteps')).match(name))"


class Publisher:
    """Serves the site; each edition has another worker, other pages and another style sheet."""

    def __init__(self) -> None:
        self.edition = b"1"
        publisher = self

        class Handler(QuietHandler):
            def do_GET(self) -> None:  # noqa: N802 (the name that http.server calls)
                path = Path(self.translate_path(self.path))
                if path.suffix == ".html":
                    style = b"book.css?v=0000000" + publisher.edition
                    body = re.sub(rb"book\.css\?v=[\da-f]{8}", style, path.read_bytes())
                    self.answer("text/html", body)
                elif path.name == "sw.js":
                    self.answer("text/javascript", path.read_bytes() + b"// " + publisher.edition)
                else:
                    super().do_GET()

            def answer(self, kind: str, body: bytes) -> None:
                self.send_response(200)
                self.send_header("Content-Type", f"{kind}; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        handler = functools.partial(Handler, directory=str(SITE))
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def style(self) -> str:
        return f"{self.address}_static/book.css?v=0000000{self.edition.decode()}"


@pytest.fixture(scope="module")
def publisher():
    publisher = Publisher()
    yield publisher
    publisher.server.shutdown()
    publisher.server.server_close()


@pytest.fixture
def page(browser, publisher):
    publisher.edition = b"1"
    context = browser.new_context(service_workers="allow")
    yield context.new_page()
    context.close()


def wait_until(page: Page, question: str, *arguments: object) -> None:
    """Ask until the answer is yes: a promise itself is true to ``wait_for_function``."""
    for _ in range(200):
        if page.evaluate(question, *arguments):
            return
        page.wait_for_timeout(100)
    pytest.fail(f"not within 20 s: {question}")


def read(page: Page, publisher: Publisher, name: str) -> None:
    """Open a chapter, and stay until it is kept."""
    page.goto(f"{publisher.address}{name}")
    wait_until(page, CONTROLLED)
    wait_until(page, KEPT, f"{publisher.address}{name}")
    wait_until(page, KEPT, publisher.style())


def test_a_new_edition_leaves_what_was_kept(page, publisher):
    read(page, publisher, CHAPTER)
    publisher.edition = b"2"
    read(page, publisher, OTHER)
    page.wait_for_timeout(1000)  # for a worker that would throw things away
    page.context.set_offline(True)
    page.goto(f"{publisher.address}{CHAPTER}")
    expect(page.locator("article h1").first).to_be_visible()
    sheets = "[...document.styleSheets].every((sheet) => sheet.cssRules.length)"
    assert page.evaluate(sheets)


def test_a_page_that_nobody_has_opened_is_not_kept(page, publisher):
    """Firefox fetches the next chapter ahead, first around the worker and later through it."""
    read(page, publisher, CHAPTER)
    page.reload()
    page.wait_for_timeout(3000)
    kept = "async () => (await (await caches.open('attnsteps')).keys()).map(({ url }) => url)"
    pages = [url for url in page.evaluate(kept) if url.endswith(".html")]
    assert pages == [f"{publisher.address}{CHAPTER}"]


def test_what_no_kept_page_names_any_more_is_dropped(page, publisher):
    read(page, publisher, CHAPTER)
    old = publisher.style()
    publisher.edition = b"2"
    read(page, publisher, OTHER)
    assert page.evaluate(KEPT, old)  # the first chapter is still of the old edition
    read(page, publisher, CHAPTER)
    page.reload()  # a page tells the worker what it has loaded, and the worker tidies up
    wait_until(page, f"async (name) => !(await ({KEPT})(name))", old)


def test_caches_of_other_projects_stay(page, publisher):
    page.goto(publisher.address + "search.html")
    page.evaluate("caches.open('another-project')")
    page.evaluate("caches.open('attnsteps-0123456789ab')")
    read(page, publisher, CHAPTER)
    wait_until(page, "async () => !(await caches.has('attnsteps-0123456789ab'))")
    assert page.evaluate("caches.has('another-project')")


def test_an_untouched_page_loads_no_weights(page, publisher):
    loaded = []
    page.on("request", lambda request: loaded.append(request.url))
    read(page, publisher, LIVE)
    page.wait_for_timeout(4000)
    assert not [url for url in loaded if url.endswith(".bin")]


EVERYDAY = re.compile(r"widgets/everyday-[\da-f]+\.bin$")


def bring_everyday(page: Page) -> None:
    page.get_by_role("button", name="Any sentence: load the everyday model").click()
    expect(page.get_by_role("button", name="Back to the small model")).to_be_visible()


@pytest.mark.parametrize("is_early", [True, False])
def test_the_second_model_is_fetched_once_and_then_there_offline(page, publisher, is_early):
    loaded = []
    page.on("request", lambda request: EVERYDAY.search(request.url) and loaded.append(request.url))
    if is_early:  # before there is a worker that could keep it
        page.goto(f"{publisher.address}intro.html")
        bring_everyday(page)
        wait_until(page, KEPT, loaded[0])  # whoever leaves at once has nothing kept
    read(page, publisher, "intro.html")
    page.keyboard.press("Shift")
    page.wait_for_timeout(3000)  # in which all else that the page names is kept
    if not is_early:
        assert loaded == []
        bring_everyday(page)
    wait_until(page, KEPT, loaded[0])
    page.context.set_offline(True)
    page.reload()
    page.locator("[data-widget=translator]").scroll_into_view_if_needed()
    bring_everyday(page)
