"""A training in a file: everything that the next update depends on, so that it can go on."""

import dataclasses
import hashlib
import json
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from torch import Tensor, nn
from torch.amp import GradScaler
from torch.optim import Adam

from attnsteps.model.tensor_file import read_tensors, write_tensors
from attnsteps.model.weights import copy_weights
from attnsteps.text.batch import Example
from attnsteps.text.vocab import Vocab
from attnsteps.training.config import TrainingConfig
from attnsteps.training.log import History, Record
from attnsteps.training.loss import LossFunction
from attnsteps.training.progress import Progress

NAME = "checkpoint.safetensors"
FORMAT = "attnsteps.checkpoint"
FORMAT_VERSION = 1

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
    if config.schedule != "linear":
        del settings["steps"]  # such a schedule has no end, and a training can be prolonged
    source, target = vocabularies or (None, None)
    return {
        "model": {"class": type(model).__name__, **dataclasses.asdict(model.config)},
        "config": {name: value for name, value in settings.items() if name not in FREE},
        "loss": getattr(loss_fn, "__qualname__", type(loss_fn).__name__),
        "source vocabulary": source and source.to_list(),
        "target vocabulary": target and target.to_list(),
        "examples": {"number": len(examples), "sha256": _checksum(examples)},
    }


def save_checkpoint(
    directory: Path,
    model: nn.Module,
    optimizer: Adam,
    *,
    scaler: GradScaler,
    progress: Progress,
    identity: dict[str, Any],
) -> None:
    """Write a training down, in place of its last checkpoint; complete or not at all."""
    names = _learned(model)
    tensors = {f"model.{name}": parameter for name, parameter in model.named_parameters()}
    for i, state in optimizer.state_dict()["state"].items():
        tensors |= {f"adam.{key}.{names[i]}": tensor for key, tensor in state.items()}
    tensors = {name: t.detach().cpu().contiguous() for name, t in tensors.items()}
    text = json.dumps(
        {
            "identity": identity,
            "progress": dataclasses.asdict(progress),
            "scaler": scaler.state_dict(),
        },
        ensure_ascii=False,
    )
    try:
        write_tensors(directory / NAME, tensors, kind=FORMAT, version=FORMAT_VERSION, config=text)
    except OSError as error:
        raise OSError(
            f"the checkpoint of step {progress.step} cannot be written, and the one before is left"
            f" as it was: {error}"
        ) from error


def load_checkpoint(
    directory: Path,
    model: nn.Module,
    optimizer: Adam,
    *,
    scaler: GradScaler,
    identity: dict[str, Any],
) -> Progress:
    """Bring a training back to where its last checkpoint stands. On an error nothing changes."""
    path = directory / NAME
    text, tensors = read_tensors(path, kind=FORMAT, version=FORMAT_VERSION)
    content = json.loads(text)
    _check_same(path, identity, content["identity"])

    start = "model."
    weights = {key[len(start) :]: t for key, t in tensors.items() if key.startswith(start)}
    _check_trainable(path, _learned(model), tensors)
    copy_weights(model, weights, path)
    states = {i: _state(tensors, name) for i, name in enumerate(_learned(model))}
    groups = optimizer.state_dict()["param_groups"]
    optimizer.load_state_dict({"state": states, "param_groups": groups})
    scaler.load_state_dict(content["scaler"])

    progress = content["progress"]
    records = [Record(**record) for record in progress.pop("history")["records"]]
    return Progress(**progress, history=History(records))


def _state(tensors: dict[str, Tensor], name: str) -> dict[str, Tensor]:
    """Return what Adam remembers of one parameter."""
    return {key: tensors[f"adam.{key}.{name}"] for key in ("step", "exp_avg", "exp_avg_sq")}


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
    ours, theirs = _flat(ours), _flat(theirs)
    for name in {**ours, **theirs}:
        needed, got = ours.get(name), theirs.get(name)
        if needed != got:
            raise ValueError(f"{path} must be of this training, {name} = {needed!r}; got {got!r}")


def _flat(identity: dict[str, Any]) -> dict[str, Any]:
    """Give every single value in an identity a name of its own."""
    flat = {}
    for part, value in json.loads(json.dumps(identity)).items():
        if isinstance(value, dict):
            flat |= {f"{part}.{key}": inner for key, inner in value.items()}
        elif isinstance(value, list):
            flat[f"size of the {part}"] = len(value)
            flat |= {f"token {i} of the {part}": token for i, token in enumerate(value)}
        else:
            flat[part] = value
    return flat


def _checksum(examples: Sequence[Example]) -> str:
    """Return the SHA-256 of all ids, and of where each sentence ends."""
    digest = hashlib.sha256()
    for pair in examples:
        for ids in pair:
            digest.update(array("q", [len(ids), *ids]).tobytes())
    return digest.hexdigest()
