"""Predict and Exercise, wherever they stand: answered by mouse and by keyboard, and remembered."""

import re

import pytest
from playwright.sync_api import expect

from attnsteps.widgets import Exercise, Predict
from tests.browser import Tab, bring_to_life, is_chromium
from tests.kernel import Kernel
from tests.web.test_pages import CHAPTERS

EXERCISE = ".aw:has(summary:text-is('Solution'))"
PREDICT = ".aw:has(button:text-is('This is my guess'))"
ANSWER = "details.answer"


@pytest.fixture(scope="module")
def tab(browser):
    opened = Tab(browser)
    yield opened
    opened.close()


@pytest.fixture(scope="module", params=CHAPTERS)
def page(request, tab, bare_site):
    """Every chapter, opened once: each test asks of it what those before have left alone."""
    yield tab.visit(f"{bare_site}{request.param}")
    assert tab.leave() == []


def give(question) -> None:
    """Answer a question in the first way that it allows."""
    if question.locator("input[type=radio]").count():
        question.locator("input[type=radio]").first.check()
    for field in question.locator("input[type=text]").all():
        field.fill("123456")


def test_without_a_guess_the_answer_waits_to_be_shown(page):
    fold = page.locator(ANSWER).first
    expect(fold.get_by_text("Answer:")).to_be_hidden()
    fold.locator("summary").first.press("Enter")
    expect(fold.get_by_text("Answer:")).to_be_visible()
    expect(fold.get_by_text("You guessed:")).to_be_hidden()
    fold.locator("summary").first.press("Enter")


def test_the_question_and_its_answer_are_one_box(page):
    """The fold is joined to the box above it, and nothing is between the two."""
    sides = """(question) => {
      const fold = document.evaluate(
        "ancestor::div[contains(@class, 'cell ')]/following::details[1]", question, null,
        XPathResult.FIRST_ORDERED_NODE_TYPE).singleNodeValue;
      const [box, below] = [question, fold].map((each) => each.getBoundingClientRect());
      return [[box.bottom, box.left, box.right], [below.top, below.left, below.right]];
    }"""
    for question in page.locator(PREDICT).filter(visible=True).all():
        box, below = question.evaluate(sides)  # in one moment: what is above may still be drawn
        assert below == pytest.approx(box, abs=1.5)


@pytest.mark.parametrize(
    "page",
    [
        name if name[:2] in ("05", "11", "17") else pytest.param(name, marks=pytest.mark.elsewhere)
        for name in CHAPTERS
    ],
    indirect=True,
)
def test_exercises_are_checked_by_keyboard_alone(page):
    """In three chapters with all kinds of exercises; the kinds are alike everywhere."""
    exercises = page.locator(EXERCISE)
    assert exercises.count() >= 2
    for exercise in exercises.all():
        expect(exercise.locator("details[open]")).to_have_count(0)
        first = exercise.locator("input, button:enabled").first
        first.focus()
        if exercise.locator("input[type=radio]").count():
            page.keyboard.press("Space")
        for field in exercise.locator("input[type=text]").all():
            field.focus()
            page.keyboard.type("123456")
        check = exercise.get_by_role("button", name="Check").element_handle()
        for _ in range(60):
            if page.evaluate("(e) => e === document.activeElement", check):
                break
            page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        expect(exercise.get_by_role("status")).to_contain_text(re.compile("Right|Not yet"))


def test_a_guess_is_confronted_and_answers_are_remembered(page):
    """Guess, put each exercise's own answer where the reader's is remembered, and reload."""
    question = page.locator(PREDICT).first
    question.get_by_role("button", name="This is my guess").click()
    if not question.locator(".aw-order").count():
        expect(question.get_by_role("status")).to_contain_text("first")
    give(question)
    question.get_by_role("button", name="This is my guess").click()
    expect(question.get_by_role("status")).to_contain_text("Your guess is remembered")
    fold = page.locator(ANSWER).first
    expect(fold.get_by_text("You guessed:")).to_be_visible()
    expect(fold.get_by_text("Answer:")).to_be_visible()
    count = page.evaluate(
        """() => {
          const tag = document.querySelector('script[type$="widget-state+json"]');
          const models = Object.values(JSON.parse(tag.textContent).state).map((m) => m.state);
          const exercises = models.filter((m) => m.hint);
          for (const { spec, answer } of exercises) {
            localStorage.setItem(`attnsteps:${spec.key}`, JSON.stringify(answer));
          }
          return exercises.length;
        }"""
    )
    page.reload()
    bring_to_life(page)
    expect(page.locator(PREDICT).first.get_by_role("status")).to_contain_text("remembered")
    expect(fold.get_by_text("You guessed:")).to_be_hidden()  # nothing moves when a page opens
    fold.locator("summary").first.click()
    expect(fold.get_by_text("You guessed:")).to_be_visible()
    expect(page.locator(EXERCISE).get_by_text("✓ Right.")).to_have_count(count)


def test_a_number_is_read_as_it_is_written_and_shown_whole(open_page):
    page = open_page("13_encoder.html")
    exercise = page.locator(EXERCISE).filter(has_text="Exercise 1")
    field, says = exercise.get_by_role("textbox"), exercise.get_by_role("status")
    for written, said in {
        "": "Give a complete answer first.",
        "49,984": "Does the comma of 49,984 mark thousands or a fraction? Write 49984 or 49.984.",
        "about 3": "“about 3” cannot be read as a number. Write it like 0.5, 1/2 or 40000.",
        "1/0": "“1/0” cannot be read as a number. Write it like 0.5, 1/2 or 40000.",
        "49984": "✓ Right.",
        "499840/10": "✓ Right.",
        "49,984.0": "✓ Right.",
        "49984,0": "✓ Right.",
        "−49984": "✗ Not yet.",
        "1,049,984": "✗ Not yet.",
        "99968/2": "✓ Right.",
        "99,968/2": "Does the comma of 99,968 mark",
        "49 984": "✓ Right.",
        "−49984/−1": "✓ Right.",
    }.items():
        field.fill(written)
        expect(says).to_have_text("")  # what was said was about the answer before
        exercise.get_by_role("button", name="Check").click()
        expect(says).to_contain_text(said)
    field.fill("49984")
    exercise.get_by_role("button", name="Check").click()
    page.reload()
    bring_to_life(page)
    expect(field).to_have_value("49984")
    exercise.get_by_role("button", name="Check").click()
    expect(says).to_contain_text("✓ Right.")
    exercise.get_by_text("Solution").click()
    expect(exercise.get_by_text("49,984. Attention:")).to_be_visible()


def test_a_percent_sign_is_read_as_the_question_means_it(open_page):
    page = open_page("genindex.html")
    for question, written, read in [
        ("What share do they get?", "70%", "0.7"),
        ("What is the probability?", "12,5 %", "0.125"),
        ("How often is it right, in percent?", "70 %", "70"),
        ("How many per cent go into the last step?", "70％", "70"),
        ("Of 100 ids, how many are padding?", "70%", "70"),
        ("What share do they get?", "%", None),
    ]:
        Kernel(page, Predict("share", question, kind="number"))
        page.get_by_role("textbox").fill(written)
        page.get_by_role("button", name="This is my guess").click()
        said = f"remembered: {read}" if read else "“%” cannot be read as a number."
        exactly = re.compile(rf"{re.escape(said)}( |$)")
        expect(page.get_by_role("status").first).to_contain_text(exactly)


def test_a_guess_reaches_another_tab(open_page):
    page = open_page("genindex.html")
    other = page.context.new_page()
    other.goto(page.url)
    question = Predict("tabs", "How much?", kind="number")
    question.confront(3.0, "It is three.")
    Kernel(page, question)
    Kernel(other, question)
    page.get_by_role("textbox").fill("3")
    page.get_by_role("button", name="This is my guess").click()
    expect(other.get_by_text("✓ Right. You guessed: 3")).to_be_visible()
    expect(other.get_by_role("textbox")).to_have_value("3")
    other.close()


def test_in_a_notebook_the_verdict_waits_for_the_cell_that_computes_the_answer(open_page):
    page = open_page("genindex.html")
    kernel = Kernel(page, Predict("late", "How much?", kind="number"))
    page.get_by_role("textbox").fill("4")
    page.get_by_role("button", name="This is my guess").click()
    expect(page.get_by_text("Your guess is remembered: 4")).to_be_visible()
    expect(page.get_by_text("You guessed:")).to_have_count(0)
    kernel.set(tolerance=0.5, answer=3.0)
    expect(page.get_by_text("✗ Not quite. You guessed: 4")).to_be_visible()
    kernel.set(answer=4.2)
    expect(page.get_by_text("✓ Right. You guessed: 4")).to_be_visible()
    assert kernel.stop() == 0


@pytest.fixture
def unscripted(browser, site):
    """Chapter 6 without scripts: where a question is asked, and the fold with its answer."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    if not is_chromium(page):
        pytest.skip("by WebDriver BiDi the scripts of Firefox can't be switched off")
    page.goto(f"{site}06_softmax.html")
    yield page.locator('[data-widget="predict"] noscript p').first, page.locator(ANSWER).first
    context.close()


def test_without_scripts_the_question_comes_and_then_the_answer(unscripted):
    asked, fold = unscripted
    expect(asked).to_be_visible()
    assert "Now the scores are 14, 12, 12." in asked.evaluate("(e) => e.textContent")
    expect(fold.get_by_text("Answer:")).to_be_hidden()
    fold.locator("summary").click()
    expect(fold.get_by_text("Answer:")).to_be_visible()
    assert asked.bounding_box()["y"] < fold.bounding_box()["y"]


def test_on_paper_the_answer_needs_no_press(unscripted):
    _, fold = unscripted
    expect(fold.get_by_text("Answer:")).to_be_hidden()
    fold.page.emulate_media(media="print")
    expect(fold.get_by_text("Answer:")).to_be_visible()


def test_a_verdict_ends_with_the_answer_that_it_was_about(open_page):
    page = open_page("05_scaling.html")
    ordered = page.locator(EXERCISE).filter(has=page.locator(".aw-order")).first
    ordered.get_by_role("button", name="Check").click()
    expect(ordered.get_by_role("status")).to_contain_text(re.compile("Right|Not yet"))
    ordered.get_by_role("button", name="Move down").first.click()
    expect(ordered.get_by_role("status")).to_have_text("")


@pytest.mark.parametrize("stored", ["[0]", "99", "[[1]]", '"text"', "{}"])
def test_an_answer_to_what_the_question_was_before_is_forgotten(open_page, stored):
    page = open_page("13_encoder.html")
    page.evaluate(
        """(stored) => {
          const tag = document.querySelector('script[type$="widget-state+json"]');
          const models = Object.values(JSON.parse(tag.textContent).state).map((m) => m.state);
          for (const { spec } of models.filter((m) => m.spec && m.spec.kind !== "number")) {
            localStorage.setItem(`attnsteps:${spec.key}`, stored);
          }
        }""",
        stored,
    )
    page.reload()
    bring_to_life(page)
    exercises = page.locator(EXERCISE)
    expect(exercises.first).to_be_visible()
    expect(page.get_by_text("could not start")).to_have_count(0)
    for exercise in exercises.all():
        expect(exercise.get_by_role("status")).to_have_text("")


def test_an_item_goes_all_the_way_with_one_key(open_page):
    page = open_page("05_scaling.html")
    ordered = page.locator(EXERCISE).filter(has=page.locator(".aw-order")).first
    items = ordered.get_by_role("listitem")
    texts, last = items.all_inner_texts(), items.count() - 1
    ordered.get_by_role("button", name="Move down").first.focus()
    for _ in range(last):
        page.keyboard.press("Space")
    assert items.all_inner_texts() == [*texts[1:], texts[0]]
    for _ in range(last):  # where ↓ ends, ↑ has the focus
        page.keyboard.press("Space")
    assert items.all_inner_texts() == texts


def test_a_solution_that_is_a_sentence_ends_once(open_page):
    page = open_page("genindex.html")
    options, texts = ("It stays.", "It goes."), {"hint": "Look.", "explanation": "It did."}
    kinds = {"kind": "choice", "options": options, "feedback": ("Yes.", "No.")}
    Kernel(page, Exercise("ends-once", "Exercise", "Which?", answer=0, **kinds, **texts))
    page.get_by_text("Solution").click()
    expect(page.get_by_text("It stays. It did.")).to_be_visible()
