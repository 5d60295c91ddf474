"""A page of the built site as a chapter on paper, and what the whole book says of itself."""

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import NamedTuple

import yaml
from PIL import Image
from playwright.sync_api import Page

from scripts.closure import ROOT
from scripts.translations.catalogue import path_of, said
from tests.browser import SITE

HERE = Path(__file__).parent
RUN = """async ([source, settings]) => {
  const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  return (await import(url)).onPaper(settings);
}"""
WAIT = 60_000  # ms for a widget's model to answer
NARROW, COLUMN = 760, 900  # px: widgets are photographed in the first, drawings shown in the second
LINK = re.compile(r'href="([^"]*)"')
IDENTIFIER = re.compile(r'\sid="([^"]+)"')
WIDGET = ".attnsteps-widget:not([data-widget='predict'], [data-widget='exercise'])"


@dataclass(frozen=True)
class Edition:
    """The book in one language: what it calls itself, and where its pages are."""

    language: str = "en"

    @property
    def folder(self) -> str:
        """Where its pages lie in the site, with a slash at the end if anywhere."""
        return "" if self.language == "en" else f"{self.language}/"

    @property
    def name(self) -> str:
        """What its files are called."""
        ending = "" if self.language == "en" else f"-{self.language}"
        return f"attention-step-by-step{ending}"

    @property
    def title(self) -> str:
        return self.say("Attention, Step by Step")

    @property
    def authors(self) -> str:
        return self.say("The Attention, Step by Step authors")

    @property
    def address(self) -> str:
        """Where it is published, with a slash at its end."""
        return site_address() + self.folder

    @cached_property
    def _words(self) -> dict[str, str]:
        return {} if self.language == "en" else said(path_of("site", self.language))

    def say(self, text: str, **fields: object) -> str:
        """Return a text in the edition's language, with its fields filled in."""
        return self._words.get(text, text).format(**fields)


@dataclass(frozen=True)
class Chapter:
    """An article of the book, and the pictures that it shows."""

    name: str
    part: str
    number: int | None
    title: str
    xhtml: str
    images: dict[str, bytes] = field(repr=False)

    @property
    def heading(self) -> str:
        """The title with the chapter's number, as it stands above the text."""
        return f"{self.number} {self.title}" if self.number else self.title


class Entry(NamedTuple):
    """A page in the contents."""

    name: str
    part: str  # of the book
    number: int | None  # a chapter's


def contents(edition: Edition) -> Iterator[Entry]:
    """Yield each page of the book on paper."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    yield Entry(toc["root"], "", None)
    for part in toc["parts"]:
        for chapter in part["chapters"]:
            name = chapter["file"]
            number = int(name[:2]) if name[:2].isdigit() else None
            if name not in ("api", "benchmarks"):  # the site's alone
                yield Entry(name, edition.say(part["caption"]), number)


@cache
def site_address() -> str:
    """Return where the site is published, with a slash at its end."""
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    return config["html"]["baseurl"].rstrip("/") + "/"


def photograph(page: Page) -> list[dict[str, str]]:
    """Take a picture of every widget that isn't a question; return their files and titles."""
    page.add_style_tag(content="header, .mobile-header, .back-to-top { display: none !important; }")
    page.evaluate(
        "for (const fold of document.querySelectorAll('article details'))"
        " if (!fold.closest('.aw')) fold.open = true"
    )
    taken = []
    for n, place in enumerate(page.locator(WIDGET).all()):
        place.evaluate("(place, n) => { place.dataset.number = n; place.scrollIntoView(); }", n)
        widget = place.locator(".aw").first
        widget.wait_for(timeout=WAIT)
        page.wait_for_function(
            "(place) => !('live' in place.dataset) || place.querySelector('svg, table')",
            arg=place.element_handle(),
            timeout=WAIT,
        )
        page.wait_for_timeout(400)
        title = place.locator(".aw-title").first.inner_text()
        taken.append({"title": title, "bytes": in_few_colours(widget.screenshot())})
    return taken


def in_few_colours(png: bytes) -> bytes:
    """Return a picture with 64 colours, a third of its size."""
    shown = io.BytesIO()
    Image.open(io.BytesIO(png)).convert("RGB").quantize(64).save(shown, "png", optimize=True)
    return shown.getvalue()


def read(page: Page, base: str, edition: Edition, entry: Entry, pages: list[str]) -> Chapter:
    """Open a page of the site and return its article.

    Args:
        page: a tab of a browser.
        base: where the site is served.
        edition: the book's language.
        entry: which page it is.
        pages: all that the book on paper has; links to others lead to the published site.
    """
    name = entry.name
    page.set_viewport_size({"width": NARROW, "height": 1200})
    page.goto(f"{base}{edition.folder}{name}.html")
    pictures = photograph(page)
    page.set_viewport_size({"width": COLUMN, "height": 1200})
    images = {f"{name}-{n}.png": each.pop("bytes") for n, each in enumerate(pictures)}
    for each, file in zip(pictures, images, strict=True):
        each["src"] = f"images/{file}"
    title = page.locator("article h1").first.inner_text().rstrip("¶")
    settings = {
        "name": name,
        "number": entry.number,
        "pages": pages,
        "address": f"{edition.address}{name}.html",
        "pictures": pictures,
        "words": {  # page.js fills in what is in braces
            "solutions": edition.say("Hints and solutions"),
            "guess": edition.say("Guess first"),
            "solution": edition.say(
                "Hint: {hint} Solution: {solution}", hint="{hint}", solution="{solution}"
            ),
            "figure": edition.say("Figure {number}", number="{number}"),
            "live": edition.say("{title}, live at", title="{title}"),
        },
    }
    xhtml = page.evaluate(RUN, [(HERE / "page.js").read_text(encoding="utf-8"), settings])
    for path in set(re.findall(r'src="(/(?:\w\w/)?_[^"]+)"', xhtml)):
        content = (SITE / path.lstrip("/")).read_bytes()
        file = Path(path).name
        if not path.endswith((".png", ".svg")):  # e-books know no WebP
            shown = io.BytesIO()
            Image.open(io.BytesIO(content)).save(shown, "png", optimize=True)
            file, content = f"{Path(path).stem}.png", shown.getvalue()
        images[file] = content
        xhtml = xhtml.replace(f'src="{path}"', f'src="images/{file}"')
    return Chapter(*entry, title, xhtml, images)


def mend_links(chapters: list[Chapter]) -> list[str]:
    """Return the articles, in which no link leads to a place that isn't there."""
    places = {name for each in chapters for name in IDENTIFIER.findall(each.xhtml)}

    def mended(match: re.Match) -> str:
        page, _, place = match[1].partition("#")
        gone = page.endswith(".xhtml") and place and place not in places
        return f'href="{page}"' if gone else match[0]

    return [LINK.sub(mended, each.xhtml) for each in chapters]


def cover(edition: Edition, version: str) -> str:
    """Write the first page: what this is, how old, under which licence and how to cite it."""
    say, address = edition.say, edition.address
    link = f'<a href="{address}">{address}</a>'
    subtitle = say(
        "Build the Transformer, piece by piece, until it translates Chinese into English."
    )
    live = say("The live book, whose widgets compute in your browser: {link}", link=link)
    licence = say(
        "You may copy, change and share the text and the pictures for any purpose, if you name the "
        "authors and link to the book (CC BY 4.0). The code is free under the MIT licence."
    )
    cite = say(
        "To cite: {authors}, {title}, {version}, {address}",
        authors=edition.authors,
        title=f"<i>{edition.title}</i>",
        version=version,
        address=address,
    )
    return f"""<section class="cover"><h1 class="title">{edition.title}</h1><p>{subtitle}</p>
<p>{edition.authors}<br/>{version}</p>
<div class="small"><p>{live}</p><p>{licence}</p><p>{cite}</p></div></section>"""
