"""Positions as clock hands, and the effect of a changed word order on attention."""

import math
from collections.abc import Sequence
from typing import Literal

import torch
import traitlets
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from torch import Tensor

from attnsteps.layers.positional import sinusoidal_positions
from attnsteps.plotting.style import COLOURS, DIVERGING
from attnsteps.running_example import SENTENCE, Word
from attnsteps.toy import toy_projections, toy_vectors
from attnsteps.widgets.base import Widget, one_of, within
from attnsteps.widgets.bundle import bundle, styles

Layout = Literal["interleaved", "concatenated"]

LAYOUTS: tuple[Layout, ...] = ("interleaved", "concatenated")
WIDTHS = (4, 8, 12)

#: The positions in the picture, and the ends of the two sliders, whose sum stays within it.
LENGTH, LAST_POSITION, LAST_STEP = 48, 31, 16
MIN_WORDS, MAX_WORDS = 2, 8

#: The width of the positions that the head below the clocks reads, and how loudly.
WIDE, LOUD = 64, 5


class Positions(Widget):
    """Sinusoidal positions as clock hands, a step as a turn, and words that change places.

    Args:
        words: 2 to 8 words of the running example, in their original order.
        order: the index of the word at each place, from 0; None keeps the original order.
        d_model: width of the position vectors above the words: 4, 8 or 12.
        layout: ``"interleaved"`` (the paper) or ``"concatenated"``.
        position: the position on the clocks, 0 to 31.
        step: the number of positions to turn by, 0 to 16.

    Raises:
        ValueError: a number is out of range, layout is unknown, words are too few, too many or not
            from the running example, or order is not a permutation of the words.

    Example:
        >>> widget = Positions(order=[3, 1, 2, 0])
        >>> widget.moved(with_positions=False).max().item() < 1e-12
        True
    """

    _esm = bundle("positional")
    _css = styles("positional")

    words = traitlets.List(traitlets.List(traitlets.Unicode())).tag(sync=True)
    order = traitlets.List(traitlets.Int()).tag(sync=True)
    d_model = traitlets.Int(12).tag(sync=True)
    layout = traitlets.Unicode("interleaved").tag(sync=True)
    position = traitlets.Int(5).tag(sync=True)
    step = traitlets.Int(3).tag(sync=True)
    x = traitlets.List().tag(sync=True)
    w_q = traitlets.List().tag(sync=True)
    w_k = traitlets.List().tag(sync=True)
    w_v = traitlets.List().tag(sync=True)

    def __init__(
        self,
        words: Sequence[Word] = SENTENCE[:4],
        *,
        order: Sequence[int] | None = None,
        d_model: int = 12,
        layout: Layout = "interleaved",
        position: int = 5,
        step: int = 3,
    ) -> None:
        words = tuple(words)
        if not MIN_WORDS <= len(words) <= MAX_WORDS:
            raise ValueError(f"words must hold {MIN_WORDS} to {MAX_WORDS} words; got {len(words)}")
        w_q, w_k, w_v = toy_projections()
        super().__init__(
            words=[[word.zh, word.gloss] for word in words],
            order=list(range(len(words)) if order is None else order),
            d_model=d_model,
            layout=layout,
            position=position,
            step=step,
            x=toy_vectors(words).tolist(),
            w_q=w_q.tolist(),
            w_k=w_k.tolist(),
            w_v=w_v.tolist(),
        )

    @traitlets.validate("order")
    def _validate_order(self, proposal: dict) -> list[int]:
        order, places = proposal["value"], list(range(len(self.words)))
        if sorted(order) != places:
            raise ValueError(f"order must hold each of 0..{places[-1]} once; got {order}")
        return order

    _ranges = within(position=(0, LAST_POSITION), step=(0, LAST_STEP))
    _choices = one_of(d_model=WIDTHS, layout=LAYOUTS)

    @property
    def table(self) -> Tensor:
        """The positions on display, (48, d_model) in float64, in the selected layout."""
        return sinusoidal_positions(LENGTH, self.d_model, layout=self.layout, dtype=torch.float64)

    def contexts(self, *, with_positions: bool) -> Tensor:
        """Return each word's context in the present order, (T, 2) in float64.

        With with_positions, a score of the places is added: each asks for the place after its own.
        """
        return self._contexts(self.order, with_positions)

    def moved(self, *, with_positions: bool) -> Tensor:
        """Return how far each word's context, (T,), has moved from that in the original order.

        Args:
            with_positions: as in :meth:`contexts`.

        Returns:
            One distance for each place, (T,) in float64.
        """
        first = self._contexts(sorted(self.order), with_positions)
        return (self.contexts(with_positions=with_positions) - first[self.order]).norm(dim=-1)

    def picture(self) -> Figure:
        """Return the clocks above the table of positions and the dot products by distance."""
        figure = Figure(figsize=(5.8, 4.0))
        above, below = figure.subfigures(2, 1, height_ratios=(1, 2))
        angles = sinusoidal_positions(LENGTH, self.d_model, dtype=torch.float64)
        other = self.position + self.step
        for pair, ax in enumerate(above.subplots(1, self.d_model // 2, squeeze=False)[0]):
            _draw_clock(ax, angles[[self.position, other], 2 * pair : 2 * pair + 2])
            ax.set_title(f"hand {pair}", loc="center")
        left, right = below.subplots(1, 2)
        left.imshow(self.table.T.numpy(), cmap=DIVERGING, vmin=-1.9, vmax=1.9, aspect="auto")
        left.set(title=self.layout, xlabel="position", ylabel="column")
        right.plot((self.table @ self.table[self.position]).numpy())
        wide = sinusoidal_positions(LENGTH, WIDE, dtype=torch.float64)
        many = wide @ wide[self.position] * self.d_model / WIDE
        right.plot(many.numpy(), color="0.5", linestyle="--")
        right.set(title=f"dot product with position {self.position}", xlabel="position")
        for ax in (left, right):
            ax.grid(visible=False)
            ax.axvline(self.position, color=COLOURS[0])
            ax.axvline(other, color=COLOURS[1], linestyle="--")
        return figure

    def _contexts(self, order: Sequence[int], with_positions: bool) -> Tensor:
        x = torch.tensor(self.x, dtype=torch.float64)[list(order)]
        q, k, v = (x @ w for w in toy_projections())
        scores = q @ k.T / math.sqrt(k.shape[-1])
        if with_positions:
            places = sinusoidal_positions(len(x) + 1, WIDE, dtype=x.dtype)
            scores = scores + LOUD * places[1:] @ places[:-1].T
        return scores.softmax(dim=-1) @ v


def _draw_clock(ax: Axes, hands: Tensor) -> None:
    """Draw a dial with two hands, each given as (sine, cosine): 12 o'clock is angle 0."""
    around = [2 * math.pi * part / 60 for part in range(61)]
    ax.plot([math.sin(a) for a in around], [math.cos(a) for a in around], color="0.6", linewidth=1)
    for (sine, cosine), colour, dash in zip(hands.tolist(), COLOURS, ("-", "--"), strict=False):
        ax.plot([0, sine], [0, cosine], color=colour, linestyle=dash)
    ax.set(aspect="equal", xlim=(-1.1, 1.1), ylim=(-1.1, 1.1))
    ax.axis("off")
