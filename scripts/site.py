"""Build the site: execute the chapters that need it, assemble the pages, and run Sphinx.

    python -m scripts.site              with the committed outputs if they were made from the
                                        current package; other chapters are executed first
    python -m scripts.site --execute    with every chapter executed on this machine

If a build fails, the last good site stays as it was.
"""

import argparse
import asyncio
import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode
from tqdm import tqdm

from scripts.notebooks import BOOK, ROOT, made_from
from scripts.outputs import fill_spans, keep_widgets, restore_widgets, shrink_pictures

BUILD = ROOT / "_build"
EXECUTED = BUILD / "executed"
HTML = BUILD / "html"
MOST = 25_000_000  # bytes of the whole site, which tests/web/test_light.py holds
WIDTH = 22  # characters for a chapter's name in the progress lines
COLOUR = re.compile(r"\x1b\[[\d;]*m")
STAGE = re.compile(r"(reading sources|writing output)\.\.\. +\[ *(\d+)%\]")


def notebooks() -> dict[str, NotebookNode]:
    """Read the committed chapters, by stem."""
    paths = sorted(path for path in BOOK.glob("*.ipynb") if not path.name.endswith(".tmp.ipynb"))
    return {path.stem: nbformat.read(path, as_version=4) for path in paths}


def is_current(notebook: NotebookNode, made: str) -> bool:
    """Tell whether a notebook's outputs were made from the current cells and package."""
    return notebook.metadata.get("attnsteps", {}).get("made_from") == made


def executed(stem: str, made: str, folder: Path) -> NotebookNode | None:
    """Return the notebook that an earlier run executed here, if nothing has changed since."""
    path = folder / f"{stem}.ipynb"
    notebook = nbformat.read(path, as_version=4) if path.exists() else None
    return notebook if notebook and is_current(notebook, made) else None


def execute(todo: dict[str, NotebookNode], folder: Path) -> list[str]:
    """Execute chapters side by side, one for each core; return the stems of those that failed."""
    folder.mkdir(parents=True, exist_ok=True)
    return asyncio.run(_execute(todo, folder))


async def _execute(todo: dict[str, NotebookNode], folder: Path) -> list[str]:
    """Run the kernels of all chapters, one for each core."""
    cores, failed, done = asyncio.Semaphore(os.cpu_count() or 1), [], []

    async def one(stem: str, notebook: NotebookNode) -> None:
        async with cores:
            start = time.perf_counter()
            resources = {"metadata": {"path": str(BOOK)}}
            # Ends a cell that hangs; on a busy machine a cell may take many times as long.
            client = NotebookClient(
                notebook, timeout=1200, resources=resources, coalesce_streams=True
            )
            try:
                await client.async_execute()
            except CellExecutionError as error:
                failed.append(stem)
                print(f"  {stem} failed:\n{error}", file=sys.stderr, flush=True)
            else:
                keep_widgets(notebook)
                shrink_pictures(notebook)
                notebook.metadata["attnsteps"] = {"made_from": made_from(notebook)}
                nbformat.write(notebook, folder / f"{stem}.ipynb")
            done.append(stem)
            took = time.perf_counter() - start
            print(f"  {len(done):2} of {len(todo)}  {stem:{WIDTH}} {took:5.1f} s", flush=True)

    # The later chapters take longer, so they start first and nobody waits for them at the end.
    await asyncio.gather(*(one(stem, todo[stem]) for stem in sorted(todo, reverse=True)))
    return failed


def chapters(folder: Path, *, everything: bool) -> dict[str, NotebookNode]:
    """Return every chapter with its outputs for the site, executing where necessary."""
    ready, todo = {}, {}
    for stem, notebook in notebooks().items():
        made = made_from(notebook)
        here = executed(stem, made, folder)
        if here is None and not everything and is_current(notebook, made):
            here = notebook
        (todo if here is None else ready)[stem] = notebook if here is None else here
    if todo:
        overlay = ["make", "--quiet", "colab"]
        subprocess.run(overlay, cwd=ROOT, check=True)
        os.environ["JUPYTER_PATH"] = str(ROOT / ".colab/share/jupyter")
        print(f"executing {len(todo)} of {len(ready) + len(todo)} chapters", flush=True)
        if failed := execute(todo, folder):
            sys.exit(f"{', '.join(failed)}: see above; the site was not changed")
    return ready | todo


def assemble(shown: dict[str, NotebookNode], source: Path) -> str:
    """Write the input of Sphinx, and return a checksum of everything that makes the pages."""
    shutil.rmtree(source, ignore_errors=True)
    ignored = shutil.ignore_patterns("*.ipynb", "__pycache__", ".ipynb_checkpoints", "_colab")
    shutil.copytree(BOOK, source, ignore=ignored)
    for stem, written in notebooks().items():
        outputs = (cell for cell in shown[stem].cells if cell.cell_type == "code")
        for cell in written.cells:
            if cell.cell_type == "code":
                here = next(outputs)
                cell.outputs, cell.execution_count = here.outputs, here.execution_count
        fill_spans(written)
        restore_widgets(written)
        written.metadata.pop("attnsteps", None)
        nbformat.write(written, source / f"{stem}.ipynb")
    digest = hashlib.sha256()
    settings = [ROOT / name for name in ("_config.yml", "_toc.yml", "requirements.txt")]
    for path in sorted([*source.rglob("*"), *(ROOT / "src").rglob("*.py"), *settings]):
        if path.is_file():
            digest.update(f"{path}\0".encode() + path.read_bytes())
    return digest.hexdigest()


def write_pages(source: Path, html: Path) -> None:
    """Let Sphinx turn the sources into pages; warnings count as errors."""
    target = source.parent / "pages"
    shutil.rmtree(target, ignore_errors=True)
    program = Path(sys.executable).parent / "jupyter-book"
    options = ["--warningiserror", "--nitpick", "--keep-going"]
    command = [program, "build", source, "--config", ROOT / "_config.yml", "--toc"]
    command += [ROOT / "_toc.yml", "--path-output", target, *options]
    log = []
    running = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    with tqdm(total=200, desc="writing the pages", bar_format="{desc} {bar} {elapsed}") as bar:
        for coloured in running.stdout:
            line = COLOUR.sub("", coloured)
            log.append(line)
            if stage := STAGE.search(line):
                bar.n = int(stage[2]) + (100 if stage[1] == "writing output" else 0)
                bar.refresh()
        bar.n = 200
    if running.wait():
        wrong = [line for line in log if re.search(r"WARNING|ERROR|[Ee]xception|Error:", line)]
        sys.exit("".join(wrong or log[-40:]) + "The site was not changed.")
    shutil.rmtree(html, ignore_errors=True)
    shutil.move(target / "_build" / "html", html)


def size(folder: Path) -> int:
    """Return how many bytes lie in a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument(
        "--execute", action="store_true", help="execute every chapter on this machine"
    )
    parser.add_argument(
        "--executed", type=Path, default=EXECUTED, help="directory for the executions"
    )
    parser.add_argument("--html", type=Path, default=HTML, help="directory for the site")
    parser.add_argument(
        "--chapters-only", action="store_true", help="execute only, without building the site"
    )
    options = parser.parse_args()
    shown = chapters(options.executed.resolve(), everything=options.execute)
    if options.chapters_only:
        return
    html = options.html.resolve()
    source = html.with_name(f"{html.name}-source") / "book"
    made = assemble(shown, source)
    stamp = html / ".made-from"
    if not stamp.exists() or stamp.read_text() != made:
        write_pages(source, html)
        stamp.write_text(made)
    print(f"The site has {size(html) / 1e6:.1f} MB; at most {MOST / 1e6:.0f} are allowed.")


if __name__ == "__main__":
    main()
