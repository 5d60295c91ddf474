"""A widget's state on its way from an execution into a committed notebook, and on to a page."""

import base64
import json

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

from attnsteps.translator.trained import ASSETS
from attnsteps.widgets import Translator
from scripts import outputs
from scripts import site as script

WEIGHTS = (ASSETS / "zh_en.safetensors").read_bytes()


def executed(weights: bytes = WEIGHTS) -> nbformat.NotebookNode:
    """Return a notebook as nbclient leaves it: a view, and the state of two models beside it."""
    state = {
        "_anywidget_id": "attnsteps.widgets.translator.Translator",
        "_esm": "an old script",
        "_css": "old styles",
        "_view_count": None,
        "layout": "IPY_MODEL_2",
        "text": "太累了",
    }
    data = base64.b64encode(weights).decode()
    buffers = [{"path": ["weights"], "encoding": "base64", "data": data}]
    models = {"1": {"state": state, "buffers": buffers}, "2": {"state": {"width": None}}}
    view = {outputs.WIDGET_VIEW: {"model_id": "1"}, "text/plain": "Translator()"}
    cell = new_code_cell("Translator()", outputs=[new_output("display_data", data=view)])
    metadata = {"widgets": {outputs.WIDGET_STATE: {"state": models}}}
    return new_notebook(cells=[cell], metadata=metadata)


def test_a_committed_notebook_holds_what_is_the_widgets_own():
    notebook = executed()
    outputs.keep_widgets(notebook)
    (output,) = notebook.cells[0].outputs
    assert output.data == {"text/plain": "Translator()"}
    assert json.loads(output.metadata["attnsteps"]) == {
        "widget": "attnsteps.widgets.translator.Translator",
        "traits": {"text": "太累了"},
        "weights": {"weights": ["zh_en"]},
    }
    assert notebook.metadata == {}


def test_a_page_gets_the_state_back_with_the_packages_present_code():
    notebook = executed()
    outputs.keep_widgets(notebook)
    outputs.restore_widgets(notebook)
    (output,) = notebook.cells[0].outputs
    shown = output.data[outputs.WIDGET_VIEW]["model_id"]
    model = notebook.metadata["widgets"][outputs.WIDGET_STATE]["state"][shown]
    assert model["state"]["text"] == "太累了"
    assert model["state"]["_esm"] == str(Translator._esm)
    assert model["state"]["_css"] == str(Translator._css)
    (buffer,) = model["buffers"]
    assert base64.b64decode(buffer["data"]) == WEIGHTS
    assert "attnsteps" not in output.metadata


def test_several_files_of_weights_may_follow_one_another():
    paths = [ASSETS / f"zh_en_step_{step:04d}.safetensors" for step in (50, 0)]
    notebook = executed(b"".join(path.read_bytes() for path in paths))
    outputs.keep_widgets(notebook)
    kept = json.loads(notebook.cells[0].outputs[0].metadata["attnsteps"])
    assert kept["weights"] == {"weights": ["zh_en_step_0050", "zh_en_step_0000"]}


def test_weights_that_the_package_does_not_ship_are_refused():
    with pytest.raises(ValueError, match="a widget's weights must be files of the package"):
        outputs.keep_widgets(executed(WEIGHTS[:-1]))


# What the site is built from -------------------------------------------------------------------


@pytest.fixture
def book(tmp_path, monkeypatch):
    """A book of one chapter, whose execution is counted and not done."""
    notebook = new_notebook(cells=[new_code_cell("1 + 1")])
    made = script.made_from(notebook)
    runs = []

    def execute(todo, folder):
        runs.append(list(todo))
        return []

    monkeypatch.setattr(script, "BOOK", tmp_path)
    monkeypatch.setattr(script, "execute", execute)
    monkeypatch.setattr(script.subprocess, "run", lambda *_, **__: None)
    monkeypatch.setenv("JUPYTER_PATH", "")

    def write(made_from: str = made, folder: str = "") -> None:
        notebook.metadata["attnsteps"] = {"made_from": made_from}
        (tmp_path / folder).mkdir(exist_ok=True)
        nbformat.write(notebook, tmp_path / folder / "one.ipynb")

    return write, runs, tmp_path / "executed"


def test_committed_outputs_are_shown_where_they_follow_from_the_package(book):
    write, runs, folder = book
    write()
    assert script.chapters(folder, everything=False).keys() == {"one"}
    assert runs == []


def test_stale_outputs_are_never_shown(book):
    write, runs, folder = book
    write("something older")
    script.chapters(folder, everything=False)
    write("something older", "executed")  # an execution of an older package is as stale
    script.chapters(folder, everything=False)
    assert runs == [["one"], ["one"]]


def test_everything_is_executed_once_where_that_is_asked_for(book):
    write, runs, folder = book
    write()
    script.chapters(folder, everything=True)
    write(folder="executed")
    script.chapters(folder, everything=True)
    assert runs == [["one"]]


def test_what_follows_from_other_cells_has_another_name():
    one = new_notebook(cells=[new_code_cell("1 + 1")])
    other = new_notebook(cells=[new_code_cell("1 + 2")])
    assert script.made_from(one) == script.made_from(new_notebook(cells=[new_code_cell("1 + 1")]))
    assert script.made_from(one) != script.made_from(other)
