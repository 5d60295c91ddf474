"""The reader's own translator: its file is opened in the page, or refused in one sentence."""

import base64
import json
import re
import struct
from collections.abc import Callable
from pathlib import Path

import pytest
import safetensors.torch
import torch
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, expect

from attnsteps import (
    BytePairs,
    Characters,
    NonAutoregressive,
    TrainingConfig,
    Transformer,
    TransformerConfig,
    encode_pairs,
    train,
)
from attnsteps.cli.main import main
from attnsteps.text.tokenizer import Tokenizer, Words
from attnsteps.text.vocab import Vocab
from attnsteps.translator.trained import ASSETS, Trained, pretrained
from attnsteps.widgets import Translator
from attnsteps.widgets.live_model import MAX_PARAMETERS, check_fits
from tests.browser import JS, needs_finger
from tests.kernel import Kernel
from tests.web.test_translator import (
    PAGE,
    RUNNING,
    TWICE,
    TWO,
    back_button,
    in_python,
    line,
    load_button,
    numbers,
    output,
    probability,
    target,
    translator,
    write,
)

WHO = {"Der Hund": "The dog", "Die Katze": "The cat", "Das Kind": "The child", "Er": "He"}
WHAT = {
    "schläft": "sleeps",
    "läuft": "runs",
    "singt": "sings",
    "wartet": "waits",
    "friert": "is cold",
}
PAIRS = [(f"{s} {v}.", f"{s_en} {v_en}.") for s, s_en in WHO.items() for v, v_en in WHAT.items()]
ASKED = "Die Katze friert."
SIZES = {"d_model": 16, "d_ff": 32, "num_heads": 2, "num_encoder_layers": 1, "dropout": 0.0}

DROP = """([place, files]) => {
  const data = new DataTransfer();
  for (const [name, bytes] of files) {
    data.items.add(new File([Uint8Array.from(atob(bytes), (sign) => sign.charCodeAt(0))], name));
  }
  for (const type of ["dragenter", "dragover", "drop"]) {
    const event = new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: data });
    place.dispatchEvent(event);
    if (!event.defaultPrevented) throw new Error(`the page would open the file: ${type}`);
    if (type === "dragover" && !document.querySelector(".tr-over")) throw new Error("unmarked");
  }
}"""

# Two widgets whose models tell of what the reader changes.
MUTE = """const model = { get: (name) => own[name], set: (name, value) => { own[name] = value; },
      on() {}, off() {}, save_changes() {} };"""
assert MUTE in TWICE
TWO_WIDGETS = TWICE.replace(
    MUTE,
    """const told = {};
    const model = {
      get: (name) => own[name],
      set(name, value) {
        own[name] = value;
        for (const listener of told[`change:${name}`] ?? []) listener();
      },
      on(type, listener) { (told[type] ??= []).push(listener); },
      off() {},
      save_changes() {},
    };""",
)


def untrained(src: Tokenizer, tgt: Tokenizer, words: list[list[str]], **options: object) -> Trained:
    """A translator with random weights."""
    vocabs = [Vocab(side) for side in words]
    sizes = {"src_vocab_size": len(vocabs[0]), "tgt_vocab_size": len(vocabs[1])}
    config = TransformerConfig(**sizes, **{**SIZES, "num_decoder_layers": 2, **options})
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(3)
        return Trained(Transformer(config).eval(), *vocabs, src, tgt)


def taught(src: Tokenizer, tgt: Tokenizer, words: list[list[str]], **options: object) -> Trained:
    """A translator that has seen the pairs a few times, so that it tells them apart."""
    made = untrained(src, tgt, words, **options)
    tokens = [(src.tokenize(source), tgt.tokenize(target)) for source, target in PAIRS]
    examples = encode_pairs(tokens, made.src_vocab, made.tgt_vocab)
    train(made.model, examples, TrainingConfig(steps=80, peak=0.01), progress=False)
    made.model.eval()
    return made


def in_words() -> Trained:
    """German words → English words; a learned vector for each place, and a gate in the network."""
    sides = [sorted({w for pair in PAIRS for w in Words().tokenize(pair[i])}) for i in (0, 1)]
    options = {"positions": "learned", "max_len": 24, "activation": "swiglu", "tie": "none"}
    return taught(Words(), Words(), sides, **options)


def in_byte_pairs() -> Trained:
    """Chapter 2's byte pairs → characters."""
    pairs = BytePairs.learn([src for src, _ in PAIRS], num_merges=30)
    signs = [sorted({sign for pair in PAIRS for sign in pair[i]}) for i in (0, 1)]
    made = dict.fromkeys([*signs[0], *(left + right for left, right in pairs.merges)])
    return taught(pairs, Characters(), [list(made), signs[1]], final_norm=True)


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Files by name: what ``train`` writes of pairs, and what ``Trained.save`` writes."""
    folder = tmp_path_factory.mktemp("own")
    corpus = folder / "german.tsv"
    corpus.write_text("".join(f"{src}\t{tgt}\n" for src, tgt in PAIRS), encoding="utf-8")
    sizes = "--d-model 32 --layers 1 --heads 2 --dropout 0 --merges 40 --steps 150 --validate 0"
    asked = ["train", "--corpus", str(corpus), "--out", str(folder / "run"), "--quiet"]
    assert main([*asked, *sizes.split(), "--peak", "0.01"]) == 0
    trained = Trained.load(folder / "run" / "model.safetensors")
    trained.save(folder / "eight.safetensors", dtype=torch.int8)
    trained.save(folder / "half.safetensors")
    in_words().save(folder / "words.safetensors", dtype=torch.float32)
    in_byte_pairs().save(folder / "pairs.safetensors", dtype=torch.int8)
    pretrained().save(folder / "again.safetensors", dtype=torch.float32)
    files = {path.stem: path for path in folder.glob("*.safetensors")}
    return {
        **files,
        "german": folder / "run" / "model.safetensors",
        "checkpoint": folder / "run" / "checkpoint.safetensors",
        "everyday": ASSETS / "everyday.safetensors",
        "tsv": corpus,
    }


@pytest.fixture(scope="module")
def everyday() -> Trained:
    return pretrained("everyday")


@pytest.fixture(scope="module")
def trained() -> Trained:
    return pretrained()


@pytest.fixture
def still(open_page):
    """The translator of a page that does not move, with its first translation there."""

    def open_(**options: object) -> Locator:
        return translator(open_page(PAGE, reduced_motion="reduce", **options))

    return open_


def picker(widget: Locator) -> Locator:
    return widget.get_by_label("Open a translator of your own")


def speaking(widget: Locator) -> Locator:
    """What is said of the model that speaks."""
    return widget.locator(".tr-models > div:not(.tr-away)")


def back(widget: Locator) -> Locator:
    return widget.get_by_role("button", name="Back to the book’s translator")


def open_file(widget: Locator, path: Path) -> None:
    picker(widget).set_input_files(path)
    expect(speaking(widget)).to_contain_text(f"“{path.name}” speaks")


def drop(widget: Locator, *files: tuple[str, bytes]) -> None:
    given = [[name, base64.b64encode(content).decode()] for name, content in files]
    widget.page.evaluate(DROP, [line(widget).element_handle(), given])


# ── What it does ─────────────────────────────────────────────────────────────────────────────────


def test_a_file_that_train_has_written_translates_as_in_python(still, own):
    widget, asked = still(), []
    widget.page.on("request", lambda request: asked.append(request.url))
    trained = Trained.load(own["german"])
    open_file(widget, own["german"])
    size = f"{trained.model.num_parameters() / 1e6:.2f} million parameters"
    expect(widget.locator(".tr-guest")).to_contain_text(size)
    expect(widget.locator(".tr-guest")).to_contain_text(f"{len(trained.src_vocab)} tokens")
    expect(line(widget)).to_have_value("")  # the book's sentence is in another language
    expect(widget.get_by_text("There is nothing to translate yet.")).to_be_visible()
    for name in ("Shuffle", "Swap"):
        expect(widget.get_by_role("button", name=name)).to_have_count(0)
    right = 0
    for text, english in PAIRS[::3]:
        write(widget, text)
        found = trained.translate([text])[0].text
        expect(output(widget)).to_have_text(found)
        right += found == english
    assert right >= 5  # it has learned something: so the comparison means something
    expect(widget.get_by_label("A sentence in the language that your translator")).to_be_visible()
    assert asked == []  # nothing has left the page, and nothing was fetched


@pytest.mark.parametrize("kind", ["eight", "half", "words", "pairs", "everyday", "again"])
@pytest.mark.parametrize("search", ["greedy", "beam of 4"])
def test_every_kind_of_file_writes_the_tokens_that_python_writes(still, own, kind, search):
    widget = still()
    trained = Trained.load(own[kind])
    texts = [text for text, _ in PAIRS[4:7]]
    if kind in ("everyday", "again"):
        texts = [RUNNING, "女孩喜欢动物", TWO]
    texts = texts[: 2 if kind == "again" else 3]
    open_file(widget, own[kind])
    widget.get_by_label(search).check()
    options = {"search": "greedy"} if search == "greedy" else {"search": "beam", "alpha": 2.0}
    for text in texts:
        write(widget, text)
        wanted = trained.translate(trained.sentences(text), **options)
        expect(output(widget)).to_have_text(" ".join(each.text for each in wanted).strip())


def test_its_heads_its_threads_and_its_alternatives_are_pythons(still, own):
    widget = still()
    trained = Trained.load(own["words"])
    target(widget, 2).click()  # what was chosen of the book's model does not matter any more
    open_file(widget, own["words"])
    write(widget, ASKED)
    found = trained.translate([ASKED], need_weights=True)[0]
    heads = torch.cat([layer[0] for layer in found.weights.cross])  # (N · H, T, S)
    expect(widget.locator(".lo-source .lo-main")).to_have_text(found.src_tokens)
    target(widget, 1).click()
    by_head = widget.locator(".wt table").first
    rows = torch.cat([heads.mean(0, keepdim=True), heads])[:, 1]
    for shown, row in zip(numbers(by_head), rows, strict=True):
        assert shown == pytest.approx(row.tolist(), abs=0.0051)
    by_head.get_by_role("button", name="layer 2, head 1").click()
    drawn = (heads[2, 1] >= 0.04).sum()
    expect(widget.locator(".lo-thread:not(.lo-far)")).to_have_count(int(drawn))

    offered = widget.get_by_role("group", name="What it could say here").get_by_role("button")
    ids = [trained.tgt_vocab.bos_id, *trained.tgt_vocab.ids(found.tokens[:1])]
    src_ids = torch.tensor([trained.src_vocab.ids(found.src_tokens)])
    with torch.no_grad():
        logits = trained.model(src_ids, torch.tensor([ids]))[0, -1]
    logits[[trained.tgt_vocab.pad_id, trained.tgt_vocab.bos_id]] = -torch.inf
    probs = logits.softmax(-1)
    shown = [probability(text) for text in offered.locator(".tr-share").all_inner_texts()]
    assert shown == pytest.approx(probs.topk(5).values.tolist(), abs=0.006)
    second = offered.nth(1).locator(".tr-alternative-word").inner_text()
    offered.nth(1).click()
    expect(target(widget, 1).locator(".lo-main")).to_have_text(second)
    expect(target(widget, 1)).to_contain_text("✎")
    widget.get_by_role("button", name="Let the model choose again").click()
    expect(output(widget)).to_have_text(found.text)
    write(widget, "Die Katze denkt.")
    expect(widget.get_by_text("words this model knows: denkt.")).to_be_visible()
    expect(load_button(widget)).to_be_hidden()  # which the book's model would have asked for


def test_a_press_goes_back_to_what_the_book_was_asked(still, own, everyday):
    widget = still()
    write(widget, TWO)
    expect(back_button(widget)).to_be_visible()  # the everyday model has come
    expect(output(widget)).to_have_text(in_python(everyday, TWO))
    open_file(widget, own["german"])
    write(widget, ASKED)
    expect(output(widget)).to_have_text(Trained.load(own["german"]).translate([ASKED])[0].text)
    back(widget).press("Enter")
    expect(back_button(widget)).to_be_focused()  # the first button of those that have come
    expect(line(widget)).to_have_value(TWO)
    expect(output(widget)).to_have_text(in_python(everyday, TWO))
    expect(widget.get_by_label("A sentence in Chinese")).to_be_visible()
    expect(widget.get_by_role("button", name="Shuffle")).to_be_visible()
    open_file(widget, own["again"])  # it reads Chinese, so the sentence may stay
    expect(line(widget)).to_have_value(TWO)
    open_file(widget, own["german"])
    expect(line(widget)).to_have_value("")


def test_a_file_is_opened_by_keyboard_and_heard(still, own):
    widget = still()
    page = widget.page
    load_button(widget).focus()
    page.keyboard.press("Tab")
    expect(picker(widget)).to_be_focused()
    ring = "(input) => getComputedStyle(input.parentElement).outlineStyle"
    assert picker(widget).evaluate(ring) == "solid"
    expect(picker(widget)).to_have_accessible_description(re.compile("never leaves it"))
    # A browser under load, and Firefox the second time, may not tell Playwright of its dialogue.
    # What opens it is a trusted click that nobody prevents.
    page.evaluate(
        """() => {
          window.opened = 0;
          addEventListener("click", (event) => {
            if (event.isTrusted && !event.defaultPrevented) opened += event.target.type === "file";
          });
        }"""
    )
    page.keyboard.press("Enter")
    page.wait_for_function("opened === 1")
    picker(widget).set_input_files(own["german"])
    heard = widget.get_by_role("status").filter(has_text="“model.safetensors” speaks")
    expect(heard).to_have_count(1)
    expect(picker(widget)).to_be_focused()  # nothing takes the focus away
    page.keyboard.press("Space")
    page.wait_for_function("opened === 2")
    picker(widget).set_input_files(own["words"])
    expect(
        widget.get_by_role("status").filter(has_text="“words.safetensors” speaks")
    ).to_have_count(1)
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Shift+Tab")
    expect(back(widget)).to_be_focused()


def test_a_file_is_dropped_anywhere_on_the_translator(still, own):
    widget = still()
    drop(widget, ("mine.safetensors", own["german"].read_bytes()))
    expect(speaking(widget)).to_contain_text("“mine.safetensors” speaks")
    expect(widget.page.locator(".tr-over")).to_have_count(0)
    files = [(f"{n}.safetensors", own["words"].read_bytes()) for n in "ab"]
    drop(widget, *files)
    expect(widget.get_by_text("Nothing was opened. These are 2 files; open one.")).to_be_visible()
    expect(speaking(widget)).to_contain_text("“mine.safetensors” speaks")


def test_a_text_that_is_dropped_belongs_to_the_line(still):
    widget = still()
    taken = widget.page.evaluate(
        """() => {
          const data = new DataTransfer();
          data.setData("text/plain", "太累了");
          const event = new DragEvent("drop",
            { bubbles: true, cancelable: true, dataTransfer: data });
          document.querySelector(".tr input").dispatchEvent(event);
          return event.defaultPrevented;
        }"""
    )
    assert not taken


def test_the_last_of_two_files_wins_and_none_that_comes_too_late(still, own):
    widget = still()
    for kind in ("everyday", "words"):
        picker(widget).set_input_files(own[kind])
    expect(speaking(widget)).to_contain_text("“words.safetensors” speaks")
    write(widget, ASKED)
    expect(output(widget)).to_have_text(Trained.load(own["words"]).translate([ASKED])[0].text)
    expect(speaking(widget)).to_contain_text("“words.safetensors” speaks")


def test_two_translators_open_two_files_at_once(open_page, own):
    page = open_page(PAGE, reduced_motion="reduce")
    translator(page)
    page.evaluate(TWO_WIDGETS)
    both = page.get_by_role("group", name="Translator", exact=True).all()
    for widget in both:
        expect(output(widget)).to_be_visible()
    for widget, kind in zip(both, ("german", "words"), strict=True):
        picker(widget).set_input_files(own[kind])
    for widget, kind in zip(both, ("german", "words"), strict=True):
        expect(back(widget)).to_be_visible()
        write(widget, ASKED)
        expect(output(widget)).to_have_text(Trained.load(own[kind]).translate([ASKED])[0].text)


def test_it_works_without_workers_and_offline(browser, site, own):
    page = browser.new_context(reduced_motion="reduce").new_page()
    page.add_init_script("globalThis.Worker = class { constructor() { throw new Error('no'); } }")
    page.goto(f"{site}{PAGE}")
    widget = translator(page)
    expect(output(widget)).to_contain_text("the animal did not cross the street")
    page.context.set_offline(True)
    open_file(widget, own["german"])
    write(widget, ASKED)
    expect(output(widget)).to_have_text(Trained.load(own["german"]).translate([ASKED])[0].text)
    page.context.close()


def test_it_takes_over_from_a_model_that_is_still_loading(still, own):
    widget = still()
    widget.page.route(re.compile(r"everyday-.*\.bin"), lambda route: None)  # which never comes
    load_button(widget).click()
    expect(widget.get_by_role("progressbar")).to_be_visible()
    open_file(widget, own["german"])
    expect(widget.get_by_role("progressbar")).to_be_hidden()
    back(widget).click()
    expect(speaking(widget)).to_contain_text("The small model speaks")
    expect(line(widget)).to_have_value(RUNNING)


def test_a_kernel_hears_of_it_and_nothing_is_left_behind(open_page, own):
    page = open_page("notation.html", reduced_motion="reduce")
    kernel = Kernel(page, Translator())
    widget = translator(page)
    open_file(widget, own["german"])
    assert kernel.get("text") == ""
    write(widget, ASKED)
    found = Trained.load(own["german"]).translate([ASKED])[0].text
    expect(output(widget)).to_have_text(found)
    assert kernel.get("translation") == found
    back(widget).click()
    expect(line(widget)).to_have_value(RUNNING)
    assert kernel.stop() == 0


def test_a_model_that_python_has_brought_stays_alone(open_page):
    page = open_page("notation.html", reduced_motion="reduce")
    Kernel(page, Translator(pretrained()))
    expect(picker(translator(page))).to_be_hidden()


@pytest.mark.parametrize(("width", "color_scheme"), [(360, "dark"), (1280, "light")])
def test_it_fits_and_axe_finds_nothing_serious(still, own, width, color_scheme):
    widget = still(width=width, color_scheme=color_scheme, has_touch=width == 360)
    page = widget.page
    if width == 360:
        needs_finger(page)
    fits = "document.documentElement.scrollWidth <= innerWidth"
    box = widget.locator(".tr-file").bounding_box()
    assert box["height"] >= 24
    with page.expect_file_chooser() as chooser:
        widget.locator(".tr-file").tap() if width == 360 else widget.locator(".tr-file").click()
    chooser.value.set_files(own["german"])
    expect(back(widget)).to_be_visible()
    write(widget, "Die Katze friert. " * 3)
    expect(output(widget)).to_be_visible()
    assert page.evaluate(fits)
    drop(widget, ("a" * 80 + ".safetensors", b"no"))
    expect(widget.get_by_text("wasn’t opened")).to_be_visible()
    assert page.evaluate(fits)
    found = Axe().run(page, context=".tr", options={"resultTypes": ["violations"]})
    serious = [
        each["id"]
        for each in found.response["violations"]
        if each["impact"] in ("serious", "critical")
    ]
    assert serious == []


def test_too_long_a_sentence_is_refused_as_in_python(still, own, refuses):
    widget = still()
    trained = Trained.load(own["words"])
    open_file(widget, own["words"])
    text = " ".join(["Er"] * 25)
    refuses(lambda: trained.translate([text]), "texts[0] must have from 1 to 24 tokens; got 25")
    write(widget, text)
    said = "That makes a sentence of 25 pieces; this model reads at most 24."
    expect(widget.get_by_text(said)).to_be_visible()
    write(widget, " ".join(["Er"] * 24))
    wanted = trained.translate([" ".join(["Er"] * 24)], max_len=24)[0].text
    expect(output(widget)).to_have_text(wanted)


# ── What it refuses ──────────────────────────────────────────────────────────────────────────────


def rewritten(path: Path, change: Callable[[dict, dict], None]) -> bytes:
    """A file with another header; its numbers stay where they are."""
    whole = path.read_bytes()
    (length,) = struct.unpack("<Q", whole[:8])
    header = json.loads(whole[8 : 8 + length])
    config = json.loads(header["__metadata__"]["config"])
    change(header, config)
    if "config" in header.get("__metadata__", {}):
        header["__metadata__"]["config"] = json.dumps(config)
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + whole[8 + length :]


def option(**changes: object) -> Callable[[Path], bytes]:
    return lambda path: rewritten(path, lambda _, config: config["model"].update(changes))


def beside(**changes: object) -> Callable[[Path], bytes]:
    return lambda path: rewritten(path, lambda _, config: config.update(changes))


def metadata(**changes: object) -> Callable[[Path], bytes]:
    return lambda path: rewritten(path, lambda header, _: header["__metadata__"].update(changes))


def flipped(path: Path) -> bytes:
    body = bytearray(path.read_bytes())
    body[-1000] ^= 4
    return bytes(body)


REFUSED = {
    "empty": (lambda path: b"", "The weights are cut off: the file has only 0 bytes."),
    "cut": (lambda path: path.read_bytes()[:-7], "The weights are cut off:"),
    "long": (lambda path: path.read_bytes() + b"x", "the file is longer than it says"),
    "flipped": (flipped, "The weights are damaged: they are not those that were written."),
    "picture": (lambda path: b"\x89PNG\r\n\x1a\n" + bytes(99), "This is not a safetensors file."),
    "zip": (lambda path: b"PK\x03\x04" + bytes(99), "this is not a safetensors file."),
    "foreign": (
        lambda path: safetensors.torch.save({"w": torch.ones(2)}, {"format": "pt"}),
        "This safetensors file has the format “pt”; a translator of this book has",
    ),
    "nameless": (
        lambda path: safetensors.torch.save({"w": torch.ones(2)}),
        "This safetensors file names no format",
    ),
    "version": (metadata(format_version="2"), "It has the format version 2; this page reads"),
    "unsigned": (metadata(sha256=""), "It is damaged: its checksum is missing."),
    "config": (metadata(config="{"), None),  # replaced below
    "rotary": (
        option(positions="rotary"),
        'Its model has rotary positions (positions = "rotary"), which this page can’t compute.',
    ),
    "rms": (option(norm_kind="rms"), 'RMSNorm (norm_kind = "rms"), which this page'),
    "bias": (option(bias=False), "layers without biases (bias = false), which this page"),
    "kv": (option(num_kv_heads=1), "key heads that queries share (num_kv_heads = 1), which"),
    "window": (option(window=3), "attention in a window (window = 3), which this page"),
    "experts": (option(num_experts=4), "a mixture of experts (num_experts = 4), which this page"),
    "causal": (option(causal=False), "a decoder that sees the whole target (causal = false)"),
    "news": (option(rope_base=1), "Its model has rope_base = 1, which this page can’t compute."),
    "class": (
        beside(**{"class": "NonAutoregressive"}),
        "Its model is a NonAutoregressive; this translator runs a Transformer, word by word.",
    ),
    "size": (option(num_encoder_layers=10**12), "It is damaged: its parts don’t fit together."),
    "negative": (option(d_ff=-1), "It is damaged: d_ff is -1."),
    "text": (option(d_model="32"), 'It is damaged: d_model is "32".'),
    "heads": (option(num_heads=5), "It is damaged: d_model isn’t a multiple of num_heads."),
    "vocabulary": (beside(src_vocab=["<pad>"]), "its src_vocab isn’t a vocabulary."),
    "tokens": (
        beside(src_vocab=["<pad>", "<bos>", "<eos>", "<unk>", "<mask>", "a"]),
        "It is damaged: its src_vocab hasn’t as many tokens as its model.",
    ),
    "tokenizer": (beside(src_tokenizer='{"kind": "Runes"}'), "Its tokenizer is Runes; this page"),
    "merges": (beside(src_tokenizer='{"kind": "Subwords"}'), "its Subwords have no merges."),
    "reading": (beside(reading={"simplified": ["a"]}), "It is damaged: its reading isn’t one."),
    "shape": (
        lambda path: rewritten(path, lambda header, _: header.update(x=None)),
        "The weights must be int8, float16 or float32; x is undefined.",
    ),
}
REFUSED["config"] = (
    lambda path: rewritten(
        path, lambda header, config: (header["__metadata__"].update(config=""), config.clear())
    ),
    "It is damaged: it doesn’t describe its model.",
)


def refusal(widget: Locator, name: str) -> Locator:
    return widget.get_by_role("status").filter(has_text=f"“{name}” wasn’t opened.")


def test_what_cannot_be_opened_is_refused_and_changes_nothing(still, own, trained):
    widget = still()
    for kind, (make, message) in REFUSED.items():
        name = f"{kind}.safetensors"
        drop(widget, (name, make(own["german"])))
        expect(refusal(widget, name)).to_contain_text(message)
        said = refusal(widget, name).inner_text()
        assert said.count("\n") == 0
        expect(speaking(widget)).to_contain_text("The small model speaks")
        expect(line(widget)).to_have_value(RUNNING)
        expect(output(widget)).to_have_text(trained.translate([RUNNING])[0].text)
    drop(widget, ("my.tsv", own["tsv"].read_bytes()))
    expect(refusal(widget, "my.tsv")).to_contain_text("train a translator on them first")
    picker(widget).set_input_files(own["checkpoint"])
    expect(refusal(widget, "checkpoint.safetensors")).to_contain_text("model.safetensors beside it")
    for stem in ("zh_en_mask_predict", "zh_en_one_shot"):
        picker(widget).set_input_files(ASSETS / f"{stem}.safetensors")
        expect(refusal(widget, f"{stem}.safetensors")).to_contain_text("a NonAutoregressive")
    twin = RUNNING.replace("累", "宽")
    write(widget, twin)
    expect(output(widget)).to_have_text(trained.translate([twin])[0].text)
    open_file(widget, own["german"])  # and now a good one
    drop(widget, ("bad.safetensors", b"bad"))
    expect(refusal(widget, "bad.safetensors")).to_be_visible()
    expect(speaking(widget)).to_contain_text("“model.safetensors” speaks")
    write(widget, ASKED)
    expect(output(widget)).to_have_text(Trained.load(own["german"]).translate([ASKED])[0].text)


def test_what_is_too_large_is_refused_before_it_is_read(still):
    widget = still()
    read = widget.page.evaluate(
        """([most]) => {
          window.wasRead = false;
          const data = new DataTransfer();
          data.items.add(new File(["x"], "large.safetensors"));
          const [file] = data.files;
          Object.defineProperty(file, "size", { value: most });
          file.arrayBuffer = () => { window.wasRead = true; };
          const event = new DragEvent("drop",
            { bubbles: true, cancelable: true, dataTransfer: data });
          Object.defineProperty(event, "dataTransfer",
            { value: { types: ["Files"], files: [file] } });
          document.querySelector(".tr input").dispatchEvent(event);
        }""",
        [4 * MAX_PARAMETERS + 10_000_001],
    )
    assert read is None
    said = "“large.safetensors” wasn’t opened. It has 90 MB; at most 90 MB fit a page."
    expect(widget.get_by_text(said)).to_be_visible()
    assert not widget.page.evaluate("wasRead")


def test_a_model_with_too_many_parameters_is_refused(still, own):
    widget = still()
    rows = MAX_PARAMETERS // 1000 + 1

    def more(header: dict, _: dict) -> None:  # refused by what it says, before a number is read
        header["much"] = {"dtype": "I8", "shape": [rows, 1000], "data_offsets": [0, rows * 1000]}

    drop(widget, ("much.safetensors", rewritten(own["german"], more)))
    said = "million parameters; at most 20.0 million fit a page."
    expect(refusal(widget, "much.safetensors")).to_contain_text(said)


def test_a_file_that_cannot_be_read_is_named(still):
    widget = still()
    widget.page.evaluate(
        """() => {
          const file = new File(["x"], "folder");
          file.arrayBuffer = () => Promise.reject(new DOMException("", "NotReadableError"));
          const event = new DragEvent("drop", { bubbles: true, cancelable: true });
          Object.defineProperty(event, "dataTransfer",
            { value: { types: ["Files"], files: [file] } });
          document.querySelector(".tr input").dispatchEvent(event);
        }"""
    )
    expect(refusal(widget, "folder")).to_contain_text("could not read it; is it a folder?")


VARIANTS = {
    "paper": {},
    "pre": {"norm": "pre", "final_norm": True, "activation": "gelu", "tie": "none"},
    "gated": {"activation": "swiglu", "positions": "learned", "mask_id": 4},
    "rotary": {"positions": "rotary"},
    "rms": {"norm_kind": "rms"},
    "no bias": {"bias": False},
    "shared keys": {"num_kv_heads": 1},
    "window": {"window": 2},
    "experts": {"num_experts": 2},
    "not causal": {"causal": False},
}
OPENS = """async ([base, file]) => {
  const { openTranslator, MOST_PARAMETERS } = await import(`${base}translator_file.js`);
  const bytes = Uint8Array.from(atob(file), (sign) => sign.charCodeAt(0)).buffer;
  try { await openTranslator(bytes); return [MOST_PARAMETERS, null]; }
  catch (error) { return [MOST_PARAMETERS, error.message]; } }"""


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_page_opens_what_the_widget_takes_and_nothing_else(maths_page, tmp_path, variant):
    page, base = maths_page
    made = untrained(Words(["a"]), Words(["b"]), [["a"], ["b"]], **VARIANTS[variant])
    made.save(tmp_path / "file", dtype=torch.float32)
    try:
        check_fits(made)
    except ValueError:
        fits = False
    else:
        fits = True
    given = base64.b64encode((tmp_path / "file").read_bytes()).decode()
    most, problem = page.evaluate(OPENS, [base, given])
    assert most == MAX_PARAMETERS
    assert (problem is None) == fits, problem
    assert fits or re.search("can’t compute", problem)


def test_a_model_that_writes_all_words_at_once_is_named(maths_page, tmp_path):
    page, base = maths_page
    config = TransformerConfig(
        src_vocab_size=6, tgt_vocab_size=6, num_decoder_layers=1, causal=False, mask_id=4,
        **SIZES,
    )  # fmt: skip
    model, vocab = NonAutoregressive(config), Vocab(["a"])
    Trained(model, vocab, vocab, Words(["a"]), Words(["a"])).save(tmp_path / "file")
    given = base64.b64encode((tmp_path / "file").read_bytes()).decode()
    _, problem = page.evaluate(OPENS, [base, given])
    assert "Its model is a NonAutoregressive" in problem


def test_every_option_is_either_known_or_refused():
    """A new option of the configuration is refused until the page can compute it."""
    source = (JS / "translator_file.js").read_text(encoding="utf-8")
    known = source[source.index("const SIZES") : source.index("const CALLED")]
    named = {
        name for name in TransformerConfig.__dataclass_fields__ if re.search(rf"\b{name}\b", known)
    }
    assert named == set(TransformerConfig.__dataclass_fields__)
