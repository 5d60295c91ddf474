"""Scaled dot-product attention: each query takes a weighted average of the values."""

import math
from functools import partial

from jaxtyping import Bool, Float
from torch import Tensor, nn

from attnsteps.layers.softmax import masked_softmax
from attnsteps.shapes import Mask, check_attention


def scaled_dot_product_attention(
    q: Float[Tensor, "*lead Tq Dk"],
    k: Float[Tensor, "*lead Tk Dk"],
    v: Float[Tensor, "*lead Tk Dv"],
    mask: Bool[Tensor, "..."] | None = None,
    *,
    dropout_p: float = 0.0,
    need_weights: bool = True,
) -> tuple[Float[Tensor, "*lead Tq Dv"], Float[Tensor, "*lead Tq Tk"] | None]:
    """Compare each query with every key, and average the values accordingly.

    Formula::

        Attention(Q, K, V) = softmax(Q Kᵀ / √d_k) V

    Source: Vaswani et al. 2017, section 3.2.1, eq. 1.

    The leading axes are free: (Tq, Dk) for plain matrices, (B, H, Tq, Dk) inside a Transformer.

    Args:
        q: queries, (..., Tq, Dk).
        k: keys, (..., Tk, Dk).
        v: values, (..., Tk, Dv).
        mask: bool, two axes or all of them, broadcastable to (..., Tq, Tk); True = may attend.
        dropout_p: the probability, in [0, 1), of dropping a weight; pass 0 outside training.
        need_weights: True computes the formula step by step and returns the weights; False goes
            through PyTorch's fused kernel, which gives the same context without ever holding them.

    Returns:
        The context, (..., Tq, Dv), and the weights before dropout, (..., Tq, Tk), or None if they
        were not asked for. A query that may attend to nothing gets zeros in both.

    Raises:
        ValueError: if shapes or dtypes do not fit, or if dropout_p lies outside [0, 1).

    Example:
        >>> import torch
        >>> q = torch.tensor([[0.0, 6.0]])
        >>> k = torch.tensor([[6.0, 0.0], [0.0, 6.0]])
        >>> v = torch.tensor([[10.0], [20.0]])
        >>> scaled_dot_product_attention(q, k, v)[0]
        tensor([[20.]])
    """
    check_attention(q, k, v, mask, dropout_p)
    if not need_weights:
        return _fused_attention(q, k, v, mask, dropout_p), None

    d_k = q.shape[-1]
    # Dividing q instead of q·k gives the same scores,
    # and keeps the product in range in fp16.
    scores = (q / math.sqrt(d_k)) @ k.transpose(-2, -1)
    weights = masked_softmax(scores, mask)
    context = nn.functional.dropout(weights, dropout_p) @ v
    return context, weights


def _fused_attention(q: Tensor, k: Tensor, v: Tensor, mask: Mask, dropout_p: float) -> Tensor:
    """Compute the context through PyTorch's kernels, whose bool masks also mean True = attend."""
    fused = partial(nn.functional.scaled_dot_product_attention, dropout_p=dropout_p)
    if mask is None:
        return fused(q, k, v)
    empty_row = ~mask.any(dim=-1, keepdim=True)
    # The kernels differ in what they do with an empty row: let it attend to all, then clear it.
    return fused(q, k, v, mask | empty_row) * ~empty_row  # (faster here than masked_fill)
