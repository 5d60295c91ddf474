"""The recorded experiments: runs too long for a page, made once by one command and kept.

    python -m scripts.experiments encoder            run what is not recorded yet
    python -m scripts.experiments encoder --again    run everything

``scripts/experiments/<stem>.py`` belongs to the chapter of that stem and runs the chapter's own
code: the cells tagged ``recorded``. Each result goes into ``assets/results.json`` at once, so an
interrupted run continues where it stopped.
"""

import json
import time
from collections.abc import Callable, Sequence

import nbformat
import torch

from scripts.execution import BOOK
from scripts.results import RESULTS, note

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
    """Measure every task that is not recorded yet (or again), and write down each result at once.

    A task is the settings of one run, its seed among them, as keyword arguments of ``measure``;
    name is the part of results.json, data says in a few words what the models are trained on.
    """
    torch.set_num_threads(1)
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    recorded = [] if again else results.get(name, {}).get("rows", [])
    rows = {
        i: row for i, task in enumerate(tasks) for row in recorded if task.items() <= row.items()
    }
    for i, task in enumerate(tasks):
        if i not in rows:
            start = time.process_time()
            result = measure(**task)
            rows[i] = {**task, **result, "cpu_seconds": round(time.process_time() - start, 1)}
            ordered = [rows[key] for key in sorted(rows)]
            note(name, ordered, command=f"python -m scripts.experiments {name}", corpus=data)
