"""Measure the built site in headless Chromium: time to interactive, repaint, and bytes of our own.

Prints one Markdown table. Medians of five cold visits; each visit has a browser context of its own,
so that nothing is cached. "Input to laid out" is the time from an input event (on a
slider, a number, or a line of 12 words) until its script has run and the page is laid out anew.
"""

import gzip
import re
import statistics

from playwright.sync_api import sync_playwright

from tests.browser import LAUNCH, ROOT, SITE, find_browser, serve

VISITS = 5
OWN = re.compile(r"/_static/(widgets/|mount\.js|book\.css)")
READY = "performance.getEntriesByName('attnsteps:widgets-ready')[0]?.startTime"
REPAINT = """async () => {
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const words = ["the cat sat on the mat and then it ran away tired",
    "the cat sat on the mat and then it ran away wide"]; // 12 tokens
  const times = [];
  for (const input of document.querySelectorAll('.aw input')) {
    const change = input.type === 'range' || input.type === 'number'
      ? (i) => input[i % 2 ? 'stepDown' : 'stepUp']()
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
        browser.close()


if __name__ == "__main__":
    main()
