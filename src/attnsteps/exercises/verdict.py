"""The result of a grading function: right or wrong, and what exactly is wrong."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Verdict:
    """The outcome of a coding exercise; true if the exercise is solved.

    Example:
        >>> Verdict(correct=False, message="the rows sum to 2, not to 1")
        ✗ Not yet: the rows sum to 2, not to 1
    """

    correct: bool
    message: str

    def __bool__(self) -> bool:
        """Make ``assert`` work."""
        return self.correct

    def __repr__(self) -> str:
        """Read as a sentence at the end of a cell."""
        return f"✓ Right: {self.message}" if self.correct else f"✗ Not yet: {self.message}"


def attempt(call: Callable[[], object]) -> tuple[object, str]:
    """Call a reader's function; return its result and "", or None and its exception as a sentence.

    Example:
        >>> attempt(lambda: [][0])
        (None, 'your function raised IndexError: list index out of range')
    """
    try:
        return call(), ""
    except Exception as error:  # whatever a reader's code may raise
        return None, f"your function raised {type(error).__name__}: {error}"


def difference(got: object, want: Tensor, *, name: str, tolerance: float = 1e-5) -> str:
    """Return how ``got`` differs from ``want`` (type, shape, NaN or the worst entry), or "".

    Example:
        >>> difference(torch.zeros(2), torch.ones(2), name="weights")
        'weights[0] should be 1 and is 0'
    """
    if got is None:
        return f"{name} is None; does the function return its result?"
    if not isinstance(got, Tensor):
        return f"{name} should be a tensor and is a {type(got).__name__}"
    if got.shape != want.shape:
        return f"{name} should have shape {tuple(want.shape)} and has {tuple(got.shape)}"
    if bool(torch.isnan(got).any()):
        return f"{name} holds NaN"
    distance = torch.where(got == want, 0.0, (got.to(want.dtype) - want).abs())  # −inf equals −inf
    if bool((distance <= tolerance).all()):
        return ""
    worst = tuple(int(axis) for axis in torch.unravel_index(distance.argmax(), want.shape))
    place = f"[{', '.join(map(str, worst))}]" if worst else ""
    return f"{name}{place} should be {want[worst].item():.4g} and is {got[worst].item():.4g}"


def known_mistake(got: object, mistakes: dict[str, Tensor]) -> str:
    """Return the sentence about the mistake that gives exactly this result, or "".

    Example:
        >>> known_mistake(torch.ones(2), {"all are 0": torch.zeros(2), "all are 1": torch.ones(2)})
        'all are 1'
    """
    given = (said for said, wrong in mistakes.items() if not difference(got, wrong, name="it"))
    return next(given, "")
