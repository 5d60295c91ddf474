"""The chapter on residuals and norms and its widget, in a real browser."""

import re

from playwright.sync_api import Locator, Page, expect

from attnsteps.widgets import ResidualAndNorm
from attnsteps.widgets.residual_and_norm import ARRANGEMENTS
from tests.browser import touch
from tests.kernel import Kernel

PAGE = "11_residual_and_norm.html"
DIGITS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
STATUS = "p[role=status]"


def widget(page: Page) -> Locator:
    """The widget on the page: the only one with a table of arrangements."""
    return page.locator(".aw").filter(has=page.locator(".aw-rn-table"))


def brief(value: float) -> str:
    """A number as the widget writes it."""
    if 0.01 <= value < 1000:
        return f"{value:.2f}"
    digits, power = f"{value:.1e}".split("e")
    raised = "".join(DIGITS[int(digit)] for digit in str(abs(int(power))))
    return f"{digits}·10{'⁻' if int(power) < 0 else ''}{raised}"


def table(shown: Locator) -> list[list[str]]:
    """The numbers of the table, as they stand there."""
    return [row.locator("td").all_text_contents() for row in shown.locator("tbody tr").all()]


def expected(**state: object) -> list[list[str]]:
    """The same numbers from the package."""
    python = ResidualAndNorm(**state)
    rows = []
    for arrangement in ARRANGEMENTS:
        sizes, gradients, alike = python.profile(arrangement)
        cosine = f"{abs(alike):.2f}"
        sign = "−" if alike < 0 and float(cosine) else ""
        rows.append([brief(sizes[-1]), sign + cosine, brief(gradients[0])])
    return rows


def press(control: Locator, key: str) -> None:
    control.focus()
    control.press(key)


def test_the_first_view_shows_what_the_package_computes(open_page):
    shown = widget(open_page(PAGE))
    assert table(shown) == expected(depth=12, strength=0.6)
    expect(shown.get_by_role("radio", name="neither")).to_be_checked()
    said = expected(depth=12, strength=0.6)[0]
    expect(shown.locator(STATUS)).to_have_text(
        f"neither, 12 layers: x comes out at size {said[0]}, and the gradient reaches"
        f" layer 0 at {said[2]} times its size at the top."
    )


def test_the_depth_follows_the_keyboard(open_page):
    shown = widget(open_page(PAGE))
    for key, depth in (("ArrowRight", 13), ("Home", 1), ("End", 48)):
        press(shown.get_by_label("Layers"), key)
        expect(shown.locator("output").first).to_have_text(str(depth))
        assert table(shown) == expected(depth=depth, strength=0.6)


def test_the_size_of_the_function_follows_the_keyboard(open_page):
    shown = widget(open_page(PAGE))
    for key, strength in (("ArrowUp", 0.65), ("Home", 0.25), ("End", 2.0)):
        press(shown.get_by_label("Size of f(x)"), key)
        expect(shown.locator("output").nth(1)).to_have_text(f"{strength:.2f}")
        assert table(shown) == expected(depth=12, strength=strength)


def test_norms_make_the_size_of_the_function_immaterial(open_page):
    shown = widget(open_page(PAGE))
    before = table(shown)
    press(shown.get_by_label("Size of f(x)"), "End")
    after = table(shown)
    assert after[2] == before[2]  # norm only
    assert after[0] != before[0]
    assert after[1] != before[1]


def heights(shown: Locator, line: str) -> list[float]:
    """The vertical places of one line's points."""
    path = shown.locator(f"path.{line}").get_attribute("d")
    return [float(y) for _, y in re.findall(r"[ML](\S+) (\S+?)(?=L|$)", path)]


def test_the_arrangement_is_chosen_by_keyboard_and_drawn(open_page):
    shown = widget(open_page(PAGE))
    picture = shown.get_by_role("img")
    for name in list(ARRANGEMENTS.values())[1:]:
        press(shown.get_by_role("radio", checked=True), "ArrowDown")
        expect(shown.locator(STATUS)).to_contain_text(f"{name}, 12 layers")
        expect(picture).to_have_attribute("aria-label", re.compile(f"^{name}\\. Layer 0: x "))
    sizes, gradients, _ = ResidualAndNorm(depth=12, strength=0.6).profile("pre_final")
    up, down = heights(shown, "aw-rn-up"), heights(shown, "aw-rn-down")
    assert len(up) == len(down) == len(sizes) == 14
    # Larger stands higher, and the order of all points is that of their sizes.
    assert sorted(range(14), key=lambda i: -up[i]) == sorted(range(14), key=lambda i: sizes[i])
    assert (down[0] < up[-1]) == (gradients[0] > sizes[-1])


def test_what_leaves_the_picture_is_said(open_page):
    shown = widget(open_page(PAGE))
    press(shown.get_by_label("Layers"), "End")
    expect(shown.locator(STATUS)).to_contain_text("The picture ends at 10⁶ and 10⁻⁶.")
    shown.get_by_role("radio", name="post-norm").check()
    expect(shown.locator(STATUS)).not_to_contain_text("The picture ends")
    floor = max(heights(shown, "aw-rn-up") + heights(shown, "aw-rn-down"))
    assert floor < 188


def test_draw_again_draws_the_next_seed(open_page):
    shown = widget(open_page(PAGE))
    press(shown.get_by_role("button", name="Draw again"), "Enter")
    assert table(shown) == expected(depth=12, strength=0.6, seed=2)


def test_it_works_by_touch_on_a_narrow_screen(open_page):
    page = open_page(PAGE, width=360, has_touch=True, color_scheme="dark")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    shown = widget(page)
    touch(shown.locator("label", has_text="pre-norm").first)
    expect(shown.locator(STATUS)).to_contain_text("pre-norm, 12 layers")
    touch(shown.get_by_role("button", name="Draw again"))
    assert table(shown) == expected(depth=12, strength=0.6, seed=2)
    for box in (t.bounding_box() for t in shown.locator("button:visible, input:visible").all()):
        assert min(box["width"], box["height"]) >= 24
    # A row is still a row: its name, then its three numbers.
    row = shown.get_by_role("row", name=re.compile("post-norm"))
    expect(row.get_by_role("rowheader")).to_be_visible()
    expect(row.get_by_role("cell")).to_have_count(3)


def test_nothing_moves_by_itself(open_page):
    shown = widget(open_page(PAGE, reduced_motion="no-preference"))
    press(shown.get_by_label("Layers"), "End")
    assert shown.evaluate("node => node.getAnimations({ subtree: true }).length") == 0


def test_python_can_drive_it_and_is_told_what_the_reader_does(open_page):
    page = open_page("notation.html")
    kernel = Kernel(page, ResidualAndNorm(depth=5, strength=1.0, arrangement="pre", seed=7))
    shown = widget(page)
    assert table(shown) == expected(depth=5, strength=1.0, seed=7)

    kernel.set(strength=1.33)  # between two stops of the slider
    expect(shown.locator("output").nth(1)).to_have_text("1.33")
    assert table(shown) == expected(depth=5, strength=1.33, seed=7)
    kernel.set(depth=9, strength=1.5, seed=3, arrangement="post")
    expect(shown.locator("output").first).to_have_text("9")
    expect(shown.locator("output").nth(1)).to_have_text("1.50")
    expect(shown.get_by_role("radio", name="post-norm")).to_be_checked()
    assert table(shown) == expected(depth=9, strength=1.5, seed=3)

    shown.get_by_role("radio", name="residual only").check()
    press(shown.get_by_label("Layers"), "Home")
    shown.get_by_role("button", name="Draw again").click()
    wanted = {"depth": 1, "strength": 1.5, "arrangement": "residual", "seed": 4}
    assert {name: kernel.saved(name)[-1] for name in wanted} == wanted
    assert kernel.stop() == 0


def test_the_guess_is_met_again(open_page):
    page = open_page(PAGE)
    ask = page.locator(".aw").filter(has_text="Predict, then read on").first
    ask.get_by_role("radio").nth(2).check()
    ask.get_by_role("button", name="This is my guess").click()
    verdict = page.locator("details.answer").first.get_by_role("status")
    expect(verdict).to_contain_text("✓ Right.")


def test_the_exercises_accept_their_answers(open_page):
    page = open_page(PAGE)
    first, second, third = (page.locator(".aw").filter(has_text=f"Exercise {n}") for n in (1, 2, 3))
    cells = ["0.45", "-0.45", "-1.34", "1.34", "-0.45", "0.45", "1.34", "-1.34"]
    for box, text in zip(first.get_by_role("textbox").all(), cells, strict=True):
        box.fill(text)
    first.get_by_role("button", name="Check").click()
    expect(first.get_by_role("status")).to_contain_text("✓ Right")

    second.get_by_role("radio").nth(1).check()
    second.get_by_role("button", name="Check").click()
    expect(second.get_by_role("status")).to_contain_text("This is pre-norm.")
    second.get_by_role("radio").nth(2).check()
    second.get_by_role("button", name="Check").click()
    expect(second.get_by_role("status")).to_contain_text("✓ Right")

    # pre-norm, residual only, neither, post-norm → neither, post-norm, pre-norm, residual only
    for name in ("neither", "neither", "post-norm", "post-norm"):
        third.get_by_role("button", name=f"Move up: {name}").click()
    third.get_by_role("button", name="Check").click()
    expect(third.get_by_role("status")).to_contain_text("✓ Right")
