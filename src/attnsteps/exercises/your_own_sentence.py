"""Grades the coding exercise of the chapter on a translator that reads any sentence."""

from collections.abc import Callable

import torch
from torch import Tensor

from attnsteps.exercises.verdict import Verdict, attempt, difference, known_mistake

_Bins = tuple[Tensor, Tensor, Tensor]
_NAMES = ("sure", "right", "counts")


def grade_calibration(function: Callable[[Tensor, Tensor, int], _Bins]) -> Verdict:
    """Say whether ``function(p, hit, bins)`` compares how sure a model is with how right it is.

    p (N,) holds the probabilities of the favourites, hit (N,) whether each was right. The function
    should return, for each of the equal bins from 0 to 1, the mean probability, the share of right
    ones and the number, (bins,) each; an empty bin has 0 in all three.

    Example:
        >>> grade_calibration(lambda p, hit, bins: p)
        ✗ Not yet: the function should return three tensors: sure, right and counts
    """
    generator = torch.Generator().manual_seed(23)
    p = torch.rand(60, dtype=torch.float64, generator=generator) ** 0.5
    hit = torch.rand(60, dtype=torch.float64, generator=generator) < p**2
    ends = torch.tensor([0.0, 0.25, 1.0, 1.0], dtype=torch.float64)
    edges = ends, torch.tensor([False, True, True, False])
    asked = ((p, hit, 10), (p, hit, 4), (*edges, 4), (p[p > 0.5], hit[p > 0.5], 5))
    for given in asked:
        got, raised = attempt(lambda given=given: function(*(_copy(one) for one in given)))
        if fault := raised or _fault(got, *given):
            return Verdict(False, fault)
    return Verdict(True, "every part has its own mean, and the empty ones are 0")


def _copy(given: Tensor | int) -> Tensor | int:
    return given.clone() if isinstance(given, Tensor) else given


def _binned(p: Tensor, hit: Tensor, which: Tensor, bins: int) -> _Bins:
    counts = torch.bincount(which, minlength=bins)
    many = counts.clamp(min=1)
    sure = torch.bincount(which, p, minlength=bins) / many
    return sure, torch.bincount(which, hit.double(), minlength=bins) / many, counts.double()


def _fault(got: object, p: Tensor, hit: Tensor, bins: int) -> str:
    """Return what is wrong with the result, by name if the mistake is known, or ""."""
    three = isinstance(got, tuple | list) and len(got) == len(_NAMES)
    if not (three and all(isinstance(part, Tensor) for part in got)):
        return "the function should return three tensors: sure, right and counts"
    parts = [part.double() for part in got]
    if any(part.isnan().any() for part in parts):
        return "an empty part becomes NaN; what is it divided by?"
    if parts[2].shape == (bins + 1,):
        return "a probability of exactly 1 belongs in the last part, not in one of its own"
    which = (p * bins).long().clamp(max=bins - 1)
    wanted = _binned(p, hit, which, bins)
    mistakes = {
        "a probability goes to the nearest edge; let it go to the part that it lies in": (
            (p * bins).round().long().clamp(max=bins - 1)
        ),
        "a probability on an edge, such as ¼, belongs in the part above it": (
            ((p * bins).ceil().long() - 1).clamp(min=0)
        ),
    }
    known = {said: _binned(p, hit, wrong, bins)[2] for said, wrong in mistakes.items()}
    if fault := difference(parts[2], wanted[2], name="counts"):
        return known_mistake(parts[2], known) or fault
    for name, part, right in zip(_NAMES, parts, wanted, strict=True):
        if fault := difference(part, right, name=name):
            sums = {f"{name} holds sums; divide by the number in each part": right * wanted[2]}
            return known_mistake(part, sums) or fault
    return ""
