"""Every widget shows itself in Colab's versions, and enables what Colab needs to run it.

``make`` lays the versions of ``book/_colab`` into ``.colab`` and makes them the Jupyter kernel in
which every notebook is executed. A stand-in there takes the place of ``google.colab.output``, whose
presence tells anywidget that it runs in Colab.
"""

import sys
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
import torch
from nbclient import NotebookClient
from packaging.requirements import Requirement

from attnsteps import widgets
from attnsteps.cli.own import train_on_pairs
from attnsteps.translator.trained import Trained
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


PAIRS = "Der Hund schläft.\tThe dog sleeps.\nDie Katze läuft.\tThe cat runs.\nJa.\tYes.\n"
SMALL = '"--d-model", "8", "--steps", "2", "--merges", "5", "--quiet"'


class Files:
    """Stands in for ``google.colab.files``: gives what the reader chooses, and takes what goes."""

    def __init__(self, chosen: dict[str, bytes]) -> None:
        self.chosen = chosen
        self.downloaded: list[str] = []

    def upload(self) -> dict[str, bytes]:
        for name, content in self.chosen.items():
            Path(name).write_bytes(content)  # as Colab does, into the current folder
        return self.chosen

    def download(self, name: str) -> None:
        assert isinstance(name, str)  # Colab takes nothing else
        Trained.load(name)
        self.downloaded.append(name)


@pytest.fixture
def run_cell(tmp_path, monkeypatch):
    """Run the cell that trains on the reader's pairs, with another first line."""
    monkeypatch.chdir(tmp_path)
    notebook = nbformat.read(ROOT / "book" / "23_your_own_sentence.ipynb", as_version=4)
    (source,) = [c.source for c in notebook.cells if c.source.startswith('yours = ""')]
    assert '"--steps", "6000"' in source
    threads = torch.get_num_threads()

    def run(yours: str, files: Files | None = None) -> None:
        monkeypatch.setitem(sys.modules, "google", SimpleNamespace())
        colab = None if files is None else SimpleNamespace(files=files)
        monkeypatch.setitem(sys.modules, "google.colab", colab)
        changed = source.replace('yours = ""', f"yours = {yours!r}", 1)
        exec(changed.replace('"--steps", "6000"', SMALL), {"train_on_pairs": train_on_pairs})

    yield run
    torch.set_num_threads(threads)


def test_in_colab_pairs_go_up_and_one_file_comes_down(run_cell):
    files = Files({"my.tsv": PAIRS.encode()})
    run_cell("upload", files)
    assert files.downloaded == ["my.safetensors"]


def test_nothing_is_trained_where_nothing_is_chosen(run_cell, tmp_path, capsys):
    files = Files({})
    run_cell("upload", files)
    assert files.downloaded == []
    assert list(tmp_path.iterdir()) == []
    assert capsys.readouterr().out == "no pairs yet: with yours, this cell trains a translator\n"


def test_elsewhere_a_path_does(run_cell, tmp_path, capsys):
    (tmp_path / "mine.tsv").write_text(PAIRS, encoding="utf-8")
    run_cell("mine.tsv")
    assert "front page: mine.safetensors\n" in capsys.readouterr().out
    trained = Trained.load(tmp_path / "mine.safetensors")
    assert trained.model.config.d_model == 8
    assert trained.sentences("Ja ！") == ["Ja!"]  # pairs and what is typed have the one form
    with pytest.raises(ImportError):
        run_cell("upload")
