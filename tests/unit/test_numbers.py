"""The plugin that compares printed numbers: what must turn red turns red."""

import re
import subprocess
import sys

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

from tests.browser import ROOT
from tests.notebooks.numbers import agree, tolerance, unit


@pytest.mark.parametrize(
    ("found", "expected", "allowed", "holds"),
    [
        ("loss 0.148", "loss 0.149", 0.0, True),  # one unit of the last decimal
        ("loss 0.148", "loss 0.150", 0.0, False),
        ("weight 0.67", "weight 0.76", 0.0, False),  # a wrong digit in a pencil example
        ("1.52e-05", "1.53e-05", 0.0, True),
        ("1.52e-05", "1.52e-06", 0.0, False),
        ("16,640 numbers", "16,641 numbers", 0.0, False),  # whole numbers are exact
        ("[3, 4]", "[3, 5]", 0.0, False),
        ("−0.50", "0.50", 0.0, False),
        ("tensor([-0.0000, 1.])", "tensor([0.0000, 1.])", 0.0, True),
        ("82 %", "99 %", 0.1, False),  # a regression of 20 % in a trained score
        ("79 %", "99 %", 0.1, False),
        ("95 %", "99 %", 0.1, True),
        ("loss 0.32", "loss 0.39", 0.1, False),
        ("loss 0.32", "loss 0.39", 0.25, True),
        ("right: 95 %", "wrong: 95 %", 0.1, False),  # the text stays exact
        ("95 % and 4", "95 %", 0.1, False),
        ("3.1e-08", "9.7e-09", "rounding", True),
        ("3.1e-06", "9.7e-09", "rounding", False),
        ("0", "9.7e-09", "rounding", False),
        ("-3e-08", "3e-08", "rounding", False),
        ("the cat", "a dog", "written", True),
        ("nan", "0.5", 0.1, False),
        ("layer2 0.5", "layer3 0.5", 0.1, False),  # a digit in a name is no number
    ],
)
def test_two_outputs_agree_or_not(found, expected, allowed, holds):
    assert agree(found, expected, allowed) is holds
    assert agree(expected, found, allowed) is holds


@pytest.mark.parametrize(
    ("printed", "worth"), [("2.97", 0.01), ("12", 1.0), ("1.5e-05", 1e-6), ("1,024.0", 0.1)]
)
def test_a_unit_is_worth_what_the_last_digit_is(printed, worth):
    assert unit(printed) == pytest.approx(worth)


@pytest.mark.parametrize(
    ("tags", "allowed"),
    [
        ([], 0.0),
        (["hide-input"], 0.0),
        (["hide-input", "trained"], 0.1),
        (["trained-25"], 0.25),
        (["rounding"], "rounding"),
        (["written"], "written"),
    ],
)
def test_a_cells_tags_say_what_it_may_vary_in(tags, allowed):
    assert tolerance(tags) == allowed


def test_two_such_tags_contradict_each_other():
    with pytest.raises(ValueError, match="a cell takes one tag that says how far it may vary"):
        tolerance(["trained", "rounding"])


def printed(source: str, text: str, *tags: str) -> nbformat.NotebookNode:
    """Return a cell that has printed something."""
    output = new_output("stream", name="stdout", text=text)
    cell = new_code_cell(source, outputs=[output], metadata={"tags": list(tags)})
    cell.execution_count = 1
    return cell


CELL = printed("print('right: 97 %')", "right: 97 %\n", "trained")
COMMITTED = {
    "same": (CELL, True),
    "near": (printed("print('right: 97 %')", "right: 92 %\n", "trained"), True),
    "worse_by_a_fifth": (printed("print('right: 97 %')", "right: 78 %\n", "trained"), False),
    "replaced": (printed("print('right: 97 %')", "right: none\n", "trained"), False),
    "exact": (printed("print('right: 97 %')", "right: 92 %\n"), False),
}


@pytest.mark.parametrize("how", ["--executed", "--nbval"])
def test_a_notebook_is_compared_by_its_tags(tmp_path, how):
    (tmp_path / "executed").mkdir()
    for name, (cell, _) in COMMITTED.items():
        nbformat.write(new_notebook(cells=[CELL]), tmp_path / "executed" / f"{name}.ipynb")
        nbformat.write(new_notebook(cells=[cell]), tmp_path / f"{name}.ipynb")
    given = [f"--executed={tmp_path / 'executed'}"] if how == "--executed" else ["--nbval"]
    command = [sys.executable, "-m", "pytest", "-q", "-rA", "-c", "pyproject.toml"]
    command += [f"--rootdir={tmp_path}", *given, *tmp_path.glob("*.ipynb")]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    told = re.findall(r"^(PASSED|FAILED) \S*?(\w+)\.ipynb", result.stdout, re.MULTILINE)
    assert {name: end == "PASSED" for end, name in told} == {
        name: holds for name, (_, holds) in COMMITTED.items()
    }
