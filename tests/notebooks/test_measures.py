"""A chapter's main path stays short, and its furniture is that of every chapter."""

import re

import nbformat
import pytest

from scripts.measures import BOOK, main_path, measure

CHAPTERS = {path.stem: path for path in sorted(BOOK.glob("[0-9]*.ipynb"))}
ANSWER = '<details class="answer">'


@pytest.mark.parametrize("stem", CHAPTERS)
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


def test_the_answer_to_a_prediction_is_on_the_main_path():
    texts = [
        f"one\n\n{ANSWER}\n<summary>Show me</summary>\n\ntwo",
        "<details>deep",
        "</details>\n\nthree\n\n</details>\n\nfour",
    ]
    notebook = nbformat.v4.new_notebook(cells=[*map(nbformat.v4.new_markdown_cell, texts)])
    prose, _ = main_path(notebook)
    assert re.sub(r"<.*>", "", prose).split() == ["one", "two", "three", "four"]


@pytest.mark.parametrize("stem", CHAPTERS)
def test_folds_are_closed_in_their_section(stem):
    is_open = []
    for cell in nbformat.read(CHAPTERS[stem], as_version=4).cells:
        for line in cell.source.splitlines() if cell.cell_type == "markdown" else ():
            assert not (line.startswith("## ") and is_open), line
            for fold in re.findall(r"</?details", line):
                is_open.append(fold) if fold == "<details" else is_open.pop()
    assert not is_open


@pytest.mark.parametrize("stem", CHAPTERS)
def test_a_prediction_opens_what_follows_it(stem):
    """One or two a chapter; in the next cell begins the fold, and in the fold is the answer."""
    cells = nbformat.read(CHAPTERS[stem], as_version=4).cells
    asked = [n for n, cell in enumerate(cells) if "= Predict(" in cell.source]
    assert 1 <= len(asked) <= 2
    for n in asked:
        name = cells[n].source.splitlines()[-1]
        assert cells[n + 1].source.startswith(ANSWER)
        depth, inside = 0, []
        for cell in cells[n + 1 :]:
            if cell.cell_type == "code":
                inside.append(cell.source)
            else:
                depth += cell.source.count("<details") - cell.source.count("</details>")
            if depth <= 0:
                break
        assert sum(f"{name}.confront(" in source for source in inside) == 1


@pytest.mark.parametrize("stem", CHAPTERS)
def test_nothing_comes_between_a_question_and_its_picture(stem):
    """The imports are tagged for the page's end, and the strip takes the large map's place."""
    cells = nbformat.read(CHAPTERS[stem], as_version=4).cells
    tagged = [cell for cell in cells if "imports" in cell.metadata.get("tags", ())]
    assert [cells.index(cell) for cell in tagged] == [2]
    maps = sum(cell.source.startswith("transformer_map(") for cell in cells)
    assert maps == (stem == "15_transformer")


@pytest.mark.parametrize("stem", CHAPTERS)
def test_a_chapter_closes_with_three_sentences(stem):
    """The table of shapes is in the notation."""
    cells = nbformat.read(CHAPTERS[stem], as_version=4).cells
    closing = next(c.source for c in cells if "## What you now have\n" in c.source)
    text = closing.partition("## What you now have\n")[2].partition("<details")[0].strip()
    sentences = re.findall(r"[.?!](?= [A-Z*[]|$)", re.sub(r"\([^)]*\)|`[^`]*`", "", text))
    assert len(sentences) == 3, text
    assert "|" not in text
