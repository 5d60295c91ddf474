"""The chapter on scale and its widget, in a real browser."""

import pytest
from playwright.sync_api import Locator, Page, expect

from attnsteps import Transformer
from attnsteps.widgets import TrainingStep
from attnsteps.widgets.scale import HOW, SIZES
from tests.browser import needs_media, touch
from tests.kernel import Kernel

PAGE = "20_scale.html"


def widget(page: Page) -> Locator:
    return page.locator(".aw").filter(has=page.locator(".aw-budget-bar"))


def python(**changes: object) -> TrainingStep:
    """The same widget in Python: sizes and choices by their names."""
    shown = TrainingStep("base")
    sizes = {name: value for name, value in changes.items() if name in SIZES["base"]}
    shown.sizes = {**shown.sizes, **sizes}
    shown.how = {**shown.how, **{n: v for n, v in changes.items() if n in HOW}}
    return shown


def shown_bytes(text: str) -> float:
    number, unit = text.split()
    return float(number) * 1000 ** ("B", "kB", "MB", "GB", "TB").index(unit)


def assert_counts(shown: Locator, expected: TrainingStep) -> None:
    """Hold every number of the table, and the parameters, against the package's."""
    rows = shown.locator("tbody tr")
    expect(rows).to_have_count(8)
    kept = [*expected.kept, expected.kept.total]
    got = [shown_bytes(row.locator("td").first.inner_text()) for row in rows.all()]
    assert got == pytest.approx(kept, rel=0.0051)  # three digits are shown
    shares = [row.locator("td").nth(1).inner_text() for row in rows.all()[:7]]
    for text, size in zip(shares, expected.kept, strict=True):
        number = text.removesuffix(" %")
        digits = len(number.partition(".")[2])
        share = 100 * size / expected.kept.total
        assert float(number) == pytest.approx(share, abs=0.51 * 10**-digits)
    expect(shown.locator(".aw-budget-facts")).to_contain_text(
        f"{expected.num_parameters:,} parameters"
    )


def press(slider: Locator, key: str) -> None:
    slider.focus()
    slider.press(key)


def test_the_first_view_is_the_papers_base_model(open_page):
    shown = widget(open_page(PAGE))
    assert_counts(shown, TrainingStep("base"))
    expect(shown.get_by_label("base, the paper")).to_be_checked()
    flops = 3 * Transformer(TrainingStep("base").config).flops(833, 30, 30)
    expect(shown.locator(".aw-budget-facts")).to_contain_text(f"{flops / 1e12:.2f} TFLOP")


@pytest.mark.parametrize("size", ["tiny", "big"])
def test_the_other_models_are_one_press_away(open_page, size):
    shown = widget(open_page(PAGE))
    shown.get_by_label(f"{size}, the").check()
    assert_counts(shown, TrainingStep(size))


def test_every_slider_counts_anew_by_keyboard(open_page):
    shown = widget(open_page(PAGE))
    moves = {
        "Width D": {"D": 1024},
        "Layers in each stack": {"N": 8},
        "Vocabulary size": {"V": 100_000},
        "Sentences per update": {"B": 2048},
        "Tokens per sentence": {"S": 64},
        "Micro-batches": {"micro_batches": 2},
        "Processes": {"processes": 2},
    }
    state = {}
    for label, change in moves.items():
        press(shown.get_by_label(label), "ArrowRight")
        state |= change
        assert_counts(shown, python(**state))
    assert not shown.get_by_label("base, the paper").is_checked()
    expect(shown.locator(".aw-note")).to_contain_text("each process sends")


def test_the_cable_decides_whether_eight_cards_beat_one(open_page):
    shown = widget(open_page(PAGE))
    time, sent = shown.locator("p", has_text="One update takes"), shown.locator(".aw-note")
    expect(time).to_contain_text("One update takes 3.46 s")
    expect(sent).to_have_text("A single process sends no gradients.")
    for _ in range(3):
        press(shown.get_by_label("Processes"), "ArrowRight")
    for seconds, sending in (("3.96", "3.53 s"), ("2.2", "1.77 s")):
        expect(time).to_contain_text(f"One update takes {seconds} s")
        expect(sent).to_contain_text(f"432 ms to compute, and then {sending}")
        expect(sent).to_contain_text("each process sends 442 MB")
        press(shown.get_by_label("on the cable"), "ArrowRight")


def test_16_bits_and_explicit_attention(open_page):
    shown = widget(open_page(PAGE))
    shown.get_by_label("16 bits", exact=True).check()
    assert_counts(shown, python(precision="bfloat16"))
    shown.get_by_label("explicit").check()
    assert_counts(shown, python(precision="bfloat16", fused=False))
    total = python(precision="bfloat16", fused=False).kept.total / 1e9
    expect(shown.locator("p[role=status]")).to_have_text(
        f"Total: {total:#.3g} GB in each process, and 3.46 s an update."
    )


def test_the_time_follows_from_operations_speed_and_processes(open_page):
    shown = widget(open_page(PAGE))
    flops = 3 * Transformer(TrainingStep("base").config).flops(833, 30, 30)
    line = shown.locator("p", has_text="One update takes")
    days = flops * 1e5 / HOW["speed"] / 86400
    expect(line).to_contain_text(f"100,000 updates take {days:.3g} days")
    press(shown.get_by_label("Processes"), "ArrowRight")
    sending = 4 * TrainingStep("base").num_parameters / (1e6 * HOW["cable"]) * 1e5 / 86400
    expect(line).to_contain_text(f"100,000 updates take {days / 2 + sending:.3g} days")


def test_it_works_by_touch_on_a_narrow_screen(open_page):
    page = open_page(PAGE, width=360, has_touch=True, color_scheme="dark")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    shown = widget(page)
    touch(shown.get_by_label("explicit"))
    assert_counts(shown, python(fused=False))
    for box in (target.bounding_box() for target in shown.locator("button, input").all()):
        assert min(box["width"], box["height"]) >= 24


def test_python_can_drive_it_and_is_told_what_the_reader_does(open_page):
    page = open_page("notation.html")
    source = python(D=320, N=5, B=100)  # none of them is a stop of a slider
    kernel = Kernel(page, source)
    shown = widget(page)
    expect(shown.locator("output").first).to_have_text("320")
    assert_counts(shown, source)

    kernel.set(how={**HOW, "precision": "bfloat16"})
    expect(shown.get_by_label("16 bits", exact=True)).to_be_checked()
    assert_counts(shown, python(D=320, N=5, B=100, precision="bfloat16"))

    press(shown.get_by_label("Tokens per sentence"), "ArrowRight")
    assert kernel.saved("sizes")[-1] == {**source.sizes, "S": 64}

    for how, is_short in (({"micro_batches": 128}, False), ({"processes": 128}, True)):
        kernel.set(how={**HOW, **how})
        expect(shown.get_by_text("1 sentence at a time in each process.")).to_be_visible()
        assert shown.get_by_text("fewer sentences than processes").count() == is_short
    assert kernel.stop() == 0


@pytest.mark.parametrize("forced_colors", ["none", "active"])
def test_no_two_kinds_of_memory_look_alike(open_page, forced_colors):
    page = open_page(PAGE)
    needs_media(page)
    page.emulate_media(forced_colors=forced_colors)
    keys = widget(page).locator(".aw-budget-key")
    looks = keys.evaluate_all("(keys) => keys.map((key) => getComputedStyle(key).background)")
    assert len(set(looks)) == len(looks) == 7


def test_the_exercises_accept_their_answers(open_page):
    page = open_page(PAGE)
    first, second, third = (page.locator(".aw").filter(has_text=f"Exercise {n}") for n in (1, 2, 3))
    for box, text in zip(
        first.get_by_role("textbox").all(), ["400", "200", "400", "1000"], strict=True
    ):
        box.fill(text)
    first.get_by_role("button", name="Check").click()
    expect(first.get_by_role("status")).to_contain_text("✓ Right")
    second.get_by_role("textbox").fill("40000")
    second.get_by_role("button", name="Check").click()
    expect(second.get_by_role("status")).to_contain_text("✓ Right")
    third.get_by_role("textbox").fill("2.2")
    third.get_by_role("button", name="Check").click()
    expect(third.get_by_role("status")).to_contain_text("✓ Right")
