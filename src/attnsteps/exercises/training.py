"""Grades the coding exercise of the chapter on training: the loss of a batch."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional

from attnsteps.exercises.verdict import Verdict, attempt, difference
from attnsteps.training.loss import cross_entropy

TokenLoss = Callable[[Tensor, Tensor, float, int], Tensor]

_PAD = 3  # not 0, so that a hard-coded padding id fails


def grade_token_loss(function: TokenLoss) -> Verdict:
    """Say whether ``function(logits, targets, epsilon, pad_id)`` is the mean loss of real tokens.

    It takes logits (B, T, V), targets (B, T), the label smoothing and the id of padding, and should
    return a scalar.

    Example:
        >>> grade_token_loss(lambda logits, targets, epsilon, pad_id: logits.mean())
        ✗ Not yet: the loss without smoothing and without padding should be 2.317 and is 0.2935
    """
    for name, logits, targets, epsilon in _trials():
        got, raised = attempt(
            lambda given=(logits, targets, epsilon, _PAD): function(*(_copies(given)))
        )
        if raised:
            return Verdict(False, raised)
        got = torch.as_tensor(got) if isinstance(got, int | float) else got
        if isinstance(got, Tensor) and got.dim() > 0:
            shape = tuple(got.shape)
            return Verdict(False, f"the loss should be one number and has shape {shape}")
        want = cross_entropy(logits, targets, label_smoothing=epsilon, pad_id=_PAD)
        fault = difference(got, want, name=f"the loss {name}", tolerance=1e-4)
        if fault:
            return Verdict(False, _known(got, logits, targets, epsilon) or fault)
    return Verdict(True, "the mean over all real tokens, smoothed, and finite where p rounds to 0")


def _trials() -> list[tuple[str, Tensor, Tensor, float]]:
    """Return batches; each one finds mistakes that the earlier ones miss."""
    logits = torch.randn(2, 4, 6, generator=torch.Generator().manual_seed(16))
    full = torch.tensor([[1, 5, 4, 2], [0, 4, 1, 2]])
    padded = torch.tensor([[1, 5, 4, 2], [2, _PAD, _PAD, _PAD]])
    return [
        ("without smoothing and without padding", logits, full, 0.0),
        ("with padding", logits, padded, 0.0),
        ("with smoothing", logits, padded, 0.2),
        ("with logits of 300 and more", 300 * logits, padded, 0.2),
    ]


def _copies(given: tuple) -> list:
    """Return copies of the arguments, because the reader's function may change them."""
    return [one.clone() if isinstance(one, Tensor) else one for one in given]


def _known(got: object, logits: Tensor, targets: Tensor, epsilon: float) -> str:
    """Return the sentence about a common mistake, or the empty string."""
    if not isinstance(got, Tensor):
        return ""
    if not bool(got.isfinite()):
        if not bool((logits.softmax(-1) == 0).any()):
            return ""
        return (
            f"the loss is {got.item()} where a probability rounds to 0; take the logarithm and the"
            " softmax in one, with log_softmax"
        )
    size, real = logits.shape[-1], targets != _PAD
    log_p = logits.log_softmax(-1)
    hard = functional.one_hot(targets, size).float()
    losses = -(((1 - epsilon) * hard + epsilon / size) * log_p).sum(-1)
    means = torch.stack([row[keep].mean() for row, keep in zip(losses, real, strict=True)])
    over_places = logits.log_softmax(-2)

    def spread(target: Tensor) -> Tensor:
        return -(target * log_p).sum(-1)[real].mean()

    mistakes = {
        "the sign is wrong: −ln p is positive": -losses[real].mean(),
        "padding counts too; leave out the places where targets == pad_id": losses.mean(),
        "the loss is the sum over the tokens; it should be their mean": losses[real].sum(),
        "the loss is a mean of the sentences' means; every token should weigh the same": (
            means.mean()
        ),
        "padding is left out of the sum, but counted in the divisor": (
            losses[real].sum() / real.numel()
        ),
        "the softmax runs over the places; it should run over the vocabulary, the last axis": (
            -((1 - epsilon) * hard * over_places + epsilon / size * over_places)
            .sum(-1)[real]
            .mean()
        ),
        "places with the id 0 are left out; padding is where targets == pad_id": (
            losses[targets != 0].mean()
        ),
        "the terms are averaged over the vocabulary; they should be added up": (
            losses[real].mean() / size
        ),
        "the logarithm has base 2; it should be the natural one": (
            losses[real].mean() / torch.tensor(2.0).log()
        ),
        "the label smoothing is missing": spread(hard),
        "ε is shared among the V − 1 wrong words only; every word should get ε / V": spread(
            (1 - epsilon) * hard + epsilon / (size - 1) * (1 - hard)
        ),
        "every word gets ε / (V − 1), so q sums to more than 1; there are V words": spread(
            (1 - epsilon) * hard + epsilon / (size - 1)
        ),
        "the right word gets no share of ε, so q sums to less than 1": spread(
            (1 - epsilon) * hard + epsilon / size * (1 - hard)
        ),
    }
    for sentence, wrong in mistakes.items():
        if bool(wrong.isfinite()) and abs(got.item() - wrong.item()) < 1e-4:
            return sentence
    return ""
