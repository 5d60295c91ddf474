"""The words in drawings that come from data: names of runs, of axes, of what is compared.

They are read from the chapters' outputs, because no call in the code says them. Words of the
example sentences, which are the book's subject, stay in English.
"""

import re
from html import unescape

import nbformat

from attnsteps.corpora.generated.glossary import TARGET_WORDS
from attnsteps.language import Catalogue
from attnsteps.running_example import SENTENCE, TWIN
from scripts.closure import ROOT
from scripts.translations import cells, package

STYLE = re.compile(r"<(style|script)\b.*?</\1>", re.DOTALL)
TEXT = re.compile(r">([^<>]+)<")
NUMBER = re.compile(r"\d[\d,.]*(?<=\d)")
WORD = re.compile(r"[a-zA-Z]{3,}")
EXAMPLE = {word.strip("()") for each in (*SENTENCE, *TWIN) for word in each.gloss.split()}
LONGEST = 400  # characters; what is longer is put together from what figures say


def of_the_drawings() -> list[str]:
    """List the texts that no template of the package makes, their numbers as ``{0}``."""
    found: list[str] = []
    said = {text: f"⟨{text}⟩" for text in package.of_the_package()}
    for path in sorted((ROOT / "book").glob("*.ipynb")):
        if "." in path.stem:
            continue
        notebook = nbformat.read(path, as_version=4)
        asked = [text for cell in notebook.cells for text in cells.messages(cell.source)
                 if cell.cell_type == "code"]  # fmt: skip
        known = Catalogue({**said, **{text: f"⟨{text}⟩" for text in asked}})
        for text in texts_of(notebook):
            if known.say(text) == text and wants_words(text):
                found.append(with_fields(text))
    return list(dict.fromkeys(found))


def texts_of(notebook: nbformat.NotebookNode) -> list[str]:
    """List the texts of a chapter's drawings."""
    found = []
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            html = STYLE.sub("", output.get("data", {}).get("text/html", ""))
            found += [unescape(text).strip() for text in TEXT.findall(html)]
    return found


def with_fields(text: str) -> str:
    """Return a text with its numbers as fields: they differ from machine to machine."""
    count = iter(range(100))
    return NUMBER.sub(lambda _: f"{{{next(count)}}}", text.replace("{", "{{").replace("}", "}}"))


def wants_words(text: str) -> bool:
    """Tell whether there is a word in it that isn't of the examples."""
    words = WORD.findall(text)
    examples = EXAMPLE | set(TARGET_WORDS)
    return len(text) <= LONGEST and any(word.lower() not in examples for word in words)
