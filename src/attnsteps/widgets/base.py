"""What every widget of the book has in common."""

import base64
import io

import anywidget
from matplotlib.figure import Figure

from attnsteps.plotting.style import style


class Widget(anywidget.AnyWidget):
    """A widget that lives without a kernel and leaves a picture where no script runs.

    A subclass sets ``_esm = bundle("<stem>")`` and ``_css = styles("<stem>")``, declares its
    traits with ``.tag(sync=True)`` and draws itself in :meth:`picture`.
    """

    # ipywidgets 7 (Colab) would show itself through this method, without the picture.
    _ipython_display_ = None

    def picture(self) -> Figure:
        """Return a Matplotlib figure of the widget's present state (Latin script only)."""
        raise NotImplementedError

    def __repr__(self) -> str:
        """Name the class alone: no address, so that notebook outputs are stable."""
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
