"""Writes formulas as MathML when the site is built, so that no page needs a script to show them.

``math-core`` turns each formula into MathML, which every browser sets by itself and every screen
reader reads. What it cannot translate is an error that names the formula. They are set in STIX Two
Math: pages and fonts differ from one machine to the next, and formulas should not. The package
``ziamath`` brings the font; the site gets those of its glyphs that some formula needs.
"""

import html
import re
from importlib.util import find_spec
from pathlib import Path

from docutils import nodes
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from math_core import LatexError, LatexToMathML
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.math import get_node_equation_number
from sphinx.writers.html5 import HTML5Translator

FONT = "_static/math-font.woff2"  # book.css names it
ABOVE = 1500  # characters of text above a formula that may be on the first screen
CLASSES = "math notranslate nohighlight"
FORMULA = re.compile(r"<math\b.*?</math>", re.DOTALL)
SPACE = re.compile(r"\\\\\s*\[[^\]]*\]")  # \\[4pt], which math-core takes for \\ and "[4pt]"
LETTERS = {
    "A": 0x1D434, "a": 0x1D44E, "Α": 0x1D6E2, "α": 0x1D6FC,
}  # fmt: skip
SPECIAL = {"h": 0x210E, "∂": 0x1D715, "ϵ": 0x1D716, "ϑ": 0x1D717, "ϕ": 0x1D719}
converter = LatexToMathML(fancy_error=False)


def to_mathml(tex: str, *, display: bool = False) -> str:
    """Translate a formula, and say which it was if that fails.

    Args:
        tex: the formula, without dollar signs.
        display: whether it stands on lines of its own.
    """
    lines = SPACE.sub(r"\\\\", tex).strip()
    try:
        return converter.convert_with_local_state(lines, displaystyle=display)
    except LatexError as error:
        raise ExtensionError(f"math-core cannot translate the formula {tex!r}: {error}") from error


def one_formula(text: str) -> str:
    """Put lines, and parts with an empty line between them, under one another, as Sphinx does.

    Args:
        text: the source of a displayed formula.
    """
    parts = [part.strip() for part in text.split("\n\n") if part.strip()]
    joined = r" \\ ".join(parts)
    lines = len(parts) > 1 or (r"\\" in joined and r"\begin" not in joined)
    return rf"\begin{{aligned}}{joined}\end{{aligned}}" if lines else joined


def visit_math(self: HTML5Translator, node: nodes.math) -> None:
    """Write a formula inside a line."""
    self.body.append(self.starttag(node, "span", "", CLASS=CLASSES))
    self.body.append(f"{to_mathml(node.astext())}</span>")
    raise nodes.SkipNode


def visit_math_block(self: HTML5Translator, node: nodes.math_block) -> None:
    """Write a formula on lines of its own, with its number if it has one."""
    self.body.append(self.starttag(node, "div", CLASS=CLASSES))
    if node["number"]:
        self.body.append(f'<span class="eqno">({get_node_equation_number(self, node)})')
        self.add_permalink_ref(node, "Link to this equation")
        self.body.append("</span>")
    self.body.append(f"{to_mathml(one_formula(node.astext()), display=True)}</div>\n")
    raise nodes.SkipNode


def is_in_view(doctree: nodes.document) -> bool:
    """Tell whether a formula may be on the first screen."""
    above = 0
    for node in doctree.findall():
        if isinstance(node, nodes.math | nodes.math_block):
            return above < ABOVE
        if isinstance(node, nodes.Text) and not isinstance(node.parent, nodes.raw):
            above += len(node.astext())
    return False


def preload(
    app: Sphinx, pagename: str, templatename: str, context: dict, doctree: nodes.document | None
) -> None:
    """Ask for the font early where lines would break anew when it comes: it has other widths."""
    if doctree and is_in_view(doctree):
        href = f"{'../' * pagename.count('/')}{FONT}"
        tag = f'<link rel="preload" href="{href}" as="font" type="font/woff2" crossorigin />'
        context["metatags"] = f"{context.get('metatags', '')}\n    {tag}"


def signs(pages: list[str]) -> set[int]:
    """List the characters that formulas show, single letters as the italics they become.

    Args:
        pages: the pages' HTML.
    """
    found = {0x221A}  # a root's own sign stands in no text
    for page in pages:
        for formula in FORMULA.findall(page):
            found |= set(map(ord, html.unescape(re.sub(r"<[^>]*>", "", formula))))
            found |= {italic(letter) for letter in re.findall(r"<mi>([^&<])</mi>", formula)}
    return found


def italic(letter: str) -> int:
    """Return the code of the mathematical italic that a browser shows for a letter.

    Args:
        letter: one character.
    """
    if letter in SPECIAL:
        return SPECIAL[letter]
    for first, code in LETTERS.items():
        size = 26 if first.isascii() else 25
        if ord(first) <= ord(letter) < ord(first) + size:
            return code + ord(letter) - ord(first)
    return ord(letter)


def write_font(app: Sphinx, exception: Exception | None) -> None:
    """Write the part of the font that the formulas of this site need."""
    if exception or app.builder.format != "html":
        return
    pages = [path.read_text(encoding="utf-8") for path in Path(app.outdir).rglob("*.html")]
    options = Options(
        flavor="woff2", layout_features=["*"], hinting=True, notdef_outline=True, name_IDs=[1, 2],
        drop_tables=["DSIG", "GPOS", "kern", "BASE"],
    )  # fmt: skip
    package = Path(find_spec("ziamath").origin).parent  # not imported: only its font is of use
    font = TTFont(package / "fonts" / "STIXTwoMath-Regular.ttf", recalcTimestamp=False)
    options.layout_features = ["ssty", "dtls", "flac"]  # smaller primes and letters, no dot on i
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=signs(pages))
    subsetter.subset(font)
    font.flavor = "woff2"
    font.save(Path(app.outdir) / FONT)


def setup(app: Sphinx) -> dict:
    """Offer the renderer under the name that ``html_math_renderer`` takes."""
    app.add_html_math_renderer("mathml", (visit_math, None), (visit_math_block, None))
    app.connect("html-page-context", preload)
    app.connect("build-finished", write_font)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
