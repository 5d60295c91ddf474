"""Every notebook runs from top to bottom with Colab's versions, unedited, and enables its widgets.

``make test`` lays the versions of ``colab.txt`` into ``.colab``; a stand-in takes the place of
``google.colab.output``, whose presence tells anywidget that it runs in Colab.
"""

import os
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
OVERLAY = ROOT / ".colab"
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
PINS = dict(line.split("==") for line in (HERE / "colab.txt").read_text().split() if "==" in line)

BEFORE = """import importlib.metadata
import google.colab.output
for name, version in {pins}.items():
    assert importlib.metadata.version(name) == version, name"""
AFTER = """print("enabled", google.colab.output.calls)"""


@pytest.mark.parametrize(
    "path", sorted((ROOT / "book").glob("*.ipynb")), ids=lambda path: path.stem
)
def test_notebook_runs_with_colabs_versions(path, monkeypatch):
    assert OVERLAY.exists(), (
        "Colab's versions are not installed: run `make test`, which does so first"
    )
    paths = [str(OVERLAY), str(HERE / "colab_stand_in")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    notebook = nbformat.read(path, as_version=4)
    wanted = {
        name: PINS[name] for name in ("ipywidgets", "anywidget", "traitlets", "numpy", "ipython")
    }
    before = nbformat.v4.new_code_cell(BEFORE.format(pins=wanted))
    after = nbformat.v4.new_code_cell(AFTER)
    notebook.cells = [before, *notebook.cells, after]
    resources = {"metadata": {"path": str(path.parent)}}
    NotebookClient(notebook, timeout=120, resources=resources).execute()
    has_widgets = any("attnsteps.widgets" in cell.source for cell in notebook.cells)
    assert after.outputs[0].text == f"enabled {int(has_widgets)}\n"
    views = [
        output
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if WIDGET_VIEW in output.get("data", {})
    ]
    assert bool(views) == has_widgets
    for view in views:
        assert "image/png" in view.data
        assert "custom_widget_manager" in view.metadata[WIDGET_VIEW]["colab"]
