"""Scaled dot-product attention: each query takes a weighted mean of the values."""

import math

from jaxtyping import Bool, Float
from torch import Tensor, nn

from attnsteps.shapes import (
    check_dropout,
    check_floating,
    check_mask,
    check_positive,
    check_same_leading,
    check_shape,
)


def scaled_dot_product_attention(
    q: Float[Tensor, "*lead Tq Dk"],
    k: Float[Tensor, "*lead Tk Dk"],
    v: Float[Tensor, "*lead Tk Dv"],
    mask: Bool[Tensor, "..."] | None = None,
    *,
    dropout_p: float = 0.0,
    need_weights: bool = True,
) -> tuple[Float[Tensor, "*lead Tq Dv"], Float[Tensor, "*lead Tq Tk"] | None]:
    """Compare each query with every key, and mix the values in proportion.

    Formula::

        Attention(Q, K, V) = softmax(Q Kᵀ / √d_k) V

    Source: Vaswani et al. 2017, section 3.2.1, eq. 1.

    The leading axes are free: (Tq, Dk) for plain matrices, (B, H, Tq, Dk) inside a Transformer.

    Args:
        q: queries, (..., Tq, Dk).
        k: keys, (..., Tk, Dk).
        v: values, (..., Tk, Dv).
        mask: bool, broadcastable to (..., Tq, Tk), with two axes or all of them;
            True = may attend. None lets every query attend to every key.
        dropout_p: the probability, in [0, 1), of dropping a weight. It is applied whenever it is
            above 0: pass 0 outside training.
        need_weights: True computes the formula step by step and returns the weights; False goes
            through PyTorch's fused kernel, which gives the same context without ever holding them.

    Returns:
        The context, (..., Tq, Dv), and the weights before dropout, (..., Tq, Tk), or None if they
        were not asked for. A query that may attend to nothing gets zeros in both.

    Raises:
        ValueError: if shapes or dtypes do not fit, or if dropout_p lies outside [0, 1).

    Example:
        A query that matches the second key takes nearly all of the second value:

        >>> import torch
        >>> q = torch.tensor([[0.0, 6.0]])
        >>> k = torch.tensor([[6.0, 0.0], [0.0, 6.0]])
        >>> v = torch.tensor([[10.0], [20.0]])
        >>> context, weights = scaled_dot_product_attention(q, k, v)
        >>> context
        tensor([[20.]])
    """
    _check_arguments(q, k, v, mask, dropout_p)
    if not need_weights:
        return _fused_attention(q, k, v, mask, dropout_p), None

    d_k = q.shape[-1]
    # Dividing q instead of q·k gives the same scores,
    # and keeps the product in range in fp16.
    scores = (q / math.sqrt(d_k)) @ k.transpose(-2, -1)
    weights = masked_softmax(scores, mask)
    context = nn.functional.dropout(weights, dropout_p) @ v
    return context, weights


def masked_softmax(
    scores: Float[Tensor, "*lead Tk"], mask: Bool[Tensor, "..."] | None = None
) -> Float[Tensor, "*lead Tk"]:
    """Turn each row of scores into weights that sum to one over the keys it may attend to.

    Formula, with the sum over those j that i may attend to::

        weights[i, j] = exp(scores[i, j]) / Σ_j exp(scores[i, j])

    Source: Vaswani et al. 2017, section 3.2.3 (illegal connections are set to −∞).

    Args:
        scores: any real numbers, (..., Tq, Tk), or one query's alone, (Tk,).
        mask: bool, broadcastable to the scores, with two axes or all of them;
            True = may attend.

    Returns:
        The weights, in the shape of the scores: exactly 0 where the mask is False, and a row of
        zeros, with zero gradients, where a query may attend to nothing.

    Raises:
        ValueError: if the mask is not bool or does not fit the scores.

    Example:
        >>> import torch
        >>> mask = torch.tensor([[True, True, False], [False, False, False]])
        >>> masked_softmax(torch.zeros(2, 3), mask)
        tensor([[0.5000, 0.5000, 0.0000],
                [0.0000, 0.0000, 0.0000]])
    """
    if mask is None:
        return scores.softmax(dim=-1)
    check_mask(mask, scores.shape)
    empty_row = _empty_rows(mask)
    # Softmax over nothing but −∞ would be NaN,
    # so an empty row is computed on zeros, then cleared.
    scores = scores.masked_fill(~mask, -math.inf).masked_fill(empty_row, 0.0)
    return scores.softmax(dim=-1).masked_fill(empty_row, 0.0)


def _fused_attention(
    q: Float[Tensor, "*lead Tq Dk"],
    k: Float[Tensor, "*lead Tk Dk"],
    v: Float[Tensor, "*lead Tk Dv"],
    mask: Bool[Tensor, "..."] | None,
    dropout_p: float,
) -> Float[Tensor, "*lead Tq Dv"]:
    """Compute the context through PyTorch's kernels, whose bool masks also mean True = attend."""
    if mask is None:
        return nn.functional.scaled_dot_product_attention(q, k, v, dropout_p=dropout_p)
    empty_row = _empty_rows(mask)
    # The kernels differ in what they do with an empty row: let it attend to all, then clear it.
    context = nn.functional.scaled_dot_product_attention(
        q, k, v, mask | empty_row, dropout_p=dropout_p
    )
    return context * ~empty_row  # (several times as fast as masked_fill here)


def _empty_rows(mask: Bool[Tensor, "..."]) -> Bool[Tensor, "..."]:
    """Mark the queries that may attend to nothing, (..., Tq, 1)."""
    return ~mask.any(dim=-1, keepdim=True)


def _check_arguments(
    q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, dropout_p: float
) -> None:
    """Refuse everything that attention would otherwise broadcast or turn into NaN."""
    for name, tensor in (("q", q), ("k", k), ("v", v)):
        check_floating(name, tensor)
    check_shape("q", q, "... Tq Dk")
    check_positive("Dk, the width of q,", q.shape[-1])
    check_shape("k", k, "... Tk Dk", Dk=q.shape[-1])
    check_shape("v", v, "... Tk Dv", Tk=k.shape[-2])
    check_same_leading("k", k, "q", q)
    check_same_leading("v", v, "q", q)
    if mask is not None:
        check_mask(mask, (*q.shape[:-1], k.shape[-2]))
    check_dropout("dropout_p", dropout_p)
