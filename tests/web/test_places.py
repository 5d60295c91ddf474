"""Where widgets are drawn: nothing that a reader looks at moves when one comes, under any font."""

import contextlib
import os

import pytest
from playwright.sync_api import Error, expect

from tests.browser import is_chromium
from tests.fonts import FOREIGN, SETS, missing
from tests.web.test_offline import wait_until
from tests.web.test_pages import CHAPTERS, WATCH

READY = "performance.getEntriesByName('attnsteps:widgets-ready').length > 0"
SLOW = 3000  # milliseconds until a widget's script is there
MODULE = "**/_static/widgets/*.js"
PHONE = {"width": 360, "height": 800}
# Where an element is, and where the browser itself would bring it now that all widgets are drawn.
ASIDE = """(id) => {
  const element = document.getElementById(id);
  const found = element.getBoundingClientRect().top;
  const before = scrollY;
  element.scrollIntoView({ behavior: 'instant' });
  const right = element.getBoundingClientRect().top;
  scrollTo({ top: before, behavior: 'instant' });
  return found - right;
}"""


@pytest.fixture
def fresh(browser):
    """Open pages that keep nothing from other tests, on a phone or a desk."""
    contexts = []

    def open_(*, phone: bool = False, **options: object):
        size = PHONE if phone else {"width": 1280, "height": 900}
        context = browser.new_context(viewport=size, service_workers="block", **options)
        contexts.append(context)
        return context.new_page()

    yield open_
    for context in contexts:
        context.close()


def slow(page):
    """Let widgets come late, one after the other."""

    def wait(route):
        page.wait_for_timeout(SLOW)
        route.continue_()

    page.route(MODULE, wait)


def go_back(page, address):
    """Go back. Playwright isn't told when Firefox does: what waits for a page waits for good."""
    if is_chromium(page):
        page.go_back()
        return
    page.evaluate("setTimeout(() => history.back())")
    for _ in range(100):
        with contextlib.suppress(Error):  # of a question to a page that is being left
            if page.evaluate("location.href") == address:
                return
        page.wait_for_timeout(100)
    pytest.fail(f"{page.url} isn't left within 10 s")


def last_heading(page):
    """The identifier of the last section that the page's own contents lead to."""
    return page.locator("article section[id]").last.get_attribute("id")


@pytest.mark.parametrize(
    "phone", [pytest.param(False, marks=pytest.mark.elsewhere), True], ids=["desk", "phone"]
)
@pytest.mark.parametrize("name", [*CHAPTERS[3:16:4], "intro.html"])
def test_a_link_to_a_heading_leads_there_and_nothing_moves(fresh, site, name, phone):
    page = fresh(phone=phone)
    page.goto(f"{site}{name}")
    heading = last_heading(page)
    page.goto("about:blank")
    page.goto(f"{site}{name}#{heading}")
    page.wait_for_function(READY)
    expect(page.locator("article h1").first).to_be_visible()
    page.evaluate(WATCH, False)
    page.wait_for_load_state("networkidle")
    assert page.evaluate("moved") <= 2
    assert abs(page.evaluate(ASIDE, heading)) <= 5


@pytest.mark.parametrize("name", CHAPTERS[3:16:4])
def test_a_click_in_the_contents_leads_there(fresh, site, name):
    """At once, before all widgets are drawn; they come above the heading while it is read."""
    page = fresh()
    page.goto(f"{site}{name}", wait_until="domcontentloaded")
    heading = last_heading(page)
    page.evaluate("(id) => document.querySelector(`a[href='#${id}']`).click()", heading)
    page.wait_for_function(READY)
    page.wait_for_timeout(300)
    assert abs(page.evaluate(ASIDE, heading)) <= 5
    page.locator(f"a[href='#{heading}']").first.evaluate("(a) => a.click()")
    page.wait_for_timeout(300)
    assert abs(page.evaluate(ASIDE, heading)) <= 5


@pytest.mark.parametrize("phone", [False, True], ids=["desk", "phone"])
def test_the_back_button_leads_back(fresh, site, phone):
    page = fresh(phone=phone)
    page.goto(f"{site}{CHAPTERS[7]}")
    page.wait_for_function(READY)
    section = "document.querySelectorAll('article section section[id]')[4]"
    where = f"{section}.getBoundingClientRect().top"
    page.evaluate(f"{section}.scrollIntoView(); scrollBy({{ top: 150, behavior: 'instant' }})")
    before = page.evaluate(where)
    page.goto(f"{site}{CHAPTERS[8]}")
    go_back(page, f"{site}{CHAPTERS[7]}")
    title = "getComputedStyle(document.querySelector('article h1')).visibility === 'visible'"
    wait_until(page, f"{READY} && {title}")
    assert page.evaluate(where) == pytest.approx(before, abs=2)


MOVES = {
    "by hand": lambda page: (
        page.mouse.move(page.viewport_size["width"] // 2, 400),
        page.mouse.wheel(0, 5000),
    ),
    "by the keyboard": lambda page: page.keyboard.press("End"),
    "backwards": lambda page: (page.keyboard.press("End"), page.keyboard.press("PageUp")),
}


@pytest.mark.parametrize("move", MOVES)
@pytest.mark.parametrize(
    "phone", [pytest.param(False, marks=pytest.mark.elsewhere), True], ids=["desk", "phone"]
)
def test_a_widget_that_comes_late_moves_nothing(fresh, site, move, phone):
    page = fresh(phone=phone)
    slow(page)
    page.goto(f"{site}{CHAPTERS[5]}", wait_until="domcontentloaded")
    MOVES[move](page)
    page.wait_for_function("scrollY > 0")
    page.wait_for_timeout(300)
    page.evaluate(WATCH, False)
    assert not page.evaluate(READY)
    page.wait_for_function(READY)
    page.wait_for_timeout(300)
    assert page.evaluate("moved") <= 2


def test_a_heading_stays_where_it_is_while_widgets_above_it_come(fresh, site):
    page = fresh(phone=True)
    slow(page)
    page.goto(f"{site}{CHAPTERS[5]}", wait_until="domcontentloaded")
    last = page.locator("article section[id]").last
    last.evaluate("(e) => e.scrollIntoView({ behavior: 'instant' })")
    before = last.evaluate("(e) => e.getBoundingClientRect().top")
    page.wait_for_function(READY)
    page.wait_for_timeout(300)
    assert last.evaluate("(e) => e.getBoundingClientRect().top") == pytest.approx(before, abs=2)


def test_a_page_shows_itself_if_its_widgets_cannot_come(fresh, site):
    page = fresh()
    page.route("**/mount.js*", lambda route: route.abort())
    page.goto(f"{site}{CHAPTERS[5]}#exercises")
    expect(page.locator("article h1").first).to_be_visible(timeout=5000)


@pytest.mark.parametrize("family", ["sans", "mono"])
def test_phones_have_the_foreign_fonts(phones, family):
    """So all that test_pages.py asks of a phone holds with fonts that may be foreign here."""
    if phones.browser_type.name != "chromium":
        pytest.skip("only Chromium tells which fonts it takes")
    name = os.environ.get("ATTNSTEPS_FONTS") or FOREIGN
    if lack := missing(name):
        pytest.skip(f"the fonts {name!r} can't be played: {lack}")
    page = phones.new_page()
    page.set_content("<p style='font-family: sans-serif'>a</p><code>a</code>")
    tools = page.context.new_cdp_session(page)
    root = tools.send("DOM.getDocument")["root"]["nodeId"]
    choice = {"nodeId": root, "selector": {"sans": "p", "mono": "code"}[family]}
    tools.send("DOM.enable")
    tools.send("CSS.enable")
    node = tools.send("DOM.querySelector", choice)["nodeId"]
    (font,) = tools.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"]
    page.context.close()
    assert font["familyName"] == getattr(SETS[name], family)
