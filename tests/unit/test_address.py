"""The public address stands in pyproject.toml, and everywhere else it is the same."""

import json
import re
from pathlib import Path

import pytest

from scripts import address as script

ROOT = Path(__file__).resolve().parents[2]


def test_the_colab_button_is_made_from_the_address():
    assert script.written_address() == script.address()
    links = ROOT / "book" / "_templates" / "components" / "view-this-page.html"
    assert "colab.research.google.com/github/{{ theme_source_repository" in links.read_text()


@pytest.mark.parametrize(
    "path", sorted((ROOT / "book").glob("*.ipynb")), ids=lambda path: path.stem
)
def test_first_cell_installs_from_the_address(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    first = "".join(next(cell for cell in cells if cell["cell_type"] == "code")["source"])
    assert 'if find_spec("attnsteps") is None:' in first
    assert re.findall(r"%pip install --quiet git\+(\S+)", first) == [script.address()]


@pytest.mark.parametrize("path", script.files(), ids=lambda path: path.name)
def test_no_other_address_of_ours(path):
    text = path.read_text(encoding="utf-8")
    name = script.address().rsplit("/", 1)[1]
    assert set(re.findall(rf"https://github\.com/[\w.-]+/{name}", text)) <= {script.address()}
    site = script.site_address(script.address())
    assert set(re.findall(r"https://[\w.-]+\.github\.io/[\w.-]+", text)) <= {site}
