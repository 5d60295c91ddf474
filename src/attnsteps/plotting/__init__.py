"""Draws the book's figures, all in one style."""

from attnsteps.plotting.curves import bars, lines
from attnsteps.plotting.heatmap import heatmap
from attnsteps.plotting.style import COLOURS, DIVERGING, SEQUENTIAL, style, use_style

__all__ = [
    "COLOURS",
    "DIVERGING",
    "SEQUENTIAL",
    "bars",
    "heatmap",
    "lines",
    "style",
    "use_style",
]
