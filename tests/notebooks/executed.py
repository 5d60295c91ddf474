"""A plugin that lets nbval compare the committed notebooks with an execution that has been done.

``pytest --executed FOLDER book`` compares each cell's committed outputs with those in the cache of
Jupyter that ``make site`` filled and that the site is built from, so that one execution serves
both. ``pytest --nbval book`` executes anew, in a kernel.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from jupyter_cache import get_cache
from nbformat import NotebookNode
from nbval.plugin import IPyNbCell, IPyNbFile, coalesce_streams


def executed(folder: Path, notebook: NotebookNode) -> list[NotebookNode]:
    """Return the code cells of a notebook as they were executed."""
    cache = get_cache(str(folder))
    record = cache.match_cache_notebook(notebook)  # by the source of its cells
    cells = cache.get_cache_bundle(record.pk).nb.cells
    return [cell for cell in cells if cell.cell_type == "code"]


class ExecutedNotebook(IPyNbFile):
    """A notebook whose outputs are compared; no kernel is started."""

    def collect(self) -> Iterator[IPyNbCell]:
        for each in super().collect():
            yield ExecutedCell.from_parent(
                self, name=each.name, cell_num=each.cell_num, cell=each.cell, options=each.options
            )

    def setup(self) -> None:
        self.setup_sanitize_files()
        self.executed = executed(self.config.option.executed, self.nb)


class ExecutedCell(IPyNbCell):
    """A cell whose outputs are compared as nbval compares them."""

    def runtest(self) -> None:
        self.test_outputs = self.parent.executed[self.cell_num].outputs
        new, old = coalesce_streams(self.test_outputs), coalesce_streams(self.cell.outputs)
        if self.options["check"] and not self.compare_outputs(new, old):
            self.raise_cell_error("Cell outputs differ", "\n".join(self.comparison_traceback))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--executed", type=Path, help="compare notebooks with their execution in this cache"
    )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    if parent.config.option.executed and file_path.suffix == ".ipynb":
        return ExecutedNotebook.from_parent(parent, path=file_path)
    return None
