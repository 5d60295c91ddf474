"""What keeps a page light, and what the theme would undo with another version."""

import gzip
import json
import re
from html.parser import HTMLParser

import pytest
from playwright.sync_api import expect

from tests.browser import SITE
from tests.web.test_pages import PAGES

BUDGET = 350_000  # bytes, gzipped, of a page without what its widgets fetch
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
    links = {link["rel"]: link["href"] for link in tags.of("link")}
    assert links["canonical"].startswith("https://")
    assert links["manifest"].endswith("manifest.webmanifest")


def test_every_icon_is_drawn(tags):
    drawn = set(re.findall(r"\.(fa-[\w-]+) \{ --icon", (STATIC / "site.css").read_text()))
    icons = [
        attributes["class"].split()
        for tag, attributes in tags.found
        if tag in ("i", "span") and re.search(r"\bfa[sb]?\b", attributes.get("class") or "")
    ]
    names = {name for icon in icons for name in icon if name.startswith("fa-")}
    assert names <= drawn | {"fa-solid", "fa-lg"}


@pytest.mark.parametrize("name", ["", "vendor", "mathjax", "locales"])
def test_what_nothing_asks_for_is_not_published(name):
    assert (STATIC / name).exists() == (not name)


@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_within_its_budget(path):
    """Counts what the page names: pictures further down, and what widgets fetch, come later."""
    text = (SITE / path).read_text(encoding="utf-8")
    tags = Tags(text)
    pictures = [p["src"] for p in tags.of("img") if p.get("loading") != "lazy"]
    names = pictures + [s["src"] for s in tags.of("script") if "src" in s]
    names += [li["href"] for li in tags.of("link") if li["rel"] in ("stylesheet", "icon")]
    folder = (SITE / path).parent
    files = {(folder / name.partition("?")[0]).resolve() for name in names}
    files |= {STATIC / "math-font.woff2", SITE / path}
    assert sum(len(gzip.compress(file.read_bytes())) for file in files) <= BUDGET


def test_the_font_of_the_formulas_is_small():
    assert (STATIC / "math-font.woff2").stat().st_size < 100_000


def test_the_manifest_leads_to_the_book():
    manifest = json.loads((SITE / "manifest.webmanifest").read_text(encoding="utf-8"))
    assert (SITE / manifest["start_url"]).exists()
    assert all((SITE / icon["src"]).exists() for icon in manifest["icons"])


def test_a_chapter_once_opened_opens_again_without_a_network(browser, site):
    context = browser.new_context(service_workers="allow")
    page = context.new_page()
    address = f"{site}04_query_key_value.html"
    page.goto(address)
    kept = """async (address) => {
      const files = performance.getEntriesByType("resource").map((entry) => entry.name);
      const pictures = [...document.images].map((picture) => picture.src);
      const all = [address, ...files.filter((name) => name.includes("_static")), ...pictures];
      const found = await Promise.all(all.map((name) => caches.match(name)));
      return Boolean(navigator.serviceWorker.controller) && found.every(Boolean);
    }"""
    for _ in range(300):  # a promise is true to wait_for_function
        if page.evaluate(kept, address):
            break
        page.wait_for_timeout(200)
    context.set_offline(True)
    page.reload()
    expect(page.locator(".bd-article h1").first).to_be_visible()
    expect(page.locator(".attnsteps-widget[data-ready]").first).to_be_visible()
    assert page.evaluate("getComputedStyle(document.querySelector('.bd-main')).display") == "flex"
    context.close()
