"""A training run that goes on: what it is of, and where it stands, in the text of a checkpoint."""

import dataclasses
import hashlib
import json
from array import array
from collections.abc import Sequence
from functools import partial
from inspect import unwrap
from pathlib import Path
from typing import Any

from torch import nn

from attnsteps.storage.checkpoint import (
    check_checkpoint,
    read_checkpoint,
    restore,
    write_checkpoint,
)
from attnsteps.storage.tensor_file import as_text
from attnsteps.text.batch import Example
from attnsteps.text.vocab import Vocab
from attnsteps.training.config import TrainingConfig
from attnsteps.training.log import History, Record
from attnsteps.training.loss import LossFunction
from attnsteps.training.progress import Progress
from attnsteps.training.run import Run

NAME = "checkpoint.safetensors"

#: What may differ when a training goes on: none of it changes what is learned.
FREE = ("compile", "log", "log_every", "evaluate_every", "checkpoint_every")


def identify(
    model: nn.Module,
    examples: Sequence[Example],
    config: TrainingConfig,
    *,
    loss_fn: LossFunction,
    vocabularies: tuple[Vocab, Vocab] | None,
) -> dict[str, Any]:
    """Say what a training is of; a checkpoint of anything else is refused."""
    settings = dataclasses.asdict(config)
    settings |= {"batch_size": config.pairs, "warmup": config.warmup_steps}
    if config.schedule != "linear":
        del settings["steps"]  # such a schedule has no end, and a training can be prolonged
    source, target = vocabularies or (None, None)
    return {
        "model": {"class": type(model).__name__, **dataclasses.asdict(model.config)},
        "config": {name: value for name, value in settings.items() if name not in FREE},
        "loss": describe(loss_fn),
        "source vocabulary": source and source.to_list(),
        "target vocabulary": target and target.to_list(),
        "examples": {"number": len(examples), "sha256": _checksum(examples)},
    }


def save_run(directory: Path, run: Run, identity: dict[str, Any]) -> None:
    """Write a run down, in place of its last checkpoint; complete or not at all."""
    progress, scaler = dataclasses.asdict(run.now), run.scaler.state_dict()
    text = as_text({"identity": identity, "progress": progress, "scaler": scaler})
    try:
        write_checkpoint(directory / NAME, run.model, run.optimizer, text)
    except OSError as error:
        raise OSError(
            f"the checkpoint of step {run.now.step} cannot be written, and the one before is left"
            f" as it was: {error}"
        ) from error


def load_run(directory: Path, run: Run, identity: dict[str, Any]) -> None:
    """Bring a run back to where its last checkpoint stands. On an error nothing changes."""
    path = directory / NAME
    text, tensors = read_checkpoint(path)
    theirs, now, scaler = _understood(path, text)
    _check_same(path, _flat(identity), theirs)
    check_checkpoint(path, tensors, run.model)
    try:  # the last that may fail, and its object is new: the model is as it was
        run.scaler.load_state_dict(scaler)
    except (AttributeError, KeyError, RuntimeError, TypeError) as error:
        raise ValueError(f"{path} must hold the state of a scaler; got: {error!r}") from error
    restore(tensors, run.model, run.optimizer)
    run.now = now


def _understood(path: Path, text: str) -> tuple[dict[str, Any], Progress, dict[str, Any]]:
    """Return what a checkpoint's text says: the run's identity, its progress and its scaler."""
    try:
        content = json.loads(text)
        progress = content["progress"]
        records = [Record(**record) for record in progress.pop("history")["records"]]
        now = Progress(**progress, history=History(records))
        return _flat(content["identity"]), now, content["scaler"]
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
        raise ValueError(f"{path} must hold the progress of a training; got: {error!r}") from error


def _check_same(path: Path, ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    """Check that a checkpoint is of this training, and name the first thing that differs."""
    for name in {**ours, **theirs}:
        needed, got = ours.get(name), theirs.get(name)
        if needed != got:
            raise ValueError(f"{path} must be of this training, {name} = {needed!r}; got {got!r}")


def _flat(identity: dict[str, Any]) -> dict[str, Any]:
    """Give every single value in an identity a name of its own."""
    flat = {}
    for part, value in json.loads(as_text(identity)).items():
        if isinstance(value, dict):
            flat |= {f"{part}.{key}": inner for key, inner in value.items()}
        elif isinstance(value, list):
            flat[f"size of the {part}"] = len(value)
            flat |= {f"token {i} of the {part}": token for i, token in enumerate(value)}
        else:
            flat[part] = value
    return flat


def describe(function: object) -> str:
    """Name a function, with the arguments and the variables that were bound to it.

    Example:
        >>> describe(partial(round, ndigits=2))
        'round(ndigits=2)'
    """
    if isinstance(function, partial):
        given = [describe(value) for value in function.args]
        given += [f"{name}={describe(value)}" for name, value in function.keywords.items()]
        return f"{describe(function.func)}({', '.join(given)})"
    if not callable(function):
        return repr(function)
    function = unwrap(function)  # of decorators, which may hold anything
    bound = [cell.cell_contents for cell in getattr(function, "__closure__", None) or ()]
    simple = [value for value in bound if value is not function and _decides(value)]
    name = getattr(function, "__qualname__", type(function).__qualname__)
    return f"{name}({', '.join(map(describe, simple))})" if simple else name


def _decides(value: object) -> bool:
    """Tell whether a bound variable is a choice, and not something that the training changes."""
    return callable(value) or isinstance(value, int | float | str | None)


def _checksum(examples: Sequence[Example]) -> str:
    """Return the SHA-256 of all ids, and of where each sentence ends."""
    digest = hashlib.sha256()
    for pair in examples:
        for ids in pair:
            digest.update(array("q", [len(ids), *ids]).tobytes())
    return digest.hexdigest()
