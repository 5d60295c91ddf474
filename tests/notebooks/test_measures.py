"""A rewritten chapter's main path stays short; a chapter is rewritten once it carries the map."""

import nbformat
import pytest

from scripts.measures import BOOK, main_path, measure

CHAPTERS = {path.stem: path for path in sorted(BOOK.glob("[0-9]*.ipynb"))}
REWRITTEN = [
    stem
    for stem, path in CHAPTERS.items()
    if "transformer_map(" in path.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("stem", REWRITTEN)
def test_the_main_path_is_short(stem):
    found = measure(nbformat.read(CHAPTERS[stem], as_version=4))
    assert found.words <= 2600
    assert found.longest_paragraph <= 110
    assert found.longest_cell <= 15
    assert found.widest_line <= 76
    assert found.test_names == 0


def test_folded_prose_and_hidden_code_are_not_counted():
    cells = [
        nbformat.v4.new_markdown_cell("One two.\n\n<details>\n<summary>Hint</summary>\n\nthree"),
        nbformat.v4.new_code_cell("folded = 1"),
        nbformat.v4.new_markdown_cell("four `test_five`\n\n</details>\n\nsix `test_seven` eight"),
        nbformat.v4.new_code_cell("visible = 1\nsecond = 22"),
        nbformat.v4.new_code_cell("hidden = 1", metadata={"tags": ["remove-input"]}),
    ]
    notebook = nbformat.v4.new_notebook(cells=cells)
    prose, code = main_path(notebook)
    assert prose.split() == ["One", "two.", "six", "`test_seven`", "eight"]
    assert code == ["visible = 1\nsecond = 22"]
    found = measure(notebook)
    assert (found.words, found.longest_cell, found.widest_line) == (5, 2, 11)
    assert found.test_names == 1


def test_every_rewritten_chapter_closes_its_folds():
    for stem in REWRITTEN:
        cells = nbformat.read(CHAPTERS[stem], as_version=4).cells
        text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
        assert text.count("<details") == text.count("</details>"), stem
