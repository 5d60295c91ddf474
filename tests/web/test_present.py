"""The presentation of a page: its pictures and widgets one at a time, for a lecture."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

CHAPTER = "09_masks.html"


def start(page):
    page.get_by_role("button", name="Present").click()
    bar = page.get_by_role("toolbar", name="Slides")
    expect(bar).to_be_visible()
    return bar


@pytest.fixture
def lecture(browser, site):
    page = browser.new_page(viewport={"width": 1280, "height": 720}, service_workers="block")
    page.goto(f"{site}{CHAPTER}")
    yield page
    page.close()


def test_a_page_with_nothing_to_show_offers_no_presentation(browser, site):
    page = browser.new_page()
    page.goto(f"{site}notation.html")
    expect(page.locator("footer")).to_be_visible()
    expect(page.get_by_role("button", name="Present")).to_have_count(0)
    page.close()


def test_each_picture_fills_the_screen_and_the_keys_turn_the_pages(lecture):
    bar = start(lecture)
    expect(bar).to_contain_text("1 of")
    count = int(bar.locator("p").inner_text().split(" of ")[1].split(":")[0])
    assert count >= 5
    across, down = lecture.evaluate("[innerWidth, innerHeight]")  # of the full screen, in Firefox
    for place in range(1, count + 1):
        expect(bar).to_contain_text(f"{place} of {count}")
        slide = lecture.locator(".slide")
        expect(slide).to_have_count(1)
        shown = slide.locator(":scope > svg:visible, :scope > img, .aw").first
        expect(shown).to_be_visible()
        left, width, height = shown.evaluate(
            "(e) => [e.getBoundingClientRect().x, e.clientWidth, e.getBoundingClientRect().height]"
        )
        assert left >= 0
        assert left + width <= across
        # as wide or as high as the screen allows, or three times as wide as on the page
        natural = float(shown.get_attribute("width") or across)
        assert width >= min(0.9 * across, 2.9 * natural) or height >= 0.8 * down
        lecture.keyboard.press("ArrowRight")
    expect(bar).to_contain_text(f"{count} of {count}")  # no further
    lecture.keyboard.press("Home")
    expect(bar).to_contain_text(f"1 of {count}")


def test_it_ends_where_it_was_and_leaves_the_page_as_it_was(lecture):
    bar = start(lecture)
    lecture.keyboard.press("ArrowRight")
    lecture.keyboard.press("ArrowRight")
    title = bar.locator("p").inner_text().split(": ")[1]
    lecture.keyboard.press("Escape")
    expect(bar).to_be_hidden()
    expect(lecture.locator(".slide")).to_have_count(0)
    expect(lecture.get_by_role("button", name="Present")).to_be_focused()
    heading = lecture.get_by_role("heading", name=title)
    assert -600 < heading.bounding_box()["y"] < 720
    expect(lecture.locator("article :is([popover], [style*='max-width'])")).to_have_count(0)


def test_a_widget_works_in_its_slide_and_has_its_own_keys(lecture):
    bar = start(lecture)
    place = bar.locator("p")
    while not lecture.locator(".slide[data-widget=masklab]").count():
        lecture.keyboard.press("ArrowRight")
    told = place.inner_text()
    lab = lecture.locator(".slide .aw")
    lab.get_by_role("radio", name="an encoder").check()
    expect(lab.get_by_role("radio", name="an encoder")).to_be_checked()
    lecture.keyboard.press("ArrowLeft")  # the other radio, not the slide before
    expect(lab.get_by_role("radio", name="a decoder")).to_be_checked()
    assert place.inner_text() == told


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_phone_and_is_accessible(browser, site, scheme):
    page = browser.new_page(viewport={"width": 360, "height": 640}, color_scheme=scheme)
    page.goto(f"{site}{CHAPTER}")
    bar = start(page)
    assert bar.evaluate("(node) => node.scrollWidth <= innerWidth")
    for control in bar.get_by_role("button").all():
        assert control.bounding_box()["height"] >= 24
    found = Axe().run(page, options={"runOnly": ["wcag2a", "wcag2aa"]})
    assert not [each["id"] for each in found.response["violations"]]
    page.close()
