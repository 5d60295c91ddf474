"""Word vectors as a map, before and after training."""

from collections.abc import Sequence

import numpy as np
import traitlets
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray

from attnsteps.checks import check_number
from attnsteps.widgets.base import Widget
from attnsteps.widgets.bundle import bundle, styles

_FEWEST, _DIGITS = 10, 3


class EmbeddingSpace(Widget):
    """A map of word vectors, the nearest words of any word, and the look-up by a one-hot vector.

    All vectors count with the length 1. The map shows the two directions in which they differ most
    (their first two principal components); the nearest words have the highest cosine similarity of
    their full vectors.

    Args:
        words: V different words, at least ten.
        before: their vectors before training, (V, D).
        after: their vectors after training, (V, D).
        selected: the word selected first.
        learned: False shows the vectors before training first.

    Raises:
        ValueError: words are too few or not all different, vectors are not (V, D) and finite, or
            selected is not one of the words.
    """

    _esm = bundle("embedding")
    _css = styles("embedding")

    words = traitlets.List(traitlets.Unicode()).tag(sync=True)
    before = traitlets.List().tag(sync=True)
    after = traitlets.List().tag(sync=True)
    map_before = traitlets.List().tag(sync=True)
    map_after = traitlets.List().tag(sync=True)
    selected = traitlets.Int(0).tag(sync=True)
    learned = traitlets.Bool(True).tag(sync=True)

    def __init__(
        self,
        words: Sequence[str],
        before: ArrayLike,
        after: ArrayLike,
        *,
        selected: str,
        learned: bool = True,
    ) -> None:
        words = list(words)
        if len(set(words)) < len(words) or len(words) < _FEWEST:
            raise ValueError(
                f"words must hold at least {_FEWEST} different words; got {len(words)},"
                f" {len(set(words))} of them different"
            )
        if selected not in words:
            raise ValueError(f"selected must be one of the words; got {selected!r}")
        sets = {
            "before": _vectors("before", before, words),
            "after": _vectors("after", after, words),
        }
        if sets["before"].shape != sets["after"].shape:
            raise ValueError(
                f"after must have the shape of before, {sets['before'].shape};"
                f" got {sets['after'].shape}"
            )
        for name, vectors in sets.items():
            lost = np.flatnonzero(~np.any(_rounded(vectors), axis=1))
            if lost.size:
                raise ValueError(
                    f"{name} must hold vectors that do not round to 0 at {_DIGITS} decimals; got"
                    f" one for {words[lost[0]]!r}"
                )
        super().__init__(
            words=words,
            **{name: _rounded(vectors) for name, vectors in sets.items()},
            **{
                f"map_{name}": _rounded(flat_map(_units(vectors))) for name, vectors in sets.items()
            },
            selected=words.index(selected),
            learned=learned,
        )

    @traitlets.validate("selected")
    def _validate_selected(self, proposal: dict) -> int:
        check_number("selected", proposal["value"], at_least=0, at_most=len(self.words) - 1)
        return proposal["value"]

    def nearest(self, count: int = 8) -> list[str]:
        """Return the words nearest to the selected one by cosine similarity, nearest first."""
        units = _units(np.array(self.after if self.learned else self.before))
        order = np.argsort(-(units @ units[self.selected]), kind="stable")
        return [self.words[i] for i in order if i != self.selected][:count]

    def picture(self) -> Figure:
        """Return the map, with labels for the selected word and its neighbours."""
        figure = Figure(figsize=(5.8, 4.0))
        ax = figure.subplots()
        points = np.array(self.map_after if self.learned else self.map_before)
        ax.plot(*points.T, ".", color="#9aa3b0", markersize=4)
        for name in [self.words[self.selected], *self.nearest()]:
            x, y = points[self.words.index(name)]
            weight = "bold" if name == self.words[self.selected] else "normal"
            ax.text(x, y, f" {name}", weight=weight)
        ax.set(xticks=[], yticks=[], title="after learning" if self.learned else "before learning")
        ax.grid(visible=False)
        return figure


def flat_map(vectors: ArrayLike) -> NDArray[np.float64]:
    """Project vectors, (V, D), on the two directions in which they differ most, as (V, 2).

    The sign of each direction makes the largest coordinate positive.

    Example:
        >>> flat_map([[0, 0, 0], [2, 0, 0], [4, 1, 0]]).round(2).tolist()
        [[-2.02, -0.17], [-0.08, 0.32], [2.1, -0.15]]
    """
    centred = np.asarray(vectors, dtype=float) - np.mean(vectors, axis=0)
    _, _, directions = np.linalg.svd(centred, full_matrices=False)
    places = centred @ directions[:2].T
    return places * np.sign(places[np.abs(places).argmax(0), [0, 1]])


def _units(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Divide each vector by its length."""
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def _vectors(name: str, vectors: ArrayLike, words: list[str]) -> NDArray[np.float64]:
    """Return vectors as an array, refusing a wrong shape or numbers that aren't finite."""
    array = np.asarray(vectors, dtype=float)
    if array.ndim != 2 or len(array) != len(words) or array.shape[1] < 2:
        raise ValueError(
            f"{name} must have shape (V, D) with V = {len(words)} and D ≥ 2; got {array.shape}"
        )
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must hold finite numbers; got NaN or infinity")
    return array


def _rounded(array: NDArray[np.float64]) -> list[list[float]]:
    """Round to the digits that the page needs."""
    return array.round(_DIGITS).tolist()
