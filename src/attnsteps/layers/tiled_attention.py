"""Attention tile by tile: the idea of FlashAttention, without its speed."""

import math

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attnsteps.checks import check_positive
from attnsteps.shapes import check_attention


def tiled_attention(
    q: Float[Tensor, "*lead Tq Dk"],
    k: Float[Tensor, "*lead Tk Dk"],
    v: Float[Tensor, "*lead Tk Dv"],
    mask: Bool[Tensor, "..."] | None = None,
    *,
    tile: int = 64,
) -> Float[Tensor, "*lead Tq Dv"]:
    """Compute attention without ever holding more than one tile of its scores.

    Formula, over the tiles j of keys, from m = −∞, total = 0 and mixed = 0::

        scores = Q K_jᵀ / √d_k,   m' = max(m, scores),   w = exp(scores − m')
        total  ← total · exp(m − m') + Σ w
        mixed  ← mixed · exp(m − m') + w V_j,   m ← m'
        Attention(Q, K, V) = mixed / total

    Source: Dao et al. 2022, algorithm 1; the running softmax: Milakov and Gimelshein 2018.

    It shows what PyTorch's kernel does, and is slower: there a tile stays in the processor's own
    fast memory, which is the gain.

    Args:
        q: queries, (..., Tq, Dk).
        k: keys, (..., Tk, Dk).
        v: values, (..., Tk, Dv).
        mask: bool, two axes or all of them, broadcastable to (..., Tq, Tk); True = may attend.
        tile: how many queries, and how many keys, a tile has at most.

    Returns:
        The context, (..., Tq, Dv); zeros where a query may attend to nothing.

    Raises:
        ValueError: if shapes or dtypes do not fit, or tile is not a positive integer.

    Example:
        >>> q, k, v = torch.randn(3, 7, 4)
        >>> from attnsteps import scaled_dot_product_attention
        >>> full, weights = scaled_dot_product_attention(q, k, v)
        >>> bool(torch.allclose(tiled_attention(q, k, v, tile=2), full, atol=1e-6))
        True
    """
    check_attention(q, k, v, mask, 0.0)
    check_positive("tile", tile)
    if mask is not None:
        mask = mask.expand(*q.shape[:-1], k.shape[-2])  # a view: nothing is copied
    rows = [
        _rows(
            q[..., i : i + tile, :],
            k,
            v,
            None if mask is None else mask[..., i : i + tile, :],
            tile,
        )
        for i in range(0, q.shape[-2], tile)
    ]
    return torch.cat(rows, dim=-2) if rows else q.new_zeros(*q.shape[:-1], v.shape[-1])


def _rows(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, tile: int) -> Tensor:
    """Go through all keys, tile by tile, for one tile of queries."""
    wide = torch.promote_types(q.dtype, torch.float32)  # of many keys, 16 bits lose the sum
    largest = q.new_full((*q.shape[:-1], 1), -math.inf, dtype=wide)
    total = torch.zeros_like(largest)
    mixed = q.new_zeros(*q.shape[:-1], v.shape[-1], dtype=wide)
    for j in range(0, k.shape[-2], tile):
        scores = (q / math.sqrt(q.shape[-1])) @ k[..., j : j + tile, :].transpose(-2, -1)
        if mask is not None:
            scores = scores.masked_fill(~mask[..., j : j + tile], -math.inf)
        larger = torch.maximum(largest, scores.amax(dim=-1, keepdim=True)).detach()
        base = larger.masked_fill(larger == -math.inf, 0.0)  # nothing seen yet: no ∞ − ∞
        shrink, weights = (largest - base).exp(), (scores - base).exp()
        total = total * shrink + weights.sum(dim=-1, keepdim=True)
        mixed = mixed * shrink + weights @ v[..., j : j + tile, :].to(wide)
        largest = larger
    return (mixed / total.masked_fill(total == 0, 1.0)).to(q.dtype)
