"""The chapter on queries, keys and values, and its widget, in a real browser."""

import re

import torch
from playwright.sync_api import Locator, Page, expect

from attnsteps import scaled_dot_product_attention
from attnsteps.running_example import (
    SENTENCE,
    STREET,
    TWIN,
    WIDE,
)
from attnsteps.toy import toy_projections, toy_vectors
from attnsteps.widgets import SixSteps
from tests.kernel import Kernel

PAGE = "04_query_key_value.html"
TIRED_AT, STATE_AT, ANIMAL_AT = 6, 7, 0
W_Q, W_K, W_V = toy_projections()


def six_steps(page: Page) -> Locator:
    return page.get_by_role("group", name="Six steps of attention")


def step_button(widget: Locator, number: int) -> Locator:
    return (
        widget.get_by_role("group", name="Steps", exact=True).get_by_role("button").nth(number - 1)
    )


def word(widget: Locator, gloss: str) -> Locator:
    sentence = widget.get_by_role("radiogroup", name="Query word")
    return sentence.get_by_role("radio", name=re.compile(rf"\b{gloss}\b"))


def column(widget: Locator, head: str) -> list[str]:
    """Read a column of the table that is on screen, downwards."""
    heads = widget.locator("thead th:visible").all_inner_texts()
    place = heads.index(head)
    return [
        row.locator("td:visible").nth(place).inner_text()
        for row in widget.locator("tbody tr:visible").all()
    ]


def weights_of(x, asking: int):
    """What the package gives: weights (T) and context (Dv) of one word."""
    context, weights = scaled_dot_product_attention(x[asking : asking + 1] @ W_Q, x @ W_K, x @ W_V)
    return weights[0].tolist(), context[0].tolist()


def write(field: Locator, number: str) -> None:
    """Write a number in place of what is there: in Firefox Playwright's ``fill`` adds to that."""
    field.press("ControlOrMeta+a")
    field.press("Delete")
    field.page.keyboard.insert_text(number)


def expect_weights(widget: Locator, x, asking: int) -> None:
    """Expect the weights in the table and above the words to be the package's."""
    weights, _ = weights_of(x, asking)
    expect(widget.locator(".six-number")).to_have_text([f"{weight:.3f}" for weight in weights])
    assert column(widget, "weight") == [f"{weight:.3f}" for weight in weights]


def test_the_six_steps_show_the_packages_numbers(open_page):
    widget = six_steps(open_page(PAGE))
    x = toy_vectors(SENTENCE)
    expect(widget).to_contain_text("q = 1 · (0, 2, 0, 0) + 1 · (2, 0, 0, 0) = (2, 2, 0, 0)")
    assert column(widget, "key k")[0] == "(2, 2, 0, 0)"
    following = widget.get_by_role("button", name="Next")

    following.click()
    scores = x @ W_K @ (x[TIRED_AT] @ W_Q)
    assert column(widget, "score") == [f"{score:g}" for score in scores.tolist()]
    assert column(widget, "q · k")[0] == "2·2 + 2·2 + 0·0 + 0·0"

    following.click()
    assert column(widget, "score ÷ √dₖ")[0] == "8 ÷ 2"
    assert column(widget, "scaled") == [f"{score / 2:g}" for score in scores.tolist()]

    following.click()
    total = (scores / 2).exp().sum()
    assert column(widget, "eˣ ÷ sum")[0] == f"54.60 ÷ {total:.2f}"
    expect_weights(widget, x, TIRED_AT)
    assert column(widget, "score") == [f"{score:g}" for score in scores.tolist()]  # stays in sight

    following.click()
    weights, context = weights_of(x, TIRED_AT)
    assert column(widget, "paved")[3] == f"{weights[3]:.2f}"

    following.click()
    expect(following).to_be_disabled()
    expect(widget.get_by_role("status")).to_have_text(
        "New vector of tired: furry {:.2f}, paved {:.2f}.".format(*context)
    )
    expect(widget.locator("tfoot td:visible").last).to_have_text(f"{context[1]:.2f}")


def test_the_twin_flips_to_the_street_and_back(open_page):
    widget = six_steps(open_page(PAGE))
    step_button(widget, 4).click()
    widget.get_by_label("宽 wide").check()
    expect(widget.get_by_role("status")).to_contain_text("(street)")
    expect_weights(widget, toy_vectors(TWIN), TIRED_AT)
    widget.get_by_label("累 tired").check()
    expect_weights(widget, toy_vectors(SENTENCE), TIRED_AT)


def test_any_word_can_be_the_query_and_one_that_looks_for_nothing_takes_all_alike(open_page):
    widget = six_steps(open_page(PAGE))
    step_button(widget, 4).click()
    word(widget, "street").click()
    expect_weights(widget, toy_vectors(SENTENCE), 3)
    word(widget, "state").click()
    expect(widget.get_by_role("status")).to_have_text("All words get the same weight from (state).")
    expect_weights(widget, toy_vectors(SENTENCE), STATE_AT)


def test_an_edited_vector_changes_everything_in_place_until_reset(open_page):
    widget = six_steps(open_page(PAGE))
    step_button(widget, 4).click()
    cell = widget.locator("tbody td:visible .aw-cell").first.element_handle()
    write(widget.get_by_label("thing"), "-1.5")
    x = toy_vectors(SENTENCE)
    x[ANIMAL_AT, 0] = -1.5
    expect_weights(widget, x, TIRED_AT)
    assert cell.evaluate("node => node.isConnected")

    # The twin keeps what was edited, and another word can be edited too.
    widget.get_by_label("宽 wide").check()
    widget.get_by_label("word", exact=True).select_option("wide")
    expect(widget.get_by_label("describes")).to_have_value("1")
    write(widget.get_by_label("describes"), "0.5")
    x = toy_vectors(TWIN)
    x[ANIMAL_AT, 0] = -1.5
    x[TIRED_AT, 3] = 0.5
    expect_weights(widget, x, TIRED_AT)

    widget.get_by_role("button", name="Reset vectors").click()
    expect_weights(widget, toy_vectors(TWIN), TIRED_AT)
    expect(widget.get_by_label("describes")).to_have_value("1")


def test_an_entry_that_does_not_count_is_marked_and_then_gives_way(open_page):
    widget = six_steps(open_page(PAGE))
    step_button(widget, 4).click()
    flat = widget.get_by_label("flat")
    for typed in ("", "4", "-3.5", "1e9"):
        write(flat, typed)
        expect(flat).to_have_attribute("aria-invalid", "true")
        expect_weights(widget, toy_vectors(SENTENCE), TIRED_AT)
        flat.blur()
        expect(flat).to_have_value("0")
        expect(flat).not_to_have_attribute("aria-invalid", "true")


def test_the_keyboard_alone_is_enough(open_page):
    page = open_page(PAGE)
    widget = six_steps(page)
    widget.get_by_label("累 tired").focus()
    page.keyboard.press("ArrowRight")  # the twin
    page.keyboard.press("Tab")  # the query word
    expect(word(widget, "wide")).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(word(widget, "too")).to_be_focused()
    expect(word(widget, "too")).to_be_checked()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Tab")  # the steps
    for number in range(1, 4):
        expect(step_button(widget, number)).to_have_attribute("aria-current", "step")
        page.keyboard.press("ArrowRight")
    expect(step_button(widget, 4)).to_be_focused()
    expect_weights(widget, toy_vectors(TWIN), TIRED_AT)

    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(widget.get_by_role("button", name="Next")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")  # the last step: the button goes out, the focus must not be lost
    expect(step_button(widget, 6)).to_be_focused()

    widget.get_by_label("thing").focus()
    page.keyboard.press("ArrowUp")
    expect(widget.get_by_label("thing")).to_have_value("1.5")
    x = toy_vectors(TWIN)
    x[ANIMAL_AT, 0] = 1.5
    expect(widget.locator(".six-number").first).to_have_text(f"{weights_of(x, TIRED_AT)[0][0]:.3f}")


def test_exactly_one_word_and_one_step_are_current(open_page):
    widget = six_steps(open_page(PAGE))
    for number in (3, 6, 1):
        step_button(widget, number).click()
        expect(widget.locator("[aria-current]")).to_have_count(1)
        expect(widget.locator('.six-word[aria-checked="true"]')).to_have_count(1)
        expect(widget).to_contain_text(f"Step {number} of 6")


def test_on_a_phone_nothing_is_wider_than_the_screen(open_page):
    page = open_page(PAGE, width=360)
    widget = six_steps(page)
    for number in range(1, 7):
        step_button(widget, number).click()
        table = widget.get_by_role("group", name="The step in numbers")
        assert table.evaluate("node => node.scrollWidth - node.clientWidth") <= 2
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
    for control in widget.locator("button:visible, input[type=number], select").all():
        assert control.bounding_box()["height"] >= 24


def test_nothing_moves_for_those_who_asked_for_less_motion(open_page):
    durations = (
        "node => [null, '::after'].map((part) => getComputedStyle(node, part).transitionDuration)"
    )
    moving = six_steps(open_page(PAGE)).locator(".six-word").first
    assert "0.2s" in moving.evaluate(durations)[1]
    still = six_steps(open_page(PAGE, reduced_motion="reduce")).locator(".six-word").first
    assert still.evaluate(durations) == ["0s", "0s"]


def test_python_can_drive_it_and_text_stays_text(open_page):
    page = open_page("notation.html")
    python = SixSteps()
    kernel = Kernel(page, python)
    kernel.set(
        words=[{"zh": "狼", "gloss": "<b>wolf</b>"}, *python.words[1:]],
        embeddings=[[1, 1.5, 0, 0, 1, 0], *python.embeddings[1:]],
        selected=6,
        step=2,
    )
    widget = six_steps(page)
    expect(widget).to_contain_text("Highest score: 10 (<b>wolf</b>).")
    expect(widget.locator("b")).to_have_count(0)
    shown = widget.inner_text()
    assert kernel.stop() == 0
    kernel.set(step=5)
    assert widget.inner_text() == shown  # the view no longer listens


def test_the_page_confronts_a_guess_and_checks_the_exercises(open_page):
    page = open_page(PAGE)
    asked = page.get_by_role("group", name="Predict, then read on").first
    asked.get_by_label(re.compile("What share")).fill("0.5")
    asked.get_by_role("button", name="This is my guess").click()
    answer = page.locator("details.answer").first
    expect(answer).to_contain_text("✗ Not quite. You guessed: 0.5")
    expect(answer).to_contain_text("0.787")

    wolf = page.get_by_role("group", name="Exercise 1")
    wolf.get_by_role("textbox").fill("10")
    wolf.get_by_role("button", name="Check").click()
    expect(wolf).to_contain_text("✓ Right.")

    beast = torch.tensor([1.0, 1.5, 0.0, 0.0, 1.0, 0.0], dtype=torch.float64)
    x = torch.stack([beast, *toy_vectors((STREET, WIDE))])
    scores = (x @ W_Q) @ (x @ W_K).T
    filled = page.get_by_role("group", name="Exercise 2")
    for box, score in zip(filled.get_by_role("textbox").all(), scores.flatten(), strict=True):
        box.fill(f"{score:g}")
    filled.get_by_role("button", name="Check").click()
    expect(filled).to_contain_text("✓ Right.")

    dirty = page.get_by_role("group", name="Exercise 3")
    dirty.get_by_label("the row “describes” of W_q becomes (2, 0, 0, −2)").check()
    dirty.get_by_role("button", name="Check").click()
    expect(dirty).to_contain_text("A query can also say what it doesn't want")
