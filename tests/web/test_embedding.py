"""The chapter on embeddings and its map of words, in a real browser."""

import json

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser import touch

PAGE = "03_embedding.html"
STATE = """() => {
  const tag = document.querySelector('script[type="application/vnd.jupyter.widget-state+json"]');
  const states = Object.values(JSON.parse(tag.textContent).state).map((model) => model.state);
  const found = states.find((state) => state.map_after);
  return JSON.stringify({ words: found.words, before: found.before, after: found.after });
}"""


def widget(page: Page) -> Locator:
    return page.locator(".aw").filter(has=page.locator(".aw-em-map"))


def nearest(state: dict, which: str, word: str) -> list[tuple[str, float]]:
    """The eight nearest words and their cosine, from the vectors that the page was given."""
    vectors = np.array(state[which])
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    similar = units @ units[state["words"].index(word)]
    order = [i for i in np.argsort(-similar, kind="stable") if state["words"][i] != word][:8]
    return [(state["words"][i], similar[i]) for i in order]


def shown(root: Locator) -> list[tuple[str, float]]:
    words = root.locator(".aw-em-word").all_text_contents()
    numbers = root.locator(".aw-em-number").all_text_contents()
    pairs = zip(words, numbers, strict=True)
    return [(word, float(text.replace("−", "-"))) for word, text in pairs]


def assert_near(got: list, want: list) -> None:
    assert [word for word, _ in got] == [word for word, _ in want]
    assert [value for _, value in got] == pytest.approx([value for _, value in want], abs=0.0051)


def test_the_list_holds_the_nearest_words_before_and_after(open_page):
    page = open_page(PAGE)
    root, state = widget(page), json.loads(page.evaluate(STATE))
    assert_near(shown(root), nearest(state, "after", "street"))
    root.get_by_label("before learning").check()
    assert_near(shown(root), nearest(state, "before", "street"))


def test_a_word_is_chosen_by_menu_list_or_map(open_page):
    page = open_page(PAGE)
    root, state = widget(page), json.loads(page.evaluate(STATE))
    root.get_by_role("combobox").select_option(label="tired")
    assert_near(shown(root), nearest(state, "after", "tired"))
    first = root.locator(".aw-em-word").first
    name = first.text_content()
    first.focus()
    first.press("Enter")
    assert_near(shown(root), nearest(state, "after", name))
    expect(root.locator("[role=status]")).to_have_text(
        f"Nearest to “{name}”, by cosine similarity:"
    )
    root.locator(".aw-em-map").scroll_into_view_if_needed()
    box = root.locator(".aw-em-map").bounding_box()
    point = root.locator("circle").nth(7)
    page.mouse.click(
        box["x"] + float(point.get_attribute("cx")) * box["width"] / 640,
        box["y"] + float(point.get_attribute("cy")) * box["height"] / 400,
    )
    chosen = root.locator("text.aw-em-chosen").text_content()
    assert_near(shown(root), nearest(state, "after", chosen))


@pytest.mark.parametrize("width", [360, 1280])
def test_no_name_on_the_map_covers_another(open_page, width):
    root = widget(open_page(PAGE, width=width))
    names = root.locator("text.aw-em-name:visible").evaluate_all(
        "names => names.map(name => name.getBBox()).map(b => [b.x, b.y, b.width, b.height])"
    )
    assert len(names) >= (6 if width > 360 else 4)
    for i, (x, y, wide, high) in enumerate(names):
        for a, b, w, h in names[:i]:
            assert x >= a + w or a >= x + wide or y >= b + h or b >= y + high
        assert 0 <= x <= 640 - wide


def test_one_hot_times_matrix_is_the_row(open_page):
    page = open_page(PAGE)
    root, state = widget(page), json.loads(page.evaluate(STATE))
    root.get_by_text("One-hot times matrix").click()
    result = root.locator("details table").nth(1).locator("tbody td").all_text_contents()
    row = state["after"][state["words"].index("street")][:6]
    assert [float(text.replace("−", "-")) for text in result] == pytest.approx(row, abs=0.0051)
    marked = root.locator("details .aw-marked")
    expect(marked).to_have_text("1.00")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_works_on_a_phone(open_page, scheme):
    page = open_page(PAGE, width=360, has_touch=True, color_scheme=scheme)
    root = widget(page)
    touch(root.locator(".aw-em-word").nth(2))
    expect(root.locator("text.aw-em-near")).to_have_count(8)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_map_says_in_words_what_it_shows(open_page):
    root = widget(open_page(PAGE))
    label = root.locator(".aw-em-map").get_attribute("aria-label")
    assert label.startswith("Map of 26 words after learning. Nearest to street: ")
