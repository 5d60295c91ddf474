"""One wide vector per position, cut into one narrow vector per head, and put together again."""

from jaxtyping import Float
from torch import Tensor

from attnsteps.checks import check_kv_heads


def split_heads(x: Float[Tensor, "B T D"], num_heads: int) -> Float[Tensor, "B H T Dk"]:
    """Cut each vector into one piece per head, and move the heads in front of the positions.

    Formula, with D = H·Dk::

        split[b, h, t, i] = x[b, t, h·Dk + i]

    Source: Vaswani et al. 2017, section 3.2.2.

    Args:
        x: one wide vector per position, (B, T, H*Dk).
        num_heads: H, which must divide the last axis.

    Returns:
        One narrow vector per head and position, (B, H, T, Dk): a view, nothing is copied.

    Example:
        >>> import torch
        >>> split_heads(torch.tensor([[[1, 2, 3, 4], [5, 6, 7, 8]]]).float(), num_heads=2)
        tensor([[[[1., 2.],
                  [5., 6.]],
        <BLANKLINE>
                 [[3., 4.],
                  [7., 8.]]]])
    """
    return x.unflatten(-1, (num_heads, -1)).transpose(1, 2)


def repeat_heads(x: Float[Tensor, "B G Tk Dk"], num_heads: int) -> Float[Tensor, "B H Tk Dk"]:
    """Give every query head a copy of the keys or values that its group of heads shares.

    Formula, with groups of H / G neighbouring heads::

        repeated[b, h] = x[b, h // (H / G)]

    Source: Ainslie et al. 2023, section 2.2; with G = 1, Shazeer 2019, section 3.

    Args:
        x: keys or values, (B, G, Tk, Dk).
        num_heads: H, of the queries; a multiple of G.

    Returns:
        (B, H, Tk, Dk); x itself where there is nothing to repeat.

    Raises:
        ValueError: if G does not divide H.

    Example:
        >>> import torch
        >>> repeat_heads(torch.tensor([[[[1.0]], [[2.0]]]]), num_heads=4).flatten()
        tensor([1., 1., 2., 2.])
    """
    check_kv_heads(x.shape[1], num_heads)
    groups = num_heads // x.shape[1]
    return x if groups == 1 else x.repeat_interleave(groups, dim=1)


def merge_heads(x: Float[Tensor, "B H T Dv"]) -> Float[Tensor, "B T D"]:
    """Put the heads' vectors of each position side by side again: the inverse of split_heads.

    Formula::

        merged[b, t, h·Dv + i] = x[b, h, t, i]

    Source: Vaswani et al. 2017, section 3.2.2 (Concat).

    Args:
        x: one narrow vector per head and position, (B, H, T, Dv).

    Returns:
        One wide vector per position, (B, T, H*Dv), copied into order: after a transpose the
        memory is not contiguous, and a bare ``view`` would fail.

    Example:
        >>> import torch
        >>> x = torch.arange(12.0).reshape(1, 3, 4)
        >>> torch.equal(merge_heads(split_heads(x, num_heads=2)), x)
        True
    """
    return x.transpose(1, 2).flatten(-2)
