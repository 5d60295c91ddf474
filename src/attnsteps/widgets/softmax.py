"""Scores to drag, and the weights that softmax makes of them."""

import math
from collections.abc import Sequence

import torch
import traitlets
from matplotlib.figure import Figure

from attnsteps.checks import check_number
from attnsteps.layers.softmax import masked_softmax
from attnsteps.running_example import (
    ANIMAL,
    BECAUSE,
    CROSS,
    NOT,
    STREET,
    TIRED,
    W_K,
    W_Q,
    toy_embeddings,
)
from attnsteps.widgets.base import Widget, one_of, within
from attnsteps.widgets.bundle import bundle, styles

_WORDS = (ANIMAL, STREET, TIRED, BECAUSE, CROSS, NOT)
_FEWEST, _MOST, _SHOWN = 2, len(_WORDS), 3
_LARGEST_SCORE = 10
_FORMATS = ("float64", "float32", "float16")


def _scores_of_tired() -> list[float]:
    """Return the scores of the running example's "tired" for each word, divided by √d_k."""
    query = toy_embeddings((TIRED,)) @ W_Q
    scores = query @ (toy_embeddings(_WORDS) @ W_K).T / math.sqrt(W_K.shape[1])
    return scores[0].tolist()


class Softmax(Widget):
    """Scores to drag and their softmax, stable and naive, step by step.

    Args:
        logits: 2 to 6 scores in [−10, 10]; None uses the running example's 4, 2, 2.
        temperature: τ in [0.1, 10]; the scores are divided by it.
        excluded: for each score, whether −∞ replaces it; missing entries mean False.
        shift: c in [−1000, 1000], added to every score before the division.
        number_format: ``"float64"``, ``"float32"`` or ``"float16"``, the rounding of each step.

    Raises:
        ValueError: a number is out of range, there are too few or too many scores, excluded is
            longer than logits, or number_format is unknown.
    """

    _esm = bundle("softmax")
    _css = styles("softmax")

    logits = traitlets.List(traitlets.Float()).tag(sync=True)
    temperature = traitlets.Float(1.0).tag(sync=True)
    excluded = traitlets.List(traitlets.Bool()).tag(sync=True)
    shift = traitlets.Float(0.0).tag(sync=True)
    number_format = traitlets.Unicode("float64").tag(sync=True)
    names = traitlets.List(traitlets.Unicode()).tag(sync=True)
    spare = traitlets.List(traitlets.Float()).tag(sync=True)

    def __init__(
        self,
        logits: Sequence[float] | None = None,
        *,
        temperature: float = 1.0,
        excluded: Sequence[bool] = (),
        shift: float = 0.0,
        number_format: str = "float64",
    ) -> None:
        spare = _scores_of_tired()
        scores = spare[:_SHOWN] if logits is None else list(logits)
        if len(excluded) > len(scores):
            raise ValueError(
                f"excluded must have at most one entry for each of the {len(scores)} scores;"
                f" got {len(excluded)}"
            )
        super().__init__(
            logits=scores,
            temperature=temperature,
            excluded=[bool(out) for out in excluded] + [False] * (len(scores) - len(excluded)),
            shift=shift,
            number_format=number_format,
            names=[word.gloss for word in _WORDS],
            spare=spare,
        )

    @traitlets.validate("logits")
    def _validate_logits(self, proposal: dict) -> list[float]:
        logits = proposal["value"]
        if not _FEWEST <= len(logits) <= _MOST:
            raise ValueError(f"logits must hold {_FEWEST} to {_MOST} scores; got {len(logits)}")
        for i, score in enumerate(logits):
            check_number(f"logits[{i}]", score, at_least=-_LARGEST_SCORE, at_most=_LARGEST_SCORE)
        return logits

    _ranges = within(temperature=(0.1, 10), shift=(-1000, 1000))
    _choices = one_of(number_format=_FORMATS)

    def weights(self) -> list[float]:
        """Return the current weights, computed by the package in float64."""
        excluded = (list(self.excluded) + [False] * len(self.logits))[: len(self.logits)]
        scores = (torch.tensor([self.logits], dtype=torch.float64) + self.shift) / self.temperature
        return masked_softmax(scores, ~torch.tensor([excluded]))[0].tolist()

    def picture(self) -> Figure:
        """Return the weights as bars."""
        figure = Figure(figsize=(5.8, 2.8))
        axes = figure.subplots()
        drawn = axes.bar(self.names[: len(self.logits)], self.weights(), width=0.7)
        axes.bar_label(drawn, fmt="{:.3f}", padding=2)
        axes.grid(axis="x", visible=False)
        scores = ", ".join(f"{score:g}".replace("-", "−") for score in self.logits)
        axes.set(
            title=f"softmax of {scores}, τ = {self.temperature:g}", ylabel="weight", ylim=(0, 1.1)
        )
        return figure
