"""What must hold of every widget: each alone on a page of the site, as Python has it."""

import re
from collections.abc import Callable, Iterator
from functools import cache

import pytest
import torch
from playwright.sync_api import Browser, Page

from attnsteps import widgets
from attnsteps.text.vocab import SPECIALS
from attnsteps.translator.trained import pretrained
from attnsteps.widgets.base import Widget
from tests.browser import BOX, needs_media
from tests.kernel import Kernel


def embedding_space() -> Widget:
    """The words and vectors of the package's own translator."""
    trained = pretrained()
    words = trained.tgt_vocab.to_list()[len(SPECIALS) :][:150]
    after = trained.model.tgt_embedding.weight.detach()[len(SPECIALS) :][: len(words)]
    before = torch.randn(after.shape, generator=torch.Generator().manual_seed(0))
    return widgets.EmbeddingSpace(words, before, after, selected="street")


QUESTION = {"kind": "number", "question": "How much is it?"}
MADE: dict[str, Callable[[], Widget]] = {
    name: getattr(widgets, name)
    for name in widgets.__all__
    if name not in ("Exercise", "Predict", "AttentionExplorer", "EmbeddingSpace")
} | {
    "AttentionExplorer": lambda: widgets.AttentionExplorer("动物 没有 过 马路 因为 太 累 了"),
    "EmbeddingSpace": embedding_space,
    "Exercise": lambda: widgets.Exercise(
        "key", "Exercise 1", **QUESTION, answer=1.0, hint="None.", explanation="It is one."
    ),
    "Predict": lambda: widgets.Predict("key", **QUESTION),
}
made = cache(lambda name: MADE[name]())  # as the models take a while
# What a widget around a model says when it has come.
READY = {
    "DigitWriter": "digit-writer",
    "Heads": "heads",
    "Interventions": "inside",
    "Race": "race",
    "TimeMachine": "time-machine",
    "Translator": "translator",
}
PLAIN = """
  body { display: block; padding: 0 16px; }
  body > .aw { max-width: 46rem; }
"""  # about as wide as the text of a chapter

# What draws itself by its room is drawn when its first frame is; the next one shows it.
DRAWN = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
AFRESH = """() => {
  for (const style of document.querySelectorAll("style")) style.remove();
  performance.clearMarks();
  localStorage.clear();
}"""

every_widget = pytest.mark.parametrize("name", sorted(MADE))


@pytest.fixture(scope="module")
def pages(browser: Browser, bare_site: str) -> Iterator[Callable[..., Page]]:
    """Pages with the site's styles and nothing else, one for each kind of screen."""
    kept: dict[tuple, Page] = {}

    def page(**options: object) -> Page:
        key = tuple(sorted(options.items()))
        if key not in kept:
            width = options.pop("width")
            options = {"reduced_motion": "reduce", "service_workers": "block", **options}
            kept[key] = browser.new_page(viewport={"width": width, "height": 900}, **options)
            kept[key].goto(f"{bare_site}genindex.html")
        kept[key].bring_to_front()
        return kept[key]

    yield page
    for each in kept.values():
        each.close()


@pytest.fixture
def show(pages: Callable[..., Page]) -> Iterator[Callable[..., Page]]:
    """Show the widget of this name, and nothing else."""
    kernels: list[Kernel] = []

    def show_(name: str, *, width: int = 1280, **options: str) -> Page:
        page = pages(width=width, **options)
        page.set_viewport_size({"width": width, "height": 900})
        page.evaluate(AFRESH)
        page.add_style_tag(content=PLAIN)
        kernels.append(Kernel(page, made(name)))
        ready(page, name)
        page.evaluate(DRAWN)
        return page

    yield show_
    for kernel in kernels:
        kernel.stop()


def ready(page: Page, name: str) -> None:
    """Wait until the models of a widget have answered."""
    if mark := READY.get(name):
        page.wait_for_function(
            "(name) => performance.getEntriesByName(`attnsteps:${name}-ready`).length", arg=mark
        )


def sideways(page: Page) -> int:
    """Return by how many pixels the page, or a widget in it, is wider than its room."""
    return page.evaluate(
        """() => Math.max(
          document.documentElement.scrollWidth - innerWidth,
          ...[...document.querySelectorAll('.aw')].map((e) => e.scrollWidth - e.clientWidth),
        )"""
    )


@pytest.mark.parametrize(
    "width", [360, pytest.param(1280, marks=pytest.mark.elsewhere)], ids=["phone", "desk"]
)
@every_widget
def test_no_word_is_too_long(show, name, width):
    page = show(name, width=width)
    assert sideways(page) <= 0
    asked = page.get_by_role("button", name=re.compile("Check|This is my guess"))
    for field in page.locator("input[type=text]").all():
        for length in (34, 300):
            field.fill("w" * length)
            for each in asked.all():
                each.click()
            page.wait_for_timeout(150 if name in READY else 0)
            assert sideways(page) <= 0


# What is painted otherwise than what is behind it, each as a place in the document and a kind.
PAINTED = """() => {
  const isClear = (colour) => /^none$|^rgba.*, 0\\)$|\\/ 0\\)$/.test(colour);
  const behind = (node) => {
    while (node && isClear(getComputedStyle(node).backgroundColor)) node = node.parentElement;
    return node ? getComputedStyle(node).backgroundColor : "";
  };
  const painted = [];
  document.querySelectorAll(".aw *").forEach((node, n) => {
    if (node.matches("input, select, option, svg, g") || !node.getClientRects().length) return;
    const style = getComputedStyle(node);
    const ground = behind(node.parentElement);
    const shows = (colour) => !isClear(colour) && colour !== ground;
    const at = `${n} ${node.localName}.${node.getAttribute("class")}`;
    if (node instanceof SVGElement) {
      if (shows(style.fill) || shows(style.stroke)) painted.push(`${at}: drawn`);
      return;
    }
    if (shows(style.backgroundColor)) painted.push(`${at}: colour`);
    if (style.backgroundImage !== "none") painted.push(`${at}: image`);
    if (style.boxShadow !== "none") painted.push(`${at}: shadow`);
  });
  return painted;
}"""
SIGNS = """() => ["--plus", "--minus", "--paper"].map((name) => {
  const mark = document.querySelector(".aw").appendChild(document.createElement("i"));
  mark.style.background = `var(${name})`;
  const colour = getComputedStyle(mark).backgroundColor;
  mark.remove();
  return colour;
})"""


@pytest.mark.parametrize(
    "color_scheme", ["light", pytest.param("dark", marks=pytest.mark.elsewhere)]
)
@every_widget
def test_nothing_vanishes_where_the_system_sets_the_colours(show, name, color_scheme):
    page = show(name, color_scheme=color_scheme)
    needs_media(page)
    wanted = page.evaluate(PAINTED)
    page.emulate_media(forced_colors="active")
    try:
        assert set(wanted) <= set(page.evaluate(PAINTED))
        assert len(set(page.evaluate(SIGNS))) == 3  # a sign is told by its colour
    finally:
        page.emulate_media(forced_colors="none")


STOPS = """() => {
  const groups = new Set();
  return [...document.querySelectorAll(".aw :is(a, button, input, select, summary, [tabindex])")]
    .filter((node) => node.tabIndex >= 0 && !node.disabled && node.checkVisibility())
    .filter(({ type, name }) => type !== "radio" || !(groups.has(name) || !groups.add(name)))
    .length;
}"""
# From each stop along all arrow keys: the buttons that are never come to.
UNREACHED = """() => {
  const seen = new Set();
  const unseen = (stop) => [...document.querySelectorAll(`.aw button[tabindex="${stop}"]`)]
    .filter((node) => !node.disabled && node.checkVisibility() && !seen.has(node));
  for (let [start] = unseen(0); start; [start] = unseen(0)) {
    const todo = [start];
    for (const node of todo) {
      seen.add(node);
      for (const key of ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"]) {
        node.focus();
        node.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
        const next = document.activeElement;
        if (next.matches("button") && !todo.includes(next)) todo.push(next);
      }
    }
  }
  return unseen(-1).map((node) => node.outerHTML.slice(0, 120));
}"""


@every_widget
def test_few_presses_of_tab_lead_through_and_the_arrow_keys_to_every_button(show, name):
    page = show(name)
    assert page.evaluate(STOPS) <= 21
    assert page.evaluate(UNREACHED) == []


# Texts of a drawing that cover each other, or leave it; by their letters, not their lines.
COVERED = (
    "() => {"
    + BOX
    + """
  const faults = [];
  for (const svg of document.querySelectorAll(".aw svg, .tm-ticks")) {
    const frame = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll("text, .tm-tick")]
      .filter((text) => text.textContent.trim() && text.checkVisibility() &&
        text.getBoundingClientRect().width)
      .map((text) => [text.textContent, text, text.getCTM?.().b])
      .map(([words, text, turned]) =>
        [words, text.getBBox ? box(text) : text.getBoundingClientRect(), turned]);
    texts.forEach(([text, a, turned], i) => {
      const isIn = a.left > frame.left - 1 && a.right < frame.right + 1 &&
        a.top > frame.top - 2 && a.bottom < frame.bottom + 2;
      if (!isIn && svg.localName === "svg") faults.push(`${text} leaves`);
      for (const [other, b, turnedToo] of texts.slice(i + 1)) {
        const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (across > 0.5 && down > 0.25 * a.height && !(turned && turnedToo))
          faults.push(`${text} lies on ${other}`);
      }
    });
  }
  return faults;
}"""
)
# Texts that run out of their box: but for boxes that scroll, lists that may be cut, marks that
# stand half beside their place, and the room of a finger around a name.
CUT = """() => [...document.querySelectorAll(".aw *")].filter((node) => {
  if (node instanceof SVGElement || !node.getClientRects().length) return false;
  if (node.matches("input, select, .aw-scroll, .aw-scroll *, .tk-list li, .mh-more")) return false;
  if (node.matches(".mh-words *, .tr-news, .tm-plot, .tm-ticks, .aw-wm-panel *")) return false;
  const { overflowX, display } = getComputedStyle(node);
  if (overflowX === "auto" || display === "inline" || !node.textContent.trim()) return false;
  return node.scrollWidth > node.clientWidth + 1 || node.scrollHeight > node.clientHeight + 4;
}).map((node) => node.outerHTML.slice(0, 100))"""
SIZES = {  # of the window in CSS pixels, and of the text
    "a phone": (360, "100%"),
    "a phone with large text": (360, "125%"),
    "a desk at 200 %": (640, "100%"),
    "a desk": (1280, "100%"),
    "a projector": (1920, "150%"),
}


@every_widget
def test_texts_keep_clear_of_each_other(show, name):
    """At every size, which may change at any time, and with whatever fonts there are."""
    page = show(name, width=360)  # a phone's bars lie over the page
    for place, (width, size) in SIZES.items():
        page.set_viewport_size({"width": width, "height": 900})
        page.add_style_tag(content=f"html {{ font-size: {size} !important; }}")
        page.wait_for_timeout(60)  # for what follows a size
        assert page.evaluate(COVERED) == [], place
        assert page.evaluate(CUT) == [], place
        assert sideways(page) <= 0, place
