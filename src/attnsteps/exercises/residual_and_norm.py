"""Grades the coding exercise of the chapter on residual connections and norms."""

from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from attnsteps.exercises.verdict import Verdict, attempt, difference, known_mistake

# Every size is another prime, so that a norm over the wrong axis cannot pass by chance.
_B, _T, _D = 2, 5, 7
_EPS = 1e-3


def grade_layer_norm(function: Callable[[Tensor, Tensor, Tensor, float], Tensor]) -> Verdict:
    """Say whether ``function(x, weight, bias, eps)`` is layer normalisation, and if not, why not.

    It takes x, (..., D), weight and bias, (D,), and should return a tensor like x.

    Example:
        >>> grade_layer_norm(lambda x, weight, bias, eps: x)
        ✗ Not yet: this is x as it was given
    """
    for check in (_ordinary, _constant, _far_from_zero):
        if fault := check(function):
            return Verdict(False, fault)
    return Verdict(
        True,
        "mean 0 and biased variance 1 for each vector by itself, ε inside the root,"
        " and no NaN far from zero",
    )


def _inputs(dtype: torch.dtype = torch.float64) -> tuple[Tensor, Tensor, Tensor]:
    """Return x, weight and bias; the second sentence's vectors are so short that ε matters."""
    generator = torch.Generator().manual_seed(11)
    x = torch.randn(_B, _T, _D, dtype=torch.float64, generator=generator)
    x[1] *= 0.03
    weight, bias = torch.randn(2, _D, dtype=torch.float64, generator=generator)
    return (x + 0.5).to(dtype), (weight + 2).to(dtype), (bias + 1).to(dtype)


def _ordinary(function: Callable) -> str:
    """Return what is wrong for ordinary vectors, or the empty string."""
    x, weight, bias = _inputs()
    given = (
        x.clone().requires_grad_().clone()
    )  # not a leaf, because PyTorch forbids changing those in place
    got, raised = attempt(lambda: function(given, weight.clone(), bias.clone(), _EPS))
    if raised:
        return raised
    wrong = difference(got, _formula(x, weight, bias), name="output")
    if wrong:
        return known_mistake(got, dict(_mistakes(x, weight, bias))) or wrong
    if not torch.equal(given, x):
        return "the function changes the x it was given; the residual connection still needs it"
    if not got.requires_grad:
        return "no gradient can flow from the output back to x; use tensor operations only"
    return ""


def _constant(function: Callable) -> str:
    """Return what is wrong for a vector whose entries are all equal, or the empty string."""
    _, weight, bias = _inputs()
    x = torch.full((1, _D), 3.0, dtype=torch.float64)
    got, raised = attempt(lambda: function(x, weight, bias, _EPS))
    wrong = raised or difference(got, bias[None], name="output")
    return wrong and f"for a vector of equal entries: {wrong}"


def _far_from_zero(function: Callable) -> str:
    """Return what is wrong in float32 around a mean of 10,000, or the empty string."""
    x, weight, bias = (tensor.float() for tensor in _inputs())
    x = 1e4 + x[:1].mul(16).round().div(8)  # exact in float32
    want = _formula(x.double(), weight.double(), bias.double())
    got, raised = attempt(lambda: function(x, weight, bias, _EPS))
    wrong = raised or difference(got, want, name="output", tolerance=1e-2)
    if not wrong:
        return ""
    if not isinstance(got, Tensor) or got.shape != want.shape:
        return f"in float32, {wrong}"
    return (
        f"in float32, around a mean of 10,000: {wrong};"
        " subtract the mean before you square; don't compute E[x²] − E[x]²"
    )


def _formula(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    centred = x - x.mean(-1, keepdim=True)
    return weight * centred / (centred.square().mean(-1, keepdim=True) + _EPS).sqrt() + bias


def _mistakes(x: Tensor, weight: Tensor, bias: Tensor) -> Iterator[tuple[str, Tensor]]:
    """Yield common mistakes, each with its output."""
    centred = x - x.mean(-1, keepdim=True)
    biased = centred.square().mean(-1, keepdim=True)
    unbiased = x.var(-1, keepdim=True)
    normed = centred / (biased + _EPS).sqrt()
    divide = "the deviations are divided by the root of their variance"
    yield "this is x as it was given", x
    yield "weight and bias are not used", normed
    yield "the weight is not used", normed + bias
    yield "the bias is not used", weight * normed
    yield "the bias is multiplied by the weight too", weight * (normed + bias)
    yield (
        "the variance is divided by D − 1; here it is the mean of the squares, divided by D"
        " (correction=0)",
        weight * centred / (unbiased + _EPS).sqrt() + bias,
    )
    yield (
        "ε is outside the root; it belongs inside, √(σ² + ε)",
        weight * centred / (biased.sqrt() + _EPS) + bias,
    )
    yield (
        "two things: the variance is divided by D − 1, and ε stands outside the root",
        weight * centred / (unbiased.sqrt() + _EPS) + bias,
    )
    yield f"ε is not used; {divide} plus ε", weight * centred / biased.sqrt() + bias
    yield f"the root is missing; {divide}", weight * centred / (biased + _EPS) + bias
    yield (
        "the mean is not subtracted: this is RMSNorm with a bias",
        weight * x / (x.square().mean(-1, keepdim=True) + _EPS).sqrt() + bias,
    )
    yield (
        "the mean is subtracted from x in the denominator only, not in the numerator",
        weight * x / (biased + _EPS).sqrt() + bias,
    )
    for name, axes in (
        ("over the positions (dim=-2): information flows between words", (-2,)),
        ("over a whole sentence at once: information flows between words", (-2, -1)),
        ("over the batch: information flows between sentences", (0,)),
        ("over the whole tensor at once: information flows between sentences", (0, 1, 2)),
    ):
        deviation = x - x.mean(axes, keepdim=True)
        variance = deviation.square().mean(axes, keepdim=True)
        yield (
            f"mean and variance are taken {name}; each vector has its own, dim=-1",
            weight * deviation / (variance + _EPS).sqrt() + bias,
        )
