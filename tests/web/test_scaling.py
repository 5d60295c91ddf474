"""The chapter on the scale and its widget, in a real browser."""

import math

import pytest
import torch
from playwright.sync_api import Locator, Page, expect

from attnsteps import masked_softmax
from attnsteps.widgets import Scaling
from tests.browser import touch
from tests.kernel import Kernel

PAGE = "05_scaling.html"
DIVISORS = ("none", "sqrt", "d_k")


def widget(page: Page) -> Locator:
    """The widget on the page: the only one with two panels."""
    return page.locator(".aw").filter(has=page.locator(".aw-sc-panel"))


def table(shown: Locator) -> list[list[str]]:
    """The numbers of the table, as they stand there."""
    return [row.locator("td").all_text_contents() for row in shown.locator("table tbody tr").all()]


def expected(d_k: int, num_keys: int, seed: int) -> list[list[float]]:
    """The same numbers from the package, row by row: one column for each divisor."""
    python = Scaling(d_k=d_k, num_keys=num_keys, seed=seed)
    columns = []
    for divisor in DIVISORS:
        scores = torch.from_numpy(python.scores(divisor))
        weights = masked_softmax(scores)
        divided = {"none": 1, "sqrt": math.sqrt(d_k), "d_k": d_k}[divisor]
        columns.append(
            [
                math.sqrt(d_k) / divided,
                scores.std(correction=0).item(),
                weights.amax(-1).mean().item(),
            ]
        )
    return [list(row) for row in zip(*columns, strict=True)]


def assert_table(shown: Locator, d_k: int, num_keys: int = 8, seed: int = 1) -> None:
    """Hold every number of the table against the package's."""
    for got, want in zip(table(shown), expected(d_k, num_keys, seed), strict=True):
        for text, value in zip(got, want, strict=True):
            if text == "< 0.001":
                assert 0 < value < 0.0005
            else:
                digits = len(text.partition(".")[2])
                assert float(text) == pytest.approx(value, abs=0.51 * 10**-digits)


def weights_shown(panel: Locator) -> list[str]:
    return panel.locator(".aw-sc-number:visible").all_text_contents()


def weights_expected(divisor: str, **state: int) -> list[str]:
    scores = torch.from_numpy(Scaling(**state).scores(divisor)[:1])
    return [f"{weight:.2f}" for weight in masked_softmax(scores)[0].tolist()]


def press(slider: Locator, key: str) -> None:
    slider.focus()
    slider.press(key)


def test_the_first_view_shows_what_the_package_computes(open_page):
    shown = widget(open_page(PAGE))
    assert_table(shown, d_k=64)
    left, right = shown.locator(".aw-sc-panel").all()
    expect(left.locator(".aw-sc-heading")).to_have_text("Not divided")
    expect(right.locator(".aw-sc-heading")).to_have_text("Divided by √dk = 8.00")
    assert weights_shown(left) == weights_expected("none")
    assert weights_shown(right) == weights_expected("sqrt")


def test_the_width_follows_the_keyboard(open_page):
    shown = widget(open_page(PAGE))
    slider = shown.get_by_label("Width d")
    for key, d_k in (("ArrowRight", 70), ("Home", 1), ("End", 512)):
        press(slider, key)
        expect(shown.locator("output").first).to_have_text(str(d_k))
        expect(slider).to_have_attribute("aria-valuetext", str(d_k))
        assert_table(shown, d_k=d_k)


def test_at_width_one_all_divisors_agree(open_page):
    shown = widget(open_page(PAGE))
    press(shown.get_by_label("Width d"), "Home")
    for row in table(shown):
        assert len(set(row)) == 1


def test_the_scores_leave_the_axis_on_the_left_and_stand_still_on_the_right(open_page):
    shown = widget(open_page(PAGE))
    heaps = shown.locator(".aw-sc-heap")
    before = [heap.get_attribute("d") for heap in heaps.all()]
    press(shown.get_by_label("Width d"), "End")
    outside = (abs(Scaling(d_k=512).scores("none")) > 32).mean()
    notes = shown.locator(".aw-sc-panel .aw-note")
    expect(notes.nth(0)).to_have_text(f"Scores of 200 queries. Beyond ±32: {100 * outside:.0f} %.")
    expect(notes.nth(2)).to_have_text("Scores of 200 queries. Beyond ±32: 0 %.")
    after = [heap.get_attribute("d") for heap in heaps.all()]
    assert after[0] != before[0]
    expect(shown.get_by_role("img").first).to_have_attribute(
        "aria-label",
        "Histogram of the scores, from −32 to 32; "
        f"their standard deviation is {table(shown)[1][0]}",
    )


def test_the_number_of_keys(open_page):
    shown = widget(open_page(PAGE))
    slider = shown.get_by_label("Number of keys")
    press(slider, "End")
    left = shown.locator(".aw-sc-panel").first
    expect(left.locator(".aw-sc-number:visible")).to_have_count(12)
    assert_table(shown, d_k=64, num_keys=12)
    assert weights_shown(left) == weights_expected("none", num_keys=12)
    press(slider, "Home")
    expect(left.locator(".aw-sc-number:visible")).to_have_count(2)
    assert_table(shown, d_k=64, num_keys=2)


def test_the_divisor_is_chosen_by_keyboard(open_page):
    shown = widget(open_page(PAGE))
    right = shown.locator(".aw-sc-panel").nth(1)
    status = shown.locator("p[role=status]")
    largest = expected(d_k=64, num_keys=8, seed=1)[2]
    undivided = f"Largest weight, on average: {largest[0]:.2f} undivided"
    press(shown.get_by_role("radio", checked=True), "ArrowRight")
    expect(right.locator(".aw-sc-heading")).to_have_text("Divided by dk = 64")
    expect(status).to_have_text(f"{undivided}, {largest[2]:.2f} divided by 64.")
    assert weights_shown(right) == weights_expected("d_k")
    press(shown.get_by_role("radio", checked=True), "ArrowRight")
    expect(right.locator(".aw-sc-heading")).to_have_text("Not divided")
    expect(status).to_have_text(f"{undivided}.")
    assert weights_shown(right) == weights_expected("none")
    assert_table(shown, d_k=64)


def test_draw_again_draws_the_next_seed(open_page):
    shown = widget(open_page(PAGE))
    again = shown.get_by_role("button", name="Draw again")
    again.focus()
    again.press("Enter")
    assert_table(shown, d_k=64, seed=2)
    status = shown.locator("p[role=status]")
    largest = expected(d_k=64, num_keys=8, seed=2)[2]
    expect(status).to_have_text(
        f"Largest weight, on average: {largest[0]:.2f} undivided, {largest[1]:.2f} divided by √64."
    )


def test_it_works_by_touch_on_a_narrow_screen(open_page):
    page = open_page(PAGE, width=360, has_touch=True, color_scheme="dark")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    shown = widget(page)
    left, right = (panel.bounding_box() for panel in shown.locator(".aw-sc-panel").all())
    assert right["y"] >= left["y"] + left["height"]
    touch(shown.get_by_role("button", name="Draw again"))
    assert_table(shown, d_k=64, seed=2)
    targets = shown.locator("button:visible, input:visible")
    for box in (target.bounding_box() for target in targets.all()):
        assert min(box["width"], box["height"]) >= 24


def test_nothing_moves_by_itself(open_page):
    shown = widget(open_page(PAGE, reduced_motion="no-preference"))
    assert shown.evaluate("node => node.getAnimations({ subtree: true }).length") == 0
    press(shown.get_by_label("Width d"), "End")
    assert shown.evaluate("node => node.getAnimations({ subtree: true }).length") == 0


def test_python_can_drive_it_and_is_told_what_the_reader_does(open_page):
    page = open_page("notation.html")
    kernel = Kernel(page, Scaling(d_k=100, num_keys=5, divisor="d_k", seed=7))
    shown = widget(page)
    expect(shown.locator("output").first).to_have_text("100")  # no stop of the slider
    assert_table(shown, d_k=100, num_keys=5, seed=7)

    kernel.set(d_k=33, num_keys=3, divisor="sqrt")
    expect(shown.locator("output").first).to_have_text("33")
    expect(shown.locator("output").nth(1)).to_have_text("3")
    expect(shown.get_by_role("radio").nth(1)).to_be_checked()
    assert_table(shown, d_k=33, num_keys=3, seed=7)

    press(shown.get_by_label("Width d"), "End")
    shown.get_by_role("button", name="Draw again").click()
    wanted = {"d_k": 512, "num_keys": 3, "divisor": "sqrt", "seed": 8}
    assert {name: kernel.saved(name)[-1] for name in wanted} == wanted
    assert kernel.stop() == 0


def test_the_guess_is_met_again(open_page):
    page = open_page(PAGE)
    ask = page.locator(".aw").filter(has_text="Predict, then read on").first
    ask.get_by_role("textbox").fill("8")
    ask.get_by_role("button", name="This is my guess").click()
    verdict = page.locator("details.answer").first.get_by_role("status")
    expect(verdict).to_contain_text("✓ Right.")


def test_the_exercises_accept_their_answers(open_page):
    page = open_page(PAGE)
    first, second, third = (page.locator(".aw").filter(has_text=f"Exercise {n}") for n in (1, 2, 3))
    first.get_by_role("textbox").fill("40")
    first.get_by_role("button", name="Check").click()
    expect(first.get_by_role("status")).to_contain_text("✗ Not yet")
    first.get_by_role("textbox").fill("4")
    first.get_by_role("button", name="Check").click()
    expect(first.get_by_role("status")).to_contain_text("✓ Right")

    cells = ["0.018", "0.018", "0.105", "0.052", "0.197", "0.049"]
    for box, text in zip(second.get_by_role("textbox").all(), cells, strict=True):
        box.fill(text)
    second.get_by_role("button", name="Check").click()
    expect(second.get_by_role("status")).to_contain_text("✓ Right")

    for _ in range(3):
        third.get_by_role("button", name="Move up: 64 wide, not divided").click()
    third.get_by_role("button", name="Move up: 256 wide, ÷ 8").click()
    third.get_by_role("button", name="Check").click()
    expect(third.get_by_role("status")).to_contain_text("✓ Right")
