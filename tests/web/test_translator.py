"""The translator on the landing page: by mouse, finger and keyboard, and where things go wrong."""

import gzip
import json
import re

import pytest
import torch
from playwright.sync_api import Locator, Page, expect

from attnsteps.translator.trained import Trained, pretrained
from attnsteps.widgets import Translator
from tests.browser import SITE, needs_finger
from tests.kernel import Kernel

PAGE = "intro.html"
RUNNING = "动物没有过马路，因为太累了"
READY = "performance.getEntriesByName('attnsteps:translator-ready').length > 0"
EVERYDAY = re.compile(r"_static/widgets/everyday-.*\.bin")
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
    widget.page.route(EVERYDAY, lambda route: None)  # which never comes
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
    page.route(EVERYDAY, lambda route: None)  # which never comes
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
    needs_finger(widget.page)
    line(widget).fill("")
    line(widget).press_sequentially("animal")
    widget.get_by_role("option", name="动物").tap()
    expect(line(widget)).to_have_value("动物")
    assert widget.page.evaluate("document.documentElement.scrollWidth") <= 360


def test_everything_can_be_reached_by_keyboard(still):
    widget = still()
    page = widget.page
    line(widget).focus()
    wanted = {"aw-button", "lo-word", "tr-alternative", "wt-pick"}
    for _ in range(80):
        page.keyboard.press("Tab")
        wanted.discard(page.evaluate("document.activeElement.classList[0] ?? ''"))
        if not wanted:
            break  # further on, Firefox leaves the page
    assert not wanted
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


# How many words are still hidden, as often as the page is drawn.
LOOK = """() => { window.seen = new Set();
  const look = () => { window.seen.add(document.querySelectorAll('.lo-hidden').length);
    requestAnimationFrame(look); }; look(); }"""


def replayed(page: Page) -> Page:
    """Press "Replay" where the whole translation is there, and look on."""
    widget = translator(page)
    widget.scroll_into_view_if_needed()
    page.wait_for_function("document.querySelectorAll('.lo-target .lo-hidden').length === 0")
    page.evaluate(LOOK)
    widget.get_by_role("button", name="Replay").click()
    return page


def test_words_come_one_by_one(open_page):
    page = replayed(open_page(PAGE))
    page.wait_for_function("window.seen.size > 8")


def test_words_come_at_once_for_a_reader_who_wants_no_motion(open_page):
    page = replayed(open_page(PAGE, reduced_motion="reduce"))
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


# ── The model that reads any sentence ──────────────────────────────────────────────────────────

LOVE = "我爱你。"
TWO = "他不知道她为什么生气。如果明天下雨，我们就不去公园了！"


@pytest.fixture(scope="module")
def everyday() -> Trained:
    return pretrained("everyday")


def in_python(everyday: Trained, text: str) -> str:
    """Translate as the page does: sentence by sentence, with its beam."""
    sentences = everyday.sentences(text)
    return " ".join(t.text for t in everyday.translate(sentences, search="beam", alpha=2.0))


def load_button(widget: Locator) -> Locator:
    return widget.get_by_role("button", name="Any sentence: load the everyday model")


def back_button(widget: Locator) -> Locator:
    return widget.get_by_role("button", name="Back to the small model")


def write(widget: Locator, text: str) -> None:
    line(widget).fill(text)
    line(widget).press("Escape")


def test_the_first_unknown_word_brings_the_model_that_reads_anything(still, everyday):
    widget = still()
    expect(widget.get_by_text("The small model speaks: it knows")).to_be_visible()
    write(widget, LOVE)
    expect(back_button(widget)).to_be_visible()
    expect(output(widget)).to_have_text(in_python(everyday, LOVE))
    for name in ("Tatoeba", "CC BY 2.0 FR"):
        expect(widget.get_by_role("link", name=name)).to_be_visible()
    offered = widget.get_by_role("group", name="What it could say here").get_by_role("button")
    target(widget, 1).click()
    expect(offered).to_have_count(5)
    before = target(widget, 0).locator(".lo-main").inner_text()
    other = offered.nth(1).locator(".tr-alternative-word").inner_text()
    offered.nth(1).click()
    expect(target(widget, 1).locator(".lo-main")).to_have_text(other)
    expect(target(widget, 1)).to_contain_text("✎")
    expect(target(widget, 0).locator(".lo-main")).to_have_text(before)
    widget.get_by_role("button", name="Let the model choose again").click()
    expect(output(widget)).to_have_text(in_python(everyday, LOVE))
    back_button(widget).click()
    expect(widget.get_by_text("words this model knows: 爱")).to_be_visible()


def test_it_is_brought_and_sent_back_by_keyboard(still, everyday, trained):
    widget = still()
    load_button(widget).press("Enter")
    expect(back_button(widget)).to_be_focused()
    expect(output(widget)).to_have_text(in_python(everyday, RUNNING))
    back_button(widget).press("Enter")
    expect(output(widget)).to_have_text(trained.translate([RUNNING])[0].text)
    again = widget.get_by_role("button", name="To the everyday model")
    expect(again).to_be_focused()
    again.press("Enter")
    expect(output(widget)).to_have_text(in_python(everyday, RUNNING))


@pytest.mark.parametrize(
    "text", [TWO, "我愛你！「Tom」來了。３ 个", "你好 world，Ünï 😀!", "龘😀", "?!" * 30]
)
def test_it_reads_and_writes_what_python_does(still, everyday, text):
    widget = still()
    load_button(widget).click()
    expect(back_button(widget)).to_be_visible()
    write(widget, text)
    expect(output(widget)).to_have_text(in_python(everyday, text))
    left_out = [c for s in everyday.sentences(text) for c in everyday.reading.readable(s)[1]]
    if left_out:
        expect(widget.get_by_text("Left out, because")).to_contain_text(left_out[0])
    if not everyday.reading.readable(text)[0]:
        expect(widget.locator(".lo")).to_be_hidden()


def test_each_of_several_sentences_can_be_looked_into(still, everyday):
    widget = still()
    load_button(widget).click()
    expect(back_button(widget)).to_be_visible()
    write(widget, TWO)
    choice = widget.get_by_role("group", name="Look into sentence")
    for n in (2, 1):
        choice.get_by_label(str(n)).check()
        source = everyday.sentences(TWO)[n - 1]
        shown = widget.locator(".lo-source .lo-main").all_inner_texts()
        assert "".join(shown) == source
    write(widget, LOVE)
    expect(choice).to_have_count(0)


def test_a_long_text_comes_word_by_word_and_one_that_is_too_long_is_refused(still):
    widget = still()
    load_button(widget).click()
    expect(back_button(widget)).to_be_visible()
    widget.page.evaluate(
        """() => { window.seen = new Set(); new MutationObserver(() =>
          window.seen.add(document.querySelector(".tr-output").textContent)
        ).observe(document.querySelector(".tr-output"), { childList: true }); }"""
    )
    write(widget, "我们明天去公园，" * 37 + "你好。")
    expect(widget.get_by_role("group", name="Look into sentence")).to_be_visible()
    assert widget.page.evaluate("[...seen].filter((text) => text.endsWith('…')).length") >= 3
    write(widget, "好" * 301)
    expect(widget.get_by_text("That makes 301 characters; at most 300 fit.")).to_be_visible()


def test_loading_it_shows_how_far_it_is_and_can_be_cancelled(still, trained):
    widget = still()
    page, asked = widget.page, []
    page.on("request", lambda request: EVERYDAY.search(request.url) and asked.append(request.url))
    page.route(EVERYDAY, lambda route: None)  # which never comes
    load_button(widget).press("Enter")
    cancel = widget.get_by_role("button", name="Cancel")
    expect(cancel).to_be_focused()
    expect(widget.get_by_role("progressbar")).to_be_visible()
    expect(widget.locator(".tr-models")).to_contain_text(re.compile(r"0\.0 of \d\.\d MB"))
    write(widget, "男孩跑")  # the small model goes on
    expect(output(widget)).to_have_text(trained.translate(["男孩跑"])[0].text)
    cancel.press("Enter")
    expect(load_button(widget)).to_be_focused()
    write(widget, LOVE)
    expect(widget.get_by_text("words this model knows: 爱")).to_be_visible()
    assert len(asked) == 1  # what was cancelled does not come by itself
    page.unroute(EVERYDAY)
    load_button(widget).click()
    expect(back_button(widget)).to_be_visible()


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("cut", "The weights are cut off"),
        ("foreign", "This is not a safetensors file"),
        ("flipped", "The weights are damaged"),
        ("missing", "The everyday model could not be fetched."),
    ],
)
def test_a_damaged_download_leaves_the_small_model_at_work(browser, site, trained, kind, message):
    page = browser.new_context(reduced_motion="reduce").new_page()

    def answer(route):
        if kind == "missing":
            route.fulfill(status=404)
        else:
            route.fulfill(body=bytes(damage(route.fetch().body())[kind]))

    page.route(EVERYDAY, answer)
    page.goto(f"{site}{PAGE}")
    widget = translator(page)
    load_button(widget).click()
    said = widget.locator(".tr-models div p").filter(has_text=message)
    expect(said).to_contain_text("The small model goes on.")
    write(widget, "男孩跑")
    expect(output(widget)).to_have_text(trained.translate(["男孩跑"])[0].text)
    page.unroute(EVERYDAY)
    widget.get_by_role("button", name="Try again").click()
    expect(back_button(widget)).to_be_visible()
    page.context.close()


TWICE = """async () => {
  const script = performance.getEntriesByType("resource").map((entry) => entry.name)
    .find((name) => /widgets\\/translator-.*\\.js$/.test(name));
  const { default: { render } } = await import(script);
  const state = JSON.parse(document.querySelector('script[type$="widget-state+json"]').textContent);
  const { state: values, files } = Object.values(state.state)
    .find(({ state }) => state.everyday?.url);
  const weights = await (await fetch(new URL(`../${files.weights}`, script))).arrayBuffer();
  document.body.replaceChildren();
  for (let n = 0; n < 2; n += 1) {
    const own = { ...values, weights: new DataView(weights) };
    const model = { get: (name) => own[name], set: (name, value) => { own[name] = value; },
      on() {}, off() {}, save_changes() {} };
    const host = document.createElement("div");
    document.body.append(host);
    render({ model, el: host });
  }
}"""


def test_two_that_want_it_at_once_load_it_once_and_one_may_leave(open_page):
    page = open_page(PAGE, reduced_motion="reduce")
    translator(page)
    asked = []
    page.on("request", lambda request: EVERYDAY.search(request.url) and asked.append(request.url))
    page.evaluate(TWICE)
    one, other = page.get_by_role("group", name="Translator", exact=True).all()
    for widget in (one, other):
        expect(output(widget)).to_be_visible()
    page.evaluate(
        """() => { for (const button of document.querySelectorAll(".tr-models button"))
             if (button.textContent.startsWith("Any")) button.click();
           [...document.querySelectorAll(".tr-models button")]
             .find((button) => button.textContent === "Cancel").click(); }"""
    )
    expect(back_button(other)).to_be_visible()
    expect(load_button(one)).to_be_visible()
    assert len(asked) == 1


@pytest.mark.parametrize("width", [360, 1280])
def test_nothing_moves_while_it_comes_and_it_fits(still, width):
    widget = still(width=width)
    page = widget.page
    page.route(EVERYDAY, lambda route: None)
    top = """() => document.querySelector('.tr-output').getBoundingClientRect().top
      - document.querySelector('.tr').getBoundingClientRect().top"""
    fits = "document.documentElement.scrollWidth <= innerWidth"
    tops = [page.evaluate(top)]
    load_button(widget).click()
    expect(widget.get_by_role("progressbar")).to_be_visible()
    tops.append(page.evaluate(top))
    assert page.evaluate(fits)
    widget.get_by_role("button", name="Cancel").click()
    page.unroute(EVERYDAY)
    tops.append(page.evaluate(top))
    load_button(widget).click()
    expect(back_button(widget)).to_be_visible()
    tops.append(page.evaluate(top))
    assert max(tops) - min(tops) < 1  # a pixel is what a reader could see
    assert page.evaluate(fits)


def test_python_hands_it_over_when_asked_and_keeps_no_copy(open_page, everyday):
    page = open_page("notation.html", reduced_motion="reduce")
    python = Translator()
    kernel = Kernel(page, python)
    widget = translator(page)
    load_button(widget).click()
    assert kernel.saved("wants_everyday")[-1] is True
    expect(widget.get_by_role("progressbar")).to_be_visible()
    python.wants_everyday = True
    kernel.set(everyday_weights=python.everyday_weights)
    expect(back_button(widget)).to_be_visible()
    expect(output(widget)).to_have_text(in_python(everyday, RUNNING))
    assert kernel.saved("wants_everyday")[-1] is False
    python.wants_everyday = False
    assert python.everyday_weights == b""
    assert kernel.stop() == 0
