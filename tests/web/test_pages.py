"""What must hold on every page of the built site, in a real browser."""

import functools
import gzip
import re
from pathlib import Path

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Request, expect

from tests.browser import BOX, ROOT, SITE

PAGES = [
    f"{name}.html" for name in re.findall(r"(?:root|file): (\S+)", (ROOT / "_toc.yml").read_text())
]
CHAPTERS = [page for page in PAGES if re.match(r"\d\d_", page)]
# On a desk, what only repeats the phone reads these; all of them in make elsewhere.
FEW = (
    "intro.html",
    "04_query_key_value.html",
    "16_training.html",
    "api/layers.html",
    "glossary.html",
)
# The pages of the reference come from one template: what is slow reads one of them.
UNLIKE = [page for page in PAGES if not page.startswith("api/") or page == "api/layers.html"]
ALIKE = r"""
// Thousands of pieces of text, code and formulas would take most of axe's time. Of those that look
// the same before the same background it reads one, which must be in sight; in widgets, all.
for (const formula of [...document.querySelectorAll("math")].slice(1)) {
  formula.replaceChildren();
}
const looks = new Set();
const alike = [];
const behind = new Map([[null, ""]]);
for (const element of document.querySelectorAll("*")) {
  const { backgroundColor, backgroundImage, color, font, opacity } = getComputedStyle(element);
  const own = `${backgroundColor} ${backgroundImage} ${opacity}`;
  const all = behind.get(element.parentElement) + own.replace(/^rgba\(0, 0, 0, 0\) none 1$/, "");
  behind.set(element, all);
  const words = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  const text = words || element.localName === "input";
  const { left, right, width, height } = element.getBoundingClientRect();
  const shown = width > 1 && height > 1 && right > 0 && left < innerWidth;
  const seen = text && shown && element.checkVisibility({ visibilityProperty: true });
  const look = [element.localName, color, font, all].join();
  if ((!seen || looks.has(look)) && !element.closest(".aw")) alike.push(element);
  if (seen) looks.add(look);
}
for (const element of alike) {
  const code = element.matches(".highlight span, .sig span") && !element.childElementCount;
  code ? element.remove() : (element.dataset.alike = "");
}
axe.configure({ rules: [{ id: "color-contrast", selector: "*:not([data-alike])" }] });
"""
# Colours that fade come to their end at once: a page behind another one never gets there by itself.
FADED = """document.getAnimations().forEach((a) =>
  a.effect.getComputedTiming().endTime === Infinity ? a.cancel() : a.finish())"""
OWN_BUDGET = 80_000  # bytes, gzipped: our scripts and styles on one page, without a model's weights
BUDGET = {  # bytes, gzipped, of what a page loads before anybody scrolls; all kinds together: TOTAL
    "page": 80_000,
    "css": 50_000,
    "js": 160_000,
    "woff2": 70_000,
    "picture": 120_000,
    "bin": 0,  # weights come when their widget is near
}
TOTAL = 350_000
WEIGHTS = 550_000  # of the translator that the landing page begins with
MOST_REQUESTS = 40
KINDS = {"webp": "picture", "png": "picture", "svg": "picture", "html": "page"}
# While a page loads, until its widgets are drawn; where it has none, until it is loaded.
SHIFT = """() => new Promise((done) => new PerformanceObserver((list) => {
  const [ready] = performance.getEntriesByName("attnsteps:widgets-ready");
  const end = ready?.startTime ?? performance.getEntriesByType("navigation")[0].loadEventEnd;
  const early = list.getEntries().filter((e) => e.startTime <= end);
  done(early.filter((e) => !e.hadRecentInput).reduce((sum, e) => sum + e.value, 0));
}).observe({ type: "layout-shift", buffered: true }) ?? setTimeout(() => done(0), 500))"""
WIDE = """(scrolling) => [...document.querySelectorAll('article *')].filter((e) => {
  if (e.closest(scrolling)) return false;
  const box = e.getBoundingClientRect();
  return box.width > 0 && box.right > innerWidth + 1;
}).map((e) => e.outerHTML.slice(0, 80))"""
# Watches the text outside of widgets: how far it moves on the screen from frame to frame; while the
# reader scrolls, how much farther one piece moves than another. Chromium's own measure takes a page
# that is moved by as much as it has grown for one that shifts.
WATCH = """(isScrolled) => {
  const seen = (element) => element.getBoundingClientRect();
  const texts = [...document.querySelectorAll('article :is(p, h1, h2, h3, pre, td, summary)')]
    .filter((e) => !e.closest('.attnsteps-widget'));
  let before = new Map();
  window.moved = 0;
  const look = () => {
    const now = new Map();
    const moves = [];
    for (const text of texts) {
      const { top, bottom, height } = seen(text);
      if (!height || bottom < 0 || top > innerHeight) continue;
      now.set(text, top);
      if (before.has(text)) moves.push(top - before.get(text));
    }
    const [least, most] = [Math.min(...moves), Math.max(...moves)];
    const far = isScrolled ? most - least : Math.max(most, -least);
    if (moves.length) window.moved = Math.max(window.moved, far);
    before = now;
    requestAnimationFrame(next);
  };
  // In each frame after all that watches sizes has had its say, so what is measured is painted.
  const pulse = document.body.appendChild(document.createElement('div'));
  pulse.id = 'pulse';
  pulse.style = 'position: fixed; width: 1px; height: 1px; visibility: hidden';
  const next = () => { pulse.style.width = pulse.style.width === '1px' ? '2px' : '1px'; };
  new ResizeObserver(look).observe(pulse);
}"""
SCROLL = """async () => { // as fast as one skims
  for (let gone = 0; gone < document.documentElement.scrollHeight; gone += innerHeight * 0.8) {
    scrollBy({ top: innerHeight * 0.8, behavior: 'instant' });
    await new Promise((go) => requestAnimationFrame(() => setTimeout(go)));
  }
}"""

on_both = pytest.mark.parametrize("phone", [False, True], ids=["desk", "phone"])


on_all = pytest.mark.parametrize("path", PAGES, indirect=True)
on_few = pytest.mark.parametrize(
    "path",
    [page if page in FEW else pytest.param(page, marks=pytest.mark.elsewhere) for page in UNLIKE],
    indirect=True,
)


@pytest.fixture(scope="module", params=UNLIKE)
def path(request):
    """A page, one after the other: of this scope, so that all tests of a page are together."""
    return request.param


@functools.cache
def on_the_wire(name):
    """Return how many bytes a file of the site takes on its way to the reader."""
    return len(gzip.compress((SITE / name.lstrip("/")).read_bytes()))


@on_both
def test_loads_little_before_anybody_scrolls(look_at, path, phone):
    """Stands first: nothing has moved the page."""
    page, _ = look_at(path, phone=phone)
    assert page.evaluate("scrollY") == 0
    names = page.evaluate(  # but for the next chapter, which Firefox fetches when all is there
        """() => {
          const next = document.querySelector('link[rel=next]')?.href;
          return ['navigation', 'resource'].flatMap((kind) => performance.getEntriesByType(kind))
            .filter((entry) => entry.initiatorType !== 'other' || entry.name !== next)
            .map((entry) => new URL(entry.name).pathname);
        }"""
    )
    assert len(names) <= MOST_REQUESTS
    sizes = dict.fromkeys(BUDGET, 0)
    for name in set(names):
        kind = KINDS.get(ending := name.rpartition(".")[2], ending)
        sizes[kind] += on_the_wire(name)
    budget = {**BUDGET, "bin": WEIGHTS if path == "intro.html" else 0}
    over = {kind: size for kind, size in sizes.items() if size > budget[kind]}
    assert not over
    assert sum(sizes.values()) - sizes["bin"] <= TOTAL


@on_both
def test_nothing_moves_while_the_page_loads(look_at, path, phone):
    page, _ = look_at(path, phone=phone)
    assert page.evaluate(SHIFT) <= 0.01


@on_both
@on_all
def test_opens_without_errors_or_foreign_requests(look_at, path, phone):
    page, problems = look_at(path, phone=phone)
    expect(page.locator("article h1").first).to_be_visible()
    page.mouse.wheel(0, 100_000)
    assert page.locator(".attnsteps-widget:not([data-ready])").count() == 0
    assert not problems, problems


@on_both
@on_all
def test_no_sideways_scroll(look_at, path, phone):
    page, _ = look_at(path, phone=phone)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert not page.evaluate(WIDE, ".aw-scroll, pre, .math, table")


@on_all
def test_no_sideways_scroll_where_letters_are_large(look_at, path):
    page, _ = look_at(path, phone=True)
    style = page.add_style_tag(content="html { font-size: 20px !important; }")
    page_is_wide = page.evaluate("document.documentElement.scrollWidth > innerWidth")
    wide = page.evaluate(WIDE, ".aw, pre, .math, table")
    style.evaluate("(e) => e.remove()")
    assert not page_is_wide
    assert not wide


@on_both
@on_all
def test_what_scrolls_is_reached_by_keyboard(look_at, path, phone):
    """In an open fold, too: what is in a closed one has no size."""
    page, _ = look_at(path, phone=phone)
    folds = page.evaluate_handle("[...document.querySelectorAll('details:not([open])')]")
    folds.evaluate("(folds) => { for (const fold of folds) fold.open = true; }")
    page.wait_for_function(
        """(boxes) => [...document.querySelectorAll(boxes)]
          .every((e) => e.scrollWidth <= e.clientWidth || e.tabIndex >= 0)""",
        arg=".highlight pre, .table-wrapper, .math",
    )
    folds.evaluate("(folds) => { for (const fold of folds) fold.open = false; }")


@pytest.mark.parametrize("path", CHAPTERS, indirect=True)
def test_code_of_76_columns_fits_on_a_desk(look_at, path):
    page, _ = look_at(path)
    fit = page.evaluate(
        """() => [...document.querySelectorAll('article pre')]
          .filter((e) => e.checkVisibility()).map((e) => {
            const { paddingLeft, paddingRight, font } = getComputedStyle(e);
            const drawing = document.createElement('canvas').getContext('2d');
            drawing.font = font;
            const room = e.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
            return Math.floor(room / drawing.measureText('0').width);
          })"""
    )
    assert all(columns >= 76 for columns in fit)


def test_scheme_follows_the_reader(look_at, path):
    light, _ = look_at(path)
    dark, _ = look_at(path, phone=True)
    background = "getComputedStyle(document.body).backgroundColor"
    assert light.evaluate(background) != dark.evaluate(background)


def test_every_picture_has_a_description(look_at, path):
    page, _ = look_at(path)
    for picture in page.locator("article img").all():
        assert len(picture.get_attribute("alt") or "") > 20
    for picture in page.locator(".aw svg, .aw canvas").all():
        named = picture.get_attribute("aria-label") or picture.get_attribute("aria-hidden")
        assert named, "an svg needs a label, or aria-hidden where a table says the same"


def test_touch_targets_are_large_enough(look_at, path):
    page, _ = look_at(path, phone=True)
    small = page.evaluate(
        """() => [...document.querySelectorAll('.aw :is(button, input, select, summary)')]
          .map((e) => [e.outerHTML.slice(0, 80), e.getBoundingClientRect()])
          .filter(([, box]) => box.width && (box.width < 24 || box.height < 24))
          .map(([html, box]) => `${html} ${box.width}×${box.height}`)"""
    )
    assert not small


def test_own_scripts_and_styles_are_small(look_at, path):
    page, _ = look_at(path)
    own = page.evaluate(
        "performance.getEntriesByType('resource').map((r) => new URL(r.name).pathname)"
        ".filter((p) => /\\/_static\\/(widgets\\/|(mount|tables|offline)\\.js|book\\.css)/.test(p))"
    )
    assert any(name.endswith(".css") for name in own)
    own = {name for name in own if not name.endswith(".bin")}  # weights: see test_translator.py
    size = sum(len(gzip.compress((SITE / name.lstrip("/")).read_bytes())) for name in own)
    assert size <= OWN_BUDGET


@pytest.mark.parametrize("path", CHAPTERS, indirect=True)
def test_shared_styles_come_once_and_before_all_others(look_at, path):
    page, _ = look_at(path)
    sheets = page.evaluate(
        """() => [...document.styleSheets].filter((s) => s.href?.includes('/widgets/styles-'))
          .map((s) => [...s.cssRules].some((r) => r.selectorText === '.aw .aw-button'))"""
    )
    assert sheets[0]
    assert not any(sheets[1:])


@pytest.mark.parametrize("path", CHAPTERS, indirect=True)
def test_chapter_has_what_every_chapter_has(look_at, path):
    page, _ = look_at(path)
    button = f'a[href*="colab.research.google.com"][href*="{Path(path).stem}"]'
    expect(page.locator(button)).to_have_count(1)
    text = page.locator("article").inner_text()
    assert "Predict, then read on" in text
    expect(page.locator("details.answer > summary").first).to_have_text("Show me")
    assert 3 <= len(set(re.findall(r"Exercise \d", text))) <= 6
    assert not re.search(r"\{(glue|ref|cite|eval)|:::|```", text), "raw markup on the page"


@on_both
@pytest.mark.parametrize("path", CHAPTERS, indirect=True)
def test_a_strip_says_where_the_chapter_is(look_at, path, phone):
    """At the top and at the end: low, with large targets, and with names."""
    page, _ = look_at(path, phone=phone)
    strips = page.locator("nav.strip")
    expect(strips).to_have_count(2)
    assert strips.first.bounding_box()["height"] <= (90 if phone else 60)
    links = strips.first.locator("a")
    sides = links.evaluate_all(
        """(links) => links.map((link) => link.getBoundingClientRect())
          .map(({ width, height }) => Math.min(width, height))"""
    )
    assert len(sides) == len(CHAPTERS)
    assert min(sides) >= 24
    here = links.and_(page.locator("[aria-current=page]"))
    expect(here).to_have_attribute("href", path)
    heading = page.locator("article h1").inner_text().removesuffix("¶").strip("#\n ")
    expect(here).to_have_accessible_name(f"{int(path[:2])} {heading}")


@pytest.mark.parametrize("path", CHAPTERS, indirect=True)
def test_the_imports_are_behind_all_else(look_at, path):
    page, _ = look_at(path)
    behind = page.evaluate(
        """() => {
          const fold = document.querySelector('.tag_imports');
          const last = [...document.querySelectorAll('article section section')].at(-1);
          return Boolean(last.compareDocumentPosition(fold) & Node.DOCUMENT_POSITION_FOLLOWING);
        }"""
    )
    assert behind


@on_all
def test_every_formula_is_set(look_at, path):
    page, _ = look_at(path)
    assert page.locator("merror").count() == 0
    unset = page.evaluate(
        """() => [...document.querySelectorAll('.math')].filter((e) => {
          const formula = e.querySelector('math');
          const box = formula?.getBoundingClientRect();
          return e.checkVisibility() && !(box?.width > 1 && box.height > 1);
        }).map((e) => e.outerHTML.slice(0, 80))"""
    )
    assert not unset
    raw = page.evaluate(
        r"""() => {
          const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
          const tex = /\\[([\])]|\\(begin|frac|text|operatorname|underset|sqrt)\b/;
          const raw = [];
          while (walk.nextNode()) {
            const text = walk.currentNode;
            const quoted = text.parentElement.closest('code, pre, script, kbd, .aw');
            if (!quoted && tex.test(text.data)) raw.push(text.data);
          }
          return raw;
        }"""
    )
    assert not raw
    lacking = page.evaluate(
        """() => [[2, 'mfrac, mroot, msub, msup, munder, mover'], [3, 'msubsup, munderover']]
          .flatMap(([parts, names]) => [...document.querySelectorAll(names)]
            .filter((e) => e.childElementCount !== parts).map((e) => e.outerHTML))"""
    )
    assert not lacking
    if page.locator("math").count():
        assert page.evaluate("document.fonts.load('16px \"STIX Two Math\"').then((f) => f.length)")
    apart = page.evaluate(
        """() => [...document.querySelectorAll('article msqrt')].filter((root) =>
          root.checkVisibility()).map((root) => {
          const { right } = root.lastElementChild.getBoundingClientRect();
          const { right: end } = root.getBoundingClientRect();
          return end - right + parseFloat(getComputedStyle(root).marginRight);
        })"""
    )
    assert apart == [pytest.approx(0, abs=1.5)] * len(apart), "what follows a root stands beside it"


def test_no_formula_is_broken_on_a_phone(look_at, path):
    """Firefox would: Chromium breaks none, so it takes ``ATTNSTEPS_BROWSER=firefox`` to see it."""
    heights = """() => [...document.querySelectorAll('div.math')].filter((e) => e.checkVisibility())
      .map((e) => e.querySelector('math')).map((e) =>
        e.getBoundingClientRect().height / parseFloat(getComputedStyle(e).fontSize))"""
    desk, phone = (look_at(path, phone=phone)[0].evaluate(heights) for phone in (False, True))
    assert phone == pytest.approx(desk, rel=0.1)


def test_nothing_moves_while_the_page_is_skimmed(look_at, path):
    assert moved_while_skimmed(look_at(path, phone=True)[0]) <= 2


@on_few
def test_nothing_moves_while_the_page_is_skimmed_on_a_desk(look_at, path):
    assert moved_while_skimmed(look_at(path)[0]) <= 2


def moved_while_skimmed(page):
    """Return by how many pixels text moved against other text while a page was scrolled through."""
    page.evaluate(WATCH, True)
    page.evaluate(SCROLL)
    page.evaluate("pulse.remove()")  # what watches each frame would slow down all that follows
    return page.evaluate("moved")


def serious(page, *rules):
    """Run axe on a page, all of it or some rules; list what it finds serious or critical."""
    options = {"resultTypes": ["violations"], "preload": False}  # it misreads @import if it fetches
    if rules:
        options["runOnly"] = {"type": "rule", "values": rules}
    page.evaluate(FADED)
    found = Axe(AXE_SCRIPT + ALIKE).run(page, options=options).response["violations"]
    return [
        f"{finding['id']}: {node['html'][:120]} {node['failureSummary'][:200]}"
        for finding in found
        if finding["impact"] in ("serious", "critical")
        for node in finding["nodes"]
    ]


def test_axe_finds_nothing_serious(look_at, path):
    """Stands after those that read the page: what looks alike goes."""
    found = serious(look_at(path, phone=True)[0])
    assert not found, "\n".join(found)


@on_few
def test_axe_finds_nothing_serious_on_a_desk(look_at, path):
    """Most is the same as on a phone; light colours are those of all pages."""
    page, _ = look_at(path)
    of_the_desk = "color-contrast", "link-in-text-block", "scrollable-region-focusable"
    found = serious(page, *of_the_desk)
    assert not found, "\n".join(found)


def test_works_with_the_network_off_once_loaded(look_at, path):
    """Stands last: it presses whatever there is. What only the network has is asked for in vain."""
    page, problems = look_at(path, phone=True)
    asked: set[Request] = set()  # what has no answer yet: Playwright's "networkidle" may never come

    def ask(request: Request) -> None:
        asked.add(request)

    def answer(request: Request) -> None:
        asked.discard(request)

    watch = {"request": ask, "requestfinished": answer, "requestfailed": answer}
    for event, note in watch.items():
        page.on(event, note)
    page.evaluate(
        """async () => { // as a reader does, who comes by all that is loaded when it is near
          const frame = () => new Promise((go) => requestAnimationFrame(go));
          for (const picture of document.images) picture.loading = "eager"; // however busy we are
          for (let top = 0; top < document.body.scrollHeight; top += innerHeight) {
            scrollTo(0, top);
            await frame(); // who waits to be near is told after it
            await frame();
          }
          await Promise.all([...document.images].map((picture) => picture.decode()));
        }"""
    )
    page.wait_for_timeout(200)  # for who first imports, and then fetches
    for _ in range(300):
        if asked:
            page.wait_for_timeout(100)
    assert not asked
    for event, note in watch.items():
        page.remove_listener(event, note)
    page.context.set_offline(True)
    for slider in page.locator(".aw input[type=range]:visible").all():
        slider.press("ArrowRight")
    buttons = page.locator(".aw button:visible:enabled").element_handles()[:10]
    for button in buttons:  # those before it, and what they set going, may have taken it away
        button.evaluate("(e) => { if (e.isConnected && !e.disabled) e.click(); }")
    if buttons:
        page.wait_for_timeout(200)  # for what is answered later
    moving = page.evaluate(
        "document.getAnimations().filter((a) => a.effect?.target?.closest?.('.aw')).length"
    )
    assert moving == 0, "the reader asked for no motion"
    offline = re.compile(r"ERR_INTERNET_DISCONNECTED \S+/widgets/everyday-\w+\.bin")
    unexpected = [problem for problem in problems if not offline.search(problem)]
    assert not unexpected, unexpected


@on_both
def test_drawings_are_readable(look_at, path, phone):
    page, _ = look_at(path, phone=phone)
    faults = page.evaluate(
        "() => {"
        + BOX
        + """
          const faults = [];
          const text = (e) => [e.textContent, box(e)];
          for (const fold of document.querySelectorAll('details')) fold.open = true;
          for (const svg of document.querySelectorAll('.ad svg')) {
            const frame = svg.getBoundingClientRect();
            if (!frame.width) continue;
            const texts = [...svg.querySelectorAll('text')].map(text);
            if (frame.width < svg.viewBox.baseVal.width - 1) faults.push(`${texts[0][0]} shrinks`);
            texts.forEach(([words, a], i) => {
              const inside = a.left > frame.left - 2 && a.right < frame.right + 2 &&
                a.top > frame.top - 2 && a.bottom < frame.bottom + 2;
              if (!inside) faults.push(`${words} leaves its drawing`);
              for (const [others, b] of texts.slice(i + 1)) {
                const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
                const along = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
                if (across > 1 && along > 3) faults.push(`${words} lies on ${others}`);
              }
            });
            for (const link of svg.querySelectorAll('a')) {
              if (text(link)[1].height < 24) faults.push(`${link.textContent} is low`);
            }
          }
          return faults;
        }"""
    )
    assert not faults, faults
