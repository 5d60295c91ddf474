"""The chapter on softmax in a real browser: its widget gives the package's numbers, by hand."""

import math
import re

import pytest
import torch
from playwright.sync_api import Locator, Page, expect

from attnsteps import masked_softmax
from attnsteps.widgets import Softmax
from tests.kernel import Kernel

PAGE = "06_softmax.html"
WORDS = ["animal", "street", "tired", "because", "cross", "not"]
START = [4.0, 2.0, 2.0]


def widget_on(page: Page) -> Locator:
    widget = page.get_by_role("group", name="Softmax, by hand")
    widget.scroll_into_view_if_needed()
    return widget


@pytest.fixture
def widget(open_page) -> Locator:
    return widget_on(open_page(PAGE))


def weights(scores, temperature=1.0, excluded=()):
    """Compute what the package gives, as the widget writes it."""
    out = torch.tensor([[word in excluded for word in WORDS[: len(scores)]]])
    row = torch.tensor([scores], dtype=torch.float64) / temperature
    return [f"{weight:.3f}" for weight in masked_softmax(row, ~out)[0].tolist()]


def expect_weights(widget, stable, naive=None):
    """Compare the numbers beside the bars, the bars themselves and the table."""
    naive = stable if naive is None else naive
    expect(widget.locator(".aw-sm-word")).to_have_count(len(stable))
    table = widget.get_by_role("table")
    for i, (first, second) in enumerate(zip(stable, naive, strict=True)):
        word = WORDS[i]
        line = widget.get_by_role("group", name=word, exact=True)
        expect(line).to_contain_text(f"stable{first}naive{second}")
        style = line.locator(".aw-sm-stable").get_attribute("style")
        width = float(re.search(r"width: ([\d.e-]+)%", style)[1])
        assert width == pytest.approx(100 * float(first), abs=0.06)
        row = table.get_by_role("row").filter(has=widget.page.get_by_role("rowheader", name=word))
        expect(row.get_by_role("cell").nth(3)).to_have_text(first)
        expect(row.get_by_role("cell").nth(5)).to_have_text(second)


def test_it_starts_with_the_running_example(widget):
    expect_weights(widget, weights(START))
    expect(widget).to_contain_text("The stable weights sum to 1.000. Their entropy is 0.67")
    expect(widget.locator(".aw-status")).to_have_text("Both forms give the same weights.")
    row = widget.get_by_role("row", name="animal")
    expect(row).to_have_text("animal4.000.001.0000.78754.600.787")


def test_a_score_follows_the_arrow_keys(widget):
    score = widget.get_by_label("Score of animal")
    score.focus()
    for _ in range(3):
        widget.page.keyboard.press("ArrowLeft")
    expect(score).to_have_value("2.5")
    expect(score).to_have_attribute("aria-valuetext", "2.5")
    expect_weights(widget, weights([2.5, 2.0, 2.0]))


def test_a_score_follows_the_mouse(widget):
    score = widget.get_by_label("Score of street")
    box = score.bounding_box()
    middle = box["y"] + box["height"] / 2
    widget.page.mouse.move(box["x"] + 0.6 * box["width"], middle)
    widget.page.mouse.down()
    widget.page.mouse.move(box["x"] + 0.9 * box["width"], middle, steps=5)
    widget.page.mouse.up()
    value = float(score.input_value())
    assert value > 7
    expect_weights(widget, weights([4.0, value, 2.0]))


@pytest.mark.parametrize(("key", "temperature"), [("Home", 0.1), ("End", 10.0)])
def test_temperature_by_keyboard(widget, key, temperature):
    widget.get_by_label("Temperature τ").focus()
    widget.page.keyboard.press(key)
    expect(widget.get_by_label("Temperature τ")).to_have_attribute(
        "aria-valuetext", f"{temperature:g}"
    )
    expect_weights(widget, weights(START, temperature))


@pytest.mark.parametrize(
    ("kind", "last", "power"), [("float64", 700, 714), ("float32", 80, 94), ("float16", 0, 14)]
)
def test_the_naive_form_overflows_where_the_format_ends(widget, kind, last, power):
    assert math.exp(last + 4) < torch.finfo(getattr(torch, kind)).max
    widget.get_by_label(kind).check()
    shift = widget.get_by_label("Add to all: c")
    shift.fill(str(last))
    expect(widget.locator(".aw-status")).to_have_text("Both forms give the same weights.")
    shift.press("ArrowRight")
    says = widget.locator(".aw-status")
    expect(says).to_contain_text(f"e to the power {power}.00 exceeds the largest {kind}")
    powers = (torch.tensor(START) - max(START)).to(getattr(torch, kind)).exp()
    stable = powers / (powers[0] + powers[1] + powers[2])  # every step rounded to the format
    expect_weights(widget, [f"{weight:.3f}" for weight in stable.tolist()], ["NaN"] * 3)


def test_the_naive_form_underflows_too(widget):
    shift = widget.get_by_label("Add to all: c")
    shift.focus()
    widget.page.keyboard.press("Home")
    expect(shift).to_have_attribute("aria-valuetext", "−1000")
    expect(widget.locator(".aw-status")).to_contain_text("0 divided by 0 is not a number")
    expect_weights(widget, weights(START), ["NaN"] * 3)


def test_an_excluded_word_gets_nothing_and_all_excluded_get_zeros(widget):
    widget.get_by_label("−∞ for street").focus()
    widget.page.keyboard.press("Space")
    expect(widget.get_by_label("Score of street")).to_be_disabled()
    expect_weights(widget, weights(START, excluded=["street"]))
    expect(widget.get_by_role("row", name="street")).to_have_text("street−∞−∞00.00000.000")
    widget.get_by_label("−∞ for animal").check()
    widget.get_by_label("−∞ for tired").check()
    expect_weights(widget, ["0.000"] * 3, ["NaN"] * 3)
    expect(widget.locator(".aw-status")).to_contain_text("No word is left.")
    widget.get_by_label("−∞ for tired").uncheck()
    expect_weights(widget, weights(START, excluded=["animal", "street"]))


def test_words_come_and_go(widget):
    more = widget.get_by_role("button", name="Add a word")
    fewer = widget.get_by_role("button", name="Remove the last")
    more.focus()
    for _ in range(3):
        widget.page.keyboard.press("Enter")
    expect_weights(widget, weights([4.0, 2.0, 2.0, 1.0, 1.0, 0.0]))
    expect(more).to_be_disabled()
    expect(fewer).to_be_focused()
    for _ in range(4):
        widget.page.keyboard.press("Enter")
    expect_weights(widget, weights([4.0, 2.0]))
    expect(fewer).to_be_disabled()
    expect(more).to_be_focused()


def test_start_again(widget):
    widget.get_by_label("Score of animal").fill("-3")
    widget.get_by_label("Temperature τ").fill("5")
    widget.get_by_label("−∞ for tired").check()
    widget.get_by_label("float32").check()
    widget.get_by_role("button", name="Add a word").click()
    widget.get_by_role("button", name="Start again").click()
    expect_weights(widget, weights(START))
    expect(widget.get_by_label("float64")).to_be_checked()
    expect(widget.get_by_label("−∞ for tired")).not_to_be_checked()


def test_input_updates_in_place(widget):
    kept = widget.get_by_label("Score of animal").evaluate(
        """(input) => {
          const root = input.closest(".aw");
          for (let i = 0; i < 3; i += 1) root.querySelector("button").click();
          const nodes = [...root.querySelectorAll("*")];
          input.value = "-3";
          input.dispatchEvent(new Event("input", { bubbles: true }));
          return [...root.querySelectorAll("*")].every((node, i) => node === nodes[i]);
        }"""
    )
    assert kept


def test_python_can_drive_it_and_take_it_away(open_page):
    page = open_page("notation.html")
    kernel = Kernel(page, Softmax())
    widget = widget_on(page)
    kernel.set(temperature=0.7, logits=[0.3, 0.1])
    expect_weights(widget, weights([0.3, 0.1], 0.7))
    warmth = widget.locator(".aw-control").filter(has=page.get_by_label("Temperature τ"))
    expect(warmth.locator("output")).to_have_text("0.7")
    animal = widget.get_by_role("group", name="animal", exact=True)
    expect(animal.locator("output").first).to_have_text("0.3")
    assert kernel.saved("logits") == []
    widget.get_by_role("button", name="Add a word").click()
    assert kernel.saved("logits") == [[0.3, 0.1, 2.0]]
    assert kernel.stop() == 0


def test_on_a_phone_in_the_dark(open_page):
    page = open_page(PAGE, width=360, color_scheme="dark", reduced_motion="reduce")
    widget = widget_on(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for control in widget.locator("input, button").all():
        box = control.bounding_box()
        assert min(box["width"], box["height"]) >= 24
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 360
    widget.get_by_label("Add to all: c").fill("-1000")
    expect_weights(widget, weights(START), ["NaN"] * 3)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate("document.getAnimations().length") == 0


def test_the_guesses_are_met_again(open_page):
    page = open_page(PAGE)
    for number, option, said in ((0, 2, "✓"), (1, 0, "✗")):
        ask = page.get_by_role("group", name="Predict, then read on").nth(number)
        ask.get_by_role("radio").nth(option).check()
        ask.get_by_role("button", name="This is my guess").click()
        met = page.locator("details.answer").nth(number)
        expect(met.get_by_role("status")).to_contain_text(said)
    expect(met).to_contain_text("NaN, NaN, NaN")


def test_the_exercises_take_the_right_answers_and_no_markup(open_page):
    page = open_page(PAGE)
    first, second, third = (page.get_by_role("group", name=f"Exercise {i}") for i in (1, 2, 3))

    first.get_by_role("textbox").fill("<b>2</b>")
    first.get_by_role("button", name="Check").click()
    said = "“<b>2</b>” cannot be read as a number. Write it like 0.5, 1/2 or 40000."
    expect(first.get_by_role("status")).to_have_text(said)
    assert first.locator("b").count() == 0
    first.get_by_role("textbox").fill("2")
    first.get_by_role("button", name="Check").click()
    expect(first.get_by_role("status")).to_contain_text("✓")

    # against 99 others: nine times their powers
    second.get_by_role("textbox").fill("2.2")
    second.get_by_role("button", name="Check").click()
    expect(second.get_by_role("status")).not_to_contain_text("✓")
    second.get_by_role("textbox").fill(f"{math.log(9 * 99):.1f}")
    second.get_by_role("button", name="Check").click()
    expect(second.get_by_role("status")).to_contain_text("✓")

    w = torch.tensor([0.5, 0.3, 0.2])
    jacobian = (torch.diag(w) - torch.outer(w, w)).flatten().tolist()
    for field, value in zip(third.get_by_role("textbox").all(), jacobian, strict=True):
        field.fill(f"{value:.2f}")
    third.get_by_role("button", name="Check").click()
    expect(third.get_by_role("status")).to_contain_text("✓")
