"""The chapters as a PDF with contents, bookmarks, links and page numbers, printed by Chromium."""

import io
import re
from html import escape
from pathlib import Path

from playwright.sync_api import Browser
from pypdf import PdfReader
from pypdf.generic import Destination

from scripts.paper.chapter import HERE, Chapter, Edition, cover, mend_links
from tests.browser import SITE

FOOTER = """<div style="width: 100%; font: 8pt 'Liberation Sans', sans-serif; color: #48566b;
  text-align: center"><span class="pageNumber"></span></div>"""


def table_of_contents(heading: str, chapters: list[Chapter], pages: dict[str, int]) -> str:
    """Write the contents; a page that isn't known yet is left out."""
    lines, part = [], ""
    for each in chapters:
        if each.part != part:
            part = each.part
            lines.append(f'<li class="of-part">{escape(part)}</li>')
        lines.append(
            f'<li><a href="#{each.name}" data-page="{pages.get(each.name, "")}">'
            f'<span>{escape(each.heading)}</span><span class="dots"></span></a></li>'
        )
    return f'<section class="contents"><h1>{heading}</h1><ol>{"".join(lines)}</ol></section>'


def pages_of(pdf: bytes, chapters: list[Chapter]) -> dict[str, int]:
    """Find each chapter's page, by the bookmarks of its title."""
    reader = PdfReader(io.BytesIO(pdf))
    marks = [entry for entry in reader.outline if isinstance(entry, Destination)]
    marks = marks[-len(chapters) :]  # the cover's and the contents' come before
    titles, headings = [mark.title for mark in marks], [each.heading for each in chapters]
    if titles != headings:
        raise ValueError(f"the bookmarks must be {headings}; got {titles}")
    places = map(reader.get_destination_page_number, marks)
    return {each.name: place + 1 for each, place in zip(chapters, places, strict=True)}


def write_pdf(
    browser: Browser, work: Path, chapters: list[Chapter], edition: Edition, version: str
) -> Path:
    """Print the book twice: the second time, the contents know the pages.

    Args:
        browser: a Chromium.
        work: the folder of what the PDF is made from, with its pictures; it is written beside it.
        chapters: in their order.
        edition: the book's language.
        version: what its cover says of its age.
    """
    styles = [SITE / "_static" / "pygments.css", HERE / "style.css"]
    font = (SITE / "_static" / "math-font.woff2").resolve().as_uri()
    face = f'@font-face {{ font-family: "STIX Two Math"; src: url("{font}") format("woff2"); }}'
    css = face + "".join(path.read_text(encoding="utf-8") for path in styles)
    body = "".join(f'<div class="chapter">{text}</div>' for text in mend_links(chapters))
    body = re.sub(r'href="([\w-]+)\.xhtml(?:#([^"]*))?"', lambda m: f'href="#{m[2] or m[1]}"', body)
    page = browser.new_page()
    pages: dict[str, int] = {}
    for _ in range(2):
        contents = table_of_contents(edition.say("Contents"), chapters, pages)
        text = cover(edition, version) + contents + body
        (work / "book.html").write_text(
            f'<!doctype html><html lang="{edition.language}"><head><meta charset="utf-8"/>'
            f"<title>{edition.title}</title>"
            f"<style>{css}</style></head><body>{text}</body></html>",
            encoding="utf-8",
        )
        page.goto((work / "book.html").resolve().as_uri())
        page.evaluate("document.fonts.ready")
        pdf = page.pdf(
            prefer_css_page_size=True, outline=True, tagged=True, print_background=True,
            display_header_footer=True, header_template="<span></span>", footer_template=FOOTER,
        )  # fmt: skip
        pages = pages_of(pdf, chapters)
    page.close()
    target = work.with_name(f"{edition.name}.pdf")
    target.write_bytes(pdf)
    return target
