"""The width of queries and keys on a slider, and its effect on the weights."""

from typing import Literal

import numpy as np
import traitlets
from matplotlib.figure import Figure
from numpy.typing import NDArray

from attnsteps.widgets.base import Widget, one_of, within
from attnsteps.widgets.bundle import bundle, styles
from attnsteps.widgets.random import normals

Divisor = Literal["none", "sqrt", "d_k"]

DIVISORS: tuple[Divisor, ...] = ("none", "sqrt", "d_k")

_QUERIES, _MOST_KEYS, _MOST_WIDTH = 200, 12, 512


class Scaling(Widget):
    """Random queries and keys: their scores and weights, with and without the division.

    Args:
        d_k: width of queries and keys, 1 to 512.
        num_keys: number of keys per query, 2 to 12.
        divisor: the divisor of the scores on the right: ``"none"``, ``"sqrt"`` (√d_k) or
            ``"d_k"``.
        seed: seed of the random draws, 0 to 2³¹ − 1.

    Raises:
        ValueError: a number is out of range, or divisor is unknown.
    """

    _esm = bundle("scaling")
    _css = styles("scaling")

    d_k = traitlets.Int(64).tag(sync=True)
    num_keys = traitlets.Int(8).tag(sync=True)
    divisor = traitlets.Unicode("sqrt").tag(sync=True)
    seed = traitlets.Int(1).tag(sync=True)

    def __init__(
        self, *, d_k: int = 64, num_keys: int = 8, divisor: Divisor = "sqrt", seed: int = 1
    ) -> None:
        super().__init__(d_k=d_k, num_keys=num_keys, divisor=divisor, seed=seed)

    _ranges = within(d_k=(1, _MOST_WIDTH), num_keys=(2, _MOST_KEYS), seed=(0, 2**31 - 1))
    _choices = one_of(divisor=DIVISORS)

    def scores(self, divisor: Divisor) -> NDArray[np.float64]:
        """Return the scores under a divisor, (200, num_keys): the same draws as on the page."""
        shape = (self.d_k, _QUERIES, 1 + _MOST_KEYS)  # a narrower one is the beginning of a wider
        drawn = normals(self.seed, int(np.prod(shape))).reshape(shape)
        q, k = drawn[..., :1], drawn[..., 1 : 1 + self.num_keys]
        return (q * k).sum(0) / {"none": 1.0, "sqrt": self.d_k**0.5, "d_k": self.d_k}[divisor]

    def picture(self) -> Figure:
        """Return the scores as histograms above the first query's weights, side by side."""
        figure = Figure(figsize=(5.8, 3.6))
        names = {
            "none": "not divided",
            "sqrt": "divided by $\\sqrt{d_k}$",
            "d_k": "divided by $d_k$",
        }
        for column, divisor in zip(figure.subplots(2, 2).T, ("none", self.divisor), strict=True):
            scores = self.scores(divisor)
            column[0].hist(scores.ravel(), bins=64, range=(-32, 32))
            column[0].set(title=names[divisor], xlabel="score", yticks=[])
            weights = np.exp(scores[0] - scores[0].max())
            drawn = column[1].bar(range(1, self.num_keys + 1), weights / weights.sum())
            column[1].bar_label(drawn, fmt="{:.2f}", padding=2, fontsize=8)
            column[1].set(xlabel="key", ylabel="weight", ylim=(0, 1.15))
            column[1].grid(axis="x", visible=False)
        figure.suptitle(f"$d_k$ = {self.d_k}, {self.num_keys} keys", fontsize=11)
        return figure
