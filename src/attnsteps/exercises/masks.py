"""Grades the exercise of chapter "masks": a mask for a window of words, without padding."""

from collections.abc import Callable

import torch
from torch import Tensor

from attnsteps.exercises.verdict import Verdict, attempt
from attnsteps.layers.masks import padding_mask

WindowMask = Callable[[Tensor, int, int], Tensor]

_PAD = 3  # not 0, so that a hard-coded padding id fails
_IDS = torch.tensor([[5, 8, 9, 6, 5, 7, 0], [_PAD, 7, 6, 9, 0, _PAD, _PAD]])
_B, _T = _IDS.shape


def grade_window_mask(function: WindowMask) -> Verdict:
    """Say whether a function makes the mask of a window, and if not, what is wrong.

    It is called as ``function(ids, pad_id, width)`` with ids (B, T) and should return a bool mask
    (B, 1, T, T), True = may attend: position i may attend to itself and to the width − 1 positions
    before it, except padding.

    Example:
        >>> def both_sides(ids, pad_id, width):
        ...     place = torch.arange(ids.shape[1])
        ...     near = (place[:, None] - place).abs() < width
        ...     return near & (ids != pad_id)[:, None, None]
        >>> grade_window_mask(both_sides)
        ✗ Not yet: position 0 may look at position 1, which comes after it
    """
    for width in (3, 1, 10):
        got, message = attempt(lambda width=width: function(_IDS.clone(), _PAD, width))
        if message := message or _form(got) or _wrong(got, width):
            return Verdict(False, message)
    return Verdict(True, "the window, the present, the past and the padding are as they should be")


def _form(got: object) -> str:
    """Return what is wrong with the form of a result, or the empty string."""
    if not isinstance(got, Tensor):
        return f"the mask should be a tensor and is a {type(got).__name__}"
    if got.dtype != torch.bool:
        return f"the mask should be bool, so that nobody adds it to the scores; it is {got.dtype}"
    if tuple(got.shape) != (_B, 1, _T, _T):
        return (
            f"for ids of shape {tuple(_IDS.shape)} the mask should have shape {(_B, 1, _T, _T)}, "
            f"one for each sentence, the same for all heads; it has {tuple(got.shape)}"
        )
    return ""


def _wrong(got: Tensor, width: int) -> str:
    """Return which cells of a mask are wrong, or the empty string."""
    place = torch.arange(_T)
    back = place[:, None] - place  # how far position j is behind position i
    window = (back >= 0) & (back < width)
    real = padding_mask(_IDS, _PAD)
    want = window & real
    mistakes = {
        "the mask is the other way round: True means may attend": ~want,
        "padding is hidden on the axis of the queries, and words still look at it; "
        "hide it on the last axis, the keys": window & real.mT,
        "padding is hidden as a query too; that is not asked for, and leaves rows that may look "
        "at nothing": want & real.mT,
        "padding is not hidden": window.expand(want.shape),
        "the two conditions are joined by “or”; a cell needs both": window | real,
        f"for width {width} a position reaches {width} places back; its own place counts as one "
        "of them": (back >= 0) & (back <= width) & real,
        "a position may not look at itself": (back > 0) & (back <= width) & real,
        "the window is not limited: only the causal mask is there": (back >= 0) & real,
    }
    if torch.equal(got, want):
        return ""
    for message, wrong in mistakes.items():
        if torch.equal(got, wrong) and not torch.equal(wrong, want):
            return message
    sentence, _, i, j = (got != want).nonzero()[0].tolist()
    if j > i and got[sentence, 0, i, j]:
        return f"position {i} may look at position {j}, which comes after it"
    verb = "may" if want[sentence, 0, i, j] else "may not"
    return f"for width {width}, in sentence {sentence} position {i} {verb} look at position {j}"
