"""The prose: every number comes from somewhere, and every source is in the bibliography."""

import difflib
import math
import re
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode

from scripts.outputs import SPAN
from tests.notebooks.quoted import QUOTED

BOOK = Path(__file__).resolve().parents[2] / "book"
CHAPTERS = sorted(BOOK.glob("*.ipynb"))
PAGES = sorted([*CHAPTERS, *BOOK.glob("*.md")])
KEYS = set(re.findall(r"^@\w+\{([^,\s]+),", (BOOK / "references.bib").read_text("utf-8"), re.M))
CITED = re.compile(r"\{cite(?::\w+)?\}`([^`]+)`")
NUMBER = re.compile(r"(?<![\w.,/#-])(\d[\d,]*(?:\.\d+)?)(?![\w/]|\.\d)")
#: What isn't prose, or says where and not how many: values, code, formulas, links, chapters.
NO_PROSE = re.compile(
    rf"{SPAN.pattern}|`[^`]*`|\$\$.*?\$\$|\$[^$]*\$|\[\d+\]\([^)]*\)|\]\([^)]*\)|\{{[^}}]*\}}"
    r"|https?://\S+|[cC]hapters? \d+(?:(?:,| and| to) \d+)*|<!--.*?-->",
    re.DOTALL,
)


def prose(notebook: NotebookNode) -> str:
    """Return the text between the cells of code."""
    return "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")


def typed(text: str) -> list[str]:
    """List the numbers that are typed in prose; whole ones below 10 are only counted things."""
    found = [number.rstrip(",") for number in NUMBER.findall(NO_PROSE.sub(" ", text))]
    return [number for number in found if "." in number or value(number) >= 10]


def value(number: str) -> float:
    return float(number.replace(",", "").replace("_", ""))


def computed(notebook: NotebookNode) -> list[float]:
    """List the numbers that the chapter's code has, prints or draws; the powers of e are known."""
    texts = []
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        texts.append(cell.source)
        for output in cell.outputs:
            data = {"text/plain": output.get("text", ""), **output.get("data", {})}
            texts += [text for kind, text in data.items() if kind.endswith("plain")]
            drawn = re.sub(r"<style>.*?</style>", "", data.get("text/html", ""), flags=re.DOTALL)
            texts += re.findall(r">([^<>]+)<", drawn)
    numbers = re.findall(r"\d[\d,_]*(?:\.\d+)?", "\n".join(texts))
    return [*map(value, numbers), *(math.exp(power) for power in range(6))]


def unfounded(notebook: NotebookNode, quoted: set[str]) -> list[str]:
    """List the numbers of the prose that nothing computes and no source gave."""
    known = [*computed(notebook), *map(value, quoted)]

    def is_known(number: str) -> bool:
        half = 0.51 * 10 ** -len(number.partition(".")[2])
        return any(abs(value(number) - one) <= half for one in known)

    return [number for number in typed(prose(notebook)) if not is_known(number)]


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_every_number_in_prose_is_computed_or_quoted(path):
    notebook = nbformat.read(path, as_version=4)
    found = unfounded(notebook, QUOTED.get(path.stem, set()))
    assert not found, (
        f"book/{path.name}: nothing computes {', '.join(found)}. Let a cell record it with glue, "
        "or list it in tests/notebooks/quoted.py if it comes from elsewhere."
    )


@pytest.mark.parametrize("stem", QUOTED)
def test_every_number_that_is_listed_is_in_its_chapter(stem):
    notebook = nbformat.read(BOOK / f"{stem}.ipynb", as_version=4)
    assert not QUOTED[stem] - set(typed(prose(notebook)))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It turns by 75 degrees", ["75"]),
        ("2.5 of 25,000, or 9", ["2.5", "25,000"]),
        ("| 0.787 | 3 |", ["0.787"]),
        ("$x_{12}$ and `13`, [chapter 14](14_decoder.ipynb), chapters 15 and 16, GPT-20", []),
        ('<span data-glue="x">75</span>', []),
    ],
)
def test_typed_numbers_are_found(text, found):
    assert typed(text) == found


def test_a_number_is_founded_by_code_output_drawing_or_source():
    new = nbformat.v4
    output = new.new_output("execute_result", data={"text/html": '<text x="77">0.787</text>'})
    cells = [new.new_code_cell("assert n == 12", outputs=[output]), new.new_markdown_cell("")]
    notebook = new.new_notebook(cells=cells)
    cells[1].source = "12 of 0.79 at 57, but 77"
    assert unfounded(notebook, {"57"}) == ["77"]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_every_citation_is_in_the_bibliography(path):
    is_notebook = path.suffix == ".ipynb"
    text = prose(nbformat.read(path, as_version=4)) if is_notebook else path.read_text("utf-8")
    for keys in CITED.findall(text):
        for key in keys.replace(" ", "").split(","):
            near = difflib.get_close_matches(key, KEYS, 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            assert key in KEYS, f"book/{path.name} cites {key}: not in book/references.bib{hint}"
