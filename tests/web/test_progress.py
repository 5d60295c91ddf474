"""The marks of what was read and solved: kept in the browser, shown in the contents, forgotten."""

import json
import re

from playwright.sync_api import expect

from tests.browser import bring_to_life

PAGE, STEM = "13_encoder.html", "13_encoder"
RIGHT = """() => {
  const tag = document.querySelector('script[type$="widget-state+json"]');
  const exercises = Object.values(JSON.parse(tag.textContent).state).map((m) => m.state)
    .filter((m) => m.hint);
  const { spec, answer } = exercises[0];
  localStorage.setItem(`attnsteps:${spec.key}`, JSON.stringify(answer));
  return exercises.length;
}"""


def mark(page, stem: str = STEM):
    """The mark beside a chapter in the table of contents."""
    here = "" if page.url.endswith(f"{stem}.html") else stem
    return page.locator(f".sidebar-tree a[href^='{here or '#'}'] .progress-mark")


def test_nothing_is_marked_before_anything_is_done(open_page):
    page = open_page(PAGE)
    expect(page.locator(".progress-mark")).to_have_count(0)
    expect(page.locator(".progress-forget")).to_be_hidden()


def test_a_chapter_read_to_its_end_is_marked_on_every_page(open_page):
    page = open_page(PAGE)
    page.locator(".related-pages").scroll_into_view_if_needed()
    expect(mark(page)).to_contain_text("✓")
    page.goto(page.url.replace(PAGE, "14_decoder.html"))
    expect(mark(page)).to_contain_text("✓")
    read = re.compile(r"^read, 0 of \d exercises solved$")
    expect(mark(page)).to_have_attribute("aria-label", read)
    assert json.loads(page.evaluate("localStorage['attnsteps:progress']"))[STEM]["read"] is True


def test_a_solved_exercise_counts_once(open_page):
    page = open_page(PAGE)
    count = page.evaluate(RIGHT)
    for _ in range(2):
        page.reload()
        bring_to_life(page)
        expect(mark(page)).to_have_text(f"1/{count}")


def test_what_is_forgotten_is_gone(open_page):
    page = open_page(PAGE)
    page.evaluate(RIGHT)
    page.reload()
    bring_to_life(page)
    expect(mark(page)).to_have_count(1)
    page.evaluate("window.confirm = () => false")  # a real one can end Playwright (#42827)
    page.locator(".progress-forget").click()
    expect(mark(page)).to_have_count(1)
    page.evaluate("window.confirm = () => true")
    page.locator(".progress-forget").click()
    expect(mark(page)).to_have_count(0)
    assert (
        page.evaluate("Object.keys(localStorage).filter((k) => k.startsWith('attnsteps:'))") == []
    )
    expect(page.get_by_text("✓ Right.")).to_have_count(0)


def test_a_broken_record_is_no_error(open_page):
    page = open_page(PAGE)
    page.evaluate("localStorage.setItem('attnsteps:progress', '{')")
    page.reload()
    bring_to_life(page)
    expect(page.locator(".progress-mark")).to_have_count(0)
