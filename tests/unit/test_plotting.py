"""Figures: labelled, in one style, and refusing what does not fit."""

from concurrent.futures import ThreadPoolExecutor

import matplotlib as mpl
import matplotlib.pyplot as plt
import nbformat
import pytest
import torch

from attnsteps import plotting
from scripts import execution


@pytest.fixture(autouse=True)
def no_window():
    mpl.use("agg")
    yield
    plt.close("all")


def test_heatmap_writes_every_number_and_label():
    ax = plotting.heatmap(torch.tensor([[0.25, 0.75], [1.0, float("-inf")]]), rows=["a", "b"])
    assert [text.get_text() for text in ax.texts] == ["0.25", "0.75", "1.00", "−∞"]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b"]


def test_heatmap_takes_a_models_own_tensors():
    weights = torch.tensor([[0.5, -0.001]], dtype=torch.bfloat16, requires_grad=True)
    assert [text.get_text() for text in plotting.heatmap(weights).texts] == ["0.50", "0.00"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"matrix": [1.0, 2.0]}, r"matrix must have 2 axes; got shape \(2,\)"),
        ({"matrix": [[1.0, 2.0]], "columns": ["a"]}, "columns must be 2 labels; got 1"),
        ({"matrix": [[1.0, 2.0]], "rows": ["a", "b"]}, "rows must be 1 labels; got 2"),
    ],
)
def test_heatmap_refuses_what_does_not_fit(arguments, message):
    with pytest.raises(ValueError, match=message):
        plotting.heatmap(**arguments)


def test_lines_differ_in_more_than_colour():
    ax = plotting.lines([1, 2], {"a": [1, 2], "b": [2, 1]}, log_x=True, log_y=True)
    first, second = ax.lines
    assert first.get_linestyle() != second.get_linestyle()
    assert first.get_marker() != second.get_marker()
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["a", "b"]
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")


def test_style_ends_with_its_context():
    before = mpl.rcParams["figure.dpi"]
    with plotting.style():
        assert mpl.rcParams["figure.dpi"] == 160
    assert mpl.rcParams["figure.dpi"] == before


def test_a_notebook_in_the_books_style_shows_plots_as_svg_whose_text_stays_text(tmp_path):
    code = (
        "from attnsteps import plotting",
        "plotting.use_style()",
        'plotting.lines([1, 2], {"a": [1, 2]}, x_axis="merges", y_axis="tokens")',
    )
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("\n".join(code))])
    with ThreadPoolExecutor(1) as apart:  # a worker that drives a browser has a loop of its own
        assert not apart.submit(execution.execute, {"one": notebook}, tmp_path).result()
    (shown,) = [out.data for out in notebook.cells[0].outputs if "Figure" in str(out.data)]
    assert ">merges</text>" in shown["image/svg+xml"]
    assert "image/png" not in shown
