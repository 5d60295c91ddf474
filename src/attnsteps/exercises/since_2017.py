"""Grades the coding exercise of the chapter on what came after 2017."""

from collections.abc import Callable

import torch
from torch import Tensor

from attnsteps.exercises.verdict import Verdict, attempt, difference

State = tuple[Tensor, Tensor, Tensor]  # largest score (T, 1), total (T, 1), mixed values (T, Dv)
_T, _KEYS, _DV = 5, 7, 3
_NAMES = ("largest", "total", "mixed")


def grade_merge(function: Callable[[State, State], State]) -> Verdict:
    """Say whether ``function(one, other)`` joins what two machines know of a running softmax.

    Each state is (largest, total, mixed): the largest score (T, 1), the sum of the weights (T, 1)
    and the weighted sum of the values (T, Dv), over one half of the keys, as in tiled_attention.
    The function should return the state over all keys.

    Example:
        >>> grade_merge(lambda one, other: (one[0], one[1] + other[1], one[2] + other[2]))
        ✗ Not yet: the totals are added as they are; each counts in units of its own largest score
    """
    generator = torch.Generator().manual_seed(22)

    def draw(*shape: int) -> Tensor:
        return torch.randn(*shape, dtype=torch.float64, generator=generator)

    scores, values = 3 * draw(_T, 2 * _KEYS), draw(2 * _KEYS, _DV)
    one, other = (_state(scores[:, half], values[half]) for half in _halves())
    wanted = _state(scores, values)
    for left, right in ((one, other), (other, one)):
        given = [tuple(part.clone() for part in state) for state in (left, right)]
        got, raised = attempt(lambda given=given: function(*given))
        fault = raised or _fault(got, left, right, wanted)
        if fault:
            return Verdict(False, fault)
    return Verdict(True, "two halves of the keys, joined without looking at a score again")


def _halves() -> tuple[slice, slice]:
    return slice(0, _KEYS), slice(_KEYS, 2 * _KEYS)


def _state(scores: Tensor, values: Tensor) -> State:
    """Return what one machine knows after it has seen all of its keys."""
    largest = scores.amax(dim=1, keepdim=True)
    weights = (scores - largest).exp()
    return largest, weights.sum(dim=1, keepdim=True), weights @ values


def _fault(got: object, one: State, other: State, wanted: State) -> str:
    """Return what is wrong with the result, by name if the mistake is known, or ""."""
    if not (isinstance(got, tuple | list) and len(got) == 3):
        return "the function should return three tensors: largest, total, mixed"
    total, mixed = (torch.as_tensor(part) for part in got[1:])
    context = wanted[2] / wanted[1]
    mistakes = {
        "the totals are added as they are; each counts in units of its own largest score": (
            total,
            one[1] + other[1],
        ),
        "mixed holds the context already; divide by the total at the very end": (mixed, context),
        "the mixed values are added as they are; shrink them like the totals": (
            mixed,
            one[2] + other[2],
        ),
    }
    for sentence, (tensor, wrong) in mistakes.items():
        if tensor.shape == wrong.shape and torch.allclose(tensor.to(wrong.dtype), wrong):
            return sentence
    parts = zip(got, wanted, _NAMES, strict=True)
    faults = [difference(part, right, name=name) for part, right, name in parts]
    return next((fault for fault in faults if fault), "")
