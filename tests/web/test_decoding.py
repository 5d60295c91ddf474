"""The chapter on decoding: the translator writes in it, and the text says what was measured."""

from playwright.sync_api import expect

from attnsteps import pretrained
from attnsteps.running_example import SENTENCE
from tests.browser import bring_to_life

PAGE = "17_decoding.html"


def test_the_translator_writes_what_the_package_writes(open_page):
    page = open_page(PAGE, reduced_motion="reduce")
    page.locator("details").evaluate_all("folds => folds.forEach((fold) => (fold.open = true))")
    bring_to_life(page)
    zh = [word.zh for word in SENTENCE]
    (expected,) = pretrained("zh_en").translate(["".join(zh[:4]) + "，" + "".join(zh[4:])])
    shown = page.locator(".aw").filter(has=page.get_by_role("button", name="Shuffle"))
    for word in expected.tokens:
        expect(shown.get_by_text(word, exact=True).first).to_be_visible()
