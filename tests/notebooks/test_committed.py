"""The committed notebooks are what their code gives, in the form that gives reviewable diffs."""

import re
from pathlib import Path

import nbformat
import pytest

from scripts import notebooks as script
from scripts import outputs
from scripts.execution import made_from
from tests.notebooks.numbers import tolerance

ROOT = Path(__file__).resolve().parents[2]
TOC = (ROOT / "_toc.yml").read_text(encoding="utf-8")
NOTEBOOKS = sorted((ROOT / "book").glob("*.ipynb"))


@pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.stem)
def notebook(request):
    return nbformat.read(request.param, as_version=4)


def test_every_notebook_is_in_the_table_of_contents():
    listed = set(re.findall(r"(?:file|root): (\d\d_\w+|bug_zoo|ledger|intro)\b", TOC))
    assert listed == {path.stem for path in NOTEBOOKS}


def test_every_code_cell_has_run_in_order(notebook):
    counts = [cell.execution_count for cell in notebook.cells if cell.cell_type == "code"]
    assert counts == list(range(1, len(counts) + 1))


def test_normalising_changes_nothing(notebook):
    before = nbformat.writes(notebook)
    script.normalise(notebook)
    assert nbformat.writes(notebook) == before, "edited by hand: `make notebooks` normalises it"


def test_numbers_in_prose_are_those_of_the_cells(notebook):
    before = [cell.source for cell in notebook.cells]
    outputs.fill_spans(notebook)
    after = [cell.source for cell in notebook.cells]
    assert after == before, "a number was typed into its span: `make notebooks` fills it"


def test_what_may_vary_is_asserted(notebook):
    for cell in notebook.cells:
        if cell.cell_type == "code" and tolerance(cell.metadata.get("tags", [])):
            assert "assert" in cell.source, f"nothing is asserted in: {cell.source[:200]}"


def test_the_outputs_follow_from_the_package_as_it_is(notebook):
    made = notebook.metadata["attnsteps"]["made_from"]
    assert made == made_from(notebook), "stale: `make notebooks` executes it anew"


def test_every_recorded_value_is_used(notebook):
    prose = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    used = {match["name"] for match in outputs.SPAN.finditer(prose)}
    assert set(outputs.glued(notebook)) == used


def test_no_output_has_an_error_or_a_warning(notebook):
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            assert output.output_type != "error"
            assert output.get("name") != "stderr", output.text


def test_every_figure_has_a_description(notebook):
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if "image/png" in data and data["text/plain"].startswith("<Figure"):
                alt = cell.metadata.get("mystnb", {}).get("image", {}).get("alt", "")
                assert len(alt) > 20, f"no alt text for the figure of: {cell.source[:80]}"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_test_that_the_text_names_exists_in_the_file_it_names(path):
    """A paragraph that names files must name that of each of its tests."""
    homes: dict[str, set[str]] = {}
    for file in (ROOT / "tests").rglob("test_*.py"):
        for name in re.findall(r"def (test_\w+)", file.read_text(encoding="utf-8")):
            homes.setdefault(name, set()).add(file.name)
    cells = nbformat.read(path, as_version=4).cells
    text = "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    for paragraph in text.split("\n\n"):
        files = set(re.findall(r"(test_\w+\.py)`", paragraph))
        for name in re.findall(r"`(test_\w+)`", paragraph):
            assert name in homes, name
            assert not files or homes[name] & files, f"{name} is in {homes[name]}, not in {files}"
