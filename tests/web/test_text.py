"""The chapter on text in a real browser: tokens, merges and ids are those of the package."""

from itertools import pairwise

import pytest
from playwright.sync_api import Locator, Page, expect

from attnsteps.text.byte_pairs import BytePairs
from attnsteps.text.vocab import PAD
from attnsteps.widgets import TokenizerLab
from attnsteps.widgets.text import KINDS, LESSONS, PENCIL_WORDS
from tests.kernel import Kernel

PAGE = "02_text.html"
FIRST = ["动物没有过马路，因为太累了", "马路太宽了", "蜘蛛累了"]
LESSON = "Chinese"
OWN = ["the animal was tired", "累了，太累了", "zebra 🙂 ！"]


def lab_on(page: Page) -> Locator:
    lab = page.get_by_role("group", name="Tokenizer", exact=True)
    lab.scroll_into_view_if_needed()
    return lab


@pytest.fixture
def lab(open_page) -> Locator:
    return lab_on(open_page(PAGE))


def expect_lab(lab: Locator, wanted: TokenizerLab) -> None:
    """Compare the batch, token by token and id by id, with what Python makes of it."""
    ends = (["<bos>"], ["<eos>"]) if wanted.ends else ([], [])
    rows = [ends[0] + tokens + ends[1] for tokens in wanted.tokens]
    width = len(wanted.batch[0])
    tokens = ["␣".join(t.split(" ")) for row in rows for t in row + [PAD] * (width - len(row))]
    cells = lab.get_by_role("table", name="The batch").locator("tbody td:not([hidden])")
    expect(cells.locator(".tk-id")).to_have_text([str(i) for row in wanted.batch for i in row])
    expect(cells.locator(".tk-token")).to_have_text(tokens)
    vocab = wanted.vocabulary
    unknown = [t for row in wanted.tokens for t in row if t in vocab.unknown([t])]
    ids = [i for row in wanted.batch for i in row]
    padding = ids.count(0)
    expect(lab.locator(".aw-status")).to_contain_text(
        f"3 × {width} = {len(ids)} ids, {padding} of them padding"
    )
    column = KINDS.index(wanted.kind)
    compared = lab.get_by_role("table", name="Split in three ways").locator("tbody tr")
    share = int(100 * padding / len(ids) + 0.5)
    for row, value in enumerate(
        (len(ids) - padding, width, f"{share} %", len(unknown), len(vocab))
    ):
        expect(compared.nth(row).locator("td").nth(column)).to_have_text(str(value))


def type_in(lab: Locator, sentences: list[str]) -> None:
    for i, text in enumerate(sentences):
        lab.get_by_label(f"Sentence {i + 1}").fill(text)


@pytest.mark.parametrize("sentences", [None, OWN], ids=["first", "own"])
def test_every_way_to_split(lab, sentences):
    if sentences:
        type_in(lab, sentences)
    for on in (False, True):
        lab.get_by_label("begin and end tokens").set_checked(on)
        lab.get_by_label("normalise").set_checked(on)
        for kind in KINDS:
            lab.get_by_label(kind, exact=True).check()
            arguments = {"kind": kind, "lesson": LESSON, "ends": on, "folded": on}
            expect_lab(lab, TokenizerLab(sentences or FIRST, **arguments))


def test_merges_step_by_step(lab):
    learned = BytePairs.learn(PENCIL_WORDS, 60).merges
    lab.get_by_label("character pairs", exact=True).check()
    lab.get_by_label("the chapter's words", exact=True).check()
    lab.get_by_role("slider").fill("5")
    back, forth = (lab.get_by_role("button", name=name) for name in ("Undo merge", "Next merge"))
    first = lab.locator(".tk-list").nth(0).locator("li").nth(0)
    for n, (left, right) in enumerate(learned[5:], start=5):
        split = map(BytePairs(learned[:n]).tokenize, PENCIL_WORDS)
        times = sum((left, right) == pair for tokens in split for pair in pairwise(tokens))
        expect(first).to_have_text(f"{left} + {right}  {times}×")
        expect(lab.locator(".tk-chips li:visible")).to_have_count(n)
        forth.click()
    expect(first).to_have_text("nothing is left to merge")
    expect(forth).to_be_disabled()
    expect(back).to_be_focused()
    expect_lab(lab, TokenizerLab(FIRST, kind="character pairs", num_merges=60))
    for _ in learned:
        back.click()
    expect(back).to_be_disabled()
    expect(forth).to_be_focused()
    expect(first).to_have_text("a + t  9×")
    expect_lab(lab, TokenizerLab(FIRST, kind="character pairs", num_merges=0))


def test_byte_pairs_from_every_text(lab):
    type_in(lab, OWN)
    lab.get_by_label("character pairs", exact=True).check()
    slider = lab.get_by_role("slider")
    for lesson in LESSONS:
        lab.get_by_label(lesson, exact=True).check()
        slider.fill(str(min(23, int(slider.get_attribute("max")))))
        expect_lab(lab, TokenizerLab(OWN, kind="character pairs", lesson=lesson, num_merges=23))


def test_what_spells_html_or_an_end_sign_stays_text(lab):
    texts = ["<img src=x onerror=alert(1)>", "<eos>", "<pad><b>the</b>"]
    type_in(lab, texts)
    expect_lab(lab, TokenizerLab(texts, lesson=LESSON))
    assert lab.locator("img, b").count() == 0
    expect(lab.locator(".aw-status")).to_contain_text("✗ Unknown")


def test_nothing_typed(lab):
    type_in(lab, ["", "", ""])
    expect(lab.locator(".aw-status")).to_have_text(
        "3 × 0 = 0 ids, 0 of them padding (0 %). ✓ No unknown token."
    )
    type_in(lab, ["the", "", ""])
    expect_lab(lab, TokenizerLab(["the", "", ""], lesson=LESSON))


def test_the_examples(lab):
    lab.get_by_role("button", name="Running sentence").click()
    expect(lab.get_by_label("Sentence 2")).to_have_value("动物没有过马路，因为太宽了")
    expect(lab.locator(".aw-status")).to_contain_text("✓ No unknown token.")
    for name, token in (("Unknown words", "zebra"), ("Full width", "Animal")):
        lab.get_by_role("button", name=name).click()
        expect(lab.locator(".aw-status")).to_contain_text(f"“{token}”")
    lab.get_by_label("normalise").check()
    expect(lab.locator(".aw-status")).to_contain_text("✓ No unknown token.")


def test_by_keyboard_alone(lab):
    page = lab.page
    lab.get_by_label("words", exact=True).focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(lab.get_by_label("character pairs", exact=True)).to_be_checked()
    page.keyboard.press("Tab")  # to the choice of text
    page.keyboard.press("Tab")
    expect(lab.get_by_role("slider")).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect_lab(lab, TokenizerLab(FIRST, kind="character pairs", lesson=LESSON, num_merges=6))
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect_lab(lab, TokenizerLab(FIRST, kind="character pairs", lesson=LESSON, num_merges=7))


def test_typing_updates_in_place(lab):
    kept = lab.evaluate(
        """(root) => {
          const nodes = [...root.querySelectorAll("*")];
          const input = root.querySelector("input[type=text]");
          input.value = "the street was wide";
          input.dispatchEvent(new Event("input", { bubbles: true }));
          return nodes.every((node) => node.isConnected);
        }"""
    )
    assert kept
    sentences = ["the street was wide", *FIRST[1:]]
    expect_lab(lab, TokenizerLab(sentences, lesson=LESSON))


def test_python_can_drive_it_and_take_it_away(open_page):
    page = open_page("notation.html")
    kernel = Kernel(page, TokenizerLab())
    lab = lab_on(page)
    kernel.set(kind="characters", sentences=["ab", "a", ""])
    expect_lab(lab, TokenizerLab(["ab", "a", ""], kind="characters"))
    expect(lab.get_by_label("Sentence 1")).to_have_value("ab")
    assert kernel.saved("folded") == []
    lab.get_by_label("normalise").check()
    assert kernel.saved("folded") == [True]
    assert kernel.stop() == 0


def test_on_a_phone_in_the_dark(open_page):
    page = open_page(PAGE, width=360, color_scheme="dark", reduced_motion="reduce")
    lab = lab_on(page)
    lab.get_by_label("character pairs", exact=True).check()
    for control in lab.locator("input, button").all():
        box = control.bounding_box()
        assert min(box["width"], box["height"]) >= 24
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 360
    compared = lab.get_by_role("group", name="Split in three ways")
    assert compared.evaluate("(e) => e.scrollWidth <= e.clientWidth")
    expect_lab(lab, TokenizerLab(FIRST, kind="character pairs", lesson=LESSON))
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_guess_is_met_again(open_page):
    page = open_page(PAGE)
    guess = page.get_by_role("group", name="Predict, then read on").first
    guess.get_by_role("textbox").fill("25")
    guess.get_by_role("button", name="This is my guess").click()
    met = page.locator("details.answer").first
    expect(met.get_by_role("status")).to_contain_text("✓")


def test_the_exercises_take_the_right_answers(open_page):
    page = open_page(PAGE)
    first, second, third = (page.get_by_role("group", name=f"Exercise {i}") for i in (1, 2, 3))
    first.get_by_label("c + at", exact=True).check()
    fields = second.get_by_role("textbox").all()
    for field, value in zip(fields, [1, 5, 3, 0, 0, 5, 3, 2, 0, 0], strict=True):
        field.fill(str(value))
    third.get_by_label("l at er", exact=True).check()
    for exercise in (first, second, third):
        exercise.get_by_role("button", name="Check").click()
        expect(exercise.get_by_role("status")).to_contain_text("✓")
