"""Grades the coding exercise of the chapter on non-autoregressive translation."""

from collections.abc import Callable

import torch
from torch import Tensor

from attnsteps.exercises.verdict import Verdict, attempt, known_mistake
from attnsteps.text.vocab import Vocab

_IDS = torch.tensor([[9, 5, 7, 5, 8, 2], [6, 8, 5, 9, 7, 2], [5, 7, 9, 2, 0, 0]])
_LOG_PROBS = torch.tensor(
    [
        [-0.1, -2.3, -0.4, -1.6, -0.9, -0.2],
        [-1.1, -0.3, -0.7, -3.2, -0.2, -0.5],
        [-0.6, -2.7, -0.1, -0.3, 0.0, 0.0],  # two places of padding
    ]
)
_MASK_ID = 11  # not the book's own id, so that a hard-coded one fails


def grade_hide(function: Callable[[Tensor, Tensor, Tensor, int], Tensor]) -> Verdict:
    """Say whether ``function(ids, log_probs, num_hidden, mask_id)`` hides the least certain tokens.

    From the tokens of a batch (B, T), their log-probabilities (B, T) and a number for each sentence
    (B,) it should make new tokens (B, T), with mask_id in place of that many of the sentence's
    least certain ones. Padding has the log-probability 0.

    Example:
        >>> grade_hide(lambda ids, log_probs, num_hidden, mask_id: ids)
        ✗ Not yet: nothing is hidden (for num_hidden = [2, 1, 3])
    """
    for numbers in ([2, 1, 3], [6, 0, 2], [4, 4, 4]):
        ids = _IDS.clone()
        num_hidden = torch.tensor(numbers)
        got, raised = attempt(
            lambda ids=ids, n=num_hidden: function(ids, _LOG_PROBS.clone(), n, _MASK_ID)
        )
        fault = raised or _fault(got, torch.tensor(numbers))
        if not fault and not torch.equal(ids, _IDS):
            fault = "the tokens are right, but the function changed its input; make a new tensor"
        if fault:
            return Verdict(False, f"{fault} (for num_hidden = {numbers})")
    return Verdict(
        True, "in each sentence, the least certain tokens are hidden, and all others stay"
    )


def _fault(got: object, num_hidden: Tensor) -> str:
    """Return what is wrong for one num_hidden, by name if the mistake is known, or ""."""
    order = _LOG_PROBS.argsort(-1)
    ranks = order.argsort(-1)  # 0 for the least certain token of a sentence
    number = num_hidden[:, None]

    def hidden(where: Tensor, sign: int = _MASK_ID) -> Tensor:
        return _IDS.masked_fill(where, sign)

    want = hidden(ranks < number)
    if fault := _form(got):
        return fault
    if torch.equal(got.long(), want):
        return ""
    mistakes = {
        "nothing is hidden": _IDS,
        "this hides the most certain tokens": hidden(ranks >= ranks.shape[1] - number),
        "this hides the first tokens, whatever their probability": hidden(
            torch.arange(ranks.shape[1]) < number
        ),
        "this keeps num_hidden tokens and hides the others": hidden(
            ranks < ranks.shape[1] - number
        ),
        "the places in argsort's order are not yet ranks; sort them once more": hidden(
            order < number
        ),
        "every sentence gets the number of the first": hidden(ranks < num_hidden[0]),
        "the tokens are sorted; each must stay in its place": want.gather(-1, order),
        "hidden tokens are 0, not mask_id": hidden(ranks < number, 0),
        f"hidden tokens are {Vocab.mask_id}, not the given mask_id": (
            hidden(ranks < number, Vocab.mask_id)
        ),
    }
    if sentence := known_mistake(got, mistakes):
        return sentence
    row, place = (got.long() != want).nonzero()[0].tolist()
    return (
        f"at place {place} of sentence {row} stands {int(got[row, place])};"
        f" it should be {int(want[row, place])}"
    )


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
