"""Grades the coding exercise of the chapter on sequence to sequence."""

from collections.abc import Callable

import torch
from torch import Tensor

from attnsteps.exercises.verdict import Verdict, attempt, difference, known_mistake

_LENGTHS = torch.tensor([5, 2, 7, 1])
_PADDED, _D = 8, 3  # one place more than the longest sentence has words


def grade_last_state(function: Callable[[Tensor, Tensor], Tensor]) -> Verdict:
    """Say whether ``function(states, lengths)`` takes each sentence's state at its last real word.

    From states (B, S, D), padded at the end, and the number of real words (B,) it should make (B,
    D).

    Example:
        >>> grade_last_state(lambda states, lengths: states[:, -1])
        ✗ Not yet: this is the state at the last place, which is padding in a short sentence
    """
    size = (len(_LENGTHS), _PADDED, _D)
    states = torch.randn(size, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    got, raised = attempt(lambda: function(states.clone(), _LENGTHS.clone()))
    if raised:
        return Verdict(False, raised)
    rows = torch.arange(len(_LENGTHS))
    real = torch.arange(_PADDED) < _LENGTHS[:, None]
    mistakes = {
        "this is the state at the last place, which is padding in a short sentence": states[:, -1],
        "this is one place too far: counted from 0, n words end at place n − 1": (
            states[rows, _LENGTHS]
        ),
        "this is the state at the first word": states[:, 0],
        "this is the mean of the real words' states, not the last one": (
            (states * real[..., None]).sum(1) / _LENGTHS[:, None]
        ),
        "this is the mean over all places, padding too": states.mean(1),
    }
    want = states[rows, _LENGTHS - 1]
    fault = known_mistake(got, mistakes) or difference(got, want, name="the result")
    return Verdict(not fault, fault or "one state for each sentence, at its last real word")
