"""What the editions of the book have of each other: addresses, a link to the twin, the search.

A page of another edition has the same name and the same anchors as in English. Each page links
to its twin, for readers and for search engines; language.js remembers the choice.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import nbformat
from attnsteps_words import LANGUAGE, catalogue, say
from docutils import nodes
from myst_parser.mdit_to_docutils.base import default_slugify
from sphinx import search
from sphinx.application import Sphinx
from sphinx.search.zh import SearchChinese
from sphinx.transforms import SphinxTransform

from attnsteps.corpora.generated.glossary import TARGET_WORDS
from scripts.translations.catalogue import BOOK
from scripts.translations.package import of_the_widgets

NAMES = {"en": "English", "zh": "中文"}
HEADING = re.compile(r"^#+ +(.+)$", re.MULTILINE)
MARKUP = re.compile(r"[*`$\\{}]")
FENCED = re.compile(r"^(`{3,}|:{3,}).*?^\1$", re.MULTILINE | re.DOTALL)
LABEL_AT_MOST = 40  # characters: of drawings' texts, widgets share the labels only
ICONS = {
    "Contents": say("Contents"),
    "Menu": say("Menu"),
    "Expand": say("Expand"),
    "Light mode": say("Light mode"),
    "Dark mode": say("Dark mode"),
    "Auto light/dark, in light mode": say("Auto light/dark, in light mode"),
    "Auto light/dark, in dark mode": say("Auto light/dark, in dark mode"),
}
ICON = re.compile(rf"<title>({'|'.join(map(re.escape, ICONS))})</title>")
LABEL = re.compile(r'aria-label="(Toggle [^"]+|Show the pages below)"')
HAN = re.compile(r"[\u3400-\u9fff]+")
WORD = re.compile(r"[a-zA-Z0-9_]+")


class EnglishAnchors(SphinxTransform):
    """Gives a section the id that it has in English, so that links hold in both editions."""

    default_priority = 5

    def apply(self, **kwargs: object) -> None:
        """Go through the sections and the English headings side by side."""
        headings = english_headings(self.env.docname)
        sections = list(self.document.findall(nodes.section))
        if len(headings) != len(sections):
            return
        slugs = getattr(self.document, "myst_slugs", {})
        taken: set[str] = set()
        for heading, section in zip(headings, sections, strict=True):
            old, new = section["ids"][0], nodes.make_id(MARKUP.sub("", heading))
            while new in taken:
                new += "-1"
            taken.add(new)
            section["ids"] = [new]
            self.document.ids[new] = section
            self.document.nameids |= {
                name: new for name, other in self.document.nameids.items() if other == old
            }
            for slug, (line, other, title) in list(slugs.items()):
                if other == old:
                    slugs[slug] = slugs[default_slugify(MARKUP.sub("", heading))] = (
                        line,
                        new,
                        title,
                    )


def english_headings(docname: str) -> list[str]:
    """List the headings of a page in English."""
    path = BOOK / f"{docname}.ipynb"
    if path.exists():
        cells = nbformat.read(path, as_version=4).cells
        text = "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    else:
        path = BOOK / f"{docname}.md"
        text = path.read_text(encoding="utf-8") if path.exists() else ""
    return HEADING.findall(FENCED.sub("", text))


class Bigrams(SearchChinese):
    """Finds Chinese by each sign and each two neighbours: no dictionary, and no word is missed."""

    js_splitter_code = """
function splitQuery(query) {
  const found = query.match(/[a-zA-Z0-9_]+/g) ?? [];
  for (const run of query.match(/[\\u3400-\\u9fff]+/g) ?? []) {
    if (run.length === 1) found.push(run);
    for (let at = 0; at < run.length - 1; at += 1) found.push(run.slice(at, at + 2));
  }
  return found;
}
"""

    def split(self, input: str) -> list[str]:
        """Return the words in Latin letters, each Chinese sign, and each two that touch."""
        latin = WORD.findall(input)
        self.latin_terms.extend(latin)
        return [*latin, *(piece for run in HAN.findall(input) for piece in pieces(run))]

    def word_filter(self, stemmed_word: str) -> bool:
        """Keep single Chinese signs, too."""
        return len(stemmed_word) > 1 or bool(HAN.fullmatch(stemmed_word))


def pieces(run: str) -> Iterator[str]:
    """Cut a run of Chinese signs."""
    yield from run
    for at in range(len(run) - 1):
        yield run[at : at + 2]


def link_twins(
    app: Sphinx, pagename: str, templatename: str, context: dict, doctree: object
) -> None:
    """Tell a page its language, and where it is in the others."""
    context |= {"say": say, "edition": LANGUAGE, "twins": []}
    if pagename.startswith("api") or pagename == "genindex":
        return
    up = "../" * pagename.count("/")
    root = up if LANGUAGE == "en" else f"{up}../"
    page = f"{pagename}.html"
    folders = {language: "" if language == "en" else f"{language}/" for language in NAMES}
    context["twins"] = [
        (language, name, f"{root}{folders[language]}{page}")
        for language, name in NAMES.items()
        if language != LANGUAGE
    ]
    base = app.config.html_baseurl.rstrip("/").removesuffix(f"/{LANGUAGE}")
    if base:
        tags = [
            f'<link rel="alternate" hreflang="{language}" href="{base}/{folder}{page}" />'
            for language, folder in folders.items()
        ]
        context["metatags"] = context.get("metatags", "") + "".join(f"\n    {tag}" for tag in tags)


def give_words(app: Sphinx) -> None:
    """Write what words.js says for the widgets and for the scripts around the pages."""
    of_widgets = set(of_the_widgets())
    labels = {**catalogue("package"), **catalogue("drawings")}
    short = {text for text in labels if len(text) <= LABEL_AT_MOST and text not in TARGET_WORDS}
    said = {text: labels[text] for text in labels if text in of_widgets | short}
    said |= {**catalogue(), **catalogue("widgets")}
    entries = {text: other for text, other in said.items() if text and other}
    target = Path(app.outdir) / "_static" / "words_of_edition.js"
    target.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(entries, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    target.write_text(f"export const entries = {text};\n", encoding="utf-8")


def name_controls(app: Sphinx, exception: Exception | None) -> None:
    """Say what the theme's controls are called, which it writes in English only."""
    if exception or app.builder.format != "html":
        return
    for path in Path(app.outdir).rglob("*.html"):
        page = path.read_text(encoding="utf-8")
        named = LABEL.sub(
            lambda match: f'aria-label="{catalogue().get(match[1]) or match[1]}"', page
        )
        named = ICON.sub(lambda match: f"<title>{ICONS[match[1]]}</title>", named)
        if named != page:
            path.write_text(named, encoding="utf-8")


def setup(app: Sphinx) -> dict:
    """Run before the theme's own words are set."""
    app.connect("html-page-context", link_twins, priority=400)
    if LANGUAGE != "en":
        app.connect("builder-inited", give_words)
        app.connect("build-finished", name_controls)
        app.add_transform(EnglishAnchors)
        search.languages["zh"] = Bigrams
    return {"parallel_read_safe": True, "parallel_write_safe": True}
