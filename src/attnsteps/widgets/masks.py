"""Draw a mask, and see its effect on softmax and the leak detector."""

import math
from collections.abc import Sequence

import torch
import traitlets
from matplotlib.figure import Figure
from torch import Tensor

from attnsteps.analysis.leaks import Leak, find_leaks
from attnsteps.layers.masks import causal_mask
from attnsteps.plotting.heatmap import heatmap
from attnsteps.running_example import (
    ANIMAL,
    CROSS,
    STREET,
    TIRED,
    TOO,
    W_K,
    W_Q,
    W_V,
    toy_embeddings,
)
from attnsteps.shapes import check_mask
from attnsteps.widgets.base import Widget, one_of
from attnsteps.widgets.bundle import bundle, styles

_WORDS = (ANIMAL, CROSS, STREET, TOO, TIRED)
_PADDINGS = 1
_T = len(_WORDS) + _PADDINGS
_FILLS = {"-inf": -math.inf, "-1e9": -1e9, "-1e4": -1e4, "0": 0.0}
_FORMATS = {"float32": torch.float32, "float16": torch.float16}
_LOWER = 20_000.0


class MaskLab(Widget):
    """A mask to draw, the weights it leads to, and a detector of leaks.

    Five words of the running example and one padding token attend to each other through a mask that
    the reader draws cell by cell. All settings are traits that Python can read and set too.

    Args:
        mask: bool, broadcastable to (6, 6); None draws a decoder's mask, causal and padding.
        purpose: the mask to aim for: ``"decoder"`` (no later word, no padding) or ``"encoder"``
            (no padding).
        true_means: how the mask is read: ``"attend"``, or ``"hide"`` as in PyTorch's
            ``nn.MultiheadAttention``.
        fill: the number that replaces a hidden score: ``"-inf"``, ``"-1e9"``, ``"-1e4"`` or
            ``"0"``.
        number_format: ``"float32"`` or ``"float16"``.
        low: True makes every score 20,000 lower, which should not change softmax.
        clear_empty: True gives zeros to a row that may attend to nothing, as the package does.

    Raises:
        ValueError: the mask is not bool or does not fit, or an option is unknown.

    Example:
        >>> lab = MaskLab(causal_mask(6).T)  # the transpose looks ahead
        >>> print(lab.leaks[0])
        sentence 0: position 0 sees position 1
    """

    _esm = bundle("masks")
    _css = styles("masks")

    names = traitlets.List(traitlets.Unicode()).tag(sync=True)
    paddings = traitlets.Int(_PADDINGS).tag(sync=True)
    x = traitlets.List().tag(sync=True)
    w = traitlets.Dict().tag(sync=True)
    mask = traitlets.List(traitlets.List(traitlets.Bool())).tag(sync=True)
    purpose = traitlets.Unicode("decoder").tag(sync=True)
    true_means = traitlets.Unicode("attend").tag(sync=True)
    fill = traitlets.Unicode("-inf").tag(sync=True)
    number_format = traitlets.Unicode("float32").tag(sync=True)
    low = traitlets.Bool(False).tag(sync=True)
    clear_empty = traitlets.Bool(False).tag(sync=True)

    def __init__(
        self,
        mask: Tensor | Sequence[Sequence[bool]] | None = None,
        *,
        purpose: str = "decoder",
        true_means: str = "attend",
        fill: str = "-inf",
        number_format: str = "float32",
        low: bool = False,
        clear_empty: bool = False,
    ) -> None:
        mask = _rule("decoder") if mask is None else torch.as_tensor(mask)
        check_mask(mask, (_T, _T))
        padding = torch.zeros(_PADDINGS, W_Q.shape[0], dtype=torch.float64)
        super().__init__(
            names=[*(word.gloss for word in _WORDS), *["(pad)"] * _PADDINGS],
            x=torch.cat([toy_embeddings(_WORDS), padding]).tolist(),
            w={"q": W_Q.tolist(), "k": W_K.tolist(), "v": W_V.tolist()},
            mask=mask.expand(_T, _T).tolist(),
            purpose=purpose,
            true_means=true_means,
            fill=fill,
            number_format=number_format,
            low=low,
            clear_empty=clear_empty,
        )

    @traitlets.validate("mask")
    def _validate_mask(self, proposal: dict) -> list[list[bool]]:
        rows = proposal["value"]
        if len(rows) != _T or any(len(row) != _T for row in rows):
            raise ValueError(f"mask must have {_T} rows of {_T} cells; got {rows!r}")
        return rows

    _choices = one_of(
        purpose=("decoder", "encoder"),
        true_means=("attend", "hide"),
        fill=_FILLS,
        number_format=_FORMATS,
    )

    @property
    def allowed(self) -> Tensor:
        """The cells that may attend, (6, 6), as the mask is read."""
        mask = torch.tensor(self.mask)
        return mask if self.true_means == "attend" else ~mask

    @property
    def refused(self) -> bool:
        """Whether PyTorch refuses the fill value because the number format can't hold it."""
        fill, dtype = _FILLS[self.fill], _FORMATS[self.number_format]
        return math.isfinite(fill) and abs(fill) > torch.finfo(dtype).max

    @property
    def weights(self) -> Tensor | None:
        """The weights on display, (6, 6) in float64; None if PyTorch refuses the fill value."""
        return None if self.refused else self._attend(self._words())[1]

    @property
    def leaks(self) -> list[Leak] | None:
        """The leaks that ``find_leaks`` finds, not counting the padding's own output.

        None if PyTorch refuses the fill value, or if an output is NaN.
        """
        if self.refused or self._attend(self._words())[0].isnan().any():
            return None
        rule = _rule(self.purpose)
        rule[-_PADDINGS:] = True
        return find_leaks(lambda x: self._attend(x[0])[0][None], self._words()[None], allowed=rule)

    def _words(self) -> Tensor:
        return torch.tensor(self.x, dtype=torch.float64)

    def _attend(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Return context and weights of one head, scores and weights rounded to the format."""
        scores = (x @ W_Q) @ (x @ W_K).T / math.sqrt(W_K.shape[1])
        scores = scores.to(_FORMATS[self.number_format]) - (_LOWER if self.low else 0.0)
        weights = scores.masked_fill(~self.allowed, _FILLS[self.fill]).softmax(dim=-1).double()
        if self.clear_empty:
            weights = weights.masked_fill(~self.allowed.any(dim=-1, keepdim=True), 0.0)
        return weights @ (x @ W_V), weights

    def picture(self) -> Figure:
        """Return the mask above its weights."""
        figure = Figure(figsize=(5.8, 2.9))
        mask = torch.tensor(self.mask).double()
        weights = torch.full((_T, _T), math.nan) if self.refused else self.weights
        left, right = figure.subplots(1, 2)
        reading = "may attend" if self.true_means == "attend" else "hide"
        heatmap(mask, rows=self.names, title=f"mask (1 = {reading})", digits=0, ax=left)
        heatmap(weights, rows=[""] * _T, title="weights", ax=right)
        for ax in (left, right):
            ax.set_xticks(range(_T), self.names, rotation=40, ha="right")
            for text in ax.texts:
                text.set_fontsize(9)
        return figure


def _rule(purpose: str) -> Tensor:
    """Return the right mask for a purpose, (6, 6)."""
    real = (torch.arange(_T) < _T - _PADDINGS).expand(_T, _T)
    return real & causal_mask(_T) if purpose == "decoder" else real.clone()
