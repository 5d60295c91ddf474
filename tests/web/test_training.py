"""The chapter on training and its time machine, against the package's numbers."""

import re
from itertools import product

import pytest
import torch
from playwright.sync_api import Locator, Page, expect

from attnsteps.translator.trained import ASSETS, Trained
from attnsteps.widgets import TimeMachine
from attnsteps.widgets.training import SHIPPED
from tests.browser import bring_to_life, touch
from tests.kernel import Kernel

PAGE = "16_training.html"
RUNNING = "动物没有过马路，因为太累了"
TWIN = RUNNING.replace("累", "宽")
READY = "performance.getEntriesByName('attnsteps:time-machine-ready').length > 0"
WEIGHTS = re.compile(r"_static/widgets/weights-.*\.bin")


@pytest.fixture(scope="module")
def models() -> list[Trained]:
    return [Trained.load(path) for path in sorted(ASSETS.glob(SHIPPED))]


@pytest.fixture(scope="module")
def widget() -> TimeMachine:
    """The same widget in Python: its steps and losses."""
    return TimeMachine()


def machine(page: Page) -> Locator:
    """The time machine, which loads its models when the reader comes near."""
    root = page.get_by_role("group", name="Time-machine", exact=True)
    root.scroll_into_view_if_needed()
    page.wait_for_function(READY)
    return root


@pytest.fixture
def still(open_page):
    """The time machine of a page that does not move, with its first sentence translated."""

    def open_(**options: object) -> Locator:
        return machine(open_page(PAGE, reduced_motion="reduce", **options))

    return open_


def dial(root: Locator) -> Locator:
    return root.get_by_role("slider", name="Moment")


def line(root: Locator) -> Locator:
    return root.get_by_role("combobox")


def rows(root: Locator) -> Locator:
    return root.locator(".tm-list tbody tr")


def shortened(text: str) -> str:
    words = text.split(" ")
    return (
        text or "(nothing)" if len(words) <= 14 else f"{' '.join(words[:9])} … ({len(words)} words)"
    )


def said(models: list[Trained], text: str) -> list[str]:
    return [shortened(each.translate([text])[0].text) for each in models]


def forced(trained: Trained, last: Trained, text: str) -> tuple[torch.Tensor, dict]:
    """The last moment's words, read by an earlier model: their probabilities, and its weights."""
    words = last.translate([text])[0].tokens
    ids = [*last.tgt_vocab.ids(words), last.tgt_vocab.eos_id]
    src_ids = torch.tensor([trained.src_vocab.ids(trained.src_tokenizer.tokenize(text))])
    tgt_in = torch.tensor([[trained.tgt_vocab.bos_id, *ids[:-1]]])
    with torch.no_grad():
        logits, weights = trained.model(src_ids, tgt_in, need_weights=True)
    logits[..., [trained.tgt_vocab.pad_id, trained.tgt_vocab.bos_id]] = -torch.inf
    if trained.model.config.mask_id is not None:
        logits[..., trained.model.config.mask_id] = -torch.inf
    return logits[0].softmax(-1)[torch.arange(len(ids)), ids], weights._asdict()


def percents(texts: list[str]) -> list[float]:
    return [0.0 if text.startswith("<") else float(text.removesuffix(" %")) / 100 for text in texts]


def test_every_moment_says_what_the_package_says(still, models, widget):
    root = still()
    expect(rows(root)).to_have_count(len(models))
    assert rows(root).locator(".tm-said").all_inner_texts() == said(models, RUNNING)
    assert rows(root).locator(".tm-pick").all_inner_texts() == [str(n) for n in widget.steps]
    losses = [float(text) for text in rows(root).locator(".tm-loss").all_inner_texts()]
    assert losses == pytest.approx(widget.losses, abs=0.0051)
    root.get_by_role("button", name="Swap").click()
    expect(line(root)).to_have_value(TWIN)
    expect(rows(root).locator(".tm-said").last).to_have_text(said(models[-1:], TWIN)[0])
    assert rows(root).locator(".tm-said").all_inner_texts() == said(models, TWIN)


def test_the_slider_moves_through_the_moments_by_keyboard_alone(still, models, widget):
    root = still()
    texts = said(models, RUNNING)
    dial(root).focus()
    root.page.keyboard.press("Home")
    for n in (0, 1, 2):
        expect(root.locator(".tr-output")).to_have_text(texts[n])
        spoken = f"after {widget.steps[n]} updates: loss {widget.losses[n]:.2f}"
        expect(dial(root)).to_have_attribute("aria-valuetext", spoken)
        expect(rows(root).nth(n).locator(".tm-pick")).to_have_attribute("aria-pressed", "true")
        expect(root.locator(".tm-pick[aria-pressed=true]")).to_have_count(1)
        expect(root.locator(".tr-news")).to_have_text(
            f"After {widget.steps[n]} updates: {texts[n]}"
        )
        root.page.keyboard.press("ArrowRight")
    root.page.keyboard.press("End")
    expect(root.locator(".tr-output")).to_have_text(texts[-1])


def test_a_moment_is_chosen_in_the_list_and_on_the_curve(still, models):
    root, last = still(), len(models) - 1
    root.get_by_role("button", name="after 400 updates").click()
    expect(dial(root)).to_have_value("6")
    plot = root.locator(".tm-plot")
    box = plot.bounding_box()  # it moves once more when the moment's translation is there
    plot.click(position={"x": box["width"] * 9 / last + 3, "y": box["height"] / 2})
    expect(dial(root)).to_have_value("9")
    expect(root.locator(".tm-dot.tm-here")).to_have_count(1)


def test_the_words_of_the_last_moment_have_the_packages_probabilities(still, models):
    root = still()
    for moment in (0, 6, 11):
        dial(root).fill(str(moment))
        probabilities, _ = forced(models[moment], models[-1], RUNNING)
        shown = percents(root.locator(".lo-target .lo-share").all_inner_texts())
        assert shown == pytest.approx(probabilities.tolist(), abs=0.006)
        loss = float(root.locator(".tr-heading").inner_text().rsplit(" ", 1)[1])
        assert loss == pytest.approx(float(-probabilities.log().mean()), abs=0.006)


LABELS = {
    "cross": "to the source",
    "decoder": "to the words before",
    "encoder": "within the source",
}


def matrix(table: Locator) -> list[list[float]]:
    """Read a table of percents; empty cells are what cannot be seen from there."""
    cells = table.evaluate(
        """table => [...table.tBodies[0].rows].map((row) =>
             [...row.querySelectorAll("td")].map((cell) => cell.textContent))"""
    )
    return [[float(text) / 100 for text in row if text] for row in cells]


def test_every_head_is_shown_with_the_packages_weights(still, models):
    root = still()
    root.get_by_text("The weights as numbers").click()
    for moment, kind in product((3, 11), LABELS):
        dial(root).fill(str(moment))
        root.get_by_label(LABELS[kind]).check()
        _, weights = forced(models[moment], models[-1], RUNNING)
        heads = torch.cat([layer[0] for layer in weights[kind]])  # (N * H, Tq, Tk)
        heads = [heads.mean(0), *heads]
        tiles = root.locator(".tm-tile")
        expect(tiles).to_have_count(len(heads))
        shown = percents(tiles.locator(".tr-share").all_inner_texts())
        assert shown == pytest.approx([float(head.amax(-1).mean()) for head in heads], abs=0.006)
        for n in (0, 2, len(heads) - 1):
            tiles.nth(n).click()
            expect(tiles.nth(n)).to_have_attribute("aria-pressed", "true")
            for got, row in zip(matrix(root.locator(".wt table")), heads[n], strict=True):
                assert got == pytest.approx(row[: len(got)].tolist(), abs=0.0051)
            cells = tiles.nth(n).locator("rect")
            r, c = (
                heads[n].argmax().item() // heads[n].shape[1],
                heads[n].argmax().item() % len(row),
            )
            cell = cells.nth(r * heads[n].shape[1] + c)
            assert float(cell.get_attribute("opacity")) == pytest.approx(
                float(heads[n].max()), abs=0.006
            )


def test_pressing_a_source_word_shows_where_it_looked(still):
    root = still()
    root.locator(".lo-source .lo-word").nth(7).click()
    expect(root.get_by_label(LABELS["encoder"])).to_be_checked()
    expect(root.locator(".lo-source .lo-word").nth(7)).to_have_attribute("aria-pressed", "true")
    root.locator(".lo-target .lo-word").nth(2).focus()
    root.page.keyboard.press("Enter")
    expect(root.get_by_label(LABELS["cross"])).to_be_checked()
    expect(root.locator(".lo-target .lo-word").nth(2)).to_have_attribute("aria-pressed", "true")


def test_what_is_typed_stays_text_and_what_is_unknown_is_named(still):
    root = still()
    line(root).fill("太<img src=x onerror=alert(1)>累")
    expect(root.get_by_text("words this model knows:")).to_contain_text("<")
    expect(root.locator("img")).to_have_count(0)
    line(root).fill("")
    expect(root.get_by_text("There is nothing to translate yet.")).to_be_visible()
    expect(root.locator(".tm-list")).to_be_hidden()
    line(root).fill("太" * 30)
    expect(
        root.get_by_text("That makes 30 words and marks; this model has learned")
    ).to_be_visible()
    root.get_by_role("button", name="Shuffle").click()
    expect(root.locator(".tm-list")).to_be_visible()
    expect(root.get_by_text("words this model knows:")).to_be_hidden()


def test_it_plays_to_the_end_and_stops_and_never_where_no_motion_is_wanted(open_page, still):
    expect(still().get_by_role("button", name="Play")).to_be_hidden()
    root = machine(open_page(PAGE))
    root.locator(".tm-when").scroll_into_view_if_needed()
    root.get_by_role("button", name="after 1100 updates").click()
    root.locator(".tm-when").scroll_into_view_if_needed()
    root.get_by_role("button", name="Play").click()
    expect(dial(root)).to_have_value("11")
    expect(root.get_by_role("button", name="Play")).to_be_visible()
    root.get_by_role("button", name="Play").click()
    expect(dial(root)).to_have_value("0")
    expect(dial(root)).to_have_value("1")
    root.get_by_role("button", name="Stop").click()
    expect(root.get_by_role("button", name="Play")).to_be_visible()


def test_nothing_is_said_to_run_where_there_is_no_sentence(open_page, widget):
    page = open_page("notation.html")
    Kernel(page, widget)
    root = machine(page)
    root.get_by_role("button", name="Play").click()
    line(root).fill("")
    expect(root.get_by_role("button", name="Play")).to_be_visible()


def test_it_fits_a_phone(still):
    root = still(width=360, color_scheme="dark", has_touch=True)
    assert root.page.evaluate("document.documentElement.scrollWidth") <= 360
    touch(root.locator(".tm-tile").nth(4))
    expect(root.locator(".tm-tile").nth(4)).to_have_attribute("aria-pressed", "true")
    touch(root.get_by_text("The weights as numbers"))
    assert root.page.evaluate("document.documentElement.scrollWidth") <= 360


def test_a_step_of_the_slider_changes_what_is_there_and_makes_nothing_new(still):
    root = still()
    root.get_by_text("The weights as numbers").click()
    made = dial(root).evaluate(
        """(input) => {
          const watcher = new MutationObserver(() => {});
          watcher.observe(input.closest(".aw"), { childList: true, subtree: true });
          for (let n = 0; n < 12; n += 1) {
            input.value = n;
            input.dispatchEvent(new Event("input"));
          }
          return watcher.takeRecords().flatMap(({ addedNodes }) => [...addedNodes])
            .map((node) => node.nodeName).filter((name) => !["#text", "path"].includes(name));
        }"""
    )
    assert made == []


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("cut", "The weights are cut off"),
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
        if kind == "cut":
            body = body[: len(body) * 2 // 3]
        else:
            body[-1000] ^= 4
        route.fulfill(body=bytes(body))

    page.route(WEIGHTS, answer)
    page.goto(f"{site}{PAGE}")
    bring_to_life(page)
    root = page.get_by_role("group", name="Time-machine", exact=True)
    root.scroll_into_view_if_needed()
    expect(root.get_by_text(message)).to_be_visible()
    expect(root.locator(".tm-list")).to_be_hidden()
    page.close()


def test_it_works_with_the_network_off_once_loaded(still, models):
    root = still()
    root.page.context.set_offline(True)
    root.get_by_role("button", name="Swap").click()
    expect(rows(root).locator(".tm-said").last).to_have_text(said(models[-1:], TWIN)[0])


def test_a_kernel_drives_it_hears_of_it_and_takes_it_away(open_page, models, widget):
    page = open_page("notation.html", reduced_motion="reduce")
    kernel = Kernel(page, widget)
    root = machine(page)
    first, second = (each.text for each in models[-1].translate([RUNNING, "太累了"]))
    kernel.set(moment=11)
    expect(dial(root)).to_have_value("11")
    assert kernel.get("translation") == kernel.saved("translation")[-1] == first
    kernel.set(text="太累了")
    expect(rows(root).locator(".tm-said").last).to_have_text(second)
    assert kernel.get("translation") == second
    dial(root).fill("2")
    assert kernel.get("moment") == 2
    assert kernel.stop() == 0
