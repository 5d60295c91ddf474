"""A training in a file: everything that the next update depends on, so that it can go on."""

import dataclasses
import hashlib
import json
from array import array
from collections.abc import Sequence
from functools import partial
from inspect import unwrap
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from attnsteps.model.tensor_file import as_text, check_tensors, read_tensors, write_tensors
from attnsteps.text.batch import Example
from attnsteps.text.vocab import Vocab
from attnsteps.training.config import TrainingConfig
from attnsteps.training.log import History, Record
from attnsteps.training.loss import LossFunction
from attnsteps.training.progress import Progress
from attnsteps.training.run import Run

NAME = "checkpoint.safetensors"
FORMAT = "attnsteps.checkpoint"
FORMAT_VERSION = 1

MOMENTS = ("exp_avg", "exp_avg_sq")  # what Adam remembers of each parameter, beside its step

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


def save_checkpoint(directory: Path, run: Run, identity: dict[str, Any]) -> None:
    """Write a training down, in place of its last checkpoint; complete or not at all."""
    names = _learned(run.model)
    tensors = {f"model.{name}": parameter for name, parameter in run.model.named_parameters()}
    for i, state in run.optimizer.state_dict()["state"].items():
        tensors |= {f"adam.{key}.{names[i]}": tensor for key, tensor in state.items()}
    tensors = {name: t.detach().cpu().contiguous() for name, t in tensors.items()}
    text = as_text(
        {
            "identity": identity,
            "progress": dataclasses.asdict(run.now),
            "scaler": run.scaler.state_dict(),
        }
    )
    try:
        write_tensors(directory / NAME, tensors, kind=FORMAT, version=FORMAT_VERSION, config=text)
    except OSError as error:
        raise OSError(
            f"the checkpoint of step {run.now.step} cannot be written, and the one before is left"
            f" as it was: {error}"
        ) from error


def load_checkpoint(directory: Path, run: Run, identity: dict[str, Any]) -> None:
    """Bring a training back to where its last checkpoint stands. On an error nothing changes."""
    path = directory / NAME
    text, tensors = read_tensors(path, kind=FORMAT, version=FORMAT_VERSION)
    try:
        content = json.loads(text)
        theirs, progress = _flat(content["identity"]), content["progress"]
        records = [Record(**record) for record in progress.pop("history")["records"]]
        now = Progress(**progress, history=History(records))
        scaler_state = content["scaler"]
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
        raise ValueError(f"{path} must hold the progress of a training; got: {error!r}") from error
    _check_same(path, _flat(identity), theirs)
    learned = _learned(run.model)
    _check_trainable(path, learned, tensors)
    parameters = dict(run.model.named_parameters())
    needed = {f"model.{name}": parameter for name, parameter in parameters.items()}
    for name in learned:
        like = {"step": torch.zeros(()), **dict.fromkeys(MOMENTS, parameters[name])}
        needed |= {f"adam.{key}.{name}": tensor for key, tensor in like.items()}
    check_tensors(path, tensors, needed, same_dtype=True)
    try:  # the last that may fail, and its object is new: the model is as it was
        run.scaler.load_state_dict(scaler_state)
    except (AttributeError, KeyError, RuntimeError, TypeError) as error:
        raise ValueError(f"{path} must hold the state of a scaler; got: {error!r}") from error

    with torch.no_grad():
        for name, parameter in parameters.items():
            parameter.copy_(tensors[f"model.{name}"])
    states = {
        i: {key: tensors[f"adam.{key}.{name}"] for key in ("step", *MOMENTS)}
        for i, name in enumerate(learned)
    }
    groups = run.optimizer.state_dict()["param_groups"]
    run.optimizer.load_state_dict({"state": states, "param_groups": groups})
    run.now = now


def _check_trainable(path: Path, ours: list[str], tensors: dict[str, Tensor]) -> None:
    """Check that a checkpoint's run trained the same parameters as this one."""
    start, end = "adam.", "."
    theirs = {key[len(start) :].partition(end)[2] for key in tensors if key.startswith(start)}
    for name in sorted(theirs ^ set(ours)):
        needed, got = ("trained", "frozen") if name in ours else ("frozen", "trained")
        raise ValueError(f"{path} must be of this training, with {name} {needed}; got it {got}")


def _learned(model: nn.Module) -> list[str]:
    """Name the parameters that the optimizer changes, in its order."""
    return [name for name, parameter in model.named_parameters() if parameter.requires_grad]


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
