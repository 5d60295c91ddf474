"""Build the site: execute the chapters that need it, assemble the pages, and run Sphinx.

    python -m scripts.site              with the committed outputs if they were made from the
                                        current package; other chapters are executed first
    python -m scripts.site --execute    with every chapter executed on this machine

If a build fails, the last good site stays as it was.
"""

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from tqdm import tqdm

from scripts.closure import PACKAGE, ROOT
from scripts.execution import BOOK, EXECUTED, give_outputs, up_to_date
from scripts.outputs import fill_spans, restore_widgets

HTML = ROOT / "_build" / "html"
INPUTS = ".inputs"  # in the site: what it was made from
MOST = 25_000_000  # bytes of the whole site, which tests/web/test_light.py holds
COLOUR = re.compile(r"\x1b\[[\d;]*m")
STAGE = re.compile(r"(reading sources|writing output)\.\.\. +\[ *(\d+)%\]")


def notebooks() -> dict[str, NotebookNode]:
    """Read the committed chapters, by stem."""
    paths = sorted(path for path in BOOK.glob("*.ipynb") if not path.name.endswith(".tmp.ipynb"))
    return {path.stem: nbformat.read(path, as_version=4) for path in paths}


def chapters(folder: Path, *, everything: bool) -> dict[str, NotebookNode]:
    """Return every chapter with its outputs for the site, executing where necessary."""
    return up_to_date(notebooks(), folder, everything=everything)


def assemble(shown: dict[str, NotebookNode], source: Path) -> str:
    """Write the input of Sphinx: the chapters that are given, and all else.

    Returns:
        A checksum of everything that makes the pages.
    """
    shutil.rmtree(source, ignore_errors=True)
    ignored = shutil.ignore_patterns("*.ipynb", "__pycache__", ".ipynb_checkpoints", "_colab")
    shutil.copytree(BOOK, source, ignore=ignored)
    for stem, here in shown.items():
        written = nbformat.read(BOOK / f"{stem}.ipynb", as_version=4)
        give_outputs(here, written)
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


def inputs() -> str:
    """Return a checksum of all that the site is made from, to tell whether a site is stale."""
    digest = hashlib.sha256()
    settings = [ROOT / name for name in ("_config.yml", "_toc.yml", "requirements.txt")]
    for path in sorted([*BOOK.rglob("*"), *PACKAGE.rglob("*"), *settings]):
        unseen = {"__pycache__", ".ipynb_checkpoints"} & set(path.parts)
        if path.is_file() and not unseen and not path.name.endswith(".tmp.ipynb"):
            digest.update(f"{path.relative_to(ROOT).as_posix()}\0".encode() + path.read_bytes())
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
    paths = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    running = subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, "PYTHONPATH": paths}, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
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
    now = inputs()  # before all else, so that what is edited meanwhile counts as changed
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
    (html / INPUTS).write_text(now)
    print(f"The site has {size(html) / 1e6:.1f} MB; at most {MOST / 1e6:.0f} are allowed.")


if __name__ == "__main__":
    main()
