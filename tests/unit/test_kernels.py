"""Chapters are executed in kernels that fork; each is as one that is started alone."""

import os
import sys

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError

from scripts.kernels import ForkManager

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="kernels fork on Linux alone")


def run(tmp_path, *sources, timeout=60):
    """Execute cells in a kernel that is forked; return their texts."""
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    notebook = nbformat.v4.new_notebook(cells=cells)
    where = {"metadata": {"path": str(tmp_path)}}
    client = NotebookClient(
        notebook, timeout=timeout, resources=where, kernel_manager_class=ForkManager
    )
    client.execute()
    return ["".join(output["text"] for output in cell.outputs) for cell in cells]


def test_a_kernel_has_a_process_and_a_folder_of_its_own(tmp_path):
    source = "import os, sys; print(os.getpid(), os.getcwd(), 'torch' in sys.modules)"
    first, second = (run(tmp_path, source)[0].split() for _ in range(2))
    assert first[0] != second[0]
    assert first[1:] == second[1:] == [str(tmp_path), "True"]


def test_what_one_kernel_sets_no_other_sees(tmp_path):
    run(tmp_path, "import torch; torch.set_default_dtype(torch.float64); torch.kept = 1")
    seen = run(tmp_path, "import torch; print(torch.get_default_dtype(), hasattr(torch, 'kept'))")
    assert seen == ["torch.float32 False\n"]


def test_a_program_that_it_starts_is_waited_for(tmp_path):
    source = "import subprocess; print(subprocess.run(['false']).returncode)"
    assert run(tmp_path, source) == ["1\n"]


def test_it_is_gone_after_an_error_and_after_a_cell_that_hangs(tmp_path):
    number = "import os; open('number', 'w').write(str(os.getpid()))"
    for end, error in (
        ("1 / 0", CellExecutionError),
        ("import time; time.sleep(600)", CellTimeoutError),
    ):
        with pytest.raises(error):
            run(tmp_path, number, end, timeout=10)
        with pytest.raises(ProcessLookupError):
            os.kill(int((tmp_path / "number").read_text()), 0)
