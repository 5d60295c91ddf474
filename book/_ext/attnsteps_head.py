"""Writes what a page's head says about it, to search engines and messengers."""

import html
import re
from pathlib import Path

from attnsteps_card import SIZE, chinese, draw_card
from attnsteps_words import LANGUAGE, say
from docutils import nodes
from sphinx.application import Sphinx

DESCRIPTION = 200  # characters
MADE = {"search": say("Search"), "genindex": say("Index")}  # pages that have no title of their own
TAG = re.compile(r"<[^>]*>")


def about(app: Sphinx, pagename: str, context: dict, doctree: nodes.document | None) -> str:
    """Write the tags by which search engines and messengers show a page."""
    title = html.unescape(TAG.sub("", context.get("title") or MADE.get(pagename, pagename)))
    description = first_sentences(doctree) or f"{title} – {app.config.html_title}"
    properties = {"og:title": title, "og:description": description, "og:type": "article"}
    properties["og:site_name"] = app.config.html_title
    base = app.config.html_baseurl.rstrip("/")
    if base:
        properties["og:url"] = f"{base}/{pagename}.html"
        if doctree is not None:  # a page made of a file: its title is drawn
            card = f"_static/cards/{pagename.replace('/', '-')}.png"
            own = LANGUAGE == "en" or chinese()  # without a font for it, the English one is shown
            if own:
                draw_card(title, app.config.html_title, Path(app.outdir) / card)
            root = base if own else base.removesuffix(f"/{LANGUAGE}")
            properties["og:image"] = f"{root}/{card}"
            properties["og:image:alt"] = say(
                "{title}, beside the attention of a translated sentence", title=title
            )
            properties |= {"og:image:width": str(SIZE[0]), "og:image:height": str(SIZE[1])}
    up = "../" * (pagename.count("/") + (LANGUAGE != "en"))
    tags = [f'<meta name="description" content="{html.escape(description)}" />']
    tags += [
        f'<meta property="{key}" content="{html.escape(value)}" />'
        for key, value in properties.items()
    ]
    tags.append('<meta name="twitter:card" content="summary_large_image" />')
    tags.append(f'<link rel="manifest" href="{up}manifest.webmanifest" />')
    return "\n    ".join(["", *tags])


def first_sentences(doctree: nodes.document | None) -> str:
    """Return how a page begins, to the last whole word within what a search engine shows."""
    for paragraph in doctree.findall(nodes.paragraph) if doctree else ():
        parts = [
            child.astext() for child in paragraph.findall(nodes.Text)
            if not isinstance(child.parent, nodes.math)
        ]  # fmt: skip
        text = " ".join("".join(parts).split())
        if len(text) > 60:
            short = text[:DESCRIPTION]
            return text if text == short else short.rpartition(" ")[0] + " …"
    return ""
