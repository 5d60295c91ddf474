"""One look for every figure in the book."""

from contextlib import AbstractContextManager

import matplotlib
from cycler import cycler
from IPython import get_ipython
from matplotlib_inline.config import InlineBackend

from attnsteps.diagrams.palette import ROLES

#: Ink of lines, bars and points, in order of use. They differ in lightness as well as in hue, so
#: that they stay apart in grey print and for colour-blind readers.
COLOURS = tuple(ROLES[role][0] for role in ("key", "query", "value", "context", "plain"))

#: Colour map for weights and other quantities that are never negative.
SEQUENTIAL = "Blues"

#: Colour map for signed quantities, white at zero.
DIVERGING = "PuOr_r"

_RC = {
    "figure.figsize": (4.2, 2.9),  # inches: on a phone, too, the letters keep about 12 pixels
    "figure.dpi": 160,
    "savefig.dpi": 160,
    "figure.facecolor": "white",  # the site's dark theme inverts figures but keeps their hues
    "figure.constrained_layout.use": True,
    "font.size": 11,
    "axes.titlesize": 11,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.prop_cycle": cycler(color=COLOURS),
    "axes.grid": True,
    "grid.color": "#e3e6ea",
    "grid.linewidth": 0.8,
    "axes.axisbelow": True,
    "legend.frameon": False,
    "lines.linewidth": 2.0,
    "image.cmap": SEQUENTIAL,
    "svg.fonttype": "none",  # text stays text: sharp, selectable, and it can be said in Chinese
    "svg.hashsalt": "attnsteps",  # the same figure has the same names inside
}


def style() -> AbstractContextManager:
    """Return a context manager in which figures have the book's look.

    Example:
        >>> import matplotlib
        >>> with style():
        ...     matplotlib.rcParams["figure.dpi"]
        160.0
    """
    return matplotlib.rc_context(_RC)


def use_style() -> None:
    """Give all figures from now on the book's look, in a notebook as SVG; once, at its top."""
    matplotlib.rcParams.update(_RC)
    if shell := get_ipython():
        InlineBackend.instance(parent=shell).figure_formats = {"svg"}
