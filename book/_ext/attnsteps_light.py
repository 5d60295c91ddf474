"""Makes pages light: pictures with sizes, as WebP, and chapters to download without states."""

import json
import re
from pathlib import Path

import imagesize
from attnsteps_head import about
from docutils import nodes
from PIL import Image
from sphinx.application import Sphinx

VIEW = "application/vnd.jupyter.widget-view+json"
ABOVE = 1500  # characters of text above a picture that is loaded at once
IMAGE = re.compile(r'<img (?![^>]*\bwidth=)([^>]*?)src="([^":]+)"([^>]*?) ?/?>')
QUESTION = re.compile(r"(Exercise|Predict)\(")
TAG = re.compile(r"<[^>]*>")
PICTURE = re.compile(r'((?:src|href)="[^"]*_images/[^"]*)\.png"')


def describe(
    app: Sphinx, pagename: str, templatename: str, context: dict, doctree: nodes.document | None
) -> None:
    """Describe a page to those who have not opened it."""
    context["metatags"] = context.get("metatags", "") + about(app, pagename, context, doctree)


def finish(app: Sphinx, exception: Exception | None) -> None:
    """Put into the pages what is known only when all are written."""
    if exception or app.builder.format != "html":
        return
    out = Path(app.outdir)
    paths = sorted(out.rglob("*.html"))
    pages = [path.read_text(encoding="utf-8") for path in paths]
    write_webp(out / "_images", "".join(pages))
    for path, written in zip(paths, pages, strict=True):
        page = PICTURE.sub(r'\1.webp"', written)
        path.write_text(with_sizes(page, path.parent), encoding="utf-8")
    for path in (out / "_sources").glob("*.ipynb"):
        spare(path)


def write_webp(folder: Path, pages: str) -> None:
    """Write pictures as WebP, pixel for pixel; notebooks keep their PNG, which GitHub shows.

    Args:
        folder: where the site's pictures lie.
        pages: the pages' HTML; what they name in another place than in a picture stays.
    """
    elsewhere = PICTURE.sub("", pages)
    for path in folder.glob("*.png"):
        with Image.open(path) as picture:
            pixels = picture.convert("RGBA" if picture.has_transparency_data else "RGB")
        pixels.save(path.with_suffix(".webp"), lossless=True, quality=80, method=6)
        if path.name not in elsewhere:
            path.unlink()


def spare(notebook: Path) -> None:
    """Leave blanks and the states of widgets out of a chapter to download.

    A first run makes the states anew. The pictures of questions go, too: their text is in the code.

    Args:
        notebook: a chapter as it lies beside the pages; its other pictures stay.
    """
    chapter = json.loads(notebook.read_text(encoding="utf-8"))
    chapter["metadata"].pop("widgets", None)
    for cell in chapter["cells"]:
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            data.pop(VIEW, None)
            if QUESTION.match("".join(data.get("text/plain", ""))):
                data.pop("image/png", None)
    text = json.dumps(chapter, ensure_ascii=False, separators=(",", ":"))
    notebook.write_text(f"{text}\n", encoding="utf-8")


def with_sizes(page: str, folder: Path) -> str:
    """Tell a page the size of its pictures, and load those further down when they are near.

    Args:
        page: the page's HTML.
        folder: where it lies, for what its addresses are relative to.
    """
    start = page.find("<article")

    def sized(match: re.Match) -> str:
        before, source, after = match.groups()
        path = folder / source.partition("?")[0]
        width, height = map(round, imagesize.get(path)) if path.exists() else (-1, -1)
        if width <= 0 or height <= 0:
            return match[0]
        near = match.start() < start or len(TAG.sub("", page[start : match.start()])) < ABOVE
        lazy = "" if near else ' loading="lazy"'
        size = f' width="{width}" height="{height}" decoding="async"{lazy}'
        return f'<img {before}src="{source}"{after}{size} />'

    return IMAGE.sub(sized, page)


def setup(app: Sphinx) -> dict:
    """Run after everything else that changes a page."""
    app.connect("html-page-context", describe, priority=950)
    app.connect("build-finished", finish, priority=950)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
