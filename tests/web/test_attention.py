"""The page of chapter "attention" and its explorer, by mouse, by finger and by keyboard."""

import pytest
import torch
from playwright.sync_api import Locator, Page, expect

from attnsteps.running_example import ANIMAL, STREET, TIRED, W_K, W_Q, W_V, toy_embeddings
from attnsteps.widgets import AttentionExplorer
from attnsteps.widgets.spelling import spelling_vector
from tests.browser import touch
from tests.kernel import Kernel

PAGE = "07_attention.html"
EMPTY = "genindex.html"  # a page without widgets
ENGLISH = "the animal did not cross the street because it was too tired"


def explorer(page: Page) -> Locator:
    return page.get_by_role("group", name="Attention explorer", exact=True)


def typed(page: Page) -> Locator:
    """Put an explorer of typed words, which the chapter doesn't show, on a page without widgets."""
    Kernel(page, AttentionExplorer())
    return explorer(page)


def words_field(widget: Locator) -> Locator:
    return widget.get_by_label("Your words")


def table(widget: Locator, name: str) -> Locator:
    return widget.locator(f".ax-{name} table")


def numbers(widget: Locator, name: str) -> list[list[float]]:
    """Read the numbers of a table's visible cells."""
    texts = table(widget, name).evaluate(
        """table => [...table.tBodies[0].rows].filter(row => !row.hidden).map(row =>
             [...row.querySelectorAll("td:not([hidden])")].map(cell => cell.textContent))"""
    )
    return [[float(text.replace("−", "-").replace("∞", "inf")) for text in row] for row in texts]


def cell(widget: Locator, name: str, row: int, column: int) -> Locator:
    return (
        table(widget, name)
        .locator("tbody tr")
        .nth(row)
        .locator("td")
        .nth(column)
        .get_by_role("button")
    )


def worked(widget: Locator) -> Locator:
    return widget.locator(".ax-worked")


def assert_shows(widget: Locator, expected: AttentionExplorer) -> None:
    """Hold the three tables on the page to the package, as far as they are rounded."""
    vectors = torch.stack([spelling_vector(word) for word in expected.words])
    scores = vectors @ vectors.T / (2 if expected.scale else 1)
    if expected.mask == "causal":
        scores = scores.masked_fill(~torch.ones_like(scores, dtype=torch.bool).tril(), -torch.inf)
    want = {
        "scores": scores,
        "weights": expected.weights,
        "context": expected.weights @ vectors,
    }
    for name, values in want.items():
        shown = torch.tensor(numbers(widget, name), dtype=torch.float64)
        torch.testing.assert_close(shown, values, atol=0.0051, rtol=0)


def test_it_starts_with_the_running_sentence_and_the_packages_numbers(open_page):
    widget = typed(open_page(EMPTY))
    assert words_field(widget).input_value() == "动物 没有 过 马路 因为 太 累 了"
    assert_shows(widget, AttentionExplorer())


def test_words_mask_and_scale_change_the_numbers_to_the_packages(open_page):
    widget = typed(open_page(EMPTY))
    words_field(widget).fill("tired tried  street 马路 ")
    assert_shows(widget, AttentionExplorer("tired tried street 马路"))
    assert numbers(widget, "weights")[0] == numbers(widget, "weights")[1]
    widget.get_by_label("causal").check()
    assert_shows(widget, AttentionExplorer("tired tried street 马路", mask="causal"))
    widget.get_by_label("divide by").uncheck()
    assert_shows(widget, AttentionExplorer("tired tried street 马路", mask="causal", scale=False))
    widget.get_by_role("button", name="English").click()
    assert words_field(widget).input_value() == ENGLISH
    assert_shows(widget, AttentionExplorer(ENGLISH, mask="causal", scale=False))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "",
            "At least 2 words, please, with a space between them. You still see the 8 from before.",
        ),
        ("alone", "At least 2 words, please"),
        ("a b c d e f g h i j k l m", "That makes 13 words; at most 12 fit."),
    ],
)
def test_too_few_or_too_many_words_keep_the_last_that_worked(open_page, text, message):
    widget = typed(open_page(EMPTY))
    before = numbers(widget, "weights")
    words_field(widget).fill(text)
    expect(widget.get_by_text(message)).to_be_visible()
    assert numbers(widget, "weights") == before
    assert words_field(widget).input_value() == text
    cell(widget, "weights", 1, 1).hover()
    assert words_field(widget).input_value() == text
    words_field(widget).fill("a b c d e f g h i j k l")
    expect(widget.get_by_text("12 words")).to_be_visible()
    assert len(numbers(widget, "weights")) == 12
    cell(widget, "weights", 11, 11).click()
    words_field(widget).fill("a b")
    expect(widget.locator(".ax-weights [tabindex='0']:visible")).to_have_count(1)


def test_typed_html_stays_text(open_page):
    page = open_page(EMPTY)
    page.on("dialog", lambda dialog: pytest.fail(f"a script ran: {dialog.message}"))
    widget = typed(page)
    words_field(widget).fill("<img src=x onerror=alert(1)>")
    expect(widget.get_by_role("columnheader", name="<img", exact=True).first).to_be_visible()
    cell(widget, "weights", 0, 1).click()
    expect(worked(widget)).to_contain_text("Query: <img. Key: src=x.")
    assert widget.locator("img").count() == 0


def test_every_step_of_a_cell_is_written_out(open_page):
    page = open_page(EMPTY)
    x = toy_embeddings((ANIMAL, STREET, TIRED))
    names = ["animal", "street", "tired"]
    Kernel(
        page,
        AttentionExplorer.from_tensors(names, x @ W_Q, x @ W_K, x @ W_V, selected=(2, 0)),
    )
    widget = explorer(page)
    expect(words_field(widget)).to_have_count(0)
    expect(worked(widget)).to_have_text(
        "Query: tired. Key: animal."
        "q · k = 2.00·2.00 + 2.00·2.00 + 0.00·0.00 + 0.00·0.00 = 8.00"
        "score = 8.00 ÷ √4 = 4.00"
        "exp(4.00) = 54.60"
        "weight = 54.60 ÷ (54.60 + 7.39 + 7.39) = 54.60 ÷ 69.38 = 0.787"
    )
    widget.get_by_label("divide by").uncheck()
    expect(worked(widget)).to_contain_text("score = 8.00, not divided")
    expect(worked(widget)).to_contain_text("exp(8.00 − 8.00) = 1.00, after subtracting the row’s")
    expect(worked(widget)).to_contain_text("1.00 ÷ (1.00 + 0.02 + 0.02) = 1.00 ÷ 1.04 = 0.965")
    widget.get_by_label("causal").check()
    cell(widget, "scores", 0, 1).hover()
    expect(worked(widget)).to_contain_text("The mask hides this key: the score becomes −∞")
    expect(cell(widget, "scores", 0, 1)).to_have_text("−∞")
    expect(cell(widget, "weights", 0, 1)).to_have_text("0.00")
    cell(widget, "context", 2, 0).hover()
    expect(worked(widget)).to_contain_text("Context of tired, entry 1.")
    expect(worked(widget)).to_contain_text("0.96·1.00 + 0.02·1.00 + 0.02·0.00 = 0.98")


def test_a_press_pins_a_cell_until_it_is_pressed_again(open_page):
    page = open_page("genindex.html")
    Kernel(page, AttentionExplorer("a b c"))
    widget = page.get_by_role("group", name="Attention explorer", exact=True)
    cell(widget, "weights", 0, 1).click()
    for view in ("weights", "context"):
        cell(widget, view, 2, 2).hover()
        expect(worked(widget)).to_contain_text("Query: a. Key: b.")
    cell(widget, "context", 1, 0).click()
    cell(widget, "weights", 2, 2).hover()
    expect(worked(widget)).to_contain_text("Context of b, entry 1.")
    cell(widget, "context", 1, 0).click()
    cell(widget, "weights", 2, 2).hover()
    expect(worked(widget)).to_contain_text("Query: c. Key: c.")


def test_by_keyboard_alone(open_page):
    page = open_page(EMPTY)
    widget = typed(page)
    words_field(widget).focus()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("ab cd ab")
    for _ in range(3):  # past the two buttons to the mask
        page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    assert_shows(widget, AttentionExplorer("ab cd ab", mask="causal"))
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    assert_shows(widget, AttentionExplorer("ab cd ab", mask="causal", scale=False))
    page.keyboard.press("Tab")  # the first cell of the scores
    expect(worked(widget)).to_contain_text("Query: ab. Key: ab.")
    page.keyboard.press("ArrowDown")
    expect(worked(widget)).to_contain_text("Query: cd. Key: ab.")
    page.keyboard.press("ArrowRight")
    expect(worked(widget)).to_contain_text("Query: cd. Key: cd.")
    expect(cell(widget, "scores", 1, 1)).to_be_focused()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")  # the table ends here
    expect(cell(widget, "scores", 0, 1)).to_be_focused()
    page.keyboard.press("Tab")
    expect(cell(widget, "weights", 0, 0)).to_be_focused()


def test_on_a_phone_one_table_at_a_time_and_no_overflow(open_page):
    page = open_page(EMPTY, width=360, has_touch=True)
    widget = typed(page)
    for name in ("scores", "context", "weights"):
        widget.get_by_label(name, exact=True).check()
        for other in ("scores", "weights", "context"):
            expect(table(widget, other)).to_be_visible(visible=other == name)
    touch(widget.get_by_role("button", name="English"))
    page.mouse.move(0, 0)  # else scrolling would put a cell under the mouse that a tap emulates
    touch(cell(widget, "weights", 11, 1))
    expect(worked(widget)).to_contain_text("Query: tired. Key: animal.")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    small = widget.locator("button:visible, input:visible").evaluate_all(
        """nodes => nodes.map(node => node.getBoundingClientRect())
             .filter(box => box.width < 24 || box.height < 24).length"""
    )
    assert small == 0


def test_many_words_show_one_table_also_on_a_wide_page(open_page):
    widget = typed(open_page(EMPTY))
    expect(widget.get_by_text("Show:")).to_be_hidden()
    expect(table(widget, "scores")).to_be_visible()
    words_field(widget).fill(ENGLISH)
    expect(widget.get_by_text("Show:")).to_be_visible()
    expect(table(widget, "scores")).to_be_hidden()
    expect(table(widget, "weights")).to_be_visible()


def test_typing_keeps_the_cells_in_place_and_shows_the_right_numbers(open_page):
    widget = typed(open_page(EMPTY))
    field = words_field(widget)
    field.fill(ENGLISH)
    everything = "table => [...table.querySelectorAll('tr, th, td, button')]"
    names = ("scores", "weights", "context")
    before = {name: table(widget, name).evaluate_handle(everything) for name in names}
    field.press("End")
    for _ in "tired":
        field.press("Backspace")
    assert_shows(widget, AttentionExplorer(ENGLISH.removesuffix(" tired")))
    field.press_sequentially("wide")
    assert_shows(widget, AttentionExplorer(ENGLISH.replace("tired", "wide")))
    for name, nodes in before.items():
        same = f"""(table, before) => {{
          const now = ({everything})(table);
          return now.length === before.length && now.every((node, i) => node === before[i]);
        }}"""
        assert table(widget, name).evaluate(same, nodes), f"{name}: a cell was made anew"


def test_a_kernel_drives_it_and_hears_of_it(open_page):
    page = open_page("notation.html")
    kernel = Kernel(page, AttentionExplorer("a b c"))
    widget = explorer(page)
    expect(words_field(widget)).to_have_value("a b c")
    expect(worked(widget).locator("p").first).to_have_text("Query: a. Key: a.")
    assert_shows(widget, AttentionExplorer("a b c"))
    kernel.set(words=["two", "words"], selected=[1, 0])
    expect(words_field(widget)).to_have_value("two words")
    expect(worked(widget).locator("p").first).to_have_text("Query: words. Key: two.")
    assert_shows(widget, AttentionExplorer("two words"))
    cell(widget, "weights", 0, 0).click()
    assert kernel.get("selected") == kernel.saved("selected")[-1] == [0, 0]
    assert kernel.stop() == 0
    kernel.set(words=["not", "seen", "any", "more"])
    assert_shows(widget, AttentionExplorer("two words"))


def test_the_closed_exercises_are_graded(open_page):
    page = open_page(PAGE)
    first = page.get_by_role("group", name="Exercise 1")
    for place, value in enumerate(["0", "0", "0", "0", "1", "0", "0,0", "1/4", ".75"]):
        first.get_by_role("textbox").nth(place).fill(value)
    first.get_by_role("button", name="Check").click()
    expect(first.get_by_text("✓ Right.")).to_be_visible()

    second = page.get_by_role("group", name="Exercise 2")
    second.get_by_role("button", name="Check").click()
    expect(second.get_by_text("✗ Not yet.")).to_be_visible()

    third = page.get_by_role("group", name="Exercise 3")
    third.get_by_label("in each sentence, its own paddings are hidden").check()
    third.get_by_role("button", name="Check").click()
    expect(third.get_by_text("✗ Not yet. That was meant.")).to_be_visible()
    third.get_by_label("query 1 gets the row of sentence 1").check()
    third.get_by_role("button", name="Check").click()
    expect(third.get_by_text("✓ Right.")).to_be_visible()


def test_the_guesses_are_confronted(open_page):
    page = open_page(PAGE)
    asked = page.get_by_role("group", name="Predict, then read on")
    asked.nth(0).get_by_role("textbox").fill("0.016")
    asked.nth(1).get_by_role("radio").nth(3).check()
    for which in range(2):
        asked.nth(which).get_by_role("button", name="This is my guess").click()
    answers = page.locator("details.answer").get_by_role("status")
    expect(answers.nth(0)).to_have_text("✗ Not quite. You guessed: 0.016")
    expect(answers.nth(1)).to_have_text("✓ Right. You guessed: All three.")
