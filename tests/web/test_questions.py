"""Predict and Exercise, wherever they stand: answered by mouse and by keyboard, and remembered."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser import Tab
from tests.web.test_pages import CHAPTERS

EXERCISE = ".aw:has(summary:text-is('Solution'))"
PREDICT = ".aw:has(button:text-is('This is my guess'))"


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


def test_without_a_guess_the_answer_waits(page):
    box = page.locator(".aw:has-text('Your prediction')").first
    expect(box.get_by_text("Answer:")).to_be_hidden()
    box.get_by_role("button", name="Show the answer").click()
    expect(box.get_by_text("Answer:")).to_be_visible()


def test_exercises_are_checked_by_keyboard_alone(page):
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
        check = exercise.get_by_role("button", name="Check")
        for _ in range(60):
            if check.evaluate("(e) => e === document.activeElement"):
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
    expect(page.get_by_text("You guessed:").first).to_be_visible()
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
    expect(page.locator(PREDICT).first.get_by_role("status")).to_contain_text("remembered")
    expect(page.get_by_text("You guessed:").first).to_be_visible()
    expect(page.locator(EXERCISE).get_by_text("✓ Right.")).to_have_count(count)
