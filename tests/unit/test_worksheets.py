"""The exercises alone: every one is there, nothing tells its answer, and its code runs."""

import nbformat
import pytest

from scripts.execution import BOOK
from scripts.worksheets import closed, free_names, outside, traits, worksheets

PATHS = sorted(BOOK.glob("[0-9]*.ipynb"))


@pytest.fixture(scope="module", params=PATHS, ids=[path.stem[:2] for path in PATHS])
def sheets(request):
    chapter = nbformat.read(request.param, as_version=4)
    return chapter, *worksheets(chapter, request.param.stem)


def code(sheet: nbformat.NotebookNode, until: str | None = None) -> list[str]:
    """List a sheet's code cells, up to a text."""
    found = []
    for cell in sheet.cells:
        if until is not None and until in cell.source:
            break
        if cell.cell_type == "code" and not cell.source.startswith("# Installs"):
            found.append(cell.source)
    return found


def text(sheet: nbformat.NotebookNode) -> str:
    return "\n".join(cell.source for cell in sheet.cells)


def test_every_exercise_is_asked_and_solved_and_no_answer_is_told(sheets):
    chapter, asked, solved = sheets
    nbformat.validate(asked)
    nbformat.validate(solved)
    names = [f"Exercise {n}" for n in range(1, 7) if f"Exercise {n}" in text(chapter)]
    assert len(names) >= 4
    for name in names:
        assert text(asked).count(f"**{name}") == text(solved).count(f"**{name}") == 1
    for told in ("Hint", "*Answer:*", "# Solution"):
        assert told not in text(asked)
    for markup in ("<details", "<summary", "data-glue", ".ipynb", ".md)", "{cite"):
        assert markup not in text(asked) + text(solved)
    closed_ones = list(filter(None, map(traits, chapter.cells)))
    assert len(closed_ones) >= 2
    for each in closed_ones:
        assert each["spec"]["question"] in text(asked)
        assert each["explanation"] not in text(asked)
        assert each["explanation"] in text(solved)
        assert each["hint"] in text(solved)


def test_its_code_needs_nothing_of_the_chapter_and_the_solution_is_right(sheets):
    _, asked, solved = sheets
    assert any("grade_" in cell for cell in code(asked))
    assert not free_names("\n".join(code(asked)))  # a grader would call it a pupil's mistake
    assert not free_names("\n".join(code(solved)))
    room = {"__name__": "worksheet"}
    for cell in code(asked):
        exec(cell, room)
    room = {"__name__": "worksheet"}
    for cell in code(solved, until="(open-ended)"):
        exec(cell, room)
    assert room["verdict"]


def test_a_matrix_is_asked_for_as_an_empty_table_and_an_order_as_letters():
    said = {"title": "Exercise 9", "hint": "Think.", "explanation": "So it is.", "feedback": []}
    spec = {"question": "Which?", "options": [], "rows": ["a"], "columns": ["x", "y"]}
    matrix = {**said, "spec": {**spec, "kind": "cells"}, "answer": [[1.0, -0.5]]}
    asked, solved = closed(matrix)
    assert "| a | … | … |" in asked[0].source
    assert "| a | 1 | -0.5 |" in solved[0].source
    options = {**spec, "kind": "order", "options": ["one", "two", "three"]}
    asked, solved = closed({**said, "spec": options, "answer": [2, 0, 1]})
    assert "c. three" in asked[0].source
    assert "*Answer:* c, a, b" in solved[0].source


def test_a_citation_reads_as_words_and_what_follows_the_last_exercise_is_its_solution(sheets):
    chapter, asked, solved = sheets
    assert "What you now have" not in text(solved)
    for told in ("What to make of it", "What it shows"):
        if f"<summary>{told}" in text(chapter):
            assert f"*{told}:*" in text(solved)
            assert told not in text(asked)
    assert outside("{cite:t}`martins2016sparsemax`").startswith("[Martins et al., 2016](https://")
    assert outside("so {cite:p}`su2021roformer`.").startswith("so ([Su et al., 2021](http")
