"""The chapters as an e-book: EPUB 3, with formulas as MathML and drawings as SVG."""

import datetime
import uuid
import zipfile
from html import escape
from pathlib import Path

from scripts.paper.chapter import (
    HERE,
    Chapter,
    Edition,
    cover,
    mend_links,
)
from tests.browser import SITE


def xhtml(title: str, body: str, language: str) -> str:
    """Return a document of an e-book."""
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE html>\n'
        '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"'
        f' lang="{language}" xml:lang="{language}"><head><title>{escape(title)}</title>'
        '<link rel="stylesheet" type="text/css" href="style.css"/></head>'
        f"<body>{body}</body></html>\n"
    )


def write_epub(target: Path, chapters: list[Chapter], edition: Edition, version: str) -> Path:
    """Pack the same articles as an e-book, EPUB 3."""
    language = edition.language
    files = {"cover": xhtml(edition.title, cover(edition, version), language)}
    for each, text in zip(chapters, mend_links(chapters), strict=True):
        files[each.name] = xhtml(each.title, text, language)
    entries = "".join(
        f'<li><a href="{each.name}.xhtml">{escape(each.heading)}</a></li>' for each in chapters
    )
    nav = f'<nav epub:type="toc"><h1>{edition.say("Contents")}</h1><ol>{entries}</ol></nav>'
    images = {file: content for each in chapters for file, content in each.images.items()}
    kinds = {"png": "image/png", "svg": "image/svg+xml"}
    manifest = [
        '<item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>'
    ]
    for name, text in files.items():
        properties = [kind for kind, tag in (("mathml", "<math"), ("svg", "<svg")) if tag in text]
        said = f' properties="{" ".join(properties)}"' if properties else ""
        manifest.append(
            f'<item id="p-{name}" href="{name}.xhtml" media-type="application/xhtml+xml"{said}/>'
        )
    manifest += [
        f'<item id="i-{n}" href="images/{file}" media-type="{kinds[file.rpartition(".")[2]]}"/>'
        for n, file in enumerate(images)
    ]
    manifest.append('<item id="css" href="style.css" media-type="text/css"/>')
    spine = "".join(f'<itemref idref="p-{name}"/>' for name in files)
    own = uuid.uuid5(uuid.NAMESPACE_URL, edition.address)
    now = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    opf = (
        '<?xml version="1.0" encoding="utf-8"?>\n<package xmlns="http://www.idpf.org/2007/opf"'
        f' version="3.0" unique-identifier="id" xml:lang="{language}">'
        '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f'<dc:identifier id="id">urn:uuid:{own}</dc:identifier>'
        f"<dc:title>{edition.title}</dc:title><dc:language>{language}</dc:language>"
        f"<dc:creator>{edition.authors}</dc:creator>"
        f"<dc:rights>CC BY 4.0; code MIT</dc:rights><dc:source>{edition.address}</dc:source>"
        f'<meta property="dcterms:modified">{now}</meta></metadata>'
        f"<manifest>{''.join(manifest)}</manifest><spine>{spine}</spine></package>\n"
    )
    pygments = (SITE / "_static" / "pygments.css").read_text(encoding="utf-8")
    light = "\n".join(line for line in pygments.splitlines() if line.startswith(".highlight"))
    container = (
        '<?xml version="1.0"?>\n<container version="1.0"'
        ' xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile'
        ' full-path="OEBPS/content.opf" media-type="application/oebps-package+xml"/>'
        "</rootfiles></container>\n"
    )
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr("mimetype", "application/epub+zip", zipfile.ZIP_STORED)
        book.writestr("META-INF/container.xml", container)
        book.writestr("OEBPS/content.opf", opf)
        book.writestr("OEBPS/nav.xhtml", xhtml(edition.say("Contents"), nav, language))
        book.writestr("OEBPS/style.css", light + (HERE / "style.css").read_text(encoding="utf-8"))
        for name, text in files.items():
            book.writestr(f"OEBPS/{name}.xhtml", text)
        for file, content in images.items():
            book.writestr(f"OEBPS/images/{file}", content)
    return target
