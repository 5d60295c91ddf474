"""The words in drawings that come from data: names of runs, of axes, of what is compared.

They are read from the chapters' outputs, because no call in the code says them. Words of the
example sentences, which are the book's subject, stay in English.
"""

import re
from html import unescape
from pathlib import Path

import nbformat

from attnsteps.corpora.generated.glossary import TARGET_WORDS
from attnsteps.language import Catalogue
from attnsteps.running_example import SENTENCE, TWIN
from scripts.closure import ROOT
from scripts.translations import cells, package

BOOK = ROOT / "book"
STYLE = re.compile(r"<(style|script)\b.*?</\1>", re.DOTALL)
TEXT = re.compile(r">([^<>]+)<")
NUMBER = re.compile(r"\d[\d,.]*(?<=\d)")
WORD = re.compile(r"[a-zA-Z]{3,}")
EXAMPLE = {word.strip("()") for each in (*SENTENCE, *TWIN) for word in each.gloss.split()}
# Of the small language whose sentences have two orders: which of them are drawn, a model decides.
EXAMPLE |= {"card", "drew", "grandpa", "later", "map", "picture", "poem", "recently"}
LABEL, LONGEST = 80, 400  # characters of a label, and of a description in a cell
FIGURES = re.compile(r"\bfigures\.")  # what is long there is put together, also of what models say


def of_the_drawings(executed: Path = BOOK) -> list[str]:
    """List the texts that no template of the package makes, their numbers as ``{0}``.

    Args:
        executed: where the chapters lie with their outputs.
    """
    found: list[str] = []
    said = {text: f"⟨{text}⟩" for text in package.of_the_package()}
    of_drawings = Catalogue(said)
    for path in sorted(executed.glob("*.ipynb")):
        if "." in path.stem:
            continue
        code = [
            cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"
        ]
        asked = [text for cell in code for text in cells.messages(cell.source)]
        of_questions = Catalogue({**said, **{text: f"⟨{text}⟩" for text in asked}})
        for cell in code:
            known = of_drawings if is_drawn(cell) else of_questions
            longest = LABEL if FIGURES.search(cell.source) else LONGEST
            found += [
                with_fields(text)
                for text in texts_of(cell)
                if len(text) <= longest and known.say(text) == text and wants_words(text)
            ]
    return list(dict.fromkeys(found))


def is_drawn(cell: nbformat.NotebookNode) -> bool:
    """Tell a drawing or a plot from a question, whose words the chapter's catalogue has."""
    shown = [output.get("data", {}) for output in cell.get("outputs", [])]
    return any(
        'class="ad ' in data.get("text/html", "") or "image/svg+xml" in data for data in shown
    )


def texts_of(cell: nbformat.NotebookNode) -> list[str]:
    """List the texts of a cell's drawings and plots."""
    found = []
    for output in cell.get("outputs", []):
        data = output.get("data", {})
        drawn = STYLE.sub("", data.get("text/html", "") + data.get("image/svg+xml", ""))
        found += [unescape(text).strip() for text in TEXT.findall(drawn)]
    return found


def with_fields(text: str) -> str:
    """Return a text with its numbers as fields: they differ from machine to machine."""
    count = iter(range(100))
    return NUMBER.sub(lambda _: f"{{{next(count)}}}", text.replace("{", "{{").replace("}", "}}"))


def wants_words(text: str) -> bool:
    """Tell whether there is a word in it that isn't of the examples."""
    words = WORD.findall(text)
    examples = EXAMPLE | set(TARGET_WORDS)
    return any(word.lower() not in examples for word in words)
