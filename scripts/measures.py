"""Measure the chapters' main path: ``python -m scripts.measures`` prints a table.

The main path is what every reader comes by: prose outside ``<details>``, but for the answers to
predictions, and code cells that no tag hides. How long it may be is in CONTRIBUTING; the tests hold
it.
"""

import re
import sys
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbformat import NotebookNode

BOOK = Path(__file__).resolve().parent.parent / "book"
HIDDEN = {"hide-input", "hide-cell", "remove-input", "remove-cell"}
FOLD = re.compile(r"</?details\b[^>]*>")
ANSWER = '<details class="answer">'
TEST_NAME = re.compile(r"\btest_\w+")


@dataclass(frozen=True)
class Measures:
    """What a reader meets on a chapter's main path."""

    words: int
    longest_paragraph: int  # in words
    cells: int
    longest_cell: int  # in lines
    widest_line: int  # in columns
    test_names: int


def main_path(notebook: NotebookNode) -> tuple[str, list[str]]:
    """Return the prose and the code cells that no fold and no tag hides."""
    open_folds, prose, code = [], [], []
    for cell in notebook.cells:
        if cell.cell_type == "code":
            if set(open_folds) <= {ANSWER} and not HIDDEN & set(cell.metadata.get("tags", [])):
                code.append(cell.source)
            continue
        position = 0
        for fold in FOLD.finditer(cell.source):
            if set(open_folds) <= {ANSWER}:
                prose.append(cell.source[position : fold.start()])
            if fold[0].startswith("</"):
                open_folds.pop()
            else:
                open_folds.append(fold[0])
            position = fold.end()
        if set(open_folds) <= {ANSWER}:
            prose.append(cell.source[position:])
    return "\n\n".join(prose), code


def measure(notebook: NotebookNode) -> Measures:
    """Count a chapter's main path; a table, a list and a formula are no paragraphs."""
    prose, code = main_path(notebook)
    paragraphs = [
        part
        for part in prose.split("\n\n")
        if part.strip() and not part.lstrip().startswith(("|", "-", "$$", "#", "1."))
    ]
    lines = [line for cell in code for line in cell.splitlines()]
    return Measures(
        words=len(prose.split()),
        longest_paragraph=max(len(part.split()) for part in paragraphs),
        cells=len(code),
        longest_cell=max((len(cell.splitlines()) for cell in code), default=0),
        widest_line=max(map(len, lines), default=0),
        test_names=len(TEST_NAME.findall(prose)),
    )


def main() -> None:
    """Print one line for each notebook."""
    names = list(Measures.__dataclass_fields__)
    sys.stdout.write(f"{'chapter':24}" + "".join(f"{name:>19}" for name in names) + "\n")
    for path in sorted(BOOK.glob("*.ipynb")):
        found = measure(nbformat.read(path, as_version=4))
        row = "".join(f"{getattr(found, name):>19}" for name in names)
        sys.stdout.write(f"{path.stem:24}{row}\n")


if __name__ == "__main__":
    main()
