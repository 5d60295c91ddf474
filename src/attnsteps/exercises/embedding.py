"""Grades the coding exercise of the chapter on embeddings."""

from collections.abc import Callable

import torch
from torch import Tensor

from attnsteps.exercises.verdict import Verdict, attempt, difference, known_mistake

_V, _D = 7, 3
_IDS = (4, 1, 4, 0, 4)  # one word three times, some not at all


def grade_embed_backward(function: Callable[[Tensor, Tensor, int], Tensor]) -> Verdict:
    """Say whether ``function(ids, slopes, num_words)`` gives the slopes along the table, (V, D).

    ids are (T,), and the slopes, (T, D), are those along the rows that were looked up.

    Example:
        >>> grade_embed_backward(lambda ids, slopes, num_words: slopes)
        ✗ Not yet: the result should have shape (7, 3) and has (5, 3)
    """
    generator = torch.Generator().manual_seed(3)
    ids = torch.tensor(_IDS)
    slopes = torch.randn(len(ids), _D, dtype=torch.float64, generator=generator)
    got, raised = attempt(lambda: function(ids.clone(), slopes.clone(), _V))
    if raised:
        return Verdict(False, raised)
    zeros = torch.zeros(_V, _D, dtype=torch.float64)
    summed = zeros.index_add(0, ids, slopes)
    times = torch.bincount(ids, minlength=_V)[:, None]
    first = torch.stack([slopes[_IDS.index(i)] if i in _IDS else zeros[0] for i in range(_V)])
    mistakes = {
        "a word that occurs more than once keeps only its last place; add its places up": (
            zeros.index_put((ids,), slopes)
        ),
        "a word that occurs more than once keeps only its first place; add its places up": first,
        "these are means over a word's places; add the places up": summed / times.clamp(min=1),
        "this counts how often each word occurs; the slopes say how large each push is": (
            times.to(slopes.dtype).expand(_V, _D)
        ),
    }
    fault = known_mistake(got, mistakes) or difference(got, summed, name="the result")
    return Verdict(not fault, fault or "each place pushes the row of its word")
