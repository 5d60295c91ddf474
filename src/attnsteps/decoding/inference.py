"""Searching without training: no dropout, no gradients, and the model left as it was."""

import functools
from collections.abc import Callable

import torch
from torch import nn

from attnsteps.decoding.result import Decoded


def inference(search: Callable[..., Decoded]) -> Callable[..., Decoded]:
    """Let a search run without dropout and gradients, and leave the model as it was.

    Args:
        search: a function whose first argument is the model.

    Returns:
        The same function. While it runs, the model is in evaluation mode; then each of its modules
        returns to the mode that it was in, after an error too. The tensors are ordinary ones,
        which a training step may use.
    """

    @functools.wraps(search)
    def wrapped(model: nn.Module, *args: object, **kwargs: object) -> Decoded:
        modes = [(module, module.training) for module in model.modules()]
        model.eval()
        try:
            with torch.inference_mode():
                decoded = search(model, *args, **kwargs)
        finally:
            for module, training in modes:
                module.training = training
        return Decoded(*(tensor.clone() for tensor in decoded))

    return wrapped
