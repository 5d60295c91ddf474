"""A sentence squeezed into one vector, compared with attention to all of its words."""

import numpy as np
import traitlets
from matplotlib.figure import Figure
from numpy.typing import NDArray

from attnsteps.widgets.base import Widget, one_of, within
from attnsteps.widgets.bundle import bundle, styles
from attnsteps.widgets.random import uniform

WIDTHS = (8, 16, 32, 64, 128, 256)
_TEXT = """yesterday the old animal from the village did not cross the wide street near the
market because it was too tired to walk home"""
_OTHERS = "river girl boy happy never small dog book reads"

SENTENCE = tuple(_TEXT.split())
#: The sentence's words, and others that reading back could confuse with them.
VOCABULARY = (*dict.fromkeys(SENTENCE), *_OTHERS.split())


class ContextBottleneck(Widget):
    """Read a sentence back from the sum of its word vectors, and by attention to all of them.

    Word vectors and position tags are random signs. The single vector is the sum of all words, each
    multiplied by the tag of its place; multiplying by a tag again reads that place back.

    Args:
        count: words in the sentence, 1 to 24.
        width: numbers in each vector: 8, 16, 32, 64, 128 or 256.
        seed: seed of the random signs, 0 to 2³¹ − 1.
        asked: the place to read back, from 0.

    Raises:
        ValueError: a number is out of range, or width is none of these.
    """

    _esm = bundle("sequence_to_sequence")
    _css = styles("sequence_to_sequence")

    count = traitlets.Int(8).tag(sync=True)
    width = traitlets.Int(32).tag(sync=True)
    seed = traitlets.Int(1).tag(sync=True)
    asked = traitlets.Int(3).tag(sync=True)
    sentence = traitlets.List(traitlets.Unicode(), list(SENTENCE)).tag(sync=True)
    vocabulary = traitlets.List(traitlets.Unicode(), list(VOCABULARY)).tag(sync=True)

    def __init__(self, *, count: int = 8, width: int = 32, seed: int = 1, asked: int = 3) -> None:
        super().__init__(count=count, width=width, seed=seed, asked=asked)

    _ranges = within(count=(1, len(SENTENCE)), seed=(0, 2**31 - 1), asked=(0, len(SENTENCE) - 1))
    _choices = one_of(width=WIDTHS)

    def read_back(self) -> tuple[list[str], list[str]]:
        """Return the words read back from the single vector, and those read back by attention."""
        ids = np.array([VOCABULARY.index(word) for word in SENTENCE[: self.count]])
        vocabulary, tags = signs(self.seed, self.width, len(VOCABULARY), self.count)
        words = vocabulary[ids]  # (T, D)
        squeezed = (tags * words).sum(0) * tags  # (T, D)
        scores = tags @ tags.T / np.sqrt(self.width)
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        attended = weights / weights.sum(-1, keepdims=True) @ words
        nearest = [(vectors @ vocabulary.T).argmax(-1) for vectors in (squeezed, attended)]
        return tuple([VOCABULARY[i] for i in row] for row in nearest)

    def picture(self) -> Figure:
        """Return the sentence above the words read back from the single vector."""
        words = SENTENCE[: self.count]
        rows = (words, *self.read_back())
        figure = Figure(figsize=(5.8, 0.9 + 0.22 * self.count))
        ax = figure.subplots()
        ax.axis("off")
        right = [sum(map(str.__eq__, words, row)) for row in rows[1:]]
        names = ("sentence", f"one vector: {right[0]} right", f"attention: {right[1]} right")
        for column, (name, row) in enumerate(zip(names, rows, strict=True)):
            ax.text(column / 3, 1, name, weight="bold", va="top", transform=ax.transAxes)
            for t, word in enumerate(row):
                wrong = word != words[t]
                ax.text(
                    column / 3,
                    1 - (t + 1.4) / (self.count + 2),
                    f"✗ {word}" if wrong else word,
                    color="#b3261e" if wrong else "#222832",
                    va="top",
                    transform=ax.transAxes,
                )
        figure.suptitle(f"Vectors of {self.width} numbers")
        return figure


def signs(
    seed: int, width: int, num_words: int, num_places: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return random signs for the words, (num_words, width), and places, (num_places, width).

    Example:
        >>> words, places = signs(1, 4, num_words=2, num_places=1)
        >>> words.tolist(), places.tolist()
        ([[1.0, -1.0, 1.0, 1.0], [1.0, -1.0, 1.0, 1.0]], [[-1.0, 1.0, -1.0, -1.0]])
    """
    drawn = uniform(seed, (num_words + num_places) * width).reshape(-1, width)
    vectors = np.where(drawn < 0.5, -1.0, 1.0)
    return vectors[:num_words], vectors[num_words:]
