"""What keeps a page light."""

import json
from html.parser import HTMLParser

import imagesize
import pytest
from playwright.sync_api import expect

from scripts.address import address, site_address
from scripts.site import LANGUAGES, MOST, MOST_OF_ANOTHER, size
from tests.browser import SITE
from tests.web.test_pages import PAGES, WATCH

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


def test_no_script_holds_up_the_first_paint(tags):
    head = tags.found[: [tag for tag, _ in tags.found].index("body")]
    scripts = [attributes for tag, attributes in head if tag == "script"]
    assert not [script["src"] for script in scripts if "src" in script]
    sheets = [link["href"] for link in tags.of("link") if link.get("rel") == "stylesheet"]
    assert all("_static/" in sheet for sheet in sheets)
    assert len(sheets) <= 7


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


def test_the_whole_site_is_small():
    others = [size(SITE / language) for language in LANGUAGES]
    assert size(SITE) - sum(others) <= MOST
    assert max(others) <= MOST_OF_ANOTHER


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
#: What a widget shows only when its model is there; the heads keep their radios in a fold.
ALIVE = "input[type=radio]:visible, .mh-grid:visible"
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
        expect(place.locator(ALIVE).first).to_be_visible()
    else:
        assert page.evaluate(weights) == 0
    page.evaluate(WATCH, True)
    page.evaluate(SCROLL)
    place.scroll_into_view_if_needed()
    expect(place.locator(ALIVE).first).to_be_visible()  # hidden until its model is there
    page.wait_for_load_state("networkidle")
    assert page.evaluate(weights) >= 1
    assert page.evaluate("moved") <= 2
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
    expect(page.locator("article h1").first).to_be_visible()
    assert page.evaluate("getComputedStyle(document.querySelector('.main')).display") == "flex"
    place = page.locator(f"[data-widget={widget}]")
    place.scroll_into_view_if_needed()
    expect(place.locator(ALIVE).first).to_be_visible()  # hidden until its model is there
    assert page.evaluate("[...document.images].every((e) => !e.complete || e.naturalWidth > 0)")
    context.close()
