"""Translate 1,000 sentences in Python and in Chromium, and count those that differ in a token.

``python -m bench.tokens [1000]`` prints one Markdown table. The tests do the same for 200.
"""

import itertools
import sys
import time

from playwright.sync_api import sync_playwright

from attnsteps.translator.trained import Trained
from tests.browser import JS, LAUNCH, find_browser, serve
from tests.parity.test_shipped import FILES, SEARCHES, fits, in_browser, in_python, sources


def main(count: int = 1000) -> None:
    print("| model | search | sentences | differing | Python, ms each | browser, ms each |")
    print("|---|---|---|---|---|---|")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=LAUNCH)
        for base in serve(JS):
            page = browser.new_page()
            page.goto(f"{base}maths/")
            for file in FILES:
                trained = Trained.load(file)
                rows = sources(trained, count)
                for search in SEARCHES:
                    if not fits(trained, search):
                        continue
                    times = [time.perf_counter()]
                    want = in_python(trained, search, rows)
                    times.append(time.perf_counter())
                    got = in_browser(page, base, file, search, rows)
                    times.append(time.perf_counter())
                    differing = sum(a != b for a, b in zip(got, want, strict=True))
                    each = [1000 * (b - a) / len(rows) for a, b in itertools.pairwise(times)]
                    print(
                        f"| {file.stem} | {search} | {len(rows)} | {differing}"
                        f" | {each[0]:.1f} | {each[1]:.1f} |"
                    )
        browser.close()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
