"""Toy vectors made from spelling; ``js/maths/spelling.js`` makes the same."""

import math

import torch
from torch import Tensor

from attnsteps.widgets.random import normals

#: Width of the vectors where nothing else is asked for.
D_K = 4


def spelling_vector(word: str, size: int = D_K) -> Tensor:
    """Return a word's toy vector, made from its letters.

    Each letter has one fixed draw from N(0, 1). They are summed, and the sum is stretched to the
    length √size. Nothing is learned: the same letters give the same vector, words that share
    letters get similar ones.

    Args:
        word: at least one letter.
        size: entries of the vector.

    Returns:
        The vector, (size,) in float64.

    Raises:
        ValueError: word is empty.

    Example:
        >>> torch.allclose(spelling_vector("tired"), spelling_vector("tried"))
        True
    """
    if not word:
        raise ValueError("word must have at least one letter; got none")
    total = torch.from_numpy(sum(normals(ord(letter), size) for letter in word))
    return total * (math.sqrt(size) / total.norm())
