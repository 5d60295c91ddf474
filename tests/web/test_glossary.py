"""The glossary, and the cards that carry its sentences into the chapters."""

import json
import re

import pytest
from attnsteps_glossary import anchor, entries, linked, ways_to_write
from docutils import nodes
from playwright.sync_api import expect

from tests.browser import ROOT, SITE, needs_finger

CARD = ".term-card"
ENTRIES = entries()
BOOK = ROOT / "book"


def prose(chapter: str) -> str:
    """Return a chapter's text in one line."""
    cells = json.loads((BOOK / f"{chapter}.ipynb").read_text(encoding="utf-8"))["cells"]
    text = " ".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")
    return re.sub(r"\s+", " ", text)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["term"])
def test_an_entry_is_one_short_sentence_about_something_that_its_chapter_says(entry):
    assert re.fullmatch(r"[A-Z\d](?:(?![.!?] [A-Z]).)*\.", entry["says"])
    assert len(entry["says"].split()) <= 30
    assert re.search(r"[\u4e00-\u9fff]", entry["chinese"]) or entry["chinese"] == entry["term"]
    text = prose(entry["chapter"])
    assert any(way in text for way in [entry["term"], *ways_to_write(entry)])


def test_no_term_is_there_twice():
    ways = [way for entry in ENTRIES for way in dict.fromkeys(ways_to_write(entry))]
    assert len(ways) == len(set(ways))
    assert len({anchor(entry) for entry in ENTRIES}) == len(ENTRIES)


def test_only_the_first_use_is_linked_and_the_longest_term_wins():
    terms = [{"term": "mask", "says": "A."}, {"term": "causal mask", "says": "B."}]
    left = {way: entry for entry in terms for way in ways_to_write(entry)}
    parts = linked("Causal masks, masks and one unmasked mask.", left, "g.html")
    links = [part for part in parts if isinstance(part, nodes.reference)]
    assert [link.astext() for link in links] == ["Causal masks", "masks"]
    assert "".join(part.astext() for part in parts).endswith(" and one unmasked mask.")


def test_every_entry_has_its_place_on_the_page():
    page = (SITE / "glossary.html").read_text(encoding="utf-8")
    for entry in ENTRIES:
        assert f'id="{anchor(entry)}"' in page
        assert f'href="{entry["chapter"]}.html"' in page


def test_every_link_of_a_term_leads_to_its_entry_and_comes_after_its_chapter():
    chapter = {anchor(entry): entry["chapter"] for entry in ENTRIES}
    for path in sorted(SITE.glob("[0-9][0-9]_*.html")):
        found = re.findall(r'class="term[^"]*" href="glossary\.html#([\w-]+)"', path.read_text())
        assert len(found) == len(set(found))
        assert all(chapter[name] < path.stem for name in found)
        assert found or path.stem.startswith("01_")


def test_a_term_shows_its_card_to_pointer_and_keyboard(open_page):
    page = open_page("12_feed_forward.html")
    term, card = page.locator("a.term").first, page.locator(CARD)
    expect(card).to_be_hidden()
    term.hover()
    expect(card).to_be_visible()
    expect(card).to_have_text(re.compile(r"\.$"))
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()
    page.locator("a.term").nth(1).focus()
    expect(card).to_be_visible()
    expect(page.locator("a.term").nth(1)).to_have_attribute("aria-describedby", "term-card")
    page.locator("article h1").click()
    expect(card).to_be_hidden()


def test_on_a_phone_the_first_touch_shows_the_card_and_the_second_follows(open_page):
    page = open_page("12_feed_forward.html", width=360, has_touch=True, color_scheme="dark")
    needs_finger(page)
    terms = page.locator("a.term")
    for number in range(terms.count()):
        terms.nth(number).tap()
        box = page.locator(CARD).bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 360
        page.keyboard.press("Escape")
    terms.last.tap()
    expect(page.locator(CARD)).to_be_visible()
    expect(page).to_have_url(re.compile(r"12_feed_forward\.html"))
    terms.last.tap()
    expect(page).to_have_url(re.compile(r"glossary\.html#term-"))
