"""Training or evaluation mode for a while, and every module left as it was."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from weakref import WeakKeyDictionary

from torch import nn

# The mode that each module was in, then those that it was put into since and hasn't left.
# Several threads may use a model: the first to finish must not end the mode of those still at work.
_modes: WeakKeyDictionary[nn.Module, list[bool]] = WeakKeyDictionary()
_lock = Lock()


@contextmanager
def in_mode(model: nn.Module, *, training: bool = False) -> Iterator[None]:
    """Put a model into evaluation mode, or training mode, and each module back into its own."""
    modules = list(model.modules())
    with _lock:
        for module in modules:
            _modes.setdefault(module, [module.training]).append(training)
        model.train(training)
    try:
        yield
    finally:
        with _lock:
            for module in modules:
                modes = _modes[module]
                del modes[len(modes) - 1 - modes[::-1].index(training)]  # the latest one like ours
                module.training = modes[-1]
                if len(modes) == 1:
                    del _modes[module]
