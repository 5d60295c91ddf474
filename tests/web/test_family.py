"""The two widgets of chapter 21 in a browser: the family lab, and the writer of digits."""

import itertools

import pytest
from playwright.sync_api import Locator, Page, expect

from attnsteps.widgets import DigitWriter, FamilyLab
from attnsteps.widgets.family import INPUTS, LOSSES, MASKS, arrange
from tests.kernel import Kernel

PAGE = "21_family.html"
LABELS = {
    "two stacks": "prefix, in two stacks",
    "some hidden": "two words hidden",
    "after the prefix": "what follows the prefix",
    "hidden words": "“street” and “wide”",
}
MENU = {"Mask": MASKS, "Input": INPUTS, "The loss counts": LOSSES}


def group_on(page: Page, name: str) -> Locator:
    group = page.get_by_role("group", name=name, exact=True)
    group.scroll_into_view_if_needed()
    return group


@pytest.fixture
def lab(open_page) -> Locator:
    return group_on(open_page(PAGE), "Which model is it?")


@pytest.fixture
def digit(open_page) -> Locator:
    return group_on(open_page(PAGE, reduced_motion="reduce"), "A digit, code by code")


def choose(lab: Locator, *chosen: str) -> None:
    for question, value in zip(MENU, chosen, strict=True):
        knob = lab.get_by_role("group", name=question, exact=True)
        knob.get_by_label(LABELS.get(value, value), exact=True).check()


def expect_lab(lab: Locator, *chosen: str) -> None:
    found = arrange(*chosen)
    guesses = [
        f"{word} ✗" if i in found.visible else word or "–" for i, word in enumerate(found.wanted)
    ]
    expect(lab.locator(".fl-guess")).to_have_text(guesses)
    heads = [f"{i} {token}" for i, token in enumerate(found.read)]
    expect(lab.locator("tbody th")).to_have_text(heads)
    cells = lab.locator("tbody .aw-cell:not(.fl-guess)").all_inner_texts()
    assert [text != "–" for text in cells] == found.open.flatten().tolist()
    says = lab.get_by_role("status")
    if found.kind == "works":
        expect(says).to_contain_text(f"✓ {found.name}")
    elif found.kind == "leaks":
        number = sum(map(bool, found.wanted))
        expect(says).to_contain_text(f"✗ No model: {len(found.visible)} of {number} guesses")
    else:
        expect(says).to_contain_text("✗ No answer is visible, but this is no model")


def test_every_combination_says_what_it_is(lab):
    expect_lab(lab, "causal", "all words", "every next word")
    for chosen in itertools.product(*MENU.values()):
        choose(lab, *chosen)
        expect_lab(lab, *chosen)


def test_a_full_mask_shows_the_next_word(lab):
    choose(lab, "full", "all words", "every next word")
    expect(lab.get_by_role("status")).to_have_text(
        "✗ No model: 5 of 6 guesses that count can see their answer."
        "For instance row 0, “<bos>”, can see “the”, its answer. "
        "The loss falls, because copying is enough."
    )


def test_the_lab_by_keyboard_alone(lab):
    page = lab.page
    lab.get_by_role("radio").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowUp")
    expect_lab(lab, "full", "some hidden", "hidden words")
    expect(lab.get_by_role("status")).to_contain_text("✓ BERT")


def test_python_can_drive_the_lab_and_take_it_away(open_page):
    page = open_page("notation.html")
    kernel = Kernel(page, FamilyLab())
    lab = group_on(page, "Which model is it?")
    kernel.set(mask="prefix", loss="after the prefix")
    expect_lab(lab, "prefix", "all words", "after the prefix")
    choose(lab, "two stacks", "all words", "every next word")
    assert set(kernel.saved("mask")) == {"two stacks"}
    expect_lab(lab, "two stacks", "all words", "every next word")
    assert kernel.stop() == 0


def expect_digit(digit: Locator, wanted: DigitWriter) -> None:
    """Compare codes, probabilities and the nearest picture with what Python computes."""
    codes = " ".join(map(str, wanted.codes)) or "none yet"
    expect(digit.get_by_text("Codes: ")).to_have_text(f"Codes: {codes}")
    most = int(wanted.probabilities.argmax())
    if len(wanted.codes) < 16:
        best = digit.locator("li.dw-most")
        expect(best.locator(".dw-code")).to_have_text(str(most))
        shown = float(best.locator(".dw-share").inner_text().strip("<> %"))
        assert abs(shown - 100 * wanted.probabilities[most]) < 0.6
    if wanted.codes:
        _, distance = wanted.nearest
        said = "the same codes" if distance < 1e-6 else f"distance {distance:.1f}"
        expect(digit.locator("div[role=status]")).to_contain_text(said)


def test_a_digit_code_by_code(digit):
    wanted = DigitWriter()
    whole = wanted.finished()
    expect_digit(digit, wanted)
    for count in (1, 2, 3):
        digit.get_by_role("button", name="Next code").click()
        wanted.codes = whole[:count]
        expect_digit(digit, wanted)
    digit.get_by_role("button", name="Whole digit").click()
    wanted.codes = whole
    expect_digit(digit, wanted)
    expect(digit.get_by_role("button", name="Next code")).to_be_disabled()
    expect(digit.get_by_text("All sixteen codes are written.")).to_be_visible()


def test_another_digit_seed_and_temperature(digit):
    page = digit.page
    digit.get_by_label("7", exact=True).check()
    digit.get_by_role("button", name="Another one").click()
    slider = digit.get_by_label("Temperature")
    slider.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    digit.get_by_role("button", name="Whole digit").press("Enter")
    wanted = DigitWriter(digit=7, seed=1, temperature=1.1)
    wanted.codes = wanted.finished()
    expect_digit(digit, wanted)
    digit.get_by_role("button", name="Whole digit").press("Enter")  # it is full: a new one
    wanted = DigitWriter(digit=7, seed=2, temperature=1.1)
    wanted.codes = wanted.finished()
    expect_digit(digit, wanted)


def test_it_writes_step_by_step_where_motion_is_welcome(open_page):
    digit = group_on(open_page(PAGE), "A digit, code by code")
    expect(digit.locator("li.dw-most")).to_be_visible()  # the weights have come
    digit.get_by_role("button", name="Whole digit").click()
    wanted = DigitWriter()
    wanted.codes = wanted.finished()
    expect(digit.get_by_text("All sixteen codes are written.")).to_be_visible(timeout=20_000)
    expect_digit(digit, wanted)


def test_python_can_drive_the_writer_and_take_it_away(open_page):
    page = open_page("notation.html")
    kernel = Kernel(page, DigitWriter())
    digit = group_on(page, "A digit, code by code")
    wanted = DigitWriter(digit=5, seed=9)
    wanted.codes = wanted.finished()[:5]
    kernel.set(digit=5, seed=9, codes=list(wanted.codes))
    expect_digit(digit, wanted)
    digit.get_by_role("button", name="Next code").click()
    assert kernel.saved("codes") == [wanted.finished()[:6]]
    assert kernel.stop() == 0


@pytest.mark.parametrize("name", ["Which model is it?", "A digit, code by code"])
def test_on_a_phone_in_the_dark(open_page, name):
    page = open_page(PAGE, width=360, color_scheme="dark", reduced_motion="reduce")
    group = group_on(page, name)
    for control in group.locator("input, button").all():
        box = control.bounding_box()
        assert min(box["width"], box["height"]) >= 24
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 360
    for scroll in group.locator(".aw-scroll").all():
        assert scroll.evaluate("(e) => e.scrollWidth <= e.clientWidth")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_exercises_take_the_right_answers(open_page):
    page = open_page(PAGE)
    first, second, third = (page.get_by_role("group", name=f"Exercise {i}") for i in (1, 2, 3))
    first.get_by_role("radio").first.check()
    second.get_by_role("textbox").fill("29")
    third.get_by_role("textbox").fill("5")
    for exercise in (first, second, third):
        exercise.get_by_role("button", name="Check").click()
        expect(exercise.get_by_role("status")).to_contain_text("✓")
