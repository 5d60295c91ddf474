"""Softmax over the keys that a query may attend to: scores become weights that sum to one."""

import math

from jaxtyping import Bool, Float
from torch import Tensor

from attnsteps.shapes import check_mask


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
    empty_row = ~mask.any(dim=-1, keepdim=True)
    # Softmax over nothing but −∞ would be NaN,
    # so an empty row is computed on zeros, then cleared.
    scores = scores.masked_fill(~mask, -math.inf).masked_fill(empty_row, 0.0)
    return scores.softmax(dim=-1).masked_fill(empty_row, 0.0)
