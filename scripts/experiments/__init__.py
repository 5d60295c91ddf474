"""The recorded experiments: what takes too long for a page is run once, by one command, and kept.

    python -m scripts.experiments encoder            run what is not recorded yet
    python -m scripts.experiments encoder --again    run everything

``scripts/experiments/<stem>.py`` belongs to the chapter of that stem and runs the chapter's own
code: the cells tagged ``recorded``. Each result goes into ``assets/results.json`` as soon as it is
there, so a run that is interrupted goes on where it stopped.
"""

import json
import time
from collections.abc import Callable, Sequence

import nbformat
import torch

from scripts.notebooks import BOOK
from scripts.train_assets import RESULTS, note

SEEDS = range(5)


def page(stem: str) -> dict[str, object]:
    """Run the cells of a chapter that its experiment needs, and return the names they define."""
    (path,) = BOOK.glob(f"*{stem}.ipynb")
    names: dict[str, object] = {"__name__": stem}
    for cell in nbformat.read(path, as_version=4).cells:
        if "recorded" in cell.metadata.get("tags", []):
            exec(compile(cell.source, f"<{path.name}>", "exec"), names)
    return names


def record(
    name: str,
    tasks: Sequence[dict],
    measure: Callable[..., dict],
    *,
    data: str,
    again: bool = False,
) -> None:
    """Measure every task that is not recorded yet, and write down each result at once.

    Args:
        name: of the part of results.json.
        tasks: the settings of each run, its seed among them.
        measure: called with a task's settings; returns what was found.
        data: what the models learn from, in a few words.
        again: measure what is recorded already, too.
    """
    torch.set_num_threads(1)
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    known = [] if again else results.get(name, {}).get("rows", [])
    rows = {i: row for i, task in enumerate(tasks) for row in known if task.items() <= row.items()}
    for i, task in enumerate(tasks):
        if i not in rows:
            start = time.process_time()
            found = measure(**task)
            rows[i] = {**task, **found, "cpu_seconds": round(time.process_time() - start, 1)}
            ordered = [rows[key] for key in sorted(rows)]
            note(name, ordered, command=f"python -m scripts.experiments {name}", corpus=data)
