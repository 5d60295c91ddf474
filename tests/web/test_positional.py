"""The chapter on positions and its widget, in a real browser."""

import pytest
import torch
from playwright.sync_api import Locator, Page, expect

from attnsteps import sinusoidal_positions
from attnsteps.running_example import SENTENCE
from attnsteps.widgets import Positions
from tests.browser import touch
from tests.kernel import Kernel

PAGE = "10_positional.html"
WORDS = [f"{word.zh} {word.gloss}" for word in SENTENCE[:4]]


def widget(page: Page) -> Locator:
    """The widget on the page: the only one with clocks."""
    return page.locator(".aw").filter(has=page.locator(".aw-po-clocks"))


def press(control: Locator, key: str) -> None:
    control.focus()
    control.press(key)


def rows(table: Locator) -> list[list[float]]:
    """The numbers of a table, as they stand there."""
    return [
        [float(text.replace("−", "-")) for text in row.locator("td").all_text_contents()]
        for row in table.locator("tbody tr").all()
    ]


def assert_numbers(shown: Locator, **state: object) -> None:
    """Hold the table of positions and the sentence below it against the package."""
    python = Positions(**state)
    p, other = python.position, python.position + python.step
    table = shown.locator(".aw-po-numbers table")
    turned = python.table[other].tolist()
    got = rows(table)
    assert len(got) == 3
    for row, want in zip(got, [python.table[p].tolist(), turned, turned], strict=True):
        assert row == pytest.approx(want, abs=0.0051)
    expect(table.locator("th[scope=row]")).to_have_text(
        [f"position {p}", f"rotated by {python.step}", f"position {other}"]
    )
    product = (python.table[p] @ python.table[other]).item()
    said = shown.locator("p[role=status]").first
    expect(said).to_contain_text(f"Position {p} rotated by {python.step} is position {other}")
    expect(said).to_contain_text("the largest difference is 0.00")
    expect(said).to_contain_text(f"dot product is {product:.2f},")


def tips(shown: Locator, name: str) -> list[list[float]]:
    """Where the hands of a kind point, as (right, up), stretched to length 1."""
    out = []
    for hand in shown.locator(f".aw-po-clock:visible .aw-po-hand{name}").all():
        x, y = (float(hand.get_attribute(axis)) for axis in ("x2", "y2"))
        length = (x * x + y * y) ** 0.5
        out.append([x / length, -y / length])
    return out


def assert_words(shown: Locator, order: list[int]) -> None:
    """Hold the order of the words and both tables of results against the package."""
    python = Positions(order=order)
    expect(shown.locator(".aw-po-words .aw-row").first.get_by_role("button")).to_have_text(
        [f"{place} {WORDS[word]}" for place, word in enumerate(order)]
    )
    for table, with_positions in zip(
        shown.locator(".aw-po-tables table").all(), (False, True), strict=True
    ):
        expect(table.locator("th[scope=row]")).to_have_text(
            [SENTENCE[word].gloss for word in order]
        )
        contexts = python.contexts(with_positions=with_positions)
        moved = python.moved(with_positions=with_positions)
        want = torch.cat([contexts, moved[:, None]], dim=1).tolist()
        for row, expected in zip(rows(table), want, strict=True):
            assert row == pytest.approx(expected, abs=0.0051)


def chip(shown: Locator, gloss: str) -> Locator:
    return shown.locator(".aw-po-words").get_by_role("button", name=gloss)


def test_the_first_view_shows_what_the_package_computes(open_page):
    shown = widget(open_page(PAGE))
    assert_numbers(shown)
    assert_words(shown, [0, 1, 2, 3])
    expect(shown.locator(".aw-po-clock:visible")).to_have_count(6)
    pairs = sinusoidal_positions(48, 12).unflatten(1, (6, 2))
    for name, position in ((":not(.aw-po-next)", 5), (".aw-po-next", 8)):
        for tip, want in zip(tips(shown, name), pairs[position].tolist(), strict=True):
            assert tip == pytest.approx(want, abs=1e-5)


def test_the_sliders_follow_the_keyboard(open_page):
    shown = widget(open_page(PAGE))
    for label, key, state in (
        ("Offset k", "ArrowRight", {"step": 4}),
        ("Offset k", "End", {"step": 16}),
        ("Position p", "End", {"step": 16, "position": 31}),
        ("Position p", "Home", {"step": 16, "position": 0}),
    ):
        press(shown.get_by_label(label), key)
        assert_numbers(shown, **state)


def test_the_hill_keeps_its_shape_when_the_position_moves(open_page):
    shown = widget(open_page(PAGE))

    def heights() -> list[float]:
        points = shown.locator(".aw-po-hill").last.get_attribute("d")[1:].split("L")
        return [float(point.split()[1]) for point in points]

    before = heights()
    table = sinusoidal_positions(48, 12, dtype=torch.float64)
    dots = (table @ table[5]).tolist()
    # Linear from the value to the height, and highest (smallest y) at the position itself.
    low = dots.index(min(dots))
    scale = (before[low] - before[5]) / (dots[low] - dots[5])
    assert scale < 0
    for got, dot in zip(before, dots, strict=True):
        assert got == pytest.approx(before[5] + scale * (dot - dots[5]), abs=0.11)
    press(shown.get_by_label("Position p"), "ArrowRight")
    assert heights()[1:] == before[:-1]


def test_width_and_layout_change_the_columns(open_page):
    shown = widget(open_page(PAGE))
    heads = shown.locator(".aw-po-numbers thead th")
    shown.get_by_label("8", exact=True).check()
    expect(shown.locator(".aw-po-clock:visible")).to_have_count(4)
    expect(heads).to_have_text(
        ["sin 0", "cos 0", "sin 1", "cos 1", "sin 2", "cos 2", "sin 3", "cos 3"]
    )
    assert_numbers(shown, d_model=8)
    cells = shown.locator(".aw-po-pictures svg").first.locator("g rect")
    expect(cells).to_have_count(48 * 8)
    before = cells.nth(8 * 5 + 1).get_attribute("fill-opacity")  # position 5, cos 0
    press(shown.get_by_label("interleaved (paper)"), "ArrowRight")
    expect(heads).to_have_text(
        ["sin 0", "sin 1", "sin 2", "sin 3", "cos 0", "cos 1", "cos 2", "cos 3"]
    )
    assert_numbers(shown, d_model=8, layout="concatenated")
    assert cells.nth(8 * 5 + 4).get_attribute("fill-opacity") == before


def test_swapping_words_moves_results_only_with_positions(open_page):
    shown = widget(open_page(PAGE))
    animal, street = chip(shown, "animal"), chip(shown, "street")
    animal.click()
    expect(animal).to_have_attribute("aria-pressed", "true")
    told = shown.locator(".aw-po-words p[role=status]")
    expect(told).to_have_text("动物 animal is chosen. Choose the word to swap it with.")
    street.click()
    assert_words(shown, [3, 1, 2, 0])
    most = Positions(order=[3, 1, 2, 0]).moved(with_positions=True).max().item()
    expect(told).to_have_text(
        "Without positions, no word’s result has moved by more than 0.00; "
        f"with positions, one has moved by {most:.2f}."
    )
    shown.get_by_role("button", name="Put back").click()
    assert_words(shown, [0, 1, 2, 3])
    expect(told).to_have_text("Choose two words to swap them.")


def test_a_choice_can_be_taken_back_and_words_swapped_by_keyboard(open_page):
    shown = widget(open_page(PAGE))
    not_, cross = chip(shown, "not"), chip(shown, "cross")
    press(not_, "Enter")
    press(not_, "Enter")
    expect(not_).to_have_attribute("aria-pressed", "false")
    press(not_, "Space")
    press(cross, "Space")
    assert_words(shown, [0, 2, 1, 3])


def test_shuffle_always_gives_another_order(open_page):
    shown = widget(open_page(PAGE))
    chips = shown.locator(".aw-po-words .aw-row").first.get_by_role("button")
    for _ in range(5):
        before = chips.all_text_contents()
        shown.get_by_role("button", name="Shuffle").click()
        after = chips.all_text_contents()
        assert after != before
        order = [WORDS.index(text.partition(" ")[2]) for text in after]
        assert_words(shown, order)


def test_it_works_by_touch_on_a_narrow_screen(open_page):
    page = open_page(PAGE, width=360, has_touch=True, color_scheme="dark")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    shown = widget(page)
    first, *_, last = (svg.bounding_box() for svg in shown.locator(".aw-po-clock:visible").all())
    assert last["y"] >= first["y"] + first["height"]
    touch(chip(shown, "animal"))
    touch(chip(shown, "street"))
    assert_words(shown, [3, 1, 2, 0])
    targets = shown.locator("button:visible, input:visible")
    for box in (target.bounding_box() for target in targets.all()):
        assert min(box["width"], box["height"]) >= 24


def test_nothing_moves_by_itself(open_page):
    shown = widget(open_page(PAGE, reduced_motion="no-preference"))
    press(shown.get_by_label("Position p"), "End")
    assert shown.evaluate("node => node.getAnimations({ subtree: true }).length") == 0


def test_python_can_drive_it_and_is_told_what_the_reader_does(open_page):
    page = open_page("notation.html")
    start = {"d_model": 4, "layout": "concatenated", "position": 11, "step": 0}
    python = Positions(order=[2, 0, 1, 3], **start)
    words = [["动物", "<b>animal</b>"], *python.words[1:]]  # whatever they are, they stay text
    kernel = Kernel(page, python, words=words)
    shown = widget(page)
    assert_numbers(shown, **start)
    expect(shown.locator("b")).to_have_count(0)
    expect(shown.locator(".aw-po-tables th[scope=row]").nth(1)).to_have_text("<b>animal</b>")

    kernel.set(position=2, step=7, d_model=8, layout="interleaved", order=[3, 2, 1, 0])
    expect(shown.locator("output")).to_have_text(["2", "7"])
    expect(shown.get_by_label("8", exact=True)).to_be_checked()
    expect(shown.get_by_label("interleaved (paper)")).to_be_checked()
    assert_numbers(shown, d_model=8, position=2, step=7)
    expect(shown.locator(".aw-po-tables th[scope=row]").first).to_have_text("street")

    press(shown.get_by_label("Position p"), "End")
    shown.get_by_role("button", name="Put back").click()
    assert (kernel.saved("position")[-1], kernel.saved("order")[-1]) == (31, [0, 1, 2, 3])
    assert kernel.stop() == 0
