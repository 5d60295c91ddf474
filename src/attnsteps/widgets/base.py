"""The parts that all widgets of the book share."""

import base64
import io
from collections.abc import Iterable

import anywidget
import traitlets
from matplotlib.figure import Figure

from attnsteps.checks import check_choice, check_number
from attnsteps.plotting.style import style


class Widget(anywidget.AnyWidget):
    """A widget that works without a kernel and leaves a picture where no script runs.

    A subclass sets ``_esm = bundle("<stem>")`` and ``_css = styles("<stem>")``, declares its traits
    with ``.tag(sync=True)`` and draws itself in :meth:`picture`.
    """

    # ipywidgets 7 (Colab) would use this method to show the widget without its picture.
    _ipython_display_ = None

    def picture(self) -> Figure:
        """Return a Matplotlib figure of the widget's current state (Latin script only)."""
        raise NotImplementedError

    def __repr__(self) -> str:
        """Return the class name without an address, so that notebook outputs stay the same."""
        return f"{type(self).__name__}()"

    def _repr_mimebundle_(self, **kwargs) -> tuple[dict, dict]:
        bundle = super()._repr_mimebundle_(**kwargs)
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
        data = {**data, "image/png": self._png()}
        return data, metadata

    def _png(self) -> str:
        """Return :meth:`picture` as base64, for GitHub, nbviewer and print."""
        buffer = io.BytesIO()
        with style():
            self.picture().savefig(buffer, format="png", bbox_inches="tight")
        return base64.b64encode(buffer.getvalue()).decode("ascii")


def within(**ranges: tuple[float, float]) -> traitlets.EventHandler:
    """Make a validator that keeps each of these traits between its two ends, inclusive."""

    @traitlets.validate(*ranges)
    def validate(self: Widget, proposal: dict) -> float:
        name, value = proposal["trait"].name, proposal["value"]
        low, high = ranges[name]
        check_number(name, value, at_least=low, at_most=high)
        return value

    return validate


def one_of(**choices: Iterable[object]) -> traitlets.EventHandler:
    """Make a validator that keeps each of these traits to its choices."""

    @traitlets.validate(*choices)
    def validate(self: Widget, proposal: dict) -> object:
        name, value = proposal["trait"].name, proposal["value"]
        check_choice(name, value, choices[name])
        return value

    return validate
