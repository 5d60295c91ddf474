"""Toy vectors and matrices for the running sentence, small enough for a pencil.

Each of a word's six entries has a meaning, which a trained model's have not. The first four say
what kind of word it is, and queries and keys are made from them. The last two are news that only
values carry: an animal is furry, a street is paved.
"""

import torch
from torch import Tensor

from attnsteps.running_example import (
    ANIMAL,
    BECAUSE,
    CHANGED,
    CROSS,
    NOT,
    SENTENCE,
    STREET,
    TIRED,
    TOO,
    WIDE,
    Word,
)

#: What the entries of a word's vector mean; its value keeps the last two.
AXES = ("thing", "alive", "flat", "describes", "furry", "paved")

_VECTORS = {
    ANIMAL: (1, 1, 0, 0, 1, 0),
    NOT: (0, 0, 0, 0.5, 0, 0),
    CROSS: (0, 0.5, 0.5, 0, 0, 0),
    STREET: (1, 0, 1, 0, 0, 1),
    BECAUSE: (0.5, 0, 0, 0, 0, 0),
    TOO: (0, 0, 0, 2, 0, 0),
    TIRED: (0, 1, 0, 1, 0, 0),
    WIDE: (0, 0, 1, 1, 0, 0),
    CHANGED: (0, 0, 0, 0, 0, 0),
}

# A word that describes asks for a thing of its own kind, a thing for itself.
_W_Q = ((3, -2, -2, 0), (0, 2, 0, 0), (0, 0, 2, 0), (2, 0, 0, 0), (0, 0, 0, 0), (0, 0, 0, 0))
# A word is found by what kind of word it is,
_W_K = ((2, 0, 0, 0), (0, 2, 0, 0), (0, 0, 2, 0), (0, 0, 0, 2), (0, 0, 0, 0), (0, 0, 0, 0))
# and hands over its news.
_W_V = ((0, 0), (0, 0), (0, 0), (0, 0), (1, 0), (0, 1))


def toy_vectors(words: tuple[Word, ...] = SENTENCE) -> Tensor:
    """Return one toy vector per word.

    Args:
        words: words of the running sentence or its twin.

    Returns:
        Vectors of shape (T, D) = (T, 6) in float64, on the axes named in ``AXES``.

    Raises:
        ValueError: a word is not one of the running example's.

    Example:
        >>> toy_vectors((ANIMAL, TIRED))
        tensor([[1., 1., 0., 0., 1., 0.],
                [0., 1., 0., 1., 0., 0.]], dtype=torch.float64)
    """
    for word in words:
        if word not in _VECTORS:
            raise ValueError(f"words must come from the running example; got {word!r}")
    return torch.tensor([_VECTORS[word] for word in words], dtype=torch.float64)


def toy_projections() -> tuple[Tensor, Tensor, Tensor]:
    """Return w_q (D, Dk), w_k (D, Dk) and w_v (D, Dv), with D = 6, Dk = 4 and Dv = 2.

    Example:
        >>> w_q, w_k, w_v = toy_projections()
        >>> toy_vectors((TIRED,)) @ w_q
        tensor([[2., 2., 0., 0.]], dtype=torch.float64)
    """
    w_q, w_k, w_v = (torch.tensor(rows, dtype=torch.float64) for rows in (_W_Q, _W_K, _W_V))
    return w_q, w_k, w_v
