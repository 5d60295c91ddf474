"""Write, execute and normalise the book's notebooks.

``python -m scripts.notebooks drafts [STEM …]`` writes ``.drafts/<stem>.md`` for editing (jupytext's
MyST format; ignored by git, never a second source). ``python -m scripts.notebooks execute
[STEM …]`` takes over every draft that is newer than its notebook, formats, executes and
normalises, so that two runs give the same bytes. Without stems, all notebooks.
"""

import argparse
import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path

import jupytext
import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode

from scripts.outputs import fill_spans, keep_widgets, shrink_pictures

ROOT = Path(__file__).resolve().parent.parent
BOOK = ROOT / "book"
DRAFTS = ROOT / ".drafts"
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
COLUMNS = 76  # of code that the page shows without a scroll bar
HIDDEN = {"hide-input", "hide-cell", "remove-input"}
PROMPTS = {  # how a folded cell starts, and what the page calls it
    "# Installs": "the installation for Colab",
    "import ": "the imports",
    "# Solution": "the solution",
}
MEASURED = "measured"  # a figure of measured times: kept while its cell is unchanged


def made_from(notebook: NotebookNode) -> str:
    """Return a digest of all that a chapter's outputs depend on: cells, package, library versions.

    An output made from anything else is stale; prose, scripts and styles don't count.
    """
    digest = hashlib.sha256()
    package = ROOT / "src/attnsteps"
    files = [
        *(
            path
            for ending in ("py", "safetensors", "json")
            for path in package.rglob(f"*.{ending}")
        ),
        *(path for ending in ("py", "txt") for path in (BOOK / "_colab").rglob(f"*.{ending}")),
    ]
    for path in sorted(files):
        digest.update(f"{path.relative_to(ROOT).as_posix()}\0".encode())
        digest.update(path.read_bytes())
    pins = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    digest.update(re.search(r"^torch==\S+", pins, re.MULTILINE)[0].encode())
    for cell in notebook.cells:
        if cell.cell_type == "code":
            digest.update(f"\0{cell.source}".encode())
    return digest.hexdigest()[:16]


def normalise(notebook: NotebookNode) -> None:
    """Remove all that differs between two equal runs: ids, front-end metadata, widget code."""
    made = notebook.metadata.get("attnsteps")
    keep_widgets(notebook)
    shrink_pictures(notebook)
    notebook.metadata = nbformat.from_dict(METADATA | ({"attnsteps": made} if made else {}))
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    counts: dict[str, int] = {}
    for cell in notebook.cells:
        digest = hashlib.sha256(cell.source.encode()).hexdigest()[:8]
        counts[digest] = counts.get(digest, 0) + 1
        cell.id = digest if counts[digest] == 1 else f"{digest}-{counts[digest]}"
        cell.metadata.pop("execution", None)
        if HIDDEN & set(cell.metadata.get("tags", [])):  # the same in JupyterLab and in Colab
            cell.metadata["jupyter"] = {"source_hidden": True}
            cell.metadata["cellView"] = "form"
        for start, name in PROMPTS.items():
            if cell.source.startswith(start) and "tags" in cell.metadata:
                prompts = {"code_prompt_show": f"Show {name}", "code_prompt_hide": f"Hide {name}"}
                cell.metadata.setdefault("mystnb", {}).update(prompts)


def is_edited(path: Path) -> bool:
    """Tell whether the notebook has a draft that is newer."""
    draft = DRAFTS / f"{path.stem}.md"
    return draft.exists() and (not path.exists() or draft.stat().st_mtime > path.stat().st_mtime)


def take_over_draft(path: Path) -> NotebookNode:
    """Return the notebook's cells, taken from its draft if that is newer."""
    if is_edited(path):
        return jupytext.read(DRAFTS / f"{path.stem}.md", fmt="md:myst")
    return nbformat.read(path, as_version=4)


def write_draft(path: Path) -> None:
    """Write the notebook as text, unless that would overwrite an edited draft."""
    draft = DRAFTS / f"{path.stem}.md"
    if is_edited(path):
        print(f"{draft} is newer than its notebook, so it was not overwritten", file=sys.stderr)
        return
    jupytext.write(nbformat.read(path, as_version=4), draft, fmt="md:myst")
    os.utime(draft, (path.stat().st_atime, path.stat().st_mtime))  # not newer until it is edited


def execute(path: Path) -> None:
    """Execute one notebook and write it normalised; if it fails, the file stays as it was."""
    notebook = take_over_draft(path)
    normalise(notebook)
    before = nbformat.read(path, as_version=4).cells if path.exists() else []
    measured = {
        cell.id: cell.outputs for cell in before if MEASURED in cell.metadata.get("tags", [])
    }
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    scratch = path.with_name(f"{path.stem}.tmp.ipynb")
    try:
        nbformat.write(notebook, scratch)
        ruff = [sys.executable, "-m", "ruff"]
        subprocess.run([*ruff, "check", "--fix-only", "--quiet", scratch], check=True)
        width = ["--line-length", str(COLUMNS)]
        subprocess.run([*ruff, "format", "--quiet", *width, scratch], check=True)
        notebook = nbformat.read(scratch, as_version=4)
        resources = {"metadata": {"path": str(BOOK)}}
        NotebookClient(
            notebook,
            timeout=120,
            resources=resources,
            coalesce_streams=True,
        ).execute()
        fill_spans(notebook)
        notebook.metadata["attnsteps"] = {"made_from": made_from(notebook)}
        normalise(notebook)
        for cell in notebook.cells:
            cell.update({"outputs": measured[cell.id]} if cell.id in measured else {})
        nbformat.validate(notebook)
        nbformat.write(notebook, scratch)
        scratch.replace(path)
    finally:
        scratch.unlink(missing_ok=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("action", choices=["drafts", "execute"])
    parser.add_argument("stems", nargs="*", help="such as 05_scaling")
    arguments = parser.parse_args()
    DRAFTS.mkdir(exist_ok=True)
    present = {path.stem for path in (*BOOK.glob("*.ipynb"), *DRAFTS.glob("*.md"))}
    stems = arguments.stems or sorted(present)
    if unknown := set(stems) - present:
        sys.exit(f"STEM must be one of {sorted(present)}; got {sorted(unknown)}")
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    for stem in stems:
        path = BOOK / f"{stem}.ipynb"
        if arguments.action == "drafts":
            write_draft(path)
        else:
            execute(path)
        print(stem)


if __name__ == "__main__":
    main()
