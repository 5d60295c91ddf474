"""Grades the coding exercise of the chapter on the encoder."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from attnsteps.exercises.verdict import Verdict, attempt, difference, known_mistake

_Looks = Sequence[Tensor]


def grade_reach(function: Callable[[_Looks], Tensor]) -> Verdict:
    """Say whether ``function(looks)`` tells whose words each word can have heard of.

    looks holds a matrix (S, S) of 0 and 1 for each layer, the first one first: 1 in row i, column j
    says that word i looks at word j there. The function should return such a matrix for the whole
    stack. A word keeps what it has, and gets what those it looks at had before the layer.

    Example:
        >>> grade_reach(lambda looks: looks[-1])
        ✗ Not yet: these are the looks of the last layer alone
    """
    generator = torch.Generator().manual_seed(13)
    stacks = [
        [(torch.rand(s, s, generator=generator) < 0.25).float() for _ in range(n)]
        for s, n in ((5, 2), (6, 1), (5, 3), (7, 3))
    ]
    for looks in stacks:
        got, raised = attempt(lambda looks=looks: function([one.clone() for one in looks]))
        if fault := raised or _fault(got, looks):
            return Verdict(False, fault)
    return Verdict(True, "each layer hands on what the one below has gathered, and no more")


def _through(looks: _Looks, keep: float = 1.0) -> Tensor:
    """Return the number of ways from each word to each, (S, S)."""
    ways = torch.eye(len(looks[0]))
    for each in looks:
        ways = each @ ways + keep * ways
    return ways


def _fault(got: object, looks: _Looks) -> str:
    """Return what is wrong with the result, by name if the mistake is known, or ""."""
    wanted = _through(looks)
    mistakes = {
        "these are the looks of the last layer alone": looks[-1],
        "these are the looks of the first layer alone": looks[0],
        "the order is turned round: the first layer's looks come first": (
            _through(looks[::-1]) > 0
        ),
        "a word keeps what it has; the residual connection is missing": (
            _through(looks, keep=0.0) > 0
        ),
        "the layers stand side by side here; a later one hands on what an earlier one gathered": (
            sum(looks) + torch.eye(len(looks[0])) > 0
        ),
        "these are numbers of ways; only whether there is one is asked": wanted,
    }
    want = (wanted > 0).float()
    known = {said: wrong.float() for said, wrong in mistakes.items()}
    if fault := difference(got, want, name="the matrix"):
        return known_mistake(got, known) or fault
    return ""
