"""What every chapter has around its text, which its notebook needn't say.

A strip of one line under the title, and again where the chapter closes, tells where in the book it
is: each part of the Transformer with the numbers of its chapters, every number a link. The cell of
imports, tagged ``imports``, is a notebook's first and a page's last: nothing comes between a
chapter's question and its first picture.
"""

from html import escape

from attnsteps_words import say
from docutils import nodes
from sphinx.application import Sphinx

from attnsteps.diagrams.map import CHAPTERS

#: What the chapters build, and how many they are, in their order.
PARTS = (
    (say("words"), 3),
    (say("attention"), 7),
    (say("the Transformer"), 5),
    (say("translating"), 5),
    (say("beyond"), 3),
)
CLOSING = say("What you now have")
DOCNAMES = [f"{number:02d}_{stem}" for number, stem in enumerate(CHAPTERS, 1)]


def imports_last(app: Sphinx, doctree: nodes.document) -> None:
    """Move the cell of imports to the end of its page."""
    for cell in list(doctree.findall(nodes.container)):
        if "tag_imports" in cell["classes"]:
            cell.parent.remove(cell)
            doctree[0].append(cell)


def add_strips(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Put the strip under the title, and at the end of what the chapter closes with."""
    if docname not in DOCNAMES or app.builder.format != "html":
        return
    titles = {name: title.astext() for name, title in app.env.titles.items()}
    for section in list(doctree.findall(nodes.section)):
        title = section[0].astext()
        if section.parent is doctree:
            section.insert(1, strip(docname, titles, say("You are here")))
        elif title == CLOSING:
            folds = [i for i, node in enumerate(section) if node.astext().startswith("<details")]
            end = folds[0] if folds else len(section)
            section.insert(end, strip(docname, titles, say("You are still here")))


def strip(here: str, titles: dict[str, str], label: str) -> nodes.raw:
    """Return a line of links to all chapters, in their parts, with one of them lit.

    Args:
        here: the chapter that is lit.
        titles: by page; one that isn't built is called by its stem.
        label: what screen readers call the strip.
    """
    place = DOCNAMES.index(here)
    parts, number = [], 0
    for name, count in PARTS:
        links = []
        for docname in DOCNAMES[number : number + count]:
            title = titles.get(docname, docname[3:].replace("_", " "))
            state = ' aria-current="page"' if docname == here else ""
            state = state or (' class="coming"' if number > place else "")
            said = escape(f"{number + 1} {title}")
            links.append(
                f'<li><a href="{docname}.html" title="{said}" aria-label="{said}"{state}>'
                f"{number + 1}</a></li>"
            )
            number += 1
        parts.append(f"<li><span>{name}</span><ol>{''.join(links)}</ol></li>")
    html = f'<nav class="strip" aria-label="{label}"><ol>{"".join(parts)}</ol></nav>'
    return nodes.raw("", html, format="html")


def setup(app: Sphinx) -> dict:
    """Run when a page is read, and when all titles are known."""
    app.connect("doctree-read", imports_last, priority=400)  # before the links to the reference
    app.connect("doctree-resolved", add_strips)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
