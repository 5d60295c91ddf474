"""The chapter on the encoder, in a real browser: its part of the whole model."""

from playwright.sync_api import expect

PAGE = "13_encoder.html"


def test_it_shows_the_encoder_and_not_the_decoder(open_page):
    page = open_page(PAGE)
    shown = page.locator(".aw").filter(has_text="encoder").first
    expect(shown).to_be_visible()
    assert page.locator(".attnsteps-widget:not([data-ready])").count() == 0
