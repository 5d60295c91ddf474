"""Every widget shows itself in Colab's versions, and enables what Colab needs to run it.

``make`` lays the versions of ``book/_colab`` into ``.colab`` and makes them the Jupyter kernel in
which every notebook is executed. A stand-in there takes the place of ``google.colab.output``, whose
presence tells anywidget that it runs in Colab.
"""

import nbformat
from nbclient import NotebookClient
from packaging.requirements import Requirement

from attnsteps import widgets
from tests.browser import ROOT

LINES = (ROOT / "book" / "_colab" / "versions.txt").read_text(encoding="utf-8").splitlines()
PARSED = [Requirement(line.partition(" #")[0]) for line in LINES if line[0] != "#"]
PINS = {
    pin.name: str(pin.specifier).removeprefix("==")
    for pin in PARSED
    if pin.marker is None or pin.marker.evaluate()
}
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"

BEFORE = """import importlib.metadata
import google.colab.output
import numpy as np
from attnsteps import widgets
for name, version in {pins}.items():
    assert importlib.metadata.version(name) == version, name"""
ARGUMENTS = {
    "EmbeddingSpace": '"abcdefghij", np.eye(10), np.eye(10), selected="a"',
    "Exercise": (
        '"k", "One", "1 + 1?", kind="number", answer=2, hint="Count.", explanation="Two."'
    ),
    "Predict": '"k", "1 + 1?", kind="number"',
}


def test_every_widget_shows_itself_and_enables_colabs_manager(monkeypatch):
    monkeypatch.setenv("JUPYTER_PATH", str(ROOT / ".colab" / "share" / "jupyter"))
    wanted = ("ipywidgets", "anywidget", "traitlets", "numpy", "ipython", "matplotlib")
    before = BEFORE.format(pins={name: PINS[name] for name in wanted if name in PINS})
    calls = [f"widgets.{name}({ARGUMENTS.get(name, '')})" for name in widgets.__all__]
    after = "assert google.colab.output.calls == 1, google.colab.output.calls"
    cells = [nbformat.v4.new_code_cell(source) for source in (before, *calls, after)]
    notebook = nbformat.v4.new_notebook(cells=cells)
    NotebookClient(notebook, timeout=300).execute()
    for cell in cells[1:-1]:
        (view,) = cell.outputs
        assert "image/png" in view.data, cell.source
        assert "custom_widget_manager" in view.metadata[WIDGET_VIEW]["colab"], cell.source
