"""Positions, sinusoidal or learned: what tells attention the order of the words."""

from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor, nn

from attnsteps.checks import check_choice, check_number, check_positive

TABLE_LEN = 1024  # the positions that are kept


def sinusoidal_positions(
    length: int,
    d_model: int,
    *,
    offset: int = 0,
    layout: Literal["interleaved", "concatenated"] = "interleaved",
    dtype: torch.dtype | None = None,
    device: torch.device | str | None = None,
) -> Float[Tensor, "length d_model"]:
    """Give each position a vector of sines and cosines, from fast to slow.

    Formula::

        PE[pos, 2i]     = sin(pos / 10000^(2i / d_model))
        PE[pos, 2i + 1] = cos(pos / 10000^(2i / d_model))

    Source: Vaswani et al. 2017, section 3.5.

    An odd d_model ends in a sine without its cosine.

    Args:
        length: T, the number of positions.
        d_model: D, the width of the vectors.
        offset: the first position.
        layout: "interleaved" is the paper's formula, sine and cosine in turn. "concatenated" has
            the same columns in another order, all the sines and then all the cosines.
        dtype: the dtype of the result, PyTorch's default if None. It is computed in float64.
        device: where the result goes, PyTorch's default if None.

    Returns:
        One vector per position, (T, D), to be added to the embeddings.

    Raises:
        ValueError: if a size is not a positive integer, offset below 0, or the layout unknown.

    Example:
        >>> sinusoidal_positions(2, 4)
        tensor([[0.0000, 1.0000, 0.0000, 1.0000],
                [0.8415, 0.5403, 0.0100, 0.9999]])
    """
    _check_range(length, offset)
    check_positive("d_model", d_model)
    check_choice("layout", layout, ("interleaved", "concatenated"))
    device = torch.get_default_device() if device is None else device
    dtype = dtype or torch.get_default_dtype()
    if torch.device(device).type == "meta":  # where tensors have no numbers
        return torch.empty(length, d_model, dtype=dtype, device=device)

    position = torch.arange(offset, offset + length, dtype=torch.float64, device="cpu")
    two_i = torch.arange(0, d_model, 2, dtype=torch.float64, device="cpu")
    angle = position[:, None] / 10000 ** (two_i / d_model)  # (T, ⌈D/2⌉)
    sines = angle.sin()
    cosines = angle.cos()[:, : d_model // 2]  # one fewer than sines if D is odd

    if layout == "concatenated":
        table = torch.cat([sines, cosines], dim=-1)
    else:
        table = torch.empty(length, d_model, dtype=torch.float64, device="cpu")
        table[:, 0::2] = sines
        table[:, 1::2] = cosines
    return table.to(device=device, dtype=dtype)


class SinusoidalPositions(nn.Module):
    """Provide sinusoidal positions from a table that is computed once.

    Formula::

        positions[t] = PE[offset + t]

    Source: Vaswani et al. 2017, section 3.5.

    The table is no parameter and is in no state_dict. When the module moves to another dtype it is
    computed anew, so that it is rounded once only; positions beyond its end are computed as they
    come.

    Args:
        d_model: D, the width of the vectors.

    Raises:
        ValueError: if d_model is not a positive integer.

    Example:
        >>> SinusoidalPositions(4)(1, offset=1)
        tensor([[0.8415, 0.5403, 0.0100, 0.9999]])
    """

    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.register_buffer("table", sinusoidal_positions(TABLE_LEN, d_model), persistent=False)

    def forward(self, length: int, *, offset: int = 0) -> Float[Tensor, "length d_model"]:
        """Return the positions from the offset on.

        Args:
            length: T, how many.
            offset: the first one's number: above 0 if earlier ones are in a cache.

        Returns:
            One vector per position, (T, D).

        Raises:
            ValueError: if length is not a positive integer, or offset is below 0.
        """
        _check_range(length, offset)
        if offset + length <= TABLE_LEN:
            return self.table[offset : offset + length]
        return self._positions(length, offset)

    def _positions(self, length: int, offset: int = 0) -> Float[Tensor, "length d_model"]:
        """Compute positions in the table's dtype, on its device."""
        table = self.table
        like = {"dtype": table.dtype, "device": table.device}
        return sinusoidal_positions(length, table.shape[1], offset=offset, **like)

    def _apply(self, fn, recurse=True):
        """Follow the module to another device or dtype."""
        super()._apply(fn, recurse)
        self.table = self._positions(TABLE_LEN)
        return self


class LearnedPositions(nn.Module):
    """Provide a learned vector for each position, up to a maximum length.

    Formula::

        positions[t] = weight[offset + t]

    Source: Vaswani et al. 2017, section 3.5 and table 3, row E; Gehring et al. 2017, section 3.1.

    The weights start normal with a standard deviation of √½, which is the root mean square of the
    sinusoids, so that both are of the same size beside the embeddings.

    Args:
        max_len: how many positions there are.
        d_model: D, the width of the vectors.

    Raises:
        ValueError: if a size is not a positive integer.

    Example:
        >>> LearnedPositions(max_len=7, d_model=4)(3, offset=4).shape
        torch.Size([3, 4])
    """

    def __init__(self, max_len: int, d_model: int) -> None:
        super().__init__()
        check_positive("max_len", max_len)
        check_positive("d_model", d_model)
        self.weight = nn.Parameter(torch.empty(max_len, d_model))
        nn.init.normal_(self.weight, std=0.5**0.5)

    def forward(self, length: int, *, offset: int = 0) -> Float[Tensor, "length d_model"]:
        """Return the positions from the offset on.

        Args:
            length: T, how many.
            offset: the first one's number: above 0 if earlier ones are in a cache.

        Returns:
            One vector per position, (T, D).

        Raises:
            ValueError: if length is not a positive integer, offset is below 0, or there are not
                that many positions.
        """
        _check_range(length, offset)
        max_len = self.weight.shape[0]
        if offset + length > max_len:
            raise ValueError(
                f"a sentence must have at most max_len = {max_len} tokens where positions are"
                f" learned; got {offset + length}"
            )
        return self.weight[offset : offset + length]


def _check_range(length: int, offset: int) -> None:
    """Refuse positions below 0, and an empty range."""
    check_positive("length", length)
    check_number("offset", offset, at_least=0, integer=True)
