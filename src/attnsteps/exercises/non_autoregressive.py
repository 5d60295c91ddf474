"""Grades the coding exercise of the chapter on non-autoregressive translation."""

from collections.abc import Callable

import torch
from torch import Tensor

from attnsteps.exercises.verdict import Verdict, attempt, known_mistake
from attnsteps.text.vocab import Vocab

_IDS = torch.tensor([9, 5, 7, 5, 8, 2])
_LOG_PROBS = torch.tensor([-0.1, -2.3, -0.4, -1.6, -0.9, -0.2])
_MASK_ID = 11  # not the book's own id, so that a hard-coded one fails


def grade_hide(function: Callable[[Tensor, Tensor, int, int], Tensor]) -> Verdict:
    """Say whether ``function(ids, log_probs, num_hidden, mask_id)`` hides the least certain tokens.

    From tokens (T,) and their log-probabilities (T,) it should make new tokens (T,), with mask_id
    in place of the num_hidden least certain ones.

    Example:
        >>> grade_hide(lambda ids, log_probs, num_hidden, mask_id: ids)
        ✗ Not yet: nothing is hidden (for num_hidden = 2)
    """
    for num_hidden in (2, 1, 5, 6, 0):
        ids = _IDS.clone()
        got, raised = attempt(
            lambda ids=ids, n=num_hidden: function(ids, _LOG_PROBS.clone(), n, _MASK_ID)
        )
        fault = raised or _fault(got, num_hidden)
        if not fault and not torch.equal(ids, _IDS):
            fault = "the tokens are right, but the function changed its input; make a new tensor"
        if fault:
            return Verdict(False, f"{fault} (for num_hidden = {num_hidden})")
    return Verdict(
        True, "the least certain tokens are hidden, and all others stand where they were"
    )


def _fault(got: object, num_hidden: int) -> str:
    """Return what is wrong for one num_hidden, by name if the mistake is known, or ""."""
    order = _LOG_PROBS.argsort()

    def hidden(places: Tensor) -> Tensor:
        return _IDS.index_fill(0, places, _MASK_ID)

    want = hidden(order[:num_hidden])
    if fault := _form(got):
        return fault
    if torch.equal(got.long(), want):
        return ""
    mistakes = {
        "nothing is hidden": _IDS,
        "this hides the most certain tokens": hidden(order.flip(0)[:num_hidden]),
        "this hides the first tokens, whatever their probability": hidden(torch.arange(num_hidden)),
        "all tokens are hidden; note that x[-0:] is all of x": hidden(order),
        "this keeps num_hidden tokens and hides the others": hidden(
            order[: len(_IDS) - num_hidden]
        ),
        "the tokens are sorted; each must stay in its place": want[order],
        "hidden tokens are 0, not mask_id": _IDS.index_fill(0, order[:num_hidden], 0),
        f"hidden tokens are {Vocab.mask_id}, not the given mask_id": (
            _IDS.index_fill(0, order[:num_hidden], Vocab.mask_id)
        ),
    }
    if sentence := known_mistake(got, mistakes):
        return sentence
    place = int((got.long() != want).nonzero()[0])
    return f"at place {place} stands {int(got[place])}; it should be {int(want[place])}"


def _form(got: object) -> str:
    """Return what is wrong with the form of a result, or the empty string."""
    if got is None:
        return "the tokens are None; does the function return its result?"
    if not isinstance(got, Tensor):
        return f"the tokens should be a tensor and are a {type(got).__name__}"
    if got.shape != _IDS.shape:
        return f"the tokens have shape {tuple(got.shape)}, needed is {tuple(_IDS.shape)}"
    if got.is_floating_point() or got.is_complex() or got.dtype == torch.bool:
        return f"the tokens should be integers and are {got.dtype}"
    return ""
