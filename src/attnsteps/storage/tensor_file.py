"""Tensors in a file that is whole or not there: safetensors, with a checksum, and no pickle."""

import hashlib
import json
from pathlib import Path

import safetensors.torch
import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from attnsteps.storage.new_file import new_file


def as_text(content: dict) -> str:
    """Write a file's text, as JSON; NumPy's numbers count as numbers."""
    return json.dumps(content, ensure_ascii=False, default=lambda number: number.item())


def write_tensors(
    path: Path, tensors: dict[str, Tensor], *, kind: str, version: int, config: str
) -> None:
    """Write tensors and a text into a file, which appears complete or not at all."""
    metadata = {
        "format": kind,
        "format_version": str(version),
        "config": config,
        "sha256": checksum(config, tensors),
    }
    with new_file(path) as unfinished:
        safetensors.torch.save_file(tensors, unfinished, metadata)


def read_tensors(path: Path, *, kind: str, version: int) -> tuple[str, dict[str, Tensor]]:
    """Read a file, and refuse it unless everything in it is as write_tensors writes it."""
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}")
    try:
        with safe_open(path, framework="pt") as file:
            metadata = file.metadata() or {}
            names = file.keys()  # not a dict, and not to be iterated over itself
            tensors = {name: file.get_tensor(name) for name in names}
    except (SafetensorError, OSError) as error:
        raise ValueError(f"{path} must be a whole safetensors file; got: {error}") from error
    if metadata.get("format") != kind:
        raise ValueError(f"{path} must have the format {kind!r}; got {metadata.get('format')!r}")
    if metadata.get("format_version") != str(version):
        raise ValueError(
            f"{path} must have the format version {version}; got {metadata.get('format_version')!r}"
        )
    config = metadata.get("config", "")
    if metadata.get("sha256") != checksum(config, tensors):
        raise ValueError(
            f"{path} must hold what was written into it; got other bytes, so it is damaged"
        )
    return config, tensors


def check_tensors(
    path: Path, tensors: dict[str, Tensor], needed: dict[str, Tensor], *, same_dtype: bool = False
) -> None:
    """Refuse a file's tensors unless they are those that are needed, by name, shape and dtype.

    Floating-point numbers may be in another precision, unless same_dtype is True.
    """
    for name in sorted(needed.keys() | tensors.keys()):
        if name not in needed:
            raise ValueError(f"{path} must hold only what the model has; got {name} as well")
        wanted, shape = needed[name], tuple(needed[name].shape)
        if name not in tensors:
            raise ValueError(f"{path} must hold {name} with shape {shape}; got none")
        got = tensors[name]
        if got.shape != wanted.shape:
            raise ValueError(f"{path} must hold {name} with shape {shape}; got {tuple(got.shape)}")
        if not got.is_floating_point() or (same_dtype and got.dtype != wanted.dtype):
            raise ValueError(f"{path} must hold {name} in {wanted.dtype}; got {got.dtype}")


def checksum(config: str, tensors: dict[str, Tensor]) -> str:
    """Return the SHA-256 of a text and of all names, dtypes, shapes and bytes."""
    digest = hashlib.sha256(config.encode())
    for name in sorted(tensors):
        tensor = tensors[name]
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}\n".encode())
        digest.update(tensor.reshape(-1).view(torch.uint8).numpy())
    return digest.hexdigest()
