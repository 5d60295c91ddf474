"""The heads in the page: every number as the package has it, by mouse, finger and keyboard."""

import re

import pytest
import torch
from playwright.sync_api import Locator, expect

from attnsteps.layers.heads import split_heads
from attnsteps.translator.trained import Trained, pretrained
from tests.browser import bring_to_life, touch

PAGE = "08_multi_head.html"
RUNNING = "动物没有过马路，因为太累了"
READY = "performance.getEntriesByName('attnsteps:heads-ready').length > 0"


@pytest.fixture(scope="module")
def trained() -> Trained:
    return pretrained()


@pytest.fixture
def heads(open_page):
    """The widget of a fresh page, with the first sentence read."""

    def open_(**options: object) -> Locator:
        page = open_page(PAGE, reduced_motion="reduce", **options)
        page.wait_for_function(READY)
        widget = page.get_by_role("group", name="Heads", exact=True)
        expect(chip(widget, 2)).to_have_attribute("aria-pressed", "true")  # 过, as the text says
        chip(widget, 7).click()
        unfold_memory(widget)
        return widget

    return open_


def unfold_memory(widget: Locator) -> None:
    """Open the fold with split, attend and merge, which is closed at first."""
    fold = widget.locator(".mh-look")
    assert fold.get_attribute("open") is None
    fold.locator("summary").first.click()


def line(widget: Locator) -> Locator:
    return widget.get_by_role("combobox")


def chip(widget: Locator, place: int) -> Locator:
    return widget.locator(".mh-chip").nth(place)


def weights_of(trained: Trained, text: str) -> torch.Tensor:
    """The encoder's weights, (L, H, S, S), computed by the package."""
    ids = torch.tensor([trained.src_vocab.ids(trained.src_tokenizer.tokenize(text))])
    with torch.no_grad():
        _, weights = trained.model.encode(ids, need_weights=True)
    return torch.cat(weights.encoder)


def percents(widget: Locator, table: int) -> torch.Tensor:
    rows = widget.locator(".wt").nth(table).locator("tbody tr").all()
    return torch.tensor(
        [[float(text) for text in row.locator("td").all_inner_texts()] for row in rows]
    )


def assert_shows(
    widget: Locator, trained: Trained, text: str, *, place: int, chosen: tuple
) -> None:
    """Compare both tables with the package; they are rounded to a whole percent."""
    weights = 100 * weights_of(trained, text)
    by_head = weights[:, :, place].flatten(0, 1)
    torch.testing.assert_close(percents(widget, 0), by_head, atol=0.501, rtol=0)
    torch.testing.assert_close(percents(widget, 1), weights[chosen], atol=0.501, rtol=0)


def test_every_head_looks_where_the_package_looks(heads, trained):
    widget = heads()
    count = weights_of(trained, RUNNING).shape[0] * weights_of(trained, RUNNING).shape[1]
    expect(widget.locator(".mh-card")).to_have_count(count)
    assert_shows(widget, trained, RUNNING, place=7, chosen=(0, 0))
    chip(widget, 1).click()
    expect(widget.get_by_text("“没有” through every head")).to_be_visible()
    widget.locator(".mh-card").nth(count - 1).click()
    last = tuple(size - 1 for size in weights_of(trained, RUNNING).shape[:2])
    name = f"layer {last[0] + 1}, head {last[1] + 1}"
    expect(widget.get_by_text(f"Every word through {name}")).to_be_visible()
    assert_shows(widget, trained, RUNNING, place=1, chosen=last)


def test_a_column_says_what_its_word_means(heads, trained):
    widget = heads()
    for table in widget.locator(".wt").all():
        columns = table.locator("thead th")
        expect(columns).to_have_count(len(trained.src_tokenizer.tokenize(RUNNING)))
        assert columns.nth(0).inner_text().split() == ["动物", "animal"]
        assert columns.nth(2).locator(".wt-gloss").inner_text() == "cross"


def test_a_card_says_and_draws_what_its_head_does(heads, trained):
    widget = heads()
    weights = weights_of(trained, RUNNING)
    words = trained.src_tokenizer.tokenize(RUNNING)
    for n, head in enumerate(weights.flatten(0, 1)):
        card = widget.locator(".mh-card").nth(n)
        share, most = head[7].max(dim=-1)
        expect(card).to_contain_text(f"{words[most]} {100 * share:.0f} %")
        drawn = card.locator("rect[fill-opacity]")
        expect(drawn).to_have_count(int((head >= 0.02).sum()))
        torch.testing.assert_close(
            torch.tensor([float(rect.get_attribute("fill-opacity")) for rect in drawn.all()[:20]]),
            head[head >= 0.02][:20],
            atol=1e-3,
            rtol=0,
        )


def test_the_twin_and_another_sentence_are_a_button_away(heads, trained):
    widget = heads()
    widget.get_by_role("button", name="Swap").click()
    twin = RUNNING.replace("累", "宽")
    expect(line(widget)).to_have_value(twin)
    expect(chip(widget, 7)).to_contain_text("wide")
    assert_shows(widget, trained, twin, place=7, chosen=(0, 0))
    widget.get_by_role("button", name="Another sentence").click()
    expect(line(widget)).not_to_have_value(twin)
    text = line(widget).input_value()
    words = trained.src_tokenizer.tokenize(text)
    expect(widget.locator(".mh-chip")).to_have_count(len(words))
    assert_shows(widget, trained, text, place=min(7, len(words) - 1), chosen=(0, 0))


def layouts(trained: Trained, num_words: int) -> list[torch.Tensor]:
    """The seven steps as PyTorch lays them out."""
    config = trained.model.config
    q = torch.zeros(1, num_words, config.d_model)
    cut = q.view(1, num_words, config.num_heads, -1)
    heads = split_heads(q, config.num_heads)
    context = torch.zeros(1, config.num_heads, num_words, num_words) @ heads
    back = context.transpose(1, 2)
    return [q, cut, heads, context, back, back.contiguous(), back.contiguous().view(q.shape)]


def test_the_memory_is_pytorchs_at_every_step(heads, trained):
    widget = heads()
    memory = ["new memory", "the same memory", "the same memory", "new memory"]
    memory += ["the same memory", "copied into new memory", "the same memory"]
    widget.get_by_text("Where each piece begins, as a table").click()
    config = trained.model.config
    for number, tensor in enumerate(layouts(trained, 9)):
        widget.locator(".mh-steps input").nth(number).check()
        facts = widget.locator(".mh-facts")
        expect(facts).to_contain_text(f"shape {tuple(tensor.shape)}, strides {tensor.stride()}")
        expect(facts.locator("strong")).to_have_text(memory[number])
        shown = widget.get_by_role("table", name="Offset in memory").locator("tbody tr").nth(3)
        places = torch.arange(tensor.numel()).as_strided(tensor.shape, tensor.stride())[0]
        places = places.transpose(0, 1) if number in (2, 3) else places
        expected = places.reshape(9, config.num_heads, -1)[3, :, 0].tolist()
        assert [int(text) for text in shown.locator("td").all_inner_texts()] == expected


def test_the_pieces_lie_where_the_text_says(heads, trained):
    widget = heads()
    config = trained.model.config
    width = config.d_model // config.num_heads
    widget.locator(".mh-steps input").nth(2).check()
    widget.locator(".mh-card").nth(1).click()
    said = widget.get_by_role("status").filter(has_text="begins at")
    start = 1 * width + 7 * config.d_model
    expect(said).to_contain_text(
        f"Head 2 of 累 tired begins at 1 · {width} + 7 · {config.d_model} = {start}."
    )
    expect(said).to_contain_text(f"{9 * width} numbers are in 9 pieces")
    widget.locator(".mh-steps input").nth(3).check()
    expect(said).to_contain_text(f"begins at 1 · {9 * width} + 7 · {width} = {(9 + 7) * width}.")
    expect(said).to_contain_text("numbers are contiguous")
    stored = widget.locator(".mh-memory .mh-here")
    expect(stored).to_have_count(1)
    assert stored.get_attribute("title") == (
        f"head 2 of 累 tired: numbers {16 * width} to {17 * width - 1} in memory"
    )


STOPS = re.compile(r"var\(--(plus|minus)\) (\d+)%")


def test_the_stripes_are_the_real_numbers(heads, trained):
    widget = heads()
    model = trained.model
    attention, config = model.encoder.layers[-1].self_attention, model.config
    ids = torch.tensor([trained.src_vocab.ids(trained.src_tokenizer.tokenize(RUNNING))])
    with torch.no_grad():
        x = model.src_embedding(ids) + model.src_positions(9)
        for layer in model.encoder.layers[:-1]:
            x, _ = layer(x)
        if config.norm == "pre":
            x = model.encoder.layers[-1].self_attention_sublayer.norm(x)
        _, weights = attention(x, x, x, need_weights=True)
        v = split_heads(attention.w_v(x), config.num_heads)
        numbers = {0: attention.w_q(x)[0], 3: (weights @ v).transpose(1, 2).flatten(-2)[0]}
    widget.locator(".mh-card").last.click()
    for step, rows in numbers.items():
        widget.locator(".mh-steps input").nth(step).check()
        style = widget.locator(".mh-field:not(.mh-memory) .mh-piece").first.get_attribute("style")
        found = [
            float(share) * (1 if sign == "plus" else -1) for sign, share in STOPS.findall(style)
        ]
        got = torch.tensor(found)
        want = rows[0, : len(found)] / rows.abs().max()
        assert len(found) == min(16, config.d_model // config.num_heads)
        torch.testing.assert_close(got, 100 * want.sign() * want.abs().sqrt(), atol=0.6, rtol=0)


def test_a_press_on_a_piece_chooses_its_word_and_head(heads):
    widget = heads()
    widget.locator(".mh-field:not(.mh-memory) .mh-piece").nth(4 * 2 + 3).click()
    expect(chip(widget, 2)).to_have_attribute("aria-pressed", "true")
    expect(widget.locator(".mh-card").nth(3)).to_have_attribute("aria-pressed", "true")


def test_keyboard_alone(heads, trained):
    widget = heads()
    page = widget.page
    line(widget).focus()
    line(widget).fill("")
    page.keyboard.type("street")
    page.keyboard.press("Enter")
    page.keyboard.type("kuan")
    page.keyboard.press("Enter")
    expect(line(widget)).to_have_value("马路宽")
    expect(widget.locator(".mh-chip")).to_have_count(2)
    assert_shows(widget, trained, "马路宽", place=1, chosen=(0, 0))
    seen = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        seen.add(page.evaluate("document.activeElement.className.split(' ')[0]"))
    assert {"aw-button", "mh-chip", "mh-card", "wt-pick"} <= seen
    widget.locator(".mh-steps input").first.focus()
    page.keyboard.press("ArrowDown")
    expect(widget.locator(".mh-steps input").nth(1)).to_be_checked()
    expect(widget.locator(".mh-facts")).to_contain_text("the same memory")


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("", "There is nothing to look at yet."),
        ("累" * 25, "That makes 25 words and marks; this model has learned from short sentences"),
    ],
)
def test_nothing_and_too_much_are_said(heads, typed, message):
    widget = heads()
    line(widget).fill(typed)
    expect(widget.get_by_text(message)).to_be_visible()
    expect(widget.locator(".mh-grid")).to_be_hidden()
    line(widget).fill(RUNNING)
    expect(widget.locator(".mh-grid")).to_be_visible()
    expect(widget.get_by_text(message)).to_be_hidden()


def test_unknown_words_are_named_and_typed_html_stays_text(heads):
    widget = heads()
    widget.page.on("dialog", lambda dialog: pytest.fail(f"a script ran: {dialog.message}"))
    line(widget).fill("龘没有<img src=x onerror=alert(1)>")
    line(widget).press("Escape")
    expect(widget.get_by_text("words this model knows:")).to_contain_text("龘, <, img, src")
    assert widget.locator("img").count() == 0


def test_it_fits_a_phone(heads):
    widget = heads(width=360, has_touch=True)
    line(widget).fill("那些孩子没有吃那些鸡蛋，因为太饱了那些孩子没有")
    expect(widget.locator(".mh-chip").last).to_be_visible()
    touch(widget.locator(".mh-card").nth(2))
    expect(widget.locator(".mh-card").nth(2)).to_have_attribute("aria-pressed", "true")
    assert widget.page.evaluate("document.documentElement.scrollWidth") <= 360
    sides = "chips => chips.map(chip => [chip.offsetWidth, chip.offsetHeight]).flat()"
    assert min(widget.locator(".mh-chip").evaluate_all(sides)) >= 24


MOVING = """async (step) => {
  const inputs = document.querySelectorAll(".mh-steps input");
  const moving = () => document.querySelector(".mh-memory").getAnimations({ subtree: true });
  inputs[4].click();
  await Promise.all(moving().map((animation) => animation.finished));
  inputs[step].click();
  return moving().length;
}"""


def test_numbers_move_in_memory_at_the_copy_alone_and_not_for_who_wants_no_motion(open_page, heads):
    assert heads().page.evaluate(MOVING, 5) == 0
    page = open_page(PAGE)
    page.wait_for_function(READY)
    unfold_memory(page.get_by_role("group", name="Heads", exact=True))
    assert page.evaluate(MOVING, 3) == 0
    assert page.evaluate(MOVING, 5) > 0


def test_weights_that_do_not_come_give_a_message(browser, site):
    page = browser.new_page()
    page.route(re.compile(r"_static/widgets/.*\.bin"), lambda route: route.fulfill(status=404))
    page.goto(f"{site}{PAGE}")
    bring_to_life(page)
    widget = page.get_by_role("group", name="Heads", exact=True)
    widget.scroll_into_view_if_needed()
    message = "The weights could not be fetched. Reloading the page may help."
    expect(widget.get_by_text(message)).to_be_visible()
    expect(widget.locator(".mh-grid")).to_be_hidden()
    page.close()
