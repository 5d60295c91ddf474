"""What follows a training run: records, their file, a progress bar, checkpoints."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import nn
from tqdm import tqdm

from attnsteps.model.mode import in_mode
from attnsteps.training.log import FIELDS, History, write_log
from attnsteps.training.resume import save_run
from attnsteps.training.run import Run, Watcher

Validate = Callable[[nn.Module], dict[str, float]]


def keep_records(validate: Validate | None, *, seconds: float) -> Watcher:
    """Put a record into the history when one is due; of several processes, the first validates.

    Seconds are those of the run so far, from which the time goes on.
    """
    begun = time.perf_counter() - seconds

    def watch(run: Run) -> None:
        is_asked = validate is not None and run.is_due(run.config.evaluate_every)
        scores = _scores(run.model, validate) if is_asked and run.processes.rank == 0 else {}
        run.now.seconds = time.perf_counter() - begun
        if is_asked or run.is_due(run.config.log_every):
            run.now.record(scores)

    return watch


def keep_file(path: Path, run: Run) -> Watcher:
    """Write every new record down; what the file holds beyond the run so far is dropped now."""
    write_log(path, run.now.history)

    def watch(run: Run) -> None:
        if run.now.latest:
            write_log(path, run.now.history)

    return watch


def hand_on(on_record: Callable[[History], None]) -> Watcher:
    """Hand the history on whenever it has a new record."""

    def watch(run: Run) -> None:
        if run.now.latest:
            on_record(run.now.history)

    return watch


def move_bar(bar: tqdm) -> Watcher:
    """Show the steps, the loss and the scores."""

    def watch(run: Run) -> None:
        bar.update()
        if latest := run.now.latest:
            bar.set_postfix({"loss": f"{latest.loss:.3f}", **latest.scores})

    return watch


def keep_checkpoint(directory: Path, identity: dict[str, Any]) -> Watcher:
    """Save the run when a checkpoint is due."""

    def watch(run: Run) -> None:
        if run.is_due(run.config.checkpoint_every):
            save_run(directory, run, identity)

    return watch


def _scores(model: nn.Module, validate: Validate) -> dict[str, float]:
    """Evaluate the model as it will be used: no dropout, no gradients."""
    with in_mode(model), torch.no_grad():
        scores = validate(model)
    taken = [name for name in scores if name in FIELDS]
    if taken:
        raise ValueError(f"a score must have a name that no field of Record has; got {taken[0]!r}")
    return {name: float(score) for name, score in scores.items()}
