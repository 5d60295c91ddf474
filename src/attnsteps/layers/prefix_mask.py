"""A mask between full and causal: read what is given, then write on."""

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from attnsteps.checks import check_positive
from attnsteps.layers.masks import causal_mask
from attnsteps.shapes import check_ids, check_shape


def prefix_mask(prefix_len: Int[Tensor, " B"], size: int) -> Bool[Tensor, "B 1 T T"]:
    """Let each position attend to the whole prefix, to itself and to what came before it.

    Formula::

        mask[b, 0, i, j] = (j ≤ i) ∨ (j < prefix_len[b])

    Source: Raffel et al. 2020, section 3.2.1. A prefix of 0 gives the causal mask, a prefix of T
    gives the full one.

    Args:
        prefix_len: how many positions each row is given to read, (B,), each from 0 to T.
        size: T, the number of positions.

    Returns:
        The mask, (B, 1, T, T), the same for every head.

    Raises:
        ValueError: if size is not a positive integer, or prefix_len is not an integer tensor (B,)
            of numbers from 0 to size.

    Example:
        >>> prefix_mask(torch.tensor([2]), 4)[0, 0].int()
        tensor([[1, 1, 0, 0],
                [1, 1, 0, 0],
                [1, 1, 1, 0],
                [1, 1, 1, 1]], dtype=torch.int32)
    """
    check_positive("size", size)
    check_ids("prefix_len", prefix_len)
    check_shape("prefix_len", prefix_len, "B")
    if prefix_len.numel() and not 0 <= prefix_len.min() <= prefix_len.max() <= size:
        raise ValueError(f"prefix_len must be from 0 to size = {size}; got {prefix_len.tolist()}")
    position = torch.arange(size, device=prefix_len.device)
    given = position < prefix_len[:, None]  # (B, T)
    return causal_mask(size, device=prefix_len.device) | given[:, None, None, :]
