"""Grades the coding exercise of the chapter on the Transformer's relatives."""

from collections.abc import Callable

import torch
from torch import Tensor

from attnsteps.exercises.verdict import Verdict, attempt, difference, known_mistake

_PAD, _IGNORED = 0, -100


def grade_targets(function: Callable[[Tensor, Tensor], Tensor]) -> Verdict:
    """Say whether ``function(ids, given)`` returns what a prefix model's loss should count.

    ids, (B, T), holds whole rows, padded with 0 at their ends; given, (B,), how many tokens of each
    row are given. The function should return (B, T - 1): the next token where the guess counts, and
    -100 where it doesn't.

    Example:
        >>> grade_targets(lambda ids, given: ids[:, 1:])
        ✗ Not yet: guesses inside the prefix count, though each sees its next token
    """
    ids = torch.tensor([[5, 6, 7, 1, 8, 9, 2], [6, 1, 9, 2, 0, 0, 0], [7, 8, 1, 5, 2, 0, 0]])
    given = torch.tensor([4, 2, 3])
    want = _targets(ids, given)
    got, raised = attempt(lambda: function(ids.clone(), given.clone()))
    if raised:
        return Verdict(False, raised)
    padded = want.masked_fill((want == _IGNORED) & (ids[:, 1:] == _PAD), _PAD)
    fault = known_mistake(
        got,
        {
            "guesses inside the prefix count, though each sees its next token": ids[:, 1:],
            "padding counts as a target; nobody should learn to guess it": padded,
            "the last given token makes the first guess that counts, and yours leaves it out": (
                _targets(ids, given + 1)
            ),
            "one guess too many counts: it is made before the last given token": (
                _targets(ids, given - 1)
            ),
            "these are the tokens themselves; a target is the next one": (_shifted_not(ids, given)),
        },
    )
    fault = fault or difference(got, want, name="targets")
    if fault:
        return Verdict(False, fault)
    return Verdict(True, "only what follows the prefix counts, and no padding")


def _targets(ids: Tensor, given: Tensor) -> Tensor:
    """Return the right targets, (B, T - 1)."""
    wanted = ids[:, 1:].clone()
    place = torch.arange(wanted.shape[1])
    return wanted.masked_fill((place < given[:, None] - 1) | (wanted == _PAD), _IGNORED)


def _shifted_not(ids: Tensor, given: Tensor) -> Tensor:
    """Return what comes out where the shift was forgotten."""
    wanted = ids[:, :-1].clone()
    place = torch.arange(wanted.shape[1])
    return wanted.masked_fill((place < given[:, None] - 1) | (wanted == _PAD), _IGNORED)
