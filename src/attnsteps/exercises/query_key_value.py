"""Grades the coding exercise of the chapter on queries, keys and values."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from attnsteps.exercises.verdict import Verdict, attempt, difference, known_mistake

# Every size is another prime, so that a swapped axis shows.
_T, _D, _DK, _DV = 5, 7, 3, 2


def grade_self_attention(function: Callable) -> Verdict:
    """Say whether a function lets every word of one sentence attend to all of them.

    It takes x (T, D), w_q and w_k (D, Dk) and w_v (D, Dv), and should return the context (T, Dv)
    and the weights (T, T).

    Example:
        >>> grade_self_attention(lambda x, w_q, w_k, w_v: None)
        ✗ Not yet: your function should return context and weights; it returned None
    """
    generator = torch.Generator().manual_seed(4)
    x, w_q, w_k, w_v = (
        torch.randn(shape, generator=generator, dtype=torch.float64)
        for shape in ((_T, _D), (_D, _DK), (_D, _DK), (_D, _DV))
    )
    returned, problem = attempt(lambda: function(x.clone(), w_q.clone(), w_k.clone(), w_v.clone()))
    problem = problem or _what_is_wrong(returned, x, x @ w_q, x @ w_k, x @ w_v)
    if problem:
        return Verdict(correct=False, message=problem)
    return Verdict(
        correct=True,
        message=f"{_T} words of width {_D} became {_T} contexts of width {_DV}, "
        "and every row of weights sums to 1.",
    )


def _what_is_wrong(returned: object, x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> str:
    """Return what is wrong with a context and weights, or the empty string."""
    if not (isinstance(returned, tuple | list) and len(returned) == 2):
        kind = "None" if returned is None else f"a {type(returned).__name__}"
        wanted = "your function should return context and weights"
        return f"{wanted}; it returned {kind}"
    context, weights = returned
    right = (q @ k.T / math.sqrt(_DK)).softmax(-1)
    return (
        known_mistake(weights, _wrong_weights(q, k))
        or difference(weights, right, name="weights")
        or known_mistake(context, _wrong_contexts(right, x, k, v))
        or difference(context, right @ v, name="context")
    )


def _wrong_weights(q: Tensor, k: Tensor) -> dict[str, Tensor]:
    """Return the weights that common mistakes give, keyed by the sentence about each."""
    scores = q @ k.T
    scaled = scores / math.sqrt(_DK)
    by_width_of_x = scores / math.sqrt(_D)
    divide = "the scores should be divided by √d_k, the root of the width of the keys"
    return {
        "weights holds the scaled scores themselves; the softmax is missing": scaled,
        "weights holds the scores themselves; division and softmax are missing": scores,
        f"{divide}; yours are not divided": scores.softmax(-1),
        f"{divide}; yours are divided by d_k": (scores / _DK).softmax(-1),
        f"{divide}; yours are divided by the root of x's width": by_width_of_x.softmax(-1),
        "the columns of weights sum to 1, and the rows should: "
        "the softmax runs over the keys, the last axis": scaled.softmax(0),
        "queries and keys are swapped: row i should hold the query of word i "
        "times the key of each word": scaled.T.softmax(-1),
    }


def _wrong_contexts(weights: Tensor, x: Tensor, k: Tensor, v: Tensor) -> dict[str, Tensor]:
    """Return the contexts that common mistakes give although the weights are right."""
    turned = weights.T @ v
    return {
        "context mixes the words themselves; it should mix their values, x @ w_v": weights @ x,
        "context mixes the keys; it should mix the values": weights @ k,
        "context is weights.T @ v; row i of weights belongs to row i of context": turned,
        "context holds the values themselves; the weights are not used": v,
    }
