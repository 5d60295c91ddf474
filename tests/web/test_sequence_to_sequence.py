"""The first chapter and its bottleneck, in a real browser."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from attnsteps.widgets import ContextBottleneck
from attnsteps.widgets.sequence_to_sequence import SENTENCE
from tests.browser import touch

PAGE = "01_sequence_to_sequence.html"


def widget(page: Page) -> Locator:
    return page.locator(".aw").filter(has=page.locator(".aw-cb-words"))


def assert_shows(root: Locator, **state: int) -> None:
    """Hold every word that is read back, and the counts, against Python's."""
    python = ContextBottleneck(**state)
    squeezed, attended = python.read_back()
    words = SENTENCE[: python.count]
    shown = root.locator(".aw-cb-back:visible").all_text_contents()
    marks = ["✓" if a == b else "✗" for a, b in zip(words, squeezed, strict=True)]
    assert shown == [f"{mark} {word}" for mark, word in zip(marks, squeezed, strict=True)]
    right = [sum(map(str.__eq__, words, row)) for row in (squeezed, attended)]
    expect(root.locator("[role=status]")).to_have_text(
        f"Words that are right. One vector: {right[0]} of {python.count}."
        f" Attention: {right[1]} of {python.count}."
    )


def press(root: Locator, label: str, *keys: str) -> None:
    slider = root.get_by_label(label)
    slider.focus()
    for key in keys:
        slider.press(key)


def test_it_reads_back_what_python_reads_back(open_page):
    root = widget(open_page(PAGE))
    assert_shows(root)
    press(root, "Words in the sentence", "End")
    assert_shows(root, count=24)
    press(root, "Numbers in a vector", "End")
    assert_shows(root, count=24, width=256)
    press(root, "Numbers in a vector", "Home")
    assert_shows(root, count=24, width=8)
    button = root.get_by_role("button", name="Draw other vectors")
    button.focus()
    button.press("Enter")
    assert_shows(root, count=24, width=8, seed=2)


def test_a_word_can_be_asked_for(open_page):
    root = widget(open_page(PAGE))
    first = root.locator(".aw-cb-word").first
    first.click()
    expect(first).to_have_attribute("aria-pressed", "true")
    expect(root.locator(".aw-cb-panel").nth(1)).to_contain_text("Place 1: right.")
    best = root.locator(".aw-cb-panel").nth(1).locator("li").first
    expect(best).to_contain_text("yesterday")


def test_the_curve_says_in_words_what_it_shows(open_page):
    root = widget(open_page(PAGE))
    label = re.compile("^Words read back correctly, mean of 12 draws. One vector: 100 % of 1, ")
    expect(root.locator("svg")).to_have_attribute("aria-label", label)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_works_on_a_phone(open_page, scheme):
    page = open_page(PAGE, width=360, has_touch=True, color_scheme=scheme)
    root = widget(page)
    touch(root.get_by_role("button", name="Draw other vectors"))
    assert_shows(root, seed=2)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
