"""Grades the exercise of chapter "softmax": a masked softmax with a temperature."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from attnsteps.exercises.verdict import Verdict, attempt, difference, known_mistake
from attnsteps.layers.softmax import masked_softmax

Softmax = Callable[[Tensor, Tensor, float], Tensor]


def grade_masked_softmax(function: Softmax) -> Verdict:
    """Say whether a function is the softmax of masked scores, and if not, what is wrong.

    It is called as ``function(scores, mask, temperature)`` with scores (Tq, Tk), a bool mask (Tq,
    Tk), True = may attend, and a positive number. It should return weights (Tq, Tk): 0 where the
    mask is False, and all zeros in a row where the mask is False throughout.

    Example:
        >>> grade_masked_softmax(lambda scores, mask, temperature: scores.softmax(dim=0))
        ✗ Not yet: the columns sum to 1, not the rows: softmax runs over the keys, the last axis
    """
    for check in _CHECKS:
        if message := check(function):
            return Verdict(correct=False, message=message)
    return Verdict(
        correct=True,
        message="rows sum to 1, large scores survive, and a masked key gets nothing at all",
    )


def _scores() -> Tensor:
    """Return scores of five queries for three keys; the counts differ so that swapped axes show."""
    generator = torch.Generator().manual_seed(6)
    return 2 * torch.randn(5, 3, generator=generator, dtype=torch.float64)


def _open(scores: Tensor) -> Tensor:
    """Return a mask that hides nothing."""
    return torch.ones_like(scores, dtype=torch.bool)


def _run(
    function: Softmax, scores: Tensor, mask: Tensor, temperature: float = 1.0
) -> tuple[Tensor, Tensor, str]:
    """Return the function's result, the right one, and how they differ in form."""
    want = masked_softmax(scores / temperature, mask)
    got, problem = attempt(lambda: function(scores.clone(), mask.clone(), temperature))
    if not problem and not (isinstance(got, Tensor) and got.shape == want.shape):
        problem = difference(got, want, name="weights")
    return got, want, problem


def _close(got: Tensor, want: Tensor) -> bool:
    """Tell whether two tensors agree to five decimals; NaN never does."""
    return bool(torch.allclose(got.double(), want.double(), rtol=0, atol=1e-5))


def _plain(function: Softmax) -> str:
    """Check ordinary scores: no mask, temperature 1."""
    scores = _scores()
    got, want, problem = _run(function, scores, _open(scores))
    if problem:
        return problem
    mistakes = {
        "the columns sum to 1, not the rows: softmax runs over the keys, the last axis": (
            scores.softmax(0)
        ),
        "all weights together sum to 1; each row must do so by itself (dim=-1)": (
            scores.flatten().softmax(0).view_as(scores)
        ),
        "softmax is applied twice, which leaves the rows nearly uniform": want.softmax(-1),
        "the powers are right, but nothing divides them by their sum": scores.exp(),
        "the scores themselves are divided by their sum; take e to the power of each one first": (
            scores / scores.sum(-1, keepdim=True)
        ),
        "these are the logarithms of the weights; leave out the logarithm": scores.log_softmax(-1),
        "all the weights are 0; the mask hides nothing here": torch.zeros_like(want),
    }
    return known_mistake(got, mistakes) or difference(got, want, name="weights")


def _temperature(function: Softmax) -> str:
    """Check that the scores are divided by the temperature."""
    scores = _scores()
    got, want, problem = _run(function, scores, _open(scores), 2.0)
    if problem or _close(got, want):
        return problem
    if _close(got, scores.softmax(-1)):
        return "the temperature changes nothing"
    if _close(got, (2 * scores).softmax(-1)):
        return "the scores are multiplied by the temperature; they must be divided by it"
    if _close(got, scores.softmax(-1) / 2):
        return "the weights are divided by the temperature; divide the scores, before the powers"
    return f"with temperature 2, {difference(got, want, name='weights')}"


def _size(function: Softmax) -> str:
    """Check scores that overflow or underflow unless the maximum is subtracted."""
    large = torch.tensor([[1000.0, 998.0, 998.0]])
    got, want, problem = _run(function, large, _open(large))
    if problem:
        return problem
    if not _close(got, want):
        return (
            f"scores of 1000, 998, 998 give {_row(got[0])}: e to the power of 1000 overflows,"
            " so subtract the maximum first"
        )
    apart = torch.tensor([[1000.0, 998.0, 998.0], [-1000.0, -1002.0, -1002.0]])
    got, want, problem = _run(function, apart, _open(apart))
    if problem or _close(got, want):
        return problem
    return (
        f"next to a row around 1000, a row around −1000 gives {_row(got[1])}:"
        " subtract each row's own maximum, not the largest score of all"
    )


def _mask(function: Softmax) -> str:
    """Check an ordinary mask."""
    scores = _scores()
    mask = torch.tensor([[True, True, False]] * 3 + [[True, False, False]] * 2)
    got, want, problem = _run(function, scores, mask)
    if problem:
        return problem
    after = f"the mask comes after the softmax, and row 0 sums to {got[0].sum():.2f} only"
    mistakes = {
        "the mask changes nothing": scores.softmax(-1),
        "the mask is read the wrong way round: True means that the key may be attended to": (
            masked_softmax(scores, ~mask)
        ),
        f"{after}: hide the scores before": scores.softmax(-1) * mask,
        "a masked score became 0, which still gets e⁰ = 1; it must become −inf": (
            (scores * mask).softmax(-1)
        ),
    }
    off = known_mistake(got, mistakes) or difference(got, want, name="weights")
    return f"with a mask, {off}" if off.startswith("weights") else off


def _hidden_maximum(function: Softmax) -> str:
    """Check a mask that hides the largest score."""
    high = torch.tensor([[1000.0, 2.0, 2.0]])
    got, want, problem = _run(function, high, torch.tensor([[False, True, True]]))
    if problem or _close(got, want):
        return problem
    return (
        f"with a masked score of 1000 next to 2 and 2, the row is {_row(got[0])}:"
        " hide the masked scores before taking the maximum"
    )


def _minus_infinity(function: Softmax) -> str:
    """Check that a masked score is below every real one, in every number format."""
    low = torch.tensor([[-3e9, -2e9, 5.0]])
    mask = torch.tensor([[True, True, False]])
    got, want, problem = _run(function, low, mask)
    if problem:
        return problem
    if not _close(got, want):
        return (
            "among scores of −3e9 and −2e9, the masked key wins:"
            " a large negative number is not −inf (float('-inf'))"
        )
    got, want, problem = _run(function, torch.tensor([[4.0, 2.0, 2.0]]).half(), mask)
    if problem:
        return f"in float16, {problem}"
    off = difference(got, want, name="weights", tolerance=2e-3)
    return f"in float16, {off}" if off else ""


def _empty_row(function: Softmax) -> str:
    """Check a row that may attend to nothing."""
    scores = torch.tensor([[4.0, 2.0, 2.0], [4.0, 2.0, 2.0]])
    mask = torch.tensor([[True, True, True], [False, False, False]])
    got, want, problem = _run(function, scores, mask)
    if problem:
        return problem
    if bool(got[1].isnan().any()):
        return "a row with nothing to attend to is NaN; it should be all zeros"
    if _close(got[1], torch.full((3,), 1 / 3)):
        return "a row with nothing to attend to became a plain average; it should be all zeros"
    if _close(got, want):
        return ""
    return f"with a row that may attend to nothing, {difference(got, want, name='weights')}"


def _gradient(function: Softmax) -> str:
    """Check that gradients flow, and that an empty row sends back neither a gradient nor NaN."""
    direction = torch.tensor([[1.0, 2.0, 4.0], [1.0, 2.0, 4.0]])
    mask = torch.tensor([[True, True, False], [False, False, False]])

    def gradient(softmax: Softmax) -> Tensor:
        scores = torch.tensor([[4.0, 2.0, 2.0], [4.0, 2.0, 2.0]], requires_grad=True)
        (softmax(scores, mask.clone(), 1.0) * direction).sum().backward()
        return scores.grad

    got, problem = attempt(lambda: gradient(function))
    if problem:
        return f"the weights are right, but without a gradient: {problem}"
    if got is None:
        return "the weights are right, but no gradient reaches the scores"
    if bool(got.isnan().any()):
        return (
            "the weights are right, but the gradient is NaN: a NaN that is replaced afterwards"
            " still comes back in the backward pass, so never let one arise"
        )
    want = gradient(lambda scores, mask, temperature: masked_softmax(scores / temperature, mask))
    return difference(got, want, name="the gradient of scores")


def _row(weights: Tensor) -> str:
    """Write one row of weights for the reader."""
    shown = ", ".join("NaN" if math.isnan(w) else f"{w:.3g}" for w in weights.tolist())
    return f"[{shown}]"


#: In this order, because each check may rely on the earlier ones.
_CHECKS = (
    _plain,
    _temperature,
    _size,
    _mask,
    _hidden_maximum,
    _minus_infinity,
    _empty_row,
    _gradient,
)
