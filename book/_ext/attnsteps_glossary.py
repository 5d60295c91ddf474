"""Makes a page of ``glossary.yml``, and explains a term where a later chapter first uses it.

The page has the directive ``terms``. In every chapter, a term's first use on the main path, behind
the chapter that builds it, becomes a link to its entry that carries the entry's sentence; terms.js
shows it as a card. Notebooks say nothing about it, so that Colab shows plain text.
"""

import functools
import re
from pathlib import Path

import yaml
from attnsteps_words import LANGUAGE, say
from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

PAGE = "glossary"
SOURCE = Path(__file__).parents[1] / "glossary.yml"
CHAPTER = re.compile(r"\d\d_|bug_zoo|ledger")


@functools.cache
def entries() -> list[dict]:
    """Read the glossary, in the order of its terms."""
    found = yaml.safe_load(SOURCE.read_text(encoding="utf-8"))
    return sorted(found, key=lambda entry: entry["term"].casefold())


def anchor(entry: dict) -> str:
    """Return the id of a term's entry."""
    return f"term-{nodes.make_id(entry['term'])}"


def ways_to_write(entry: dict) -> list[str]:
    """List how a term is written: as it is, in the plural, and so at the start of a sentence."""
    if LANGUAGE != "en":
        return [] if entry.get("forms") == [] else [entry["chinese"]]
    forms = entry.get("forms", [entry["term"]])
    forms = [*forms, *(f"{form}s" for form in forms)]
    return [*forms, *(form[0].upper() + form[1:] for form in forms if form[0].islower())]


class Terms(SphinxDirective):
    """Lists every term with its Chinese, its sentence and the chapter that builds it."""

    def run(self) -> list[nodes.Node]:
        """Return the list."""
        self.env.note_dependency(str(SOURCE))
        items = [self.item(entry) for entry in entries()]
        return [nodes.definition_list("", *items, classes=["terms"])]

    def item(self, entry: dict) -> nodes.definition_list_item:
        """Write one entry."""
        same = entry["chinese"] == entry["term"]
        chinese = nodes.inline("", "" if same else entry["chinese"], classes=["chinese"])
        term = nodes.term("", entry["term"], nodes.Text(" "), chinese, ids=[anchor(entry)])
        number = str(int(entry["chapter"][:2]))
        chapter = addnodes.pending_xref(
            "",
            nodes.inline("", say("Chapter\N{NO-BREAK SPACE}{number}", number=number)),
            refdomain="std",
            reftype="doc",
            reftarget=f"/{entry['chapter']}",
            refexplicit=True,
            refdoc=self.env.docname,
        )
        sentence = nodes.paragraph("", f"{say(entry['says'])} ", chapter, nodes.Text(say(".")))
        return nodes.definition_list_item("", term, nodes.definition("", sentence))


def explain(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Link the first use of each term that an earlier chapter built to its entry."""
    if app.builder.format != "html" or not CHAPTER.match(page):
        return
    left = {way: e for e in entries() if e["chapter"] < page for way in ways_to_write(e)}
    address = app.builder.get_relative_uri(page, PAGE)
    folds = 0
    for node in list(doctree.findall()):
        if isinstance(node, nodes.raw):
            folds += node.astext().count("<details") - node.astext().count("</details")
        running = isinstance(node, nodes.Text) and isinstance(node.parent, nodes.paragraph)
        if running and left and not folds and not isinstance(node.parent.parent, nodes.entry):
            node.parent.replace(node, linked(str(node), left, address))


@functools.cache
def any_of(ways: tuple[str, ...]) -> re.Pattern:
    """Make the pattern that finds these ways to write a term; Chinese has no spaces around it."""
    before, after = (r"(?<![\w/-])", r"(?![\w/-])") if LANGUAGE == "en" else ("", "")
    longest_first = sorted(map(re.escape, ways), key=len, reverse=True)
    return re.compile(f"{before}(?:{'|'.join(longest_first)}){after}")


def linked(text: str, left: dict[str, dict], address: str) -> list[nodes.Node]:
    """Cut a text at the terms in it and link them; they go from those that are left.

    Args:
        text: running text.
        left: the entry for each way to write a term that the page has not used yet.
        address: the glossary's, from this page.
    """
    match = any_of(tuple(left)).search(text) if left else None
    if match is None:
        return [nodes.Text(text)]
    entry = left[match[0]]
    for way in ways_to_write(entry):
        left.pop(way, None)
    link = nodes.reference(
        "",
        match[0],
        refuri=f"{address}#{anchor(entry)}",
        reftitle=say(entry["says"]),
        classes=["term"],
        internal=True,
    )
    after = linked(text[match.end() :], left, address)
    return [nodes.Text(text[: match.start()]), link, *after]


def setup(app: Sphinx) -> dict:
    """Run when every page is read and references are resolved."""
    app.add_directive("terms", Terms)
    app.connect("doctree-resolved", explain)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
