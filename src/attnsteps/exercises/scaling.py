"""Grades the coding exercise of the chapter on scaling the scores."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from attnsteps.exercises.verdict import Verdict, attempt, difference

# Every size is another prime, so that a wrong divisor or a swapped axis cannot pass by chance.
_LEAD, _TQ, _TK = (2, 3), 5, 7
_DKS = {(): 11, _LEAD: 13}  # a hard-coded width fits only one of them


def grade_scaled_scores(function: Callable[[Tensor, Tensor], Tensor]) -> Verdict:
    """Say whether ``function(q, k)`` gives Q Kᵀ / √d_k, and if not, what it gives instead.

    From q (..., Tq, Dk) and k (..., Tk, Dk), with any leading axes, it should make the scores (...,
    Tq, Tk), before softmax.

    Example:
        >>> grade_scaled_scores(lambda q, k: q @ k.transpose(-2, -1))
        ✗ Not yet: the dot products are not divided; with d_k = 11 they need √11 = 3.317
    """
    for lead, d_k in _DKS.items():
        if fault := _fault(function, lead, d_k):
            return Verdict(False, fault)
    return Verdict(True, "each dot product is divided by √d_k, and any leading axes may come along")


def _fault(function: Callable[[Tensor, Tensor], Tensor], lead: tuple[int, ...], d_k: int) -> str:
    """Return what is wrong for inputs of this shape, or the empty string."""
    generator = torch.Generator().manual_seed(5)
    q, k = (
        torch.randn(*lead, size, d_k, dtype=torch.float64, generator=generator).requires_grad_()
        for size in (_TQ, _TK)
    )
    given = q.detach().clone(), k.detach().clone()
    q, k = q.clone(), k.clone()  # not leaves, because PyTorch forbids changing those in place
    got, raised = attempt(lambda: function(q, k))
    if raised:
        return raised + (f" (for q of shape {tuple(q.shape)})" if lead else "")
    dots = (given[0] @ given[1].transpose(-2, -1)).detach()
    want = dots / math.sqrt(d_k)
    if isinstance(got, Tensor) and got.shape == want.transpose(-2, -1).shape:
        return (
            f"the scores have shape {tuple(got.shape)}: one row per key; each query needs its row"
        )
    wrong = difference(got, want, name="scores")
    if wrong:
        return _known_mistake(got, dots, d_k) or wrong
    if not (torch.equal(q, given[0]) and torch.equal(k, given[1])):
        return "the function changes the q or k it was given; its caller still needs them"
    if not got.requires_grad:
        return "no gradient can flow from the scores back to q and k; use tensor operations only"
    return ""


def _known_mistake(got: object, dots: Tensor, d_k: int) -> str:
    """Return the mistake behind a result that is a known function of the dot products."""
    if not isinstance(got, Tensor) or got.shape != dots.shape:
        return ""
    got = got.detach().to(dots.dtype)
    root = math.sqrt(d_k)
    for name, scores in (("softmax(q·k)", dots), ("softmax(q·k / √d_k)", dots / root)):
        if torch.allclose(got, scores.softmax(-1)):
            return f"this is {name}; return the scores before softmax"
        if torch.allclose(got, scores.softmax(-1) / root):
            return f"this is {name} / √d_k: divide before softmax, and leave softmax for later"
    factor = (got / dots).mean().item()
    if not torch.allclose(got, factor * dots):
        return ""
    need = f"with d_k = {d_k} they need √{d_k} = {root:.4g}"
    reasons = {
        1.0: "are not divided",
        1 / d_k: f"are divided by d_k = {d_k} itself (twice by its root)",
        root: "are multiplied by √d_k",
        1 / math.sqrt(_TK): f"are divided by √{_TK}, the root of the number of keys",
        1 / math.sqrt(_TQ): f"are divided by √{_TQ}, the root of the number of queries",
    }
    for known, reason in reasons.items():
        if math.isclose(factor, known, rel_tol=1e-6):
            return f"the dot products {reason}; {need}"
    return f"the dot products are multiplied by {factor:.4g}; {need}"
