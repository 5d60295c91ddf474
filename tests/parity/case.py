"""One comparison of the two languages, in a form that JSON can hold.

A case is ``{module, function, arguments, expected}``: ``maths/<module>.js`` exports ``function``.
Infinities and NaN are written as the strings "Infinity", "-Infinity" and "NaN", which JSON has no
numbers for.
"""

import math

import torch
from torch import Tensor


def case(module: str, function: str, arguments: list, expected: object, **more: object) -> dict:
    return {
        "module": module,
        "function": function,
        "arguments": plain(arguments),
        "expected": plain(expected),
        **more,
    }


def plain(value: object) -> object:
    """Return tensors as nested lists, infinities and NaN as text."""
    if isinstance(value, Tensor):
        return plain(value.tolist())
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float) and math.isnan(value):
        return "NaN"
    if isinstance(value, float) and math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return value


def numbers(*shape: int, seed: int, scale: float = 1.0) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return scale * torch.randn(*shape, dtype=torch.float64, generator=generator)
