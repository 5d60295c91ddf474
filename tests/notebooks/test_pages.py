"""The built pages show what was executed: every number in the prose, and every printed box."""

import html
import re

import nbformat
import pytest

from scripts.outputs import SPAN, glued
from tests.browser import ROOT, SITE

STEMS = sorted(path.stem for path in (ROOT / "book").glob("*.ipynb"))
SOURCE = SITE.with_name(f"{SITE.name}-en") / "book"  # the notebooks with what the site shows
TAG = re.compile(r"<[^>]+>")


@pytest.mark.parametrize("stem", STEMS)
def test_prose_and_boxes_are_of_one_execution(stem):
    notebook = nbformat.read(SOURCE / f"{stem}.ipynb", as_version=4)
    page = (SITE / f"{stem}.html").read_text(encoding="utf-8")
    values = glued(notebook)
    shown = [(match["name"], html.unescape(match["text"])) for match in SPAN.finditer(page)]
    assert {name for name, _ in shown} == set(values)
    assert shown == [(name, values[name]) for name, _ in shown]
    text = html.unescape(TAG.sub("", page))
    for cell in notebook.cells:
        hidden = {"remove-cell", "remove-output"} & set(cell.metadata.get("tags", []))
        for output in [] if hidden else cell.get("outputs", []):
            if output.output_type == "stream":
                assert output.text.strip() in text
