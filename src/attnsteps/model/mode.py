"""Training or evaluation mode for a while, and every module left as it was."""

from collections.abc import Iterator
from contextlib import contextmanager

from torch import nn


@contextmanager
def in_mode(model: nn.Module, *, training: bool = False) -> Iterator[None]:
    """Put a model into evaluation mode, or training mode, and each module back into its own."""
    modes = [(module, module.training) for module in model.modules()]
    model.train(training)
    try:
        yield
    finally:
        for module, mode in modes:
            module.training = mode
