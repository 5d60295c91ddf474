"""The book on paper, from the pages of the built site: ``python -m scripts.paper`` (`make pdf`).

Of each edition a PDF with contents, page numbers, bookmarks and links, and an EPUB of the same
text, in _build/paper. Chromium opens each page, shows its widgets and hands its article on as XHTML
(page.js): what was folded is open there, widgets are pictures with the address of the live page,
and the hints and solutions of a chapter stand at its end.
"""

import argparse
import datetime
import shutil
import tomllib
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright
from tqdm import tqdm

from scripts.closure import ROOT
from scripts.paper.chapter import Edition, contents, read
from scripts.paper.epub import write_epub
from scripts.paper.pdf import write_pdf
from scripts.translations.catalogue import LANGUAGES
from tests.browser import LAUNCH, SITE, QuietHandler, find_browser, serve

PAPER = ROOT / "_build" / "paper"


def make_paper(
    browser: Browser, target: Path, edition: Edition, wanted: list[str] | None = None
) -> list[Path]:
    """Write the PDF and the EPUB of an edition of the built site into a folder.

    Args:
        browser: a Chromium; no other prints bookmarks.
        target: the folder; what it was made from is in one of its own there.
        edition: the book's language.
        wanted: the pages to take; all of the book if None.
    """
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    today = datetime.date.today()
    said = edition.say("edition {version}, {date}", version=version, date=f"{today:%Y-%m-%d}")
    work = target / f"html-{edition.language}"
    shutil.rmtree(work, ignore_errors=True)
    (work / "images").mkdir(parents=True)
    settings = {"reduced_motion": "reduce", "service_workers": "block", "color_scheme": "light"}
    context = browser.new_context(device_scale_factor=2, **settings)
    taken = [each for each in contents(edition) if wanted is None or each.name in wanted]
    chapters = []
    for base in serve(SITE, QuietHandler):
        for each in tqdm(
            taken,
            desc=f"reading the pages, {edition.language}",
            bar_format="{desc} {bar} {elapsed}",
        ):
            page = context.new_page()
            chapters.append(read(page, base, edition, each, [other.name for other in taken]))
            page.close()
    context.close()
    for each in chapters:
        for file, content in each.images.items():
            (work / "images" / file).write_bytes(content)
    pdf = write_pdf(browser, work, chapters, edition, said)
    return [pdf, write_epub(target / f"{edition.name}.epub", chapters, edition, said)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("pages", nargs="*", help="only these pages of the site; all if none")
    wanted = parser.parse_args().pages
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=LAUNCH)
        for language in ("en", *LANGUAGES):
            for path in make_paper(browser, PAPER, Edition(language), wanted or None):
                print(f"{path.relative_to(ROOT)}: {path.stat().st_size / 1e6:.1f} MB")
        browser.close()


if __name__ == "__main__":
    main()
