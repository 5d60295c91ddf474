"""Grades the coding exercise of the chapter on sequence to sequence."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from attnsteps.exercises.verdict import Verdict, attempt, difference, known_mistake
from attnsteps.layers.attention import scaled_dot_product_attention

# Every size is another number, so that swapped axes cannot pass.
_LENGTHS = torch.tensor([5, 2, 7, 1])
_T, _PADDED, _D = 3, 8, 6  # _PADDED: one place more than the longest sentence has words


def grade_attend_batch(function: Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]) -> Verdict:
    """Say whether ``function(q, k, v, lengths)`` attends to the real words of each sentence alone.

    From q (B, T, D), k and v (B, S, D), padded at the end, and the number of real words (B,) it
    should make what is found, (B, T, D).

    Example:
        >>> grade_attend_batch(lambda q, k, v, lengths: (q @ k.mT / 6**0.5).softmax(-1) @ v)
        ✗ Not yet: padding gets a weight
    """
    generator = torch.Generator().manual_seed(1)
    q, k, v = (
        torch.randn(len(_LENGTHS), places, _D, dtype=torch.float64, generator=generator)
        for places in (_T, _PADDED, _PADDED)
    )
    got, raised = attempt(lambda: function(q.clone(), k.clone(), v.clone(), _LENGTHS.clone()))
    if raised:
        return Verdict(False, raised)

    def found(lengths: Tensor, scale: float = math.sqrt(_D)) -> Tensor:
        return _shares(q @ k.mT / scale, lengths) @ v

    scores = q @ k.mT / math.sqrt(_D)
    real = _real(_LENGTHS)
    everywhere = scores.softmax(-1)
    over_queries = scores.softmax(1) * real
    mistakes = {
        "padding gets a weight": everywhere @ v,
        "a score of 0 isn't a weight of 0, because its power is 1: make padding's power 0": (
            (scores * real).softmax(-1) @ v
        ),
        "padding's weight is gone, but the others no longer add up to 1: divide afterwards": (
            (everywhere * real) @ v
        ),
        "this looks at one place too many: the places of n words are 0 to n − 1": (
            found(_LENGTHS + 1)
        ),
        "this looks at the padding and leaves out the words": (
            scores.masked_fill(real, -torch.inf).softmax(-1) @ v
        ),
        "the scores are not divided by √D": found(_LENGTHS, scale=1),
        "the scores are divided by D, not by its root": found(_LENGTHS, scale=_D),
        "the weights add up to 1 over the queries instead of the places looked at (dim=-1)": (
            over_queries @ v
        ),
    }
    want = torch.cat(
        [
            scaled_dot_product_attention(q[b : b + 1], k[b : b + 1, :n], v[b : b + 1, :n])[0]
            for b, n in enumerate(_LENGTHS.tolist())
        ]
    )
    fault = known_mistake(got, mistakes) or difference(got, want, name="the result")
    return Verdict(not fault, fault or "each sentence finds what it would find alone")


def _real(lengths: Tensor) -> Tensor:
    """Return which places are real words, (B, 1, S)."""
    return (torch.arange(_PADDED) < lengths[:, None])[:, None]


def _shares(scores: Tensor, lengths: Tensor) -> Tensor:
    """Return the softmax over the real words alone, (B, T, S)."""
    return scores.masked_fill(~_real(lengths), -torch.inf).softmax(-1)
