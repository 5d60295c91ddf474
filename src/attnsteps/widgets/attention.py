"""Type a sentence and inspect every cell of its attention, or inspect your own model's."""

import math
from collections.abc import Sequence

import torch
import traitlets
from matplotlib.figure import Figure
from torch import Tensor

from attnsteps.checks import check_choice
from attnsteps.layers.attention import scaled_dot_product_attention
from attnsteps.layers.masks import causal_mask
from attnsteps.plotting.heatmap import heatmap
from attnsteps.running_example import SENTENCE, TWIN
from attnsteps.shapes import check_floating, check_mask, check_shape
from attnsteps.widgets.base import Widget
from attnsteps.widgets.bundle import bundle, styles
from attnsteps.widgets.spelling import spelling_vector

MIN_WORDS, MAX_WORDS = 2, 12

_GLOSSES = {word.zh: word.gloss for word in (*SENTENCE, *TWIN)}


class AttentionExplorer(Widget):
    """Scores, weights and context of a few words, with the calculation behind each number.

    The vectors come from the words' spelling (``attnsteps.widgets.spelling``), and q = k = v. To
    see the tensors of a model instead, use :meth:`from_tensors`.

    Args:
        words: 2 to 12 words, as a list or as one text with spaces between them.
        mask: ``"none"`` or ``"causal"``.
        scale: True divides the scores by √d_k.
        selected: the query and the key of the cell shown first, each counted from 0.

    Raises:
        ValueError: words are too few or too many, empty or contain a space; mask is unknown; or
            selected is out of range.

    Example:
        >>> explorer = AttentionExplorer("tired tried street")
        >>> explorer.weights[0, 0] == explorer.weights[0, 1]  # the same letters
        tensor(True)
    """

    _esm = bundle("attention")
    _css = styles("attention")

    words = traitlets.List(traitlets.Unicode()).tag(sync=True)
    mask = traitlets.Unicode("none").tag(sync=True)
    scale = traitlets.Bool(True).tag(sync=True)
    selected = traitlets.List(traitlets.Int(), [0, 0]).tag(sync=True)
    q = traitlets.Any(None, allow_none=True).tag(sync=True)
    k = traitlets.Any(None, allow_none=True).tag(sync=True)
    v = traitlets.Any(None, allow_none=True).tag(sync=True)
    given_mask = traitlets.Any(None, allow_none=True).tag(sync=True)

    def __init__(
        self,
        words: str | Sequence[str] = tuple(word.zh for word in SENTENCE),
        *,
        mask: str = "none",
        scale: bool = True,
        selected: Sequence[int] = (0, 0),
    ) -> None:
        words = words.split() if isinstance(words, str) else list(words)
        if not all(len(word.split()) == 1 for word in words):
            raise ValueError(f"words must be non-empty and contain no spaces; got {words!r}")
        if mask not in ("none", "causal"):
            raise ValueError(f"mask must be 'none' or 'causal'; got {mask!r}")
        _check_words(words, selected)
        super().__init__(words=words, mask=mask, scale=scale, selected=list(selected))

    @traitlets.validate("words")
    def _check_number(self, proposal: dict) -> list[str]:
        _check_number(proposal["value"])
        return proposal["value"]

    @traitlets.validate("mask")
    def _check_mask(self, proposal: dict) -> str:
        choices = ("none", "causal") if self.given_mask is None else ("none", "causal", "given")
        check_choice("mask", proposal["value"], choices)
        return proposal["value"]

    @classmethod
    def from_tensors(
        cls,
        words: Sequence[str],
        q: Tensor,
        k: Tensor,
        v: Tensor,
        mask: Tensor | None = None,
        *,
        selected: Sequence[int] = (0, 0),
    ) -> "AttentionExplorer":
        """Return an explorer of a model's tensors, for one sentence and one head.

        There is one word for each position; q and k are (T, Dk), v is (T, Dv), and the mask is
        bool, broadcastable to (T, T), True = may attend.

        Example:
            >>> q, k, v = torch.eye(2), torch.eye(2), torch.eye(2)
            >>> AttentionExplorer.from_tensors(["a", "b"], q, k, v).weights
            tensor([[0.6698, 0.3302],
                    [0.3302, 0.6698]], dtype=torch.float64)
        """
        words = list(words)
        _check_words(words, selected)
        for name, tensor in (("q", q), ("k", k), ("v", v)):
            check_floating(name, tensor)
            if tensor.dim() > 2:
                raise ValueError(
                    f"{name} must have shape (T, D); got {tuple(tensor.shape)}"
                    f" (choose one sentence and one head: {name}[0, 0])"
                )
            if not tensor.isfinite().all():
                raise ValueError(f"{name} must be finite; got NaN or infinity")
        check_shape("q", q, "T Dk", T=len(words))
        check_shape("k", k, "T Dk", T=len(words), Dk=q.shape[-1])
        check_shape("v", v, "T Dv", T=len(words))
        square = (len(words), len(words))
        if mask is not None:
            check_mask(mask, square)
            mask = mask.expand(square)
        explorer = cls(["–"] * len(words), selected=selected)
        explorer.words = words  # labels may contain spaces, unlike typed words
        explorer.q, explorer.k, explorer.v = (tensor.detach().tolist() for tensor in (q, k, v))
        if mask is not None:
            explorer.given_mask, explorer.mask = mask.tolist(), "given"
        return explorer

    @property
    def weights(self) -> Tensor:
        """The weights on display, (T, T) in float64, computed by the package."""
        if self.q is None:
            q = k = v = torch.stack([spelling_vector(word) for word in self.words])
        else:
            q, k, v = (torch.tensor(rows, dtype=torch.float64) for rows in (self.q, self.k, self.v))
        if not self.scale:
            q = q * math.sqrt(q.shape[-1])
        allowed = {
            "none": lambda: None,
            "causal": lambda: causal_mask(len(self.words)),
            "given": lambda: torch.tensor(self.given_mask),
        }[self.mask]()
        return scaled_dot_product_attention(q, k, v, allowed)[1]

    def picture(self) -> Figure:
        """Return a heat map of the weights."""
        size = 0.55 * len(self.words)
        figure = Figure(figsize=(size + 1.4, 0.75 * size + 1.2))
        labels = [_latin(word, place) for place, word in enumerate(self.words)]
        ax = heatmap(
            self.weights,
            rows=labels,
            columns=labels,
            row_axis="query",
            column_axis="key",
            title="Attention weights",
            ax=figure.subplots(),
        )
        ax.tick_params(axis="x", rotation=40)
        return figure


def _check_words(words: list[str], selected: Sequence[int]) -> None:
    """Refuse a number of words that doesn't fit the page, or a cell outside the matrix."""
    _check_number(words)
    if len(selected) != 2 or not all(0 <= place < len(words) for place in selected):
        raise ValueError(
            f"selected must be a query and a key in 0..{len(words) - 1}; got {tuple(selected)}"
        )


def _check_number(words: list[str]) -> None:
    """Refuse a number of words that doesn't fit the page."""
    if not MIN_WORDS <= len(words) <= MAX_WORDS:
        raise ValueError(f"words must hold {MIN_WORDS} to {MAX_WORDS} words; got {len(words)}")


def _latin(word: str, place: int) -> str:
    """Return a label that Matplotlib can draw: the gloss of a Chinese word, otherwise a number."""
    label = _GLOSSES.get(word, word)
    drawable = all(ord(letter) < 0x250 and letter.isprintable() for letter in label)
    label = label if drawable else f"word {place + 1}"
    label = label if len(label) <= 10 else f"{label[:9]}…"
    return label.replace("$", r"\$")  # Matplotlib would read a pair of dollars as a formula
