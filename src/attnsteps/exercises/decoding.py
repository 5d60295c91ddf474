"""Grades the coding exercise of the chapter on decoding."""

from collections.abc import Callable

import torch
from torch import Tensor

from attnsteps.exercises.verdict import Verdict, attempt, difference, known_mistake

_PROBS = torch.tensor([3, 26, 1, 16, 12, 6], dtype=torch.float64) / 64  # sums are exact


def grade_top_p(function: Callable[[Tensor, float], Tensor]) -> Verdict:
    """Say whether ``function(probs, p)`` keeps the fewest likely words that reach p together.

    From probabilities (V,) and p in (0, 1] it should return (V,): 0 for a word that is left out,
    and the others divided by their sum.

    Example:
        >>> grade_top_p(lambda probs, p: probs)
        ✗ Not yet: nothing is left out (for p = 0.40625)
    """
    for p in (26 / 64, 0.6, 0.04, 0.9, 1.0):
        got, raised = attempt(lambda p=p: function(_PROBS.clone(), p))
        fault = raised or _fault(got, p)
        if fault:
            return Verdict(False, f"{fault} (for p = {p})")
    return Verdict(True, "the fewest likely words that reach p, and they sum to 1 again")


def _fault(got: object, p: float) -> str:
    """Return what is wrong for one p, by name if the mistake is known, or the empty string."""
    ordered, order = _PROBS.sort(descending=True)
    before = ordered.cumsum(0) - ordered

    def kept(is_kept: Tensor, *, divided: bool = True) -> Tensor:
        chosen = torch.zeros_like(_PROBS).scatter(0, order, ordered * is_kept)
        return chosen / chosen.sum() if divided and chosen.any() else chosen

    want = kept(before < p)
    reaching = ordered.cumsum(0) <= p
    mistakes = {
        "nothing is left out": _PROBS,
        "the kept probabilities are not divided by their sum": kept(before < p, divided=False),
        "the word that takes the sum past p is left out; without it, p is not reached": (
            kept(reaching)
        ),
        "this keeps the words with a probability of at least p": kept(ordered >= p),
        "this keeps the least likely words": kept(1 - ordered.cumsum(0) < p),
        "the probabilities are right, but sorted; each must stay with its own word": (want[order]),
    }
    mistakes = {sentence: wrong for sentence, wrong in mistakes.items() if wrong.any()}
    fault = difference(got, want, name="probabilities")
    return fault and (known_mistake(got, mistakes) or fault)
