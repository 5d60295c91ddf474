"""Write, execute and normalise the book's notebooks.

``python -m scripts.notebooks drafts [STEM …]`` writes ``.drafts/<stem>.md`` for editing (jupytext's
MyST format; ignored by git, never a second source). ``python -m scripts.notebooks execute
[STEM …]`` takes over every draft that is newer than its notebook, formats it, executes what is
stale and normalises, so that two runs give the same bytes. Without stems, all notebooks.
"""

import argparse
import hashlib
import os
import subprocess
import sys
from pathlib import Path

import jupytext
import nbformat
from nbformat import NotebookNode

from scripts.closure import ROOT
from scripts.execution import BOOK, EXECUTED, give_outputs, is_current, made_from, up_to_date
from scripts.outputs import fill_spans, keep_widgets, shrink_pictures

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


def formatted(path: Path) -> NotebookNode:
    """Return the notebook's cells, taken from its draft if that is newer, as ruff writes them."""
    notebook = take_over_draft(path)
    normalise(notebook)
    scratch = path.with_name(f"{path.stem}.tmp.ipynb")
    try:
        nbformat.write(notebook, scratch)
        ruff = [sys.executable, "-m", "ruff"]
        subprocess.run([*ruff, "check", "--fix-only", "--quiet", scratch], check=True)
        width = ["--line-length", str(COLUMNS)]
        subprocess.run([*ruff, "format", "--quiet", *width, scratch], check=True)
        return nbformat.read(scratch, as_version=4)
    finally:
        scratch.unlink(missing_ok=True)


def write(paths: list[Path], folder: Path = EXECUTED, *, again: bool = False) -> None:
    """Write notebooks normalised and with current outputs; where one fails, no file is changed.

    Args:
        paths: of the notebooks, each of which may have an edited draft.
        folder: where executions are kept.
        again: execute also what has not changed.
    """
    before = {path: nbformat.read(path, as_version=4) for path in paths if path.exists()}
    edited, stale = {path: formatted(path) for path in paths}, {}
    for path, notebook in edited.items():
        made = made_from(notebook)
        if not again and path in before and is_current(before[path], made):
            give_outputs(before[path], notebook)
        else:
            stale[path.stem] = notebook
            if again:
                (folder / path.name).unlink(missing_ok=True)
        notebook.metadata["attnsteps"] = {"made_from": made}
    shown = up_to_date(stale, folder, everything=True)
    for path, notebook in edited.items():
        if path.stem in shown:
            give_outputs(shown[path.stem], notebook)
        try:
            fill_spans(notebook)
        except ValueError as error:
            sys.exit(f"{path.name}: {error}")
        normalise(notebook)
        if path in before:
            keep_measured(before[path], notebook)
        nbformat.validate(notebook)
    for path, notebook in edited.items():
        nbformat.write(notebook, path)


def keep_measured(before: NotebookNode, notebook: NotebookNode) -> None:
    """Keep the outputs of measurements, which differ each time, where their cell is unchanged."""
    measured = {
        cell.id: cell.outputs for cell in before.cells if MEASURED in cell.metadata.get("tags", [])
    }
    for cell in notebook.cells:
        cell.update({"outputs": measured[cell.id]} if cell.id in measured else {})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("action", choices=["drafts", "execute"])
    parser.add_argument("stems", nargs="*", help="such as 05_scaling")
    parser.add_argument("--again", action="store_true", help="execute what has not changed, too")
    arguments = parser.parse_args()
    DRAFTS.mkdir(exist_ok=True)
    present = {path.stem for path in (*BOOK.glob("*.ipynb"), *DRAFTS.glob("*.md"))}
    stems = arguments.stems or sorted(present)
    if unknown := set(stems) - present:
        sys.exit(f"STEM must be one of {sorted(present)}; got {sorted(unknown)}")
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    paths = [BOOK / f"{stem}.ipynb" for stem in stems]
    if arguments.action == "execute":
        write(paths, again=arguments.again)
    else:
        for path in paths:
            write_draft(path)
    print("\n".join(stems))


if __name__ == "__main__":
    main()
