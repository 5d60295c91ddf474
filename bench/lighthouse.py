"""Grade every page of the built site with Lighthouse, as a phone on a slow network would load it.

Lighthouse comes from npm and runs where Node is; elsewhere a line says that it was skipped. Each
page is loaded three times; the table has the median of each number: what four categories score of
100, the bytes of everything that was loaded before anybody scrolls, the seconds until the first
and the largest thing is painted, the milliseconds for which the page could not have answered, and
how far things have moved. Simulated: a processor four times slower than this one, 1.6 Mbit/s. Leave
the machine alone meanwhile: what else runs is taken for the page's own work. The table is printed,
and written to book/benchmarks/lighthouse.md.
"""

import argparse
import gzip
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

from bench.measure import machine
from tests.browser import LAUNCH, ROOT, SITE, QuietHandler, find_browser, serve

LIGHTHOUSE = "lighthouse@12.8.2"
PAGE = ROOT / "book" / "benchmarks" / "lighthouse.md"
RUNS = 3
CATEGORIES = ("performance", "accessibility", "best-practices", "seo")
NUMBERS = {  # what Lighthouse calls it: how it is written
    "total-byte-weight": "{:,.0f}",
    "first-contentful-paint": "{:.1f}",
    "largest-contentful-paint": "{:.1f}",
    "total-blocking-time": "{:.0f}",
    "cumulative-layout-shift": "{:.2f}",
}
UNITS = {"total-byte-weight": 1e3, "first-contentful-paint": 1e3, "largest-contentful-paint": 1e3}
HEAD = [
    "| page | performance | accessibility | best practices | SEO | kB | first paint, s"
    " | largest paint, s | blocked, ms | shift |",
    f"|---{'|---:' * 9}|",
]


class PackedHandler(QuietHandler):
    """Serves text gzipped, as GitHub Pages does."""

    def do_GET(self) -> None:  # noqa: N802 - the name that http.server calls
        path = Path(self.translate_path(self.path))
        if not path.is_file() or path.suffix in (".woff2", ".png", ".webp"):
            super().do_GET()
            return
        body = gzip.compress(path.read_bytes())
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(path))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def command(*options: str) -> list[str]:
    """Return the command that runs Lighthouse with these options."""
    return ["npx", "--yes", LIGHTHOUSE, *options]


def why_not() -> str | None:
    """Say why Lighthouse cannot run here, if it cannot."""
    if shutil.which("npx") is None:
        return "there is no Node here"
    tried = subprocess.run(command("--version"), capture_output=True, text=True, check=False)
    return "npm could not bring it" if tried.returncode else None


def load(address: str) -> dict[str, float]:
    """Load a page once; return its scores and numbers by Lighthouse's names."""
    browser = find_browser()
    environment = {**os.environ, **({"CHROME_PATH": browser} if browser else {})}
    options = ["--quiet", "--output=json", f"--only-categories={','.join(CATEGORIES)}"]
    flags = f"--chrome-flags=--headless {' '.join(LAUNCH)}"
    run = subprocess.run(
        command(address, *options, flags),
        capture_output=True, text=True, check=True, env=environment, timeout=300,
    )  # fmt: skip
    report = json.loads(run.stdout)
    scores = {name: 100 * report["categories"][name]["score"] for name in CATEGORIES}
    audits = report["audits"]
    return scores | {name: audits[name]["numericValue"] / UNITS.get(name, 1) for name in NUMBERS}


def row(page: str, loads: list[dict[str, float]]) -> str:
    """Write a page's medians as a row of the table."""
    median = {name: statistics.median(each[name] for each in loads) for name in loads[0]}
    cells = [f"{median[name]:.0f}" for name in CATEGORIES]
    cells += [form.format(median[name]) for name, form in NUMBERS.items()]
    return f"| {page} | {' | '.join(cells)} |"


def main() -> None:
    """Grade the pages, print the table, and write it."""
    every = re.findall(r"(?:root|file): (\S+)", (ROOT / "_toc.yml").read_text())
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pages", nargs="*", default=[*every, "search"])
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--site", type=Path, default=SITE, help="directory of the built site")
    parser.add_argument("--print-only", action="store_true", help="leave the book's page as it is")
    arguments = parser.parse_args()
    if reason := why_not():
        print(f"Lighthouse is skipped: {reason}.", file=sys.stderr)
        return
    lines = [f"Measured on {machine()}.", "", *HEAD]
    print("\n".join(HEAD), flush=True)
    for base in serve(arguments.site, PackedHandler):
        for page in arguments.pages:
            loads = [load(f"{base}{page}.html") for _ in range(arguments.runs)]
            lines.append(row(page, loads))
            print(lines[-1], flush=True)
    if not arguments.print_only:
        PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
