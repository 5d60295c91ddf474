"""A widget's state on its way from an execution into a committed notebook, and on to a page."""

import base64
import json

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from attnsteps.translator.trained import ASSETS
from attnsteps.widgets import Translator
from scripts import execution, notebooks, outputs
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
    made = execution.made_from(notebook)
    runs = []

    def execute(todo, folder):
        runs.append(list(todo))
        return []

    monkeypatch.setattr(script, "BOOK", tmp_path)
    monkeypatch.setattr(execution, "execute", execute)
    monkeypatch.setattr(execution.subprocess, "run", lambda *_, **__: None)
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
    same = new_notebook(cells=[new_markdown_cell("Prose."), new_code_cell("1 + 1")])
    assert execution.made_from(one) == execution.made_from(same)
    assert execution.made_from(one) != execution.made_from(other)


def test_a_site_is_stale_once_anything_that_it_is_made_from_changes(tmp_path, monkeypatch):
    book, package = tmp_path / "book", tmp_path / "src"
    monkeypatch.setattr(script, "ROOT", tmp_path)
    monkeypatch.setattr(script, "BOOK", book)
    monkeypatch.setattr(script, "PACKAGE", package)
    names = ["_config.yml", "_toc.yml", "requirements.txt", "book/one.ipynb", "src/js/view.js"]
    seen = set()
    for number in range(len(names)):
        for each in names:
            (tmp_path / each).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / each).write_text("new" if each in names[:number] else "old")
        seen.add(script.inputs())
    assert len(seen) == len(names)
    before = script.inputs()
    (book / "one.tmp.ipynb").write_text("of an execution that goes on")
    assert script.inputs() == before


# What `make notebooks` writes ------------------------------------------------------------------


@pytest.fixture
def chapter(tmp_path, monkeypatch):
    """A chapter of one cell, written by the script; its executions are counted."""
    runs = []

    def execute(todo, folder):
        for stem, notebook in todo.items():
            runs.append(stem)
            (cell,) = [cell for cell in notebook.cells if cell.cell_type == "code"]
            cell.outputs, cell.execution_count = [new_output("stream", text=f"{len(runs)}\n")], 1
            folder.mkdir(exist_ok=True)
            nbformat.write(notebook, folder / f"{stem}.ipynb")
        return []

    monkeypatch.setattr(execution, "execute", execute)
    monkeypatch.setattr(execution.subprocess, "run", lambda *_, **__: None)
    monkeypatch.setattr(notebooks.subprocess, "run", lambda *_, **__: None)
    monkeypatch.setattr(notebooks, "DRAFTS", tmp_path / "drafts")
    monkeypatch.setenv("JUPYTER_PATH", "")
    path, folder = tmp_path / "one.ipynb", tmp_path / "executed"

    def write(prose: str, code: str, **options) -> nbformat.NotebookNode:
        empty = new_notebook(cells=[new_markdown_cell(""), new_code_cell("")])
        edited = nbformat.read(path, as_version=4) if path.exists() else empty
        edited.cells[0].source, edited.cells[1].source = prose, code
        nbformat.write(edited, path)
        notebooks.write([path], folder, **options)
        return nbformat.read(path, as_version=4)

    return write, runs, path


def test_prose_needs_no_execution(chapter):
    write, runs, path = chapter
    write("Before.", "print(1)")
    written = path.read_bytes()
    after = write("After.", "print(1)")
    assert runs == ["one"]
    assert after.cells[0].source == "After."
    assert after.cells[1].outputs[0].text == "1\n"
    write("Before.", "print(1)")
    assert path.read_bytes() == written


def test_changed_code_is_executed_and_what_lies_executed_is_taken(chapter):
    write, runs, path = chapter
    write("Prose.", "print(1)")
    assert write("Prose.", "print(2)").cells[1].outputs[0].text == "2\n"
    path.unlink()  # as after `git checkout` of another version
    assert write("Prose.", "print(2)").cells[1].outputs[0].text == "2\n"
    assert runs == ["one", "one"]
    write("Prose.", "print(2)", again=True)
    assert len(runs) == 3


def test_a_chapter_that_fails_changes_no_file(chapter, monkeypatch):
    write, _, path = chapter
    write("Prose.", "print(1)")
    broken = "Broken: cell 3"
    monkeypatch.setattr(execution, "execute", lambda todo, folder: dict.fromkeys(todo, broken))
    with pytest.raises(SystemExit, match="Broken: cell 3\\none: see above"):
        write("Prose.", "print(2)")
    assert nbformat.read(path, as_version=4).metadata["attnsteps"]


def test_a_span_that_no_cell_fills_is_named_with_its_file(chapter):
    write, *_ = chapter
    with pytest.raises(SystemExit, match=r"one\.ipynb: no cell records a value named 'x'"):
        write('<span data-glue="x"></span>', "print(1)")


def test_a_plot_is_committed_without_its_date_and_digits_that_nobody_sees():
    plot = (
        '<?xml version="1.0"?>\n<!DOCTYPE svg>\n<svg><metadata><date>2026</date></metadata>\n'
        '<path d="M 1.23456 7.891"/>\n<text x="1.5">0.0125</text><!-- 0.0125 --></svg>'
    )
    cell = new_code_cell(outputs=[new_output("display_data", data={"image/svg+xml": plot})])
    outputs.shrink_pictures(new_notebook(cells=[cell]))
    assert cell.outputs[0].data["image/svg+xml"] == (
        '<?xml version="1.0"?> <svg> <path d="M 1.23 7.89"/> <text x="1.5">0.0125</text></svg>'
    )
