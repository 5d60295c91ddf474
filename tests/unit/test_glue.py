"""Values on their way from a cell to the prose."""

import base64
import io
import os

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from PIL import Image

from attnsteps import glue as module
from attnsteps.glue import MIME, glue
from scripts import notebooks as script
from scripts import outputs


@pytest.fixture
def shown(monkeypatch):
    """What `glue` displays, as notebook outputs."""
    outputs = []
    monkeypatch.setattr(
        module,
        "display",
        lambda data, metadata, raw: outputs.append(
            new_output("display_data", data=data, metadata=metadata)
        ),
    )
    return outputs


def png() -> str:
    """A picture of many colours, as a notebook stores it."""
    image = Image.effect_noise((40, 40), 60).convert("RGB")
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return base64.b64encode(buffer.getvalue()).decode("ascii")


def test_a_value_reaches_its_span(shown):
    glue(mean="0.50", rows="3")
    cell = new_code_cell("…", outputs=shown)
    text = new_markdown_cell(
        'It is <span data-glue="mean"></span>, <span data-glue="rows">9</span>.'
    )
    notebook = new_notebook(cells=[cell, text])
    outputs.fill_spans(notebook)
    assert text.source == (
        'It is <span data-glue="mean">0.50</span>, <span data-glue="rows">3</span>.'
    )
    assert shown[0].data == {MIME: "0.50"}


def test_an_unformatted_value_is_refused():
    with pytest.raises(ValueError, match="mean must be formatted as text; got float"):
        glue(mean=0.5)


def test_a_span_without_a_value_is_an_error():
    notebook = new_notebook(cells=[new_markdown_cell('<span data-glue="mean"></span>')])
    with pytest.raises(ValueError, match="no cell records a value named 'mean'"):
        outputs.fill_spans(notebook)


def test_normalising_removes_what_differs_between_runs():
    picture = png()
    view = {"application/vnd.jupyter.widget-view+json": {"model_id": "1"}, "image/png": picture}
    output = new_output("display_data", data=view)
    cells = [new_code_cell("a", outputs=[output]), new_code_cell("a"), new_markdown_cell("b")]
    cells[0].metadata["execution"] = {"iopub.status.busy": "now"}
    cells[1].metadata["tags"] = ["remove-input"]
    notebook = new_notebook(cells=cells, metadata={"widgets": {}})
    script.normalise(notebook)
    assert notebook.metadata == script.METADATA
    assert output.data.keys() == {"image/png"}
    assert len(output.data["image/png"]) < len(picture)
    assert cells[0].metadata == {}
    assert cells[1].metadata["cellView"] == "form"
    assert len({cell.id for cell in cells}) == 3
    once = nbformat.writes(notebook)
    script.normalise(notebook)
    assert nbformat.writes(notebook) == once


def test_a_draft_that_was_edited_is_not_overwritten(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(script, "DRAFTS", tmp_path)
    path, draft = tmp_path / "01_one.ipynb", tmp_path / "01_one.md"
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("one")]), path)
    script.write_draft(path)
    assert "one" in draft.read_text()
    assert not script.is_edited(path)
    script.write_draft(path)  # one that nobody has touched is written again
    assert capsys.readouterr().err == ""
    draft.write_text("two")
    os.utime(draft, (path.stat().st_atime, path.stat().st_mtime + 1))
    script.write_draft(path)
    assert draft.read_text() == "two"
    assert "was not overwritten" in capsys.readouterr().err
    path.unlink()  # a new chapter's draft has no notebook yet
    script.write_draft(path)
    assert draft.read_text() == "two"
