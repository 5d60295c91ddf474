"""What the theme brings, and what the book adds to it: colours, contents, links, search."""

import pytest
from playwright.sync_api import expect

from scripts.address import address
from tests.browser import SITE, needs_media

CHAPTER = "04_query_key_value.html"
THEMES = "[document.body.dataset.theme, document.documentElement.dataset.theme]"
PHONE = {"width": 360, "reduced_motion": "reduce"}
SLIDING = "getComputedStyle(document.querySelector('.toc-drawer')).transitionDuration"


# ── Light and dark ───────────────────────────────────────────────────────────────────────────────


def test_drawings_follow_what_the_reader_chooses_and_the_choice_is_kept(open_page):
    page = open_page(CHAPTER, color_scheme="dark")
    toggle = page.locator(".theme-toggle:visible")
    assert page.evaluate(THEMES) == ["auto", "dark"]
    seen = []
    for _ in range(3):
        toggle.click()
        seen.append(page.evaluate(THEMES))
    assert sorted(seen) == [["auto", "dark"], ["dark", "dark"], ["light", "light"]]
    while page.evaluate(THEMES)[0] != "light":
        toggle.click()
    page.reload()
    assert page.evaluate(THEMES) == ["light", "light"]


def test_drawings_follow_the_system_while_the_page_is_open(open_page):
    page = open_page(CHAPTER)
    assert page.evaluate(THEMES) == ["auto", "light"]
    needs_media(page)
    page.emulate_media(color_scheme="dark")
    page.wait_for_function("document.documentElement.dataset.theme === 'dark'")


def test_what_is_printed_is_dark_on_white(open_page):
    page = open_page(CHAPTER, color_scheme="dark")
    needs_media(page)
    page.emulate_media(media="print")
    page.wait_for_function("document.documentElement.dataset.theme === 'light'")
    ink = "(e) => getComputedStyle(e).color.match(/\\d+/g).map(Number)"
    for text in (page.locator("article p").first, page.locator(".aw p").first):
        assert max(text.evaluate(ink)) < 100
    expect(page.locator(".sidebar-drawer, .toc-drawer, .mobile-header").first).to_be_hidden()
    page.emulate_media(media="screen")
    page.wait_for_function("document.documentElement.dataset.theme === 'dark'")


# ── By keyboard ──────────────────────────────────────────────────────────────────────────────────


def test_the_first_stop_of_the_keyboard_skips_to_the_text(open_page):
    page = open_page(CHAPTER)
    for _ in range(3):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('.skip-to-content')"):
            break
    page.keyboard.press("Enter")
    page.wait_for_url("**#furo-main-content")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('.main') !== null")


@pytest.mark.parametrize(
    ("name", "drawer"), [("__navigation", ".sidebar-drawer"), ("__toc", ".toc-drawer")]
)
def test_on_a_phone_the_keyboard_opens_the_contents_and_passes_closed_ones_by(
    open_page, name, drawer
):
    page = open_page(CHAPTER, **PHONE)
    inside = f"document.activeElement.closest('{drawer}') !== null"
    stops = []
    for _ in range(12):
        page.keyboard.press("Tab")
        stops.append(page.evaluate("document.activeElement.id"))
        assert not page.evaluate(inside)
    assert name in stops
    box = page.locator(f"#{name}")
    box.focus()
    page.keyboard.press("Space")
    assert page.evaluate(inside)
    expect(page.locator(f"{drawer} a:focus")).to_be_in_viewport()
    page.keyboard.press("Escape")
    expect(box).to_be_focused()
    expect(box).not_to_be_checked()


def test_on_a_phone_a_link_of_the_page_s_contents_closes_them(open_page):
    page = open_page(CHAPTER, **PHONE)
    page.locator(".toc-header-icon").click()
    assert page.evaluate(SLIDING) == "0s"  # the reader wants no motion
    page.locator(".toc-drawer a[href='#exercises']").click()
    expect(page.locator(".toc-drawer")).to_be_hidden()
    page.wait_for_url("**#exercises")


def test_a_slash_leads_to_the_search_field(open_page):
    page = open_page(CHAPTER)
    page.keyboard.press("/")
    page.keyboard.type("softmax")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search.html?q=softmax*")
    expect(page.locator("#search-results li a").first).to_be_visible()


# ── Links ────────────────────────────────────────────────────────────────────────────────────────


def test_a_chapter_leads_to_its_source_and_to_its_neighbours(open_page):
    page = open_page(CHAPTER)
    source = page.get_by_role("link", name="Source", exact=True)
    expect(source).to_have_attribute("href", f"{address()}/blob/main/book/04_query_key_value.ipynb")
    kept = page.get_by_role("link", name="Download").get_attribute("href")
    assert (SITE / kept).exists()
    for kind, other in (("prev", "03_embedding"), ("next", "05_scaling")):
        expect(page.locator(f".{kind}-page")).to_have_attribute("href", f"{other}.html")


# ── Search ───────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("query", "chapter"),
    [
        ("embedding", "03_embedding"),
        ("Softmax", "06_softmax"),
        ("attention", "07_attention"),
        ("mask", "09_masks"),
        ("multi-head", "08_multi_head"),
    ],
)
def test_search_lists_the_chapter_then_other_pages_then_the_reference(open_page, query, chapter):
    page = open_page(f"search.html?q={query}")
    expect(page.locator("#search-results")).to_contain_text("Search finished")
    found = page.locator("#search-results li > a").evaluate_all(
        "(links) => links.map((e) => new URL(e.href).pathname.slice(1))"
    )
    assert found[0] == f"{chapter}.html"
    reference = [name.startswith("api/") for name in found]
    assert reference == sorted(reference)
    assert True in reference
