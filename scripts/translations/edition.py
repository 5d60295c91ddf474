"""Writes a page of the book in another language: the same code and outputs with other words."""

import json
import re
from decimal import Decimal

from nbformat import NotebookNode

from attnsteps.language import Catalogue
from scripts.translations import cells, prose
from scripts.translations.alignment import realigned
from scripts.translations.catalogue import path_of, said

ASKING = {"Exercise", "Predict"}
REFERENCE = re.compile(r"\[([^\]\n]+)\]\((api(?:/\w+)?)\.md(#[^)\s]+)?\)")
PAPER = re.compile(r"(/paper/attention-step-by-step)(\.(?:pdf|epub))")
TO = re.compile(r"(?<=[\d%]) to (?=[\d−+])")
AND = re.compile(r"(?<=[\d%]) and (?=[\d−])")
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
LARGE = {"million": 10**6, "billion": 10**9, "百万": 10**6, "十亿": 10**9}
UNIT = re.compile(
    r"(<span data-glue=\"[\w-]+\">)([^<]*?)(?: (million|billion))?(</span>)(?:\s*个?(百万|十亿))?"
)
AFTER_UNIT = re.compile(r"(?<=[万亿]</span>) (?=[\u4e00-\u9fff])")
COUNTED = re.compile(r"(\d[\d,.]*)\s*个?(百万|十亿)")
HAN = re.compile(r"[\u4e00-\u9fff]")
VERDICT = re.compile(r"[✓✗] (?:Right|Not yet): ")
WORDS = {"none": "没有"}
LISTED = re.compile(r"(?<=\d), (?=\d)")


def text(markdown: str, stem: str, language: str) -> str:
    """Return a page's Markdown in another language; what isn't translated yet is in English."""
    words = said(path_of(stem, language))
    return _to_others(prose.translated(markdown, lambda one: words.get(one, one)), language)


def chapter(notebook: NotebookNode, stem: str, language: str) -> None:
    """Write a chapter with its outputs in another language, without executing it."""
    words = said(path_of(stem, language))
    shown = {}
    for of in ("widgets", "drawings", "package"):
        shown |= said(path_of(of, language))
    drawn, asked = Catalogue(shown), Catalogue({**shown, **words})
    around = said(path_of("site", language))
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = prose.translated(cell.source, lambda one: words.get(one, one))
            cell.source = _to_others(cell.source, language)
        elif cell.cell_type == "code":
            prompts = cell.metadata.get("mystnb", {})
            prompts |= {
                name: around.get(value, value)
                for name, value in prompts.items()
                if isinstance(value, str)
            }
            for alt in cells.described(cell):
                cell.metadata.mystnb.image.alt = words.get(alt, alt)
            cell.source = cells.translated(cell.source, lambda one: words.get(one, one))
            for output in cell.outputs:
                _translate_output(output, drawn, asked)


def in_words(notebook: NotebookNode) -> None:
    """Say the values that were glued into the prose as Chinese says ranges and lists."""

    def value(match: re.Match) -> str:
        start, text, inside, end, after = match.groups()
        text = LISTED.sub("、", AND.sub(" 和 ", TO.sub(" 到 ", WORDS.get(text, text))))
        text = text.replace("\xa0%", "%").replace(" %", "%")
        if not (unit := inside or after):
            return f"{start}{text}{end}"
        return f"{start}{_in_wan(text, LARGE[unit])}{end}"

    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = AFTER_UNIT.sub("", UNIT.sub(value, cell.source))


def _counted(text: str) -> str:
    """Say ranges, and numbers of millions, as Chinese does in a text that was put together."""
    text = COUNTED.sub(lambda match: _in_wan(match[1], LARGE[match[2]]), text)
    return TO.sub(" 到 ", text) if HAN.search(text) else text


def _in_wan(text: str, factor: int) -> str:
    """Write numbers of millions or billions as Chinese counts, in 万 and 亿."""
    numbers = [Decimal(each.replace(",", "")) * factor for each in NUMBER.findall(text)]
    size, unit = (10**8, "亿") if max(numbers) >= 10**8 else (10**4, "万")
    said = iter(f"{(each / size).normalize():f}" for each in numbers)
    return f"{NUMBER.sub(lambda _: next(said), text)} {unit}"


def _to_others(markdown: str, language: str) -> str:
    """Let links to the reference lead to the English edition, those to the paper to this one."""

    def link(match: re.Match) -> str:
        return f'<a href="../{match[2]}.html{match[3] or ""}">{match[1]}</a>'

    return REFERENCE.sub(link, PAPER.sub(rf"\1-{language}\2", markdown))


def _translate_output(output: NotebookNode, drawn: Catalogue, asked: Catalogue) -> None:
    """Translate the texts of a drawing, or of an answer, a verdict or a question.

    A word of an example is Chinese where it is asked for, and a note in English in a drawing.
    """
    data = output.get("data", {})
    if html := data.get("text/html", ""):
        shown = drawn if 'class="ad ' in html else asked
        html = realigned(html, shown.say)
        data["text/html"] = _counted(shown.say_in(html))
    if plot := data.get("image/svg+xml"):
        data["image/svg+xml"] = drawn.say_in(plot)
    if verdict := VERDICT.match(data.get("text/plain", "")):
        rest = data["text/plain"][verdict.end() :]
        said_so = asked.entries.get(f"{verdict[0]}{{0}}", f"{verdict[0]}{{0}}")
        data["text/plain"] = said_so.format(asked.say(rest))
    kept = json.loads(output.get("metadata", {}).get("attnsteps", "null"))
    if kept:
        asks = kept["widget"].rpartition(".")[2] in ASKING
        kept["traits"] = _said(kept["traits"], asked if asks else drawn, whole=asks)
        output.metadata["attnsteps"] = json.dumps(kept, ensure_ascii=False, sort_keys=True)


def _said(value: object, shown: Catalogue, *, whole: bool) -> object:
    """Translate the texts in a trait, but no keys, which tell questions apart.

    Args:
        value: of the trait.
        shown: what the texts become.
        whole: all texts are only shown; otherwise only those are with names in braces, which the
            widget's script fills in, and the rest is looked up in the page.
    """
    if isinstance(value, str):
        return _counted(shown.say(value)) if whole or "{" in value else value
    if isinstance(value, list):
        return [_said(one, shown, whole=whole) for one in value]
    if isinstance(value, dict):
        return {
            name: one if name in ("key", "kind") else _said(one, shown, whole=whole)
            for name, one in value.items()
        }
    return value
