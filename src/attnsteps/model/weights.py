"""A model in a file: its weights, its configuration and a checksum, as safetensors."""

import dataclasses
import json
import os
from pathlib import Path

import torch
from torch import Tensor, nn

from attnsteps.model.config import TransformerConfig
from attnsteps.model.tensor_file import check_tensors, read_tensors, write_tensors
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

    Example:
        >>> from attnsteps import Transformer, TransformerConfig
        >>> model = Transformer(TransformerConfig.tiny(src_vocab_size=11, tgt_vocab_size=13))
        >>> import tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "model.safetensors")
        >>> save_model(model, path)
        >>> load_model(path).config == model.config
        True
    """
    tensors = {name: p.detach().cpu().contiguous() for name, p in model.named_parameters()}
    config = json.dumps(dataclasses.asdict(model.config))
    write_tensors(Path(path), tensors, kind=FORMAT, version=FORMAT_VERSION, config=config)


def load_model(path: str | os.PathLike) -> Transformer:
    """Build the model that a file describes, with its weights and in their dtype, on the CPU.

    Args:
        path: a file that save_model wrote.

    Returns:
        The model, in evaluation mode.

    Raises:
        FileNotFoundError: if there is none.
        ValueError: if it is damaged, cut off, of another format or of a later version.

    Example:
        >>> load_model("no_such_file.safetensors")
        Traceback (most recent call last):
            ...
        FileNotFoundError: ...
    """
    config, tensors = _read(Path(path))
    with torch.random.fork_rng(devices=[]):  # the first weights are drawn, and then replaced
        model = Transformer(config)
    model.to(next((tensor.dtype for tensor in tensors.values()), None))
    copy_weights(model, tensors, Path(path))
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

    Example:
        >>> from attnsteps import Transformer, TransformerConfig
        >>> model = Transformer(TransformerConfig.tiny(src_vocab_size=11, tgt_vocab_size=13))
        >>> import tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "model.safetensors")
        >>> save_model(model, path)
        >>> other = Transformer(model.config)
        >>> load_weights(other, path)
        >>> bool((other.projection.weight == model.projection.weight).all())
        True
    """
    config, tensors = _read(Path(path))
    ours, theirs = dataclasses.asdict(model.config), dataclasses.asdict(config)
    for name in ours:
        if name != "dropout" and ours[name] != theirs[name]:
            raise ValueError(
                f"{path} must hold a model with {name} = {ours[name]!r}; got {theirs[name]!r}"
            )
    copy_weights(model, tensors, Path(path))


def _read(path: Path) -> tuple[TransformerConfig, dict[str, Tensor]]:
    """Read a file, and refuse it unless everything in it is as save_model writes it."""
    text, tensors = read_tensors(path, kind=FORMAT, version=FORMAT_VERSION)
    try:
        config = TransformerConfig(**json.loads(text))
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path} must hold a configuration; got: {error}") from error
    return config, tensors


def copy_weights(model: nn.Module, tensors: dict[str, Tensor], path: Path) -> None:
    """Copy tensors into a model's parameters, all or none."""
    parameters = dict(model.named_parameters())
    check_tensors(path, tensors, parameters)
    with torch.no_grad():
        for name, parameter in parameters.items():
            parameter.copy_(tensors[name])
