"""Toy vectors made from spelling; ``js/maths/spelling.js`` makes the same."""

import math

import torch
from torch import Tensor

from attnsteps.widgets.random import normals

#: The default width of the vectors.
D_K = 4


def spelling_vector(word: str, size: int = D_K) -> Tensor:
    """Return a word's toy vector, (size,) in float64, made from its letters.

    Each letter has a fixed draw from N(0, 1); their sum is stretched to the length √size. Nothing
    is learned: words with the same letters get the same vector, and similar words similar ones.

    Example:
        >>> torch.allclose(spelling_vector("tired"), spelling_vector("tried"))
        True
    """
    if not word:
        raise ValueError("word must have at least one letter; got none")
    total = torch.from_numpy(sum(normals(ord(letter), size) for letter in word))
    return total * (math.sqrt(size) / total.norm())
