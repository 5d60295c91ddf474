"""Rotary positions: queries and keys are turned by an angle that grows with their position."""

import torch
from jaxtyping import Float
from torch import Tensor

from attnsteps.checks import check_rotary
from attnsteps.shapes import check_floating, check_shape


def rotate(
    x: Float[Tensor, "*lead T Dk"], positions: Float[Tensor, "T Dk"]
) -> Float[Tensor, "*lead T Dk"]:
    """Turn each pair of components, like the hand of a clock, by the angle of its position.

    Formula, with the angle θ = pos / 10000^(2i / d_k), whose sine and cosine are
    ``sinusoidal_positions(length, d_k)[pos, 2i]`` and ``[pos, 2i + 1]``::

        rotated[2i]     = x[2i] · cos θ − x[2i + 1] · sin θ
        rotated[2i + 1] = x[2i] · sin θ + x[2i + 1] · cos θ

    Source: Su et al. 2021, section 3.4.2, eq. 34.

    The dot product of two vectors that are turned by α and by β is that of the vectors with one of
    them turned by α − β. So a score depends on how far a key is from its query, and not on where
    the two are.

    Args:
        x: queries or keys, (..., T, Dk).
        positions: the sinusoids of their positions, (T, Dk).

    Returns:
        As many vectors, (..., T, Dk), each as long as before.

    Raises:
        ValueError: if Dk is odd, or the shapes do not fit.

    Example:
        >>> from attnsteps import sinusoidal_positions
        >>> rotate(torch.tensor([[1.0, 0.0], [1.0, 0.0]]), sinusoidal_positions(2, 2))
        tensor([[1.0000, 0.0000],
                [0.5403, 0.8415]])
    """
    check_floating("x", x)
    check_shape("positions", positions, "T Dk", T=x.shape[-2], Dk=x.shape[-1])
    check_rotary(x.shape[-1])
    sin, cos = positions[:, 0::2], positions[:, 1::2]
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack([even * cos - odd * sin, even * sin + odd * cos], dim=-1).flatten(-2)
