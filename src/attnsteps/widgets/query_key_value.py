"""Self-attention of one word in six steps, with its real numbers."""

from collections.abc import Sequence

import torch
import traitlets
from matplotlib.figure import Figure
from numpy.typing import ArrayLike
from torch import Tensor

from attnsteps import scaled_dot_product_attention
from attnsteps.plotting.heatmap import heatmap
from attnsteps.running_example import SENTENCE, TWIN, Word
from attnsteps.shapes import check_shape
from attnsteps.toy import AXES, toy_projections, toy_vectors
from attnsteps.widgets.base import Widget
from attnsteps.widgets.bundle import bundle, styles

_STEPS = 6
_ADJECTIVE = 6  # index of tired and wide
_W_Q, _W_K, _W_V = toy_projections()


class SixSteps(Widget):
    """One word of the running sentence attends to all of them, step by step.

    The reader selects the query's word, goes through the six steps in both directions, edits the
    vector of any word, and switches between the sentence and its twin. ``embeddings``,
    ``selected``, ``step`` and the rest are traits that Python can read and set.

    Args:
        words: the sentence, T words; only the running sentence can be switched to its twin.
        embeddings: (T, D); None uses the toy vectors of the running example.
        w_q: (D, Dk), for the queries.
        w_k: (D, Dk), for the keys.
        w_v: (D, Dv), for the values.
        selected: index of the query's word, from 0.
        step: the step shown first, 1 to 6.

    Raises:
        ValueError: there are no words, shapes do not fit, a number is not finite, or selected or
            step is out of range.
    """

    _esm = bundle("query_key_value")
    _css = styles("query_key_value")

    words = traitlets.List(traitlets.Dict()).tag(sync=True)
    embeddings = traitlets.List(traitlets.List(traitlets.Float())).tag(sync=True)
    w_q = traitlets.List(traitlets.List(traitlets.Float())).tag(sync=True)
    w_k = traitlets.List(traitlets.List(traitlets.Float())).tag(sync=True)
    w_v = traitlets.List(traitlets.List(traitlets.Float())).tag(sync=True)
    selected = traitlets.Int().tag(sync=True)
    step = traitlets.Int(1).tag(sync=True)
    axes = traitlets.List(traitlets.Unicode()).tag(sync=True)
    value_axes = traitlets.List(traitlets.Unicode()).tag(sync=True)
    #: The original sentences, for the sentence switch and the reset button.
    sentences = traitlets.List(traitlets.Dict()).tag(sync=True)

    def __init__(
        self,
        words: Sequence[Word] = SENTENCE,
        *,
        embeddings: ArrayLike | Tensor | None = None,
        w_q: ArrayLike | Tensor = _W_Q,
        w_k: ArrayLike | Tensor = _W_K,
        w_v: ArrayLike | Tensor = _W_V,
        selected: int | None = None,
        step: int = 1,
    ) -> None:
        words = tuple(words)
        if not words:
            raise ValueError("words must hold at least 1 word; got 0")
        own = embeddings is None
        x = toy_vectors(words) if own else _matrix("embeddings", embeddings, "T D", T=len(words))
        q = _matrix("w_q", w_q, "D Dk", D=x.shape[1])
        k = _matrix("w_k", w_k, "D Dk", D=x.shape[1], Dk=q.shape[1])
        v = _matrix("w_v", w_v, "D Dv", D=x.shape[1])
        present = {"words": _plain(words), "embeddings": x.tolist()}
        has_twin = own and words in (SENTENCE, TWIN)
        super().__init__(
            **present,
            w_q=q.tolist(),
            w_k=k.tolist(),
            w_v=v.tolist(),
            selected=min(_ADJECTIVE, len(words) - 1) if selected is None else selected,
            step=step,
            axes=list(AXES) if own else _numbered(x.shape[1]),
            value_axes=list(AXES[-2:]) if torch.equal(v, _W_V) else _numbered(v.shape[1]),
            sentences=_twins() if has_twin else [present],
        )

    @traitlets.validate("selected")
    def _check_selected(self, proposal: dict) -> int:
        if not 0 <= proposal["value"] < len(self.words):
            raise ValueError(
                f"selected must be in 0..{len(self.words) - 1}; got {proposal['value']}"
            )
        return proposal["value"]

    @traitlets.validate("step")
    def _check_step(self, proposal: dict) -> int:
        if not 1 <= proposal["value"] <= _STEPS:
            raise ValueError(f"step must be in 1..{_STEPS}; got {proposal['value']}")
        return proposal["value"]

    @traitlets.validate("embeddings")
    def _check_embeddings(self, proposal: dict) -> list[list[float]]:
        sizes = {"T": len(self.words), "D": len(self.w_q)}
        return _matrix("embeddings", proposal["value"], "T D", **sizes).tolist()

    def picture(self) -> Figure:
        """Return the weights of the query's word above its new vector."""
        x, w_q, w_k, w_v = (
            torch.tensor(values, dtype=torch.float64)
            for values in (self.embeddings, self.w_q, self.w_k, self.w_v)
        )
        asking = slice(self.selected, self.selected + 1)
        context, weights = scaled_dot_product_attention(x[asking] @ w_q, x @ w_k, x @ w_v)
        glosses = [word["gloss"] for word in self.words]
        new = ", ".join(
            f"{name} {value:.2f}"
            for name, value in zip(self.value_axes, context[0].tolist(), strict=True)
        )
        figure = Figure(figsize=(5.8, 1.7))
        ax = figure.subplots()
        heatmap(
            weights,
            rows=[glosses[self.selected]],
            columns=glosses,
            title=f"{glosses[self.selected]}: the weights of its query",
            column_axis=f"the new vector: {new}",
            ax=ax,
        )
        ax.tick_params(axis="x", labelsize=10)
        return figure


def _plain(words: Sequence[Word]) -> list[dict]:
    """Return words in the form that the JavaScript reads."""
    return [{"zh": word.zh, "gloss": word.gloss} for word in words]


def _twins() -> list[dict]:
    """Return the running sentence and its twin in their original state."""
    return [
        {
            "words": _plain(words),
            "embeddings": toy_vectors(words).tolist(),
            "ending": f"{words[_ADJECTIVE].zh} {words[_ADJECTIVE].gloss}",
        }
        for words in (SENTENCE, TWIN)
    ]


def _numbered(count: int) -> list[str]:
    """Name axes that have no meaning."""
    return [str(index + 1) for index in range(count)]


def _matrix(name: str, values: ArrayLike | Tensor, axes: str, **sizes: int) -> Tensor:
    """Return values as a float64 matrix, after checking its axes against the known sizes."""
    matrix = torch.as_tensor(values, dtype=torch.float64)
    check_shape(name, matrix, axes, **sizes)
    if not matrix.isfinite().all():
        raise ValueError(f"{name} must hold finite numbers; got {matrix.tolist()}")
    return matrix
