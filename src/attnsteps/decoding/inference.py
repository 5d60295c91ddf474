"""Searching without training: no dropout, no gradients, and the model left as it was."""

import functools
from collections.abc import Callable

import torch
from torch import Tensor, nn

from attnsteps.decoding.result import Decoded
from attnsteps.model.mode import in_mode


def inference(search: Callable[..., Decoded | tuple]) -> Callable[..., Decoded | tuple]:
    """Let a search run without dropout and gradients, and leave the model as it was."""

    @functools.wraps(search)
    def wrapped(model: nn.Module, *args: object, **kwargs: object) -> Decoded | tuple:
        with in_mode(model), torch.inference_mode():
            found = search(model, *args, **kwargs)
        return _ordinary(found)

    return wrapped


def _ordinary(found: Tensor | tuple) -> Tensor | tuple:
    """Copy tensors, which autograd may then use again, out of whatever tuples they are in."""
    if isinstance(found, Tensor):
        return found.clone()
    parts = [_ordinary(part) for part in found]
    return type(found)(*parts) if hasattr(found, "_fields") else tuple(parts)
