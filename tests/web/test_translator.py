"""The translator on the landing page: by mouse, finger and keyboard, and where things go wrong."""

import gzip
import json
import re

import pytest
import torch
from playwright.sync_api import Locator, Page, expect

from attnsteps.translator.trained import Trained, pretrained
from attnsteps.widgets import Translator
from tests.browser import SITE
from tests.kernel import Kernel

PAGE = "intro.html"
RUNNING = "动物没有过马路，因为太累了"
READY = "performance.getEntriesByName('attnsteps:translator-ready').length > 0"
OWN = re.compile(r"/_static/(widgets/|mount\.js|book\.css)")

# A notebook has no rule of its own for what is hidden.
WITHOUT_THEME = """() => {
  for (const sheet of document.styleSheets) sheet.disabled = !sheet.href?.includes("/widgets/");
}"""


@pytest.fixture(scope="module")
def trained() -> Trained:
    return pretrained()


def translator(page: Page) -> Locator:
    if place := page.locator("[data-widget=translator]").all():  # none where a kernel shows it
        place[0].scroll_into_view_if_needed()
    page.wait_for_function(READY)
    return page.get_by_role("group", name="Translator", exact=True)


@pytest.fixture
def still(open_page):
    """The translator of a page that does not move, with its first translation there."""

    def open_(**options: object) -> Locator:
        return translator(open_page(PAGE, reduced_motion="reduce", **options))

    return open_


def line(widget: Locator) -> Locator:
    return widget.get_by_role("combobox")


def output(widget: Locator) -> Locator:
    return widget.locator(".tr-output")


def target(widget: Locator, n: int) -> Locator:
    return widget.locator(".lo-target .lo-word").nth(n)


def probability(text: str) -> float:
    """Read "97 %" and "< 0.1 %"."""
    return 0.0005 if text.startswith("<") else float(text.removesuffix(" %")) / 100


def next_probabilities(trained: Trained, words: list[str], source: str) -> torch.Tensor:
    """What the model thinks comes after these words, (V,), computed by the package."""
    src_ids = torch.tensor([trained.src_vocab.ids(trained.src_tokenizer.tokenize(source))])
    tgt_ids = torch.tensor([[trained.tgt_vocab.bos_id, *trained.tgt_vocab.ids(words)]])
    with torch.no_grad():
        logits = trained.model(src_ids, tgt_ids)[0, -1].clone()
    logits[[trained.tgt_vocab.pad_id, trained.tgt_vocab.bos_id]] = -torch.inf
    if trained.model.config.mask_id is not None:
        logits[trained.model.config.mask_id] = -torch.inf
    return logits.softmax(-1)


def test_it_starts_with_the_running_sentence_and_its_twin_is_a_button_away(still, trained):
    widget = still()
    expect(line(widget)).to_have_value(RUNNING)
    expect(output(widget)).to_have_text(trained.translate([RUNNING])[0].text)
    widget.get_by_role("button", name="Swap").click()
    twin = RUNNING.replace("累", "宽")
    expect(line(widget)).to_have_value(twin)
    expect(output(widget)).to_have_text(trained.translate([twin])[0].text)
    widget.get_by_role("button", name="Swap").click()
    expect(line(widget)).to_have_value(RUNNING)
    line(widget).fill("男孩跑")  # neither of the two words is in it
    expect(output(widget)).not_to_have_text(trained.translate([RUNNING])[0].text)
    widget.get_by_role("button", name=f"Back to {RUNNING}").press("Enter")
    expect(line(widget)).to_have_value(RUNNING)


def test_every_word_has_its_reading_its_meaning_and_its_probability(still, trained):
    widget = still()
    first = widget.locator(".lo-source .lo-word").first
    expect(first).to_have_text(re.compile(r"动物\s*dòngwù\s*animal"))
    words = trained.translate([RUNNING])[0].tokens
    for n in (0, 4, len(words)):
        probs = next_probabilities(trained, words[:n], RUNNING)
        shown = probability(target(widget, n).locator(".lo-share").inner_text())
        assert shown == pytest.approx(float(probs.max()), abs=0.006)


def test_a_word_shows_its_alternatives_and_another_one_rewrites_the_rest(still, trained):
    widget = still()
    target(widget, 2).click()
    words = trained.translate([RUNNING])[0].tokens
    probs = next_probabilities(trained, words[:2], RUNNING)
    offered = widget.get_by_role("group", name="What it could say here").get_by_role("button")
    expect(offered).to_have_count(5)
    names = trained.tgt_vocab.tokens(probs.topk(5).indices.tolist())
    shown = offered.locator(".tr-alternative-word").all_inner_texts()
    assert [name.replace("(end)", "<eos>") for name in shown] == names
    assert probability(offered.locator(".tr-share").first.inner_text()) == pytest.approx(
        float(probs.max()), abs=0.006
    )

    offered.nth(1).click()
    expect(target(widget, 2).locator(".lo-main")).to_have_text(shown[1])
    expect(target(widget, 2)).to_contain_text("✎")
    ids = [*trained.tgt_vocab.ids(words[:2]), int(probs.topk(2).indices[1])]
    while ids[-1] != trained.tgt_vocab.eos_id and len(ids) < 28:
        so_far = trained.tgt_vocab.tokens(ids)
        ids.append(int(next_probabilities(trained, so_far, RUNNING).argmax()))
    rest = trained.tgt_vocab.tokens(ids[:-1] if ids[-1] == trained.tgt_vocab.eos_id else ids)
    expect(output(widget)).to_have_text(trained.tgt_tokenizer.detokenize(rest))

    widget.get_by_role("button", name="Let the model choose again").click()
    expect(output(widget)).to_have_text(trained.translate([RUNNING])[0].text)
    expect(target(widget, 2)).not_to_contain_text("✎")
    expect(offered.first).to_be_focused()

    offered.nth(1).click()
    expect(target(widget, 2)).to_contain_text("✎")
    line(widget).focus()
    line(widget).evaluate("(input) => input.setSelectionRange(3, 3)")
    for _ in range(2):  # the caret stays where the reader is writing
        widget.page.keyboard.press("Backspace")
    expect(line(widget)).to_have_value(RUNNING[:1] + RUNNING[3:])
    expect(widget.locator(".lo-target")).not_to_contain_text("✎")


def numbers(table: Locator) -> list[list[float]]:
    """Read a table of percents; empty cells are what cannot be seen from there."""
    rows = table.evaluate(
        """table => [...table.tBodies[0].rows].map((row) =>
             [...row.querySelectorAll("td")].map((cell) => cell.textContent))"""
    )
    return [[float(text) / 100 for text in row if text] for row in rows]


@pytest.mark.parametrize("kind", ["cross", "decoder", "encoder"])
def test_every_head_of_every_layer_is_shown_with_the_packages_weights(still, trained, kind):
    labels = {
        "cross": "to the source",
        "decoder": "to the words before",
        "encoder": "within the source",
    }
    widget = still()
    target(widget, 5).click()
    widget.get_by_label(labels[kind]).check()
    query = 5
    if kind == "encoder":
        query = 7
        widget.locator(".lo-source .lo-word").nth(query).click()
    found = trained.translate([RUNNING], need_weights=True)[0]
    layers = torch.stack([layer[0] for layer in getattr(found.weights, kind)])  # (N, H, Tq, Tk)
    heads = layers.flatten(0, 1)
    by_head, by_word = widget.locator(".wt table").all()
    rows = torch.cat([heads.mean(0, keepdim=True), heads])[:, query]
    for shown, row in zip(numbers(by_head), rows, strict=True):
        assert shown == pytest.approx(row[: len(shown)].tolist(), abs=0.0051)
    assert len(numbers(by_head)[0]) == (query + 1 if kind == "decoder" else layers.shape[-1])

    by_head.get_by_role("button", name="the average of all heads").click()
    for n, shown in enumerate(numbers(by_word)):
        mean = heads.mean(0)[n, : len(shown)]
        assert shown == pytest.approx(mean.tolist(), abs=0.0051)
    last_layer, last_head = layers.shape[0], layers.shape[1]
    by_head.get_by_role("button", name=f"layer {last_layer}, head {last_head}").click()
    for n, shown in enumerate(numbers(by_word)):
        assert shown == pytest.approx(heads[-1, n, : len(shown)].tolist(), abs=0.0051)
    threads = widget.locator(".lo-thread:not(.lo-far)")
    drawn = (heads[-1, query] >= 0.04).sum()
    expect(threads).to_have_count(int(drawn))


def test_it_starts_with_the_head_that_is_most_decided(still, trained):
    widget = still()
    found = trained.translate([RUNNING], need_weights=True)[0]
    layers = torch.stack([layer[0] for layer in found.weights.cross])  # (N, H, T, S)
    best = int(layers.amax(-1).sum(-1).argmax())
    name = f"layer {best // layers.shape[1] + 1}, head {best % layers.shape[1] + 1}"
    expect(widget.get_by_role("button", name=name)).to_have_attribute("aria-pressed", "true")
    expect(widget.locator(".tr-legend")).to_contain_text(f"through {name}.")


def test_a_source_word_shows_where_it_looked_itself(still):
    widget = still()
    widget.locator(".lo-source .lo-word").nth(7).click()
    expect(widget.get_by_label("within the source")).to_be_checked()
    expect(widget.get_by_text("Where “累” looked")).to_be_visible()
    target(widget, 1).click()
    expect(widget.get_by_label("to the source")).to_be_checked()
    expect(widget.get_by_text("Where “animal” looked")).to_be_visible()


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("", "There is nothing to translate yet."),
        ("   ", "There is nothing to translate yet."),
        ("累" * 25, "That makes 25 words and marks; this model has learned from short sentences"),
    ],
)
def test_nothing_and_too_much_are_said(still, typed, message):
    widget = still()
    line(widget).fill(typed)
    expect(widget.get_by_text(message)).to_be_visible()
    expect(output(widget)).to_be_hidden()
    widget.page.evaluate(WITHOUT_THEME)
    expect(widget.locator("[hidden]").first).to_be_attached()
    expect(widget.locator("[hidden]:visible")).to_have_count(0)
    line(widget).fill(RUNNING)
    expect(output(widget)).to_be_visible()
    expect(widget.get_by_text(message)).to_be_hidden()


def test_unknown_words_are_named_and_typed_html_stays_text(still, trained):
    widget = still()
    widget.page.on("dialog", lambda dialog: pytest.fail(f"a script ran: {dialog.message}"))
    line(widget).fill("constructor太累")  # a name that every object of JavaScript has
    expect(widget.get_by_text("words this model knows: constructor")).to_be_visible()
    line(widget).fill("龘没有过马路<img src=x onerror=alert(1)>")
    line(widget).press("Escape")
    said = widget.get_by_text("words this model knows:")
    expect(said).to_contain_text("龘, <, img, src")
    expect(said).to_contain_text(f"{len(trained.src_vocab) - 5} words")
    expect(widget.locator(".lo-unknown").first).to_contain_text("unknown")
    assert widget.locator("img").count() == 0
    text = "龘没有过马路<img src=x onerror=alert(1)>"
    expect(output(widget)).to_have_text(trained.translate([text])[0].text)


def test_words_are_found_by_pinyin_and_by_meaning_with_the_keyboard_alone(still):
    widget = still()
    page = widget.page
    line(widget).fill("")
    line(widget).press_sequentially("dongwu")
    listed = widget.get_by_role("listbox", name="Words the model knows")
    expect(listed).to_be_visible()
    expect(line(widget)).to_have_attribute("aria-expanded", "true")
    expect(listed.get_by_role("option").first).to_have_text("动物 dòngwù animal")
    page.keyboard.press("Enter")
    expect(line(widget)).to_have_value("动物")
    page.keyboard.type("tired")
    expect(listed.get_by_role("option", name="累")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Enter")
    expect(line(widget)).to_have_value("动物累")
    expect(listed).to_be_hidden()
    page.keyboard.type("zz")
    page.keyboard.press("Escape")
    expect(line(widget)).to_have_value("动物累zz")
    expect(widget.get_by_text("words this model knows: zz")).to_be_visible()
    line(widget).fill("太累了")
    page.keyboard.type("lei")
    expect(listed).to_be_visible()
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")  # what was looked for no longer stands before the caret
    expect(line(widget)).to_have_value("太累了lei")
    expect(listed).to_be_hidden()
    expect(line(widget)).not_to_have_attribute("aria-activedescendant", re.compile("."))


def test_a_finger_can_take_a_word_from_the_list(still):
    widget = still(width=360, has_touch=True)
    line(widget).fill("")
    line(widget).press_sequentially("animal")
    widget.get_by_role("option", name="动物").tap()
    expect(line(widget)).to_have_value("动物")
    assert widget.page.evaluate("document.documentElement.scrollWidth") <= 360


def test_everything_can_be_reached_by_keyboard(still):
    widget = still()
    page = widget.page
    line(widget).focus()
    seen = set()
    for _ in range(80):
        page.keyboard.press("Tab")
        seen.add(page.evaluate("document.activeElement.classList[0] ?? ''"))
    assert {"aw-button", "lo-word", "tr-alternative", "wt-pick"} <= seen
    target(widget, 3).focus()
    page.keyboard.press("Enter")
    expect(target(widget, 3)).to_have_attribute("aria-pressed", "true")
    expect(widget.get_by_text("Word 4 could be")).to_be_visible()


def test_the_focus_stays_while_the_model_chooses_again(open_page, trained):
    page = open_page("notation.html")
    Kernel(page, Translator(trained, text=RUNNING, forced={0: "was"}, look_at="nowhere"))
    again = translator(page).get_by_role("button", name="Let the model choose again")
    expect(again).to_be_enabled()
    again.press("Enter")
    offered = page.get_by_role("group", name="What it could say here")
    expect(again).to_be_hidden()
    expect(page.locator(":focus").and_(offered.locator(":scope, button"))).to_have_count(1)


def test_shuffle_draws_sentences_that_the_model_knows(still):
    widget = still()
    seen = {line(widget).input_value()}
    for _ in range(4):
        before = line(widget).input_value()
        widget.get_by_role("button", name="Shuffle").click()
        expect(line(widget)).not_to_have_value(before)
        seen.add(line(widget).input_value())
        expect(widget.get_by_text("words this model knows:")).to_be_hidden()
    assert len(seen) >= 4


def test_words_come_one_by_one_unless_the_reader_wants_no_motion(open_page):
    page = open_page(PAGE)
    widget = translator(page)
    widget.scroll_into_view_if_needed()
    count = "document.querySelectorAll('.lo-target .lo-hidden').length"
    page.wait_for_function(f"{count} === 0")
    page.evaluate(
        """() => { window.seen = new Set();
          const look = () => { window.seen.add(document.querySelectorAll('.lo-hidden').length);
            requestAnimationFrame(look); }; look(); }"""
    )
    widget.get_by_role("button", name="Replay").click()
    page.wait_for_function("window.seen.size > 8")
    page.wait_for_function(f"{count} === 0")
    page.emulate_media(reduced_motion="reduce")
    page.evaluate("window.seen.clear()")
    widget.get_by_role("button", name="Replay").click()
    page.wait_for_timeout(500)  # in which five words would have come
    assert page.evaluate("[...window.seen]") == [0]


def test_without_workers_it_runs_in_the_page(browser, site):
    page = browser.new_context(reduced_motion="reduce").new_page()
    page.add_init_script("globalThis.Worker = class { constructor() { throw new Error('no'); } }")
    page.goto(f"{site}{PAGE}")
    widget = translator(page)
    expect(widget.get_by_text("(in the page itself)")).to_be_visible()
    expect(output(widget)).to_contain_text("the animal did not cross the street")
    page.context.close()


def test_a_worker_that_fails_is_replaced_by_the_page(browser, site):
    page = browser.new_context(reduced_motion="reduce").new_page()
    page.add_init_script(
        """const Real = Worker;
        globalThis.Worker = class extends Real {
          constructor() { super(URL.createObjectURL(new Blob(["throw 1"]))); } };"""
    )
    page.goto(f"{site}{PAGE}")
    expect(output(translator(page))).to_contain_text("the animal did not cross the street")
    page.context.close()


def damage(body: bytes) -> dict[str, bytes]:
    flipped = bytearray(body)
    flipped[-1000] ^= 4
    return {"cut": body[: len(body) // 2], "foreign": b"<!doctype html>" * 99, "flipped": flipped}


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("cut", "The weights are cut off"),
        ("foreign", "This is not a safetensors file"),
        ("flipped", "The weights are damaged"),
        ("missing", "The weights could not be fetched. Reloading the page may help."),
    ],
)
def test_damaged_weights_give_a_message(browser, site, kind, message):
    page = browser.new_page()

    def answer(route):
        if kind == "missing":
            route.fulfill(status=404)
        else:
            route.fulfill(body=bytes(damage(route.fetch().body())[kind]))

    page.route(re.compile(r"_static/widgets/weights-.*\.bin"), answer)
    page.goto(f"{site}{PAGE}")
    widget = page.get_by_role("group", name="Translator", exact=True)
    expect(widget.get_by_text(message)).to_be_visible()
    page.close()


def test_it_works_with_the_network_off_once_loaded(still, trained):
    widget = still()
    widget.page.context.set_offline(True)
    widget.get_by_role("button", name="Swap").click()
    twin = RUNNING.replace("累", "宽")
    expect(output(widget)).to_have_text(trained.translate([twin])[0].text)


def test_the_weights_are_one_file_and_all_that_is_ours_fits_a_megabyte(open_page):
    page = open_page(PAGE)
    translator(page)
    paths = page.evaluate(
        "performance.getEntriesByType('resource').map((r) => new URL(r.name).pathname)"
    )
    own = {path for path in paths if OWN.search(path)}
    assert sum(path.endswith(".bin") for path in own) == 1
    sizes = [len(gzip.compress((SITE / path.lstrip("/")).read_bytes())) for path in own]
    html = page.content()
    assert sum(sizes) + len(gzip.compress(html.encode())) <= 1_000_000
    state = page.locator('script[type="application/vnd.jupyter.widget-state+json"]').first
    held = json.loads(state.text_content())["state"].values()
    assert all(len(json.dumps(model)) < 60_000 for model in held)


def test_it_is_named_and_described(still):
    widget = still(color_scheme="dark")
    expect(widget.locator(".lo-threads")).to_have_attribute("aria-hidden", "true")
    expect(widget.get_by_role("status").filter(has_text="Translation: the animal")).to_have_count(1)
    expect(widget.locator(".wt caption").first).to_have_text("“it” through every head (press one)")


def test_a_kernel_drives_it_and_hears_of_it(open_page, trained):
    page = open_page("notation.html", reduced_motion="reduce")
    python = Translator()
    kernel = Kernel(page, python)
    widget = translator(page)
    first, second = (each.text for each in trained.translate([RUNNING, "太累了"]))
    assert kernel.get("translation") == kernel.saved("translation")[-1] == first
    kernel.set(text="太累了")
    expect(output(widget)).to_have_text(second)
    assert kernel.get("translation") == second
    line(widget).press("End")
    page.keyboard.type("lei")
    kernel.set(text=RUNNING)  # while the reader is in the middle of a word
    expect(output(widget)).to_have_text(first)
    expect(line(widget)).to_have_value("太累了lei")
    page.keyboard.press("Escape")
    assert kernel.get("text") == "太累了lei"
    kernel.set(text="太累了")
    expect(line(widget)).to_have_value("太累了")
    kernel.set(forced={0: "the", 1: "animal"})
    expect(output(widget)).to_have_text(re.compile("^the animal"))
    expect(widget.locator(".tr-cost")).not_to_contain_text("in the page itself")
    kernel.set(forced={}, weights=python.weights[:5000])
    expect(widget).to_contain_text("cut off")
    assert kernel.stop() == 0
