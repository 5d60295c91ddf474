"""What keeps a page light, and what the theme would undo with another version."""

import json
import re
from html.parser import HTMLParser

import imagesize
import pytest
from playwright.sync_api import expect

from scripts.address import address, site_address
from scripts.site import MOST, size
from tests.browser import SITE
from tests.web.test_pages import PAGES, SHIFT

STATIC = SITE / "_static"


class Tags(HTMLParser):
    """Lists the start tags of a page, with their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list) -> None:
        self.found.append((tag, dict(attrs)))

    def of(self, name: str) -> list[dict]:
        return [attributes for tag, attributes in self.found if tag == name]


@pytest.fixture(scope="module", params=[*PAGES, "search.html", "genindex.html"])
def tags(request):
    return Tags((SITE / request.param).read_text(encoding="utf-8"))


def test_one_style_sheet_and_nothing_else_holds_up_the_first_paint(tags):
    sheets = [link["href"] for link in tags.of("link") if link.get("rel") == "stylesheet"]
    assert len(sheets) == 1
    assert re.search(r"_static/site\.css\?v=[\da-f]{8}$", sheets[0])
    waits = [
        script["src"]
        for script in tags.of("script")
        if "src" in script and "defer" not in script and script.get("type") != "module"
    ]
    assert not waits
    assert not [link for link in tags.of("link") if link.get("rel") == "preload"]


def test_pictures_have_a_size(tags):
    for picture in tags.of("img"):
        assert int(picture["width"]) > 0
        assert int(picture["height"]) > 0
        assert picture["decoding"] == "async"


def test_the_head_says_what_the_page_is(tags):
    named = {meta.get("name") or meta.get("property"): meta["content"] for meta in tags.of("meta")
             if "content" in meta}  # fmt: skip
    assert len(named["description"]) > 10
    assert named["og:title"]
    assert named["og:description"]
    assert tags.of("html")[0]["lang"] == "en"
    if "og:image" in named:
        card = named["og:image"].removeprefix(f"{site_address(address())}/")
        assert imagesize.get(SITE / card) == (1200, 630)
    links = {link["rel"]: link["href"] for link in tags.of("link")}
    assert links["canonical"].startswith(f"{site_address(address())}/")
    assert links["manifest"].endswith("manifest.webmanifest")


def test_every_icon_is_drawn(tags):
    drawn = set(re.findall(r"\.(fa-[\w-]+)\{--icon", (STATIC / "site.css").read_text()))
    icons = [
        attributes["class"].split()
        for tag, attributes in tags.found
        if tag in ("i", "span") and re.search(r"\bfa[sb]?\b", attributes.get("class") or "")
    ]
    names = {name for icon in icons for name in icon if name.startswith("fa-")}
    assert names <= drawn | {"fa-solid", "fa-lg"}


@pytest.mark.parametrize("name", ["", "vendor", "mathjax", "locales", "styles", "basic.css"])
def test_what_nothing_asks_for_is_not_published(name):
    assert (STATIC / name).exists() == (not name)


def test_the_whole_site_is_small():
    assert size(SITE) <= MOST


def test_chapters_to_download_have_no_states_of_widgets():
    for path in (SITE / "_sources").glob("*.ipynb"):
        assert "widgets" not in json.loads(path.read_text(encoding="utf-8"))["metadata"]


def test_the_font_of_the_formulas_is_small():
    assert (STATIC / "math-font.woff2").stat().st_size < 100_000


def test_the_manifest_leads_to_the_book():
    manifest = json.loads((SITE / "manifest.webmanifest").read_text(encoding="utf-8"))
    assert (SITE / manifest["start_url"]).exists()
    assert all((SITE / icon["src"]).exists() for icon in manifest["icons"])


SCROLL = """async () => { // slowly, as one reads
  for (let top = 0; top < document.body.scrollHeight; top += 300) {
    scrollTo(0, top);
    await new Promise((go) => setTimeout(go, 60));
  }
}"""
LIVE = [("intro", "translator"), ("08_multi_head", "heads"), ("16_training", "timemachine")]


@pytest.mark.parametrize(("name", "widget"), LIVE)
def test_weights_come_when_their_widget_is_near_and_nothing_moves(browser, site, name, widget):
    page = browser.new_page(viewport={"width": 360, "height": 800}, service_workers="block")
    page.goto(f"{site}{name}.html")
    page.wait_for_function("performance.getEntriesByName('attnsteps:widgets-ready').length")
    weights = (
        "performance.getEntriesByType('resource').filter((e) => e.name.endsWith('.bin')).length"
    )
    place = page.locator(f"[data-widget={widget}]")
    if name == "intro":  # which opens with its translator, already near
        expect(place.get_by_role("radio").first).to_be_visible()
    else:
        assert page.evaluate(weights) == 0
    page.evaluate(SCROLL)
    place.scroll_into_view_if_needed()
    expect(place.get_by_role("radio").first).to_be_visible()  # hidden until its model is there
    page.wait_for_load_state("networkidle")
    assert page.evaluate(weights) >= 1
    held, shown = place.evaluate(
        "(e) => [parseFloat(getComputedStyle(e).minHeight), e.firstElementChild.clientHeight]"
    )
    place = f'book/assets/places.css: [data-widget="{widget}"] {{ min-height: {shown}px; }}'
    assert held <= shown + 20 <= 1.3 * held, f"at 360 pixels it is {shown} high: {place}"
    assert page.evaluate(SHIFT) <= 0.1
    page.close()


WAITING = ".attnsteps-widget:not([data-ready])"
MOVES = {
    "a key": lambda page: page.keyboard.press("Tab"),
    "printing": lambda page: page.evaluate("dispatchEvent(new Event('beforeprint'))"),
}


@pytest.mark.parametrize("move", MOVES)
def test_a_widget_far_from_the_screen_is_drawn_when_the_reader_moves(browser, site, move):
    page = browser.new_page(viewport={"width": 360, "height": 800}, service_workers="block")
    page.goto(f"{site}06_softmax.html")
    page.wait_for_function("performance.getEntriesByName('attnsteps:widgets-ready').length")
    waiting = page.locator(WAITING).count()
    assert waiting > 3
    page.locator(WAITING).first.scroll_into_view_if_needed()
    page.wait_for_function("(n) => document.querySelectorAll('[data-ready]').length >= n", arg=1)
    assert 0 < page.locator(WAITING).count() < waiting
    MOVES[move](page)
    expect(page.locator(WAITING)).to_have_count(0)
    page.close()


@pytest.mark.parametrize(("name", "widget"), LIVE[1:2])
def test_a_chapter_once_opened_opens_again_without_a_network(browser, site, name, widget):
    """With its pictures and its model, which are kept as soon as the reader has moved."""
    context = browser.new_context(service_workers="allow")
    page = context.new_page()
    address = f"{site}{name}.html"
    page.goto(address)
    page.mouse.wheel(0, 200)
    kept = """async (address) => {
      const files = performance.getEntriesByType("resource").map((entry) => entry.name);
      const pictures = [...document.images].map((picture) => picture.src);
      const states = document.querySelector('script[type$="widget-state+json"]').textContent;
      const weights = states.match(/widgets\\/weights-[\\da-f]+\\.bin/g)
        .map((name) => new URL(`_static/${name}`, address).href);
      const own = files.filter((file) => file.includes("_static"));
      const all = [address, ...own, ...pictures, ...weights];
      const found = await Promise.all(all.map((file) => caches.match(file)));
      return Boolean(navigator.serviceWorker.controller) && found.every(Boolean);
    }"""
    for _ in range(300):  # a promise is true to wait_for_function
        if page.evaluate(kept, address):
            break
        page.wait_for_timeout(200)
    context.set_offline(True)
    page.reload()
    expect(page.locator(".bd-article h1").first).to_be_visible()
    assert page.evaluate("getComputedStyle(document.querySelector('.bd-main')).display") == "flex"
    place = page.locator(f"[data-widget={widget}]")
    place.scroll_into_view_if_needed()
    expect(place.get_by_role("radio").first).to_be_visible()  # hidden until its model is there
    assert page.evaluate("[...document.images].every((e) => !e.complete || e.naturalWidth > 0)")
    context.close()
