"""Searching without training: no dropout, no gradients, and the model left as it was."""

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch
from torch import nn

from attnsteps.decoding.result import Decoded


@contextmanager
def evaluating(model: nn.Module) -> Iterator[None]:
    """Put a model into evaluation mode, and each of its modules back into its own afterwards.

    Args:
        model: the model.

    Yields:
        Nothing.
    """
    modes = [(module, module.training) for module in model.modules()]
    model.eval()
    try:
        yield
    finally:
        for module, training in modes:
            module.training = training


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
        with evaluating(model), torch.inference_mode():
            decoded = search(model, *args, **kwargs)
        return Decoded(*(tensor.clone() for tensor in decoded))

    return wrapped
