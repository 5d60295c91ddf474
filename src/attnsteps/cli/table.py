"""Attention weights as a table for a terminal, where Chinese characters are two columns wide."""

import unicodedata
from collections.abc import Iterable

from jaxtyping import Float
from torch import Tensor


def table(weights: Float[Tensor, "T S"], rows: Iterable[str], columns: Iterable[str]) -> str:
    """Write weights, (T, S), as an aligned table in percent; rows and columns are the tokens.

    Example:
        >>> import torch
        >>> print(table(torch.tensor([[0.9, 0.1], [0.25, 0.75]]), ["too", "it"], ["a", "b"]))
              a   b
        too  90  10
        it   25  75
    """
    rows, columns = list(rows), list(columns)
    first = max(map(_width, ["", *rows]))
    widths = [max(3, _width(column)) for column in columns]
    head = zip(columns, widths, strict=True)
    lines = [" " * first + "".join(" " + _right(column, width) for column, width in head)]
    for row, values in zip(rows, weights.tolist(), strict=True):
        cells = zip(values, widths, strict=True)
        shown = "".join(f" {100 * value:{width}.0f}" for value, width in cells)
        lines.append(row + " " * (first - _width(row)) + shown)
    return "\n".join(lines)


def _width(text: str) -> int:
    """Return the number of columns that a text takes in a terminal."""
    return sum(
        0 if unicodedata.combining(c) else 1 + (unicodedata.east_asian_width(c) in "WF")
        for c in text
    )


def _right(text: str, width: int) -> str:
    """Pad a text with spaces on the left, to this many columns."""
    return " " * (width - _width(text)) + text
