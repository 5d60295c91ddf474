"""A plugin that lets nbval compare the committed notebooks with an execution that has been done.

``pytest --executed FOLDER book`` compares each cell's committed outputs with those in the folder
that ``make test`` filled, on a processor that it plays.
``pytest --nbval book`` executes anew, in a kernel. How far two numbers may differ is a matter of
the cell's tags: :mod:`tests.notebooks.numbers`.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbval.plugin import IPyNbCell, IPyNbFile, coalesce_streams

from tests.notebooks.numbers import agree, tolerance


class ExecutedNotebook(IPyNbFile):
    """A notebook whose outputs are compared; no kernel is started."""

    def collect(self) -> Iterator[IPyNbCell]:
        for each in super().collect():
            yield ExecutedCell.from_parent(
                self, name=each.name, cell_num=each.cell_num, cell=each.cell, options=each.options
            )

    def setup(self) -> None:
        self.setup_sanitize_files()
        path = self.config.option.executed / self.path.name
        cells = nbformat.read(path, as_version=4).cells
        self.executed = [cell for cell in cells if cell.cell_type == "code"]


class ExecutedCell(IPyNbCell):
    """A cell whose outputs are compared as nbval compares them."""

    def runtest(self) -> None:
        self.test_outputs = self.parent.executed[self.cell_num].outputs
        new, old = coalesce_streams(self.test_outputs), coalesce_streams(self.cell.outputs)
        if self.options["check"] and not self.compare_outputs(new, old):
            self.raise_cell_error("Cell outputs differ", "\n".join(self.comparison_traceback))
        allowed = tolerance(self.cell.metadata.get("tags", []))
        for now, then in zip(widgets(new), widgets(old), strict=True):
            if not agree(now, then, allowed or 1e-5):  # a state holds all digits of a number
                self.raise_cell_error("Widgets differ", f"{then}\n{now}")


def widgets(outputs: list[NotebookNode]) -> list[str]:
    """List the states of the widgets that a cell shows."""
    found = [output.get("metadata", {}).get("attnsteps") for output in outputs]
    return [state for state in found if state is not None]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say which command runs each failed test alone."""
    failed = [
        report.nodeid
        for kind in ("failed", "error")
        for report in terminalreporter.stats.get(kind, [])
    ]
    folder = terminalreporter.config.option.executed
    given = f" --executed {folder}" if folder else ""
    for nodeid in dict.fromkeys(failed):
        terminalreporter.write_line(f"alone: {sys.executable} -m pytest{given} '{nodeid}'")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--executed", type=Path, help="compare notebooks with their execution in this folder"
    )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    if parent.config.option.executed and file_path.suffix == ".ipynb":
        return ExecutedNotebook.from_parent(parent, path=file_path)
    return None
