"""Measure the built site in headless Chromium: time to interactive, repaint, and bytes of our own.

Prints one Markdown table for the pages, and one for the translator on the landing page: how long
after the start of a cold visit it shows a translation, and how long one sentence takes from the
request to the answer. Chromium slows down a page's own thread but no worker, so the slowed rows
have one where the model runs in the page itself. Medians of five cold visits; each visit has a
browser context of its own, so that nothing is cached. Ready are the widgets near the screen; the
others are drawn after the measuring of that, as the reader's first move does it. "Input to laid
out" is the time from an input event (on a slider, a number, or a line of 12 words) until its script
has run and the page is laid out anew.
"""

import gzip
import re
import statistics

from playwright.sync_api import Browser, sync_playwright

from tests.browser import LAUNCH, ROOT, SITE, bring_to_life, find_browser, serve

VISITS = 5
OWN = re.compile(r"/_static/(widgets/|(mount|tables|offline|progress)\.js)")
READY = "performance.getEntriesByName('attnsteps:widgets-ready')[0]?.startTime"
REPAINT = """async () => {
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const words = ["the cat sat on the mat and then it ran away tired",
    "the cat sat on the mat and then it ran away wide"]; // 12 tokens
  const times = [];
  for (const input of document.querySelectorAll('.aw input')) {
    const change = input.type === 'range'
      ? (i) => { input.value = i % 2 ? input.min : input.max; } // the most that it can ask for
      : input.type === 'number' ? (i) => input[i % 2 ? 'stepDown' : 'stepUp']()
      : input.value.includes(' ') ? (i) => { input.value = words[i % 2]; } : null;
    for (let i = 0; change && input.offsetParent && i < 12; i += 1) {
      await frame();
      change(i);
      const start = performance.now();
      input.dispatchEvent(new Event('input', { bubbles: true }));
      document.body.getBoundingClientRect(); // forces style and layout
      times.push(performance.now() - start);
    }
  }
  return times;
}"""

TRANSLATOR_READY = "performance.getEntriesByName('attnsteps:translator-ready')[0]?.startTime"
SENTENCES = 30
TRANSLATE = """async (sentences) => {
  const done = () => performance.getEntriesByName('attnsteps:translate').map((e) => e.duration);
  const shuffle = [...document.querySelectorAll('.tr button')]
    .find((button) => button.textContent === 'Shuffle');
  for (let i = 0; i < sentences; i += 1) {
    const before = done().length;
    shuffle.click();
    while (done().length === before) await new Promise((go) => setTimeout(go, 2));
  }
  return done().slice(-sentences);
}"""


def measure_translator(browser: Browser, base: str) -> None:
    print("\n| translator | ready, ms | a sentence, median ms | slowest, ms |")
    print("|---|---|---|---|")
    for slowdown, with_worker in [(1, True), (1, False), (4, True), (4, False)]:
        ready, times = [], []
        for _ in range(VISITS):
            page = browser.new_context(reduced_motion="reduce").new_page()
            if not with_worker:
                page.add_init_script("delete globalThis.Worker")
            if slowdown > 1:
                session = page.context.new_cdp_session(page)
                session.send("Emulation.setCPUThrottlingRate", {"rate": slowdown})
            page.goto(f"{base}intro.html")
            page.locator("[data-widget=translator]").scroll_into_view_if_needed()
            page.wait_for_function(TRANSLATOR_READY)
            ready.append(page.evaluate(TRANSLATOR_READY))
            times += page.evaluate(TRANSLATE, SENTENCES)
            page.context.close()
        where = "in a worker" if with_worker else "in the page"
        speed = f", processor slowed {slowdown} times" if slowdown > 1 else ""
        print(
            f"| {where}{speed} | {statistics.median(ready):.0f}"
            f" | {statistics.median(times):.1f} | {max(times):.1f} |"
        )


def main() -> None:
    pages = re.findall(r"(?:root|file): (\S+)", (ROOT / "_toc.yml").read_text())
    print("| page | widgets ready, ms | input to laid out, ms | our own, kB gzipped | all, kB |")
    print("|---|---|---|---|---|")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=LAUNCH)
        for base in serve(SITE):
            for name in pages:
                ready, repaint, own, everything = [], [], 0, 0
                for _ in range(VISITS):
                    context = browser.new_context()
                    page = context.new_page()
                    page.goto(f"{base}{name}.html")
                    page.wait_for_load_state("networkidle")
                    ready.append(page.evaluate(READY) or 0.0)
                    bring_to_life(page)
                    repaint += page.evaluate(REPAINT)
                    paths = page.evaluate(
                        "performance.getEntriesByType('resource')"
                        ".map((r) => new URL(r.name).pathname)"
                    )
                    sizes = {
                        path: len(gzip.compress((SITE / path.lstrip("/")).read_bytes()))
                        for path in set(paths)
                    }
                    everything = sum(sizes.values())
                    own = sum(size for path, size in sizes.items() if OWN.search(path))
                    context.close()
                shown = f"{statistics.median(repaint):.1f}" if repaint else "–"
                print(
                    f"| {name} | {statistics.median(ready):.0f} | {shown} "
                    f"| {own / 1000:.1f} | {everything / 1000:.0f} |"
                )
            measure_translator(browser, base)
        browser.close()


if __name__ == "__main__":
    main()
