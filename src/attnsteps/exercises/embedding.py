"""Grades the coding exercise of the chapter on embeddings."""

from collections.abc import Callable

import torch
from torch import Tensor

from attnsteps.exercises.verdict import Verdict, attempt, difference, known_mistake

_V, _D = 7, 5


def grade_cosines(function: Callable[[Tensor, Tensor], Tensor]) -> Verdict:
    """Say whether ``function(x, vectors)`` gives the cosine of x, (D,), with each row of (V, D).

    Example:
        >>> grade_cosines(lambda x, vectors: vectors @ x)
        ✗ Not yet: these are dot products; divide by both lengths
    """
    generator = torch.Generator().manual_seed(3)
    x = torch.randn(_D, dtype=torch.float64, generator=generator)
    vectors = torch.randn(_V, _D, dtype=torch.float64, generator=generator)
    got, raised = attempt(lambda: function(x.clone(), vectors.clone()))
    if raised:
        return Verdict(False, raised)
    dots, length, lengths = vectors @ x, x.norm(), vectors.norm(dim=1)
    mistakes = {
        "these are dot products; divide by both lengths": dots,
        "x is not divided by its length": dots / lengths,
        "the vectors are not divided by their lengths": dots / length,
        "all vectors are divided by one number; each row has its own length": (
            dots / (length * vectors.norm())
        ),
        "the lengths are squared: take the root of the sum of squares": (
            dots / (length.square() * lengths.square())
        ),
        "the length is the root of the sum of squares, not the sum of the absolute entries": (
            dots / (x.abs().sum() * vectors.abs().sum(1))
        ),
        "these are distances; a cosine compares directions": (vectors - x).norm(dim=1),
        "this is the angle; return its cosine": (dots / (length * lengths)).acos(),
    }
    want = dots / (length * lengths)
    fault = known_mistake(got, mistakes) or difference(got, want, name="similarities")
    return Verdict(not fault, fault or "one cosine for each row, between −1 and 1")
