"""A matrix as coloured cells with its numbers in them."""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike
from torch import Tensor

from attnsteps.plotting.style import DIVERGING, SEQUENTIAL


def heatmap(
    matrix: ArrayLike | Tensor,
    *,
    rows: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    title: str = "",
    row_axis: str = "",
    column_axis: str = "",
    digits: int | None = 2,
    signed: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """Draw a matrix, (R, C); darker cells hold larger values, or if signed, values further from 0.

    If signed, zero is white. With digits=None the cells show no numbers.

    Example:
        >>> ax = heatmap([[0.9, 0.1], [0.5, 0.5]], rows=["a", "b"], columns=["a", "b"])
        >>> [text.get_text() for text in ax.texts]
        ['0.90', '0.10', '0.50', '0.50']
        >>> plt.close(ax.figure)
    """
    if isinstance(matrix, Tensor):
        matrix = matrix.detach().double().cpu()
    values = np.asarray(matrix, dtype=float)
    if values.ndim != 2:
        raise ValueError(f"matrix must have 2 axes; got shape {values.shape}")
    for name, labels, size in (
        ("rows", rows, values.shape[0]),
        ("columns", columns, values.shape[1]),
    ):
        if labels is not None and len(labels) != size:
            raise ValueError(f"{name} must be {size} labels; got {len(labels)}")
    if ax is None:
        width = 0.62 * values.shape[1] + 1.6 if digits is not None else 4.5
        height = 0.46 * values.shape[0] + 1.1 if digits is not None else 3.4
        _, ax = plt.subplots(figsize=(min(width, 7.0), height))
    finite = np.abs(values[np.isfinite(values)])
    limit = float(finite.max()) if finite.size and finite.max() > 0 else 1.0
    ax.imshow(
        values,
        cmap=DIVERGING if signed else SEQUENTIAL,
        vmin=-1.9 * limit
        if signed
        else 0.0,  # 1.9: ink is readable on the darkest cell, also inverted
        vmax=1.9 * limit,
        aspect="auto",
    )
    ax.grid(visible=False)
    ax.set_xticks(range(values.shape[1]), columns or range(values.shape[1]))
    ax.set_yticks(range(values.shape[0]), rows or range(values.shape[0]))
    ax.tick_params(length=0)
    ax.set(title=title, xlabel=column_axis, ylabel=row_axis)
    if digits is not None:
        for (row, column), value in np.ndenumerate(values):
            rounded = round(value, digits) + 0.0  # −0 becomes 0
            text = "−∞" if value == -np.inf else f"{rounded:.{digits}f}".replace("-", "−")
            ax.text(column, row, text, ha="center", va="center", color="#14181e")
    return ax
