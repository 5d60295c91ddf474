"""What all widgets around a trained model have in common: js/live.js and js/engine.js."""

from collections.abc import Iterator

import pytest
import torch
from playwright.sync_api import Browser, Page, expect

from attnsteps import Transformer, TransformerConfig
from attnsteps.text.tokenizer import Characters, Words
from attnsteps.text.vocab import Vocab
from attnsteps.translator.trained import Trained
from attnsteps.widgets import Interventions, TimeMachine, Translator
from tests.kernel import Kernel

# Counts what a page gives to workers, and the addresses of blobs that it has not revoked.
COUNTERS = """
  window.open_blobs = new Set();
  window.messages = 0;
  const { createObjectURL, revokeObjectURL } = URL;
  URL.createObjectURL = (blob) => {
    const url = createObjectURL.call(URL, blob);
    window.open_blobs.add(url);
    return url;
  };
  URL.revokeObjectURL = (url) => {
    window.open_blobs.delete(url);
    revokeObjectURL.call(URL, url);
  };
  const { postMessage } = Worker.prototype;
  Worker.prototype.postMessage = function (...given) {
    window.messages += 1;
    return postMessage.apply(this, given);
  };
"""


@pytest.fixture
def page(browser: Browser, maths_page: tuple[Page, str]) -> Iterator[Page]:
    """An empty page of its own, which counts."""
    page = browser.new_page(reduced_motion="reduce")
    page.add_init_script(COUNTERS)
    page.goto(f"{maths_page[1]}maths/")
    yield page
    page.close()


def random_model(target: str, tokenizer: Words | Characters, seed: int = 0) -> Trained:
    """A model that has learned nothing, from Chinese characters to these tokens."""
    src_vocab, tgt_vocab = Vocab("动物累了"), Vocab(target.split(","))
    torch.manual_seed(seed)
    config = TransformerConfig(
        src_vocab_size=len(src_vocab),
        tgt_vocab_size=len(tgt_vocab),
        d_model=8,
        num_heads=2,
        num_encoder_layers=1,
        num_decoder_layers=1,
        d_ff=8,
        dropout=0.0,
        tie="none",
        mask_id=4,
    )
    return Trained(Transformer(config), src_vocab, tgt_vocab, Characters(), tokenizer)


@pytest.mark.parametrize("widget", [Translator, Interventions])
@pytest.mark.parametrize(
    ("target", "tokenizer"),
    [
        ("t,h,e, ,a", Characters()),
        ("动,物,累,了", Characters()),
        ("动物,累,了,it", Words(["动物", "累", "了", "it"])),
        ("the,animal,?", Words(["the", "animal", "?"])),
    ],
)
def test_a_translation_is_shown_as_its_tokenizer_joins_it(page, widget, target, tokenizer):
    trained = random_model(target, tokenizer)
    kernel = Kernel(page, widget(trained, text="动物累了"))
    page.wait_for_function("kernel.get('translation')")
    shown = page.locator(".tr-output").evaluate(
        "node => [...node.childNodes].filter((each) => each.className !== 'in-label')"
        ".map((each) => each.textContent).join('')"
    )
    (found,) = trained.translate(["动物累了"], max_len=18)
    assert len(found.tokens) > 1
    assert shown == kernel.get("translation") == found.text


def test_a_token_spelled_end_is_not_taken_for_the_end(page):
    trained = random_model("end,a,b", Words(["end", "a", "b"]))
    Kernel(page, Translator(trained, text="动物累了"))
    page.get_by_role("list", name="The translation").get_by_role("button").first.click()
    alternatives = page.get_by_role("group", name="What it could say here").get_by_role("button")
    expect(alternatives).to_have_count(5)
    names = page.locator(".tr-alternative-word").all_inner_texts()
    assert sorted(names) == ["(end)", "<unk>", "a", "b", "end"]


def test_the_address_of_a_workers_script_is_revoked(page):
    Kernel(page, Translator(random_model("a,b,c", Words(["a", "b", "c"])), text="动物"))
    page.wait_for_function("kernel.get('translation') !== undefined && messages >= 2")
    expect(page.locator(".tr-cost")).to_contain_text("on this machine.")  # a worker did it
    assert page.evaluate("open_blobs.size") == 0


def test_the_address_is_revoked_where_workers_are_refused(page):
    page.evaluate("void (window.Worker = null)")
    Kernel(page, Translator(random_model("a,b,c", Words(["a", "b", "c"])), text="动物"))
    expect(page.locator(".tr-cost")).to_contain_text("in the page itself")
    assert page.evaluate("open_blobs.size") == 0


def test_the_time_machine_waits_until_the_reader_comes_near(page):
    words = Words(["a", "b"])
    moments = [(n, 2.0 - n, random_model("a,b", words, seed=n)) for n in range(2)]
    page.evaluate("document.documentElement.style.paddingTop = '6000px'")
    kernel = Kernel(page, TimeMachine(moments, text="动物"))
    page.wait_for_timeout(500)
    assert page.evaluate("messages") == 0
    page.get_by_role("group", name="Time-machine", exact=True).scroll_into_view_if_needed()
    expect(page.locator(".tm-list")).to_be_visible()
    assert page.evaluate("messages") == 2 + 3  # models, and translations
    assert kernel.stop() == 0
