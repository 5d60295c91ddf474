"""The chapter on saying all words at once, in a real browser: the race gives Python's words."""

import pytest
from playwright.sync_api import Locator, Page, expect

from attnsteps.translator.trained import Trained, pretrained
from attnsteps.widgets.live_model import RUNNING
from attnsteps.widgets.non_autoregressive import word_edits

PAGE = "18_non_autoregressive.html"
READY = "performance.getEntriesByName('attnsteps:race-ready').length >= {count}"
NAMES = ["Greedy, no cache", "Greedy, with cache", "Beam of 4", "All at once", "Mask-predict"]
OTHER = "男孩太累了"


@pytest.fixture(scope="module")
def models() -> list[Trained]:
    return [pretrained(name) for name in ("zh_en", "zh_en_one_shot", "zh_en_mask_predict")]


def race_on(page: Page) -> Locator:
    widget = page.get_by_role("group", name="The race", exact=True)
    widget.scroll_into_view_if_needed()
    page.wait_for_function(READY.format(count=1))
    return widget


@pytest.fixture
def widget(open_page) -> Locator:
    return race_on(open_page(PAGE, reduced_motion="reduce"))


def line(widget: Locator) -> Locator:
    return widget.get_by_role("combobox")


def finished(models, text, *, length_factor=1.0, iterations=4) -> list[list[str]]:
    """What each of the five gives in Python."""
    writer, one_shot, refiner = models
    refined = {"iterations": iterations, "num_lengths": 1, "length_factor": length_factor}
    ways = [
        (writer, {"search": "greedy", "use_cache": False}),
        (writer, {"search": "greedy"}),
        (writer, {"search": "beam", "beam_width": 4}),
        (one_shot, {"search": "all_at_once", "length_factor": length_factor}),
        (refiner, {"search": "mask_predict", **refined}),
    ]
    return [trained.translate([text], **options)[0].tokens for trained, options in ways]


def joined(words: list[str]) -> str:
    """Put words together as the models' tokenizer does."""
    return pretrained().tgt_tokenizer.detokenize(words)


def expect_finished(widget, found):
    for n, words in enumerate(found):
        expect(widget.locator(".ra-words").nth(n)).to_have_text(joined(words))
        expect(cell(widget, n, 0)).to_have_text(str(len(words)))


def cell(widget: Locator, row: int, column: int) -> Locator:
    return widget.locator(".ra-table tbody tr").nth(row).locator("td").nth(column)


def steps(widget: Locator) -> Locator:
    return widget.get_by_role("slider", name="Step", exact=True)


def test_five_translations_as_in_python_with_their_steps(widget, models):
    found = finished(models, RUNNING)
    expect_finished(widget, found)
    expect(widget.locator(".ra-name")).to_have_text(NAMES)
    for n, taken in enumerate([len(found[0]) + 1, len(found[1]) + 1, None, 1, 4]):
        if taken is not None:
            expect(cell(widget, n, 1)).to_have_text(str(taken))
    costs = [float(cell(widget, n, 2).inner_text()) for n in range(5)]
    assert costs[0] > 2 * costs[1]
    assert costs[2] > 2 * costs[1]
    assert costs[3] < costs[4]


def test_errors_are_counted_against_greedy_where_no_reference_is_known(widget, models):
    line(widget).fill(OTHER)
    found = finished(models, OTHER)
    expect_finished(widget, found)
    for n, words in enumerate(found):
        expect(cell(widget, n, 4)).to_have_text(str(word_edits(words, found[1])))
    expect(widget.locator("caption")).to_contain_text("greedy’s translation")


def test_shuffle_brings_a_sentence_of_the_corpus(widget):
    widget.page.evaluate("Math.random = () => 0")  # chance that would draw the same one each time
    for _ in range(3):
        before = line(widget).input_value()
        widget.get_by_role("button", name="Shuffle").click()
        expect(line(widget)).not_to_have_value(before)
        expect(widget.locator("caption")).to_contain_text("a correct translation")


@pytest.mark.parametrize("factor", [0.6, 1.3])
def test_the_length_dial_moves_the_two_that_have_one(widget, models, factor):
    dial = widget.get_by_role("slider", name="Length", exact=True)
    dial.focus()
    for _ in range(round(abs(factor - 1) * 10)):
        dial.press("ArrowRight" if factor > 1 else "ArrowLeft")
    expect_finished(widget, finished(models, RUNNING, length_factor=factor))


def test_mask_predict_takes_as_many_passes_as_asked_for(widget, models):
    dial = widget.get_by_role("slider", name="Passes of mask-predict")
    dial.focus()
    dial.press("Home")
    expect_finished(widget, finished(models, RUNNING, iterations=1))
    expect(cell(widget, 4, 1)).to_have_text("1")


def test_the_race_can_be_stepped_through_by_keyboard(widget, models):
    found = finished(models, RUNNING)
    steps(widget).focus()
    steps(widget).press("Home")
    expect(widget.locator(".ra-words").nth(1)).to_have_text("")
    steps(widget).press("ArrowRight")
    expect(widget.locator(".ra-words").nth(1)).to_have_text(found[1][0])
    expect(widget.locator(".ra-words").nth(3)).to_have_text(joined(found[3]))
    expect(widget.locator(".ra-state").nth(3)).to_contain_text("done in 1")
    steps(widget).press("ArrowRight")
    expect(widget.locator(".ra-words").nth(1)).to_have_text(joined(found[1][:2]))
    expect(widget.locator(".ra-state").nth(1)).to_have_text(f"step 2 of {len(found[1]) + 1}")


def test_start_runs_to_the_end(open_page, models):
    widget = race_on(open_page(PAGE))
    steps(widget).focus()
    steps(widget).press("Home")
    widget.get_by_role("button", name="Start the race").click()
    expect(widget.locator(".ra-lane.ra-done")).to_have_count(5)
    expect_finished(widget, finished(models, RUNNING))


def test_start_shows_the_end_at_once_where_motion_is_not_wanted(widget):
    steps(widget).focus()
    steps(widget).press("Home")
    expect(widget.locator(".ra-lane.ra-done")).to_have_count(0)
    start = widget.get_by_role("button", name="Start the race")
    done = """(button) => {
      button.click();
      return button.closest(".attnsteps-widget").querySelectorAll(".ra-lane.ra-done").length;
    }"""
    assert start.evaluate(done) == 5  # before the click's handler returns


def test_what_is_typed_stays_text_and_unknown_words_are_named(widget):
    line(widget).fill("<b>x</b>太累了")
    expect(widget.get_by_role("status").first).to_contain_text("Not among the 191 words")
    assert widget.locator("b").count() == 0


def test_nothing_and_too_much_are_said_to_be(widget):
    line(widget).fill("")
    expect(widget.get_by_role("status").first).to_contain_text("nothing to translate")
    expect(widget.locator(".ra-lanes")).to_be_hidden()
    line(widget).fill("太" * 25)
    expect(widget.get_by_role("status").first).to_contain_text("so at most 24 fit")
    line(widget).fill(RUNNING)
    expect(widget.locator(".ra-lanes")).to_be_visible()


def test_a_phone_shows_it_without_scrolling_the_page(open_page):
    page = open_page(PAGE, width=360)
    race_on(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
