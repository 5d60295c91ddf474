"""The grader of the chapter on training accepts what is right and names what is wrong."""

import math

import pytest
import torch
from torch.nn import functional

from attnsteps.exercises.training import grade_token_loss
from attnsteps.training.loss import cross_entropy


def right(logits, targets, epsilon, pad_id):
    q = (1 - epsilon) * functional.one_hot(targets, logits.shape[-1]) + epsilon / logits.shape[-1]
    return -(q * logits.log_softmax(-1)).sum(-1)[targets != pad_id].mean()


def in_python(logits, targets, epsilon, pad_id):
    """Loop over the tokens, and return a float."""
    losses = []
    for row, words in zip(logits, targets.tolist(), strict=True):
        for place, word in zip(row, words, strict=True):
            log_p = place - place.logsumexp(-1)
            if word != pad_id:
                losses.append(-(1 - epsilon) * log_p[word] - epsilon * log_p.mean())
    return float(sum(losses) / len(losses))


def losses_of(logits, targets, epsilon, spread=None):
    """The loss of each place; spread is what each word of the vocabulary gets of ε."""
    size = logits.shape[-1]
    spread = epsilon / size if spread is None else spread
    q = (1 - epsilon) * functional.one_hot(targets, size) + spread
    return -(q * logits.log_softmax(-1)).sum(-1)


def only_wrong(logits, targets, epsilon, pad_id, share):
    hard = functional.one_hot(targets, logits.shape[-1])
    q = (1 - epsilon) * hard + share * (1 - hard)
    return -(q * logits.log_softmax(-1)).sum(-1)[targets != pad_id].mean()


def two_steps(logits, targets, epsilon, pad_id):
    q = (1 - epsilon) * functional.one_hot(targets, 6) + epsilon / 6
    return -(q * logits.softmax(-1).log()).sum(-1)[targets != pad_id].mean()


RIGHT = {
    "by hand": right,
    "a loop": in_python,
    "the package": lambda logits, targets, epsilon, pad_id: cross_entropy(
        logits, targets, label_smoothing=epsilon, pad_id=pad_id
    ),
}
WRONG = {
    "nothing": (lambda *_: None, "the loss without smoothing and without padding is None"),
    "each place": (lambda a, b, e, p: losses_of(a, b, e), "the loss should be one number and has"),
    "sign": (lambda *given: -right(*given), "the sign is wrong"),
    "padding counts": (lambda a, b, e, p: losses_of(a, b, e).mean(), "padding counts too"),
    "padding is 0": (lambda a, b, e, p: losses_of(a, b, e)[b != 0].mean(), "places with the id 0"),
    "a sum": (lambda a, b, e, p: losses_of(a, b, e)[b != p].sum(), "the loss is the sum over"),
    "mean of means": (
        lambda a, b, e, p: torch.stack(
            [row[keep].mean() for row, keep in zip(losses_of(a, b, e), b != p, strict=True)]
        ).mean(),
        "the loss is a mean of the sentences' means",
    ),
    "padding divides": (
        lambda a, b, e, p: (losses_of(a, b, e) * (b != p)).mean(),
        "padding is left out of the sum, but counted",
    ),
    "wrong axis": (
        lambda a, b, e, p: functional.nll_loss(a.log_softmax(1).flatten(0, 1), b.flatten()),
        "the softmax runs over the places",
    ),
    "mean over words": (
        lambda *given: right(*given) / given[0].shape[-1],
        "the terms are averaged over the vocabulary",
    ),
    "bits": (lambda *given: right(*given) / math.log(2), "the logarithm has base 2"),
    "no smoothing": (lambda a, b, e, p: right(a, b, 0.0, p), "the label smoothing is missing"),
    "V - 1, wrong ones": (
        lambda a, b, e, p: only_wrong(a, b, e, p, e / (a.shape[-1] - 1)),
        "ε is shared among the V − 1 wrong words only",
    ),
    "V - 1, all": (
        lambda a, b, e, p: losses_of(a, b, e, e / (a.shape[-1] - 1))[b != p].mean(),
        "every word gets ε / (V − 1)",
    ),
    "V, wrong ones": (
        lambda a, b, e, p: only_wrong(a, b, e, p, e / a.shape[-1]),
        "the right word gets no share of ε",
    ),
    "log of softmax": (two_steps, "the loss is inf where a probability rounds to 0"),
    "padding alone": (
        lambda a, b, e, p: losses_of(a, b, e)[b == p].mean(),
        "the loss without smoothing and without padding holds NaN",
    ),
    "something else": (lambda a, b, e, p: a.sum(), "the loss without smoothing and without"),
    "raises": (lambda a, b, e, p: [][p], "your function raised IndexError"),
}


@pytest.mark.parametrize("function", RIGHT.values(), ids=RIGHT.keys())
def test_a_right_solution_passes(function):
    verdict = grade_token_loss(function)
    assert verdict, verdict


@pytest.mark.parametrize(("function", "sentence"), WRONG.values(), ids=WRONG.keys())
def test_a_wrong_solution_gets_its_sentence(function, sentence):
    verdict = grade_token_loss(function)
    assert not verdict
    assert verdict.message.startswith(sentence)


def test_what_a_function_changes_is_its_own():
    def in_place(logits, targets, epsilon, pad_id):
        loss = right(logits, targets, epsilon, pad_id)
        logits.zero_()
        return loss

    assert grade_token_loss(in_place)
