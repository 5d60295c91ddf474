"""Grades the coding exercise of the chapter on the feed-forward network."""

from collections.abc import Callable

import torch
from torch import Tensor

from attnsteps.exercises.verdict import Verdict, attempt, difference, known_mistake

# Every size is another prime, so that swapped axes cannot pass by chance.
_SHAPES = {"w_1": (5, 11), "b_1": (11,), "w_2": (11, 5), "b_2": (5,)}
_LEADS = ((), (3,), (2, 7))


def grade_feed_forward(function: Callable[..., Tensor]) -> Verdict:
    """Say whether ``function(x, w_1, b_1, w_2, b_2)`` gives max(0, x W_1 + b_1) W_2 + b_2.

    It takes x, (..., D), and the matrices (D, Dff) and (Dff, D) with their biases, and should
    return (..., D).

    Example:
        >>> grade_feed_forward(lambda x, w_1, b_1, w_2, b_2: (x @ w_1 + b_1) @ w_2 + b_2)
        ✗ Not yet: nothing bends: this is x W_1 W_2 and a bias, a single linear map
    """
    generator = torch.Generator().manual_seed(12)
    parameters = [
        torch.randn(shape, dtype=torch.float64, generator=generator) for shape in _SHAPES.values()
    ]
    for lead in _LEADS:
        x = torch.randn(*lead, 5, dtype=torch.float64, generator=generator)
        given = x.clone()
        copies = [parameter.clone() for parameter in parameters]
        got, raised = attempt(lambda x=x, copies=copies: function(x, *copies))
        if raised:
            return Verdict(False, f"{raised} (for x of shape {tuple(x.shape)})")
        fault = _fault(got, given, parameters)
        if fault:
            return Verdict(False, fault)
        if not torch.equal(x, given):
            return Verdict(False, "the function changes the x it was given")
    return Verdict(True, "up, ReLU, down, for every position by itself")


def _fault(got: object, x: Tensor, parameters: list[Tensor]) -> str:
    """Return what is wrong with the result, by name if the mistake is known, or ""."""
    w_1, b_1, w_2, b_2 = parameters
    up = x @ w_1 + b_1
    mistakes = {
        "nothing bends: this is x W_1 W_2 and a bias, a single linear map": up @ w_2 + b_2,
        "the ReLU comes after W_2, so that no output can be negative": (up @ w_2 + b_2).relu(),
        "there is one ReLU too many, after W_2": (up.relu() @ w_2 + b_2).relu(),
        "b_1 is added after the ReLU; add it before, where it can switch units on": (
            ((x @ w_1).relu() + b_1) @ w_2 + b_2
        ),
        "b_1 is missing": (x @ w_1).relu() @ w_2 + b_2,
        "b_2 is missing": up.relu() @ w_2,
        "x is added to the result; the residual connection belongs to the sublayer around it": (
            up.relu() @ w_2 + b_2 + x
        ),
        "the units are cut off above 0 instead of below; ReLU is max(0, ·)": (
            up.clamp(max=0) @ w_2 + b_2
        ),
        "this returns the hidden units; W_2 must bring them back to width D": up.relu(),
    }
    return known_mistake(got, mistakes) or difference(got, up.relu() @ w_2 + b_2, name="output")
