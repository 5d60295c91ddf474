"""Lines and bars."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

_MARKERS = "osD^v"
_DASHES = ("-", "--", "-.", ":")


def lines(
    x: ArrayLike,
    series: Mapping[str, ArrayLike],
    *,
    title: str = "",
    x_axis: str = "",
    y_axis: str = "",
    log_x: bool = False,
    log_y: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """Draw a line through the N values of each named series; colour, dash and marker all differ.

    A logarithmic x axis has base 2, because widths and lengths often double; the y axis has base
    10.

    Example:
        >>> ax = lines([1, 2, 4], {"measured": [1, 2, 4], "predicted": [1, 2, 4]}, log_x=True)
        >>> len(ax.lines)
        2
        >>> plt.close(ax.figure)
    """
    if ax is None:
        _, ax = plt.subplots()
    many = len(list(x)) > 40
    for index, (name, values) in enumerate(series.items()):
        ax.plot(
            x,
            values,
            label=name,
            linestyle=_DASHES[index % len(_DASHES)],
            marker=None if many else _MARKERS[index % len(_MARKERS)],
            markersize=5,
        )
    if log_x:
        ax.set_xscale("log", base=2)
    if log_y:
        ax.set_yscale("log")
    ax.set(title=title, xlabel=x_axis, ylabel=y_axis)
    if len(series) > 1:
        ax.legend()
    return ax


def bars(
    labels: Sequence[str],
    values: ArrayLike,
    *,
    title: str = "",
    y_axis: str = "",
    digits: int | None = 2,
    ax: Axes | None = None,
) -> Axes:
    """Draw one bar for each label with its value on top, or without if digits is None.

    Example:
        >>> ax = bars(["a", "b"], [0.25, 0.75])
        >>> [text.get_text() for text in ax.texts]
        ['0.25', '0.75']
        >>> plt.close(ax.figure)
    """
    if ax is None:
        _, ax = plt.subplots()
    drawn = ax.bar(labels, np.asarray(values), width=0.7)
    if digits is not None:
        ax.bar_label(drawn, fmt=f"{{:.{digits}f}}", padding=2)
    ax.grid(axis="x", visible=False)
    ax.set(title=title, ylabel=y_axis)
    return ax
