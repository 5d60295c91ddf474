"""Searching without training: no dropout, no gradients, and the model left as it was."""

import functools
from collections.abc import Callable

import torch
from torch import nn

from attnsteps.decoding.result import Decoded
from attnsteps.model.mode import in_mode


def inference(search: Callable[..., Decoded]) -> Callable[..., Decoded]:
    """Let a search run without dropout and gradients, and leave the model as it was."""

    @functools.wraps(search)
    def wrapped(model: nn.Module, *args: object, **kwargs: object) -> Decoded:
        with in_mode(model), torch.inference_mode():
            decoded = search(model, *args, **kwargs)
        return Decoded(*(tensor.clone() for tensor in decoded))

    return wrapped
