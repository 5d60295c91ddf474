"""The chapter on masks in a real browser: what the lab shows is what PyTorch computes."""

import math

import pytest
import torch
from playwright.sync_api import Locator, Page, expect

from attnsteps import causal_mask
from attnsteps.widgets import MaskLab
from tests.kernel import Kernel

PAGE = "09_masks.html"
NAMES = MaskLab().names
REAL = (torch.arange(6) < 5).expand(6, 6)
RULE = {"decoder": REAL & causal_mask(6), "encoder": REAL}
PRESETS = {
    "All": torch.ones(6, 6, dtype=torch.bool),
    "Causal": causal_mask(6),
    "Padding": REAL,
    "Causal and padding": RULE["decoder"],
    "Padding on queries": REAL.T,
}


def lab_on(page: Page) -> Locator:
    lab = page.get_by_role("group", name="Mask lab")
    lab.scroll_into_view_if_needed()
    return lab


@pytest.fixture
def lab(open_page) -> Locator:
    return lab_on(open_page(PAGE))


def table(lab: Locator, name: str) -> list[list[str]]:
    rows = lab.get_by_role("table", name=name).locator("tbody tr")
    return [row.locator(".aw-cell").all_inner_texts() for row in rows.all()]


def expect_table(lab: Locator, name: str, rows: list[list[str]]) -> None:
    cells = lab.get_by_role("table", name=name).locator(".aw-cell")
    expect(cells).to_have_text([text for row in rows for text in row])


def expect_lab(lab: Locator, wanted: MaskLab) -> None:
    """Compare mask, weights and leaks with what Python computes for the same settings."""
    expect_table(lab, "Mask", [["True" if cell else "False" for cell in r] for r in wanted.mask])
    if wanted.refused:
        expect_table(lab, "Weights", [["?"] * 6] * 6)
        return
    weights = wanted.weights.tolist()
    texts = [["NaN" if math.isnan(w) else f"{w:.2f}" for w in row] for row in weights]
    expect_table(lab, "Weights", texts)
    detector = table(lab, "Leak detector")
    leaks = [(i, j) for i in range(6) for j in range(6) if detector[i][j] == "leak"]
    if wanted.leaks is not None:
        assert leaks == [(leak.output[1], leak.input[1]) for leak in wanted.leaks]
    nan = [i for i in range(6) if detector[i] == ["NaN"] * 6]
    assert nan == wanted.weights.isnan().any(-1).nonzero().flatten().tolist()


def test_it_starts_with_the_mask_of_a_decoder(lab):
    expect_lab(lab, MaskLab())
    expect(lab.get_by_role("status")).to_have_text(
        "✓ No leak, and nothing hidden needlessly: a correct mask for a decoder."
    )


@pytest.mark.parametrize("purpose", ["decoder", "encoder"])
def test_every_preset_for_both_purposes(lab, purpose):
    right = {"decoder": ("Causal", "Causal and padding"), "encoder": ("Padding",)}[purpose]
    for name, mask in PRESETS.items():
        lab.get_by_role("button", name=name, exact=True).click()
        lab.get_by_label(f"a{'n' if purpose == 'encoder' else ''} {purpose}").check()
        expect_lab(lab, MaskLab(mask, purpose=purpose))
        assert (name in right) == ("✓ No leak" in lab.get_by_role("status").inner_text())


def test_bug_zoo_08_hide_turns_the_mask_round(lab):
    lab.get_by_label("hide").check()
    expect_lab(lab, MaskLab(true_means="hide"))
    says = lab.get_by_role("status")
    expect(says).to_contain_text(
        "Leaks, 15: “animal” sees cross, street, too, tired, (pad); “cross”"
    )
    lab.get_by_role("button", name="Causal", exact=True).click()
    expect_lab(lab, MaskLab(causal_mask(6), true_means="hide"))
    expect(says).to_contain_text("NaN for (pad): every score in the row is −∞")
    lab.get_by_label("zeros for empty rows").check()
    expect_lab(lab, MaskLab(causal_mask(6), true_means="hide", clear_empty=True))
    expect(says).to_contain_text("(pad) may attend to nothing, and gets zeros.")


def test_bug_zoo_06_a_large_number_loses_against_low_scores(lab):
    says = lab.get_by_role("status")
    lab.get_by_label("−10⁴").check()
    expect_lab(lab, MaskLab(fill="-1e4"))
    expect(says).to_contain_text("✓ No leak")
    lab.get_by_label("all scores 20,000 lower").check()
    expect_lab(lab, MaskLab(fill="-1e4", low=True))
    expect(says).to_contain_text("Leaks, 15")
    lab.get_by_label("−∞", exact=True).check()
    expect_lab(lab, MaskLab(low=True))
    lab.get_by_label("float16").check()
    expect_lab(lab, MaskLab(low=True, number_format="float16"))
    lab.get_by_label("−10⁹").check()
    expect(says).to_have_text(
        "✗ PyTorch stops with an error: −10⁹ does not fit in float16, "
        "whose lowest number is −65,504."
    )
    expect_lab(lab, MaskLab(low=True, number_format="float16", fill="-1e9"))
    lab.get_by_label("0", exact=True).check()
    expect_lab(lab, MaskLab(low=True, number_format="float16", fill="0"))


def test_bug_zoo_07_and_09_padding_on_the_queries(lab):
    lab.get_by_label("an encoder").check()
    lab.get_by_role("button", name="Padding on queries").click()
    says = lab.get_by_role("status")
    expect(says).to_contain_text("Leaks, 5: “animal” sees (pad)")
    expect(says).to_contain_text("NaN for (pad)")
    lab.get_by_label("−10⁹").check()
    expect_lab(lab, MaskLab(REAL.T, purpose="encoder", fill="-1e9"))
    expect(says).to_contain_text("averages over everything, and its output is ignored")
    expect(says).not_to_contain_text("silent average")


def test_a_word_that_may_look_at_nothing_averages_silently(lab):
    lab.get_by_label("−10⁹").check()
    lab.get_by_role("button", name="query animal, key animal").press("Space")
    says = lab.get_by_role("status")
    expect(says).to_contain_text("a silent average for animal: everything is hidden")
    expect(says).to_contain_text("the same weight, 0.17")


def test_a_cell_by_keyboard_alone(lab):
    page = lab.page
    lab.get_by_role("button", name="Padding on queries").focus()
    page.keyboard.press("Tab")
    first = lab.get_by_role("button", name="query animal, key animal")
    expect(first).to_be_focused()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    cell = lab.get_by_role("button", name="query animal, key street")
    expect(cell).to_be_focused()
    before = page.evaluate("scrollY")
    page.keyboard.press("ArrowUp")  # there is nothing above
    expect(cell).to_be_focused()
    page.wait_for_timeout(50)
    assert page.evaluate("scrollY") == before
    page.keyboard.press("Space")
    expect(cell).to_have_attribute("aria-pressed", "true")
    mask = RULE["decoder"].clone()
    mask[0, 2] = True
    expect_lab(lab, MaskLab(mask))
    expect(lab.get_by_role("status")).to_have_text("✗ Leaks, 1: “animal” sees street.")
    page.keyboard.press("Enter")
    expect_lab(lab, MaskLab())
    lab.get_by_role("button", name="query tired, key street").press("Space")
    expect(lab.get_by_role("status")).to_have_text("✗ Hidden needlessly, 1: “tired” misses street.")
    assert table(lab, "Leak detector")[4][2] == "lost"


def test_painting_with_the_mouse(lab):
    mouse = lab.page.mouse
    boxes = [
        lab.get_by_role("button", name=f"query animal, key {name}", exact=True).bounding_box()
        for name in NAMES[1:4]
    ]
    places = [(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in boxes]
    above = (places[0][0], places[0][1] - 60)
    mask = RULE["decoder"].clone()

    def stroke(*through):
        mouse.move(*through[0])
        mouse.down()
        for place in through[1:]:
            mouse.move(*place, steps=3)
        mouse.up()

    stroke(*places)
    mask[0, 1:4] = True
    expect_lab(lab, MaskLab(mask))
    stroke(places[1])  # a click turns one cell alone
    mask[0, 2] = False
    expect_lab(lab, MaskLab(mask))
    stroke(places[0], places[1])
    mask[0, 1:3] = False
    expect_lab(lab, MaskLab(mask))
    stroke(above, *places)  # that one has ended, and this one begins elsewhere: it paints nothing
    expect_lab(lab, MaskLab(mask))
    lab.page.evaluate("getSelection().removeAllRanges()")  # of the text that was dragged over
    stroke(places[1], places[0])
    mask[0, 1:3] = True
    expect_lab(lab, MaskLab(mask))
    lab.get_by_role("button", name=f"query animal, key {NAMES[5]}", exact=True).press("Space")
    mask[0, 5] = True
    expect_lab(lab, MaskLab(mask))


def test_input_updates_in_place(lab):
    kept = lab.get_by_role("button", name="query animal, key street").evaluate(
        """(cell) => {
          const root = cell.closest(".aw");
          const nodes = [...root.querySelectorAll("*")];
          cell.click();
          return [...root.querySelectorAll("*")].every((node, i) => node === nodes[i]);
        }"""
    )
    assert kept


def test_python_can_drive_it_and_take_it_away(open_page):
    page = open_page("notation.html")
    kernel = Kernel(page, MaskLab())
    lab = lab_on(page)
    kernel.set(fill="0", purpose="encoder")
    expect_lab(lab, MaskLab(fill="0", purpose="encoder"))
    for label in ("an encoder", "may attend", "0", "float32"):
        expect(lab.get_by_label(label, exact=True)).to_be_checked()
    expect(lab.get_by_role("status")).to_contain_text("Leaks, 5")
    assert kernel.saved("mask") == []
    lab.get_by_role("button", name="query animal, key animal", exact=True).click()
    assert [mask[0][0] for mask in kernel.saved("mask")] == [False]
    assert kernel.stop() == 0


def test_on_a_phone_in_the_dark(open_page):
    page = open_page(PAGE, width=360, color_scheme="dark", reduced_motion="reduce")
    lab = lab_on(page)
    for control in lab.locator("input, button").all():
        box = control.bounding_box()
        assert min(box["width"], box["height"]) >= 24
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 360
    for scroll in lab.locator(".aw-scroll").all():  # all six columns are in sight
        assert scroll.evaluate("(e) => e.scrollWidth <= e.clientWidth")
    lab.get_by_role("button", name="All", exact=True).click()
    expect_lab(lab, MaskLab(PRESETS["All"]))
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_guesses_are_met_again(open_page):
    page = open_page(PAGE)
    first, second = (
        page.get_by_role("group", name="Predict, then read on").nth(number) for number in (0, 1)
    )
    first.get_by_role("textbox").fill("100")
    first.get_by_role("button", name="This is my guess").click()
    second.get_by_role("radio").nth(2).check()
    second.get_by_role("button", name="This is my guess").click()
    for number, said in ((0, "✗"), (1, "✓")):
        met = page.locator("details.answer").nth(number)
        expect(met.get_by_role("status")).to_contain_text(said)


def test_the_exercises_take_the_right_answers(open_page):
    page = open_page(PAGE)
    first, second, third = (page.get_by_role("group", name=f"Exercise {i}") for i in (1, 2, 3))
    for field, value in zip(
        first.get_by_role("textbox").all(), [0, 0, 0, 0, 1, 0, 0, 0.5, 0.5], strict=True
    ):
        field.fill(str(value))
    second.get_by_role("textbox").fill("12")
    third.get_by_role("radio").first.check()
    for exercise in (first, second, third):
        exercise.get_by_role("button", name="Check").click()
        expect(exercise.get_by_role("status")).to_contain_text("✓")
