"""The interventions in the page: every number as the package has it, by mouse, finger and keys."""

import re

import pytest
import torch
from playwright.sync_api import Locator, expect

from attnsteps import Knockout, knocked_out
from attnsteps.translator.trained import Trained, pretrained
from attnsteps.widgets.inside import GIRL, GIRL_TWIN, Interventions
from tests.browser import bring_to_life, touch

PAGE = "19_inside.html"
READY = "performance.getEntriesByName('attnsteps:inside-ready').length"
WEIGHTS = re.compile(r"_static/widgets/weights-.*\.bin")
PRONOUN = 8  # the place of "she" in the first sentence's translation


@pytest.fixture(scope="module")
def trained() -> Trained:
    return pretrained()


@pytest.fixture
def inside(open_page):
    """The widget of a fresh page, with the first sentence read and every head tried."""

    def open_(**options: object) -> Locator:
        page = open_page(PAGE, reduced_motion="reduce", **options)
        page.wait_for_function(f"{READY} > 0")
        return page.get_by_role("group", name="Interventions", exact=True)

    return open_


def settled(root: Locator, act) -> None:
    """Do something, and wait until all that follows from it is on the page."""
    before = root.page.evaluate(READY)
    act()
    root.page.wait_for_function(f"{READY} > {before}")


def said(trained: Trained, text: str, *knockouts: Knockout) -> str:
    with knocked_out(trained.model, *knockouts):
        return trained.translate([text], use_cache=False)[0].text


def table(text: str, *knockouts: Knockout) -> torch.Tensor:
    """What the package gives the pronouns at their place, whole and now: (pronouns, 2)."""
    widget = Interventions(text=text, knockouts=knockouts)
    ids = widget._trained.tgt_vocab.ids(widget.pronouns)
    whole, now = (each[PRONOUN, ids] for each in widget.probabilities())
    return torch.stack([whole, now], dim=1)


def shown_table(root: Locator) -> torch.Tensor:
    rows = root.locator(".in-table tbody tr").all()
    return torch.tensor([[percent(cell) for cell in row.locator("td").all()] for row in rows])


def percent(cell: Locator) -> float:
    text = cell.inner_text()
    return 0.0 if text.startswith("<") else float(text.removesuffix(" %")) / 100


def assert_shows(root: Locator, trained: Trained, text: str, *knockouts: Knockout) -> None:
    """Compare the sentence and the table with the package; percents are rounded."""
    expect(root.locator(".tr-output")).to_contain_text(said(trained, text, *knockouts))
    wanted = table(text, *knockouts)
    torch.testing.assert_close(shown_table(root), wanted, atol=0.0051, rtol=0)


def head(root: Locator, name: str) -> Locator:
    return root.get_by_role("button", name=re.compile(f"^{re.escape(name)}: o"))


def test_it_starts_whole(inside, trained):
    root = inside()
    assert_shows(root, trained, GIRL)
    expect(root.locator(".in-head[aria-pressed=true]")).to_have_count(0)
    expect(root.locator(".in-head")).to_have_count(24)
    expect(root.locator(".tr-output")).to_contain_text("The whole model writes:")
    shares = [percent(each) for each in root.locator(".lo-target .lo-share").all()]
    widget = Interventions(text=GIRL)
    found = trained.translate([GIRL])[0]
    ids = [*trained.tgt_vocab.ids(found.tokens), trained.tgt_vocab.eos_id]
    wanted = widget.probabilities()[0][torch.arange(len(ids)), ids]
    assert shares == pytest.approx(wanted.tolist(), abs=0.0051)


def test_a_head_is_turned_off_and_on_again(inside, trained):
    root = inside()
    for name, knockout in (
        ("encoder, layer 1, head 2", Knockout("encoder", 0, 1)),
        ("decoder, its own words, layer 1, head 1", Knockout("decoder", 0, 0)),
        ("decoder, to the source, layer 2, head 3", Knockout("cross", 1, 2)),
    ):
        alone = percent(head(root, name).locator(".in-share"))  # promised before it is pressed
        settled(root, head(root, name).click)
        expect(head(root, name)).to_have_attribute("aria-pressed", "true")
        assert_shows(root, trained, GIRL, knockout)
        wanted = float(table(GIRL, knockout)[2, 1])  # she
        assert alone == pytest.approx(wanted, abs=0.0051)
        settled(root, head(root, name).click)
        assert_shows(root, trained, GIRL)


def test_a_layer_goes_at_once_and_the_translation_with_it(inside, trained):
    root = inside()
    layer = root.get_by_role("button", name="decoder, to the source, layer 2: all heads")
    settled(root, layer.click)
    expect(root.locator(".in-head[aria-pressed=true]")).to_have_count(4)
    expect(layer).to_have_attribute("aria-pressed", "true")
    assert_shows(root, trained, GIRL, Knockout("cross", layer=1))
    assert said(trained, GIRL, Knockout("cross", layer=1)) != said(trained, GIRL)
    expect(root.locator(".tr-output mark").first).to_be_visible()
    settled(root, root.get_by_role("button", name="Restore everything").click)
    assert_shows(root, trained, GIRL)


def test_pressing_a_source_word_cuts_it_off_and_the_twin_keeps_the_cut(inside, trained):
    root = inside()
    cut = Knockout("cross", query=PRONOUN, key=7)
    settled(root, root.locator(".lo-source .lo-word").nth(7).click)
    assert_shows(root, trained, GIRL, cut)
    expect(root.locator(".lo-source .lo-word").nth(7)).to_be_focused()
    expect(root.locator(".in-chip")).to_have_text(re.compile("she → 累"))
    settled(root, root.get_by_role("button", name=re.compile("^宽")).click)
    assert_shows(root, trained, GIRL_TWIN, cut)
    settled(root, root.locator(".in-chip").click)
    assert_shows(root, trained, GIRL_TWIN)
    expect(root.get_by_role("button", name="Restore everything")).to_be_focused()


def test_what_is_pressed_while_a_sentence_is_on_its_way_goes_with_it(inside, trained):
    root = inside()
    twin = root.get_by_role("button", name=re.compile("^宽")).element_handle()
    root.evaluate("(root, twin) => { twin.click(); root.querySelector('.in-head').click(); }", twin)
    expect(root.locator(".lo-source .lo-word").nth(7)).to_contain_text("宽")
    assert_shows(root, trained, GIRL_TWIN, Knockout("encoder", 0, 0))


def test_an_edge_is_chosen_by_keyboard_alone(inside, trained):
    root = inside()
    root.get_by_label("In", exact=True).select_option("decoder, its own words")
    root.get_by_label("layer", exact=True).select_option("1")
    root.get_by_label("from").select_option(label="9 she")
    root.get_by_label("to", exact=True).select_option(label="9 because")
    button = root.get_by_role("button", name="Cut this edge")
    button.focus()
    settled(root, lambda: root.page.keyboard.press("Enter"))
    assert_shows(root, trained, GIRL, Knockout("decoder", layer=0, query=PRONOUN, key=8))
    assert root.get_by_label("to", exact=True).locator("option").count() == 9  # none ahead


def test_another_word_can_be_asked_about(inside):
    root = inside()
    settled(root, root.locator(".lo-target .lo-word").nth(4).click)
    expect(root.locator(".in-table caption")).to_contain_text("Word 5, after “not”")
    expect(root.locator(".in-table tbody th").first).to_have_text("cross")
    expect(root.get_by_text("how probable “cross” would be")).to_be_visible()


def test_another_pair_drops_the_edges_and_keeps_the_heads(inside, trained):
    root = inside()
    settled(root, head(root, "decoder, to the source, layer 2, head 3").click)
    settled(root, root.locator(".lo-source .lo-word").nth(7).click)
    settled(root, root.get_by_role("button", name="Another pair").click)
    expect(root.locator(".in-chip")).to_have_count(0)
    expect(root.locator(".in-head[aria-pressed=true]")).to_have_count(1)
    text = root.get_by_role("combobox", name=re.compile("A sentence")).input_value()
    assert text not in (GIRL, GIRL_TWIN)
    found = said(trained, text, Knockout("cross", 1, 2))
    expect(root.locator(".tr-output")).to_contain_text(found)


def test_what_is_typed_stays_text_and_what_is_unknown_is_named(inside):
    root = inside()
    line = root.get_by_role("combobox", name=re.compile("A sentence"))
    line.fill("太<img src=x onerror=alert(1)>累")
    expect(root.get_by_text("words this model knows:")).to_contain_text("<")
    expect(root.locator("img")).to_have_count(0)
    line.fill("")
    expect(root.get_by_text("There is nothing to translate yet.")).to_be_visible()
    expect(root.locator(".in-grids")).to_be_hidden()
    line.fill("太" * 30)
    expect(
        root.get_by_text("That makes 30 words and marks; this model has learned")
    ).to_be_visible()
    settled(root, root.get_by_role("button", name=re.compile("^宽")).click)
    expect(root.locator(".in-grids")).to_be_visible()


def test_it_fits_a_phone_and_every_target_is_large_enough(inside):
    root = inside(width=360, color_scheme="dark", has_touch=True)
    assert root.page.evaluate("document.documentElement.scrollWidth") <= 360
    settled(root, lambda: touch(root.locator(".lo-source .lo-word").nth(7)))
    small = root.evaluate(
        """(root) => [...root.querySelectorAll("button, select, input")].filter((each) => {
             const box = each.getBoundingClientRect();
             return box.width > 0 && (box.width < 24 || box.height < 24);
           }).map((each) => each.outerHTML)"""
    )
    assert small == []
    assert root.page.evaluate("document.documentElement.scrollWidth") <= 360


def test_it_works_with_the_network_off_once_loaded(inside, trained):
    root = inside()
    root.page.context.set_offline(True)
    settled(root, root.get_by_role("button", name=re.compile("^宽")).click)
    assert_shows(root, trained, GIRL_TWIN)


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("flipped", "The weights are damaged"),
        ("missing", "The weights could not be fetched. Reloading the page may help."),
    ],
)
def test_damaged_weights_give_a_message(browser, site, kind, message):
    page = browser.new_page()

    def answer(route):
        if kind == "missing":
            route.fulfill(status=404)
            return
        body = bytearray(route.fetch().body())
        body[-1000] ^= 4
        route.fulfill(body=bytes(body))

    page.route(WEIGHTS, answer)
    page.goto(f"{site}{PAGE}")
    bring_to_life(page)
    root = page.get_by_role("group", name="Interventions", exact=True)
    root.scroll_into_view_if_needed()
    expect(root.get_by_text(message)).to_be_visible()
    expect(root.locator(".in-grids")).to_be_hidden()
    page.close()
