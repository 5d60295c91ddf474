"""Grades the coding exercise of the chapter on multi-head attention."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from attnsteps.exercises.verdict import Verdict, attempt, difference, known_mistake

# Every size is another prime (but D, which is H·Dk), so that swapped axes cannot pass.
_B, _T, _H, _Dk = 2, 5, 3, 7
_D = _H * _Dk


def grade_multi_head(function: Callable[..., Tensor]) -> Verdict:
    """Say whether the function is multi-head self-attention (paper, section 3.2.2).

    It takes x, (B, T, D), the matrices (w_q, w_k, w_v, w_o), (D, D) each, to multiply with from the
    right, and num_heads; it should return (B, T, D).

    Example:
        >>> grade_multi_head(lambda x, matrices, num_heads: x @ matrices[2] @ matrices[3])
        ✗ Not yet: every word takes its own value alone; where is the attention?
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(8)
        x = torch.randn(_B, _T, _D, dtype=torch.float64)
        matrices = [torch.randn(_D, _D, dtype=torch.float64) / _D**0.5 for _ in range(4)]
    with torch.no_grad():
        copies = [matrix.clone() for matrix in matrices]
        got, raised = attempt(lambda: function(x.clone(), copies, _H))
        if raised:
            return Verdict(False, raised)
        fault = _fault(got, x, matrices)
    if fault:
        return Verdict(False, fault)
    return Verdict(True, "project, split, attend, merge, project")


def _cut(x: Tensor) -> Tensor:
    return x.unflatten(-1, (_H, _Dk)).transpose(1, 2)


def _interleave(x: Tensor) -> Tensor:
    return x.unflatten(-1, (_Dk, _H)).permute(0, 3, 1, 2)


def _reshape(x: Tensor) -> Tensor:
    return x.reshape(_B, _H, _T, _Dk)


def _merge(x: Tensor) -> Tensor:
    return x.transpose(1, 2).flatten(-2)


def _scramble(x: Tensor) -> Tensor:
    return x.reshape(_B, _T, _D)


def _weave(x: Tensor) -> Tensor:
    return x.permute(0, 2, 3, 1).flatten(-2)


def _one(x: Tensor) -> Tensor:
    return x.unsqueeze(1)


def _heads(
    x: Tensor,
    matrices: list[Tensor],
    *,
    split: Callable = _cut,
    merge: Callable = _merge,
    width: float = _Dk,
    softmax_over: int = -1,
    last: Callable = lambda context, w_o: context @ w_o,
) -> Tensor:
    """Return multi-head attention, correct by default, with single parts replaced."""
    w_q, w_k, w_v, w_o = matrices
    q, k, v = split(x @ w_q), split(x @ w_k), split(x @ w_v)
    weights = (q @ k.transpose(-2, -1) / math.sqrt(width)).softmax(dim=softmax_over)
    return last(merge(weights @ v), w_o)


def _fault(got: object, x: Tensor, matrices: list[Tensor]) -> str:
    """Return what is wrong with the result, by name if the mistake is known, or ""."""
    if isinstance(got, tuple):
        return "the function returns several things; return the output alone"
    w_q, w_k, w_v, w_o = matrices
    right = _heads(x, matrices)
    own = [w_q.T, w_k.T, w_v.T, w_o.T]
    mistakes = {
        "every word takes its own value alone; where is the attention?": x @ w_v @ w_o,
        "this is one head of full width; split q, k and v before the scores": (
            _heads(x, matrices, split=_one, merge=lambda y: y[:, 0], width=_D)
        ),
        "this is one head of full width; split q, k and v before the scores ": (
            _heads(x, matrices, split=_one, merge=lambda y: y[:, 0])
        ),
        "the scores are divided by √d_model; a head is only d_k = d_model / num_heads wide": (
            _heads(x, matrices, width=_D)
        ),
        "the scores are not divided by √d_k": _heads(x, matrices, width=1),
        "the scores are divided by d_k, not by its root": _heads(x, matrices, width=_Dk**2),
        "the softmax runs over the queries; each query shares out its weight over the keys": (
            _heads(x, matrices, softmax_over=-2)
        ),
        "the heads are cut without a transpose: each head holds some of the words whole": (
            _heads(x, matrices, split=_reshape)
        ),
        "cut and merged without a transpose: each head holds some of the words whole": (
            _heads(x, matrices, split=_reshape, merge=_scramble)
        ),
        "the heads are merged without the transpose back: the numbers are in other places": (
            _heads(x, matrices, merge=_scramble)
        ),
        "a head takes every num_heads-th column; it should take neighbouring columns": (
            _heads(x, matrices, split=_interleave, merge=_weave)
        ),
        "the merged contexts are interleaved; the heads should be side by side": (
            _heads(x, matrices, merge=_weave)
        ),
        "w_o is missing, so the heads are not mixed yet": _heads(
            x, matrices, last=lambda context, w_o: context
        ),
        "w_o is transposed; multiply with the matrices as they are": _heads(
            x, [w_q, w_k, w_v, w_o.T]
        ),
        "the matrices are transposed; multiply with them as they are": _heads(x, own),
        "w_v is missing: the values are x itself": _heads(
            x, [w_q, w_k, torch.eye(_D, dtype=x.dtype), w_o]
        ),
    }
    return known_mistake(got, mistakes).strip() or difference(got, right, name="output")
