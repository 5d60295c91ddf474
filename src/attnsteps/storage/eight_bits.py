"""Matrices in 8 bits: a whole number from −127 to 127 for each weight, and a scale for each row."""

from pathlib import Path

import torch
from torch import Tensor

SCALE = ".scale"  # what is added to a matrix's name
LARGEST = 127


def quantised(name: str, weights: Tensor) -> dict[str, Tensor]:
    """Return a tensor as it is stored: a matrix in 8 bits with its scales, a vector in float16.

    Formula, for each row of a matrix, rounded half to even::

        scale = max |weight| / 127        stored = round(weight / scale)

    A weight that is read again is at most half a scale away from what it was.

    Args:
        name: the tensor's name in the file.
        weights: on the CPU.

    Returns:
        What to write, by name.

    Raises:
        ValueError: if a weight is not finite.

    Example:
        >>> stored = quantised("w", torch.tensor([[0.5, -1.27], [0.0, 0.0]]))
        >>> stored["w"].tolist(), [round(scale, 4) for scale in stored["w.scale"].tolist()]
        ([[50, -127], [0, 0]], [0.01, 0.0])
    """
    if not weights.isfinite().all():
        raise ValueError(f"{name} must hold finite numbers to be stored in 8 bits; got others")
    if weights.dim() != 2:
        return {name: weights.half()}
    scale = weights.float().abs().amax(dim=1) / LARGEST  # (rows,)
    steps = weights / scale.where(scale > 0, torch.ones(()))[:, None]
    return {name: steps.round().clamp(-LARGEST, LARGEST).to(torch.int8), name + SCALE: scale}


def restored(path: Path, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """Return a file's tensors with every matrix in 8 bits as float32, and without the scales.

    Raises:
        ValueError: if something in 8 bits is no matrix, or has not one finite scale for each row.
    """
    found = dict(tensors)
    for name, stored in tensors.items():
        if stored.dtype != torch.int8:
            continue
        if stored.dim() != 2:
            shape = tuple(stored.shape)
            raise ValueError(f"{path} must hold only matrices in 8 bits; got {name}, {shape}")
        rows, scale = stored.shape[0], found.pop(name + SCALE, None)
        got = "none" if scale is None else f"{tuple(scale.shape)} in {scale.dtype}"
        if scale is None or scale.shape != (rows,) or scale.dtype != torch.float32:
            raise ValueError(
                f"{path} must hold {name + SCALE}, ({rows},) in torch.float32; got {got}"
            )
        if not scale.isfinite().all() or (scale < 0).any():
            raise ValueError(f"{path} must hold finite scales, none below 0, in {name + SCALE}")
        found[name] = stored.float() * scale[:, None]
    return found
