"""A model in a file: its weights, its configuration and a checksum, as safetensors."""

import dataclasses
import hashlib
import json
import os
from pathlib import Path
from uuid import uuid4

import safetensors.torch
import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from attnsteps.model.config import TransformerConfig
from attnsteps.model.transformer import Transformer

FORMAT = "attnsteps.transformer"
FORMAT_VERSION = 1


def save_model(model: Transformer, path: str | os.PathLike) -> None:
    """Write a model into a safetensors file: no pickle, so nothing runs when it is read.

    The file's metadata hold the format and its version, the configuration as JSON and a SHA-256
    of both. A matrix that is shared is stored once. The file appears complete or not at
    all: it is written beside its place and then renamed.

    Args:
        model: the model.
        path: where to write; a file that is there is replaced.

    Raises:
        OSError: if the place cannot be written to.
    """
    path = Path(path)
    tensors = {name: p.detach().cpu().contiguous() for name, p in model.named_parameters()}
    config = json.dumps(dataclasses.asdict(model.config))
    metadata = {
        "format": FORMAT,
        "format_version": str(FORMAT_VERSION),
        "config": config,
        "sha256": _checksum(config, tensors),
    }
    unfinished = path.with_name(f".{path.name}.{uuid4().hex}")
    try:
        safetensors.torch.save_file(tensors, unfinished, metadata)
        with unfinished.open("rb") as file:
            os.fsync(file.fileno())
        unfinished.replace(path)
    except SafetensorError as error:
        raise OSError(f"{path} cannot be written: {error}") from error
    finally:
        unfinished.unlink(missing_ok=True)


def load_model(path: str | os.PathLike) -> Transformer:
    """Build the model that a file describes, with its weights and in their dtype, on the CPU.

    Args:
        path: a file that save_model wrote.

    Returns:
        The model, in evaluation mode.

    Raises:
        FileNotFoundError: if there is none.
        ValueError: if it is damaged, cut off, of another format or of a later version.
    """
    config, tensors = _read(Path(path))
    with torch.random.fork_rng(devices=[]):  # the first weights are drawn, and then replaced
        model = Transformer(config)
    model.to(next((tensor.dtype for tensor in tensors.values()), None))
    _copy(model, tensors, Path(path))
    return model.eval()


def load_weights(model: Transformer, path: str | os.PathLike) -> None:
    """Copy the weights of a file into a model of the same configuration; dropout may differ.

    The model keeps its device and dtype. Where anything is wrong, it stays as it was.

    Args:
        model: changed in place.
        path: a file that save_model wrote.

    Raises:
        FileNotFoundError: if there is none.
        ValueError: if it is damaged, cut off, of another format or of a later version, or holds
            another configuration.
    """
    config, tensors = _read(Path(path))
    ours, theirs = dataclasses.asdict(model.config), dataclasses.asdict(config)
    for name in ours:
        if name != "dropout" and ours[name] != theirs[name]:
            raise ValueError(
                f"{path} must hold a model with {name} = {ours[name]!r}; got {theirs[name]!r}"
            )
    _copy(model, tensors, Path(path))


def _read(path: Path) -> tuple[TransformerConfig, dict[str, Tensor]]:
    """Read a file, and refuse it unless everything in it is as save_model writes it."""
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}")
    try:
        with safe_open(path, framework="pt") as file:
            metadata = file.metadata() or {}
            names = file.keys()  # not a dict, and not to be iterated over itself
            tensors = {name: file.get_tensor(name) for name in names}
    except (SafetensorError, OSError) as error:
        raise ValueError(f"{path} must be a whole safetensors file; got: {error}") from error
    if metadata.get("format") != FORMAT:
        raise ValueError(f"{path} must have the format {FORMAT!r}; got {metadata.get('format')!r}")
    if metadata.get("format_version") != str(FORMAT_VERSION):
        raise ValueError(
            f"{path} must have the format version {FORMAT_VERSION};"
            f" got {metadata.get('format_version')!r}"
        )
    if metadata.get("sha256") != _checksum(metadata.get("config", ""), tensors):
        raise ValueError(f"{path} must agree with the checksum that it holds; got something else")
    try:
        config = TransformerConfig(**json.loads(metadata["config"]))
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path} must hold a configuration; got: {error}") from error
    return config, tensors


def _copy(model: Transformer, tensors: dict[str, Tensor], path: Path) -> None:
    """Copy tensors into a model's parameters, all or none."""
    parameters = dict(model.named_parameters())
    needed = {name: tuple(parameter.shape) for name, parameter in parameters.items()}
    got = {name: tuple(tensor.shape) for name, tensor in tensors.items()}
    if got != needed:
        odd = min(name for name, _ in needed.items() ^ got.items())
        raise ValueError(f"{path} must hold {odd} with shape {needed.get(odd)}; got {got.get(odd)}")
    with torch.no_grad():
        for name, parameter in parameters.items():
            parameter.copy_(tensors[name])


def _checksum(config: str, tensors: dict[str, Tensor]) -> str:
    """Return the SHA-256 of the configuration and of all names, dtypes, shapes and bytes."""
    digest = hashlib.sha256(config.encode())
    for name in sorted(tensors):
        tensor = tensors[name]
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}\n".encode())
        digest.update(tensor.reshape(-1).view(torch.uint8).numpy())
    return digest.hexdigest()
