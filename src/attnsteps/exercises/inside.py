"""Grades the coding exercise of the chapter that looks inside a trained model."""

from collections.abc import Callable

import torch
from torch import Tensor

from attnsteps.exercises.verdict import Verdict, attempt, difference

_B, _H, _TQ, _TK = 7, 3, 5, 6


def grade_preference(function: Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]) -> Verdict:
    """Say whether ``function(weights, query, right, wrong)`` tells how often heads prefer a key.

    It takes weights (B, H, Tq, Tk) and, for each sentence, the positions (B,) of the query, the
    right key and the wrong key. For each head, (H,), it should return the share of sentences in
    which the query gives the right key more weight than the wrong one.

    Example:
        >>> grade_preference(lambda weights, query, right, wrong: weights.mean((0, 2, 3)))
        ✗ Not yet: shares[0] should be 0.7143 and is 0.1667
    """
    generator = torch.Generator().manual_seed(11)
    weights = torch.randn(_B, _H, _TQ, _TK, generator=generator).softmax(-1)
    query = torch.tensor([4, 0, 2, 3, 1, 4, 2])
    right = torch.tensor([1, 0, 4, 2, 3, 0, 3])
    wrong = torch.tensor([3, 2, 0, 4, 1, 2, 1])
    weights[0, 1, 4, 1] = weights[0, 1, 4, 3]  # a tie does not count
    got, raised = attempt(
        lambda: function(weights.clone(), query.clone(), right.clone(), wrong.clone())
    )
    fault = raised or _fault(got, weights, query, right, wrong)
    if fault:
        return Verdict(False, fault)
    return Verdict(
        True, "one share for each head, of the sentences in which it prefers the right key"
    )


def _fault(got: object, weights: Tensor, query: Tensor, right: Tensor, wrong: Tensor) -> str:
    """Return what is wrong, by name if the mistake is known, or the empty string."""
    n = torch.arange(_B)
    to_right, to_wrong = (weights[n, :, query, key] for key in (right, wrong))  # (B, H)
    want = (to_right > to_wrong).float().mean(0)
    mean = weights.mean(1)
    averaged = (mean[n, query, right] > mean[n, query, wrong]).float().mean()
    mistakes = {
        "the heads are averaged before the comparison; compare each head separately": averaged,
        "rows are read as keys and columns as queries; it is the other way round": (
            (weights[n, :, right.clamp(max=_TQ - 1), query] > weights[n, :, wrong, query])
            .float()
            .mean(0)
        ),
        "this is how often the heads prefer the wrong key": ((to_wrong > to_right).float().mean(0)),
        "a query that gives both keys the same weight prefers neither": (
            (to_right >= to_wrong).float().mean(0)
        ),
        "this is the mean difference of the weights, not the share of sentences": (
            (to_right - to_wrong).mean(0)
        ),
        "this is the mean weight of the right key, not the share of sentences": to_right.mean(0),
        "this is one answer for each sentence; take the mean over the sentences": (
            to_right > to_wrong
        ),
    }
    if isinstance(got, Tensor):
        for sentence, wrong_result in mistakes.items():
            same = got.numel() == wrong_result.numel() and torch.allclose(
                got.float().flatten(), wrong_result.float().flatten()
            )
            if same:
                return sentence
    return difference(got, want, name="shares")
