"""Grades the coding exercise of the chapter on a translator that reads any sentence."""

from collections.abc import Callable

import torch
from torch import Tensor

from attnsteps.exercises.verdict import Verdict, attempt, difference, known_mistake


def grade_quantise(function: Callable[[Tensor, int], tuple[Tensor, Tensor]]) -> Verdict:
    """Say whether ``function(weights, bits)`` stores a matrix in so many bits, row by row.

    It should return the whole numbers, (R, C), and the scales, (R, 1): the largest size in a row
    becomes 2^(bits − 1) − 1, and a row of zeros stays one.

    Example:
        >>> grade_quantise(lambda weights, bits: (weights, weights))
        ✗ Not yet: the numbers should be whole ones
    """
    generator = torch.Generator().manual_seed(23)
    weights = torch.randn(4, 6, dtype=torch.float64, generator=generator)
    weights[1] *= 0.01
    weights[2] = -weights[2].abs()  # the largest size is a negative number's
    zeros = torch.cat([weights[:2], torch.zeros(1, 6, dtype=torch.float64)])
    for given, bits in ((weights, 8), (weights, 4), (zeros, 8)):
        got, raised = attempt(lambda given=given, bits=bits: function(given.clone(), bits))
        if fault := raised or _fault(got, given, bits):
            return Verdict(False, fault)
    return Verdict(True, "every row has its own scale, also one of negative numbers or of zeros")


def _stored(weights: Tensor, largest: Tensor, bits: int) -> tuple[Tensor, Tensor]:
    scales = largest / (2 ** (bits - 1) - 1)
    steps = weights / torch.where(scales != 0, scales, 1.0)
    return steps.round(), scales


def _fault(got: object, weights: Tensor, bits: int) -> str:
    """Return what is wrong with the result, by name if the mistake is known, or ""."""
    if not (isinstance(got, tuple | list) and len(got) == 2):
        return "the function should return two tensors: the whole numbers and the scales"
    numbers, scales = (torch.as_tensor(part, dtype=torch.float64) for part in got)
    if numbers.isnan().any():
        return "a row of zeros becomes NaN; what is it divided by?"
    if not torch.equal(numbers, numbers.round()):
        return "the numbers should be whole ones"
    wanted = _stored(weights, weights.abs().amax(1, keepdim=True), bits)
    mistakes = {
        "one scale serves the whole matrix; give each row its own": weights.abs().max(),
        "every column has a scale; give each row its own": weights.abs().amax(0, keepdim=True),
        "the largest number of a row isn't the one of the largest size": weights.amax(
            1, keepdim=True
        ),
        "the bits are always 8; use those that are given": weights.abs().amax(1, keepdim=True),
    }
    known = {
        said: _stored(weights, largest, 8 if said.endswith("given") else bits)[0]
        for said, largest in mistakes.items()
    }
    if fault := difference(numbers, wanted[0], name="numbers"):
        return known_mistake(numbers, known) or fault
    return difference(scales, wanted[1], name="scales")
