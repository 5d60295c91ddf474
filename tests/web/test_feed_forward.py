"""The chapter on the feed-forward network and its widget, in a real browser."""

import pytest
from playwright.sync_api import Locator, Page, expect

from attnsteps.widgets import HiddenUnits
from tests.browser import touch

PAGE = "12_feed_forward.html"
OFF = {"weights": [0.0, 0.0], "bias": 0.0, "out": 0.0}
BOTH = [{"weights": [1.0, 1.0], "bias": -1.0, "out": 1.0}, OFF, OFF]
ONE = [BOTH[0] | {"bias": 0.0}, BOTH[0] | {"out": -2.0}, OFF]
CORNERS = [(0, 0), (1, 0), (0, 1), (1, 1)]


def widget(page: Page) -> Locator:
    return page.locator(".aw").filter(has=page.locator(".aw-ff-plane"))


def corners(shown: Locator) -> list[str]:
    return shown.locator(".aw-ff-value").all_text_contents()


def expected(units: list[dict], **state: object) -> list[str]:
    """What the package's arithmetic gives in the four corners."""
    values = HiddenUnits(units, **state).outputs(CORNERS)
    return [f"{value:.1f}".replace("-", "−") for value in values]


def steps(shown: Locator, label: str, key: str, times: int) -> None:
    slider = shown.get_by_label(label, exact=True)
    slider.focus()
    for _ in range(times):
        slider.press(key)


def test_both_can_be_built_with_the_keyboard_alone(open_page):
    shown = widget(open_page(PAGE))
    assert corners(shown) == expected([OFF] * 3)
    expect(shown.locator("[role=status]")).to_have_text("Right: 3 of 4 corners.")
    steps(shown, "weight of x₁", "ArrowRight", 2)
    steps(shown, "weight of x₂", "ArrowRight", 2)
    steps(shown, "bias", "ArrowLeft", 2)
    steps(shown, "output weight", "ArrowRight", 2)
    assert corners(shown) == expected(BOTH)
    expect(shown.locator("[role=status]")).to_have_text("All four corners are right.")
    assert shown.locator(".aw-ff-right").count() == 4


def test_the_shown_solutions_are_right_and_relu_is_what_makes_them_so(open_page):
    shown = widget(open_page(PAGE))
    shown.get_by_label("one of them, not both").check()
    shown.get_by_role("button", name="Show “one, not both”").click()
    assert corners(shown) == expected(ONE)
    expect(shown.locator("[role=status]")).to_have_text("All four corners are right.")
    shown.get_by_label("ReLU").uncheck()
    assert corners(shown) == expected(ONE, relu=False)
    expect(shown.locator("[role=status]")).not_to_have_text("All four corners are right.")
    shown.get_by_role("button", name="All units to 0").click()
    assert corners(shown) == expected([OFF] * 3)


def test_the_table_follows_the_input(open_page):
    shown = widget(open_page(PAGE))
    shown.get_by_role("button", name="Show “both”").click()
    first = shown.locator(".aw-ff-table tbody tr").first
    assert first.locator("td").all_text_contents() == ["1.00", "on", "1.00", "1.00"]
    steps(shown, "x₁", "ArrowLeft", 24)
    value = HiddenUnits(BOTH, x=[-0.2, 1.0]).outputs([-0.2, 1.0])
    assert value == 0
    assert first.locator("td").all_text_contents() == ["−0.20", "off", "0.00", "0.00"]
    expect(shown.locator("tfoot td")).to_have_text("0.00")


def test_a_click_on_the_square_moves_the_input(open_page):
    shown = widget(open_page(PAGE))
    plane = shown.locator(".aw-ff-plane")
    box = plane.bounding_box()
    plane.click(position={"x": box["width"] / 4, "y": box["height"] / 4})
    outputs = shown.locator("output")
    values = [float(text) for text in outputs.all_text_contents()[:2]]
    assert values == pytest.approx([0.0, 1.0], abs=0.051)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_works_on_a_phone(open_page, scheme):
    page = open_page(PAGE, width=360, has_touch=True, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    shown = widget(page)
    touch(shown.get_by_role("button", name="Show “both”"))
    assert corners(shown) == expected(BOTH)


def test_the_picture_says_in_words_what_it_shows(open_page):
    shown = widget(open_page(PAGE))
    shown.get_by_role("button", name="Show “both”").click()
    label = shown.locator(".aw-ff-plane").get_attribute("aria-label")
    assert "At 1, 1 it is 1.00, wanted 1." in label
    assert "At 1, 0 it is 0.00, wanted 0." in label
