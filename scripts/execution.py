"""Execute chapters with Colab's versions, one on each core, and keep what they gave.

A chapter is executed only where its cells, or what they use of the package, have changed since.
The site and ``make notebooks`` share what lies in ``_build/executed``.
"""

import asyncio
import hashlib
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode

from scripts.closure import ROOT, files_behind
from scripts.kernels import ForkManager
from scripts.outputs import keep_widgets, shrink_pictures

BOOK = ROOT / "book"
EXECUTED = ROOT / "_build" / "executed"
WIDTH = 22  # characters for a chapter's name in the progress lines


def made_from(notebook: NotebookNode) -> str:
    """Return a digest of all that a chapter's outputs depend on.

    That is its cells, what they use of the package, and the versions of libraries. Prose, scripts
    and styles don't count.
    """
    digest = hashlib.sha256()
    cells = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    for name, content in files_behind("\n".join(cells)).items():
        digest.update(f"{name}\0".encode() + content)
    colab = [path for end in ("py", "txt") for path in (BOOK / "_colab").rglob(f"*.{end}")]
    for path in sorted(colab):
        digest.update(f"{path.relative_to(ROOT).as_posix()}\0".encode() + path.read_bytes())
    pins = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    digest.update(re.search(r"^torch==\S+", pins, re.MULTILINE)[0].encode())
    for source in cells:
        digest.update(f"\0{source}".encode())
    return digest.hexdigest()[:16]


def is_current(notebook: NotebookNode, made: str) -> bool:
    """Tell whether a notebook's outputs were made from the current cells and package."""
    return notebook.metadata.get("attnsteps", {}).get("made_from") == made


def executed(stem: str, made: str, folder: Path) -> NotebookNode | None:
    """Return the notebook that an earlier run executed here, if nothing has changed since."""
    path = folder / f"{stem}.ipynb"
    notebook = nbformat.read(path, as_version=4) if path.exists() else None
    return notebook if notebook and is_current(notebook, made) else None


def up_to_date(
    notebooks: dict[str, NotebookNode], folder: Path, *, everything: bool
) -> dict[str, NotebookNode]:
    """Return each notebook with its current outputs, executing it where there are none.

    Args:
        notebooks: by stem.
        folder: where executions are kept.
        everything: trust only what was executed here, not the outputs that are committed.
    """
    ready, todo = {}, {}
    for stem, notebook in notebooks.items():
        made = made_from(notebook)
        here = executed(stem, made, folder)
        if here is None and not everything and is_current(notebook, made):
            here = notebook
        (todo if here is None else ready)[stem] = notebook if here is None else here
    if todo:
        alone = {**os.environ, "MAKEFLAGS": ""}  # a make above has jobs of its own
        subprocess.run(["make", "--quiet", "colab"], cwd=ROOT, env=alone, check=True)
        os.environ["JUPYTER_PATH"] = str(ROOT / ".colab/share/jupyter")
        print(f"executing {len(todo)} of {len(notebooks)} chapters", flush=True)
        if failed := execute(todo, folder):
            wrong = "\n".join(f"  {stem} failed:\n{error}" for stem, error in failed.items())
            sys.exit(f"{wrong}\n{', '.join(failed)}: see above; nothing else was changed")
    return ready | todo


def execute(todo: dict[str, NotebookNode], folder: Path) -> dict[str, str]:
    """Execute chapters side by side, as cores allow; return the errors of those that failed."""
    folder.mkdir(parents=True, exist_ok=True)
    return asyncio.run(_execute(todo, folder))


async def _execute(todo: dict[str, NotebookNode], folder: Path) -> dict[str, str]:
    """Run the kernels of all chapters; threads that wait for a core would run many times slower."""
    threads = int(os.environ.get("OMP_NUM_THREADS", "1"))
    # A library that macOS brings doesn't survive a fork.
    kernels = {"kernel_manager_class": ForkManager} if sys.platform == "linux" else {}
    cores, failed, done = asyncio.Semaphore(max(1, (os.cpu_count() or 1) // threads)), {}, []

    async def one(stem: str, notebook: NotebookNode) -> None:
        async with cores:
            start = time.perf_counter()
            resources = {"metadata": {"path": str(BOOK)}}
            # Ends a cell that hangs; on a busy machine a cell may take many times as long.
            client = NotebookClient(
                notebook, timeout=1200, resources=resources, coalesce_streams=True, **kernels
            )
            try:
                await client.async_execute()
            except CellExecutionError as error:
                failed[stem] = str(error)
            else:
                keep_widgets(notebook)
                shrink_pictures(notebook)
                notebook.metadata["attnsteps"] = {"made_from": made_from(notebook)}
                nbformat.write(notebook, folder / f"{stem}.ipynb")
            done.append(stem)
            took = time.perf_counter() - start
            print(
                f"  {len(done):2} of {len(todo)}  {stem:{WIDTH}} {took:5.1f} s"
                + (", failed" if stem in failed else ""),
                flush=True,
            )

    # The later chapters take longer, so they start first and nobody waits for them at the end.
    await asyncio.gather(*(one(stem, todo[stem]) for stem in sorted(todo, reverse=True)))
    return failed


def give_outputs(shown: NotebookNode, notebook: NotebookNode) -> None:
    """Give a notebook the outputs of another that has the same code cells."""
    outputs = (cell for cell in shown.cells if cell.cell_type == "code")
    for cell in notebook.cells:
        if cell.cell_type == "code":
            here = next(outputs)
            cell.outputs, cell.execution_count = here.outputs, here.execution_count
