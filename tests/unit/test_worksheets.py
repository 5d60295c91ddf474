"""The exercises alone: every one is there, nothing tells its answer, and its code runs."""

import json

import nbformat
import pytest

from scripts.execution import BOOK
from scripts.worksheets import closed, worksheets

PATHS = sorted(BOOK.glob("[0-9]*.ipynb"))


@pytest.fixture(scope="module", params=PATHS, ids=[path.stem[:2] for path in PATHS])
def sheets(request):
    chapter = nbformat.read(request.param, as_version=4)
    return chapter, *worksheets(chapter, request.param.stem)


def code(sheet: nbformat.NotebookNode, until: str = "nothing") -> list[str]:
    """List a sheet's code cells, up to a text."""
    found = []
    for cell in sheet.cells:
        if until in cell.source:
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
    for told in ("Hint", "*Answer:*", "# Solution", "<details", "data-glue", ".ipynb"):
        assert told not in text(asked)
    outputs = [output for cell in chapter.cells for output in cell.get("outputs", [])]
    kept = [json.loads(one.metadata.get("attnsteps", "{}")) for one in outputs if "metadata" in one]
    for each in (one["traits"] for one in kept if one.get("widget", "").endswith(".Exercise")):
        assert each["spec"]["question"] in text(asked)
        assert each["explanation"] not in text(asked)
        assert each["explanation"] in text(solved)
        assert each["hint"] in text(solved)


def test_its_code_needs_nothing_of_the_chapter_and_the_solution_is_right(sheets):
    _, asked, solved = sheets
    room = {"__name__": "worksheet"}
    for cell in code(asked):
        exec(cell, room)
    room = {"__name__": "worksheet"}
    for cell in code(solved, until="(open-ended)"):
        exec(cell, room)
    assert "verdict" not in room or room["verdict"]


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
