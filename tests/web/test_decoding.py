"""The chapter on decoding: its folded translator writes what the package writes."""

from playwright.sync_api import expect

from attnsteps import pretrained

PAGE = "17_decoding.html"


def test_the_folded_translator_writes_what_the_package_writes(open_page):
    page = open_page(PAGE, reduced_motion="reduce")
    button = page.get_by_role("button", name="Shuffle")
    expect(button).to_be_hidden()
    fold = page.locator("details", has_text="force another word").last
    fold.locator("summary").first.click()
    button.scroll_into_view_if_needed()
    (expected,) = pretrained("zh_en").translate(["昨天她去了商店"])
    shown = page.locator(".aw").filter(has=button)
    for word in expected.tokens:
        expect(shown.get_by_text(word, exact=True).first).to_be_visible()
