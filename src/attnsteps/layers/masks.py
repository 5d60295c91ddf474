"""Masks: which key each query may attend to. Always bool, always True = may attend."""

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from attnsteps.checks import check_number, check_positive
from attnsteps.shapes import check_bool, check_ids, check_shape


def causal_mask(
    size: int, *, offset: int = 0, device: torch.device | str | None = None
) -> Bool[Tensor, "Tq T"]:
    """Let each position attend to itself and to what came before it.

    Formula::

        mask[i, j] = (j ≤ offset + i)

    Source: Vaswani et al. 2017, section 3.2.3.

    Args:
        size: T, the number of positions.
        offset: the first query's position: above 0 if a cache holds those before it.
        device: where to create the mask.

    Returns:
        The mask, (T − offset, T): the lower triangle with the diagonal is True, and of it the rows
        from the offset on.

    Raises:
        ValueError: if size is not a positive integer, or offset not in [0, size).

    Example:
        >>> causal_mask(3)
        tensor([[ True, False, False],
                [ True,  True, False],
                [ True,  True,  True]])
    """
    query, key = _positions(size, offset, device)
    return key <= query


def sliding_window(
    size: int, window: int, *, offset: int = 0, device: torch.device | str | None = None
) -> Bool[Tensor, "Tq T"]:
    """Let each position attend to those less than a window's width away from it.

    Formula::

        mask[i, j] = (|offset + i − j| < window)

    Source: Beltagy et al. 2020, section 3.1; together with a causal mask, which leaves the last
    ``window`` positions, Jiang et al. 2023, section 2 (the paper of 2017 proposes it in section 4).

    Args:
        size: T, the number of positions.
        window: how many positions a query sees to one side, itself counted.
        offset: the first query's position, as in causal_mask.
        device: where to create the mask.

    Returns:
        The mask, (T − offset, T): a band along the diagonal is True.

    Raises:
        ValueError: if size or window is not a positive integer, or offset not in [0, size).

    Example:
        >>> combine(sliding_window(4, 2), causal_mask(4)).int()
        tensor([[1, 0, 0, 0],
                [1, 1, 0, 0],
                [0, 1, 1, 0],
                [0, 0, 1, 1]], dtype=torch.int32)
    """
    check_positive("window", window)
    query, key = _positions(size, offset, device)
    return (query - key).abs() < window


def padding_mask(ids: Int[Tensor, "B Tk"], pad_id: int) -> Bool[Tensor, "B 1 1 Tk"]:
    """Let every query attend to the real tokens, and to none that only fills up the batch.

    Formula::

        mask[b, 0, 0, j] = (ids[b, j] ≠ pad_id)

    Source: the paper is silent on padding; this is what its batches (section 5.1) need.

    Args:
        ids: the token ids of the keys, (B, Tk).
        pad_id: the id that fills up shorter sentences.

    Returns:
        The mask, (B, 1, 1, Tk): the same for every head and every query. It hides padding as a
        key; a padded query still attends, and what comes of it is ignored by the loss.

    Raises:
        ValueError: if ids is not an integer tensor (B, Tk), or pad_id is not an integer.

    Example:
        >>> padding_mask(torch.tensor([[5, 8, 0]]), pad_id=0)
        tensor([[[[ True,  True, False]]]])
    """
    check_ids("ids", ids)
    check_shape("ids", ids, "B Tk")
    check_number("pad_id", pad_id, integer=True)
    return (ids != pad_id)[:, None, None, :]


def combine(*masks: Bool[Tensor, "..."] | None) -> Bool[Tensor, "..."] | None:
    r"""Let a query attend to a key only where every mask lets it.

    Formula::

        mask = masks[0] ∧ masks[1] ∧ …

    Source: Vaswani et al. 2017, section 3.2.3 (a decoder needs the causal and the padding mask).

    Args:
        \*masks: bool tensors that broadcast together, each with two axes, (Tq, Tk), or as many as
            the others; None stands for no restriction and is ignored.

    Returns:
        Their logical AND in the broadcast shape, or None if no mask is left.

    Raises:
        ValueError: if a mask is not bool, or does not broadcast with those before it.

    Example:
        >>> tgt_ids = torch.tensor([[5, 0]])
        >>> combine(causal_mask(2), padding_mask(tgt_ids, pad_id=0), None)
        tensor([[[[ True, False],
                  [ True, False]]]])
    """
    combined = None
    for position, mask in enumerate(masks):
        if mask is None:
            continue
        check_bool(f"masks[{position}]", mask)
        if combined is not None:
            _check_broadcast_together(f"masks[{position}]", mask, combined)
        combined = mask if combined is None else combined & mask
    return combined


def _positions(
    size: int, offset: int, device: torch.device | str | None
) -> tuple[Int[Tensor, "Tq 1"], Int[Tensor, " T"]]:
    """Number the queries from the offset on, as a column, and all the keys, as a row."""
    check_positive("size", size)
    check_number("offset", offset, at_least=0, below=size, limit="size", integer=True)
    return torch.arange(offset, size, device=device)[:, None], torch.arange(size, device=device)


def _check_broadcast_together(name: str, mask: Tensor, others: Tensor) -> None:
    """Refuse shapes that do not fit, or that fit only by taking the batch axis for the heads."""
    got, needed = tuple(mask.shape), tuple(others.shape)
    fits = all(
        left == right or 1 in (left, right)
        for left, right in zip(reversed(got), reversed(needed), strict=False)
    )
    same_meaning = len(got) == len(needed) or 2 in (len(got), len(needed))
    if not (fits and same_meaning):
        raise ValueError(f"{name} must broadcast with the masks before it, {needed}; got {got}")
