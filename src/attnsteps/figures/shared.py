"""What the figures of several chapters have in common."""

from collections.abc import Iterable

from torch import Tensor

from attnsteps.diagrams import Piece, column, row, words
from attnsteps.diagrams.cells import in_digits
from attnsteps.figures.catalogue import say


def with_axes(table: Piece) -> Piece:
    """Say above a table of weights or scores what its rows and its columns are."""
    axes = row(
        words(say("↓ queries"), size=12, role="query"),
        words(say("keys →"), size=12, role="key"),
        gap=18,
    )
    return column(axes, table, gap=2, align="left")


def listed(numbers: Iterable[float] | Tensor, digits: int = 0) -> str:
    """Write numbers one after another, for a description.

    Example:
        >>> listed([2, 2, -1])
        '2, 2, −1'
    """
    return ", ".join(in_digits(float(number), digits) for number in numbers)
