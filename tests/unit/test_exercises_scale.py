"""The grader of the chapter on scale accepts what is right and names what is wrong."""

import pytest
import torch

from attnsteps.exercises.scale import grade_accumulate


def zero(model):
    for parameter in model.parameters():
        parameter.grad = None


def error(model, part):
    x, y = part
    return (model(x) - y).square()


def by_sums(model, parts):
    zero(model)
    for part in parts:
        error(model, part).sum().backward()
    count = sum(y.numel() for _, y in parts)
    for parameter in model.parameters():
        parameter.grad /= count


def by_divided_losses(model, parts):
    model.zero_grad()
    count = sum(y.numel() for _, y in parts)
    for part in parts:
        (error(model, part).sum() / count).backward()


@pytest.mark.parametrize("function", [by_sums, by_divided_losses])
def test_a_right_solution_passes(function):
    assert repr(grade_accumulate(function)) == (
        "✓ Right: the gradient of the whole batch, from one micro-batch at a time"
    )


def loop(share, *, zero_first=True, zero_each=False):
    """Add up the gradients of ``share(errors, size of all, number of parts)``."""

    def function(model, parts):
        if zero_first:
            zero(model)
        count = sum(y.numel() for _, y in parts)
        for part in parts:
            if zero_each:
                zero(model)
            share(error(model, part), count, len(parts)).backward()

    return function


def at_once(model, parts):
    zero(model)
    whole = [torch.cat(tensors) for tensors in zip(*parts, strict=True)]
    error(model, whole).mean().backward()


def raises(_model, _parts):
    raise RuntimeError("no memory")


def without_gradient(model, _parts):
    zero(model)


WRONG = {
    "nothing": (lambda _model, _parts: None, "the gradients are those from before"),
    "raises": (raises, "your function raised RuntimeError: no memory"),
    "no gradient": (without_gradient, "a parameter has no gradient"),
    "left over": (
        loop(lambda e, rows, _: e.sum() / rows, zero_first=False),
        "the gradients from before are still in it",
    ),
    "left over, and a mistake": (
        loop(lambda e, _rows, _: e.mean(), zero_first=False),
        "the gradients from before are still in it",
    ),
    "sum of means": (loop(lambda e, _rows, _: e.mean()), "the means are added up"),
    "mean of means": (loop(lambda e, _rows, n: e.mean() / n), "this is the mean of the means"),
    "sum of sums": (loop(lambda e, _rows, _: e.sum()), "this is the gradient of the sum"),
    "by the parts": (
        loop(lambda e, _rows, n: e.sum() / n),
        "the sum is divided by the number of micro-batches",
    ),
    "by the rows": (
        loop(lambda e, count, _: 2 * e.sum() / count),
        "the sum is divided by the number of rows",
    ),
    "the last": (
        loop(lambda e, _rows, _: e.mean(), zero_each=True),
        "it holds only the last micro-batch; do not",
    ),
    "the last, divided by all": (
        loop(lambda e, rows, _: e.sum() / rows, zero_each=True),
        "only the last micro-batch is in it, divided by the size of all",
    ),
    "all at once": (
        at_once,
        "the model should run on 1 and 4 and 2 rows, one micro-batch after the other, and ran on 7",
    ),
    "something else": (loop(lambda e, rows, _: 3 * e.sum() / rows), "gradient["),
}


@pytest.mark.parametrize(("function", "sentence"), WRONG.values(), ids=WRONG.keys())
def test_a_wrong_solution_gets_its_sentence(function, sentence):
    verdict = grade_accumulate(function)
    assert not verdict
    assert verdict.message.startswith(sentence)
